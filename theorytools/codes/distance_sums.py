r"""Sums over all other binary vectors of a weight of the Hamming distance, each pair compared once for both vectors.

.. math:: A_t=\sum_{j\ne t}w_{\mathrm{Ham}(t,j)}

takes half the comparisons of a histogram for every vector, and a look-up in place of a count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.codes import hamming as packed
from theorytools.codes.hamming import Words

Array = NDArray[np.float64]
Tile = Callable[[slice, slice], Array]

_TILE_ROWS = 32
_TILE_COLUMNS = 8192
_TWO_BYTES = np.arange(2**16, dtype=np.uint16).view(np.uint8).reshape(-1, 2)  # in the order of this machine


def distance_sums(words: Words, n: int, weights: Array) -> Array:
    r"""Return :math:`A_t` for every vector, shape ``(N,)``, in doubles.

    No weight is negative, so a sum errs by less than :math:`N2^{-53}` of itself, in whatever order it is taken.

    Parameters
    ----------
    words : vectors of length ``n``, packed as in :mod:`theorytools.codes.hamming`.
    n : their length.
    weights : :math:`w_0,\dots,w_n`, finite and not negative.

    Examples
    --------
    >>> words = packed.pack(np.array([[0, 0, 0], [0, 1, 1], [0, 0, 1]], dtype=bool))
    >>> distance_sums(words, 3, np.array([8.0, 4.0, 2.0, 1.0])).tolist()
    [6.0, 6.0, 8.0]
    """
    N = words.shape[1]
    height, width = min(N, _TILE_ROWS), min(N, _TILE_COLUMNS)
    sums, look_up = np.zeros(N), _look_up(words, n, weights, height * max(height, width))
    ones = np.ones(max(height, width))
    for rows in packed.blocks(0, N, height):
        own = look_up(rows, rows)
        np.fill_diagonal(own, 0)  # not subtracted from the sum: it may be nearly all of it
        sums[rows] += own.sum(1)
        for columns in packed.blocks(rows.stop, N, width):
            found = look_up(rows, columns)
            sums[rows] += found @ ones[: found.shape[1]]
            sums[columns] += ones[: len(found)] @ found
    return sums


def _look_up(words: Words, n: int, weights: Array, size: int) -> Tile:
    """Return what gives the weights of a tile of at most ``size`` pairs, in an array that the next tile takes."""
    size += size % 2
    differing, counts = np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.uint8)
    total, found = np.zeros(size, dtype=np.min_scalar_type(n)), np.empty(size)
    table, keys, values = _tables(weights, total, found)
    places = np.empty(len(keys), dtype=np.intp)

    def look_up(rows: slice, columns: slice) -> Array:
        shape = rows.stop - rows.start, columns.stop - columns.start
        pairs = shape[0] * shape[1]
        xor, count, distance = differing[:pairs], counts[:pairs], total[:pairs]
        for k, word in enumerate(words):
            np.bitwise_xor(word[rows, None], word[columns], out=xor.reshape(shape))
            if k:
                distance += np.bitwise_count(xor, out=count)  # at most n, which fits: no overflow
            else:
                np.bitwise_count(xor, out=distance)
        looked = -(-pairs * len(keys) // size)
        np.copyto(places[:looked], keys[:looked])
        np.take(table, places[:looked], out=values[:looked], mode="clip")
        return found[:pairs].reshape(shape)

    return look_up


def _tables(weights: Array, total: NDArray[Any], found: Array) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return what is looked up, by which keys, and into what: of distances that are bytes, two at once."""
    if total.itemsize > 1:
        return weights, total, found
    padded = np.zeros(256)
    padded[: len(weights)] = weights
    return padded[_TWO_BYTES].view(np.complex128)[:, 0], total.view(np.uint16), found.view(np.complex128)
