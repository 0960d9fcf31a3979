"""Label errors behind one attention: against every prompt of small classes, from both sides, case by case."""

import numpy as np
import pytest
import torch
from encoder_specimens import encoded, encoder_network, separate_network
from tail_specimens import KINDS, all_prompts, drawn_network, same, true_errors

from theorytools.blocks.network import (
    Activation,
    Attention,
    Field,
    Flatten,
    Head,
    Map,
    Network,
    Norm,
    Product,
    _written,
    applied,
)
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers.boxes import Box, exact
from theorytools.trained.worst import carried, curves, cut_cases, one_layer
from theorytools.trained.worst.carried import Behind
from theorytools.trained.worst.cut_cases import Leaf, packed
from theorytools.trained.worst.held import Cases
from theorytools.trained.worst.one_layer import Layer
from theorytools.trained.worst.prompts import Prompts
from theorytools.trained.worst.supremum import largest_label_error
from theorytools.trained.worst.tail import tail_error
from theorytools.trained.worst.worst_prompt import drawn

SMALL = Prompts(3, 1, 1)
HAIR = 1e-13


def direction(prompts, seed=0):
    return np.random.default_rng(seed).standard_normal(prompts.d)


def judged(kind, seed, prompts, monkeypatch=None, cuts=None, **more):
    """The bound, and the truth by every prompt."""
    network, u = drawn_network(kind, seed, prompts, **more), direction(prompts, seed)
    if cuts is not None:
        monkeypatch.setattr(cut_cases, "CUTS", cuts)
    X, T, _ = all_prompts(prompts)
    return tail_error(network, prompts, u), float(np.abs(true_errors(network, prompts, u, X, T)).max())


