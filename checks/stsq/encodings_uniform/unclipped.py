r"""Without the clip at 0 the programme of least cross-talk is unbounded as often as vectors lie in a half-space.

Setting    As in encodings_uniform_lp, without $\max(0,\cdot)$; $n=T-q$, $D=d_e-q$.
Statement  It is unbounded iff a direction orthogonal to $E_y$ has negative products with all $e_i$ off $y$.  Of the
           $2^{n-1}$ sign patterns of encodings in general position, $\sum_{k<D}\binom{n-1}k$ have one, so for Gaussians
           the probability is $2^{-(n-1)}\sum_{k<D}\binom{n-1}k$.
Witness    Drawn integer encodings, all sign patterns.
Measured   The patterns, each decided in rationals.
Control    A dimension more; an encoding and its negative off the set, where no half-space is left.
Reads      Wendel's theorem, by its proof: the count is the same for all vectors in general position.
"""

from itertools import product

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.encodings import Encodings, exact_encodings
from theorytools.papers.stsq.selection.least_cross_talk_query import half_space_probability, unbounded_without_clip

from ..notation import T, d_e, q, regions

count = Quantity("patterns", r"\#", "sign patterns without a least cross-talk, up to a common sign", (0, None))


def construct(p, more=0, opposite=False) -> Encodings:
    rows = p.rng("encodings").integers(-99, 100, (p.T, p.d_e + more))
    if opposite:
        rows[p.q + 1] = -rows[p.q]
    return exact_encodings(rows.tolist())


def measure(E, p):
    flips = ([1] * (p.q + 1) + list(s) for s in product((1, -1), repeat=p.T - p.q - 1))
    return {count: sum(unbounded_without_clip(Encodings(E.vectors * np.array(s, dtype=object)[:, None]), range(p.q))
                       for s in flips)}


def derive(E, p):
    return {regions: 2 ** (p.T - p.q - 1) * half_space_probability(p.T - p.q, p.d_e - p.q)}


claim = Claim(
    "Encodings, the programme without the clip",
    role="variant", source="derived here: encodings for every set",
    scope={"every T, q and dimension d_e": "points", "every sign pattern": "enumeration"},
    asserts=count.equals(regions), requires=[q < T, d_e > q],
    grid=points("T q d_e", (7, 2, 4), (8, 2, 5), (8, 3, 6), (6, 1, 3), (6, 2, 6), (9, 1, 3)),
    derive=derive, derived=[regions],
    construct=construct, measure=measure,
    controls=[
        Control("a dimension more", breaks=count, where=d_e < T, construct=lambda p: construct(p, 1)),
        Control("an encoding and its negative", breaks=count, where=d_e < T - 1,
                construct=lambda p: construct(p, opposite=True)),
    ],
)
