r"""General 1STR without error by a recurrent network whose state has one number per position.

Setting    General 1STR, a different index at every position, link $\langle u,x\rangle$ with $u\in\{\pm1\}^d$, integer
           tokens with $\|x\|_\infty\le M$; bidirectional states, sign codes with gap $\gamma>0$.
Statement  With $K\ge dM/\gamma$ a network of width $d_h=N$, two layers in the transition and three in the readout, has
           $\hat y_j=y_j$ at every $j$ and for every index; $d_h=N-1$ suffices.  That is $2N/(N-1)$, and 2, times the
           lower bound $(N-1)/2$ at error 0.  Its squared norm has the closed form below.
Witness    StoreAllRNN on binary and random codes; on the rows with $K\gamma=dM$ the slope cannot be smaller.
Measured   Exact predictions over all $N^2$ pairs (position, index), and the norm, in integers.
Control    The same slot left out in both directions; the next smaller slope; a duplicate code; one more slot left out
           of the narrow network.
Reads      Derived here: the paper states the lower bound (Proposition 8), whose form at error 0 is
           derived here; it is not measured in this check.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.by_family import code_of_family
from theorytools.constructions.recurrent.store_all import StoreAllRNN

from ..notation import K_g, M_x, N, d, d_e, gamma_c

hits = Quantity("labels exact", r"\#\{(j,t_j):\hat y_j=y_j\}", "exact predictions, every position, index", (0, N**2))
norm = Quantity("squared norm", r"\|\mathrm{vec}\,\Theta\|^2", "sum of the squares of all weights, biases", (0, None))
ratio = Quantity("width over the bound", r"d_h/\tfrac{N-1}2", "dimension of a state over the lower bound", (0, None))
writer = 2 * N * (d + K_g**2 / d_e + K_g**2)
closed = 3 * writer + 4 * N + 4 * N + 2 * d_e + 2 * N * (4 + 2 * K_g**2 / d_e + K_g**2) + 2 * N


def codes(p):
    return code_of_family(p.code, p.N, p.d_e, p.rng("codes"))


def construct(p, lower=0, **spoiled) -> StoreAllRNN:
    K = p.d_e * (-(-p.d * p.M_x // (2 * codes(p).minimum_distance())) - lower)
    u = 2 * p.rng("link").integers(0, 2, p.d) - 1
    return replace(StoreAllRNN(codes(p).signs, K, u, (p.N**2 * p.d * p.M_x) ** 2), **spoiled)


def narrow(p, more=(), lower=0) -> StoreAllRNN:
    return construct(p, lower, left_out=((p.N - 1, *more), (0, *more)))


def dropped(p) -> StoreAllRNN:
    return construct(p, left_out=((1,), (1,)))


def duplicate(p):
    return construct(p, signs=codes(p).signs[[0, 0, *range(2, p.N)]])


def pairs(p):
    """N prompts with the indices j, j + 1, ..., so that every pair (j, t_j) occurs once."""
    return (np.arange(p.N)[:, None] + np.arange(p.N)) % p.N


def measure(net, p):
    X, T = p.rng("tokens").integers(1, p.M_x + 1, (p.N, p.N, p.d)) * net.u, pairs(p)
    X[0] = p.M_x * net.u  # the largest payload
    wanted = np.take_along_axis(X @ net.u, T, axis=1)
    return {hits: int((net(X, T[..., None]) == wanted).sum()), norm: net.squared_norm(),
            ratio: Fraction(2 * net.d_h, p.N - 1)}


def derive(net, p):
    return {K_g: net.K, gamma_c: 1 - codes(p).coherence()}


wide = {"requires": [N >= 3, gamma_c > 0, K_g * gamma_c >= d * M_x], "derive": derive, "derived": [K_g, gamma_c],
        "grid": points("code N d_e d M_x", ("binary", 4, 2, 1, 8), ("binary", 16, 4, 2, 10),
                       ("rademacher", 12, 20, 3, 30))}
claim = Claim(
    "Theorem 1, general 1STR by a recurrent network",
    role="variant", source="derived here: Theorem 1",
    scope={"every code, N, d_e, d, M_x": "points", "some network": "exhibited",
           "every position and index": "enumeration"},
    asserts=[hits.equals(N**2), norm.equals(closed), ratio.equals(2 * N / (N - 1))], **wide,
    construct=construct, measure=measure,
    controls=[
        Control("the next smaller slope", breaks=[hits, norm], where=K_g > d_e,
                construct=lambda p: construct(p, lower=1)),
        Control("a duplicate code", breaks=hits, construct=duplicate),
        Control("the same slot left out in both directions", breaks=[hits, ratio], construct=dropped),
        Control("the backward transition not counted", breaks=norm, asserts=[norm.equals(closed - writer - 2 * N)]),
        Control("the bound N/2", breaks=ratio, asserts=[ratio.equals(2)]),
    ],
)
least = Claim(
    "Theorem 1, general 1STR with one slot fewer",
    role="sharpness", source="derived here: Theorem 1",
    scope={"every code, N, d_e, d, M_x": "points", "some network": "exhibited",
           "every position and index": "enumeration"},
    asserts=[hits.equals(N**2), ratio.equals(2)], **wide,
    note="The last slot forward and the first slot backward are never read.", construct=narrow, measure=measure,
    controls=[
        Control("one more slot left out", breaks=[hits, ratio], construct=lambda p: narrow(p, more=[1])),
        Control("the next smaller slope", breaks=hits, where=K_g > d_e, construct=lambda p: narrow(p, lower=1)),
    ],
)
