r"""The bound of Theorem 6 is attained: an explicit network in the span of the data has risk $D(u)$.

Setting    As in Theorem 6, with $n\le Nd$ independent training prompts and a unit vector $u$.
Statement  With orthonormal rows $V$ spanning the data, $W=V$ and $f(t,z)=\langle VP_tu,z\rangle$ have risk
           $D(u)=1-\frac1N\sum_t\|\Pi P_tu\|^2$, the least of any $f(T,Wx)$ with rows in the span.
Witness    SpanPredictor on Gaussian prompts in steps of $1/64$, $u$ rational.
Measured   The risk from the network's exact coefficients; and again by running the network in doubles: one
           fresh prompt for each index, residuals added and divided by $\sqrt N$, is exactly Gaussian with the
           risk as its variance. $D(u)$ comes from the projector.
Control    Only half of the prompts; the index read one place further; labels with the wrong sign;
           prompts that are not the training prompts.
Reads      Theorem 6 is a lower bound; that it is attained is derived here.
"""

from dataclasses import replace

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.network import changed
from theorytools.papers.qstr.feedforward.span_predictor import SpanPredictor
from theorytools.statistics.sampled import gaussian_variance
from theorytools.tasks.sparse_regression import sample
from theorytools.theory.first_layers.exact_span import InputSpan, orthonormal_basis

from ..notation import N, bayes, d, n

risk = Quantity("risk", "R", "population risk, from the coefficients", (0, None))
observed = Quantity("risk of the running network", r"\hat R", "variance of its residual", (0, None))


def prompts(p, role="prompts"):
    return np.rint(64 * sample(p.rng(role), p.n, p.N, p.d, 1, True)[0]).astype(int)


def link(p):
    return orthonormal_basis(p.d, p.rng("links"))[0]


def construct(p, **spoiled) -> SpanPredictor:
    return SpanPredictor(**{"X": prompts(p), "u": link(p), **spoiled})


def opposite(net):
    return [-x for x in net.u]


def run(net, p, u=None):
    draw, off = (lambda *size: net.residual(*size, u)), net.residual_rounding()
    return {observed: gaussian_variance(draw, p.seed("fresh prompts"), off=off)}


half = {"where": n >= 2, "construct": lambda p: construct(p, X=prompts(p)[: p.n // 2])}
def next_place(p):
    net = construct(p)
    return changed(net, coefficients=np.roll(net.coefficients, -1, axis=0), readout=np.roll(net.readout, -1, axis=0))


shifted = {"where": N >= 2, "construct": next_place}
claim = Claim(
    "Theorem 6, attained",
    role="sharpness", source="derived here: Theorem 6", scope={"every N, d, n": "points", "some network": "exhibited"},
    asserts=risk.equals(bayes), requires=[n <= N * d], derived=[bayes],
    grid=points("N d n", (4, 3, 5), (6, 3, 9), (8, 1, 5), (3, 8, 16), (10, 5, 30), (2, 2, 4)),
    derive=lambda net, p: {bayes: InputSpan.of(net.X, p.N, p.d).bayes_loss(net.u)},
    construct=construct, measure=lambda net, p: {risk: net.risk()},
    controls=[
        Control("half of the prompts", breaks=risk, **half),
        Control("index read one place further", breaks=risk, **shifted),
        Control("labels with the wrong sign", breaks=risk,
                measure=lambda net, p: {risk: net.risk(opposite(net))}),
        Control("other prompts", breaks=risk, where=(d >= 2) & (n < N * d),
                construct=lambda p: construct(p, X=prompts(p, "others"))),
    ],
)
running = replace(
    claim, label="Theorem 6, attained by the running network",
    role="sharpness", source="derived here: Theorem 6",
    scope={"every N, d, n": "points", "some network": "exhibited", "every prompt": "drawn"},
    requires=[n < N * d], measure=run,
    asserts=observed.equals(bayes, within=bayes / 10),
    grid=points("N d n", (4, 3, 5), (6, 3, 9), (8, 1, 5), (3, 8, 16)),
    controls=[
        Control("half of the prompts", breaks=observed, **half),
        Control("index read one place further", breaks=observed, **shifted),
        Control("labels with the wrong sign", breaks=observed,
                measure=lambda net, p: run(net, p, opposite(net))),
    ],
)
