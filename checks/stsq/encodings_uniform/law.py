r"""The share of the sets that the query of least cross-talk separates is an angle sum of a simplex.

Setting    As in encodings_uniform_lp, Gaussian encodings, drawn anew for each set.
Statement  A query with score 1 on $y$ and less off it exists iff the hull of $e_i$, $i\in y$, is a face of that of
           $0,e_1,\dots,e_T$.  These are random projections of a simplex, so the probability is
           $2\sum_s\sum_G\beta(y,G)\gamma(G)$ over the faces $G\supseteq y$ of dimension $d_e-1-2s$, inner times outer
           angle; the faces of more than $d_e$ dimensions have the rest, $1-2\sum_s\sum_{\dim G=d_e+1+2s}\beta\gamma$.
           At $(T,q)=(64,4)$, $d_e=12$, it is .54.
Witness    Drawn Gaussian encodings, in doubles.
Measured   The proportion of draws with $t^*<1$, decided by Helly's theorem, by Clopper-Pearson intervals; the angles
           by integrals with proved error, over the smaller and over the larger faces.
Control    The dual query; a dimension more or fewer.
Reads      Derived here, by the angle sums of random projections.  The width $\frac1{12}$ only says when
           to stop drawing.
"""

from itertools import combinations

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.claims.language.estimate import Budget
from theorytools.codes.encodings import stochastic_encodings
from theorytools.papers.stsq.selection.cross_talk import CrossTalk
from theorytools.papers.stsq.selection.separable_sets import separable_probability
from theorytools.statistics.sampled import proportion

from ..notation import P_lp, T, d_e, q

share = Quantity("proportion separated", r"\hat\Pr(t^*<1)", "by the query of least cross-talk, fresh draws", (0, 1))
angles = Quantity("angle sum", r"2\sum_{\dim G<d_e}\beta\gamma", "over the smaller faces", (0, 1))


def construct(p, more=0) -> CrossTalk:
    return CrossTalk(p.T, p.q, p.d_e + more)


def solvable(slack, G):  # whether G v < slack has a solution v: by Helly, whether each D + 1 of the rows have one
    found = np.ones(len(G), dtype=bool)
    for rows in map(list, combinations(range(G.shape[1]), G.shape[2] + 1)):
        z = np.linalg.svd(G[:, rows].transpose(0, 2, 1))[2][:, -1]  # the null vector of D + 1 rows
        z *= np.sign(z[:, :1])
        found &= (z < 0).any(axis=1) | ((z * slack[:, rows]).sum(axis=1) > 0)
    return found


def measure(law, p):
    def draw(rng, size):  # the dual query and an orthonormal basis of what is orthogonal to the set
        E = stochastic_encodings("gauss", rng, size, law.T, law.d_e)
        chosen, rest = E[:, : law.q], E[:, law.q :]
        dual = np.linalg.solve(chosen @ chosen.transpose(0, 2, 1), np.ones((size, law.q, 1)))
        slack = 1 - (rest @ (chosen.transpose(0, 2, 1) @ dual))[:, :, 0]
        G = rest @ np.linalg.qr(chosen.transpose(0, 2, 1), mode="complete")[0][:, :, law.q :]
        return solvable(slack, G)

    return {share: proportion(draw, p.seed("encodings"))}


def by_dual(law, p):
    return {share: proportion(lambda rng, size: law.draw(rng, size) < 1, p.seed("encodings"))}


claim = Claim(
    "Encodings, least cross-talk, drawn",
    role="variant", source="derived here: encodings for every set",
    scope={"every T, q and dimension d_e": "points", "every draw of encodings": "drawn"},
    asserts=share.equals(P_lp, within=Rational(1, 12)),
    requires=[q < T, q < d_e, d_e < T], budget=Budget(bits=64, samples=2**12), derived=[P_lp], construct=construct,
    derive=lambda law, p: {P_lp: lambda: separable_probability(p.T, p.q, p.d_e)}, measure=measure,
    grid=points("T q d_e", (6, 1, 2), (7, 2, 3), (8, 2, 4)),
    controls=[
        Control("the dual query", breaks=share, where=q >= 2, measure=by_dual),
        Control("a dimension more", breaks=share, construct=lambda p: construct(p, 1)),
    ],
)


def angle_sum(law, p, step=0):
    return {angles: enclosed(lambda: separable_probability(law.T, law.q, law.d_e + step))}


faces = Claim(
    "Encodings, least cross-talk, both sums of angles",
    role="variant", source="derived here: encodings for every set",
    scope={"every T, q and dimension d_e": "points", "every draw of encodings": "closed form"},
    budget=Budget(bits=64),
    asserts=angles.equals(P_lp, within=Rational(1, 10**6)), requires=[q < T, q <= d_e], derived=[P_lp],
    derive=lambda law, p: {P_lp: lambda: separable_probability(p.T, p.q, p.d_e, above=True)},
    grid=points("T q d_e", (2, 1, 1), (14, 3, 3), (14, 3, 6), (14, 3, 8), (14, 3, 10), (20, 2, 6), (20, 4, 8)),
    construct=construct, measure=angle_sum,
    controls=[
        Control("a dimension fewer", breaks=angles, where=d_e > q,
                measure=lambda law, p: angle_sum(law, p, -1)),
        Control("the dual query", breaks=angles, where=d_e > q, measure=lambda law, p: {angles: enclosed(law.below)}),
    ],
)
