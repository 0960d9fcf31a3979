"""A certificate against all prompts of small classes, one by one, in another arithmetic: two routes to each number."""

import itertools

import numpy as np
import pytest
import torch

from theorytools import BlockAttention, hadamard
from theorytools.trained.certify import certify
from theorytools.training.reference import MergedAttention, SeparateAttention

KINDS = {"separate": SeparateAttention, "merged": MergedAttention}


def drawn(kind, seed, N, d, q=1, heads=1, d_e=2, size=1.5, dtype=torch.float64):
    """A module with random weights, codes and a direction."""
    rng = torch.Generator().manual_seed(seed)
    D = d + (q + 1) * d_e
    module = KINDS[kind](D, heads, 5).to(dtype)
    with torch.no_grad():
        for weights in module.parameters():
            weights.copy_(size * torch.randn(weights.shape, generator=rng, dtype=torch.float64) / D**0.5)
    codes = torch.randn(N, d_e, generator=rng, dtype=torch.float64).to(dtype)
    return module, codes, torch.randn(d, generator=rng, dtype=torch.float64).to(dtype)


def every_prompt(N, d, q):
    X = np.array(list(itertools.product((-1.0, 1.0), repeat=N * d))).reshape(-1, 1, N, d)
    T = np.array(list(itertools.product(range(N), repeat=N * q))).reshape(1, -1, N, q)
    shape = (X.shape[0], T.shape[1])
    return np.broadcast_to(X, (*shape, N, d)).reshape(-1, N, d), np.broadcast_to(T, (*shape, N, q)).reshape(-1, N, q)


def encoded(module, codes, X, T):
    codes = codes.double().numpy()
    Z = np.concatenate([X, np.broadcast_to(codes, (len(X), *codes.shape)), *np.moveaxis(codes[T], 2, 0)], axis=2)
    return torch.as_tensor(Z, dtype=next(module.parameters()).dtype)


def attention(module, Z, h):
    """The weights of one head, written out."""
    D = Z.shape[-1]
    with torch.no_grad():
        if isinstance(module, MergedAttention):
            return torch.softmax(module.scores[h](Z) @ Z.mT, -1).double().numpy()
        query, key = (f(Z)[..., h * D : (h + 1) * D] for f in (module.query, module.key))
        return torch.softmax(query @ key.mT / D**0.5, -1).double().numpy()


def outside(module, codes, X, T, h, slot):
    weights = attention(module, encoded(module, codes, X, T), h)
    return 1 - np.take_along_axis(weights, T[..., [slot - 1]], axis=2)[..., 0]


def errors(module, codes, u, X, T):
    with torch.no_grad():
        out = module(encoded(module, codes, X, T)).double().numpy()
    values = X @ u.double().numpy()
    q = T.shape[2]
    return out - np.take_along_axis(values, T.reshape(len(X), -1), axis=1).reshape(*T.shape).sum(2) / q**0.5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [0.3, 1.5, 4.0])
@pytest.mark.parametrize(("N", "d"), [(2, 2), (3, 1), (3, 2), (4, 1)])
def test_the_largest_leakage_is_reached_and_no_prompt_is_beyond_error_or_risk(kind, size, N, d):
    X, T = every_prompt(N, d, 1)
    for seed in range(3):
        module, codes, u = drawn(kind, seed, N, d, size=size)
        made = certify(module, codes=codes, direction=u)
        seen, off = outside(module, codes, X, T, 0, 1), errors(module, codes, u, X, T)
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
        assert outside(module, codes, X, T, 0, 1).max() <= made.delta
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
