"""Whether two positions share a code: then no attention can tell them apart."""

from __future__ import annotations

import numpy as np

from theorytools.codes.bch import BCHCode
from theorytools.codes.equiangular import EquiangularCode
from theorytools.codes.linear import LinearCode
from theorytools.codes.protocol import Code
from theorytools.codes.signs import SignCode


def has_duplicates(code: Code) -> bool:
    """Return whether two rows of the code are equal, without comparing all pairs of a sign code."""
    if isinstance(code, LinearCode | BCHCode):
        return False  # distinct messages have words at a positive distance
    if isinstance(code, EquiangularCode):
        return code.rho == 1
    if isinstance(code, SignCode):
        packed = np.packbits(code.signs > 0, axis=1)
        return len(np.unique(packed, axis=0)) < code.N
    return code.coherence() == 1
