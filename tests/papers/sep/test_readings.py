"""Readings that were asserted once and are wrong: each is tried on the numbers that decide it."""

from math import log2

import pytest

from theorytools.papers.sep.attention.equality import FLOATS, survives_interleaved
from theorytools.papers.sep.tasks.dyck import BoundedDyck, all_words


@pytest.mark.parametrize(
    ("name", "bits", "last", "violates"),
    [("float16", 16, 25, False), ("bfloat16", 16, 134, True), ("float32", 32, 150, True)],
)
def test_rounded_sums_exceed_the_one_layer_bound_in_two_formats_of_three(name, bits, last, violates):
    """The bound is 3m(p + log N)H with m = H = 1 and N = 2n + 1: that n exceeds the bits p alone violates nothing."""
    assert survives_interleaved(last, FLOATS[name])
    assert not survives_interleaved(last + 1, FLOATS[name])
    assert last > bits
    assert (last > 3 * (bits + log2(2 * last + 1))) == violates


@pytest.mark.parametrize("N", [4, 6, 8, 10])
def test_a_closing_and_the_next_opening_bracket_exchanged_leave_no_word_of_one_kind_and_depth_two(N):
    """So such exchanges are no negatives for this language."""
    accepts, words = BoundedDyck(1, 2).automaton.accepts, all_words(2, N)
    right = words[accepts(words)]
    for i in range(1, N - 1, 2):
        swapped = right.copy()
        swapped[:, [i, i + 1]] = right[:, [i + 1, i]]
        assert accepts(swapped).all()
