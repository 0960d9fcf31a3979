r"""Sizes of classes and of metric sets: signs enumerated, covers and packings with their members, shattered sets.

A cover of radius :math:`r` leaves no point further than :math:`r` from all centres, which are among the points; a
packing of separation :math:`r` has distances strictly above :math:`r`.  So
:math:`M(2r)\le N(r)\le M(r)` for the packing numbers :math:`M` and the covering numbers :math:`N`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.arguments.values import within_budget
from theorytools.errors import BudgetError, DomainError, UndecidedError
from theorytools.measures.anchors import Anchors, Known
from theorytools.measures.inputs import (
    Number,
    added,
    fraction,
    items,
    matrix,
    number,
    outcome,
    place,
    same_length,
    vector,
)
from theorytools.measures.spaces import words
from theorytools.numbers import Enclosure
from theorytools.theory.capacity import exact_rademacher
from theorytools.theory.capacity.finite_covers import fewest_balls

Distance = Callable[[Any, Any], Any]
_BRANCHES = 200_000  # of the search for a largest packing
_COLUMNS = 1_000_000  # sets of points that are looked at for one shattered


def rademacher_complexity(vectors: Any) -> Fraction:
    r"""Return :math:`\mathbb E_\sigma\max_a\frac1n\sum_{i\le n}\sigma_ia_i` of a finite class on :math:`n` points.

    There is no modulus inside the maximum.

    Parameters
    ----------
    vectors : the values of each function at the points, shape ``(functions, n)``, exact numbers, ``n <= 16``.

    Returns
    -------
    Fraction : the mean over all :math:`2^n` sign vectors.

    Raises
    ------
    DomainError : floats, balls, or rows of different lengths.
    BudgetError : more than 16 points.

    Examples
    --------
    >>> rademacher_complexity([[1, 1], [-1, -1]])
    Fraction(1, 2)
    """
    return exact_rademacher.rademacher_complexity(matrix("vectors", vectors, fraction))


@checked
def covering_number(points: Any, distance: Distance, radius: Any) -> int:
    """Return the least number of the points whose closed balls of this radius hold all of them.

    Parameters
    ----------
    points : at most 64, of any kind; the rows of an array come as lists, whose integers do not wrap.
    distance : of two points, symmetric, 0 from a point to itself; exact or enclosed.  Squared distances serve with a
        squared radius.
    radius : exact or enclosed, from 0.

    Returns
    -------
    int : exact.

    Raises
    ------
    DomainError : no points, a float, or a distance that is none.
    BudgetError : more than 64 points.
    UndecidedError : a ball around a distance that the radius does not decide.

    Examples
    --------
    >>> covering_number(range(7), lambda x, y: abs(x - y), 1)
    3
    """
    return len(fewest_balls(_near(points, distance, radius)))


@checked
def least_cover(points: Any, distance: Distance, radius: Any) -> list[Any]:
    """Return points whose closed balls of this radius hold all of them, as few as there can be.

    Parameters
    ----------
    points, distance, radius : as in :func:`covering_number`.

    Returns
    -------
    list : the centres, as many as the covering number.

    Raises
    ------
    DomainError, BudgetError, UndecidedError : as :func:`covering_number`.

    Examples
    --------
    >>> least_cover([0, 1, 2, 10], lambda x, y: abs(x - y), 1)
    [1, 10]
    """
    found = items("points", points)
    return [found[k] for k in sorted(fewest_balls(_near(found, distance, radius)))]


@checked
def packing_number(points: Any, distance: Distance, separation: Any) -> int:
    """Return the largest number of points whose distances all lie strictly above the separation.

    Parameters
    ----------
    points, distance : as in :func:`covering_number`.
    separation : exact or enclosed, from 0.

    Returns
    -------
    int : exact.

    Raises
    ------
    DomainError, UndecidedError : as :func:`covering_number`.
    BudgetError : more than 64 points, or 200000 branches of the search.

    Examples
    --------
    >>> packing_number(range(7), lambda x, y: abs(x - y), 1)
    4
    """
    return len(_packed(points, distance, separation))


@checked
def largest_packing(points: Any, distance: Distance, separation: Any) -> list[Any]:
    """Return points whose distances all lie strictly above the separation, as many as there can be.

    Parameters
    ----------
    points, distance, separation : as in :func:`packing_number`.

    Returns
    -------
    list : the members, as many as the packing number.

    Raises
    ------
    DomainError, BudgetError, UndecidedError : as :func:`packing_number`.

    Examples
    --------
    >>> largest_packing([0, 1, 2, 10], lambda x, y: abs(x - y), 1)
    [0, 2, 10]
    """
    found = items("points", points)
    return [found[k] for k in sorted(_packed(found, distance, separation))]


@checked
def greedy_packing_bound(points: Any, distance: Distance, separation: Any) -> int:
    """Return a lower bound of the packing number: how many points are kept, first come, first served.

    Every point that was not kept lies within the separation of one that was: so it is an upper bound of the covering
    number, too.  For any number of points.

    Parameters
    ----------
    points, distance, separation : as in :func:`packing_number`.

    Returns
    -------
    int : at most the packing number.

    Raises
    ------
    DomainError, UndecidedError : as :func:`covering_number`.

    Examples
    --------
    >>> greedy_packing_bound([1, 0, 2], lambda x, y: abs(x - y), 1)
    1
    """
    limit, kept = _radius(separation), list[Any]()
    for point in items("points", points):
        _themselves(point, distance)
        if not any(_within(distance(point, other), limit) for other in kept):
            kept.append(point)
    return len(kept)


def _packed(points: Any, distance: Distance, separation: Any) -> list[int]:
    near = _near(points, distance, separation)
    return _largest_clique([((1 << len(near)) - 1) & ~ball for ball in near])


def _near(points: Any, distance: Distance, radius: Any) -> list[int]:
    """For each point those within the radius, as bits; the distance is looked at both ways."""
    found, limit = items("points", points), _radius(radius)
    within_budget("points", len(found), 64, why="covers and packings are enumerated", advice="greedy_packing_bound(…)")
    near = [0] * len(found)
    for i, x in enumerate(found):
        _themselves(x, distance)
        near[i] |= 1 << i
        for j in range(i):
            there, back = (_within(distance(*pair), limit) for pair in ((x, found[j]), (found[j], x)))
            if there is not back:
                raise DomainError(
                    f"a distance from {x!r:.40} to {found[j]!r:.40} other than back", required="a symmetric distance"
                )
            if there:
                near[i], near[j] = near[i] | 1 << j, near[j] | 1 << i
    return near


def _themselves(x: Any, distance: Distance) -> None:
    if not _within(distance(x, x), Fraction(0)):
        raise DomainError(f"the distance {distance(x, x)!r:.40} of {x!r:.40} to itself", required="0")


def _radius(radius: Any) -> Number:
    limit = number("the radius", radius)
    if Enclosure(limit).certainly_lt(0):
        raise DomainError(
            f"a radius {radius!r:.40}", required="a radius >= 0", why="no ball of negative radius has members"
        )
    return limit


def _within(distance: Any, limit: Number) -> bool:
    length = Enclosure(number("a distance", distance))
    if length.certainly_lt(0):
        raise DomainError(f"the distance {distance!r:.40}", required="distances >= 0")
    answer = length.certainly_le(limit)
    if answer is None:
        raise UndecidedError(
            f"a distance in {length!r:.60}", required=f"one that is compared with {limit!r:.40}",
            why="the ball around it holds the radius", advice="squared distances and a squared radius are exact",
        )  # fmt: skip
    return answer


def _largest_clique(far: Sequence[int]) -> list[int]:
    """Points that are far from each other, as many as there can be: branch, and bound by a colouring.

    Points that are pairwise near get one colour; of each colour a packing has one point at most.
    """
    best: list[int] = []
    spent = itertools.count()

    def extend(kept: list[int], left: int) -> None:
        nonlocal best
        if next(spent) > _BRANCHES:
            raise BudgetError(
                f"a packing of {len(far)} points", required=f"at most {_BRANCHES} branches of the search",
                why="no larger packing is excluded earlier", advice="greedy_packing_bound(…) for a lower bound",
            )  # fmt: skip
        if len(kept) > len(best):
            best = list(kept)
        for point, colours in reversed(_coloured(far, left)):
            if len(kept) + colours <= len(best):
                return
            extend([*kept, point], left & far[point])
            left &= ~(1 << point)

    extend([], (1 << len(far)) - 1)
    return best


def _coloured(far: Sequence[int], left: int) -> list[tuple[int, int]]:
    """The points in the order of their colours, each with the number of colours up to it."""
    order, colour = [], 0
    while left:
        colour, free = colour + 1, left
        while free:
            point = (free & -free).bit_length() - 1
            free &= ~far[point] & ~(1 << point)
            left &= ~(1 << point)
            order.append((point, colour))
    return order


def growth_function(functions: Any, points: Any) -> int:
    r"""Return :math:`\max_{|S|=m}|\{f|_S\}|`, the most patterns that a class takes on so many points.

    Parameters
    ----------
    functions : the labels of each function at the points, shape ``(functions, points)``; equal rows count once.
    points : :math:`m`, from 0 to the number of points.

    Returns
    -------
    int : exact; with all points the number of different functions.

    Raises
    ------
    DomainError : rows of different lengths, or more points than there are.
    BudgetError : more than a million sets of points.

    Examples
    --------
    >>> growth_function([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]], 2)  # half-lines
    3
    """
    rows = set(_labels(functions))
    size = len(next(iter(rows)))
    m = place("points", points, size + 1)
    within_budget(f"sets of {m} points", math.comb(size, m), _COLUMNS, why="all are looked at", advice="fewer points")
    return max(
        len({tuple(row[j] for j in chosen) for row in rows}) for chosen in itertools.combinations(range(size), m)
    )


def vc_dimension(functions: Any) -> int:
    r"""Return the largest number of points on which a finite class takes all :math:`2^k` patterns of two labels.

    Parameters
    ----------
    functions : the labels of each function at the points, shape ``(functions, points)``, of two kinds, such as 0 and 1.

    Returns
    -------
    int : exact; 0 for one function.

    Raises
    ------
    DomainError : rows of different lengths, or more than two labels.
    BudgetError : more than a million sets of points.

    Examples
    --------
    >>> vc_dimension([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])  # half-lines
    1
    """
    return len(shattered_set(functions))


def shattered_set(functions: Any) -> tuple[int, ...]:
    r"""Return points on which a class takes all patterns, as many as there can be.

    Parameters
    ----------
    functions : as in :func:`vc_dimension`.

    Returns
    -------
    tuple : the numbers of the points, from 0; as many as the VC dimension.

    Raises
    ------
    DomainError, BudgetError : as :func:`vc_dimension`.

    Examples
    --------
    >>> shattered_set([[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    (0, 1)
    """
    rows = _labels(functions)
    labels = sorted({x for row in rows for x in row}, key=repr)
    if len(labels) > 2:
        raise DomainError(f"the labels {labels!r:.60}", required="two labels", why="a pattern is one of 2^k")
    patterns = {sum(1 << j for j, x in enumerate(row) if x == labels[-1]) for row in rows} if len(labels) > 1 else {0}
    best: tuple[int, ...] = ()
    # subsets of a shattered set are shattered, so the first size without one ends the search
    for k in range(1, len(patterns).bit_length()):
        found = next(_shattered(patterns, len(rows[0]), k), None)
        if found is None:
            break
        best = found
    return best


def _labels(functions: Any) -> list[tuple[Any, ...]]:
    rows = [
        tuple(outcome("a label", x) for x in items(f"functions[{k}]", row))
        for k, row in enumerate(items("functions", functions))
    ]
    if len({len(row) for row in rows}) != 1:
        raise DomainError(f"rows of lengths {sorted({len(row) for row in rows})}", required="one length")
    return rows


def _shattered(patterns: set[int], points: int, k: int) -> Iterator[tuple[int, ...]]:
    within_budget(f"sets of {k} points", math.comb(points, k), _COLUMNS, why="all are looked at", advice="fewer points")
    for chosen in itertools.combinations(range(points), k):
        mask = sum(1 << j for j in chosen)
        if len({pattern & mask for pattern in patterns}) == 1 << k:
            yield chosen


def hamming(v: Sequence[Any], w: Sequence[Any]) -> int:
    """Return in how many places two words of one length differ.

    Parameters
    ----------
    v, w : words.

    Returns
    -------
    int : from 0 to the length.

    Raises
    ------
    DomainError : words of different lengths.

    Examples
    --------
    >>> hamming("karolin", "kathrin")
    3
    """
    a, b = (list(x) if isinstance(x, str) else items(name, x) for name, x in (("v", v), ("w", w)))
    same_length(a, b, "words")
    return sum(x != y for x, y in zip(a, b, strict=True))


def squared_distance(x: Any, y: Any) -> Number:
    r"""Return :math:`\|x-y\|^2`, exact for exact vectors.

    Parameters
    ----------
    x, y : vectors of one length, or two numbers.

    Returns
    -------
    Fraction or Enclosure : exact where the vectors are.

    Raises
    ------
    DomainError : floats, or different lengths.

    Examples
    --------
    >>> squared_distance((0, 0), (3, 4)), squared_distance(1, Fraction(1, 2))
    (Fraction(25, 1), Fraction(1, 4))
    """
    a, b = (vector(name, v if hasattr(v, "__len__") else [v]) for name, v in (("x", x), ("y", y)))
    same_length(a, b, "vectors")
    return added((p - q) ** 2 for p, q in zip(a, b, strict=True))


def _apart(x: Any, y: Any) -> Any:
    return abs(x - y)


_GAPS = [0, 1, 3, 4, 9]
_CODES = "Cohen, Honkala, Litsyn, Lobstein (1997), Covering Codes, Table 6.1"
_WORDS = "MacWilliams, Sloane (1977), The Theory of Error-Correcting Codes, Appendix A"

_HALF_LINES = [[int(x >= a) for x in range(4)] for a in range(5)]
_INTERVALS = [[int(a <= x < b) for x in range(5)] for a in range(6) for b in range(a, 6)]

ANCHORS: Anchors = {
    "rademacher_complexity": [
        Known(([[1, 1, 1, 1], [-1, -1, -1, -1]],), Fraction(3, 8), "the mean distance of 4 steps, 3/2, over 4"),
        Known((list(words((-1, 1), 5)),), 1, "by hand: every sign vector has its own"),
        Known(([[3, 1, 2]],), 0, "by hand: one function, signs of mean zero"),
        Known(([[1, 0], [0, 2]],), Fraction(1, 2), "by hand: (2 + 1 + 2 - 1) / 4 = 1, over n = 2"),
    ],
    "covering_number": [
        Known((list(words(2, 4)), hamming, 1), 4, _CODES),
        Known((list(words(2, 5)), hamming, 1), 7, _CODES),
        Known((_GAPS, _apart, 1), 3, "by hand: around 0 or 1, around 3 or 4, around 9"),
        Known((_GAPS, _apart, Fraction(3, 2)), 3, "by hand: 1 and 3 are 2 apart"),
        Known((_GAPS, _apart, 3), 2, "by hand: around 1 or 3, and around 9"),
    ],
    "packing_number": [
        Known((list(words(2, 5)), hamming, 2), 4, f"A(5, 3): {_WORDS}"),
        Known((list(words(2, 4)), hamming, 1), 8, f"A(4, 2): {_WORDS}"),
        Known((_GAPS, _apart, 3), 3, "by hand: 0, 4, 9; the distance 3 is not above 3"),
        Known((_GAPS, _apart, Fraction(5, 2)), 3, "by hand: 0, 3, 9"),
        Known((_GAPS, _apart, 5), 2, "by hand: 0 and 9"),
    ],
    "greedy_packing_bound": [
        Known(([1, 0, 2], _apart, 1), 1, "by hand: 1 stands in the way of both others"),
        Known(([0, 1, 2], _apart, 1), 2, "by hand: 0, then 2"),
        Known((_GAPS, _apart, 3), 3, "by hand: 0, 4, 9"),
    ],
    "growth_function": [
        Known((_HALF_LINES, 2), 3, "half-lines: m + 1"),
        Known((_INTERVALS, 3), 7, "intervals: m (m + 1) / 2 + 1"),
        Known(([[0, 0, 1], [0, 0, 0], [0, 1, 1], [0, 0, 1]], 2), 3, "by hand: on the last two; on the first two 2"),
        Known(([[0, 0, 1], [0, 0, 0], [0, 1, 1], [0, 0, 1]], 3), 3, "by hand: two of the four are equal"),
        Known((list(words(3, 2)), 1), 3, "by hand: three labels"),
    ],
    "vc_dimension": [
        Known((_HALF_LINES,), 1, "half-lines: Vapnik, Chervonenkis (1971)"),
        Known((_INTERVALS,), 2, "intervals: no three points with the middle one left out"),
        Known((list(words(2, 3)),), 3, "by hand: all patterns of three points"),
        Known(([[0, 1, 1]],), 0, "by hand: one function"),
        Known(([[0, 0, 0], [0, 1, 1], [0, 0, 1], [0, 1, 0]],), 2, "by hand: the last two points, not the first"),
    ],
    "hamming": [
        Known(("karolin", "kathrin"), 3, "by hand: r, l and o"),
        Known(((0, 1, 2, 0), (0, 2, 1, 5)), 3, "by hand: all but the first"),
    ],
    "squared_distance": [
        Known(((0, 0), (3, 4)), 25, "by hand: 9 + 16"),
        Known(((1, 2), (2, 4)), 5, "by hand: 1 + 4"),
    ],
}  # fmt: skip
