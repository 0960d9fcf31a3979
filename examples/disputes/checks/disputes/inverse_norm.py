r"""Among the diagonally dominant matrices below $S=hI+c\mathbf1\mathbf1^\top$ the inverse of $S$ is smallest.

Setting    $n\ge3$, $c>0$, $h\ge(n-2)c$; symmetric $J$, $0<J_{ij}\le S_{ij}$, $J_{ii}\ge\sum_{j\ne i}J_{ij}$.
Statement  $\|J^{-1}\|_\infty\ge\frac{h+2c(n-1)}{h(h+cn)}$ for every such $J$: the norm of $S^{-1}$.
Proof      Of $\|J^{-1}\|_\infty\ge\frac1{h+c}$: $Je_i$ has no entry above $h+c$, and $J^{-1}Je_i=e_i$.
Witness    $S$ itself, and others of whole numbers.
Measured   The largest row sum of $|J^{-1}|$, by elimination in rationals.
Control    Twice the bound, for $S$; repair: the inverse of one entry.
"""
from dataclasses import replace
from fractions import Fraction

from theorytools import Claim, Control, Quantity, exactly, grid
from theorytools.search.kinds import Matrices

from .notation import c, h, n

norm = Quantity("norm", r"\|J^{-1}\|_\infty", "largest row sum of the inverse", (0, None))
bound, entry = (h + 2 * c * (n - 1)) / (h * (h + c * n)), 1 / (h + c)

def inverse(J):
    rows = [[Fraction(x) for x in (*row, *(i == k for k in range(len(J))))] for i, row in enumerate(J)]
    for i in range(len(J)):
        pivot = next(k for k in range(i, len(J)) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        one = [x / rows[i][i] for x in rows[i]]
        rows = [[x - row[i] * y for x, y in zip(row, one, strict=True)] for row in rows]
        rows[i] = one
    return [row[len(J) :] for row in rows]

def S(size, diagonal, other):
    return [[diagonal if i == j else other for j in range(size)] for i in range(size)]

def below(p):
    rows = zip(p.J, S(p.n, p.h + p.c, p.c), strict=True)
    small = all(0 < a <= b for row, most in rows for a, b in zip(row, most, strict=True))
    return small and all(2 * row[i] >= sum(row) for i, row in enumerate(p.J))

claim = Claim(
    "Conjecture 8.1", role="statement", source="published: arXiv 1203.6812, Conjecture 8.1; prose", expect="REFUTED",
    scope={"every n, h, c, J": "points"}, requires=[n >= 3, h >= (n - 2) * c], asserts=norm >= bound,
    objects={"J": (Matrices("symmetric"), n, [S(3, 3, 1), S(3, 2, 1), S(4, 3, 1)])},
    such_that={"0 < J <= S, and J is diagonally dominant": below}, grid=grid(n=[3, 4], h=[2], c=[1]),
    construct=lambda p: p.J, measure=lambda J, p: {norm: exactly(max(sum(map(abs, row)) for row in inverse(J)))},
    controls=[Control("twice the bound", breaks=norm, asserts=[norm >= 2 * bound], construct=lambda p: S(p.n, 3, 1)),
              Control("one entry", asserts=[norm >= entry])],
)
repaired = replace(
    claim, label="The inverse of one entry", role="statement", source="derived here: Conjecture 8.1", expect="HOLDS",
    statement=r"$\|J^{-1}\|_\infty\ge\frac1{h+c}$ for every such $J$.", scope={"every n, h, c, J": "proof"},
    asserts=norm >= entry,
    controls=[Control("three times", breaks=norm, asserts=[norm >= 3 * entry], construct=lambda p: S(p.n, 3, 1))],
)
