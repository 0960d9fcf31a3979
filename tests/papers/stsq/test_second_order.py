"""Derivatives of the loss at the start: the expansion of the softmax against differences of the softmax itself."""

from types import SimpleNamespace

import numpy as np
import pytest
from devices import device

order = device("stsq/dynamics/second_order")


def softmax_means(draws, q, beta):
    """E a(y) and E |a|^2 at one beta, by the softmax of every draw."""
    E, weights, unit = draws
    E = E * float(unit) ** 0.5
    a = np.exp(beta * (E @ E[:, :q].sum(axis=1)[..., None])[..., 0])
    a /= a.sum(axis=1, keepdims=True)
    chances = weights / weights.sum()
    return np.array([chances @ a[:, :q].sum(axis=1), chances @ (a * a).sum(axis=1)])


@pytest.mark.parametrize(("mu_4", "T", "q", "d_e"), [(1, 4, 2, 3), (1, 5, 1, 2), (3, 3, 1, 2), (3, 4, 3, 2)])
def test_derivatives_are_differences_of_the_softmax(mu_4, T, q, d_e):
    p = SimpleNamespace(mu_4=mu_4, T=T, q=q, d_e=d_e)
    draws, h = order.construct(p), 1e-3
    low, middle, high = (softmax_means(draws, q, beta) for beta in (-h, 0, h))
    found = order.measure(draws, p)
    assert float(found[order.first]) == pytest.approx((high - low)[0] / (2 * h), abs=1e-5)
    assert float(found[order.second]) == pytest.approx((high - 2 * middle + low)[0] / h**2, abs=1e-4)
    assert float(found[order.spread]) == pytest.approx((high - 2 * middle + low)[1] / h**2, abs=1e-4)


def test_the_cubature_has_the_moments_of_a_gaussian_up_to_the_fifth():
    E, weights, unit = order.construct(SimpleNamespace(mu_4=3, T=1, d_e=1))
    moments = [weights @ E[:, 0, 0] ** k / weights.sum() * float(unit) ** (k / 2) for k in range(7)]
    assert moments[:6] == pytest.approx([1, 0, 1, 0, 3, 0])
    assert moments[6] != pytest.approx(15)
