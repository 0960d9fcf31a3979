"""One wide layer of two heads: its size against two layers, its message, and words that it loses."""

import numpy as np
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


def test_a_word_without_the_largest_score_is_lost_when_scores_differ_much():
    words = torch.tensor([[[0, 1, 0, 1], [1, 1, 0, 1]]])
    with torch.no_grad():
        assert torch.isfinite(scored(50.0).logits(words)).all()
        far = scored(150.0).logits(words)[0]  # exp(-150) is 0 in float32, whose smallest number is 1.4e-45
    assert torch.isnan(far[0])
    assert torch.isfinite(far[1])
    assert not trained.accepted(scored(150.0), words)[0, 0]  # no number counts as a rejection
