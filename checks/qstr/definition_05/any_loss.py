r"""First layers of least norm for other losses: the same without error, each loss its own where error is allowed.

Setting    Networks $\langle c_t,Wx\rangle$ on $n<Nd$ prompts of simple 1STR; $\ell$ absolute, Huber, quantile or
           squared as in theorem_06_any_loss; $M(\varepsilon)$ is the least $\|W\|_F^2$ with mean loss at most
           $\varepsilon$, as $A_{\mathrm{ERM}}$ of Definition 5 asks; $K$ is the Gram matrix of $c_{t_i}x^{(i)\top}$,
           taken to have an inverse.
Statement  The minimiser at decay $\lambda$ has the least norm at $\varepsilon$, its own training loss, and lies in the
           span. For all losses $M(0)=y^\top K^{-1}y$; the absolute and the quantile loss have this very layer for all
           $\lambda\le\lambda_0$, the largest with $-\lambda nK^{-1}y$ in the box of slopes.
Witness    The exact minimisers.
Measured   In rationals: $\|W\|_F^2$ less the dual bound
           $\frac2\lambda\min_W(\frac1n\sum_is_i(f-y_i)-\ell^*(s_i)-\varepsilon+\frac\lambda2\|W\|_F^2)$ of
           $M(\varepsilon)$ with the multipliers $s$; the mean loss; the part outside the span.
Control    A part outside the span, which leaves the loss and adds to the norm; the layer of another loss; half of
           the multipliers; a decay of $2\lambda_0$; a layer of the other sign.
Reads      Derived here: Definition 5 names no loss. $\ell^*(s)=\frac\kappa2s^2$ on the box of slopes, $\kappa=1$ for
           the squared and the Huber loss, 0 for the others.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import solve_rational
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective
from theorytools.theory.first_layers.exact_span import orthonormal_basis

from ..notation import M_0, N, d, lam, lam_top, n
from ..theorem_06._losses import TrainingLoss
from .definition_05 import integers, outside

gap = Quantity("duality gap", r"\|W\|_F^2-M_-", "of the layer from the dual bound", (0, None))
norm = Quantity("squared norm", r"\|W\|_F^2", "of the first layer", (0, None))
loss = Quantity("training loss", r"\hat L", "mean of the loss on the training prompts", (0, None))


def construct(p) -> DecayedObjective:
    X, t = p.rng("prompts").integers(-5, 6, (p.n, p.N, p.d)), p.rng("indices").integers(0, p.N, p.n).tolist()
    u = np.array(orthonormal_basis(p.d, p.rng("link"))[0], dtype=object)
    return DecayedObjective(X, tuple(t), tuple(X[i, k] @ u + Fraction(0) for i, k in enumerate(t)), p.lam)


def readout(p):  # no entry is 0
    C = integers(p, "read-out", p.N, p.N + 1)
    return C + (C == 0)


def measure(task, p, other=None, off=0, share=1, decay=None, sign=1):
    task, C, own = replace(task, lam=decay or task.lam), readout(p), TrainingLoss(p.loss)
    W, s = own.minimiser(task, C)
    if other:
        W, _ = TrainingLoss(other).minimiser(task, C)
    W, s = sign * W, [share * Fraction(a) for a in s]
    W[0] = W[0] + off * task.complement[np.argmax(np.diag(task.complement))]
    chosen, size = C[list(task.t)], (W * W).sum()
    residuals = [c @ W @ x - y for c, x, y in zip(chosen, task.inputs, task.y, strict=True)]
    mean = sum(own.value(r) for r in residuals) / task.n
    G = (np.array(s, dtype=object)[:, None] * chosen).T @ task.inputs / Fraction(task.n)
    pairing = sum(a * y + Fraction(own.piecewise[2], 2) * a * a for a, y in zip(s, task.y, strict=True)) / task.n
    dual = Fraction(-2) / task.lam * (pairing + mean + (G * G).sum() / (2 * task.lam))
    return {gap: size - dual, outside: task.outside(W), norm: size, loss: mean}


def interpolation(task, p):
    chosen = readout(p)[list(task.t)]
    K = (chosen @ chosen.T) * (task.inputs @ task.inputs.T)
    s = np.array(solve_rational(K, np.array(task.y, dtype=object)[:, None]), dtype=object)[:, 0]
    return s, s @ np.array(task.y, dtype=object)


def largest(task, p):  # -lam n K^-1 y in the box
    low, high, _ = TrainingLoss(p.loss).piecewise
    if low is None or TrainingLoss(p.loss).piecewise[2]:
        return Fraction(0)
    ends = [(high if a < 0 else low) / (-task.n * a) for a in interpolation(task, p)[0] if a]
    return min(ends, default=Fraction(10**9))


def derive(task, p):
    return {M_0: interpolation(task, p)[1], lam_top: largest(task, p)}


def another(task, p):
    return measure(task, p, other="absolute" if p.loss in ("huber", "squared") else "huber")


sizes = ((2, 2, 3, "1/1000"), (4, 2, 7, 500), (3, 3, 5, 4), (8, 1, 6, 2000), (1, 9, 8, 100))
claim = Claim(
    "Definition 5, least norms for other losses",
    role="variant", source="derived here: Definition 5",
    scope={"every N, d, n, lam": "points", "every training loss": "points", "every data set": "points",
           "every first layer": "closed form"},
    asserts=[gap.equals(0), outside.equals(0), norm <= M_0], requires=[n < N * d], derived=[M_0],
    grid=points("loss N d n lam",
                *[(name, *size) for name in ("absolute", "huber", "quantile", "squared") for size in sizes]),
    derive=lambda task, p: {M_0: interpolation(task, p)[1]}, construct=construct, measure=measure,
    controls=[
        Control("a part outside the span", breaks=[gap, outside], asserts=[gap.equals(0), outside.equals(0)],
                measure=lambda task, p: measure(task, p, off=1)),
        Control("the layer of another loss", breaks=gap, where=lam <= 4, asserts=[gap.equals(0)], measure=another),
        Control("half of the multipliers", breaks=gap, asserts=[gap.equals(0)],
                measure=lambda task, p: measure(task, p, share=Fraction(1, 2))),
    ],
)
zero = replace(
    claim, label="Definition 5, the least norm without error is the same for other losses",
    role="variant", source="derived here: Definition 5",
    scope={"every N, d, n": "points", "every training loss": "points", "every data set": "points",
           "every decay lam up to the largest": "points"},
    asserts=[loss.equals(0), norm.equals(M_0), outside.equals(0)], requires=[n < N * d, lam <= lam_top],
    grid=points("loss N d n lam", *[(name, *size) for name in ("absolute", "quantile")
                for size in ((2, 2, 3, 1), (4, 2, 7, 20), (8, 1, 6, "1e-3"), (1, 9, 8, "1/4"))]),
    derived=[M_0, lam_top], derive=derive,
    controls=[
        Control("twice the largest decay", breaks=loss, asserts=[loss.equals(0)],
                measure=lambda task, p: measure(task, p, decay=2 * largest(task, p))),
        Control("the squared loss", breaks=[loss, norm], measure=lambda task, p: measure(task, p, other="squared")),
        Control("a layer of the other sign", breaks=loss, measure=lambda task, p: measure(task, p, sign=-1)),
    ],
)
