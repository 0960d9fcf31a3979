"""What a certificate may not depend on, what it must grow with, and that floats stay within their bounds."""

import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from trained_specimens import KINDS, attention, drawn, encoded, errors, outside

from theorytools import BlockAttention, certify, certify_attention, hadamard
from theorytools.numbers import Enclosure
from theorytools.trained.layer import TrainedLayer, read_checkpoint, write_checkpoint
from theorytools.trained.leaks import Tokens, exponential_above
from theorytools.trained.rounding import Pass

SEEDS = st.integers(0, 10**6)


def prompts(rng, tokens, count, N, d, q=1):
    X = rng.standard_normal((count, N, d))
    size = np.linalg.norm(X, axis=2) if tokens == "ball" else np.abs(X).max(2)
    X = np.sign(X) if tokens == "signs" else X / size[..., None]
    return X, rng.integers(0, N, (count, N, q))


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, tokens=st.sampled_from(["signs", "box", "ball"]), kind=st.sampled_from(sorted(KINDS)),
       size=st.sampled_from([0.3, 1.0, 3.0]), heads=st.integers(1, 2))  # fmt: skip
def test_no_drawn_prompt_is_beyond(seed, tokens, kind, size, heads):
    module, codes, u = drawn(kind, seed, 6, 3, heads=heads, size=size)
    made = certify(module, codes=codes, direction=u, tokens=tokens)
    X, T = prompts(np.random.default_rng(seed), tokens, 300, 6, 3)
    for h in range(heads):
        assert outside(module, codes, X, T, h).max() <= made.heads[h] * (1 + 1e-9)
    assert np.abs(errors(module, codes, u, X, T)).max() <= made.error * (1 + 1e-9)
    assert made.witness.outside <= made.delta
    assert made.witness.error <= made.error


@settings(max_examples=10, deadline=None)
@given(seed=SEEDS)
def test_symmetries_of_the_weights_change_nothing(seed):
    """An invertible map between queries and keys and one between values and output, and heads in another order."""
    module, codes, u = drawn("separate", seed, 5, 2, heads=2)
    made = certify(module, codes=codes, direction=u, slots=[1, 1])
    rng, D = np.random.default_rng(seed), 6
    weights = {name: tensor.numpy().copy() for name, tensor in module.state_dict().items()}
    for h in range(2):
        cut = slice(h * D, (h + 1) * D)
        mix, other = (np.eye(D) + 0.3 * rng.standard_normal((D, D)) for _ in range(2))
        for name, map_ in (("query", mix), ("key", np.linalg.inv(mix).T), ("value", other)):
            for part in ("weight", "bias"):
                weights[f"{name}.{part}"][cut] = map_ @ weights[f"{name}.{part}"][cut]
        weights["output.weight"][:, cut] = weights["output.weight"][:, cut] @ np.linalg.inv(other)
    order = np.r_[D : 2 * D, 0:D]
    for name in ("query", "key", "value"):
        for part in ("weight", "bias"):
            weights[f"{name}.{part}"] = weights[f"{name}.{part}"][order]
    weights["output.weight"] = weights["output.weight"][:, order]
    again = certify(weights, codes=codes.numpy(), direction=u.numpy(), slots=[1, 1])
    assert again.heads[::-1] == pytest.approx(made.heads, rel=1e-6)  # tables have steps of 2^-14, met alike up to one
    assert again.error == pytest.approx(made.error, rel=1e-6)
    assert again.structure.identity[::-1] == pytest.approx(made.structure.identity, rel=1e-6)


@settings(max_examples=12, deadline=None)
@given(seed=SEEDS, kind=st.sampled_from(sorted(KINDS)), dtype=st.sampled_from([torch.float32, torch.bfloat16]))
def test_the_floats_of_a_module_stay_within_their_bounds(seed, kind, dtype):
    module, codes, u = drawn(kind, seed, 6, 3, size=0.6, dtype=dtype)
    layer = TrainedLayer.of(module.state_dict(), codes=codes, direction=u)
    exact = KINDS[kind](7, 1, 5).double()
    exact.load_state_dict({name: tensor.double() for name, tensor in module.state_dict().items()})
    run = Pass(layer, Tokens("signs", 1.0, 3))
    bounds = run.rounding()
    X, T = prompts(np.random.default_rng(seed), "signs", 100, 6, 3)
    true, seen = (attention(m, encoded(m, codes, X, T), 0) for m in (exact, module))
    ratio = np.maximum(seen / true, true / np.maximum(seen, 1e-300))
    assert ratio.max() <= bounds.factor[0]
    share = seen / seen.sum(-1, keepdims=True)  # in doubles, of weights that were rounded to few bits
    assert (share / true).max() <= bounds.factor[0]
    off = np.abs(errors(module, codes, u, X, T) - errors(exact, codes, u, X, T)).max()
    unit = 2.0**-8 if dtype == torch.bfloat16 else 2.0**-24
    assert bounds.output >= unit  # it is a bound of something
    largest = np.abs(layer.last) @ np.abs(layer.units[0].mid) @ np.append(run.entries, 1)
    assert off <= bounds.output + 2 * (bounds.factor[0] - 1) * largest


