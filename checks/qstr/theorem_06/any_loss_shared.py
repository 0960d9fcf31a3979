r"""Networks trained with four losses that come within a tenth of $1-n/(Nd)$: all tokens share one read-out.

Setting    Simple 1STR, $n<Nd$ Gaussian prompts in steps of $1/64$, $n\ge\frac34Nd$; the network
           $f(t,z)=\langle v,P_t^\top Bz\rangle$, $z=Wx$, with $B$ the right inverse of the start $W_0=X$: it knows the
           training inputs, not the labels. 400 steps on $v$, with rates $\frac1{2+k/16}$, and on $W$, with rate
           $\frac1{1024}$ and decay $\frac1{64}$; absolute, Huber, quantile ($\tau=\frac34$) or logistic loss.
Statement  The rows of $W$ stay in the span; averaged over the links of a basis, each trained for,
           $1-\frac n{Nd}\le R\le\frac{11}{10}(1-\frac n{Nd})$.
Adversary  Trained networks.
Measured   $W=AX$ for the doubles $A$ that descent from $W_0=X$ makes, so that the span is kept exactly;
           $R=\frac1N\sum_t\|P_tu-W^\top B^\top P_tv\|^2$ of these numbers, in rationals.
Control    A read-out $v_t$ for each index; no training; one prompt more in the bound; a row outside the span.
Reads      Derived here. Written down, with all its numbers, before any such network was trained. Sharing tells the
           network that all indices have one link: without it training stays far above the bound.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, points
from theorytools.numbers import draws as portable
from theorytools.numbers import solve_rational
from theorytools.tasks.sparse_regression import sample
from theorytools.theory.first_layers.exact_span import InputSpan, orthonormal_basis

from ..definition_05.definition_05 import outside
from ..notation import N, d, n
from ._losses import TrainingLoss
from .any_loss import linear_risk, mean_risk

STEPS, RATE, DECAY = 400, 1 / 1024, 1 / 64


@dataclass(frozen=True, eq=False)
class Shared:
    """The training inputs, the right inverse of the start, and for every link what training makes of A and v."""

    X: Any = field(repr=False)
    B: Any = field(repr=False)
    trained: Any = field(repr=False)  # of (u, A, v), v of shape (N, d)


def construct(p, steps=STEPS, shared=True) -> Shared:
    X, T = sample(p.rng("prompts"), p.n, p.N, p.d, 1, True)
    X, t = np.rint(64 * X).astype(int).reshape(p.n, -1), T[:, 0, 0]
    rows = X.astype(object) * Fraction(1, 64)
    B = np.array(solve_rational(rows @ rows.T, rows), dtype=object).T  # (N d, n)
    found = [(u, *descend(p, rows.astype(float), B.astype(float), t, u, steps, shared))
             for u in orthonormal_basis(p.d, p.rng("links"))]
    return Shared(rows, B, found)


def descend(p, X, B, t, u, steps, shared):
    loss, A, v, times = TrainingLoss(p.loss), np.eye(p.n), np.zeros((p.N, p.d)), portable.product
    blocks, gram = B.reshape(p.N, p.d, p.n)[t], times(X, X.T)  # B_t of every datum: (n, d, n)
    y = times(X.reshape(p.n, p.N, p.d)[np.arange(p.n), t], np.array(u, dtype=float)[:, None])[:, 0]
    chosen = np.eye(p.N)[t]
    for k in range(steps):
        z = times(gram, A.T)  # W x of every datum
        seen = times(blocks, z[:, :, None])[:, :, 0]
        r = times(seen[:, None, :], v[t][:, :, None])[:, 0, 0] - y
        s = loss.rounded_slopes(r)[:, None] / p.n
        back = times(v[t][:, None, :], blocks)[:, 0, :]  # the gradient in z
        slope = times(chosen.T, s * seen)
        v = v - (np.ones((p.N, 1)) * slope.sum(axis=0) if shared else slope) / (2 + k / 16)
        A = (1 - RATE * DECAY) * A - RATE * (s * back).T
    return A, v


def exactly(values):
    return np.vectorize(Fraction, otypes=[object])(values)


def measure(net, p, off=0):
    complement = np.eye(p.N * p.d, dtype=int) - np.array(InputSpan.of(net.X, p.N, p.d).projector(), dtype=object)
    left, risks = Fraction(0), Fraction(0)
    for u, A, v in net.trained:
        W = exactly(A) @ net.X
        W[0] = W[0] + off * complement[np.argmax(np.diag(complement))]
        read = exactly(v)[:, None, :] @ net.B.reshape(p.N, p.d, p.n)  # (N, 1, n)
        left, risks = left + (W @ complement * W).sum(), risks + linear_risk(W, read[:, 0, :], u, p.d)
    return {outside: left, mean_risk: risks / p.d}


floor = 1 - n / (N * d)
near = mean_risk <= Rational(11, 10) * floor
claim = Claim(
    "Theorem 6, any loss, approached by training",
    role="prediction", source="derived here: Theorem 6",
    scope={"every training loss": "points", "every data set": "drawn", "every trained network": "drawn",
           "every link of a basis": "enumeration"},
    asserts=[outside.equals(0), mean_risk >= floor, near],
    requires=[n < N * d, n >= 3 * N * d / 4], listed=["loss", N, d, n],
    grid=points("loss N d n", *[(loss, *size) for loss in ("absolute", "huber", "quantile", "logistic")
                for size in ((12, 1, 10), (8, 2, 14), (6, 3, 14))]),
    construct=construct, measure=measure,
    controls=[
        Control("a read-out for each index", breaks=near, construct=lambda p: construct(p, shared=False)),
        Control("no training", breaks=near, construct=lambda p: construct(p, steps=0)),
        Control("one prompt more in the bound", breaks=mean_risk,
                asserts=[mean_risk <= Rational(11, 10) * (floor - 1 / (N * d))]),
        Control("a row outside the span", breaks=outside, asserts=[outside.equals(0)],
                measure=lambda net, p: measure(net, p, off=1)),
    ],
)
