r"""Adam and AdamW leave the span of the data, from a start in the span and within ten steps.

Setting    As in Theorem 6, $n<Nd$ Gaussian prompts; the first layer of $\langle c_t,\sigma(Wx)\rangle$, trained in
           doubles on the squared loss with decay $\lambda$ and learning rate $\eta$.
Statement  With the rate and decay of the grid, $m_1\ge16$, $n\ge6$, $\|W(I-\Pi)\|_F\ge\frac1{20}\|W\|_F$ after 10 steps
           of Adam or AdamW.
Adversary  Starts of size $10^{-6}$ in the span.
Measured   The norm outside the span of the floats that come out, in balls: a run in floats, observed.
Control    Gradient descent and heavy-ball momentum from the same start; a long start in the span.
Reads      Derived here: what Theorem 6 asks of training does not hold of the optimiser of the public experiments, nor
           does the theorem speak of it. An observation at these sizes: $\frac1{20}$ is far above rounding, and
           $\frac15$ fails at other sizes. Adam with the decay in its gradient rests only where that gradient is 0, so
           in the span; that AdamW stays outside, after 2560 steps, is seen in theorem_06_trained_layer.
"""

from fractions import Fraction
from math import sqrt

import numpy as np
from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, observed, points
from theorytools.numbers import draws as portable
from theorytools.tasks.sparse_regression import sample
from theorytools.theory.first_layers.certified_span import CertifiedSpan

from ..notation import N, d, lam, m_1, n, rate, updates
from ._rounded_descent import FirstLayerDescent

part = Quantity("part outside the span", r"\|W(I-\Pi)\|_F/\|W\|_F", "of the first layer", (0, 1))


def construct(p) -> FirstLayerDescent:
    X, T = sample(p.rng("prompts"), p.n, p.N, p.d, 1, True)
    t = T[:, 0, 0]
    C = p.rng("read-outs").standard_normal((p.N, p.m_1)) / sqrt(p.m_1)
    return FirstLayerDescent(X, t, X[np.arange(p.n), t, 0], C, p.rate, p.lam)


def inside(task, p, size=1e-6):
    return portable.product(size * p.rng("start").standard_normal((p.m_1, p.n)), task.flat)


def trained(task, p, optimiser=None, size=1e-6):
    W, optimiser = inside(task, p, size), optimiser or p.optimiser
    if optimiser == "descent":
        return task.descend(W, p.updates)[0]
    if optimiser == "momentum":
        return task.momentum(W, p.updates)
    return task.adam(W, p.updates, coupled=optimiser == "adam")


def share(task, p, optimiser=None, size=1e-6):
    W = trained(task, p, optimiser, size)
    whole = sum(Fraction(x) ** 2 for x in W.ravel().tolist())
    return {part: observed(lambda: (CertifiedSpan.of(task.X).outside(W) / whole).sqrt(), "numpy")}


sizes = [n < N * d, d >= 2, m_1 >= 16, n >= 6, Eq(rate, Rational(1, 64)), Eq(lam, Rational(1, 16))]
claim = Claim(
    "Theorem 6, Adam leaves the span",
    role="necessity", source="derived here: Theorem 6",
    scope={"every size optimiser, N, d, n, m_1, rate, lam, updates": "points", "every start": "drawn"},
    asserts=part >= Rational(1, 20), requires=[*sizes, Eq(updates, 10)],
    grid=points("optimiser N d n m_1 rate lam updates",
                ("adamw", 5, 2, 6, 16, "1/64", "1/16", 10), ("adamw", 4, 3, 7, 16, "1/64", "1/16", 10),
                ("adam", 5, 2, 6, 16, "1/64", "1/16", 10), ("adam", 4, 3, 7, 16, "1/64", "1/16", 10),
                ("adamw", 10, 2, 6, 16, "1/64", "1/16", 10), ("adam", 8, 3, 12, 32, "1/64", "1/16", 10)),
    construct=construct, measure=share,
    controls=[
        Control("heavy-ball momentum", breaks=part, measure=lambda task, p: share(task, p, "momentum")),
        Control("gradient descent", breaks=part, measure=lambda task, p: share(task, p, "descent")),
        Control("a start beside which ten steps are short", breaks=part,
                measure=lambda task, p: share(task, p, size=1.0)),
    ],
)
