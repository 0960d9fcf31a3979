"""Planted falsehoods are found and shrunk to the simplest point; a true statement is left alone."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis.errors import InvalidArgument
from sympy import Eq, Rational, exp
from tiny import M, N, shrinking, tiny, value

from theorytools import Control, DomainError, Enclosure, Evidence, Recipe, enclosed, grid, letter
from theorytools.claims.falsify import falsify

y = letter("y", "a number")
positive = letter("y", "a positive number", positive=True)
huge = Control("huge", breaks=value, measure=lambda thing, p: {value: 10**9})


def planted(number, assertion, **changed):
    parts = {"construct": number, "asserts": [assertion], "controls": [huge], "grid": grid(N=[2, 40])}
    return tiny(**{**parts, **changed})


def search(claim, evaluations=150):
    return falsify(claim, "toy.lemma_01", evaluations=evaluations)


def point_of(claim, **options):
    found = search(claim, **options)
    assert found.row is not None
    assert found.row.truth is False
    return dict(found.row.point)


# -- found, and shrunk ----------------------------------------------------------------------------------------
def test_the_smallest_size_that_violates_a_bound():
    assert point_of(planted(lambda p: p.N**2, value <= N + 20)) == {"N": "6"}  # 25 <= 25, 36 > 26


def test_a_search_is_repeatable():
    claim = planted(lambda p: p.y**2, value <= y + 6, grid=grid(y=[-4, "9/2"]))
    first, second = search(claim), search(claim)
    assert replace(first, seconds=0) == replace(second, seconds=0)
    assert dict(first.row.point) == {"y": "-3"}  # 9 > 3, while 3^2 = 9 <= 9


def test_two_axes_are_shrunk_one_after_the_other():
    claim = planted(lambda p: p.N * p.M, value <= 30, grid=grid(N=[2, 40], M=[1, 8]), requires=[M <= 8])
    assert point_of(claim) == {"N": "4", "M": "8"}


def test_a_missing_hypothesis_is_found():
    points = grid(y=[-3, 2, "7/2"])
    assert point_of(planted(lambda p: p.y, value >= 0, grid=points)) == {"y": "-1"}
    held = planted(lambda p: p.y, value >= 0 * positive, grid=grid(y=[2, "7/2"]), requires=[positive > 0])
    assert search(held).row is None


def test_a_fraction_is_found_and_is_simple():
    between = planted(lambda p: (p.y - 1) * (p.y - 2), value >= 0, grid=grid(y=[0, "5/2"]))
    assert point_of(between) == {"y": "3/2"}


def test_a_bound_too_strong_by_a_millionth_of_a_millionth():
    claim = planted(lambda p: 2 * p.N, value <= 2 * N * (1 - Rational(1, 10**12)))
    assert point_of(claim) == {"N": "1"}


def test_a_transcendental_violation_is_confirmed_with_the_whole_budget():
    claim = planted(lambda p: p.N, value <= exp(N) * (1 - Rational(1, 10**40)),
                    measure=lambda thing, p: {value: enclosed(lambda: Enclosure(p.N).exp())})  # fmt: skip
    found = search(claim)
    assert dict(found.row.point) == {"N": "1"}
    assert found.row.evidence is Evidence.ENCLOSED


def test_the_search_samples_little_and_the_counterexample_much():
    handed = []

    def steps(alpha, budget):
        handed.append((budget.bits, budget.samples))
        yield from shrinking(10**9, 1).steps(alpha, budget)

    claim = planted(lambda p: p.N, value <= N, measure=lambda thing, p: {value: Recipe(Evidence.SAMPLED, steps)})
    assert point_of(claim) == {"N": "1"}
    assert set(handed[:-1]) == {(256, 20_000)}
    assert handed[-1] == (4096, 1_000_000)


def test_words_are_searched():
    points = grid(kind=["plain", "odd"], N=[2])
    claim = planted(lambda p: {"plain": 1, "odd": 3}[p.kind] * p.N, value <= 2 * N, grid=points)
    assert point_of(claim) == {"kind": "odd", "N": "1"}


# -- objects --------------------------------------------------------------------------------------------------
def bits(draw, p):
    from hypothesis import strategies as st

    return tuple(draw(st.lists(st.integers(0, 9), min_size=p.N, max_size=p.N)))


def test_the_object_itself_is_searched_and_shrunk():
    """A grid point holds one object; the statement is about all of them."""
    claim = planted(lambda p: (0,) * p.N, value <= 12, measure=lambda thing, p: {value: sum(thing)}, search=bits,
                    grid=grid(N=[4]))  # fmt: skip
    found = search(claim, evaluations=300)
    assert dict(found.row.point) == {"N": "2"}  # 9 + 4 in some order, with less than two digits none
    assert found.row.measured.low == 13
    assert found.thing == "(4, 9)"


def test_a_true_statement_about_all_objects_is_left_alone():
    claim = planted(lambda p: (0,) * p.N, value <= 9 * N, measure=lambda thing, p: {value: sum(thing)}, search=bits,
                    grid=grid(N=[4]))  # fmt: skip
    found = search(claim)
    assert found.row is None
    assert found.thing == ""
    assert found.outside == 0


# -- not found ------------------------------------------------------------------------------------------------
def test_a_true_statement_is_searched_to_the_end():
    found = search(planted(lambda p: p.N * p.M, value <= (N**2 + M**2) / 2, grid=grid(N=[2, 40], M=[1, 60])))
    assert found.row is None
    assert found.evaluations == 150
    assert found.outside == 0
    assert found.to_json()["violation"] is None


def test_what_lies_outside_the_hypotheses_is_no_violation():
    claim = planted(lambda p: 0 if p.N >= p.M else 10**9, value <= 0, grid=grid(N=[2, 40], M=[1, 8]), requires=[N >= M])
    found = search(claim)
    assert found.row is None
    assert 0 < found.outside < found.evaluations


def test_a_construction_that_refuses_a_point_is_outside():
    def construct(p):
        if p.N > 10:
            raise DomainError(f"N = {p.N}", required="N <= 10")
        return p.N

    found = search(planted(construct, value <= N))
    assert found.row is None
    assert found.outside > 0


def test_one_letter_hypotheses_bound_the_search():
    seen = set()

    def construct(p):
        seen.add((p.N, p.y))
        return 0

    claim = planted(construct, value <= 1 + 0 * N, grid=grid(N=[2, 40], y=[0, 5]),
                    requires=[N >= 3, N <= 7, y <= Rational(1, 2), y > Rational(-1, 3)])  # fmt: skip
    found = search(claim)
    assert {size for size, _ in seen} == {3, 4, 5, 6, 7}
    assert all(Fraction(-1, 3) < number <= Fraction(1, 2) for _, number in seen)
    assert min(number for _, number in seen) < 0
    assert found.outside <= 30  # only y = -1/3 itself is drawn and refused


# -- honest counting ------------------------------------------------------------------------------------------
def test_the_error_probability_is_divided_by_the_evaluations_allowed():
    booked = []
    claim = planted(lambda p: p.N, value <= N, measure=lambda thing, p: {value: shrinking(0, 1, booked=booked)})
    search(claim, evaluations=50)
    assert set(booked) == {1e-6 / 50}


@pytest.mark.parametrize("evaluations", [1, 7, 40])
def test_the_number_of_evaluations_is_a_limit(evaluations):
    calls = []
    claim = planted(lambda p: calls.append(p.N) or p.N, value <= N, grid=grid(N=[2, 10**6]))
    found = falsify(claim, "toy.lemma_01", evaluations=evaluations)
    assert found.evaluations == len(calls) == evaluations


@pytest.mark.parametrize("low", ["1/100", "-7/30"])
def test_ends_with_a_large_denominator_are_searched(low):
    """The strategy once refused such an end, and the refusal passed for a search without a result."""
    claim = planted(lambda p: p.y, value <= Rational(49, 100), grid=grid(y=[low, "1/2"]), requires=[y >= Rational(low)])
    assert point_of(claim) == {"y": "1/2"}
    single = planted(lambda p: p.y, value <= 1, grid=grid(y=["1/100"]), requires=[Eq(y, Rational(1, 100))])
    assert search(single).evaluations >= 1


def test_a_mistake_in_the_claims_own_search_is_not_swallowed():
    def draw_nothing(draw, p):
        from hypothesis import strategies as st

        return draw(st.integers(min_value=3, max_value=1))

    with pytest.raises(InvalidArgument):
        falsify(planted(lambda p: 0, value <= N, search=draw_nothing), "toy.lemma_01", evaluations=9)


def test_no_time_finds_nothing_and_says_so():
    found = falsify(planted(lambda p: 10**9, value <= N), "toy.lemma_01", seconds=0.0)
    assert (found.row, found.evaluations) == (None, 0)


def test_a_violation_found_in_the_last_moment_is_kept():
    """The limit falls into the shrinking: what was found so far is confirmed and reported."""
    claim = planted(lambda p: p.N**2, value <= N + 20, grid=grid(N=[2, 10**6]))
    found = falsify(claim, "toy.lemma_01", evaluations=2)
    assert found.row is None or found.row.truth is False
    full = falsify(claim, "toy.lemma_01", evaluations=60)
    assert full.row.truth is False
    assert int(full.row.point["N"]) >= 6


def test_a_search_is_written_as_strict_json():
    found = search(planted(lambda p: p.N**2, value <= N + 20))
    data = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert data["violation"]["point"] == {"N": "6"}
    assert data["evaluations"] == found.evaluations
    assert data["id"] == "toy.lemma_01"
