r"""Softmax moves two vectors of scores by at most half of their distance.

Setting    Scores that differ in two entries: $x=(t,-t,-40,\dots)$, $y=(-t,t,-40,\dots)$.
Statement  $\|\sigma(x)-\sigma(y)\|\le\frac12\|x-y\|$ for the softmax $\sigma$.
Proof      The Jacobian is $\operatorname{diag}(p)-pp^\top$; its quadratic form at a unit vector is the variance of a
           variable with values in an interval of length at most $\sqrt2$, so at most $\frac12$.
Witness    The pair; as $t\to0$ the quotient tends to $\frac12$ for $N=2$.
Measured   The quotient, in ball arithmetic.
Control    A quarter in place of a half.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, enclosed, grid
from theorytools.measures import lipschitz_constant, softmax

from .notation import N, t

quotient = Quantity("quotient", r"\|\sigma(x)-\sigma(y)\|/\|x-y\|", "how far softmax moves", (0, None))


def construct(p):
    rest = [-40] * (p.N - 2)
    return [p.t, -p.t, *rest], [-p.t, p.t, *rest]


def measure(pair, p):
    return {quotient: enclosed(lambda: lipschitz_constant(softmax, [pair]))}


claim = Claim(
    "Softmax is Lipschitz", role="statement", source="derived here: softmax", scope={"every N, t and pair": "proof"},
    requires=[N >= 2, t > 0], asserts=quotient <= Rational(1, 2), construct=construct, measure=measure,
    grid=grid(N=[2, 8], t=["1/16", 1, 4]),
    controls=[Control("a quarter", asserts=[quotient <= Rational(1, 4)], breaks=quotient, where=t <= 1)],
)
