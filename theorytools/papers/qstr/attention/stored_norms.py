r"""Norms of weight matrices as stored, exactly: doubles are rationals."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked, ranks
from theorytools.errors import DomainError


@dataclass(frozen=True)
class ScatteredNorms:
    r"""The norms of a matrix that is non-zero at most once in every row and column.

    Attributes
    ----------
    squared_frobenius : :math:`\lVert W\rVert_F^2`.
    operator : :math:`\lVert W\rVert_{\mathrm{op}}`, the largest modulus of an entry: :math:`W^\top W` is diagonal.
    columns : :math:`\lVert W\rVert_{2,1}=\lVert W\rVert_{1,1}`, the sum of the lengths of the columns.
    """

    squared_frobenius: Fraction
    operator: Fraction
    columns: Fraction


@checked
@ranks(W=2)
def scattered_norms(W: NDArray[Any]) -> ScatteredNorms:
    """Return the norms of ``W``, as rationals.

    Parameters
    ----------
    W : matrix, shape ``(n, m)``, at most one entry of a row and of a column other than 0.

    Returns
    -------
    ScatteredNorms : exact for the doubles of ``W``.

    Raises
    ------
    DomainError
        If a row or a column has two non-zero entries, or an entry is not finite.

    Examples
    --------
    >>> scattered_norms(np.array([[0, 3.0], [0.5, 0]])).squared_frobenius
    Fraction(37, 4)
    """
    rows, places = np.divmod(np.flatnonzero(W != 0), W.shape[1])
    if len(set(rows)) < len(rows) or len(set(places)) < len(rows) or not np.isfinite(W).all():
        raise DomainError(
            f"a matrix of shape {W.shape} with {len(rows)} non-zero entries",
            required="finite, at most one non-zero entry in every row and column",
            why="then W'W is diagonal and its norms are read off the entries",
        )
    entries = [abs(Fraction(float(x))) for x in W[rows, places]]
    return ScatteredNorms(
        sum((x * x for x in entries), start=Fraction(0)), max(entries, default=Fraction(0)), sum(entries, Fraction(0))
    )