# -- every prompt of small classes ---------------------------------------------------------------------------------
CLASSES = [
    (SMALL, {}),
    (Prompts(3, 2, 1, radius=0.5), {"act": "gelu"}),
    (SMALL, {"heads": 2, "act": "tanh"}),
    (Prompts(3, 1, 2), {"heads": 2, "hidden": 3}),
    (Prompts(4, 1, 1), {"mask": np.tril(np.ones((4, 4), dtype=bool)), "act": "silu"}),
    (SMALL, {"at": 2, "beta": 0.0, "act": "gelu_tanh"}),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", range(len(CLASSES)))
def test_the_bound_is_above_every_prompt_and_within_a_hundredth_of_the_worst(kind, number, monkeypatch):
    prompts, more = CLASSES[number]
    found, truth = judged(kind, number, prompts, monkeypatch, 2**27, **more)
    assert truth * (1 - HAIR) <= found.upper <= truth * 1.0101
    assert found.value == pytest.approx(truth, rel=1e-9)  # the prompt is the worst there is


@pytest.mark.parametrize("kind", KINDS)
def test_without_any_cut_it_is_above_every_prompt_and_not_three_times_the_worst(kind, monkeypatch):
    for seed in range(4):
        found, truth = judged(kind, seed, SMALL, monkeypatch, 0, beta=3.0)
        assert truth * (1 - HAIR) <= found.upper <= 2 * truth


def compatible(layer, cases, c, chosen):
    """Which prompts a case allows."""
    i, state = divmod(int(cases.query[c]), len(layer.tokens))
    fits = chosen[:, i] == state
    for at, allowed in zip(cases.at[c], cases.allowed[c], strict=True):
        fits &= allowed[chosen[:, at]]
    return i, fits


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("act", ["relu", "gelu"])
def test_every_range_and_every_bound_holds_for_the_prompts_of_its_own_case(kind, act):
    prompts = Prompts(3, 1, 1)
    network, u = drawn_network(kind, 11, prompts, act=act, heads=2, beta=2.0), direction(prompts)
    layer = Layer.of(network, prompts, u)
    X, T, chosen = all_prompts(prompts)
    errors = np.abs(true_errors(network, prompts, u, X, T))
    held, _ = network._read(prompts.inputs(X, T))
    for block in network.blocks:
        held[block.out] = _written(block, held, prompts.N)
    behind_it = network.blocks[len(network.blocks) - len(layer.steps) :]
    cases = layer.cases(layer.queries)
    bounds, _, _ = layer.bounded(cases)
    behind = Behind(layer.keys, cases, layer.averages, layer.steps)
    ends = [behind.range(behind.written(step.of), k) for k, step in enumerate(layer.steps)]
    met = np.zeros(len(X), dtype=int)
    for c in range(len(cases)):
        i, fits = compatible(layer, cases, c, chosen)
        met += fits
        assert bounds[c] >= errors[fits, i].max() * (1 - HAIR)
        for block, (low, high) in zip(behind_it, ends, strict=True):
            v = applied(block.of, held, (len(X), prompts.N))[fits, i]
            v = v - v.mean(-1, keepdims=True) if getattr(block, "centred", False) else v
            assert (low[c] <= v + 1e-12).all()
            assert (v <= high[c] + 1e-12).all()
            # ranges are suprema: not far from what is reached, as long as nothing bent before
            if block is behind_it[0] and kind != "pre" and len(layer.keys.values) == 1:
                assert v.max(0) == pytest.approx(high[c], abs=1e-5 * (1 + np.abs(high[c])))
    assert (met == prompts.N).all()  # every prompt is met once by each query


# -- spoiled twins -------------------------------------------------------------------------------------------------
def some_error_is_above(kind, **more):
    """Whether a bound without cuts is below an enumerated error of its case for one of a few networks."""
    for seed in range(6):
        network, u = drawn_network(kind, seed, SMALL, **more), direction(SMALL, seed)
        layer = Layer.of(network, SMALL, u)
        X, T, chosen = all_prompts(SMALL)
        errors = np.abs(true_errors(network, SMALL, u, X, T))
        cases = layer.cases(layer.queries)
        bounds, _, _ = layer.bounded(cases)
        for c in range(len(cases)):
            i, fits = compatible(layer, cases, c, chosen)
            if bounds[c] < errors[fits, i].max() * (1 - 1e-9):
                return True
    return False


def test_a_scale_at_its_middle_is_noticed(monkeypatch):
    right = Behind._scale

    def middle(self, *given):
        found = right(self, *given)
        mean = (found.least + found.most) / 2
        along = (found.along[0] + found.along[1]) / 2
        return carried.Scale(found.p, (along, along), mean, mean)

    assert not some_error_is_above("post", beta=2.0)
    monkeypatch.setattr(Behind, "_scale", middle)
    assert some_error_is_above("post", beta=2.0)


@pytest.mark.parametrize("spoil", ["lower", "upper", "shift"])
def test_a_line_on_the_wrong_side_is_noticed(spoil, monkeypatch):
    right = curves.lines

    def wrong(kind, low, high):
        f = right(kind, low, high)
        if spoil == "lower":  # the chord, which is above, in place of a line below
            return curves.Lines(f.upper, f.above, f.upper, f.above, f.size)
        if spoil == "upper":
            return curves.Lines(f.lower, f.below, f.lower, f.below, f.size)
        return curves.Lines(f.upper, f.above / 2, f.lower, f.below, f.size)

    assert not some_error_is_above("hidden", beta=1.0)
    monkeypatch.setattr(carried, "lines", wrong)
    assert some_error_is_above("hidden", beta=1.0)


@pytest.mark.parametrize("kind", ["post", "pre"])
def test_a_residual_that_is_dropped_is_noticed(kind, monkeypatch):
    right = one_layer.parted

    def without(of, fields, centre=None):
        made = right(of, fields, centre)
        zero = np.zeros_like(made.known.mid)
        return made if "a" not in made.parts else carried.Affine(made.parts, Box(zero, zero))

    monkeypatch.setattr(one_layer, "parted", without)
    assert some_error_is_above(kind)


def test_an_own_state_that_is_left_free_is_noticed_by_a_loose_bound(monkeypatch):
    """It stays a bound, so only the other side tells: the state of the query's own key is that of the query."""
    right = Layer.cases

    def free(self, queries):
        cases = right(self, queries)
        own = cases.at == (cases.query // len(self.tokens))[:, None]
        return Cases(cases.query, cases.at, cases.allowed | own[..., None], cases.label)

    tight, truth = judged("hidden", 2, SMALL, monkeypatch, 0, beta=1.0)
    monkeypatch.setattr(Layer, "cases", free)
    loose, _ = judged("hidden", 2, SMALL, monkeypatch, 0, beta=1.0)
    assert truth <= tight.upper < 1.1 * truth < loose.upper


def test_parts_of_a_case_cover_it_and_what_cannot_be_cut_still_counts(monkeypatch):
    prompts = Prompts(3, 1, 2)
    layer = Layer.of(drawn_network("hidden", 0, prompts, heads=2), prompts, direction(prompts))
    cases = layer.cases(np.arange(0, len(layer.queries), 7))
    _, _, chosen = all_prompts(prompts)
    rounds = cut_cases.Rounds(layer, None)
    for c in range(len(cases)):
        leaves = [Leaf(5.0, int(cases.query[c]), cases.at[c], cases.allowed[c], cases.label[c])]
        _, whole = compatible(layer, cases, c, chosen)
        for _ in range(3):  # indices of asked positions, then tokens and indices of others
            leaves = [part for leaf in leaves[:2] for part in rounds._parts(leaf)] + leaves[2:]
            parts = packed(leaves)
            covered = sum(compatible(layer, parts, k, chosen)[1].astype(int) for k in range(len(parts)))
            assert (covered == whole).all()
    one = np.arange(len(layer.tokens)) == 0
    leaf = Leaf(7.0, 0, np.arange(3), np.tile(one, (3, 1)), np.zeros(2, dtype=int))
    assert rounds._parts(leaf) == []
    assert rounds.upper == 7.0


# -- modules -------------------------------------------------------------------------------------------------------
def layer_of(norm_first, seed=0, N=3, d=1, heads=1, activation="relu", e=2, width=6, scale=1.0):
    rng = torch.Generator().manual_seed(seed)
    D = d + 2 * e + (d + 2 * e) % heads
    module = torch.nn.TransformerEncoderLayer(
        D, heads, width, dropout=0.0, activation=activation, batch_first=True, norm_first=norm_first
    ).double()
    with torch.no_grad():
        for weights in module.parameters():
            weights.copy_(0.5 * scale * torch.randn(weights.shape, generator=rng, dtype=weights.dtype))
    readout = torch.nn.Linear(D, 1).double()
    readout.weight.data = torch.randn(1, D, generator=rng, dtype=torch.float64) / D**0.5
    return module.eval(), readout, np.random.default_rng(seed).standard_normal((N, e))


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_an_encoder_layer_of_torch_is_bounded(norm_first, activation):
    module, readout, codes = layer_of(norm_first, activation=activation)
    network, u = encoder_network(module, readout, codes, 3, 1), np.array([0.7])
    X, T, _ = all_prompts(SMALL)
    with torch.no_grad():
        out = readout(module(encoded(codes, X, T)))[..., 0].numpy()
    assert out == pytest.approx(network(**SMALL.inputs(X, T))[..., 0], abs=1e-12)
    label = np.take_along_axis(X @ u, T[..., 0], 1)
    truth = float(np.abs(out - label).max())
    found = tail_error(network, SMALL, u)
    assert truth <= found.upper * (1 + 1e-12)
    assert found.upper <= 1.0101 * truth


def test_attention_with_a_hidden_layer_is_bounded_at_eight_positions_and_random_prompts_are_no_worse_than_its_prompt():
    from theorytools.training.networks import SeparateAttention

    rng = torch.Generator().manual_seed(3)
    N, d, e = 8, 2, 3
    prompts, module = Prompts(N, d, 1), SeparateAttention(d + 2 * e, 1, 6).double()
    for weights in module.parameters():
        weights.data.uniform_(-0.4, 0.4, generator=rng)
    codes, u = np.random.default_rng(3).standard_normal((N, e)), np.array([0.6, -0.8])
    network = separate_network(module, codes, N, d)
    X, T = drawn(prompts, 10000, seed=7)
    with torch.no_grad():
        out = module(encoded(codes, X, T)).numpy()
    errors = np.abs(out - np.take_along_axis(X @ u, T[..., 0], 1))
    found = tail_error(network, prompts, u)
    assert errors.max() <= found.value <= found.upper
    with torch.no_grad():
        there = module(encoded(codes, found.X[None], found.T[None])).numpy()[0, found.at]
    label = found.X[found.T[found.at, 0]] @ u
    assert abs(there - label) == pytest.approx(found.value, abs=1e-12)


# -- curves --------------------------------------------------------------------------------------------------------
def test_second_derivatives_of_smooth_functions_are_at_most_one():
    from flint import arb, arb_series, ctx

    one = arb_series([1])

    def logistic(x):
        return one / (one + (-x).exp())

    def series(kind, x):
        if kind == "tanh":
            return 2 * logistic(2 * x) - one
        if kind == "gelu":
            return x * (one + (x / arb(2).sqrt()).erf()) / 2
        if kind == "gelu_tanh":  # (1 + tanh y) / 2 is the logistic function of 2 y
            return x * logistic(2 * (arb(2) / arb.pi()).sqrt() * (x + x * x * x * (arb(44715) / 10**6)))
        return logistic(x) if kind == "sigmoid" else x * logistic(x)

    before, ctx.cap = ctx.cap, 3
    try:
        for kind in curves.SMOOTH:
            for k in range(-20 * 128, 20 * 128):
                x = arb_series([arb(2 * k + 1) / 256 + arb(0, 1) / 256, 1])
                f = series(kind, x)
                assert abs(f[2]) * 2 < 1, (kind, k)
    finally:
        ctx.cap = before


@pytest.mark.parametrize("kind", ["relu", *curves.SMOOTH])
def test_lines_are_above_and_below(kind):
    rng = np.random.default_rng(5)
    low = rng.uniform(-6, 4, 40)
    high = low + 10 ** rng.uniform(-9, 1, 40)
    found = curves.lines(kind, low, high)
    loose = 0.0
    for k in range(40):
        for x in [low[k], high[k], *rng.uniform(low[k], high[k], 6)]:
            y = max(x, 0.0) if kind == "relu" else float(curves.value(kind, curves.Enclosure(float(x))))
            above, below = found.upper[k] * x + found.above[k], found.lower[k] * x + found.below[k]
            assert below - 1e-15 <= y <= above + 1e-15
            assert abs(y) <= found.size[k]
            loose = max(loose, above - y - (high[k] - low[k]), y - below - (high[k] - low[k]))
    assert loose < 2e-6
    far = curves.read(kind, np.array([-30.0, 30.0])) if kind != "relu" else np.array([0.0, 30.0])
    ends = {"tanh": (-1, 1), "sigmoid": (0, 1)}.get(kind, (0, 30))
    assert far == pytest.approx(ends, abs=1e-12)
    if kind != "relu":  # from the end of the table on, the rest is below 1e-7
        edge = float(curves.value(kind, curves.Enclosure(-20)))
        assert abs(edge - ends[0]) < 1e-7


# -- what is handed on, and what is refused ------------------------------------------------------------------------
def test_with_one_head_and_nothing_that_bends_the_supremum_is_exact():
    network, u = drawn_network("linear", 4, SMALL), direction(SMALL)
    found, known = tail_error(network, SMALL, u), largest_label_error(network, SMALL, u)
    assert (found.upper, found.value, found.exact) == (known.upper, known.value, True)
    layer = Layer.of(network, SMALL, u)  # the way by cases gives the same number
    bounds, _, _ = layer.bounded(layer.cases(layer.queries))
    assert float(bounds.max()) == pytest.approx(known.upper, rel=1e-9)


@pytest.mark.parametrize("tokens", ["box", "ball"])
def test_boxes_and_balls_are_bounded_where_nothing_bends(tokens):
    prompts = Prompts(3, 1, 1, tokens)
    X, T = prompts.draw(2000, np.random.default_rng(0))
    linear, u = drawn_network("linear", 4, prompts), direction(prompts)
    assert np.abs(true_errors(linear, prompts, u, X, T)).max() <= tail_error(linear, prompts, u).upper


def changed_network(network, blocks=None, output=None, fields=None, **more):
    given = {"each": network.each, "at": network.at, **more}
    kept = network.blocks if blocks is None else blocks
    return Network(network.N, fields or network.fields, kept, output or network.output, **given)


def refused():
    network = drawn_network("post", 0, SMALL)
    attention, norm, _, _ = network.blocks
    again = Attention("b", attention.heads)
    wide = Map({"z2": exact(np.eye(4))}, exact(np.zeros(4)))
    nan = Map({"z1": exact(np.full((5, 4), np.nan))}, exact(np.zeros(5)))
    strange = Map({"nowhere": exact(np.ones((5, 4)))}, exact(np.zeros(5)))
    blind = Attention("a", attention.heads, np.arange(9).reshape(3, 3) > 2)
    return {
        r"2 attentions \(a, b\)": changed_network(network, (attention, again)),
        "0 attentions": changed_network(network, (), Map({}, exact(np.zeros(1)))),
        "'p', Product": changed_network(network, (attention, Product("p", norm.of, norm.of))),
        "'p', Flatten, before": changed_network(network, (Flatten("p", same("x", 1)), *network.blocks)),
        "'p', Flatten": changed_network(network, (attention, Flatten("p", norm.of))),
        "'p', Activation exp": changed_network(network, (attention, Activation("p", "exp", norm.of))),
        "output of width 4": changed_network(network, output=wide),
        "for the whole prompt": changed_network(network, each=False),
        "eps = 0": changed_network(network, (attention, Norm("z1", norm.of, 0.0), *network.blocks[2:])),
        "not finite": changed_network(network, (attention, norm, Activation("h", "relu", nan), network.blocks[3])),
        "'nowhere'": changed_network(network, (attention, norm, Activation("h", "relu", strange), network.blocks[3])),
        "position 0 no key": changed_network(network, (blind, *network.blocks[1:])),
        "field 'y'": changed_network(network, fields=(Field("y", 1),)),
    }


@pytest.mark.parametrize("words", sorted(refused()))
def test_what_is_not_bounded_is_refused_by_name(words):
    with pytest.raises(DomainError, match=words) as caught:
        tail_error(refused()[words], SMALL, np.ones(1))
    assert caught.value.required
    assert caught.value.why or "finite" in words


@pytest.mark.parametrize("u", [np.ones(2), [np.nan], "up", None])
def test_a_direction_of_another_form_is_refused(u):
    with pytest.raises(DomainError, match="direction"):
        tail_error(drawn_network("hidden", 0, SMALL), SMALL, u)


def test_other_sizes_and_too_much_work_are_refused(monkeypatch):
    network = drawn_network("hidden", 0, SMALL)
    with pytest.raises(DomainError, match="N = 3 for prompts of N = 4"):
        tail_error(network, Prompts(4, 1, 1), np.ones(1))
    monkeypatch.setattr(cut_cases, "WORK", 1000)
    with pytest.raises(BudgetError, match="cases for N = 3"):
        tail_error(network, SMALL, np.ones(1))


def test_scores_that_doubles_do_not_know_are_refused():
    network = drawn_network("hidden", 0, SMALL)
    attention = network.blocks[0]
    head = attention.heads[0]
    scores = {names: Box(1e15 * G.mid, G.rad) for names, G in head.scores.items()}
    spoiled = Attention("a", (Head(scores, head.value),))
    with pytest.raises(DomainError, match="scores"):
        tail_error(changed_network(network, (spoiled, *network.blocks[1:])), SMALL, np.ones(1))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_outputs_beyond_doubles_are_refused():
    network = drawn_network("hidden", 0, SMALL)
    huge = Map({"h": exact(np.full((1, 5), 1e308))}, exact(np.zeros(1)))
    with pytest.raises(DomainError, match="beyond doubles"):
        tail_error(changed_network(network, output=huge), SMALL, np.ones(1))


def test_scores_of_hundreds_are_weighed_in_units_of_what_a_case_allows(monkeypatch):
    """With the query's own position free in the unit, all other weights would be zero in doubles."""
    network, u = drawn_network("hidden", 1, SMALL), direction(SMALL)
    attention = network.blocks[0]
    scores = {names: Box(300 * G.mid, G.rad) for names, G in attention.heads[0].scores.items()}
    sharp = changed_network(network, (Attention("a", (Head(scores, attention.heads[0].value),)), network.blocks[1]))
    X, T, _ = all_prompts(SMALL)
    truth = np.abs(true_errors(sharp, SMALL, u, X, T)).max()
    assert truth * (1 - HAIR) <= tail_error(sharp, SMALL, u).upper <= 1.0101 * truth


def test_progress_ends_at_no_more_than_its_total():
    told = []
    tail_error(drawn_network("hidden", 1, SMALL), SMALL, np.ones(1), progress=lambda *x: told.append(x))
    assert told == sorted(told)
    assert all(done <= total for done, total in told)
