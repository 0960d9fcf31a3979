r"""A selector with fixed encodings, trained on the first positions only, evaluated on every subset of all positions.

The full model, without formulas: encodings :math:`e_1,\dots,e_{T'}` in :math:`\mathbb R^{D}`, score matrix
:math:`W_{22}=\beta E_TQE_T^\top`, :math:`Q=I-\mathbf{11}^\top/T`, where :math:`E_T` holds the encodings of the
:math:`T` seen positions: training at length :math:`T` moves from zero in this direction when they are orthonormal.
Query :math:`e_y=\sum_{i\in y}e_i`, scores :math:`e_i^\top W_{22}e_y`.

References
----------
Wang, Wei, Hsu, Lee (2024), ood, arXiv 2406.06893v1.  The model is restated here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import comb, gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Real, checked
from theorytools.errors import DomainError
from theorytools.numbers import over_one, shortest_fraction
from theorytools.papers.stsq.tasks.sparse_selection import checked_sizes, subsets
from theorytools.theory.first_layers.certified_span import exact_matrix

Exact = NDArray[Any]


@checked
@dataclass(frozen=True, eq=False)
class FixedSelector:
    r"""Attention with one frozen set of encodings, of which the first ``T`` were seen in training.

    Parameters
    ----------
    E : encodings, integers or fractions, shape ``(T', D)``, one row per position; the first ``T`` orthonormal.
    T, q, d : seen positions, selected tokens (``1 <= q < T``), token dimension.

    Raises
    ------
    DomainError
        For sizes that do not fit, and seen encodings that are not orthonormal.
    """

    E: Exact = field(repr=False)
    T: int
    q: int
    d: int = 1

    def __post_init__(self) -> None:
        checked_sizes(self.T, self.q, self.d)
        if np.ndim(self.E) != 2 or len(self.E) < self.T:
            raise DomainError(f"encodings of shape {np.shape(self.E)}", required=f"(T', D) with T' >= {self.T}")
        seen = exact_matrix(self.E, np.shape(self.E)[1], "the encodings")[: self.T]
        if ((seen @ seen.T) != np.eye(self.T, dtype=int)).any():
            raise DomainError(
                "seen encodings that are not orthonormal",
                required="E E^T = I on the seen positions",
                why="only then is the trained matrix a multiple of E_T(I - 11'/T)E_T'",
            )

    @property
    def length(self) -> int:
        """The number of all positions."""
        return len(self.E)

    @cached_property
    def Q(self) -> NDArray[np.int64]:
        r"""The factor :math:`TI-\mathbf 1\mathbf 1^\top` of the score matrix, as training gives it."""
        return self.T * np.eye(self.T, dtype=np.int64) - 1

    @cached_property
    def _products(self) -> tuple[Exact, int]:
        r"""The matrix :math:`T\,e_i^\top E_TQE_T^\top e_j` of all positions, integers over their least denominator."""
        E, scale = over_one(exact_matrix(self.E, np.shape(self.E)[1], "the encodings"))
        products = (E @ E[: self.T].T) @ self.Q.astype(object) @ (E[: self.T] @ E.T)
        common = gcd(scale**4, *map(int, products.flat))
        return products // common, scale**4 // common

    @property
    def steps(self) -> int:
        r"""The least denominator of all :math:`T\sigma_i/\beta`; :meth:`loss` takes the root of this order of w."""
        return self._products[1]

    def scores(self, y: tuple[int, ...]) -> list[int]:
        r"""Return :math:`T\sigma_i/\beta` times ``steps`` for all positions."""
        return [int(x) for x in self._products[0][:, list(y)].sum(axis=1)]

    def weights(self, y: tuple[int, ...], w: Fraction | None = None) -> list[int]:
        r"""Return integers in the ratios of the attention weights, at rational :math:`w=e^{\beta/(T\,\mathrm{steps})}`.

        Without ``w`` for :math:`\beta\to\infty`: equal on the positions of the largest score.
        """
        s = self.scores(y)
        low, high = min(s), max(s)
        if w is None:
            return [int(x == high) for x in s]
        base = Fraction(w)
        if base <= 0:
            raise DomainError(f"w = {w}", required="w > 0", why="it is an exponential")
        # (a/b)^s times b^high / a^low
        return [base.numerator ** (x - low) * base.denominator ** (high - x) for x in s]

    def loss(self, w: Fraction | None = None, alpha: Real = 1) -> Fraction:
        r"""Return :math:`E\lVert f-s\rVert^2=d\,E_y\sum_i(\alpha a_i-\mathbf 1\{i\in y\}/q)^2`, over all subsets.

        Without ``w`` the limit :math:`\beta\to\infty` at ``alpha``.
        """
        total, scale = Fraction(0), shortest_fraction(alpha)
        for y in subsets(self.length, self.q):
            a = self.weights(y, w)
            unit = scale.denominator * sum(a)  # alpha a_i - 1{i in y}/q over 1/(q unit)
            gaps = (self.q * scale.numerator * x - unit * (i in y) for i, x in enumerate(a))
            total += Fraction(sum(gap * gap for gap in gaps), (self.q * unit) ** 2)
        return self.d * total / comb(self.length, self.q)
