r"""Computed minimum-norm networks without memory are shorter than every recurrent network of small risk.

Setting    General 1STR, one labelled position per prompt; recurrent networks with a read-out of two matrices. A
           network whose states are not read sees the token at that position, its code and the code of the index.
Statement  At each of the data sets of the table and its $N$, the shortest two-layer ReLU network on these features
           with mean squared error at most $\varepsilon$ has a squared norm below $B(N)$ of theorem_09_linear. So every
           minimum-norm $\varepsilon$-ERM has risk above $c$ there. Among unit tokens without codes, labels $1,-1$, no
           memoryless network is below $B(N-1)$: each $N$ is the least.
Proof      By steps 1 and 4 of the proof of theorem_09, of which the networks are members.
Witness    The network of definition_05_least: the convex program over all activation patterns, corrected in rationals.
           Unit tokens at the least such $N$; Gaussian tokens with random sign codes, also with more prompts than token
           dimensions, where no function linear in the token interpolates.
Measured   The training error, rational; the norm of the network, enclosed; the least norm between it and a multiplier.
Control    One position fewer; one more; a linear network; no training error allowed; a network at twice the error.
Reads      $B(N)$ and the computed form are derived here. The least norm over all memoryless read-outs of two matrices
           replaces an explicit interpolant, so this argument gives no smaller $N$. $N=64$ for Gaussian tokens is
           round, not least.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from sympy import Eq

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.numbers import solve_rational
from theorytools.papers.qstr.interpolation.convex_relu import LeastReLU, least_norm_relu
from theorytools.papers.qstr.interpolation.norm_gap import linear_norm, recurrent_norm
from theorytools.theory.first_layers.exact_span import orthonormal_basis

from ..definition_05.least import loss, minimum
from ..notation import B_N, B_less, N, d, excess, n

norm = Quantity("norm", r"\|\operatorname{vec}\Theta\|^2", "of the network without memory", (0, None))


def construct(p, allowed=None) -> LeastReLU:
    allowed = p.excess if allowed is None else allowed
    if p.tokens == "unit":
        return least_norm_relu(np.eye(2, dtype=int), [1, -1], epsilon=allowed)
    u, rng = np.array(orthonormal_basis(p.d, p.rng("link"))[0]), p.rng("prompts")
    x, other = (np.rint(64 * rng.standard_normal((p.n, p.d))).astype(int) * Fraction(1, 64) for _ in range(2))
    places, codes = rng.integers(0, p.N, (p.n, 2)), rng.choice([-1, 1], (p.N, 16)) * Fraction(1, 4)
    y = [(x[i] if j == t else other[i]) @ u for i, (j, t) in enumerate(places)]
    return least_norm_relu([[*x[i], *codes[j], *codes[t]] for i, (j, t) in enumerate(places)], y, epsilon=allowed)


def derive(best, p):
    return {B_N: lambda: recurrent_norm(p.N, p.risk_0, 2), B_less: lambda: recurrent_norm(p.N - 1, p.risk_0, 2)}


def measure(best, p, other=None, short=None):
    return {loss: (other or best).loss(), norm: enclosed(short or best.upper)}


def linear(best, p):
    square = np.array(best.y) @ np.array(solve_rational(best.gram, best.y))
    return measure(best, p, short=lambda: linear_norm(square, 2))


tight = [("unit", 8, 2, 2, "1/100", 0), ("unit", 18, 2, 2, "1/10", 0), ("unit", 46, 2, 2, "1/4", 0),
         ("unit", 4, 2, 2, "1/10", "1/4"), ("unit", 8, 2, 2, "1/4", "1/4")]
claim = Claim(
    "Theorem 9, computed networks",
    role="variant", source="derived here: Theorem 9",
    scope={"every tokens, N, n, d, risk_0, excess": "points", "every data set": "points", "some network": "exhibited",
           "every minimum-norm network": "proof"},
    asserts=[loss <= excess, norm <= B_N], requires=[N >= 3], derived=[B_N, B_less],
    grid=points("tokens N n d risk_0 excess", *tight, ("gaussian", 64, 4, 12, "1/10", 0),
                ("gaussian", 64, 6, 4, "1/10", 0), ("gaussian", 64, 6, 4, "1/10", "1/10")),
    derive=derive, construct=construct, measure=measure, listed=["tokens", N, n, d, "risk_0", excess],
    controls=[
        Control("one position fewer", breaks=norm, where=Eq(n, d), asserts=[loss <= excess, norm <= B_less]),
        Control("a linear network", breaks=norm, where=Eq(n, d), measure=linear),
        Control("no training error allowed", breaks=norm, where=Eq(n, d) & (excess > 0),
                measure=lambda best, p: measure(best, p, short=construct(p, 0).upper)),
        Control("a network at twice the error", breaks=loss, where=excess > 0,
                measure=lambda best, p: measure(best, p, construct(p, 2 * p.excess))),
    ],
)
shorter = replace(
    claim, label="Theorem 9, no shorter network without memory",
    role="sharpness", source="derived here: Theorem 9",
    scope={"every tokens, N, n, d, risk_0, excess": "points", "every data set": "points",
           "every network without memory": "closed form"},
    asserts=[minimum >= B_less],
    grid=points("tokens N n d risk_0 excess", *tight), measure=lambda best, p: {minimum: best.recipe()},
    controls=[
        Control("one position more", breaks=minimum, asserts=[minimum >= B_N]),
        Control("twice the training error", breaks=minimum, where=excess > 0,
                measure=lambda best, p: {minimum: construct(p, 2 * p.excess).recipe()}),
    ],
)
