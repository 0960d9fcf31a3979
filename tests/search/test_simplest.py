"""Ranks of simple values: inside the ends, each once, by size, none left out, the first one in any interval."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools.search.kinds import Graphs
from theorytools.search.protocols import Ends, Variable
from theorytools.search.simplest import between, contains, fraction, simplest, whole, whole_number

few = st.fractions(-6, 6, max_denominator=12)
intervals = st.builds(
    lambda a, b, *left_out: Ends(min(a, b), max(a, b), *left_out) if a != b else Ends(a, a),
    few,
    few,
    *[st.booleans()] * 2,
)
half_lines = st.one_of(
    st.builds(Ends, low=few, open_low=st.booleans()), st.builds(Ends, high=few, open_high=st.booleans())
)
ends_of_all_kinds = st.one_of(intervals, half_lines, st.just(Ends()))


def listed(value_of, ends, most):
    """The values of the ranks in turn, up to the first rank without one."""
    found = []
    for rank in range(most):
        if (value := value_of(ends, rank)) is None:
            return found
        found.append(value)
    return found


# -- whole numbers -----------------------------------------------------------------------------------------------------
@examples(60, ends_of_all_kinds)
def test_whole_numbers_are_all_of_the_interval_by_size_a_positive_one_before_its_twin(ends):
    found = listed(whole_number, ends, 40)
    inside = sorted((n for n in range(-60, 61) if contains(ends, n)), key=lambda n: (abs(n), n < 0))
    assert found == inside[:40]


@examples(60, ends_of_all_kinds)
def test_the_least_and_the_largest_whole_number(ends):
    low, high = whole(ends)
    inside = [n for n in range(-60, 61) if contains(ends, n)]
    if ends.low is not None and inside:
        assert low == inside[0]
    if ends.high is not None and inside:
        assert high == inside[-1]
    if not inside:
        assert low > high
    assert (low is None, high is None) == (ends.low is None, ends.high is None)


# -- fractions ---------------------------------------------------------------------------------------------------------
@examples(60, ends_of_all_kinds)
def test_fractions_come_by_size_each_once_and_none_is_left_out(ends):
    found = listed(fraction, ends, 30)
    sizes = [max(x.denominator, abs(x.numerator)) for x in found]
    assert all(contains(ends, x) for x in found)
    assert len(set(found)) == len(found)
    assert sizes == sorted(sizes)
    if found:
        smaller = {Fraction(p, q) for q in range(1, sizes[-1]) for p in range(1 - sizes[-1], sizes[-1])}
        assert {x for x in smaller if contains(ends, x)} <= set(found)


@examples(100, st.fractions(-9, 9, max_denominator=10**9), st.integers(1, 10**9))
def test_there_is_a_first_fraction_in_any_interval_however_short(low, inverse):
    ends = Ends(low, low + Fraction(1, inverse**3), True, True)
    first = fraction(ends, 0)
    assert contains(ends, first)
    assert first.denominator <= 2 * inverse**3 + 2
    assert fraction(ends, 1) != first


def test_an_empty_interval_has_none_and_a_point_has_one():
    half = Fraction(1, 2)
    assert fraction(Ends(half, half, True), 0) is None
    assert fraction(Ends(Fraction(1), half), 0) is None
    assert listed(fraction, Ends(half, half), 3) == [half]
    assert whole_number(Ends(half, half), 0) is None
    assert listed(fraction, Ends(Fraction(0), Fraction(1)), 5) == [0, 1, half, Fraction(1, 3), Fraction(2, 3)]


@examples(60, few, few)
def test_the_simplest_fraction_between_two_is_the_one_of_least_denominator(a, b):
    low, high = min(a, b), max(a, b)
    if low == high:
        high += Fraction(1, 7)
    found = between(low, high)
    assert low < found < high
    q = next(q for q in range(1, 400) if any(low < Fraction(p, q) < high for p in range(-6 * q - q, 7 * q + 1)))
    assert found.denominator == q
    assert between(-high, -low) == -found
    rest = [Fraction(p, q) for p in range(-7 * q, 7 * q + 1) if low < Fraction(p, q) < high]
    assert abs(found) == min(map(abs, rest))


def test_between_an_end_and_infinity():
    assert [between(None, None), between(None, Fraction(-5, 2)), between(Fraction(5, 2), None)] == [0, -3, 3]
    assert [between(Fraction(0), None), between(Fraction(-1), None), between(Fraction(0), Fraction(1, 10**30))] == [
        1, 0, Fraction(1, 10**30 + 1)]  # fmt: skip


# -- variables ---------------------------------------------------------------------------------------------------------
def test_words_and_objects_have_ranks_too_and_an_end():
    word = Variable("k", "word", ("b", "a"))
    assert [simplest(word, Ends(), {}, rank) for rank in range(3)] == ["b", "a", None]
    graph = Variable("G", "object", thing=Graphs(), size="n")
    first = [simplest(graph, Ends(), {"n": 3}, rank) for rank in range(99)]
    made = [one for one in first if one is not None]
    assert len(set(made)) == len(made) == 4  # of three vertices, one of each shape
    assert first[4:] == [None] * 95
    assert simplest(graph, Ends(), {"n": -1}, 0) is None  # none of this size


@pytest.mark.parametrize("ends", [Ends(low=Fraction(3)), Ends(Fraction(-2), Fraction(9), True), Ends()])
def test_a_variable_takes_the_order_of_its_kind(ends):
    whole_one, rational = Variable("N", "int"), Variable("y", "rat")
    assert [simplest(whole_one, ends, {}, r) for r in range(5)] == listed(whole_number, ends, 5)
    assert [simplest(rational, ends, {}, r) for r in range(5)] == listed(fraction, ends, 5)
    assert all(abs(a) <= abs(b) for a, b in pairwise(listed(whole_number, ends, 5)))
