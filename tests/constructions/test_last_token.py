"""A layer of torch read at its last token: its tables are the layer, others are refused, its errors found."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from theorytools import DomainError, MarginProtocol, OneLayerProtocol
from theorytools.constructions.torch.last_token import LastTokenLayer
from theorytools.theory.communication.matrix import all_strings, equality
from theorytools.theory.communication.nearest_messages import NearestMessages
from theorytools.theory.communication.protocol import message_bits


def positive(h):
    return h[:, 0] > 0


def inputs_of(seed, L=4, letters=2, d=8):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((L, letters, d)), rng.standard_normal(d)


def drawn(layer, seed):
    """The layer with weights, biases and norms of order one."""
    rng = np.random.default_rng(seed)
    for weights in layer.parameters():
        weights.data = torch.as_tensor(rng.standard_normal(tuple(weights.shape)) / 2, dtype=weights.dtype)
    return layer


KINDS = {
    "attention": lambda: torch.nn.MultiheadAttention(8, 2),
    "attention, batch first": lambda: torch.nn.MultiheadAttention(8, 4, batch_first=True),
    "attention without bias": lambda: torch.nn.MultiheadAttention(8, 1, bias=False),
    "layer": lambda: torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0),
    "layer, norm first": lambda: torch.nn.TransformerEncoderLayer(8, 2, 16, norm_first=True, batch_first=True).eval(),
    "layer, gelu": lambda: torch.nn.TransformerEncoderLayer(8, 2, 16, activation="gelu", dropout=0.0, bias=False),
    "encoder": lambda: torch.nn.TransformerEncoder(
        torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1, norm=torch.nn.LayerNorm(8)).eval(),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10**6), letters=st.integers(2, 3))
def test_the_tables_are_the_layer(kind, seed, letters):
    inputs, last = inputs_of(seed, letters=letters)
    layer = drawn(KINDS[kind]().double(), seed)
    seen = []
    own = LastTokenLayer(layer, inputs, last, lambda h: seen.append(h) or positive(h))
    tokens = all_strings(4, letters)
    own.execute(tokens)
    own.tabled(tokens)
    # outputs of order 10 through sums of at most 16 terms: 1e-10 is ten thousand roundings
    torch.testing.assert_close(seen[0], seen[1], rtol=0, atol=1e-10)


def test_single_precision_is_read_exactly_and_run_as_it_is():
    inputs, last = inputs_of(1)
    own = LastTokenLayer(drawn(torch.nn.MultiheadAttention(8, 2), 1), inputs, last, positive)
    assert own.outputs(all_strings(4)).dtype == torch.float32
    assert own.scores.dtype == own.table.dtype == np.float64
    assert own.scores.shape == (5, 2, 2)
    assert own.table.shape == (5, 2, 2, 4)
    assert (own.scores[4, 0] == own.scores[4, 1]).all()  # the last token is public


def encoder_of_two():
    return torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)


@pytest.mark.parametrize(
    ("layer", "word"),
    [
        (encoder_of_two, "1 layer"),
        (lambda: torch.nn.Linear(8, 8), "MultiheadAttention"),
        (lambda: torch.nn.TransformerEncoderLayer(8, 2, 16), "dropout"),
        (lambda: torch.nn.MultiheadAttention(8, 2, dropout=0.1), "eval()"),
        (lambda: torch.nn.MultiheadAttention(8, 2, kdim=4), "width"),
        (lambda: torch.nn.MultiheadAttention(8, 2, add_bias_kv=True), "added"),
        (lambda: torch.nn.MultiheadAttention(8, 2, add_zero_attn=True), "added"),
        (lambda: torch.nn.MultiheadAttention(8, 2).half(), "float32"),
    ],
)
def test_other_modules_are_refused_by_name(layer, word):
    inputs, last = inputs_of(0)
    with pytest.raises(DomainError, match=word.replace("(", r"\(").replace(")", r"\)")):
        LastTokenLayer(layer(), inputs, last, positive)


def test_malformed_inputs_and_answers_are_refused():
    inputs, last = inputs_of(0)
    layer = torch.nn.MultiheadAttention(8, 2)
    for wrong in (inputs[0], inputs[..., :7], torch.as_tensor(inputs) * float("nan")):
        with pytest.raises(DomainError, match="inputs"):
            LastTokenLayer(layer, wrong, last, positive)
    with pytest.raises(DomainError, match="last"):
        LastTokenLayer(layer, inputs, last[:7], positive)
    own = LastTokenLayer(layer, inputs, last, lambda h: h[:, 0])
    with pytest.raises(DomainError, match="truth values"):
        own.execute(all_strings(4))
    with pytest.raises(DomainError):
        LastTokenLayer(layer, inputs, last, positive).execute(all_strings(5))
    with pytest.raises(DomainError):
        LastTokenLayer(layer, inputs, last, positive).execute(all_strings(4, 3))


def test_the_rounded_layer_is_a_single_layer_and_answers_as_the_layer_at_many_bits():
    inputs, last = inputs_of(3, L=8)
    own = LastTokenLayer(drawn(torch.nn.MultiheadAttention(8, 2, dtype=torch.float64), 3), inputs, last, positive)
    protocol = OneLayerProtocol(own.quantised(20), range(4), range(4, 8), public={8: 0})
    tokens = all_strings(8)
    margin = own.outputs(tokens)[:, 0].abs()
    rounded = protocol.certified(tokens[:, :4], tokens[:, 4:])
    clear = (margin > 1e-3).numpy()
    assert clear.sum() > 128
    assert (rounded == own.execute(tokens))[clear].all()
    # with a margin: Bob's outputs are within it
    margins = MarginProtocol(own.bounded("1/4"), range(4))
    whole = np.concatenate([tokens[:6], np.zeros((6, 1), dtype=int)], axis=1)
    assert margins.error(whole).certainly_le(1)
    assert float(margins.error(whole)) <= 0.25


def test_an_ordinary_layer_that_errs_gets_a_witness_where_nothing_is_forced():
    inputs, last = inputs_of(0, L=12)
    layer = drawn(torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(), 0)
    own = LastTokenLayer(layer, inputs, last, positive)
    tokens = all_strings(12)
    errors = int((own.execute(tokens) != equality(tokens[:, :6], tokens[:, 6:])).sum())
    assert errors > 0
    report = OneLayerProtocol(own.quantised(2), range(6), range(6, 12), public={12: 0}).report(equality)
    assert report.wrong is None
    assert report.messages == report.strings < 2 ** message_bits(6, 2, 2, 4)  # no two strings share a message
    pair = NearestMessages(own, range(6), range(6, 12)).wrong_pair(equality)
    asked = np.array([[*pair.x, *pair.y], [*pair.other, *pair.y]])
    assert own.execute(asked).tolist() == list(pair.answers)
    assert pair.answers[0] == pair.answers[1]
    assert equality(asked[:, :6], asked[:, 6:]).tolist() == list(pair.targets)
    assert pair.targets[0] != pair.targets[1]


def uniform(weights):
    """Two strings are equal iff the signed sum vanishes: one head of uniform attention in a MultiheadAttention."""
    n = len(weights)
    layer = torch.nn.MultiheadAttention(1, 1, bias=False, dtype=torch.float64)
    torch.nn.init.zeros_(layer.in_proj_weight)
    layer.in_proj_weight.data[2] = 1
    torch.nn.init.ones_(layer.out_proj.weight)
    signed = torch.tensor([*weights, *(-w for w in weights)], dtype=torch.float64)
    inputs = torch.stack([torch.zeros(2 * n, dtype=torch.float64), signed], dim=1)[..., None]
    return LastTokenLayer(layer, inputs, torch.zeros(1), lambda h: h[:, 0].abs() < 0.5 / (2 * n + 1))


def test_a_right_layer_gets_none_and_one_wrong_weight_a_pair_of_equal_messages():
    right = uniform([16, 8, 4, 2, 1])
    assert NearestMessages(right, range(5), range(5, 10)).wrong_pair(equality) is None
    wrong = uniform([16, 8, 4, 2, 2])  # 2 and 2 are told apart by nothing
    pair = NearestMessages(wrong, range(5), range(5, 10)).wrong_pair(equality)
    assert pair.nearness == 0
    assert sum(a != b for a, b in zip(pair.x, pair.other, strict=True)) == 2


def test_the_search_is_refused_without_tables_or_a_partition():
    with pytest.raises(DomainError, match="LastTokenLayer"):
        NearestMessages(torch.nn.Linear(2, 2), range(2), range(2, 4))
    with pytest.raises(DomainError, match="partition"):
        NearestMessages(uniform([2, 1]), range(2), range(3, 4))


def test_long_strings_are_drawn_and_a_budget_ends_the_search():
    own = uniform([2**k for k in range(20)])
    assert NearestMessages(own, range(20), range(20, 40)).wrong_pair(equality, most=4096) is None
