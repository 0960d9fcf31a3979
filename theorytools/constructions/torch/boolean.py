"""The two-layer network for Boolean functions as a torch module: embeddings, two attention layers, two-layer ReLUs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from theorytools.arguments.checked import checked
from theorytools.constructions.attention.parity_units import parity
from theorytools.constructions.torch.strings import checked_symbols, placed
from theorytools.optional import require

if TYPE_CHECKING:
    from theorytools.constructions.attention.boolean import TwoLayerBoolean

torch = require("torch")

BIT, R, C, IS_X, IS_Y, IS_CLS = range(6)


@checked
class TwoLayerModule(torch.nn.Module):
    r"""Softmax attention, causal or full, on a residual stream of width :math:`2k+6`, with the weights of the proof.

    ``forward(tokens)`` takes bits of shape ``(m, 2 n)``, :math:`x` before :math:`y`, and returns the output at the last
    token, ``(m,)``, in the dtype of the parameters; the parity of the inner product is read out in float64.  The
    rounded sign is ``clamp(2 r, -1, 1)``, exact in every float type, where three ReLU terms are off by one ulp.
    """

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
        beta = math.log(net.base) / 2
        self.Q_1, self.K_1 = parameter(k + 1, net.width), parameter(k + 1, net.width)
        self.Q_1[range(k), range(6 + k, 6 + 2 * k)] = beta  # beta <t_i, t_j> on code blocks
        self.Q_1[k, IS_Y] = beta * k
        self.K_1[range(k), range(6, 6 + k)] = 1
        self.K_1[k, IS_X] = 1
        self.Q_2, self.K_2 = parameter(1, net.width), parameter(1, net.width)
        self.Q_2[0, IS_CLS] = net.scale * math.log(4 * L)
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
        h[..., R] += self.value * self._attend(h, self.Q_1, self.K_1, h[..., BIT])
        if self.net.rounded:
            h[..., R] = torch.clamp(2 * h[..., R], -1, 1)
        h[..., C] = torch.relu(h @ self.hidden.T + self.offset).sum(dim=-1)
        mean = self._attend(h, self.Q_2, self.K_2, h[..., C])[..., -1]
        if self.net.task != "inner_product":
            return mean
        return torch.from_numpy(parity(self.net.length * mean.double().numpy(), self.net.n))

    def _attend(self, h: torch.Tensor, Q: torch.Tensor, K: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        scores = (h @ Q.T) @ (h @ K.T).transpose(-1, -2)
        if self.net.causal:
            later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        return (weights @ v[..., None])[..., 0]
