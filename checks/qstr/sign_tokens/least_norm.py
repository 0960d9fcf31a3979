r"""Where its layer tells the sign prompts apart, a network of least norm through the data errs by next to nothing.

Setting    As in sign_tokens at $d=1$; Definition 5's $\mathcal A_{ERM}$: $\|W\|_F$ is least among the $W$ with training
           loss 0 behind $f$. $w_t$ is the shortest vector with $\langle w_t,x^{(i)}\rangle=y_i$ for the prompts of
           index $t$, $W_*$ has these rows. $f(t,z)=z_t$, but for the values $z=W_*x$ at which $z_t\ne
           m_t(z)=E(x_t|W_*x=z)$: there it is $m_t(z)+\rho$, $\rho=1/K$ with the first prime $K>2^N$; at the data it is
           $z_{t_i}$, and at an index that was not asked $m_t(z)$.
Statement  $W_*$ is the only layer of least norm through the data, its rows lie in the span, and the risk is between
           $R(W_*)$, the least behind $W_*$, and $R(W_*)+\rho^2+4P$, $P$ the chance to ask a datum that looks like
           another prompt. Where $W_*$ tells all prompts apart, as six rows with different indices do for eight signs,
           it is at most $\rho^2$, and larger primes make it smaller: the infimum of the risk over $\mathcal A_{ERM}$ is
           0, with $n<N$.
Proof      $m_t(z)$ has a denominator of at most $2^N$, so $m_t(z)+\rho\ne\pm1$: $f(t,z)=y=\pm1$ only if $z_t=y$. Every
           $W$ with training loss 0 has therefore $\langle w_{t_i},x^{(i)}\rangle=y_i$; of these the rows $w_t$ are the
           shortest, each in the span of its prompts, and $W_*$ itself has loss 0. Given $W_*x$ the error is $x_t-m_t$
           and at most $\rho$, but for the data, where it is at most 2.
Witness    The network on drawn indices, and on different ones.
Measured   In rationals: training loss, part outside the span, $\|W_*\|_F^2$ less $\sum_ty^\top G_t^{-1}y$; values at
           which $f=\pm1$ without $z_t$ being so; the risk by running the network on all prompts and indices.
Control    The inputs themselves for $W_*$; labels with the wrong sign; heights of another index; $\rho=0$.
Reads      Derived here. The rows of $W_*$ are as many as there are different indices among the data. $f$ is any
           function, and this one jumps.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from sympy import nextprime

from theorytools import Claim, Control, DomainError, Quantity, points
from theorytools.numbers import first_independent, over_one, solve_rational
from theorytools.papers.qstr.first_layers.sign_tokens import SignPrompts
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective

from ..definition_05.definition_05 import outside
from ..notation import N, bayes, height, hit
from .learner import WEIGHINGS, risk

loss = Quantity("training loss", r"\hat L", "mean squared error on the training prompts", (0, None))
gap = Quantity("norm above the least", r"\|W\|_F^2-\sum_ty^\top G_t^{-1}y", "the dual value of the rows")
false = Quantity("false labels", r"\#\{f(t,z)=\pm1\ne z_t\}", "values at which the loss is 0 otherwise", (0, None))


@dataclass(frozen=True, eq=False)
class LeastNormNetwork:
    """The data, a layer W with one row for each index (0 where none was asked), and rho."""

    X: Any = field(repr=False)
    t: tuple[int, ...]
    y: tuple[int, ...]
    W: Any = field(repr=False)
    rho: Fraction

    @cached_property
    def values(self):
        """The prompts of every value of W x."""
        found = {}
        for x in product((-1, 1), repeat=self.X.shape[1]):
            found.setdefault(self.value(x), []).append(x)
        return found

    def value(self, x):
        """W x."""
        return tuple(self.W @ np.array(x, dtype=object))

    @cached_property
    def data(self):
        """Indices and values that were trained on."""
        return {(t, self.value(x)) for t, x in zip(self.t, self.X.tolist(), strict=True)}

    @cached_property
    def means(self):
        """The mean of x given W x, by the values of W x."""
        return {z: [Fraction(sum(column), len(xs)) for column in zip(*xs, strict=True)]
                for z, xs in self.values.items()}

    def __call__(self, t, z):
        """The prediction at a value of W x."""
        mean = self.means[z][t]
        if t not in self.t:
            return mean
        return z[t] if z[t] == mean or (t, z) in self.data else mean + self.rho


def indices(p):
    if p.indices == "different" and p.n > p.N:
        raise DomainError(f"n = {p.n} different indices", required=f"n <= N = {p.N}")
    return list(range(p.n)) if p.indices == "different" else p.rng("indices").integers(0, p.N, p.n).tolist()


def groups(X, t):
    """Independent prompts of every index that was asked; what depends on them has the label that they give."""
    for k in sorted(set(t)):
        own = [i for i, s in enumerate(t) if s == k]
        yield k, [own[i] for i in first_independent(X[own].tolist())]


def construct(p, plain=False, sign=1, flat=False) -> LeastNormNetwork:
    X = np.array(WEIGHINGS) if p.n == 6 and p.N == 8 else p.rng("prompts").choice([-1, 1], (p.n, p.N))
    t = indices(p)
    y = [int(X[i, k]) for i, k in enumerate(t)]
    W = np.zeros((p.N, p.N), dtype=object) + Fraction(0)
    for k, own in groups(X, t):
        rows = X[own].astype(object)
        W[k] = rows.T @ np.array(solve_rational(rows @ rows.T, [sign * y[i] for i in own]), dtype=object)
        if plain:
            W[k] = y[own[0]] * rows[0] + Fraction(0)
    return LeastNormNetwork(X, tuple(t), tuple(y), W, Fraction(0 if flat else 1, int(nextprime(2**p.N))))


def measure(net, p, shift=0):
    task = DecayedObjective(net.X[:, :, None], net.t, tuple(map(Fraction, net.y)), Fraction(1))
    errors = [net(t, net.value(x)) - v for t, x, v in zip(net.t, net.X.tolist(), net.y, strict=True)]
    dual = Fraction(0)
    for _, own in groups(net.X, net.t):
        rows, labels = net.X[own].astype(object), [net.y[i] for i in own]
        dual += np.array(labels, dtype=object) @ np.array(solve_rational(rows @ rows.T, labels), dtype=object)
    wrong = sum((x[t] - net((t + shift) % p.N, z)) ** 2 for z, xs in net.values.items() for x in xs for t in range(p.N))
    return {loss: sum(e * e for e in errors) / Fraction(p.n), outside: task.outside(net.W),
            gap: (net.W * net.W).sum() - dual, risk: Fraction(wrong) / (p.N * 2**p.N),
            false: sum(net(t, z) in (-1, 1) and net(t, z) != z[t] for z in net.values for t in set(net.t))}


def derive(net, p):
    alike = sum(len(net.values[z]) for _, z in net.data if len(net.values[z]) > 1)
    return {bayes: SignPrompts.of(over_one(net.W)[0].astype(np.int64)).risk, hit: Fraction(alike, p.N * 2**p.N),
            height: net.rho}


through = [loss.equals(0), outside.equals(0), gap.equals(0), false.equals(0)]
claim = Claim(
    "Sign tokens, least norm through the data",
    role="sharpness", source="derived here: Theorem 6",
    scope={"every indices, N, n": "points", "every data set": "points", "some network": "exhibited",
           "every prompt": "enumeration"},
    asserts=[*through, risk >= bayes, risk <= bayes + height**2 + 4 * hit],
    grid=points("indices N n", ("different", 8, 6), ("different", 4, 2), ("drawn", 6, 5), ("drawn", 7, 7)),
    construct=construct, measure=measure, derive=derive, derived=[bayes, hit, height],
    controls=[
        Control("inputs themselves for the layer", breaks=gap, asserts=[gap.equals(0)],
                construct=lambda p: construct(p, plain=True)),
        Control("labels with the wrong sign", breaks=loss, asserts=[loss.equals(0)],
                construct=lambda p: construct(p, sign=-1)),
        Control("no height", breaks=false, where=N >= 6, asserts=[false.equals(0)],
                construct=lambda p: construct(p, flat=True)),
        Control("heights of another index", breaks=risk, asserts=[risk <= bayes + height**2 + 4 * hit],
                measure=lambda net, p: measure(net, p, shift=1)),
    ],
)
