"""Trained index lookup: the stacked models, the rounding of their states, and two words in one rounded state."""

import itertools
from fractions import Fraction

import pytest
import torch
from devices import device
from hypothesis import strategies as st
from properties import examples

from theorytools import DomainError, Enclosure
from theorytools.theory.memory.fano import fano_accuracy, fano_ceiling
from theorytools.training.sweep import run_group, sweep

crossing_length, size_exponent = device("sep/experiments/_held_length", "crossing_length", "size_exponent")
GATES, lookups = device("sep/sweeps/_lookup_models", "GATES", "lookups")
BITS, LENGTHS = device("sep/sweeps/lookup", "BITS", "LENGTHS")
MODELS, layers = device("sep/sweeps/_state_layers", "MODELS", "layers")
counts, rounded, evaluate, train = device("sep/sweeps/_lookup", "counts", "rounded", "evaluate", "train")


def cell(model, N=5, numbers=4, repeats=2, **changes):
    one = {"kind": "lookup", "model": model, "N": N, "symbols": 3, "numbers": numbers, "labels": "own", "batch": 8}
    one |= {"steps": 3, "rate": "1/50", "tests": 512, **changes}
    return [{**one, "repeat": k} for k in range(repeats)]


def words_of(net, size=7):
    return torch.randint(net.symbols, (net.members, size, net.N), generator=torch.Generator().manual_seed(3))


# -- models ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("model", ["transformer", *GATES])
def test_a_stack_is_its_members_and_draws_nothing_globally(model):
    before = torch.random.get_rng_state()
    specs = cell(model)
    net = lookups(specs)
    words = words_of(net)
    alone = [lookups([spec]).scores(words[m, None])[0] for m, spec in enumerate(specs)]
    # float32, products of a few terms of size 1 in another order
    torch.testing.assert_close(net.scores(words), torch.stack(alone), rtol=0, atol=1e-5)
    assert not torch.equal(*(part.flatten()[0] for part in net.weights["out"]))
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize("model", ["gru", "lstm"])
def test_the_gated_states_are_those_of_the_library(model):
    net = lookups(cell(model, repeats=1))
    h, gates = net.width, GATES[model]
    w = {name: part.detach()[0] for name, part in net.weights.items()}
    # the library's LSTM has its candidate before the output gate
    order = torch.arange(gates * h).view(gates, h)[[0, 1, 3, 2] if model == "lstm" else [0, 1, 2]].flatten()
    other = getattr(torch.nn, model.upper())(gates * h, h, batch_first=True)
    with torch.no_grad():
        for part in other.parameters():
            part.zero_()
        other.weight_ih_l0.copy_(torch.eye(gates * h)[order])
        other.weight_hh_l0.copy_(w["turn"].mT[order])
        if model == "gru":
            other.bias_hh_l0[2 * h :] = w["inner"][0]
        words = words_of(net)
        carried = other(w["table"][torch.arange(net.N), words[0]])[1]
        expected = torch.cat(carried, -1)[0] if model == "lstm" else carried[0]
        torch.testing.assert_close(net.states(words)[0], expected, rtol=0, atol=1e-5)  # float32


def test_states_and_shares_are_those_of_their_formulas():
    net = lookups(cell("linear", repeats=1))
    words, h = words_of(net), torch.zeros(7, 4)
    w = {name: part.detach()[0] for name, part in net.weights.items()}
    for t in range(net.N):
        h = torch.sigmoid(w["decay"]) * h + w["table"][t][words[0, :, t]]
    torch.testing.assert_close(net.states(words)[0].detach(), h, rtol=0, atol=1e-5)  # float32
    net = lookups(cell("transformer", repeats=1))
    words, w = words_of(net), {name: part.detach()[0].double() for name, part in net.weights.items()}
    scores = net.scores(words)[0]
    for p in range(net.N):
        last = w["asked"][p].expand(7, 1, -1)
        x = torch.cat([w["symbol"][words[0]] + w["place"], last], 1)
        shares = ((last @ w["query"]) @ (x @ w["key"]).mT / 2).softmax(-1)  # the root of the width 4
        expected = (shares @ (x @ w["value"]) @ w["out"] + w["bias"])[:, 0]
        torch.testing.assert_close(scores[:, p].double(), expected, rtol=0, atol=1e-5)  # float32


