"""One wide layer of two heads: its size against two layers, its message, and words that it loses."""

import numpy as np
import pytest
import torch
from devices import device

from theorytools.theory.communication.protocol import message_bits
from theorytools.training.sweep import sweep

StringModels = device("sep/sweeps/_string_models").StringModels
trained = device("sep/sweeps/_strings")


def network(model, width, N=32, symbols=2):
    return StringModels(model, N, symbols, width, 2, [torch.Generator().manual_seed(0)])


def test_the_wide_layer_has_more_weights_and_the_same_training():
    for symbols in (2, 4):
        sizes = [sum(w.numel() for w in network(*kind, symbols=symbols).weights.values())
                 for kind in (("one layer", 64), ("two layers", 32))]  # fmt: skip
        assert sizes[0] > 1.5 * sizes[1]
    groups = sweep("two_heads").groups("published", "corrected")
    for one, two in zip(groups[::2], groups[1::2], strict=True):
        assert {k for k in one[0] if one[0][k] != two[0][k]} == {"model", "arm", "rate", "width"}


def test_the_message_by_counting_the_values_of_its_sums():
    for p, heads, width in ((1, 2, 32), (1, 2, 1), (2, 2, 32), (1, 1, 1)):
        top = 16 * (2**p - 1)  # sums of numerators lie in 0..top, weighted sums in -top 2^(p-1)..top 2^(p-1)
        values = (top + 1, 2 * top * 2 ** (p - 1) + 1)
        each = [int(np.ceil(np.log2(count))) for count in values]
        assert message_bits(16, p, heads, width) == heads * (each[0] + width * each[1])


def scored(gap):
    """One layer in which symbol 1 at place 0 has the largest score, by so much over all else."""
    net = network("one layer", 8, N=4)
    with torch.no_grad():
        for name in ("symbol", "place", "joint", "last"):
            net.weights[name].zero_()
        net.weights["last"][..., 0] = 1
        net.weights["joint"][0, 0, 1, 1] = 1
        for name in ("query0", "key0"):
            net.weights[name].zero_()
        net.weights["query0"][0, 0, [0, 4]] = 1
        net.weights["key0"][0, 1, [0, 4]] = gap * (8 // 2) ** 0.5
    return net


@pytest.mark.parametrize("gap", [50.0, 150.0, 600.0])
def test_a_word_without_the_largest_score_is_read_as_by_softmax(gap):
    net, words = scored(gap), torch.tensor([[[0, 1, 0, 1], [1, 1, 0, 1]]])
    with torch.no_grad():
        table = net.table()
        found = net.logits(words)[0]
        assert torch.isfinite(found).all()
        for word, logit in zip(words[0], found, strict=True):
            seen = torch.cat([table[0, word + 2 * torch.arange(4)], table[0, -1:]])
            q, k, v = (seen @ net.weights[f"{name}0"][0] for name in ("query", "key", "value"))
            heads = zip(*(part.double().unflatten(1, (2, 4)).unbind(1) for part in (q, k, v)), strict=True)
            o = [(k @ q[-1] / 2).softmax(0) @ v for q, k, v in heads]
            h = seen[-1] + torch.cat(o).float() @ net.weights["out0"][0]
            hidden = torch.relu(h @ net.weights["up"][0] + net.weights["upbias"][0, 0])
            expected = hidden @ net.weights["readout"][0, :, 0] + net.weights["bias"][0, 0, 0]
            torch.testing.assert_close(logit, expected, rtol=1e-4, atol=1e-4)


def test_a_network_of_weights_that_are_no_numbers_is_a_failed_trial(monkeypatch):
    specs = [{**spec, "steps": 2, "tests": 8, "N": 8} for spec in sweep("two_heads").groups("smoke", "corrected")[0]]

    def train(specs):
        net = trained.build(specs)
        with torch.no_grad():
            net.weights["readout"][1] = torch.nan
        return net

    monkeypatch.setattr(trained, "train", train)
    (_, good), (_, lost) = trained.evaluate(specs)
    assert good["tests"] == 8
    assert lost.status == "failed"
    assert "no numbers" in lost.reason
