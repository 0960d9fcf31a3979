r"""With $q$ heads a Transformer computes each link up to the error of its head and a term that leakage makes small.

Setting    $q$STR with the links lin, sq, he2; tokens $\|x_j\|\le r_x$; a head with norms $A$, $B$ and the error
           $\sqrt{\varepsilon_{2NN}}$ on the ball of radius $Z\ge\sqrt q\,r_x$.
Statement  $|\hat y_i-y_i|\le\sqrt{\varepsilon_{2NN}}+2AB\sqrt q\,r_xL$, $L$ the leakage.
Witness    BlockAttention with LinkHead: two units for lin, interpolated squares for sq and he2.
Measured   The whole network by exact forward passes: all tokens at the worst place of the head (no leakage matters),
           the extremal prompt of Lemma 11, and one token of length $r_x$ among zeros.
Control    A head with half of the cells; query and key block exchanged; the last head copies the first slot; a
           duplicate code; the term of the head dropped.
Reads      Derived here from Lemma 11 and Assumption 2, for any link that has a head. The first prompt attains
           $\sqrt{\varepsilon_{2NN}}$.
"""

from dataclasses import replace

import numpy as np
from sympy import ceiling, log, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.families import hadamard
from theorytools.codes.subcode import subcode
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.feedforward.link_heads import link_head
from theorytools.constructions.network import changed
from theorytools.numbers import Enclosure, maximum, total

from ..notation import Z, cells, eps_g, leak, path, q, r_x

error = Quantity("error", r"\max|\hat y_i-y_i|", "largest error of a label", (0, None))
bound = eps_g + 2 * path * sqrt(q) * r_x * leak


def construct(p, cells=None, **spoiled) -> BlockAttention:
    u = None if p.link == "sq" else [1] + [0] * (p.d - 1)
    head = link_head(p.link, u, p.q, p.d, radius=p.Z, cells=cells or p.cells)
    return replace(BlockAttention(hadamard(p.N), log(p.odds), p.q, p.d, head=head), **spoiled)


def prompts(p):
    place = construct(p).head.line.largest_error(construct(p).head.target, p.Z)[1] if p.link != "lin" else 0
    first, axis = [place] * p.d, [p.r_x] + [0] * (p.d - 1)
    equal, different = np.zeros((p.N, p.q), dtype=int), np.tile(np.arange(p.q), (p.N, 1))
    rest = [[-x for x in axis]] * (p.N - 1)
    return [([first] * p.N, equal), ([axis, *rest], equal), ([axis, *[[0] * p.d] * (p.N - 1)], different)]


def projections(p, tokens):
    if p.link == "sq":
        return [x for token in tokens for x in token]
    firsts = [token[0] for token in tokens]
    return [total(firsts) / Enclosure(p.q).sqrt()] if p.link == "lin" else firsts


def miss(net, p, X, T, i):
    retrieved = [net.exact_token(X, T, i, h) for h in range(len(net.wiring))]
    wanted = net.head.label(projections(p, [X[t] for t in T[i]]))
    return abs(net.head.value(projections(p, retrieved)) - wanted)


def measure(net, p):
    return {error: lambda: maximum(miss(net, p, X, T, p.N - 1) for X, T in prompts(p))}


def derive(net, p):
    return {leak: net.worst_leakage, path: net.head.path_norm, eps_g: lambda: net.head.sup_error(p.Z)}


claim = Claim(
    "Theorem 1, links",
    role="variant", source="derived here: Theorem 1",
    scope={"every link, N, d, q, r_x, cells, odds": "points", "some network": "exhibited", "every prompt": "points"},
    asserts=error <= bound, derive=derive, derived=[leak, path, eps_g],
    lets={Z: ceiling(sqrt(q) * r_x)},
    grid=points("link N d q r_x cells odds",
                ("lin", 64, 10, 3, 5, 1, 10**6), ("he2", 64, 4, 3, 5, 64, 10**9), ("he2", 256, 2, 1, 4, 32, 10**8),
                ("sq", 32, 3, 2, 4, 33, 10**10)),
    construct=construct, measure=measure, controls=[
        Control("half of the cells", breaks=error, where=cells >= 2,
                construct=lambda p: construct(p, (p.cells + 1) // 2)),
        Control("query and key block exchanged", breaks=error,
                construct=lambda p: construct(p, blocks=tuple((0, h) for h in range(1, p.q + 1)))),
        Control("the last head copies the first slot", breaks=error, where=q >= 2,
                construct=lambda p: construct(p, blocks=(*((h, 0) for h in range(1, p.q)), (1, 0)))),
        Control("a duplicate code", breaks=error, construct=lambda p: changed(
            construct(p), codes=subcode(hadamard(p.N), [0, 0, *range(2, p.N)]))),
        Control("the error of the head dropped", breaks=error, where=cells >= 2, asserts=[error <= bound - eps_g]),
    ],
)
