"""The rate-distortion inequality of a concrete recurrent network: slopes, rates, states."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from devices import device
from hypothesis import strategies as st
from properties import examples

from theorytools import DomainError
from theorytools.numbers import Enclosure, at_precision
from theorytools.papers.qstr import Experiment
from theorytools.papers.qstr.training.prompts import generator
from theorytools.papers.qstr.training.reference import model

gru_lipschitz, lstm_lipschitz, resolutions, slack, spectral_norm = device(
    "qstr/proposition_35/_state_rate", "gru_lipschitz", "lstm_lipschitz", "resolutions", "slack", "spectral_norm",
)  # fmt: skip
StateInequality = device("qstr/proposition_35/_trained_state").StateInequality
NoisyStates = device("qstr/proposition_35/_noisy_state").NoisyStates


@examples(25, st.integers(1, 9), st.integers(1, 9), st.integers(0, 10**6))
def test_the_spectral_norm_is_bounded_from_above_and_tightly(a, b, seed):
    W = np.random.default_rng(seed).integers(-9, 10, (a, b)).astype(float)
    bound = spectral_norm(W)
    exact = [[Fraction(int(x)) for x in row] for row in (W.T @ W)]
    # s^2 >= the largest eigenvalue iff s^2 I - W'W has no negative pivot, decided in rationals
    s2 = Fraction(bound) ** 2
    rows = [[(s2 if i == j else 0) - exact[i][j] for j in range(b)] for i in range(b)]
    for k in range(b):
        assert rows[k][k] >= 0
        for i in range(k + 1, b):
            factor = rows[i][k] / rows[k][k] if rows[k][k] else Fraction(0)
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    # 81 entries of size 9: every residual is below 100 * 2^-53 * 81 * 9 * 9 / |W|, far under 1e-9
    assert bound <= np.linalg.norm(W, 2) * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("W", [np.zeros(3), np.full((2, 2), np.nan), np.zeros((0, 2))])
def test_what_is_no_finite_matrix_is_refused(W):
    with pytest.raises(DomainError):
        spectral_norm(W)


def network(kind, N=4, width=6, seed=0):
    trial = Experiment(architecture=kind, N=N, d=2, d_e=4, width=width, dtype="float64", repeat=seed)
    net = model(trial, generator(trial, "weights"))
    with torch.no_grad():
        for weights in net.parameters():
            weights.mul_(3)  # the default weights are nearly linear
    return net


def inequality(kind, **changes):
    net = network(kind)
    width = 6 * (4 if kind == "lstm" else 2)

    def source(rng, size):
        return torch.from_numpy(rng.standard_normal((size, 4, 10))), torch.from_numpy(rng.standard_normal((size, 4)))

    return StateInequality(net, source, 4, np.eye(width), **changes)


@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_no_pair_of_states_is_steeper_than_the_constant(kind):
    rng, net = np.random.default_rng(0), network(kind)
    part = net.last.weight.detach().numpy()[0, :6]
    W, b = net.cell.weight_hh_l0.detach().numpy(), net.cell.bias_hh_l0.detach().numpy()
    one = (torch.nn.LSTMCell if kind == "lstm" else torch.nn.GRUCell)(10, 6, dtype=torch.float64)
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        setattr(one, name, torch.nn.Parameter(getattr(net.cell, name + "_l0").detach()))
    z = torch.from_numpy(rng.standard_normal((400, 10)))
    steep = 0.0
    for near in (1e-3, 1.0):
        h = torch.from_numpy(rng.uniform(-1, 1, (400, 6)))
        g = (h + near * torch.from_numpy(rng.uniform(-1, 1, (400, 6)))).clamp(-1, 1)
        c = torch.from_numpy(rng.uniform(-3, 3, (400, 6)))
        e = (c + near * torch.from_numpy(rng.uniform(-1, 1, (400, 6)))).clamp(-3, 3)
        if kind == "lstm":
            change, distance = one(z, (h, c))[0] - one(z, (g, e))[0], ((h - g).square() + (c - e).square()).sum(1)
        else:
            change, distance = one(z, h) - one(z, g), (h - g).square().sum(1)
        ratio = (change.detach() @ torch.from_numpy(part)).abs() / distance.sum(-1, keepdim=distance.ndim > 1).sqrt()
        steep = max(steep, float(ratio.max()))
    bound = lstm_lipschitz(part, W, 3) if kind == "lstm" else gru_lipschitz(part, W, b)
    assert 0 < steep <= bound


@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_the_states_are_those_the_module_answers_from(kind):
    inner = inequality(kind)
    Z = torch.from_numpy(np.random.default_rng(1).standard_normal((5, 4, 10)))
    outputs = inner.module.cell(Z)[0].detach().numpy()  # after each token
    before = inner.states(Z)
    half = before.shape[-1] // 2
    # the same cell in another order of additions: 100 operations of size <= 3 leave less than 1e-12
    assert np.abs(before[:, 1:, :6] - outputs[:, :-1, :6]).max() < 1e-12
    assert np.abs(before[:, :-1, half : half + 6] - outputs[:, 1:, 6:]).max() < 1e-12
    assert not before[:, 0, :6].any()
    assert not before[:, -1, half : half + 6].any()


@examples(
    25, st.lists(st.fractions(0, 4, max_denominator=20), min_size=1, max_size=6),
    st.fractions(0, 1, max_denominator=9),
)  # fmt: skip
def test_the_slack_is_the_rate_less_the_need(moments, error):
    eta, slope, N = Fraction(1, 3), Fraction(3, 4), 5
    found = at_precision(128, lambda: slack(moments, error, N=N, lipschitz=slope, eta=eta))
    # water-filling by bisection, in doubles: 200 halvings leave only rounding
    low, high, target = 0.0, 4.0, float(eta) ** 2
    for _ in range(200):
        mid = (low + high) / 2
        low, high = (mid, high) if sum(min(float(m), mid) for m in moments) < target else (low, mid)
    rate = sum(0.5 * math.log(float(m) / low) for m in moments if m > low) if low < 4 - 1e-9 else 0.0
    need = (N - 1) * max(0.0, -math.log(math.sqrt(float(error) * N / (N - 1)) + float(slope * eta)))
    assert float(found) == pytest.approx(rate - need, abs=1e-9)


def test_slacks_resolutions_and_slopes_are_monotone():
    def at(moment, error):
        return at_precision(64, lambda: slack([moment, 1], error, N=4, lipschitz=1, eta=Fraction(1, 4)))

    assert at(Fraction(1, 2), Fraction(1, 10)).certainly_le(at(1, Fraction(1, 10)))
    assert at(1, Fraction(1, 10)).certainly_le(at(1, Fraction(1, 5)))
    assert [eta * 7 for eta in resolutions(Fraction(7))] == resolutions(Fraction(1))
    honest, spoiled = inequality("gru"), inequality("gru", scale=Fraction(1, 1000))
    assert spoiled.lipschitz * 1000 == honest.lipschitz
    # E(Z - 64)_+ <= 22 phi(5), against the integral it bounds, by the trapezoidal rule in doubles
    y = np.linspace(5, 40, 400001)
    tail = 2 * np.trapezoid(((3 + y) ** 2 - 64) * np.exp(-(y**2) / 2), y) / math.sqrt(2 * math.pi)
    bound = at_precision(64, lambda: 22 * (-Enclosure(25) / 2).exp() / (2 * Enclosure(math.pi)).sqrt())
    assert 0 < tail < float(bound) < 3.3e-5


def test_networks_the_constants_do_not_cover_are_refused():
    with pytest.raises(DomainError, match="GRU or LSTM"):
        inequality("rnn")
    with pytest.raises(DomainError, match="float64"):
        StateInequality(network("gru").float(), lambda rng, size: None, 4, np.eye(12))
    skew = StateInequality(network("gru"), lambda rng, size: None, 4, 2 * np.eye(12))
    with pytest.raises(DomainError, match="orthonormal"):
        _ = skew.lipschitz


def noisy(kind, **changes):
    inner = inequality(kind)
    return NoisyStates.drawn(inner.module, inner.source, 4, np.random.default_rng(3)).changed(**changes)


@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_answers_from_the_states_themselves_are_the_answers(kind):
    inner = noisy(kind)
    Z, _ = inner.source(np.random.default_rng(4), 6)
    with torch.no_grad():
        found, expected = inner.answers(inner.states(Z), Z), inner.module(Z).clamp(-3, 3)
    torch.testing.assert_close(found, expected.reshape(6, 4), rtol=0, atol=1e-12)


def test_the_noisy_inequality_is_an_equality_for_one_gaussian_payload():
    noises = (Fraction(1, 3), Fraction(2))
    inner = noisy("gru", noises=noises, N=2)
    errors = [sigma**2 / (1 + sigma**2) / 2 for sigma in noises]  # of the best estimate of v = G, pooled over two
    found = at_precision(64, lambda: inner._least([*errors, Fraction(1)]))
    assert abs(float(found)) < 1e-15
    assert float(at_precision(64, lambda: inner._least([*errors, Fraction(9, 10)]))) < 0
    better = [error * Fraction(9, 10) for error in errors]
    assert float(at_precision(64, lambda: inner._least([*better, Fraction(1)]))) < 0


def test_noise_changes_the_answers_unless_it_is_silent():
    rows = {
        silent: noisy("gru", silent=silent, noises=(Fraction(1),)).observe(np.random.default_rng(5), 64)
        for silent in (False, True)
    }
    inner = noisy("gru")
    Z, y = inner.source(np.random.default_rng(5), 64)
    with torch.no_grad():
        clean = (inner.module(Z).reshape(64, 4).clamp(-3, 3) - y).square().mean(1).numpy()
    np.testing.assert_allclose(rows[True]["error 1.0"], clean, atol=1e-12)
    assert np.abs(rows[False]["error 1.0"] - clean).max() > 1e-3
