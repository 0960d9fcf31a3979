r"""The tangent lies above its chord wherever it is treated as concave, a solver's relaxation takes for granted.

Setting    An interval $[\ell,u]$ whose midpoint is nearer to 0 than to any other multiple of $\pi$, and $u\le0$.
Statement  $\tan x\ge\tan\ell+\frac{\tan u-\tan\ell}{u-\ell}(x-\ell)$ for $\ell<x<u$, as the branch is concave.
Proof      Of the repair, $\ell>-\frac\pi2$: there $\tan''=2\tan\sec^2\le0$ on all of the interval.
Measured   The difference at $x=\ell+w(u-\ell)$, in ball arithmetic.
Control    The chord as an upper bound; repair: cut off at $-\frac32$, before the pole.
"""
from dataclasses import replace
from fractions import Fraction

from sympy import pi

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, grid

from .notation import high, low, w

gap = Quantity("gap", r"\tan x-\text{chord}", "over the chord")

def tangent(x):
    return Enclosure(x).apply("sin") / Enclosure(x).apply("cos")

def over(p, start):
    def difference():
        low, high = tangent(start), tangent(p.high)
        return tangent(start + p.w * (p.high - start)) - (low + p.w * (high - low))
    return {gap: enclosed(difference)}

claim = Claim(
    "A chord below the tangent", role="statement", expect="REFUTED", scope={"every low, high, w": "points"},
    source="published: discopt, pull request 450; prose", asserts=gap >= 0, requires=[
        low < high, high <= 0, low + high > -pi, w > 0, w < 1],
    construct=lambda p: p, measure=lambda _, p: over(p, p.low),
    grid=grid(low=[-1, "-1/2"], high=["-1/4", 0], w=["1/4", "1/2"]),
    controls=[Control("above", asserts=[gap <= 0], breaks=gap),
              Control("cut", measure=lambda _, p: over(p, max(p.low, Fraction(-3, 2))))],
)
repaired = replace(
    claim, label="Without a pole", role="variant", expect="HOLDS", source="derived here: a chord below the tangent",
    scope={"every low, high, w": "proof"}, requires=[low < high, high <= 0, 2 * low > -pi, w > 0, w < 1],
    statement=r"The same for $-\frac\pi2<\ell<u\le0$, $0<w<1$.",
    controls=[Control("above", asserts=[gap <= 0], breaks=gap)],
)
