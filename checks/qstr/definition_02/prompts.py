r"""Drawn prompts of sparse token regression have the variances of the exact law.

Setting    As in definition_02, with uniform index tuples.
Statement  The variance is $v_g\frac1q\sum_lm_l^2$, on average over all tuples $v_g(1+\frac{q-1}N)$.
Witness    Prompts and labels of theorytools.tasks.sparse_regression.
Measured   Squared labels, cut off; what that hides is bounded by the exact sixth moment. The average over tuples from
           the exact law, all $N^q$ of them.
Control    Normalisation $q^{-1}$; $v_g$ whatever the indices; tuples without repetition.
Reads      The definition admits repeated indices, the usual variances do not. The average is derived here.
"""

from itertools import permutations, product

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.gaussians.label_law import LabelLaw
from theorytools.statistics.sampled import truncated_mean, truncation_excess
from theorytools.tasks.sparse_regression import labels, sample

from ..notation import N, mult, q, v_g
from .definition_02 import constant, construct, derive, formula, normalised, variance

average = Quantity("average variance", r"E_t\operatorname{Var}(y_i\mid t)", "over index tuples", (0, None))


def drawn(law, p):
    ratio = law.scale / construct(p).scale
    u = None if p.link == "sq" else np.array(law.u, dtype=float)

    def draw(rng, size):
        X = sample(rng, size, max(law.indices) + 1, p.d, 1, True)[0]
        T = np.broadcast_to(law.indices, (*X.shape[:2], p.q))
        return float(ratio) * labels(X, T, p.link, u)[:, 0] ** 2

    tau = 30 * law.even_moment(4) / law.even_moment(2)
    return {variance: truncated_mean(draw, p.seed("prompts"), tau=tau,
                                     excess=truncation_excess(law.even_moment(6), 3, tau))}


def all_tuples(p) -> list[LabelLaw]:
    return [construct(p, t) for t in product(range(p.N), repeat=p.q)]


def mean(laws, p):
    return {average: sum(law.variance() for law in laws) / len(laws)}


claim = Claim(
    "Definition 2, drawn labels",
    role="variant", source="published: Definition 2; prose",
    scope={"every link, d, q, mult": "points", "every prompt": "drawn"},
    asserts=variance.equals(formula, within=formula / 10), requires=[mult <= q],
    grid=points("link d q mult",
                ("lin", 4, 3, 1), ("sq", 4, 3, 1), ("sq", 4, 3, 3), ("he2", 2, 2, 1), ("he2", 2, 2, 2)),
    derive=derive, derived=[v_g], construct=construct, measure=drawn, controls=[normalised, constant],
)
uniform = Claim(
    "Definition 2, uniform tuples",
    role="variant", source="derived here: Definition 2",
    scope={"every link, N, d, q": "points", "every index tuple": "enumeration"},
    asserts=average.equals(v_g * (1 + (q - 1) / N)), derive=derive, derived=[v_g],
    grid=points("link N d q", ("lin", 4, 2, 3), ("sq", 5, 3, 2), ("he2", 3, 2, 3), ("lin", 8, 3, 1)),
    construct=all_tuples, measure=mean, controls=[
        Control("tuples without repetition", breaks=average, where=q >= 2,
                construct=lambda p: [construct(p, t) for t in permutations(range(p.N), p.q)]),
        Control("repetitions ignored", breaks=average, where=q >= 2, asserts=[average.equals(v_g)]),
    ],
)
