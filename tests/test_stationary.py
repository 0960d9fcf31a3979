"""First layers in the span of the data, and the units of a Lipschitz function: two routes, refusals."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorytools.constructions import LipschitzUnits
from theorytools.errors import DomainError
from theorytools.quantities import BumpReadout, DecayedObjective, LinearReadout

F = Fraction
few = settings(deadline=None, derandomize=True, database=None, max_examples=12)
sizes = st.tuples(st.integers(0, 99), st.integers(1, 4), st.integers(1, 3), st.integers(1, 2), st.integers(1, 3))


def integers(rng, *shape):
    return np.array(rng.integers(-5, 6, shape).tolist(), dtype=object) + F(0)


def objective(seed, n, N, d):
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (n, N, d))
    X[0, 0, 0] = 7
    return DecayedObjective(X, rng.integers(0, N, n).tolist(), list(integers(rng, n)), F(1, 3)), rng


def penalised(task, W, f):
    losses = (F(f(t, W @ x)[0] - y) ** 2 for t, x, y in zip(task.t, task.inputs, task.y, strict=True))
    return sum(losses, F(0)) / (2 * task.n) + task.lam / 2 * (W * W).sum()


@few
@given(sizes)
def test_the_stationary_layer_has_no_gradient_and_lies_in_the_span(size):
    seed, n, N, d, m = size
    task, rng = objective(seed, n, N, d)
    C = integers(rng, N, m)
    W = task.stationary(C)
    assert not task.gradient(W, LinearReadout(C)).any()
    assert task.outside(W) == 0


@few
@given(sizes)
def test_gradient_is_the_slope_of_the_objective(size):
    """The objective of a linear read-out is quadratic in W: central differences are exact."""
    seed, n, N, d, m = size
    task, rng = objective(seed, n, N, d)
    f, W, V = LinearReadout(integers(rng, N, m)), integers(rng, m, N * d), integers(rng, m, N * d)
    slope = (penalised(task, W + V, f) - penalised(task, W - V, f)) / 2
    assert slope == (task.gradient(W, f) * V).sum()


def test_slope_of_the_bumps_is_their_difference_quotient():
    """Near a datum the read-out is a polynomial of degree 5 in z, whose third differences over h are O(h^2)."""
    readout = BumpReadout(integers(np.random.default_rng(0), 1, 2), np.array([[F(0), F(0)]]), np.array([[F(1), F(-2)]]),
                          F(3), F(4))  # fmt: skip
    z, v, h = np.array([F(1, 2), F(1, 3)]), np.array([F(1), F(2)]), F(1, 10**6)
    quotient = (readout(0, z + h * v)[0] - readout(0, z - h * v)[0]) / (2 * h)
    # |third derivative along v| is below 10^3 here (coefficients at most 3, |v|^3 < 12), so the error is below 10^3 h^2
    assert abs(quotient - readout(0, z)[1] @ v) < F(1, 10**9)


def test_any_layer_in_the_span_is_stationary_for_some_readout():
    task, rng = objective(1, 3, 3, 2)
    W, f = task.bump_member(integers(rng, 3, 4), integers(rng, 3, 4), F(1, 7))
    assert not task.gradient(W, f).any()
    assert W.any()


@pytest.mark.parametrize("relu", [False, True])
def test_descent_shrinks_the_outside_by_one_factor_per_step(relu):
    task, rng = objective(2, 2, 3, 1)
    f, W = LinearReadout(integers(rng, 3, 2), relu), integers(rng, 2, 3)
    after = task.descend(W, f, F(1, 8), 3)
    assert ((after - (1 - F(1, 24)) ** 3 * W) @ task.complement == 0).all()
    assert ((task.descend(W, f, F(1, 8), 3, decay=False) - W) @ task.complement == 0).all()


@few
@given(st.integers(1, 9), st.integers(1, 12), st.integers(0, 99))
def test_units_interpolate_at_the_knots(cells, breaks, seed):
    y = [F(int(v), 3) for v in np.random.default_rng(seed).integers(-9, 10, breaks + 1)]
    net = LipschitzUnits([F(2 * k - breaks, breaks) * 3 for k in range(breaks + 1)], y, cells)
    assert all(net(knot) == net.target(knot) for knot in net.knots)
    assert net.error() <= net.steepness() * net.radius / cells
    assert len(net.units) == cells + 1
    assert net.largest_input() == 1


def test_refusals():
    task, _ = objective(0, 2, 2, 1)
    with pytest.raises(DomainError, match="lam > 0"):
        DecayedObjective(task.X, task.t, task.y, F(0))
    with pytest.raises(DomainError, match="n of each"):
        DecayedObjective(task.X, task.t[:1], task.y, F(1))
    with pytest.raises(DomainError, match="merges"):
        task.bump_member(np.full((2, 1), F(1)), np.full((2, 1), F(0)), F(1))
    for x, y, cells in (([0], [0], 1), ([-1, 1], [0], 1), ([-1, 2], [0, 0], 1), ([-1, 1], [0, 0], 0)):
        with pytest.raises(DomainError, match="from -R to R"):
            LipschitzUnits(x, y, cells)
    with pytest.raises(DomainError, match="<= x <="):
        LipschitzUnits([-1, 1], [0, 0], 1).target(F(2))
