"""What says "all" lists every one once: its number and its distinctness, for every enumeration of the library."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorytools import DomainError
from theorytools.papers.sep.tasks.boolean import all_pairs, bit_strings
from theorytools.papers.sep.tasks.dyck import all_words
from theorytools.papers.sep.tasks.index_lookup import LookupTask
from theorytools.papers.stsq.selection.gradient import SignGradient
from theorytools.theory.communication.matrix import all_strings

letters, lengths = st.integers(2, 4), st.integers(1, 6)


def every(rows, symbols, length):
    """The rows are all words of a length, each once."""
    rows = np.asarray(rows)
    assert rows.shape == (symbols**length, length)
    assert {tuple(row) for row in rows.tolist()} == set(itertools.product(range(symbols), repeat=length))


@given(symbols=letters, length=lengths)
def test_words_and_strings(symbols, length):
    every(LookupTask(length, symbols).words(), symbols, length)
    every(all_words(symbols, length), symbols, length)
    every(all_strings(length, symbols), symbols, length)


@given(symbols=letters, length=lengths)
def test_the_orders_that_are_promised(symbols, length):
    wanted = list(itertools.product(range(symbols), repeat=length))
    assert [tuple(word) for word in all_words(symbols, length).tolist()] == wanted
    assert [tuple(word) for word in all_strings(length, symbols).tolist()] == wanted
    assert [tuple(reversed(word)) for word in LookupTask(length, symbols).words().tolist()] == wanted


@pytest.mark.parametrize("n", range(1, 6))
def test_bits_and_pairs_of_bits(n):
    every(bit_strings(n), 2, n)
    x, y = all_pairs(n)
    every(np.concatenate([x, y], axis=1), 2, 2 * n)


@pytest.mark.parametrize(("T", "d_e"), [(2, 1), (3, 2), (4, 3)])
def test_encodings_of_signs(T, d_e):
    words = SignGradient(T, 1, 1, d_e, alpha=1, v=1).words
    every((1 - words.reshape(-1, T * d_e)) // 2, 2, T * d_e)


def test_one_matrix_of_signs_is_taken_with_either_sign_and_nothing_else():
    signs = [[1, -1], [-1, -1], [1, 1]]
    assert SignGradient(3, 1, 1, 2, alpha=1, v=1, only=signs).words.tolist() == [signs]
    for wrong in ([[1, 2], [1, 1], [1, 1]], [[1, 0], [1, 1], [1, 1]], [[1, 1], [1, 1]]):
        with pytest.raises(DomainError, match="signs"):
            _ = SignGradient(3, 1, 1, 2, alpha=1, v=1, only=wrong).words
