r"""How much the loss left by $n$ random prompts varies with the data: its mean and variance at a fixed link.

Setting    As in Theorem 6, with $n\le p=Nd$, $p\ge2$, Gaussian training prompts and a fixed unit vector $u$.
Statement  $E\,D(u)=1-\frac n{Nd}$, $\operatorname{Var}D(u)=\frac{2n(p-n)(d-1)}{p^2(p-1)(p+2)}$; so the standard
           deviation is at most $\sqrt{(d-1)/2}/(Nd)$.
Proof      $N(1-D(u))=\operatorname{tr}(\Pi Q)$, $\Pi$ the projector on the row space of $X$, of rank $n$ with
           probability 1 and uniform, $Q$ a fixed one of rank $N$. By invariance under rotations
           $E\Pi_{ij}\Pi_{kl}=a\delta_{ij}\delta_{kl}+b(\delta_{ik}\delta_{jl}+\delta_{il}\delta_{jk})$; traces give
           $ap^2+2bp=n^2$, $ap+b(p+p^2)=n$; $E\operatorname{tr}(\Pi Q)^2=aN^2+2bN$. The rest is arithmetic: $n(p-n)\le
           \frac14p^2$ and $(p-1)(p+2)\ge p^2$ for $p\ge2$ give the standard deviation.
Measured   Exactly, from zonal polynomials; again from the two equations that the invariance of $\Pi$ under rotations,
           $\Pi^2=\Pi$ and its trace leave for its fourth moments. On simulated data: $D(e_1)$, and its variance as the
           mean over data of the variance over $u$, $\frac2{N^2d(d+2)}(\operatorname{tr}M^2-\frac{n^2}d)$; for by
           Theorem 6 the mean over $u$ is the same for all data, and the law of the data prefers no $u$.
Control    Prompts taken as independent lines (factor $\frac{p-n}{p-1}$ dropped); complex tokens; a prompt too many;
           prompts that repeat one token; $u$ chosen after the data; one prompt more than $n$.
Reads      The law is derived here; the paper states the lower bound on the supremum.
"""

from fractions import Fraction

import numpy as np
from sympy import Rational

from theorytools import Anchor, Claim, Control, Quantity, grid, points
from theorytools.numbers import solve_rational
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


def by_invariance(moments, p):
    r"""The same from E Pi_ij Pi_kl = a [ij][kl] + b([ik][jl] + [il][jk]), summed to tr(Pi)^2 = n^2 and tr(Pi^2) = n."""
    size = p.N * p.d
    a, b = solve_rational([[size**2, 2 * size], [size, size + size**2]], [p.n**2, p.n])
    square = a * p.N**2 + 2 * b * p.N  # E tr(Pi Q)^2 for a projector Q of rank N
    return {mean: 1 - Fraction(p.n, size), spread: square / p.N**2 - Fraction(p.n, size) ** 2}


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
    scope={"every N, d, n": "proof", "every data set": "closed form"},
    asserts=[mean.equals(floor), spread.equals(formula)], requires=[n <= N * d, N * d >= 2],
    grid=grid(N=[2, 6, 10], d=[1, 2, 5], n=[1, 2])
    + points("N d n", (1, 5, 2), (2, 5, 7), (6, 2, 7), (6, 4, 9), (10, 5, 30), (100, 2, 64)),
    construct=lambda p: loss_moments(p.N, p.d, p.n), measure=exact, second=by_invariance,
    anchors=[Anchor("one prompt of one token in the plane", (Rational(1, 2), Rational(1, 8)),
                    {mean: Rational(1, 2), spread: Rational(1, 8)}, at={"N": 1, "d": 2, "n": 1},
                    source="by hand: the mean and the variance of the squared sine of a uniform angle")],
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
