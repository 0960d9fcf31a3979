"""What the standard left sides take: exact numbers and enclosures, alone, in vectors and in matrices; no float."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from theorytools.errors import DomainError, NumberError
from theorytools.numbers import Enclosure, maximum, minimum
from theorytools.numbers.float_result import FloatResult

Number = Fraction | Enclosure  # what they compute with: a Fraction as long as the number is known exactly

_EXACT = "compute it with enclosed(lambda: …) from exact inputs, such as Fraction(1, 3) or Enclosure(2).sqrt()"


def number(name: str, value: Any) -> Number:
    """Return an exact number as a Fraction, and a ball as it is.

    Raises
    ------
    NumberError : a float, the result of a run in floats, a truth value, or anything else; also a
        :class:`~theorytools.DomainError`.
    """
    if type(value) is Fraction:
        return value
    if isinstance(value, Enclosure):
        return value.fraction() if value.exact else value
    if isinstance(value, numbers.Rational) and not isinstance(value, bool | FloatResult):
        return Fraction(int(value.numerator), int(value.denominator))
    raise NumberError(
        f"{name} = {value!r:.60}, a {type(value).__name__}", required="an int, a Fraction or an Enclosure",
        why="a float is a rounded number: what follows from it is not known of the number that is meant",
        advice=_EXACT,
    )  # fmt: skip


def fraction(name: str, value: Any) -> Fraction:
    """Return an exact number; a ball is refused, too."""
    exact = number(name, value)
    if isinstance(exact, Fraction):
        return exact
    raise NumberError(
        f"{name} = {value!r:.60}, a ball", required="an int or a Fraction",
        why="the value jumps: no ball around its argument, however small, decides it", advice="state the exact number",
    )  # fmt: skip


def items(name: str, values: Any) -> list[Any]:
    """Return the items of a sequence that is not empty; numpy's numbers become Python's."""
    values = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise DomainError(f"{name} = {values!r:.60}", required=f"{name}: a sequence", advice="pass a list or a tuple")
    found = list(values)
    if not found:
        raise DomainError(f"{name} without entries", required=f"{name}: at least one entry", why="nothing is measured")
    return found


def place(name: str, value: Any, size: int) -> int:
    """Return an integer from 0 to below ``size``, such as the number of a state or of an action."""
    found = -1 if isinstance(value, bool) or not isinstance(value, numbers.Integral) else operator.index(value)
    if not 0 <= found < size:
        raise DomainError(f"{name}: {value!r:.40}", required=f"an integer from 0 to {size - 1}")
    return found


def outcome(name: str, value: Any) -> Any:
    """Return an object that stands for itself, such as a label or a tuple of integers.

    Raises
    ------
    DomainError : one that cannot be compared for certain: a float or a ball, also within a tuple, or a list.
    """
    for part in value if isinstance(value, tuple) else ():
        outcome(name, part)
    if isinstance(value, FloatResult) or (isinstance(value, numbers.Real) and not isinstance(value, numbers.Rational)):
        number(name, value)
    if isinstance(value, Enclosure):
        fraction(name, value)
    try:
        hash(value)
    except TypeError:
        raise DomainError(
            f"{name}: {value!r:.60}, a {type(value).__name__}", required="what a dictionary may have as a key",
            why="equal ones are one", advice="tuples of integers in place of lists and arrays",
        ) from None  # fmt: skip
    return value


def vector(name: str, values: Any, one: Callable[[str, Any], Any] = number) -> list[Any]:
    """Return the entries of a vector, each by ``one``: :func:`number` or :func:`fraction`."""
    return [one(f"{name}[{k}]", x) for k, x in enumerate(items(name, values))]


def matrix(name: str, rows: Any, one: Callable[[str, Any], Any] = number) -> list[list[Any]]:
    """Return the rows of a matrix, all of one length."""
    found = [vector(f"{name}[{k}]", row, one) for k, row in enumerate(items(name, rows))]
    if len({len(row) for row in found}) != 1:
        raise DomainError(f"{name} with rows of lengths {sorted({len(row) for row in found})}", required="one length")
    return found


def same_length(a: Sequence[Any], b: Sequence[Any], names: str) -> None:
    """Refuse two sequences of different lengths."""
    if len(a) != len(b):
        raise DomainError(f"{names} of lengths {len(a)} and {len(b)}", required="equal lengths")


def dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    """Return the inner product of two vectors of one length."""
    same_length(a, b, "vectors")
    return added(x * y for x, y in zip(a, b, strict=True))


def added(values: Iterable[Any]) -> Number:
    """Return the sum, a Fraction as long as all terms are."""
    result: Any = Fraction(0)
    for value in values:
        result = result + value
    return number("a sum", result)


def largest(values: Sequence[Number]) -> Number:
    """Return the largest of some numbers, a Fraction where that is known."""
    exact = [x for x in values if isinstance(x, Fraction)]
    return max(exact) if len(exact) == len(values) else number("the largest", maximum(values))


def smallest(values: Sequence[Number]) -> Number:
    """Return the smallest of some numbers, a Fraction where that is known."""
    exact = [x for x in values if isinstance(x, Fraction)]
    return min(exact) if len(exact) == len(values) else number("the smallest", minimum(values))
