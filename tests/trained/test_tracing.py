"""A torch module and the network it is traced into: one function, exact weights, fields by the names of arguments."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from torch import nn
from torch_specimens import (
    Codes,
    D,
    Einsum,
    N,
    Of,
    Packed,
    Placed,
    Query,
    Rotary,
    Sines,
    causal,
    encoder,
    heads,
    indices,
    tokens,
)

from theorytools import BlockAttention, CertificateError, Enclosure, hadamard
from theorytools.blocks.network import ONE, PLACE
from theorytools.constructions.feedforward.link_heads import linear_head
from theorytools.numbers.boxes import Box
from theorytools.papers.qstr.attention.two_hop import TwoStepAttention
from theorytools.trained.traced.constant_functions import KNOWN, function_of
from theorytools.trained.traced.rules import RULES
from theorytools.trained.traced.tracing import from_torch
from theorytools.training.networks import FeedForward, MergedAttention, Recurrent, SeparateAttention


def tied():
    one = nn.Linear(D, D)
    return nn.Sequential(one, nn.ReLU(), one)


def block(head):
    net = BlockAttention(hadamard(8), beta=12, q=2, d=3, head=head)
    return net.module(), (torch.zeros(1, 8, 3).double(), torch.zeros(1, 8, 2, dtype=torch.int64))


def two_step():
    net = TwoStepAttention(hadamard(8), 12, 24, d=2)
    return net.module(), (torch.zeros(1, 8, 2).double(), torch.zeros(1, 8, dtype=torch.int64))


def by_hand(x):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


def masked(Z, q, k, mask):
    return torch.softmax((q(Z) @ k(Z).transpose(1, 2)).masked_fill(mask, float("-inf")), -1) @ Z


def counted(norm):
    """A batch norm with what training counted, and weights."""
    with torch.no_grad():
        for part in (norm.running_mean, norm.weight, norm.bias):
            part.uniform_(-1, 1)
        norm.running_var.uniform_(0.5, 2)
    return norm


# what is traced, and the blocks it must become: "A2" is an attention of two heads
SPECIMENS = {
    "one head": (lambda: (Of(lambda Z, a: a(Z, Z, Z)[0], heads(1)), tokens()), "A1"),
    "two heads, causal, residual": (
        lambda: (Of(lambda Z, a, m: Z + a(Z, Z, Z, attn_mask=m)[0], heads(2), m=causal()), tokens()), "A2",
    ),
    "bare attention": (lambda: (heads(2), (tokens(),) * 3), "A2"),
    "post-norm": (lambda: (encoder(), tokens()), "A2 Norm Activation Norm"),
    "pre-norm, gelu": (lambda: (encoder(norm_first=True, activation="gelu"), tokens()), "Norm A2 Norm Activation"),
    "two layers": (
        lambda: (nn.TransformerEncoder(encoder(), 2, enable_nested_tensor=False), tokens()),
        "A2 Norm Activation Norm A2 Norm Activation Norm",
    ),
    "query, key, value": (lambda: (Query(), tokens()), "A2"),
    "half precision": (lambda: (Query(1).half(), tokens().half()), "A1"),
    "masked_fill": (lambda: (Of(masked, nn.Linear(D, D), nn.Linear(D, D), m=causal()), tokens()), "A1"),
    "packed, causal": (lambda: (Packed(), tokens()), "A1"),
    "einsum": (lambda: (Einsum(), tokens()), "A2"),
    "flatten, MLP": (
        lambda: (nn.Sequential(nn.Flatten(), nn.Linear(N * D, 6), nn.GLU(), nn.Linear(3, N)), tokens()),
        "Flatten Activation Product",
    ),
    "MLP by position": (lambda: (nn.Sequential(nn.Linear(D, 6), nn.Tanh(), nn.Linear(6, 2)), tokens()), "Activation"),
    "tied weights": (lambda: (tied(), tokens()), "Activation"),
    "mean over positions": (lambda: (Of(lambda Z, a, l: l(a(Z).mean(1)), Query(), nn.Linear(D, 1)), tokens()),
                            "A2 Flatten"),
    "the last position": (
        lambda: (Of(lambda Z, a, l: l(torch.relu(a(Z)[:, -1])), Query(), nn.Linear(D, 1)), tokens()), "A2 Activation",
    ),
    "pooled by a learned query": (
        lambda: (Of(lambda Z, l: torch.softmax(l(Z), 1).transpose(1, 2) @ Z, nn.Linear(D, 1)), tokens()), "A1",
    ),
    "queries of positions alone": (
        lambda: (Of(lambda Z, l: Z + torch.softmax(l.weight @ Z.mT, -1) @ Z, nn.Linear(D, N)), tokens()), "A1",
    ),
    "softmax over the other axis": (
        lambda: (Of(lambda Z: (Z.mT @ torch.softmax(2 * Z @ Z.mT, 1)).mT), tokens()), "A1",
    ),
    "scores with a table": (
        lambda: (Of(lambda Z, b: torch.softmax(Z @ Z.mT - b, -1) @ Z, b=torch.rand(N, N)), tokens()), "A1",
    ),
    "gru": (lambda: (Of(lambda Z, c: c(Z)[0], nn.GRU(D, 3, batch_first=True)), tokens()), "Recur"),
    "lstm, last state": (lambda: (Of(lambda Z, c: c(Z)[1][0][-1], nn.LSTM(D, 3, batch_first=True)), tokens()), "Recur"),
    "bare rnn": (lambda: (nn.RNN(D, 3, batch_first=True), tokens()), "Recur"),
    "bidirectional": (lambda: (Recurrent("relu", D, 3), tokens()), "Recur Recur"),
    "position embeddings": (lambda: (Placed(), (tokens(), indices())), "A2"),
    "sines": (lambda: (Sines(), tokens()), "A1 Norm Activation Norm"),
    "codes by index": (lambda: (Codes(), (tokens(), indices(q=2))), "A1"),
    "separate": (lambda: (SeparateAttention(D, 2, 3), tokens()), "A2 Activation"),
    "merged": (lambda: (MergedAttention(D, 2, 3), tokens()), "A2 Activation"),
    "feed forward": (lambda: (FeedForward(N, 2, 1, D, 3), tokens()), "Flatten Activation Activation"),
    "block attention": (lambda: block(None), "A2"),
    "block attention with a head": (lambda: block(linear_head([1.0, 2.0, 2.0], 2)), "A2 Activation"),
    "two steps": (two_step, "A1 A1"),
    "norms by hand": (
        lambda: (Of(lambda Z, l: by_hand(l(Z).view(len(Z), N, 2, 3)).flatten(2), nn.Linear(D, 6)), tokens()),
        "Norm Norm",
    ),
    "rotary": (lambda: (Rotary(), tokens()), "Product Product Product Product A1"),
    "batch norm of channels": (
        lambda: (Of(lambda Z, n: torch.relu(n(Z.mT).mT), counted(nn.BatchNorm1d(D))), tokens()), "Activation",
    ),
    "batch norm of positions": (
        lambda: (Of(lambda Z, n: torch.relu(n(Z)), counted(nn.BatchNorm1d(N))), tokens()), "Product Activation",
    ),
    "convolution of one": (
        lambda: (Of(lambda Z, c, e: e(torch.relu(c(Z.mT))).mT, nn.Conv1d(D, 5, 1), nn.Conv1d(5, 2, 1, bias=False)),
                 tokens()),
        "Activation",
    ),
    "group norm": (
        lambda: (Of(lambda Z, n, w: n(w(Z).flatten(0, 1)).view(len(Z), N, 6), nn.GroupNorm(2, 6), nn.Linear(D, 6)),
                 tokens()),
        "Norm Norm",
    ),
    "large negative numbers": (
        lambda: (Of(lambda Z, m: torch.softmax(Z @ Z.mT + m * -1e4, -1) @ Z, m=causal()), tokens()), "A1",
    ),
    "a class token at a place": (
        lambda: (Of(lambda Z, a, m, c: (lambda Y: Y + a(Y, Y, Y)[0])(Z * m + c * (1 - m)), heads(2),
                    m=torch.arange(N)[:, None].clamp(max=1).float(), c=torch.rand(1, D)), tokens()),
        "Product A2",
    ),
    "functions": (
        lambda: (nn.Sequential(nn.RMSNorm(D, eps=1e-6), nn.SiLU(), nn.LeakyReLU(), nn.ReLU6(), nn.Linear(D, 1)),
                 tokens()),
        "Norm" + " Activation" * 4,
    ),
}  # fmt: skip


def short(network):
    return " ".join(
        f"A{len(b.heads)}" if hasattr(b, "heads") else type(b).__name__ for b in network.blocks
    )  # fmt: skip


def made(name):
    with torch.random.fork_rng():  # torch's own laws draw from the global generator
        torch.random.manual_seed(sum(map(ord, name)))
        module, example = SPECIMENS[name][0]()
    return module.eval(), example


def prompts(network, example, rng, n=4):
    """Random prompts, by field and as tensors in doubles."""
    given, tensors, fields = {}, [], list(network.fields)
    for one in example if isinstance(example, tuple) else (example,):
        if one.is_floating_point():
            field = fields.pop(0)
            given[field.name] = 2 * rng.standard_normal((n, *one.shape[1:]))
            tensors.append(torch.from_numpy(given[field.name]))
        else:
            some = [fields.pop(0) for _ in range(1 if one.ndim == 2 else one.shape[2])]
            words = [rng.integers(0, field.width, (n, network.N)) for field in some]
            given |= {field.name: word for field, word in zip(some, words, strict=True)}
            tensors.append(torch.from_numpy(words[0] if one.ndim == 2 else np.stack(words, -1)))
    return given, tensors


@pytest.mark.parametrize("name", SPECIMENS)
def test_the_network_is_the_module(name):
    """On prompts that tracing did not see, in a batch of four; the module keeps its weights and their type."""
    module, example = made(name)
    before = {key: value.clone() for key, value in module.state_dict().items()}
    traced = from_torch(module, example)
    assert short(traced.network) == SPECIMENS[name][1]
    assert all(torch.equal(value, before[key]) and value.dtype == before[key].dtype
               for key, value in module.state_dict().items())  # fmt: skip
    given, tensors = prompts(traced.network, example, np.random.default_rng(1))
    if name == "sines":  # the module makes its table in single precision: it differs from the function by that
        assert traced.gap <= 1e-13
        return
    with torch.no_grad():
        seen = module.double()(*tensors)
    seen = np.asarray(seen[0] if isinstance(seen, tuple) else seen)
    meant = traced.network(**given).reshape(seen.shape)
    assert np.abs(seen - meant).max() <= 1e-14 * (1 + np.abs(seen).max())
    assert traced.gap <= traced.allowed <= 1e-6 * (2 + np.abs(seen).max())


def exactly(array):
    return np.vectorize(Fraction, otypes=[object])(np.asarray(array, dtype=np.float64))


def holds(box, numbers):
    """Whether intervals hold exact numbers, and are not needlessly wide."""
    low, high = exactly(box.mid) - exactly(box.rad), exactly(box.mid) + exactly(box.rad)
    assert ((low <= numbers) & (numbers <= high)).all()
    assert box.rad.max() <= 1e-13
    return True


def test_weights_are_exact_and_their_products_are_enclosed():
    """Merged doubles without a radius would pass every float comparison: exact products of the weights do not."""
    with torch.random.fork_rng():
        torch.random.manual_seed(5)
        module = Query(1)
    network = from_torch(module.eval(), tokens()).network
    (block,) = network.blocks
    Q, K, O = ((exactly(f.weight.detach().double()), exactly(f.bias.detach().double()))
                  for f in (module.q, module.k, module.o))  # fmt: skip
    root = Fraction(D**0.5)
    head = block.heads[0]
    assert holds(head.scores["Z", "Z"], Q[0].T.dot(K[0]) / root)
    assert holds(head.scores[ONE, "Z"], Q[1][None].dot(K[0]) / root)
    assert set(head.scores) == {("Z", "Z"), (ONE, "Z")}
    # one factor only: no rounding at all
    assert (head.value.parts["Z"].mid == module.v.weight.detach().double().numpy()).all()
    assert not head.value.parts["Z"].rad.any()
    assert not head.value.shift.rad.any()
    assert (exactly(network.output.parts[block.out].mid) == O[0]).all()
    assert not network.output.parts[block.out].rad.any()


def test_masks_places_and_words():
    """What differs by position is a map of the place; what is looked up is a word of its table's symbols."""
    module, example = made("two heads, causal, residual")
    (block,) = from_torch(module, example).network.blocks
    assert (block.mask == np.tri(N, dtype=bool)).all()
    module, example = made("position embeddings")
    network = from_torch(module, example).network
    assert [(f.name, f.width, f.word) for f in network.fields] == [("Z", D, False), ("T", 7, True)]
    # the residual is read out of the fields: Z + place + token
    bias = exactly(module.attend.out_proj.bias.detach().double())
    assert holds(network.output.parts[PLACE], exactly(module.place.weight.detach().double()).T + bias[:, None])
    assert (network.output.parts["T"].mid == module.token.weight.detach().double().numpy().T).all()
    assert not network.output.parts["T"].rad.any()
    module, example = made("codes by index")
    network = from_torch(module, example).network
    assert [(f.name, f.width, f.word) for f in network.fields[1:]] == [("T[0]", N, True), ("T[1]", 1, True)]
    assert set(network.blocks[0].heads[0].scores) == {("T[0]", PLACE)}
    omega, W = (exactly(a.detach().double()) for a in (module.omega, module.W))
    assert holds(network.blocks[0].heads[0].scores["T[0]", PLACE], omega.dot(W).dot(omega.T))


