r"""For short sequences fewer than $2q$ encoding dimensions can select every subset.

Setting    As in neighborly_lower, with $T\le d_e+1$.
Statement  The bound $\max_y\mathbb{E}_X\|f-s\|^2\ge\frac d{2q^2}$ for $d_e\le2q-1$, read without a condition on $T$.
Witness    $T$ affinely independent encodings, $0$ and the standard basis: every vector of scores is linear in them.
           In particular $q=3$, $T=4$, $d_e=3$.
Measured   The loss of every subset from its attention weights, rational.
Control    Repair: $T=d_e+1+q$ tokens, on the moment curve of the same dimension, with the query of the $k=\lfloor
           d_e/2\rfloor$ tokens that its degree allows.  Spoiled: that repair held to 2 % above $d\frac{q-k}{q^2}$.
Reads      A folk reading, refuted here; neighborly_lower has the statement with its condition.
"""

from fractions import Fraction

from sympy import Rational, floor, log

from theorytools import Claim, Control, enclosed, points
from theorytools.codes.encodings import Encodings, moment_curve
from theorytools.constructions.attention.selector import SparseSelector
from theorytools.constructions.attention.selector_queries import polynomial_query
from theorytools.theory.selection.loss import worst_loss

from ..notation import T, d, d_e, q
from .loss import worst


def simplex(E, y):  # scores 1 on y and 0 off it, up to the score 0 of the first token
    return [int(i in y) - int(0 in y) for i in range(1, E.T)]


def construct(p) -> SparseSelector:
    rows = [[int(i == k + 1) for k in range(p.d_e)] for i in range(p.T)]
    return SparseSelector(Encodings(rows), log(64), p.q, p.d, simplex)


def long(p):
    k = p.d_e // 2
    return SparseSelector(moment_curve(p.d_e + 1 + p.q, p.d_e), log(64), p.q, p.d, alpha=Fraction(k, p.q),
                          query=lambda E, y: polynomial_query(E, y[:k]))


claim = Claim(
    "Fewer than 2q dimensions, read without a condition on T",
    role="pitfall", source="derived here: encodings of dimension 2q",
    scope={"every T and q": "points", "every encoding": "points"},
    expect="REFUTED", asserts=worst >= d / (2 * q**2),
    note="For T >= d_e + 1 + q the bound holds; for T <= d_e + 1 every subset can be selected.",
    requires=[d_e <= 2 * q - 1, q < T, d_e + 1 >= T],
    grid=points("T q d d_e", (4, 3, 1, 3), (4, 2, 2, 3), (3, 2, 1, 2), (5, 3, 1, 4)),
    construct=construct, measure=lambda net, p: {worst: enclosed(lambda: worst_loss(net))},
    controls=[
        Control("long enough", construct=long),
        Control("long enough, more than what is left out", breaks=worst, construct=long,
                asserts=[worst >= Rational(102, 100) * d * (q - floor(d_e / 2)) / q**2]),
    ],
)
