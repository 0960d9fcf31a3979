r"""Arrays that are used again: a large new one costs a page fault for every 4 kB, more than its arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

SHAPES = 32  # arrays that are kept


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
        found = self.table.index_select(0, (T + offsets).reshape(-1))
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
