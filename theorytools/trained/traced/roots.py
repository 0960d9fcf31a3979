r"""Norms that are written by hand: :math:`x/\sqrt{\operatorname{mean}x^2+\epsilon}`, of a root of a mean of squares.

A square root of what depends on the prompt is no block.  It is kept as what it is the root of, until something is
divided by it; where that is the vector whose squares were averaged, the quotient is a norm, and else it is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from theorytools.blocks.network import Map, Norm, Product
from theorytools.numbers.boxes import Box, exact
from theorytools.trained.traced.forms import (
    NONE,
    Forms,
    Inexpressible,
    Rows,
    grouped,
    inverse,
    picked,
    rows_at,
    stacked,
)
from theorytools.trained.traced.tape import Tape


@dataclass(frozen=True, eq=False)
class Root:
    """An array of square roots, or of their inverses.

    Attributes
    ----------
    of : what they are roots of.
    inverted : whether they are inverse roots.
    """

    of: Forms
    inverted: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor."""
        return self.of.shape

    def __getitem__(self, at: Any) -> Root:
        return Root(self.of[at], self.inverted)

    def reshape(self, *shape: int) -> Root:
        """Return the entries in another shape."""
        return Root(self.of.reshape(*shape), self.inverted)


def divided(tape: Tape, f: Forms, root: Root) -> Forms:
    """Write rows of an array, along its last axis, divided by the roots of the means of their squares.

    Raises
    ------
    Inexpressible : the roots are not those of the rows' own means.
    """
    k = f.shape[-1]
    rows, of = f.reshape(-1, k), root.of.broadcast((*f.shape[:-1], 1)).reshape(-1)
    at, form = rows_at(rows), np.full(rows.shape, NONE, dtype=np.int32)
    parts: list[tuple[Rows, int]] = []
    for own, here in grouped(rows, at, tape.N):
        one = of[here]
        eps = float(one.shift.mid[0])
        alike = (one.form == one.form[0]).all() and (one.shift.mid == eps).all() and not one.shift.rad.any()
        if not (alike and (one.at == at[here]).all() and _squares(tape, picked(one.rows, one.form[:1]), own, k)):
            raise Inexpressible(
                "a division by a root that depends on the prompt, and not on the mean of the vector's own squares",
                "nn.LayerNorm or nn.RMSNorm; or x * rsqrt(mean(x * x) + eps), with the weights behind it",
            )
        out = tape.named("norm")
        tape.blocks.append(Norm(out, own, eps, centred=False))
        form[here] = len(parts) * k + np.arange(k)
        parts.append(({out: exact(np.eye(k))}, k))
    zero = np.zeros(rows.shape)
    found = Forms(stacked(parts), form, np.broadcast_to(at[:, None], rows.shape), Box(zero, zero))
    return found.reshape(*f.shape)


def _squares(tape: Tape, table: Rows, own: Map, k: int) -> bool:
    """Whether a form is the mean of the squares of what a map returns."""
    block = next((block for block in tape.blocks if [block.out] == list(table)), None)
    if not isinstance(block, Product):
        return False
    row, mean = table[block.out][0], inverse(exact(np.array(float(k))))
    read = np.flatnonzero(row.mid)
    # a constant near 1/k has another radius, and is another function
    if len(read) != k or (row.mid[read] != mean.mid).any() or (row.rad[read] != mean.rad).any():
        return False
    if row.rad[row.mid == 0].any():
        return False
    return all(_same(_columns(side, read), own) for side in (block.left, block.right))


def _columns(of: Map, read: Any) -> Map:
    parts = {name: part[read] for name, part in of.parts.items()}
    kept = {name: part for name, part in parts.items() if part.mid.any() or part.rad.any()}
    return Map(kept, of.shift[read])


def _same(one: Map, other: Map) -> bool:
    """Whether two maps are one: weights and radii alike."""
    if set(one.parts) != set(other.parts):
        return False
    pairs = [(one.shift, other.shift), *((one.parts[name], other.parts[name]) for name in one.parts)]
    return all(np.array_equal(a.mid, b.mid) and np.array_equal(a.rad, b.rad) for a, b in pairs)
