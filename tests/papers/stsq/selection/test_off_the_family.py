"""Gradients and curvature off the two-dimensional family of training: two routes to each number; refusals."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch
from devices import device

from theorytools.errors import BudgetError, DomainError
from theorytools.papers.stsq.selection.gradient import SignGradient
from theorytools.papers.stsq.torch.selector import SelectorModule

sign_block_gradient = device("stsq/reduction/_full_gradient").sign_block_gradient
second_variation = device("stsq/reduction/_second_variation").second_variation


def signs(T, width):
    return np.array(list(product((1.0, -1.0), repeat=T * width))).reshape(-1, T, width)


@pytest.mark.parametrize(("sizes", "V_2", "W_12"), [
    ((2, 1, 2, 2), [[1, 0], [2, -1]], [[0, 1], [1, 0]]), ((3, 2, 1, 2), [[0, 0]], [[1, -1]]),
    ((3, 1, 1, 1), [["1/2"]], [[2]]),
])  # fmt: skip
def test_the_blocks_are_those_of_autograd(sizes, V_2, W_12):
    T, q, d, d_e = sizes
    V_2 = [[Fraction(x) for x in row] for row in V_2]
    alpha, v, root = 1.25, 1.5, np.sqrt(d_e)
    found = sign_block_gradient(*sizes, alpha=Fraction(5, 4), v=Fraction(3, 2), V_2=V_2, W_12=W_12)
    V = np.concatenate([alpha * np.eye(d), root * np.array(V_2, dtype=float)], axis=1)
    W = np.zeros((d + d_e, d + d_e))
    W[:d, d:], W[d:, d:] = root * np.log(v) * np.array(W_12), d_e * np.log(v) * np.eye(d_e)
    X, E = signs(T, d), signs(T, d_e) / root
    X, E = np.repeat(X, len(E), axis=0), np.tile(E, (len(X), 1, 1))
    module = SelectorModule(torch.tensor(V), torch.tensor(W))
    f = module(torch.tensor(X), torch.tensor(E), torch.tensor(E[:, :q].sum(axis=1)))
    (f - torch.tensor(X[:, :q].mean(axis=1))).square().sum(1).mean().backward()
    by_V, by_W = module.V.grad.numpy(), module.W.grad.numpy()
    blocks = ((found.V_1, by_V[:, :d]), (found.V_2, by_V[:, d:] * root), (found.W_12, by_W[:d, d:] * root),
              (found.W_22, by_W[d:, d:]))  # fmt: skip
    for exact, doubles in blocks:  # means of at most 4096 terms of order one in doubles
        assert np.allclose(exact.astype(float), doubles, rtol=0, atol=1e-12)
    assert not by_W[:, :d].any()  # these columns meet the zeros of the query


def test_sign_tokens_have_the_gradient_of_gaussian_ones_and_large_sums_are_refused():
    found = sign_block_gradient(3, 2, 1, 2, alpha=Fraction(3, 2), v=2)
    assert found.W_22.tolist() == SignGradient(3, 2, 1, 2, alpha=Fraction(3, 2), v=2).matrix
    with pytest.raises(BudgetError):
        sign_block_gradient(5, 2, 1, 2, alpha=1, v=1)
    for V, W in (([[1, 0]], [[1]]), ([[1]], [[1]])):
        with pytest.raises(DomainError):
            second_variation(2, 1, V, W, alpha=1, mass="1/2")
    with pytest.raises(BudgetError):
        second_variation(5, 1, np.eye(1, 5, dtype=int), np.eye(1, 5, dtype=int), alpha=1, mass="1/2")


@pytest.mark.parametrize("change", [{"v": 0}, {"W_12": [[1]]}, {"V_2": [[1, 0], [0, 1]]}, {"W_12": [["1/2", 0]]}])
def test_bad_blocks_are_refused(change):
    if change.get("W_12") == [["1/2", 0]]:
        change = {"W_12": [[Fraction(1, 2), 0]]}
    with pytest.raises(DomainError):
        sign_block_gradient(3, 2, 1, 2, **{"alpha": 1, "v": 2, **change})


@pytest.mark.parametrize(("alpha", "mass"), [(1.5, 0.75), (0.5, 0.3), (0.0, 0.5)])
def test_the_second_variation_is_a_second_difference_of_the_loss(alpha, mass):
    """T = 2, q = 1, d = 1: Gaussian tokens by Hermite quadrature, signed shifts of two orthonormal encodings."""
    V_2, W_12 = np.array([[1.0, -2.0]]), np.array([[2.0, 1.0]])
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    x = np.array([(a, b) for a in nodes for b in nodes])
    mean = np.array([a * b for a in weights for b in weights]) / (2 * np.pi)
    base = np.log(np.array([mass, 1 - mass]))

    def loss(s):
        total = 0.0
        frames = [np.roll(np.eye(2), k, axis=1) * np.array(c) for k in (0, 1) for c in product((1, -1), repeat=2)]
        for E in frames:
            scores = base + s * x * (W_12 @ E[0])[0]
            a = np.exp(scores)
            a /= a.sum(axis=1, keepdims=True)
            f = alpha * (a * x).sum(axis=1) + s * (a @ E @ V_2[0])
            total += mean @ (f - x[:, 0]) ** 2
        return total / len(frames)

    h = 1e-3
    curve = (loss(h) - 2 * loss(0.0) + loss(-h)) / (2 * h * h)
    exact = second_variation(2, 1, [[1, -2]], [[2, 1]], alpha=str(alpha), mass=str(mass))
    # truncation h^2 times a fourth derivative of order 100; rounding 1e-15/h^2
    assert curve == pytest.approx(float(exact), abs=1e-4)
