"""Rows of a code, in any order and with repetitions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from theorytools.codes.gram import GramCode
from theorytools.codes.protocol import Code
from theorytools.codes.signs import SignCode


def subcode(code: Code, rows: Sequence[int]) -> Code:
    """Return the code with these rows (0-based); a repeated row makes two equal codes, of coherence 1."""
    index = np.asarray(rows, dtype=np.int64)
    if isinstance(code, SignCode):
        return SignCode(code.signs[index])
    return GramCode(code.gram_numerators()[np.ix_(index, index)], code.gram_denominator)
