r"""Split conformal prediction covers the next score with the asked probability, however few scores it is calibrated on.

Setting    $n$ calibration scores and a test score, distinct and exchangeable: the latter has each rank as likely.
           The threshold is the $k$-th smallest calibration score, $k=\max(1,\min(n,\lceil(n+1)(1-\alpha_0)\rceil))$.
Statement  For every $n$, $0<\alpha_0<1$ the test score is at most the threshold with probability $1-\alpha_0$ or more.
Proof      Of the repair, $\min(1-\alpha_0,\frac n{n+1})$: a rank is at most $k$ with probability $\frac k{n+1}$.
Measured   The share of ranks for which it is, each by sorting the other scores.
Control    One more rank than is asked for; repair: at most the share that $n$ scores can cover.
"""
from dataclasses import replace
from fractions import Fraction
from math import ceil

from sympy import Min

from theorytools import Claim, Control, Quantity, grid

from .notation import miss, n

coverage = Quantity("coverage", r"P(s\le\text{threshold})", "over the ranks of the test score", (0, 1))

def measure(k, p):
    scores = range(p.n + 1)
    covered = sum(s <= sorted(set(scores) - {s})[k - 1] for s in scores)
    return {coverage: Fraction(covered, p.n + 1)}

claim = Claim(
    "Coverage of split conformal prediction", role="statement", expect="REFUTED", scope={"every n, miss": "points"},
    source="published: Project-MONAI, pull request 8938; prose", asserts=coverage >= 1 - miss, requires=[miss < 1],
    construct=lambda p: max(1, min(p.n, ceil((p.n + 1) * (1 - p.miss)))), measure=measure,
    grid=grid(n=[1, 2, 3], miss=["1/2", "3/4"]),
    controls=[Control("a rank more", asserts=[coverage >= 1 - miss + 1 / (n + 1)], breaks=coverage),
              Control("what n scores can cover", asserts=[coverage >= Min(1 - miss, n / (n + 1))])],
)
repaired = replace(
    claim, label="As far as n scores reach", role="variant", expect="HOLDS", scope={"every n, miss": "proof"},
    source="derived here: split conformal prediction", asserts=coverage >= Min(1 - miss, n / (n + 1)),
    grid=grid(n=[1, 2, 9], miss=["1/10", "1/3", "1/2"]),
    statement=r"At least $\min(1-\alpha_0,\frac n{n+1})$, where $\alpha_0<1$.",
    controls=[Control("a rank more", asserts=[coverage >= Min(1 - miss, n / (n + 1)) + 1 / (n + 1)], breaks=coverage)],
)
