r"""The sharp bound for few heads is attained: a network whose weights are decoded by logarithms.

Setting    As in proposition_03, with $q=K$.
Statement  $E(y_i-\hat y_i)^2=2(1-\frac Hq)(1-\frac Hd)$ for $i\ge N/2$, the least of any $H\le\min(q,d)$ heads.
Witness    HeadDecoder: the scores $\beta_{hk}1_{j=t_{ik}}+\lambda\langle w_h,x_j\rangle$ on orthonormal codes;
           $\lambda\langle w_h,x_k-x_1\rangle=\log\frac{\pi_{hk}}{\pi_{h1}}-\beta_{hk}+\beta_{h1}$; the conditional mean
           given $\langle w_h,x_k\rangle$ and $\sum_j\pi_{hj}x_j$.
Measured   The error as $2(qd-\operatorname{rank})/(qd)$, in rationals: the rank where all scores of data vanish is the
           largest possible, hence the rank almost surely.  Decoded $\hat c_{hk}$ over true
           $c_{hk}=\langle w_h,x_k\rangle$ at one prompt, through the softmax in ball arithmetic.
Control    No block between positions and data; all heads with one direction; the published constant claimed tight;
           variance $k$ for $\chi^2_k$; a slope misread by 1 %.
Reads      Derived here; exact real arithmetic and a readout of any size and width.  For $q<K$ the formula holds in the
           limit $\beta\to\infty$ (proposition_03_running).
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import enclosed
from theorytools.codes.families import hadamard
from theorytools.numbers import maximum, minimum
from theorytools.papers.qstr.few_heads.decoder import HeadDecoder
from theorytools.papers.qstr.tasks.few_heads import FewTokens

from ..notation import H, d, q
from ..proposition_21.exact import late
from ..proposition_21.proposition_21 import K
from ._exact_decoding import decoded_ratios
from .proposition_03 import published
from .sharp import sharp

FINE = 20  # binary digits of the tokens behind the point
largest = Quantity("largest ratio", r"\max_{h,k}\hat c_{hk}/c_{hk}", "of a decoded number to the true one")
smallest = Quantity("smallest ratio", r"\min_{h,k}\hat c_{hk}/c_{hk}", "of a decoded number to the true one")
tight, decoded = late.equals(2 * sharp), [r.equals(1, within=Rational(1, 10**30)) for r in (largest, smallest)]


def construct(p, **spoiled) -> HeadDecoder:
    return replace(HeadDecoder.standard(hadamard(p.N), FewTokens(p.N, p.d, p.q), p.H), **spoiled)


def one_direction(p):
    return construct(p, directions=((1,) + (0,) * (p.d - 1),) * p.H)


def apart(p):
    return construct(p, slope=Fraction(0))


def measure(net, p, **believed):
    # so fine that no two numbers, whose quotient a slope misread would leave alone, are equal but once in 2^-FINE
    tokens = np.floor(2**FINE * p.rng("tokens").standard_normal((p.q, p.d)))
    X = [[Fraction(2 * int(x) + 1, 2 ** (FINE + 1)) for x in row] for row in tokens]
    return {late: net.late_error(), largest: enclosed(lambda: maximum(decoded_ratios(net, X, **believed))),
            smallest: enclosed(lambda: minimum(decoded_ratios(net, X, **believed)))}


claim = Claim(
    "Proposition 3, attained",
    role="sharpness", source="derived here: Proposition 3",
    scope={"every N, d, q, H": "points", "some network": "exhibited"},
    asserts=[tight, *decoded], requires=[Eq(q, K), q >= H, d >= H],
    grid=points("N d q H", (7, 4, 3, 1), (8, 4, 3, 2), (5, 3, 2, 1), (9, 6, 4, 2), (10, 6, 4, 3), (11, 6, 5, 4),
                (7, 2, 3, 2), (9, 2, 4, 2), (5, 1, 2, 1), (7, 1, 3, 1)),
    construct=construct, measure=measure,
    controls=[
        Control("no block between positions and data", asserts=[tight], breaks=tight, where=q > H, construct=apart),
        Control("one direction for all heads", breaks=tight, where=(H >= 2) & (q > H), construct=one_direction),
        Control("the published constant", breaks=late, asserts=[late.equals(2 * published)]),
        Control("variance k of a chi-square", breaks=late, asserts=[late.equals(sharp)], where=(q > H) & (d > H)),
        Control("a slope misread by 1 %", breaks=decoded,
                measure=lambda net, p: measure(net, p, slope=net.slope * Fraction(101, 100))),
    ],
)
