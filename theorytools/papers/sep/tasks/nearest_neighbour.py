r"""Nearest neighbour: answer with the label of the vector closest to the last one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, Numbers, at_most, checked
from theorytools.errors import DomainError

_WHY = "nearest neighbour: x_1, y_1, ..., x_N, y_N, then a vector x_q; the answer is the label of the nearest x_j"


@checked
@dataclass(frozen=True, eq=False)
class NearestTask:
    r"""The input is :math:`x_1,y_1,\dots,x_N,y_N,x_q`; the answer is :math:`y_{j^*}`, :math:`j^*` nearest to :math:`q`.

    Vectors are signs over :math:`\sqrt d`, so that inner products are integers over :math:`d`.  The margin is
    :math:`\gamma=\min_q\langle x_q,x_{j^*}\rangle-\max_j\langle x_q,x_j\rangle`, the maximum over vectors that are
    farther than the nearest: repeated nearest vectors count once, and must have one label.

    Parameters
    ----------
    points : signs, shape ``(N, d)``, :math:`N\ge2`.
    queries : signs, shape ``(Q, d)``; by default the points themselves.

    Raises
    ------
    DomainError : arrays of another shape or with other entries, or a query that is equally near to all points.

    References
    ----------
    Bhattamishra, Hahn, Blunsom, Kanade (2024), nearest neighbour, arXiv 2406.09347v1.

    Examples
    --------
    >>> task = NearestTask([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]])
    >>> task.margin, task.answers([1, -1, 1]).tolist(), task.repeated
    (Fraction(1, 1), [1, -1, 1], False)
    """

    points: NDArray[np.int64]
    queries: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        X = _signs("points", self.points)
        Q = X if self.queries is None else _signs("queries", self.queries)
        if len(X) < 2 or Q.shape[1] != X.shape[1]:
            given = f"points of shape {X.shape}, queries of shape {Q.shape}"
            raise DomainError(given, required="N >= 2 points and queries of one dimension", why=_WHY)
        object.__setattr__(self, "points", X)
        object.__setattr__(self, "queries", Q)
        if not (self.gaps > 0).any(axis=1).all():
            raise DomainError("a query equally near to all points", required="a farther point", why=_WHY)

    @property
    def N(self) -> int:
        """The number of vectors with a label."""
        return len(self.points)

    @property
    def d(self) -> int:
        """The dimension."""
        return int(self.points.shape[1])

    @cached_property
    def gram(self) -> NDArray[np.int64]:
        r"""The integers :math:`d\langle x_q,x_j\rangle`, shape ``(Q, N)``."""
        queries = self.points if self.queries is None else self.queries
        return np.asarray(queries @ self.points.T)

    @cached_property
    def gaps(self) -> NDArray[np.int64]:
        r"""The integers :math:`d(\langle x_q,x_{j^*}\rangle-\langle x_q,x_j\rangle)\ge0`, shape ``(Q, N)``."""
        return np.asarray(self.gram.max(axis=1, keepdims=True) - self.gram)

    @cached_property
    def gap(self) -> int:
        r"""The integer :math:`d\gamma`."""
        return int(self.gaps[self.gaps > 0].min())

    @property
    def margin(self) -> Fraction:
        r"""The margin :math:`\gamma`."""
        return Fraction(self.gap, self.d)

    @property
    def nearest(self) -> NDArray[np.int64]:
        """The first nearest point of each query, shape ``(Q,)``."""
        return np.asarray(self.gram.argmax(axis=1))

    @property
    def repeated(self) -> bool:
        """Whether some query has several nearest points."""
        return bool(((self.gaps == 0).sum(axis=1) > 1).any())

    def answers(self, labels: Numbers) -> NDArray[Any]:
        """Return the label of the first nearest point, labels ``(..., N)`` to ``(..., Q)``."""
        return self.labels(labels)[..., self.nearest]

    def labels(self, labels: Numbers, *, signs: bool = False) -> NDArray[Any]:
        """Return labels ``(..., N)`` as an array, or refuse another length and, with ``signs``, any but 1 and -1."""
        array = np.asarray(labels)
        if not array.ndim or array.shape[-1] != self.N or (signs and not (np.abs(array) == 1).all()):
            required = f"labels{' 1 and -1' if signs else ''}, last axis of length {self.N}"
            raise DomainError(f"labels of {array.dtype}, shape {array.shape}", required=required, why=_WHY)
        return array

    def worst_labels(self) -> NDArray[np.int64]:
        """Return for each query the labels 1 on its nearest points and -1 elsewhere, shape ``(Q, N)``.

        They minimise the margin of any rule whose weights grow with the similarity.
        """
        return np.where(self.gaps == 0, 1, -1)


@checked
@at_most(extra=ENTRIES)
def equidistant(N: int, extra: NonNegativeInt) -> NDArray[np.int64]:
    r"""Return signs with equal inner products :math:`m` of :math:`d=N+m`, ``m = extra``: margin :math:`N/(N+m)`.

    Rows of the Hadamard matrix of Sylvester, for ``N`` a power of two, and ``m`` coordinates in common.  They are the
    hardest data: every other point is exactly at the margin.

    Raises
    ------
    DomainError : ``N`` not a power of two from 2, or ``extra < 0``.
    """
    if N < 2 or N & (N - 1) or extra < 0:
        given = f"N = {N}, extra = {extra}"
        raise DomainError(given, required="N a power of two from 2, extra >= 0", why="rows of a Hadamard matrix")
    i = np.arange(N)
    rows = 1 - 2 * (np.bitwise_count(i[:, None] & i).astype(np.int64) % 2)
    return np.concatenate([rows, np.ones((N, extra), dtype=np.int64)], axis=1)


@checked
def different_signs(N: int, d: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return ``N`` different sign vectors, uniform among such sets in order, shape ``(N, d)``.

    Raises
    ------
    DomainError : fewer than ``N`` vectors, or ``d > 62``.
    """
    if not (d <= 62 and 2 <= N <= 2**d):
        raise DomainError(f"N = {N}, d = {d}", required="2 <= N <= 2^d, d <= 62", why="vectors are different integers")
    numbers = rng.choice(2**d, N, replace=False)
    return np.asarray(2 * (numbers[:, None] >> np.arange(d) & 1) - 1)


def _signs(name: str, array: Any) -> NDArray[np.int64]:
    signs = np.array(array)
    if signs.ndim != 2 or not signs.size or not (np.abs(signs) == 1).all():
        raise DomainError(f"{name} of shape {signs.shape}", required="a matrix of +1 and -1", why=_WHY)
    return signs.astype(np.int64)
