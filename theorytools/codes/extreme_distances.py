r"""The smallest and the largest distance of many binary vectors, without looking at every pair.

Cut the :math:`n` places into :math:`b` ranges.  Two vectors at distance at most :math:`b-1` agree on a whole
range, two at distance at least :math:`n-b+1` are complementary on one (pigeonhole).  So only pairs that share
a range up to complement are compared: about the fraction :math:`b\,2^{1-n/b}` of all pairs of random vectors.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from theorytools.codes.hamming import Words, blocks, extremes_of_all_pairs, paired_distances, unpack

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
