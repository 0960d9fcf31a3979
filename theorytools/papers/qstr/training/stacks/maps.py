"""The maps of one direction of a recurrent layer, and products of matrices, of one or of one for each group."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True, eq=False)
class Maps:
    r"""Weights of one direction, or their gradients: ``ih`` ``(…, kH, D)``, ``hh`` ``(…, kH, H)``, biases ``(…, kH)``.

    ``last`` ``(…, H)`` is the direction's part of the linear map to predictions.
    """

    ih: torch.Tensor
    hh: torch.Tensor
    b_ih: torch.Tensor
    b_hh: torch.Tensor
    last: torch.Tensor

    @property
    def all(self) -> tuple[torch.Tensor, ...]:
        """All five."""
        return self.ih, self.hh, self.b_ih, self.b_hh, self.last


def rows(A: torch.Tensor) -> torch.Tensor:
    """Return the array ``(…, N, B, k)`` as rows ``(…, N B, k)``."""
    return A.flatten(-3, -2)


def product(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Return ``a b``."""
    return (torch.mm if a.dim() == 2 else torch.bmm)(a, b, out=out)


def affine(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write ``c + a b`` to ``out``, which may be ``c``."""
    return (torch.addmm if a.dim() == 2 else torch.baddbmm)(c, a, b, out=out)


def dot(A: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return ``A v``, of one matrix or of one for each group."""
    return A.mv(v) if A.dim() == 2 else torch.bmm(A, v[..., None])[..., 0]
