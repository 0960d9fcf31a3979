r"""Suprema of Rademacher processes: over balls of weights, and the sum over scales that bounds them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal

from theorytools.arguments.checked import PositiveInt, checked
from theorytools.errors import BudgetError, DomainError
from theorytools.measures.anchors import Anchors, Known
from theorytools.measures.classes import covering_number, squared_distance
from theorytools.measures.inputs import fraction, largest, matrix, smallest
from theorytools.numbers import Enclosure, total
from theorytools.theory.capacity.exact_rademacher import rademacher_complexity

Row = tuple[Fraction, ...]
_SIGNS = 16  # 2^16 sign vectors
_SCALES = 256  # halvings of the diameter, each with its covers


def ball_complexity(points: Any, *, ball: Literal[1, 2, "inf"]) -> Fraction | Enclosure:
    r"""Return :math:`\mathbb E_\sigma\sup_{\|w\|\le1}\frac1n\sum_{i\le n}\sigma_i\langle w,x_i\rangle`.

    The supremum is the dual norm of :math:`\frac1n\sum_i\sigma_ix_i`: the largest modulus of a coordinate for weights
    in the ball of :math:`\ell_1`, the Euclidean norm for :math:`\ell_2`, the sum of moduli for :math:`\ell_\infty`.

    Parameters
    ----------
    points : the points :math:`x_i`, shape ``(n, d)``, exact numbers, ``n <= 16``.
    ball : the norm of the *weights*: 1, 2 or ``"inf"``; it has no default.

    Returns
    -------
    Fraction or Enclosure : the mean over all :math:`2^n` sign vectors; an enclosure for ``ball=2``.

    Raises
    ------
    DomainError : another ball, floats, balls, or points of different lengths.
    BudgetError : more than 16 points.

    Examples
    --------
    >>> ball_complexity([[3, 1], [0, 1]], ball=1)  # the largest coordinate is 3, whatever the signs are
    Fraction(3, 2)
    """
    rows = matrix("points", points, fraction)
    if isinstance(ball, bool) or ball not in (1, 2, "inf"):
        raise DomainError(
            f"ball = {ball!r:.40}", required='ball = 1, 2 or "inf"', why="it is the norm of the weights",
            advice="ball=1 where the weights have a bounded sum of moduli: the largest coordinate is measured",
        )  # fmt: skip
    if ball == 2:
        return _euclidean(list(map(tuple, rows)))
    columns = list(zip(*rows, strict=True))
    if ball == 1:
        return rademacher_complexity(columns, absolute=True)
    return sum((rademacher_complexity([column], absolute=True) for column in columns), Fraction(0))


def _euclidean(rows: list[Row]) -> Enclosure:
    """The mean norm of the signed sums over n: the first sign changes no norm."""
    if len(rows) > _SIGNS:
        raise BudgetError(f"{len(rows)} signs", required=f"n <= {_SIGNS}", why="all sign vectors are enumerated")
    sums = Counter({rows[0]: 1})
    for row in rows[1:]:
        more: Counter[Row] = Counter()
        for s, times in sums.items():
            for sign in (1, -1):
                more[tuple(a + sign * b for a, b in zip(s, row, strict=True))] += times
        sums = more
    squares: Counter[Fraction] = Counter()
    for s, times in sums.items():
        squares[sum((a * a for a in s), Fraction(0))] += times
    whole = total(times * Enclosure(square).sqrt() for square, times in squares.items())
    return whole / Enclosure(len(rows) * 2 ** (len(rows) - 1))


@checked
def chaining_sum(vectors: Any, *, scales: PositiveInt | None = None) -> Enclosure:
    r"""Return Dudley's sum :math:`\sum_{k=1}^K r_k\sqrt{\log N(r_k)}` over :math:`r_k=2^{-k}D` of a finite set.

    Here :math:`D` is the Euclidean diameter, :math:`N(r)` the least number of closed balls of radius :math:`r` around
    vectors of the set that hold the set, and :math:`K` the first scale whose balls hold one vector each; natural
    logarithm.  The term of :math:`D` itself vanishes, as one ball of that radius holds all.

    Parameters
    ----------
    vectors : shape ``(members, n)``, exact numbers, at most 64 different members; repeats count once.
    scales : how many of the coarsest scales are added up; all unless given.

    Returns
    -------
    Enclosure : 0 for one vector.

    Raises
    ------
    DomainError : floats, balls, or vectors of different lengths.
    BudgetError : more than 64 vectors, or 256 scales: two of them within 2^-256 diameters.

    Examples
    --------
    >>> round(float(chaining_sum([[-1], [0], [1]])), 12)  # one ball of radius 1 holds all; (1/2) sqrt(log 3) at 1/2
    0.524073536984
    """
    members = list(dict.fromkeys(map(tuple, matrix("vectors", vectors, fraction))))
    squares = [squared_distance(v, w) for v, w in combinations(members, 2)]
    square = largest([Fraction(0), *squares])
    # the last scale is the first below the least distance: known beforehand, so that the loop below ends
    if squares and (scales is None or scales > _SCALES) and smallest(squares) * 4**_SCALES <= square:
        raise BudgetError(
            f"two vectors within 2^-{_SCALES} diameters", required=f"at most {_SCALES} scales",
            why="each scale has covers of its own", advice="scales=… for the coarsest ones",
        )  # fmt: skip
    terms: list[Enclosure] = []
    while len(members) > 1 and len(terms) != scales:
        k = 1 + len(terms)
        needed = covering_number(members, squared_distance, square / 4**k)
        terms.append(Enclosure(needed).log().sqrt() / 2**k)
        if needed == len(members):
            break
    return Enclosure(square).sqrt() * total(terms)


_PLANE = [[3, 1], [0, 1]]  # the signed sums are (3, 2), (3, 0) and their negatives
_CORNER = [[1, 0], [0, 1], [1, 1]]
_CLUSTERS = [[0], [1], [8]]  # N = 2, 2, 2, 3 at r = 4, 2, 1, 1/2

ANCHORS: Anchors = {
    "ball_complexity": [
        Known((_PLANE,), Fraction(3, 2), "by hand: the first coordinate has modulus 3 always", {"ball": 1}),
        Known((_PLANE,), "1.651387818865997323", "by hand: (3 + sqrt 13) / 4", {"ball": 2}),
        Known((_PLANE,), 2, "by hand: (3 + 1) / 2", {"ball": "inf"}),
        Known((_CORNER,), Fraction(1, 2), "by hand: 2 but where both coordinates vanish, a quarter", {"ball": 1}),
        Known((_CORNER,), Fraction(2, 3), "by hand: each coordinate has mean modulus 1", {"ball": "inf"}),
        Known(([[1], [1], [1]],), Fraction(1, 2), "by hand: |S| = 3, 1, 1, 1, over n = 3", {"ball": 2}),
    ],
    "chaining_sum": [
        Known(([[-1], [0], [1]],), "0.52407353", "by hand: (1/2) sqrt(log 3); one ball of radius 1 around 0"),
        Known(([[0, 0], [3, 4]],), "2.08138653", "by hand: (5/2) sqrt(log 2)"),
        Known((_CLUSTERS,), "6.35195581", "by hand: (4 + 2 + 1) sqrt(log 2) + (1/2) sqrt(log 3)"),
        Known((_CLUSTERS,), "3.33021844", "by hand: 4 sqrt(log 2)", {"scales": 1}),
        Known(([[0, 0], [0, 1], [1, 0], [1, 1]],), "0.83255461", "by hand: sqrt(1/2) sqrt(log 4)"),
        Known(([[7, 7], [7, 7]],), 0, "by hand: one vector"),
    ],
}  # fmt: skip
