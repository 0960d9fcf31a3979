r"""An encoding dimension of order $q\log T$ is not necessary in exact arithmetic: $2q$ suffices for every length.

Setting    As in neighborly_lower.  The reading "below $q\log T$ dimensions every encoding and query map fails on some
           subset", with the failure that holds below $2q$: $\max_y\mathbb{E}_X\|f-s\|^2\ge\frac d{2q^2}$.
Statement  That bound whenever $d_e<q\log T$ and $T\ge3q$.
Witness    The moment curve of dimension $2q<q\log T$ with the polynomial query, at $T\ge8>e^2$.
Measured   The loss of every subset from its attention weights, in balls.
Control    Repair: $2q-1$ dimensions, the curve without any one coordinate (the axis drop).  Spoiled: a bound
           2 % above $\frac d{q^2}$, which $2q-2$ dimensions reach by averaging $q-1$ of the tokens.
Reads      Refuted for exact real arithmetic and unbounded queries.  With finite precision
           (width) x (bits) of order $q$ is needed (encodings_uniform_bits), and random encodings with the dual query
           need more than $2q$.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Rational, log

from theorytools import Claim, Control, enclosed, points
from theorytools.codes.encodings import moment_curve
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.attention.selector_queries import polynomial_query
from theorytools.papers.stsq.selection.loss import worst_loss

from ..notation import T, d, d_e, q
from .loss import worst
from .neighborly import construct as curve
from .neighborly import dropped


def construct(p, make=curve) -> SparseSelector:
    return replace(make(p), beta=6, d=p.d)


def short(p):  # the average of all selected tokens but the last
    return SparseSelector(moment_curve(p.T, 2 * p.q - 2), 6, p.q, p.d, lambda E, y: polynomial_query(E, y[:-1]),
                          alpha=Fraction(p.q - 1, p.q))


claim = Claim(
    "Fewer than q log T dimensions, read without 2q",
    role="pitfall", source="derived here: encodings of dimension q log T read as necessary",
    scope={"every T, q, d, d_e, drop": "points", "every encoding": "points"},
    expect="REFUTED", asserts=worst >= d / (2 * q**2),
    note="In exact arithmetic, for all y and T >= 3q, the encoding threshold is 2q.",
    requires=[3 * q <= T, d_e < q * log(T)],
    grid=points("T q d d_e drop", (8, 1, 1, 2, 1), (8, 1, 2, 2, 2), (64, 1, 1, 2, 1), (8, 2, 1, 4, 1), (8, 2, 2, 4, 4),
                (9, 2, 1, 4, 3), (9, 3, 1, 6, 6)),
    construct=construct, measure=lambda net, p: {worst: enclosed(lambda: worst_loss(net))},
    controls=[
        Control("one dimension fewer than 2q", construct=lambda p: construct(p, dropped)),
        Control("2q - 2 dimensions, twice the bound and 2 %", breaks=worst, where=q >= 2, construct=short,
                asserts=[worst >= Rational(102, 100) * d / q**2]),
    ],
)
