"""Recurrences and encoders with few values: the search, the certificate and the code against brute force."""

import math
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from devices import device
from hypothesis import strategies as st
from properties import examples

from theorytools.errors import BudgetError
from theorytools.papers.qstr import CodeStateRNN

least_states, most_explained, partitions = device(
    "qstr/proposition_08/_few_states", "least_states", "most_explained", "_partitions"
)
largest_squares, least_error = device("qstr/proposition_08/_cube_sets", "largest_squares", "least_error")
SIGNS, LEVELS = (-1, 1), (-1, 0, 1)


def explained(words, labels):
    """The mean square of the conditional means of the letters, given the label of a word."""
    cells = {}
    for word, label in zip(words, labels, strict=True):
        cells.setdefault(label, []).append(word)
    total = sum(Fraction(sum(column) ** 2, len(cell)) for cell in cells.values() for column in zip(*cell, strict=True))
    return Fraction(total) / len(words)


@pytest.mark.parametrize(("letters", "m"), [(SIGNS, 2), (SIGNS, 3), (LEVELS, 2)])
def test_no_partition_of_all_words_is_better_than_the_best_recurrence(letters, m):
    words = list(product(letters, repeat=m))
    for S in range(1, 5):
        best = Fraction(0)
        for parts in partitions(len(words), S):
            best = max(best, explained(words, [int(np.flatnonzero(parts >> i & 1)[0]) for i in range(len(words))]))
        assert most_explained(letters, m, S) == best


@examples(60, st.sampled_from([(SIGNS, 3), (SIGNS, 4), (LEVELS, 2), (LEVELS, 3)]), st.integers(1, 3), st.data())
def test_no_drawn_transition_table_beats_the_search(case, S, data):
    letters, m = case
    moves = st.lists(st.integers(0, S - 1), min_size=S * len(letters), max_size=S * len(letters))
    tables = [data.draw(moves) for _ in range(m)]
    words, labels = list(product(range(len(letters)), repeat=m)), []
    for word in words:
        state = 0
        for table, a in zip(tables, word, strict=True):
            state = table[state * len(letters) + a]
        labels.append(state)
    assert explained([[letters[a] for a in word] for word in words], labels) <= most_explained(letters, m, S)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_the_largest_sums_of_sets_of_words_are_those_of_all_sets(m):
    sums, counts = np.zeros((1, m), dtype=int), np.zeros(1, dtype=int)
    for word in product((1, -1), repeat=m):
        sums, counts = np.concatenate([sums, sums + word]), np.concatenate([counts, counts + 1])
    squares = (sums**2).sum(axis=1)
    assert largest_squares(m) == tuple(int(squares[counts == k].max()) for k in range(2**m + 1))


@pytest.mark.parametrize("m", [1, 2, 3])
def test_the_certificate_is_the_search_for_signs(m):
    for S in range(1, 2**m + 1):
        assert m - least_error(m, S) == most_explained(SIGNS, m, S)
    assert [4 - least_error(4, S) for S in (2, 3, 4)] == [most_explained(SIGNS, 4, S) for S in (2, 3, 4)]


def test_with_the_index_known_as_many_values_as_letters_suffice():
    tiny = Fraction(1, 10**6)
    assert [least_states(SIGNS, m, tiny, known) for m, known in ((3, False), (3, True))] == [8, 2]
    assert [least_states(LEVELS, m, tiny, known) for m, known in ((2, False), (2, True))] == [9, 3]


def test_the_codeword_network_has_a_state_for_every_word():
    net = CodeStateRNN.drawn(4, np.random.default_rng(0))
    assert [len(np.unique(after, axis=0)) for after in net.states()] == [1, 2, 4, 8]
    assert net.wrong() == 0


@examples(200, st.lists(st.integers(0, 40), min_size=3, max_size=3).filter(any))
def test_the_entropy_of_three_levels_is_bounded_by_the_variance(weights):
    q = np.array(weights) / sum(weights)
    mean = q[2] - q[0]
    v = q[2] + q[0] - mean**2
    entropy = -sum(x * math.log(x) for x in q if x > 0)
    bound = math.log(3) if v >= 2 / 3 else sum(w * math.log(1 / x) for w, x in ((v, v / 2), (1 - v, 1 - v)) if x > 0)
    assert entropy <= bound + 1e-12  # sums of three terms of size at most 1


def test_the_error_of_a_code_by_leaders_is_that_of_all_words():
    leaders, by_leaders, coded = device("qstr/proposition_08/encoders", "leaders", "by_leaders", "coded")
    for columns in (range(1, 8), [1, 2, 3, 4, 5, 6, 1]):
        p = SimpleNamespace(N=8)
        words = list(product((0, 1), repeat=7))

        def syndrome(word, columns=columns):
            found = 0
            for bit, h in zip(word, columns, strict=True):
                found ^= h * bit
            return found

        cosets = leaders(p, columns)
        by_syndrome = {syndrome([int(i in leader) for i in range(7)]): leader for leader in cosets}
        nearest = [tuple(bit ^ (i in by_syndrome[syndrome(word)]) for i, bit in enumerate(word)) for word in words]
        assert len(set(nearest)) == 16
        signs = [[1 - 2 * bit for bit in word] for word in words]
        assert by_leaders(cosets, p)[coded] == (7 - explained(signs, nearest)) / 8


def test_what_cannot_be_listed_is_refused():
    for m, S in ((5, 2), (4, 5)):
        with pytest.raises(BudgetError):
            most_explained(SIGNS, m, S)
    with pytest.raises(BudgetError):
        largest_squares(8)
