"""Equiangular codes: every two of the N vectors have the same inner product."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.arguments.values import checked_integer, checked_rational, within_budget
from theorytools.errors import DomainError

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
