r"""A nearest vector that occurs twice, with one label, is lost by position codes that differ in two bits or more.

Setting    As in nn_transformer, $N=2^k$ equidistant vectors but one, a copy of the nearest; both have one label, all
           others the opposite one. Their position codes differ in $h$ bits; $\beta_1\gamma=\ln(14N)$.
Statement  The two codes are averaged: $h$ coordinates vanish, layer 2 spreads over $2^h$ positions, and the margin is
           $(4-s)/(s+(N+1)(16k)^{h/2-k})$, $s=2^h(1+\frac1{16k})^{k-h}$: negative if $2\le h<k$ or $h\ge3$.
Witness    NearestNeighbour, by position; by copying it has margin $\frac34$, whatever $h$.
Measured   The margin, rational where $(16k)^h$ is a square, else enclosed (attained, hence the tie).
Control    The repair by copying; no copy; the two codes at another distance; copying without a temperature.
Reads      "The margin may be zero among equal labels" is a reading of the margin condition; over $j\ne j^*$ it
           excludes a repeated vector. The closed form is derived here: about this construction, not about the paper's.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Eq, Ge, Rational

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.constructions.network import changed
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask, equidistant

from ..notation import N, d_x, differ, k

margin = Quantity("label margin", r"y_{j^*}f", "of the label that both copies have, all others opposite", (-1, 1))
spread = 2**differ * (1 + 1 / (16 * k)) ** (k - differ)
closed = (4 - spread) / (spread + (N + 1) * (16 * k) ** (differ / 2 - k))
exact = replace(margin.equals(closed), tie=Rational(1, 10**100))
rows = [(N, d, h) for N, d, most in ((4, 5, 2), (16, 64, 4), (64, 256, 3)) for h in range(1, most + 1)]
rows.append((128, 320, 2))
grid = points("N d_x differ", *rows)
possible = [2**differ <= N, Ge(d_x, N)]


def construct(p, variant="position", away=None, **spoiled) -> NearestNeighbour:
    X = equidistant(p.N, p.d_x - p.N)
    X[2 ** (p.differ if away is None else away) - 1] = X[0]
    return NearestNeighbour(NearestTask(X, X[:1]), variant, **spoiled)


def swapped(p):  # the codes of two labels by copying, that of the repeated vector and the last
    net = construct(p, "copy")
    return changed(net, label_codes=net.codes[[0, p.N - 1, *range(2, p.N - 1), 1]])


def measure(net, p):
    return {margin: enclosed(net.least_margin)}


claim = Claim(
    "Nearest neighbour, a repeated vector by position",
    role="necessity", source="derived here: nearest neighbour by two layers",
    scope={"every d_x, differ": "points", "every N, vectors and query": "points", "some network": "exhibited",
           "every labelling": "closed form"},
    asserts=exact, grid=grid,
    requires=possible,
    construct=construct, measure=measure, derive=lambda net, p: {k: net.k}, derived=[k],
    controls=[
        Control("no copy", breaks=margin, construct=lambda p: construct(p, away=0)),
        Control("one bit more or less", breaks=margin, where=Eq(N, 16),
                construct=lambda p: construct(p, away=p.differ + 1 if p.differ == 1 else p.differ - 1)),
    ],
)
copied = Claim(
    "Nearest neighbour, a repeated vector by copying",
    role="variant", source="derived here: nearest neighbour by two layers",
    scope={"every d_x, differ": "points", "every N, vectors and query": "points", "some network": "exhibited",
           "every labelling": "closed form"},
    asserts=margin >= Rational(3, 4), grid=grid, requires=possible,
    construct=lambda p: construct(p, "copy"), measure=measure,
    controls=[
        Control("by position", breaks=margin, where=differ >= 2, construct=construct),
        Control("hardly a temperature", breaks=margin, construct=lambda p: construct(p, "copy", pull=Fraction(11, 10))),
        Control("codes of two labels swapped", breaks=margin, where=Eq(differ, 1),
                construct=swapped),
    ],
)
