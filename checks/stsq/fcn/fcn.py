r"""A fully-connected network that reads Gaussian tokens through $m$ neurons loses $R_m$ or more, whatever comes after.

Finding    A fully-connected network that reads Gaussian tokens through a share $c\ge\frac1T$ of $Td$ neurons loses at
           least $(1-c)\frac{T-q}{T-1}$ of what predicting 0 loses, whatever comes after them.
Setting    $T\ge2$ independent tokens $x_i\sim N(0,I_d)$, a uniform subset $y$ of $q$ positions, target
           $s=\frac1q\sum_{i\in y}x_i$. Networks $h(W_1\operatorname{vec}X,y)$, $W_1$ with $m$ rows, $h$ any measurable
           map: any depth and activation.
Statement  $E\|h-s\|^2\ge\operatorname{tr}PM\ge R_m=\frac{(d-m)_+}T+(Td-\max(m,d))_+\frac{T-q}{qT(T-1)}$, $P$ the
           projector on the kernel of $W_1$ and $M=\frac1{q^2}E[\mathbf1_y\mathbf1_y^\top]\otimes I_d$.
Proof      Given $W_1\operatorname{vec}X$ and $y$, $s$ is Gaussian, with variance $\operatorname{tr}PM$ on average.
           $P$ has rank at least $Td-m$. $E[\mathbf1_y\mathbf1_y^\top]$ has $\frac qT$ on its diagonal and
           $\frac{q(q-1)}{T(T-1)}$ off it, so $M$ has the eigenvalues $\frac1T$, $d$ times, and
           $\frac{T-q}{qT(T-1)}\le\frac1T$ (fcn_eigenvalues), and by Ky Fan $\operatorname{tr}PM$ is at least the sum
           of the $Td-m$ least: $R_m$.
Adversary  Layers of Gaussian doubles, of signs, with repeated rows, that read single tokens, and the best ones:
           eigenvectors of $M$ from the top.
Measured   $\operatorname{tr}PM$ over the rationals, floats as the binary fractions they are, by rank and a Gram solve;
           again as the mean over all subsets of the variance of $s$ given $W_1\operatorname{vec}X$.
Control    The eigenvalues exchanged; a neuron more; $q=T$ or $m\ge Td$ declared impossible.
Reads      The paper's display was not available: that a width of order $Td$ is needed is recovered, the formula and
           its constant are derived here.
"""

import numpy as np
from sympy import Eq, Max, Min

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.stsq.feedforward.bottleneck import OptimalLinearBottleneck
from theorytools.theory.first_layers.bottleneck import compressor_risk
from theorytools.theory.first_layers.compressor_certificate import certify_compressor, conditioned_risk

from ..notation import T, d, known, m, q, rank_1

left = Quantity("least loss", r"\operatorname{tr}PM", "of any network with this first layer", (0, None))


def tight(p, neurons):
    return OptimalLinearBottleneck.of(neurons, p.T, p.d, p.q).W


def construct(p) -> np.ndarray:
    rng, shape = p.rng("layer"), (p.m, p.T * p.d)
    if p.layer == "repeated":
        return np.repeat(rng.integers(-9, 10, ((p.m + 1) // 2, shape[1])), 2, axis=0)[: p.m]
    return {"tight": lambda: tight(p, p.m), "tokens": lambda: np.eye(shape[1], dtype=int)[: p.m],
            "gaussian": lambda: rng.standard_normal(shape), "signs": lambda: rng.choice([-1, 1], shape)}[p.layer]()


def measure(W, p):
    return {left: certify_compressor(W, T=p.T, d=p.d, q=p.q).risk}


def derive(W, p):
    return {known: conditioned_risk(W, T=p.T, d=p.d, q=p.q), rank_1: certify_compressor(W, T=p.T, d=p.d, q=p.q).rank}


exchanged = (d - Min(m, d)) * (T - q) / (q * T * (T - 1)) + (T * d - Min(Max(m, d), T * d)) / T
claim = Claim(
    "Fully-connected networks",
    role="statement", source="published: fully-connected networks need width of order Td; prose",
    scope={"every T, q, d and m": "proof", "every first layer": "proof", "every later network": "proof"},
    requires=[q <= T, T >= 2], derive=derive, derived=[known, rank_1],
    asserts=[left >= compressor_risk(m, T, d, q), left >= compressor_risk(rank_1, T, d, q), left.equals(known)],
    grid=points("layer T d q m",
                ("tight", 6, 2, 2, 1), ("tight", 6, 2, 2, 9), ("tight", 5, 3, 3, 3), ("tight", 4, 2, 2, 8),
                ("tight", 4, 1, 4, 2), ("gaussian", 6, 2, 2, 3), ("gaussian", 6, 2, 2, 9), ("gaussian", 4, 2, 2, 11),
                ("signs", 8, 1, 3, 4), ("signs", 5, 2, 1, 4), ("repeated", 6, 2, 2, 6), ("tokens", 6, 2, 3, 4)),
    construct=construct, measure=measure, search=lambda draw, p: construct(p),
    controls=[
        Control("the eigenvalues exchanged", breaks=left, where=(q >= 2) & (T >= 3) & (m < T * d),
                asserts=[left >= exchanged]),
        Control("a neuron more", breaks=left, where=(m < T * d) & (q < T),
                construct=lambda p: tight(p, p.m + 1)),
        Control("a positive loss with all tokens selected", breaks=left, where=Eq(q, T),
                asserts=[left >= (T * d - m) / (q * T * (T - 1))]),
        Control("declared impossible at full width", breaks=left, where=(m >= T * d) & (q < T),
                asserts=[left >= compressor_risk(T * d - 1, T, d, q)]),
    ],
)
