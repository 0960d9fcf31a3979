r"""A random direction keeps $n$ independent Gaussian vectors apart: gaps of order $n^{-2}$, squared norm of order $n$.

Setting    Independent $x^{(1)},\dots,x^{(n)}\sim N(0,I_d)$, $v$ uniform on the sphere, $z_i=\langle v,x^{(i)}\rangle$.
Statement  With probability at least $1/3$ both $\min_{i\ne j}|z_i-z_j|\ge\epsilon=\frac{\sqrt\pi}{3n^2}$ and
           $\|z\|^2\le3n$. The argument gives $1/2$: close pairs have total probability
           $\binom n2\operatorname{erf}(\epsilon/2)\le\frac16$, and $\Pr(\|z\|^2>3n)\le\frac13$ (Markov).
Witness    Gaussian vectors projected on a normalised Gaussian direction.
Measured   The proportion of draws with both properties; and the two failure probabilities from their exact laws,
           $z_i-z_j\sim N(0,2)$ and $\|z\|^2\sim\chi^2_n$, enclosed.
Control    Ten times the gap; gaps of order $1/n$; a repeated vector; a direction that is not normalised; the variance
           of a difference taken as 1; the norm bound $n$.
Reads      Constants as transcribed, from the density $1/\sqrt{4\pi}$ at 0; $1/2$ is derived here.
"""

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, grid
from theorytools.numbers import chi_square_tail, pi
from theorytools.statistics.sampled import proportion

from .notation import d, n

apart = Quantity("separated", r"\Pr(\min|z_i-z_j|\ge\epsilon,\ \|z\|^2\le3n)", "over inputs and direction", (0, 1))
close = Quantity("close pairs", r"\textstyle\sum_{i<j}\Pr(|z_i-z_j|<\epsilon)", "union bound", (0, None))
long = Quantity("long projections", r"\Pr(\|z\|^2>3n)", "over inputs and direction", (0, 1))
failure = Quantity("failure", r"\text{sum of the two}", "an upper bound on the failure", (0, None))


def projected(rng, size, n, d, normalised=True, repeated=False):
    X, v = rng.standard_normal((size, n, d)), rng.standard_normal((size, d))
    if repeated:
        X[:, 0] = X[:, 1]
    return np.einsum("snd,sd->sn", X, v / np.linalg.norm(v, axis=1)[:, None] if normalised else v)


def measure(_, p, gap=None, **spoiled):
    least = np.sqrt(np.pi) / (3 * p.n**2) if gap is None else gap(p.n)

    def draw(rng, size):
        z = np.sort(projected(rng, size, p.n, p.d, **spoiled), axis=1)
        return (np.diff(z, axis=1).min(axis=1) >= least) & (np.square(z).sum(axis=1) <= 3 * p.n)

    return {apart: proportion(draw, p.seed("projections"))}


def laws(_, p, variance=2, level=3):
    def pairs():
        eps = pi().sqrt() / (3 * p.n**2)
        return (eps / Enclosure(2 * variance).sqrt()).apply("erf") * (p.n * (p.n - 1) // 2)

    def tail():
        return chi_square_tail(p.n, Enclosure(level * p.n))

    return {close: enclosed(pairs), long: enclosed(tail), failure: enclosed(lambda: pairs() + tail())}


claim = Claim(
    "Lemma 37",
    role="statement", source="published: Lemma 37; prose", scope={"every n, d": "points", "every data set": "drawn"},
    asserts=[apart >= Rational(1, 3), apart >= Rational(1, 2)], requires=[n >= 2],
    grid=grid(n=[2, 5, 10, 20], d=[1, 8]), construct=lambda p: None, measure=measure,
    controls=[
        Control("ten times the gap", breaks=apart,
                measure=lambda _, p: measure(_, p, lambda n: 10 * np.sqrt(np.pi) / (3 * n**2))),
        Control("gaps of order 1/n", breaks=apart, where=n >= 10,
                measure=lambda _, p: measure(_, p, lambda n: np.sqrt(np.pi) / (3 * n))),
        Control("a repeated vector", breaks=apart, measure=lambda _, p: measure(_, p, repeated=True)),
        Control("a direction that is not normalised", breaks=apart, where=(d >= 8) & (n >= 5),
                measure=lambda _, p: measure(_, p, normalised=False)),
    ],
)
exact = Claim(
    "Lemma 37, exact laws",
    role="variant", source="derived here: Lemma 37", scope={"every n": "points", "every data set": "closed form"},
    asserts=[close <= Rational(1, 6), long <= Rational(1, 3), failure <= Rational(1, 2)], requires=[n >= 2],
    grid=grid(n=[2, 3, 10, 100, 1000]), construct=lambda p: None, measure=laws,
    controls=[
        Control("the variance of a difference taken as 1", breaks=close, where=n >= 4,
                measure=lambda _, p: {**laws(_, p), close: laws(_, p, variance=1)[close]}),
        Control("ten times the gap", breaks=close, asserts=[close <= Rational(1, 60)]),
        Control("the norm bound n", breaks=[long, failure], where=n >= 10,
                measure=lambda _, p: {**laws(_, p, level=1), close: laws(_, p)[close]}),
    ],
)
