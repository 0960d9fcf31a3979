r"""How much the loss left by $n$ random prompts varies with the data: its mean and variance at a fixed link.

Setting    As in Theorem 6, with $n\le p=Nd$ Gaussian training prompts and a fixed unit vector $u$.
Statement  $E\,D(u)=1-\frac n{Nd}$, $\operatorname{Var}D(u)=\frac{2n(p-n)(d-1)}{p^2(p-1)(p+2)}$; so the
           standard deviation is at most $\sqrt{(d-1)/2}/(Nd)$.
Witness    $N(1-D(u))=\operatorname{tr}(\Pi Q)$, $\Pi$ a uniform projector of rank $n$, $Q$ a fixed one of
           rank $N$.
Measured   Exactly, from zonal polynomials. On simulated data: $D(e_1)$, and its variance as the mean over
           data of the variance over $u$, $\frac2{N^2d(d+2)}(\operatorname{tr}M^2-\frac{n^2}d)$; for by
           Theorem 6 the mean over $u$ is the same for all data, and the law of the data prefers no $u$.
Control    Prompts taken as independent lines (factor $\frac{p-n}{p-1}$ dropped); complex tokens; a prompt too many;
           prompts that repeat one token; $u$ chosen after the data; one prompt more than $n$.
Reads      The law is derived here; the paper states the lower bound on the supremum.
"""

from fractions import Fraction

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, Quantity, grid, points
from theorytools.statistics.sampled import bounded_mean, columns
from theorytools.theory.first_layers.exact_span import loss_moments, pooled_blocks

from ..notation import N, d, n

mean = Quantity("mean loss", r"E\,D(u)", "over the training data, u fixed", (0, 1))
spread = Quantity("variance of the loss", r"\operatorname{Var}D(u)", "over the training data, u fixed")
floor = 1 - n / (N * d)
lines = 2 * n * (d - 1) / ((N * d) ** 2 * (N * d + 2))
formula = lines * (N * d - n) / (N * d - 1)


def exact(moments, p):
    return {mean: moments[0], spread: moments[1]}


def simulate(p, repeated=False, chosen=False):
    def draw(rng, size):
        X = rng.standard_normal((size, p.n, 1 if repeated else p.N, p.d))
        M = pooled_blocks(np.broadcast_to(X, (size, p.n, p.N, p.d)))
        loss = 1 - (np.linalg.eigvalsh(M)[:, 0] if chosen else M[:, 0, 0]) / p.N
        return {"loss": loss, "spread": (np.square(M).sum(axis=(1, 2)) - p.n**2 / p.d) * float(scale(p))}
    return columns(draw, p.seed("data"), "loss", "spread")


def scale(p):
    return Fraction(2, p.N**2 * p.d * (p.d + 2))


def estimate(simulated, p):
    loss, variance = simulated
    slack = Fraction(1, 10**9)  # for rounding; the ranges are 0 <= D <= 1 and n^2/d <= tr M^2 <= N tr M = N n
    most = scale(p) * (p.N * p.n - Fraction(p.n**2, p.d))
    return {mean: bounded_mean(loss, low=-slack, high=1 + slack),
            spread: bounded_mean(variance, low=-slack, high=most + slack)}


claim = Claim(
    "Theorem 6, law of the loss",
    role="variant", source="derived here: Theorem 6",
    scope={"every N, d, n": "points", "every data set": "closed form"},
    asserts=[mean.equals(floor), spread.equals(formula)], requires=[n <= N * d, N * d >= 2],
    grid=grid(N=[2, 6, 10], d=[1, 2, 5], n=[1, 2])
    + points("N d n", (1, 5, 2), (2, 5, 7), (6, 2, 7), (6, 4, 9), (10, 5, 30), (100, 2, 64)),
    construct=lambda p: loss_moments(p.N, p.d, p.n), measure=exact,
    controls=[
        Control("prompts taken as independent lines", breaks=spread, where=(n >= 2) & (d >= 2),
                asserts=[spread.equals(lines)]),
        Control("complex tokens", breaks=spread, where=(d >= 2) & (n < N * d),
                asserts=[spread.equals(n * (N * d - n) * (d - 1) / ((N * d) ** 2 * ((N * d) ** 2 - 1)))]),
        Control("one prompt more than n", breaks=mean, where=n < N * d, asserts=[mean.equals(floor)],
                construct=lambda p: loss_moments(p.N, p.d, p.n + 1)),
        Control("a prompt too many", breaks=mean, asserts=[mean.equals(1 - (n + 1) / (N * d))]),
    ],
)
simulated = Claim(
    "Theorem 6, law of the loss on simulated data",
    role="variant", source="derived here: Theorem 6", scope={"every N, d, n": "points", "every data set": "drawn"},
    asserts=[mean.equals(floor, within=floor / 50), spread.equals(formula, within=formula * Rational(3, 200))],
    requires=[n < N * d, d >= 2], grid=points("N d n", (6, 4, 9), (3, 5, 4), (2, 8, 6)),
    construct=simulate, measure=estimate,
    controls=[
        Control("prompts taken as independent lines", breaks=spread, where=n >= 2,
                asserts=[spread.equals(lines, within=formula * Rational(3, 200))]),
        Control("a variance 3 % larger", breaks=spread,
                asserts=[spread.equals(formula * Rational(103, 100), within=formula * Rational(3, 200))]),
        Control("prompts that repeat one token", breaks=spread, where=n < d,
                construct=lambda p: simulate(p, repeated=True)),
        Control("u chosen after the data", breaks=mean, construct=lambda p: simulate(p, chosen=True)),
    ],
)
