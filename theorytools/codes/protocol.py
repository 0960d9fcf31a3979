r"""What a position code must answer, and the exact integers it answers with."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class Code(Protocol):
    r"""Unit vectors :math:`\omega_1,\dots,\omega_N\in\mathbb R^{d_e}` with a rational Gram matrix.

    .. math:: G_{tj} = \langle\omega_t,\omega_j\rangle = K_{tj}/s,\qquad K\in\mathbb Z^{N\times N},\ K_{tt}=s.

    ``gram_numerators`` is :math:`K`, ``gram_denominator`` is :math:`s`: everything proved about a code is
    proved about these integers.  ``matrix`` is the float64 realisation that a network uses.

    Examples
    --------
    >>> from theorytools import hadamard
    >>> isinstance(hadamard(4), Code), isinstance(4, Code)
    (True, False)
    """

    @property
    def N(self) -> int:
        """Number of codes."""

    @property
    def d_e(self) -> int:
        """Number of coordinates of one code."""

    @property
    def gram_denominator(self) -> int:
        """The positive integer ``s`` with ``G = K/s``."""

    def gram_numerators(self) -> NDArray[np.int64]:
        """Return the integers ``K``, shape ``(N, N)``; the diagonal equals ``gram_denominator``."""

    def gram_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        r"""Return how often each product occurs in each row of the Gram matrix.

        Returns
        -------
        values : the distinct off-diagonal numerators, shape ``(v,)``, decreasing.
        counts : ``counts[t, k]`` is the number of :math:`j\ne t` with ``K[t, j] == values[k]``, shape ``(N, v)``; it
            may be a read-only view.  Attention scores of the block construction depend on the code through these
            numbers only.
        """

    def coherence(self) -> Fraction:
        r"""Return the one-sided coherence :math:`\rho=\max_{i\ne j}G_{ij}`."""

    def absolute_coherence(self) -> Fraction:
        r"""Return :math:`\max_{i\ne j}|G_{ij}|`."""

    def matrix(self) -> NDArray[np.float64]:
        """Return the codes as rows, shape ``(N, d_e)``, of Euclidean norm 1 up to rounding."""
