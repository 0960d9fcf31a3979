r"""Two layers of width $O(d+\log N)$ find the nearest vector's position, then read the label there.

Finding    Two attention layers are the nearest-neighbour rule for vectors with a margin: the first finds the nearest
           vector, the second reads its label.
Setting    $N\ge2$, $x_1,y_1,\dots,x_N,y_N,x_q$, unit vectors with margin $\gamma$, labels $\pm1$; binary codes of
           length $k=\lceil\log_2N\rceil$. Layer 1 has $\beta_1\gamma=\ln(14N)$, rounded up so that weights are
           rational; layer 2 has base $16k$; no vector occurs twice.
Statement  Layer 1 puts at least $\frac78$ of its weight on the nearest vector and fetches its code, which rounds to
           $t_{j^*}$ exactly. The label's margin is $\frac{2W-S}{S+N+1}\ge\frac34$, $W=(16k)^k$, over all queries of
           that margin and all $2^N$ labels, $S$ the sum of $(16k)^{k-d}$ over the distances of the codes to the first.
           The width is $2d+3k+5$.
Proof      As $\langle x_q,x_{j^*}\rangle\ge\gamma-1$, each of $2N$ other tokens weighs at most $e^{-\beta_1\gamma}\le
           \frac1{14N}$ of the nearest, which has $\frac1{1+1/7}$ or more; a coordinate of $z$ is $\frac78-\frac18$ or
           more in modulus, and from $\frac12$ on it rounds exactly. In layer 2 a label at distance $d$ weighs
           $(16k)^{k-d}$, $N+1$ tokens weigh 1, and the output is linear in the labels: all others opposite are worst.
           So is the first code: clearing a bit of $j$ exchanges the distances of two codes that differ in it alone,
           and a code whose partner is missing has it clear. $S\le W(1+\frac1{16k})^k$; $N=2$ gives
           $\frac{15}{20}$, and for $k\ge2$ $S\le e^{1/16}W$, $N+1\le2^k+1\le\frac5{1024}W$: .87.
Witness    NearestNeighbour, by position, on sign vectors: equidistant, where all others are at the margin, and drawn.
           Queries are the vectors themselves, at $d=31$ the vectors with one sign changed.
Measured   Rational weights from the integer Gram matrix; worst labels are opposite to the nearest one's.
Control    Codes of two labels swapped; the query among its own keys, where the nearest gets less than half of
           the weight; $\beta_1\gamma=\ln2$; the old $\beta_1$ for data without the margin, one vector a sign away from
           another; a token fewer in the denominator; vectors held once.
Reads      Constants derived here: the reconstruction states 0.6 for the margin; $\frac34$ is attained at $N=2$.
"""

from fractions import Fraction

import numpy as np
from sympy import Eq, Ge, Ne, Rational

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.constructions.network import changed as changed_weights
from theorytools.errors import DomainError
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask, different_signs, equidistant

from ..notation import N, S_near, d_x, k

weight = Quantity("nearest weight", r"\min_qa^*", "in layer 1, over all queries", (0, 1))
code = Quantity("code error", r"\max_q\|\hat z-t_{j^*}\|_\infty", "of the fetched position, rounded", (0, 2))
margin = Quantity("label margin", r"\min_{q,y}y_{j^*}f", "over all queries and labels", (-1, 1))
width = Quantity("width", "m", "coordinates of the residual stream", (1, None))
near = [weight >= Rational(7, 8), code.equals(0)]
closed = (2 * (16 * k) ** k - S_near) / (S_near + N + 1)


def task(p):
    drawn = p.data != "equidistant"
    X = different_signs(p.N, p.d_x, p.rng("signs")) if drawn else equidistant(p.N, p.d_x - p.N)
    made = NearestTask(X, changed(X, range(p.N)) if p.data == "changed" else None)
    if made.repeated:
        raise DomainError("a query with two nearest vectors", required="one, by the margin over all others",
                          why="at a tie the margin is 0, and two labels are right")
    return made


def changed(X, vectors):  # one sign of each vector
    X = X.copy()
    X[range(len(X)), np.array(vectors) % X.shape[1]] *= -1
    return X


def construct(p, **spoiled) -> NearestNeighbour:
    return NearestNeighbour(task(p), **spoiled)


def measure(net, p):
    return {weight: net.least_weight(), code: net.code_error(), margin: net.least_margin(), width: net.width}


def derive(net, p):
    return {k: net.k, S_near: sum((16 * net.k) ** (net.k - j.bit_count()) for j in range(p.N))}


def swapped(net):  # the codes of two labels
    return changed_weights(net, label_codes=net.codes[[1, 0, *range(2, len(net.codes))]])


def itself(p):  # the query's vector in the block of the keys, so that it attends to itself
    return changed_weights(construct(p), own_key=3 * p.d_x)


def layer_1(net, p):
    return {weight: exactly(net.least_weight()), code: exactly(net.code_error())}


def beside(p):  # the second vector is the first with a sign changed: R^(2/(d gamma)) of what it was
    X = equidistant(p.N, p.d_x - p.N)
    X[1] = changed(X[:1], [0])
    return NearestNeighbour(NearestTask(X), pull=Fraction(round(64 * (14 * p.N) ** (2 / p.N)), 64))


claim = Claim(
    "Nearest neighbour by position",
    role="statement", source="published: nearest neighbour by two layers; prose",
    scope={"every data, d_x": "proof", "every N, vectors and query": "proof", "some network": "exhibited",
           "every labelling": "closed form"},
    asserts=[*near, margin >= Rational(3, 4), margin.equals(closed), width.equals(2 * d_x + 3 * k + 5)],
    grid=points("data N d_x", ("equidistant", 2, 2), ("equidistant", 4, 5), ("equidistant", 16, 64),
                ("equidistant", 64, 256), ("drawn", 3, 5), ("drawn", 16, 12), ("drawn", 64, 24), ("drawn", 33, 30),
                ("changed", 20, 31)),
    derive=derive, derived=[k, S_near], requires=[Ge(2**d_x, N)], construct=construct, measure=measure,
    controls=[
        Control("codes of two labels swapped", breaks=margin,
                construct=lambda p: swapped(construct(p))),
        Control("the query among its own keys", breaks=near, construct=itself,
                asserts=near, measure=layer_1, where=Ne(d_x, 31)),
        Control("less than half on itself", breaks=weight, asserts=[weight >= Rational(1, 2)], measure=layer_1,
                construct=itself, where=Ne(d_x, 31)),
        Control("data without the margin", breaks=near, asserts=near, measure=layer_1, construct=beside,
                where=Eq(d_x, 4 * N) & (N >= 16)),
        Control("vectors held once", breaks=width, asserts=[width.equals(d_x + 3 * k + 5)]),
        Control("hardly a temperature", breaks=near, asserts=near, measure=layer_1,
                construct=lambda p: construct(p, pull=2)),
        Control("one token fewer in the denominator", breaks=margin,
                asserts=[margin.equals((2 * (16 * k) ** k - S_near) / (S_near + N))]),
    ],
)
