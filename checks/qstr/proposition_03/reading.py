r"""Fewer heads than indices, read without a condition on the dimension: at $d\le H<q$ the heads learn everything.

Setting    As in proposition_03, with $q=K$.  The informal statement: $H<q$ heads do not learn, read as
           $R\ge C(1-\frac Hq)$ for every token dimension $d$, with a constant $0<C<1$.
Statement  $R\ge C(1-\frac Hq)$ whatever $d$ and $W^{(h)}_{QK}$.
Witness    HeadDecoder with $H$ heads: six points with $d\le H<q$, three with $H<\min(q,d)$.  Its weights carry
           $\langle w_h,x_j\rangle$ for $w_h=e_{h\bmod d}$, hence all tokens when $d\le H$; at $d=1$ one head does.
Measured   Its risk, in rationals: $2(qd-\operatorname{rank})/(qd)$ for $i\ge N/2$, 0 for $i<N/2$ where all indices
           point to a zero token.  Decoded $\langle w_h,x_k\rangle$ over the true ones, through the softmax in balls.
Control    Repairs: the sharp bound, positive for $H<\min(q,d)$; attention that keeps data and positions apart, and
           $C=1$; a dimension $d\ge H/(1-C)$.  Spoiled: a tenth above the sharp bound; a slope misread by 1 %.
Reads      The display was not available to us; the paper itself asks for a sufficiently large dimension.  The witness
           uses exact real arithmetic and an unbounded head; it says nothing about classes of bounded norm.  Its codes
           are orthonormal; proposition_03_codes has shorter ones.
"""

from fractions import Fraction
from math import ceil

from sympy import Eq, Rational

from theorytools import Claim, Control, points
from theorytools.codes.families import hadamard
from theorytools.papers.qstr.few_heads.decoder import HeadDecoder
from theorytools.papers.qstr.tasks.few_heads import FewTokens

from ..notation import C, H, d, q
from ..proposition_21.proposition_21 import K, risk, share
from .decoder import apart, decoded, measure
from .sharp import sharp

informal = risk >= C * (1 - H / q)


def construct(p, d=None) -> HeadDecoder:
    return HeadDecoder.standard(hadamard(p.N), FewTokens(p.N, d or p.d, p.q), p.H)


def large(p):
    return construct(p, d=max(p.d, ceil(p.H / (1 - Fraction(p.C)))))


def learned(net, p, **believed):
    return {risk: net.risk(), **measure(net, p, **believed)}


claim = Claim(
    "Proposition 3, informal reading without a condition on d",
    role="pitfall", source="derived here: Theorem 1 and Proposition 3",
    scope={"every N, q, H, C": "points", "every dimension d": "points", "every network": "points"},
    expect="REFUTED", asserts=[informal, *decoded],
    note="On the paper's hard instance the exact condition is H < min(q, d); for d <= H < q unrestricted attention "
         "with an unbounded head solves it. The paper itself asks for a sufficiently large dimension.",
    requires=[Eq(q, K), q > H, C < 1],
    grid=points("N d q H C", (5, 1, 2, 1, "1/1000"), (7, 1, 3, 1, "1/1000"), (33, 1, 16, 1, "1/1000"),
                (7, 2, 3, 2, "1/1000"), (9, 2, 4, 2, "1/1000"), (13, 3, 6, 4, "1/1000"), (7, 4, 3, 1, "9/10"),
                (9, 3, 4, 2, "9/10"), (16, 4, 7, 3, "9/10")),
    construct=construct, measure=learned,
    controls=[
        Control("the sharp bound, positive for H < min(q, d)", asserts=[risk >= 2 * share * sharp, *decoded]),
        Control("attention that keeps data and positions apart", asserts=[risk >= 1 - H / q], construct=apart),
        Control("a large dimension", asserts=[informal], construct=large),
        Control("a tenth above the sharp bound", asserts=[risk >= Rational(11, 5) * share * sharp], breaks=risk,
                where=d > H),
        Control("a slope misread by 1 %", asserts=decoded, breaks=decoded,
                measure=lambda net, p: learned(net, p, slope=net.slope * Fraction(101, 100))),
    ],
)
