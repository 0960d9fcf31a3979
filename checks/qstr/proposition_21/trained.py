r"""Trained networks with fewer heads than indices stay above the bound of Proposition 21, and come close to it.

Setting    As in proposition_21, $N=8$, one late position. Head $h$ has free weights $\pi_{hj}$ by softmax, without a
           block between positions and data; a ReLU network with two hidden layers reads $\sum_j\pi_{hj}x_j$. 4
           networks with one head, 8 with more, trained by Adam on 384 000 prompts each.
Statement  $E(y_i-\hat y_i)^2\ge2(1-H/q)$: what the weights leave is at least that, no network is below 95 % of it, and
           the least of a cell is within 5 % of it.
Adversary  Trained scores and readouts.
Measured   The late error on $2^{20}$ fresh prompts, truncated, with limits that hold for all networks at once; what
           the learned weights leave to any readout, as a trace, for the rationals that their doubles are.
Control    One head more; the linear link; a block between positions and data ($d=1$); untrained networks; a bound
           without the factor 2, or for one head less.
Reads      Predictions are clipped to $[-\sqrt{qd},10]$. 5 % is what limits at level $10^{-9}$ can tell. Networks with
           several heads often get stuck at the error of fewer: the least of 8 is compared.
"""

from sympy import Eq, Rational, true

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import minimum
from theorytools.statistics.clipped_error import least_recorded
from theorytools.training.record import SweepRecord, recorded

from ..notation import H, d, q
from ..sweeps.heads import attention_rows, limits_of
from .proposition_21 import bound

tried = Quantity("late error", r"\min E(y_i-\hat y_i)^2", "least of the trained networks of a cell", (0, None))
left = Quantity("left by the weights", r"\min_{\hat y}E(y_i-\hat y_i)^2", "to any readout, least of a cell", (0, None))
resolved = Rational(1, 20)  # 2^20 prompts at level 1e-9 leave about 3.5 % below and above the mean of (chi^2_1 - 1)^2
leaves, near = left >= bound, tried.equals(bound, within=resolved * bound)


def construct(p) -> SweepRecord:
    return recorded(__file__, "heads")


def late(record, p, arm="free", H=None, field="limits"):
    return least_recorded(limits_of(record, arm, p.q, p.d, H or p.H, field))


def measure(record, p):
    rows = attention_rows(record, "free", p.q, p.d, p.H)
    return {tried: late(record, p), left: lambda: minimum([one.late_error() for one in rows])}


def spoiled(name, where=true, more=0, **other):
    return Control(name, asserts=[near], breaks=tried, where=where,
                   measure=lambda record, p: {tried: late(record, p, H=p.H + more, **other)})


claim = Claim(
    "Proposition 21, trained heads",
    role="found", source="derived here: Proposition 21",
    scope={"every q, d, H": "points", "every trained network": "recorded"},
    asserts=[near, leaves], requires=[q > H],
    grid=points("q d H", (2, 1, 1), (3, 1, 1), (3, 1, 2), (2, 2, 1), (3, 2, 1), (3, 2, 2)),
    construct=construct, measure=measure,
    controls=[
        spoiled("untrained networks", field="untrained"),
        spoiled("one head more", more=1),
        spoiled("linear link, one head", where=Eq(H, 1), arm="linear"),
        spoiled("a block between positions and data", where=Eq(d * H, 1), arm="cross"),
        Control("a bound without the factor 2", breaks=tried,
                asserts=[tried.equals(bound / 2, within=resolved * bound)]),
        Control("one head less in the bound", breaks=[tried, left],
                asserts=[tried >= (1 - resolved) * (bound + 2 / q), left >= bound + 2 / q]),
    ],
)
