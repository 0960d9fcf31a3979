"""Softmax attention in torch: one function for all modules, and the module of a table of scores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from theorytools.constructions.torch.strings import placed
from theorytools.optional import require

if TYPE_CHECKING:
    from theorytools.constructions.attention.layer import AttentionLayer

torch = require("torch")


def attend(
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


class TableModule(torch.nn.Module):
    """``forward(values)`` takes ``(n, J, c)`` and returns the means ``(n, Q, c)`` by the softmax of a table."""

    def __init__(self, layer: AttentionLayer, dtype: torch.dtype | None = None, device: str = "cpu") -> None:
        super().__init__()
        table = np.array([[float(k) for k in layer.row(q)] for q in range(len(layer.scores))]) / layer.over
        self.scores = torch.nn.Parameter(torch.tensor(float(layer.beta) * table, **placed(dtype, device)))

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Return the outputs of all queries."""
        return torch.softmax(self.scores, dim=-1) @ values
