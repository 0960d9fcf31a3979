r"""Deep networks trained with any loss from zero know no more of the label than the span of their data lets them.

Setting    As in Theorem 6; training minimises $\frac1n\sum_i\ell(f(t_i,Wx_i)-y_i)+\frac\lambda2\|W\|_F^2$ over $W$ and
           over a ReLU network $f$ of $L$ layers behind it, by descent from $W=0$. Losses: squared, absolute, Huber, of
           the quantile $\frac34$, and $|r|-\log(1+|r|)$. The risk is the squared one.
Statement  After any number of steps $W(I-\Pi)=0$, and every function of $(t,Wx)$, the trained one among them, has
           squared risk at least $D_W(u)$, of which the mean over a basis of links is
           $1-\operatorname{rank}(W)/(Nd)\ge1-n/(Nd)$.
Witness    Training in rationals; $f$ is rounded after each step, which the theorem allows, $W$ is not.
Measured   The squared norm outside the span by the projector; the mean over links of the variance of $y$ given $Wx$
           and $t$, by Gaussian conditioning; at $L=2$ they meet the bound, as $W$ spans all prompts.
Control    A start outside the span without decay; signs of the gradient; a prompt fewer in the bound.
Reads      Theorem 6 is stated for stationary points and least-norm minimisers (definition_05); descent from 0 shares
           the one property that its proof uses. Between these losses only the path to the span differs.
"""

from fractions import Fraction

import numpy as np
from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.tasks.sparse_regression import SLOPES
from theorytools.theory.first_layers.exact_span import InputSpan, orthonormal_basis
from theorytools.theory.first_layers.stationary import DecayedObjective

from ..definition_05._deep_readout import DeepReadout
from ..definition_05.definition_05 import integers, outside
from ..notation import N, d, depth, m_1, n

unknown = Quantity("unknown variance", r"\frac1d\sum_kE\operatorname{Var}(y_k\mid Wx,t)", "mean over a basis of links",
                   (0, 1))


def links(p):
    return orthonormal_basis(p.d, p.rng("links"))


def construct(p, start=0, signs=False, decay=True, link=0):
    X, t = p.rng("prompts").integers(-3, 4, (p.n, p.N, p.d)), p.rng("indices").integers(0, p.N, p.n).tolist()
    y = [Fraction(x[i] @ np.array(links(p)[link], dtype=object)) for x, i in zip(X.astype(object), t, strict=True)]
    task = DecayedObjective(X, t, y, Fraction(1, 10), p.loss)
    f, rate = DeepReadout.random(p.rng("network"), p.N, p.m_1, 4, p.depth), Fraction(1, 16)
    W = start * integers(p, "start", p.m_1, p.N * p.d) + Fraction(0)
    for _ in range(p.updates):
        f, W = f.step(task, W, rate), task.descend(W, f, rate, 1, signs=signs, decay=decay)
    return task, W


def measure(trained, p):
    task, W = trained
    known = InputSpan.of(W, p.N, p.d)
    return {outside: task.outside(W),
            unknown: sum((known.conditional_variance(b) for b in links(p)), Fraction(0)) / p.d}


bound = 1 - n / (N * d)
claim = Claim(
    "Theorem 6, trained with any loss",
    role="statement", source="reconstructed: Theorem 6; prose",
    scope={"every loss": "points", "every data set": "drawn", "every function of the first layer": "closed form",
           "every link": "closed form"},
    asserts=[outside.equals(0), unknown >= bound], requires=[n < N * d],
    grid=points("loss N d n m_1 depth updates", *((loss, *at) for loss in SLOPES for at in (
        (4, 2, 3, 16, 2, 4), (3, 2, 5, 8, 3, 3), (6, 1, 5, 6, 4, 2)))),
    construct=construct, measure=measure, controls=[
        Control("a start outside the span without decay", breaks=[outside, unknown], where=m_1 >= N * d,
                construct=lambda p: construct(p, start=1, decay=False)),
        Control("signs of the gradient", asserts=[outside.equals(0)], breaks=outside, where=d >= 2,
                construct=lambda p: construct(p, signs=True)),
        Control("a prompt fewer in the bound", asserts=[unknown >= 1 - (n - 1) / (N * d)], breaks=unknown,
                where=Eq(depth, 2)),
    ],
)
