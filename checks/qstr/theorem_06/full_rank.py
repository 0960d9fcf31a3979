r"""A first layer of full rank leaves nothing unknown, however close it is to the span of the training inputs.

Setting    As in Theorem 6, $n<Nd$; a first layer in the span, and $W$ at a distance of at most $s_\perp$ from it.
Statement  If $\operatorname{rank}W=Nd$ the label is a function of $(Wx,t)$, and a linear read-out has risk 0: no bound
           like Theorem 6's survives without a Lipschitz constant. That network has $L_f\|W_\perp\|_F\ge\sqrt{D(u)}$.
Witness    The linear read-out $W^\top a_t=P_tu$ on the inputs plus rational noise.
Measured   The variance of the label given $Wx$ by the projector of $W$, and the risk, in rationals; norms in balls.
Control    The bound of the span kept; the layer without its part outside the span.
Reads      Derived here.
"""

from fractions import Fraction

import numpy as np
from sympy import sqrt

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.numbers import solve_rational
from theorytools.papers.qstr.feedforward.feature_readout import FeatureReadout
from theorytools.papers.qstr.first_layers.certificate import head_lipschitz
from theorytools.theory.first_layers.certified_span import CertifiedSpan
from theorytools.theory.first_layers.exact_span import InputSpan

from ..notation import N, bayes, d, n, outer
from .robust import exact, inputs, link, risk

unknown = Quantity("unknown variance", r"E\operatorname{Var}(y\mid Wx,t)", "of the label, given the layer", (0, 1))
size = Quantity("outside the span", r"\|W_\perp\|_F", "norm of the first layer outside the span", (0, None))
steep = Quantity("reach of the network", r"L_f\|W_\perp\|_F", "Lipschitz constant times that norm", (0, None))


def construct(p):  # the rows of W span everything; a_t solves W'a_t = P_t u
    W = np.zeros((p.N * p.d, p.N * p.d), dtype=object) + Fraction(0)
    W[: p.n] = inputs(p).reshape(p.n, -1)
    W += p.outer * exact(p.rng("outside").uniform(-1, 1, W.shape)) / (64 * p.N * p.d)  # of norm at most outer
    return FeatureReadout(W, np.array(solve_rational(W.T, np.kron(np.eye(p.N, dtype=int), link(p)).T)).T, relu=False)


def measure(net, p):
    return {unknown: InputSpan.of(net.W, p.N, p.d).bayes_loss(link(p)), risk: net.risk(link(p)).fraction(),
            size: enclosed(lambda: CertifiedSpan.of(inputs(p)).outside(net.W).sqrt()),
            steep: enclosed(lambda: head_lipschitz(net.A) * CertifiedSpan.of(inputs(p)).outside(net.W).sqrt())}


def cut(net, p):
    return {**measure(net, p), unknown: InputSpan.of(inputs(p), p.N, p.d).bayes_loss(link(p))}


claim = Claim(
    "Theorem 6, a layer of full rank leaves nothing unknown",
    role="necessity", source="derived here: Theorem 6",
    scope={"every head, N, d, n, outer": "points", "every data set": "points", "some network": "exhibited"},
    asserts=[unknown.equals(0), risk.equals(0), size <= outer, steep >= sqrt(bayes)], requires=[n < N * d],
    grid=points("head N d n outer", ("inverse", 2, 2, 1, "1/10"), ("inverse", 3, 2, 4, "1e-3"),
                ("inverse", 2, 3, 3, "1e-9")),
    derive=lambda net, p: {bayes: InputSpan.of(inputs(p), p.N, p.d).bayes_loss(link(p))}, derived=[bayes],
    construct=construct, measure=measure,
    controls=[
        Control("the bound of the span", breaks=risk, asserts=[risk >= bayes]),
        Control("without the part outside", breaks=unknown, measure=cut),
    ],
)
