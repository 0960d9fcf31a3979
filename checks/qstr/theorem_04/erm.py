r"""Transformers that minimise the empirical risk of eight labels have a risk below $1/N$, certified on drawn samples.

Setting    As in theorem_10_erm: one head, $d=q=1$, tokens and labels $\pm1$, codes of products at most $\frac12$. The
           class: all temperatures up to $2\log N$ (rounded up as there) and read-outs $|v|\le V$, $V\ge2$.
Statement  For $N\ge16$ and $n\ge8$ every minimiser has $R\le\frac1N$: the number of labels does not grow with
           $N$. Feedforward networks need $(1-\frac1N)N$ for that risk (Theorem 6, $d=1$).
Adversary  Branch and bound over $z=e^{-2\beta/d_e}$ in rationals; the read-out is a quadratic minimum, clipped.
Measured   The range of $R$, closed form in the code's weights, over all parameters within $2^{-13}$ of the
           least empirical risk.
Control    Half of the temperatures; $V=1$; uniform attention; labels of another position.
Reads      Samples are drawn, so nothing is said of all samples. Only temperature and read-out are learned, two of the
           parameters. $1/N$ is what theorem_04_frozen leaves at $\rho=\frac12$, chosen before these samples were drawn.
"""

from dataclasses import replace
from fractions import Fraction

from theorytools import Claim, Control, points

from ..notation import N, n
from ..theorem_10.erm import V, construct, minimisers_risk, risk


def measure(learner, p):
    return {risk: minimisers_risk(learner)}


claim = Claim(
    "Theorem 4, constrained minimisers at every length",
    role="statement", source="reconstructed: Theorem 4; prose",
    scope={"every N, n, d, q, V, trial": "points", "every sample": "drawn", "every minimiser": "enumeration"},
    asserts=risk <= 1 / N, requires=[n >= 8, N >= 16, V >= 2],
    grid=points("N n d q V trial", *((N, n, 1, 1, 2, s) for N, n, s in
                                     ((16, 8, 0), (16, 8, 1), (16, 32, 0), (64, 8, 0), (256, 8, 0)))),
    construct=construct, measure=measure, controls=[
        Control("half of the temperatures", breaks=risk, construct=lambda p: construct(p, top=1)),
        Control("a read-out that cannot rescale", breaks=risk, where=N <= 16,
                construct=lambda p: replace(construct(p), V=Fraction(1))),
        Control("uniform attention", breaks=risk, construct=lambda p: construct(p, top=0)),
        Control("labels of another position", breaks=risk, where=(N <= 16) & (n >= 32),
                construct=lambda p: construct(p, foreign=1)),
    ],
)
