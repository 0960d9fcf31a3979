"""Softmax attention in torch: one function for all modules, the module of a table of scores, types and devices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from theorytools.errors import DomainError
from theorytools.optional import require

if TYPE_CHECKING:
    import torch

    from theorytools.constructions.attention.layer import AttentionLayer
else:
    torch = require("torch")


def placed(dtype: torch.dtype | None, device: str) -> dict[str, Any]:
    """Return the type (float64 unless one is given) and the device of a module's tensors.

    Raises
    ------
    DomainError : a device that torch does not know or that this machine does not have, or integers.
    """
    if dtype is not None and not dtype.is_floating_point:
        raise DomainError(f"dtype = {dtype}", required="a type of floats", why="weights are floats")
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        why = str(error).strip().partition("\n")[0]
        raise DomainError(
            f"device = {device!r}", required="a device of this machine", why=why, advice="'cpu', or 'cuda' with a GPU"
        ) from None
    return {"dtype": torch.float64 if dtype is None else dtype, "device": device}


def checked_places(T: torch.Tensor, count: int) -> torch.Tensor:
    """Return indices as they are, each from 0 to ``count - 1``: torch reads -1 as the last place, and says nothing.

    What torch compiles, exports, maps or keeps without data has no values to look at, and is not looked at.

    Raises
    ------
    DomainError : an index outside, or a tensor that holds no integers.
    """
    required = f"integers from 0 to {count - 1}"
    if T.is_floating_point() or T.is_complex() or T.dtype == torch.bool:
        raise DomainError(f"indices of {T.dtype}", required=required, advice="T.long()")
    if not T.numel() or torch.compiler.is_compiling():
        return T
    try:
        low, high = int(T.min()), int(T.max())
    except RuntimeError:  # torch.func.vmap, the device "meta"
        return T
    if low < 0 or high >= count:
        raise DomainError(f"indices from {low} to {high}", required=required, why="places are counted from 0")
    return T


def shapes(self: torch.nn.Module) -> str:
    """What a module prints of itself: its own parameters and buffers by shape, and their type."""
    own = [*self.named_parameters(recurse=False), *self.named_buffers(recurse=False)]
    kinds = sorted({str(t.dtype).removeprefix("torch.") for _, t in own})
    return ", ".join([*(f"{name} {tuple(t.shape)}" for name, t in own), *kinds])


def attended(
    h: torch.Tensor, Q: torch.Tensor, K: torch.Tensor, values: torch.Tensor, *, causal: bool = False
) -> torch.Tensor:
    r"""Return :math:`\operatorname{softmax}((hQ^\top)(hK^\top)^\top)v`, shape ``(..., L, c)``.

    Parameters
    ----------
    h, values : tokens ``(..., L, width)`` and ``(..., L, c)``.
    Q, K : query and key matrices, ``(k, width)``.
    causal : whether tokens see only themselves and what comes before.
    """
    scores = (h @ Q.T) @ (h @ K.T).transpose(-1, -2)
    if causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
        scores = scores.masked_fill(later, -math.inf)
    return torch.softmax(scores, dim=-1) @ values


def projections(
    width: int, asks: slice, keys: slice, scale: float, flags: tuple[slice, slice], bonus: float, **place: Any
) -> tuple[torch.Tensor, torch.Tensor]:
    r"""Return query and key matrices ``(k + 1, width)`` of scores ``scale <asks, keys> + bonus [asker][asked]``.

    ``asks`` and ``keys`` are blocks of ``k`` coordinates; ``flags`` are those of the asking and the asked tokens.
    """
    n, (asker, asked) = asks.stop - asks.start, flags
    Q, K = (torch.zeros(n + 1, width, **place) for _ in range(2))
    Q[range(n), range(asks.start, asks.stop)] = scale
    K[range(n), range(keys.start, keys.stop)] = 1
    Q[n, asker], K[n, asked] = bonus, 1
    return Q, K


class TableModule(torch.nn.Module):
    """``forward(values)`` takes ``(n, J, c)`` and returns the means ``(n, Q, c)`` by the softmax of a table."""

    extra_repr = shapes

    def __init__(self, layer: AttentionLayer, dtype: torch.dtype | None = None, device: str = "cpu") -> None:
        super().__init__()
        table = np.array([[float(k) for k in layer.row(q)] for q in range(len(layer.scores))]) / layer.over
        self.scores = torch.nn.Parameter(torch.tensor(float(layer.beta) * table, **placed(dtype, device)))

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Return the outputs of all queries."""
        return torch.softmax(self.scores, dim=-1) @ values
