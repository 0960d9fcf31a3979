r"""With stochastic encodings a pair $(\alpha,\beta)$ chosen for $T'$ selects there, up to 64 times the training length.

Setting    As in ood; and Gaussian encodings with the minimum-norm query in $d_e$ dimensions: scores 1 on the selected
           tokens and $\sqrt{q/\chi^2}\,g_i$ elsewhere, $\chi^2$ with $d_e-q+1$ degrees of freedom, $g_i$ normal.
Statement  Orthonormal: $L_{T'}\le\rho\,\frac{dn}{q^2u^2+qn}$ for all $u$, so at most 1 % of predicting 0 once
           $q^2u^2\ge100\rho qn$; up to $T'=64T$ here. In finite dimension the encodings must be long enough for $T'$:
           at $T=8$, $q=2$ and $T=20$, $q=3$, with $d_e=256$, $u=2000$ and the same scale, it is at most a tenth of
           predicting 0 for $T'\le64T$.
Witness    The scale $\alpha^*$ of the training length at the smallest such integer $u$.
Measured   The loss in closed form; in finite dimension a mean of $q\sum_i(\alpha a_i-\tau_i)^2\in[0,q\alpha^2+1]$.
Control    A tenth of $u$; the ratio at the training length; encodings long enough for the training length only.
Reads      Test lengths beyond twice the training length, and the bound, are ours. The sampled claim has $u=2000$; at
           20000 a false bound would not be seen.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from sympy import Rational, floor, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.stsq.selection.length_generalisation import FreshEncodings
from theorytools.statistics.sampled import bounded_mean

from ..notation import T_1, T, d, d_e, q, u
from .ood import n, rho

new = Quantity("loss at the new length", "L_{T'}", "trained scale", (0, d / q))
share = Quantity("share of the loss", r"\tfrac qdL_{T'}", "over predicting 0, encodings of finite length", (0, 1))


def construct(p) -> FreshEncodings:
    return FreshEncodings(p.T, p.q, p.d)


def measure(model, p, part=1):
    return {new: model.loss(p.T_1, p.u * part)}


def losses(model, p, dimension):
    alpha, beta, n_1 = float(model.best_alpha(p.u)), np.log(float(p.u)), p.T_1 - p.q

    def draw(rng, size):
        chi = rng.chisquare(dimension - p.q + 1, (size, 1))
        other = np.exp(beta * (np.sqrt(p.q / chi) * rng.standard_normal((size, n_1)) - 1))  # over exp(beta)
        a = alpha / (p.q + other.sum(axis=1))
        return (p.q * a - 1) ** 2 + p.q * a**2 * (other**2).sum(axis=1)

    return {share: bounded_mean(draw, p.seed("encodings"), low=0, high=p.q * Fraction(alpha) ** 2 + 1)}


claim = Claim(
    "Length generalisation, up to 64 times the length",
    role="variant", source="derived here: length generalisation",
    scope={"every T, q, d": "points", "every new length T_1": "points", "every temperature": "points"},
    asserts=[new <= rho * d * n / (q**2 * u**2 + q * n), new <= d / (100 * q)], requires=[q < T, T <= T_1],
    lets={u: floor(sqrt(100 * rho * n / q)) + 1},
    grid=points("T T_1 q d", (20, 20, 3, 5), (20, 40, 3, 5), (20, 320, 3, 5), (20, 1280, 3, 5), (8, 512, 1, 2),
                (16, 1024, 2, 1)),
    construct=construct, measure=measure,
    controls=[
        Control("a tenth of u", breaks=[new], measure=lambda model, p: measure(model, p, Fraction(1, 10))),
        Control("the ratio at the training length", breaks=new, where=T_1 >= 2 * T,
                asserts=[new <= d * n / (q**2 * u**2 + q * n)]),
    ],
)
finite = replace(
    claim, label="Length generalisation, encodings of finite length",
    role="variant", source="derived here: length generalisation",
    scope={"every T, q, d, u, d_e": "points", "every new length T_1": "points", "every draw of encodings": "drawn"},
    lets={}, asserts=share <= Rational(1, 10),
    grid=points("T T_1 q d u d_e", (8, 512, 2, 1, 2000, 256), (20, 1280, 3, 5, 2000, 256), (8, 16, 2, 1, 2000, 256)),
    requires=[d_e > q, T <= T_1, T_1 <= 64 * T], listed=[T, q, d, u, d_e],
    measure=lambda model, p: losses(model, p, p.d_e),
    controls=[Control("encodings for the training length only", breaks=share,
                      measure=lambda model, p: losses(model, p, 4 * p.q))],
)
