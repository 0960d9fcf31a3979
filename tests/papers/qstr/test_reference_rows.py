"""Numbers derived beforehand for the recurrent half, found again from the library's objects."""

import math
from fractions import Fraction

import numpy as np
import pytest

from theorytools import ReluHead
from theorytools.codes.by_family import code_of_family
from theorytools.constructions.recurrent.general_tracker import GeneralTracker
from theorytools.constructions.recurrent.position_tracker import PositionTracker, code_gap
from theorytools.constructions.recurrent.simple_retrieval import SimpleRetrievalRNN as Retrieval
from theorytools.papers.qstr import LinearInterpolant
from theorytools.papers.qstr.capacity.recurrent import RecurrentBound
from theorytools.papers.qstr.capacity.recurrent_covering import drift_factor


@pytest.mark.parametrize(("code", "N", "d_e", "d", "q"), [("binary", 32, 5, 3, 2), ("rademacher", 64, 66, 2, 3)])
def test_the_exact_network_errs_nowhere(code, N, d_e, d, q):
    """Any link network, tokens and indices: the largest error is 0, in integers."""
    rng, M = np.random.default_rng(N), 25
    words = code_of_family(code, N, d_e, rng)
    K = d_e * -(-M // (2 * words.minimum_distance()))
    head = ReluHead(*(rng.integers(-3, 4, shape) for shape in ((4,), (4, q * d), (4,))))
    X, T = rng.integers(-M, M + 1, (6, N, d)), np.repeat(rng.integers(0, N, (6, 1, q)), N, axis=1)
    tokens = X[np.arange(6)[:, None, None], T].reshape(6, N, q * d)
    wanted = np.maximum(tokens @ head.W.T + head.b, 0) @ head.a
    assert np.abs(Retrieval(PositionTracker(words.signs, K, q, d), head, 10**4)(X, T) - wanted).max() == 0


def direction(v):
    """The unit vector along (v, a, b) with the least whole numbers a, b for which its length is whole."""
    square = sum(int(x) ** 2 for x in v)
    pairs = sorted(((a, b) for a in range(60) for b in range(60)), key=max)
    a, b = next(p for p in pairs if math.isqrt(square + p[0] ** 2 + p[1] ** 2) ** 2 == square + p[0] ** 2 + p[1] ** 2)
    return [Fraction(int(x), math.isqrt(square + a**2 + b**2)) for x in (*v, a, b)]


def test_four_layers_for_general_codes():
    """N = 40, d_e = 60, 16 cells: no error on a mismatch nor on a match, products within d_e B^2 / m^2."""
    rng = np.random.default_rng(0)
    codes = [direction(np.rint(16 * rng.standard_normal(58))) for _ in range(40)]
    B = max(abs(x) for row in codes for x in row)
    net = GeneralTracker.of(codes, 5, 16, radius=B)
    error = net.units.error(60)
    assert error == 60 * B**2 / 256
    assert 4 * error < code_gap(codes)
    gram = np.array(codes, dtype=float) @ np.array(codes, dtype=float).T - 2 * np.eye(40)
    nearest = gram.argmax(axis=1)  # the pairs that a gate confuses first
    x = [Fraction(5), Fraction(-5), Fraction(3, 7)]
    for i in range(0, 40, 8):
        for t, wanted in ((i, x), (int(nearest[i]), [0, 0, 0])):
            assert net(x, i, t) == wanted
            exact = sum(a * b for a, b in zip(codes[i], codes[t], strict=True))
            assert abs(net.product(i, t) - exact) <= error


def test_sums_of_powers_and_projections_that_are_apart():
    """At alpha = 10/N it tends to (e^10 - 1)/10 per position, and exceeds e from N = 4 on."""
    share = [float(drift_factor(N, Fraction(10, N)) / N) for N in (3, 4, 10**4)]
    assert share[0] < math.e < share[1]
    # the logarithm of (1 + 10/N)^(N-1) is 10 - 60/N + ...
    assert math.isclose(share[2], (math.exp(10) - 1) / 10, rel_tol=7e-3)
    # Gaps of sqrt(pi)/(3 n^2) and squared norm at most 3 n: about 0.87 at n = 2, 0.86 at n = 10.
    rng, draws = np.random.default_rng(0), 40_000
    for n in (2, 5, 10):
        z = np.sort(rng.standard_normal((draws, n)), axis=1)
        apart = np.diff(z, axis=1).min(axis=1) >= math.sqrt(math.pi) / (3 * n**2)
        often = (apart & (np.square(z).sum(axis=1) <= 3 * n)).mean()
        assert abs(often - 0.865) < 0.005 + 5 * 0.34 / math.sqrt(draws)  # the printed digits, five standard errors


@pytest.mark.parametrize(("n", "d", "printed"), [(5, 10, 4.47), (20, 40, 4.10), (50, 60, 9.43)])
def test_the_length_of_the_shortest_interpolant(n, d, printed):
    """Four times the root mean square of |X^+ y| is 4 sqrt(n/(d-n-1)) for independent labels.

    Then |X^+ y|^2 = y'(XX')^{-1}y is a chi-square of n degrees over an independent one of k = d - n + 1.
    """
    k, rng, draws = d - n + 1, np.random.default_rng(n), 600
    mean, square = n / (k - 2), n * (n + 2) / ((k - 2) * (k - 4))
    assert round(4 * math.sqrt(mean), 2) == printed
    X, y = rng.standard_normal((draws, n, d)), rng.standard_normal((draws, n, 1))
    found = (y * np.linalg.solve(X @ X.transpose(0, 2, 1), y)).sum(axis=(1, 2))
    assert abs(found.mean() - mean) < 5 * math.sqrt((square - mean**2) / draws)  # five standard errors
    own = np.rint(64 * X[0, :5]).astype(int)
    net = LinearInterpolant(own, [Fraction(round(64 * v)) for v in y[0, :5, 0]])
    np.testing.assert_allclose(net.v.astype(float), np.linalg.pinv(own) @ np.rint(64 * y[0, :5, 0]), atol=1e-9)


def gap_in_doubles(N, n, d=2, q=1, tau=16.0, delta=0.01, L_h=3, L_y=4):
    """The right side of Theorem 7 from the formulas of Corollaries 31 and 33 and Lemma 32, in doubles."""
    d_e = math.ceil(math.log2(N))
    M = math.sqrt(2 * math.log(2 * N * d / delta))
    K, qd = M * d_e / 2, q * d
    R = math.sqrt(3 * (2 * d + 4 * q * d_e + 4 * qd * (1 + K**2)) + 16 * qd + 10)
    z_2, D_e, m = d * M**2 + q + 1, d + (q + 1) * d_e, 2 * d + 2 * q * d_e
    layers = [(m, qd + D_e), (2 * qd, m)], [(4 * qd + m, 2 * qd + D_e), (4 * qd, 4 * qd + m), (2, 4 * qd)]
    P_h, P_y = (sum(rows * (columns + 1) for rows, columns in sizes) for sizes in layers)
    P_h, P_y = P_h + qd * 2 * qd, P_y + 2  # the last layers have no biases

    def log_cover(eps, P, L, square):
        return P * math.log1p(2 * R * L * R ** (L - 1) * (math.sqrt(square) + (L + 1) / 2) / eps)

    eps, h_2 = n**-0.5, qd * M**2
    size = log_cover(eps / 2, P_y, L_y, 2 * h_2 + z_2) + 2 * log_cover(
        eps / (2 * R**L_y * (N - 1)), P_h, L_h, h_2 + z_2
    )
    rademacher = 2 * math.sqrt(tau) * eps + tau * math.sqrt(2 * size / n)
    return 2 * rademacher + 3 * tau * math.sqrt(math.log(2 / delta) / (2 * n))


@pytest.mark.parametrize(("N", "sizes"), [(64, "100 10.3 1.07 0.11"), (4096, "172 17.7 1.81 0.185")])
def test_the_size_of_the_recurrent_bound_by_two_routes(N, sizes):
    values = [gap_in_doubles(N, 10**k) for k in (4, 6, 8, 10)]
    for k, value in zip((4, 6, 8, 10), values, strict=True):
        # some hundred operations, logarithms of numbers above e^10: a relative error below 1e-13
        assert math.isclose(float(RecurrentBound(N=N, n=10**k).value()), value, rel_tol=1e-12)
    assert [f"{v:.3g}" for v in values] == sizes.split()  # what the docstring of theorem_07 says
