"""The rank of many rational rows: from below by elimination modulo a prime, from above by solving for the others.

A minor that is not zero modulo a prime is not zero, so the number of pivots modulo any prime is at most the rank.
That the remaining rows are combinations of the pivot rows is then shown over the rationals, if there are any.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import CertificateError
from theorytools.numbers import ball_matmul, solve_rational

Exact = NDArray[Any]  # integers or fractions, dtype object

_PRIMES = (2**31 - 1, 2**31 - 19, 2**31 - 61)


def independent_rows(rows: Exact) -> tuple[list[int], list[int]]:
    """Return the numbers of independent rows that span all rows, and columns in which they are invertible.

    Raises
    ------
    CertificateError
        If every prime that is tried divides a minor that matters.
    """
    for prime in _PRIMES:
        kept, pivots = _eliminate(rows, prime)
        if spanned(np.delete(rows, kept, axis=0), rows[kept], pivots):
            return kept, pivots
    raise CertificateError(
        f"the rank of {rows.shape[0]} rows",
        required="a prime that does not lower it",
        why=f"elimination modulo each of {_PRIMES} finds too few pivots",
        advice="multiply the rows by an invertible matrix",
    )


def spanned(rows: Exact, basis: Exact, pivots: Sequence[int]) -> bool:
    """Return whether the rows are combinations of an independent basis, decided exactly.

    A larger rank modulo a prime proves that they are not; otherwise the coefficients are solved for in the pivot
    columns and compared in all.
    """
    if not len(rows) or len(basis) == basis.shape[1]:
        return True
    if len(_eliminate(np.vstack([basis, rows]), _PRIMES[0])[0]) > len(basis):
        return False
    columns = list(pivots)
    coefficients = np.array(solve_rational(basis[:, columns].T, rows[:, columns].T), dtype=object).T
    return bool((fraction_product(coefficients, basis) == rows).all())


def fraction_product(A: Exact, B: Exact) -> Exact:
    """Return the product of two matrices of fractions, exactly."""
    return np.array([[x.fraction() for x in row] for row in ball_matmul(A.tolist(), B.tolist())], dtype=object)


def _eliminate(rows: Exact, prime: int) -> tuple[list[int], list[int]]:
    """Rows and columns of the pivots of elimination modulo a prime."""
    scales = [math.lcm(*(x.denominator for x in row)) for row in rows]
    residues = [[int(x * s if s > 1 else x) % prime for x in row] for row, s in zip(rows, scales, strict=True)]
    A, order = np.array(residues, dtype=np.int64), np.arange(len(rows))
    kept: list[int] = []
    pivots: list[int] = []
    for column in range(A.shape[1]):
        done = len(kept)
        nonzero = np.flatnonzero(A[done:, column])
        if len(nonzero):
            swap = [done + int(nonzero[0]), done]
            A[swap[::-1]], order[swap[::-1]] = A[swap], order[swap]
            # products of two residues stay below 2^62
            A[done] = A[done] * pow(int(A[done, column]), -1, prime) % prime
            A[done + 1 :] = (A[done + 1 :] - A[done + 1 :, column, None] * A[done]) % prime
            kept.append(int(order[done]))
            pivots.append(column)
        if len(kept) == len(A):
            break
    return kept, pivots
