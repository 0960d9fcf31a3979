r"""Question (i), linear attention: without the softmax every encoding of fewer than $T$ dimensions leaves a floor.

Setting    As in loss, any encodings $E\in\mathbb{R}^{d_e\times T}$, weights $a=E^\top w_y$ with any query vector $w_y$
           and no softmax, $f=\alpha\sum_ia_ix_i$; uniform subsets $y$ of $q$ of $T$ positions.
Statement  $\mathbb{E}\|f-s\|^2\ge d\,R$, $R=\frac{(T-d_e)(T-q)}{qT(T-1)}$ for $1\le d_e\le T$. Attained by
           encodings whose coordinates span the constant and any $d_e-1$ contrasts. So linear attention needs $d_e$ of
           order $T$, where one softmax head needs $2q$ (neighborly).
Proof      That of fcn for $m=d_e$ neurons and $d=1$: the weights are $d$ copies of a linear layer of $d_e$ neurons.
Adversary  Gaussian, sign, one-hot and moment-curve encodings, each with the best query vectors; tight ones.
Measured   The mean over all subsets of the squared distance from $\tau$ to the span, by a rational projector; and the
           least loss behind the layer $E$ by the rank and trace of fcn.
Control    One softmax head on the moment curve, $d_e=2q$; one dimension more; $\frac1T$ and $\lambda$ exchanged.
Reads      Our question, and derived here. Linear attention over query and key together may also read the tokens in the
           scores; such cross terms are not covered.
"""

import numpy as np
from sympy import Eq, Min, log

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.codes.encodings import exact_encodings, moment_curve, named_encodings
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.attention.selector_rules import RuleSelector
from theorytools.papers.stsq.feedforward.bottleneck import OptimalLinearBottleneck
from theorytools.papers.stsq.selection.loss import population_loss
from theorytools.theory.first_layers.bottleneck import compressor_risk
from theorytools.theory.first_layers.compressor_certificate import certify_compressor

from ..notation import T, d, d_e, q

linear = Quantity("loss of linear attention", r"\min_w\mathbb{E}\|f-s\|^2", "mean over all subsets", (0, None))
layer = Quantity("least loss behind E", r"d\operatorname{tr}PM", "by rank and trace", (0, None))


def encodings(p, d_e):
    if p.code == "tight":
        return exact_encodings(OptimalLinearBottleneck.of(d_e, p.T, 1, p.q).W.T)
    if p.code == "one_hot":
        return exact_encodings(np.eye(p.T, d_e, dtype=int).tolist())
    return named_encodings(p.code, p.T, d_e, p.rng("encodings"))


def construct(p, more=0) -> RuleSelector:
    return RuleSelector(encodings(p, p.d_e + more), p.q, p.d, "free")


def measure(net, p):
    W = net.E.vectors.T.tolist()
    return {linear: net.risk(), layer: p.d * certify_compressor(W, T=p.T, d=1, q=p.q).risk}


def softmax(net, p):
    one = SparseSelector(moment_curve(p.T, 2 * p.q), log(6), p.q, p.d, "polynomial")
    return {**measure(net, p), linear: enclosed(lambda: population_loss(one))}


bound = d * compressor_risk(d_e, T, 1, q)
claim = Claim(
    "Question (i), linear attention",
    role="variant", source="derived here: question (i)",
    scope={"every code, d, d_e": "points", "every T and q": "proof", "every encoding": "proof", "every query": "proof"},
    asserts=[linear >= bound, layer >= bound], requires=[q < T, d_e <= T],
    construct=construct, measure=measure,
    grid=points("code T q d d_e", ("tight", 7, 2, 3, 4), ("tight", 6, 3, 2, 1), ("tight", 9, 2, 1, 8),
                ("tight", 8, 2, 1, 4), ("gauss", 7, 2, 2, 4), ("rad", 7, 3, 1, 5), ("moment", 8, 2, 1, 4),
                ("one_hot", 8, 3, 2, 5), ("gauss", 6, 2, 1, 6)),
    search=lambda draw, p: construct(p),
    controls=[
        Control("one softmax head", breaks=linear, where=Eq(d_e, 2 * q) & (3 * q <= T), measure=softmax),
        Control("one dimension more", breaks=[linear, layer], where=d_e < T, construct=lambda p: RuleSelector(
            exact_encodings(OptimalLinearBottleneck.of(p.d_e + 1, p.T, 1, p.q).W.T), p.q, p.d, "free")),
        Control("the eigenvalues exchanged", breaks=[linear, layer], where=(d_e < T) & (q >= 2), asserts=[
            linear >= d * ((1 - Min(d_e, 1)) * (T - q) / (q * T * (T - 1)) + (T - d_e) / T),
            layer >= d * ((1 - Min(d_e, 1)) * (T - q) / (q * T * (T - 1)) + (T - d_e) / T)]),
    ],
)
