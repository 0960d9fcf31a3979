"""What floats add to the labels of encoder layers: norms over every prompt, ranges, lengths of rows, trees of updates.

What only one test notices: the largest deviation in place of the least, a query that is left out, a range of another
position, a row's length that is that of another view of it, a mean whose errors count at the end only.
"""

import copy
import itertools

import numpy as np
import pytest
import torch
from tail_specimens import all_prompts, drawn_network
from torch import nn

from theorytools import certify, hadamard
from theorytools.blocks.network import Norm, _written, applied
from theorytools.trained import label_rounding as label_rounding_module
from theorytools.trained.answers import Answers
from theorytools.trained.floats.balls import Balls, euclidean, fresh, stretch
from theorytools.trained.floats.reach import Floats, Reach, constant, gamma, matmul, normed
from theorytools.trained.label_rounding import by_node, known_ranges, label_rounding
from theorytools.trained.worst.deviations import least_deviations
from theorytools.trained.worst.one_layer import Layer
from theorytools.trained.worst.prompts import Prompts

U = np.array([0.6, -0.8])
CODES = np.array([[1.0, 0.4], [-0.7, 0.8], [0.2, -1.1]])


class Read(nn.Module):
    def __init__(self, layer, width):
        super().__init__()
        self.layer, self.read = layer, nn.Linear(width, 1)

    def forward(self, Z):
        return self.read(self.layer(Z))[..., 0]


class Written(nn.Module):
    """Attention and an RMS norm in operators."""

    def __init__(self, width):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 1, batch_first=True)

    def forward(self, Z):
        x = Z + self.attention(Z, Z, Z, need_weights=False)[0]
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


def encoder(width, first=False, **more):
    return nn.TransformerEncoderLayer(width, 1, 16, dropout=0.0, batch_first=True, norm_first=first, **more)


def made(layer, codes, d, seed=0, size=None):
    width = d + 2 * codes.shape[1]
    with torch.random.fork_rng(), torch.no_grad():  # torch's own laws draw from the global generator
        torch.random.manual_seed(seed)
        module = Read(layer(width), width)
        if size:
            for part in module.parameters():
                part.copy_(size * torch.randn(part.shape))
    return module.eval()


def traced(module, codes, prompts):
    net = Answers(module, prompts, codes)
    return net, net.traced, net.canonical


def off(running, X, T):
    """How far the module in its own type is from its twin in doubles."""
    twin = Answers(copy.deepcopy(running.module).double(), running.prompts, running.table)
    return np.abs(running.outputs(X, T) - twin.outputs(X, T))


# -- deviations ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["post", "pre", "rms"])
@pytest.mark.parametrize("more", [{}, {"heads": 2}, {"mask": np.tril(np.ones((3, 3), dtype=bool))}])
def test_no_prompt_has_a_norm_with_a_smaller_deviation(kind, more):
    prompts, gaps = Prompts(3, 1, 1), []
    X, T, _ = all_prompts(prompts)
    for seed in range(4):
        network = drawn_network(kind, seed, prompts, beta=2.0, **more)
        found = least_deviations(network, Layer.of(network, prompts, [1.0]))
        held, _ = network._read(prompts.inputs(X, T))
        for k, block in enumerate(network.blocks):
            if isinstance(block, Norm):
                v = applied(block.of, held, (len(X), 3))
                v = v - v.mean(-1, keepdims=True) if block.centred else v
                least = np.sqrt((v**2).mean(-1)).min()
                assert 0 <= found[block.out] <= least * (1 + 1e-12)
                if k == 0:
                    assert found[block.out] == pytest.approx(least, rel=1e-8)
                if block.out == "z1":
                    gaps.append(found[block.out] / least)
            held[block.out] = _written(block, held, 3)
    # two heads are bounded as if each had a prompt of its own: the least point of both may be zero
    assert (max if "heads" in more else np.median)(gaps) > 0.75


def test_a_norm_that_stands_for_several_blocks_has_the_least_of_all_or_none():
    prompts = Prompts(3, 2, 1)
    _, found, canonical = traced(made(encoder, CODES, 2), CODES, prompts)
    network = canonical(found.network)
    first, last = (block.out for block in network.blocks if isinstance(block, Norm))
    node = found.nodes[first]
    assert by_node(found, network, {first: 0.5, last: 0.25}) == {node: 0.5, found.nodes[last]: 0.25}
    found.nodes[last] = node
    assert by_node(found, network, {first: 0.5, last: 0.25}) == {node: 0.25}
    found.nodes["norm9"] = node  # of which the output reads nothing, so that nothing is known
    assert by_node(found, network, {first: 0.5, last: 0.25}) == {}


