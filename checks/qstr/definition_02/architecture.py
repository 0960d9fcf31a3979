r"""The attention layer in matrix form is the per-head form, and an encoded token has a known length.

Setting    Rows $z_i=(x_i,\sqrt{d/q}\,(\omega_i,\omega_{t_{i1}},\dots,\omega_{t_{iq}}))$ of $Z$ with unit codes; one
           merged matrix $W=W_Q^\top W_K$ per head, rows for queries.
Statement  $\|z_i\|^2=\|x_i\|^2+d(1+\frac1q)$. $F=\operatorname{softmax}(ZWZ^\top)Z$ has the token part
           $\sum_j\pi_{ij}x_j$, and adding a number to a query's scores changes nothing.
Witness    BlockAttention at temperatures with scores in $\mathbb{Z}\log2$, integer tokens.
Measured   Everything in rationals, weights as powers of 2 over their sum; the per-head form from the Gram matrix.
Control    Codes without $\sqrt{d/q}$; query and key block exchanged; a number added to half of the scores only.
Reads      As in the print there is no factor $D_e^{-1/2}$; the value matrix is part of the head.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.by_family import code_of_family
from theorytools.constructions.attention.block import BlockAttention
from theorytools.numbers import maximum
from theorytools.papers.qstr.attention.matrix import attend, encoded, merged_matrix, scores, softmax_weights

from ..notation import d, q

length = Quantity("length of the codes", r"\|z_i\|^2-\|x_i\|^2", "at the position where it differs most", (0, None))
merged = Quantity("matrix form", r"\max|F-\sum_j\pi_{ij}x_j|", "largest difference of the token part", (0, None))
shift = Quantity("shift", r"\max|\operatorname{softmax}(s+c)-\operatorname{softmax}(s)|", "c by query", (0, 1))
full = length.equals(d * (1 + 1 / q))


def construct(p, **spoiled) -> BlockAttention:
    codes = code_of_family(p.code, p.N, p.d_e, p.rng("codes"))
    return replace(BlockAttention(codes, p.s * codes.d_e * log(2) / 2, p.q, p.d), **spoiled)


def prompt(p):
    rng = p.rng("prompt")
    return rng.integers(-3, 4, (p.N, p.d)).tolist(), rng.integers(0, p.N, (p.N, p.q))


def largest(first, second):
    return maximum(abs(x - y) for a, b in zip(first, second, strict=True) for x, y in zip(a, b, strict=True))


def measure(net, p, stated=None, share=1):
    (X, T), head = prompt(p), stated or net
    Z, W = encoded(net, X, T), [merged_matrix(net, h) for h in range(p.q)]
    code = [sum(z * z for z in row) - sum(x * x for x in token) for row, token in zip(Z, X, strict=True)]
    by_heads = [[head.exact_token(X, T, i, h) for i in range(p.N)] for h in range(p.q)]
    by_matrix = [[row[: p.d] for row in attend(Z, w)] for w in W]
    S = scores(Z, W[0])
    moved = [[s + 2 * i + 1 if j < share * p.N else s for j, s in enumerate(row)] for i, row in enumerate(S)]
    return {length: max(code, key=lambda c: abs(c - p.d * (1 + Fraction(1, p.q)))),
            merged: maximum(map(largest, by_matrix, by_heads)),
            shift: largest(map(softmax_weights, moved), map(softmax_weights, S))}


def exchanged(p):
    return construct(p, blocks=tuple((0, h) for h in range(1, p.q + 1)))


claim = Claim(
    "Definition 2, attention in matrix form",
    role="variant", source="published: Definition 2; prose",
    scope={"every code, N, d_e, d, q, s": "points", "every query": "enumeration"},
    asserts=[full, merged.equals(0), shift.equals(0)],
    grid=points("code N d_e d q s", ("hadamard", 8, 8, 2, 1, 1), ("hadamard", 12, 16, 4, 1, 1),
                ("rademacher", 6, 16, 3, 3, 1), ("rademacher", 9, 16, 8, 2, 2)),
    construct=construct, measure=measure, controls=[
        Control("codes without their factor", breaks=length, where=d >= 4 * q, asserts=[full],
                construct=lambda p: construct(p, scale=1)),
        Control("query and key block exchanged", breaks=merged, construct=exchanged,
                measure=lambda net, p: measure(net, p, stated=construct(p))),
        Control("half of the scores", breaks=shift, measure=lambda net, p: measure(net, p, share=Fraction(1, 2))),
    ],
)
