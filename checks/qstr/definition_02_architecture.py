r"""The attention layer as matrices, the length of an encoded token, and why position codes are needed.

Setting    Rows $z_i=(x_i,\sqrt{d/q}\,(\omega_i,\omega_{t_{i1}},\dots,\omega_{t_{iq}}))$ of $Z$, merged $W=W_Q^\top W_K$, unit codes.
Statement  $\|z_i\|^2=\|x_i\|^2+d(1+\frac1q)$. $F=\operatorname{softmax}(ZWZ^\top)Z$ has the token part
           $\sum_j\pi_{ij}x_j$ of the per-head form, and is unchanged when a number is added to a row of scores. Without
           codes $F$ is permuted with the tokens, so that exchanging two tokens leaves the prediction elsewhere alone:
           a label that changes by $\Delta y$ is missed by $\Delta y/2$ on one of the two prompts.
Witness    BlockAttention at temperatures with scores in $\mathbb{Z}\log2$; without codes, random integer $W$.
Measured   Everything in rationals: weights are powers of 2 over their sum.
Control    Codes without $\sqrt{d/q}$; the block transposed; a number added to one score only; the codes kept.
Reads      The print has one matrix per head and no factor $D_e^{-1/2}$. The bound without codes is derived here.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from sympy import log

from theorytools import Claim, Control, Quantity, points
from theorytools.algebra.rigorous import maximum
from theorytools.codes import family
from theorytools.constructions import BlockAttention
from theorytools.constructions.matrix_attention import attend, encoded, merged_matrix, scores, softmax_weights

from .notation import d, jump, q

length = Quantity("length of the codes", r"\|z_i\|^2-\|x_i\|^2", "the same for all positions", (0, None))
merged = Quantity("matrix form", r"\max|F-\sum_j\pi_{ij}x_j|", "largest difference of the token part", (0, None))
shift = Quantity("shift", r"\max|\operatorname{softmax}(s+c)-\operatorname{softmax}(s)|", "c per query", (0, 1))
swap = Quantity("exchange", r"\max|F(PX)-PF(X)|", "P exchanges two tokens", (0, None))
miss = Quantity("miss", r"\max(|\hat y_i-y_i|,|\hat y_i'-y_i'|)", "on the prompt and the exchanged one", (0, None))


def construct(p, **spoiled) -> BlockAttention:
    codes = family(p.code, p.N, p.d_e, p.rng("codes"))
    return replace(BlockAttention(codes, p.s * codes.d_e * log(2) / 2, p.q, p.d), **spoiled)


def prompt(p):
    rng = p.rng("prompt")
    return rng.integers(-3, 4, (p.N, p.d)).tolist(), rng.integers(0, p.N, (p.N, p.q))


def largest(a, b):
    return maximum(abs(x - y) for r, s in zip(a, b, strict=True) for x, y in zip(r, s, strict=True))


def measure(net, p, constant=1, stated=None):
    X, T = prompt(p)
    Z, W = encoded(net, X, T), [merged_matrix(net, h) for h in range(p.q)]
    code = [sum(z * z for z in row) - sum(x * x for x in token) for row, token in zip(Z, X, strict=True)]
    forms = [([row[: p.d] for row in attend(Z, w)], [(stated or net).exact_token(X, T, i, h) for i in range(p.N)])
             for h, w in enumerate(W)]
    S = scores(Z, W[0])
    moved = [[s + i - 3 if j < constant * p.N else s for j, s in enumerate(row)] for i, row in enumerate(S)]
    return {length: max(code, key=lambda c: abs(c - code[0])), merged: maximum(largest(*pair) for pair in forms),
            shift: largest(map(softmax_weights, moved), map(softmax_weights, S))}


claim = Claim(
    "Definition 2, attention in matrix form", asserts=[length.equals(d * (1 + 1 / q)), merged.equals(0), shift.equals(0)],
    grid=points("code N d_e d q s", ("hadamard", 8, 8, 2, 1, 1), ("hadamard", 8, 8, 4, 2, 1),
                ("rademacher", 6, 12, 3, 1, 1), ("rademacher", 9, 8, 6, 3, 2)),
    construct=construct, measure=measure, controls=[
        Control("codes without their factor", breaks=length, where=d > q, construct=lambda p: construct(p, scale=1)),
    ],
)
