"""Certificates of recurrent modules: what is shown against every prompt on the module, and what its own floats add."""

import itertools

import numpy as np
import pytest
import torch
from torch import nn

from theorytools import certify
from theorytools.errors import DomainError
from theorytools.trained.answers import Answers
from theorytools.trained.floats.module_rounding import rounding
from theorytools.trained.traced.program import RECURRENT
from theorytools.trained.worst import state_rounding
from theorytools.trained.worst.prompts import Prompts
from theorytools.trained.worst.state_rounding import states_off

N = 3
CODES = np.array([[1.0, 0.4], [-0.7, 0.8], [0.2, -1.1]])
U = np.array([0.6])


class Asked(nn.Module):
    """Encoded tokens, recurrent layers, and what is read of their states at the last position or at each."""

    def __init__(self, cell, form="last", scale=None, **more):
        super().__init__()
        self.rnn, self.form, self.scale = cell(5, 4, batch_first=True, **more), form, scale
        self.read = nn.Linear(4 * (1 + self.rnn.bidirectional), 1)

    def forward(self, Z):
        states, last = self.rnn(Z if self.scale is None else Z * self.scale)
        if self.form == "last state":
            return self.read(last[-1])
        return self.read(states[:, -1])[..., 0] if self.form == "last" else self.read(states)


class Looked(nn.Module):
    """Tokens and indices, codes of its own."""

    def __init__(self):
        super().__init__()
        self.codes, self.rnn, self.read = nn.Embedding(N, 2), nn.GRU(3, 4, batch_first=True), nn.Linear(4, 1)

    def forward(self, X, T):
        return self.read(self.rnn(torch.cat([X, self.codes(T).flatten(2)], -1))[0][:, -1])[:, 0]


def drawn(module, seed=1, dtype=torch.float64):
    rng = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weights in module.parameters():
            weights.copy_(0.6 * torch.randn(weights.shape, generator=rng, dtype=torch.float64))
    return module.to(dtype).eval()


def prompts():
    X = np.array(list(itertools.product((-1.0, 1.0), repeat=N))).reshape(-1, N, 1)
    T = np.array(list(itertools.product(range(N), repeat=N))).reshape(-1, N, 1)
    return np.repeat(X, len(T), 0), np.tile(T, (len(X), 1, 1))


def encoded(X, T, dtype=torch.float64):
    own = np.broadcast_to(CODES, (len(X), *CODES.shape))
    return torch.tensor(np.concatenate([X, own, CODES[T[..., 0]]], -1)).to(dtype)


MODULES = {
    "GRU, last": lambda: Asked(nn.GRU),
    "GRU of two layers, last state": lambda: Asked(nn.GRU, "last state", num_layers=2),
    "LSTM both ways, each": lambda: Asked(nn.LSTM, "each", bidirectional=True),
    "plain ReLU, last": lambda: Asked(nn.RNN, nonlinearity="relu"),
    "plain without biases, each": lambda: Asked(nn.RNN, "each", bias=False),
    "indices": Looked,
}


@pytest.mark.parametrize("name", MODULES)
def test_no_prompt_is_above_and_the_one_that_is_shown_is_what_the_module_does(name):
    """A label of one position for that of another, gates in another order, a module asked at its last position only."""
    module, (X, T) = drawn(MODULES[name]()), prompts()
    given = {"N": N} if name == "indices" else {"codes": CODES}
    whole = certify(module, direction=U, **given)
    made = whole.labels
    with torch.no_grad():
        out = (module(torch.tensor(X), torch.tensor(T)) if name == "indices" else module(encoded(X, T))).numpy()
    labels = np.take_along_axis(X @ U, T[..., 0], 1)
    out = out.reshape(len(X), -1)
    errors = np.abs(out - (labels if out.shape[1] == N else labels[:, -1:]))
    truth = errors.max()
    assert truth * (1 - 1e-12) <= made.real <= truth * (1 + 1e-9)
    assert made.exact
    assert made.found == pytest.approx(truth, rel=1e-9)
    assert made.rounding < 1e-11
    here = (X == made.X).all((1, 2)) & (T == made.T).all((1, 2))
    assert made.output == pytest.approx(float(out[here, made.at if out.shape[1] == N else 0][0]), rel=1e-12)
    assert made.label == float(made.X[made.T[made.at, 0]] @ U)
    assert "On every prompt of N = 3" in str(whole)


def taken(module, codes=CODES):
    p = Prompts(N, 1, 1)
    net = Answers(module, p, codes)
    return net.traced.program, net.network, p, net.bounds()


@pytest.mark.parametrize(
    ("cell", "dtype"), [(nn.GRU, torch.float32), (nn.GRU, torch.bfloat16), (nn.LSTM, torch.float32)]
)
def test_no_state_of_any_prompt_is_farther_off_than_is_said_which_is_less_than_the_norms_give(cell, dtype):
    """Positions in the order of the other direction, a memory taken for a state, doubles for the module's type."""
    module = drawn(Asked(cell, "each", bidirectional=True), 3, dtype)
    program, network, p, bound = taken(module)
    off = states_off(program, network, p)
    assert len(off) == 2
    Z = encoded(*prompts(), dtype)
    with torch.no_grad():
        own = module.rnn(Z)[0].double().numpy()
        real = module.double().rnn(Z.double())[0].numpy()
    seen = np.abs(own - real).max(0)
    said = np.concatenate([found[:, :4] for found in off.values()], axis=1)
    assert (seen <= said).all()
    better, loose = (rounding(program, bound, states=states).output.max() for states in (off, None))
    assert better < loose


def test_states_that_are_not_listed_and_layers_that_are_given_rounded_numbers_keep_the_looser_bound(monkeypatch):
    """A list that was followed without the error of what enters."""
    module = drawn(Asked(nn.GRU, scale=0.3), 3, torch.float32)
    program, network, p, bound = taken(module)
    off = states_off(program, network, p)
    assert len(off) == 1
    assert np.array_equal(rounding(program, bound, states=off).output, rounding(program, bound).output)
    monkeypatch.setattr(state_rounding, "LISTED", 100)
    (short,) = states_off(*taken(drawn(Asked(nn.GRU), 3, torch.float32))[:3]).values()
    assert np.isfinite(short[0]).all()
    assert np.isinf(short[1:]).all()


def test_bounds_of_a_node_that_is_no_recurrent_layer_are_refused():
    program, _, _, bound = taken(drawn(Asked(nn.GRU), 3, torch.float32))
    node = next(node.name for node in program.nodes if node.operator == RECURRENT)
    for states in ({"elsewhere": np.zeros((N, 4))}, {node: np.zeros((N, 3))}, {node: np.full((N, 4), np.nan)}):
        with pytest.raises(DomainError, match="states"):
            rounding(program, bound, states=states)
