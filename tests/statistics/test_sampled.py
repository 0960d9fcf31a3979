"""Recipes that draw: repeatable, nested, jointly valid; unbounded laws; refusals."""

import math
from fractions import Fraction
from itertools import islice, pairwise

import numpy as np
import pytest
from drawn_recipes import ALPHA, EXCESS, RECIPES, SEED, climb, coin, square, uniform
from hypothesis import strategies as st
from interval_coverage import at_most
from properties import examples

from theorytools import BudgetError, DomainError, Enclosure
from theorytools.claims.language.estimate import Budget, Evidence, outward
from theorytools.claims.language.ladder import Ladder
from theorytools.numbers.draws import Draws
from theorytools.statistics import intervals
from theorytools.statistics.sampled import (
    bounded_mean,
    gaussian_mean,
    lower_mean,
    proportion,
    truncated_mean,
    truncation_excess,
)


# -- the ladder --------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", RECIPES)
def test_steps_are_repeatable_nested_and_counted(name):
    make, draw, _ = RECIPES[name]
    recipe = make(draw, SEED)
    first = climb(recipe)
    assert climb(recipe) == first
    assert [step.work["samples"] for step in first] == [1024, 2048, 4096, 5000]
    assert {(step.evidence, step.alpha) for step in first} == {(Evidence.SAMPLED, ALPHA)}
    assert recipe.evidence is Evidence.SAMPLED
    for wide, narrow in pairwise(first):
        assert wide.low <= narrow.low <= narrow.high <= wide.high
    assert list(islice(recipe.steps(ALPHA, Budget(samples=5000)), 2)) == first[:2]
    assert climb(recipe, samples=4096) == first[:3]  # another budget, the same stream
    assert climb(recipe, samples=7)[0].work["samples"] == 7
    assert Ladder(recipe, ALPHA, Budget(samples=4096)).at(2) == first[2]


def test_a_rung_is_the_interval_of_the_stream_so_far():
    """Second route: the batches drawn by hand, the interval function, the intersection."""
    rng = Draws(SEED)
    x = np.concatenate([rng.random(1024), rng.random(1024)])
    ends = [
        outward(*map(float, intervals.empirical_bernstein(x[:n], ALPHA / (j * (j + 1)), low=0, high=1)))
        for j, n in ((1, 1024), (2, 2048))
    ]
    step = climb(RECIPES["bounded"][0](uniform, SEED), samples=2048)[-1]
    assert step.low == float(max(low for low, _ in ends))
    assert step.high == float(min(high for _, high in ends))
    z = np.minimum(square(Draws(SEED), 1024), 10)
    low, _ = intervals.empirical_bernstein(z, ALPHA / 2, low=0, high=10, sides=1)
    assert climb(RECIPES["lower"][0](square, SEED), samples=1024)[0].low == outward(float(low), math.inf)[0]


@pytest.mark.parametrize("name", RECIPES)
def test_coverage_of_the_whole_ladder(name):
    """Rungs are nested, so the last one misses whenever any does."""
    make, draw, truth = RECIPES[name]
    runs = 120
    misses = 0
    for seed in np.random.SeedSequence([7, len(name)]).spawn(runs):
        last = climb(make(draw, seed), samples=2048)[-1]
        misses += not last.low <= truth <= last.high
    assert at_most(misses, runs)


# -- unbounded laws ----------------------------------------------------------------------------------
def test_lower_mean_needs_no_tail_and_says_so():
    first, *_, last = climb(lower_mean(square, SEED, tau=40), samples=1 << 16, alpha=1e-8)
    assert not last.high.finite
    assert last.work == {"samples": 1 << 16, "tau": 40.0, "upper": "infinite: no moment known"}
    assert first.low < last.low < 4 / 3
    # E min(Z, 40) >= E Z - 8/160 = 1.283.  Look 7, log(56/1e-8) = 22.4, sd(min(Z, 40)) <= sqrt(8): margin
    # sqrt(2 * 8 * 22.4/65536) = 0.074; bets of 0.43 of the range cost psi = 1.43 l^2/2 in place of l^2/2, so
    # 1.22 times that, and the first bets some more: below 0.1
    assert last.low > 1.283 - 0.1


def test_truncated_means_add_an_excess_that_is_proved():
    exact = [climb(truncated_mean(square, SEED, tau=10, excess=e))[-1] for e in (0, Fraction(1, 4), EXCESS)]
    grid = max(high - low for low, high in (step.floats for step in exact)) * 2.0**-11  # ends are rounded outward to it
    lows, highs = zip(*(step.floats for step in exact), strict=True)
    assert max(lows) - min(lows) <= grid
    assert highs[1] == pytest.approx(highs[0] + 0.25, abs=grid)
    assert highs[2] == pytest.approx(highs[0] + 0.2, abs=grid)
    # The test of the coverage test: E(Z - 1)_+ is not 0.
    misses = 0
    for seed in np.random.SeedSequence(8).spawn(60):
        last = climb(truncated_mean(square, seed, tau=1, excess=0), samples=2048)[-1]
        misses += not last.low <= 4 / 3 <= last.high
    assert not at_most(misses, 60)
    assert EXCESS.fraction() == Fraction(1, 5)
    # p = 3/2: (1/2)^(1/2) / ((3/2)^(3/2) tau^(1/2)), attained at z = 3 tau
    excess = truncation_excess(Enclosure(6).sqrt() ** 3, Fraction(3, 2), 2)
    assert excess.contains(4)
    assert excess.certainly_le(4 + 1e-12)


