r"""By a union bound Gaussian encodings with the dual query separate all sets at a length of order $q^2\log T$.

Setting    As in encodings_average, all $\binom Tq$ sets with one draw of the encodings.
Statement  $\Pr(\kappa\ge c\text{ for some }y)\le\pi$ from
           $d_e=q-1+2\log\bigl(\binom Tq\frac n{2\pi}\bigr)/\log(1+\frac{c^2}q)$ on.
Witness    The law of $\kappa$ and draws of all sets in doubles.
Measured   $\binom Tq\Pr(\kappa\ge c)$ by the integral; the proportion of draws with a set that is missed.
Control    Half of the length; the length that suffices for one set.
Reads      Derived here; sufficient only, and of this order by this argument only.
"""

from itertools import combinations
from math import comb

import numpy as np
from sympy import Max, binomial, ceiling

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.claims.language.estimate import Budget
from theorytools.codes.encodings import stochastic_encodings
from theorytools.papers.stsq.selection.cross_talk import CrossTalk, sufficient_length
from theorytools.statistics.sampled import proportion

from ..notation import T, c, d_e, fit, q

union = Quantity("union bound", r"\tbinom Tq\Pr(\kappa\ge c)", "sum of the failures over all sets", (0, None))
some = Quantity("some set missed", r"\hat\Pr(\exists y:\kappa\ge c)", "proportion of draws", (0, 1))


def construct(p, parts=1) -> CrossTalk:
    return CrossTalk(p.T, p.q, max(p.q, p.d_e // parts))


def talk(law, rng, size):  # cross-talk of all sets, shape (sets, size)
    E, found = stochastic_encodings("gauss", rng, size, law.T, law.d_e), []
    for y in combinations(range(law.T), law.q):
        chosen = E[:, y]
        query = np.linalg.solve(chosen @ chosen.transpose(0, 2, 1), np.ones((size, law.q, 1)))
        s = (E @ (query * chosen).sum(axis=1)[:, :, None])[:, :, 0]
        s[:, y] = -np.inf
        found.append(s.max(axis=1))
    return np.array(found)


def measure(law, p):
    return {union: enclosed(lambda: comb(p.T, p.q) * (1 - law.below(p.c))),
            some: proportion(lambda rng, size: (talk(law, rng, size) >= float(p.c)).any(axis=0), p.seed("encodings"))}


length = Max(q, ceiling(sufficient_length(T, q, fit, c, sets=binomial(T, q))))
claim = Claim(
    "Encodings, all sets by a union",
    role="variant", source="derived here: encodings for every set",
    scope={"every T, q, c, fit": "points", "every draw of encodings": "drawn", "every set": "closed form"},
    asserts=[union <= fit, some <= fit], requires=[q < T], lets={d_e: length},
    construct=construct, measure=measure, budget=Budget(bits=64, samples=2**12),
    grid=points("T q c fit", (8, 2, 1, "1/10"), (6, 3, 1, "1/10"), (10, 1, "1/2", "1/10")),
    controls=[
        Control("half of the length", breaks=[union, some], construct=lambda p: construct(p, 2)),
        Control("the length for one set", breaks=union, where=q >= 2, asserts=[union <= fit],
                construct=lambda p: CrossTalk(p.T, p.q, int(ceiling(sufficient_length(p.T, p.q, p.fit, p.c))))),
    ],
)
