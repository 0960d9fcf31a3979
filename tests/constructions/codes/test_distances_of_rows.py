"""Counts of distances of chosen rows, and weights of all distances summed, against the Gram matrix."""

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools import BudgetError, SignCode
from theorytools.codes import distance_sums as sums
from theorytools.codes.distance_sums import distance_sums
from theorytools.codes.families import rademacher

LENGTHS = [1, 7, 63, 64, 65, 128, 200, 255, 256, 300]


@st.composite
def codes(draw):
    N, seed = draw(st.integers(2, 90)), draw(st.integers(0, 2**32 - 1))
    signs = np.array(rademacher(N, draw(st.sampled_from(LENGTHS)), np.random.default_rng(seed)).signs)
    for i, j, sign in draw(st.lists(st.tuples(*(st.integers(0, N - 1),) * 2, st.sampled_from([1, -1])), max_size=3)):
        signs[i] = sign * signs[j]  # equal and opposite rows
    return SignCode(signs)


def counted(code):
    """By the Gram matrix, which no packed word enters."""
    E = code.signs.astype(np.int64)
    distance = (code.d_e - E @ E.T) // 2
    return np.array([np.bincount(np.delete(row, t), minlength=code.d_e + 1) for t, row in enumerate(distance)])


@examples(40, codes(), st.data())
def test_counts_by_rows_are_those_of_the_gram_matrix(code, data):
    rows = np.array(data.draw(st.lists(st.integers(0, code.N - 1), max_size=9)), dtype=np.int64)
    assert np.array_equal(code.hamming_counts(rows), counted(code)[rows])


@examples(40, codes(), st.sampled_from([(32, 8192), (5, 7), (1, 3), (7, 1)]))
def test_weights_of_all_pairs_are_summed_for_both_rows_and_none_twice(code, tile):
    """Sums of integers below 2^53 are exact: a pair that is left out, or a row that meets itself, changes them."""
    weights = np.random.default_rng(code.N).integers(0, 2**40, code.d_e + 1).astype(float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sums, "_TILE_ROWS", tile[0])
        patch.setattr(sums, "_TILE_COLUMNS", tile[1])
        found = distance_sums(code.words, code.d_e, weights)
    assert np.array_equal(found, counted(code) @ weights.astype(np.int64))


def test_a_row_is_not_weighed_with_itself_where_that_weight_is_nearly_all():
    code = rademacher(100, 64, np.random.default_rng(1))
    weights = np.where(np.arange(65) == 0, 1e200, 1.0)
    assert np.array_equal(distance_sums(code.words, 64, weights), np.full(100, 99.0))


@pytest.mark.parametrize(("N", "d_e", "rows"), [(40, 64, 5), (40, 65, 5), (41, 200, 1)])
def test_the_work_of_the_rows_that_are_asked_for_is_what_the_budget_sees(N, d_e, rows, monkeypatch):
    code, work = rademacher(N, d_e, np.random.default_rng(2)), rows * (N - 1) * -(-d_e // 64)
    monkeypatch.setattr("theorytools.codes.signs._PAIR_WORDS", work)
    assert code.hamming_counts(np.arange(rows)).sum() == rows * (N - 1)
    with pytest.raises(BudgetError, match=f"{(rows + 1) * (N - 1) * -(-d_e // 64)} word comparisons") as error:
        code.hamming_counts(np.arange(rows + 1))
    assert (error.value.required, error.value.why) == (
        f"at most {work} word comparisons", "each row asked for is compared with all others",
    )  # fmt: skip
    with pytest.raises(BudgetError, match=str(N * (N - 1) * -(-d_e // 64))):
        code.gram_counts()
