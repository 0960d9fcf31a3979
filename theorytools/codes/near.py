r"""All pairs of binary vectors within a Hamming radius, tile by tile, each unordered pair once.

The portable route is NumPy: exclusive-or and population count.  A second one is a few lines of C, compiled in the
process that asks for it when the variable ``THEORYTOOLS_COMPILED`` is 1 and a compiler is there.  It reads the vectors
as planes of nibbles: for a query and a plane the number of unequal places is one of 16 bytes, which a byte shuffle
looks up for 32 vectors at once.  Both routes return the same integers in the same order, and nothing ever needs the
second.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from theorytools.codes import hamming as packed
from theorytools.codes.hamming import Words

Index = NDArray[np.int64]
Pairs = tuple[Index, Index, NDArray[np.unsignedinteger]]
Tile = Callable[[slice, slice], Pairs]
Progress = Callable[[int, int], None]

SWITCH = "THEORYTOOLS_COMPILED"
TILE = 2**19  # pairs whose distances are held at once: 4 MiB of words
TILE_ROWS = 64
TILE_BYTES = 64  # of a pair of a tile: word, two counts, place, row, column and distance, all of them near
LONGEST = 255  # the compiled route keeps distances as bytes

SOURCE = r"""
#include <stddef.h>
#include <stdint.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

/* planes: byte p * count + j is nibble p of vector j; out: places of the near ones and their distances */
size_t near(const uint8_t *vectors, size_t count, size_t planes, size_t i0, size_t i1, size_t j0, size_t j1,
            int radius, int64_t *rows, int64_t *columns, uint8_t *distances)
{
    size_t found = 0;
    for (size_t i = i0; i < i1; i++) {
        uint8_t table[64][16];
        for (size_t p = 0; p < planes; p++)
            for (int x = 0; x < 16; x++)
                table[p][x] = (uint8_t)__builtin_popcount(x ^ vectors[p * count + i]);
        size_t j = j0;
#ifdef __AVX2__
        const __m256i limit = _mm256_set1_epi8((char)radius);
        for (; j + 128 <= j1; j += 128) {
            __m256i sum[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                              _mm256_setzero_si256()};
            for (size_t p = 0; p < planes; p++) {
                const __m256i *nibbles = (const __m256i *)(vectors + p * count + j);
                __m256i lookup = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table[p]));
                for (int v = 0; v < 4; v++)
                    sum[v] = _mm256_add_epi8(sum[v], _mm256_shuffle_epi8(lookup, _mm256_loadu_si256(nibbles + v)));
            }
            for (int v = 0; v < 4; v++) {
                __m256i within = _mm256_cmpeq_epi8(_mm256_min_epu8(sum[v], limit), sum[v]);
                uint32_t near = (uint32_t)_mm256_movemask_epi8(within);
                if (near) {
                    uint8_t all[32];
                    _mm256_storeu_si256((__m256i *)all, sum[v]);
                    for (; near; near &= near - 1) {
                        int e = __builtin_ctz(near);
                        rows[found] = (int64_t)i;
                        columns[found] = (int64_t)(j + 32 * v + e);
                        distances[found++] = all[e];
                    }
                }
            }
        }
#endif
        for (; j < j1; j++) {
            int sum = 0;
            for (size_t p = 0; p < planes; p++)
                sum += table[p][vectors[p * count + j]];
            if (sum <= radius) {
                rows[found] = (int64_t)i;
                columns[found] = (int64_t)j;
                distances[found++] = (uint8_t)sum;
            }
        }
    }
    return found;
}
"""


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
    compiled = kernel() if n <= LONGEST else None
    return _by_numpy(words, n, radius, tile) if compiled is None else _by_nibbles(compiled, words, n, radius, tile)


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


def _by_nibbles(compiled: ctypes.CDLL, words: Words, n: int, radius: int, tile: int) -> Tile:
    planes = -(-n // 4)
    vectors = nibbles(words, planes)
    i, j = np.empty((2, tile), dtype=np.int64)
    distance = np.empty(tile, dtype=np.uint8)
    places = [array.ctypes.data for array in (i, j, distance)]

    def compare(rows: slice, columns: slice) -> Pairs:
        found = compiled.near(
            vectors.ctypes.data, vectors.shape[1], planes, rows.start, rows.stop, columns.start, columns.stop,
            min(radius, LONGEST), *places,
        )  # fmt: skip
        return i[:found].copy(), j[:found].copy(), distance[:found].copy()

    return compare if radius >= 0 else lambda rows, columns: (i[:0], j[:0], distance[:0])


def nibbles(words: Words, planes: int) -> NDArray[np.uint8]:
    """Return the nibbles of packed vectors, plane by plane, shape ``(planes, N)``."""
    shifts = (divmod(plane, 16) for plane in range(planes))
    return np.stack(
        [((words[word] >> np.uint64(4 * place)) & np.uint64(15)).astype(np.uint8) for word, place in shifts]
    )


def kernel() -> ctypes.CDLL | None:
    """Return the compiled route, or None where it was not asked for or cannot be made."""
    return _compiled() if os.environ.get(SWITCH) == "1" else None


@cache
def _compiled() -> ctypes.CDLL | None:
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "near.c"), Path(folder, "near.so")
        source.write_text(SOURCE, encoding="utf-8")
        order = [compiler, "-O3", "-march=native", "-shared", "-fPIC", str(source), "-o", str(library)]
        try:
            subprocess.run(order, check=True, capture_output=True, timeout=60)
            made = ctypes.CDLL(str(library))
        except (OSError, subprocess.SubprocessError):
            return None
    size, place = ctypes.c_size_t, ctypes.c_void_p
    made.near.argtypes = [place, *(size,) * 6, ctypes.c_int, *(place,) * 3]
    made.near.restype = size
    return made
