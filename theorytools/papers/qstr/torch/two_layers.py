"""Two-layer ReLU networks with their balanced weights, trainable, in torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theorytools.constructions.torch.layer import placed
from theorytools.optional import require

if TYPE_CHECKING:
    import torch

    from theorytools.papers.qstr.feedforward.interpolant import Interpolant1D
    from theorytools.papers.qstr.feedforward.min_norm_relu import MinNormReLU
else:
    torch = require("torch")


def interpolant_module(
    net: Interpolant1D, dtype: torch.dtype | None = None, device: str = "cpu", balance: str = "neuron"
) -> torch.nn.Sequential:
    """Return the interpolant, from shape ``(…, 1)`` to ``(…, 1)``."""
    place, head = placed(dtype, device), net.head(balance)
    inner = torch.nn.Linear(1, net.n, **place)
    outer = torch.nn.Linear(net.n, 1, bias=False, **place)
    with torch.no_grad():
        inner.weight.copy_(torch.from_numpy(head.W))
        inner.bias.copy_(torch.from_numpy(head.b))
        outer.weight.copy_(torch.from_numpy(head.a[None]))
    return torch.nn.Sequential(inner, torch.nn.ReLU(), outer)


def min_norm_module(net: MinNormReLU, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Sequential:
    """Return the network of least norm, from shape ``(…, D)`` to ``(…, 1)``."""
    place, head = placed(dtype, device), net.head()
    inner = torch.nn.Linear(net.D, net.m, bias=False, **place)
    outer = torch.nn.Linear(net.m, 1, bias=False, **place)
    with torch.no_grad():
        inner.weight.copy_(torch.from_numpy(head.W))
        outer.weight.copy_(torch.from_numpy(head.a[None]))
    return torch.nn.Sequential(inner, torch.nn.ReLU(), outer)
