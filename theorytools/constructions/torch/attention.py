"""The block attention as a trainable torch module.

Few heads with a quadratic readout as a trainable torch module.

The two-layer look-up as a trainable torch module.

Sparse token selection as a trainable torch module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from theorytools.constructions.torch.layer import placed, shapes
from theorytools.errors import DomainError
from theorytools.optional import require

if TYPE_CHECKING:
    import torch

    from theorytools.constructions.attention.block import BlockAttention
    from theorytools.constructions.attention.few_heads.block_diagonal import FewHeads
    from theorytools.constructions.attention.selector import SparseSelector
    from theorytools.constructions.attention.two_hop import TwoStepAttention
else:
    torch = require("torch")


class AttentionModule(torch.nn.Module):
    """Single-layer attention with merged query-key matrices and a two-layer ReLU head.

    ``forward(X, T)`` takes tokens ``(n, N, d)`` and indices ``(n, N, q)`` and returns the retrieved tokens
    ``(n, N, H, d)``, or the labels ``(n, N)`` when there is a head.
    """

    omega: torch.Tensor

    extra_repr = shapes

    def __init__(self, net: BlockAttention, dtype: torch.dtype | None = None, device: str = "cpu") -> None:
        super().__init__()
        self.d, self.q = net.d, net.q
        place = placed(dtype, device)
        omega = net.codes.matrix() * np.sqrt(float(net.squared_scale))
        self.register_buffer("omega", torch.tensor(omega, **place))
        heads = range(len(net.wiring))
        self.W_QK = torch.nn.Parameter(torch.tensor(np.stack([net.W_QK(h) for h in heads]), **place))
        self.has_head = net.head is not None
        if net.head is not None:
            self.a = torch.nn.Parameter(torch.tensor(net.head.a, **place))
            self.W = torch.nn.Parameter(torch.tensor(net.head.W, **place))
            self.b = torch.nn.Parameter(torch.tensor(net.head.b, **place))

    def embed(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return the embedded prompts, shape ``(n, N, D_e)``."""
        self._admit(X, T)
        own = self.omega.expand(X.shape[0], -1, -1)
        return torch.cat([X, own, *(self.omega[T[:, :, h]] for h in range(self.q))], dim=2)

    def _admit(self, X: torch.Tensor, T: torch.Tensor) -> None:
        N = self.omega.shape[0]
        fits = X.ndim == T.ndim == 3 and X.shape[1:] == (N, self.d) and T.shape == (X.shape[0], N, self.q)
        if not fits or T.is_floating_point() or X.dtype != self.omega.dtype:
            wanted = f"tokens (n, {N}, {self.d}) of {self.omega.dtype}, indices (n, {N}, {self.q})"
            raise DomainError(
                f"tokens {tuple(X.shape)} of {X.dtype}, indices {tuple(T.shape)} of {T.dtype}",
                required=f"{wanted}, integers from 0",
                why="the weights are made for these sizes", advice="X.to(module.W_QK.dtype), T.long()",
            )  # fmt: skip

    def attend(self, Z: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return the means of values ``(n, N, c)`` by every head's weights, shape ``(n, N, H, c)``."""
        scores = torch.einsum("nid,hde,nje->nhij", Z, self.W_QK, Z)
        return torch.einsum("nhij,njk->nihk", torch.softmax(scores, dim=-1), values)

    def forward(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return retrieved tokens, or labels when there is a head."""
        tokens = self.attend(self.embed(X, T), X)
        if not self.has_head:
            return tokens
        return torch.relu(tokens.flatten(2) @ self.W.T + self.b) @ self.a


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


class TwoStepModule(torch.nn.Module):
    r"""Two attention layers on tokens of width :math:`d+3d_e`, the first with a residual and a value matrix.

    ``forward(X, T)`` takes tokens ``(n, N, d)`` and pointers ``(n, N)`` and returns the retrieved tokens ``(n, N, d)``.
    """

    omega: torch.Tensor

    extra_repr = shapes

    def __init__(self, net: TwoStepAttention, dtype: torch.dtype | None = None, device: str = "cpu") -> None:
        super().__init__()
        place = placed(dtype, device)
        self.d, k = net.d, net.codes.d_e
        D = self.d + 3 * k
        own, index, free = (slice(self.d + n * k, self.d + (n + 1) * k) for n in range(3))
        slots = {"own": own, "index": index, "free": free}
        self.register_buffer("omega", torch.tensor(net.codes.matrix() * self.d**0.5, **place))
        W = torch.zeros(2, D, D, **place)  # rows: query side
        # <z_i, W_1 z_j> = beta_1 <omega_{t_i}, omega_j>: codes carry the factor sqrt(d)
        W[0, index, own] = torch.eye(k, **place) * (float(net.beta_1) / self.d)
        W[1, slots[net.asked], own] = torch.eye(k, **place) * (float(net.beta_2) / self.d)
        self.W_QK = torch.nn.Parameter(W)
        V = torch.zeros(D, D, **place)
        V[free, slots[net.handed]] = torch.eye(k, **place)
        self.W_V = torch.nn.Parameter(V)

    def embed(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return the embedded prompts, shape ``(n, N, d + 3 d_e)``."""
        own = self.omega.expand(len(X), -1, -1)
        return torch.cat([X, own, self.omega[T], torch.zeros_like(own)], dim=2)

    def forward(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return the retrieved tokens."""
        Z = self.embed(X, T)
        Z = Z + torch.softmax(Z @ self.W_QK[0] @ Z.mT, dim=-1) @ Z @ self.W_V.T
        return (torch.softmax(Z @ self.W_QK[1] @ Z.mT, dim=-1) @ Z)[..., : self.d]


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


def selector_module(net: SparseSelector, *, dtype: torch.dtype | None = None, device: str = "cpu") -> SelectorModule:
    """Return the module of a construction (float64 unless another type is asked for)."""
    place = placed(dtype, device)
    return SelectorModule(torch.tensor(net.V.astype(float), **place), torch.tensor(net.W, **place))
