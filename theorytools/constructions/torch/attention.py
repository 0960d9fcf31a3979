"""The block attention as a trainable torch module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from theorytools.constructions.torch.layer import checked_places, placed, shapes
from theorytools.errors import DomainError
from theorytools.optional import require

if TYPE_CHECKING:
    import torch

    from theorytools.constructions.attention.block import BlockAttention
else:
    torch = require("torch")


class AttentionModule(torch.nn.Module):
    """Single-layer attention with merged query-key matrices and a two-layer ReLU head.

    ``forward(X, T)`` takes tokens ``(n, N, d)`` and indices ``(n, N, q)`` and returns the retrieved tokens
    ``(n, N, H, d)``, or the labels ``(n, N)`` when there is a head.
    """

    omega: torch.Tensor

    extra_repr = shapes

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
        self._admit(X, T)
        own = self.omega.expand(X.shape[0], -1, -1)
        return torch.cat([X, own, *(self.omega[T[:, :, h]] for h in range(self.q))], dim=2)

    def _admit(self, X: torch.Tensor, T: torch.Tensor) -> None:
        N = self.omega.shape[0]
        fits = X.ndim == T.ndim == 3 and X.shape[1:] == (N, self.d) and T.shape == (X.shape[0], N, self.q)
        if not fits or T.is_floating_point() or X.dtype != self.omega.dtype:
            wanted = f"tokens (n, {N}, {self.d}) of {self.omega.dtype}, indices (n, {N}, {self.q})"
            raise DomainError(
                f"tokens {tuple(X.shape)} of {X.dtype}, indices {tuple(T.shape)} of {T.dtype}",
                required=f"{wanted}, integers from 0",
                why="the weights are made for these sizes", advice="X.to(module.W_QK.dtype), T.long()",
            )  # fmt: skip
        checked_places(T, N)

    def attend(self, Z: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return the means of values ``(n, N, c)`` by every head's weights, shape ``(n, N, H, c)``."""
        scores = torch.einsum("nid,hde,nje->nhij", Z, self.W_QK, Z)
        return torch.einsum("nhij,njk->nihk", torch.softmax(scores, dim=-1), values)

    def forward(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return retrieved tokens, or labels when there is a head."""
        tokens = self.attend(self.embed(X, T), X)
        if not self.has_head:
            return tokens
        return torch.relu(tokens.flatten(2) @ self.W.T + self.b) @ self.a
