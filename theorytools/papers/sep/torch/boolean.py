"""The two-layer network for Boolean functions in torch: embeddings, two attention layers, two-layer ReLUs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from theorytools.arguments.checked import checked
from theorytools.constructions.torch.layer import attended, placed, projections, shapes
from theorytools.optional import require
from theorytools.papers.sep.attention.boolean import TwoLayerBoolean
from theorytools.papers.sep.torch.symbols import checked_symbols

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch")


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
