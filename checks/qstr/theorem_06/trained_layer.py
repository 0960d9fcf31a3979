r"""Descent with decay brings the trained first layer to the span of a fixed training set; AdamW keeps it outside.

Setting    As in theorem_06_trained: $\eta\lambda=\frac1{256}$, 2560 full-batch steps.
Statement  $\|W_\perp\|_F\le\frac1{1000}$ for $n<Nd$. After $8Nd$ prompts, $N=3$, the mean risk of descent is below
           $1-\frac1N$, the loss of ignoring the index: these networks do learn.
Adversary  Trained networks: 5 repeats at $Nd=24$, 3 at $Nd=48$.
Measured   $\|W_\perp\|_F$ of the floats that come out, in balls; the mean test risk with its 95 % t-interval.
Control    AdamW and no training, claimed in the span; shuffled labels and no training, claimed to learn; three quarters
           of the steps.
Reads      Statistic and rule are the sweep's. That descent ends in the span is a statement about these runs;
           theorem_06_trained has what follows from it.
"""

from fractions import Fraction

from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.numbers import between
from theorytools.statistics.t_intervals import repeat_mean

from ..notation import N, d, n
from .trained import construct, result, sets

outside = Quantity("outside the span", r"\|W_\perp\|_F", "norm after training", (0, None))
mean = Quantity("mean risk", r"\bar R", "over five networks", (0, None))


def distance(record, p, arm="descent"):
    ends = [Fraction(end) for end in result(record, p, arm=arm)["off"]]
    return {outside: enclosed(lambda: between(*ends))}


def decayed(record, p, steps=1920):
    """What is outside decays by 1 - 1/256 a step whatever the gradient, which lies in the span."""
    ends = [Fraction(end) * Fraction(255, 256) ** steps for end in result(record, p, arm="untrained")["off"]]
    return {outside: enclosed(lambda: between(*ends))}


def learnt(record, p, arm="descent"):
    return {mean: repeat_mean(record.values(arm, N=p.N, d=p.d, n=p.n))}


claim = Claim(
    "Theorem 6, trained first layers",
    role="found", source="derived here: Theorem 6",
    scope={"every N, d, n, repeat": "points", "every trained network": "recorded"},
    asserts=outside <= Rational(1, 1000), requires=[n < N * d],
    grid=points("N d n repeat", *sets), construct=construct, measure=distance,
    controls=[Control("AdamW", breaks=outside, measure=lambda record, p: distance(record, p, "adamw")),
              Control("no training", breaks=outside, measure=lambda record, p: distance(record, p, "untrained")),
              Control("three quarters of the steps, by the law of decay", breaks=outside, measure=decayed)],
)
learning = Claim(
    "Theorem 6, trained networks learn in the end",
    role="found", source="derived here: Theorem 6",
    scope={"every N, d, n": "points", "every trained network": "recorded"},
    asserts=mean <= 1 - 1 / N, requires=[Eq(n, 8 * N * d)],
    grid=points("N d n", (3, 8, 192)), construct=construct, measure=learnt,
    controls=[Control("shuffled labels", breaks=mean, measure=lambda record, p: learnt(record, p, "shuffled labels")),
              Control("no training", breaks=mean, measure=lambda record, p: learnt(record, p, "untrained"))],
)
