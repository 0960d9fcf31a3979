r"""Sign encodings given those of the set: Hoeffding's bound of the cross-talk, against the exact rational probability.

Setting    $e_i\in\{\pm d_e^{-1/2}\}^{d_e}$ uniform, $E_y$ given and independent, $n=T-q$ fresh encodings off $y$,
           $\|e_y\|^2=\mathbf1^\top(E_y^\top E_y)^{-1}\mathbf1$.
Statement  $\Pr(\kappa\ge c\mid E_y)\le n\exp(-c^2d_e/(2\|e_y\|^2))$.
Witness    Drawn signs on the set, the dual query in rationals.
Measured   The probability by the law of a signed sum of the entries of the query, counted in integers.
Control    Four times the exponent; a quarter of the level; one fresh encoding for $n$, with twice the exponent.
Reads      Derived here.  Dependent sets are no part of this statement: see encodings_average_singular.
"""

from fractions import Fraction

from sympy import Eq, exp

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.encodings import Encodings, sign_encodings
from theorytools.papers.stsq.attention.selector_queries import query, squared_length
from theorytools.papers.stsq.selection.sign_cross_talk import sign_separation

from ..notation import T, c, d_e, e_2, q

miss = Quantity("failure", r"\Pr(\kappa\ge c\mid E_y)", "given the encodings of the set", (0, 1))
n = T - q


def construct(p) -> Encodings:
    return sign_encodings(p.q + 1, p.d_e, p.rng("set"))


def measure(E, p):
    return {miss: 1 - sign_separation(E, range(p.q), p.T - p.q, p.c)}


def derive(E, p):
    return {e_2: squared_length(E, query(E, range(p.q), "dual"))}


def bound(rate=1):
    return miss <= n * exp(-(c**2) * d_e * rate / (2 * e_2))


claim = Claim(
    "Encodings, signs given the set",
    role="variant", source="derived here: encodings, average case",
    scope={"every c": "points", "every T, q and dimension d_e": "points", "every set": "drawn",
           "every draw of the others": "closed form"},
    asserts=bound(), requires=[q < T, d_e >= q], derive=derive, derived=[e_2],
    grid=points("T q d_e c", (2, 1, 1, 1), (2, 1, 4, 1), (9, 1, 8, "1/2"), (10, 2, 16, 1), (20, 3, 32, 1),
                (64, 4, 64, 1), (64, 4, 64, "1/2")),
    construct=construct, measure=measure,
    controls=[
        Control("four times the exponent", breaks=miss, asserts=[bound(4)], where=Eq(c, 1)),
        Control("a quarter of the level", breaks=miss, where=d_e >= 32,
                measure=lambda E, p: {miss: 1 - sign_separation(E, range(p.q), p.T - p.q, Fraction(p.c) / 4)}),
        Control("one fresh encoding for n", breaks=miss, where=d_e >= 32,
                asserts=[miss <= exp(-2 * c**2 * d_e / (2 * e_2))]),
    ],
)
