"""Bayes losses of a subspace: identities by two routes, invariances, explicit networks, refusals."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from properties import examples

from theorytools import DomainError
from theorytools.numbers import at_precision, rational_rank
from theorytools.papers.qstr import PerIndexRidge, SpanPredictor
from theorytools.tasks.sparse_regression import sample
from theorytools.theory.first_layers.exact_span import (
    InputSpan,
    loss_moments,
    orthonormal_basis,
    pooled_blocks,
    smallest_eigenvalue,
)

F = Fraction
U = 2.0**-53
sizes = st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 6), st.integers(0, 999))


def prompts(seed, n, N, d):
    X, T = sample(np.random.default_rng(seed), n, N, d, 1, True)
    return np.rint(8 * X).astype(int), T[:, 0, 0]


def link(d):
    return orthonormal_basis(d, np.random.default_rng(d))[0]


def small(seed, n, N, d):
    """Entries 0 and ±1: dependent and repeated rows are common."""
    W = np.random.default_rng(seed).integers(-1, 2, (n, N * d))
    W[0, 0] = 1
    return W


def test_projectors_averages_and_eigenvalues():
    X, _ = prompts(0, 5, 4, 3)
    P = np.array(InputSpan.of(X, 4, 3).projector(), dtype=object)
    assert (P @ P == P).all()
    assert (P.T == P).all()
    assert np.trace(P) == 5
    assert (X.reshape(5, -1) @ P == X.reshape(5, -1)).all()
    span = InputSpan.of(prompts(1, 5, 4, 3)[0], 4, 3)
    assert span.mean_loss(np.eye(3, dtype=int)) == span.mean_loss(orthonormal_basis(3, np.random.default_rng(0)))
    assert span.mean_loss(np.eye(3, dtype=int)) == F(7, 12)
    ball = at_precision(200, lambda: smallest_eigenvalue([[F(2), F(1)], [F(1), F(2)]], 4))
    assert ball.lower <= 1 <= ball.upper
    assert (ball.upper.value - ball.lower.value) * 2**190 < 1
    assert smallest_eigenvalue([[F(1, 3), F(0)], [F(0), F(1, 3)]], 1).fraction() == F(1, 3)


@examples(25, sizes)
def test_losses_of_spans_by_two_routes_fall_as_they_grow_between_their_extremes(drawn):
    N, d, n, seed = drawn
    span, basis = InputSpan.of(small(seed, n, N, d), N, d), orthonormal_basis(d, np.random.default_rng(seed))
    assert span.rank == rational_rank(span.rows) == len(span.basis) == sum(span.pooled[k][k] for k in range(d))
    for b in basis:
        losses = [span.position_loss(b, t) for t in range(N)]
        assert span.bayes_loss(b) == span.conditional_variance(b) == sum(losses) / F(N)
        assert all(0 <= loss <= 1 for loss in losses)
    assert span.mean_loss(basis) == 1 - F(span.rank, N * d) <= span.worst_loss(basis)
    W, u = small(seed, n, N, d), link(d)
    span = InputSpan.of(W, N, d)
    mixed = np.tril(np.random.default_rng(seed).integers(1, 9, (n, n))) @ W  # invertible
    thirds = np.array([[F(int(x), 3) for x in row] for row in W], dtype=object)
    assert InputSpan.of(mixed, N, d).pooled == InputSpan.of(thirds, N, d).pooled == span.pooled
    assert span.bayes_loss([5 * x for x in u]) == span.bayes_loss(u)
    assert InputSpan.of(np.vstack([W, small(seed + 1, 1, N, d)]), N, d).bayes_loss(u) <= span.bayes_loss(u)
    assert InputSpan.of(np.eye(N * d, dtype=int), N, d).bayes_loss(u) == 0
    span = InputSpan.of(small(seed, n, N, d), N, d)
    top, bottom = at_precision(64, span.supremum), at_precision(64, span.infimum)
    for b in orthonormal_basis(d, np.random.default_rng(seed)):
        assert bottom.lower <= span.bayes_loss(b) <= top.upper
    eigenvalues = np.linalg.eigvalsh(np.array(span.pooled, dtype=float))
    # eigvalsh is backward stable: off by a small multiple of d u N, N being the largest norm of M
    assert abs(float(top) - (1 - eigenvalues[0] / N)) <= 100 * d * U
    assert abs(float(bottom) - (1 - eigenvalues[-1] / N)) <= 100 * d * U


@pytest.mark.parametrize(("N", "d"), [(1, 4), (3, 2), (5, 1), (4, 3)])
def test_moments_against_the_beta_law(N, d):
    p = N * d

    def beta(a, b, scale):
        return 1 - scale * F(a, a + b), scale**2 * F(2 * a * b, (a + b) ** 2 * (a + b + 2))

    # one prompt: the squared part of a uniform unit vector in N of p dimensions is Beta(N/2, (p-N)/2)
    assert loss_moments(N, d, 1) == beta(N, p - N, F(1, N))
    if N == 1:  # one position: the squared part of u in n of d dimensions is Beta(n/2, (d-n)/2)
        assert all(loss_moments(1, d, n) == beta(n, d - n, F(1)) for n in range(1, d + 1))
    for n in range(1, p):  # the orthogonal complement: D of one is 1 - D of the other
        (mean, variance), (other, same) = loss_moments(N, d, n), loss_moments(N, d, p - n)
        assert mean + other == 1
        assert variance == same
    assert loss_moments(N, d, p) == (0, 0)


def test_pooled_blocks_and_drawn_risks_in_doubles():
    data = np.stack([prompts(seed, 5, 4, 3)[0] for seed in range(8)])
    for X, M in zip(data, pooled_blocks(data.astype(float)), strict=True):
        exact = np.array(InputSpan.of(X, 4, 3).pooled, dtype=float)
        assert np.abs(M - exact).max() <= 4 * rounding(X)
    net = SpanPredictor(prompts(5, 4, 3, 2)[0], link(2))
    draws = net.residual(np.random.default_rng(0), 20_000)
    assert np.array_equal(draws[:4096], net.residual(np.random.default_rng(0), 4096))
    # chi-square over n: off by more than 2 sqrt(x/n) + 2x/n with probability 2 exp(-x) (Laurent and Massart)
    x, risk = np.log(2e9), float(net.risk())
    assert abs(np.square(draws).mean() / risk - 1) <= 2 * np.sqrt(x / draws.size) + 2 * x / draws.size
    assert net.risk([-x for x in net.u]) > 1


def rounding(X):
    """QR moves the data by a modest multiple of n p u (Higham (2002), Theorem 19.4; 64 covers it), the
    projector by its condition number times that.
    """
    flat = X.reshape(len(X), -1).astype(float)
    return 64 * flat.size * U * np.linalg.cond(flat)


@pytest.mark.parametrize(("N", "d", "n"), [(4, 3, 5), (3, 1, 2), (2, 2, 4)])
def test_span_predictor_is_the_projection(N, d, n):
    X, u = prompts(3, n, N, d)[0], link(d)
    net, flat = SpanPredictor(X, u), X.reshape(n, -1)
    assert rational_rank(np.vstack([flat, net.coefficients])) == n
    for t, c in enumerate(net.coefficients):
        gap = -c
        gap[t * d : (t + 1) * d] += np.array(u)
        assert not (flat @ gap).any()
    assert net.risk() == InputSpan.of(X, N, d).conditional_variance(u)


def test_span_predictor_twins_agree():
    N, d, n = 4, 3, 5
    net = SpanPredictor(prompts(4, n, N, d)[0], link(d))
    X, T = sample(np.random.default_rng(0), 20, N, d, 1, False)
    exact = np.einsum("mip,mp->mi", net.coefficients.astype(float)[T[:, :, 0]], X.reshape(20, -1))
    # two projections of u within rounding, applied to prompts of length |x|
    allowed = 4 * rounding(net.X) * np.linalg.norm(X.reshape(20, -1), axis=1).max()
    assert np.abs(net(X, T) - exact).max() <= allowed
    assert np.abs(net.W @ net.W.T - np.eye(n)).max() <= rounding(net.X)
    module = net.module()
    with torch.no_grad():
        y = module(torch.tensor(X), torch.tensor(T)).numpy()
    assert np.abs(y - net(X, T)).max() <= allowed
    assert [tuple(w.shape) for w in module.parameters()] == [(n, N * d), (N, n)]


def test_ridge_interpolates_shrinks_and_never_beats_the_span():
    X, t = prompts(6, 6, 4, 3)
    u = link(3)
    fit = PerIndexRidge(X, u, t)
    for x, index in zip(X, t, strict=True):  # minimum norm: the training labels are met
        assert x.ravel() @ fit.coefficients[index] == x[index] @ np.array(u)
    risks = [replace(fit, lam=lam).risk() for lam in (0, F(1, 2), 10, 1000, 10**9)]
    assert risks == sorted(risks)
    assert SpanPredictor(X, u).risk() <= risks[0]
    assert risks[-1] < 1
    assert not replace(fit, lam=5, t=0 * t).coefficients[1:].any()  # no prompt has these indices


def test_refusals():
    X, t = prompts(7, 3, 2, 2)
    for W in ([[0] * 4], [[1, 2, 3]], [[0.5, 0, 0, 0]], np.ones((1, 4)), [[True, 0, 0, 0]], []):
        with pytest.raises(DomainError):
            InputSpan.of(W, 2, 2)
    span = InputSpan.of(X, 2, 2)
    for u in ([0, 0], [1], [0.6, 0.8]):
        with pytest.raises(DomainError):
            span.bayes_loss(u)
    for u in ([1, 1], [0.6, 0.8], [1]):
        with pytest.raises(DomainError, match="direction"):
            SpanPredictor(X, u)
    u = (F(3, 5), F(4, 5))
    for wrong in (X.astype(float), X.tolist(), X[0], X[:0]):
        with pytest.raises(DomainError, match="training inputs"):
            SpanPredictor(wrong, u)
    with pytest.raises(DomainError, match="singular"):
        SpanPredictor(np.concatenate([X, X[:1]]), u).risk()
    with pytest.raises(DomainError, match="X"):
        SpanPredictor(X, u)(np.zeros((1, 3, 2)), np.zeros((1, 3, 1), dtype=int))
    for changed in ({"t": t + 2}, {"t": t[:2]}, {"lam": -1}, {"lam": float("nan")}):
        with pytest.raises(DomainError):
            PerIndexRidge(**{"X": X, "u": u, "t": t, **changed})
    with pytest.raises(DomainError, match="N d"):
        loss_moments(2, 2, 5)


def test_the_bound_on_rounding_holds_what_the_factorisation_itself_is_off_by():
    """Where a format rounds nothing, the doubles of both layers are left: unit vectors tell their map."""
    X = np.random.default_rng(3).integers(-6, 7, (2, 3, 1))
    net = SpanPredictor(X, (Fraction(1),))
    units = np.eye(3, dtype=int)[:, :, None]
    gaps = []
    for t in range(3):
        exact = net.exact(units, np.full((3, 3, 1), t))[:, 0]
        made = [sum(Fraction(r) * Fraction(v) for r, v in zip(net.readout[t].tolist(), column, strict=True))
                for column in net.W.T.tolist()]  # fmt: skip
        gaps.append(sum(abs(a - b) for a, b in zip(exact, made, strict=True)))
    assert max(gaps) > 0
    assert net.rounding(1, 2.0**-300) == pytest.approx(float(max(gaps)), rel=1e-12)
