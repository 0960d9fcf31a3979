r"""Gaussian tokens are far shorter than Lemma 12 allows; the chi-square law says by how much.

Setting    $nN$ independent tokens $x\sim N(0,I_d)$, for which $C_x=1$.
Statement  $1-(1-\Pr(\chi^2_d\ge r_x^2))^{nN}\le nN\exp(-r_x^2/(2ed))$ for $r_x^2\ge ed$. The stated radius,
           $r_x^2=3ed\log(nN)$, gives $(nN)^{-1/2}$, and so does already a part of its square.
Witness    The chi-square tail: a finite sum for even $d$, with $\operatorname{erfc}$ for odd $d$.
Measured   The failure probability at $r_x^2$, and at $r_x^2$ divided by a whole number, enclosed.
Control    Tokens along one direction, of variance $11d$; the exponent $r_x^2/d$; a larger whole number.
Reads      The parts of $r_x^2$ that suffice are derived here; the paper needs only the order of $r_x$.
"""

from sympy import E, Eq, exp, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.capacity.token_norms import GaussianTokens, token_failure, token_radius

from ..notation import N, d, n, part, r_x
from .lemma_12 import failure

early = Quantity("failure at a part", r"\Pr(\max\|x\|^2\ge r_x^2/\varphi)", "at a part of the squared radius", (0, 1))


def construct(p) -> GaussianTokens:
    return GaussianTokens(p.d)


def measure(law, p):
    return {failure: lambda: law.failure(p.n * p.N, p.r_x**2)}


def at_a_part(law, p, more=0):
    return {early: lambda: law.failure(p.n * p.N, p.r_x**2 / (p.part + more))}


claim = Claim(
    "Lemma 12, Gaussian tokens",
    role="variant", source="derived here: Lemma 12", scope={"every n, N, d, r_x": "points", "every radius": "points"},
    asserts=[failure <= token_failure(r_x, n=n, N=N, d=d).expr],
    requires=[r_x**2 >= E * d],
    grid=points("n N d r_x", (1, 1, 1, "5/3"), (1, 1, 1, 4), (1, 1, 2, 3), (1, 1, 3, "29/10"), (10, 10, 3, 10),
                (10, 100, 10, 25), (100, 10, 11, 30)),
    construct=construct, measure=measure, controls=[
        Control("exponent r_x^2/d", asserts=[failure <= n * N * exp(-(r_x**2) / d)], breaks=failure, where=Eq(d, 1)),
        Control("one direction of variance 11 d", breaks=failure, construct=lambda p: GaussianTokens(p.d, 11 * p.d, 1)),
    ],
)
stated = Claim(
    "Lemma 12, Gaussian tokens at the stated radius",
    role="variant", source="derived here: Lemma 12", scope={"every n, N, d, part": "points"},
    asserts=[early <= 1 / sqrt(n * N)], requires=[n * N >= 2, part >= 2],
    tabulated=[part], lets={r_x: token_radius(n=n, N=N, d=d)},
    grid=points("n N d part", (4, 4, 1, 4), (100, 100, 3, 7), (10000, 100, 10, 17), (10000, 100, 100, 53),
                (1000000, 100, 10, 19)),
    construct=construct, measure=at_a_part, controls=[
        Control("the next whole number", breaks=early, measure=lambda law, p: at_a_part(law, p, more=1)),
        Control("one direction of variance 11 d", breaks=early,
                construct=lambda p: GaussianTokens(p.d, 11 * p.d, 1)),
    ],
)
