"""BlockAttention: the exact forward pass, the float64 one, the torch module and the closed form are one function."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import sympy
import torch
from code_examples import codes

from theorytools import BlockAttention, Budget, Enclosure, changed
from theorytools.codes.duplicates import has_duplicates
from theorytools.codes.equiangular import orthonormal, simplex
from theorytools.codes.families import hadamard
from theorytools.codes.subcode import subcode
from theorytools.constructions.attention.leakage import worst_leakage
from theorytools.constructions.feedforward.link_heads import linear_head

LOG2 = sympy.log(2)


def last(recipe, bits=256):
    return list(recipe.steps(0.0, Budget(bits=bits)))[-1]


def prompts(net, n, seed=1):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, net.N, net.d)), rng.integers(0, net.N, (n, net.N, net.q))


@pytest.fixture(scope="module")
def net():
    return BlockAttention(codes(16, 23), beta=Fraction(213, 10), q=3, d=4)


@pytest.mark.parametrize(
    ("N", "d_e", "s", "expected"),
    [(64, 67, 1, 1.1071e-6), (100, 23, 2, 2.340e-2), (100, 23, 3, 2.441e-3), (100, 23, 4, 2.747e-4),
     (1024, 111, 1, 5.086e-10)],
)  # fmt: skip
def test_exact_leakage_of_the_recorded_codes(N, d_e, s, expected):
    value = worst_leakage(codes(N, d_e), s * d_e * LOG2 / 2)
    assert value.exact
    assert float(value) == pytest.approx(expected, rel=5e-4)  # the record has four digits


@pytest.mark.parametrize(
    ("N", "d_e", "delta", "expected"),
    [(64, 67, 1e-4, 3.892e-6), (64, 20, 1e-4, 1.606e-6), (100, 23, 1e-4, 1.030e-6), (256, 89, 1e-4, 5.078e-7)],
)
def test_leakage_at_the_temperature_that_the_bound_asks_for(N, d_e, delta, expected):
    code = codes(N, d_e)
    rho = sympy.Rational(code.coherence().numerator, code.coherence().denominator)
    beta = sympy.log((N - 1) * (sympy.Rational(str(delta)) ** -1 - 1)) / (1 - rho)
    assert float(worst_leakage(code, beta)) == pytest.approx(expected, rel=5e-4)


@pytest.mark.parametrize("make", [orthonormal, simplex])
@pytest.mark.parametrize("N", [2, 5, 8])
def test_equiangular_codes_attain_the_bound(make, N):
    code = make(N)
    gamma = 3 * LOG2  # beta (1 - rho) = 3 log 2, so both sides are rational
    rho = code.coherence()
    value = worst_leakage(code, gamma / (1 - sympy.Rational(rho.numerator, rho.denominator)))
    assert value.exact
    assert value.fraction() == Fraction(N - 1, N - 1 + 8)


def test_leakage_by_counting_distances_is_enclosed_and_falls_with_the_temperature():
    code, s = codes(12, 9), 2
    K = code.gram_numerators()
    rows = [sum(Fraction(1, 2 ** (s * (9 - int(K[t, j])) // 2)) for j in range(12) if j != t) for t in range(12)]
    assert worst_leakage(code, s * 9 * LOG2 / 2).fraction() == max(S / (1 + S) for S in rows)
    code = codes(64, 67)
    exact = worst_leakage(code, 67 * LOG2 / 2).fraction()
    # log 2 lies between two decimals 1e-14 apart, and leakage decreases with the temperature
    low, high = (worst_leakage(code, Fraction(67, 2) * Fraction(f"0.69314718055994{d}")) for d in (5, 6))
    assert high.lower < exact < low.upper
    # the slope of log L lies between -2 and 0 and beta moves by 3.4e-13; each ball has 53 bits and 60 terms
    assert abs(float(low) / float(high) - 1) < 2 * 3.4e-13 + 2 * 60 * 67 * 2**-53
    code = codes(32, 20)
    values = [worst_leakage(code, beta) for beta in range(1, 40, 3)]
    assert all(b.certainly_lt(a) for a, b in pairwise(values))
    assert isinstance(worst_leakage(hadamard(4), Fraction(1, 3)), Enclosure)


def test_extremal_prompt_attains_twice_the_radius_times_the_leakage(net):
    net = replace(net, codes=codes(16, 23), beta=23 * LOG2)
    error = last(net.extremal_error(5, range(16)))
    certificate = last(net.certificate(5))
    assert error.low == error.high == certificate.low == certificate.high


def test_extremal_prompts_attain_the_certificate_and_floats_the_exact_pass(net):
    rng = np.random.default_rng(2)
    X, T = rng.integers(-3, 4, (net.N, net.d)), rng.integers(0, net.N, (net.N, net.q))
    float_tokens = net(X[None].astype(float), T[None])[0]
    # scores below 22 in float64 with D_e = 96 terms: relative error of a weight below 96·22·2^-52 < 1e-12
    for i, h in [(0, 0), (3, 1), (15, 2)]:
        exact = net.exact_token(X.tolist(), T, i, h)
        assert np.allclose(float_tokens[i, h], [float(x) for x in exact], rtol=0, atol=1e-11)
    X, T = prompts(net, 1)
    assert np.array_equal(net(X, T), net.tokens(X, T))


def test_module_computes_the_same_function(net):
    net = replace(net, head=linear_head(np.full(4, 0.5), 3))
    X, T = prompts(net, 5)
    tokens = replace(net, head=None).module()(torch.tensor(X), torch.tensor(T)).detach().numpy()
    labels = net.module()(torch.tensor(X), torch.tensor(T)).detach().numpy()
    assert tokens.dtype == np.float64
    # two float64 evaluations of one formula: each within the 1e-12 above of the exact weights
    assert np.allclose(tokens, net.tokens(X, T), rtol=0, atol=1e-10)
    assert np.allclose(labels, net(X, T), rtol=0, atol=1e-10)


def test_encoding_blocks_and_linear_labels(net):
    X, T = prompts(net, 3)
    Z = net.encode(X, T)
    assert Z.shape == (3, net.N, net.D_e)
    squares = (X**2).sum(axis=2) + net.d * (1 + 1 / net.q)
    assert np.allclose((Z**2).sum(axis=2), squares, rtol=1e-13)  # sums of 96 squares: 96·2^-53 < 1e-13
    W, alpha, k = net.W_QK(1), float(net.alpha), net.codes.d_e
    assert np.linalg.norm(W) == pytest.approx(alpha * np.sqrt(k))
    assert np.linalg.norm(W, 2) == pytest.approx(alpha)
    assert np.abs(W).sum() == pytest.approx(alpha * k)
    cold = replace(net, beta=400, head=linear_head(np.array([1.0, 0, 0, 0]), 3))
    X, T = prompts(cold, 4)
    wanted = np.take_along_axis(X[:, None, :, 0], T.transpose(0, 2, 1), axis=2).sum(axis=1) / np.sqrt(3)
    # beta (1 - rho) = 400·(1 - rho) > 60, so the leakage is below 15 e^-60
    assert np.allclose(cold(X, T), wanted, atol=1e-9)


# controls of the record --------------------------------------------------------------------------------------
def test_spoiled_networks_are_far_off():
    code = codes(64, 67)
    net = BlockAttention(code, beta=Fraction(213, 10), q=3, d=10)
    at = range(0, 64, 16)
    honest = last(net.extremal_error(5, at)).floats[1]
    transposed, copied = ((0, 1), (0, 2), (0, 3)), ((1, 0), (2, 0), (2, 0))
    for spoiled in ({"blocks": transposed}, {"blocks": copied}, {"beta": Fraction(213, 40)}):
        assert last(replace(net, **spoiled).extremal_error(5, at)).floats[0] > 1e3 * honest
    doubled = last(changed(net, codes=subcode(code, [0, 0, *range(2, 64)])).leakage())
    assert doubled.floats[0] >= 0.5
    unscaled = last(replace(net, scale=1).leakage())
    # recorded 0.163 at beta = 21.2998; log L has slope above -2, so 21.3 moves it by less than 1e-4, plus rounding
    assert unscaled.floats[0] == pytest.approx(0.163, abs=6e-4)


@pytest.mark.parametrize("code", [hadamard(8), simplex(5), orthonormal(3), codes(16, 23)])
def test_duplicates_are_found(code):
    assert not has_duplicates(code)
    assert has_duplicates(subcode(code, [0, 1, 0]))
