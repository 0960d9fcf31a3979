"""What no block expresses is refused in four parts, with the operator, the user's own line, and the remedy."""

import re

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch_specimens import D, N, Of, causal, encoder, indices, tokens

from theorytools import CertificateError, DomainError
from theorytools.trained.traced.program import exported
from theorytools.trained.traced.tracing import from_torch


def by_sign(Z):
    if Z.sum() > 0:  # the line that is named
        return Z
    return -Z


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, Z):
        self.calls += 1
        return Z * self.calls


class Indexed(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, X, T):
        return self.function(X, T)


def spoiled(value):
    module = nn.Linear(D, 2)
    module.weight.data[0, 1] = value
    return module


def scores(Z):
    return Z @ Z.mT


OPERATORS = {
    "a branch": (by_sign, r"depends on the data \(test_tracing_refusals.py:\d+: if Z.sum\(\) > 0"),
    "a number read out": (lambda Z: Z * Z.sum().item(), "_local_scalar_dense.*item"),
    "numpy": (lambda Z: torch.from_numpy(Z.numpy()), "does not follow.*numpy"),
    "dropout that is always on": (lambda Z: F.dropout(Z, 0.5, True), r"native_dropout.*module.eval\(\)"),
    "random numbers": (lambda Z: Z + torch.randn(1, N, D), "randn"),
    "sorting": (lambda Z: Z.sort(1)[0], "sort.default"),
    "a maximum": (lambda Z: Z.max(1)[0], "max.dim"),
    "a choice by values": (lambda Z: torch.where(Z > 0, Z, Z * Z), "gt.Scalar"),
    "cut to whole numbers": (lambda Z: Z.long() + Z, "cut to whole"),
    "a norm by hand": (lambda Z: Z / Z.pow(2).sum(-1, keepdim=True), "division by what depends on the prompt"),
    "the root of another mean": (lambda Z: 2 * Z * torch.rsqrt((Z * Z).mean(-1, keepdim=True) + 1e-6), "own squares"),
    "the root of a sum": (lambda Z: Z * torch.rsqrt((Z * Z).sum(-1, keepdim=True) + 1e-6), "own squares"),
    "nearly the mean": (lambda Z: Z * torch.rsqrt((Z * Z).sum(-1, keepdim=True) * (1 / D + 1e-9)), "own squares"),
    "all pairs": (lambda Z: (Z[:, :, None] * Z[:, None]).sum(2), "different positions"),
    "neighbours": (lambda Z: torch.relu(Z[:, 1:] + Z[:, :-1]), "different positions"),
    "linear attention": (lambda Z: Z @ (Z.mT @ Z), "bmm"),
    "minus the mean": (lambda Z: torch.relu(Z - Z.mean(1, keepdim=True)), "different positions"),
    "large negative scores": (lambda Z: torch.softmax(scores(Z).masked_fill(causal(), -1e9), -1) @ Z, "-inf.*-1e9"),
    "a query without keys": (
        lambda Z: torch.softmax(scores(Z) + torch.full((N, N), -torch.inf), -1) @ Z, "sees no key",
    ),
    "some of the weights": (lambda Z: torch.softmax(scores(Z), -1)[..., 1:] @ Z[:, 1:], "some of the weights"),
    "weights as numbers": (lambda Z: torch.softmax(scores(Z), -1) ** 2 @ Z, "weights of attention are used as numbers"),
    "softmax as a layer": (lambda Z: torch.softmax(Z, -1), "returns weights"),
    "returned scores": (scores, "returns scores"),
    "two answers": (lambda Z: (Z, 2 * Z), "returns 2 things"),
    "a first state": (lambda Z, gru, lstm: gru(Z, torch.zeros(1, 1, 3))[0], "first state"),
    "an LSTM's cells": (lambda Z, gru, lstm: lstm(Z)[1][1][0], "states of the LSTM"),
    "backwards by hand": (lambda Z, gru, lstm: gru(Z.flip(1))[0], "in their order"),
    "one prompt's shape": (lambda Z: Z.view(1, N, D) * 2, "three prompts"),
    "no prompt": (lambda Z: torch.ones(1, 3), "outputs of shape"),
}  # fmt: skip


def refused(module, example, said, error=DomainError):
    with pytest.raises(error) as caught:
        from_torch(module, example)
    text = str(caught.value)
    assert re.search(said, text, re.DOTALL), text
    assert caught.value.required
    assert "Traceback" not in text
    assert "/" not in caught.value.given  # no path of this machine
    return text


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_that_no_block_expresses(name):
    function, said = OPERATORS[name]
    cells = (nn.GRU(D, 3, batch_first=True), nn.LSTM(D, 3, batch_first=True))
    takes = function.__code__.co_argcount > 1
    refused(Of(function, *(cells if takes else ())).eval(), tokens(), said)


