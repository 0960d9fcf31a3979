"""The torch forms at the edges of their domains: shapes, types and symbols, each refusal beside what is accepted."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from refusals import edges

from theorytools.codes.families import hadamard
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.attention.layer import AttentionLayer
from theorytools.constructions.torch.export import MultiheadExport
from theorytools.constructions.torch.last_token import LastTokenLayer
from theorytools.constructions.torch.layer import attended, placed, projections
from theorytools.constructions.torch.recurrent import relu_network
from theorytools.errors import DomainError
from theorytools.papers.sep.attention.boolean import TwoLayerBoolean
from theorytools.papers.sep.attention.equality import OneLayerEquality
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour
from theorytools.papers.sep.recurrent.dyck import DyckRNN
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask, equidistant
from theorytools.papers.sep.torch.equality import EqualityModule
from theorytools.papers.sep.torch.symbols import checked_symbols

BITS = torch.tensor([[0, 1, 1, 0], [1, 1, 0, 0]])
test_places = edges(
    DomainError, placed, ((torch.int64, "cpu"), (torch.float16, "cpu")), ((torch.bool, "cpu"), (None, "cpu")),
    ((None, "abacus"), (torch.bfloat16, "cpu")),
)  # fmt: skip
test_symbols = edges(
    DomainError, checked_symbols, ((BITS[0], 4), (BITS, 4)), ((BITS, 3), (BITS[:, :3], 3)),
    ((BITS + 1, 4), (BITS + 1, 4, 3)),
    ((-BITS, 4), (0 * BITS, 4)), ((BITS.double(), 4), (BITS.to(torch.uint8), 4)), ((BITS.bool(), 4), (BITS.int(), 4)),
    ((BITS[None], 4), (BITS[:0], 4)),
)  # fmt: skip

BLOCK = BlockAttention(hadamard(4), beta=2, q=2, d=3).module()
X, T = torch.zeros(2, 4, 3, dtype=torch.float64), torch.zeros(2, 4, 2).long()
test_prompts = edges(
    DomainError, BLOCK, ((X[:, :3], T), (X, T)), ((X[:1], T), (X[:1], T[:1])), ((X, T[:, :, :1]), (X, T)),
    ((X, T.double()), (X, T.int())),
    ((X.float(), T), (X, T + 3)), ((X[0], T[0]), (X, T)), ((X[..., :2], T), (X, T + 1)), ((X, T[:, :3]), (X, T + 2)),
)  # fmt: skip
# W_QK has the rank 4 of the codes, an embedded token 15 numbers for two heads
test_widths = edges(DomainError, lambda width: MultiheadExport(BLOCK, width), ((7,), (8,)), ((0,), (None,)))
FEW = BlockAttention(hadamard(4), beta=2, q=1, d=3, blocks=((1, 0),) * 9).module()
test_widths_of_many_heads = edges(DomainError, lambda width: MultiheadExport(FEW, width), ((3,), (4,)))

LOOK = IndexLookup.of("binary", 4, 6, symbols=3).module()
WORDS, P = torch.tensor([[0, 1, 2, 0]]), torch.tensor([3])
test_lookups = edges(
    DomainError, LOOK, ((WORDS + 1, P), (WORDS, P)), ((WORDS - 1, P), (WORDS, P - 3)), ((WORDS, P + 1), (WORDS, P)),
    ((WORDS, P - 4), (WORDS, P - 1)),
    ((WORDS[:, :3], P), (WORDS, P)), ((WORDS, P.double()), (WORDS, P)),
)  # fmt: skip
TASK = NearestTask(equidistant(4, 0))
NEAR = NearestNeighbour(TASK).module()
POINTS = torch.zeros(2, 4, TASK.d, dtype=torch.float64)
LABELS = torch.ones(2, 4, dtype=torch.float64)
test_neighbours = edges(
    DomainError, NEAR, ((POINTS[:, :3], LABELS, POINTS[:, 0]), (POINTS, LABELS, POINTS[:, 0])),
    ((POINTS, LABELS[:, :3], POINTS[:, 0]), (POINTS, LABELS, POINTS[:, 1])),
    ((POINTS, LABELS, POINTS[:1, 0]), (POINTS[:1], LABELS[:1], POINTS[:1, 0])),
    ((POINTS[..., :1], LABELS, POINTS[:, 0]), (POINTS, -LABELS, POINTS[:, 0])),
    ((POINTS, LABELS[:1], POINTS[:, 0]), (POINTS, LABELS, POINTS[:, 2])),
)  # fmt: skip
DYCK = DyckRNN.stack(2, 2).module()
test_dyck_words = edges(
    DomainError, DYCK, ((torch.tensor([[0, 4]]),), (torch.tensor([[0, 3]]),)),
    ((torch.tensor([[-1, 0]]),), (torch.tensor([[1, 0]]),)), ((torch.tensor([[0.0]]),), (torch.tensor([[0]]),)),
    ((torch.tensor([[True]]),), (torch.zeros(2, 0).long(),)),
)  # fmt: skip

INPUTS, LAST = np.ones((4, 2, 8)), np.ones(8)


def layer_of(layer=None, inputs=INPUTS, last=LAST):
    return LastTokenLayer(layer or torch.nn.MultiheadAttention(8, 2), inputs, last, lambda h: h[:, 0] > 0)


def encoder(layers):
    one = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    return torch.nn.TransformerEncoder(one, layers)


def attention(**options):
    return torch.nn.MultiheadAttention(8, 2, **options)


def spoiled(value):
    layer = attention()
    with torch.no_grad():
        layer.out_proj.weight[0, 0] = value
    return layer


test_layers_of_torch = edges(
    DomainError, layer_of, ({"inputs": INPUTS[0]}, {"inputs": INPUTS[:1]}),
    ({"inputs": INPUTS[..., :7]}, {"inputs": 2 * INPUTS}), ({"inputs": INPUTS[:0]}, {"inputs": INPUTS[:, :1]}),
    ({"inputs": INPUTS * np.nan}, {"inputs": torch.ones(4, 2, 8)}),
    ({"last": LAST[:7]}, {"last": torch.ones(8)}), ({"last": LAST * np.inf}, {"last": 0 * LAST}),
    ({"last": LAST[None]}, {"last": -LAST}), ({"layer": encoder(2)}, {"layer": encoder(1)}),
    ({"layer": torch.nn.Linear(8, 8)}, {"layer": encoder(1).layers[0]}),
    ({"layer": attention(dropout=0.5)}, {"layer": attention(dropout=0.5).eval()}),
    ({"layer": attention(vdim=4)}, {"layer": attention(vdim=8)}),
    ({"layer": attention(add_bias_kv=True)}, {"layer": attention(bias=False)}),
    ({"layer": attention(add_zero_attn=True)}, {"layer": attention(batch_first=True)}),
    ({"layer": attention().to(torch.bfloat16)}, {"layer": attention().double()}),
    ({"layer": spoiled(math.inf)}, {"layer": spoiled(1e30)}), ({"layer": spoiled(math.nan)}, {"layer": spoiled(0.0)}),
)  # fmt: skip
READ = layer_of()
test_tokens_of_a_layer = edges(
    DomainError, READ.execute, ((np.full((1, 4), 2),), (np.full((1, 4), 1),)),
    ((np.full((1, 4), -1),), (np.zeros((1, 4), dtype=int),)),
    ((np.zeros((1, 5), dtype=int),), (np.zeros((0, 4), dtype=int),)),
)  # fmt: skip
test_head_outputs = edges(
    DomainError,
    READ.rest,
    ((np.ones((1, 2, 3)),), (np.ones((1, 2, 4)),)),
    ((np.ones((1, 1, 4)),), (np.ones((3, 2, 4)),)),
    ((np.ones((2, 4)),), (np.ones((0, 2, 4)),)),
)
test_answers = edges(
    DomainError, lambda read: LastTokenLayer(attention(), INPUTS, LAST, read).execute(np.zeros((2, 4), dtype=int)),
    ((lambda h: h[:, 0],), (lambda h: h[:, 0] > 0,)), ((lambda h: h > 0,), (lambda h: h.argmax(dim=1),)),
    ((lambda h: h[:1, 0] > 0,), (lambda h: (h[:, 0] > 0).numpy(),)),
)  # fmt: skip


def test_one_softmax_for_all_modules():
    rng = np.random.default_rng(0)
    h, values = torch.tensor(rng.standard_normal((2, 5, 4))), torch.tensor(rng.standard_normal((2, 5, 3)))
    Q, K = (torch.tensor(rng.standard_normal((2, 4))) for _ in range(2))
    scores = torch.einsum("bik,ck,cl,bjl->bij", h, Q, K, h)
    for causal in (False, True):
        kept = torch.exp(scores) * (torch.ones(5, 5).tril() if causal else 1)
        wanted = kept / kept.sum(dim=-1, keepdim=True) @ values
        assert torch.allclose(attended(h, Q, K, values, causal=causal), wanted)
    assert torch.equal(attended(h, Q, K, values), attended(h, Q, K, values, causal=False))
    # 3 <asks, keys> + 7 [asker][asked] on tokens (asks, keys, asker, asked)
    Q, K = projections(6, slice(0, 2), slice(2, 4), 3, (slice(4, 5), slice(5, 6)), 7, dtype=torch.float64)
    z = torch.tensor([[1.0, 2.0, -1.0, 3.0, 1.0, 0.0], [0.0, 1.0, 2.0, 2.0, 0.0, 1.0]], dtype=torch.float64)
    assert ((z @ Q.T) @ (z @ K.T).T).tolist() == [[15.0, 25.0], [9.0, 6.0]]


def test_a_network_of_layers_has_no_last_bias():
    layers = [(np.array([[1, -1], [2, 0]]), np.array([0, -1])), (np.array([[1, 1]]), None)]
    made = relu_network(layers, torch.float64, "cpu")
    assert [type(part).__name__ for part in made] == ["Linear", "ReLU", "Linear"]
    assert made[-1].bias is None
    x = torch.tensor([[3.0, 1.0], [-1.0, 2.0]], dtype=torch.float64)
    assert made(x).tolist() == [[7.0], [0.0]]
    zeros = relu_network([(layers[0][0], None), layers[1]], torch.float64, "cpu")
    assert not zeros[0].bias.any()


def test_a_module_of_a_table_and_what_it_says():
    layer = AttentionLayer(np.array([[2, 0], [0, 4]]), Fraction(3), 2)
    module = layer.module()
    values = torch.tensor([[[1.0], [3.0]]], dtype=torch.float64)
    assert torch.allclose(module(values)[0], torch.tensor(layer(values[0].numpy())))
    assert module.scores.tolist() == [[3.0, 0.0], [0.0, 6.0]]
    assert repr(module) == "TableModule(scores (2, 2), float64)"
    assert layer.module(torch.float32).scores.dtype == torch.float32


@pytest.mark.parametrize("n", [1, 4])
def test_the_order_of_an_equality_module(n):
    net = OneLayerEquality(n)
    plain, mixed = EqualityModule(net), EqualityModule(net, interleaved=True)
    assert plain.order == list(range(2 * n))
    assert mixed.order == [k for pair in zip(range(n), range(n, 2 * n), strict=True) for k in pair]
    tokens = torch.tensor(np.random.default_rng(n).integers(0, 2, (6, 2 * n)))
    assert torch.equal(plain(tokens), mixed(tokens))  # integers over a power of two: exact in any order
    assert plain(tokens).tolist() == [float(x) for x in net.exact(tokens.numpy())]
    assert not any(p.requires_grad for p in TwoLayerBoolean(2).module().parameters())


def test_modules_without_prompts_give_none():
    assert DYCK(torch.zeros(0, 3).long()).shape == (0,)
    assert BLOCK(X[:0], T[:0]).shape == (0, 4, 2, 3)
    assert LOOK(WORDS[:0], P[:0]).shape == (0, 2)