def silu(x):
    return x * torch.sigmoid(x)


def one_token_after_another(net, word, p):
    """Read a word and then the asked position's token, each update by its formula; return the scores of the last."""
    w = {name: part.detach()[0].double() for name, part in net.weights.items()}
    tokens = [w["symbol"][s] + w["place"][t] for t, s in enumerate(word)] + [w["asked"][p]]
    if net.model == "selective":
        h = torch.zeros(net.numbers, 16, dtype=torch.float64)
        for x in tokens:
            u, step = silu(x @ w["value"]), torch.log1p(torch.exp(x @ w["step"] + w["first"]))
            h = torch.exp(-step * torch.exp(w["rate"]))[:, None] * h + torch.outer(step * u, x @ w["key"])
        read = (h @ (x @ w["query"]) + w["skip"] * u)[None]
    else:
        S = torch.zeros(4, net.numbers // 4, net.numbers // 4, dtype=torch.float64)
        for x in tokens:
            k, v = ((x @ w[name]).view(4, -1) for name in ("key", "value"))
            S = torch.stack([(1 - 2.0 ** -(5 + i)) * S[i] + torch.outer(k[i], v[i]) for i in range(4)])
        read = torch.einsum("hd,hde->he", (x @ w["query"]).view(4, -1), S)
    scaled = read / torch.sqrt((read**2).mean(-1, keepdim=True) + 1e-6)
    return (scaled.flatten() * silu(x @ w["gate"])) @ w["out"] + w["bias"][0]


@pytest.mark.parametrize("model", ["selective", "retention"])
def test_the_layers_read_one_token_after_another(model):
    specs = cell(model, N=6, numbers=8)
    net = layers(specs)
    words = words_of(net)
    found = net.scores(words)
    alone = layers(specs[1:])
    torch.testing.assert_close(found[1:], alone.scores(words[1:]), rtol=0, atol=1e-5)  # float32, another order of sums
    for p in range(net.N):
        expected = one_token_after_another(net, words[0, 0].tolist(), p)
        # float32 against doubles: a read of mean square 1e-3 at least, scaled to 1, by sums of tens of terms
        torch.testing.assert_close(found[0, 0, p].double(), expected, rtol=0, atol=1e-3)


def test_the_sweep_of_layers_has_the_published_axes():
    specs = [spec for group in sweep("lookup_layers").groups("published", "corrected") for spec in group]
    assert {(one["N"], one["numbers"]) for one in specs if one["model"] == "selective"} == {
        (N, w) for N in (20, 50, 100, 200, 400) for w in (32, 128, 512)
    }
    assert {one["model"] for one in specs} == set(MODELS)
    assert all(one["numbers"] % 4 == 0 for one in specs)


# -- rounding and counting ---------------------------------------------------------------------------------------------
@examples(25, st.lists(st.floats(-2, 2, width=32), min_size=1, max_size=20), st.sampled_from(BITS))
def test_rounding_leaves_few_values_each_near(numbers, bits):
    states, low, high = torch.tensor(numbers, dtype=torch.float64)[:, None], torch.tensor(-1.0), torch.tensor(1.0)
    found = rounded(states, low, high, bits)
    assert len(torch.unique(found)) <= 2**bits
    assert (rounded(found, low, high, bits) == found).all()
    # half a part of a range of length 2, and a rounding of the double
    assert ((found - states.clamp(-1, 1)).abs() <= 2.0**-bits + 1e-15).all()


def test_attention_learns_in_cells_where_the_ceiling_bites():
    specs = cell("transformer", numbers=16, steps=100, batch=32, rate="1/100")
    found = counts(train(specs), specs)
    assert [one["all"]["trained"] for one in found] == [5 * 512] * 2
    assert [one["one"]["trained"] for one in found] == [512] * 2
    groups = sweep("lookup").groups("published", "corrected")
    assert min(map(len, groups)) >= 3
    assert {(group[0]["model"], group[0]["numbers"]) for group in groups} == {*LENGTHS, ("transformer", 64)}
    for (_, numbers), lengths in LENGTHS.items():
        assert fano_accuracy(Fraction(numbers, max(lengths)), 16).upper < Fraction(3, 4)
    assert {group[0]["N"] for group in sweep("lookup").groups("wide", "corrected")} >= {400, 800}


def test_runs_repeat_and_what_has_no_length_is_refused():
    specs = cell("linear", steps=200, batch=32)
    (_, first), (_, second) = run_group(evaluate, specs)
    again = [result for _, result in run_group(evaluate, specs)]
    assert [first.value, second.value] == [one.value for one in again]
    assert set(first.value["correct"]["one"]) == {"trained", *map(str, BITS)}
    shuffled = [
        result.value["accuracy"] for _, result in run_group(evaluate, cell("linear", steps=200, labels="shuffled"))
    ]
    # of 2560 answers to 512 words; without training 1/3, and 0.1 is more than six deviations of 512 words
    assert max(shuffled) < 1 / 3 + 0.1 < min(first.value["accuracy"], second.value["accuracy"])
    assert crossing_length({4: 0.9, 8: 0.6}) is None
    assert crossing_length({4: 0.4, 8: 0.3}) is None
    for call in (lambda: crossing_length({4: 1.5}), lambda: size_exponent({4: 0.9, 8: 0.6}, {4: 0.9, 8: 0.1}, 4),
                 lambda: size_exponent({4: 0.9, 8: 0.1}, {4: 0.9, 8: 0.1}, 1)):  # fmt: skip
        with pytest.raises(DomainError):
            call()


@pytest.mark.parametrize(("model", "bits"), [("gru", 1), ("gru", 2), ("lstm", 1), ("linear", 2)])
def test_two_words_in_one_state_of_a_trained_rounded_model(model, bits):
    """All words of a trained model: those that share a rounded state are run alone, and one is answered wrong."""
    N, symbols, numbers = 5, 3, 2
    net = train(cell(model, N=N, numbers=numbers, repeats=1, steps=150, batch=32))
    words = torch.tensor(list(itertools.product(range(symbols), repeat=N)))
    with torch.no_grad():
        states = net.states(words[None])
        low, high = states.amin(1, keepdim=True), states.amax(1, keepdim=True)
        cells = rounded(states, low, high, bits)[0]
        answers = net.readout(cells[None])[0].argmax(-1)
        seen, pair = {}, None
        for k, row in enumerate(cells.tolist()):
            pair = pair or ((seen[tuple(row)], k) if tuple(row) in seen else None)
            seen.setdefault(tuple(row), k)
        alone = [rounded(net.states(words[None, k, None]), low, high, bits) for k in pair]
        given = [net.readout(state)[0, 0].argmax(-1) for state in alone]
    assert len(seen) <= 2 ** (numbers * bits) < symbols**N
    right = Fraction(int((answers == words).sum()), words.numel())
    assert Fraction(1, symbols) < right
    assert Enclosure(right).upper <= fano_ceiling(len(seen), N, symbols).lower
    assert torch.equal(*alone)
    assert torch.equal(*given)
    differ = (words[pair[0]] != words[pair[1]]).nonzero()[:, 0]
    assert len(differ)
    for p in differ:
        assert sum(int(answer[p] != words[k, p]) for answer, k in zip(given, pair, strict=True)) >= 1


# -- lengths and the sweep ---------------------------------------------------------------------------------------------
@examples(25, st.floats(0.5, 1), st.floats(0, 0.49), st.integers(1, 9))
def test_lengths_scale_with_the_size(above, below, factor):
    small = {4: above, 8: below, 16: below / 2}
    large = {factor * N: accuracy for N, accuracy in small.items()}
    # roundings of numbers up to 72
    assert crossing_length(large) == pytest.approx(factor * crossing_length(small), rel=1e-12)
    assert 4 <= crossing_length(small) <= 8
    if factor > 1:
        assert size_exponent(small, large, factor) == pytest.approx(1, abs=1e-12)
