r"""With a label at every position a network without memory has $nN$ labels to fit; the linear one does while $nN\le d$.

Setting    As in theorem_09, with the averaged training error $\frac1{nN}\sum_{i,j}(\hat y^{(i)}_j-y^{(i)}_j)^2$.
Statement  The shortest $v$ with $\langle v,x^{(i)}_j\rangle=y^{(i)}_j$ for all $i,j$ exists where the $nN$ tokens are
           independent, and makes a network of squared norm $2L_y\|v\|^{2/L_y}$; where this is below $B(N)$, every
           minimum-norm $\varepsilon$-ERM of the averaged error has risk above $c$.
Proof      By steps 1 and 4 of the proof of theorem_09, for the averaged error; the network is that of
           theorem_09_linear. On Gaussian prompts with $d\ge2nN+2$ it has $\|v\|\le2$ with probability at least
           $\frac34$, as in theorem_09_linear.random, with $nN$ for $n$: the labels are coordinates $\langle u,x\rangle$
           of the tokens, independent of the part of the tokens orthogonal to $u$, whose Gram matrix $S\preceq XX^\top$
           is a Wishart matrix of $d-1$ dimensions. So $\mathbb E\|v\|^2\le\mathbb E\,w^\top
           S^{-1}w=\frac{nN}{d-nN-2}\le1$ for the labels $w$; Markov.
Witness    LinearInterpolant on all tokens: the axes with one label 1, at the least such $N$; Gaussian tokens in steps
           of $1/64$, $u=e_1$, every label from a token of its own prompt.
Measured   The labels hit, in rationals; the norm from the weights, enclosed.
Control    The interpolant of one position per prompt; one position fewer; a ridge.
Reads      Derived here; the printed theorem is about one position per prompt.
"""

from fractions import Fraction

import numpy as np
from sympy import Eq

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.papers.qstr.feedforward.linear_interpolant import LinearInterpolant
from theorytools.papers.qstr.interpolation.norm_gap import recurrent_norm

from ..notation import B_N, B_less, N, d, depth, n, short_2
from .linear import norm

hits = Quantity("labels hit", r"\#\{(i,j):f(x^{(i)}_j)=y^{(i)}_j\}", "by the network without memory", (0, n * N))


def prompts(p):
    """Return the tokens of every prompt, one per row, and the label of each."""
    if p.tokens == "unit":
        return np.eye(p.n * p.N, p.d, dtype=int), [int(j == 1) for j in range(p.n * p.N)]  # the second reads the first
    X = np.rint(64 * p.rng("tokens").standard_normal((p.n, p.N, p.d))).astype(int)
    index = p.rng("indices").integers(0, p.N, (p.n, p.N))
    y = np.take_along_axis(X[:, :, 0], index, axis=1)  # u = e_1
    return X.reshape(p.n * p.N, p.d), y.ravel().astype(object).tolist()


def construct(p, **spoiled) -> LinearInterpolant:
    X, y = prompts(p)
    return LinearInterpolant(X, y, p.depth, **spoiled)


def pointwise(net, p):  # fitted to the second position of every prompt
    few = LinearInterpolant(net.X[1 :: p.N], net.y[1 :: p.N], p.depth)
    inner = [sum(a * Fraction(int(b)) for a, b in zip(few.v, x, strict=True)) for x in net.X]
    return {**measure(net, p), hits: sum(a == b for a, b in zip(inner, net.y, strict=True))}


def measure(net, p):
    return {hits: net.hits(), norm: enclosed(net.squared_norm)}


claim = Claim(
    "Theorem 9, a label at every position",
    role="variant", source="derived here: Theorem 9",
    scope={"every tokens, N, n, d, depth, risk_0": "proof", "every data set": "proof",
           "every minimum-norm network": "proof"},
    asserts=[hits.equals(n * N), norm <= B_N],
    requires=[n * N <= d, N >= 3, 2 * depth * short_2 ** (1 / depth) <= B_N],
    grid=points("tokens N n d depth risk_0", ("unit", 8, 1, 8, 2, "1/100"), ("unit", 18, 1, 20, 2, "1/10"),
                ("gaussian", 8, 2, 48, 2, "1/100"), ("gaussian", 32, 1, 96, 2, "1/10")),
    construct=construct, measure=measure, derived=[B_N, B_less, short_2],
    derive=lambda net, p: {short_2: net.squared_v, B_N: lambda: recurrent_norm(p.N, p.risk_0, p.depth),
                           B_less: lambda: recurrent_norm(p.N - 1, p.risk_0, p.depth)},
    controls=[
        Control("the interpolant of one position per prompt", breaks=hits, where=short_2 < 1, measure=pointwise),
        Control("one position fewer", breaks=norm, where=Eq(short_2, 1), asserts=[hits.equals(n * N), norm <= B_less]),
        Control("a ridge", breaks=hits, asserts=[hits.equals(n * N)], construct=lambda p: construct(p, ridge=1)),
    ],
)
