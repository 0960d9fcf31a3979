r"""A first layer that leaves the span a little still leaves much unknown, but only to networks that are not steep.

Setting    As in Theorem 6, $n<Nd$; $W=W\Pi+W_\perp$ with a part outside the span of the training inputs; networks
           $f(T,Wx)$ whose outputs are $L_f$-Lipschitz in $z=Wx$. A two-layer head $a_t^\top\sigma(z)$ has
           $L_f\le\max_t\|a_t\|$.
Statement  $\sqrt R\ge\sqrt{D(u)}-L_f\|W_\perp\|_F$.
Proof      $f(t,W\Pi x)$ has risk at least $D(u)$ (theorem_06). It differs from $f(t,Wx)$ by at most $L_f\|W_\perp x\|$,
           whose mean square is $L_f^2\|W_\perp\|_F^2$, as tokens are $N(0,I)$; Minkowski's inequality. A two-layer
           head: $|a_t^\top(\sigma(z)-\sigma(z'))|\le\|a_t\|\|z-z'\|$.
Adversary  Read-outs of random ReLU features that minimise the risk, with and without a ridge; one linear unit that
           looks outside the span, with which the bound is attained.
Measured   Population risks in closed form: expectations of two ReLUs in balls, the others in rationals. $\|W_\perp\|_F$
           and $D(u)$ by the certificate of the library.
Control    No Lipschitz term; half of it; a layer a tenth farther outside.
Reads      Derived here. Widths and ridges are chosen with the risks in view. On the aligned rows the axis ridge
           holds the slope of the unit.
"""

from fractions import Fraction

import numpy as np
from sympy import Eq, Max, Rational, sqrt

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.papers.qstr.feedforward.feature_readout import FeatureReadout
from theorytools.papers.qstr.first_layers.certificate import certify_first_layer, head_lipschitz
from theorytools.theory.first_layers.exact_span import orthonormal_basis

from ..notation import N, bayes, d, lip, n, off, outer

risk = Quantity("risk", "R", "population risk", (0, None))


def exact(A):
    return np.array(np.rint(64 * A).astype(int).tolist(), dtype=object) + Fraction(0)


def inputs(p):
    if p.head == "aligned":
        return np.eye(p.d, dtype=int)[: p.n, None]
    return np.rint(64 * p.rng("prompts").standard_normal((p.n, p.N, p.d))).astype(int)


def link(p):
    return np.eye(p.d, dtype=int)[-1].tolist() if p.head == "aligned" else orthonormal_basis(p.d, p.rng("link"))[0]


def construct(p, times=1) -> FeatureReadout:
    if p.head == "aligned":
        return FeatureReadout(np.array([[times * p.outer * x for x in link(p)]]), np.array([[p.ridge]]), relu=False)
    X = inputs(p).reshape(p.n, -1) / 64
    inside = exact(p.rng("mixture").standard_normal((p.m_1, p.n))) @ (exact(X) / 64)
    beyond = p.rng("outside").standard_normal((p.m_1, p.N * p.d)) @ (np.eye(p.N * p.d) - np.linalg.pinv(X) @ X)
    ratio = float((inside**2).sum()) ** 0.5 / np.linalg.norm(beyond)
    W = (inside + p.outer * exact(ratio * beyond) / 64) / 64  # what is rounded into the span does not matter
    return FeatureReadout.least_squares(W, p.N, link(p), float(p.ridge))


def derive(net, p):
    found = certify_first_layer(net.W, inputs(p), lipschitz=head_lipschitz(net.A))
    square = found.data.outside(net.W)  # rational
    return {bayes: found.loss(link(p)).fraction(), lip: lambda: head_lipschitz(net.A), off: square.sqrt}


claim = Claim(
    "Theorem 6, layers that leave the span",
    role="variant", source="derived here: Theorem 6",
    scope={"every head, N, d, n, m_1, outer, ridge": "proof", "every first layer": "proof",
           "every read-out": "proof"},
    asserts=risk >= Max(0, sqrt(bayes) - lip * off) ** 2, requires=[n < N * d],
    grid=points("head N d n m_1 outer ridge",
                ("aligned", 1, 3, 2, 1, "1/4", 1), ("aligned", 1, 2, 1, 1, "1/5", "5/2"),
                ("relu", 5, 3, 6, 40, 0, 0), ("relu", 5, 3, 6, 40, "1/20", 0), ("relu", 5, 3, 6, 40, "1/5", 0),
                ("relu", 5, 3, 6, 16, "1/20", "1/10"), ("relu", 4, 2, 3, 16, "1/100", "1/100")),
    derive=derive, derived=[bayes, lip, off], construct=construct,
    measure=lambda net, p: {risk: enclosed(lambda: net.risk(link(p)))},
    controls=[
        Control("no Lipschitz term", breaks=risk, where=outer >= Rational(1, 5), asserts=[risk >= bayes]),
        Control("a layer a tenth farther outside", breaks=risk, where=Eq(N, 1),
                construct=lambda p: construct(p, Fraction(11, 10))),
        Control("half of the Lipschitz term", breaks=risk, where=Eq(N, 1),
                asserts=[risk >= Max(0, sqrt(bayes) - lip * off / 2) ** 2]),
    ],
)
