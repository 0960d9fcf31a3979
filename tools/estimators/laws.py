"""Laws whose numbers are known, to draw data sets from: what an estimator admits, and what it does not.

Every law returns ``size`` draws of a portable generator; ``mean`` is its mean, ``admitted`` whether the estimators that
use it promise anything under it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from theorytools.numbers import portable
from theorytools.numbers.draws import Draws


@dataclass(frozen=True)
class Law:
    label: str
    draw: Callable[[Draws, int], Any]
    mean: float
    admitted: bool = True

    def outside(self):
        """The same law, for an estimator that does not admit it."""
        return replace(self, admitted=False)


def coin(p):
    return Law(f"0 or 1, p = {p:g}", lambda rng, size: (rng.random(size) < p).astype(float), p)


def in_groups(law, group, label):
    """Draws that come in groups of equal ones: what is counted as ``size`` independent draws is not."""
    return Law(label, lambda rng, size: np.repeat(law.draw(rng, -(-size // group)), group)[:size], law.mean, False)


def exponential(rng, size):
    return -portable.log(1 - rng.random(size))


def cosine_square(rng, size, d=8):
    """The squared cosine of a uniform direction in ``d`` dimensions."""
    one, rest = rng.standard_normal(size) ** 2, rng.chisquare(d - 1, size)
    return one / (one + rest)


def clipped_error(rng, size, clip=3.0):
    """(y - h)^2 with y Gaussian and h = y + noise, clipped: the error of a read-out that answers at most ``clip``."""
    y = rng.standard_normal(size)
    return (y - np.clip(2 * y + rng.standard_normal(size), -clip, clip)) ** 2


def clipped_error_mean(clip=3.0):
    """The mean of :func:`clipped_error`: given y the answer is a clipped Gaussian, so one integral over y remains."""
    from scipy.integrate import quad
    from scipy.special import ndtr

    def phi(z):
        return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)

    def given(y):
        # E (clip(2y + g) - y)^2 = tails at +-clip, and E (y + g)^2 where a < g < b
        a, b = -clip - 2 * y, clip - 2 * y
        inside = (y * y + 1) * (ndtr(b) - ndtr(a)) + (a + 2 * y) * phi(a) - (b + 2 * y) * phi(b)
        return (clip + y) ** 2 * ndtr(a) + (clip - y) ** 2 * ndtr(-b) + inside

    return quad(lambda y: given(y) * phi(y), -9, 9, epsabs=1e-12, limit=200)[0]


UNIFORM = Law("uniform", lambda rng, size: rng.random(size), 0.5)
SKEWED = Law("skewed, u^8", lambda rng, size: rng.random(size) ** 8, 1 / 9)
COSINE = Law("squared cosine, d = 8", cosine_square, 1 / 8)
NEARLY_ONE = Law("1, rarely 0 (1 in 2,000)", lambda rng, size: (rng.random(size) >= 0.0005).astype(float), 0.9995)
SQUARES = Law("squared chi-square (8)", lambda rng, size: (rng.chisquare(8, size) - 8) ** 2 / 12, 4 / 3)
EXPONENTIAL = Law("exponential", exponential, 1.0)
PARETO = Law("Pareto, infinite variance", lambda rng, size: portable.exp(exponential(rng, size) / 1.5) - 1, 2.0)
ERRORS = Law("error of a clipped read-out", clipped_error, clipped_error_mean())


# -- repeats: a few numbers, one for each run ------------------------------------------------------------------------
def gaussian(rng, size):
    return rng.standard_normal(size)


def student(rng, size):
    """Student's t with 3 degrees of freedom, scaled to variance 1."""
    return rng.standard_normal(size) / np.sqrt(rng.chisquare(3, size))


def centred_exponential(rng, size):
    return exponential(rng, size) - 1


def slow_runs(rng, size):
    """0, but 1 for one run in five, scaled to mean 0 and variance 1: runs that learn, and runs that do not."""
    return ((rng.random(size) < 0.2) - 0.2) / 0.4


def of_tests(rng, size, tests=64, p=0.98):
    """The share of 64 tests that succeed, each with probability 0.98."""
    return (rng.random((size, tests)) < p).mean(axis=1)


def pairs_share(rng, size):
    """Gaussian repeats of which each two neighbours share half of their variance: one data set, two networks."""
    common = np.repeat(rng.standard_normal(-(-size // 2)), 2)[:size]
    return (common + rng.standard_normal(size)) / math.sqrt(2)


def all_share(rng, size):
    """Gaussian repeats that all share half of their variance: runs on one drawn task."""
    return (rng.standard_normal() + rng.standard_normal(size)) / math.sqrt(2)


NOISES = {
    "Gaussian": (gaussian, True),
    "heavy tails, t with 3": (student, False),
    "skewed, exponential": (centred_exponential, False),
    "learnt or not, 4 : 1": (slow_runs, False),
    "pairs share half the variance": (pairs_share, False),
    "all share half the variance": (all_share, False),
}
REPEATS = [
    *(Law(label, draw, 0.0, admitted) for label, (draw, admitted) in NOISES.items()),
    Law("log-normal, sigma = 1", lambda rng, size: portable.exp(rng.standard_normal(size)), math.exp(0.5), False),
    Law("share of 64 tests, p = 0.98", of_tests, 0.98, False),
]
