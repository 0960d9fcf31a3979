"""Bounds of all cases at once, against every prompt: of each case by itself, and what is sharpened of them."""

import itertools

import numpy as np
import pytest
from tail_specimens import all_prompts, drawn_heads, drawn_map, true_errors

from theorytools.blocks.network import Activation, Attention, Network
from theorytools.errors import BudgetError
from theorytools.trained.worst import all_cases, cut_cases
from theorytools.trained.worst.all_cases import Leaks, bounded_at_once, bounds
from theorytools.trained.worst.cut_cases import Rounds
from theorytools.trained.worst.one_layer import Layer
from theorytools.trained.worst.prompts import Prompts
from theorytools.trained.worst.tail import tail_error


def drawn(seed, p, heads=1, beta=4.0, hidden=6, mask=None, size=1.0):
    """A head or two that retrieve, and units that read what they return."""
    rng = np.random.default_rng(seed)
    made = drawn_heads(rng, p, dict(p.widths), 3, heads, beta)
    units = Activation("h", "relu", drawn_map(rng, hidden, {"a": 3 * heads}, size))
    blocks = (Attention("a", made, mask), units)
    return Network(p.N, p.fields, blocks, drawn_map(rng, 1, {"h": hidden}))


SIZES = [(3, 1, 1), (3, 2, 1), (4, 1, 1), (3, 1, 2)]  # N, d, heads


