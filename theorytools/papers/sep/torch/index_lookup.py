"""Index lookup as a trainable torch module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theorytools.constructions.torch.layer import placed, shapes
from theorytools.optional import require
from theorytools.papers.sep.torch.symbols import checked_symbols

if TYPE_CHECKING:
    import torch

    from theorytools.papers.sep.attention.index_lookup import IndexLookup
else:
    torch = require("torch")


class LookupModule(torch.nn.Module):
    """One attention layer read out at its last token.

    ``forward(words, p)`` takes symbols ``(n, N)`` and positions ``(n,)`` and returns the head's output ``(n, c)``.
    """

    extra_repr = shapes

    def __init__(self, net: IndexLookup, dtype: torch.dtype | None = None, device: str = "cpu") -> None:
        super().__init__()
        self.width, self.c = net.width, net.values.shape[1]
        place = placed(dtype, device)
        for name, table in (("symbol", net.values), ("key", net.keys), ("query", net.queries),
                            ("last_key", net.last_keys)):  # fmt: skip
            self.register_buffer(name, torch.tensor(table, **place))
        W_Q, W_K, W_V = net.projections()
        self.W_Q = torch.nn.Parameter(torch.tensor(net.beta * W_Q, **place))
        self.W_K = torch.nn.Parameter(torch.tensor(W_K, **place))
        self.W_V = torch.nn.Parameter(torch.tensor(W_V, **place))

    key: torch.Tensor
    symbol: torch.Tensor
    query: torch.Tensor
    last_key: torch.Tensor

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
        last[:, 0, self.c : self.c + k] = self.last_key[p]
        return torch.cat([memory, last], dim=1)

    def forward(self, words: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        """Return the head's output at the last token, shape ``(n, c)``."""
        X = self.embed(words, p)
        scores = torch.einsum("nk,njk->nj", X[:, -1] @ self.W_Q.T, X @ self.W_K.T)
        return torch.einsum("nj,njc->nc", torch.softmax(scores, dim=1), X @ self.W_V.T)
