r"""Redrawn encodings of finite length do not bring the loss to zero, unless they are conditioned.

Finding    Redrawn Gaussian encodings of finite length, with the query of least norm, never bring the loss to zero,
           whatever the scale and the temperature, unless they are conditioned.
Setting    As in spe_floor: unconditioned Gaussian SPE with the dual query, $d_e$ of a few times $q\log T$.
Statement  The reading "with stochastic encodings some scale and temperature bring the loss to zero", here to
           $\frac{qL}d=\frac1{1000}$, fails at finite $d_e$.  Repair: SPE conditioned on $\kappa<1$ reach zero.
Witness    SelectionFloor at lengths up to that where one draw in 140 fails.
Proof      As in spe_floor: where the cross-talk reaches 1, with probability $P>0$, each scale and temperature loses
           at least $\frac1{q+1}$.
Measured   The least loss over all scales and temperatures, enclosed between its two bounds.  Conditioned encodings have
           $P=0$ by definition, and reach 0 by the limit in spe_floor.
Control    Repair: encodings conditioned on $\kappa<1$.
Reads      Derived here, for encodings and a query as modelled here; whether the paper's encodings are conditioned or
           orthonormal we do not know, so this is no statement about its theorem.
"""

from sympy import Rational

from theorytools import Claim, Control, points
from theorytools.claims.language.estimate import Budget
from theorytools.papers.stsq.selection.finite_encodings import SelectionFloor

from ..notation import T, d_e, q
from .spe_floor import least, limit


def construct(p, conditioned=False) -> SelectionFloor:
    return SelectionFloor(p.T, p.q, p.d_e, conditioned)


def measure(floor, p):
    return {least: floor.least(), limit: floor.limit}


claim = Claim(
    "Finite encodings, zero loss",
    role="pitfall", source="derived here: finite encodings",
    scope={"every T, q, d_e": "points", "every scale and temperature": "proof"},
    asserts=[least <= Rational(1, 1000), limit.equals(0)], requires=[q < T, d_e >= q],
    construct=construct, measure=measure, expect="REFUTED", budget=Budget(bits=128),
    note="Encodings conditioned on a cross-talk below 1 reach zero.",
    grid=points("T q d_e", (64, 4, 32), (64, 4, 64), (200, 3, 32), (512, 4, 64), (4, 1, 4)),
    controls=[Control("conditioned encodings", construct=lambda p: construct(p, conditioned=True))],
)
