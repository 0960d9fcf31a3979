r"""Index lookup by weights that depend on positions only: when a sign read-out is right, and what rank that takes.

The output asked at :math:`p` is a positive multiple of :math:`\sum_jA_{pj}x_j` for signs :math:`x_j`.  It has the sign
of :math:`x_p` for all words iff :math:`A_{pp}>\sum_{j\ne p}|A_{pj}|`: the word :math:`x_p=1`,
:math:`x_j=-\operatorname{sign}A_{pj}` attains the difference.  A matrix with this property at every :math:`p` is
invertible (Lévy, Desplanques).  Linear attention has :math:`A_{pj}=\langle\phi(q_p),\psi(k_j)\rangle` with features of
dimension :math:`d`, so rank at most :math:`d`, and needs :math:`d\ge N`; its sums
:math:`\sum_j\psi(k_j)v_j^\top` are a recurrent state.  The softmax of scores of rank :math:`\lceil\log_2N\rceil` has
weights of rank :math:`N`.

References
----------
Horn, Johnson (2013), Matrix Analysis, Theorem 6.1.10.  Katharopoulos, Vyas, Pappas, Fleuret (2020), arXiv 2006.16236v3
(linear attention as a recurrent network).  For Bhattamishra, Hahn, Blunsom, Kanade (2024), arXiv 2406.09347v1.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Numbers, Steps, checked, ranks
from theorytools.codes.families import binary_index
from theorytools.constructions.shapes import in_range, shaped
from theorytools.errors import DomainError
from theorytools.numbers.linear_algebra import independent_rows


@checked
@dataclass(frozen=True, eq=False)
class PositionWeights:
    """The integer weights ``A``, shape ``(N, N)``: row by the position asked, column by the position read.

    Raises
    ------
    DomainError : an array that is not square or not of integers.

    Examples
    --------
    >>> binary = PositionWeights.softmax(4, base=4)
    >>> binary.rank, binary.dominance, PositionWeights.monomials(8, degree=2).rank
    (4, 7, 7)
    """

    A: NDArray[Any]

    def __post_init__(self) -> None:
        A = np.asarray(self.A)
        if A.ndim != 2 or A.shape[0] != A.shape[1] or A.dtype.kind not in "iuO":
            given = f"an array of shape {A.shape}, {A.dtype}"
            raise DomainError(given, required="integers, (N, N)", why="ranks are decided exactly")
        object.__setattr__(self, "A", A.astype(object))

    @classmethod
    @ranks(keys=2, queries=2)
    def features(cls, queries: Numbers, keys: Numbers) -> PositionWeights:
        """Return linear attention with features ``(N, d)`` of queries and of keys."""
        return cls(np.asarray(queries).astype(object) @ np.asarray(keys).astype(object).T)

    @classmethod
    def monomials(cls, N: int, degree: Steps) -> PositionWeights:
        r"""Return linear attention whose features are all products of at most ``degree`` signs of the binary code."""
        signs = binary_index(N).signs.astype(np.int64)
        places = (s for r in range(degree + 1) for s in itertools.combinations(range(signs.shape[1]), r))
        phi = np.stack([signs[:, list(s)].prod(axis=1) for s in places], axis=1)
        return cls.features(phi, phi)

    @classmethod
    def softmax(cls, N: int, base: int) -> PositionWeights:
        r"""Return weights proportional to :math:`e^{\beta\langle t_p,t_j\rangle}`, ``base`` :math:`=e^{2\beta}`."""
        signs = binary_index(N).signs.astype(np.int64)
        return cls(np.array([[base ** int(s) for s in row] for row in (signs @ signs.T + signs.shape[1]) // 2]))

    @classmethod
    def hard(cls, N: int, dropped: int = 0) -> PositionWeights:
        """Return 1 where the score of binary codes, without their last ``dropped`` signs, is the largest of the row."""
        signs = binary_index(N).signs.astype(np.int64)
        scores = (kept := signs[:, : signs.shape[1] - dropped]) @ kept.T
        return cls((scores == scores.max(axis=1, keepdims=True)).astype(np.int64))

    @cached_property
    def rank(self) -> int:
        """The rank over the rationals."""
        return len(independent_rows(self.A)[0])

    @cached_property
    def slacks(self) -> list[int]:
        r"""The numbers :math:`A_{pp}-\sum_{j\ne p}|A_{pj}|`: the least output times the right sign over all words."""
        return [int(2 * self.A[p, p] - abs(row).sum() if self.A[p, p] >= 0 else -abs(row).sum())
                for p, row in enumerate(self.A)]  # fmt: skip

    @property
    def dominance(self) -> int:
        """The least of them: positive iff every input is answered right."""
        return min(self.slacks)

    def worst(self) -> tuple[list[int], int]:
        """Return a word of signs, and the position at which its answer is worst."""
        p = int(np.argmin(self.slacks))
        word = [-1 if a > 0 else 1 for a in self.A[p]]
        word[p] = 1
        return word, p

    @ranks(word=1)
    def answered(self, word: Numbers, p: int) -> int:
        """Return the output for a word of signs, asked at ``p``."""
        in_range("p", p, len(self.A))
        shaped("word", word, len(self.A))
        return int(self.A[p] @ np.asarray(word, dtype=object))
