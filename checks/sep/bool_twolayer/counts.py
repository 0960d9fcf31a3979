r"""A count among $2n+1$ tokens survives one rounding of its mean to $M$ bits for $n\le2^M$, not at $n=2^M+1$.

Setting    The mean $c/L$, $L=2n+1$, $0\le c\le n$, rounded once to $M$ significant bits, ties to even; times $L$, to
           the nearest integer, again ties to even.
Statement  Every count is recovered for $n\le2^M$, and not at $n=2^M+1$: the largest error is $\frac12$ at $c=n=2^M$
           and beyond at $2^M+1$.
Witness    All counts: $M=8$ (bfloat16), $M=11$ (float16), and small $M$.
Measured   The number of counts that are not recovered, by rational rounding.
Control    One $n$ further, at which one is lost; ties upwards in the last rounding.
Reads      Derived here. At $n=2^M$ the count $n$ comes back as $2^M+\frac12$ exactly, so ties to even are needed.
"""

from fractions import Fraction
from math import floor

from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.attention.formats import Format

from ..notation import M, n

wrong = Quantity("counts not recovered", r"\#\{c:\hat c\ne c\}", "of 0, ..., n", (0, None))


def construct(p) -> Format:
    return Format("M bits", p.M, -1022)


def lost(how, n, nearest=round):
    L = 2 * n + 1
    return sum(nearest(how.nearest(Fraction(c, L)) * L) != c for c in range(n + 1))


def upwards(number):
    return floor(number + Fraction(1, 2))


claim = Claim(
    "Counts through a rounded mean",
    role="precision", source="derived here: equality by two layers",
    scope={"every M, n": "points", "every count": "enumeration"},
    asserts=wrong.equals(0), requires=[n <= 2**M],
    grid=points("M n", (2, 4), (3, 7), (3, 8), (8, 255), (8, 256), (11, 2048)), construct=construct,
    measure=lambda how, p: {wrong: lost(how, p.n)},
    controls=[
        Control("one n further", breaks=wrong, where=Eq(n, 2**M),
                measure=lambda how, p: {wrong: lost(how, p.n + 1)}),
        Control("ties upwards", breaks=wrong, where=Eq(n, 2**M),
                measure=lambda how, p: {wrong: lost(how, p.n, upwards)}),
    ],
)
