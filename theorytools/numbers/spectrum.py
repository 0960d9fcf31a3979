r"""Eigenvalues of symmetric rational matrices: roots of the characteristic polynomial, isolated by flint."""

from __future__ import annotations

from typing import Any

from flint import fmpq, fmpz_poly

from theorytools.errors import DomainError
from theorytools.numbers.combine import maximum
from theorytools.numbers.enclosure import Enclosure, wrap
from theorytools.numbers.linear_algebra import rational_matrix


def largest_eigenvalue(S: Any) -> Enclosure:
    r"""Return :math:`\lambda_{\max}` of a symmetric matrix, exactly where it is rational.

    Parameters
    ----------
    S : rows or array, shape ``(n, n)``, integers and fractions.

    Raises
    ------
    DomainError : a matrix that is not symmetric, or entries that are not exact.

    Examples
    --------
    >>> largest_eigenvalue([[2, 1], [1, 2]]), round(float(largest_eigenvalue([[1, 1], [1, 0]])), 6)
    (Enclosure(3), 1.618034)
    """
    matrix = rational_matrix(S)
    if matrix != matrix.transpose():
        raise DomainError("a matrix that is not symmetric", required="S equal to its transpose")
    polynomial = matrix.charpoly().numer()
    # all roots are real; of each the ball around its real part holds it
    roots: Any = polynomial.complex_roots()
    top = maximum(wrap(root.real) for root, _ in roots)
    exact = _rational_root(polynomial, top)
    return top if exact is None else Enclosure(exact)


def _rational_root(polynomial: fmpz_poly, near: Enclosure) -> fmpq | None:
    """The rational root in a ball that holds one root: its denominator divides the leading coefficient."""
    leading = polynomial[polynomial.degree()]
    multiple = (near.ball() * leading).unique_fmpz()
    if multiple is None:
        return None
    candidate = fmpq(multiple) / leading
    return candidate if polynomial(candidate) == 0 else None