# -- ranges ----------------------------------------------------------------------------------------------------------
def test_ranges_are_those_of_every_state():
    prompts = Prompts(3, 2, 1)
    module = made(lambda width: encoder(width, True), CODES, 2, size=0.5).double()
    running, found, canonical = traced(module, CODES, prompts)
    network = canonical(found.network)
    known = known_ranges(found, canonical, Layer.of(network, prompts, U))
    names = {node.operator.removeprefix("aten.").split(".")[0] for node in found.program.nodes if node.name in known}
    assert {"addmm", "getitem", "mul"} <= names
    X, T = prompts.states()  # every state at every position, as other positions do not matter
    X, T = np.repeat(X[:, None], 3, 1), np.repeat(T[:, None], 3, 1)
    Z = running.inputs(X, T)[0].numpy()
    held = {"Z": Z, "place": np.broadcast_to(np.eye(3), (len(Z), 3, 3))}
    for block in found.network.blocks[:1]:
        held[block.out] = _written(block, held, 3)
    for name, one in known.items():
        f = found.forms[name]
        rows = sum(held[field] @ part.mid.T for field, part in f.rows.items())  # (states, N, m)
        value = np.where(f.form >= 0, rows[:, np.maximum(f.at, 0), np.maximum(f.form, 0)], 0.0) + f.shift.mid
        for end, seen, sign in ((one.low, value.min(0), -1), (one.high, value.max(0), 1)):
            assert (sign * (end - seen) >= -1e-12).all(), name
            assert end == pytest.approx(seen, abs=1e-9)
        single = (f.at.max(-1) == np.where(f.at < 0, f.at.max(-1)[..., None], f.at).min(-1)).reshape(one.length.shape)
        length = np.sqrt((value**2).sum(-1)).max(0)
        assert one.length[single] == pytest.approx(length[single], rel=1e-8)
        assert (one.length[single] >= length[single] * (1 - 1e-12)).all()


# -- rows ------------------------------------------------------------------------------------------------------------
def test_a_matrix_stretches_by_no_more_and_not_much_less():
    rng = np.random.default_rng(0)
    for m, n in ((1, 1), (3, 7), (40, 9), (64, 64)):
        W = rng.standard_normal((m, n)) * 10.0 ** rng.integers(-9, 9)
        true = np.linalg.norm(W, 2)
        assert true <= stretch(W) <= 1.7 * true  # min(m, n)^(1/8)
    assert stretch(np.zeros((2, 3))) == 0
    assert euclidean(np.array([[3e-200, 4e-200]])) == pytest.approx(5e-200)


def test_a_view_that_repeats_entries_has_no_length():
    balls = fresh((2, 3), np.array([2.0, 3.0]), np.array([0.1, 0.2]))
    assert balls.rows()[0].tolist() == [2.0, 3.0]
    assert balls.viewed(lambda t: t[:, ::-2]).rows()[1].tolist() == [0.1, 0.2]  # a part of a row is no longer
    assert np.isinf(balls.viewed(lambda t: t[:, [0, 0, 1]]).rows()[0]).all()
    assert np.isinf(balls.viewed(lambda t: t.T).rows()[0]).all()  # entries of two rows
    assert isinstance(balls, Balls)


def test_errors_of_a_row_pass_a_norm_and_a_matrix_by_their_length():
    """Entry by entry a bound is larger; what is seen is that of the worst of many directions."""
    rng, f, n = np.random.default_rng(1), Floats("float64"), 16
    W, x = rng.standard_normal((n, n)) / 4, rng.standard_normal(n)
    norm = lambda v: (v - v.mean(-1, keepdims=True)) / np.sqrt(v.var(-1, keepdims=True) + 1e-4)  # noqa: E731
    for delta in (1e-6, 1e-2, 0.3):
        given = Reach(x[None], x[None], np.full((1, n), delta))
        y = normed(given, n, 1e-4, f)
        z = matmul(y, constant(W), f)
        moved = norm(x + delta * rng.choice([-1.0, 1.0], (20000, n))) - norm(x)
        for reach, seen in ((y, moved), (z, moved @ W)):
            apart = np.linalg.norm(seen, axis=1)
            assert apart.max() <= reach.rows()[1][0]
            assert (np.abs(seen).max(0) <= reach.off[0]).all()
        assert y.rows()[1][0] <= 3 * np.linalg.norm(moved, axis=1).max()
        plain = Reach(y.low, y.high, y.off)
        assert z.off.max() < 0.8 * matmul(plain, constant(W), f).off.max()


def merged(x, rng, worst):
    """Mean and sum of squares in float32, by Welford's updates in a random tree; parts as (count, mean, squares)."""
    one = np.float32(1)
    parts = [(1, v, np.float32(0)) for v in x]
    while len(parts) > 1:
        i, j = (0, 1) if worst else sorted(rng.choice(len(parts), 2, replace=False))
        b, a = parts.pop(j), parts.pop(i)
        s = a[0] + b[0]
        share, delta = np.float32(b[0]) / np.float32(s), b[1] - a[1]
        mean = a[1] + delta * share
        squares = a[2] + (delta * (b[1] - mean) if b[0] == 1 else b[2] + delta * delta * share * np.float32(a[0]))
        parts.insert(0, (s, mean * one, squares))
    return float(parts[0][1]), float(parts[0][2]) / len(x)


