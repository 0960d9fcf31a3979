"""A certificate against all prompts of small classes, one by one, in another arithmetic: two routes to each number."""

import itertools

import numpy as np
import pytest
import torch
from trained_specimens import KINDS, drawn, errors, outside

from theorytools import BlockAttention, certify, hadamard


def every_prompt(N, d, q):
    X = np.array(list(itertools.product((-1.0, 1.0), repeat=N * d))).reshape(-1, 1, N, d)
    T = np.array(list(itertools.product(range(N), repeat=N * q))).reshape(1, -1, N, q)
    shape = (X.shape[0], T.shape[1])
    return np.broadcast_to(X, (*shape, N, d)).reshape(-1, N, d), np.broadcast_to(T, (*shape, N, q)).reshape(-1, N, q)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [0.3, 1.5, 4.0])
@pytest.mark.parametrize(("N", "d"), [(2, 2), (3, 1), (3, 2), (4, 1)])
def test_the_largest_leakage_is_reached_and_no_prompt_is_beyond_error_or_risk(kind, size, N, d):
    X, T = every_prompt(N, d, 1)
    for seed in range(3):
        module, codes, u = drawn(kind, seed, N, d, size=size)
        made = certify(module, codes=codes, direction=u)
        seen, off = outside(module, codes, X, T), errors(module, codes, u, X, T)
        low, high = made.to_json()["leakage"]
        # exponentials are read from a table of steps of 2^-14, and the module adds in doubles
        assert low * (1 - 1e-9) <= seen.max() <= high <= low * (1 + 2**-13) + 1e-12
        assert made.witness.outside == pytest.approx(seen.max(), rel=1e-9)
        assert np.abs(off).max() <= made.error
        risk = (off**2).mean()
        low, high = made.to_json()["risk"]
        assert low <= risk <= high
        assert high <= made.error**2 * (1 + 1e-9)


def test_two_heads_and_two_slots():
    X, T = every_prompt(3, 1, 2)
    for seed in range(3):
        module, codes, u = drawn("separate", seed, 3, 1, q=2, heads=2, size=1.0)
        made = certify(module, codes=codes, direction=u, slots=[2, 1])
        for h, slot in enumerate((2, 1)):
            seen = outside(module, codes, X, T, h, slot).max()
            assert seen * (1 - 1e-9) <= made.heads[h] <= seen * (1 + 2**-13)
        off = np.abs(errors(module, codes, u, X, T)).max()
        assert off <= made.error
        assert made.risk.low == 0


@pytest.mark.parametrize("tokens", ["box", "ball"])
def test_boxes_and_balls_hold_the_signs_that_lie_in_them(tokens):
    X, T = every_prompt(3, 2, 1)
    for seed in range(4):
        module, codes, u = drawn("separate", seed, 3, 2)
        made = certify(module, codes=codes, direction=u, tokens=tokens, radius=1.0 if tokens == "box" else 2**0.5)
        signs = certify(module, codes=codes, direction=u)
        assert outside(module, codes, X, T).max() <= made.delta
        assert signs.delta <= made.delta * (1 + 1e-9)
        assert np.abs(errors(module, codes, u, X, T)).max() <= made.error
        assert signs.readout <= made.readout * (1 + 1e-9)


def test_a_perfect_readout_is_recognised():
    """With the construction's own attention and linear units, what is left is the leakage alone."""

    net = BlockAttention(hadamard(4), beta=20, q=1, d=2)
    u = np.array([0.6, -0.8])
    weights = {
        "omega": net.module().omega, "W_QK": net.module().W_QK.detach(), "u": torch.tensor(u),
        "a": torch.tensor([1.0, -1.0]).double(), "W": torch.tensor(np.stack([u, -u])), "b": torch.zeros(2).double(),
    }  # fmt: skip
    made = certify(weights)
    leak = float(net.leakage())
    assert made.readout < 1e-12
    # |<u, x_j - x_t>| is at most twice the sum of the moduli
    assert 2 * 1.4 * leak <= made.error * (1 + 1e-6) <= 2 * 1.4 * leak * (1 + 1e-3)
    assert made.bound == pytest.approx(leak, rel=1e-9)  # orthogonal codes attain the statement's bound
    assert made.structure.distance[0] == pytest.approx(0, abs=1e-7)
    assert made.structure.beta[0] == pytest.approx(20)
