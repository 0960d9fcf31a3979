"""Few heads with a quadratic readout as a trainable torch module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theorytools.constructions.torch.attention import AttentionModule
from theorytools.constructions.torch.layer import placed, shapes
from theorytools.optional import require

if TYPE_CHECKING:
    import torch

    from theorytools.papers.qstr.few_heads.block_diagonal import FewHeads
else:
    torch = require("torch")


class FewHeadsModule(torch.nn.Module):
    """Single-layer attention whose head is a quadratic form in the data parts and affine in one code part.

    ``forward(X, T)`` takes tokens ``(n, N, d)`` and indices ``(n, N, q)`` and returns predictions ``(n, N)``.
    """

    attention: AttentionModule
    last: torch.Tensor

    extra_repr = shapes

    def __init__(self, net: FewHeads, dtype: torch.dtype | None = None, device: str = "cpu") -> None:
        super().__init__()
        self.d, self.root = net.task.d, (net.task.q * net.task.d) ** 0.5
        self.attention = AttentionModule(net.attention, dtype, device)
        place = placed(dtype, device)
        C, a, b = net.weights
        self.C = torch.nn.Parameter(torch.tensor(C, **place))
        self.a, self.b = (torch.nn.Parameter(torch.tensor(x, **place)) for x in (a, b))
        scale = float(net.attention.squared_scale)
        self.register_buffer("last", torch.tensor(net.codes.matrix()[-1] / scale**0.5, **place))

    def forward(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return the predictions, shape ``(n, N)``."""
        Z, d_e = self.attention.embed(X, T), self.last.shape[0]
        f = self.attention.attend(Z, Z)
        v, s = f[..., : self.d], f[:, :, 0, self.d : self.d + d_e] @ self.last
        form = torch.einsum("nihk,hg,nigk->ni", v, self.C, v)
        return (form - self.d * (self.a + self.b * s)) / self.root
