"""Intervals for bounded draws and proportions: coverage enumerated and measured with peeking, two routes, power."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import strategies as st
from interval_coverage import ALPHA, at_most, generator, misses_with_peeking
from properties import examples

from theorytools.numbers import Enclosure, at_precision
from theorytools.statistics import intervals
from theorytools.statistics.intervals import clopper_pearson, empirical_bernstein, epoch_level

# -- the empirical-Bernstein bound -----------------------------------------------------------------

WORDS = np.array(list(product([0.0, 1.0], repeat=12)))  # every outcome of 12 fair or unfair coins
HEADS = WORDS.sum(axis=1)


@pytest.mark.parametrize("p", [0.02, 0.2, 0.5, 0.9])
def test_the_bets_are_supermartingales(p):
    bets, gains, costs = intervals._parts(WORDS, math.log(2 / 0.3), 12)
    chance = p**HEADS * (1 - p) ** (12 - HEADS)
    for sign in (1, -1):
        wealth = np.exp(np.cumsum(sign * (gains - bets * p) - costs, axis=1))
        means = chance @ wealth
        # 2^12 terms of size about 1: rounding below 1e-12
        assert np.all(np.diff(means, prepend=1.0) <= 1e-12)


@pytest.mark.parametrize("p", [0.02, 0.1, 0.3, 0.5, 0.8, 0.97])
@pytest.mark.parametrize("alpha", [0.05, 0.3, 0.8])
def test_exact_miss_probability_of_twelve_coins(p, alpha):
    chance = p**HEADS * (1 - p) ** (12 - HEADS)
    low, high = empirical_bernstein(WORDS, alpha, low=0, high=1)
    assert chance[(p < low) | (p > high)].sum() <= alpha
    low, high = empirical_bernstein(WORDS, alpha, low=0, high=1, sides=1)
    assert chance[p < low].sum() <= alpha
    assert np.all(high == 1)


@pytest.mark.parametrize(("a", "b"), [(0.0, 1.0), (-3.0, 5.0), (1e6, 1e6 + 1)])
def test_rounding_is_covered_by_the_allowance(a, b):
    """The same bound in rationals and balls at 200 bits: the float interval contains it, and hardly more."""
    alpha, n = 0.01, 400
    x = a + (b - a) * generator(1).beta(0.5, 2, n)
    low, high = empirical_bernstein(x, alpha, low=a, high=b)
    unit = (x - a) / (b - a)
    t = np.arange(1, n + 1)
    bets = [Fraction(float(bet)) for bet in intervals._parts(unit, math.log(2 / alpha), n)[0]]
    centre = np.concatenate([[0.5], (0.5 + np.cumsum(unit)) / (t + 1)])  # the doubles in use
    samples = [(Fraction(v) - Fraction(a)) / (Fraction(b) - Fraction(a)) for v in x.tolist()]

    def exact():
        cost = (Enclosure(2) / Enclosure(Fraction(alpha))).log()
        for bet, v, m in zip(bets, samples, centre.tolist(), strict=False):
            cost = cost + (v - Fraction(m)) ** 2 * (-(1 - Enclosure(bet)).log() - bet)
        mean = sum(bet * v for bet, v in zip(bets, samples, strict=True)) / sum(bets)
        margin = cost / sum(bets)
        return [a + (Fraction(b) - Fraction(a)) * end for end in (mean - margin, mean + margin)]

    lower, upper = at_precision(200, exact)
    # the allowance of _ends, twice: for the errors it covers and for itself
    widest = Fraction(2 * ((5 * n + 48) * 2.0**-53 * (b - a) + 4 * 2.0**-53 * max(abs(a), abs(b))))
    assert Enclosure(float(low)).certainly_le(lower)
    assert lower.certainly_le(float(low) + widest)
    assert Enclosure(float(high) - widest).certainly_le(upper)
    assert upper.certainly_le(float(high))


@examples(25, shift=st.integers(-8, 8), power=st.integers(-6, 6), n=st.integers(1, 60), seed=st.integers(0, 99))
def test_equivariance_under_exact_maps(shift, power, n, seed):
    """Shifting and doubling the range moves the interval along, up to the allowance for rounding."""
    x = np.round(generator(seed).random(n) * 64) / 64
    scale = 2.0**power
    low, high = empirical_bernstein(x, 0.1, low=0, high=1)
    moved = empirical_bernstein((x + shift) * scale, 0.1, low=shift * scale, high=(shift + 1) * scale)
    # both ends may move by both allowances: (5n + 48 + 4 * 9) u each
    tolerance = 2 * (5 * n + 84) * 2.0**-53
    assert moved[0] / scale - shift == pytest.approx(float(low), abs=tolerance)
    assert moved[1] / scale - shift == pytest.approx(float(high), abs=tolerance)


LAWS = {
    "coin": (lambda g, shape: (g.random(shape) < 0.1) * 1.0, 0.1),
    "rare": (lambda g, shape: (g.random(shape) < 0.003) * 1.0, 0.003),
    "beta": (lambda g, shape: g.beta(0.2, 2, shape), 0.2 / 2.2),
    "flat": (lambda g, shape: g.random(shape), 0.5),
}


@pytest.mark.parametrize("law", LAWS)
def test_coverage_with_peeking_at_every_epoch(law):
    draw, mean = LAWS[law]
    x = draw(generator(2), (300, 4096)) * 8 - 3  # on [-3, 5]
    misses = misses_with_peeking(x, 8 * mean - 3, lambda y, alpha: empirical_bernstein(y, alpha, low=-3, high=5), 256)
    assert at_most(misses, 300)


def test_bounds_and_proportions_have_power():
    sigma, n = 0.3, 1 << 16
    x = (generator(4).random(n) < 0.1) * 1.0
    low, high = empirical_bernstein(x, 1e-6, low=0, high=1)
    ideal = sigma * math.sqrt(2 * math.log(2e6) / n)  # 0.00631
    # psi(l) <= l^2/2 (1 + l), l = sqrt(2 log(2e6)/n)/sigma = 0.07: 4 % on half of the margin; the estimated
    # sigma^2 (within 5 %) and the small first bets (0.25/t against sigma^2) give the rest
    assert (high - low) / 2 < 1.08 * ideal
    low, high = clopper_pearson(0, 1_000_000, 1e-6)
    assert low == 0
    # (1 - p)^n = alpha/2 solved: p = -log(5e-7)/n to relative 1e-5
    assert high == pytest.approx(math.log(2e6) / 1e6, rel=2e-5)
    low, high = clopper_pearson(100_000, 1_000_000, 1e-6)
    assert (high - low) / 2 < 1.01 * 4.8917 * 0.3 / 1000  # the normal quantile of 5e-7 is 4.8916
    # At ``alpha = 0.8`` some words do miss, so the enumeration can tell a wrong bound from a right one.
    low, high = empirical_bernstein(WORDS, 0.8, low=0, high=1)
    assert np.any((low > 0.3) | (high < 0.3))


# -- a proportion ----------------------------------------------------------------------------------
@pytest.mark.parametrize("alpha", [0.05, 0.4, 1e-9])
@pytest.mark.parametrize("n", [1, 2, 12, 31])
def test_binomial_tails_at_the_ends(n, alpha):
    """Second route: the tails summed in rationals are at most alpha/2, and within 2e-6 of it."""
    low, high = clopper_pearson(np.arange(n + 1), n, alpha)
    weight = [math.comb(n, i) for i in range(n + 1)]
    for k in range(n + 1):
        p, q = Fraction(low[k]), Fraction(high[k])
        above = sum(weight[i] * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))
        below = sum(weight[i] * q**i * (1 - q) ** (n - i) for i in range(k + 1))
        half = Fraction(alpha) / 2
        # 2^-20 is given away on purpose; at alpha = 1e-9 doubles near 1 are 1.1e-16 apart, and 1 - p is
        # at least alpha/(2n) = 1.6e-11, whose power n <= 31 moves by 31 * 1.1e-16/1.6e-11 < 1 %
        near = half * (1 - Fraction(2, 10**6)) if alpha > 1e-6 else half * Fraction(99, 100)
        assert (k == 0 and p == 0) or near <= above <= half
        assert (k == n and q == 1) or near <= below <= half


@pytest.mark.parametrize("p", [0.5, 0.1, 0.002])
def test_coverage_of_the_proportion_with_peeking(p):
    runs = 2000
    k, n = np.zeros(runs), 0
    missed = np.zeros(runs, dtype=bool)
    g = generator(5)
    for epoch in range(1, 9):
        size = max(n, 64)
        k, n = k + g.binomial(size, p, runs), n + size
        low, high = clopper_pearson(k, n, epoch_level(ALPHA, epoch))
        missed |= (p < low) | (p > high)
    assert at_most(int(missed.sum()), runs)