@examples(
    60, z=st.fractions(0, 100, max_denominator=16), tau=st.fractions(Fraction(1, 16), 50, max_denominator=16),
    p=st.integers(2, 6),
)  # fmt: skip
def test_truncation_excess_is_an_upper_bound_and_attained(z, tau, p):
    assert Enclosure(max(z - tau, 0)).certainly_le(truncation_excess(z**p, p, tau))
    top = p * tau / (p - 1)
    assert truncation_excess(top**p, p, tau).fraction() == top - tau


@pytest.mark.parametrize("seed", [None, 3, np.random.default_rng(3)])
@pytest.mark.parametrize("name", RECIPES)
def test_only_a_seed_sequence_seeds(name, seed):
    make, draw, _ = RECIPES[name]
    with pytest.raises(DomainError, match="SeedSequence"):
        make(draw, seed)


def spoiled(value, count=2):
    def draw(rng, size):
        x = rng.random(size)
        x[:count] = value
        return x

    return draw


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_draws_that_are_not_finite_are_refused(name, value):
    with pytest.raises(DomainError, match="2 of 1024 draws are not finite"):
        climb(RECIPES[name][0](spoiled(value), SEED))


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize(
    "draw",
    [lambda rng, size: rng.random((size, 1)), lambda rng, size: rng.random(size - 1), lambda rng, size: rng.random(),
     lambda rng, size: rng.random(size).astype(np.float32), lambda rng, size: rng.random(size) + 0j,
     lambda rng, size: {"u": rng.random(size)}, lambda rng, size: [None] * size],
)  # fmt: skip
def test_draws_of_another_shape_or_type_are_refused(name, draw):
    with pytest.raises(DomainError, match="a draw of"):
        climb(RECIPES[name][0](draw, SEED))


def test_draws_outside_the_law_are_refused():
    for value in (1.0000001, -1e-9):
        with pytest.raises(DomainError, match="2 of 1024 draws not in"):
            climb(RECIPES["bounded"][0](spoiled(value), SEED))
    for name in ("lower", "truncated"):
        with pytest.raises(DomainError, match="2 of 1024 draws are negative"):
            climb(RECIPES[name][0](spoiled(-1.0), SEED))
    with pytest.raises(DomainError, match="1024 of 1024 draws are neither 0 nor 1"):
        climb(proportion(uniform, SEED))
    with pytest.raises(DomainError, match="doubles hold exactly"):
        climb(gaussian_mean(lambda rng, size: np.full(size, 2**53 + 2), SEED, sigma=1))


def test_parameters_are_checked_before_anything_is_drawn():
    def never(rng, size):
        raise AssertionError("drawn")

    for low, high in ((1, 1), (2, 1), (0, math.inf), (math.nan, 1)):
        with pytest.raises(DomainError, match="range"):
            bounded_mean(never, SEED, low=low, high=high)
    for tau in (0, -1, math.inf, math.nan):
        with pytest.raises(DomainError, match="tau"):
            lower_mean(never, SEED, tau=tau)
        with pytest.raises(DomainError, match="sigma"):
            gaussian_mean(never, SEED, sigma=tau)
    for excess in (-1, math.inf, math.nan):
        with pytest.raises(DomainError, match="excess"):
            truncated_mean(never, SEED, tau=1, excess=excess)
    for arguments in ((1, 1, 1), (1, 2, 0), (-1, 2, 1), (math.inf, 2, 1), (1, math.nan, 1)):
        with pytest.raises(DomainError, match="moment"):
            truncation_excess(*arguments)
    with pytest.raises(BudgetError, match="0 samples"):
        climb(proportion(never, SEED), samples=0)


@pytest.mark.parametrize("alpha", [0.0, 1.0, math.nan])
def test_levels_are_checked(alpha):
    with pytest.raises(DomainError, match="alpha"):
        climb(proportion(coin, SEED), alpha=alpha)


def test_a_range_is_rounded_outward():
    """Between doubles the range reaches the next one: a draw there is inside, the one beyond is not."""
    third, above = Fraction(1, 3), math.nextafter(1 / 3, 1)
    assert Fraction(1 / 3) < third < Fraction(above)
    for value, inside in ((above, True), (-above, True), (math.nextafter(above, 1), False)):
        recipe = bounded_mean(lambda rng, size, value=value: np.full(size, value), SEED, low=-third, high=third)
        if inside:
            assert climb(recipe)[-1].low <= value <= climb(recipe)[-1].high
        else:
            with pytest.raises(DomainError, match="draws not in"):
                climb(recipe)
