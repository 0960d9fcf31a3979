"""A linear bottleneck for sparse token selection in torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theorytools.constructions.torch.layer import checked_places, placed, shapes
from theorytools.optional import require

if TYPE_CHECKING:
    import torch

    from theorytools.papers.stsq.feedforward.bottleneck import LinearBottleneck
else:
    torch = require("torch")


class CompressorModule(torch.nn.Module):
    """``forward(X, Y)``: first layer ``W``, then the mean of one linear read-out per selected position, trainable."""

    extra_repr = shapes

    def __init__(self, net: LinearBottleneck, dtype: torch.dtype | None = None, device: str = "cpu") -> None:
        super().__init__()
        W, G = (torch.tensor(part, **placed(dtype, device)) for part in net.floats)
        self.W, self.G = torch.nn.Parameter(W), torch.nn.Parameter(G)

    def forward(self, X: torch.Tensor, Y: torch.Tensor) -> torch.Tensor:
        """Return the outputs ``(n, d)`` for tokens ``(n, T, d)`` and selected positions ``(n, q)``."""
        return torch.einsum("ndm,nm->nd", self.G[checked_places(Y, len(self.G))].mean(dim=1), X.flatten(1) @ self.W.T)
