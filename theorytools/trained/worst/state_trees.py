"""Boxes in a binary tree: each node is the hull of those below it, so that many are bounded at once, or cut apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorytools.numbers.boxes import Array, Box
from theorytools.trained.worst.enclosed import of_ends
from theorytools.trained.worst.prompts import Indices

SAME = 1e-12  # rows that are no farther apart than this share a leaf: its hull is theirs


@dataclass(frozen=True, eq=False)
class Tree:
    """A binary tree over rows.

    Attributes
    ----------
    order : the rows, so that each node's stand one behind the other.
    start, stop : of each node, which of them; node 0 is the root, parents come before their children.
    left, right : its two children, -1 for a leaf.
    depth : how far below the root.
    """

    order: Indices
    start: Indices
    stop: Indices
    left: Indices
    right: Indices
    depth: Indices

    @property
    def leaf(self) -> NDArray[np.bool_]:
        """Which nodes are leaves."""
        return self.left < 0

    @property
    def first(self) -> Indices:
        """A row of each node."""
        return self.order[self.start]

    @classmethod
    def of(cls, points: Array) -> Tree:
        """Return a tree over rows: each node is cut across its longest side, in the middle of it."""
        order = np.arange(len(points))
        made = [(np.zeros(1, dtype=np.int64), np.full(1, len(points)))]
        left, right, begin = [], [], 0
        while True:
            start, stop = made[-1]
            cut, middle = _cut(points[order], start, stop)
            some = np.flatnonzero(cut)
            children = np.full(len(start), -1)
            children[some] = begin + len(start) + 2 * np.arange(len(some))
            left.append(children)
            right.append(np.where(cut, children + 1, -1))
            if not len(some):
                break
            order, halves = _parted(points, order, start[some], stop[some], middle[some])
            begin += len(start)
            made.append((np.stack([start[some], halves], 1).ravel(), np.stack([halves, stop[some]], 1).ravel()))
        starts, stops = (np.concatenate(part) for part in zip(*made, strict=True))
        depth = np.repeat(np.arange(len(made)), [len(start) for start, _ in made])
        return cls(order, starts, stops, np.concatenate(left), np.concatenate(right), depth)

    def hulls(self, rows: Box) -> Box:
        """Return the hull of each node's rows, shape ``(nodes, …)`` for rows ``(n, …)``."""
        low = np.empty((len(self.left), *rows.shape[1:]))
        high = np.empty_like(low)
        leaves = np.flatnonzero(self.leaf)
        leaves = leaves[np.argsort(self.start[leaves])]  # together they are all rows, in their order
        low[leaves] = np.minimum.reduceat(rows.low[self.order], self.start[leaves], axis=0)
        high[leaves] = np.maximum.reduceat(rows.high[self.order], self.start[leaves], axis=0)
        for depth in range(int(self.depth[-1]) - 1, -1, -1):
            inner = np.flatnonzero((self.depth == depth) & ~self.leaf)
            low[inner] = np.minimum(low[self.left[inner]], low[self.right[inner]])
            high[inner] = np.maximum(high[self.left[inner]], high[self.right[inner]])
        return of_ends(low, high)


def _cut(points: Array, start: Indices, stop: Indices) -> tuple[NDArray[np.bool_], Array]:
    """Which nodes are cut, and of these the coordinate and the number above which rows go right, ``(n, 2)``."""
    padded = np.concatenate([points, points[:1]])  # an end of all rows is then an index
    ends = np.stack([start, stop], axis=1).ravel()
    low, high = (f.reduceat(padded, ends, axis=0)[::2] for f in (np.minimum, np.maximum))
    across = (high - low).argmax(1)
    rows = np.arange(len(start))
    bottom, top = low[rows, across], high[rows, across]
    middle = bottom + (top - bottom) / 2
    cut = (top - bottom > SAME) & (middle < top)  # else all would stay left
    return cut, np.stack([across, middle], axis=1)


def _parted(points: Array, order: Indices, start: Indices, stop: Indices, at: Array) -> tuple[Indices, Indices]:
    """Order the rows of nodes by side, and return where each node's right side begins."""
    sizes = stop - start
    node = np.repeat(np.arange(len(start)), sizes)
    places = np.repeat(start - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) + np.arange(sizes.sum())
    rows = order[places]
    right = points[rows, at[node, 0].astype(np.int64)] > at[node, 1]
    found = order.copy()
    found[places] = rows[np.lexsort((right, node))]
    return found, stop - np.bincount(node, weights=right, minlength=len(start)).astype(np.int64)
