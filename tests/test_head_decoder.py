"""Few heads with unrestricted matrices: span, decoder, readout and short codes agree; Gaussian norms by Wick's rule."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorytools.algebra.rigorous import Enclosure, at_precision
from theorytools.codes import hadamard, orthonormal, rademacher, simplex, subcode
from theorytools.constructions import (
    BlockAttention,
    HeadDecoder,
    LogReadout,
    RevealedTokens,
    ShortCodeDecoder,
    best_error,
    decoded_ratios,
)
from theorytools.errors import CertificateError, DomainError
from theorytools.quantities import ConditionedGaussian, chi_square_tail, clipped_label_excess, wick_moment
from theorytools.tasks.few import FewTokens

SMALL = settings(deadline=None, derandomize=True, database=None, max_examples=30)


def decoder(N, d, q, H, codes=hadamard, **options):
    return HeadDecoder.standard(codes(N), FewTokens(N, d, q), H, **options)


def short(N=24, d=1, q=3, H=1, d_e=15, seed=0, **options):
    codes = rademacher(N, d_e, np.random.default_rng(seed))
    return ShortCodeDecoder.standard(codes, FewTokens(N, d, q, early="same"), H, **options)


def indexed_weights(net, X):
    """Weights on indexed tokens, shape ``(n, H, q)``, from the scores, without codes."""
    beta = np.log(np.array(net.odds, dtype=np.float64))
    w = np.array(net.directions, dtype=np.float64)
    scores = np.zeros((len(X), net.H, net.task.N)) + float(net.slope) * np.einsum("njd,hd->nhj", X, w)
    scores[:, :, list(net.task.indices)] += beta
    weights = np.exp(scores)
    return (weights / weights.sum(axis=2, keepdims=True))[:, :, list(net.task.indices)]


def conditional_mean(net, x, A):
    """The least-squares projection on all rows of the span at one prompt: singular values, no tensor structure."""
    task, w = net.task, np.array(net.directions, dtype=np.float64)
    rows = [np.kron(np.eye(task.q), w)] * bool(net.slope) + [np.kron(A, np.eye(task.d))]
    _, values, basis = np.linalg.svd(np.vstack(rows))
    rank = int((values > 1e-6 * values[0]).sum())
    root = np.sqrt(task.q * task.d)
    return np.clip((np.square(basis[:rank] @ x[: task.q].ravel()).sum() - rank) / root, -root, net.limit)


# -- identities: the span ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("N", "d", "q", "H"), [(7, 4, 3, 1), (9, 6, 4, 3), (9, 2, 4, 3), (11, 1, 5, 2), (9, 5, 4, 4)])
def test_rank_and_trace_give_one_error(N, d, q, H):
    shown = RevealedTokens.random(np.random.default_rng(0), H, FewTokens(N, d, q))
    h_w, h_a = shown.dimensions
    assert shown.rank == q * h_w + d * h_a - h_w * h_a
    assert shown.residual == (q - h_a) * (d - h_w)
    assert shown.late_error().fraction() == Fraction(2 * shown.residual, q * d)


@SMALL
@given(st.data(), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_error_factorises_and_meets_the_bound(data, d, q, H):
    # A' (x) W' is what is left, so the error is that of block-diagonal attention times 1 - h_w/d
    task = FewTokens(2 * q + 3, d, q)  # one Gaussian token is not indexed
    shown = RevealedTokens.search(data.draw, type("Point", (), {"N": task.N, "d": d, "q": q, "H": H}))
    h_w, _ = shown.dimensions
    rows = []
    for row in shown.weights:
        if np.linalg.matrix_rank(np.array([*rows, row])) > len(rows):
            rows.append(row)
    rest = best_error(rows, q).fraction() if rows else Fraction(2)
    assert shown.late_error().fraction() == rest * (1 - Fraction(h_w, d))
    floor = max(Fraction(0), 1 - Fraction(H, q)) * max(Fraction(0), 1 - Fraction(H, d))
    assert shown.late_error().fraction() >= 2 * floor
    assert shown.risk().fraction() == shown.late_error().fraction() * Fraction(task.N - task.K, task.N)


def test_a_zero_token_among_the_indexed_ones_leaves_less():
    shown = RevealedTokens.random(np.random.default_rng(1), 1, FewTokens(8, 5, 4, late=(0, 1, 2, 3)))
    assert shown.late_error().fraction() == Fraction(2 * (3 - 1) * (5 - 1), 4 * 5)  # K = 3 unknown tokens
    assert RevealedTokens((), (), FewTokens(8, 5, 2)).late_error().fraction() == 2  # no heads: Var y


# -- identities: the decoder ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("N", "d", "q", "H"), [(8, 4, 3, 1), (7, 4, 3, 2), (9, 6, 4, 3), (7, 2, 3, 2), (9, 2, 4, 3), (5, 1, 2, 1)]
)
def test_prediction_is_the_conditional_mean(N, d, q, H):
    net = decoder(N, d, q, H)
    X = net.task.draw(np.random.default_rng(2), 20)
    A = indexed_weights(net, X)
    wanted = [conditional_mean(net, x, a) for x, a in zip(X, A, strict=True)]
    # logarithms of weights above e^-6 are off by 1e-13, divided by 0.15; squares of numbers below 10: 1e-10
    np.testing.assert_allclose(net.late(X), wanted, atol=1e-9)
    if min(d, q) <= H:  # everything is decoded
        root = np.sqrt(q * d)
        np.testing.assert_allclose(net.late(X), np.clip(net.task.labels(X)[:, -1], -root, net.limit), atol=1e-9)


def test_without_the_block_averages_are_all_that_is_known():
    net = decoder(7, 3, 3, 2, slope=Fraction(0))
    X = net.task.draw(np.random.default_rng(3), 10)
    wanted = [conditional_mean(net, x, a) for x, a in zip(X, indexed_weights(net, X), strict=True)]
    np.testing.assert_allclose(net.late(X), wanted, atol=1e-12)  # one solve of order 2, condition below 100
    assert net.late_error().fraction() == Fraction(2, 3)


def test_forward_is_that_of_the_attention_layer():
    # temperatures near 5: a spread of scores that the softmax still resolves
    net = decoder(8, 2, 3, 2, odds=128, codes=orthonormal)
    rng, task = np.random.default_rng(4), net.task
    X, T = task.draw(rng, 6), np.broadcast_to(task.tuples(), (6, 8, 3))
    Z = BlockAttention(orthonormal(8), 1, 3, 2).encode(X, T)
    predictions = net.predict(X)
    for h in range(2):
        scores = Z @ net.W_QK(h) @ Z.transpose(0, 2, 1)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        for indices, i in ((task.indices, -1), (task.first, 0)):
            code_part, data_part = net.forward(X, indices)
            # sums of at most 8 products of numbers below 10
            np.testing.assert_allclose(weights[:, i] @ np.eye(8), code_part[:, h], atol=1e-13)
            np.testing.assert_allclose((weights @ X)[:, i], data_part[:, h], atol=1e-13)
    np.testing.assert_allclose(predictions[:, 0], -np.sqrt(6), rtol=1e-15)  # blank tuples are recognised
    np.testing.assert_allclose(predictions[:, task.K :], np.tile(net.late(X)[:, None], 5), atol=0)


def test_exact_and_float_decoding_agree():
    net = decoder(9, 3, 4, 2)
    X = np.zeros((1, 9, 3))
    X[0, :4] = np.random.default_rng(5).integers(1, 9, (4, 3)) / 4
    tokens = [[Fraction(float(x)) for x in row] for row in X[0, :4]]
    ratios = at_precision(256, lambda: decoded_ratios(net, tokens))
    assert len(ratios) == 8
    assert all(abs(float(r) - 1) < 1e-15 and (abs(r - 1) * 2**200).upper < 1 for r in ratios)
    code_part, data_part = net.forward(X)
    products = net.readout.products((code_part @ hadamard(9).matrix().T)[:, :, :4], data_part)
    np.testing.assert_allclose(products[0], (X[0, :4] @ np.array(net.directions).T).T, atol=1e-11)
    wrong = at_precision(256, lambda: decoded_ratios(net, tokens, slope=Fraction(1, 5)))
    assert not any((abs(r - 1) * 100).upper < 1 for r in wrong)


def test_exact_error_of_the_decoder():
    for q, d, H in ((3, 4, 1), (4, 6, 3), (5, 6, 4), (3, 2, 2), (2, 1, 1), (3, 5, 3)):
        net = decoder(2 * q + 2, d, q, H)
        wanted = 2 * max(Fraction(0), 1 - Fraction(H, q)) * max(Fraction(0), 1 - Fraction(H, d))
        assert net.late_error().fraction() == wanted
        assert net.risk().fraction() == wanted * Fraction(q + 2, 2 * q + 2)


def test_readout_has_a_value_for_every_input():
    net = decoder(7, 4, 3, 2)
    A, M = np.zeros((3, 2, 3)), np.ones((3, 2, 4))
    A[1], A[2] = -1.0, [[1, 0, 0], [1, 0, 0]]
    y = net.readout(A, M)
    assert np.isfinite(y).all()
    assert (np.abs(y) <= net.limit).all()


def test_draws_do_not_depend_on_the_block():
    net = decoder(7, 3, 3, 1)
    many = net.late_squares(np.random.default_rng(6), 5000)
    np.testing.assert_allclose(many[:4096], net.late_squares(np.random.default_rng(6), 4096), rtol=1e-12)
    assert many.shape == (5000,)


# -- identities: short codes ------------------------------------------------------------------------------


def test_query_separates_exactly():
    net = short(q=4, H=2, d=2)
    E = net.codes.signs.astype(int)
    products = [sum(int(e) * x for e, x in zip(row, net.query, strict=True)) for row in E]
    assert products[:4] == [1, 1, 1, 1]
    assert max(products[4:]) == 1 - net.margin()
    assert net.margin() > 0
    np.testing.assert_allclose(net.queries @ net.codes.matrix()[:4].T, net.readout.beta, rtol=1e-12)


def test_short_codes_decode_every_token():
    net = short(d=2, H=2, odds=2**200)
    X = net.task.draw(np.random.default_rng(7), 50)
    y = np.clip(net.task.labels(X)[:, -1], -np.sqrt(6), net.limit)
    # other weights: 21 e^(-138 margin) with a margin near 1; the rest as for orthonormal codes
    np.testing.assert_allclose(net.late(X), y, atol=1e-8)
    Z = BlockAttention(net.codes, 1, 3, 2).encode(X, np.broadcast_to(net.task.tuples(), (50, 24, 3)))
    code_part, _ = net.forward(X)
    scores = Z[:, -1:] @ net.W_QK(1) @ Z.transpose(0, 2, 1)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    # scores near 140 are off by 1e-13, so weights by 1e-13
    np.testing.assert_allclose((weights @ net.codes.matrix())[:, 0], code_part[:, 1], atol=1e-12)


# -- identities: Gaussian norms ---------------------------------------------------------------------------


def test_wick_moments():
    assert [wick_moment([0], [[1]], (0,) * m) for m in (2, 4, 6, 8)] == [1, 3, 15, 105]
    assert wick_moment([2], [[3]], (0,) * 3) == 2**3 + 3 * 2 * 3
    assert wick_moment([0, 0], [[1, Fraction(1, 2)], [Fraction(1, 2), 1]], (0, 0, 1, 1)) == 1 + 2 * Fraction(1, 4)


@SMALL
@given(st.integers(1, 5), st.integers(0, 4), st.integers(1, 3), st.integers(0, 100), st.sampled_from([0, 1, 7]))
def test_norm_variance_is_that_of_a_noncentral_chi_square(k, rows, rank, seed, noise):
    law = replace(ConditionedGaussian.random(np.random.default_rng(seed), k, rows, rank), noise=Fraction(noise, 5))
    S, m = np.array(law.covariance, dtype=object), np.array(law.mean, dtype=object)
    assert law.norm_variance() == 2 * (S @ S).trace() + 4 * (m @ S @ m)  # Var x'x = 2 tr S^2 + 4 m'Sm
    if noise == 0:
        assert law.norm_variance() == 2 * (k - law.rank)
        assert law.norm_mean() == law.seen + k - law.rank


def test_pairs_share_what_is_known():
    rng = np.random.default_rng(8)
    full = ConditionedGaussian(((1, 2), (3, 4)), (0, 0))
    assert full.half_square_gap(rng, 100).max() < 1e-24  # squares of differences of equal numbers below 100
    free = ConditionedGaussian((), (0,) * 3).half_square_gap(rng, 100_000)
    # mean 2k = 6 and variance 12k^2 + 24k - 4k^2 = 144: six standard errors
    assert abs(free.mean() - 6) < 6 * 12 / 100_000**0.5


def test_chi_square_tail_and_what_truncation_hides():
    from scipy import special

    for k in (1, 2, 3, 7, 12):
        for s in (0.5, 10.0, 40.0):
            assert float(chi_square_tail(k, Enclosure(s))) == pytest.approx(special.gammaincc(k / 2, s / 2), rel=1e-12)
    tau, excess = clipped_label_excess(6, 3)
    assert (tau - 1) ** 0.5 < 6**0.5 + 3 <= tau**0.5
    G = np.linspace(0, 400, 400_001)
    density = G**2 * np.exp(-G / 2) / 16  # 2^3 Gamma(3) = 16
    integral = (np.maximum(G**2 / 6 - tau, 0) * density).sum() * 0.001
    assert float(excess) == pytest.approx(integral, rel=1e-5)  # a kink costs h^2 times the jump of the slope


# -- refusals ---------------------------------------------------------------------------------------------

TASK = FewTokens(8, 2, 3)


@pytest.mark.parametrize(
    "make",
    [
        lambda: RevealedTokens(((1,),), ((1, 1, 1),), TASK),
        lambda: RevealedTokens(((1, 0),), ((1, 1, 1, 1),), TASK),
        lambda: RevealedTokens(((1, 0),), ((1, -1, 1),), TASK),
        lambda: RevealedTokens(((1, 0),), ((1, 1, 1),), FewTokens(8, 2, 3, link="lin")),
        lambda: RevealedTokens(((1, 0),), ((1, 1, 1),), FewTokens(8, 2, 2)).residual,
        lambda: decoder(8, 2, 3, 4),
        lambda: decoder(8, 2, 3, 1, codes=simplex),
        lambda: decoder(8, 2, 3, 1, limit=0),
        lambda: HeadDecoder.standard(hadamard(9), TASK, 1),
        lambda: HeadDecoder.standard(hadamard(8), FewTokens(8, 2, 2, late=(0, 7)), 1),
        lambda: LogReadout(TASK, ((1, 0),), ((1, 0, 1),), Fraction(1), 5),
        lambda: decoder(9, 2, 3, 1).late_error(),
        lambda: decoded_ratios(decoder(7, 2, 3, 1), [[1, 1], [0, 1], [1, 1]]),
        lambda: decoded_ratios(decoder(7, 2, 3, 1), [[1, 1], [1, 1]]),
        lambda: decoded_ratios(decoder(7, 2, 3, 1, slope=Fraction(0)), [[1, 1]] * 3),
        lambda: ShortCodeDecoder.standard(hadamard(8), TASK, 1),
        lambda: ShortCodeDecoder.standard(simplex(8), FewTokens(8, 2, 3, early="same"), 1),
        lambda: replace(short(), codes=subcode(short().codes, [0, 0, *range(2, 24)])).margin(),
        lambda: ConditionedGaussian(((1, 2),), (1,)),
        lambda: ConditionedGaussian((), ()),
        lambda: ConditionedGaussian(((1,),), (1,), -1),
        lambda: ConditionedGaussian(((1,),), (1,), 1).half_square_gap(np.random.default_rng(0), 2),
        lambda: chi_square_tail(0, Enclosure(1)),
        lambda: chi_square_tail(2, Enclosure(0)),
        lambda: clipped_label_excess(3, 0),
    ],
)
def test_refusals(make):
    with pytest.raises(DomainError):
        make()


def test_dependent_weights_prove_nothing():
    net = decoder(7, 4, 3, 2)
    with pytest.raises(CertificateError):
        replace(net, odds=((1, 1, 1), (2, 2, 2))).late_error()
