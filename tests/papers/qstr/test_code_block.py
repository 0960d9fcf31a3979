"""Blocks in the integers of a Gram matrix against blocks in coordinates."""

from fractions import Fraction

import numpy as np
import pytest
from code_examples import codes
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import DomainError, SignCode
from theorytools.codes.equiangular import orthonormal, simplex
from theorytools.codes.families import rademacher
from theorytools.codes.mixture import mixture
from theorytools.papers.qstr.attention.query_key_block import QueryKeyBlock, alignment, second_moment


def in_coordinates(block):
    omega = block.code.matrix()
    C = np.zeros((block.code.N,) * 2) if block.C is None else block.C
    V = block.a * np.eye(omega.shape[1]) + omega.T @ C @ omega
    scores = omega @ V @ omega.T
    gaps = np.diagonal(scores)[:, None] - scores
    return V, gaps[~np.eye(block.code.N, dtype=bool)]


@examples(25, st.integers(2, 7), st.integers(1, 9), st.integers(-3, 3), st.integers(0, 2**32))
def test_scores_and_norm_are_those_of_the_matrix(N, d_e, a, seed):
    rng = np.random.default_rng(seed)
    block = QueryKeyBlock(rademacher(N, d_e, rng), a, rng.integers(-5, 6, (N, N)))
    V, gaps = in_coordinates(block)
    # entries below 3 + 49·5, N d_e <= 63 operations in doubles
    assert float(block.least_gap) == pytest.approx(gaps.min(), abs=1e-11)
    assert float(block.mean_gap) == pytest.approx(gaps.mean(), abs=1e-11)
    assert float(block.squared_norm) == pytest.approx((V**2).sum(), rel=1e-10, abs=1e-10)
    # Cauchy-Schwarz with the second moments
    assert block.squared_norm * alignment(block.code) >= (block.mean_gap * N * (N - 1)) ** 2


def test_the_second_moment_and_entries_beyond_64_bits():
    code = codes(9, 6)
    omega, s = code.matrix(), code.matrix().sum(axis=0)
    M = 9 * omega.T @ omega - np.outer(s, s)
    assert np.allclose(in_coordinates(second_moment(code))[0], M, atol=1e-13)
    assert float(alignment(code)) == pytest.approx((M**2).sum(), rel=1e-13)
    block = second_moment(code)
    assert block.squared_norm * alignment(code) == (block.mean_gap * 72) ** 2
    code = SignCode(np.ones((3, 4), dtype=int))
    huge = QueryKeyBlock(code, 1, np.full((3, 3), 2**61))
    assert huge.squared_norm == 4 + 2 * 9 * 2**61 + (9 * 2**61) ** 2
    assert huge.least_gap == 0
    refuses(
        DomainError, (lambda: QueryKeyBlock(codes(4, 3), 1, np.eye(4)), "integers"),
        (lambda: QueryKeyBlock(codes(4, 3), 1, np.eye(3, dtype=int)), "shape"),
        (lambda: mixture(simplex(4), simplex(4), Fraction(3, 2)), "share"),
        (lambda: mixture(simplex(4), simplex(5), 0), "size"),
    )  # fmt: skip


@pytest.mark.parametrize(("N", "d_e", "ratio", "rough"), [(100, 23, 18.0, 14.7 * 1.23), (64, 67, 5.19, 2.54 * 2.05)])
def test_price_of_the_identity_in_the_record(N, d_e, ratio, rough):
    code = codes(N, d_e)
    identity = QueryKeyBlock(code)
    price = identity.squared_norm * alignment(code) / (identity.least_gap * N * (N - 1)) ** 2
    assert float(price) == pytest.approx(ratio, rel=3e-3)  # three digits of the record
    assert float(price) == pytest.approx(rough, rel=0.02)  # an approximation for random codes: no bound


@pytest.mark.parametrize("N", [2, 5, 9])
def test_equiangular_codes_have_equal_leads(N):
    for code in (simplex(N), orthonormal(N)):
        block = second_moment(code)
        assert block.least_gap == block.mean_gap
    # tight frames: V = alpha I needs N/((N - 1)(1 - rho)) squared, which is 1 for the simplex in N - 1 dimensions
    assert alignment(simplex(N)) == Fraction(N**4, N - 1)


@pytest.mark.parametrize("share", [0, Fraction(1, 3), Fraction(5, 8), 1])
def test_a_mixture_of_gram_matrices_is_one(share):
    first, second = codes(6, 5), simplex(6)
    mixed = mixture(first, second, share)
    G = (1 - float(share)) * first.matrix() @ first.matrix().T + float(share) * second.matrix() @ second.matrix().T
    assert np.allclose(mixed.matrix() @ mixed.matrix().T, G, atol=1e-13)
    assert mixed.gram_denominator == mixed.gram_numerators()[0, 0]
