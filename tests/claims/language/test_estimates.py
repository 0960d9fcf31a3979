"""Ladders of estimates: nested, exact where the number is, blind to each other's precision."""

import math
import platform
from fractions import Fraction
from importlib import metadata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from properties import examples
from tiny import shrinking

from theorytools import Budget, DomainError, Estimate, Evidence, Recipe, enclosed, enclosed_between, exactly, observed
from theorytools.claims.language.bound import as_recipe, resolve
from theorytools.claims.language.estimate import certain, fitted, outward, unbounded
from theorytools.claims.language.ladder import Ladder
from theorytools.errors import DisjointError
from theorytools.numbers import (
    NEGATIVE_INFINITY,
    POSITIVE_INFINITY,
    Enclosure,
    End,
    at_precision,
    between,
    working_precision,
)

BUDGET = Budget(bits=512)


def steps(recipe, budget=BUDGET, alpha=1e-6):
    return list(recipe.steps(alpha, budget))


def root_two():
    return Enclosure(2).sqrt()


# -- identities and properties ---------------------------------------------------------------------------------
def test_exact_and_rational_numbers_end_the_ladder_and_evidence_is_ordered():
    # FITTED with the value 0 would be falsy and print as nothing
    assert all(Evidence)
    assert Evidence.FITTED < Evidence.OBSERVED < Evidence.SAMPLED < Evidence.ENCLOSED < Evidence.EXACT
    (step,) = steps(enclosed(lambda: Enclosure(4).sqrt()))
    assert step.evidence is Evidence.EXACT
    assert step.low == 2
    (step,) = steps(fitted(0.25, 0.5, window=[4, 24]))
    assert step.evidence is Evidence.FITTED
    assert step.work == {"window": [4, 24]}


@pytest.mark.parametrize("number", [3, Fraction(-1, 3), Enclosure(Fraction(1, 7)), 0, 10**400])
def test_an_exact_number_is_one_step(number):
    (step,) = steps(exactly(number))
    assert step.evidence is Evidence.EXACT
    assert step.low == step.high
    assert step.alpha == 0.0


def test_enclosures_refine_stay_nested_and_never_part():
    found = steps(enclosed(root_two), Budget(bits=500))
    assert [step.work["bits"] for step in found] == [64, 128, 256, 500]
    for wide, narrow in pairwise(found):
        assert wide.low <= narrow.low <= narrow.high <= wide.high
    assert all(step.evidence is Evidence.ENCLOSED for step in found)
    assert len(steps(enclosed(root_two), Budget(bits=32))) == 1
    # at 128 bits this recipe says less than at 64
    radius = {64: Fraction(1, 10), 128: Fraction(1, 2), 256: Fraction(1, 100), 512: Fraction(1)}

    def compute():
        here = radius[working_precision()]
        return between(1 - here, 1 + here)

    found = steps(enclosed(compute))
    for wide, narrow in pairwise(found):
        assert wide.low <= narrow.low <= narrow.high <= wide.high
    numbers = iter([Fraction(1, 3), Fraction(2, 3)])

    def compute():
        return root_two() + next(numbers)

    with pytest.raises(DisjointError, match="disjoint"):
        steps(enclosed(compute), Budget(bits=128))


def test_precision_leaks_neither_while_a_ladder_waits_nor_from_an_error():
    ladder, other = enclosed(root_two).steps(0.0, BUDGET), enclosed(root_two).steps(0.0, BUDGET)
    assert working_precision() == 53
    for _ in range(3):
        first = next(ladder)
        assert working_precision() == 53
        assert next(other) == first  # interleaved with its own twin
        assert at_precision(90, working_precision) == 90

    def fail():
        raise ValueError("no number")

    with pytest.raises(ValueError, match="no number"):
        next(enclosed(fail).steps(0.0, BUDGET))
    assert working_precision() == 53


@examples(40, st.integers(2, 10**6))
def test_a_root_lies_in_every_step(number):
    for step in steps(enclosed(lambda: Enclosure(number).sqrt())):
        low, high = Enclosure(step.low.value), Enclosure(step.high.value)
        assert at_precision(2000, lambda low=low: (low * low).certainly_le(number))
        assert at_precision(2000, lambda high=high: Enclosure(number).certainly_le(high * high))


def test_numbers_between_two_keep_exact_ends_and_undefined_ones_say_nothing():
    (step,) = steps(enclosed_between(lambda: Fraction(1, 3), lambda: Fraction(2, 3)))
    assert (step.low, step.high, step.evidence) == (Fraction(1, 3), Fraction(2, 3), Evidence.ENCLOSED)
    (step,) = steps(enclosed_between(lambda: Fraction(1, 3), lambda: Fraction(1, 3)))
    assert step.evidence is Evidence.EXACT
    found = steps(enclosed_between(lambda: 1, root_two))
    assert len(found) == 4
    assert all(step.low == 1 for step in found)
    assert found[-1].high < found[0].high
    with pytest.raises(ValueError, match="low <= high"):
        steps(enclosed_between(lambda: 2, lambda: 1))
    (*_, last) = steps(enclosed(lambda: Enclosure(-1).log()), Budget(bits=64))
    assert (last.low, last.high) == (NEGATIVE_INFINITY, POSITIVE_INFINITY)
    assert last.evidence is Evidence.ENCLOSED
    nothing = unbounded(Evidence.SAMPLED)
    assert nothing.floats == (-math.inf, math.inf)
    assert nothing.within(Estimate.of(3)).low == 3


