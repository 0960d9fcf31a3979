r"""Codes given by any rational Gram matrix that is proved positive semidefinite.

Codes between two codes: a convex combination of Gram matrices of unit vectors is one.

Rows of a code, in any order and with repetitions.

Equiangular codes: every two of the N vectors have the same inner product.
"""

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

from theorytools.arguments.checked import Real, checked
from theorytools.arguments.values import checked_array, checked_integer, checked_rational, within_budget
from theorytools.codes.protocol import Code
from theorytools.codes.signs import SignCode
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


@checked
def mixture(first: Code, second: Code, share: Real) -> GramCode:
    r"""Return the code with Gram matrix :math:`(1-\lambda)G_1+\lambda G_2`.

    It is that of the vectors :math:`(\sqrt{1-\lambda}\,\omega_i,\sqrt\lambda\,\omega'_i)`, whatever the two codes are.

    Parameters
    ----------
    first, second : codes with the same number of vectors.
    share : the share :math:`\lambda` of the second, a rational number with ``0 <= share <= 1``.

    Raises
    ------
    DomainError
        For codes of different sizes, or a share outside the unit interval.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from theorytools.codes.gram import orthonormal, simplex
    >>> mixture(orthonormal(5), simplex(5), Fraction(1, 2)).coherence()
    Fraction(-1, 8)
    """
    why = "a convex combination"
    part = checked_rational("share", share, lambda x: 0 <= x <= 1, required="0 <= share <= 1", why=why)
    if first.N != second.N:
        raise DomainError(f"codes of {first.N} and {second.N} vectors", required="two codes of one size")
    s, t = first.gram_denominator, second.gram_denominator
    a, b = (part.denominator - part.numerator) * t, part.numerator * s  # over the denominator s t * denominator
    K = a * first.gram_numerators().astype(object) + b * second.gram_numerators().astype(object)
    whole = s * t * part.denominator
    divisor = int(np.gcd.reduce(K.ravel()))
    return GramCode(K // divisor, whole // divisor)


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


_GRAM_ENTRIES = 2**26
_WHY_GRAM = "(1 - rho) I + rho J is a Gram matrix iff its eigenvalues 1 - rho and 1 + (N - 1) rho are non-negative"


@checked
@dataclass(frozen=True)
class EquiangularCode:
    r"""Unit vectors with one common inner product :math:`\rho` exist iff :math:`-1/(N-1)\le\rho\le1`.

    .. math:: G = (1-\rho)I+\rho J,\qquad \text{eigenvalues } 1-\rho\ (N-1\text{ times}),\ 1+(N-1)\rho .

    The equality case of the leakage bounds: :math:`L=\frac{N-1}{N-1+e^{\beta(1-\rho)}}`.

    Parameters
    ----------
    N : number of codes, at least 2.
    rho : the inner product, a rational number.

    Raises
    ------
    DomainError : ``rho`` outside the interval, where no such vectors exist.

    Examples
    --------
    >>> EquiangularCode(5, Fraction(-1, 4)).gram_counts()[1].tolist()
    [[4], [4], [4], [4], [4]]
    """

    N: int
    rho: Fraction

    def __post_init__(self) -> None:
        N = checked_integer("N", self.N, least=2, why="an inner product needs two codes")
        low = Fraction(-1, N - 1)
        required = f"{low} <= rho <= 1"
        rho = checked_rational("rho", self.rho, lambda x: low <= x <= 1, required=required, why=_WHY_GRAM)
        if rho.denominator >= 2**63:
            given, required = f"rho = {rho}", "a denominator below 2^63"
            why, advice = "Gram matrices are held as int64", "round rho to a nearby simpler fraction"
            raise DomainError(given, required=required, why=why, advice=advice)
        object.__setattr__(self, "N", N)
        object.__setattr__(self, "rho", rho)

    @property
    def d_e(self) -> int:
        """Number of coordinates of the symmetric realisation, ``N``."""
        return self.N

    @property
    def gram_denominator(self) -> int:
        r"""The denominator of :math:`\rho`."""
        return self.rho.denominator

    def gram_numerators(self) -> NDArray[np.int64]:
        """Return the integers ``K`` of ``G = K/s``, shape ``(N, N)``."""
        within_budget("Gram entries", self.N**2, _GRAM_ENTRIES, why="the matrix is held in memory", advice="use rho")
        K = np.full((self.N, self.N), self.rho.numerator, dtype=np.int64)
        np.fill_diagonal(K, self.rho.denominator)
        return K

    def gram_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the one product and its count ``N - 1`` in every row (a read-only view)."""
        return np.array([self.rho.numerator]), np.broadcast_to(np.int64(self.N - 1), (self.N, 1))

    def coherence(self) -> Fraction:
        r"""Return :math:`\rho`, which may be negative."""
        return self.rho

    def absolute_coherence(self) -> Fraction:
        r"""Return :math:`|\rho|`."""
        return abs(self.rho)

    def matrix(self) -> NDArray[np.float64]:
        r"""Return the symmetric root :math:`aI+bJ` of :math:`G` as rows, shape ``(N, N)``.

        .. math:: a=\sqrt{1-\rho},\qquad a+Nb=\sqrt{1+(N-1)\rho} .
        """
        within_budget("matrix entries", self.N**2, _GRAM_ENTRIES, why="the matrix is held in memory", advice="use rho")
        a, root = math.sqrt(1 - self.rho), math.sqrt(1 + (self.N - 1) * self.rho)
        return a * np.eye(self.N) + (root - a) / self.N


@checked
def simplex(N: int) -> EquiangularCode:
    r"""The regular simplex has the least coherence of all :math:`N` unit vectors: :math:`\rho=-1/(N-1)`.

    *Proof.*  :math:`0\le\lVert\sum_i\omega_i\rVert^2\le N+N(N-1)\rho`. ∎
    """
    N = checked_integer("N", N, least=2, why="an inner product needs two codes")
    return EquiangularCode(N, Fraction(-1, N - 1))


@checked
def orthonormal(N: int) -> EquiangularCode:
    r"""The standard basis of :math:`\mathbb R^N`, one-hot positions: :math:`\rho=0`.

    Parameters
    ----------
    N : number of codes and their dimension, at least 2.

    Returns
    -------
    EquiangularCode : its Gram matrix is the identity.

    Raises
    ------
    DomainError : ``N < 2``.

    Examples
    --------
    >>> orthonormal(3).gram_numerators().tolist()
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    return EquiangularCode(N, Fraction(0))
