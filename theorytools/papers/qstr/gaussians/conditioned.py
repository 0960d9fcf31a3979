r"""A standard Gaussian vector given some of its linear images: its squared norm, by Wick's rule in rationals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, PositiveInt, at_most, checked, ranks
from theorytools.errors import DomainError
from theorytools.numbers import first_independent, rational_rank, solve_rational

Array = NDArray[np.float64]
Rows = Sequence[Sequence[int | Fraction]]


@checked
@ranks(covariance=2)
def wick_moment(mean: Sequence[Fraction], covariance: Rows, places: Sequence[int]) -> Fraction:
    r"""Return :math:`E[x_{i_1}\cdots x_{i_n}]` of a Gaussian vector, by Wick's rule (Isserlis's theorem).

    One factor is its mean, or pairs with one of the others:

    .. math:: E[x_{i_1}f]=\mu_{i_1}E[f]+\sum_{k\ge2}\Sigma_{i_1i_k}E[f/x_{i_k}],\qquad f=x_{i_2}\cdots x_{i_n}.

    Examples
    --------
    >>> wick_moment([0], [[1]], (0, 0, 0, 0)), wick_moment([1], [[2]], (0, 0))
    (Fraction(3, 1), Fraction(3, 1))
    """
    return _wick(mean, covariance, tuple(places))


def _wick(mean: Sequence[Any], covariance: Sequence[Sequence[Any]], places: tuple[int, ...]) -> Any:
    """The recursion of :func:`wick_moment`: what is handed down is not looked at again."""
    if not places:
        return Fraction(1)
    first, *rest = places
    value = mean[first] * _wick(mean, covariance, tuple(rest)) if mean[first] else Fraction(0)
    for k, other in enumerate(rest):
        if covariance[first][other]:
            value += covariance[first][other] * _wick(mean, covariance, (*rest[:k], *rest[k + 1 :]))
    return value


@checked
@dataclass(frozen=True)
class ConditionedGaussian:
    r"""The law of :math:`x\sim N(0,I_k)` given :math:`Vx=Vx_0`, over the rationals.

    It is Gaussian with mean :math:`\Pi x_0` and covariance :math:`I-\Pi`, where :math:`\Pi` projects on the row space
    of ``V``.  Noise of variance :math:`\sigma^2` in every functional makes :math:`\Pi` the shrinkage
    :math:`V^\top(VV^\top+\sigma^2I)^{-1}V`.

    Parameters
    ----------
    rows : ``V``, integers or fractions, rows of length ``k``, dependent or not; none if nothing is known.
    at : :math:`x_0`, ``k`` integers or fractions.
    noise : :math:`\sigma^2`, zero unless given.

    Raises
    ------
    DomainError
        For a row of another length, an empty ``at``, or a negative variance.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 40, arXiv 2503.11272v1.

    Examples
    --------
    >>> law = ConditionedGaussian(((1, 1, 0), (2, 2, 0)), (1, 0, 0))
    >>> law.rank, law.norm_variance(), law.norm_mean()  # 2 (k - rank); |Pi x_0|^2 + k - rank
    (1, Fraction(4, 1), Fraction(5, 2))
    """

    rows: tuple[tuple[int | Fraction, ...], ...]
    at: tuple[int | Fraction, ...]
    noise: int | Fraction = 0

    def __post_init__(self) -> None:
        if not len(self.at) or {len(row) for row in self.rows} - {self.k} or self.noise < 0:
            raise DomainError(
                f"x_0 of length {self.k}, rows of lengths {[len(row) for row in self.rows]}, noise = {self.noise}",
                required="rows of the length of x_0, at least 1, and noise >= 0",
            )

    @classmethod
    @at_most(k=ENTRIES, rows=ENTRIES, rank=ENTRIES)
    def random(
        cls, rng: np.random.Generator, k: NonNegativeInt, rows: NonNegativeInt, rank: NonNegativeInt
    ) -> ConditionedGaussian:
        """Draw ``rows`` integer rows that span ``rank`` dimensions at most, and a point, entries from -9 to 9."""
        V = rng.integers(-9, 10, (rows, rank)) @ rng.integers(-9, 10, (rank, k))
        return cls(tuple(map(tuple, V.tolist())), tuple(rng.integers(-9, 10, k).tolist()))

    @property
    def k(self) -> int:
        """The dimension."""
        return len(self.at)

    @cached_property
    def rank(self) -> int:
        """The rank of ``V`` over the rationals, by elimination."""
        return rational_rank(self.rows) if self.rows else 0

    @cached_property
    def projection(self) -> list[list[Fraction]]:
        r"""The matrix :math:`\Pi=V^\top(VV^\top+\sigma^2I)^{-1}V`, from independent rows where :math:`\sigma=0`."""
        V = list(self.rows)
        if V and not self.noise:
            V = [V[k] for k in first_independent(V)]
        if not V:
            return [[Fraction(0)] * self.k for _ in range(self.k)]
        gram = [[sum(a * b for a, b in zip(r, s, strict=True)) + self.noise * (r is s) for s in V] for r in V]
        places, pairs = range(self.k), list(zip(V, solve_rational(gram, V), strict=True))
        return [[sum(r[i] * s[j] for r, s in pairs) for j in places] for i in places]

    @cached_property
    def mean(self) -> list[Fraction]:
        r"""The conditional mean :math:`\Pi x_0`."""
        return [sum((p * x for p, x in zip(row, self.at, strict=True)), Fraction(0)) for row in self.projection]

    @cached_property
    def covariance(self) -> list[list[Fraction]]:
        r"""The conditional covariance :math:`I-\Pi`."""
        return [[int(i == j) - p for j, p in enumerate(row)] for i, row in enumerate(self.projection)]

    @property
    def seen(self) -> Fraction:
        r"""The squared norm of what is known, :math:`\|\Pi x_0\|^2`."""
        return sum((x * x for x in self.mean), Fraction(0))

    def norm_mean(self) -> Fraction:
        r"""Return :math:`E[\|x\|^2\mid Vx]`, by Wick's rule."""
        return sum((self._moment(i, i) for i in range(self.k)), Fraction(0))

    def norm_variance(self) -> Fraction:
        r"""Return :math:`\operatorname{Var}(\|x\|^2\mid Vx)=\sum_{ij}\operatorname{Cov}(x_i^2,x_j^2)`, as above."""
        pairs = [(i, j) for i in range(self.k) for j in range(self.k)]
        square = sum((self._moment(i, i, j, j) for i, j in pairs), Fraction(0))
        return square - self.norm_mean() ** 2

    @at_most(size=ENTRIES)
    def half_square_gap(self, rng: np.random.Generator, size: PositiveInt) -> Array:
        r"""Draw :math:`\frac12(\|x\|^2-\|x'\|^2)^2` for two vectors with the same image, shape ``(size,)``.

        Its mean is the expected conditional variance of :math:`\|x\|^2`; no formula for it is used.  Raises
        ``DomainError`` for noisy functionals.
        """
        if self.noise:
            raise DomainError(f"noise = {self.noise}", required="0", why="the two vectors share their image exactly")
        known = np.array([[float(p) for p in row] for row in self.projection])
        x, fresh = rng.standard_normal((2, size, self.k))
        other = (x - fresh) @ known + fresh
        return np.square(np.square(x).sum(axis=1) - np.square(other).sum(axis=1)) / 2

    def _moment(self, *places: int) -> Fraction:
        return Fraction(_wick(self.mean, self.covariance, places))
