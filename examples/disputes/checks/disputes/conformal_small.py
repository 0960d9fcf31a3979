r"""Split conformal prediction covers the next score with the asked probability, however few scores it is calibrated on.

Setting    $n$ calibration scores and a test score, distinct and exchangeable: the latter has each rank as likely.
           The threshold is the $k$-th smallest calibration score, $k=\max(1,\min(n,\lceil(n+1)(1-\alpha)\rceil))$.
Statement  For every $n$ and $0<\alpha<1$ the test score is at most the threshold with probability $1-\alpha$ or more.
Measured   The share of ranks for which it is, each by sorting the other scores.
Control    One more rank than is asked for.
"""
from fractions import Fraction
from math import ceil

from theorytools import Claim, Control, Quantity, grid

from .notation import alpha, n

coverage = Quantity("coverage", r"P(s\le\text{threshold})", "over the ranks of the test score", (0, 1))

def measure(k, p):
    scores = range(p.n + 1)
    covered = sum(s <= sorted(set(scores) - {s})[k - 1] for s in scores)
    return {coverage: Fraction(covered, p.n + 1)}

claim = Claim(
    "Coverage of split conformal prediction", role="statement", scope={"every n, alpha": "points"},
    source="published: Project-MONAI, pull request 8938; prose", asserts=coverage >= 1 - alpha, requires=[alpha < 1],
    construct=lambda p: max(1, min(p.n, ceil((p.n + 1) * (1 - p.alpha)))), measure=measure,
    grid=grid(n=[1, 2, 3], alpha=["1/2", "3/4"]),
    controls=[Control("a rank more", asserts=[coverage >= 1 - alpha + 1 / (n + 1)], breaks=coverage)],
)
