r"""Recurrent networks that minimise the empirical risk of eight labels have a small risk, whatever the length.

Setting    Simple 1STR, $d=1$, tokens and labels $\pm1$, codes with gap $\gamma=\frac12$. The network that tracks
           positions (proposition_26) with two learned parameters: the slope $K\ge0$ of its gate and the read-out
           $|v|\le V$, $V\ge1$, of its state, to which position $j$ adds $x_j$, cut by
           $K(1-\langle\omega_t,\omega_j\rangle)$. All slopes from $1/\gamma$ on give one network.
Statement  For $N\ge16$ and $n\ge8$ every parameter within $2^{-13}$ of the least empirical risk has $R\le\frac1{512}$:
           the number of labels does not grow with $N$. Feedforward networks need $(1-\frac1{512})N$ (Theorem 6).
Adversary  Branch and bound over $K$ in rationals; the read-out is a quadratic minimum, clipped.
Measured   The range of $R$, closed form in the code's weights, over all these parameters.
Control    Slopes up to $\frac1{2\gamma}$ only; no gate; labels of another position; read-outs up to $\frac12$.
Reads      Samples are drawn, so nothing is said of all samples; two parameters of many are learned. What the class of
           the theorem costs in labels is in theorem_07.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, points

from .._two_parameters import GateLearner
from ..notation import N, n
from ..theorem_10.erm import V, minimisers_risk, risk


def construct(p, steepest=2, foreign=0) -> GateLearner:
    return GateLearner.drawn(p, (Fraction(-steepest), Fraction(0)), foreign=foreign, recurrent=True)


claim = Claim(
    "Theorem 7, constrained minimisers at every length",
    role="statement", source="reconstructed: Theorem 7; prose",
    scope={"every N, n, d, q, V, trial": "points", "every sample": "drawn", "every minimiser": "enumeration"},
    asserts=risk <= Rational(1, 512), requires=[n >= 8, N >= 16, V >= 1],
    grid=points("N n d q V trial", *((N, n, 1, 1, 1, s) for N, n, s in
                                     ((16, 8, 0), (16, 8, 1), (16, 32, 0), (64, 8, 0), (256, 8, 0), (1024, 8, 0)))),
    construct=construct, measure=lambda learner, p: {risk: minimisers_risk(learner)}, controls=[
        Control("gentle slopes", breaks=risk, where=N <= 64, construct=lambda p: construct(p, steepest=1)),
        Control("no gate", breaks=risk, construct=lambda p: construct(p, steepest=0)),
        Control("read-outs up to 1/2", breaks=risk, construct=lambda p: replace(construct(p), V=Fraction(1, 2))),
        Control("labels of another position", breaks=risk, where=N * n <= 128,
                construct=lambda p: construct(p, foreign=1)),
    ],
)
