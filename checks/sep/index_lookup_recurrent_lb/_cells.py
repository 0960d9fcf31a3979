"""Four recurrent layers as torch modules, one step each: what they carry is a tuple of tensors."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


class Gru(nn.GRUCell):
    """Carries h."""

    def forward(self, x, h):
        return (super().forward(x, h),)

    def start(self, rows):
        return (torch.zeros(rows, self.hidden_size, dtype=self.weight_hh.dtype),)


class Lstm(nn.LSTMCell):
    """Carries h and c."""

    def forward(self, x, h, c):
        return super().forward(x, (h, c))

    def start(self, rows):
        return (torch.zeros(rows, self.hidden_size, dtype=self.weight_hh.dtype),) * 2


class Diagonal(nn.Module):
    r"""A diagonal state space, 4 numbers a channel: $h\leftarrow e^{-\Delta a}h+\Delta x$, $a=1..4$, $\Delta$ fixed."""

    def __init__(self, symbols, width):
        super().__init__()
        self.read = nn.Linear(symbols, width, bias=False)
        self.step = nn.Parameter(torch.exp(torch.linspace(-2.3, -0.7, width)))  # from 0.1 to 0.5

    def forward(self, x, h):
        step = self.step[:, None] * torch.arange(1, 5, dtype=h.dtype)
        return (torch.exp(-step) * h + step * self.read(x)[..., None],)

    def start(self, rows):
        return (torch.zeros(rows, len(self.step), 4, dtype=self.step.dtype),)


class Gated(nn.Module):
    r"""A gated linear recurrence: $S\leftarrow\sigma(g(x))S+k(x)v(x)^\top$ with 4 keys, the gate from the token."""

    def __init__(self, symbols, width):
        super().__init__()
        self.keys, self.values, self.gate = (nn.Linear(symbols, n) for n in (4, width, 4))

    def forward(self, x, S):
        return (torch.sigmoid(self.gate(x))[..., None] * S + self.keys(x)[..., None] * self.values(x)[:, None],)

    def start(self, rows):
        return (torch.zeros(rows, 4, self.values.out_features, dtype=self.gate.weight.dtype),)


CELLS = {"gru": Gru, "lstm": Lstm, "diagonal": Diagonal, "gated": Gated}


@torch.no_grad()
def made(name, symbols, width, dtype, seed):
    """A layer with the law of weights that torch gives such modules, uniform up to the root of the fan, from a seed."""
    generator, cell = torch.Generator().manual_seed(seed), CELLS[name](symbols, width)
    fan = width if name in ("gru", "lstm") else symbols
    for key, parameter in cell.named_parameters():
        if key != "step":
            parameter.uniform_(-(fan**-0.5), fan**-0.5, generator=generator)
    return cell.to(getattr(torch, dtype))


@torch.no_grad()
def after(cell, words):
    """The tensors carried after words (R, N), R rows each."""
    dtype = next(cell.parameters()).dtype
    symbols = next(p for p in cell.parameters() if p.ndim == 2).shape[1]
    x = torch.nn.functional.one_hot(torch.as_tensor(words), symbols).to(dtype)
    state = cell.start(len(x))
    for t in range(x.shape[1]):
        state = cell(x[:, t], *state)
    return state


def flat(state):
    """All carried numbers of each row as doubles, which hold them exactly: (R, numbers)."""
    return torch.cat([part.reshape(len(part), -1) for part in state], dim=1).double().numpy()


def carried(tensors):
    """Bits in memory."""
    return sum(part.numel() * part.element_size() * 8 for part in tensors)


def word_bits(dtype):
    """Bits of a number of a type, by the type's own description."""
    return torch.finfo(getattr(torch, dtype)).bits


@dataclass(frozen=True, eq=False)
class Merged:
    """A layer, two words, what is carried after each of them run alone, and whether these are equal."""

    cell: nn.Module
    words: np.ndarray
    states: tuple
    equal: bool


def run(cell, words):
    """Two words, each run alone."""
    states = tuple(after(cell, word[None]) for word in words)
    return Merged(cell, words, states, bool((flat(states[0]) == flat(states[1])).all()))
