"""Norm of recurrent networks against interpolants: closed forms, brute force, refusals."""

import math
from fractions import Fraction

import numpy as np
import pytest
from refusals import refuses

from theorytools import DomainError
from theorytools.numbers import Enclosure, at_precision, float_upper
from theorytools.papers.qstr import LinearInterpolant
from theorytools.papers.qstr.interpolation.norm_gap import (
    covered_prompts,
    failing_length,
    interpolant_norm,
    linear_norm,
    memory_bound,
    memory_constant,
    recurrent_norm,
)

F = Fraction


@pytest.mark.parametrize(("c", "N"), [("0.01", 8), ("0.1", 50), ("0.25", 1000), ("0.5", 3)])
def test_memory_constant_is_the_maximum(c, N):
    best = memory_constant(c, N)
    values = [float(memory_bound(F(k, 200), c, N)) for k in range(1, 200)]
    assert max(values) <= float(best) * (1 + 1e-12)  # doubles of values with 64 bits
    # a grid of step h misses the maximum by at most h^2/8 of the largest curvature, here below 2e * 10
    assert max(values) >= float(best) - 55 / (8 * 200**2)


def test_bounds_in_doubles_and_lengths_by_brute_force():
    for N, L_y in ((8, 2), (100, 3)):
        by_hand = (L_y + 1) * (0.5 * float(memory_constant("0.01", N)) * (N - 1)) ** (1 / (L_y + 1))
        assert math.isclose(float(recurrent_norm(N, "0.01", L_y)), by_hand, rel_tol=1e-13)  # a dozen roundings
    assert math.isclose(float(interpolant_norm(1)), 6 * math.sqrt(1440 / math.pi), rel_tol=1e-13)
    assert linear_norm(4, 2).fraction() == 8
    N = failing_length(lambda: linear_norm(1, 3), lambda N: recurrent_norm(N, "0.1", 3), "0.1")
    assert next(k for k in range(2, 99) if float(recurrent_norm(k, "0.1", 3)) > 6) == N
    assert [covered_prompts(10**k, "0.01") for k in (4, 6)] == [0, 1]
    # At c = 0 the maximiser is exp(-1/2) and the value 2e * exp(-1) / 2 = 1.
    for bits in (53, 200):
        box = at_precision(bits, lambda: memory_constant(0, 7))
        assert box.lower <= 1 <= box.upper
        assert float_upper(abs(box - 1).upper) < 2.0 ** (8 - bits)  # eta to 2^-bits; as a product of balls, slope < 40


def test_linear_interpolant_passes_through_its_data():
    X = np.random.default_rng(0).integers(-9, 10, (3, 6))
    net = LinearInterpolant(X, [F(1), F(-2, 3), F(0)], depth=3)
    assert net.hits() == 3
    shortest = np.linalg.pinv(X.astype(float)) @ np.array([1, -2 / 3, 0])
    np.testing.assert_allclose(net.v.astype(float), shortest, atol=1e-12)  # condition of X below 100
    norms = net.layer_norms()
    assert all(math.isclose(float(x), float(norms[0]), rel_tol=1e-14) for x in norms)
    assert (net.squared_norm() - net.squared_norm(balanced=False)).certainly_lt(0)
    assert LinearInterpolant(X, [F(1), F(-2, 3), F(0)], ridge=1).hits() < 3


def test_refusals():
    refuses(
        DomainError, (lambda: memory_constant(1, 5), "variance 1"), (lambda: memory_constant(0, 1), "N >= 2"),
        (lambda: failing_length(lambda: Enclosure(2).sqrt(), lambda N: Enclosure(2).sqrt(), 0), "norms that differ"),
        (lambda: LinearInterpolant(np.eye(2, dtype=int), [0, 0]), "a label not 0"),
        (lambda: LinearInterpolant(np.eye(2, dtype=int), [1, 0], depth=1), "depth >= 2"),
    )  # fmt: skip
