r"""With noise added to their states trained recurrent networks need no Lipschitz constant for a bound with power.

Setting    As in proposition_35_trained: general 1STR, one payload a token, a bidirectional GRU or LSTM trained on it.
           $\hat v$ is the pair of states $v$ before the last cell with noise $N(0,\sigma^2I)$ added, then shrunk;
           $\lambda_i$ are the second moments of $v$ in an orthonormal basis, $c'=\frac N{N-1}c_\sigma$ with the mean
           squared error $c_\sigma$ of the answers from $\hat v$.
Statement  For every $\sigma$, $\frac{N-1}2\log\frac1{c'}\le\sum_i\frac12\log(1+\frac{\lambda_i}{\sigma^2})$.
Adversary  Networks that were trained, for which nothing else is known.
Measured   The least slack over $\sigma=\frac1{20},\frac1{10},1$, in nats; moments and errors by confidence sequences on
           fresh prompts, basis and shrinkage from other prompts.
Control    Noise that is counted, and not added; the need of a prompt forty times as long.
Proof      The payloads $G$ of the other positions are $N(0,I_{N-1})$ and independent of the answering position's token
           and index, so $E\|\Phi(\hat v)-G\|^2\le Nc_\sigma$ for the vector $\Phi$ of answers to all indices, and the
           Gaussian rate-distortion function gives $I(G;\hat v)\ge\frac{N-1}2\log\frac1{c'}$. $I(G;\hat v)\le
           I(v;\hat v)\le\sum_i\frac12\log(1+\lambda_i/\sigma^2)$: of all laws with these moments a Gaussian one has the
           most entropy. Positions are pooled: $-\log$ is convex, $\log(1+\lambda)$ concave.
Reads      Derived here. proposition_35_trained uses certified spectral norms, and a need a thousand times as large
           would pass it; here one forty times as large does not. Twenty times as large leaves four of fifty
           trained networks undecided. What is left is what the states carry beside the payloads.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import Budget
from theorytools.papers.qstr.training.trained_source import trained_source

from ..notation import N
from ._noisy_state import NoisyStates

slack = Quantity("slack", r"\min_\sigma\,\sum_i\tfrac12\log(1+\lambda_i/\sigma^2)-\tfrac{N-1}2\log\tfrac1{c'}",
                 "nats carried beyond the need")


def construct(p, longer=1, silent=False) -> NoisyStates:
    lr = Fraction(1, 50) if p.N < 8 else Fraction(1, 100)
    cell = {"architecture": p.cell, "N": p.N, "d": 1, "d_e": max(6, p.N), "width": p.d_h, "lr": lr, "batch": 128}
    module, source = trained_source(cell, p.seed("network"), steps=p.steps)
    net = NoisyStates.drawn(module, source, p.N, np.random.default_rng(p.seed("basis")))
    return replace(net, payloads=longer * (p.N - 1), silent=silent)


def measure(net, p):
    return {slack: net.slack(p.seed("prompts"))}


claim = Claim(
    "Proposition 35, trained, noisy states",
    role="found", source="derived here: Proposition 35",
    scope={"every cell, N, d_h, steps": "points", "every trained network": "drawn", "every prompt": "drawn",
           "every noise": "points"},
    asserts=[slack >= 0], construct=construct, measure=measure,
    requires=[N >= 2], budget=Budget(samples=2**17),
    grid=points("cell N d_h steps", ("gru", 4, 16, 250)),
    controls=[
        Control("noise that is not added", breaks=slack, construct=lambda p: construct(p, silent=True),
                share=Fraction(4, 5)),  # left open under the other seeds
        Control("a prompt forty times as long", breaks=slack, construct=lambda p: construct(p, longer=40)),
    ],
)
