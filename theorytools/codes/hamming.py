r"""Binary vectors packed 64 to a machine word: Hamming distances by exclusive-or and population count.

A pack of :math:`N` vectors of length :math:`n` has shape ``(W, N)``, :math:`W=\lceil n/64\rceil`; unused bits
are 0 and never differ.  Work is done in tiles, so memory stays bounded for every :math:`N`.

The smallest and the largest distance of many binary vectors, without looking at every pair.

Cut the :math:`n` places into :math:`b` ranges.  Two vectors at distance at most :math:`b-1` agree on a whole
range, two at distance at least :math:`n-b+1` are complementary on one (pigeonhole).  So only pairs that share
a range up to complement are compared: about the fraction :math:`b\,2^{1-n/b}` of all pairs of random vectors.
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


_WIDEST_RANGE = 16  # a key is a two-byte integer, which numpy sorts by radix
_CHUNK = 2**14  # 128 KiB of words, which stay in the second cache level


def extreme_distances(words: Words, n: int) -> tuple[int, int]:
    r"""Return the smallest and the largest Hamming distance over all pairs of different rows, exactly.

    Let :math:`l,h` be the extremes of the pairs compared with :math:`b` ranges.  Once :math:`l\le b` and
    :math:`h\ge n-b` they are final: a pair left out has distance at least :math:`b` and at most :math:`n-b`.
    Each round takes the number of ranges that the last one asks for.  Where that saves too little (few or
    long vectors, or many equal ranges) all pairs are compared.

    Parameters
    ----------
    words : at least two vectors of length ``n``, packed as in :mod:`theorytools.codes.hamming`.
    n : their length.

    References
    ----------
    Norouzi, Punjani, Fleet (2012), Fast search in Hamming space with multi-index hashing, CVPR.
    """
    pairs = words.shape[1] * (words.shape[1] - 1) // 2
    low, high, ranges = n, 0, -(-n // _WIDEST_RANGE)
    while True:
        keys = list(_keys(words, n, ranges))
        reach = [int(np.bincount(key).max()) for key in keys]
        if 2 * words.shape[1] * sum(reach) >= pairs:  # a comparison in sorted order costs about twice
            return extremes_of_all_pairs(words, n)
        for key, width in zip(keys, reach, strict=True):
            near, far = _within_reach(words[:, np.argsort(key, kind="stable")], n, width)
            low, high = min(low, near), max(high, far)
        needed = max(low, n - high)
        if needed <= ranges:
            return low, high
        ranges = needed


def _keys(words: Words, n: int, ranges: int) -> Iterator[NDArray[np.uint16]]:
    """Yield for each range one integer per vector, equal where two vectors agree or are complementary."""
    bits = unpack(words, n)
    for places in np.array_split(np.arange(n), ranges):
        part = bits[:, places] ^ bits[:, places[:1]]  # the first place is made 0
        yield part.astype(np.uint16) @ (1 << np.arange(len(places), dtype=np.uint16))


def _within_reach(words: Words, n: int, reach: int) -> tuple[int, int]:
    """Return the extreme distances of the pairs that lie fewer than ``reach`` places apart."""
    N, low, high = words.shape[1], n, 0
    for rows in blocks(0, N, _CHUNK):
        left = words[:, rows]
        for shift in range(1, min(reach, N - rows.start)):
            right = words[:, rows.start + shift : rows.stop + shift]
            distance = paired_distances(left[:, : right.shape[1]], right, n)
            low, high = min(low, int(distance.min())), max(high, int(distance.max()))
    return low, high
