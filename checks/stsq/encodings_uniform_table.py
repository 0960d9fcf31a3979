r"""All 364 sets of three among fourteen tokens: the share that one draw of Gaussian encodings separates.

Setting    As in encodings_uniform_min_norm, $T=14$, $q=3$, $d_e=6,8,10,20,40$.
Statement  The mean share of the dual query is $\Pr(\kappa<1)$, that for one random set.  The query of least cross-talk
           separates at least this share in the one draw that is named here.
Witness    One draw of the encodings as rational numbers; fresh ones for the mean.
Measured   The mean share over fresh draws, of all sets in doubles; the sets of the one draw in rationals.
Control    Half of the length; the dual query at half of the length in the one draw.
Reads      The second part is about one draw and derived for none.  Single draws of the dual query scatter by about
           a tenth around the mean.  The width of a tenth only says when to stop drawing.
"""

from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.algebra.estimate import Budget
from theorytools.codes import gaussian_encodings
from theorytools.quantities import CrossTalk, survey
from theorytools.quantities.sampled import bounded_mean

from .encodings_average import construct
from .encodings_uniform_union import talk
from .notation import P_c, T, d_e, q

mean = Quantity("mean share", r"\mathbb{E}\,\#\{y:\kappa<1\}/\tbinom Tq", "of the dual query, fresh draws", (0, 1))
best = Quantity("share of least cross-talk", r"\#\{y:t^*<1\}/\tbinom Tq", "in one draw", (0, 1))


def measure(law, p, query="lp"):
    seen = survey(gaussian_encodings(p.T, law.d_e, p.rng("one draw")), p.q, query)
    return {best: Fraction(seen.separated, seen.sets),
            mean: bounded_mean(lambda rng, size: (talk(law, rng, size) < 1).mean(axis=0), p.seed("draws"),
                               low=0, high=1)}


claim = Claim(
    "Encodings, all sets, table", tier="minutes", budget=Budget(bits=64, samples=2**10),
    asserts=[mean.equals(P_c, within=Rational(1, 10)), best >= P_c], requires=[q < T, d_e >= q],
    grid=points("T q d_e", (14, 3, 6), (14, 3, 8), (14, 3, 10), (14, 3, 20), (14, 3, 40)),
    derive=lambda law, p: {P_c: law.below}, derived=[P_c], construct=construct, measure=measure,
    controls=[
        Control("half of the length, dual query", breaks=[mean, best], where=d_e <= 20,
                construct=lambda p: CrossTalk(p.T, p.q, p.d_e // 2), measure=lambda law, p: measure(law, p, "dual")),
    ],
)
