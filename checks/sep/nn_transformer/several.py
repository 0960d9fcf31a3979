r"""One softmax sums the labels of the $k$ nearest vectors if they are equally near, and its thresholds are exact.

Setting    Joint tokens $(x_j,y_j)$, $y_j=\pm1$, and a silent query token of score 0, value 0; one layer, one head,
           weights $b^{\langle q,x_j\rangle}$ for sign vectors $x_j$.
           (a) All $N=2^d$ sign vectors; $q\in\{-1,0,1\}^d$ with $r$ zeros has $k=2^r$ nearest ones, its subcube.
           (b) $N$ orthogonal ones; $q=\sum_{j\in S}x_j$ has the nearest set $S$, any of $k$ points; $R=b^N$.
Statement  (a) At $b^2\ge8kd$ the $k$-fold output is within $\frac12$ of the sum of the $k$ labels, for every query and
           labelling, at width $d+1$; the largest error is $2k-k\frac{2k+b^{r-d}}{k(1+b^{-2})^{d-r}+b^{r-d}}$.
           (b) It is $k\frac{2(N-k)+1}{kR+N-k+1}$, so the sum is read by rounding iff $R>(2-\frac1k)(N-k)+1-\frac1k$;
           for odd $k$ the worst margin of the majority is $\frac{R-N+k}{kR+N-k+1}$, positive iff $R>N-k$.
Proof      The error is largest where every label has the sign of its coefficient, $\sum_j|ka_j-[j\in S]|$; a majority
           is worst where the heaviest $\frac{k-1}2$ of its set and all others vote against it.
Witness    The softmax of the scores of all vectors, in rationals.
Measured   Both worst cases, from the weights of all $N$ vectors, for drawn queries; the width; $N$ up to 65536.
Control    A zero more in the query than counted; a smaller base; a nearest vector counted twice; the count $N$ for
           $N-k$.
Reads      Derived here; the paper has $k=1$. Without equal distances one softmax fails: nn_transformer_several_unequal.
"""

from fractions import Fraction

import numpy as np
from sympy import Eq, Rational, floor, log

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.errors import DomainError
from theorytools.papers.sep.tasks.nearest_neighbour import equidistant

from ..notation import N, b, near, pull

error = Quantity("largest error", r"\max_y|kf-\sum_{j\in S}y_j|", "of the sum of the k nearest labels", (0, None))
vote = Quantity("majority margin", r"\min_y\pm f", "with the sign of the majority", (-1, 1))
width = Quantity("width", "m", "coordinates of a token, the label included", (1, None))


def construct(p, zeros=None):
    """All sign vectors and a query with k-subcube: scores (N,) and the set (N,)."""
    if p.N & (p.N - 1) or p.near & (p.near - 1):
        raise DomainError(f"N = {p.N}, k = {p.near}", required="powers of two", why="points and subcubes are counted")
    d, r = p.N.bit_length() - 1, p.near.bit_length() - 1
    X = 1 - 2 * (np.arange(p.N)[:, None] >> np.arange(d) & 1)
    q = p.rng("query").permutation(np.r_[np.zeros(r, int), p.rng("signs").choice([-1, 1], d - r)])
    chosen = X @ q == d - r
    if zeros:
        q[np.flatnonzero(q)[0]] = 0
    return X, X @ q, chosen


def weights(scores, base):
    """Weights of all vectors and that of the silent query, one rational number for each score."""
    table = {int(s): Fraction(base) ** int(s) for s in np.unique(scores)}
    counts = {s: int((scores == s).sum()) for s in table}
    return table, 1 + sum(table[s] * count for s, count in counts.items())


def worst_error(scores, chosen, base, k):
    table, Z = weights(scores, base)
    found = Fraction(0)
    for s, w in table.items():
        for own in (True, False):
            found += int(((scores == s) & (chosen == own)).sum()) * abs(k * w / Z - own)
    return found


def measure(made, p, base=None):
    X, scores, chosen = made
    return {error: exactly(worst_error(scores, chosen, p.b if base is None else base, p.near)), width: X.shape[1] + 1}


dim, zeros = log(N, 2), log(near, 2)
silent = b ** (zeros - dim)
claim = Claim(
    "Nearest neighbours, the sum of labels of a subcube",
    role="variant", source="derived here: nearest neighbour by one softmax",
    scope={"every near, b": "points", "every N and k": "points", "some network": "exhibited", "every query": "drawn",
           "every labelling": "closed form"},
    asserts=[error <= Rational(1, 2), width.equals(dim + 1),
             error.equals(2 * near - near * (2 * near + silent) / (near * (1 + b**-2) ** (dim - zeros) + silent))],
    requires=[near < N, b**2 >= 8 * near * dim],
    grid=points("N near b", (4, 2, 6), (16, 4, 12), (32, 2, 9), (256, 8, 23), (1024, 4, 18), (2**16, 2**9, 256)),
    construct=construct, measure=measure, controls=[
        Control("a zero more in the query", breaks=error, construct=lambda p: construct(p, zeros=1)),
        Control("a base of 2", breaks=error, measure=lambda made, p: measure(made, p, base=2)),
        Control("no coordinate for the label", breaks=width, asserts=[width <= dim]),
    ],
)


def orthogonal(p, twice=0):
    X = equidistant(p.N, 0)
    chosen = np.isin(np.arange(p.N), p.rng("set").choice(p.N, p.near, replace=False))
    q = X[chosen].sum(axis=0) + twice * X[np.flatnonzero(chosen)[0]]
    return X, X @ q // p.N, chosen


def read(made, p):
    _, scores, chosen = made
    table, Z = weights(scores, p.pull)
    inside = sorted(table[s] for s in scores[chosen].tolist())
    half = (p.near + 1) // 2
    against = sum(inside[half:]) + sum(table[s] for s in scores[~chosen].tolist())
    return {error: exactly(worst_error(scores, chosen, p.pull, p.near)),
            vote: exactly((sum(inside[:half]) - against) / Z)}


def formulas(others):
    Z = near * pull + others + 1
    return [error.equals(near * (2 * (N - near) + 1) / Z), vote.equals((pull - others) / Z)]


any_set = Claim(
    "Nearest neighbours, any set of k points",
    role="sharpness", source="derived here: nearest neighbour by one softmax",
    scope={"every near, pull": "points", "every N, k and R": "points", "some network": "exhibited",
           "every query": "drawn", "every labelling": "closed form"},
    asserts=formulas(N - near), requires=[near < N, pull >= 1, Eq(2 * floor(near / 2), near - 1)],
    grid=points("N near pull", (4, 3, 1), (16, 5, 11), (16, 5, "103/5"), (64, 1, 63), (64, 9, 256), (256, 15, 1024),
                (512, 3, 849), (1024, 101, 4096)),
    construct=orthogonal, measure=read, controls=[
        Control("a nearest vector counted twice", breaks=[error, vote], where=(near > 1) & (pull > 1),
                construct=lambda p: orthogonal(p, twice=1)),
        Control("the count N", breaks=[error, vote], asserts=formulas(N)),
    ],
)
