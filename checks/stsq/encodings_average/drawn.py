r"""Drawn Gaussian encodings separate a random set as often as the integral says; signs more often at two sizes.

Setting    As in encodings_average; encodings drawn anew for each set, Gaussian or uniform signs.
Statement  The proportion of draws with $\kappa<1$ is $\Pr(\kappa<1)$ for Gaussian encodings.  For signs it is
           larger at the sizes given for them.
Witness    The law of $\kappa$, and draws of it in doubles by solving the Gram matrix of the set.
Measured   The proportion, by Clopper-Pearson intervals; dependent encodings on the set count as failures, and so does
           $\kappa=c$, which signs attain in one draw of seven at $T=64$, $q=3$, $d_e=12$.
Control    A planted duplicate $e_j=e_i$, $i\in y$, $j\notin y$; the sum of the encodings as query; half of the length.
Reads      The width $\frac1{12}$ ($\frac1{100}$ in the table) only says when to stop drawing.  For signs the
           comparison is observed, not derived; a margin of a twentieth is open.
"""

from dataclasses import replace

import numpy as np
from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import Budget
from theorytools.codes.encodings import stochastic_encodings
from theorytools.papers.stsq.selection.cross_talk import CrossTalk
from theorytools.statistics.sampled import proportion

from ..notation import P_c, T, c, d_e, q
from .encodings_average import construct

share = Quantity("proportion separated", r"\hat\Pr(\kappa<c)", "of fresh encodings", (0, 1))


def measure(law, p, code="gauss"):
    return {share: proportion(lambda rng, size: law.draw(rng, size, code) < float(p.c), p.seed("encodings"))}


def summed(law, p):  # scores of the sum, over the least score on the set
    def draw(rng, size):
        E = stochastic_encodings("gauss", rng, size, p.T, p.d_e)
        s = (E @ E[:, : p.q].sum(axis=1)[:, :, None])[:, :, 0]
        return s[:, p.q :].max(axis=1) < s[:, : p.q].min(axis=1) * float(p.c)

    return {share: proportion(draw, p.seed("encodings"))}


def duplicated(law, p):  # the first token off the set has an encoding of the set, hence the score 1
    def draw(rng, size):
        return np.maximum(law.draw(rng, size), 1) < float(p.c)

    return {share: proportion(draw, p.seed("encodings"))}


claim = Claim(
    "Encodings, drawn",
    role="variant", source="derived here: encodings, average case",
    scope={"every c": "points", "every T, q and dimension d_e": "points", "every draw of encodings": "drawn"},
    asserts=share.equals(P_c, within=Rational(1, 12)), requires=[q < T, d_e >= q],
    budget=Budget(bits=64, samples=2**14),
    derive=lambda law, p: {P_c: lambda: law.below(p.c)}, derived=[P_c], construct=construct, measure=measure,
    grid=points("T q d_e c", (14, 3, 8, 1), (14, 3, 20, 1), (24, 2, 6, 1), (24, 2, 24, "1/2")),
    controls=[
        Control("a planted duplicate", breaks=share, where=Eq(c, 1), measure=duplicated),
        Control("the sum as query", breaks=share, measure=summed),
        Control("half of the length", breaks=share, construct=lambda p: construct(p, -(p.d_e // 2))),
    ],
)
signs = replace(
    claim, label="Encodings, drawn signs",
    role="variant", source="derived here: encodings, average case",
    scope={"every T, c": "points", "every q and dimension d_e": "points", "every draw of encodings": "drawn"},
    asserts=share >= P_c, budget=Budget(bits=64, samples=2**15),
    grid=points("T q d_e c", (64, 4, 16, 1), (64, 3, 12, 1)), listed=[T, q, d_e, c],
    measure=lambda law, p: measure(law, p, "rad"),
    controls=[
        Control("the sum as query, Gaussian", breaks=share, measure=summed),
        Control("half of the length", breaks=share, construct=lambda p: construct(p, -(p.d_e // 2))),
    ],
)
table = replace(
    claim, label="Encodings, drawn, table",
    role="variant", source="derived here: encodings, average case",
    scope={"every T, c": "points", "every q and dimension d_e": "points", "every draw of encodings": "drawn"},
    tier="minutes", budget=Budget(bits=64, samples=2**17),
    note="At larger sizes, to a hundredth.",
    asserts=share.equals(P_c, within=Rational(1, 100)),
    grid=points("T q d_e c", (64, 4, 16, 1), (64, 4, 32, 1), (64, 4, 64, 1), (64, 4, 64, "1/2"), (64, 4, 128, "1/2"),
                (200, 3, 24, 1), (200, 3, 48, 1)),
    controls=[Control("half of the length", breaks=share, construct=lambda p: CrossTalk(p.T, p.q, p.d_e // 2))],
)
