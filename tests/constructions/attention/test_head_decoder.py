"""Few heads with unrestricted matrices: decoder, readout and short codes agree."""

from fractions import Fraction

import numpy as np
import pytest
from devices import device
from head_decoder_examples import decoder, short

from theorytools import BlockAttention, hadamard, orthonormal
from theorytools.numbers import at_precision

decoded_ratios = device("qstr/proposition_03/_exact_decoding").decoded_ratios


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


def test_errors_are_exact_and_averages_all_that_is_known_without_the_block():
    for q, d, H in ((3, 4, 1), (4, 6, 3), (5, 6, 4), (3, 2, 2), (2, 1, 1), (3, 5, 3)):
        net = decoder(2 * q + 2, d, q, H)
        wanted = 2 * max(Fraction(0), 1 - Fraction(H, q)) * max(Fraction(0), 1 - Fraction(H, d))
        assert net.late_error().fraction() == wanted
        assert net.risk().fraction() == wanted * Fraction(q + 2, 2 * q + 2)
    net = decoder(7, 3, 3, 2, slope=Fraction(0))
    X = net.task.draw(np.random.default_rng(3), 10)
    wanted = [conditional_mean(net, x, a) for x, a in zip(X, indexed_weights(net, X), strict=True)]
    np.testing.assert_allclose(net.late(X), wanted, atol=1e-12)  # one solve of order 2, condition below 100
    assert net.late_error().fraction() == Fraction(2, 3)


def test_readouts_and_draws_at_every_input():
    net = decoder(7, 4, 3, 2)
    A, M = np.zeros((3, 2, 3)), np.ones((3, 2, 4))
    A[1], A[2] = -1.0, [[1, 0, 0], [1, 0, 0]]
    y = net.readout(A, M)
    assert np.isfinite(y).all()
    assert (np.abs(y) <= net.limit).all()
    net = decoder(7, 3, 3, 1)
    many = net.late_squares(np.random.default_rng(6), 5000)
    np.testing.assert_allclose(many[:4096], net.late_squares(np.random.default_rng(6), 4096), rtol=1e-12)
    assert many.shape == (5000,)


# -- identities: short codes ------------------------------------------------------------------------------
def test_the_query_separates_and_short_codes_decode_every_token():
    net = short(q=4, H=2, d=2)
    E = net.codes.signs.astype(int)
    products = [sum(int(e) * x for e, x in zip(row, net.query, strict=True)) for row in E]
    assert products[:4] == [1, 1, 1, 1]
    assert max(products[4:]) == 1 - net.margin()
    assert net.margin() > 0
    np.testing.assert_allclose(net.queries @ net.codes.matrix()[:4].T, net.readout.beta, rtol=1e-12)
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