@given(gap=st.floats(-100, 100))
def test_exponentials_are_above_and_near(gap):
    found, true = float(exponential_above(np.array([gap]))[0]), (-Enclosure(gap)).exp()
    assert true.certainly_le(found)
    assert found <= float(true) * (1 + 2.0**-13)


def test_beyond_the_table_it_is_infinite_or_the_end():
    found = exponential_above(np.array([-101.0, 500.0]))
    assert np.isinf(found[0])
    assert 0 < found[1] < 1e-43


@pytest.mark.parametrize(("N", "beta"), [(8, 12), (16, 20)])
def test_of_a_construction_it_is_its_leakage_and_what_certify_attention_says(N, beta):
    net = BlockAttention(hadamard(N), beta=beta, q=1, d=2)
    made = certify(net.module(), tokens="ball", radius=3.0)
    true = float(net.leakage())
    assert true * (1 - 1e-9) <= made.leakage.floats[1] <= true * (1 + 2**-13)
    assert made.leakage.floats[0] == pytest.approx(true, rel=1e-6)
    assert made.leakage.floats[1] == pytest.approx(float(certify_attention(net.module(), 3.0).leakage), rel=1e-4)
    assert made.structure.distance[0] == pytest.approx(0, abs=1e-7)
    assert made.risk is None
    spoiled = certify(BlockAttention(hadamard(N), beta=beta, q=1, d=2, blocks=((0, 0),)).module())
    assert spoiled.delta > 0.9  # it reads its own position
    assert spoiled.witness.outside > 0.9
    assert spoiled.structure.identity[0] == 0


@settings(max_examples=8, deadline=None)
@given(seed=SEEDS)
def test_a_larger_class_has_larger_bounds(seed):
    module, codes, u = drawn("separate", seed, 5, 2)
    small, large = (certify(module, codes=codes, direction=u, tokens="box", radius=r) for r in (0.5, 1.0))
    assert small.delta <= large.delta * (1 + 1e-9)
    assert small.error <= large.error * (1 + 1e-9)
    signs = certify(module, codes=codes, direction=u)
    assert signs.heads[0] <= large.heads[0] * (1 + 1e-9)


def test_a_file_a_module_and_weights_by_name_say_the_same(tmp_path):
    module, codes, u = drawn("merged", 3, 5, 2, dtype=torch.float32)
    write_checkpoint(tmp_path / "m.safetensors", module, codes=codes, direction=u)
    torch.save({**module.state_dict(), "omega": codes, "u": u}, tmp_path / "m.pt")
    made = certify(module, codes=codes, direction=u).to_json()
    run = made.pop("witness")
    for name in ("m.safetensors", "m.pt"):
        again = certify(read_checkpoint(tmp_path / name)).to_json()
        seen = again.pop("witness")
        assert again == made
        assert (seen["X"], seen["T"], seen["position"]) == (run["X"], run["T"], run["position"])
        assert seen["outside"] == pytest.approx(run["outside"], rel=1e-5)  # sums in float32, in another order of memory


def test_the_statement_bound_is_that_of_the_check():
    from theorytools import bound_of

    module, codes, u = drawn("separate", 1, 5, 2)
    made = certify(module, codes=codes, direction=u)
    unit = codes.numpy() / np.linalg.norm(codes.numpy(), axis=1, keepdims=True)
    rho = (unit @ unit.T - 2 * np.eye(5)).max()
    beta = max(0.0, made.structure.beta[0])
    assert made.bound == bound_of("qstr.lemma_11", "leakage")(N=5, beta=beta, rho=rho)
    assert {field.name for field in dataclasses.fields(made)} >= {"risk", "floor", "bound", "risk_bound"}
