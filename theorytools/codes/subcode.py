"""Rows of a code, in any order and with repetitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.codes.gram import GramCode
from theorytools.codes.protocol import Code
from theorytools.codes.signs import SignCode
from theorytools.errors import DomainError


@dataclass(frozen=True, eq=False, repr=False)
class SelectedCode(GramCode):
    """Rows of another code: a principal submatrix of a Gram matrix needs no test of its own."""

    base: Code | None = None
    rows: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Take the base's word for positive semidefiniteness."""

    @property
    def d_e(self) -> int:
        """Coordinates of the base's vectors."""
        return 0 if self.base is None else self.base.d_e

    @cached_property
    def _vectors(self) -> NDArray[np.float64]:
        base = np.zeros((0, 0)) if self.base is None else self.base.matrix()
        return base[list(self.rows)]

    def matrix(self) -> NDArray[np.float64]:
        """Return the chosen rows of the base's matrix."""
        return self._vectors


@checked
def subcode(code: Code, rows: Sequence[int]) -> Code:
    """Return the code with these rows (0-based); a repeated row makes two equal codes, of coherence 1.

    Raises
    ------
    DomainError
        For fewer than two rows, or rows that the code does not have.
    """
    index = np.asarray(rows)
    if index.ndim != 1 or len(index) < 2 or index.dtype.kind not in "iu" or index.min() < 0 or index.max() >= code.N:
        raise DomainError(f"the rows {list(rows)[:6]}…", required=f"at least two integers from 0 to {code.N - 1}")
    if isinstance(code, SignCode):
        return SignCode(code.signs[index])
    numerators = code.gram_numerators()[np.ix_(index, index)]
    return SelectedCode(numerators, code.gram_denominator, code, tuple(int(i) for i in index))
