"""A verdict as a reader sees it: short, as a table, as a data frame."""

from fractions import Fraction

import pytest

from theorytools import DomainError, Estimate, Evidence, Recipe, exactly, verify
from theorytools.claims.judging.picture import numbers
from theorytools.numbers import NEGATIVE_INFINITY, POSITIVE_INFINITY, End

INFINITE = {"-inf": NEGATIVE_INFINITY, "inf": POSITIVE_INFINITY}


@pytest.fixture(scope="module")
def verdict():
    return verify("qstr.lemma_11", N=[8, 16], q=1)


def test_a_verdict_prints_as_a_short_table(verdict):
    lines = repr(verdict).splitlines()
    own = [row for row in verdict.rows if not row.control]
    assert lines[0] == str(verdict)
    assert len(lines) == 1 + min(12, len(own)) + (len(own) > 12)
    assert "and 8 rows more in .rows" in lines[-1] or len(own) <= 12


def test_a_verdict_is_a_data_frame(verdict):
    frame = verdict.to_frame()
    assert len(frame) == len(verdict.rows)
    assert set(frame["N"]) == {8, 16}
    assert (frame["measured_low"] <= frame["measured_high"]).all()
    held = frame[(frame["relation"] == "<=") & (frame["control"] == "")]
    assert (held["measured_low"] <= held["bound_high"]).all()


def test_a_data_frame_of_polars_has_the_same_rows(verdict):
    one, other = verdict.to_frame(), verdict.to_frame("polars")
    assert other.columns == list(one.columns)
    assert other["measured_low"].to_list() == one["measured_low"].tolist()
    with pytest.raises(DomainError):
        verdict.to_frame("frames")


@pytest.mark.parametrize(
    ("text", "value"), [("8", 8), ("1/4", Fraction(1, 4)), ("rademacher", "rademacher"), ("-3", -3)]
)
def test_a_value_of_a_point_is_a_number_where_it_is_one(text, value):
    assert numbers({"x": text}) == {"x": value}


def test_a_recipe_is_a_number():
    import numpy as np

    from theorytools import BlockAttention
    from theorytools.codes.families import rademacher

    leakage = BlockAttention(rademacher(64, 67, np.random.default_rng(0)), beta=21.3, q=3, d=10).leakage()
    low, high = leakage.value.floats
    assert low <= float(leakage) <= high
    assert repr(leakage) == f"Recipe({leakage.value}, enclosed)"
    with pytest.raises(DomainError, match=r"recipe\.value"):
        _ = leakage.fraction
    assert exactly(3).fraction == 3


@pytest.mark.parametrize("ends", [("-inf", "inf"), (0, "inf"), (10**400, 10**400)])
def test_a_recipe_that_no_double_holds_is_refused_as_one(ends):
    low, high = (End(Fraction(end)) if isinstance(end, int) else INFINITE[end] for end in ends)
    recipe = Recipe(Evidence.ENCLOSED, lambda alpha, budget: iter([Estimate(low, high, Evidence.ENCLOSED)]))
    with pytest.raises(DomainError, match=r"recipe\.value"):
        float(recipe)
    with pytest.raises(DomainError):
        _ = recipe.fraction


def test_the_middle_of_large_ends_does_not_overflow():
    low, high = End(Fraction(17 * 10**307)), End(Fraction(171 * 10**306))
    recipe = Recipe(Evidence.ENCLOSED, lambda alpha, budget: iter([Estimate(low, high, Evidence.ENCLOSED)]))
    assert 1.7e308 <= float(recipe) <= 1.71e308
