r"""The trained architectures as ``torch.nn`` modules: encoded prompts ``(B, N, D_e)`` to predictions ``(B, N)``.

Every module draws its weights from an explicit generator by PyTorch's default laws: uniform on
:math:`\pm\text{fan-in}^{-1/2}` for linear maps, on :math:`\pm\text{width}^{-1/2}` for recurrent ones.
"""

from __future__ import annotations

import torch
from torch import nn


class SeparateAttention(nn.Module):
    r"""One attention layer with separate query, key, value and output maps, then a two-layer ReLU network.

    Scores are :math:`\langle Qz_i,Kz_j\rangle/\sqrt{D_e}`; each of the ``H`` heads has the full width :math:`D_e`, and
    the output map takes their concatenation back to :math:`\mathbb R^{D_e}`.  All maps have biases.
    """

    def __init__(self, D_e: int, heads: int, width: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(D_e, heads * D_e) for _ in range(3))
        self.output = nn.Linear(heads * D_e, D_e)
        self.hidden, self.last = nn.Linear(D_e, width), nn.Linear(width, 1)

    def forward(self, Z: torch.Tensor) -> torch.Tensor:
        """Return the predictions ``(B, N)``."""
        B, N, D = Z.shape
        split = [f(Z).view(B, N, self.heads, D).transpose(1, 2) for f in (self.query, self.key, self.value)]
        weights = torch.softmax(split[0] @ split[1].transpose(-1, -2) / D**0.5, -1)
        attended = self.output((weights @ split[2]).transpose(1, 2).reshape(B, N, self.heads * D))
        return self.last(torch.relu(self.hidden(attended)))[..., 0]


class MergedAttention(nn.Module):
    r"""One attention layer with a matrix :math:`W_{QK}` for each head and no values, as in the theory.

    Head ``h`` returns :math:`\sum_j\pi_{ij}z_j`, :math:`\pi_i=\operatorname{softmax}_j\langle
    z_i,W_{QK}^{(h)}z_j\rangle`; a two-layer ReLU network reads the concatenation of the heads.
    """

    def __init__(self, D_e: int, heads: int, width: int) -> None:
        super().__init__()
        self.scores = nn.ModuleList(nn.Linear(D_e, D_e, bias=False) for _ in range(heads))
        self.hidden, self.last = nn.Linear(heads * D_e, width), nn.Linear(width, 1)

    def forward(self, Z: torch.Tensor) -> torch.Tensor:
        """Return the predictions ``(B, N)``."""
        heads = [torch.softmax(W(Z) @ Z.transpose(-1, -2), -1) @ Z for W in self.scores]
        return self.last(torch.relu(self.hidden(torch.cat(heads, -1))))[..., 0]


class FeedForward(nn.Module):
    r"""A three-layer ReLU network on all encoded tokens at once, hidden widths :math:`Ndq` and ``width``."""

    def __init__(self, N: int, d: int, q: int, D_e: int, width: int) -> None:
        super().__init__()
        self.first, self.second, self.last = (
            nn.Linear(N * D_e, N * d * q),
            nn.Linear(N * d * q, width),
            nn.Linear(width, N),
        )

    def forward(self, Z: torch.Tensor) -> torch.Tensor:
        """Return the predictions ``(B, N)``."""
        return self.last(torch.relu(self.second(torch.relu(self.first(Z.flatten(1))))))


class Recurrent(nn.Module):
    r"""A bidirectional GRU, LSTM or ReLU network and a linear map of the two states after token ``i``."""

    def __init__(self, kind: str, D_e: int, width: int) -> None:
        super().__init__()
        settings = {"batch_first": True, "bidirectional": True}
        cell = {"gru": nn.GRU, "lstm": nn.LSTM}.get(kind)
        self.cell = cell(D_e, width, **settings) if cell else nn.RNN(D_e, width, nonlinearity="relu", **settings)
        self.last = nn.Linear(2 * width, 1)

    def forward(self, Z: torch.Tensor) -> torch.Tensor:
        """Return the predictions ``(B, N)``."""
        return self.last(self.cell(Z)[0])[..., 0]


def reset(module: nn.Module, rng: torch.Generator) -> nn.Module:
    """Draw all weights again, in the order of the module's parameters, by PyTorch's default laws."""
    for part in module.modules():
        if isinstance(part, nn.Linear):
            reach = part.in_features**-0.5
        elif isinstance(part, nn.RNNBase):
            reach = part.hidden_size**-0.5
        else:
            continue
        with torch.no_grad():
            for weights in part.parameters(recurse=False):
                weights.uniform_(-reach, reach, generator=rng)
    return module
