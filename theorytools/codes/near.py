r"""All pairs of binary vectors within a Hamming radius, tile by tile, each unordered pair once.

The portable route is NumPy: exclusive-or and population count.  Where the installation compiled the loops of
:mod:`.compiled` they are taken.  Both routes return the same integers in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from theorytools.codes import compiled
from theorytools.codes import hamming as packed
from theorytools.codes.hamming import Words

Index = NDArray[np.int64]
Pairs = tuple[Index, Index, NDArray[np.unsignedinteger]]
Tile = Callable[[slice, slice], Pairs]
Progress = Callable[[int, int], None]

TILE = 2**19  # pairs whose distances are held at once: 4 MiB of words
TILE_ROWS = 64
TILE_BYTES = 64  # of a pair of a tile: word, two counts, place, row, column and distance, all of them near


def near_pairs(
    words: Words, n: int, radius: int, *, rows: int | None = None, tile: int = TILE, progress: Progress | None = None
) -> Iterator[Pairs]:
    r"""Yield all pairs :math:`i<j` at Hamming distance at most ``radius``: arrays of ``i``, of ``j``, and of distances.

    Parameters
    ----------
    words : vectors of length ``n``, packed as in :mod:`theorytools.codes.hamming`.
    n : their length.
    radius : the largest distance.
    rows : only pairs with ``i < rows``, all unless given.
    tile : pairs that are compared at once; the arrays of a tile take ``TILE_BYTES`` for each.
    progress : called with (rows done, rows to do).

    Examples
    --------
    >>> words = packed.pack(np.array([[0, 0, 0], [0, 1, 1], [0, 0, 1]], dtype=bool))
    >>> [(i.tolist(), j.tolist(), k.tolist()) for i, j, k in near_pairs(words, 3, 1)]
    [([0, 1], [2, 2], [1, 1])]
    """
    N = words.shape[1]
    asked, height = N if rows is None else rows, min(TILE_ROWS, tile)
    compare = _tiles(words, n, radius, tile)
    for block in packed.blocks(0, asked, height):
        for columns in packed.blocks(block.start, N, tile // height):
            i, j, distance = compare(block, columns)
            if columns.start < block.stop:
                upper = i < j
                i, j, distance = i[upper], j[upper], distance[upper]
            if len(i):
                yield i, j, distance
        if progress is not None:
            progress(block.stop, asked)


def _tiles(words: Words, n: int, radius: int, tile: int) -> Tile:
    pairs = compiled.Pairs.of(packed.unpack(words, n), tile)
    return (
        _by_numpy(words, n, radius, tile)
        if pairs is None
        else lambda rows, columns: pairs.beyond(rows, columns, radius)
    )


def _by_numpy(words: Words, n: int, radius: int, tile: int) -> Tile:
    differing = np.empty(tile, dtype=np.uint64)  # a new array of this size costs a page fault for each 4 kB
    count, near = np.empty(tile, dtype=np.uint8), np.empty(tile, dtype=np.bool_)
    total = count if len(words) == 1 else np.empty(tile, dtype=np.min_scalar_type(n))

    def compare(rows: slice, columns: slice) -> Pairs:
        shape = rows.stop - rows.start, columns.stop - columns.start
        xor, distance, counts = (array[: shape[0] * shape[1]] for array in (differing, total, count))
        for k, word in enumerate(words):
            np.bitwise_xor(word[rows, None], word[columns], out=xor.reshape(shape))
            np.bitwise_count(xor, out=counts)
            if k:
                distance += counts  # at most n, which fits: no overflow
            elif len(words) > 1:
                distance[:] = counts
        found = np.flatnonzero(np.less_equal(distance, radius, out=near[: len(distance)]))
        i, j = np.divmod(found, shape[1])
        return i + rows.start, j + columns.start, distance[found]

    return compare
