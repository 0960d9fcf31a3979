r"""Index lookup with the layers of the published figures: a selective state space and retention, from learnt tokens.

The tokens are those of the layer of attention: a symbol's vector plus a position's, width :math:`w`, and last the asked
position's own vector.  A layer reads them from left to right and carries numbers that do not grow with the word:

* ``selective``, as Mamba: :math:`u=\mathrm{silu}(xV)`, :math:`\Delta=\mathrm{softplus}(xD+b)`, :math:`B=xK`,
  :math:`C=xQ`, state :math:`h'=e^{-a\Delta}\odot h+(\Delta\odot u)B^\top` of :math:`16w` numbers, read as :math:`hC+
  d\odot u`.  One rate :math:`a` for each channel and not for each number of it, no convolution before it, and
  :math:`\Delta,B,C` from the token and not from :math:`u`.
* ``retention``, as RetNet: four heads of width :math:`w/4`, state :math:`S'=\gamma S+k^\top v` of :math:`w^2/4` numbers
  with :math:`\gamma=1-2^{-5},\dots,1-2^{-8}`, read as :math:`qS`.  Positions are learnt and not rotated.

What is read is scaled to mean square 1 (of a head for retention), multiplied by a gate :math:`\mathrm{silu}(xG)` of the
asked token, and mapped to scores.  The state past the last symbol is a sum over the word in closed form, as its rates
are those of the tokens alone; all positions are asked of it, each by a last token of its own.

References
----------
Gu, Dao (2023), arXiv 2312.00752; Dao, Gu (2024), arXiv 2405.21060; Sun et al. (2023), arXiv 2307.08621.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.nn import functional

from theorytools.training.sweep import Results, Spec

from ._lookup import told, train
from ._lookup_models import LookupAttention, Lookups, uniform

NUMBERS = 16  # of each channel of a selective state
HEADS = 4  # of retention


class LookupLayer(Lookups):
    """A layer whose state past the last symbol has a fixed size, asked at every position by a token of its own."""

    def drawn(self, rng: torch.Generator) -> dict[str, torch.Tensor]:
        """Return embeddings with Gaussian entries, and maps by the fan-in."""
        w, rows = self.numbers, {"symbol": self.symbols, "place": self.N, "asked": self.N}
        found = {name: torch.randn(size, w, generator=rng) for name, size in rows.items()}
        found |= {name: uniform(rng, w, w, size) for name, size in self.maps().items()}
        return found | {"out": uniform(rng, w, w, self.symbols), "bias": uniform(rng, w, 1, self.symbols)}

    @abstractmethod
    def maps(self) -> dict[str, int]:
        """Return how many numbers each map of a token gives."""

    @abstractmethod
    def read(self, words: torch.Tensor) -> torch.Tensor:
        """Return what each position reads of the state, ``(M, n, N, w)``, scaled to mean square 1."""

    def mapped(self, words: torch.Tensor, name: str) -> torch.Tensor:
        """Return a map of the tokens of words, ``(M, n, N, ·)``: it is linear, so that the two parts are mapped."""
        symbols, places = (self.weights[part] @ self.weights[name] for part in ("symbol", "place"))
        rows = torch.stack([row[word] for row, word in zip(symbols, words, strict=True)])
        return rows + places[:, None]

    def scores(self, words: torch.Tensor) -> torch.Tensor:
        """Return the scores at every position."""
        w = self.weights
        gated = self.read(words) * functional.silu(w["asked"] @ w["gate"])[:, None]
        return gated @ w["out"][:, None] + w["bias"][:, None]


class Selective(LookupLayer):
    """The selective state space: every channel forgets by a rate that its tokens set."""

    def maps(self) -> dict[str, int]:
        """Return the maps to ``u``, the steps, the gate, and the two vectors of a state's numbers."""
        return {"value": self.numbers, "step": self.numbers, "gate": self.numbers, "key": NUMBERS, "query": NUMBERS}

    def drawn(self, rng: torch.Generator) -> dict[str, torch.Tensor]:
        """Return also rates from 1 to 16, and steps that begin log-uniform between 1/1000 and 1/10."""
        first = torch.exp(torch.rand(self.numbers, generator=rng) * math.log(100) + math.log(1 / 1000))
        rates = torch.linspace(0, math.log(16), self.numbers)
        more = {"rate": rates, "skip": torch.ones(self.numbers), "first": torch.log(torch.expm1(first))}
        return super().drawn(rng) | more

    def read(self, words: torch.Tensor) -> torch.Tensor:
        """Return what each position reads: its own token is the last that enters the state."""
        w = self.weights
        rate, first, skip = (w[name][:, None] for name in ("rate", "first", "skip"))
        step = functional.softplus(self.mapped(words, "step") + first[:, None])
        fall = step * rate.exp()[:, None]  # of each token; a token has fallen by all that came after it
        share = torch.exp(fall.cumsum(2) - fall.sum(2, keepdim=True)) * step
        state = (functional.silu(self.mapped(words, "value")) * share).mT @ self.mapped(words, "key")
        u, step, key, query = (w["asked"] @ w[name] for name in ("value", "step", "key", "query"))
        u, step = functional.silu(u), functional.softplus(step + first)
        own = (step * (key * query).sum(-1, keepdim=True) + skip) * u
        found = (query[:, None] @ state.mT) * torch.exp(-step * rate.exp())[:, None] + own[:, None]
        return functional.rms_norm(found, found.shape[-1:], eps=1e-6)


class Retention(LookupLayer):
    """Retention: a sum of outer products of keys and values, which every head forgets by a rate of its own."""

    def maps(self) -> dict[str, int]:
        """Return the maps to queries, keys, values and the gate."""
        return dict.fromkeys(("query", "key", "value", "gate"), self.numbers)

    def read(self, words: torch.Tensor) -> torch.Tensor:
        """Return what each position reads, head after head."""
        w = self.weights
        kept = 1 - 2.0 ** -(5 + torch.arange(HEADS, device=words.device))
        shares = kept[:, None] ** torch.arange(self.N, 0, -1, device=words.device)  # as the asked token comes last
        key, value = (self._heads(self.mapped(words, name)) for name in ("key", "value"))
        state = (key * shares[..., None]).mT @ value
        query, last, own = (self._heads(w["asked"] @ w[name]) for name in ("query", "key", "value"))
        found = query[:, None] @ state + ((query * last).sum(-1, keepdim=True) * own)[:, None]
        return functional.rms_norm(found, found.shape[-1:], eps=1e-6).transpose(-2, -3).flatten(-2)

    def _heads(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return ``(…, N, w)`` as ``(…, H, N, w/H)``."""
        return tokens.unflatten(-1, (HEADS, -1)).transpose(-2, -3)


MODELS: dict[str, type[Lookups]] = {"transformer": LookupAttention, "selective": Selective, "retention": Retention}


def layers(specs: Sequence[Mapping[str, Any]], device: str = "cpu") -> Lookups:
    """Return the untrained models of one cell's trials."""
    return MODELS[str(specs[0]["model"])](specs, device)


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train one cell's repeats together; yield each with its accuracy at all positions and its counts."""
    torch.set_num_threads(1)
    yield from told(train(specs, device, layers), specs)
