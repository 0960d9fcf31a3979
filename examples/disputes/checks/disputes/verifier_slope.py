r"""The tangent lies above its chord wherever it is treated as concave, a solver's relaxation takes for granted.

Setting    An interval $[\ell,u]$ whose midpoint is nearer to 0 than to any other multiple of $\pi$, and $u\le0$.
Statement  $\tan x\ge\tan\ell+\frac{\tan u-\tan\ell}{u-\ell}(x-\ell)$ for $\ell<x<u$, as the branch is concave.
Proof      Of the repair, $\ell>-\frac\pi2$: there $\tan''=2\tan\sec^2\le0$ on all of the interval.
Measured   The difference at $x=\ell+w(u-\ell)$, in ball arithmetic.
Control    The chord as an upper bound; repair: no pole inside.
"""
from dataclasses import replace

from sympy import pi

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, grid

from .notation import high, low, w

gap = Quantity("gap", r"\tan x-\text{chord}", "over the chord")

def tangent(x):
    return Enclosure(x).apply("sin") / Enclosure(x).apply("cos")

def over(p):
    low, high = tangent(p.low), tangent(p.high)
    return tangent(p.low + p.w * (p.high - p.low)) - (low + p.w * (high - low))

claim = Claim(
    "A chord below the tangent", role="statement", expect="REFUTED", scope={"every low, high, w": "points"},
    source="published: jkitchin/discopt, pull request 450; prose", asserts=gap >= 0, requires=[
        low < high, high <= 0, low + high > -pi, w > 0, w < 1],
    construct=lambda p: p, measure=lambda _, p: {gap: enclosed(lambda: over(p))},
    grid=grid(low=[-1, "-1/2"], high=["-1/4", 0], w=["1/4", "1/2"]),
    controls=[Control("above", asserts=[gap <= 0], breaks=gap),
              Control("no pole", asserts=[gap >= 0], where=2 * low > -pi)],
)
repaired = replace(
    claim, label="Without a pole", role="variant", expect="HOLDS", source="derived here: a chord below the tangent",
    scope={"every low, high, w": "proof"}, requires=[low < high, high <= 0, 2 * low > -pi, w > 0, w < 1],
    statement=r"The same for $-\frac\pi2<\ell<u\le0$, $0<w<1$.",
    controls=[Control("above", asserts=[gap <= 0], breaks=gap)],
)
