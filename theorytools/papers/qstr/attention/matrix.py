r"""Attention in its matrix form :math:`F=\operatorname{softmax}(ZWZ^\top)Z`, in exact numbers.

Scores are kept in units of :math:`\log2`, so that integer scores give the rational weights
:math:`2^{s_j}/\sum_k2^{s_k}`; other rational scores give enclosures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from theorytools.arguments.checked import Real, checked
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.attention.layer import AttentionLayer
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, over_one

Matrix = list[list[Fraction]]
Rows = list[list[Enclosure]]


def softmax_weights(scores: Sequence[Fraction | int]) -> list[Enclosure]:
    r"""Return :math:`2^{s_j}/\sum_k2^{s_k}` at the ambient precision, rational for integer scores."""
    return AttentionLayer([scores], sympy.log(2)).weights(0)


def scores(Z: Sequence[Sequence[Any]], W: Sequence[Sequence[Any]]) -> Matrix:
    r"""Return :math:`ZWZ^\top`, shape ``(N, N)``: rows are queries, columns keys."""
    rows, kernel = np.array(Z, dtype=object), np.array(W, dtype=object)
    if rows.ndim != 2 or kernel.shape != (rows.shape[1],) * 2:
        raise DomainError(f"Z {rows.shape}, W {kernel.shape}", required="(N, D) and (D, D)")
    (Z_whole, a), (W_whole, b) = over_one(rows), over_one(kernel)
    return [[Fraction(x, a * a * b) for x in row] for row in Z_whole @ W_whole @ Z_whole.T]


@checked
def attend(Z: Sequence[Sequence[Real]], W: Sequence[Sequence[Real]]) -> Rows:
    r"""Return :math:`F=\operatorname{softmax}_{\text{row}}(\log2\cdot ZWZ^\top)Z`, shape ``(N, D)``.

    Parameters
    ----------
    Z : encoded prompt, integers or fractions, rows are positions.
    W : merged query-key matrix :math:`W_Q^\top W_K` in units of :math:`\log2`.

    Examples
    --------
    >>> [[x.fraction() for x in row] for row in attend([[1], [0]], [[1]])]
    [[Fraction(2, 3)], [Fraction(1, 2)]]
    """
    layer, tokens = AttentionLayer(scores(Z, W), sympy.log(2)), [[Fraction(z) for z in row] for row in Z]
    return [layer.exact(i, tokens) for i in range(len(tokens))]


@dataclass(frozen=True)
class MatrixAttention:
    r"""One attention head given by its merged matrix, on tokens with fixed further coordinates or none.

    Parameters
    ----------
    W : merged query-key matrix in units of :math:`\log2`, shape ``(D, D)``.
    codes : what follows the tokens in the rows of :math:`Z`, shape ``(N, D - d)``; None for bare tokens.

    Examples
    --------
    >>> F = MatrixAttention([[1]])
    >>> [[x.fraction() for x in row] for row in F([[0], [1]])]  # permuted as the tokens are
    [[Fraction(1, 2)], [Fraction(2, 3)]]
    """

    W: Sequence[Sequence[Any]]
    codes: Sequence[Sequence[Any]] | None = None

    @classmethod
    def of(cls, net: BlockAttention, T: NDArray[np.int64], h: int = 0) -> MatrixAttention:
        """Return head ``h`` of the construction at the index tuples ``T``, shape ``(N, q)``."""
        blank = [[0] * net.d] * net.N
        return cls(merged_matrix(net, h), [row[net.d :] for row in encoded(net, blank, T)])

    def __call__(self, X: Sequence[Sequence[Any]]) -> Rows:
        """Return the token part of :math:`F`, shape ``(N, d)``, of integer or rational tokens ``X``."""
        Z = X if self.codes is None else [[*x, *code] for x, code in zip(X, self.codes, strict=True)]
        return [row[: len(X[0])] for row in attend(Z, self.W)]


def encoded(net: BlockAttention, X: Sequence[Sequence[int]], T: NDArray[np.int64]) -> Matrix:
    r"""Return the rows :math:`z_i=(x_i,\sqrt{d/q}(\omega_i,\omega_{t_{i1}},\dots))` of one prompt as fractions.

    Raises
    ------
    DomainError
        Unless the codes are signs and the squared scale over :math:`d_e` is the square of a rational.
    """
    if not isinstance(net.codes, SignCode):
        raise DomainError(f"codes of type {type(net.codes).__name__}", required="a SignCode")
    square = Fraction(str(net.squared_scale)) / net.codes.d_e
    factor = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    if factor**2 != square:
        raise DomainError(f"a squared scale {square} per coordinate", required="the square of a rational")
    signs = net.codes.signs.astype(int).tolist()
    return [
        [*map(Fraction, x), *(factor * sign for t in (i, *T[i].tolist()) for sign in signs[t])] for i, x in enumerate(X)
    ]


def merged_matrix(net: BlockAttention, h: int) -> Matrix:
    r"""Return :math:`W^{(h)}_{QK}` in units of :math:`\log2`, shape ``(D_e, D_e)``: zero but for one block.

    Raises
    ------
    DomainError
        Unless the temperature is a rational multiple of :math:`\log2`.
    """
    alpha = net.alpha / sympy.log(2)
    if not alpha.is_Rational:
        raise DomainError(f"alpha = {net.alpha}", required="a rational multiple of log 2", why="exact weights")
    (query, key), k, d = net.wiring[h], net.codes.d_e, net.d
    W = [[Fraction(0)] * net.D_e for _ in range(net.D_e)]
    for c in range(k):
        W[d + query * k + c][d + key * k + c] = Fraction(alpha.p, alpha.q)
    return W
