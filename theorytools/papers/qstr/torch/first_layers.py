"""Networks given by a first layer and a linear read-out for each index, in torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theorytools.constructions.torch.layer import checked_places, placed, shapes
from theorytools.optional import require

if TYPE_CHECKING:
    import torch

    from theorytools.papers.qstr.feedforward.span_predictor import SpanPredictor
    from theorytools.papers.qstr.feedforward.stationary import StationaryMember
else:
    torch = require("torch")


class StationaryModule(torch.nn.Module):
    """``forward(X, T)``: first layer ``W``, trainable, then linear read-outs with bumps at the data."""

    extra_repr = shapes

    centres: torch.Tensor
    radius2: torch.Tensor
    rho: torch.Tensor
    h: torch.Tensor
    W: torch.Tensor
    C: torch.Tensor

    def __init__(self, net: StationaryMember, dtype: torch.dtype | None = None, device: str = "cpu") -> None:
        super().__init__()
        W, *rest = (torch.tensor(part, **placed(dtype, device)) for part in net.doubles)
        self.W = torch.nn.Parameter(W)
        for name, part in zip(("C", "centres", "h", "rho", "radius2"), rest, strict=True):
            self.register_buffer(name, part)

    def forward(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return the predictions, shape ``(n, N)``, for prompts ``(n, N, d)`` and indices ``(n, N, 1)``."""
        z = X.flatten(1) @ self.W.T
        gaps = z[:, None] - self.centres
        rest = (1 - gaps.square().sum(2) / self.radius2).clamp(min=0)
        bumps = (rest.square() * (self.rho + (gaps * self.h).sum(2))).sum(1)
        return (z @ self.C.T).gather(1, checked_places(T[:, :, 0], len(self.C))) + bumps[:, None]


class SpanModule(torch.nn.Module):
    """``forward(X, T)``: first layer ``W``, then one linear read-out per index, both trainable."""

    extra_repr = shapes

    def __init__(self, net: SpanPredictor, dtype: torch.dtype | None = None, device: str = "cpu") -> None:
        super().__init__()
        place = placed(dtype, device)
        self.W = torch.nn.Parameter(torch.tensor(net.W, **place))
        self.readout = torch.nn.Parameter(torch.tensor(net.readout, **place))

    def forward(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return the predictions, shape ``(n, N)``, for prompts ``(n, N, d)`` and indices ``(n, N, 1)``."""
        z = X.flatten(1) @ self.W.T
        return (z @ self.readout.T).gather(1, checked_places(T[:, :, 0], len(self.readout)))
