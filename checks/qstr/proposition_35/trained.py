r"""The states of trained recurrent networks carry what their answers need.

Setting    General 1STR, one payload a token; a bidirectional GRU or LSTM trained on it. $v$ collects the two states
           before the last cell, $\lambda_i$ are its second moments in an orthonormal basis, $\Lambda$ is a Lipschitz
           constant of the answer in $v$.
Statement  For every $\eta>0$, $(N-1)\log\frac1{\sqrt{c'}+\Lambda\eta}\le R(\lambda,\eta^2)$, the reverse water-filling
           rate; $c'=\frac N{N-1}c$ with the mean squared error $c$.
Adversary  Networks that were trained, for which nothing else is known.
Measured   The least slack over six resolutions, $0.05\le\Lambda\eta\le0.8$, in nats: $\Lambda$ from certified spectral
           norms; moments and error by confidence sequences on fresh prompts, in a basis found on other prompts.
Control    $0.003\,\Lambda$ in place of $\Lambda$; the need of a prompt a thousand times as long.
Reads      Predictions are clipped to $[-3,3]$. Error and moments are pooled over positions, which are side information.
           The form is derived here. The networks are small because the inequality has much room: with 48 units even
           $0.003\,\Lambda$ passes.
"""

from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import Budget
from theorytools.papers.qstr.training.trained_source import trained_source

from ..notation import N
from ._trained_state import StateInequality

slack = Quantity("slack", r"\min_\eta\,R-(N-1)\log\frac1{\sqrt{c'}+\Lambda\eta}", "nats carried beyond the need")


def construct(p, scale=1, longer=1) -> StateInequality:
    cell = {"architecture": p.cell, "N": p.N, "d": 1, "d_e": 6, "width": p.d_h, "lr": Fraction(1, 50), "batch": 128}
    module, source = trained_source(cell, p.seed("network"), steps=p.steps)
    net = StateInequality.with_basis(module, source, p.N, np.random.default_rng(p.seed("basis")))
    return net.changed(scale=Fraction(scale), payloads=longer * (p.N - 1))


def measure(net, p):
    return {slack: net.slack(p.seed("prompts"))}


claim = Claim(
    "Proposition 35, trained",
    role="found", source="derived here: Proposition 35",
    scope={"every cell, N, d_h, steps": "points", "every trained network": "drawn", "every prompt": "drawn"},
    asserts=[slack >= 0], construct=construct, measure=measure,
    requires=[N >= 2], budget=Budget(samples=2**18),
    grid=points("cell N d_h steps", ("gru", 4, 16, 250), ("lstm", 3, 8, 250)),
    controls=[
        Control("0.003 of the slope", breaks=slack, construct=lambda p: construct(p, scale=Fraction(3, 1000))),
        Control("a prompt a thousand times as long", breaks=slack, construct=lambda p: construct(p, longer=1000)),
    ],
)