def test_floats_are_rounded_outward_and_infinite_ends_stay():
    low, high = Estimate.of(Fraction(1, 3)).floats
    assert low < Fraction(1, 3) < high
    assert math.nextafter(low, 1) == high
    assert str(Estimate.of(Fraction(1, 2))) == "0.5"
    assert str(Estimate.of(Fraction(1, 3))) == "0.333333"
    assert str(Estimate(End(Fraction(1, 3)), End(Fraction(2, 3)), Evidence.SAMPLED)) == "[0.333333, 0.666667]"
    assert outward(-math.inf, math.inf) == (-math.inf, math.inf)
    assert outward(2.5, 2.5) == (2.5, 2.5)
    low, high = outward(0.3, math.inf)
    assert high == math.inf
    assert 0.3 * (1 - 2.0**-19) <= low <= 0.3
    assert outward(-math.inf, -0.3) == (-math.inf, -low)


# -- ladders -------------------------------------------------------------------------------------------------------
def test_a_ladder_remembers_its_steps_and_needs_recipes_with_ends_in_order():
    booked = []
    ladder = Ladder(shrinking(1, 3, 2, 1, booked=booked), 1e-9, BUDGET)
    assert ladder.at(1).work == {"samples": 2}
    assert [step.work["samples"] for step in ladder.climbed] == [1, 2]
    assert ladder.at(0) is ladder.climbed[0]
    assert ladder.best is ladder.climbed[1]
    assert ladder.at(7) is None
    assert len(ladder.climbed) == 3
    assert booked == [1e-9]
    with pytest.raises(DomainError, match="a ball at one precision"):
        as_recipe(root_two())
    with pytest.raises(TypeError, match="integer or a rational"):
        exactly(root_two())
    recipe = enclosed(root_two)
    assert as_recipe(recipe) is recipe
    assert as_recipe(root_two).evidence is Evidence.ENCLOSED
    with pytest.raises(ValueError, match="low <= high"):
        Estimate(End(2), End(1), Evidence.EXACT)
    assert isinstance(exactly(1), Recipe)


FLOATS = [0.5, float("nan"), math.inf, np.float64(0.5), np.float32(0.5), True, np.bool_(True), "1/2", None, 1j]


@pytest.mark.parametrize("number", FLOATS, ids=repr)
def test_a_float_never_becomes_an_exact_number(number):
    """Not directly, not out of a recipe, not as the value of a letter."""
    uses = [
        lambda: exactly(number), lambda: certain(number), lambda: as_recipe(number), lambda: resolve(number),
        lambda: steps(enclosed(lambda: number)), lambda: steps(enclosed_between(lambda: 0, lambda: number)),
        lambda: resolve(lambda: number), lambda: steps(as_recipe(lambda: number)),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(DomainError, match="not a certificate"):
            use()


@pytest.mark.parametrize("number", [3, np.int64(3), Fraction(1, 3), Enclosure(3)])
def test_exact_numbers_are_measured_values(number):
    assert steps(as_recipe(number))[0].evidence is Evidence.EXACT
    assert steps(as_recipe(lambda: number))[0].evidence is Evidence.EXACT


# -- intervals on a grid, runs in floats -------------------------------------------------------------------------------
@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e6))
def test_rounding_outward_contains_widens_little_and_forgets_last_bits(low, width):
    high = low + width
    assume(width > abs(low) * 2.0**-30)
    below, above = outward(low, high)
    assert below <= low <= high <= above
    assert above - below <= (high - low) * (1 + 2.0**-10)
    step = 2.0 ** (math.frexp(high - low)[1] - 12)
    assert (below / step, above / step) == (int(below / step), int(above / step))


def test_observed_numbers_name_their_machine_and_are_exact():
    for value in (Fraction(1, 3), lambda: Enclosure(2).sqrt(), exactly(7)):
        (kept, *_), (made, *_) = steps(as_recipe(value)), steps(observed(value, "numpy"))
        assert (made.low, made.high, made.evidence) == (kept.low, kept.high, Evidence.OBSERVED)
        assert made.work["numpy"] == metadata.version("numpy")
        assert made.work["machine"] == platform.machine()
        assert made.work["processor"]
    with pytest.raises(DomainError):
        observed(0.5, "numpy")
    with pytest.raises(DomainError, match="installed"):
        observed(Fraction(1, 2), "no-such-package")
