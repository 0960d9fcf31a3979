r"""A double that keeps to the arithmetic that is the same on every machine: ``+ - * /``, whole powers, comparisons.

IEEE 754 rounds the four operations correctly; a power is made of products in a fixed order, since the one of the C
library is not.  What an exact computation says when its fractions become such numbers is what doubles say anywhere.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

from flint import fmpq, fmpz

from theorytools.errors import NumberError
from theorytools.numbers.rational import fraction


class Double:
    """A double with ``+ - * /``, whole powers, ``abs``, floor and ceiling, and comparisons.

    Parameters
    ----------
    value : an integer, a fraction, a float, or another double; the nearest double is taken.

    Raises
    ------
    NumberError : no finite number, or ``float()`` of it: what another function makes of it may differ by machine.
    OverflowError : by an operation whose result is beyond the largest double.

    Examples
    --------
    >>> from fractions import Fraction
    >>> third = Double(Fraction(1, 3))
    >>> 3 * third, Fraction(1, 10) + Double(0.2), third**2 == third * third, third < Fraction(1, 3)
    (Double(1.0), Double(0.30000000000000004), True, False)
    """

    __slots__ = ("value",)
    value: float

    def __init__(self, value: Any) -> None:
        plain = _plain(value)
        if plain is None or not math.isfinite(plain):
            raise NumberError(f"{value!r:.60} as a double", required="an integer, a fraction or a finite float")
        self.value = plain

    def __add__(self, other: Any) -> Any:
        return _made(other, lambda y: self.value + y)

    def __sub__(self, other: Any) -> Any:
        return _made(other, lambda y: self.value - y)

    def __rsub__(self, other: Any) -> Any:
        return _made(other, lambda y: y - self.value)

    def __mul__(self, other: Any) -> Any:
        return _made(other, lambda y: self.value * y)

    def __truediv__(self, other: Any) -> Any:
        return _made(other, lambda y: self.value / y)

    def __rtruediv__(self, other: Any) -> Any:
        return _made(other, lambda y: y / self.value)

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, power: Any) -> Any:
        if not isinstance(power, int):
            return NotImplemented
        product, base, left = 1.0, self.value, abs(power)
        while left:  # from the lowest binary digit of the exponent: an order, so the same bits everywhere
            product, base, left = product * base if left & 1 else product, base * base, left >> 1
        return _finite(1.0 / product if power < 0 else product)

    def __neg__(self) -> Double:
        return Double(-self.value)

    def __pos__(self) -> Double:
        return self

    def __abs__(self) -> Double:
        return Double(abs(self.value))

    def __floor__(self) -> int:
        return math.floor(self.value)

    def __ceil__(self) -> int:
        return math.ceil(self.value)

    def __bool__(self) -> bool:
        return self.value != 0

    def __eq__(self, other: object) -> bool:
        y = _plain(other)
        return NotImplemented if y is None else self.value == y

    def __lt__(self, other: Any) -> bool:
        y = _plain(other)
        return NotImplemented if y is None else self.value < y

    def __le__(self, other: Any) -> bool:
        y = _plain(other)
        return NotImplemented if y is None else self.value <= y

    def __gt__(self, other: Any) -> bool:
        y = _plain(other)
        return NotImplemented if y is None else self.value > y

    def __ge__(self, other: Any) -> bool:
        y = _plain(other)
        return NotImplemented if y is None else self.value >= y

    def __hash__(self) -> int:
        return hash(self.value)

    def __float__(self) -> float:
        raise NumberError(
            f"float() of {self!r}", required="the operations + - * / and whole powers",
            why="what other functions make of a double differs by a last bit from machine to machine",
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"Double({self.value!r})"


def _plain(x: Any) -> float | None:
    """The nearest float of a number, None of anything else."""
    if isinstance(x, Double):
        return x.value
    if isinstance(x, bool):
        return None
    if isinstance(x, numbers.Real):
        return float(x)
    return float(fraction(x)) if isinstance(x, fmpq | fmpz) else None


def _made(other: Any, work: Callable[[float], float]) -> Any:
    y = _plain(other)
    return NotImplemented if y is None else _finite(work(y))


def _finite(result: float) -> Double:
    if not math.isfinite(result):
        raise OverflowError("beyond the largest double")
    return Double(result)
