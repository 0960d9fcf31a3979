r"""Gaussian tokens are far shorter than Lemma 12 allows; the chi-square law says by how much.

Setting    $nN$ independent tokens $x\sim N(0,I_d)$, for which $C_x=1$.
Statement  $1-(1-\Pr(\chi^2_d\ge r_x^2))^{nN}\le nN\exp(-r_x^2/(2ed))$ for $r_x^2\ge ed$.
Proof      $1-(1-p)^{nN}\le nNp$, and $p\le\exp(-r_x^2/(2ed))$ by lemma_12 with $C_x=1$ (assumption_01).
Witness    The chi-square tail: a finite sum for even $d$, with $\operatorname{erfc}$ for odd $d$.
Measured   The failure probability at $r_x^2$, enclosed.
Control    Tokens along one direction, of variance $11d$; the exponent $r_x^2/d$.
Reads      The law is derived here. At the stated radius $r_x^2=3ed\log(nN)$ it is far below the $(nN)^{-1/2}$ of
           lemma_12.stated, at $n=10^4$, $N=100$, $d=10$ already at a seventeenth of $r_x^2$; the paper needs only the
           order of $r_x$.
"""

from sympy import E, Eq, exp

from theorytools import Claim, Control, points
from theorytools.papers.qstr.capacity.token_norms import GaussianTokens, token_failure

from ..notation import N, d, n, r_x
from .lemma_12 import failure


def construct(p) -> GaussianTokens:
    return GaussianTokens(p.d)


def measure(law, p):
    return {failure: lambda: law.failure(p.n * p.N, p.r_x**2)}


claim = Claim(
    "Lemma 12, Gaussian tokens",
    role="variant", source="derived here: Lemma 12", scope={"every n, N, d, r_x": "proof", "every radius": "proof"},
    asserts=[failure <= token_failure(r_x, n=n, N=N, d=d).expr],
    requires=[r_x**2 >= E * d],
    grid=points("n N d r_x", (1, 1, 1, "5/3"), (1, 1, 1, 4), (1, 1, 2, 3), (1, 1, 3, "29/10"), (10, 10, 3, 10),
                (10, 100, 10, 25), (100, 10, 11, 30)),
    construct=construct, measure=measure, controls=[
        Control("exponent r_x^2/d", asserts=[failure <= n * N * exp(-(r_x**2) / d)], breaks=failure, where=Eq(d, 1)),
        Control("one direction of variance 11 d", breaks=failure, construct=lambda p: GaussianTokens(p.d, 11 * p.d, 1)),
    ],
)
