r"""Learning a linear link from retrieved tokens: what is left unknown after ``n`` labels, exactly.

The learner is given the retrieved tokens :math:`v=(x_{t_1},\dots,x_{t_q})\in\mathbb R^p`, :math:`p=qd`, and the
noise-free label :math:`y=\langle u,v\rangle` of each of ``n`` positions.  Isotropic tokens make the risk of an
estimate :math:`\hat u` equal to :math:`\lVert\hat u-u\rVert^2`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked, ranks
from theorytools.constructions.shapes import rationals, rows_of, shaped
from theorytools.errors import DomainError
from theorytools.numbers import rational_dot, rational_inverse, rational_product
from theorytools.theory.first_layers.exact_span import InputSpan

Vector = NDArray[Any]
Estimator = Callable[[Vector], Vector]


@checked
@dataclass(frozen=True)
class RetrievedRegression:
    r"""The design of a regression on retrieved tokens, and the risks of estimators on it.

    Links :math:`u` and :math:`u'=(2\Pi-I)u`, :math:`\Pi` the projector on the span of the rows, have the same
    labels, hence one estimate :math:`\hat u`, and :math:`\frac12(\lVert\hat u-u\rVert^2+\lVert\hat u-u'\rVert^2)
    =\lVert\hat u-\Pi u\rVert^2+\lVert(I-\Pi)u\rVert^2`.  Averaged over any law of the link that the reflection
    preserves and for which :math:`E\,uu^\top=I/p` (uniform on the sphere, or an orthonormal basis and its images)
    every estimator therefore has a risk of at least :math:`1-\operatorname{rank}/p`; the projection attains it.

    Parameters
    ----------
    rows : one row per label, integers, shape ``(n, p)``, not all zero.

    References
    ----------
    Derived here, for Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), arXiv 2503.11272v1.

    Examples
    --------
    >>> data = RetrievedRegression([[1, 0, 0], [1, 1, 0]])
    >>> data.mean_risk(data.min_norm), data.mean_risk(data.zero)
    (Fraction(1, 3), Fraction(1, 1))
    """

    rows: Sequence[Sequence[int]]

    def __post_init__(self) -> None:
        rows_of("the design", self.rows)

    @classmethod
    @ranks(X=3, T=3)
    def of(cls, X: NDArray[Any], T: NDArray[np.int64], *, tied: bool = False) -> RetrievedRegression:
        r"""Return the design of integer prompts ``X`` ``(n, N, d)`` at labelled tuples ``T`` ``(n, L, q)``.

        ``tied`` gives the learner of :math:`y=\langle w,\sum_jx_{t_j}\rangle` the sums instead, ``d`` numbers.
        """
        tokens = np.asarray(X)[np.arange(len(X))[:, None, None], np.asarray(T)]
        flat = tokens.sum(axis=2) if tied else tokens.reshape(*tokens.shape[:2], -1)
        return cls(flat.reshape(-1, flat.shape[2]).astype(int).tolist())

    @cached_property
    def _span(self) -> InputSpan:
        return InputSpan.of(np.array(self.rows, dtype=object), 1, self.p)

    @property
    def p(self) -> int:
        """The number of unknowns."""
        return len(self.rows[0])

    @property
    def rank(self) -> int:
        """The number of independent labels."""
        return self._span.rank

    @cached_property
    def design(self) -> Vector:
        """Independent rows that span the data, in fractions, shape ``(rank, p)``."""
        return np.array([[Fraction(x) for x in row] for row in self._span.basis], dtype=object)

    @cached_property
    def _pseudo_inverse(self) -> Vector:
        V = self.design
        return rational_product(V.T, np.array(rational_inverse(rational_product(V, V.T)), dtype=object))

    @cached_property
    def axes(self) -> list[Vector]:
        r"""The unit vectors :math:`e_1,\dots,e_p`."""
        return [np.array([Fraction(int(k == j)) for j in range(self.p)], dtype=object) for k in range(self.p)]

    @cached_property
    def links(self) -> list[Vector]:
        r"""The unit vectors and their images :math:`(2\Pi-I)e_k`."""
        return self.axes + [2 * rational_product(self._pseudo_inverse, self.design @ e) - e for e in self.axes]

    def mean_risk(self, estimator: Estimator, links: Sequence[Vector] | None = None) -> Fraction:
        r"""Return the mean of :math:`\lVert\hat u-u\rVert^2` over ``links``; the estimator sees labels only."""
        chosen = self.links if links is None else [np.array(rationals("a link", u), dtype=object) for u in links]
        if not chosen:
            raise DomainError("no links", required="one or more")
        errors = []
        for u in chosen:
            shaped("a link", u, self.p)
            estimate = estimator(self.design @ u)
            shaped("the estimate", estimate, self.p)
            errors.append(estimate - u)
        return sum((rational_dot(e, e) for e in errors), Fraction(0)) / len(chosen)

    # -- estimators: labels of the independent rows, shape (rank,), to an estimate, shape (p,) -----------------
    @ranks(y=1)
    def min_norm(self, y: Vector) -> Vector:
        """Return the interpolant of least norm, :math:`V^+y`."""
        return rational_product(self._pseudo_inverse, np.asarray(y, dtype=object))

    @ranks(y=1)
    def ridge(self, y: Vector, penalty: Fraction = Fraction(1)) -> Vector:
        r"""Return :math:`V^\top(VV^\top+\lambda I)^{-1}y`."""
        shaped("y", y, self.rank)
        V = self.design
        kernel = rational_product(V, V.T) + penalty * np.eye(len(V), dtype=int).astype(object)
        dual = rational_product(np.array(rational_inverse(kernel), dtype=object), np.asarray(y, dtype=object))
        return rational_product(V.T, dual)

    @ranks(y=1)
    def zero(self, y: Vector) -> Vector:
        """Return 0."""
        shaped("y", y, self.rank)
        return np.array([Fraction(0)] * self.p, dtype=object)

    @ranks(y=1)
    def nearest_axis(self, y: Vector) -> Vector:
        """Return the unit vector :math:`e_k` whose labels are nearest: right whenever the link is one of them."""
        shaped("y", y, self.rank)
        distances = [((self.design[:, k] - y) ** 2).sum() for k in range(self.p)]
        best = min(range(self.p), key=distances.__getitem__)
        return self.axes[best]
