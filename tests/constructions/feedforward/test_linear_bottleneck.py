"""The lower bound for fully-connected networks on token selection, its certificate, and the network that attains it."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import BudgetError, DomainError
from theorytools.papers.stsq import LinearBottleneck, OptimalLinearBottleneck
from theorytools.theory.first_layers.bottleneck import (
    compressor_eigenvalues,
    compressor_risk,
    density_risk,
    sufficient_width,
)
from theorytools.theory.first_layers.compressor_certificate import (
    certify_compressor,
    conditioned_risk,
    discrete_risk,
    multiplicity,
    selection_moment,
    uniform_pair_risk,
)

sizes = st.tuples(st.integers(2, 5), st.integers(1, 2), st.integers(1, 5)).filter(lambda s: s[2] <= s[0])


@examples(25, sizes)
def test_the_eigenvalues_are_those_of_the_counted_matrix(size):
    T, d, q = size
    M, ((top, a), (rest, b)) = selection_moment(T, d, q), compressor_eigenvalues(T, d, q)
    if top == rest:
        assert multiplicity(M, top) == a + b
    else:
        assert (multiplicity(M, top), multiplicity(M, rest)) == (a, b)
    assert M.trace() == a * top + b * rest == Fraction(d, q)
    assert multiplicity(M, Fraction(-1)) == 0


@examples(25, sizes, st.integers(0, 11))
def test_the_best_network_loses_the_bound(size, m):
    T, d, q = size
    net = OptimalLinearBottleneck.of(m, T, d, q)
    assert net.m == m
    assert net.risk() == compressor_risk(m, T, d, q)
    if m:
        found = certify_compressor(net.W, T=T, d=d, q=q)
        assert found.risk == found.width_risk == net.risk()
        assert found.rank == min(m, T * d)


@examples(25, sizes, st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_the_certificate_has_three_routes_and_is_never_below_the_bound(size, m, seed):
    T, d, q = size
    W = np.random.default_rng(seed).integers(-2, 3, (m, T * d))  # dependent and zero rows occur
    found = certify_compressor(W, T=T, d=d, q=q)
    assert found.risk == conditioned_risk(W, T=T, d=d, q=q) == LinearBottleneck(W.astype(object), T, d, q).risk()
    assert found.risk >= compressor_risk(found.rank, T, d, q) >= found.width_risk


def test_floats_are_fractions_and_the_running_network_is_exact():
    W = np.random.default_rng(1).standard_normal((3, 8))
    exact = np.array([[Fraction(x) for x in row] for row in W.tolist()], dtype=object)
    assert certify_compressor(W, T=4, d=2, q=2) == certify_compressor(exact, T=4, d=2, q=2)
    assert certify_compressor(W.reshape(3, 4, 2), T=4, d=2, q=2) == certify_compressor(W, T=4, d=2, q=2)
    near = certify_compressor(W.astype(np.float32), T=4, d=2, q=2)
    # the projector is smooth in W; rounding to single precision moves it by a small multiple of 2^-24
    assert float(near.risk) == pytest.approx(float(certify_compressor(W, T=4, d=2, q=2).risk), abs=1e-5)
    net, rng = OptimalLinearBottleneck.of(5, 4, 2, 2), np.random.default_rng(2)
    X, Y = rng.integers(-5, 6, (6, 4, 2)), np.array([[0, 1], [2, 3], [0, 3], [1, 2], [1, 3], [0, 2]])
    exact = [net.coefficients(y) @ x.reshape(-1).astype(object) for x, y in zip(X, Y, strict=True)]
    # sums of at most 8 products below 40 of doubles: far within 1e-12
    np.testing.assert_allclose(net(X.astype(float), Y), np.array(exact, dtype=float), atol=1e-12)
    module = net.module()
    out = module(torch.tensor(X, dtype=torch.float64), torch.tensor(Y)).detach().numpy()
    np.testing.assert_allclose(out, net(X.astype(float), Y), atol=1e-12)
    assert sum(p.numel() for p in module.parameters()) == 5 * 8 + 4 * 2 * 5


def test_widths_and_tokens_that_are_not_gaussian():
    assert sufficient_width("1/4", 8, 2, 2) == 12
    for theta in ("0", "1/8", "1/4", "3/4"):
        m = sufficient_width(theta, 8, 2, 2)
        assert compressor_risk(m, 8, 2, 2) <= Fraction(theta) < (compressor_risk(m - 1, 8, 2, 2) if m > 2 else 2)
    with pytest.raises(DomainError, match="theta"):
        sufficient_width("4/5", 8, 2, 2)
    for call in (compressor_risk, lambda *a, **k: certify_compressor(np.ones((1, 8)), T=4, d=2, q=2, **k)):
        with pytest.raises(DomainError, match="rademacher"):
            call(1, 4, 2, 2, tokens="rademacher")
    assert discrete_risk([[2**k for k in range(8)]], T=4, d=2, q=2) == 0
    # the sum of signs tells of each token what a sum of Gaussians does: conditional means of exchangeable terms
    assert discrete_risk([[1] * 4], T=4, d=1, q=2) == certify_compressor([[1] * 4], T=4, d=1, q=2).risk


def test_uniform_tokens_lose_less_and_no_less_than_their_entropy_power():
    # the conditional variance on a grid of values of u; the midpoint rule errs by O(1/n^2) here
    for rho in (Fraction(1, 4), Fraction(1, 3), Fraction(1)):
        r = float(rho)
        u = (np.arange(20_000) + 0.5) / 20_000 * (1 + r)
        length = np.minimum(2.0, (1 + r - u) / r)
        variance = 3 * (1 + r * r) * (length**3).sum() / length.sum() / 12
        assert float(uniform_pair_risk(rho)) == pytest.approx(variance / 2, rel=1e-6)
    assert uniform_pair_risk("1/3") == Fraction(25, 54) < compressor_risk(1, 2, 1, 1)
    assert density_risk(3, 4, 2, 2, 1) == compressor_risk(3, 4, 2, 2)
    assert density_risk(3, 4, 2, 2, 0.7) == density_risk(3, 4, 2, 2, Fraction(7, 10))
    wrong = ((1, 4, 2, 2, 1), (8, 4, 2, 2, 1), (3, 4, 2, 2, 1.7))
    for call in (lambda: uniform_pair_risk(2), *(partial(density_risk, *sizes) for sizes in wrong)):
        with pytest.raises(DomainError):
            call()


def test_refusals():
    for size in ((1, 2, 1), (4, 0, 2), (4, 2, 5), (4, 2, 0)):
        with pytest.raises(DomainError):
            compressor_risk(1, *size)
    for m in (-1, 2.5, True):
        with pytest.raises(DomainError):
            compressor_risk(m, 4, 2, 2)
    refuses(
        DomainError, lambda: certify_compressor([[float("nan")] * 8], T=4, d=2, q=2),
        lambda: certify_compressor([[1] * 7], T=4, d=2, q=2),
        lambda: LinearBottleneck(np.ones((2, 7), dtype=object), 4, 2, 2),
        lambda: OptimalLinearBottleneck.of(-1, 4, 2, 2),
    )  # fmt: skip
    with pytest.raises(BudgetError):
        OptimalLinearBottleneck.of(1, 40, 1, 20).risk()
    with pytest.raises(BudgetError):
        discrete_risk(np.ones((1, 20), dtype=int), T=10, d=2, q=1)
    with pytest.raises(DomainError):
        OptimalLinearBottleneck.of(1, 4, 2, 2)(np.zeros((1, 4, 2)), np.zeros((1, 3), dtype=int))