@pytest.mark.parametrize(("N", "d", "heads"), SIZES)
@pytest.mark.parametrize("beta", [0.0, 3.0, 8.0])
def test_each_case_is_above_all_of_its_prompts(N, d, heads, beta):
    """The own place left free, rivals that are forgotten, a unit that bends and is taken for straight, a lost index."""
    p, u = Prompts(N, d), np.array([0.6, -0.8])[:d]
    for seed in range(3):
        net = drawn(seed, p, heads, beta)
        assert bounded_at_once(net, p)
        found = bounds(net, p, u)
        X, T, states = all_prompts(p)
        errors, S, V = np.abs(true_errors(net, p, u, X, T)), len(p.states()[0]), len(p.vertices)
        worst = np.zeros(N * S * V)
        for i in range(N):
            asked = np.take_along_axis(states // N, T[:, [i], 0], 1)[:, 0]
            np.maximum.at(worst, (i * S + states[:, i]) * V + asked, errors[:, i])
        upper = np.full(N * S * V, found.rest)
        upper[found.query * V + found.asked] = found.upper
        assert (worst <= upper * (1 + 1e-12)).all()
        assert (np.diff(found.upper) <= 0).all()
        assert found.upper[0] >= errors.max()


@pytest.mark.parametrize(("N", "d", "heads"), SIZES)
def test_sharpened_it_is_within_a_tenth_of_the_worst_prompt(N, d, heads):
    p, u = Prompts(N, d), np.array([0.6, -0.8])[:d]
    for seed in range(4):
        net = drawn(seed, p, heads)
        made = tail_error(net, p, u)
        truth = np.abs(true_errors(net, p, u, *all_prompts(p)[:2])).max()
        assert truth * (1 - 1e-12) <= made.upper <= 1.1 * truth
        assert made.value == pytest.approx(truth, rel=1e-9)
        assert made.upper <= bounds(net, p, u).upper[0]


def test_rough_and_sharp_bounds_hold_for_the_prompts_of_each_case():
    p, u = Prompts(4, 1), np.array([0.7])
    for seed in range(4):
        layer = Layer.of(drawn(seed, p), p, u)
        known = bounds(drawn(seed, p), p, u)
        cases = layer.chosen(known.query, known.asked)
        rough, sharp = (layer.bounded(cases, rough)[0] for rough in (True, False))
        assert sharp.sum() < rough.sum()  # not each: another line may be nearer
        X, T, states = all_prompts(p)
        errors, S = np.abs(true_errors(layer.errors.network, p, u, X, T)), len(layer.tokens)
        for n in range(0, len(cases), 7):
            i, state = divmod(int(cases.query[n]), S)
            t = layer.tuples[state, 0]
            mine = (states[:, i] == state) & (layer.token[states[:, t]] == cases.label[n, 0])
            assert errors[mine, i].max(initial=0.0) <= min(rough[n], sharp[n]) * (1 + 1e-12)


def test_where_cases_are_not_kept_the_rest_is_bounded_by_a_number(monkeypatch):
    p, u = Prompts(3, 2), np.array([0.6, -0.8])
    net = drawn(0, p)
    whole = bounds(net, p, u)
    monkeypatch.setattr(all_cases, "KEPT", 5)
    part = bounds(net, p, u)
    assert part.upper.tolist() == whole.upper[:5].tolist()
    assert part.rest == whole.upper[5]
    found = Rounds(Layer.of(net, p, u), None, part).run()
    assert found >= np.abs(true_errors(net, p, u, *all_prompts(p)[:2])).max()


def test_a_mask_that_hides_the_asked_position_leaves_nothing_of_it():
    p, u = Prompts(3, 1), np.array([1.0])
    net = drawn(1, p, mask=np.tril(np.ones((3, 3), dtype=bool)))
    truth = np.abs(true_errors(net, p, u, *all_prompts(p)[:2])).max()
    assert truth <= tail_error(net, p, u).upper <= 1.2 * truth


def test_more_than_can_be_bounded_is_refused(monkeypatch):
    p = Prompts(3, 1)
    monkeypatch.setattr(all_cases, "TERMS", 10)
    with pytest.raises(BudgetError, match="numbers for N = 3"):
        bounds(drawn(0, p), p, np.array([1.0]))


@pytest.mark.parametrize("kind", ["none", "causal"])
@pytest.mark.parametrize(("N", "d"), [(3, 1), (3, 2), (4, 1)])
def test_the_leakage_of_each_query_is_that_of_its_worst_prompt(N, d, kind):
    """Attained: the own key without its index, a sum over keys that are hidden, the smallest score of a rival."""
    p = Prompts(N, d)
    mask = None if kind == "none" else np.tril(np.ones((N, N), dtype=bool))
    for seed in range(3):
        net = drawn(seed, p, beta=2.0)
        head = net.blocks[0].heads[0]
        X, T, states = all_prompts(p)
        one_hot = np.eye(N)
        fields = {"x": X, "slot1": one_hot[T[..., 0]], "place": np.broadcast_to(one_hot, (len(X), N, N)),
                  "": np.ones((len(X), N, 1))}  # fmt: skip
        scores = sum(fields[a] @ G.mid @ fields[b].swapaxes(1, 2) for (a, b), G in head.scores.items())
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        w = np.exp(scores - scores.max(-1, keepdims=True))
        outside = 1 - np.take_along_axis(w / w.sum(-1, keepdims=True), T, 2)[..., 0]
        for t in range(N):
            found = Leaks.of(head, mask, p).at(t)
            for i in range(N):
                for v in range(len(p.vertices)):
                    seen = outside[(states[:, i] == v * N + t), i].max()
                    assert seen * (1 - 1e-9) - 1e-15 <= found[i, v] <= seen * (1 + 1e-9) + 1e-12


def test_whatever_is_mixed_in_by_that_weight_errs_by_no_more():
    """Sharper than prompts, which no head mixes so: a unit near its kink that is taken for straight."""
    p, u, near = Prompts(3, 1), np.array([0.7]), 0.0
    for seed in range(24):
        net = drawn(seed, p, hidden=1 + seed % 2 * 2, size=2.0)  # of one unit nothing hides the kink
        attention, units = net.blocks
        read = all_cases._Units.of(net, attention, units, p, u)
        value, A = attention.heads[0].value, units.of.parts["a"].mid
        at = {b: read.parts[0][b].mid for b in ("x", "slot1", "place")}
        assert set(value.parts) <= set(at) | {""}
        z = {(j, y, s): at["x"] @ p.vertices[y] + at["slot1"][:, s] + at["place"][:, j] + read.shift
             for j in range(3) for y in range(2) for s in range(3)}  # fmt: skip
        assert A.shape[1] == 3
        for t, share in itertools.product(range(3), (0.02, 0.1, 0.3, 0.7)):
            bound = read.cases(t, np.full((3, 2, 1), share))[0]
            for y in range(2):
                label = float(p.vertices[y] @ u)
                mixed = [(1 - share) * z[t, y, s] + share * other for s in range(3) for other in z.values()]
                seen = max(abs(float(np.maximum(v, 0) @ read.last) + read.bias - label) for v in mixed)
                assert seen <= bound[:, y].min() * (1 + 1e-12)
                near = max(near, seen / bound[:, y].max())
    assert near > 0.9


def test_cases_that_are_not_reached_count_with_the_bound_of_all(monkeypatch):
    p, u = Prompts(3, 2), np.array([0.6, -0.8])
    monkeypatch.setattr(cut_cases, "BATCH", 2)
    monkeypatch.setattr(cut_cases, "SHARPENED", 1)
    monkeypatch.setattr(cut_cases, "CUTS", 0)
    for seed in range(3):
        net = drawn(seed, p)
        known = bounds(net, p, u)
        assert Rounds(Layer.of(net, p, u), None, known).run() >= known.upper[2]
