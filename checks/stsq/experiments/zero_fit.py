r"""Experiment C: two numbers read off the trained weights predict the loss at the training length and beyond it.

Setting    The layers of experiments, $T=20$, at the end of training, tested at $T'=20,30,40$.
Statement  Loss over prediction is within 10 % of 1, without a fit. Predicted from $(\alpha,\beta)$: gauss and rad by
           $d\,\mathbb{E}\sum_i(\alpha a_i-\tau_i)^2$ with the score vectors' law, orth by the closed form of ood_fixed.
           With batch 64 the loss at $T'=20$ exceeds it by more than 10 %.
Witness    Five trained layers of each kind.
Measured   The loss on 4096 fresh prompts; geometric means of the ratios with 95 % t-intervals.
Control    Untrained weights; the formula of fresh orthonormal encodings; $\alpha=1$; batches of 256 for small ones.
Reads      Rule and tolerance are the sweep's: $\frac1{10}$ holds the excess of batch noise, which the formulas leave
           out. Expectations for gauss and rad are means of 20000 and 4000 draws.
"""

from fractions import Fraction
from functools import cache

import numpy as np
from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.stsq.selection.length_generalisation import FreshEncodings, SeenPositions
from theorytools.statistics.t_intervals import geometric_mean

from ..notation import T_1
from ..sweeps._selection import bank_loss, score_vectors
from .experiments import ARMS, construct

ratio = Quantity("ratio", r"L_{T'}/L_{T'}(\alpha,\beta)", "loss over prediction", (0, None))
DRAWS = {"gauss": 20_000, "rad": 4_000}


@cache
def bank(arm, length, spec):
    return score_vectors(dict(spec), np.random.default_rng(length), DRAWS[arm], length)


def predicted(spec, arm, row, length, alpha, formula):
    alpha, beta = alpha or row["alpha"], row["beta"]
    if formula:
        return float(FreshEncodings(20, 3, 5).loss(length, Fraction(float(np.exp(beta))), Fraction(alpha)))
    if arm == "orth":
        return float(SeenPositions(20, length, 3, 5).loss(Fraction(float(np.exp(beta / 20))), Fraction(alpha)))
    law = tuple((name, spec[name]) for name in ("encodings", "q", "d_e"))
    return bank_loss(bank(arm, length, law), alpha, beta, 3, 5)


def measure(record, p, batch="", alpha=None, formula=False, at=-1):
    found = []
    for trial in record.of(ARMS[p.arm] + batch):
        loss = trial.result["curve"][at]["loss"][trial.spec["lengths"].index(p.T_1)]
        found.append(loss / predicted(trial.spec, p.arm, trial.result["curve"][-1], p.T_1, alpha, formula))
    return {ratio: geometric_mean(found)}


grid = points("arm T_1", *[(arm, length) for arm in ("gauss", "rad", "orth") for length in (20, 30, 40)])
claim = Claim(
    "Experiment C",
    role="found", source="derived here: experiments",
    scope={"every arm and length T_1": "points", "every repeat": "recorded"},
    asserts=ratio.equals(1, within=Rational(1, 10)), construct=construct,
    measure=measure, grid=grid, listed=["arm", T_1], controls=[
        Control("untrained weights", breaks=ratio, measure=lambda record, p: measure(record, p, at=0)),
        Control("fresh orthonormal encodings", breaks=ratio, where=T_1 > 20,
                measure=lambda record, p: measure(record, p, formula=True)),
        Control("the scale 1", breaks=ratio, where=Eq(T_1, 20), measure=lambda record, p: measure(record, p, alpha=1)),
    ],
)
small = Claim(
    "Experiment C, small batches",
    role="found", source="derived here: experiments",
    scope={"every arm, T_1": "points", "every repeat": "recorded"},
    asserts=ratio >= Rational(11, 10), construct=construct,
    measure=lambda record, p: measure(record, p, ", batch 64"), listed=["arm", T_1],
    grid=points("arm T_1", ("gauss", 20)),
    controls=[Control("batches of 256", breaks=ratio, measure=measure)],
)
