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
           network that all indices have one link: without it training stays far above the bound. $W$ is trained slowly
           and no end of training is asserted: with decay alone it would go on to shrink.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, points
from theorytools.claims.language.grid import Point
from theorytools.numbers import draws as portable
from theorytools.numbers import rational_product, solve_rational
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
    return training(p.id, tuple(p.axes.items()), steps, shared)


@lru_cache(maxsize=64)  # the controls look at the same networks
def training(check, axes, steps, shared):
    p = Point(check, dict(axes), {})
    X, T = sample(p.rng("prompts"), p.n, p.N, p.d, 1, True)
    X, t = np.rint(64 * X).astype(int).reshape(p.n, -1), T[:, 0, 0]
    rows = X.astype(object) * Fraction(1, 64)
    B = np.array(solve_rational(rows @ rows.T, rows), dtype=object).T  # (N d, n)
    u = orthonormal_basis(p.d, p.rng("links"))
    A, v = descend(p, rows.astype(float), B.astype(float), t, u, steps, shared)
    return Shared(rows, B, list(zip(u, A, v, strict=True)))


def descend(p, X, B, t, u, steps, shared):  # for all links at once, each by itself
    loss, links, times = TrainingLoss(p.loss), np.array(u, dtype=float), portable.product
    A, v = np.tile(np.eye(p.n), (p.d, 1, 1)), np.zeros((p.d, p.N, p.d))
    blocks, gram = B.reshape(p.N, p.d, p.n)[t], times(X, X.T)  # B_t of every datum: (n, d, n)
    y = times(X.reshape(p.n, p.N, p.d)[np.arange(p.n), t], links.T).T
    chosen = np.eye(p.N)[t]
    for k in range(steps):
        z = times(gram, A.transpose(0, 2, 1))  # W x of every datum, (d, n, n)
        seen = times(blocks, z[..., None])[..., 0]
        r = times(seen[:, :, None, :], v[:, t][..., None])[..., 0, 0] - y
        s = loss.rounded_slopes(r)[..., None] / p.n
        back = times(v[:, t][:, :, None, :], blocks)[:, :, 0, :]  # the gradient in z
        slope = times(chosen.T, s * seen)
        v = v - (np.cumsum(slope, axis=1)[:, -1:] if shared else slope) / (2 + k / 16)
        A = (1 - RATE * DECAY) * A - RATE * (s * back).transpose(0, 2, 1)
    return A, v


def exactly(values):
    return np.vectorize(Fraction, otypes=[object])(values)


def measure(net, p, off=0):
    complement = np.eye(p.N * p.d, dtype=int) - np.array(InputSpan.of(net.X, p.N, p.d).projector(), dtype=object)
    left, risks = Fraction(0), Fraction(0)
    for u, A, v in net.trained:
        W = rational_product(exactly(A), net.X)
        W[0] = W[0] + off * complement[np.argmax(np.diag(complement))]
        blocks = net.B.reshape(p.N, p.d, p.n)
        C = np.array([rational_product(exactly(row), block) for row, block in zip(v, blocks, strict=True)])
        left, risks = left + (rational_product(W, complement) * W).sum(), risks + linear_risk(W, C, u, p.d)
    return {outside: left, mean_risk: risks / p.d}


floor = 1 - n / (N * d)
near = mean_risk <= Rational(11, 10) * floor
claim = Claim(
    "Theorem 6, any loss, approached by training",
    role="found", source="derived here: Theorem 6",
    scope={"every N, d, n": "points", "every training loss": "points", "every data set": "drawn",
           "every trained network": "drawn", "every link of a basis": "enumeration"},
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
