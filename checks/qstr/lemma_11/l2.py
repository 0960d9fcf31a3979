r"""A readout that rescales averages leakage out: squared error needs half of the $\log N$ in the temperature.

Setting    As in lemma_11, one slot, independent isotropic tokens, label $\langle u,x_t\rangle$, $\|u\|=1$, $t$ uniform;
           prediction $c\,\langle u,\sum_j\pi_{tj}x_j\rangle$; $\zeta=(N-1)e^{-2\beta(1-\rho)}$.
Statement  The least risk over $c$, $1-\bar\pi^2/\overline{\|\pi_t\|^2}$, is at most $(\zeta+\vartheta^2)/(1+\zeta)$,
           $\vartheta=\frac{\max-\min}{\max+\min}$ over the weights $\pi_{tt}$; with scales by position it is at
           most $\zeta/(1+\zeta)$.  Equiangular codes attain both, so $2\beta=\frac1{1-\rho}\log((N-1)(1/\epsilon-1))$
           gives risk $\epsilon$; without rescaling their risk is $L^2\frac N{N-1}$.
Witness    Equiangular codes; Hadamard and BCH words; random signs; half of the codes close together, half orthogonal.
Measured   Risks from the distance counts of the code; rational where the powers of 2 are.
Control    $4\beta$ in $\zeta$; $N-2$ in $\zeta$; a quarter of the temperature; $c=1$; $\vartheta=0$; $L^2$.
Reads      Derived here.  The mean of $S_t(2\beta)$ over random codes, $(N-1)(\frac{1+e^{-4\beta/d_e}}2)^{d_e}$, is
           close to their risk; that is not asserted.
"""

import numpy as np
from sympy import Eq, Rational, exp, log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.by_family import code_of_family
from theorytools.codes.equiangular import EquiangularCode
from theorytools.codes.gram import GramCode
from theorytools.constructions.attention.leakage import worst_leakage
from theorytools.papers.qstr.attention.readout_risk import ReadoutRisk

from ..notation import N, beta, halvings, leak, rho, risk_0, spread

risk = Quantity("risk", r"\min_cR(c)", "squared error, the readout rescaled, over the variance of the label", (0, 1))
own = Quantity("risk of the worst position", r"\max_t\min_cR_t(c)", "the same with a scale for each position", (0, 1))
plain = Quantity("risk without rescaling", "R(1)", "squared error at scale 1", (0, None))


def at_most(spread=0, twice=2, others=N - 1):
    zeta = others * exp(-twice * beta * (1 - rho))
    return (zeta + spread**2) / (1 + zeta)


def close_half(N):
    K = 2 * np.eye(N, dtype=np.int64)
    K[: N // 2, : N // 2] += 1 - np.eye(N // 2, dtype=np.int64)  # products 1/2
    return GramCode(K, 2)


def construct(p, factor=1) -> ReadoutRisk:
    if "rho" in p.axes:
        return ReadoutRisk(EquiangularCode(p.N, p.rho), p.beta * factor)
    code = close_half(p.N) if p.code == "close" else code_of_family(p.code, p.N, p.d_e, p.rng("codes"))
    return ReadoutRisk(code, p.beta * factor)


def measure(readout, p):
    return {risk: readout.rescaled, own: readout.position_risk, plain: readout.plain}


def unscaled(readout, p):
    return {risk: readout.plain}


claim = Claim(
    "Lemma 11, squared error",
    role="variant", source="derived here: Lemma 11",
    scope={"every code, N, d_e": "points", "every temperature halvings": "points", "every prompt": "closed form"},
    asserts=[risk <= at_most(spread), own <= at_most()], requires=[N >= 2, rho < 1], lets={beta: halvings * log(2)},
    derive=lambda readout, p: {rho: readout.code.coherence(), spread: readout.spread}, derived=[rho, spread],
    grid=points("code N d_e halvings", ("simplex", 8, 8, 7), ("orthonormal", 16, 16, 4), ("hadamard", 16, 16, 8),
                ("bch", 64, 8, 16), ("close", 64, 64, 10), ("rademacher", 64, 67, 7), ("rademacher", 100, 23, 7),
                ("rademacher", 100, 23, 30)),
    construct=construct, measure=measure, controls=[
        Control("4 beta in zeta", asserts=[own <= at_most(twice=4)], breaks=own, where=rho <= 0),
        Control("N - 2 in zeta", asserts=[own <= at_most(others=N - 2)], breaks=own, where=rho <= 0),
        Control("a quarter of the temperature", breaks=[risk, own], where=rho <= 0,
                construct=lambda p: construct(p, Rational(1, 4))),
        Control("no rescaling", asserts=[risk <= at_most(spread)], breaks=risk, measure=unscaled, where=rho <= 0),
        Control("all weights alike", asserts=[risk <= at_most()], breaks=risk, where=Eq(halvings, 10)),
    ],
)
equiangular = Claim(
    "Lemma 11, squared error of equiangular codes",
    role="sharpness", source="derived here: Lemma 11",
    scope={"every N, rho, risk_0": "points", "some code": "exhibited", "every prompt": "closed form"},
    note="One product for all pairs, at the temperature for a risk.",
    asserts=[risk.equals(risk_0), own.equals(risk_0), plain.equals(leak**2 * N / (N - 1))],
    requires=[N >= 2, rho < 1, risk_0 < 1, (N - 1) * (1 / risk_0 - 1) > 1],
    lets={beta: log((N - 1) * (1 / risk_0 - 1)) / (2 * (1 - rho))},
    derive=lambda readout, p: {leak: lambda: worst_leakage(readout.code, p.beta)}, derived=[leak],
    grid=points("N rho risk_0", (10, 0, "1/10"), (5, "1/2", "1/2"), (65, "-1/64", "1/257"), (101, "9/10", "1/10001")),
    construct=construct, measure=measure, controls=[
        Control("the temperature for a leakage", breaks=[risk, own, plain], construct=lambda p: construct(p, 2)),
        Control("no rescaling", asserts=[risk.equals(risk_0)], breaks=risk, measure=unscaled),
        Control("the leakage squared", asserts=[plain.equals(leak**2)], breaks=plain),
    ],
)
