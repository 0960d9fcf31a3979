r"""Binary vectors packed 64 to a machine word: Hamming distances by exclusive-or and population count.

A pack of :math:`N` vectors of length :math:`n` has shape ``(W, N)``, :math:`W=\lceil n/64\rceil`; unused bits
are 0 and never differ.  Work is done in tiles, so memory stays bounded for every :math:`N`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from theorytools.codes import compiled

Words = NDArray[np.uint64]

_TILE_ROWS = 64
_TILE_COLUMNS = 8192


def pack(bits: NDArray[np.bool_] | NDArray[np.uint8]) -> Words:
    """Return the rows of a 0/1 matrix ``(N, n)`` as words, shape ``(W, N)``."""
    N, n = bits.shape
    padded = np.zeros((N, -(-n // 64) * 8), dtype=np.uint8)
    padded[:, : -(-n // 8)] = np.packbits(bits, axis=1, bitorder="little")
    return np.ascontiguousarray(padded.view("<u8").T.astype(np.uint64))


def unpack(words: Words, n: int) -> NDArray[np.uint8]:
    """Return the 0/1 matrix ``(N, n)`` whose pack is ``words``."""
    octets = np.ascontiguousarray(words.T.astype("<u8")).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=n, bitorder="little")


def span(rows: Words) -> Words:
    r"""Return all sums over GF(2) of the given vectors: at place :math:`\sum_jb_j2^j` the sum with bits b."""
    words = np.zeros((rows.shape[0], 1), dtype=np.uint64)
    for j in range(rows.shape[1]):
        words = np.concatenate([words, words ^ rows[:, j : j + 1]], axis=1)
    return words


def weights(words: Words, n: int) -> NDArray[np.unsignedinteger]:
    """Return the number of ones of every vector of length ``n``, shape ``(N,)``."""
    return distances(np.zeros((len(words), 1), dtype=np.uint64), words, n).reshape(-1)


def distances(left: Words, right: Words, n: int) -> NDArray[np.unsignedinteger]:
    """Return the Hamming distances of two packs, shape ``(left N, right N)``."""
    return paired_distances(left[:, :, None], right[:, None, :], n)


def paired_distances(left: Words, right: Words, n: int) -> NDArray[np.unsignedinteger]:
    """Return the Hamming distances place by place; the packs broadcast against each other after their first axis."""
    counts = (np.bitwise_count(a ^ b) for a, b in zip(left, right, strict=True))
    total = next(counts).astype(np.min_scalar_type(n), copy=False)
    for count in counts:
        total += count  # total <= n fits: no overflow
    return total


def blocks(start: int, stop: int, size: int) -> Iterator[slice]:
    """Cut ``range(start, stop)`` into consecutive slices of at most ``size``."""
    for first in range(start, stop, size):
        yield slice(first, min(first + size, stop))


def extremes_of_all_pairs(words: Words, n: int) -> tuple[int, int]:
    """Return the smallest and the largest distance over all pairs of different rows (at least two rows)."""
    pairs = compiled.Pairs.of(unpack(words, n), _TILE_ROWS * _TILE_COLUMNS)
    if pairs is not None:
        return _extremes_by(pairs, words, n)
    extremes = [(int(block.min()), int(block.max())) for block in _pairs(words, n) if block.size]
    return min(least for least, _ in extremes), max(greatest for _, greatest in extremes)


def _extremes_by(pairs: compiled.Pairs, words: Words, n: int) -> tuple[int, int]:
    """The extremes, by asking in each tile for pairs beyond those that were met."""
    N = words.shape[1]
    first = distances(words[:, :1], words[:, 1:], n)
    low, high = int(first.min()), int(first.max())
    for rows in blocks(0, N, _TILE_ROWS):
        for columns in blocks(rows.start, N, _TILE_COLUMNS):
            i, j, distance = pairs.beyond(rows, columns, low - 1, high + 1)
            distance = distance[i < j]
            if distance.size:
                low, high = min(low, int(distance.min())), max(high, int(distance.max()))
    return low, high


def _pairs(words: Words, n: int) -> Iterator[NDArray[np.unsignedinteger]]:
    """Yield arrays that together hold the distance of every pair i < j once."""
    N = words.shape[1]
    for rows in blocks(0, N, _TILE_ROWS):
        square = distances(words[:, rows], words[:, rows], n)
        yield square[np.triu_indices(len(square), 1)]
        for columns in blocks(rows.stop, N, _TILE_COLUMNS):
            yield distances(words[:, rows], words[:, columns], n)


def distance_counts(words: Words, n: int, chosen: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return for every row, or those chosen, the number of *other* rows at each distance, shape ``(rows, n + 1)``."""
    N, own = words.shape[1], words if chosen is None else np.ascontiguousarray(words[:, chosen])
    counts = np.zeros((own.shape[1], n + 1), dtype=np.int64)
    for rows in blocks(0, own.shape[1], _TILE_ROWS):
        height = rows.stop - rows.start
        offset = (np.arange(height) * (n + 1))[:, None]
        for columns in blocks(0, N, _TILE_COLUMNS):
            keys = distances(own[:, rows], words[:, columns], n) + offset
            counts[rows] += np.bincount(keys.ravel(), minlength=height * (n + 1)).reshape(height, n + 1)
    counts[:, 0] -= 1  # each row was compared with itself
    return counts
