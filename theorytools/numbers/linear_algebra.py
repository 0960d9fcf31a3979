"""Linear algebra over the rationals and over balls: products, solutions, inverses, ranks, independent rows.

Matrices are nested sequences (rows) or arrays of integers and fractions; results are lists of fractions.  A
vertex of a linear programme, solved again here, is exact where the solver's answer is not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb_mat, fmpq, fmpq_mat, fmpz_mat, nmod_mat

from theorytools.arguments.values import checked_array
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers.enclosure import Enclosure, wrap
from theorytools.numbers.rational import of_flint, quick

_PRIMES = (2**31 - 1, 2**31 - 19, 2**31 - 61)


def rational_dot(a: Iterable[Any], b: Iterable[Any]) -> Fraction:
    """Return the exact sum of the products of two equally long sequences of integers and fractions.

    Raises
    ------
    DomainError : for sequences of different lengths, and for anything else.
    """
    left, right = _entries(a), _entries(b)
    _same(len(left), len(right), "the length of a", "the length of b")
    result = fmpq(0)
    for x, y in zip(left, right, strict=True):
        result += quick(x) * quick(y)
    return of_flint(result)


def rational_product(A: Any, B: Any) -> Any:
    r"""Return ``A @ B`` exactly, for arrays of integers and fractions, as an array of Fractions.

    Parameters
    ----------
    A : array, shape ``(k,)`` or ``(n, k)``.
    B : array, shape ``(k,)`` or ``(k, m)``; one of the two has two axes.

    Raises
    ------
    DomainError : for shapes that do not fit, and for entries that are neither integers nor fractions.
    """
    made = quick_product(A, B)
    made.reshape(-1)[:] = [of_flint(x) for x in made.flat]
    return made


def quick_product(A: Any, B: Any) -> Any:
    r"""Return ``A @ B`` exactly as :func:`rational_product` does, as an array of :func:`quick` numbers.

    Parameters
    ----------
    A : array, shape ``(k,)`` or ``(n, k)``, of integers, fractions and quick numbers.
    B : array, shape ``(k,)`` or ``(k, m)``; one of the two has two axes.

    Raises
    ------
    DomainError : for shapes that do not fit, and for any other entries.

    Examples
    --------
    >>> [str(x) for x in quick_product([[1, 2], [3, 4]], [quick(Fraction(1, 2)), 1])]
    ['5/2', '11/2']
    """
    words = {"required": "arrays of shapes (k,) or (n, k), and (k,) or (k, m)", "why": "A @ B sums over k"}
    A, B = (checked_array(X, **words, advice="pass arrays of integers and fractions") for X in (A, B))
    if A.ndim not in (1, 2) or B.ndim not in (1, 2) or not A.size or not B.size or A.shape[-1] != len(B):
        raise DomainError(f"arrays of shapes {A.shape} and {B.shape}", **words)
    shape = A.shape[:-1] + B.shape[1:]
    left = rational_matrix(A if A.ndim == 2 else A.reshape(1, -1))
    right = rational_matrix(B if B.ndim == 2 else B.reshape(-1, 1))
    made = np.empty(shape, dtype=object)
    made.reshape(-1)[:] = [x for row in (left * right).tolist() for x in row]
    return made


def solve_rational(A: Any, b: Any) -> list[Any]:
    r"""Return the exact solution of :math:`Ax=b`.

    Parameters
    ----------
    A : rows or array
        Shape ``(n, n)``, integers and fractions.
    b : sequence or array
        Shape ``(n,)``, or ``(n, m)`` for ``m`` right sides.

    Returns
    -------
    list
        ``n`` fractions, or ``n`` rows of ``m`` fractions.

    Raises
    ------
    DomainError
        If ``A`` is singular or the shapes do not fit.
    """
    matrix, (right, column) = _square(A), _right_side(b, rational_matrix)
    _same(matrix.nrows(), right.nrows(), "the rows of A", "the length of b")
    try:
        solution = _fractions(matrix.solve(right))
    except ZeroDivisionError:
        raise _singular(matrix.nrows()) from None
    return [row[0] for row in solution] if column else solution


def rational_inverse(A: Any) -> list[list[Fraction]]:
    """Return the exact inverse of ``A``, shape ``(n, n)``; ``DomainError`` if it is singular."""
    matrix = _square(A)
    try:
        return _fractions(matrix.inv())
    except ZeroDivisionError:
        raise _singular(matrix.nrows()) from None


def rational_rank(A: Any) -> int:
    """Return the rank of ``A``, shape ``(n, m)``, over the rationals."""
    return int(rational_matrix(A).rank())


def first_independent(A: Any) -> list[int]:
    """Return the numbers of the rows of ``A``, shape ``(n, m)``, that do not depend on those before them."""
    matrix = rational_matrix(A)
    return list(range(matrix.nrows())) if matrix.rank() == matrix.nrows() else _pivots(matrix.transpose())


def independent_rows(A: Any) -> tuple[list[int], list[int]]:
    r"""Return the numbers of independent rows that span all rows, and of columns in which those are invertible.

    Elimination modulo a prime finds them: a minor that is not zero modulo a prime is not zero.  That the other rows
    are combinations of theirs is then shown over the rationals, if there are any.

    Parameters
    ----------
    A : rows or array, shape ``(n, m)``, integers and fractions.

    Raises
    ------
    CertificateError
        If every prime that is tried divides a minor that matters.
    """
    rows = np.array(A, dtype=object)
    for prime in _PRIMES:
        matrix = _modulo(rows, prime)
        kept, columns = _pivots(matrix.transpose()), _pivots(matrix)
        if spanned(np.delete(rows, kept, axis=0), rows[kept], columns):
            return kept, columns
    raise CertificateError(
        f"the rank of {len(rows)} rows",
        required="a prime that does not lower it",
        why=f"elimination modulo each of {_PRIMES} finds too few pivots",
        advice="multiply the rows by an invertible matrix",
    )


def spanned(rows: Any, basis: Any, columns: Sequence[int]) -> bool:
    """Return whether the rows are combinations of an independent basis, decided exactly.

    A larger rank modulo a prime proves that they are not; otherwise the coefficients are solved for in ``columns``,
    in which the basis is invertible, and compared in all.
    """
    if not len(rows) or not len(basis) or len(basis) == basis.shape[1]:
        return bool(len(basis)) or not rows.any()
    if _modulo(np.vstack([basis, rows]), _PRIMES[0]).rank() > len(basis):
        return False
    coefficients = np.array(solve_rational(basis[:, columns].T, rows[:, columns].T), dtype=object).T
    return bool((rational_product(coefficients, basis) == rows).all())


def _modulo(rows: Any, prime: int) -> nmod_mat:
    return nmod_mat([_residues([(int(x.numerator), int(x.denominator)) for x in row], prime) for row in rows], prime)


def _residues(row: list[tuple[int, int]], prime: int) -> list[int]:
    """The fractions, times their least common denominator, modulo a prime."""
    scale = math.lcm(*(q for _, q in row))
    return [p * (scale // q) % prime for p, q in row]


def _pivots(matrix: fmpq_mat | nmod_mat) -> list[int]:
    """Return the first columns that are independent."""
    reduced, rank = matrix.rref()
    return [next(j for j in range(i, matrix.ncols()) if reduced[i, j] != 0) for i in range(rank)]


def solve_ball(A: Any, b: Any) -> list[Any]:
    r"""Return enclosures of the solution of :math:`Ax=b` for every matrix and right side inside the balls.

    Entries are enclosures or exact numbers, shapes as in :func:`solve_rational`.

    Raises
    ------
    CertificateError
        If the ambient precision does not prove ``A`` invertible.
    """
    matrix, (right, column) = ball_matrix(A), _right_side(b, ball_matrix)
    _same(matrix.nrows(), matrix.ncols(), "the rows of A", "its columns")
    _same(matrix.nrows(), right.nrows(), "the rows of A", "the length of b")
    try:
        solution = _enclosures(matrix.solve(right))
    except ZeroDivisionError:
        raise CertificateError(
            f"a matrix of order {matrix.nrows()} in balls",
            required="a matrix proved invertible",
            why="elimination met a pivot that may be zero",
            advice="raise the precision, or use solve_rational where the entries are rational",
        ) from None
    return [row[0] for row in solution] if column else solution


def ball_matmul(A: Any, B: Any) -> list[list[Enclosure]]:
    """Return ``A B``, shapes ``(n, k)`` and ``(k, m)``, in enclosures; exact if all entries are."""
    left, right = _rows(A), _rows(B)
    _same(len(left[0]), len(right), "the columns of A", "the rows of B")
    if _integral(A):  # a table of integers: no look at single entries
        integers = fmpz_mat(left)
        exact = all(x.exact for row in right for x in row if isinstance(x, Enclosure))
        return _enclosures(integers * _exact_matrix(right) if exact else arb_mat(integers) * ball_matrix(right))
    entries = (x for rows in (left, right) for row in rows for x in row)
    exact = all(x.exact if isinstance(x, Enclosure) else True for x in entries)
    build = _exact_matrix if exact else ball_matrix
    return _enclosures(build(left) * build(right))


def _integral(A: Any) -> bool:
    return getattr(getattr(A, "dtype", None), "kind", "") in ("i", "u")


def rational_matrix(A: Any) -> fmpq_mat:
    """Return flint's matrix of integers and fractions; ``DomainError`` for ragged rows or any other entry."""
    if _integral(A):
        return fmpq_mat(fmpz_mat(_rows(A)))  # an integer array: no look at single entries
    return fmpq_mat([[quick(x) for x in row] for row in _rows(A)])


