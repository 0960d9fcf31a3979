"""The probability that all minimisers are good: a sample that no certificate decides counts for neither side."""

from fractions import Fraction
from importlib import import_module
from types import SimpleNamespace

import pytest
from shared_verdicts import entries

from theorytools import Budget
from theorytools.claims.papers.loading import load
from theorytools.statistics.intervals import clopper_pearson


def counted(ends, limit=Fraction(1, 2), alpha=1e-3):
    claim = load(entries()["qstr.theorem_04_erm"])
    share = import_module(claim.measure.__module__.rpartition(".theorem_04")[0] + "._share_of_samples").share
    learners = [SimpleNamespace(risk=lambda margin, e=e: e) for e in ends]
    return next(share(learners, limit).steps(alpha, Budget()))


GOOD, OPEN, BAD = (0, Fraction(1, 2)), (Fraction(1, 2), 1), (Fraction(2, 3), 1)  # equality is good; an open end is not


@pytest.mark.parametrize(("good", "undecided", "bad"), [(20, 0, 0), (17, 2, 1), (0, 20, 0), (3, 0, 17)])
def test_good_ones_bound_it_from_below_and_all_but_the_bad_ones_from_above(good, undecided, bad):
    found = counted([GOOD] * good + [OPEN] * undecided + [BAD] * bad)
    assert (found.work["good"], found.work["bad"]) == (good, bad)
    low, high = float(clopper_pearson(good, 20, 1e-3)[0]), float(clopper_pearson(20 - bad, 20, 1e-3)[1])
    a, b = found.floats
    assert 0 <= a <= low <= high <= b <= 1
    assert b - a <= (high - low) * (1 + 2**-10)  # rounded outward by no more than the grid of the interval


def test_an_open_sample_widens_the_interval_on_both_sides():
    sure, open_ = counted([GOOD] * 10 + [BAD] * 10), counted([GOOD] * 9 + [OPEN] * 2 + [BAD] * 9)
    assert open_.low < sure.low
    assert sure.high < open_.high
