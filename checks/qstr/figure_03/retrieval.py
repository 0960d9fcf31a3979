r"""At a threshold that asks for retrieval, a Transformer with $q$ heads needs more samples for more relevant tokens.

Setting    As in figure_03, link he2, $N=7$, $q=1,\dots,4$, but the threshold $\frac12(1-\frac qN)$, half of the risk of
           the best predictor that does not see the indices, the learning rate $10^{-3}$, and $q$ heads for the
           Transformer.
Statement  The exponent of the samples in $q$ is between 0 and 2 for the Transformer, as predicted; its interval,
           $[.20,.77]$, lies below 1, so over $q=1,\dots,4$ the samples do not grow like Theorem 4's factor $q$. For the
           feedforward network it is above 0: undecided, as at every $q$ some repeat needs more than 500,000 prompts.
Witness    Three trained networks for each architecture and $q$.
Measured   The exponent by least squares over the sizes without a stopped repeat, 95 % t-interval from the repeats; with
           fewer than three such sizes the rule leaves it open, and the row is the whole line.
Control    The numbers of tokens in reverse; the exponent 1; the samples of figure_03, whose threshold averaging
           reaches.
Reads      Both parts are the sweep's rule. Theorem 4's order has a factor $q$ and is an upper bound, which a slower
           growth does not contradict; a window from 0 to 2 would have let pass both.
"""

from dataclasses import replace
from math import inf

from theorytools import Claim, Control, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.slopes import mean_slope
from theorytools.training.record import SweepRecord, recorded

from .figure_03 import exponent


def construct(p, name="retrieval") -> SweepRecord:
    return recorded(__file__, name)


def measure(record, p, backward=False):
    rows = record.repeats(p.architecture)
    whole = [size for size, lost in zip(rows.sizes, rows.high, strict=True) if inf not in lost]
    if len(whole) < 3:
        return {exponent: fitted(-inf, inf, level=0.95)}
    rows = rows.at(whole)
    if backward:
        rows = replace(rows, low=rows.low[::-1], high=rows.high[::-1])
    fit = mean_slope(rows, noise="repeats")
    return {exponent: fitted(fit.low, fit.high, level=fit.level, window=list(fit.window))}


shared = {"role": "prediction", "source": "derived here: Figure 3", "construct": construct, "measure": measure,
          "scope": {"every architecture": "points", "every q": "points", "every repeat": "recorded"}}
claim = Claim(
    "Figure 3, a threshold that asks for retrieval", **shared, asserts=[exponent >= 0, exponent <= 2],
    grid=points("architecture", ("transformer",)), controls=[
        Control("numbers of tokens in reverse", breaks=exponent >= 0,
                measure=lambda record, p: measure(record, p, backward=True)),
        Control("a factor q", asserts=[exponent >= 1], breaks=exponent),
        Control("the threshold of figure 3", breaks=exponent >= 0, construct=lambda p: construct(p, "figure_03")),
    ],
)
feedforward = Claim(
    "Figure 3, retrieval by feedforward networks", **shared, expect="UNDECIDED", asserts=[exponent >= 0],
    note="Eight of twelve networks are stopped at 500,000 prompts, one or more at every q.",
    grid=points("architecture", ("ffn",)), controls=[
        Control("the threshold of figure 3", breaks=exponent, construct=lambda p: construct(p, "figure_03")),
    ],
)
