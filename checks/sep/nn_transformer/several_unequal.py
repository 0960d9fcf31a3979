r"""Where the $k$ nearest are not equally near, no scale of one softmax over similarities reads their majority.

Setting    $N$ vectors in a circle, $x_j\in\{\pm1\}^{N/2}$ at Hamming distance $\min(|i-j|,N-|i-j|)$ (the codes of a
           Johnson counter), labels $\pm1$; the query is one of them, its $k=2h+1$ nearest the $h$ on either side and
           itself. One layer, joint tokens, weights $b^{\langle x_q,x_j\rangle}$, $r=b^{-2}\in(0,1]$; read by sign.
Statement  For every odd $k\ge3$, $N\ge k+2$ and every $r\in[0,1]$ some labelling is answered against its majority. For
           $k=1$, and for $N=k$ at $r$ near 1, all are right.
Proof      The $h$ heaviest of the set and the points outside vote against the $h+1$ lightest, and win: with
           $a=\lceil\frac h2\rceil$ the median weight is $r^a$, the heaviest 1, the lightest $r^h$, so the margin times
           the sum of the weights is at most $r^a-(1-r^h)-2r^{h+1}=(r^a-r^{h+1})+(r^h-r^{h+1})-1$. As $h\le2a$,
           $r^{h+1}\ge r^{2a+1}\ge r^{3a}$, and $s-s^3\le\frac2{3\sqrt3}<\frac25$; the other bracket is at most
           $\frac1{h+1}(\frac h{h+1})^h\le\frac14$. Together at most $-\frac7{20}$.
Witness    The polynomial of the worst labelling in $r$, from the distances of the codes.
Measured   Its zeros in $[0,1]$, counted by Sturm's theorem; its value at $r=1$; the worst labelling executed at drawn
           rational scales, all of them wrong.
Control    One neighbour; no point outside the set; all of the set equally near.
Reads      Derived here. It is about scores that are a scale times the similarity; scores of other codes of the tokens,
           or $k$ layers that find the neighbours one after the other, are not excluded.
"""

from collections import Counter
from fractions import Fraction

import numpy as np
from sympy import Eq, Poly, Rational, floor, symbols

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.errors import DomainError

from ..notation import N, near

zeros = Quantity("zeros", r"\#\{r\in[0,1]:D(r)=0\}", "of the worst labelling's vote, over all scales", (0, None))
ends = Quantity("vote at r = 1", "D(1)", "of the worst labelling, times the sum of the weights", (None, None))
largest = Quantity("largest margin", r"\max_r\min_y\pm f", "over drawn scales, executed", (-1, 1))


def construct(p) -> np.ndarray:
    """Distances of all points from the query, point 0, by the codes of a Johnson counter; sorted."""
    if p.N % 2:
        raise DomainError(f"N = {p.N}", required="an even number", why="antipodes of a code are codes")
    X = 1 - 2 * ((np.arange(p.N)[:, None] - np.arange(p.N // 2)) % p.N < p.N // 2)
    return np.sort((p.N // 2 - X @ X[0]) // 2)


def votes(p, near):
    """Signs of the worst labelling, for points sorted by distance: the h heaviest and all outside are against."""
    y = -np.ones(p.N, dtype=int)
    y[(near - 1) // 2 : near] = 1
    return y


def measure(distances, p, near=None):
    y, r = votes(p, near or p.near)[: len(distances)], symbols("r")
    terms = Counter()
    for d, sign in zip(distances.tolist(), y.tolist(), strict=True):
        terms[d] += sign
    D = Poly({(d,): value for d, value in terms.items()}, r)
    found = {zeros: int(D.count_roots(0, 1)), ends: int(D.eval(1))}
    scales = [Fraction(int(x), 1000) for x in p.rng("scales").integers(1, 1000, 6)] + [Fraction(999, 1000)]
    runs = [[x ** int(d) for d in distances] for x in scales]
    margins = [sum(w * int(s) for w, s in zip(run, y, strict=True)) / sum(run) for run in runs]
    return {**found, largest: exactly(max(margins))}


def equal(p):  # the set at distance 0
    distances = construct(p)
    distances[: p.near] = 0
    return distances


claim = Claim(
    "Nearest neighbours, majority by one softmax",
    role="necessity", source="derived here: nearest neighbour by one softmax",
    scope={"every near": "points", "every N and odd k": "proof", "every scale": "closed form",
           "some labelling": "exhibited"},
    asserts=[zeros.equals(0), ends.equals(1 + near - N), largest <= -Rational(7, 20) / N],
    requires=[near >= 3, near + 2 <= N, Eq(2 * floor(near / 2), near - 1)],
    grid=points("N near", (6, 3), (8, 5), (16, 3), (20, 11), (64, 5), (64, 61), (100, 9), (400, 21)),
    construct=construct, measure=measure, controls=[
        Control("one neighbour", breaks=zeros, asserts=[zeros.equals(0)],
                measure=lambda distances, p: measure(distances, p, near=1)),
        Control("no point outside", breaks=[zeros, ends], construct=lambda p: construct(p)[: p.near],
                asserts=[zeros.equals(0), ends.equals(1 + near - N)]),
        Control("the set equally near", breaks=zeros, construct=equal, asserts=[zeros.equals(0)]),
    ],
)
