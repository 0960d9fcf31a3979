"""The constructions of the separations side by side: exact, float and torch forms, reference numbers, wrong pairs."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import torch

from theorytools.constructions.attention.attention_tables import MarginEquality
from theorytools.constructions.attention.lookup_precision import PrecisionBreak, precision_break
from theorytools.errors import CertificateError
from theorytools.papers.sep.attention.boolean import TwoLayerBoolean
from theorytools.papers.sep.attention.equality import OneLayerEquality
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour
from theorytools.papers.sep.recurrent.dyck import DyckRNN
from theorytools.papers.sep.tasks.boolean import TASKS, all_pairs
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask, different_signs, equidistant
from theorytools.theory.communication.margin_protocol import MarginProtocol
from theorytools.theory.communication.matrix import all_strings, equality
from theorytools.theory.communication.protocol import message_bits
from theorytools.theory.memory.state_bits import state_bits

GRID = (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048)


# -- three forms of every construction ---------------------------------------------------------------------------------
def lookup(code):
    net = IndexLookup.of(code, 4, 12, rng=np.random.default_rng(0))
    words = np.random.default_rng(1).integers(0, 2, (4, 4))
    floats = np.concatenate([net(word[None], p) for p, word in enumerate(words)])
    module = net.module()(torch.tensor(words), torch.arange(4)).detach().numpy()
    if not net.integral:
        return floats, floats, module
    return np.concatenate([net.exact(word[None], p) for p, word in enumerate(words)]), floats, module


def dyck(kind):
    net = getattr(DyckRNN, kind)(2, 2)
    words = np.random.default_rng(2).integers(0, 4, (30, 6))
    exact, floats = (DyckRNN(net.language, net.layers, net.readout, net.start, t) for t in ("int64", "float64"))
    return exact.accepts(words), floats.accepts(words), net.module()(torch.tensor(words)).detach().numpy() > 0


def boolean(task):
    net, (x, y) = TwoLayerBoolean(3, task), all_pairs(3)
    exact = [float(net.exact_output(next(iter(net.violations(a, b))))) for a, b in zip(x, y, strict=True)]
    module = net.module()(torch.tensor(np.concatenate([x, y], axis=1)))
    return exact, net(x, y), module.numpy()


def nearest(variant):
    task = NearestTask(different_signs(5, 7, np.random.default_rng(3)))
    net, labels = NearestNeighbour(task, variant), task.worst_labels()
    points = torch.tensor(task.points / 7**0.5)
    module = net.module()(points.expand(5, -1, -1), torch.tensor(labels).double(), points)
    return [float(m) for m in net.margins()], np.diag(net(labels)), module.detach().numpy()


def one_layer():
    net, tokens = OneLayerEquality(3), np.concatenate(all_pairs(3), axis=1)
    numerators, denominators = net.sums(tokens)
    exact = numerators[:, 0, 0] / 4 / denominators[:, 0]
    floats = ((2 * tokens - 1) * net.weights / 4.0).sum(axis=1) / 6
    return exact, floats, net.module()(torch.tensor(tokens)).detach().numpy()


FORMS = {
    **{f"index lookup, {code}": (lookup, code) for code in ("binary", "jl", "quadratic", "circle")},
    **{f"Dyck, {kind}": (dyck, kind) for kind in ("one_hot", "stack")},
    **{f"two layers, {task}": (boolean, task) for task in TASKS},
    **{f"nearest, {variant}": (nearest, variant) for variant in ("position", "copy")},
    "one layer, equality": (one_layer,),
}


@pytest.mark.parametrize("name", FORMS)
def test_exact_float_and_torch_forms_agree(name):
    make, *which = FORMS[name]
    exact, floats, module = (np.asarray(form, dtype=float).reshape(-1) for form in make(*which))
    # at most 11 weights, exponents below 110 (nearest, by copying): 110 eps times a few operations is below 1e-12
    assert np.abs(floats - exact).max() < 1e-12
    assert np.abs(module - exact).max() < 1e-12


# -- reference numbers -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("code", "form", "good", "bad"),
    [("quadratic", "float32", 1024, 2048), ("quadratic", "float16", 32, 48), ("quadratic", "bfloat16", 16, 24),
     ("circle", "float16", 128, 192), ("circle", "bfloat16", 48, 64), ("binary", "bfloat16", 256, None)],
)  # fmt: skip
def test_the_table_of_breaks_on_the_recorded_grid(code, form, good, bad):
    lengths = [N for N in GRID if (bad or good) >= N]
    assert precision_break(code, lengths, form) == PrecisionBreak(good, bad)


def test_a_repeated_vector_is_lost_by_position_exactly_from_two_bits_on():
    """Every pair of 64 drawn vectors in turn: one made a copy of the other, all other labels opposite."""
    X, wrong = different_signs(64, 24, np.random.default_rng(0)), {1: set(), 2: set()}
    for i, j in itertools.combinations(range(64), 2):
        Y = X.copy()
        Y[j] = Y[i]
        task = NearestTask(Y, Y[:1] if i == 0 else Y[i : i + 1])
        if task.margin > Fraction(1, 5):
            margin = NearestNeighbour(task)(task.worst_labels())[0, 0]
            wrong[min(2, (i ^ j).bit_count())].add(bool(margin < 0))
    assert wrong == {1: {False}, 2: {True}}


@pytest.mark.parametrize(("N", "position", "copy"), [(64, 0.8794, 0.9845), (1024, 0.8792, 0.9935)])
def test_margins_of_equidistant_vectors(N, position, copy):
    """All others exactly at the margin 1/4; one query, for all are alike."""
    X = equidistant(N, 3 * N)
    task = NearestTask(X, X[:1])
    found = {variant: NearestNeighbour(task, variant) for variant in ("position", "copy")}
    assert round(float(found["position"].least_margin()), 4) == position
    k, gamma, R = N.bit_length() - 1, 0.25, 14 * N
    u = 32 * k / gamma
    own = 1 / ((1 + 1 / u) ** k + (N + 1) / u**k)  # the weight of a label's copy on its own vector
    heights = [(0.75 * gamma) ** -1 * np.log(R) * gamma * own * u**-d for d in range(k + 1)]
    common = np.log(R) / (0.75 * gamma) * ((1 - gamma) * own * (1 + 1 / u) ** k + 3)
    e = np.exp([h + common for h in heights] - (heights[0] + common))
    count = [float(np.prod([(k - i) / (i + 1) for i in range(d)])) for d in range(k + 1)]
    closed = (e[0] - np.dot(e[1:], count[1:])) / (np.dot(e, count) + (N + 1) * np.exp(-heights[0] - common))
    floats = found["copy"](task.worst_labels())[0, 0] if N <= 64 else closed
    assert round(float(closed), 4) == copy
    assert floats == pytest.approx(closed, abs=1e-9)  # exponents below 400, so 400 eps times a few operations


def test_outputs_at_eight_bits_and_sizes_at_which_the_bounds_say_nothing():
    x, y = all_pairs(8)
    for task, (dtype, digits) in itertools.product(
        ("equality", "disjointness"), ((np.float64, 5e-5), (np.float16, 2.0**-9))
    ):
        out, true = TwoLayerBoolean(8, task)(x, y, dtype).astype(float), TASKS[task](x, y) == 1
        assert np.abs(out[true]).max() == 0
        # half precision: an exponential, a weighted sum, a normaliser and a quotient, a unit of 2^-11 each
        assert abs(out[~true].min() - 0.8716) < digits
    out = TwoLayerBoolean(8, scale=0)(x, y)
    assert round(out[TASKS["equality"](x, y) == 0].min(), 4) == 0.0518
    assert (TwoLayerBoolean(8, "inner_product")(x, y, np.float16) == TASKS["inner_product"](x, y)).all()
    assert round(float(TwoLayerBoolean(2, causal=True).extremes()[1]()), 4) == 0.6417
    assert state_bits("lstm", width=64) == 4096
    assert message_bits(800, 32, 8, 8) > 8 * (2 + 8) * 32


def test_outputs_with_one_message_are_within_two_margins_or_no_single_layer():
    strings = all_strings(4)
    found = MarginProtocol(MarginEquality(4, Fraction(1, 2)), range(4)).wrong_pair(equality, strings, strings)
    assert found.x != found.other
    assert found.targets[0] != found.targets[1]
    assert found.distance.certainly_le(1)
    assert MarginProtocol(MarginEquality(4, Fraction(1, 65)), range(4)).wrong_pair(equality, strings, strings) is None

    class Jumping(MarginEquality):
        def values(self, tokens):  # Alice's last token counts fully once Bob's last is set, else not at all
            v = super().values(tokens).copy()
            v[:, self.n - 1] = (2 * tokens[:, self.n - 1] - 1)[:, None, None] * tokens[:, -1, None, None]
            return v

    protocol = MarginProtocol(Jumping(4, Fraction(1, 20)), range(4))
    strings = all_strings(4)
    with pytest.raises(CertificateError, match="apart after one message"):
        protocol.wrong_pair(lambda x, y: x[..., 3] & y[..., 3], strings, strings[1::2])
