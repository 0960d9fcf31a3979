r"""Tokens with a density but not Gaussian: the bound loses the entropy power, and cannot do without a factor.

Setting    As in fcn, but independent coordinates of mean 0, variance 1 and entropy power
           $\mathcal N=e^{2h}/(2\pi e)\le1$: $\frac6{\pi e}$ for uniform ones.
Statement  For $d\le m<Td$ every network has $E\|h-s\|^2\ge(Td-m)\lambda\,\mathcal N^{Td/(Td-m)}$. Without the last
           factor, $\ge R_m$, this fails for uniform tokens: $\frac{25}{54}d$ against $\frac12d$ at $T=2$, $q=1$, $m=d$.
Witness    Two tokens and the $d$ neurons $x_1+\rho_wx_2$.
Measured   The variance of $s$ given them, rational: $\frac d2(1+\rho_w^2)(1-\frac{\rho_w}2)$ by the chords of a square.
Control    The bound without the factor, which is that of Gaussian tokens; tokens that are signs, without a density.
Reads      Derived here, beyond the paper: it reads the condition on the token law that the bound needs.
"""

from sympy import E, pi

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.first_layers.bottleneck import compressor_risk, density_risk
from theorytools.theory.first_layers.compressor_certificate import discrete_risk, uniform_pair_risk

from ..notation import d, rho_w

left = Quantity("least loss", r"E\operatorname{tr}\operatorname{Cov}(s\mid W_1\operatorname{vec}X,y)",
                "of any network with these neurons", (0, d))
gaussian_bound, bound = compressor_risk(d, 2, d, 1), density_risk(d, 2, d, 1, 6 / (pi * E))


def construct(p) -> list:
    return [[(j % p.d == k) * (1 if j < p.d else p.rho_w) for j in range(2 * p.d)] for k in range(p.d)]


def uniform(W, p):
    return {left: uniform_pair_risk(W[0][p.d], d=p.d)}  # the weight of the second token


def signs(W, p):
    return {left: discrete_risk(W, T=2, d=p.d, q=1)}


claim = Claim(
    "Fully-connected networks, entropy power",
    role="variant", source="derived here: fully-connected networks",
    scope={"every d, rho_w": "points", "every law of tokens": "points", "every first layer": "points"},
    asserts=left >= bound, requires=[rho_w > 0, rho_w < 1],
    grid=points("d rho_w", (1, "1/3"), (1, "1/2"), (2, "1/3"), (3, "9/10")), construct=construct, measure=uniform,
    controls=[Control("tokens that are signs", breaks=left, measure=signs),
              Control("Gaussian entropy power", breaks=left, asserts=[left >= gaussian_bound])],
)
