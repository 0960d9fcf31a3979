r"""Models of index lookup, the repeats of a cell as one stack: a layer of attention, and states of counted numbers.

Symbols :math:`s_1\dots s_N` are read and then a position :math:`p` is asked.  Attention keeps all symbols.  The others
carry ``numbers`` numbers past :math:`s_N` and nothing else; what they read at time :math:`t` is any table of :math:`t`
and :math:`s_t`, and the answer is linear in the state with weights of its own for every position:

* ``gru``: :math:`r,z=\sigma(a+Wh)`, :math:`n=\tanh(a_n+r\odot(W_nh+b_n))`, :math:`h'=(1-z)\odot n+z\odot h`;
* ``lstm``: :math:`i,f,o=\sigma(a+Wh)`, :math:`c'=f\odot c+i\odot\tanh(a_g+W_gh)`, :math:`h'=o\odot\tanh c'`, which
  carries :math:`h` and :math:`c` of half the numbers each;
* ``linear``: :math:`h'=\alpha\odot h+a` with :math:`0<\alpha<1`, a diagonal linear state-space model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.nn import functional

from theorytools.training.trials.trial import trial_generator

GATES = {"gru": 3, "lstm": 4, "linear": 1}
KEEPING = 2.0  # added to the gate that keeps the state, before training


class Lookups(ABC):
    """Stacked models; parameters are tensors whose first axis counts the members.

    Parameters
    ----------
    specs : the trials, alike up to the repeat.
    device : where the weights are; they are drawn on the CPU.
    """

    def __init__(self, specs: Sequence[Mapping[str, Any]], device: str = "cpu") -> None:
        self.model, self.device, self.members = str(specs[0]["model"]), device, len(specs)
        self.N, self.symbols, self.numbers = (int(specs[0][name]) for name in ("N", "symbols", "numbers"))
        members = [self.drawn(trial_generator("weights", spec, 32)) for spec in specs]
        stacked = {name: torch.stack([one[name] for one in members]).to(device) for name in members[0]}
        self.weights = {name: part.requires_grad_() for name, part in stacked.items()}

    @abstractmethod
    def drawn(self, rng: torch.Generator) -> dict[str, torch.Tensor]:
        """Return the weights of one member before training."""

    @abstractmethod
    def scores(self, words: torch.Tensor) -> torch.Tensor:
        """Return the scores ``(M, n, N, symbols)`` at every position of words ``(M, n, N)``."""


def uniform(rng: torch.Generator, fan: int, *shape: int) -> torch.Tensor:
    """Return PyTorch's default law, uniform within one over the root of the fan-in."""
    return (torch.rand(*shape, generator=rng) * 2 - 1) * fan**-0.5


class LookupAttention(Lookups):
    """One layer, one head of width ``numbers``: the asked position is the last token, which all tokens are shown to.

    Memory tokens are the sum of a symbol's and a position's vector, the last token has vectors of its own; a linear
    read-out of the mixed values.
    """

    def drawn(self, rng: torch.Generator) -> dict[str, torch.Tensor]:
        """Return embeddings with Gaussian entries, and maps by the fan-in."""
        w, rows = self.numbers, {"symbol": self.symbols, "place": self.N, "asked": self.N}
        found = {name: torch.randn(size, w, generator=rng) for name, size in rows.items()}
        found |= {name: uniform(rng, w, w, w) for name in ("query", "key", "value")}
        return found | {"out": uniform(rng, w, w, self.symbols), "bias": uniform(rng, w, 1, self.symbols)}

    def scores(self, words: torch.Tensor) -> torch.Tensor:
        """Return the scores for every position, each asked by a last token of its own."""
        w, asked = self.weights, self.weights["asked"]
        x = torch.stack([rows[word] for rows, word in zip(w["symbol"], words, strict=True)]) + w["place"][:, None]
        looks = asked @ w["query"] @ w["key"].mT * self.numbers**-0.5  # the query seen through the map of the keys
        own = (looks * asked).sum(-1)[:, None, :, None].expand(-1, words.shape[1], -1, 1)
        shares = torch.cat([looks[:, None] @ x.mT, own], dim=-1).softmax(-1)
        read = w["value"] @ w["out"]
        mixed = shares[..., :-1] @ (x @ read[:, None]) + shares[..., -1:] * (asked @ read)[:, None]
        return mixed + w["bias"][:, None]


