r"""The stack of Lemmas 22 to 25 and Proposition 26 as one network with its weights, which do not depend on $N$.

Setting    Inputs $(x,\omega,\omega')$, $|x_k|\le M$, unit codes of dimension $d_e$, equal (a match) or with product at
           most $\frac12$. Layers: squares of $\omega_k\pm\omega'_k$ by $m$ units each; $u=\sigma(\hat s-\frac12)$;
           squares of $\frac{x_k}M\pm u$ by $m_2$ units each, $m$ and $m_2$ even, $2d_e\le m^2$; the rectifier
           $\sigma(\cdot-b)$, $\sigma(-\cdot-b)$, $b=\frac{2Md_e}{m^2}+\frac{2M}{m_2^2}$.
Statement  The output is within $2b$ of $x$ on a match and exactly 0 on a mismatch. There are $2d_em+2dm_2+6d+1$ units,
           and the squared norm of all weights is at most
           $4d_em+\frac{8d_e}m+2dm_2(1+\frac2{M^2})+\frac{64dM^2}{m_2}+6d$.
Witness    The matrices and biases, in rationals.
Measured   The network run layer by layer on equal codes, products of exactly and a little below $\frac12$, orthogonal
           and opposite ones, tokens $\pm M$ and inside: instances of the proof; norms and units of the stored matrices.
Control    No rectifier; a gate without its bias; a seventh of the bound; codes with product $\frac{24}{25}$; 3 for 4 in
           the norm; a unit less.
Proof      By $2d_e\le m^2$ all $\frac{x_k}M\pm u$ are in $[-2,2]$, where the squares are interpolated. $|\hat
           s-\langle\omega,\omega'\rangle|\le d_e/m^2$ (lemma_22), so $2x_ku$ is within $2Md_e/m^2$ of $x_k$ or 0, and
           its network within $2M/m_2^2$ of it: $b$ together, which the rectifier takes off and, on a match, adds once
           more. Rows of the first squares have two entries $\pm1$, of the second $1$ and two of size $\frac1M$; output
           weights of a square are at most twice its cell, $\frac4m$.
Reads      Derived here. The published network has a layer less: its gate $2x\sigma(z-\frac12)$ is a function of two
           variables that Lemma 42 approximates with constants that are not explicit; a product by squares takes one
           layer more. The rectifier is that of Proposition 26.
"""

from fractions import Fraction

import numpy as np
from sympy import Eq, floor

from theorytools import Claim, Control, Quantity, letter, points
from theorytools.constructions.feedforward.piecewise_linear import LineUnits
from theorytools.numbers import quick
from theorytools.numbers.rational import fraction

from ..notation import M_x, d, d_e, m
from .stack import close, codes, even, padded

m_gate = letter("m_gate", "cells of the square in the gate", latex="m_2", integer=True, positive=True)
error = Quantity("error", r"\max_k|f_k-x_k|", "on a match", (0, None))
foreign = Quantity("foreign", r"\max_k|f_k|", "on a mismatch", (0, None))
norm = Quantity("norm", r"\sum_\ell\|W_\ell\|_F^2", "of all weight matrices", (0, None))
units = Quantity("units", r"\#", "of all hidden layers", (0, None))


exact = np.vectorize(quick, otypes=[object])


def just_below(d_e):
    """Unit vectors with products a little below one half: 26/45 is the tangent of a bit more than 30 degrees."""
    for t in (Fraction(26, 45), Fraction(71, 122), Fraction(7, 12), Fraction(3, 5)):
        turned = [(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)]
        diagonal = [(turned[0] + sign * turned[1]) / 2 for sign in (1, 1, -1, -1)]
        for pair in (([Fraction(1)], turned), ([Fraction(1, 2)] * 4, diagonal)):
            yield (*(padded(v, d_e) for v in pair), 0)


def zeros(*shape):
    return np.full(shape, Fraction(0), dtype=object)


