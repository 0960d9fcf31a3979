"""The recurrent constructions in torch: equal to the exact and the float64 forms, and trainable."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from theorytools.codes.families import rademacher
from theorytools.constructions.feedforward.readout import ReluHead
from theorytools.constructions.network import changed
from theorytools.constructions.recurrent.position_tracker import PositionTracker
from theorytools.constructions.recurrent.simple_retrieval import SimpleRetrievalRNN
from theorytools.constructions.recurrent.store_all import StoreAllRNN
from theorytools.errors import BudgetError, DomainError
from theorytools.papers.qstr.recurrent.code_state import CodeStateRNN

N, D, Q, M = 8, 3, 2, 40
UNIT = 2.0**-53


def simple(seed=0):
    rng = np.random.default_rng(seed)
    code = rademacher(N, 24, rng)
    K = code.d_e * -(-M // (2 * code.minimum_distance()))
    head = ReluHead(*(rng.integers(-3, 4, shape) for shape in ((5,), (5, Q * D), (5,))))
    return SimpleRetrievalRNN(PositionTracker(code.signs, K, Q, D), head, radius=M * Q * D), rng


def storing(seed=0, **options):
    rng = np.random.default_rng(seed)
    code, u = rademacher(N, 20, rng), np.array([1, -2, 3])
    return StoreAllRNN(code.signs, 20 * -(-6 * M // (2 * code.minimum_distance())), u, (6 * N * M) ** 2, **options), rng


def coded(seed=0):
    rng = np.random.default_rng(seed)
    return CodeStateRNN.drawn(5, rng), rng


STORING = [{}, {"clip": 6 * M}, {"left_out": ((2, 7), (2, 0))}]
NETWORKS = [(simple, {}), *((storing, options) for options in STORING)]


def prompts(net, rng, n=12):
    q = net.tracker.q if isinstance(net, SimpleRetrievalRNN) else 1
    T = rng.integers(0, N, (n, 1 if q == Q else N, q))
    return rng.integers(-M, M + 1, (n, N, D)), np.broadcast_to(T, (n, N, q)).copy()


def run(call, X, T, dtype=torch.float64):
    with torch.no_grad():
        out = call(torch.tensor(X, dtype=dtype), torch.tensor(T))
    return [h.numpy() for h in out] if isinstance(out, tuple) else out.numpy()


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize(("make", "options"), NETWORKS)
def test_integers_agree_as_integers(make, options, dtype):
    net, rng = make(**options)
    X, T = prompts(net, rng)
    # no sum of absolute terms in a layer reaches 2^24: integers are exact in both types, in any order of summation
    module = net.module(dtype=dtype)
    for mine, theirs in zip(run(module.states, X, T, dtype), net.states(X, T), strict=True):
        assert (mine == theirs).all()
    assert (run(module, X, T, dtype) == net(X, T)).all()
    assert (net(X.astype(float), T) == net(X, T)).all()


@pytest.mark.parametrize(("make", "options"), NETWORKS)
def test_gaussian_predictions_agree_to_rounding_and_stored_zeros_are_zeros(make, options):
    net, rng = make(**options)
    X, T = prompts(net, rng)
    X = np.clip(M / 2 * rng.standard_normal(X.shape), -M, M)
    # Integer codes and slopes: a match adds exact zeros to the token; a mismatch subtracts integers at least M, and
    # rounding is monotone: fl(x - k) <= fl(M - k) <= 0.  A writer adds D + 2 * 20 + 2 numbers, K among them: its
    # payload is rounded at size K + 6M, in the order of each library, and only the zeros are bit-equal.
    u_gap = 0.0 if make is simple else 2 * (D + 2 * 20 + 2) * UNIT * (net.K + 6 * M)
    for mine, theirs in zip(run(net.module().states, X, T), net.states(X, T), strict=True):
        assert np.abs(mine - theirs).max() <= u_gap
        assert ((mine == 0) == (theirs == 0)).all()
    if make is simple:
        stored = net.states(X, T)[0].reshape(-1, N, Q, D)[:, -1]
        tokens = X[np.arange(len(X))[:, None], T[:, 0]]
        assert (stored == tokens * (T[:, 0] < N - 1)[..., None]).all()
    net, rng = make(**options)
    X, T = prompts(net, rng)
    X = np.clip(M / 2 * rng.standard_normal(X.shape), -M, M)
    mine, theirs = run(net.module(), X, T), net(X, T)
    if make is simple:
        # sums of qd + 1 and 5 terms, each term at most |a| (|W| M + |b|): two routes, k u of each
        size = np.abs(net.head.a) @ (np.abs(net.head.W).sum(axis=1) * M + np.abs(net.head.b))
        assert np.abs(mine - theirs).max() <= 2 * (Q * D + 1 + 5 + 1) * UNIT * size
    else:
        # two routes; roundings: writer D + 2 * 20 + 2, sum and clip 4, gate 2 * 20 + 4, last layer 2, of numbers up to
        # K + 6M and the level 6M of the clip
        assert np.abs(mine - theirs).max() <= 2 * (D + 4 * 20 + 12) * UNIT * (net.K + 12 * M)


def test_codewords_agree_bit_for_bit():
    net, rng = coded()
    X, T = rng.standard_normal((30, 5, 1)), rng.integers(0, 5, (30, 5, 1))
    module = net.module()
    assert not list(module.parameters())
    for mine, theirs in zip(run(module.states, X, T), net.prompt_states(X), strict=True):
        assert (mine == theirs).all()
    # products of signs are integers; the rest is one product, quotient, root, product and sum, each correctly rounded
    assert (run(module, X, T) == net(X, T)).all()
    read = np.take_along_axis(np.sign(X[..., 0]), T[..., 0], axis=1) * np.sqrt(2 / np.pi)
    wanted = np.where(T[..., 0] == np.arange(5), X[..., 0], read)
    # the extension at a codeword is the least of its value and -a + l |v - c| >= a, a few roundings of numbers up to 4
    assert np.abs(net(X, T) - wanted).max() <= 8 * 4 * UNIT


@pytest.mark.parametrize(
    "spoiled", [{"kept": 0, "written": (31, 31)}, {"written": (31, 0)}, {"scale": Fraction(9, 10)}]
)
def test_spoiled_codeword_networks_agree_too(spoiled):
    net, rng = coded()
    X, T = rng.standard_normal((30, 5, 1)), rng.integers(0, 5, (30, 5, 1))
    spoiled = changed(net, **spoiled)
    assert (run(spoiled.module(), X, T) == spoiled(X, T)).all()
    assert (spoiled(X, T) != net(X, T)).any()


def test_the_projection_agrees_and_has_a_gradient():
    net = StoreAllRNN.binary(4, 2)
    X, T = np.random.default_rng(3).uniform(-1, 1, (6, 4, 1)), np.tile(np.arange(4)[:, None], (6, 1, 1))
    X[0], X[1] = 0, 1
    module = net.module()
    # inside the unit cube nothing leaks; 3 steps of at most 8 roundings each, of numbers at most 1
    for mine, theirs in zip(run(module.states, X, T), net.states(X, T), strict=True):
        assert np.abs(mine - theirs).max() <= 3 * 8 * UNIT * 2
        assert (mine**2).sum(axis=-1).max() <= 2 * (1 + 8 * UNIT)
    module(torch.tensor(X), torch.tensor(T)).square().sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in module.parameters())


@pytest.mark.parametrize(("make", "options"), NETWORKS)
def test_parameters_have_the_norm_of_the_construction_and_are_trained(make, options):
    net, rng = make(**options)
    X, T = prompts(net, rng, n=3)
    module = net.module()
    # squares of integers below 2^53 and their sums are exact
    assert sum(float((w.detach() ** 2).sum()) for w in module.parameters()) == net.squared_norm()
    module(torch.tensor(X, dtype=torch.float64), torch.tensor(T)).square().sum().backward()
    names = {name for name, w in module.named_parameters() if float(w.grad.abs().sum()) > 0}
    assert {name.split(".")[0] for name in names} == {"forward_map", "backward_map", "readout"}
    assert not any(name in dict(module.named_parameters()) for name in ("signs", "kept"))


def test_prompts_and_tables_that_are_no_codewords_are_refused():
    with pytest.raises(BudgetError):
        CodeStateRNN.drawn(9, np.random.default_rng(0)).module()
    net, rng = coded()
    X, T = rng.standard_normal((2, 5, 1)), rng.integers(0, 5, (2, 5, 1))
    for tokens, indices in ((X[:, :4], T), (X * np.nan, T), (X, T + 5), (X, T + 0.5)):
        with pytest.raises(DomainError):
            net(tokens, indices)
