r"""The recurrent constructions as torch modules: ``forward(X, T)`` from tokens and indices to predictions.

Tokens ``X`` have shape ``(n, N, d)``, integer indices ``T`` shape ``(n, N, q)``, predictions ``(n, N)``;
``states(X, T)`` returns both states, each ``(n, N, d_h)``.  Integers below :math:`2^{53}` (float32: :math:`2^{24}`) are
treated exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from theorytools.constructions.recurrent.position_tracker import Integers, Numbers, PositionTracker
from theorytools.constructions.torch.layer import checked_places, placed, shapes
from theorytools.optional import require

if TYPE_CHECKING:
    import torch

    from theorytools.constructions.recurrent.simple_retrieval import SimpleRetrievalRNN
    from theorytools.constructions.recurrent.store_all import StoreAllRNN
else:
    torch = require("torch")


Layers = Sequence[tuple[Numbers, Numbers | None]]


def relu_network(layers: Layers, dtype: torch.dtype, device: str) -> torch.nn.Sequential:
    """Return the ReLU network with the given weights and biases (None: zeros); the last layer has no bias."""
    parts: list[torch.nn.Module] = []
    for k, (W, b) in enumerate(layers, start=1):
        linear = torch.nn.Linear(W.shape[1], W.shape[0], bias=k < len(layers), dtype=dtype, device=device)
        with torch.no_grad():
            linear.weight.copy_(torch.tensor(W))
            if k < len(layers):
                linear.bias.copy_(torch.tensor(np.zeros(len(W)) if b is None else b))
        parts += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*parts[:-1])


class RecurrentModule(torch.nn.Module):
    r"""A bidirectional recurrent network on sign codes, :math:`h_{j+1}=\Pi_{r_h}(h_j+f(h_j,z_j))`.

    Parameters, all trainable: weights and biases of ``forward_map``, ``backward_map`` (one network for each direction,
    on :math:`(h,z)`) and ``readout`` (on :math:`(h^\to,h^\leftarrow,z)`), those that the construction sets to zero
    included.  Buffers: ``signs``, the codes of the positions; ``kept``, shape ``(2, d_h)``, 0 for slots that a state
    does not have.  The radius is a constant.
    """

    signs: torch.Tensor
    kept: torch.Tensor

    extra_repr = shapes

    def __init__(
        self, signs: Integers, transition: Layers, readout: Layers, kept: Integers, radius2: float,
        *, dtype: torch.dtype, device: str,
    ) -> None:  # fmt: skip
        super().__init__()
        self.radius2 = radius2
        self.register_buffer("signs", torch.tensor(signs, dtype=dtype, device=device))
        self.register_buffer("kept", torch.tensor(kept, dtype=dtype, device=device))
        self.forward_map = relu_network(transition, dtype, device)
        self.backward_map = relu_network(transition, dtype, device)
        self.readout = relu_network(readout, dtype, device)

    def embed(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return the encoded tokens, shape ``(n, N, D_e)``."""
        checked_places(T, len(self.signs))
        own = self.signs.expand(X.shape[0], -1, -1)
        return torch.cat([X, own, *(self.signs[T[..., l]] for l in range(T.shape[-1]))], dim=-1)

    def states(self, X: torch.Tensor, T: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the forward and the backward states, each ``(n, N, d_h)``."""
        Z = self.embed(X, T)
        backward = self._pass(self.backward_map, Z.flip(1), self.kept[1])
        return self._pass(self.forward_map, Z, self.kept[0]), backward.flip(1)

    def _pass(self, transition: torch.nn.Module, Z: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        h = Z.new_zeros(Z.shape[0], len(kept))
        found = [h]
        for j in range(Z.shape[1] - 1):
            h = h + kept * transition(torch.cat([h, Z[:, j]], dim=-1))
            square = (h * h).sum(dim=-1, keepdim=True).clamp(min=self.radius2)
            h = h * (self.radius2 / square).sqrt()  # the factor is exactly 1 inside the ball
            found.append(h)
        return torch.stack(found, dim=1)

    def forward(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return the predictions, shape ``(n, N)``."""
        out: torch.Tensor = self.readout(torch.cat([*self.states(X, T), self.embed(X, T)], dim=-1))
        return out.squeeze(-1)


def tracker_module(net: PositionTracker, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Sequential:
    """Return the transition network of a tracker; its input is ``(h, z)``, shape ``(…, q d + D_e)``."""
    place, parts = placed(dtype, device), list[torch.nn.Module]()
    for W in net.layers:
        linear = torch.nn.Linear(W.shape[1], W.shape[0], bias=False, **place)
        linear.weight = torch.nn.Parameter(torch.tensor(W, **place))
        parts += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*parts[:-1])


def simple_retrieval_module(
    net: SimpleRetrievalRNN, dtype: torch.dtype | None = None, device: str = "cpu"
) -> RecurrentModule:
    """Return the module of a construction (float64 unless another type is asked for)."""
    first, second, third, last = net.readout
    readout = [(first, None), (second, None), (third, np.asarray(net.head.b)), (last, None)]
    transition: Layers = [(W, None) for W in net.tracker.layers]
    return RecurrentModule(
        net.tracker.signs, transition, readout, np.ones((2, net.tracker.q * net.tracker.d), dtype=np.int64),
        float(net.radius) ** 2, **placed(dtype, device),
    )  # fmt: skip


def store_all_module(net: StoreAllRNN, dtype: torch.dtype | None = None, device: str = "cpu") -> RecurrentModule:
    """Return the module of a construction (float64 unless another type is asked for)."""
    (rows, bias), last = net.writer
    rows = np.hstack([np.zeros((len(rows), net.N), dtype=rows.dtype), rows])  # weights on the state: zero
    return RecurrentModule(
        net.signs, [(rows, bias), last], net.readout, net.kept, float(net.radius2),
        **placed(dtype, device),
    )  # fmt: skip
