"""Sign codes: packed distances against brute force, invariances, values, and the stated coherence."""

import math
from fractions import Fraction

import numpy as np
import pytest
from code_examples import HALF, off_diagonal
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from properties import examples

from theorytools import LinearCode, SignCode
from theorytools.codes.families import binary_index, hadamard, rademacher


@st.composite
def sign_matrices(draw):
    shape = (draw(st.integers(2, 9)), draw(st.sampled_from([1, 2, 7, 63, 64, 65, 130, 255, 256, 300])))
    return 1 - 2 * draw(arrays(np.int8, shape, elements=st.integers(0, 1)))


@examples(25, sign_matrices())
def test_packed_distances_equal_brute_force_and_a_repeated_row_has_coherence_one(signs):
    code = SignCode(signs)
    E = signs.astype(np.int64)
    K, d_e = E @ E.T, code.d_e
    assert (code.gram() == K).all()
    distances = np.array([[np.count_nonzero(a != b) for b in E] for a in E])
    assert (d_e - 2 * distances == K).all()
    upper = distances[np.triu_indices(code.N, 1)]
    assert code.minimum_distance() == upper.min()
    assert code.coherence() == Fraction(int(d_e - 2 * upper.min()), d_e)
    assert code.absolute_coherence() == Fraction(int(abs(d_e - 2 * upper).max()), d_e)
    expected = [np.bincount(np.delete(row, t), minlength=d_e + 1) for t, row in enumerate(distances)]
    assert (code.hamming_counts() == np.array(expected)).all()
    for rho in (HALF, Fraction(1, 7)):
        assert code.violations(rho=rho) == sum(abs(d_e - 2 * int(h)) > rho * d_e for h in upper)
        assert code.violations(rho=rho, one_sided=True) == sum(d_e - 2 * int(h) > rho * d_e for h in upper)
    repeated = SignCode(np.concatenate([signs, signs[:1]]))
    assert repeated.coherence() == 1
    assert repeated.minimum_distance() == 0
    assert repeated.violations() > 0


@pytest.mark.parametrize("d_e", [64, 300])
def test_packed_distances_equal_brute_force_across_tiles(d_e, monkeypatch):
    monkeypatch.setattr("theorytools.codes.hamming._TILE_COLUMNS", 100)
    half = rademacher(150, d_e, np.random.default_rng(2)).signs
    code = SignCode(np.concatenate([half, -half]))  # distances up to d_e
    K = code.signs.astype(np.int64) @ code.signs.T.astype(np.int64)
    assert (code.gram() == K).all()
    assert code.coherence() == Fraction(int(off_diagonal(K).max()), d_e)
    assert code.absolute_coherence() == Fraction(int(abs(off_diagonal(K)).max()), d_e)
    expected = [np.bincount(np.delete((d_e - row) // 2, t), minlength=d_e + 1) for t, row in enumerate(K)]
    assert (code.hamming_counts() == np.array(expected)).all()


@examples(25, sign_matrices(), st.randoms(use_true_random=False))
def test_coherence_ignores_order_and_one_flipped_coordinate(signs, random):
    rows, columns = list(range(signs.shape[0])), list(range(signs.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    moved = signs[rows][:, columns]
    moved[:, 0] *= -1
    assert SignCode(moved).coherence() == SignCode(signs).coherence()
    assert SignCode(moved).absolute_coherence() == SignCode(signs).absolute_coherence()


def test_sign_codes_are_values_by_their_documented_draws():
    signs = np.array([[1, -1], [1, 1]], dtype=np.int8)
    code = SignCode(signs)
    signs[0, 0] = -1
    assert code == SignCode([[1.0, -1.0], [1.0, 1.0]]) != SignCode(signs)
    assert len({code, SignCode([[1, -1], [1, 1]])}) == 1
    assert not code.signs.flags.writeable
    signs = rademacher(7, 9, np.random.default_rng(5)).signs
    assert (signs == 2 * np.random.default_rng(5).integers(0, 2, size=(7, 9)) - 1).all()
    # all 2^k words: the distances from one word are binomial, hence sum_j b^(-2 d_j) = (1 + b^-2)^k
    k, b = 5, Fraction(4)
    counts = binary_index(2**k).hamming_counts()
    assert sum(int(c) * b ** (-2 * h) for h, c in enumerate(counts[0])) + 1 == (1 + b**-2) ** k
    assert LinearCode(np.eye(k, dtype=np.uint8)).sign_code() == binary_index(2**k)


@pytest.mark.parametrize("N", [2, 3, 5, 12, 33])
def test_binary_index_and_hadamard_have_the_stated_coherence(N):
    binary, orthogonal = binary_index(N), hadamard(N)
    assert binary.d_e == math.ceil(math.log2(N))
    assert binary.coherence() == 1 - Fraction(2, binary.d_e)
    assert orthogonal.d_e == 2 ** math.ceil(math.log2(N))
    assert (orthogonal.gram() == orthogonal.d_e * np.eye(N)).all()
