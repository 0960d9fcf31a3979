r"""The least norm of all two-layer ReLU networks through the prompts, certified on both sides.

Setting    Independent features $f_i=(x^{(i)};e_{t^{(i)}})$ of $n$ prompts. Networks $\sum_ka_k\sigma(w_k^\top f)$ of
           any width with mean squared error at most $\varepsilon$; $M$ is the least $\|a\|^2+\|W\|_F^2$.
Statement  $M=2\max_\lambda(\lambda^\top y-\sqrt{n\varepsilon}\|\lambda\|)/\sup_{\|w\|\le1}|\lambda^\top\sigma(Fw)|$.
           It is at least what one datum costs and at most $4\|F^\dagger y\|$.
Witness    A convex program over all $2^n-1$ activation patterns; its network is corrected in rationals.
Measured   The error, rational; both ends of $M$ enclosed, the supremum bounded by a rational over all patterns. One
           datum is an exact tie.
Control    Patterns left out; $n$ left out of $\sqrt{n\varepsilon}$; the factor 2 twice; weights rounded; neurons with a
           part outside the span of the features, which agree at the data and are longer.
Reads      Derived here, for features with a one-hot index. The width allowed, $10^{-6}$, is a hundred times the
           tolerance at which the solver stops. With the multiplier of the program, patterns left out of the supremum
           exceed $M$ by the solver's rounding only, with $\lambda=y$ not at all: the control chooses its own.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from sympy import Eq, Rational, sqrt

from theorytools import Claim, Control, Enclosure, Quantity, points
from theorytools.errors import DomainError
from theorytools.numbers import maximum, solve_rational
from theorytools.papers.qstr.interpolation.activation_patterns import squared_gain
from theorytools.papers.qstr.interpolation.convex_program import propose
from theorytools.papers.qstr.interpolation.convex_relu import LeastReLU, least_norm_relu
from theorytools.theory.first_layers.exact_span import InputSpan, orthonormal_basis

from ..notation import M_up, N, d, excess, f_top, n, short_2

loss = Quantity("training error", r"\hat R_n", "mean squared error of the network", (0, None))
minimum = Quantity("least norm", "M", "least squared norm within the training error", (0, None))
lower = Quantity("dual bound", "M_-", "certified lower bound", (0, None))
width = Quantity("width", "M_+/M_--1", "relative width of the bracket around the least norm", (0, None))


def prompts(p):
    if p.prompts == "rational":  # a feature of length 3, u = e_1
        if (p.N, p.d, p.n) != (3, 2, 1):
            raise DomainError(f"the rational prompt at N = {p.N}, d = {p.d}, n = {p.n}", required="N = 3, d = 2, n = 1")
        return np.array([[[2, 2], [0, 0], [0, 0]]]) + Fraction(0), [0], np.array([1, 0])
    X = np.rint(64 * p.rng("prompts").standard_normal((p.n, p.N, p.d))).astype(int).astype(object) * Fraction(1, 64)
    return X, p.rng("indices").integers(0, p.N, p.n).tolist(), np.array(orthonormal_basis(p.d, p.rng("link"))[0])


def construct(p) -> LeastReLU:
    X, t, u = prompts(p)
    F = [[*x.flat, *(int(j == k) for j in range(p.N))] for x, k in zip(X, t, strict=True)]
    return least_norm_relu(F, [x[k] @ u for x, k in zip(X, t, strict=True)], epsilon=p.excess)


def surround(best, p):
    lengths, free = [Enclosure(best.gram[i][i]).sqrt() for i in range(p.n)], Enclosure(p.n * p.excess)
    return {M_up: best.upper, short_2: np.array(best.y) @ np.array(solve_rational(best.gram, best.y)),
            f_top: lambda: maximum((abs(y) - free.sqrt()) / f for y, f in zip(best.y, lengths, strict=True))}


def measure(best, p, W=None, bound=None):
    net = best if W is None else replace(best, network=replace(best.network, W=W))
    return {loss: net.loss(), minimum: best.recipe(), lower: bound or best.lower, width: net.relative_width}


def single(best, p):  # the best multiplier against units that are active at one datum
    alone = np.eye(p.n, dtype=int)
    bare = replace(best, dual=propose(best.gram, best.y, best.epsilon, alone, "CLARABEL").dual)
    part = squared_gain(best.gram, bare.dual, alone)
    return measure(best, p, bound=lambda: bare.gain() / Enclosure(part).sqrt())


def astray(best, p):  # agrees at the data
    D = len(best.F[0])
    step = np.eye(D, dtype=int)[0] - np.array(InputSpan.of(best.F, 1, D).projector())[0]
    return measure(best, p, [list(step + w) for w in best.network.W])


claim = Claim(
    "Definition 5, the least norm",
    role="variant", source="derived here: Definition 5",
    scope={"every prompts, N, d, n, excess": "points", "every data set": "points", "every network": "closed form"},
    requires=[n < N * d],
    asserts=[loss <= excess, minimum <= 4 * sqrt(short_2), minimum >= 2 * f_top, lower <= M_up,
             width <= Rational(1, 10**6)],
    grid=points("prompts N d n excess", ("rational", 3, 2, 1, 0), ("rational", 3, 2, 1, "1/4"),
                ("gaussian", 3, 2, 4, 0), ("gaussian", 3, 2, 4, "1/100"), ("gaussian", 4, 2, 6, 0)),
    derive=surround, derived=[M_up, short_2, f_top], construct=construct, measure=measure,
    controls=[
        Control("patterns left out", breaks=lower, where=n >= 3, measure=single),
        Control("n left out of the root", breaks=lower, where=(n >= 2) & (excess > 0),
                measure=lambda best, p: measure(best, p, bound=replace(best, epsilon=best.epsilon / p.n).lower)),
        Control("the factor 2 twice", breaks=lower,
                measure=lambda best, p: measure(best, p, bound=lambda: 2 * best.lower())),
        Control("weights rounded to doubles", breaks=loss, where=(n >= 3) & Eq(excess, 0),
                measure=lambda best, p: measure(best, p, W=[[Fraction(float(v)) for v in w] for w in best.network.W])),
        Control("neurons with a part outside the span", breaks=width, where=n >= 3, measure=astray),
    ],
)
