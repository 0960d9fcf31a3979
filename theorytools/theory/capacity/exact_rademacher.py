r"""Rademacher complexity and uniform deviation, exactly, by enumeration of signs and of samples.

.. math:: \hat{\mathfrak R}_n=\mathbb E_\xi\sup_\ell\frac1n\sum_{i\le n}\xi_i\ell_i

without an absolute value inside the supremum.  Everything is a rational number.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theorytools.arguments.amounts import amount
from theorytools.arguments.checked import PositiveInt, Rows, checked
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import shortest_fraction

_SIGNS = 16  # 2^16 sign vectors
_OUTCOMES = 2_000_000


@checked
def rademacher_complexity(losses: Rows, *, absolute: bool = False) -> Fraction:
    r"""Return :math:`\hat{\mathfrak R}_n` of a finite class, exactly.

    Parameters
    ----------
    losses : integers or Fractions, shape ``(functions, n)``.
    absolute : put an absolute value inside the supremum, another convention.

    Returns
    -------
    Fraction : the mean over all :math:`2^n` signs.

    Raises
    ------
    DomainError
        For no functions, no losses, or rows of different lengths.
    BudgetError
        For ``n > 16``.

    Examples
    --------
    >>> rademacher_complexity([[1, 1], [0, 0]])
    Fraction(1, 4)
    """
    if not len(losses) or not len(losses[0]):
        raise DomainError("a class without losses", required="losses of shape (functions, n), n >= 1")
    n = len(losses[0])
    _affordable(n)
    table, scale = _integers([[shortest_fraction(x) for x in row] for row in losses])
    signs = np.array(list(itertools.product((-1, 1), repeat=n)), dtype=np.int64)
    sums = table @ signs.T
    best = (np.abs(sums) if absolute else sums).max(axis=0)
    return Fraction(int(best.sum()), scale * n * 2**n)


@checked
@dataclass(frozen=True)
class TableClass:
    r"""Finitely many prediction vectors under the squared loss truncated at :math:`\tau=c^2`.

    Parameters
    ----------
    predictions : integers or Fractions, shape ``(functions, n)``.
    y : labels, shape ``(n,)``.
    root : :math:`c=\sqrt\tau`, rational.
    """

    predictions: tuple[tuple[Fraction, ...], ...]
    y: tuple[Fraction, ...]
    root: Fraction

    def __post_init__(self) -> None:
        lengths = {len(row) for row in self.predictions}
        if lengths != {len(self.y)} or not len(self.y):
            given = f"predictions of lengths {sorted(lengths)}, {len(self.y)} labels"
            raise DomainError(given, required="at least one vector, each with one prediction for each label")

    def covering_number(self, eps: Fraction) -> int:
        """Return 1 if one vector is within ``eps`` of all of them, else their number, which is enough."""
        if eps < 0:
            raise DomainError(f"eps = {eps}", required="eps >= 0", why="it is a distance")
        spread = max(max(column) - min(column) for column in zip(*self.predictions, strict=True))
        return 1 if spread <= 2 * eps else len(self.predictions)

    def complexity(self, *, absolute: bool = False, truncated: bool = True) -> Fraction:
        """Return the complexity of the losses."""
        cap = self.root**2 if truncated else None
        losses = [[_loss(v - y, cap) for v, y in zip(row, self.y, strict=True)] for row in self.predictions]
        return rademacher_complexity(losses, absolute=absolute)

    def steepness(self) -> Fraction:
        """Return the largest difference quotient of the truncated loss between two predictions of one label."""
        pairs = {
            (u - y, v - y)
            for y, column in zip(self.y, zip(*self.predictions, strict=True), strict=True)
            for u, v in itertools.combinations(sorted(set(column)), 2)
        }
        cap = self.root**2
        return max((Fraction(abs(_loss(a, cap) - _loss(b, cap))) / (b - a) for a, b in pairs), default=Fraction(0))


def _loss(error: Any, cap: Fraction | None) -> Fraction:
    square = Fraction(error) ** 2
    return square if cap is None else min(square, cap)


@checked
@dataclass(frozen=True)
class LineClass:
    r"""Predictions :math:`\theta z_i`, :math:`|\theta|\le r`, under the squared loss truncated at :math:`\tau=c^2`.

    Parameters
    ----------
    z, y : the sample, rational; no ``z`` is zero.
    radius : :math:`r`.
    root : :math:`c=\sqrt\tau`, rational, so that the loss is a quadratic between rational points.
    """

    z: tuple[Fraction, ...]
    y: tuple[Fraction, ...]
    radius: Fraction
    root: Fraction

    def __post_init__(self) -> None:
        if not len(self.z) or len(self.z) != len(self.y) or not all(self.z) or self.radius <= 0 or self.root <= 0:
            raise DomainError("a class of lines", required="one y for each z != 0, radius > 0 and root > 0")
        for name in ("z", "y"):
            object.__setattr__(self, name, tuple(map(Fraction, getattr(self, name))))
        for name in ("radius", "root"):
            object.__setattr__(self, name, Fraction(getattr(self, name)))

    def covering_number(self, eps: Fraction) -> int:
        r"""Return :math:`\lceil r\max|z_i|/\epsilon\rceil`, the covering number in the largest distance."""
        if eps <= 0:
            raise DomainError(f"eps = {eps}", required="eps > 0", why="a segment has no finite cover of radius 0")
        return math.ceil(self.radius * max(map(abs, self.z)) / Fraction(eps))

    def complexity(self, *, absolute: bool = False, truncated: bool = True) -> Fraction:
        """Return the complexity of the infinite class: on each piece the signed loss is a quadratic."""
        _affordable(len(self.z))
        pieces = list(self._pieces(truncated))
        best = {
            xi: max(_largest(xi, piece) for piece in pieces) for xi in itertools.product((-1, 1), repeat=len(self.z))
        }
        if absolute:
            best = {xi: max(value, best[tuple(-x for x in xi)]) for xi, value in best.items()}
        return sum(best.values(), Fraction(0)) / (len(self.z) * len(best))

    def steepness(self) -> Fraction:
        r"""Return the supremum of the slope of the truncated loss: twice the largest error below :math:`c`."""
        return 2 * min(self.root, max(self.radius * abs(z) + abs(y) for z, y in zip(self.z, self.y, strict=True)))

    def _pieces(self, truncated: bool) -> Iterator[tuple[Fraction, Fraction, list[tuple[Fraction, ...]]]]:
        """Yield (left, right, coefficients (a, b, c) of each loss a θ² + b θ + c there)."""
        r = self.radius
        kinks = {(y + s * self.root) / z for z, y in zip(self.z, self.y, strict=True) for s in (-1, 1)}
        ends = sorted({-r, r, *(k for k in kinks if truncated and -r < k < r)})
        for left, right in itertools.pairwise(ends):
            middle = (left + right) / 2
            yield left, right, [
                (Fraction(0), Fraction(0), self.root**2) if truncated and abs(middle * z - y) >= self.root
                else (z * z, -2 * z * y, y * y)
                for z, y in zip(self.z, self.y, strict=True)
            ]  # fmt: skip


def _largest(xi: Sequence[int], piece: tuple[Fraction, Fraction, list[tuple[Fraction, ...]]]) -> Fraction:
    left, right, parts = piece
    a, b, c = (sum((s * part[k] for s, part in zip(xi, parts, strict=True)), Fraction(0)) for k in range(3))
    places = [left, right]
    if a < 0 and left < -b / (2 * a) < right:
        places.append(-b / (2 * a))
    return max((a * x + b) * x + c for x in places)


@checked
@dataclass(frozen=True)
class FiniteClass:
    r"""Losses of finitely many functions on finitely many outcomes, whose samples can be enumerated.

    Parameters
    ----------
    losses : :math:`\ell_f(a)`, integers or Fractions, shape ``(functions, outcomes)``.
    mass : probability of each outcome.
    """

    losses: tuple[tuple[Fraction, ...], ...]
    mass: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        shape = {len(row) for row in self.losses}
        if not len(self.mass) or sum(self.mass) != 1 or min(self.mass) <= 0 or shape != {len(self.mass)}:
            raise DomainError("a finite class", required="one loss per outcome, positive masses with sum 1")

    def law(self, n: PositiveInt) -> list[tuple[Fraction, Fraction, Fraction]]:
        r"""Return (probability, :math:`\sup_f(P-P_n)\ell_f`, :math:`\hat{\mathfrak R}_n`) of every kind of sample."""
        k = len(self.mass)
        kinds = math.comb(n + k - 1, k - 1)
        if kinds * (n // k + 1) ** k > _OUTCOMES:
            raise BudgetError(f"{amount(kinds)} kinds of samples", required="fewer outcomes or a smaller sample")
        means = [sum(m * x for m, x in zip(self.mass, row, strict=True)) for row in self.losses]
        rows = []
        for counts in _compositions(n, k):
            probability = Fraction(math.factorial(n))
            for c, m in zip(counts, self.mass, strict=True):
                probability *= m**c / Fraction(math.factorial(c))
            seen = [Fraction(sum(c * x for c, x in zip(counts, row, strict=True))) / n for row in self.losses]
            supremum = max(a - b for a, b in zip(means, seen, strict=True))
            rows.append((probability, supremum, self.complexity(counts)))
        return rows

    def complexity(self, counts: Sequence[int]) -> Fraction:
        """Return the complexity on a sample with these counts: the signs of an outcome sum to a binomial number."""
        if len(counts) != len(self.mass) or min(counts) < 0 or not any(counts):
            given = f"the counts {list(counts)}"
            raise DomainError(given, required=f"{len(self.mass)} counts of at least 0, one of them positive")
        if len(self.losses) == 1:
            return Fraction(0)  # the signs have mean zero
        table, scale = _integers(self.losses)
        sums = np.array(list(itertools.product(*(range(-c, c + 1, 2) for c in counts))), dtype=np.int64)
        weights = [math.prod(math.comb(c, (c + int(x)) // 2) for c, x in zip(counts, row, strict=True)) for row in sums]
        best = (table @ sums.T).max(axis=0)
        n = sum(counts)
        return Fraction(sum(w * int(b) for w, b in zip(weights, best, strict=True)), scale * n * 2**n)


def quantile(law: Sequence[tuple[Fraction, Fraction, Fraction]], delta: Fraction, *, times: int = 2) -> Fraction:
    r"""Return the least ``t`` with :math:`\Pr(\sup(P-P_n)\ell-k\hat{\mathfrak R}_n>t)\le\delta`, ``times`` being ``k``.

    A bound :math:`t_0` on it says that the deviation exceeds :math:`k\hat{\mathfrak R}_n+t_0` with probability at most
    :math:`\delta`.
    """
    excess: dict[Fraction, Fraction] = {}
    for probability, supremum, complexity in law:
        value = supremum - times * complexity
        excess[value] = excess.get(value, Fraction(0)) + probability
    above, answer = Fraction(0), max(excess)
    for value in sorted(excess, reverse=True):
        answer = value
        above += excess[value]
        if above > delta:
            break
    return answer


def expectations(law: Sequence[tuple[Fraction, Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    r"""Return :math:`\mathbb E\sup(P-P_n)\ell` and :math:`\mathbb E\hat{\mathfrak R}_n`."""
    return sum((p * x for p, x, _ in law), Fraction(0)), sum((p * r for p, _, r in law), Fraction(0))


def _compositions(n: int, k: int) -> Iterator[tuple[int, ...]]:
    for bars in itertools.combinations(range(n + k - 1), k - 1):
        ends = (-1, *bars, n + k - 1)
        yield tuple(b - a - 1 for a, b in itertools.pairwise(ends))


def _integers(losses: Sequence[Sequence[Any]]) -> tuple[np.ndarray[Any, np.dtype[np.int64]], int]:
    """Return the losses over one denominator, refused where a sum of them could overflow."""
    scale = math.lcm(*(Fraction(x).denominator for row in losses for x in row))
    rows = [[int(Fraction(x) * scale) for x in row] for row in losses]
    largest = max(abs(x) for row in rows for x in row)
    if largest * 4096 * 2**_SIGNS >= 2**62:
        raise BudgetError(f"losses over the denominator {scale}", required="smaller denominators")
    return np.array(rows, dtype=np.int64), scale


def _affordable(n: int) -> None:
    if n > _SIGNS:
        raise BudgetError(f"{n} signs", required=f"n <= {_SIGNS}", why="all sign vectors are enumerated")
