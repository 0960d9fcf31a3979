"""First layers in the span of the data, and the units of a Lipschitz function: two routes, refusals."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from properties import examples

from theorytools import DomainError, LipschitzUnits
from theorytools.papers.qstr import SpanPredictor
from theorytools.papers.qstr.feedforward.stationary import BumpReadout, StationaryMember
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective, LinearReadout
from theorytools.theory.first_layers.exact_span import InputSpan, orthonormal_basis

F = Fraction
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


@examples(12, sizes)
def test_the_stationary_layer_has_no_gradient_which_is_the_slope_of_the_objective(size):
    seed, n, N, d, m = size
    task, rng = objective(seed, n, N, d)
    C = integers(rng, N, m)
    W = task.stationary(C)
    assert not task.gradient(W, LinearReadout(C)).any()
    assert task.outside(W) == 0
    # The objective of a linear read-out is quadratic in W: central differences are exact.
    task, rng = objective(seed, n, N, d)
    f, W, V = LinearReadout(integers(rng, N, m)), integers(rng, m, N * d), integers(rng, m, N * d)
    slope = (penalised(task, W + V, f) - penalised(task, W - V, f)) / 2
    assert slope == (task.gradient(W, f) * V).sum()


def test_bumps_and_layers_in_the_span_are_stationary():
    """Near a datum the read-out is a polynomial of degree 5 in z, whose third differences over h are O(h^2)."""
    readout = BumpReadout(
        integers(np.random.default_rng(0), 1, 2), np.array([[F(0), F(0)]]), np.array([[F(1), F(-2)]]), F(3), F(4)
    )
    z, v, h = np.array([F(1, 2), F(1, 3)]), np.array([F(1), F(2)]), F(1, 10**6)
    quotient = (readout(0, z + h * v)[0] - readout(0, z - h * v)[0]) / (2 * h)
    # |third derivative along v| is below 10^3 here (coefficients at most 3, |v|^3 < 12), so the error is below 10^3 h^2
    assert abs(quotient - readout(0, z)[1] @ v) < F(1, 10**9)
    task, rng = objective(1, 3, 3, 2)
    member = StationaryMember(
        task.X, task.t, task.y, task.lam, integers(rng, 3, 4), integers(rng, 3, 4), F(1, 7), F(1, 3)
    )
    assert not task.gradient(member.W, member.readout).any()
    assert member.W.any()


def oracle(n=3, N=4, d=2, **options):
    rng = np.random.default_rng(4)
    X, u = rng.integers(-5, 6, (n, N, d)), orthonormal_basis(d, rng)[0]
    return StationaryMember.oracle(X, rng.integers(0, N, n).tolist(), u, F(1, 5), **options), u


def test_the_best_member_is_stationary_and_its_risk_comes_down_to_the_bayes_loss():
    member, u = oracle()
    task = DecayedObjective(member.X, member.t, member.y, member.lam)
    assert not task.gradient(member.W, member.readout).any()
    assert task.outside(member.W) == 0
    assert member.linear_risk(u) == InputSpan.of(member.X, 4, 2).bayes_loss(u) == SpanPredictor(member.X, u).risk()
    small = replace(member, shrink=F(1, 100))
    # r_0 a hundred times smaller, three dimensions: 100^(3/2) from the volume, and the height falls too
    assert 1000 * small.bump_norm().upper.value <= member.bump_norm().lower.value


def prompts_near_the_data(member, rng):
    near = member.X + rng.uniform(-0.02, 0.02, member.X.shape)
    X = np.concatenate([member.X, near, rng.standard_normal((50, *member.X.shape[1:]))]).astype(np.float64)
    T = rng.integers(0, X.shape[1], len(X))
    return X, np.broadcast_to(T[:, None, None], (len(X), X.shape[1], 1))


def test_exact_doubles_and_torch_agree():
    member, _ = oracle(rho=F(2))
    X, T = prompts_near_the_data(member, np.random.default_rng(1))
    exact = [
        float(member.readout(int(t[0, 0]), member.W @ [F(v) for v in x.ravel().tolist()])[0])
        for x, t in zip(X, T, strict=True)
    ]
    doubles = member(X, T)
    module = member.module()(torch.tensor(X), torch.tensor(np.ascontiguousarray(T))).detach().numpy()
    linear = (X.reshape(len(X), -1) @ member.doubles[0].T @ member.doubles[1].T)[np.arange(len(X)), T[:, 0, 0]]
    assert np.count_nonzero(doubles[:, 0] != linear) >= 6  # the bumps are met
    # z sums N d = 8 products; a prediction has the slope |c| + |h| + 4 (rho + |h| r0)/r0 at most, and sums n + m terms
    f, r0 = member.readout, float(member.readout.radius2) ** 0.5
    norms = [max(float(h @ h) ** 0.5 for h in table) for table in (f.C, f.h)]
    slope = sum(norms) + 4 * (float(f.rho) + norms[1] * r0) / r0
    z = (np.abs(X).reshape(len(X), -1) @ np.abs(member.W.astype(float)).T).max()
    allowed = slope * 3**0.5 * z * 2 * (8 + 3 + 3) * 2.0**-53
    assert np.abs(doubles - np.array(exact)[:, None]).max() < allowed < 1e-10
    assert np.abs(doubles - module).max() < 2 * allowed


def test_automatic_differentiation_finds_no_gradient():
    member, _ = oracle()
    module = member.module()
    T = np.repeat(np.array(member.t)[:, None, None], member.X.shape[1], axis=1)
    rest = module(torch.tensor(member.X, dtype=torch.float64), torch.tensor(T))[:, 0]
    loss = (rest - torch.tensor([float(y) for y in member.y], dtype=torch.float64)).square().mean() / 2
    (loss + float(member.lam) / 2 * module.W.square().sum()).backward()
    # residuals are 1 (rho) and come from <c, z> and y, at most 1 + |c_t|_1 |z|_inf: some tens of roundings of the terms
    # r (c + h) x/n, and lam W of the same size
    f = member.readout
    before = 1 + abs(member.C).sum(axis=1).max() * abs(f.centres).max()
    terms = before * (abs(member.C).max() + abs(f.h).max()) * abs(member.X).max()
    assert module.W.grad.abs().max() < 64 * 2.0**-53 * float(terms)


@pytest.mark.parametrize("relu", [False, True])
def test_descent_shrinks_the_outside_by_one_factor_per_step(relu):
    task, rng = objective(2, 2, 3, 1)
    f, W = LinearReadout(integers(rng, 3, 2), relu), integers(rng, 2, 3)
    after = task.descend(W, f, F(1, 8), 3)
    assert ((after - (1 - F(1, 24)) ** 3 * W) @ task.complement == 0).all()
    assert ((task.descend(W, f, F(1, 8), 3, decay=False) - W) @ task.complement == 0).all()


@examples(12, st.integers(1, 9), st.integers(1, 12), st.integers(0, 99))
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
        StationaryMember(task.X, task.t, task.y, F(1), np.full((2, 1), F(1)), np.full((2, 1), F(0)))
    with pytest.raises(DomainError, match="shrink <= 1"):
        oracle(shrink=F(2))
    with pytest.raises(DomainError, match="n of each"):
        StationaryMember(task.X, task.t[:1], task.y, F(1), np.full((2, 1), F(1)), np.full((2, 1), F(1)))
    with pytest.raises(DomainError, match="one index"):
        oracle()[0](np.zeros((1, 3, 2)), np.zeros((1, 3, 1), dtype=int))
    merged = StationaryMember(task.X, task.t, task.y, F(1), np.full((2, 2), F(1)), np.array([[1, 1], [2, 2]]) * F(1))
    with pytest.raises(DomainError, match="no density"):
        merged.bump_norm()
    for x, y, cells in (([0], [0], 1), ([-1, 1], [0], 1), ([-1, 2], [0, 0], 1), ([-1, 1], [0, 0], 0)):
        with pytest.raises(DomainError, match="from -R to R"):
            LipschitzUnits(x, y, cells)
    with pytest.raises(DomainError, match="<= x <="):
        LipschitzUnits([-1, 1], [0, 0], 1).target(F(2))
