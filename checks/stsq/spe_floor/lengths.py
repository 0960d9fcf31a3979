r"""Experiment F: the floor falls like $1/d_e$ up to logarithms with the sum query, as fast as $d_e^{-3}$ with the dual.

Setting    As in spe_floor_sum and spe_floor: SPE, $T=64$, $n=T-q$; the least loss over all scales and a grid of inverse
           temperatures, relative to that of predicting 0.
Statement  Sum: within 15 % of $K\beta_0^2+\frac nqe^{-2\beta_0}$ at its least, $K=\frac{(q-1)(q-2)}{qd_e}$ for signs,
           $\frac{q-1}{d_e}$ for Gaussians: .238, .084, .0284 for signs at $q=4$, $d_e=64,256,1024$.  Selected scores
           are equal for two signs or one Gaussian: below $10^{-4}$ at $d_e=64$.  Dual, Gaussian: from
           $d_e=32$ to 64 the floor falls by 8 or more, by more than $d_e^{-3}$ does.
Witness    Five banks of drawn score vectors.
Measured   $\min_\beta1-\frac{B^2}{qA}$ of each bank; means with 95 % t-intervals, and the ratio of geometric means with
           Welch's.
Control    The dual query and the sum exchanged; half of $K$; one selected token more or two; inverse temperatures
           up to $\frac{21}2$.
Reads      Derived here.  15 % allows for the higher orders of the formula: the values above are 2 to 14 % above it.
           Gaussians at $d_e=256$, $q=2$ are open: spe_floor_lengths_open.  A bank shows a floor only where its draws
           fail often enough.
"""

from functools import cache

import numpy as np
from sympy import Rational, exp

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.papers.stsq.selection.population_descent import ScoreBank, draw_scores
from theorytools.statistics.t_intervals import ratio_interval, repeat_mean

from ..notation import T, beta_0, d_e, q, slope_K

least = Quantity("least loss", r"\min_{\alpha,\beta}\tfrac{qL}d", "of a bank of score vectors", (0, 1))
BETAS = np.concatenate([np.arange(2, 6, 0.125), np.arange(6, 14, 0.5)])


@cache
def floor(law, T, q, d_e, size, seed, coldest=14):
    rng = np.random.default_rng(seed)
    parts = [draw_scores(law, rng, min(size, 256), T=T, q=q, d_e=d_e) for _ in range(0, size, 256)]
    bank = ScoreBank(np.concatenate(parts), q)
    return min(1 - B * B / (q * A) for A, B, *_ in map(bank.moments, BETAS[coldest >= BETAS]))


fall = Quantity("fall", r"\ell(d_e)/\ell(2d_e)", "least loss over that at twice the dimension", (0, None))


def banks(p, law=None, more=0, double=1, coldest=14):
    law, seeds = law or p.law, p.seed("banks").generate_state(5)
    size = 2**15 if p.law == law == "gauss_dual" and p.d_e * double >= 64 else 2**11
    return [floor(law, p.T, p.q + more, p.d_e * double, size, int(seed), coldest) for seed in seeds]


def measure(thing, p, law=None, more=0, coldest=14):
    return {least: repeat_mean(banks(p, law, more, coldest=coldest))}


def falls(thing, p, law=None):
    return {fall: fitted(*ratio_interval(banks(p, law), banks(p, law, double=2)), level=0.95)}


def near(K):
    value = K * beta_0**2 + (T - q) / q * exp(-2 * beta_0)
    return least.equals(value, within=Rational(3, 20) * value)


claim = Claim(
    "Experiment F, sum query",
    role="growth", source="derived here: finite encodings",
    scope={"every law, T, q, slope_K, beta_0": "points", "every dimension d_e": "points", "every scale": "closed form",
           "every draw of encodings": "drawn"},
    asserts=near(slope_K / d_e),
    listed=["law", d_e, T, q, slope_K, beta_0], requires=[q < T], tier="minutes",
    construct=lambda p: None, measure=measure,
    grid=points("law d_e T q slope_K beta_0", ("rad_sum", 64, 64, 4, "3/2", "273/100"),
                ("rad_sum", 256, 64, 4, "3/2", "333/100"), ("rad_sum", 1024, 64, 4, "3/2", "393/100"),
                ("gauss_sum", 1024, 64, 2, 1, "444/100")),
    controls=[
        Control("the dual query", breaks=least, where=d_e <= 256,
                measure=lambda thing, p: measure(thing, p, "gauss_dual")),
        Control("half of K", breaks=least, asserts=[near(slope_K / d_e / 2)]),
        Control("two selected tokens more", breaks=least, where=d_e <= 256,
                measure=lambda thing, p: measure(thing, p, more=2)),
    ],
)
equal = Claim(
    "Experiment F, equal scores",
    role="variant", source="derived here: finite encodings",
    scope={"every law, T, q, d_e": "points", "every scale": "closed form", "every draw of encodings": "drawn"},
    asserts=least <= Rational(1, 10**4), tier="minutes",
    construct=lambda p: None, measure=measure, listed=["law", q], requires=[T <= 64, d_e >= 64, q < T],
    grid=points("law T q d_e", ("rad_sum", 64, 2, 64), ("gauss_sum", 64, 1, 64)),
    controls=[Control("one selected token more", breaks=least, measure=lambda thing, p: measure(thing, p, more=1)),
              Control("inverse temperatures up to 21/2", breaks=least,
                      measure=lambda thing, p: measure(thing, p, coldest=10.5))],
)
dual = Claim(
    "Experiment F, dual query",
    role="variant", source="derived here: finite encodings",
    scope={"every law, T, q": "points", "every dimension d_e": "points", "every scale": "closed form",
           "every draw of encodings": "drawn"},
    asserts=fall >= 8, tier="minutes",
    construct=lambda p: None, measure=falls, listed=["law", T, q, d_e],
    grid=points("law T q d_e", ("gauss_dual", 64, 4, 32)),
    controls=[Control("the sum", breaks=fall, measure=lambda thing, p: falls(thing, p, "gauss_sum"))],
)
