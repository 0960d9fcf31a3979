"""The certificate of attention with given weights: above every prompt, exact for a construction, no block forgotten."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from theorytools import BlockAttention, DomainError, hadamard
from theorytools.codes.families import rademacher
from theorytools.trained.attention import certify_attention


def perturbed(net, size, seed, dtype=torch.float64):
    module = net.module(dtype)
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        module.W_QK += torch.as_tensor(size * rng.standard_normal(tuple(module.W_QK.shape)), dtype=dtype)
    return module


def outside(module, X, T, slots):
    """For each prompt, position and head the weight outside the indexed position."""
    N = X.shape[1]
    with torch.no_grad():
        Z = module.embed(torch.as_tensor(X, dtype=module.W_QK.dtype), torch.as_tensor(T))
        weights = module.attend(Z, torch.eye(N, dtype=module.W_QK.dtype).expand(len(X), N, N)).numpy()
    asked = np.take_along_axis(weights, T[..., [s - 1 for s in slots]][..., None], axis=3)[..., 0]
    return 1 - asked


@pytest.mark.parametrize(("N", "q", "beta"), [(8, 1, 12), (16, 2, 10), (8, 3, 30)])
def test_of_a_construction_it_is_its_own_leakage(N, q, beta):
    net = BlockAttention(hadamard(N), beta=beta, q=q, d=2)
    made = certify_attention(net.module(), radius=3)
    exact = float(net.leakage())
    # gaps are rounded down to multiples of 2^-16
    assert exact * (1 - 1e-9) <= float(made.leakage) <= exact * (1 + 2**-15)
    assert made.found == pytest.approx([exact] * q, rel=1e-6)
    assert float(made.token_error) == pytest.approx(6 * exact, rel=1e-4)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.sampled_from([0.0, 0.003, 0.03, 0.3]), q=st.integers(1, 2),
       tokens=st.sampled_from(["ball", "box"]))  # fmt: skip
def test_no_prompt_leaks_more(seed, size, q, tokens):
    rng = np.random.default_rng(seed)
    net = BlockAttention(rademacher(8, 16, rng), beta=9, q=q, d=2)
    module = perturbed(net, size, seed)
    made = certify_attention(module, radius=1.5, tokens=tokens)
    X, T = rng.standard_normal((64, 8, 2)), rng.integers(0, 8, (64, 8, q))
    X *= 1.5 / (np.linalg.norm(X, axis=2, keepdims=True) if tokens == "ball" else np.abs(X).max(axis=2, keepdims=True))
    drawn = outside(module, X, T, range(1, q + 1)).max(axis=(0, 1))
    for bound, found, seen in zip(made.bounds, made.found, drawn, strict=True):
        assert max(found, seen) <= float(bound) * (1 + 1e-9)


def test_every_prompt_of_a_small_class_is_below_and_the_found_one_is_near():
    net = BlockAttention(hadamard(4), beta=6, q=1, d=1)
    prompts = [
        (np.array(x, dtype=float).reshape(4, 1), np.array(t).reshape(4, 1))
        for x in itertools.product((-1, 1), repeat=4)
        for t in itertools.product(range(4), repeat=4)
    ]
    X, T = (np.stack(parts) for parts in zip(*prompts, strict=True))
    for seed in range(4):
        module = perturbed(net, 0.02, seed)
        made = certify_attention(module, radius=1, tokens="box")
        worst = outside(module, X, T, [1]).max()
        assert made.found[0] <= worst * (1 + 1e-9)
        assert worst <= float(made.leakage) <= 3 * worst
        assert made.found[0] >= worst / 3


@pytest.mark.parametrize("block", [(a, b) for a in (-1, 0, 1, 2) for b in (-1, 0, 1, 2) if (a, b) != (1, 0)])
def test_no_block_of_the_matrix_is_forgotten(block):
    """With one block spoiled the prompt found leaks more than the certificate without that block allows."""
    net = BlockAttention(hadamard(8), beta=10, q=2, d=8, blocks=((1, 0),))
    module = net.module()
    part = {-1: slice(0, 8)} | {s: slice(8 + 8 * s, 16 + 8 * s) for s in range(3)}
    clean = certify_attention(module, radius=2)
    with torch.no_grad():
        rng = np.random.default_rng(0)
        module.W_QK[0, part[block[0]], part[block[1]]] += torch.as_tensor(0.4 * rng.standard_normal((8, 8)))
    spoiled = certify_attention(module, radius=2)
    assert float(clean.leakage) < spoiled.found[0] <= float(spoiled.leakage)


def test_single_precision_is_read_exactly_and_other_heads_by_their_slots():
    net = BlockAttention(hadamard(8), beta=10, q=2, d=2, blocks=((2, 0),))
    made = certify_attention(net.module(torch.float32), radius=1, slots=[2])
    assert float(made.leakage) == pytest.approx(float(net.leakage()), rel=1e-4)
    wrong = certify_attention(net.module(), radius=1, slots=[1])  # it reads the other slot
    assert float(wrong.leakage) > 0.9
    assert wrong.found[0] > 0.9


def test_what_cannot_be_certified_is_refused():
    net = BlockAttention(hadamard(4), beta=6, q=1, d=1)
    with pytest.raises(DomainError, match="omega"):
        certify_attention(torch.nn.Linear(2, 2), radius=1)
    with pytest.raises(DomainError, match="radius"):
        certify_attention(net.module(), radius=-1)
    with pytest.raises(DomainError, match="slots"):
        certify_attention(net.module(), radius=1, slots=[2])
    module = net.module()
    module.W_QK.data[0, 0, 0] = float("nan")
    with pytest.raises(DomainError, match="finite"):
        certify_attention(module, radius=1)
    module.W_QK.data[:] = 1e307
    with pytest.raises(DomainError, match=r"beyond doubles"):
        certify_attention(module, radius=1e3)
