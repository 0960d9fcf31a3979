"""Blocks are written down as they are met, each with a field for what it computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from theorytools.blocks.network import Activation, Block, Flatten, Kind, Map, Norm, Product, Recur
from theorytools.numbers.boxes import UNIT, Array, Box, exact
from theorytools.trained.traced.forms import (
    NONE,
    Forms,
    Inexpressible,
    Rows,
    columns,
    grouped,
    map_of,
    picked,
    reading,
    rows_at,
    stacked,
    together,
)


@dataclass(eq=False)
class Tape:
    """The blocks of a network that is being traced.

    Attributes
    ----------
    N : the number of positions.
    blocks : what has been written.
    names : how many fields of each kind there are.
    """

    N: int
    blocks: list[Block] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)

    def named(self, kind: str) -> str:
        """Return a new name for a field."""
        self.names[kind] = self.names.get(kind, 0) + 1
        return f"{kind}{self.names[kind]}"

    def activation(self, kind: Kind, f: Forms) -> Forms:
        """Write a function of one number; constants must have been taken out."""
        flat = self._flat(f)
        column, first = columns(flat.at, flat.form)
        out = self.named(kind)
        self.blocks.append(Activation(out, kind, map_of(flat, flat.at, column, first, self.N)))
        return reading(out, column.reshape(f.shape), f.at, len(first))

    def product(self, f: Forms, g: Forms) -> Forms:
        """Write the product of two arrays, entry by entry."""
        shape = np.broadcast_shapes(f.shape, g.shape)
        f, g = f.broadcast(shape), g.broadcast(shape)
        at = together(f.at, g.at).reshape(-1)
        one, two = self._flat(f), self._flat(g)
        code = (one.form + 1).astype(np.int64) * (int(two.form.max()) + 2) + two.form + 1
        column, first = columns(at, code)
        out = self.named("product")
        left, right = (map_of(part, at, column, first, self.N) for part in (one, two))
        self.blocks.append(Product(out, left, right))
        return reading(out, column.reshape(shape), at.reshape(shape), len(first))

    def norm(self, f: Forms, eps: float, centred: bool = True) -> Forms:
        """Write the norms of the rows of an array, along its last axis."""
        k = f.shape[-1]
        rows = f.reshape(-1, k)
        at = rows_at(rows)
        if (at < 0).any():
            raise Inexpressible("a norm of constants", "norm them once, and store them in a buffer")
        parts: list[tuple[Rows, int]] = []
        form = np.full(rows.shape, NONE, dtype=np.int32)
        for of, here in grouped(rows, at, self.N):
            out = self.named("norm")
            self.blocks.append(Norm(out, of, eps, centred))
            form[here] = len(parts) * k + np.arange(k)
            parts.append(({out: exact(np.eye(k))}, k))
        repeated = np.broadcast_to(at[:, None], rows.shape)
        zero = np.zeros(rows.shape)
        return Forms(stacked(parts), form, repeated, Box(zero, zero)).reshape(*f.shape)

    def recur(self, kind: str, f: Forms, weights: dict[str, Array], reverse: bool) -> Forms:
        """Write a recurrent cell on an array ``(1, N, width)``."""
        rows = f.reshape(-1, f.shape[-1])
        own = rows_at(rows)
        at = np.where(own < 0, np.arange(len(own)), own).astype(np.int32)
        maps = grouped(rows, at, self.N) if f.shape[:2] == (1, self.N) else []
        if len(maps) != 1 or (at != np.arange(self.N)).any():
            raise Inexpressible(
                "a recurrent layer that does not go once over all positions in their order",
                "cell(Z) on the whole prompt, batch_first=True or transposed; flip the states, not the input",
            )
        out = self.named(kind)
        self.blocks.append(Recur(out, kind, maps[0][0], weights, reverse))  # type: ignore[arg-type]
        width = weights["weight_hh"].shape[1]
        form = np.broadcast_to(np.arange(width), (1, self.N, width))
        return reading(out, form, np.broadcast_to(at[None, :, None], form.shape), width)

    def contracted(self, f: Forms, B: Box) -> Forms:
        """Return products of rows that read several positions with numbers, by one vector for the prompt.

        Parameters
        ----------
        f : the forms, shape ``(P, n, k)``.
        B : the numbers, shape ``(P, k, m)``.
        """
        if (f.at == self.N).any():
            raise Inexpressible(
                "numbers of the whole prompt are combined with those of a position", "one map of Z.flatten(1) for both"
            )
        used = np.unique(f.form[f.form >= 0])
        of = Map(picked(f.rows, used), exact(np.zeros(len(used))))
        out, width = self.named("prompt"), self.N * len(used)
        self.blocks.append(Flatten(out, of))
        P, n, m = f.shape[0], f.shape[1], B.shape[2]
        if P * n * m * width > 2**25:
            raise Inexpressible(
                f"a map of {width} numbers of the prompt to {P * n * m}", "at most 33 million weights on the prompt"
            )
        rows = Box(np.zeros((P * n * m, width)), np.zeros((P * n * m, width)))
        shift = Box(np.zeros((P, n, m)), np.zeros((P, n, m)))
        for p in range(P):
            for i in range(n):
                one, row = f[p, i], slice((p * n + i) * m, (p * n + i + 1) * m)
                read = one.form >= 0
                column = one.at[read] * len(used) + np.searchsorted(used, one.form[read])
                _scatter(rows[row], column, B[p][read])
                part = (one.shift.reshape(1, -1)) @ B[p]
                shift.mid[p, i], shift.rad[p, i] = part.mid[0], part.rad[0]
        if not f.shift.mid.any() and not f.shift.rad.any():
            shift = exact(np.zeros((P, n, m)))
        form = np.arange(P * n * m, dtype=np.int32).reshape(P, n, m)
        return Forms({out: rows}, form, np.full_like(form, self.N), shift)

    def _flat(self, f: Forms) -> Forms:
        flat = f.reshape(-1)
        if (flat.at == self.N).any() and ((flat.at >= 0) & (flat.at < self.N)).any():
            raise Inexpressible(
                "numbers of the whole prompt are combined with those of a position", "one map of Z.flatten(1) for both"
            )
        return flat


def _scatter(rows: Box, column: NDArray[np.int64], B: Box) -> None:
    """Add columns ``B[k]`` at ``column[k]``; sums of c of them are off by (c+1)u times the sum of moduli."""
    several = len(np.unique(column)) < len(column)
    if not several:
        rows.mid[:, column], rows.rad[:, column] = B.mid.T, B.rad.T
        return
    size = np.zeros_like(rows.mid)
    np.add.at(rows.mid.T, column, B.mid)
    np.add.at(rows.rad.T, column, B.rad)
    np.add.at(size.T, column, np.abs(B.mid))
    count = np.bincount(column, minlength=rows.shape[1])
    rows.rad[...] = (rows.rad + (count > 1) * (count + 1) * UNIT * size) * (1 + (count + 4) * 4 * UNIT)


def joined(arrays: Sequence[Forms]) -> Forms:
    """Return several arrays as one flat one."""
    tables = [(a.rows, max((len(b.mid) for b in a.rows.values()), default=0)) for a in arrays]
    begin = np.cumsum([0, *(count for _, count in tables)])
    form = [np.where(a.form < 0, NONE, a.form + b).ravel() for a, b in zip(arrays, begin, strict=False)]
    shift = Box(
        np.concatenate([a.shift.mid.ravel() for a in arrays]), np.concatenate([a.shift.rad.ravel() for a in arrays])
    )
    at = np.concatenate([a.at.ravel() for a in arrays])
    return Forms(stacked(tables), np.concatenate(form).astype(np.int32), at, shift)