def construct(p, rectifier=1, gate=1) -> list[tuple[np.ndarray, np.ndarray]]:
    """Weight matrices and biases; ReLU after all but the last."""
    d, d_e, M = p.d, p.d_e, Fraction(p.M_x)
    squares, gates = LineUnits.square(2, p.m).units, LineUnits.square(2, p.m_gate).units
    S, G = len(squares), len(gates)
    W1, b1 = zeros(2 * d_e * S + 2 * d, d + 2 * d_e), zeros(2 * d_e * S + 2 * d)
    W2, b2 = zeros(1 + 2 * d, len(W1)), zeros(1 + 2 * d)
    for k in range(d_e):
        for side, sign in enumerate((1, -1)):
            for j, (c, w, b) in enumerate(squares):
                row = (2 * k + side) * S + j
                W1[row, d + k], W1[row, d + d_e + k], b1[row] = Fraction(w), Fraction(sign * w), Fraction(b)
                W2[0, row] = Fraction(sign * c) / 4
    b2[0] = -Fraction(gate, 2)
    for j in range(2 * d):  # both signs of a token pass through two layers
        W1[2 * d_e * S + j, j // 2], W2[1 + j, 2 * d_e * S + j] = Fraction(1 - 2 * (j % 2)), Fraction(1)
    W3, b3 = zeros(2 * d * G, 1 + 2 * d), zeros(2 * d * G)
    W4, b4 = zeros(2 * d, 2 * d * G), zeros(2 * d)
    for k in range(d):
        for side, sign in enumerate((1, -1)):
            for j, (c, w, b) in enumerate(gates):
                row = (2 * k + side) * G + j
                W3[row, 0], W3[row, 1 + 2 * k], W3[row, 2 + 2 * k] = Fraction(sign * w), w / M, -w / M
                b3[row] = Fraction(b)
                W4[2 * k, row], W4[2 * k + 1, row] = sign * 2 * M * c / 4, -sign * 2 * M * c / 4
    b4[:] = -rectifier * (2 * M * d_e / p.m**2 + 2 * M / Fraction(p.m_gate) ** 2)
    W5 = zeros(d, 2 * d)
    for k in range(d):
        W5[k, 2 * k], W5[k, 2 * k + 1] = Fraction(1), Fraction(-1)
    return [tuple(map(exact, layer)) for layer in ((W1, b1), (W2, b2), (W3, b3), (W4, b4), (W5, zeros(d)))]


def run(layers, x):
    for W, b in layers[:-1]:
        x = np.maximum(W @ x + b, quick(0))
    return layers[-1][0] @ x


def measure(layers, p, extra=()):
    M = Fraction(p.M_x)
    tokens = [np.array([M * s if k % 2 else -M * s for k in range(p.d)]) for s in (1, -1, Fraction(1, 3))]
    missed, leaked = [Fraction(0)], [Fraction(0)]
    for a, b, match in [*codes(p), *just_below(p.d_e), *extra]:
        for x in tokens:
            y = run(layers, exact(np.array([*x, *a, *b], dtype=object)))
            (missed if match else leaked).append(max(abs(fraction(v) - value * match)
                                                     for v, value in zip(y, x, strict=True)))
    return {error: max(missed), foreign: max(leaked), norm: fraction(sum((W * W).sum() for W, _ in layers)),
            units: sum(len(b) for _, b in layers[:-1])}


off = 2 * M_x * d_e / m**2 + 2 * M_x / m_gate**2
size = 4 * d_e * m + 8 * d_e / m + 2 * d * m_gate * (1 + 2 / M_x**2) + 64 * d * M_x**2 / m_gate + 6 * d
count = 2 * d_e * m + 2 * d * m_gate + 6 * d + 1
asserts = [error <= 2 * off, foreign.equals(0), norm <= size, units.equals(count)]
claim = Claim(
    "Lemmas 22 to 25, the whole network",
    role="variant", source="derived here: Lemmas 22 to 25",
    scope={"every d_e, M_x, d": "proof", "every number of cells m, m_gate": "proof", "some network": "exhibited",
           "every pair of vectors": "proof", "every token": "proof"},
    asserts=asserts, construct=construct, measure=measure,
    requires=[even, Eq(floor(m_gate / 2), m_gate / 2), 2 * d_e <= m**2],
    grid=points("d_e m m_gate M_x d", (4, 6, 4, 1, 1), (4, 10, 16, 3, 2), (4, 14, 8, 7, 3), (4, 34, 64, 10, 2),
                (5, 12, 6, 2, 1)), controls=[
        Control("no rectifier", breaks=foreign, asserts=asserts[1:2], where=m <= 6,
                construct=lambda p: construct(p, rectifier=0)),
        Control("a gate without its bias", breaks=[error, foreign], asserts=asserts[:2],
                construct=lambda p: construct(p, gate=0)),
        Control("a seventh of the bound", asserts=[error <= 2 * off / 7], breaks=error),
        Control("codes that are too close", breaks=foreign, asserts=asserts[1:2], where=m >= 10,
                measure=lambda layers, p: measure(layers, p, [(*(padded(v, p.d_e) for v in close), 0)])),
        Control("3 for 4 in the norm", asserts=[norm <= size - d_e * m], breaks=norm, where=(m <= 10) | (m >= 30)),
        Control("a unit less", asserts=[units <= count - 1], breaks=units),
    ],
)
