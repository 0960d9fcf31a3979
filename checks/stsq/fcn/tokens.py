r"""The bound for fully-connected networks is about Gaussian tokens: one neuron holds a whole prompt of signs.

Setting    As in fcn, but tokens uniform on $\{\pm1\}^d$.
Statement  The bound read for every token law of mean zero and unit covariance, $E\|h-s\|^2\ge R_m$, fails at $m=1$.
Witness    $W_1=(1,2,4,\dots,2^{Td-1})$: no two prompts of signs have the same value, so the best $h$ loses nothing.
Measured   The variance of $s$ given $W_1\operatorname{vec}X$ and $y$, over all $2^{Td}$ prompts and all subsets.
Control    As a repair: Gaussian tokens behind the same neuron.
Reads      A condition on the token law is needed; for Gaussian tokens see fcn. The bound's function refuses other laws.
"""

from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.first_layers.bottleneck import compressor_risk
from theorytools.theory.first_layers.compressor_certificate import certify_compressor, discrete_risk

from ..notation import T, d, q

left = Quantity("least loss", r"E\operatorname{tr}\operatorname{Cov}(s\mid W_1\operatorname{vec}X,y)",
                "of any network with this neuron", (0, None))
trivial = Quantity("share of the loss", r"\frac qdE\operatorname{tr}\operatorname{Cov}", "over predicting 0", (0, 1))


def construct(p) -> np.ndarray:
    return np.array([[2**k for k in range(p.T * p.d)]])


def signs(W, p):
    return both(discrete_risk(W, T=p.T, d=p.d, q=p.q), p)


def both(loss, p):
    return {left: loss, trivial: Fraction(p.q, p.d) * loss}


def gaussians(W, p):
    return both(certify_compressor(W, T=p.T, d=p.d, q=p.q).risk, p)


grid_ = points("T d q", (4, 2, 2), (3, 1, 1), (4, 1, 3), (3, 3, 2))
any_law = Claim(
    "Fully-connected networks, any tokens",
    role="pitfall", source="derived here: fully-connected networks",
    scope={"every T, d, q": "points", "every law of tokens": "points", "every first layer": "points"},
    expect="REFUTED", asserts=left >= compressor_risk(1, T, d, q),
    note="The bound without a condition on the law of the tokens.", requires=[q < T], grid=grid_,
    construct=construct, measure=signs,
    controls=[
        Control("Gaussian tokens", measure=gaussians),
        Control("no neuron needed", breaks=left, asserts=[left >= compressor_risk(0, T, d, q)]),
    ],
)
claim = Claim(
    "Fully-connected networks, Gaussian tokens behind a neuron that holds all signs",
    role="variant", source="derived here: fully-connected networks",
    scope={"every T, d, q": "points", "every first layer": "points"},
    requires=[q < T], grid=grid_,
    asserts=[left >= compressor_risk(1, T, d, q), trivial >= 1 - q / (d * T)],
    construct=construct, measure=gaussians,
    controls=[
        Control("tokens that are signs", breaks=[left, trivial], measure=signs),
        Control("zero loss", breaks=left, asserts=[left <= 0]),
    ],
)
