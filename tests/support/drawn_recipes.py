"""One recipe that draws of every kind, with the value it estimates, and the climb of its ladder."""

import numpy as np

from theorytools.claims.language.estimate import Budget, Estimate
from theorytools.statistics.sampled import (
    bounded_mean,
    gaussian_mean,
    gaussian_variance,
    lower_mean,
    proportion,
    truncated_mean,
    truncation_excess,
)

ALPHA = 0.05
SEED = np.random.SeedSequence(2503)


def square(rng, size):
    """Z = (chi2_8 - 8)^2 / 12: unbounded, E Z = 16/12, E Z^2 = (12 * 8^2 + 48 * 8)/144 = 8."""
    return (rng.chisquare(8, size) - 8) ** 2 / 12


def uniform(rng, size):
    return rng.random(size)


def coin(rng, size):
    return rng.random(size) < 0.1


def residual(rng, size):
    return 3 * rng.standard_normal(size)


EXCESS = truncation_excess(8, 2, 10)  # 8/40
RECIPES = {
    "bounded": (lambda draw, seed=None: bounded_mean(draw, seed, low=0, high=1), uniform, 0.5),
    "lower": (lambda draw, seed=None: lower_mean(draw, seed, tau=10), square, 4 / 3),
    "truncated": (lambda draw, seed=None: truncated_mean(draw, seed, tau=10, excess=EXCESS), square, 4 / 3),
    "proportion": (proportion, coin, 0.1),
    "variance": (gaussian_variance, residual, 9.0),
    "mean": (lambda draw, seed=None: gaussian_mean(draw, seed, sigma=3), residual, 0.0),
}


def climb(recipe, samples=5000, alpha=ALPHA) -> list[Estimate]:
    return list(recipe.steps(alpha, Budget(samples=samples)))
