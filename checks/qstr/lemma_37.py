r"""A random direction keeps $n$ independent Gaussian vectors apart: gaps of order $n^{-2}$, squared norm of order $n$.

Setting    Independent $x^{(1)},\dots,x^{(n)}\sim N(0,I_d)$, $v$ uniform on the sphere, independent of them,
           $z_i=\langle v,x^{(i)}\rangle$.
Statement  For every $n$ and $d$, with probability at least $1/2$, so at least the printed $1/3$, both $\min_{i\ne
           j}|z_i-z_j|\ge\epsilon=\frac{\sqrt\pi}{3n^2}$ and $\|z\|^2\le3n$.
Proof      Given $v$ the $z_i$ are independent and $N(0,1)$. A pair has $z_i-z_j\sim N(0,2)$, whose density is at most
           $\frac1{\sqrt{4\pi}}$, so it is closer than $\epsilon$ with probability $\operatorname{erf}(\epsilon/2)\le
           \frac{\epsilon}{\sqrt\pi}=\frac1{3n^2}$, and some of the $\binom n2$ pairs with $\frac16$ at most; $\mathbb
           E\|z\|^2=n$, so $\Pr(\|z\|^2>3n)\le\frac13$ (Markov). $1-\frac16-\frac13=\frac12$.
Witness    Gaussian vectors projected on a normalised Gaussian direction.
Measured   The proportion of draws with both properties; and the two failure probabilities from their exact laws,
           $z_i-z_j\sim N(0,2)$ and $\|z\|^2\sim\chi^2_n$, enclosed.
Control    Ten times the gap; gaps of order $1/n$; a repeated vector; a direction that is not normalised; the variance
           of a difference taken as 1; the norm bound $n$.
Reads      Separation, $\frac13$ and $\|z\|\le O(\sqrt n)$ are printed; 3 and the probability $\frac12$ are derived
           here.
"""

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Projections:
    """The law of the projections of n vectors in d dimensions: the direction normalised or not, a vector repeated."""

    n: int
    d: int
    normalised: bool = True
    repeated: bool = False

    def draw(self, rng, size):
        """The sorted projections of so many draws, shape ``(size, n)``."""
        X, v = rng.standard_normal((size, self.n, self.d)), rng.standard_normal((size, self.d))
        if self.repeated:
            X[:, 0] = X[:, -1]
        v = v / np.linalg.norm(v, axis=1)[:, None] if self.normalised else v
        return np.sort(np.einsum("snd,sd->sn", X, v), axis=1)


def construct(p, **spoiled) -> Projections:
    return Projections(p.n, p.d, **spoiled)


def measure(law, p, gap=None):
    least = np.sqrt(np.pi) / (3 * p.n**2) if gap is None else gap(p.n)

    def draw(rng, size):
        z = law.draw(rng, size)
        near = np.diff(z, axis=1).min(axis=1, initial=np.inf)  # one vector has no pair
        return (near >= least) & (np.square(z).sum(axis=1) <= 3 * p.n)

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
    role="statement", source="published: Lemma 37; prose", scope={"every n, d": "proof"},
    asserts=[apart >= Rational(1, 3), apart >= Rational(1, 2)],
    grid=grid(n=[1, 2, 5, 10, 20], d=[1, 8]), construct=construct, measure=measure,
    controls=[
        Control("ten times the gap", breaks=apart, where=n >= 2,
                measure=lambda law, p: measure(law, p, lambda n: 10 * np.sqrt(np.pi) / (3 * n**2))),
        Control("gaps of order 1/n", breaks=apart, where=n >= 10,
                measure=lambda law, p: measure(law, p, lambda n: np.sqrt(np.pi) / (3 * n))),
        Control("a repeated vector", breaks=apart, where=n >= 2, construct=lambda p: construct(p, repeated=True)),
        Control("a direction that is not normalised", breaks=apart, where=(d >= 8) & (n >= 5),
                construct=lambda p: construct(p, normalised=False)),
    ],
)
exact = Claim(
    "Lemma 37, exact laws",
    role="variant", source="derived here: Lemma 37", scope={"every n": "proof"},
    asserts=[close <= Rational(1, 6), long <= Rational(1, 3), failure <= Rational(1, 2)],
    grid=grid(n=[1, 2, 3, 10, 100, 1000]), construct=lambda p: None, measure=laws,
    controls=[
        Control("the variance of a difference taken as 1", breaks=close, where=n >= 4,
                measure=lambda _, p: {**laws(_, p), close: laws(_, p, variance=1)[close]}),
        Control("ten times the gap", breaks=close, where=n >= 2, asserts=[close <= Rational(1, 60)]),
        Control("the norm bound n", breaks=[long, failure], where=n >= 10,
                measure=lambda _, p: {**laws(_, p, level=1), close: laws(_, p)[close]}),
    ],
)
