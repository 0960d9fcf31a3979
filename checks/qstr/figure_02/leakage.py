r"""Training keeps much leakage; the head rescales, the leaked mass averages out, and that explains the loss.

Setting    As in figure_02. $\pi_i$ are the attention rows on test prompts, biases and tokens included, $L$ the mean
           weight outside the indexed position; a bar is a mean over rows.
Statement  $L\ge\frac1{10}$, for the rows that the block $V$ alone implies and for those that are paid. The test loss is
           at most half of $\overline{\|\pi-e_t\|^2}$, what this leakage costs a linear readout at scale 1, and within
           a factor $\frac54$ of $1-\overline{\pi_t^2/\|\pi\|^2}$, the least that it costs with scales row by row.
Witness    The trained networks of figure_02.
Measured   Means over the networks with 95 % t-intervals; of logarithms for the ratios.
Control    Untrained networks; networks trained on permuted labels; the scale $1/(1-L)$ dropped from the account; the
           loss with indices encoded by another position's code.
Reads      The costs are those of lemma_11_l2, at measured rows. For Gaussian tokens and rows that do not depend on them
           the last is the least error of every readout, not of linear ones only.  Statistics and thresholds are the
           sweep's.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, grid
from theorytools.statistics.t_intervals import geometric_mean, repeat_mean

from .figure_02 import column, construct

implied = Quantity("implied leakage", "L_V", "mean weight outside the indexed position, by the block alone", (0, 1))
paid = Quantity("leakage", "L", "the same on test prompts, biases and tokens included", (0, 1))
unscaled = Quantity("loss over plain cost", r"\ell/R(1)", "test loss over the leakage's cost at scale 1", (0, None))
account = Quantity("loss over least cost", r"\ell/R_{\min}", "over its cost with a scale for each row", (0, None))
tenth, half = Rational(1, 10), Rational(1, 2)


def measure(record, p, arm="trained", tested="loss", cost="floor"):
    losses, plain, least = (column(record, p, name, arm) for name in (tested, "seen_plain", f"seen_{cost}"))
    return {implied: repeat_mean(column(record, p, "block_leak", arm)),
            paid: repeat_mean(column(record, p, "seen_leak", arm)),
            unscaled: geometric_mean([a / b for a, b in zip(losses, plain, strict=True)]),
            account: geometric_mean([a / b for a, b in zip(losses, least, strict=True)])}


claim = Claim(
    "Figure 2, leakage",
    role="found", source="derived here: Figure 2", scope={"every N": "points", "every repeat": "recorded"},
    asserts=[implied >= tenth, paid >= tenth, unscaled <= half, account <= Rational(5, 4), account >= Rational(4, 5)],
    grid=grid(N=[64, 100]), construct=construct, measure=measure, controls=[
        Control("untrained weights", breaks=unscaled, measure=lambda record, p: measure(record, p, "untrained")),
        Control("labels permuted across prompts", breaks=unscaled,
                measure=lambda record, p: measure(record, p, "shuffled labels")),
        Control("no scale in the account", breaks=account >= Rational(4, 5),
                measure=lambda record, p: measure(record, p, cost="plain")),
        Control("codes of other positions when tested", breaks=[unscaled, account <= Rational(5, 4)],
                measure=lambda record, p: measure(record, p, tested="wrong_codes")),
        Control("small leakage", breaks=[implied, paid], asserts=[implied <= tenth, paid <= tenth, unscaled <= half]),
    ],
)
