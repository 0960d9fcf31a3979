r"""All 364 sets of three among fourteen tokens: the mean share that the dual query separates.

Setting    As in encodings_uniform_min_norm, Gaussian encodings, $T=14$, $q=3$, $d_e=6,8,10,20$.
Statement  The mean share of sets with $\kappa<1$ is $\Pr(\kappa<1)$, that for one random set.
Witness    Fresh draws of the encodings.
Measured   The share of all sets in each draw, in doubles; its mean by empirical-Bernstein intervals.
Control    Half of the length.
Reads      Derived here.  Single draws scatter by about a tenth around the mean; the width of a tenth only says when to
           stop drawing.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import Budget
from theorytools.statistics.sampled import bounded_mean
from theorytools.theory.selection.cross_talk import CrossTalk

from ..encodings_average.encodings_average import construct
from ..notation import P_c, T, d_e, q
from .union import talk

mean = Quantity("mean share", r"\mathbb{E}\,\#\{y:\kappa<1\}/\tbinom Tq", "of the dual query, fresh draws", (0, 1))


def measure(law, p):
    def draw(rng, size):
        return (talk(law, rng, size) < 1).mean(axis=0)

    return {mean: bounded_mean(draw, p.seed("draws"), low=0, high=1)}


claim = Claim(
    "Encodings, all sets, table",
    role="variant", source="derived here: encodings for every set",
    scope={"every T, q": "points", "every dimension d_e": "points", "every draw of encodings": "drawn",
           "every set": "enumeration"},
    tier="minutes", budget=Budget(bits=64, samples=2**10),
    asserts=mean.equals(P_c, within=Rational(1, 10)), requires=[q < T, d_e >= q],
    grid=points("T q d_e", (14, 3, 6), (14, 3, 8), (14, 3, 10), (14, 3, 20)),
    derive=lambda law, p: {P_c: law.below}, derived=[P_c], construct=construct, measure=measure,
    controls=[Control("half of the length", breaks=mean, construct=lambda p: CrossTalk(p.T, p.q, p.d_e // 2))],
)
