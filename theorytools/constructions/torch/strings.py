"""What the torch modules of the constructions refuse: symbols and strings that do not fit.

Index lookup as a trainable torch module.

The two-layer network for Boolean functions as a torch module: embeddings, two attention layers, two-layer ReLUs.

The width-1 network for equality as a torch module: softmax numerators, values, and sequential sums in any dtype.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from theorytools.arguments.checked import checked
from theorytools.constructions.torch.layer import attended, placed, projections, shapes
from theorytools.errors import DomainError
from theorytools.optional import require

if TYPE_CHECKING:
    import torch

    from theorytools.constructions.attention.boolean import TwoLayerBoolean
    from theorytools.constructions.attention.equality import OneLayerEquality
    from theorytools.constructions.attention.index_lookup import IndexLookup
else:
    torch = require("torch")


def checked_symbols(words: torch.Tensor, length: int, symbols: int = 2) -> torch.Tensor:
    """Return words ``(n, length)`` of symbols ``0 .. symbols - 1``; ``DomainError`` for any other."""
    if words.ndim != 2 or words.shape[1] != length:
        raise DomainError(
            f"words of shape {tuple(words.shape)}", required=f"shape (n, {length})", why="weights are made for a length"
        )
    whole = not words.is_floating_point() and words.dtype != torch.bool
    if not whole or (words.numel() and not 0 <= int(words.min()) <= int(words.max()) < symbols):
        raise DomainError(f"words of {words.dtype}", required=f"integers from 0 to {symbols - 1}", why="the alphabet")
    return words


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


BIT, R, C, IS_X, IS_Y, IS_CLS = range(6)


@checked
class TwoLayerModule(torch.nn.Module):
    r"""Softmax attention, causal or full, on a residual stream of width :math:`2k+6`, with the weights of the proof.

    ``forward(tokens)`` takes bits of shape ``(m, 2 n)``, :math:`x` before :math:`y`, and returns the output at the last
    token, ``(m,)``, in the dtype of the parameters; the parity of the inner product is read out in float64.  The
    rounded sign is ``clamp(2 r, -1, 1)``, exact in every float type, where three ReLU terms are off by one ulp.
    """

    extra_repr = shapes

    def __init__(self, net: TwoLayerBoolean, dtype: torch.dtype | None = None, device: str = "cpu") -> None:
        super().__init__()
        place = placed(dtype, device)
        self.net, n, k, L = net, net.n, net.k, net.length

        def parameter(*shape: int) -> torch.nn.Parameter:
            return torch.nn.Parameter(torch.zeros(*shape, **place), requires_grad=False)

        self.embedding, self.bits = parameter(L, net.width), parameter(net.width)
        code = 2 * (torch.arange(n)[:, None] >> torch.arange(k) & 1) - 1
        self.embedding[:n, IS_X] = 1
        self.embedding[n : 2 * n, IS_Y] = 1
        self.embedding[2 * n, IS_CLS] = 1
        self.embedding[:n, 6 : 6 + k] = code[torch.as_tensor(net.first.keys)].to(**place)
        self.embedding[n : 2 * n, 6 + k :] = code.to(**place)
        self.bits[BIT] = 1
        self.value = net.first.value
        beta, codes = math.log(net.first.square) / 2, (slice(6 + k, 6 + 2 * k), slice(6, 6 + k))
        is_x, is_y = slice(IS_X, IS_X + 1), slice(IS_Y, IS_Y + 1)
        one = projections(net.width, *codes, beta, (is_y, is_x), beta * k, **place)
        self.Q_1, self.K_1 = (torch.nn.Parameter(part, requires_grad=False) for part in one)
        self.Q_2, self.K_2 = parameter(1, net.width), parameter(1, net.width)
        self.Q_2[0, IS_CLS] = net.steepness * math.log(4 * L)
        self.K_2[0, C] = 1
        self.hidden, self.offset = parameter(2, net.width), parameter(2)
        self.offset[:] = -3  # the gate -2 (1 - is_y) closes the unit on other tokens
        self.hidden[:, IS_Y] = 2
        self.hidden[0, BIT], self.hidden[0, R] = 1, (-1 if net.task == "equality" else 1)
        if net.task == "equality":
            self.hidden[1, BIT], self.hidden[1, R] = -1, 1

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return the output at the last token, shape ``(m,)``."""
        dtype = self.embedding.dtype
        tokens = checked_symbols(tokens, 2 * self.net.n)
        signs = torch.nn.functional.pad(2 * tokens.to(dtype) - 1, (0, 1))
        h = self.embedding + signs[..., None] * self.bits
        h[..., R] += self.value * self._attend(h, self.Q_1, self.K_1, BIT)
        if self.net.rounded:
            h[..., R] = torch.clamp(2 * h[..., R], -1, 1)
        h[..., C] = torch.relu(h @ self.hidden.T + self.offset).sum(dim=-1)
        mean = self._attend(h, self.Q_2, self.K_2, C)[..., -1]
        if self.net.task != "inner_product":
            return mean
        return torch.from_numpy(self.net._parity(mean.double().numpy()))

    def _attend(self, h: torch.Tensor, Q: torch.Tensor, K: torch.Tensor, place: int) -> torch.Tensor:
        return attended(h, Q, K, h[..., place : place + 1], causal=self.net.causal)[..., 0]


@checked
class EqualityModule(torch.nn.Module):
    r"""One softmax head over :math:`x_1,\dots,x_n,y_1,\dots,y_n` with logits 0 and values :math:`\pm2^{-i}`.

    ``forward(tokens)`` takes 0 and 1 of shape ``(k, 2 n)`` and returns the output ``(k,)``: zero where the strings are
    equal.  Numerator and denominator are summed position by position, every partial sum rounded to the dtype, and
    divided last; ``interleaved`` sums :math:`x_1,y_1,x_2,y_2,\dots` instead.
    """

    extra_repr = shapes

    def __init__(
        self,
        net: OneLayerEquality,
        dtype: torch.dtype | None = None,
        device: str = "cpu",
        *,
        interleaved: bool = False,
    ) -> None:
        super().__init__()
        place = placed(dtype, device)
        scaled = torch.tensor(net.weights, dtype=torch.float64) / float(1 << (net.n - 1))
        self.values = torch.nn.Parameter(scaled.to(**place))
        self.logits = torch.nn.Parameter(torch.zeros(2 * net.n, **place))
        both = torch.arange(2 * net.n).reshape(2, net.n)
        self.order = (both.T if interleaved else both).flatten().tolist()

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return the output of the head, shape ``(k,)``."""
        v = (2 * checked_symbols(tokens, len(self.values)) - 1).to(self.values.dtype) * self.values
        e = torch.exp(self.logits - self.logits.max()).expand_as(v)
        N, D = torch.zeros_like(v[:, 0]), torch.zeros_like(v[:, 0])
        for j in self.order:
            N, D = N + e[:, j] * v[:, j], D + e[:, j]
        return N / D