class LookupMemory(Lookups):
    """A recurrent state of ``numbers`` numbers and a linear read-out of it for every position."""

    @property
    def width(self) -> int:
        """The width of each carried tensor."""
        return self.numbers // 2 if self.model == "lstm" else self.numbers

    def drawn(self, rng: torch.Generator) -> dict[str, torch.Tensor]:
        """Return tables and maps by the fan-in; the gate that keeps the state begins open."""
        h, gates, answers = self.width, GATES[self.model], self.N * self.symbols
        found = {"table": uniform(rng, h, self.N, self.symbols, gates * h)}
        if self.model == "linear":
            found["decay"] = torch.linspace(0.0, 6.0, h)  # alpha from 1/2 to 0.998
        else:
            found["table"][..., h : 2 * h] += KEEPING
            found["turn"] = uniform(rng, h, h, gates * h)
        if self.model == "gru":
            found["inner"] = uniform(rng, h, 1, h)
        return found | {
            "out": uniform(rng, self.numbers, self.numbers, answers),
            "bias": uniform(rng, self.numbers, 1, answers),
        }

    def states(self, words: torch.Tensor) -> torch.Tensor:
        """Return all that is carried past the last symbol, ``(M, n, numbers)``."""
        w, (M, n, N) = self.weights, words.shape
        if self.model == "linear":
            ages = torch.arange(N - 1, -1, -1, device=words.device)[:, None]
            aged = w["table"] * (torch.sigmoid(w["decay"])[:, None] ** ages)[:, :, None]
            rows = words + self.symbols * torch.arange(N, device=words.device)
            bags = [functional.embedding_bag(r, t.flatten(0, 1), mode="sum") for r, t in zip(rows, aged, strict=True)]
            return torch.stack(bags)
        first = self.symbols * torch.arange(M * N, device=words.device).view(M, 1, N)
        fed = functional.embedding((words + first).permute(2, 0, 1), w["table"].flatten(0, 2)).unbind(0)
        h = fed[0].new_zeros(M, n, self.width)
        return self._gru(fed, h) if self.model == "gru" else self._lstm(fed, h)

    def readout(self, states: torch.Tensor) -> torch.Tensor:
        """Return the scores ``(M, n, N, symbols)`` of states, at every position."""
        scores = torch.baddbmm(self.weights["bias"], states, self.weights["out"])
        return scores.unflatten(-1, (self.N, self.symbols))

    def scores(self, words: torch.Tensor) -> torch.Tensor:
        """Return the scores at every position."""
        return self.readout(self.states(words))

    def _gru(self, fed: Sequence[torch.Tensor], h: torch.Tensor) -> torch.Tensor:
        """Run the GRU, gates in the order reset, update, candidate."""
        turn, inner, cut = self.weights["turn"], self.weights["inner"], 2 * self.width
        for a in fed:
            s = torch.bmm(h, turn)
            r, z = torch.sigmoid(a[..., :cut] + s[..., :cut]).chunk(2, -1)
            h = torch.lerp(torch.tanh(torch.addcmul(a[..., cut:], r, s[..., cut:] + inner)), h, z)
        return h

    def _lstm(self, fed: Sequence[torch.Tensor], h: torch.Tensor) -> torch.Tensor:
        """Run the LSTM, gates in the order input, forget, output, candidate; return both carried tensors."""
        c, turn, cut = h, self.weights["turn"], 3 * self.width
        for a in fed:
            s = torch.baddbmm(a, h, turn)
            i, f, o = torch.sigmoid(s[..., :cut]).chunk(3, -1)
            c = torch.addcmul(f * c, i, torch.tanh(s[..., cut:]))
            h = o * torch.tanh(c)
        return torch.cat([h, c], dim=-1)


def lookups(specs: Sequence[Mapping[str, Any]], device: str = "cpu") -> Lookups:
    """Return the untrained models of one cell's trials."""
    return (LookupAttention if specs[0]["model"] == "transformer" else LookupMemory)(specs, device)
