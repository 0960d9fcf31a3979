"""The block attention as a trainable torch module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from theorytools.constructions.torch.strings import placed
from theorytools.optional import require

if TYPE_CHECKING:
    from theorytools.constructions.attention.block_attention import BlockAttention

torch = require("torch")


class AttentionModule(torch.nn.Module):
    """Single-layer attention with merged query-key matrices and a two-layer ReLU head.

    ``forward(X, T)`` takes tokens ``(n, N, d)`` and indices ``(n, N, q)`` and returns the retrieved tokens
    ``(n, N, H, d)``, or the labels ``(n, N)`` when there is a head.
    """

    def __init__(self, net: BlockAttention, dtype: torch.dtype | None = None, device: str = "cpu") -> None:
        super().__init__()
        self.d, self.q = net.d, net.q
        place = placed(dtype, device)
        omega = net.codes.matrix() * np.sqrt(float(net.squared_scale))
        self.register_buffer("omega", torch.tensor(omega, **place))
        heads = range(len(net.wiring))
        self.W_QK = torch.nn.Parameter(torch.tensor(np.stack([net.W_QK(h) for h in heads]), **place))
        self.has_head = net.head is not None
        if net.head is not None:
            self.a = torch.nn.Parameter(torch.tensor(net.head.a, **place))
            self.W = torch.nn.Parameter(torch.tensor(net.head.W, **place))
            self.b = torch.nn.Parameter(torch.tensor(net.head.b, **place))

    def embed(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return the embedded prompts, shape ``(n, N, D_e)``."""
        own = self.omega.expand(X.shape[0], -1, -1)
        return torch.cat([X, own, *(self.omega[T[:, :, h]] for h in range(self.q))], dim=2)

    def forward(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return retrieved tokens, or labels when there is a head."""
        Z = self.embed(X, T)
        scores = torch.einsum("nid,hde,nje->nhij", Z, self.W_QK, Z)
        tokens = torch.einsum("nhij,njk->nihk", torch.softmax(scores, dim=-1), X)
        if not self.has_head:
            return tokens
        return torch.relu(tokens.flatten(2) @ self.W.T + self.b) @ self.a
