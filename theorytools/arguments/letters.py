"""Kinds of numbers that may be letters: sizes and positive numbers of a formula."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theorytools.arguments.kinds import REFUSED, Kind, Number


@dataclass(frozen=True)
class Whole(Kind):
    """An integer from ``least``, or a symbolic expression or enclosure that may be one: no other number."""

    least: int

    @property
    def required(self) -> str:  # type: ignore[override]
        """In words."""
        return f"an integer of at least {self.least}, or a symbolic expression"

    def alters(self, kind: type) -> bool:
        """A fraction may be an integer."""
        return kind is Fraction or super().alters(kind)

    def take(self, value: Any) -> Any:
        """Return the integer or the expression."""
        if type(value) is int:
            return value if value >= self.least else REFUSED
        number = Number("formula").take(value)
        if number is REFUSED or isinstance(number, float):
            return REFUSED
        if isinstance(number, numbers.Rational) and not type(number).__module__.startswith("sympy"):
            whole = number.denominator == 1 and int(number.numerator) >= self.least
            return int(number.numerator) if whole else REFUSED
        if getattr(number, "is_number", False) and (number.is_integer is False or (number - self.least).is_negative):
            return REFUSED
        return number


@dataclass(frozen=True)
class Positive(Kind):
    """A number above zero, or a symbolic expression that may be."""

    required = "a positive number, or a symbolic expression"

    def take(self, value: Any) -> Any:
        """Return the number or the expression."""
        number = Number("formula").take(value)
        if number is REFUSED:
            return REFUSED
        if isinstance(number, int | float | Fraction):
            return number if number > 0 else REFUSED
        return REFUSED if getattr(number, "is_nonpositive", False) else number