def test_what_is_left_out_is_said():
    module, example = made("bare attention")
    assert [text.split(": ")[1] for text in from_torch(module, example).left_out] == ["weights of attention"]
    module, example = made("bare rnn")
    assert [text.split(": ")[1] for text in from_torch(module, example).left_out] == ["last states"]


def test_a_wrong_rule_is_found_out(monkeypatch):
    """The comparison sees a rule that forgets a scale by one part in a million."""
    mul = RULES["mul"]
    monkeypatch.setitem(RULES, "mul", lambda state, a, b: mul(state, mul(state, a, b), 1 + 1e-6))
    module, example = made("one head")
    with pytest.raises(CertificateError, match="differs from the module"):
        from_torch(module, example)


@pytest.mark.parametrize("name", KNOWN)
def test_functions_of_constants_are_enclosed(name):
    """At both ends and the middle of intervals of constants; of a single number the interval is a few last digits."""
    rng = np.random.default_rng(3)
    mid, rad = rng.uniform(0.5, 3, 40), rng.uniform(0, 0.1, 40) * (np.arange(40) % 2)
    found = function_of(name, Box(mid, rad))
    for k in range(40):
        for x in (mid[k] - rad[k] * 0.999, mid[k], mid[k] + rad[k] * 0.999):
            value = function_of(name, Box(np.array([x]), np.zeros(1)))
            low, high = (Enclosure(found.mid[k]) - found.rad[k], Enclosure(found.mid[k]) + found.rad[k])
            assert low.certainly_le(Enclosure(value.mid[0]) - value.rad[0])
            assert (Enclosure(value.mid[0]) + value.rad[0]).certainly_le(high)
    assert (found.rad[::2] <= 4e-15 * (1 + np.abs(found.mid[::2]))).all()


def test_many_positions():
    """Queries and keys stay factored: 512 positions with embeddings, where forms of each pair would be 8 GB."""

    class Long(nn.Module):
        def __init__(self):
            super().__init__()
            self.place, self.attend = nn.Embedding(512, D), nn.MultiheadAttention(D, 1, batch_first=True)

        def forward(self, Z):
            h = Z + self.place.weight
            return h + self.attend(h, h, h)[0]

    traced = from_torch(Long().eval(), torch.zeros(1, 512, D))
    assert traced.network.N == 512
    assert set(traced.network.blocks[0].heads[0].scores) >= {("Z", "Z"), ("Z", PLACE), (PLACE, "Z"), (PLACE, PLACE)}
