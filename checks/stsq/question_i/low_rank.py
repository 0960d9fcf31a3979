r"""Question (i), low-rank attention on fixed positions: rank $2q-1$ fails for some subset, rank 2 suffices for $q=1$.

Setting    Fixed one-hot positions, query $\sum_{i\in y}e_i$, scores $\sigma=W_{22}\mathbf1_y$ with $W_{22}=AB^\top$ of
           rank $r$; training alone gives rank $T-1$. Any $V=[\alpha I\ 0]$, any $\beta$.
Statement  If $r\le2q-1$ and $T\ge r+1+q$: $\max_y\mathbb{E}\|f-s\|^2\ge\frac d{2q^2}$, by the Radon subset of the rows
           of $A$. For $q=1$ and $A=B$ with rows on the unit circle, so rank 2:
           $\mathbb{E}\|f-s\|^2\le2d\bar\epsilon^2$, $\bar\epsilon=\frac{T-1}{T-1+e^{\beta m}}$, $m$ the least
           $1-\langle a_i,a_y\rangle$: it tends to 0 for every $T$.
Adversary  Random factors, contrasts, one dimension with $(-100,0,\frac1{1000})$; for the second, rational circles.
Measured   The loss of all subsets and of the Radon subset, enclosed.
Control    Full rank; a point in the centre of the circle; full rank at a temperature at which it hardly selects.
Reads      Our question; the lower bound is that of neighborly, whose queries are any map of $y$. Which rank suffices
           for $q\ge2$, where the query must be linear in $\mathbf1_y$, and whether training finds low ranks, are not
           settled here.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from sympy import Eq, exp, log

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.codes.encodings import exact_encodings, orthonormal_encodings
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.selection.loss import worst_loss
from theorytools.papers.stsq.selection.set_geometry import radon_partition

from ..neighborly.loss import worst
from ..notation import T, beta, d, d_e, gap_y, q, u

radon = Quantity("loss of the Radon subset", r"\mathbb{E}_X\|f-s\|^2(y_R)", "y contains A and avoids B", (0, None))


def factors(p):
    rng = p.rng("factors")
    if p.code == "three":
        return np.array([[-1000 * 100], [0], [1]]), np.array([[-1000], [60], [10**8]])
    if p.code == "contrasts":
        A = np.array([[1] * j + [-j] + [0] * (p.T - j - 1) for j in range(1, p.d_e + 1)]).T
        return A, A
    return rng.integers(-9, 10, (p.T, p.d_e)), rng.integers(-9, 10, (p.T, p.d_e))


def construct(p) -> SparseSelector:
    A, B = factors(p)
    scale = Fraction(1, 10**6) if p.code == "three" else 1
    return SparseSelector(exact_encodings(A.tolist(), scale), p.beta, p.q, p.d,
                          lambda E, y: [int(x) for x in B[list(y)].sum(axis=0)])


def full(p, odds=8000):  # at odds T - q for each selected token they have q/(q + 1) of the weight
    return SparseSelector(orthonormal_encodings(p.T), log(odds), p.q, p.d, "sum")


def measure(net, p):
    y = radon_partition(exact_encodings(factors(p)[0].tolist())).subset(p.T, p.q)
    return {worst: enclosed(lambda: worst_loss(net)), radon: enclosed(lambda: net.loss(y))}


claim = Claim(
    "Question (i), low rank",
    role="variant", source="derived here: question (i)",
    scope={"every code, T, q, d, d_e, beta": "points", "every pair of factors": "drawn", "every subset": "enumeration"},
    asserts=[worst >= d / (2 * q**2), radon >= d / (2 * q**2)],
    requires=[d_e <= 2 * q - 1, d_e + 1 + q <= T], construct=construct, measure=measure,
    grid=points("code T q d d_e beta", ("three", 3, 1, 2, 1, 1), ("random", 6, 2, 1, 3, 1), ("random", 9, 3, 2, 5, 9),
                ("contrasts", 6, 2, 1, 3, 9), ("contrasts", 5, 1, 1, 1, 4)),
    controls=[Control("full rank", breaks=[worst, radon], construct=full),
              Control("full rank, hardly selecting", breaks=[worst, radon],
                      construct=lambda p: full(p, p.T - p.q))],
)


def circle(p, radius=1):  # ((1 - t^2)/(1 + t^2), 2t/(1 + t^2)) at t = 0, 1, ..., rational
    rows = [[Fraction(1 - t * t, 1 + t * t), Fraction(2 * t, 1 + t * t)] for t in range(p.T)]
    rows[-1] = [radius * x for x in rows[-1]]
    return SparseSelector(exact_encodings(rows), p.beta, 1, p.d, "sum")


enough = replace(
    claim, label="Question (i), rank 2 for one token",
    role="variant", source="derived here: question (i)",
    scope={"every T, q, d, u": "points", "some factors": "exhibited", "every subset": "enumeration"},
    construct=circle, requires=[Eq(q, 1)],
    lets={beta: log(u)},
    asserts=worst <= 2 * d * ((T - 1) / (T - 1 + exp(beta * gap_y))) ** 2, derived=[gap_y],
    derive=lambda net, p: {gap_y: min(net.margin((i,)) for i in range(p.T))},
    measure=lambda net, p: {worst: enclosed(lambda: worst_loss(net))},
    grid=points("T q d u", (2, 1, 3, 7), (4, 1, 1, 10**15), (6, 1, 2, 10**150)),
    controls=[
        Control("a point in the centre", breaks=worst, construct=lambda p: circle(p, 0)),
    ],
)
