r"""All 364 sets of three among fourteen tokens, one draw each: every set is decided exactly.

Setting    As in encodings_uniform_lp, Gaussian encodings, $T=14$, $q=3$, $d_e=6,8,10$, one draw of each; and six
           independent encodings.
Statement  Every set has a query with score 1 on it and less off it, or a proof that none exists:
           $\sum\lambda_je_j=\sum\mu_ie_i$, $\lambda\ge0$, $\sum\lambda_j=1$, $\sum\mu_i\ge1$.  The share of the former
           is within a tenth of its mean over the draws, the angle sum .718, .967, .999 of encodings_uniform_law.
Witness    One draw of the encodings, as rational numbers.
Measured   Queries and proofs of all sets, evaluated anew from the encodings in rationals.
Control    The dual query, with the same proofs; the encodings without a coordinate.
Reads      Derived here.  The shares of ten other draws at $d_e=6$ had standard deviation .03, of six at $d_e=8$ .01;
           the tenth comes from these.
"""

from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.encodings import gaussian_encodings
from theorytools.papers.stsq.attention.selector_queries import cross_talk
from theorytools.papers.stsq.selection.least_cross_talk_query import checked_separation
from theorytools.papers.stsq.selection.separable_sets import separable_probability
from theorytools.papers.stsq.tasks.sparse_selection import subsets

from ..notation import P_lp, T, d_e, q

share = Quantity("share separated", r"\#\{y:t^*<1\}/\tbinom Tq", "of one draw of the encodings", (0, 1))
undecided = Quantity("undecided", r"\#_{\mathrm{open}}", "sets with neither a query nor a proof", (0, None))


def construct(p, more=0):
    return gaussian_encodings(p.T, p.d_e + more, p.rng("encodings"))


def measure(E, p, dual=False):
    good = proved = count = 0
    for y in subsets(p.T, p.q):
        c = checked_separation(E, y)
        reached = cross_talk(E, y) if dual else c.reached
        good += reached < 1 and c.off_one == 0
        proved += c.proved >= 1 and c.residual == 0 and c.smallest >= 0 and c.mass == 1
        count += 1
    return {share: Fraction(good, count), undecided: count - good - proved}


claim = Claim(
    "Encodings, all sets, least cross-talk, table",
    role="variant", source="derived here: encodings for every set",
    scope={"every T, q": "points", "every dimension d_e": "points", "every draw of encodings": "drawn",
           "every set": "enumeration"},
    tier="minutes",
    asserts=[share.equals(P_lp, within=Rational(1, 10)), undecided.equals(0)], requires=[q < T, q <= d_e],
    derive=lambda E, p: {P_lp: lambda: separable_probability(p.T, p.q, p.d_e)}, derived=[P_lp], construct=construct,
    measure=measure, grid=points("T q d_e", (6, 2, 6), (14, 3, 6), (14, 3, 8), (14, 3, 10)),
    controls=[
        Control("the dual query", breaks=[share, undecided], where=T >= 14,
                measure=lambda E, p: measure(E, p, dual=True)),
        Control("a coordinate fewer", breaks=share, where=(d_e <= 6) & (T >= 14), construct=lambda p: construct(p, -1)),
    ],
)
