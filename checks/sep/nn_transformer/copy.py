r"""Copying each vector to its label first, then comparing, finds the nearest label with margin $\frac34$.

Setting    As in nn_transformer, codes of length $\max(2,\lceil\log_2N\rceil)$. Layer 1 at label $j$ fetches $\hat x_j$
           by code with $e^{2\beta}=32k/\gamma$; layer 2 at the query compares with $\beta_2=\ln(14N)/(\frac34\gamma)$.
Statement  Layer 1 takes at most $\gamma/16$ elsewhere, $\|\hat x_j-x_j\|\le\gamma/8$, and the label's margin is at
           least $\frac34$, over all queries and labels. The most it takes is $1-1/(S_\gamma+(N+1)u^k)$,
           $u=\frac\gamma{32k}$, $S_\gamma$ the sum of $u^d$ over the distances of the codes to the first. The width is
           $3d+2k+5$. At $N=2$ with codes of one bit and the vectors themselves as queries it takes $\gamma/(8+\gamma)$,
           and the error is $\gamma\frac{\sqrt{9+8\gamma}}{32+4\gamma}\le\gamma/8$, attained by opposite vectors.
Proof      In layer 1 the others weigh $S_\gamma-1+(N+1)u^k$ of the own vector; $S_\gamma$ is largest at the first code
           (nn_transformer) and at most $(1+u)^k\le e^{\gamma/32}$, with $\gamma\le2$: $S_\gamma-1\le.0323\gamma$ and,
           for $k\ge2$, $(2^k+1)u^k\le5(\frac\gamma{64})^2\le.0025\gamma$, below $\frac\gamma{16}$ together. A copy is
           off by at most twice what it takes elsewhere, as vectors have length 1 and other tokens value 0. So
           similarities move by $\frac\gamma8$, gaps are $\frac34\gamma$ or more, the score of the nearest is too, and
           of $2N$ others each weighs at most $\frac1{14N}$ of it: at least $\frac78$, and a margin of
           $2\cdot\frac78-1$.
Witness    NearestNeighbour, by copying, on the data of nn_transformer.
Measured   The squared error as a rational; scores are rational, their exponentials enclosed.
Control    Codes of two labels swapped; codes of one bit at $N=2$; no temperature to speak of, $R=2$; a token fewer in
           the denominator; one block of vectors less; for one bit the bound $\gamma/16$, a token fewer, and a squared
           distance of $\gamma$ between the two vectors, not $2\gamma$; codes of two bits; queries between the
           two vectors.
Reads      Derived here. Gaps shrink to $\frac34\gamma$ at worst. For one bit the reconstruction says $0.15\gamma$; with
           value 0 off the vectors at most $\gamma/8$: only the bound $\gamma/16$ needs $k\ge2$.
"""

import numpy as np
from sympy import Eq, Ge, Rational

from theorytools import Claim, Control, Quantity, enclosed, exactly, points
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask

from ..notation import N, S_copy, d_x, gamma, k
from .nn_transformer import margin, swapped, task, width

error = Quantity("copy error", r"\max_j\|\hat x_j-x_j\|^2", "squared, of a copied vector", (0, 4))
elsewhere = Quantity("taken elsewhere", r"\max_j(1-a_j)", "weight of layer 1 off the own vector", (0, 1))
bounds = [elsewhere <= gamma / 16, error <= gamma**2 / 64, margin >= Rational(3, 4)]


def construct(p, **spoiled) -> NearestNeighbour:
    return NearestNeighbour(task(p), "copy", **spoiled)


def measure(net, p):
    return {elsewhere: exactly(net.copy_loss()), error: exactly(net.copy_error()), margin: enclosed(net.least_margin),
            width: net.width}


def derive(net, p):
    u = net.task.margin / (32 * net.k)
    return {gamma: net.task.margin, k: net.k, S_copy: sum(u ** j.bit_count() for j in range(p.N))}


def taken(tokens):  # off the own vector, with so many tokens that hold no vector
    return elsewhere.equals(1 - 1 / (S_copy + tokens * (gamma / (32 * k)) ** k))


claim = Claim(
    "Nearest neighbour by copying",
    role="statement", source="published: nearest neighbour by two layers; prose",
    scope={"every data, d_x": "proof", "every N, vectors and query": "proof", "some network": "exhibited",
           "every labelling": "closed form"},
    asserts=[*bounds, taken(N + 1), width.equals(3 * d_x + 2 * k + 5)],
    requires=[Ge(2**d_x, N)],
    grid=points("data N d_x", ("equidistant", 2, 2), ("equidistant", 4, 5), ("equidistant", 16, 64), ("drawn", 3, 5),
                ("drawn", 16, 12), ("drawn", 32, 20), ("changed", 20, 31)),
    derive=derive, derived=[gamma, k, S_copy], construct=construct, measure=measure,
    controls=[
        Control("codes of two labels swapped", breaks=[elsewhere, error, margin],
                construct=lambda p: swapped(construct(p))),
        Control("a token fewer", breaks=elsewhere, asserts=[taken(N)]),
        Control("a block of vectors less", breaks=width, asserts=[width.equals(2 * d_x + 2 * k + 5)]),
        Control("a code of one bit", breaks=elsewhere, where=Eq(N, 2), construct=lambda p: construct(p, length=1),
                asserts=bounds),
        Control("hardly a temperature", breaks=margin, construct=lambda p: construct(p, pull=2)),
    ],
)


def layer_1(net, p):
    return {elsewhere: exactly(net.copy_loss()), error: exactly(net.copy_error())}


def between(p):  # opposite vectors, and queries nearly at right angles to both: a margin far below 1 - <x_1, x_2>
    near = np.where(np.arange(p.d_x) <= p.d_x // 2, 1, -1)
    return NearestNeighbour(NearestTask(np.outer([1, -1], np.ones_like(near)), np.array([near, -near])), "copy",
                            length=1)


def one_bit(square):
    return error.equals(gamma**2 * square / (32 + 4 * gamma) ** 2)


single = Claim(
    "Nearest neighbour by copying, one bit",
    role="variant", source="derived here: nearest neighbour by two layers",
    scope={"every data, N, d_x": "points", "every margin and vectors": "points", "some network": "exhibited",
           "every labelling": "closed form"},
    requires=[Eq(N, 2)],
    asserts=[elsewhere.equals(gamma / (8 + gamma)), one_bit(9 + 8 * gamma), error <= gamma**2 / 64],
    grid=points("data N d_x", ("equidistant", 2, 2), ("equidistant", 2, 12), ("drawn", 2, 1), ("drawn", 2, 9)),
    derive=lambda net, p: {gamma: net.task.margin}, derived=[gamma], measure=layer_1,
    construct=lambda p: construct(p, length=1),
    controls=[
        Control("the bound of longer codes", breaks=elsewhere, asserts=[elsewhere <= gamma / 16]),
        Control("codes of two bits", breaks=elsewhere, asserts=[elsewhere.equals(gamma / (8 + gamma))],
                construct=lambda p: construct(p, length=2)),
        Control("one token fewer", breaks=elsewhere, asserts=[elsewhere.equals(3 * gamma / (32 + 3 * gamma))]),
        Control("a distance of gamma", breaks=error, asserts=[one_bit(9 + 4 * gamma)]),
        Control("a third of the error", breaks=error, asserts=[error <= gamma**2 / 576]),
        Control("queries between the two vectors", breaks=error, where=Eq(d_x, 12),
                asserts=[error <= gamma**2 / 64], construct=between),
    ],
)
