"""The largest eigenvalue of a symmetric rational matrix: exact where it is rational, and never below numpy's."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools.errors import DomainError
from theorytools.numbers.spectrum import largest_eigenvalue

entries = st.fractions(-4, 4, max_denominator=6)


@examples(30, rows=st.lists(st.lists(entries, min_size=3, max_size=3), min_size=3, max_size=3))
def test_it_is_the_top_of_the_spectrum(rows):
    S = [[rows[i][j] + rows[j][i] for j in range(3)] for i in range(3)]
    top = float(np.linalg.eigvalsh(np.array(S, dtype=float))[-1])
    assert abs(float(largest_eigenvalue(S)) - top) < 1e-9 * (1 + abs(top))


@examples(20, values=st.lists(entries, min_size=1, max_size=4))
def test_a_rational_one_is_exact(values):
    S = [[values[i] if i == j else 0 for j in range(len(values))] for i in range(len(values))]
    found = largest_eigenvalue(S)
    assert found.exact
    assert Fraction(int(found.lower.value.p), int(found.lower.value.q)) == max(values)


def test_a_matrix_that_is_not_symmetric_is_refused():
    with pytest.raises(DomainError, match="symmetric"):
        largest_eigenvalue([[1, 2], [3, 4]])
