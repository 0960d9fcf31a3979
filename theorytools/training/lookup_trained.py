r"""Trained index lookup: one layer of attention beside recurrent states whose bits are counted.

Symbols :math:`s_1\dots s_N` and then a position :math:`p`; the answer is :math:`s_p`.  A recurrent model carries
``numbers`` numbers past the last symbol.  After training each of them is rounded to one of :math:`2^{\text{bits}}`
values, so the state has ``numbers`` times ``bits`` bits, and Fano's inequality bounds the accuracy of any read-out.
Attention keeps all tokens and has no such state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import torch
from torch import nn

from theorytools.training.seeds import trial_seed
from theorytools.training.sweep import Groups, Sweep
from theorytools.training.trial import Result

TEST_BLOCK = 2**12
BITS = (1, 2, 4, 8)
Asked = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


class LookupAttention(nn.Module):
    """One layer, one head: keys and values of symbol plus position, the query of the last token, a linear read-out."""

    def __init__(self, N: int, symbols: int, width: int) -> None:
        super().__init__()
        self.symbol, self.place = nn.Embedding(symbols, width), nn.Embedding(N, width)
        self.asked = nn.Embedding(N, width)
        self.query, self.key, self.value = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.readout = nn.Linear(width, symbols)

    def forward(self, words: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        """Return the logits ``(n, symbols)`` for words ``(n, N)`` and positions ``(n,)``."""
        last = self.asked(p)
        x = torch.cat([self.symbol(words) + self.place.weight, last[:, None]], dim=1)
        scores = (self.key(x) @ self.query(last)[:, :, None])[..., 0] * x.shape[-1] ** -0.5
        mixed = (scores.softmax(-1)[:, None] @ x)[:, 0]
        return self.readout(self.value(mixed))  # values are linear, so they are taken of the mean


class LookupMemory(nn.Module):
    r"""A recurrent state that reads any table of symbol and position, and a read-out of two layers.

    ``gru`` carries its hidden state, ``lstm`` hidden and cell state of half the width each, and ``linear`` is
    :math:`h_t=a\odot h_{t-1}+x_t` with :math:`0<a<1`: in all of them ``numbers`` numbers.
    """

    def __init__(self, model: str, N: int, symbols: int, numbers: int, width: int) -> None:
        super().__init__()
        self.model, self.N, self.symbols, reads = model, N, symbols, numbers if model == "linear" else 16
        self.table, self.asked = nn.Embedding(N * symbols, reads), nn.Embedding(N, width)
        if model == "linear":
            self.decay = nn.Parameter(torch.linspace(0.0, 6.0, numbers))  # a from 1/2 to 0.998
        else:
            cell = {"gru": nn.GRU, "lstm": nn.LSTM}[model]
            self.cell = cell(reads, numbers // (2 if model == "lstm" else 1), batch_first=True)
        self.hidden, self.readout = nn.Linear(numbers + width, width), nn.Linear(width, symbols)

    def states(self, words: torch.Tensor) -> torch.Tensor:
        """Return all that is carried past the last symbol, ``(n, numbers)``."""
        x = self.table(words + self.symbols * torch.arange(self.N))
        if self.model == "linear":
            ages = torch.arange(self.N - 1, -1, -1)[:, None]
            return (x * torch.sigmoid(self.decay) ** ages).sum(1)
        carried = self.cell(x)[1]
        return torch.cat(carried, dim=-1)[0] if self.model == "lstm" else carried[0]

    def answers(self, states: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        """Return the logits for states and positions."""
        return self.readout(torch.relu(self.hidden(torch.cat([states, self.asked(p)], dim=-1))))

    def forward(self, words: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        """Return the logits ``(n, symbols)`` for words ``(n, N)`` and positions ``(n,)``."""
        return self.answers(self.states(words), p)


def rounded(states: torch.Tensor, low: torch.Tensor, high: torch.Tensor, bits: int) -> torch.Tensor:
    r"""Return states of which each number is the centre of one of :math:`2^{\text{bits}}` equal parts of its range."""
    span = (high - low).clamp_min(1e-12)
    part = ((states - low) / span * 2**bits).floor().clamp(0, 2**bits - 1)
    return low + (part + 0.5) / 2**bits * span


def generator(role: str, spec: Mapping[str, Any]) -> torch.Generator:
    """Return the generator of one role of a trial."""
    return torch.Generator().manual_seed(int(trial_seed(role, spec).generate_state(1)[0]))


def draw(spec: Mapping[str, Any], rng: torch.Generator, size: int) -> Asked:
    """Draw uniform words ``(size, N)`` and positions ``(size,)``, and return them with the symbols asked for."""
    N, symbols = int(spec["N"]), int(spec["symbols"])
    words, p = torch.randint(symbols, (size, N), generator=rng), torch.randint(N, (size,), generator=rng)
    return words, p, words.gather(1, p[:, None])[:, 0]


def build(spec: Mapping[str, Any]) -> LookupAttention | LookupMemory:
    """Return the untrained model of a trial; its weights do not touch the global generator."""
    N, symbols, width = (int(spec[name]) for name in ("N", "symbols", "width"))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(trial_seed("weights", spec).generate_state(1)[0]))
        if spec["model"] == "transformer":
            return LookupAttention(N, symbols, width)
        return LookupMemory(str(spec["model"]), N, symbols, int(spec["numbers"]), width)


def train(spec: Mapping[str, Any]) -> LookupAttention | LookupMemory:
    """Train one model with Adam on fresh words, cross-entropy, the rate falling along a line to 0."""
    net, rng, steps = build(spec), generator("train", spec), int(spec["steps"])
    rate = float(Fraction(spec["rate"]))
    descent = torch.optim.Adam(net.parameters(), lr=rate, fused=True)
    for k in range(steps):
        descent.param_groups[0]["lr"] = rate * (1 - k / steps)
        words, p, right = draw(spec, rng, int(spec["batch"]))
        if spec["labels"] == "shuffled":
            right = right[torch.randperm(len(right), generator=rng)]
        loss = nn.functional.cross_entropy(net(words, p), right)
        descent.zero_grad()
        loss.backward()
        descent.step()
    return net


@torch.no_grad()
def counts(net: LookupAttention | LookupMemory, spec: Mapping[str, Any]) -> dict[str, int]:
    """Return how many fresh words are answered right, as trained and, under ``bits``, from rounded states.

    The ranges of the rounding are those of words of their own, drawn before the tests.
    """
    memory, rng, found = isinstance(net, LookupMemory), generator("test", spec), {"trained": 0}
    if memory:
        seen = net.states(draw(spec, generator("range", spec), TEST_BLOCK)[0])
        low, high = seen.amin(0), seen.amax(0)
        found |= {str(bits): 0 for bits in BITS}
    for _ in range(int(spec["tests"]) // TEST_BLOCK):
        words, p, right = draw(spec, rng, TEST_BLOCK)
        found["trained"] += int((net(words, p).argmax(-1) == right).sum())
        for bits in BITS if memory else ():
            given = net.answers(rounded(net.states(words), low, high, bits), p).argmax(-1)
            found[str(bits)] += int((given == right).sum())
    return found


def run_group(specs: list[dict[str, Any]], device: str = "cpu") -> Iterator[tuple[dict[str, Any], Result]]:
    """Train one cell's repeats one after the other; yield each with its counts of right answers."""
    torch.set_num_threads(1)
    for spec in specs:
        found, tests = counts(train(spec), spec), int(spec["tests"])
        value = {"accuracy": found["trained"] / tests, "correct": found, "tests": tests}
        yield dict(spec), Result(value, provenance={"device": "cpu"})