@pytest.mark.parametrize("worst", [False, True])
def test_trees_of_updates_stay_within_what_is_claimed_of_a_mean_and_a_deviation(worst):
    rng, u, seen = np.random.default_rng(2), 2.0**-24, 0.0
    for n, shift in itertools.product((2, 5, 18, 64), (0.0, 1.0, 30.0)):
        for _ in range(30):
            x = np.float32(shift + rng.standard_normal(n) * 10.0 ** rng.integers(-3, 1))
            if worst and shift:  # each rounding of the mean goes one way
                x = np.float32(shift * (1 + np.arange(n) * 2 * u))
            mean, square = merged(x, rng, worst)
            exactly = x.astype(float)
            e = gamma(4 * n, u) * np.sqrt((exactly**2).mean())
            sigma2 = exactly.var()
            assert abs(mean - exactly.mean()) <= e
            allowed = 2.42 * e * np.sqrt(sigma2) + e**2 + gamma(n + 12, u) * (np.sqrt(sigma2) + e) ** 2
            assert abs(square - sigma2) <= allowed
            seen = max(seen, abs(square - sigma2) / allowed)
    assert seen > 1 / 200


# -- certificates ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("first", [False, True])
def test_an_encoder_as_torch_draws_it_rounds_by_less_than_a_hundredth(first):
    """eps is 1e-5: without the deviations the bound is above the labels."""
    codes, prompts = hadamard(8).matrix() / 8**0.5, Prompts(8, 2, 1)
    running, *_ = traced(made(lambda width: encoder(width, first), codes, 2), codes, prompts)
    rounded, loose = label_rounding(running, running.network)
    assert loose == ""
    bound = rounded.output.max()
    X, T = prompts.draw(300, np.random.default_rng(0))
    assert 1e-8 < off(running, X, T).max() <= bound < 1e-2


@pytest.mark.parametrize("layer", [encoder, lambda width: encoder(width, True, activation="gelu"), Written])
def test_no_prompt_rounds_by_more(layer):
    module = made(layer, CODES, 2, 1)
    prompts = Prompts(3, 2, 1)
    found, running = certify(module, direction=U, codes=CODES).labels, Answers(module, prompts, CODES)
    X, T, _ = all_prompts(prompts)
    some = np.arange(0, len(X), 3)
    seen = off(running, np.append(X[some], found.X[None], 0), np.append(T[some], found.T[None], 0)).max()
    assert seen <= found.rounding < 0.1
    wrong = running.outputs(X, T)[..., 0] - np.take_along_axis(X @ U, T[..., 0], 1)
    assert np.abs(wrong).max() <= found.error


def test_what_is_not_bounded_is_said_with_its_node():
    found = certify(made(encoder, CODES, 2, 1, 1.0), direction=U, codes=CODES)
    assert "what native_layer_norm_1 norms may be constant" in found.labels.loose
    assert found.labels.loose in str(found)
    module = made(encoder, CODES, 2, 1, 0.4)
    with torch.no_grad():
        module.layer.linear2.bias.fill_(5e18)  # six squares may be beyond float32, though these numbers are alike
    huge = certify(module, direction=U, codes=CODES)
    assert np.isinf(huge.labels.rounding)
    assert "nothing is claimed of the node native_layer_norm_1 (aten.native_layer_norm.default" in str(huge)


@pytest.mark.parametrize("first", [False, True])
def test_what_is_handed_over_is_below_what_every_norm_of_the_module_is_given(first, monkeypatch):
    """Bounds of another norm, or of a number that is no lower bound of its deviation."""
    prompts, seen, given = Prompts(3, 2, 1), [], []
    module = made(lambda width: encoder(width, first), CODES, 2, 1).double()
    honest = label_rounding_module.rounding
    monkeypatch.setattr(
        label_rounding_module, "rounding", lambda *a, **more: given.append(more["spreads"]) or honest(*a, **more)
    )
    net = Answers(module, prompts, CODES)
    label_rounding(net, net.network)
    for part in module.modules():
        if isinstance(part, nn.LayerNorm):
            part.register_forward_pre_hook(lambda _, z: seen.append(float(z[0].var(-1, unbiased=False).min()) ** 0.5))
    net.outputs(*all_prompts(prompts)[:2])
    assert len(seen) == len(given[0]) == 2
    for least, (_, bound) in zip(seen, sorted(given[0].items()), strict=True):
        assert 0.3 * least < bound <= least * (1 + 1e-9)
