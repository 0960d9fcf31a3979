r"""Any block that compares position codes, against the scaled identity: what a score gap costs in norm.

A head whose scores compare codes only has :math:`\frac dq\,\omega_t^\top V\omega_j` for a block
:math:`V\in\mathbb R^{d_e\times d_e}`.  If the indexed position leads by :math:`\gamma` for all :math:`j\ne t`, the
sum over all pairs is :math:`\frac dq\langle V,M\rangle\ge N(N-1)\gamma` with
:math:`M=\sum_{t,j}\omega_t(\omega_t-\omega_j)^\top=N\sum_t\omega_t\omega_t^\top-ss^\top`, :math:`s=\sum_t\omega_t`, so

.. math:: \lVert V\rVert_F\ge\frac qd\,\gamma\,\frac{N(N-1)}{\lVert M\rVert_F}

by Cauchy-Schwarz.  The mean gap obeys the same inequality, with equality for :math:`V=M`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.codes.protocol import Code
from theorytools.errors import DomainError

Integers = NDArray[np.int64]


@checked
@dataclass(frozen=True, eq=False)
class QueryKeyBlock:
    r"""The block :math:`V=aI+\sum_{t,j}C_{tj}\omega_t\omega_j^\top`, all of it in the integers of a Gram matrix.

    Scores and norm need no coordinates: :math:`\Omega V\Omega^\top=aG+GCG` and
    :math:`\lVert V\rVert_F^2=a^2d_e+2a\,\mathrm{tr}(CG)+\mathrm{tr}(CGC^\top G)`.

    Parameters
    ----------
    code : the position code.
    a : an integer, the share of the identity.
    C : integers, shape ``(N, N)``; 0 unless given.

    References
    ----------
    Derived here, for Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 11, arXiv 2503.11272v1.

    Examples
    --------
    >>> from theorytools.codes.equiangular import simplex
    >>> block = second_moment(simplex(4))
    >>> block.least_gap == block.mean_gap, block.squared_norm == (4 * 3 * block.least_gap) ** 2 / alignment(block.code)
    (True, True)
    """

    code: Code
    a: int = 1
    C: Integers | None = None

    def __post_init__(self) -> None:
        if self.C is not None and (self.C.shape != (self.code.N, self.code.N) or self.C.dtype.kind not in "iu"):
            raise DomainError(
                f"C of shape {self.C.shape} and type {self.C.dtype}", required=f"integers, shape ({self.code.N},) * 2"
            )

    @cached_property
    def _gaps(self) -> Integers:
        """``s**2`` times the score gaps off the diagonal, shape ``(N, N - 1)``."""
        K, s = self.code.gram_numerators(), self.code.gram_denominator
        scores = _product(np.array([[self.a * s]]), K.reshape(1, -1)).reshape(K.shape)
        if self.C is not None:
            scores = scores + _product(_product(K, self.C), K)
        N = len(K)
        return (np.diagonal(scores)[:, None] - scores)[~np.eye(N, dtype=bool)].reshape(N, N - 1)

    @property
    def least_gap(self) -> Fraction:
        r"""The least of :math:`\omega_t^\top V(\omega_t-\omega_j)`, :math:`j\ne t`; may be negative."""
        return Fraction(int(self._gaps.min()), self.code.gram_denominator**2)

    @property
    def mean_gap(self) -> Fraction:
        r"""The mean of :math:`\omega_t^\top V(\omega_t-\omega_j)` over all :math:`t\ne j`."""
        return Fraction(int(self._gaps.sum(dtype=object)), self._gaps.size * self.code.gram_denominator**2)

    @cached_property
    def squared_norm(self) -> Fraction:
        r"""The squared Frobenius norm :math:`\lVert V\rVert_F^2`."""
        K, s = self.code.gram_numerators(), self.code.gram_denominator
        value = Fraction(self.a**2 * self.code.d_e)
        if self.C is not None:
            CK = _product(self.C, K)
            value += Fraction(2 * self.a * int(np.trace(CK)), s)
            value += Fraction(_trace_of_product(CK, _product(self.C.T, K)), s * s)
        return value


@checked
def second_moment(code: Code) -> QueryKeyBlock:
    r"""Return :math:`V=M=N\sum_t\omega_t\omega_t^\top-ss^\top`, the block of least norm for its mean gap."""
    return QueryKeyBlock(code, 0, code.N * np.eye(code.N, dtype=np.int64) - 1)


@checked
def alignment(code: Code) -> Fraction:
    r"""Return :math:`\lVert N\sum_t\omega_t\omega_t^\top-ss^\top\rVert_F^2=\mathrm{tr}\,(PG)^2`, :math:`P=NI-J`.

    No block of smaller squared norm than :math:`(N(N-1)\bar\gamma)^2` over this reaches the mean gap
    :math:`\bar\gamma`.

    Parameters
    ----------
    code : the position code, Gram matrix :math:`G` and sum of codes :math:`s`.

    Returns
    -------
    Fraction : 0 where all codes are equal.

    Examples
    --------
    >>> from theorytools import orthonormal
    >>> from theorytools.papers.qstr import alignment
    >>> alignment(orthonormal(3))  # P has eigenvalues 3, 3 and 0
    Fraction(18, 1)
    """
    return second_moment(code).squared_norm


def _product(A: Integers, B: Integers) -> Integers:
    """Return ``A @ B``, in Python integers where 64 bits might not hold it."""
    bound = A.shape[1] * int(abs(A).max()) * int(abs(B).max())
    return A @ B if bound < 2**62 else A.astype(object) @ B.astype(object)


def _trace_of_product(A: Integers, B: Integers) -> int:
    r"""Return :math:`\mathrm{tr}(AB)=\sum_{ij}A_{ij}B_{ji}`."""
    return int((A.astype(object) * B.T.astype(object)).sum())
