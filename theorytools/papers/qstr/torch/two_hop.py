"""The two-layer look-up as a trainable torch module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theorytools.constructions.torch.layer import checked_places, placed, shapes
from theorytools.optional import require

if TYPE_CHECKING:
    import torch

    from theorytools.papers.qstr.attention.two_hop import TwoStepAttention
else:
    torch = require("torch")


class TwoStepModule(torch.nn.Module):
    r"""Two attention layers on tokens of width :math:`d+3d_e`, the first with a residual and a value matrix.

    ``forward(X, T)`` takes tokens ``(n, N, d)`` and pointers ``(n, N)`` and returns the retrieved tokens ``(n, N, d)``.
    """

    omega: torch.Tensor

    extra_repr = shapes

    def __init__(self, net: TwoStepAttention, dtype: torch.dtype | None = None, device: str = "cpu") -> None:
        super().__init__()
        place = placed(dtype, device)
        self.d, k = net.d, net.codes.d_e
        D = self.d + 3 * k
        own, index, free = (slice(self.d + n * k, self.d + (n + 1) * k) for n in range(3))
        slots = {"own": own, "index": index, "free": free}
        self.register_buffer("omega", torch.tensor(net.codes.matrix() * self.d**0.5, **place))
        W = torch.zeros(2, D, D, **place)  # rows: query side
        # <z_i, W_1 z_j> = beta_1 <omega_{t_i}, omega_j>: codes carry the factor sqrt(d)
        W[0, index, own] = torch.eye(k, **place) * (float(net.beta_1) / self.d)
        W[1, slots[net.asked], own] = torch.eye(k, **place) * (float(net.beta_2) / self.d)
        self.W_QK = torch.nn.Parameter(W)
        V = torch.zeros(D, D, **place)
        V[free, slots[net.handed]] = torch.eye(k, **place)
        self.W_V = torch.nn.Parameter(V)

    def embed(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return the embedded prompts, shape ``(n, N, d + 3 d_e)``."""
        own = self.omega.expand(len(X), -1, -1)
        return torch.cat([X, own, self.omega[checked_places(T, len(self.omega))], torch.zeros_like(own)], dim=2)

    def forward(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return the retrieved tokens."""
        Z = self.embed(X, T)
        Z = Z + torch.softmax(Z @ self.W_QK[0] @ Z.mT, dim=-1) @ Z @ self.W_V.T
        return (torch.softmax(Z @ self.W_QK[1] @ Z.mT, dim=-1) @ Z)[..., : self.d]
