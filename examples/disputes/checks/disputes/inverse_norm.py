r"""Among diagonally dominant matrices below $S=\alpha I+c\mathbf1\mathbf1^\top$ the inverse of $S$ is the smallest.

Setting    $n\ge3$, $c>0$, $\alpha\ge(n-2)c$; symmetric $J$ with $0<J_{ij}\le S_{ij}$ and $J_{ii}\ge\sum_{j\ne i}J_{ij}$.
Statement  $\|J^{-1}\|_\infty\ge\frac{\alpha+2c(n-1)}{\alpha(\alpha+cn)}$ for every such $J$, the norm of $S^{-1}$.
Proof      Of the twin, $\|J^{-1}\|_\infty\ge\frac1{\alpha+c}$: no entry of $Je_i$ exceeds $J_{ii}\le\alpha+c$, and $1=\|J^{-1}Je_i\|_\infty$.
Witness    $S$ itself, and others of whole numbers.
Measured   The largest row sum of $|J^{-1}|$, by elimination in rationals.
Control    Twice the bound, for $S$; the twin as the repair.
"""
from dataclasses import replace
from fractions import Fraction
from theorytools import Claim, Control, Quantity, exactly, grid
from theorytools.search.kinds import Matrices
from .notation import alpha, c, n

norm = Quantity("norm", r"\|J^{-1}\|_\infty", "largest row sum of the inverse", (0, None))
bound = (alpha + 2 * c * (n - 1)) / (alpha * (alpha + c * n))

def inverse(J):
    rows = [[Fraction(x) for x in row] + [Fraction(i == k) for k in range(len(J))] for i, row in enumerate(J)]
    for i in range(len(J)):
        pivot = next(k for k in range(i, len(J)) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        rows = [row if k == i else [x - row[i] * y for x, y in zip(row, rows[i])] for k, row in enumerate(rows)]
    return [row[len(J) :] for row in rows]

def below(p):
    J = p.J
    small = all(0 < J[i][j] <= p.c + p.alpha * (i == j) for i in range(p.n) for j in range(p.n))
    return small and all(2 * J[i][i] >= sum(J[i]) for i in range(p.n))

def mixed(size, diagonal, other):
    return [[diagonal if i == j else other for j in range(size)] for i in range(size)]

claim = Claim(
    "Conjecture 8.1: the inverse of S is the smallest", role="statement", source="published: arXiv 1203.6812, Conjecture 8.1; prose",
    scope={"every n, alpha, c, J": "points"}, requires=[n >= 3, alpha >= (n - 2) * c], expect="REFUTED", asserts=norm >= bound,
    objects={"J": (Matrices("symmetric"), n, [mixed(3, 3, 1), mixed(3, 2, 1), mixed(4, 3, 1)])}, such_that={"0 < J <= S, and J is diagonally dominant": below},
    grid=grid(n=[3, 4], alpha=[2], c=[1]), construct=lambda p: p.J,
    measure=lambda J, p: {norm: exactly(max(sum(map(abs, row)) for row in inverse(J)))},
    controls=[Control("twice the bound", breaks=norm, asserts=[norm >= 2 * bound], construct=lambda p: mixed(p.n, p.alpha + p.c, p.c)),
              Control("one entry", asserts=[norm >= 1 / (alpha + c)])],
)
repaired = replace(
    claim, label="At least one entry's inverse", role="statement", source="derived here: Conjecture 8.1", expect="HOLDS",
    statement=r"$\|J^{-1}\|_\infty\ge\frac1{\alpha+c}$ for every such $J$.", scope={"every n, alpha, c, J": "proof"},
    asserts=norm >= 1 / (alpha + c), controls=[Control("three times", breaks=norm, asserts=[norm >= 3 / (alpha + c)],
                                                       construct=lambda p: mixed(p.n, p.alpha + p.c, p.c))],
)
