r"""The simplest values inside an interval, by rank: 0, 1, -1, 2, ... ; fractions p/q by max(|p|, q).

Fractions come from the Stern-Brocot tree cut to the interval: the simplest one between two ends, then the simplest on
either side of it; along a branch neither p nor q falls, so a queue yields them by size.  So rank 0 is found in any
interval, however short it is.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Any

from theorytools.errors import DomainError
from theorytools.search.protocols import Ends, Place, Variable


def contains(ends: Ends, x: Any) -> bool:
    """Whether a number lies inside the ends."""
    if ends.low is not None and (x < ends.low or (ends.open_low and x == ends.low)):
        return False
    return ends.high is None or not (x > ends.high or (ends.open_high and x == ends.high))


def whole(ends: Ends) -> tuple[int | None, int | None]:
    """Return the least and the largest whole number inside the ends, None where there is no end."""
    low = high = None
    if ends.low is not None:
        low = floor(ends.low) + 1 if ends.open_low else ceil(ends.low)
    if ends.high is not None:
        high = ceil(ends.high) - 1 if ends.open_high else floor(ends.high)
    return low, high


def whole_number(ends: Ends, rank: int) -> int | None:
    """Return the whole number of a rank: those nearest to zero first, a positive one before its twin."""
    low, high = whole(ends)
    if low is not None and low >= 0:
        x = low + rank
        return x if high is None or x <= high else None
    if high is not None and high <= 0:
        x = high - rank
        return x if low is None or x >= low else None
    near = min(x for x in (high, None if low is None else -low) if x is not None) if low or high else None
    if near is None and (low is not None or high is not None):
        near = 0
    if near is None or rank <= 2 * near:  # both signs, in turn
        return (rank + 1) // 2 * (1 if rank % 2 else -1) if rank else 0
    size = rank - near
    if high is None or size <= high:
        return size
    return -size if low is None or -size >= low else None


def fraction(ends: Ends, rank: int) -> Fraction | None:
    """Return the fraction of a rank inside the ends, None where there are not so many."""
    return _listed(ends).at(rank)


class _Fractions:
    """The fractions inside an interval in their order, made as far as they are asked for."""

    def __init__(self, ends: Ends) -> None:
        self._made: list[Fraction] = []
        self._source = _ordered(ends)

    def at(self, rank: int) -> Fraction | None:
        while len(self._made) <= rank:
            following = next(self._source, None)
            if following is None:
                return None
            self._made.append(following)
        return self._made[rank]


@lru_cache(maxsize=512)
def _listed(ends: Ends) -> _Fractions:
    return _Fractions(ends)


def _ordered(ends: Ends) -> Iterator[Fraction]:
    """The fractions of an interval: its closed ends and what lies between, in turn by size."""
    low, high = ends.low, ends.high
    if low is not None and high is not None and (low > high or (low == high and (ends.open_low or ends.open_high))):
        return
    heap: list[tuple[int, int, bool, Fraction, Any, Any]] = []  # each s once, so ends are never compared

    def push(a: Fraction | None, b: Fraction | None) -> None:
        if a is None or b is None or a < b:
            s = between(a, b)
            heapq.heappush(heap, (max(s.denominator, abs(s.numerator)), s.denominator, s < 0, s, a, b))

    closed = {x for x, left_out in ((low, ends.open_low), (high, ends.open_high)) if x is not None and not left_out}
    for x in sorted(closed):
        heapq.heappush(heap, (max(x.denominator, abs(x.numerator)), x.denominator, x < 0, x, x, x))
    push(low, high)
    while heap:
        *_, s, a, b = heapq.heappop(heap)
        yield s
        if a is None or b is None or a < b:
            push(a, s)
            push(s, b)


def between(low: Fraction | None, high: Fraction | None) -> Fraction:
    """Return the simplest fraction strictly between two numbers, of which None is at infinity."""
    if (low is None or low < 0) and (high is None or high > 0):
        return Fraction(0)
    if high is not None and high <= 0:
        return -between(-high, None if low is None else -low)
    assert low is not None
    return _positive(low, high)


def _positive(low: Fraction, high: Fraction | None) -> Fraction:
    """The simplest fraction strictly between ``low >= 0`` and ``high``, by continued fractions, without recursion."""
    terms = []
    a, b = low, high
    while True:
        n = floor(a) + 1
        if b is None or n < b:
            terms.append(n)
            break
        n = floor(a)
        terms.append(n)
        # strictly between: a - n in [0, 1), b - n in (0, 1]; turned over, the ends change places
        a, b = 1 / (b - n), (None if a == n else 1 / (a - n))
    x = Fraction(terms[-1])
    for n in reversed(terms[:-1]):
        x = n + 1 / x
    return x


def simplest(variable: Variable, ends: Ends, point: Place, rank: int) -> Any:
    """Return the value of a rank, None where there are not so many."""
    if variable.kind == "word":
        return variable.values[rank] if rank < len(variable.values) else None
    if variable.kind == "int":
        return whole_number(ends, rank)
    if variable.kind == "rat":
        return fraction(ends, rank)
    return first_objects(variable, point).at(rank)


class _Objects:
    def __init__(self, source: Iterator[Any]) -> None:
        self._made: list[Any] = []
        self._source = source

    def at(self, rank: int) -> Any:
        while len(self._made) <= rank:
            try:
                following = next(self._source, None)
            except DomainError:  # no object of this size
                return None
            if following is None:
                return None
            self._made.append(following)
        return self._made[rank]


def first_objects(variable: Variable, point: Place) -> _Objects:
    """Return the first objects of a variable at the size that the point gives it."""
    return _objects(variable, point[variable.size] if variable.size else 0)


@lru_cache(maxsize=256)
def _objects(variable: Variable, n: int) -> _Objects:
    assert variable.thing is not None
    return _Objects(variable.thing.first(n))