@pytest.mark.parametrize(
    ("function", "said"),
    [(lambda Z: Z - Z.mean(0), "differs from the module"), (lambda Z: Z * len(Z), "differs from the module"),
     (lambda Z: nn.functional.softmax(Z @ Z.mT, -1) @ Z.mean(0, keepdim=True), "batch_first=True")],
)  # fmt: skip
def test_prompts_of_a_batch_that_see_each_other(function, said):
    """Each traces well with one prompt; only a batch shows them."""
    refused(Of(function).eval(), tokens(), said, CertificateError)


@pytest.mark.parametrize(
    ("function", "said"),
    [(lambda X, T: torch.gather(X, 1, T[:, :, :1].expand(-1, -1, D)), "gather"),
     (lambda X, T: torch.eye(N + 1)[T[..., 0] + 1], "indices are used as numbers"),
     (lambda X, T: torch.eye(4)[T[..., 0]].sum(-1) + torch.eye(5)[T[..., 0]].sum(-1), "tables of 4 and of 5 rows"),
     (lambda X, T: X[:, T[0, :, 0]], "another axis")],
)  # fmt: skip
def test_uses_of_an_index(function, said):
    refused(Indexed(function).eval(), (tokens(), indices(q=2)), said)


@pytest.mark.parametrize(
    ("module", "example", "said"),
    [(nn.Sequential(nn.Linear(D, D), nn.Dropout(0.1)), tokens(), r"1, a Dropout, in training mode"),
     (encoder(), tokens(), "training mode"), (nn.BatchNorm1d(N), tokens(), "the module, a BatchNorm1d"),
     (nn.BatchNorm1d(N, track_running_stats=False).eval(), tokens(), "batch_norm"),
     (Counting(), tokens(), "changes calls"),
     (spoiled(float("nan")), tokens(), "weight with 1 numbers"), (spoiled(float("inf")), tokens(), "weight with 1"),
     (spoiled(-float("inf")), tokens(), "minus infinity"), (nn.Linear(D, 2, device="meta"), tokens(), "a meta tensor"),
     (Of(lambda Z, b: Z, b=torch.eye(3).to_sparse()), tokens(), "b, a sparse_coo tensor"),
     (Of(lambda Z, b: Z, b=torch.eye(3).to(torch.complex64)), tokens(), "b, a complex tensor"),
     (nn.Linear(D, 2), tokens().to(torch.complex64), "a complex tensor"),
     (nn.Linear(D + 1, 2), tokens(), "same reduction dim"), (nn.Linear(D, 2), tokens().double(), "float64 for weights"),
     (nn.Linear(D, 2), torch.zeros(N, D), "second axis"), (nn.Linear(D, 2), torch.zeros(1, 2, N, D), "second axis"),
     (nn.Linear(D, 2), torch.zeros(1, 0, D), "second axis"), (nn.Linear(N, 2), torch.zeros(1, N), "second axis"),
     (Of(lambda Z: Z), torch.ones(1, N, 2, dtype=torch.bool), "type bool"), (nn.Linear(D, 2), (), "nothing"),
     (nn.Linear(D, 2), 3, "example of int"), (len, tokens(), "a torch.nn.Module"),
     (nn.Bilinear(D, D, 2), (tokens(), torch.zeros(1, N + 1, D)), "one N"),
     (nn.Linear(D, 2), (tokens(), tokens()), r"an example of 2 tensors"),
     (nn.Conv1d(N, N, 3).eval(), tokens(), "convolution with a kernel of shape .3,.*several positions"),
     (nn.GroupNorm(1, N).eval(), tokens(), "group_norm.*different positions"),
     (Of(lambda Z, a, c: a(*[torch.cat([c, Z], 1)] * 3)[0], nn.MultiheadAttention(D, 1, batch_first=True),
         c=torch.rand(1, 1, D)).eval(), tokens(), "class token")],
)  # fmt: skip
def test_modules_and_examples(module, example, said):
    refused(module, example, said)


def test_a_refusal_names_the_line():
    text = refused(Cumulative(), tokens(), "cumprod")
    assert "test_tracing_refusals.py" in text
    assert "the line with cumprod" in text


class Cumulative(nn.Module):
    def forward(self, Z):
        return Z.cumprod(1)  # the line with cumprod


def test_a_program_is_plain_data():
    """Operators in order, weights in doubles beside the type they have, a recurrent layer as one operator."""
    program = exported(Of(lambda Z, c: c(Z)[0], nn.GRU(D, 3, batch_first=True)).eval(), tokens())
    assert [one.name for one in program.inputs] == ["Z"]
    assert [node.operator for node in program.nodes].count("theorytools.recurrent.default") == 1
    held = {one.target: one for one in program.constants.values()}
    assert held["parts.0.weight_hh_l0"].dtype == "float32"
    assert held["parts.0.weight_hh_l0"].values.dtype == "float64"
