r"""The accuracy of trained recurrent states falls when the words become twice as long; attention's does not.

Setting    As in experiments, states of $m=16$ or 64 numbers.
Statement  The accuracy falls from $N$ to $2N\ge m$ to less than $\frac9{10}$ of itself.
Witness    Three trained networks of each cell.
Measured   The ratio of geometric means over the networks with Welch's 95 % t-interval.
Control    The lengths exchanged; attention.
Reads      The factor is the sweep's. Far beyond $m$ the accuracy is near chance, $\frac1{16}$, and falls less.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import ratio_interval

from ..notation import N
from .experiments import ATTENTION, construct

ratio = Quantity("ratio of accuracies", r"\Pr_{2N}/\Pr_N", "of the length doubled", (0, None))
DOUBLED = [(model, m, n) for model in ("linear", "gru", "lstm") for m, n in ((16, 8), (16, 16), (16, 32), (64, 32))]


def ratios(record, arm, above, below):
    low, high = ratio_interval(record.values(arm, N=above), record.values(arm, N=below))
    return {ratio: fitted(low, high, level=0.95)}


claim = Claim(
    "Experiments, recurrent states",
    role="found", source="derived here: experiments on index lookup",
    scope={"every model, m, N": "points", "every repeat": "recorded"},
    asserts=ratio <= Rational(9, 10), construct=construct,
    measure=lambda record, q: ratios(record, f"{q.model} {q.m}", 2 * q.N, q.N),
    grid=points("model m N", *DOUBLED, ("linear", 16, 64), ("linear", 64, 64)),
    controls=[
        Control("the lengths exchanged", breaks=ratio,
                measure=lambda record, q: ratios(record, f"{q.model} {q.m}", q.N, 2 * q.N)),
        Control("attention", breaks=ratio, where=N >= 16,
                measure=lambda record, q: ratios(record, ATTENTION, 2 * q.N, q.N)),
    ],
)
