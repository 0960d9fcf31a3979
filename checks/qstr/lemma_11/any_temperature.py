r"""The leakage bound of Lemma 11 at temperatures where no exponential is rational.

Setting    As in lemma_11, with any inverse temperature $\beta>0$.
Statement  The attention weight outside the indexed position is at most $(N-1)/(N-1+e^{\beta(1-\rho)})$.
Proof      As in lemma_11, for every $\beta\ge0$.
Witness    BlockAttention at the temperatures that the bound gives for leakage $10^{-4}$.
Measured   One enclosed exponential per code, its integer powers, and exact distance counts.
Control    Codes entering without their factor $\sqrt{d/q}$; coherence taken $1/10$ too small.
Reads      Orthonormal codes attain the bound; equality of transcendental numbers is shown as a tie to $10^{-1000}$.
"""

from dataclasses import replace

from sympy import Eq, Rational

from theorytools import Claim, Control, points

from ..notation import N, beta, d, d_e, q, rho
from .lemma_11 import bound, construct, leakage

claim = Claim(
    "Lemma 11, any temperature",
    role="statement", source="published: Lemma 11; prose",
    scope={"every code, N, d_e, q, d": "proof", "every temperature beta": "proof", "some network": "exhibited",
           "every prompt": "closed form"},
    asserts=replace(leakage <= bound, tie=Rational(1, 10**1000)),  # attained at a transcendental number
    requires=[N >= 2, beta > 0, rho < 1], derive=lambda net, p: {rho: net.codes.coherence()}, derived=[rho],
    grid=points("code N d_e q d beta",
                ("rademacher", 64, 67, 3, 10, 21.3), ("rademacher", 64, 20, 3, 10, 44.51),
                ("rademacher", 100, 23, 1, 10, 52.92), ("rademacher", 256, 89, 3, 10, 26.26),
                ("rademacher", 1024, 111, 2, 10, 28.9), ("orthonormal", 64, 64, 3, 10, 12)),
    construct=construct, measure=lambda net, p: {leakage: net.leakage()},
    controls=[
        Control("codes without their factor", breaks=leakage, construct=lambda p: construct(p, scale=1),
                where=(q < d) & (d_e >= 23)),
        Control("coherence 1/10 too small", breaks=leakage, where=Eq(rho, 0),
                asserts=[leakage <= bound.subs(rho, rho - Rational(1, 10))]),
    ],
)
