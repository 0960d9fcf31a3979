r"""Codes given by any rational Gram matrix that is proved positive semidefinite."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.arguments.values import checked_array, checked_integer, checked_rational, within_budget
from theorytools.errors import DomainError

_ELIMINATION_ROWS = 256
_WHY = "a Gram matrix of unit vectors is symmetric and positive semidefinite with ones on its diagonal"


@checked
@dataclass(frozen=True, eq=False, repr=False)
class GramCode:
    r"""A rational symmetric matrix with unit diagonal is a Gram matrix iff it is positive semidefinite.

    The test is exact: in Gaussian elimination over the integers every pivot is non-negative, and the row of a
    zero pivot is zero.  The number of positive pivots is the rank, hence the smallest possible :math:`d_e`.

    Parameters
    ----------
    numerators : the integers :math:`K`, shape ``(N, N)``.
    gram_denominator : the positive integer :math:`s` with :math:`G=K/s`, equal to every ``K[t, t]``.

    Raises
    ------
    DomainError : not square, not symmetric, diagonal not :math:`s`, or not positive semidefinite.
    BudgetError : more than 256 rows.

    Examples
    --------
    >>> code = GramCode([[2, 1, -1], [1, 2, 1], [-1, 1, 2]], 2)
    >>> code.d_e, code.coherence()
    (2, Fraction(1, 2))
    """

    numerators: NDArray[np.int64]
    gram_denominator: int

    def __post_init__(self) -> None:
        s = checked_integer("gram_denominator", self.gram_denominator, least=1, why="G = K/s")
        object.__setattr__(self, "gram_denominator", s)
        object.__setattr__(self, "numerators", _checked_numerators(self.numerators, s))
        if self._rank is None:
            required = "a positive semidefinite Gram matrix"
            given = "an indefinite matrix (a negative pivot, or a zero pivot in a non-zero row)"
            raise DomainError(given, required=required, why=_WHY, advice="take the products of actual vectors")

    @classmethod
    def from_fractions(cls, gram: Sequence[Sequence[Fraction | int]]) -> GramCode:
        """Make the code of a Gram matrix of Fractions.

        Parameters
        ----------
        gram : a symmetric matrix with unit diagonal, rows of integers or Fractions, shape ``(N, N)``.

        Returns
        -------
        GramCode : over the least common denominator.

        Raises
        ------
        DomainError : as the class.
        """
        exact = [
            [checked_rational("entry", e, _product, required="|entry| <= 1", why=_WHY) for e in row] for row in gram
        ]
        s = math.lcm(*(entry.denominator for row in exact for entry in row))
        return cls(np.array([[int(entry * s) for entry in row] for row in exact], dtype=object), s)

    @property
    def N(self) -> int:
        """Number of codes."""
        return int(self.numerators.shape[0])

    @property
    def d_e(self) -> int:
        """The rank of the Gram matrix: coordinates of ``matrix()``."""
        rank = self._rank
        return rank if rank is not None else 0

    @cached_property
    def _rank(self) -> int | None:
        return _semidefinite_rank(self.numerators)

    @cached_property
    def _off_diagonal(self) -> NDArray[np.int64]:
        return self.numerators[~np.eye(self.N, dtype=bool)].reshape(self.N, self.N - 1)

    def gram_numerators(self) -> NDArray[np.int64]:
        """Return the integers ``K`` of ``G = K/s``, shape ``(N, N)``, read-only."""
        return self.numerators

    def gram_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the distinct off-diagonal products, decreasing, and how often each occurs in each row."""
        values = np.unique(self._off_diagonal)[::-1]
        counts = np.stack([(self._off_diagonal == value).sum(axis=1) for value in values], axis=1)
        return values, counts.astype(np.int64)

    def coherence(self) -> Fraction:
        r"""Return :math:`\rho=\max_{i\ne j}G_{ij}`."""
        return Fraction(int(self._off_diagonal.max()), self.gram_denominator)

    def absolute_coherence(self) -> Fraction:
        r"""Return :math:`\max_{i\ne j}|G_{ij}|`."""
        return Fraction(int(abs(self._off_diagonal).max()), self.gram_denominator)

    def matrix(self) -> NDArray[np.float64]:
        r"""Return rows :math:`Q_r\Lambda_r^{1/2}` of the spectral decomposition, shape ``(N, d_e)``.

        The :math:`d_e` largest eigenvalues are positive (the rank is exact); the others are 0 and left out.
        """
        eigenvalues, vectors = np.linalg.eigh(self.numerators / np.float64(self.gram_denominator))
        root: NDArray[np.float64] = np.sqrt(np.maximum(eigenvalues[-self.d_e :], 0.0))
        columns: NDArray[np.float64] = vectors[:, -self.d_e :]
        return columns * root

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, GramCode)
            and self.gram_denominator == other.gram_denominator
            and np.array_equal(self.numerators, other.numerators)
        )

    def __hash__(self) -> int:
        return hash((self.gram_denominator, self.numerators.tobytes()))

    def __repr__(self) -> str:
        return f"GramCode(N={self.N}, d_e={self.d_e}, gram_denominator={self.gram_denominator})"


def _product(entry: Fraction) -> bool:
    return abs(entry) <= 1  # Cauchy-Schwarz for unit vectors


def _semidefinite_rank(K: NDArray[np.int64]) -> int | None:
    """Return the rank of a symmetric integer matrix, or None if it is not positive semidefinite.

    Bareiss (1968): after r positive pivots the entries are (r+1)-minors, so every division is exact and the
    matrix is a positive multiple of the Schur complement, which inherits semidefiniteness.
    """
    A, previous, rank = K.astype(object), 1, 0
    while A.size and A.any():
        pivot = A[0, 0]
        if pivot < 0 or (pivot == 0 and A[0].any()):
            return None
        if pivot > 0:
            A[1:, 1:] = (pivot * A[1:, 1:] - np.outer(A[1:, 0], A[0, 1:])) // previous
            previous, rank = pivot, rank + 1
        A = A[1:, 1:]
    return rank


def _integral(array: NDArray[Any]) -> bool:
    if array.dtype == object:
        return all(isinstance(entry, numbers.Integral) for entry in array.flat)
    return array.dtype.kind in "iu"


def _checked_numerators(numerators: Any, s: int) -> NDArray[np.int64]:
    required = f"a symmetric integer matrix of shape (N, N), N >= 2, with diagonal {s}, entries between -{s} and {s}"
    advice = "give integers over one common denominator, or use GramCode.from_fractions"
    array = checked_array(numerators, required=required, why=_WHY, advice=advice)
    problem = ""
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.shape[0] < 2:
        problem = f"an array of shape {array.shape}"
    elif not _integral(array) or s >= 2**63:
        problem = f"entries of type {array.dtype} over {s}"
    elif (array.diagonal() != s).any() or (array != array.T).any() or (abs(array) > s).any():
        problem = "a matrix with another diagonal, with an entry larger than its diagonal, or not symmetric"
    if problem:
        raise DomainError(problem, required=required, why=_WHY, advice=advice)
    rows = array.shape[0]
    why = "exact elimination multiplies integers of growing length"
    within_budget(
        "rows", rows, _ELIMINATION_ROWS, why=why, advice="use EquiangularCode or SignCode, which need no test"
    )
    K = np.array(array, dtype=np.int64, order="C")
    K.setflags(write=False)
    return K
