r"""Training with weight decay leaves the first layer in the span of the training inputs.

Setting    Networks $f(T,Wx)$ on $n$ prompts of dimension $Nd$, a loss $\hat L$, here the squared one, with decay
           $\lambda>0$; $\Pi$ projects on the span of the inputs, $G=\nabla\hat L+\lambda W$.
Statement  A stationary $W$, one with $G=0$, has its rows in the span, as has a $W$ of least norm among those with a
           given bound of the loss; and every $W$ with rows in the span and different $(t^{(i)},Wx^{(i)})$ is stationary
           for some $f$.
Proof      $\nabla\hat L=\frac1n\sum_i\ell'(r_i)\nabla_zf\,x^{(i)\top}$ by the chain rule, so $G=0$ says that the rows
           of $-\lambda W=\nabla\hat L$ are combinations of the inputs ($\mathcal A_{SP}$). $W\Pi$ has the same outputs
           at the inputs and $\|W\|_F^2=\|W\Pi\|_F^2+\|W(I-\Pi)\|_F^2$, so a shorter one than $W$ exists unless $W=W\Pi$
           ($\mathcal A_{ERM}$). Converse: with $W=A^\top X$ an $f$ with residuals other than 0 and gradients
           $-\frac{\lambda n}{\ell'(r_i)}A_i$ at datum $i$.
Witness    The stationary point of a linear read-out; any $W=A^\top X$ with a read-out that has bumps at the data.
Measured   All in rationals: the squared norm outside the span by the projector, $\|G\|_F^2$ by the chain rule. Of a
           random layer what is outside, and what is inside by normal equations, add up to its norm.
Control    A decay that differs between coordinates, as an adaptive preconditioner has; a prompt left out of the span,
           or of the normal equations; a random layer; the read-out without its bumps.
Reads      Definition 8 of the revised text. The normalisation of $\lambda$ is a choice. The converse is derived
           here. Its hypothesis is needed: $W=w(2,4,0)$ takes the inputs $(2,0,0)$ and $(0,1,0)$ both to $4w$; with
           one index and one label the gradient is a multiple of $(2,1,0)$ for every $f$.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import solve_rational
from theorytools.papers.qstr.feedforward.stationary import StationaryMember
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective, LinearReadout

from ..notation import W_2, N, d, n
from ._deep_readout import DeepReadout

outside = Quantity("outside the span", r"\|W(I-\Pi)\|_F^2", "of the first layer, squared", (0, None))
both = Quantity("outside and inside", r"\|W(I-\Pi)\|_F^2+\|W\Pi\|_F^2", "of a random layer", (0, None))
slope = Quantity("gradient", r"\|G\|_F^2", "of the objective, squared", (0, None))


def integers(p, role, *shape):
    return np.array(p.rng(role).integers(-9, 10, shape).tolist(), dtype=object) + Fraction(0)


def construct(p) -> DecayedObjective:
    X = p.rng("prompts").integers(-9, 10, (p.n, p.N, p.d))
    y = integers(p, "labels", p.n)
    return DecayedObjective(X, tuple(int(t) for t in p.rng("indices").integers(0, p.N, p.n)), tuple(y), p.lam,
                            p.axes.get("loss", "squared"))


def readout(p):
    if p.network == "deep":
        return DeepReadout.random(p.rng("read-out"), p.N, p.m_1, 4, 3)
    return LinearReadout(integers(p, "read-out", p.N, p.m_1), relu=p.network == "relu")


def layer(task, p, weights=1):
    f = readout(p)
    if p.network == "bump":
        A = integers(p, "layer", p.n, p.m_1)
        member = StationaryMember(task.X, task.t, task.y, task.lam, f.C, A, Fraction(1, 7))
        return member.W, member.readout
    return task.stationary(f.C, weights), f


def random_layer(p):
    return integers(p, "another random layer", p.m_1, p.N * p.d)


def pieces(task, p, fewer=0):
    """What is outside by the projector, and what is inside by the normal equations of the inputs."""
    W, X = random_layer(p), task.inputs[fewer:]
    seen = X @ W.T
    inside = (seen * np.array(solve_rational(X @ X.T, seen), dtype=object)).sum()
    return {both: task.outside(W) + inside}


def measure(task, p, W=None):
    return {**layers(task, p, W), **pieces(task, p)}


def layers(task, p, W=None):
    own, f = layer(task, p)
    W = own if W is None else W
    return {outside: task.outside(W), slope: (task.gradient(W, f) ** 2).sum()}


def uneven(task, p):
    W, _ = layer(task, p, np.array([2 + j % 3 for j in range(p.N * p.d)], dtype=object))
    return {**measure(task, p), outside: task.outside(W)}


def forget(task, p):
    kept = replace(task, X=task.X[1:], t=task.t[1:], y=task.y[1:])
    return {**measure(task, p), outside: kept.outside(layer(task, p)[0])}


def without_bumps(task, p):
    W, _ = layer(task, p)
    return {**measure(task, p), slope: (task.gradient(W, readout(p)) ** 2).sum()}


def at_random(task, p):
    return measure(task, p, integers(p, "random layer", p.m_1, p.N * p.d))


small = (Fraction(1, 4), Fraction(3, 2))
claim = Claim(
    "Definition 5",
    role="statement", source="published: Definition 5; prose",
    scope={"every network, N, d, n, m_1, lam": "proof", "every stationary first layer": "proof"},
    asserts=[outside.equals(0), slope.equals(0), both.equals(W_2)], requires=[n < N * d],
    derive=lambda task, p: {W_2: (random_layer(p) ** 2).sum()}, derived=[W_2],
    grid=points("network N d n m_1 lam", ("linear", 3, 1, 2, 1, small[0]), ("linear", 4, 3, 5, 4, small[1]),
                ("linear", 6, 2, 8, 3, small[0])),
    construct=construct, measure=measure,
    controls=[
        Control("a decay that differs between coordinates", breaks=outside, where=d >= 2, measure=uneven),
        Control("a prompt left out of the span", breaks=outside, where=d >= 2, measure=forget),
        Control("a random layer", breaks=[outside, slope], measure=at_random),
        Control("a prompt left out of the normal equations", breaks=both, where=n >= 2,
                measure=lambda task, p: {**layers(task, p), **pieces(task, p, fewer=1)}),
    ],
)
every = replace(
    claim, label="Definition 5, layers in the span are stationary for some read-out",
    role="variant", source="derived here: Definition 5",
    scope={"every network, N, d, n, m_1, lam": "points", "every first layer in the span": "points",
           "some read-out": "exhibited"},
    grid=points("network N d n m_1 lam", ("bump", 4, 2, 3, 3, small[0]), ("bump", 4, 3, 6, 5, small[1])),
    controls=[
        Control("a prompt left out of the span", breaks=outside, measure=forget),
        Control("a random layer", breaks=[outside, slope], measure=at_random),
        Control("the read-out without its bumps", breaks=slope, measure=without_bumps),
    ],
)
