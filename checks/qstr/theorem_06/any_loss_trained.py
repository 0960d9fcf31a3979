r"""Deep networks trained with decay on losses that are not squared forget what is outside the span of their prompts.

Setting    Simple 1STR, $u$ fixed, $n<Nd$ Gaussian prompts in steps of $1/64$; three hidden ReLU layers of width $m_1$
           after $z=Wx$, the index added as a trained vector; full-batch descent with decay $\lambda$ on $W$ and the
           absolute, Huber, quantile ($\tau=\frac34$) or logistic loss; the deeper layers trained too, or fixed.
Statement  $\|W_k(I-\Pi)\|_F=(1-\eta\lambda)^k\|W_0(I-\Pi)\|_F$ for every loss and all layers, and with the Lipschitz
           constant $L_f$ of the trained $f$: $\sqrt R\ge\sqrt{D(u)}-L_f\|W_k(I-\Pi)\|_F$, $D(u)$ as in theorem_06.
Proof      The gradient in $W$ is $\sum_ig_ix^{(i)\top}$, so a step multiplies $W(I-\Pi)$ by $1-\eta\lambda$. $f(t,W\Pi
           x)$ has risk at least $D(u)$ (theorem_06), and differs from $f(t,Wx)$ by at most $L_f\|W(I-\Pi)x\|$, of mean
           square $L_f^2\|W(I-\Pi)\|_F^2$; Minkowski. Clipping does not raise $L_f$.
Adversary  Trained networks: starts in the span, where $R\ge D(u)$, and starts with a small part outside it.
Measured   $W_k$ and its part outside the span exactly: the steps are dyadic, whatever gradient in $z$ doubles proposed.
           $R$ of the network clipped to $[-2,2]$ on fresh prompts, its tail from the label's moments.
Control    No decay; signs of the gradient, the first step of Adam; one step more; a feature for each index that reads
           $\langle(I-\Pi)P_tu,x\rangle$, the part of the label outside the span.
Reads      The multipliers of the inputs are rounded, so the descent is inexact; the span does not depend on them. The
           second claim: at $n\ge\frac78Nd$ trained networks of this size stay above $\frac12$, so far from the bound,
           which is $\frac18$ there or less.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from sympy import Eq, Max, Rational, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.grid import Point
from theorytools.numbers import Enclosure, over_one
from theorytools.statistics.sampled import truncated_mean, truncation_excess
from theorytools.tasks.sparse_regression import sample
from theorytools.theory.first_layers.exact_span import InputSpan, orthonormal_basis

from ..definition_05.definition_05 import outside
from ..notation import N, bayes, d, lam, lip, m_1, n, off, out_0, outer, rate, updates
from ._deep_training import DeepDescent, DeepNetwork, random_network
from ._losses import TrainingLoss

risk = Quantity("risk", "R", "of the clipped network on fresh prompts", (0, None))


@dataclass(frozen=True, eq=False)
class Trained:
    """A training set, its start and the network that came out."""

    task: DeepDescent = field(repr=False)
    span: InputSpan = field(repr=False)
    u: Any = field(repr=False)
    start: DeepNetwork = field(repr=False)
    net: DeepNetwork = field(repr=False)


def construct(p, **spoiled) -> Trained:
    return training(p.id, tuple(p.axes.items()), **spoiled)


@lru_cache(maxsize=64)  # the controls look at the same networks
def training(check, axes, **spoiled):
    p = Point(check, dict(axes), {})
    X, T = sample(p.rng("prompts"), p.n, p.N, p.d, 1, True)
    X, t, u = np.rint(64 * X).astype(int), T[:, 0, 0], orthonormal_basis(p.d, p.rng("links"))[0]
    y = X[np.arange(p.n), t] @ np.array(u, dtype=float) / 64
    task = DeepDescent(X.reshape(p.n, -1), t, y, TrainingLoss(p.loss), p.rate, p.lam, p.layers == "all")
    start = random_network(p.rng("start"), task.X, p.N, p.m_1, p.outer)
    return Trained(task, InputSpan.of(X, p.N, p.d), u, start, task.descend(start, p.updates, **spoiled))


def beyond(span, net):  # the squared norm of W (I - Pi): all but two divisions in integers
    p = span.N * span.d
    complement, scale = over_one(np.eye(p, dtype=int).astype(object) - np.array(span.projector(), dtype=object))
    return Fraction((net.V @ complement * net.V).sum(), scale * 4**net.e)


def errors(one, p, told=False):
    u = np.array(one.u, dtype=float)
    rest = np.kron(np.eye(p.N), u) @ (np.eye(p.N * p.d) - np.array(one.span.projector(), dtype=float))

    def draw(rng, size):
        x, t = rng.standard_normal((size, p.N, p.d)), rng.integers(0, p.N, size)
        flat = x.reshape(size, -1)
        error = x[np.arange(size), t] @ u - one.net.predictions(flat, t)
        return (error - told * (flat * rest[t]).sum(axis=1)) ** 2  # told: <(I - Pi) P_t u, x>

    return draw


def squared(one, p, told=False):
    # the error is a Gaussian of variance at most 1 and at most 2 more: E Z^8 <= 2^15 (E g^16 + 2^16), E g^16 = 15!!
    hidden = truncation_excess(2**15 * (2027025 + 2**16), 8, 36)
    return {risk: truncated_mean(errors(one, p, told), p.seed("fresh prompts"), tau=36, excess=hidden)}


def measure(one, p, told=False):
    return {outside: beyond(one.span, one.net), **squared(one, p, told)}


def derive(one, p):
    end = (1 - p.rate * p.lam) ** (2 * p.updates) * beyond(one.span, one.start)
    return {bayes: one.span.bayes_loss(one.u), lip: one.net.lipschitz, off: lambda: Enclosure(end).sqrt(),
            out_0: beyond(one.span, one.start)}


forgotten = outside.equals((1 - rate * lam) ** (2 * updates) * out_0)
claim = Claim(
    "Theorem 6, any loss, trained deep networks",
    role="statement", source="published: Theorem 6; prose",
    scope={"every layers, N, d, n, m_1, outer, rate, lam, updates": "proof", "every training loss": "proof",
           "every data set": "proof", "every trained network": "proof", "every prompt": "drawn"},
    asserts=[forgotten, risk >= Max(0, sqrt(bayes) - lip * off) ** 2],
    requires=[n < N * d], derive=derive, derived=[bayes, lip, off, out_0],
    grid=points("loss layers N d n m_1 outer rate lam updates",
                ("absolute", "all", 4, 3, 2, 16, 0, "1/8", "1/64", 96),
                ("huber", "all", 4, 3, 11, 16, 0, "1/8", "1/64", 96),
                ("quantile", "all", 8, 2, 4, 16, 0, "1/8", "1/64", 96),
                ("logistic", "all", 3, 2, 5, 8, 0, "1/8", "1/64", 96),
                ("absolute", "first", 4, 2, 7, 8, "1/64", "1/8", "1/2", 64),
                ("huber", "all", 4, 3, 3, 8, "1/64", "1/8", "1/2", 64),
                ("quantile", "all", 6, 1, 5, 8, "1/64", "1/8", "1/4", 128),
                ("logistic", "first", 4, 3, 3, 8, "1/64", "1/8", "1/2", 64)),
    construct=construct, measure=measure,
    controls=[
        Control("no decay", breaks=outside, where=outer > 0, asserts=[forgotten],
                construct=lambda p: construct(p, decay=False)),
        Control("signs of the gradient", breaks=outside, where=d >= 2, asserts=[forgotten],
                construct=lambda p: construct(p, signs=True)),
        Control("one step more", breaks=outside, where=outer > 0,
                asserts=[outside.equals((1 - rate * lam) ** (2 * updates + 2) * out_0)]),
        Control("a feature outside the span", breaks=risk, where=Eq(outer, 0) & (n <= N * d / 4), share=Fraction(1, 2),
                measure=lambda one, p: measure(one, p, told=True)),
    ],
)
far = replace(
    claim, label="Theorem 6, any loss: trained deep networks stay far from the bound",
    statement=r"At three sizes with $n\ge\frac78Nd$ and four losses, networks of three hidden layers of width 16 have "
    r"$R\ge\frac12$ after 96 steps, where the bound is $\frac18$ or less.",
    role="found", source="derived here: Theorem 6",
    scope={"every layers, N, d, n, m_1, outer, rate, lam, updates": "points", "every training loss": "points",
           "every trained network": "drawn", "every prompt": "drawn"},
    measure=squared, derive=None, derived=[],
    listed=["loss", "layers", N, d, n, m_1, outer, rate, lam, updates],
    asserts=[risk >= Rational(1, 2)], requires=[n < N * d, n >= 7 * N * d / 8],
    grid=points("loss layers N d n m_1 outer rate lam updates",
                *[(loss, "all", *size, 16, 0, "1/8", "1/64", 96) for size in ((4, 2, 7), (6, 2, 11), (8, 3, 21))
                  for loss in ("absolute", "huber", "quantile", "logistic")]),
    controls=[Control("a read-out of the link", breaks=risk,
                      measure=lambda one, p: {risk: InputSpan.of(one.task.X, p.N, p.d).bayes_loss(one.u)})],
)
