"""Intervals of every kind: spoiled methods miss too often, and what is outside the hypotheses is refused."""

import math
from fractions import Fraction

import numpy as np
import pytest
from interval_coverage import ALPHA, at_most, generator, misses_with_peeking
from refusals import refuses
from scipy.special import stdtrit

from theorytools.errors import DomainError
from theorytools.statistics.intervals import (
    clopper_pearson,
    empirical_bernstein,
    epoch_level,
    gaussian_mean_interval,
    gaussian_variance_interval,
)


# -- the tests of the tests ------------------------------------------------------------------------
def test_wrong_intervals_are_rejected():
    """The acceptance region has power: a fixed-n interval with peeking misses far too often."""
    x = generator(10).standard_normal((300, 500))
    n = np.arange(1, 501)
    mean = np.cumsum(x, axis=1) / n
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt((np.cumsum(x**2, axis=1) / n - mean**2) / (n - 1))
        missed = (np.abs(mean) > stdtrit(n - 1.0, 1 - ALPHA / 2) * error)[:, 9:]
    assert not at_most(int(missed.any(axis=1).sum()), 300)
    assert at_most(int(missed[:, -1].sum()), 300)  # the same interval read once is fine
    x = generator(11).standard_normal((400, 8192))
    assert not at_most(misses_with_peeking(x, 1.0, gaussian_variance_interval, 16, corrected=False), 400)
    # The largest of few draws is no bound: for a rare event the sample shows no spread at all.
    x = (generator(12).random((300, 64)) < 0.01) * 1.0
    missed = 0
    for row in x:
        top = row.max() or 1e-3
        low, high = empirical_bernstein(row, ALPHA, low=0, high=top)
        missed += not low <= 0.01 <= high
    assert not at_most(missed, 300)


def test_epochs_spend_alpha():
    assert sum(Fraction(1, j * (j + 1)) for j in range(1, 1000)) == 1 - Fraction(1, 1000)
    assert [epoch_level(0.3, j) for j in (1, 2, 9)] == pytest.approx([0.15, 0.05, 0.3 / 90], rel=4e-16)


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 2, math.nan])
def test_levels_outside_the_unit_interval_are_refused(alpha):
    refuses(
        DomainError, (lambda: empirical_bernstein([0.5], alpha, low=0, high=1), "alpha"),
        (lambda: clopper_pearson(1, 2, alpha), "alpha"), (lambda: gaussian_variance_interval([1.0], alpha), "alpha"),
        (lambda: gaussian_mean_interval([1.0], alpha, sigma=1), "alpha"),
    )  # fmt: skip


@pytest.mark.parametrize("bad", [1.0000001, -1e-300, math.nan, math.inf])
def test_samples_outside_the_range_are_refused(bad):
    with pytest.raises(DomainError, match=r"1 of 3 draws not in \[0, 1\]"):
        empirical_bernstein([0.5, bad, 1.0], 0.1, low=0, high=1)


@pytest.mark.parametrize(("low", "high"), [(1, 1), (1, 0), (0, math.inf), (-math.inf, 0), (math.nan, 1)])
def test_ranges_without_length_are_refused(low, high):
    with pytest.raises(DomainError, match="range"):
        empirical_bernstein([1.0], 0.1, low=low, high=high)


def test_other_refusals():
    for arguments in ((-1, 2), (3, 2), (0.5, 2), (0, 0), (math.nan, 2)):
        with pytest.raises(DomainError, match="successes"):
            clopper_pearson(*arguments, 0.1)
    for bad in ([], [math.nan], [1e200], 3.0):
        with pytest.raises(DomainError, match="samples of shape"):
            gaussian_variance_interval(bad, 0.1)
        with pytest.raises(DomainError, match="samples of shape"):
            gaussian_mean_interval(bad, 0.1, sigma=1)
    for sigma in (0, -1, math.inf, math.nan):
        with pytest.raises(DomainError, match="sigma"):
            gaussian_mean_interval([1.0], 0.1, sigma=sigma)
    with pytest.raises(DomainError, match="sides"):
        empirical_bernstein([0.5], 0.1, low=0, high=1, sides=3)
    with pytest.raises(DomainError, match="shape"):
        empirical_bernstein(0.5, 0.1, low=0, high=1)
