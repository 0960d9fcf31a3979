"""Sparse token selection as a trainable torch module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theorytools.constructions.torch.layer import placed, shapes
from theorytools.optional import require

if TYPE_CHECKING:
    import torch

    from theorytools.papers.stsq.attention.selector import SparseSelector
else:
    torch = require("torch")


class SelectorModule(torch.nn.Module):
    r"""One softmax head with parameters ``V`` ``(d, d + d_e)`` and ``W`` ``(d + d_e, d + d_e)``, row = key side.

    ``forward(X, E, e_y)`` takes tokens ``(n, T, d)``, encodings ``(T, d_e)`` or ``(n, T, d_e)``, queries ``(n, d_e)``,
    and returns :math:`f=V\sum_ia_iz_i`, ``(n, d)``.  The query column is not attended to.
    """

    extra_repr = shapes

    def __init__(self, V: torch.Tensor, W: torch.Tensor) -> None:
        super().__init__()
        self.V, self.W = torch.nn.Parameter(V), torch.nn.Parameter(W)

    def forward(self, X: torch.Tensor, E: torch.Tensor, e_y: torch.Tensor) -> torch.Tensor:
        """Return the prediction, shape ``(n, d)``."""
        Z = torch.cat([X, E.expand(*X.shape[:2], E.shape[-1])], dim=2)
        z_q = torch.cat([X.new_zeros(X.shape[0], X.shape[2]), e_y], dim=1)
        a = torch.softmax(torch.einsum("nik,nk->ni", Z, z_q @ self.W.T), dim=1)
        return torch.einsum("ni,nik->nk", a, Z) @ self.V.T


def selector_module(net: SparseSelector, dtype: torch.dtype | None = None, device: str = "cpu") -> SelectorModule:
    """Return the module of a construction (float64 unless another type is asked for)."""
    place = placed(dtype, device)
    return SelectorModule(torch.tensor(net.V.astype(float), **place), torch.tensor(net.W, **place))
