r"""Stacked attention networks with a backward pass written by hand.

Both networks are one function of two products of their weights.  With a trailing one in every encoded token,
:math:`\hat z=(z,1)`, biases are columns, and

.. math:: S^{(h)}_{ij}=\hat z_i^\top G_h\hat z_j,\qquad c_i=\bigl(\textstyle\sum_j\operatorname{softmax}_j(S^{(h)}_{ij})
          \hat z_j\bigr)_h,\qquad f_i=\langle w,(Ac_i)_+\rangle+b .

Separate maps have :math:`G_h=\hat W_{Q,h}^\top\hat W_{K,h}/\sqrt{D_e}` and :math:`A_h=W(W_{O,h}\hat W_{V,h})` with the
biases of the output and hidden maps in the last column of :math:`A_1`, because the weights of a softmax sum to one.
So a token costs :math:`D_e^2` for the scores instead of :math:`2D_e^2`, nothing for values and output, and the
gradients of the factors follow from those of :math:`G` and :math:`A` by products of weights alone.

Arrays are used again from step to step: a large new one costs a page fault for every 4 kB, more than its arithmetic.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from theorytools.papers.qstr.training.costs import TOKENS
from theorytools.papers.qstr.training.stacks.stacked import Stacked

SHAPES = 32  # arrays that are kept
RANGE = 60  # exp(60) and 10^12 of them are far within float32; a maximum over short rows costs more than all else
MAPS = ("query", "key", "value")
bmm = torch.bmm


class Workspace:
    """One vector for each name, as large as it was ever asked for."""

    def __init__(self, like: torch.Tensor) -> None:
        self.like = like
        self.vectors: dict[str, torch.Tensor] = {}

    def __call__(self, name: str, *shape: int) -> torch.Tensor:
        """Return an array of that shape with any content; the last one of that name is overwritten."""
        size = math.prod(shape)
        if name not in self.vectors or self.vectors[name].numel() < size:
            self.vectors[name] = self.like.new_empty(size)
        return self.vectors[name][:size].view(shape)


class Inputs:
    r"""Encoded tokens :math:`(x_i,\omega_i,\omega_{t_{i1}},\dots,\omega_{t_{iq}},1)` of stacked members' prompts.

    What no prompt changes is written once.

    Parameters
    ----------
    codes : the members' codes, shape ``(M, N, d_e)``.
    d, q : token dimension, indices per position.
    constant : whether the columns that no prompt changes are written: the codes of the positions and the one.
    """

    def __init__(self, codes: torch.Tensor, d: int, q: int, *, constant: bool = True) -> None:
        self.codes, self.d, self.q, self.constant = codes, d, q, constant
        M, N, d_e = codes.shape
        self.width = d + q * d_e + (d_e + 1 if constant else 0)
        self.table = codes.reshape(M * N, d_e)
        self.offsets = torch.arange(M, device=codes.device)[:, None, None, None] * N
        self.space = Workspace(codes)
        self.arrays: dict[tuple[int | None, int], torch.Tensor] = {}

    def __call__(self, X: torch.Tensor, T: torch.Tensor, members: Sequence[int] | None = None) -> torch.Tensor:
        """Return the prompts ``(M, B, N, width)``, valid until the next call for the same members and as many."""
        M, B, N, _ = X.shape
        Z = self._array(B, members)
        offsets = self.offsets if members is None else self.offsets[list(members)]
        Z[..., : self.d].copy_(X)
        low = self.width - self.constant - self.q * self.codes.shape[2]
        found = self.table.index_select(0, (T + offsets).reshape(-1))  # the sum has the offsets' 64 bits
        Z[..., low : self.width - self.constant].copy_(found.view(M, B, N, -1))
        return Z

    def _array(self, B: int, members: Sequence[int] | None) -> torch.Tensor:
        N = self.codes.shape[1]
        if members is not None and len(members) > 1:
            return self._constants(self.space("some", len(members), B, N, self.width), self.codes[list(members)])
        key = None if members is None else members[0]
        Z = self.arrays.pop((key, B), None)
        if Z is None:
            if len(self.arrays) >= SHAPES:
                del self.arrays[next(iter(self.arrays))]  # the one that was not asked for the longest
            codes = self.codes if key is None else self.codes[key : key + 1]
            Z = self._constants(codes.new_empty(len(codes), B, N, self.width), codes)
        self.arrays[key, B] = Z
        return Z

    def _constants(self, Z: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
        if self.constant:
            Z[..., -1] = 1
            Z[..., self.d : self.d + codes.shape[2]] = codes[:, None]
        return Z


class StackedAttention(Stacked):
    """The common function of ``G`` ``(M, D, H D)`` and ``A`` ``(M, width, H D)``, with ``D`` including the one."""

    def _adopt(self, flat: torch.Tensor, state: dict[str, torch.Tensor] | None = None) -> None:
        super()._adopt(flat, state)
        self.inputs, self.space = Inputs(self.codes, self.experiment.d, self.experiment.q), Workspace(flat)
        if flat.device.type == "cpu":
            self.block = max(1, TOKENS // self.experiment.N)
        self.combined: dict[tuple[int, ...] | None, tuple[torch.Tensor, ...]] = {}

    @abstractmethod
    def combine(self, weights: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Return ``G``, ``A`` and whatever else :meth:`separate` needs."""

    @abstractmethod
    def separate(self, dG: torch.Tensor, dA: torch.Tensor, made: tuple[torch.Tensor, ...]) -> None:
        """Write the gradients of what ``G`` and ``A`` are made of."""

    def chosen(self, members: Sequence[int] | None) -> tuple[dict[str, torch.Tensor], tuple[torch.Tensor, ...]]:
        """Return the weights of some members and what :meth:`combine` made of them, once between two steps."""
        key = None if members is None else tuple(members)
        weights = {name: w[self.rows(members)] for name, w in self.weights.items()}
        if key not in self.combined:
            self.combined[key] = self.combine(weights)
        return weights, self.combined[key]

    def forward(
        self, X: torch.Tensor, T: torch.Tensor, members: Sequence[int] | None = None, *, keep: bool = False
    ) -> torch.Tensor:
        """Return the predictions ``(M, B, N)``."""
        Z = self.inputs(X, T, members)
        weights, made = self.chosen(members)
        G, A = made[:2]
        M, B, N, D = Z.shape
        H, space, prompts = G.shape[2] // D, self.space, Z.view(M * B, N, D)
        queries = bmm(Z.view(M, B * N, D), G, out=space("queries", M, B * N, H * D)).view(M * B, N * H, D)
        E = _exponentials(bmm(queries, prompts.transpose(1, 2), out=space("E", M * B, N * H, N)))
        C = bmm(E, prompts, out=space("C", M * B, N * H, D))
        scale = C[:, :, -1:].reciprocal()  # the ones of the tokens add up to the sum of the exponentials
        C = C.mul_(scale).view(M, B * N, H * D)
        R = bmm(C, A.transpose(1, 2), out=space("R", M, B * N, A.shape[1])).relu_()
        last = weights["last"]
        y = bmm(R, last[:, 0, :-1, None]).view(M, B, N).add_(last[:, :, -1:])
        if keep:
            self.kept, self.made = (Z, E, C, scale, R), made
        return y

    def backward(self, gradient: torch.Tensor) -> None:
        r"""Write the gradient.

        With the active units :math:`b_i\in\{0,1\}^{\text{width}}` and :math:`\gamma_i=\partial L/\partial f_i`,

        .. math:: \partial A=\operatorname{diag}(w)\sum_ib_i\gamma_ic_i^\top,\qquad
                  \partial c_i=\gamma_iA^\top\operatorname{diag}(w)b_i,\qquad
                  \partial S_{ij}=\pi_{ij}\langle\partial c_i-\langle\partial c_i,c_i\rangle e,\hat z_j\rangle,

        with :math:`e` the coordinate of the ones: no array as large as the hidden layer is scaled, and the sums of the
        softmax's derivative are taken before there are :math:`N^2` terms.
        """
        (Z, E, C, scale, R), A, space = self.kept, self.made[1], self.space
        M, B, N, D = Z.shape
        rows, prompts = gradient.reshape(M, 1, B * N), Z.view(M * B, N, D)
        last, d_last = self.weights["last"], self.gradients["last"]
        d_last[:, :, :-1] = bmm(rows, R)
        d_last[:, :, -1] = rows.sum(-1)
        active, w, column = R.sign_(), last[:, 0, :-1, None], rows.transpose(1, 2)
        scaled = torch.mul(C, column, out=space("scaled", *C.shape))
        dA = bmm(scaled.transpose(1, 2), active).transpose(1, 2) * w
        dC = bmm(active, A * w, out=space("dC", *C.shape)).view(M, B * N, -1, D)
        dC.mul_(column[:, :, None] * scale.view(M, B * N, -1, 1))
        dC[..., -1] -= torch.mul(dC, C.view(dC.shape), out=scaled.view(dC.shape)).sum(-1)
        dS = bmm(dC.view(M * B, -1, D), prompts.transpose(1, 2), out=space("dS", *E.shape)).mul_(E)
        dQ = bmm(dS, prompts, out=space("queries", M * B, dS.shape[1], D)).view(M, B * N, -1)
        dG = bmm(Z.view(M, B * N, D).transpose(1, 2), dQ)
        self.separate(dG, dA, self.made)
        self.combined.clear()


