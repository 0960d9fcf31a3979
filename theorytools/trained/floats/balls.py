r"""Rows of a tensor as points of Euclidean balls: how long they are at most, and how far the computed ones are off.

What single entries are off is added up by a product as :math:`\sum_k|w_k|\delta_k`, as if all errors were largest at
once; of a norm's result that is never so, since it is never longer than :math:`\sqrt n`, nor is its error longer than
that of its argument over :math:`\sigma`.  With :math:`\|x\|` and :math:`\|\delta\|` beside the entries

.. math:: |\langle w,\delta\rangle|\le\|w\|\|\delta\|,\qquad\|W\delta\|\le\|W\|_2\|\delta\|,

and :math:`\|W\|_2^8=\|G^4\|_2\le\|G^4\|_F`, :math:`G=WW^\top`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.numbers.boxes import UNIT, Array

SQUARES = 2048  # widest matrices whose fourth powers are computed; of others the Frobenius norm is taken


@dataclass(frozen=True, eq=False)
class Balls:
    """Which rows a tensor's entries belong to; bounds hold for those entries of which anything is claimed.

    Attributes
    ----------
    row, slot : the number of the row that an entry is of, and its place there.
    size, off : by row, upper bounds of the Euclidean norms of the real row and of its error.
    """

    row: NDArray[np.int64]
    slot: NDArray[np.int64]
    size: Array
    off: Array

    def viewed(self, view: Callable[[NDArray[Any]], NDArray[Any]]) -> Balls:
        """Return those of the entries that a view picks and orders."""
        return replace(self, row=view(self.row), slot=view(self.slot))

    def rows(self) -> tuple[Array, Array]:
        """Return size and off along the last axis; infinity where its entries are not different ones of one row."""
        slots = np.sort(self.slot, -1)
        whole = (self.row == self.row[..., :1]).all(-1) & (slots[..., 1:] != slots[..., :-1]).all(-1)
        at = self.row[..., 0]
        return np.where(whole, self.size[at], np.inf), np.where(whole, self.off[at], np.inf)


def fresh(shape: tuple[int, ...], size: Array, off: Array) -> Balls:
    """Return the rows of a tensor along its last axis."""
    count = int(np.prod(shape[:-1], dtype=np.int64))
    row = np.broadcast_to(np.arange(count).reshape(*shape[:-1], 1), shape)
    size, off = (np.broadcast_to(x, shape[:-1]).ravel() for x in (size, off))
    return Balls(row, np.broadcast_to(np.arange(shape[-1]), shape), size, off)


def euclidean(x: Array) -> Array:
    """Return Euclidean norms of non-negative numbers along the last axis, in units of the largest: no underflow."""
    most = x.max(-1, initial=0.0)
    unit = np.where((most > 0) & (most < np.inf), most, 1.0)
    return np.asarray(unit * np.sqrt(((x / unit[..., None]) ** 2).sum(-1)))


def stretch(W: Array) -> float:
    r"""Return an upper bound of :math:`\|W\|_2`."""
    W = W if W.shape[0] <= W.shape[1] else W.T
    whole, n = float(np.sqrt((W**2).sum())), max(W.shape)
    if not 0 < whole < 1e150 or len(W) > SQUARES:
        return whole * (1 + 1e-9)
    G = W / whole @ (W / whole).T
    G = G @ G
    # of numbers whose squares sum to one each product is off by less than 2nu in the Frobenius norm, and doubles it
    fourth = float(np.sqrt(((G @ G) ** 2).sum())) + 32 * (n + 4) * UNIT
    return float(whole * min(1.0, fourth**0.125) * (1 + 1e-9))
