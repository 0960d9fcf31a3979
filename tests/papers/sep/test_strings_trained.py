"""Trained recognisers: their words, the stacked networks against plain modules, and a head shown to be wrong."""

from collections import Counter

import numpy as np
import pytest
import torch
from devices import device
from hypothesis import strategies as st
from properties import examples
from scipy import stats

from theorytools import DomainError, OneLayerProtocol
from theorytools.papers.sep.tasks.dyck import all_words
from theorytools.statistics.t_intervals import difference_interval
from theorytools.theory.communication.matrix import equality
from theorytools.training.sweep import run_group, sweep

SmallHeads, rounded_head = device("sep/sweeps/_small_heads", "SmallHeads", "rounded_head")
MODELS, StringModels = device("sep/sweeps/_string_models", "MODELS", "StringModels")
Words = device("sep/sweeps/_words").Words

trained = device("sep/sweeps/_strings")

TASKS = [("dyck", 1, 1), ("dyck", 2, 1), ("dyck", 1, 2), ("dyck", 2, 2), ("dyck", 3, 2), ("equality", 1, 1)]
SPEC = {"task": "equality", "n": 1, "k": 1, "N": 8, "width": 8, "heads": 2, "batch": 16, "steps": 3, "rate": "1/500",
        "negatives": ["flip", "random"], "labels": "own", "tests": 32}  # fmt: skip


def specs(model, **changes):
    return [{**SPEC, "model": model, **changes, "repeat": repeat} for repeat in (0, 1)]


# -- words -----------------------------------------------------------------------------------------------------------
@examples(25, st.sampled_from(TASKS), st.integers(2, 6), st.integers(0, 2**32))
def test_drawn_words_are_right_and_edited_ones_wrong(task, half, seed):
    words, rng = Words(task[0], 2 * half, *task[1:]), np.random.default_rng(seed)
    drawn = words.draw(rng, 40)
    assert words.right(drawn).all()
    if task[0] == "dyck":
        assert words.language.accepts(drawn).all()  # the stack, a second route to the automaton's answer
    for edit in words.edits:
        if edit == "swap" and task[1:] == (1, 2) and half == 2:
            continue
        wrong = words.edited(rng, 20, edit)
        assert wrong.shape == (20, 2 * half)
        assert not words.right(wrong).any()


@pytest.mark.parametrize("task", TASKS[:4])
def test_right_words_are_drawn_uniformly(task):
    words = Words(task[0], 6, *task[1:])
    every = [tuple(w) for w in all_words(words.symbols, 6)[words.right(all_words(words.symbols, 6))].tolist()]
    assert len(every) == words.language.automaton.count(6)
    drawn = Counter(map(tuple, words.draw(np.random.default_rng(5), 4000).tolist()))
    assert set(drawn) == set(every)
    if len(every) > 1:  # one fixed stream: a chi-square below its 1 - 1e-6 quantile
        excess = sum((drawn[w] - 4000 / len(every)) ** 2 for w in every) * len(every) / 4000
        assert excess < stats.chi2.isf(1e-6, len(every) - 1)


def test_edits_and_samples_are_what_they_are_called():
    words, rng = Words("dyck", 12, 2, 2), np.random.default_rng(0)

    def unbalanced(edit):
        found = words.edited(rng, 200, edit)
        return ((found == 0).sum(1) != (found == 2).sum(1)) | ((found == 1).sum(1) != (found == 3).sum(1))

    assert unbalanced("flip").all()
    assert not (unbalanced("swap") | unbalanced("exchange")).any()
    words = Words("equality", 10)
    drawn, targets = words.sample(np.random.default_rng(1), 61, words.edits)
    assert (words.right(drawn) == targets).all()
    assert targets.sum() == 31
    with pytest.raises(DomainError, match="flip"):
        Words("dyck", 8, 1, 2).edited(np.random.default_rng(0), 1, "flip")


@pytest.mark.parametrize("wrong", [("copy", 8), ("dyck", 7), ("dyck", 0), ("dyck", 8, 0, 1)])
def test_what_is_no_task_is_refused(wrong):
    with pytest.raises(DomainError):
        Words(*wrong)


# -- networks --------------------------------------------------------------------------------------------------------
def layer(W, r, number, asks, x):
    """Plain multi-head attention of tokens (L, w) for the queries of some rows, with its residual."""
    q, k, v = (x @ W[f"{name}{number}"][r] for name in ("query", "key", "value"))
    heads = []
    for h in range(2):
        part = slice(4 * h, 4 * h + 4)
        heads.append(torch.softmax(q[asks][:, part] @ k[:, part].T / 2, dim=-1) @ v[:, part])
    return x[asks] + torch.cat(heads, dim=-1) @ W[f"out{number}"][r]


def plain(net, r, word):
    """One member on one word, token by token."""
    W = net.weights
    x = torch.stack([W["place"][r, i] + W["symbol"][r, s] + W["joint"][r, i, s] for i, s in enumerate(word)])
    if net.model == "gru":
        cell = torch.nn.GRUCell(8, 8)
        order = (0, 1, 2)  # reset, update, new
        for own, name in (("ih", "in"), ("hh", "state")):
            weight = W[name][r].T.unflatten(0, (3, 8))[list(order)].flatten(0, 1)
            getattr(cell, f"weight_{own}").data = weight.detach().clone()
            getattr(cell, f"bias_{own}").data = W[f"{name}bias"][r, 0].detach().clone()
        h = torch.zeros(1, 8)
        for token in x:
            h = cell(token[None], h)
    else:
        x = torch.cat([x, W["last"][r]])
        if net.model == "two layers":
            x = layer(W, r, 0, slice(None), x)
            x = x + torch.relu(x @ W["up0"][r] + W["upbias0"][r]) @ W["down0"][r]
        h = layer(W, r, 1 if net.model == "two layers" else 0, slice(-1, None), x)
    return (torch.relu(h @ W["up"][r] + W["upbias"][r]) @ W["readout"][r] + W["bias"][r])[0, 0]