def _exponentials(scores: torch.Tensor) -> torch.Tensor:
    """Return, in place, exponentials that are proportional in every row to those of the scores."""
    least, greatest = scores.aminmax() if scores.device.type == "cpu" else (0, math.inf)
    if not max(-least, greatest) < RANGE:
        scores -= scores.amax(-1, keepdim=True)
    return scores.exp_()


class StackedSeparate(StackedAttention):
    """Members with separate query, key, value and output maps; a map and its bias lie as ``(out, in + 1)``."""

    def layout(self, module: nn.Module) -> dict[str, torch.Size]:
        """Return one view for each linear map."""
        maps = [(name, part) for name, part in module.named_modules() if isinstance(part, nn.Linear)]
        return {name: torch.Size((part.out_features, part.in_features + 1)) for name, part in maps}

    def store(self, views: dict[str, torch.Tensor], module: nn.Module) -> None:
        """Copy a plain module's weights into one member's views."""
        for name, part in module.named_modules():
            if isinstance(part, nn.Linear):
                views[name][:, :-1], views[name][:, -1] = part.weight, part.bias

    def load(self, member: int, module: nn.Module) -> nn.Module:
        """Copy the weights of one member into a plain module and return it."""
        with torch.no_grad():
            for name, part in module.named_modules():
                if isinstance(part, nn.Linear):
                    part.weight.copy_(self.weights[name][member, :, :-1])
                    part.bias.copy_(self.weights[name][member, :, -1])
        return module

    def _heads(self, views: dict[str, torch.Tensor]) -> list[torch.Tensor]:
        r"""Return :math:`\hat W_Q,\hat W_K,\hat W_V`, as ``(M H, D_e, D_e + 1)``."""
        return [views[name].view(-1, self.experiment.D_e, self.experiment.D_e + 1) for name in MAPS]

    def _output(self, views: dict[str, torch.Tensor]) -> torch.Tensor:
        r"""Return :math:`W_O` as ``(M, H, D_e, D_e)``."""
        return views["output"][:, :, :-1].unflatten(2, (self.experiment.heads, -1)).transpose(1, 2)

    def combine(self, weights: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        r"""Return ``G``, ``A``, :math:`W_{O,h}\hat W_{V,h}` with the output's bias, :math:`W_O` and the hidden map."""
        query, key, value = self._heads(weights)
        H, D, hidden = self.experiment.heads, self.experiment.D_e, weights["hidden"]
        G = torch.baddbmm(query[:, :1, :1], query.mT, key, beta=0, alpha=D**-0.5)
        output = self._output(weights).reshape(-1, D, D)
        U = bmm(output, value)
        U[::H, :, -1] += weights["output"][:, :, -1]
        linear = hidden[:, :, :-1] if H == 1 else hidden[:, :, :-1].repeat_interleave(H, 0)
        A = bmm(linear, U)
        A[::H, :, -1] += hidden[:, :, -1]
        return self._side_by_side(G), self._side_by_side(A), U, output, linear

    def _side_by_side(self, heads: torch.Tensor) -> torch.Tensor:
        """Return ``(M, rows, H D)`` for ``(M H, rows, D)``."""
        H = self.experiment.heads
        return heads if H == 1 else heads.unflatten(0, (-1, H)).transpose(1, 2).flatten(2)

    def _apart(self, gradient: torch.Tensor) -> torch.Tensor:
        """Return ``(M H, rows, D)`` for ``(M, rows, H D)``."""
        H = self.experiment.heads
        return gradient if H == 1 else gradient.unflatten(2, (H, -1)).transpose(1, 2).flatten(0, 1)

    def separate(self, dG: torch.Tensor, dA: torch.Tensor, made: tuple[torch.Tensor, ...]) -> None:
        """Write the gradients of the six maps."""
        query, key, value = self._heads(self.weights)
        d_query, d_key, d_value = self._heads(self.gradients)
        d_hidden, (U, output, linear) = self.gradients["hidden"], made[2:]
        H, D = self.experiment.heads, self.experiment.D_e
        dG, dA = self._apart(dG.mul_(D**-0.5)), self._apart(dA)
        bmm(key, dG.mT, out=d_query)
        bmm(query, dG, out=d_key)
        d_linear = bmm(dA, U.mT)
        d_hidden[:, :, :-1] = d_linear if H == 1 else d_linear.unflatten(0, (-1, H)).sum(1)
        d_hidden[:, :, -1] = dA[::H, :, -1]
        dU = bmm(linear.mT, dA)
        bmm(output.mT, dU, out=d_value)
        self._output(self.gradients).copy_(bmm(dU, value.mT).unflatten(0, (-1, H)))
        self.gradients["output"][:, :, -1] = dU[::H, :, -1]


class StackedMerged(StackedAttention):
    r"""Members with one matrix a head, :math:`G_h=W_{QK}^{(h)\top}`, and a network on the heads' concatenation."""

    def layout(self, module: nn.Module) -> dict[str, torch.Size]:
        """Return the heads' matrices as one view, and one view for each linear map with a bias."""
        D, heads = self.experiment.D_e, self.experiment.heads
        width = self.experiment.width
        return {
            "scores": torch.Size((heads, D, D)),
            "hidden": torch.Size((width, heads * D + 1)),
            "last": torch.Size((1, width + 1)),
        }

    def store(self, views: dict[str, torch.Tensor], module: nn.Module) -> None:
        """Copy a plain module's weights into one member's views."""
        for view, weights in self._pairs(views, module):
            view.copy_(weights)

    def load(self, member: int, module: nn.Module) -> nn.Module:
        """Copy the weights of one member into a plain module and return it."""
        with torch.no_grad():
            for view, weights in self._pairs({name: w[member] for name, w in self.weights.items()}, module):
                weights.copy_(view)
        return module

    def _pairs(self, views: dict[str, torch.Tensor], module: Any) -> list[tuple[torch.Tensor, torch.Tensor]]:
        pairs = [(views["scores"][h], head.weight) for h, head in enumerate(module.scores)]
        for name, part in (("hidden", module.hidden), ("last", module.last)):
            pairs += [(views[name][:, :-1], part.weight), (views[name][:, -1], part.bias)]
        return pairs

    def combine(self, weights: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Return ``G`` and ``A``: zeros go with the trailing ones, but for the bias of the hidden map."""
        scores, hidden = weights["scores"], weights["hidden"]
        H, D = scores.shape[1:3]
        G = nn.functional.pad(scores.transpose(2, 3), (0, 1, 0, 1))
        A = nn.functional.pad(hidden[:, :, :-1].unflatten(2, (H, D)), (0, 1))
        A[:, :, 0, -1] = hidden[:, :, -1]
        return G.transpose(1, 2).flatten(2), A.flatten(2)

    def separate(self, dG: torch.Tensor, dA: torch.Tensor, made: tuple[torch.Tensor, ...]) -> None:
        """Write the gradients of the heads' matrices and of the hidden map."""
        d_scores, d_hidden = self.gradients["scores"], self.gradients["hidden"]
        H, D = d_scores.shape[1:3]
        d_scores.copy_(dG.unflatten(2, (H, D + 1))[:, :D, :, :D].permute(0, 2, 3, 1))
        dA = dA.unflatten(2, (H, D + 1))
        d_hidden[:, :, :-1].unflatten(2, (H, D)).copy_(dA[..., :D])
        d_hidden[:, :, -1] = dA[:, :, 0, -1]
