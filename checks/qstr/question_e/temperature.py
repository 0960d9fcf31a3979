r"""Two steps take two layers of order $\log N$: the second at twice the inverse temperature of one step.

Setting    As in question_e; $\delta$ is the weight allowed outside $t_{t_i}$, for all prompts.
Statement  $\beta^{(1)}=\log((N-1)(1/\lambda-1))/(1-\rho)$ and $\beta^{(2)}=2\log((N-1)(1/\delta-1))/(1-\rho)$ are
           enough, $\lambda=\min(\frac14,\frac{1-\rho}{2(1-\rho_{\min})})$: the first does not depend on $\delta$.
Witness    TwoStepAttention at these temperatures.
Measured   The leakage over all pointers, enclosed.
Control    The second layer at the temperature that is enough for one step; the first at half of its own; equal codes.
Reads      Derived here. The first control's bound is met by codes with room, so it is held against equiangular ones.
"""

from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, points
from theorytools.codes.subcode import subcode
from theorytools.constructions.network import changed
from theorytools.papers.qstr.attention.two_hop import TwoStepAttention, least_product, two_step_temperatures

from ..notation import N, delta, rho, rho_min
from .question_e import codes, leakage


def construct(p, one=1, two=1, rows=None) -> TwoStepAttention:
    first, second = two_step_temperatures(codes(p), Fraction(p.delta))
    net = TwoStepAttention(codes(p), first * one, second * two)
    return changed(net, codes=subcode(codes(p), rows)) if rows else net


claim = Claim(
    "Question (e), temperatures",
    role="variant", source="derived here: question (e)",
    scope={"every code, N, d_e, delta": "points", "some network": "exhibited", "every prompt": "closed form"},
    asserts=leakage <= delta, requires=[N >= 2, rho < 1],
    derive=lambda net, p: {rho: net.codes.coherence(), rho_min: least_product(net.codes)}, derived=[rho, rho_min],
    grid=points("code N d_e delta", ("orthonormal", 8, 8, "1/100"), ("orthonormal", 64, 64, "1e-6"),
                ("simplex", 16, 16, "1/1000"), ("hadamard", 32, 32, "1e-9"), ("bch", 64, 8, "1e-3"),
                ("rademacher", 64, 67, "1e-4"), ("rademacher", 64, 20, "1e-4")),
    construct=construct, measure=lambda net, p: {leakage: net.leakage()}, controls=[
        Control("the temperature of one step", breaks=leakage, construct=lambda p: construct(p, two=Rational(1, 2)),
                where=rho <= 0),
        Control("layer 1 at half", breaks=leakage, construct=lambda p: construct(p, one=Rational(1, 2)),
                where=rho <= 0),
        Control("two equal codes", breaks=leakage, construct=lambda p: construct(p, rows=[0, 0, *range(2, p.N)])),
    ],
)