@pytest.mark.parametrize("model", MODELS)
def test_the_stack_is_its_members_written_out(model):
    rngs = [torch.Generator().manual_seed(seed) for seed in range(2)]
    net = StringModels(model, 5, 3, 8, 2, rngs)
    for name, weight in net.weights.items():
        if "bias" in name or name == "joint":
            weight.data = torch.randn(weight.shape, generator=rngs[0])
    words = torch.randint(3, (2, 4, 5), generator=rngs[0])
    with torch.no_grad():
        expected = torch.stack([torch.stack([plain(net, r, w) for w in words[r].tolist()]) for r in range(2)])
        # float32, some 100 roundings of 6e-8 of numbers up to 10
        assert torch.allclose(net.logits(words), expected, atol=1e-4)


@pytest.mark.parametrize("model", [*MODELS, "small head"])
def test_members_do_not_see_each_other(model):
    both, alone = trained.train(specs(model)), trained.train(specs(model)[1:])
    for name, weight in both.weights.items():
        # Adam divides by the gradient's size: its first steps have the size of the rate whatever the rounding
        assert torch.allclose(weight[1], alone.weights[name][0], atol=1e-4), name


def test_trials_are_determined_and_known_strings_counted_over_all_pairs():
    runs = [[result.value for _, result in run_group(trained.evaluate, specs("one layer"))] for _ in range(2)]
    assert runs[0] == runs[1]
    assert runs[0][0] != runs[0][1]
    words = Words("equality", 8)
    x, y = next(trained.batches(specs("one layer", labels="shuffled")))
    own = words.right(x.numpy())
    assert 0.2 < (own == (y.numpy() > 0)).mean() < 0.8
    net = StringModels("one layer", 6, 2, 8, 2, [torch.Generator().manual_seed(0)])
    for name in ("readout", "bias"):
        net.weights[name].data.zero_()
    # never accepts: every pair of equal strings is wrong, and no string is known
    assert trained.strings_told_apart(net, 3) == [{"known": 0, "wrong_pairs": 8}]
    net.weights["bias"].data += 1
    assert trained.strings_told_apart(net, 3) == [{"known": 0, "wrong_pairs": 64 - 8}]


def test_a_trained_head_of_few_bits_is_shown_to_be_wrong():
    changes = {"N": 16, "steps": 500, "batch": 64, "rate": "1/200", "negatives": ["flip", "exchange", "random"]}
    ((_, result),) = run_group(trained.evaluate, specs("small head", tests=512, **changes)[:1])
    tables, n = result.value["tables"], 8
    assert result.value["accuracy"] > 0.55  # it has learnt something
    words, rng = Words("equality", 16), np.random.default_rng(0)
    tokens, _ = words.sample(rng, 400, words.edits)
    net = SmallHeads(16, 2, [torch.Generator()])
    for name, weight in net.weights.items():
        weight.data = torch.tensor(tables[name]).view(weight.shape)
    fine = rounded_head(tables, 2, 16).execute(tokens)
    # of 16 bits it is the trained head but for logits within its rounding of 0
    assert (fine == trained.accepted(net, torch.tensor(tokens)[None])[0]).mean() > 0.97
    protocol = OneLayerProtocol(rounded_head(tables, 2, 1), range(n), range(n, 2 * n))
    report = protocol.report(equality)
    assert report.messages <= 2**report.bits
    assert report.messages < report.rows == 2**n
    assert report.wrong.wrong == 1
    assert report.errors >= protocol.colliding() > 0


# -- the sweep, and its statistic --------------------------------------------------------------------------------------
def test_the_published_profile_has_the_arms_of_the_rule_and_stages_share_no_network():
    arms = sweep("strings").arms("published", "corrected")
    assert len(arms) == 23
    assert all(len(group) >= 4 for groups in arms.values() for group in groups)
    assert all(spec["steps"] == 0 for name, (group,) in arms.items() if "untrained" in name for spec in group)
    first, second = (sweep("strings").arms("published", "corrected")[f"dyck 2 2, one layer{also}"][0]
                     for also in ("", ", second stage"))  # fmt: skip
    weights = [trained.build(group).weights["symbol"] for group in (first, second)]
    assert weights[0].shape == weights[1].shape
    assert not (weights[0] == weights[1]).flatten(1).all(1).any()


def test_the_difference_is_welchs():
    x, y = [0.8, 0.9, 0.95], [0.5, 0.7, 0.4, 0.6]
    expected = stats.ttest_ind(x, y, equal_var=False).confidence_interval(0.9)
    assert difference_interval(x, y, 0.9) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert difference_interval(y, x, 0.9) == pytest.approx((-expected.high, -expected.low), abs=1e-12)
    with pytest.raises(DomainError):
        difference_interval([1.0], y)