def ball_matrix(A: Any) -> arb_mat:
    """Return flint's matrix of enclosures and exact numbers at the ambient precision."""
    return arb_mat([[x.ball() if isinstance(x, Enclosure) else quick(x) for x in row] for row in _rows(A)])


def _exact_matrix(A: Any) -> fmpq_mat:
    return fmpq_mat([[x.value if isinstance(x, Enclosure) else quick(x) for x in row] for row in _rows(A)])


def _rows(A: Any) -> list[Sequence[Any]]:
    rows = _list(A)
    if not rows or not all(isinstance(row, list | tuple) and row for row in rows):
        raise DomainError("rows that are not non-empty sequences", required="a matrix: a sequence of rows")
    if len({len(row) for row in rows}) != 1:
        raise DomainError(f"rows of lengths {[len(row) for row in rows]}", required="rows of one length")
    return rows


def _list(values: Any) -> list[Any]:
    if hasattr(values, "tolist"):
        values = values.tolist()
    return list(values) if isinstance(values, Iterable) else []


def _entries(values: Any) -> list[Any]:
    if isinstance(values, list | tuple):
        return list(values)
    if not isinstance(values, Iterable):
        raise DomainError(
            f"{values!r} of type {type(values).__name__}", required="a sequence of integers and fractions"
        )
    return _list(values)


def _right_side(b: Any, build: Any) -> tuple[Any, bool]:
    entries = _list(b)
    if not entries:
        raise DomainError(f"the right side {b!r}", required="n numbers, or n rows of m numbers")
    column = not any(isinstance(entry, list | tuple) for entry in entries)
    return build([[entry] for entry in entries] if column else entries), column


def _square(A: Any) -> fmpq_mat:
    matrix = rational_matrix(A)
    _same(matrix.nrows(), matrix.ncols(), "the rows of A", "its columns")
    return matrix


def _same(n: int, m: int, what: str, other: str) -> None:
    if n != m:
        raise DomainError(f"{what}: {n}, {other}: {m}", required="equal numbers")


def _singular(n: int) -> DomainError:
    return DomainError(f"a singular matrix of order {n}", required="an invertible matrix")


def _fractions(matrix: fmpq_mat) -> list[list[Fraction]]:
    return [[of_flint(x) for x in row] for row in matrix.tolist()]


def _enclosures(matrix: Any) -> list[list[Enclosure]]:
    return [[wrap(x) for x in row] for row in matrix.tolist()]
