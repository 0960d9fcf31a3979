"""Two levels: the interval of a further value, and the ratio of deviations between worlds and within them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorytools import Budget
from theorytools.errors import DomainError
from theorytools.statistics.t_intervals import mean_interval
from theorytools.statistics.two_levels import further_interval, spread_ratio

VALUES = st.lists(st.integers(-1000, 1000).map(lambda i: i / 8), min_size=2, max_size=8)
CELLS = st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).standard_normal((2, 4, 3)))


def ends(made):
    return next(made.steps(0.0, Budget())).floats


@given(VALUES, st.floats(0.01, 0.99))
def test_a_further_value_scatters_more_than_the_mean_by_the_root_of_the_number_and_one(values, level):
    low, high = further_interval(values, level)
    mean_low, mean_high = mean_interval(values, level)
    assert low + high == pytest.approx(mean_low + mean_high, abs=1e-9)
    assert high - low == pytest.approx(math.sqrt(len(values) + 1) * (mean_high - mean_low), abs=1e-9)


@given(CELLS, st.floats(0.1, 10), st.floats(-5, 5))
def test_the_ratio_knows_neither_unit_nor_origin_nor_the_order_of_worlds(cells, scale, origin):
    low, high = ends(spread_ratio(cells.tolist()))
    assert 0 <= low <= high
    moved = scale * cells[:, ::-1, ::-1] + origin
    assert ends(spread_ratio(moved.tolist())) == pytest.approx((low, high), abs=2e-3 * (high - low))  # rounded outward


@given(CELLS)
def test_worlds_further_apart_have_a_larger_ratio(cells):
    centres = 5 * np.arange(4)[None, :, None]
    cells -= cells.mean(2, keepdims=True)
    near, far = ends(spread_ratio((cells + centres).tolist())), ends(spread_ratio((cells + 2 * centres).tolist()))
    assert near[0] < far[0]
    assert near[1] < far[1]


def test_the_ends_solve_fishers_equation():
    """By the distribution function itself, at both ends: F / (1 + r ratio^2) is a quantile."""
    from scipy.special import fdtr

    cells = np.random.default_rng(7).standard_normal((3, 5, 4)) + 2 * np.random.default_rng(8).standard_normal(
        (3, 5, 1)
    )
    means = cells.mean(2)
    between = 4 * means.var(axis=1, ddof=1).mean()
    within = cells.var(axis=2, ddof=1).mean()
    for end, share in zip(ends(spread_ratio(cells.tolist(), 0.9)), (0.95, 0.05), strict=True):
        assert fdtr(12, 45, between / within / (1 + 4 * end**2)) == pytest.approx(
            share, abs=1e-3
        )  # ends are rounded outward


def test_worlds_alike_give_a_lower_end_of_zero():
    assert ends(spread_ratio([[[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]]))[0] == 0


@pytest.mark.parametrize("cells", [[[[1.0, 2.0]]], [[[1.0], [2.0]]], [[[1.0, 2.0], [3.0]]], [], [[]],
                                   [[[1.0, 1.0], [2.0, 2.0]]], [[[1.0, math.nan], [2.0, 3.0]]]])  # fmt: skip
def test_what_has_no_two_levels_is_refused(cells):
    with pytest.raises(DomainError):
        spread_ratio(cells)


@pytest.mark.parametrize(
    ("values", "level"), [([1.0], 0.9), ([1.0, math.inf], 0.9), ([1.0, 2.0], 1.0), ([1.0, 2.0], 0)]
)
def test_what_has_no_further_value_is_refused(values, level):
    with pytest.raises(DomainError):
        further_interval(values, level)
