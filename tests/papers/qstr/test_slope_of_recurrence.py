"""The condition on the slope of a transition: what the claims of result A must not say."""

import itertools
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from devices import device

from theorytools.papers.qstr.recurrent.digit_memory import parity_memory

sample = device("qstr/result_alpha/_sample")


def test_independent_rows_are_counted_by_enumeration():
    for M, n in ((1, 1), (2, 2), (3, 2), (3, 3), (2, 3)):
        words = list(itertools.product(range(2**M), repeat=n))
        found = sum(sample.matrix_rank(bits(rows, M)) == n for rows in words)
        assert sample.independent(n, M) == Fraction(found, len(words)) >= sample.union_bound(n, M)


def bits(rows, M):
    return np.array([[row >> r & 1 for r in range(M)] for row in rows], dtype=bool)


@pytest.mark.parametrize("n", [4, 16, 64])
def test_a_table_by_index_alone_fits_about_a_root_of_the_length(n):
    """Different indices at n = sqrt(N) with probability above .6, at 3 sqrt(N) four coincide: parities reach N."""
    N, apart = n * n, Fraction(1)
    for i in range(n):
        apart *= 1 - Fraction(i, N)
    assert apart > Fraction(6, 10)
    assert comb(3 * n, 2) > 4 * N  # expected coincidences
    assert sample.independent(n, N) > 1 - Fraction(1, 2**100 if n > 10 else 2**12)


def test_under_a_fixed_index_a_table_may_be_right_everywhere():
    """So the index is uniform in the claim: the table of the indexed place has no error at all."""
    X = np.array(list(itertools.product([-1, 1], repeat=4)))
    for t in range(4):
        answers = parity_memory([int(j == t) for j in range(4)])(X[..., None])
        assert (answers == X[:, t, None]).all()
        assert ((answers - X[:, (t + 1) % 4, None]) ** 2).mean() == 2
