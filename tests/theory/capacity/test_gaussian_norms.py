"""Norms of conditioned Gaussian vectors: Wick's rule, pairs, tails, and what truncation hides."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from scipy import special

from theorytools.numbers import Enclosure, chi_square_tail
from theorytools.papers.qstr.gaussians.conditioned import ConditionedGaussian, wick_moment
from theorytools.theory.clipped_labels import clipped_label_excess


def test_wick_moments_and_pairs_that_share_what_is_known():
    assert [wick_moment([0], [[1]], (0,) * m) for m in (2, 4, 6, 8)] == [1, 3, 15, 105]
    assert wick_moment([2], [[3]], (0,) * 3) == 2**3 + 3 * 2 * 3
    assert wick_moment([0, 0], [[1, Fraction(1, 2)], [Fraction(1, 2), 1]], (0, 0, 1, 1)) == 1 + 2 * Fraction(1, 4)
    rng = np.random.default_rng(8)
    full = ConditionedGaussian(((1, 2), (3, 4)), (0, 0))
    assert full.half_square_gap(rng, 100).max() < 1e-24  # squares of differences of equal numbers below 100
    free = ConditionedGaussian((), (0,) * 3).half_square_gap(rng, 100_000)
    # mean 2k = 6 and variance 12k^2 + 24k - 4k^2 = 144: six standard errors
    assert abs(free.mean() - 6) < 6 * 12 / 100_000**0.5


@examples(30, st.integers(1, 5), st.integers(0, 4), st.integers(1, 3), st.integers(0, 100), st.sampled_from([0, 1, 7]))
def test_norm_variance_is_that_of_a_noncentral_chi_square(k, rows, rank, seed, noise):
    law = replace(ConditionedGaussian.random(np.random.default_rng(seed), k, rows, rank), noise=Fraction(noise, 5))
    S, m = np.array(law.covariance, dtype=object), np.array(law.mean, dtype=object)
    assert law.norm_variance() == 2 * (S @ S).trace() + 4 * (m @ S @ m)  # Var x'x = 2 tr S^2 + 4 m'Sm
    if noise == 0:
        assert law.norm_variance() == 2 * (k - law.rank)
        assert law.norm_mean() == law.seen + k - law.rank


def test_chi_square_tail_and_what_truncation_hides():
    for k in (1, 2, 3, 7, 12):
        for s in (0.5, 10.0, 40.0):
            assert float(chi_square_tail(k, Enclosure(s))) == pytest.approx(special.gammaincc(k / 2, s / 2), rel=1e-12)
    tau, excess = clipped_label_excess(6, 3)
    assert (tau - 1) ** 0.5 < 6**0.5 + 3 <= tau**0.5
    G = np.linspace(0, 400, 400_001)
    density = G**2 * np.exp(-G / 2) / 16  # 2^3 Gamma(3) = 16
    integral = (np.maximum(G**2 / 6 - tau, 0) * density).sum() * 0.001
    assert float(excess) == pytest.approx(integral, rel=1e-5)  # a kink costs h^2 times the jump of the slope
