"""Loops over pairs of binary vectors in C, where the installation compiled them; nothing needs them.

The library stands beside its source, ``_pairs.c``, and states the digest of the source that it was made of: one of
another source is not used.  With ``THEORYTOOLS_COMPILED=0`` it is not used either.  Its integers and their order are
those of the NumPy route.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SWITCH = "THEORYTOOLS_COMPILED"
SOURCE = Path(__file__).with_name("_pairs.c")
LIBRARY = Path(__file__).with_name("_pairs.compiled")  # no ending of a module: nobody imports it
LONGEST = 255  # distances are kept as bytes
_STEP, _BLOCK = 15, 256  # places and vectors that the library takes at once

Found = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.unsignedinteger]]


def kernel() -> ctypes.CDLL | None:
    """Return the library, or None where there is none for this source or it is switched off."""
    return None if os.environ.get(SWITCH) == "0" else _loaded(LIBRARY)


@cache
def _loaded(path: Path) -> ctypes.CDLL | None:
    try:
        made = ctypes.CDLL(str(path))
        made.source.restype = ctypes.c_char_p
        if made.source() != hashlib.sha256(SOURCE.read_bytes()).hexdigest().encode():
            return None
    except (OSError, AttributeError):
        return None
    size, place = ctypes.c_size_t, ctypes.c_void_p
    made.beyond.argtypes = [place, *(size,) * 6, ctypes.c_int, ctypes.c_int, *(place,) * 3]
    made.beyond.restype = size
    return made


@dataclass(frozen=True, eq=False)
class Pairs:
    """Binary vectors as planes of bits, and room for what is found in a tile of pairs.

    Attributes
    ----------
    library : what :func:`kernel` returned.
    planes : bit ``b`` of 64 vectors in a word, ``(places, words)``; both are padded with zeros.
    room : arrays for rows, columns and distances.
    """

    library: ctypes.CDLL
    planes: NDArray[np.uint64]
    room: Found

    @classmethod
    def of(cls, bits: NDArray[np.uint8], tile: int) -> Pairs | None:
        """Return the vectors, rows of a 0/1 matrix ``(N, n)``, for tiles of at most so many pairs, or None.

        It is None without a library.
        """
        library = kernel()
        N, n = bits.shape
        if library is None or n > LONGEST:
            return None
        padded = np.zeros((-(-n // _STEP) * _STEP, -(-N // _BLOCK) * _BLOCK), dtype=np.uint8)
        padded[:n, :N] = bits.T
        planes = np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)
        room = min(tile, N * N)  # a tile finds no more pairs than there are
        rows, columns = np.empty((2, room), dtype=np.int64)
        return cls(library, planes, (rows, columns, np.empty(room, dtype=np.uint8)))

    def beyond(self, rows: slice, columns: slice, near: int, far: int = LONGEST + 1) -> Found:
        """Return the pairs of a tile at distance at most ``near`` or at least ``far``, row by row."""
        ends = rows.start, rows.stop, columns.start, columns.stop
        found = self.library.beyond(
            self.planes.ctypes.data, self.planes.shape[1], len(self.planes), *ends, max(-1, min(near, LONGEST)),
            max(0, min(far, LONGEST + 1)), *(array.ctypes.data for array in self.room),
        )  # fmt: skip
        i, j, distance = self.room
        return i[:found].copy(), j[:found].copy(), distance[:found].copy()
