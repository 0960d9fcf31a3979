"""Position codes of every kind: one protocol, exact Gram matrices by two routes, and a package that loads on demand."""

from fractions import Fraction

import numpy as np
import pytest
from code_examples import CODES, HALF, off_diagonal
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from properties import examples

from theorytools import Code, DomainError, EquiangularCode, GramCode
from theorytools.codes.families import e8_roots


@pytest.fixture(params=CODES.values(), ids=CODES.keys())
def code(request):
    return request.param


def test_all_codes_answer_the_protocol_consistently(code):
    assert isinstance(code, Code)
    K, s = code.gram_numerators(), code.gram_denominator
    assert K.shape == (code.N, code.N)
    assert K.dtype == np.int64
    assert (K.diagonal() == s).all()
    assert (K == K.T).all()
    assert code.coherence() == Fraction(int(off_diagonal(K).max()), s)
    assert code.absolute_coherence() == Fraction(int(abs(off_diagonal(K)).max()), s)
    values, counts = code.gram_counts()
    assert (np.diff(values) < 0).all()
    assert counts.shape == (code.N, len(values))
    for t, row in enumerate(code.gram_numerators()):
        others = np.delete(row, t)
        assert [np.count_nonzero(others == value) for value in values] == counts[t].tolist()
        assert counts[t].sum() == code.N - 1
    V = code.matrix()
    assert V.shape == (code.N, code.d_e)
    assert V.dtype == np.float64
    # |V V^T - G|: a backward stable factorisation errs by a small multiple of N u ||G||_2 <= N^2 u, the
    # product of unit rows by d_e u; 10 (N^2 + d_e) u covers both
    tolerance = 10 * (code.N**2 + code.d_e) * 2.0**-53
    assert abs(V @ V.T - code.gram_numerators() / code.gram_denominator).max() <= tolerance


@examples(25, arrays(np.int64, (4, 3), elements=st.integers(-2, 2)))
def test_elimination_finds_the_rank_of_a_gram_matrix(A):
    s = int((A**2).sum(axis=1).max()) + 1
    rest = [s - int(row @ row) for row in A]
    K = A @ A.T + np.diag(rest)  # the Gram matrix of (a_i, sqrt(rest_i) e_i)
    code = GramCode(K, s)
    assert code.d_e == np.linalg.matrix_rank(K.astype(float)) == 4
    doubled = GramCode(np.block([[K, K], [K, K]]), s)
    assert (doubled.d_e, doubled.coherence()) == (4, 1)
    assert abs(doubled.matrix() @ doubled.matrix().T - doubled.numerators / s).max() <= 640 * 2.0**-53  # as above


@examples(25, st.integers(2, 12), st.fractions(min_value=-1, max_value=1, max_denominator=30))
def test_equiangular_codes_exist_exactly_on_the_interval(N, rho):
    gram = [[Fraction(1) if i == j else rho for j in range(N)] for i in range(N)]
    if rho < Fraction(-1, N - 1):
        with pytest.raises(DomainError, match="rho"):
            EquiangularCode(N, rho)
        with pytest.raises(DomainError, match="indefinite"):
            GramCode.from_fractions(gram)
        return
    general = GramCode.from_fractions(gram)
    assert (general.gram_numerators() == EquiangularCode(N, rho).gram_numerators()).all()
    assert general.d_e == (1 if rho == 1 else N - (rho == Fraction(-1, N - 1)))


def test_roots_of_e8():
    roots = e8_roots()
    assert roots.shape == (240, 8)
    assert (roots.sum(axis=1) % 4 == 0).all()  # an even number of minus signs
    code = GramCode(roots @ roots.T, 8)
    assert (code.d_e, code.coherence()) == (8, HALF)
    values, counts = code.gram_counts()
    assert values.tolist() == [4, 0, -4, -8]
    assert np.unique(counts, axis=0).tolist() == [[56, 126, 56, 1]]  # every root sees the same configuration
