r"""Theorem 6 cannot be improved, with any loss: training with decay is stationary at a network of risk close to $D(u)$.

Setting    As in Theorem 6; a loss $\ell$ of the residual in training with decay $\lambda>0$, labels of the link $u$;
           $R$ is the squared risk. Losses: squared, absolute, Huber, of the quantile $\frac34$, and $|r|-\log(1+|r|)$.
Statement  $W=X$ and the best read-out in the span, with a bump of height $\rho$ and radius $r_0$ at every datum, have
           $\nabla\hat L+\lambda W=0$ and $|\sqrt R-\sqrt{D(u)}|\le(|\rho|+\max_i\|h_i\|r_0)\sqrt{nP(r_0)}$, where
           $P(r_0)=V_nr_0^n(2\pi)^{-n/2}\det(XX^\top)^{-1/2}$ bounds the chance to meet a bump; on the grid
           $|R-D(u)|\le10^{-3}$.
Witness    StationaryMember on integer prompts, $u$ rational.
Measured   The gradient by the chain rule (a subgradient for $|r|$) and the part outside the span, in rationals; the
           risk between the bounds that the linear part, in rationals, and the bumps give.
Control    No bumps; twice the decay; another loss; a prompt left out; the index read one place further; labels of
           another link.
Reads      Definition 5 asks for some $\lambda>0$: any will do here. Derived here. Radii of 1/100 and 1/10 of half the
           least distance at $n=4,6$ leave $10^{-3}$ open; these are smaller.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import enclosed_between
from theorytools.numbers import Enclosure, maximum
from theorytools.papers.qstr.feedforward.stationary import StationaryMember
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective, LinearReadout
from theorytools.tasks.sparse_regression import SLOPES
from theorytools.theory.first_layers.exact_span import InputSpan, orthonormal_basis

from ..definition_05.definition_05 import outside, slope
from ..notation import N, bayes, d, n

risk = Quantity("risk", "R", "population risk, with the bumps", (0, None))
near = Rational(1, 1000)


def links(p):
    return orthonormal_basis(p.d, p.rng("links"))


def construct(p) -> StationaryMember:
    X, t = p.rng("prompts").integers(-5, 6, (p.n, p.N, p.d)), p.rng("indices").integers(0, p.N, p.n)
    return StationaryMember.oracle(X, t.tolist(), links(p)[0], p.lam, rho=Fraction(3, 7), shrink=p.shrink,
                                   loss=p.loss)


def shifted(p):
    net = construct(p)
    return replace(net, C=np.roll(net.C, 1, axis=0))


def measure(net, p, u=None, readout=None, lam=None, kept=None, loss=None):
    task = DecayedObjective(net.X, net.t, net.y, lam or net.lam, loss or net.loss)
    seen = DecayedObjective(net.X[kept:], net.t[kept:], net.y[kept:], net.lam)
    linear = net.linear_risk(links(p)[0] if u is None else u)

    def root(sign):
        return maximum([Enclosure(linear).sqrt() + sign * net.bump_norm(), 0]) ** 2

    return {slope: (task.gradient(net.W, readout or net.readout) ** 2).sum(), outside: seen.outside(net.W),
            risk: enclosed_between(lambda: root(-1), lambda: root(1))}


claim = Claim(
    "Theorem 6, attained by a stationary network",
    role="sharpness", source="derived here: Theorem 6",
    scope={"every loss, N, d, n, lam, shrink": "points", "every data set": "points", "some network": "exhibited"},
    asserts=[slope.equals(0), outside.equals(0), risk.equals(bayes, within=near)], requires=[n < N * d],
    grid=points("loss N d n lam shrink", *((loss, *at) for loss in SLOPES for at in (
        (4, 2, 3, "1/5", "1e-3"), (3, 3, 4, 2, "1e-4"), (5, 1, 2, "1/100", "1e-4"), (4, 3, 6, "1/2", "1e-3"))),
        ("absolute", 3, 2, 5, "1/3", "1e-5"), ("quantile", 8, 1, 7, "1/3", "1e-4")),
    derive=lambda net, p: {bayes: InputSpan.of(net.X, p.N, p.d).bayes_loss(links(p)[0])}, derived=[bayes],
    construct=construct, measure=measure,
    controls=[
        Control("no bumps", breaks=slope, measure=lambda net, p: measure(net, p, readout=LinearReadout(net.C))),
        Control("twice the decay", breaks=slope, measure=lambda net, p: measure(net, p, lam=2 * net.lam)),
        Control("another loss", breaks=slope,
                measure=lambda net, p: measure(net, p, loss="huber" if p.loss == "quantile" else "quantile")),
        Control("a prompt left out", breaks=outside, measure=lambda net, p: measure(net, p, kept=1)),
        Control("the index read one place further", breaks=risk, construct=shifted),
        Control("labels of another link", breaks=risk, where=d >= 2,
                measure=lambda net, p: measure(net, p, u=links(p)[1])),
    ],
)
