r"""Sums, extremes and unions of several enclosures; exact as long as every part is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from flint import arb

from theorytools.errors import NumberError
from theorytools.numbers.enclosure import Enclosure, wrap


def union(parts: Iterable[Any]) -> Enclosure:
    """Return one enclosure that contains every given one."""
    boxes = _boxes(parts, "union")
    if all(box.exact and box.value == boxes[0].value for box in boxes):
        return boxes[0]
    result = boxes[0].ball()
    for box in boxes[1:]:
        result = result.union(box.ball())
    return wrap(result)


def between(low: Any, high: Any) -> Enclosure:
    """Return an enclosure of the interval from the lower end of ``low`` to the upper end of ``high``."""
    return union([low, high])


def maximum(values: Iterable[Any]) -> Enclosure:
    """Return an enclosure of the largest value (exact when the value that is certainly largest is)."""
    return _extreme(values, lambda a, b: b.certainly_le(a), lambda a, b: a.max(b))


def minimum(values: Iterable[Any]) -> Enclosure:
    """Return an enclosure of the smallest value (exact when the value that is certainly smallest is)."""
    return _extreme(values, lambda a, b: a.certainly_le(b), lambda a, b: a.min(b))


def _extreme(
    values: Iterable[Any],
    beats: Callable[[Enclosure, Enclosure], bool | None],
    combine: Callable[[arb, arb], arb],
) -> Enclosure:
    """Fold the values; the extreme of the whole line and anything is the whole line."""
    boxes = _boxes(values, "largest or smallest")
    best = boxes[0]
    for box in boxes[1:]:
        wins = beats(best, box)
        if wins is None:
            best = wrap(combine(best.ball(), box.ball()))
        elif not wins:
            best = box
    return best


def total(values: Iterable[Any]) -> Enclosure:
    """Return an enclosure of the sum (exact when all terms are)."""
    result = Enclosure(0)
    for value in iterated(values):
        try:
            result = result + value
        except TypeError:
            raise NumberError(f"the term {value!r:.60}", required="numbers, exact or enclosed") from None
    return result


def euclidean(values: Iterable[Any]) -> Enclosure:
    r"""Return an enclosure of :math:`\sqrt{\sum_kx_k^2}`; exact where it is rational and the numbers are.

    A sum of squares is not negative, but its ball may reach below zero where the numbers are close to it: ``x * x``
    takes the two factors for different numbers, and even ``x**2``, which does not, is rounded when it is added up.  The
    root of such a ball is the whole line; so the ball is cut at zero first.

    Examples
    --------
    >>> euclidean([3, 4])
    Enclosure(5)
    >>> euclidean([Enclosure(2).sqrt() ** 2 - 2] * 2).lower >= 0
    True
    """
    return (
        total((value if type(value) is Enclosure else Enclosure(value)) ** 2 for value in iterated(values))
        .nonnegative_part()
        .sqrt()
    )


def _boxes(values: Iterable[Any], what: str) -> list[Enclosure]:
    boxes = [value if type(value) is Enclosure else Enclosure(value) for value in iterated(values)]
    if not boxes:
        raise NumberError(f"the {what} of no numbers", required="at least one number")
    return boxes


def iterated(values: Any) -> Iterator[Any]:
    """Return an iterator over several numbers; ``NumberError`` for what is none or one number."""
    try:
        return iter(values)
    except TypeError:
        raise NumberError(f"{values!r:.60}", required="several numbers, as a list or an iterator") from None
