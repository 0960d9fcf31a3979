"""Index lookup as a trainable torch module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theorytools.constructions.torch.strings import checked_symbols
from theorytools.optional import require

if TYPE_CHECKING:
    from theorytools.constructions.attention.index_lookup import IndexLookup

torch = require("torch")


class LookupModule(torch.nn.Module):
    """One attention layer read out at its last token.

    ``forward(words, p)`` takes symbols ``(n, N)`` and positions ``(n,)`` and returns the head's output ``(n, c)``.
    """

    def __init__(self, net: IndexLookup, dtype: torch.dtype) -> None:
        super().__init__()
        self.width, self.c = net.width, net.values.shape[1]
        for name, table in (("symbol", net.values), ("key", net.keys), ("query", net.queries)):
            self.register_buffer(name, torch.tensor(table, dtype=dtype))
        W_Q, W_K, W_V = net.projections()
        self.W_Q = torch.nn.Parameter(torch.tensor(net.beta * W_Q, dtype=dtype))
        self.W_K = torch.nn.Parameter(torch.tensor(W_K, dtype=dtype))
        self.W_V = torch.nn.Parameter(torch.tensor(W_V, dtype=dtype))
        self.shared = net.shared

    def embed(self, words: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        """Return the residual stream, shape ``(n, N + 1, width)``."""
        words = checked_symbols(words, len(self.key), len(self.symbol))
        p = checked_symbols(p[:, None], 1, len(self.query))[:, 0]
        n, k = words.shape[0], self.key.shape[1]
        one = self.key.new_ones(n, len(self.key), 1)
        nothing = self.key.new_zeros(n, len(self.key), k)
        memory = torch.cat([self.symbol[words], self.key.expand(n, -1, -1), nothing, one], dim=2)
        last = self.key.new_zeros(n, 1, self.width)
        last[:, 0, self.c + k : self.c + 2 * k] = self.query[p]
        if self.shared:
            last[:, 0, self.c : self.c + k] = self.key[p]
        return torch.cat([memory, last], dim=1)

    def forward(self, words: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        """Return the head's output at the last token, shape ``(n, c)``."""
        X = self.embed(words, p)
        scores = torch.einsum("nk,njk->nj", X[:, -1] @ self.W_Q.T, X @ self.W_K.T)
        return torch.einsum("nj,njc->nc", torch.softmax(scores, dim=1), X @ self.W_V.T)


def lookup_module(net: IndexLookup, *, dtype: torch.dtype | None = None) -> LookupModule:
    """Return the module of a construction (float64 unless another type is asked for)."""
    return LookupModule(net, torch.float64 if dtype is None else dtype)
