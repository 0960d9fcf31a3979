r"""Attention without position codes is permuted with the tokens, and cannot tell which token is asked for.

Setting    One head; prompts $X$ and $X'$ that differ by an exchange of the indexed token with another one, read at a
           third position $i$; labels $\langle e_1,x_{t_i}\rangle$.
Statement  With $z_j=x_j$ and any $W$: $F(PX)=PF(X)$ for permutations $P$. So $F(X)_i=F(X')_i$, and if the label changes
           by $\Delta y$, every head misses it by $|\Delta y|/2$ or more on $X$ or on $X'$.
Proof      The scores $\langle z_i,Wz_j\rangle$ of permuted tokens are the permuted scores, and a softmax average does
           not depend on the order of its keys. One output for two labels $\Delta y$ apart misses one of them by half.
Adversary  Random integer matrices $W$, with the readout $\langle e_1,\cdot\rangle+b$ that is right on average and so
           attains the bound.
Measured   Rational outputs, weights as powers of 2 over their sum.
Control    The construction with its codes; outputs and tokens exchanged at different positions.
Reads      Derived here: it is why the encoding carries $\omega_i$.
"""

import numpy as np
from sympy import log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.families import hadamard
from theorytools.constructions.attention.block import BlockAttention
from theorytools.numbers import maximum
from theorytools.papers.qstr.attention.matrix import MatrixAttention

from ..notation import N, jump
from .architecture import largest

swap = Quantity("exchange", r"\max|F(PX)-PF(X)|", "P exchanges two positions", (0, None))
miss = Quantity("miss", r"\max(|\hat y_i-y_i|,|\hat y_i'-y_i'|)", "error on the prompt or the exchanged one", (0, None))


def construct(p) -> MatrixAttention:
    return MatrixAttention(p.rng("matrix").choice([-2, -1, 1, 2], (p.d, p.d)).tolist())


def coded(p):
    return MatrixAttention.of(BlockAttention(hadamard(p.N), 10 * log(2), 1, p.d), np.zeros((p.N, 1), dtype=int))


def tokens(p):
    X = p.rng("tokens").integers(-3, 4, (p.N, p.d))
    X[[0, 1, -1], 0] = 3, -2, 0
    return X.tolist()


def exchanged(rows, i=0, j=1):
    order = list(range(len(rows)))
    order[i], order[j] = j, i
    return [rows[k] for k in order]


def readout(F, G, p):
    """The first coordinate, shifted so that the two errors cancel."""
    X, query = tokens(p), p.N - 1
    errors = [F[query][0] - X[0][0], G[query][0] - X[1][0]]
    return [abs(e - (errors[0] + errors[1]) / 2) for e in errors]


def measure(layer, p, moved=(0, 1)):
    X = tokens(p)
    F, G = layer(X), layer(exchanged(X))
    return {swap: largest(layer(exchanged(X, *moved)), exchanged(F)), miss: maximum(readout(F, G, p))}


def derive(layer, p):
    return {jump: abs(tokens(p)[0][0] - tokens(p)[1][0])}


claim = Claim(
    "Definition 2, attention without position codes",
    role="necessity", source="derived here: Definition 2",
    scope={"every N, d": "proof", "every attention matrix": "proof"},
    asserts=[swap.equals(0), miss.equals(jump / 2)],
    requires=[N >= 3], derive=derive, derived=[jump], grid=points("N d", (3, 1), (4, 4), (8, 2), (16, 9), (3, 64)),
    construct=construct, measure=measure, controls=[
        Control("the construction with its codes", breaks=[swap, miss], construct=coded),
        Control("another exchange of the tokens", breaks=swap,
                measure=lambda layer, p: measure(layer, p, (0, p.N - 1))),
    ],
)
