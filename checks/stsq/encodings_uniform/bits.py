r"""At finite precision (width) x (bits) of at least $\log_2\binom Tq\ge q\log_2\frac Tq$ is needed to select every set.

Setting    Any encodings of any precision, any $V$, attention by positions only; the query of every set is one of $2^b$
           vectors, at most $2^{pd_e}$ for $d_e$ coordinates of $p$ bits.
Statement  For $2^b<\binom Tq$: $\max_yL_y\ge\frac d{2q^2}$, and the mean over $y$ is at least
           $\frac d{2q^2}\bigl(1-(2^b-1)/\binom Tq\bigr)$; with $T\ge2q$ this forces $pd_e\ge q$.
Proof      Sets that share a query share their attention: $L_y+L_{y'}\ge\frac d2\|\tau-\tau'\|^2\ge\frac d{q^2}$.
           So $k\ge2$ sets of one query lose at least $\frac{kd}{2q^2}$ together, and there are at most $2^b-1$ others.
Adversary  The polynomial query on the moment curve and the dual query of Gaussians, each coordinate rounded to $2^p$
           values; queries that serve two sets of $T-1$ tokens each, which attain the bound.
Measured   The number of queries, and the loss of every set from its attention weights, enclosed or rational.
Control    Exact queries; twice the constant; the bound of the mean for the pairs without the factor $\frac12$.
Reads      Recovered is that (width) x (bits) of order $q$ is needed (Sanford et al., by communication); this proof by
           counting and its constants are ours, for one query vector that carries the set.  That $2q$ dimensions suffice
           (neighborly) is a statement of exact arithmetic.
"""

import numpy as np
from sympy import Eq, Ne, binomial, log

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.codes.encodings import gaussian_encodings, moment_curve, orthonormal_encodings
from theorytools.errors import DomainError
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.attention.selector_queries import query
from theorytools.papers.stsq.selection.loss import population_loss, worst_loss
from theorytools.papers.stsq.tasks.sparse_selection import subsets

from ..neighborly.loss import bound as curve_bound
from ..neighborly.loss import worst
from ..notation import T, beta, bits, d, d_e, q, queries

mean = Quantity("mean loss", r"\mathbb{E}_{X,y}\|f-s\|^2", "over all subsets", (0, None))
count = Quantity("queries", "2^b", "different query vectors", (1, None))
NAMES = {"moment": "polynomial", "gauss": "dual", "pairs": "pairs"}


def rounded(E, q, kind, precision):
    """The query of every set, each coordinate replaced by the middle one of its quantile."""
    found = {y: query(E, y, kind) for y in subsets(E.T, q)}
    table, cells = np.array(list(found.values()), dtype=object), 2**precision
    for k in range(E.d_e):
        order = np.argsort(table[:, k].astype(float), kind="stable")
        for cell in np.array_split(order, cells):
            table[cell, k] = table[cell[len(cell) // 2], k]
    return dict(zip(found, table, strict=True))


def refuse_other_dimensions(p):
    fits = {"pairs": p.T == p.d_e == p.q + 1 and p.T % 2 == 0, "moment": p.d_e == 2 * p.q, "gauss": p.d_e >= p.q}
    if not fits[p.code]:
        raise DomainError(f"the code {p.code} at T = {p.T}, q = {p.q}, d_e = {p.d_e}", why="a code has its dimension",
                          required="pairs: T = d_e = q + 1, even; moment: d_e = 2 q; gauss: d_e >= q")


def construct(p, precise=False) -> SparseSelector:
    refuse_other_dimensions(p)
    if p.code == "pairs":  # each set leaves one token out: half of the attention for these of a pair, where they differ
        E = orthonormal_encodings(p.T)
        left_out = {y: min(set(range(p.T)) - set(y)) for y in subsets(p.T, p.q)}
        table = {y: [int(i // 2 != j // 2) if not precise else 64 * int(i != j) for i in range(p.T)]
                 for y, j in left_out.items()}
    else:
        E = moment_curve(p.T, p.d_e) if p.code == "moment" else gaussian_encodings(p.T, p.d_e, p.rng("encodings"))
        if precise:
            return SparseSelector(E, 6, p.q, p.d, NAMES[p.code])
        table = rounded(E, p.q, NAMES[p.code], p.bits)
    return SparseSelector(E, log(2) if p.code == "pairs" else 6, p.q, p.d, lambda E, y: table[y])


def measure(net, p):
    different = {tuple(net.query_vector(y)) for y in subsets(p.T, p.q)}
    return {worst: enclosed(lambda: worst_loss(net)), mean: enclosed(lambda: population_loss(net)),
            count: len(different)}


def derive(net, p):
    return {queries: len({tuple(net.query_vector(y)) for y in subsets(p.T, p.q)})}


low = d / (2 * q**2)
average = low * (1 - (queries - 1) / binomial(T, q))
claim = Claim(
    "Encodings, finite precision",
    role="necessity", source="published: width times bits of order q; prose",
    scope={"every code, d, d_e, bits": "proof", "every T and q": "proof", "every encoding": "proof",
           "some set": "exhibited"},
    asserts=[worst >= low, mean >= average, count <= 2 ** (bits * d_e)],
    requires=[q < T, queries < binomial(T, q)], derive=derive, derived=[queries],
    construct=construct, measure=measure,
    grid=points("code T q d d_e bits", ("pairs", 4, 3, 1, 4, 1), ("pairs", 6, 5, 2, 6, 1), ("moment", 9, 2, 1, 4, 1),
                ("moment", 9, 3, 2, 6, 1), ("gauss", 9, 2, 1, 5, 1), ("moment", 40, 1, 1, 2, 2)),
    controls=[
        Control("exact queries", breaks=[worst, mean], where=Eq(d_e, 2 * q) | Eq(T, q + 1),
                construct=lambda p: construct(p, precise=True), asserts=[worst >= low, mean >= average]),
        Control("exact queries, counted", breaks=count, where=Ne(T, q + 1),
                construct=lambda p: construct(p, precise=True), asserts=[count <= 2 ** (bits * d_e)]),
        Control("that 2q dimensions select every set", breaks=worst, where=Eq(d_e, 2 * q),
                asserts=[worst <= curve_bound().subs(beta, 6)]),
        Control("twice the constant", breaks=worst, where=Eq(T, q + 1), asserts=[worst >= 2 * low]),
        Control("the mean without the half", breaks=mean, where=Eq(T, q + 1), asserts=[mean >= 2 * average]),
    ],
)
