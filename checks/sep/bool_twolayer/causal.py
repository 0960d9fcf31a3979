r"""A causal mask only removes tokens that are not copied: the bounds stay, and the margin grows a little.

Setting    As in bool_twolayer, equality, each token sees itself and what comes before; $n=2^k$ or 1.
Statement  The least output of the false side is $g(c)$ at $c=\frac{2(16k)^k-S-n}{S+n}$, at the last position; [CLS]
           is no longer in the denominator. It is more than without the mask.
Witness    TwoLayerBoolean.
Measured   The extremes over all $4^n$ inputs.
Control    No mask; codes of two positions swapped; the first position in place of the last.
Reads      Derived here. Attained at irrational numbers, hence the tie.
"""

from sympy import Rational

from theorytools import Claim, Control, points
from theorytools.errors import DomainError

from ..notation import S_code, k, n
from .bool_twolayer import attained, bottom, construct, derive, g, measure, rho, swapped, top


def masked(p, **spoiled):
    if p.n & (p.n - 1):
        raise DomainError(f"n = {p.n}", required="a power of two",
                          why="else the least output need not be at the last position")
    return construct(p, causal=True, **spoiled)


def worst(m):  # at position m
    return (2 * (16 * k) ** k - S_code - m) / (S_code + m)


least = attained(g(worst(n)))
claim = Claim(
    "Equality by two layers with a causal mask",
    role="variant", source="derived here: equality by two layers",
    scope={"every task, n": "points", "some network": "exhibited", "every pair of strings": "enumeration"},
    asserts=[top.equals(0), bottom >= Rational(12, 25), bottom >= g(rho(0)), least],
    derive=derive, derived=[k, S_code], grid=points("task n", *(("equality", size) for size in (1, 2, 4, 8))),
    construct=masked, measure=measure,
    controls=[
        Control("no mask", breaks=bottom, where=n <= 4, construct=construct, asserts=[least]),
        Control("codes of two positions swapped", breaks=bottom, where=(n >= 2) & (n <= 4), asserts=[least],
                construct=lambda p: swapped(masked(p))),
        Control("the first position", breaks=bottom, where=(n >= 2) & (n <= 4), asserts=[attained(g(worst(1)))]),
    ],
)
