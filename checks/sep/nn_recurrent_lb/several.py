r"""The $k$ nearest labels: a recurrent model of their sum needs $2^N$ states, of their majority nearly as many.

Setting    $N$ equidistant vectors in a fixed order with labels $y_j\in\{0,1\}$, then a query equally near to $k$ of
           them and farther from all others, any $k$-set; $1\le k<N$. The answer is the sum of the $k$ labels, or their
           majority for $k=2h+1$.
Statement  The labellings have exactly $2^N$ different rows of sums, and $2^N-2\sum_{i\le h}\binom Ni+2$ of majorities
           if $N\ge k+1$: so many states are needed before the query and suffice, $N-o(1)$ bits at fixed $k$.
Proof      Sums: replacing one point of the set by another reads $y_i-y_j$, so two labellings with one row differ by a
           constant; $k$ of it is 0. Majorities: $y_i=1$, $y_j=0$ iff some $T$ of $2h$ other points has majority 1 with
           $i$ and 0 with $j$: $h$ ones in $T$, which exist if $y$ has more than $h$ ones and more than $h$ zeros. All
           others have a constant row, 0 or 1; those two rows are different, and no others are constant.
Witness    All labellings and all $k$-sets.
Measured   Different rows of sums and of majorities.
Control    Only the sets of $k$ consecutive points on a circle, $k\mid N$; a point in no set; $k=N$; one row counted
           twice.
Reads      Derived here; the paper has $k=1$. Every $k$-set is the nearest one of a query: nn_transformer_several.
"""

from itertools import combinations
from math import comb

import numpy as np
from sympy import Eq, floor

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.communication.matrix import all_strings

from ..notation import N, few, near

sums = Quantity("rows of sums", r"\#\text{rows}", "different rows of sums, over all labellings", (1, None))
majorities = Quantity("rows of majorities", r"\#\text{rows}", "different rows of majorities", (1, None))


def construct(p, points=None, sets=None) -> np.ndarray:
    """The k-sets as rows of zeros and ones."""
    sets = list(combinations(range(points or p.N), p.near)) if sets is None else sets
    A = np.zeros((len(sets), p.N), dtype=np.int64)
    for row, chosen in zip(A, sets, strict=True):
        row[list(chosen)] = 1
    return A


def circle(p):
    return construct(p, sets=[[(i + j) % p.N for j in range(p.near)] for i in range(p.N)])


def measure(A, p):
    S = all_strings(p.N) @ A.T
    ones = p.near < 2 * S
    return {sums: len(np.unique(S, axis=0)), majorities: len(np.unique(ones, axis=0))}


def derive(A, p):
    return {few: sum(comb(p.N, i) for i in range((p.near - 1) // 2 + 1))}


claim = Claim(
    "Nearest neighbours, recurrent models",
    role="variant", source="derived here: recurrent models of nearest neighbour need linear size",
    scope={"every near": "points", "every N and odd k": "proof", "every recurrent model": "proof",
           "every labelling and query": "enumeration"},
    asserts=[sums.equals(2**N), majorities.equals(2**N - 2 * few + 2)],
    requires=[near < N, Eq(2 * floor(near / 2), near - 1)], derive=derive, derived=[few],
    grid=points("N near", (2, 1), (4, 3), (6, 3), (6, 5), (8, 7), (9, 3), (10, 5), (12, 3), (13, 11)),
    construct=construct, measure=measure, controls=[
        Control("consecutive points on a circle", breaks=[sums, majorities], construct=circle,
                where=(near > 1) & Eq(near * floor(N / near), N)),
        Control("a point in no set", breaks=[sums, majorities], construct=lambda p: construct(p, points=p.N - 1)),
        Control("all points near", breaks=[sums, majorities],
                construct=lambda p: construct(p, sets=[range(p.N)])),
        Control("the constant rows not told apart", breaks=majorities,
                asserts=[majorities.equals(2**N - 2 * few + 1)]),
    ],
)
