"""Intervals for Gaussian means and variances: tails against Poisson sums, exact coverage, peeking, power."""

import math
from fractions import Fraction

import numpy as np
import pytest
from interval_coverage import ALPHA, at_least, at_most, generator, misses_with_peeking
from scipy.special import gammainccinv, gammaincinv

from theorytools.numbers import Enclosure, at_precision
from theorytools.statistics import intervals
from theorytools.statistics.intervals import gaussian_mean_interval, gaussian_variance_interval


def poisson_below(a, x):
    """The chance of fewer than ``a`` Poisson events at rate ``x``, which is the Gamma tail above ``x``."""
    term = total = (-Enclosure(x)).exp()
    for i in range(1, a):
        term = term * Enclosure(x) / i
        total = total + term
    return total


@pytest.mark.parametrize("level", [0.2, 0.01, 1e-9])
@pytest.mark.parametrize("a", [1, 2, 7, 50, 600])
def test_gamma_tails_against_the_poisson_sum(a, level):
    """Second route for integer shape, in balls at 200 bits: a bound, and a tight one."""
    for above, x in ((True, float(gammainccinv(a, level))), (False, float(gammaincinv(a, level)))):
        if not (x > a if above else x < a):
            continue
        upper_tail = at_precision(200, lambda x=x: poisson_below(a, x))
        tail = upper_tail if above else 1 - upper_tail
        bound = intervals._gamma_tail(float(a), x, above=above)
        assert tail.certainly_le(bound)
        # the rounding allowance 8u(a log x + x + lgamma a) is the whole excess: below 2e-11 at a = 600
        assert Enclosure(bound).certainly_le(tail * (1 + Fraction(1, 10**10)))


@pytest.mark.parametrize("alpha", [0.05, 1e-9])
@pytest.mark.parametrize("n", [2, 20, 400])
def test_chi_square_tails_at_the_ends(n, alpha):
    """If the variance were the returned end, the sum of squares would be beyond with chance alpha/2."""
    r = np.full(n, 1.5)
    low, high = gaussian_variance_interval(r, alpha)
    at_low = at_precision(200, lambda: poisson_below(n // 2, Fraction(9, 8) * n / Fraction(float(low))))
    at_high = at_precision(200, lambda: 1 - poisson_below(n // 2, Fraction(9, 8) * n / Fraction(float(high))))
    for tail in (at_low, at_high):
        assert tail.certainly_le(Fraction(alpha) / 2)
        # slack of 1.01 (n + 8) u in the end moves the tail by at most that times x = 400: 2e-11; steps alike
        assert Enclosure(Fraction(alpha) / 2).certainly_le(tail * (1 + Fraction(1, 10**9)))


@pytest.mark.parametrize("n", [50, 51])
def test_the_variance_interval_is_exact(n):
    """Misses neither too often nor too rarely: at fixed n the miss probability is alpha."""
    runs = 4000
    low, high = gaussian_variance_interval(3 * generator(6).standard_normal((runs, n)), ALPHA)
    misses = int(((low > 9) | (high < 9)).sum())
    assert at_most(misses, runs)
    assert at_least(misses, runs)


def test_the_mean_interval_is_exact():
    runs = 4000
    x = 3 * generator(7).standard_normal((runs, 50)) + 2
    low, high = gaussian_mean_interval(x, ALPHA, sigma=3)
    misses = int(((low > 2) | (high < 2)).sum())
    assert at_most(misses, runs)
    assert at_least(misses, runs)


def test_gaussian_intervals_cover_have_power_and_shrink_to_nothing():
    x = generator(8).standard_normal((400, 4096))
    assert at_most(misses_with_peeking(x, 1.0, gaussian_variance_interval, 32), 400)
    mean = lambda y, alpha: gaussian_mean_interval(y, alpha, sigma=1)  # noqa: E731
    assert at_most(misses_with_peeking(x, 0.0, mean, 32), 400)
    n, z = 1 << 16, 4.8917
    x = generator(9).standard_normal(n)
    low, high = gaussian_variance_interval(x, 1e-6)
    # S/n (1 ± z sqrt(2/n)) to first order: 0.027; the second order z^2 2/n and S/n = 1 ± 0.03 are below 5 %
    assert (high - low) / 2 < 1.05 * z * math.sqrt(2 / n)
    low, high = gaussian_mean_interval(x, 1e-6, sigma=1)
    assert (high - low) / 2 < 1.0001 * z / math.sqrt(n)
    low, high = gaussian_variance_interval(np.zeros(100), 0.01)
    assert low == 0
    assert 0 < high < 1e-300


def test_residuals_that_are_rounding_alone_exclude_no_variance_but_their_own():
    """Two hypotheses once passed for needed because a residual of 1e-16 was told from 0."""
    x = generator(8).standard_normal(200)
    plain = gaussian_variance_interval(x, 1e-6)
    low, high = gaussian_variance_interval(x, 1e-6, 0.01)
    moved = [gaussian_variance_interval(x + 0.01 * s, 1e-6) for s in (np.sign(x), -np.sign(x))]
    assert low <= min(plain[0], *(one[0] for one in moved))
    assert high >= max(plain[1], *(one[1] for one in moved))
    assert high < 1.1 * plain[1]
    assert gaussian_variance_interval(1e-16 * x, 1e-6, 1e-15)[0] == 0
