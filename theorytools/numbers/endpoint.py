r"""End points of intervals: exact rationals, exact dyadic numbers, or :math:`\pm\infty`, in one total order.

A dyadic end :math:`m2^e` is never turned into a fraction: :math:`e^{-10^9}` enclosed at 64 bits has an
exponent of about :math:`-1.4\cdot10^9`, so its denominator would fill the memory.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import arb, fmpq, fmpz

from theorytools.errors import NumberError
from theorytools.numbers.balls import at_precision

Limit = Any  # a finite number or an infinity


class End:
    """One exact end point; compares with any other end by ``<``, ``<=``, ``==`` without rounding."""

    __slots__ = ("sign", "value")
    sign: int  # ±1 for ±infinity, else 0
    value: Any  # fmpq, radius-0 arb, or None at infinity

    def __init__(self, value: Limit) -> None:
        self.sign = 0
        if isinstance(value, End):
            self.sign, self.value = value.sign, value.value
        elif isinstance(value, float) and math.isinf(value):
            self.sign, self.value = (1 if value > 0 else -1), None
        elif isinstance(value, float):
            if math.isnan(value):
                raise _no_end("NaN")
            self.value = fmpq(*value.as_integer_ratio())
        elif isinstance(value, Fraction):
            self.value = fmpq(value.numerator, value.denominator)
        elif isinstance(value, int | fmpz) and value is not True and value is not False:
            self.value = fmpq(value)
        elif isinstance(value, fmpq):
            self.value = value
        elif isinstance(value, arb):
            self._from_arb(value)
        else:
            raise _no_end(type(value).__name__)

    def _from_arb(self, value: arb) -> None:
        if value.is_nan():
            raise _no_end("NaN")
        if not value.is_exact():
            raise _no_end("a ball with a radius")
        if value.is_finite():
            self.value = value
        else:
            self.sign, self.value = (1 if value > 0 else -1), None

    @property
    def finite(self) -> bool:
        """Whether this end is a number."""
        return self.sign == 0

    @property
    def rational(self) -> bool:
        """Whether this end is held as a quotient of integers."""
        return isinstance(self.value, fmpq)

    def _compare(self, number: Any) -> int:
        other: End = number if isinstance(number, End) else End(number)
        if self.sign or other.sign:
            return (self.sign > other.sign) - (self.sign < other.sign)
        a, b = self.value, other.value
        if isinstance(a, fmpq) and isinstance(b, fmpq):
            return int(a > b) - int(a < b)
        if isinstance(a, arb) and isinstance(b, arb):
            return int(a > b) - int(a < b)  # exact balls: flint compares the dyadic numbers exactly
        if isinstance(a, arb):
            return -_compare_rational(b, a)
        return _compare_rational(a, b)

    def __lt__(self, other: Any) -> bool:
        return self._compare(other) < 0

    def __le__(self, other: Any) -> bool:
        return self._compare(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self._compare(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self._compare(other) >= 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, End | int | float | Fraction):
            return False
        if isinstance(other, float) and math.isnan(other):
            return False
        return self._compare(other) == 0

    def __hash__(self) -> int:
        if self.sign:
            return hash(math.inf * self.sign)
        if isinstance(self.value, fmpq):
            return hash(Fraction(int(self.value.p), int(self.value.q)))
        # Python's hash of m 2^e, so that equal numbers hash equally: the residue modulo a Mersenne prime, in
        # which 2 has the order bit_length()
        mantissa, exponent = map(int, self.value.man_exp())
        prime = sys.hash_info.modulus
        residue = abs(mantissa) % prime * pow(2, exponent % prime.bit_length(), prime) % prime
        return hash(residue if mantissa >= 0 else -residue)

    def __reduce__(self) -> tuple[Any, ...]:
        return (End.from_json, (self.to_json(),))

    def __float__(self) -> float:
        """The nearest double, for reading: a proof asks :func:`float_lower` or :func:`float_upper`."""
        value = nearest_float(self)
        if math.isinf(value) and not self.sign:
            raise NumberError(f"float() of {self}", required="a number in the range of doubles", advice="float_lower")
        return value

    def __repr__(self) -> str:
        """The end itself, or 17 digits of it after the sign ≈ where they are not all."""
        if self.sign:
            return "inf" if self.sign > 0 else "-inf"
        if isinstance(self.value, fmpq) and int(self.value.q).bit_length() + abs(int(self.value.p)).bit_length() < 80:
            return str(self.value)
        digits = at_precision(80, lambda: str(arb(self.value).str(17, radius=False)))  # also beyond doubles
        return digits if self._written(digits) else f"≈{digits}"

    def _written(self, digits: str) -> bool:
        """Whether these digits are the whole number; where its exponent is huge they never are."""
        _, _, exponent = digits.partition("e")
        return abs(int(exponent or 0)) < 400 and End(Fraction(digits)) == self

    def to_json(self) -> dict[str, Any]:
        """Return ``{"q": [hex, hex]}``, ``{"d": [hex mantissa, exponent]}`` or ``{"inf": ±1}``."""
        if self.sign:
            return {"inf": self.sign}
        if isinstance(self.value, fmpq):
            return {"q": [hex(int(self.value.p)), hex(int(self.value.q))]}
        mantissa, exponent = self.value.man_exp()
        return {"d": [hex(int(mantissa)), int(exponent)]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> End:
        """Rebuild an end from :meth:`to_json`."""
        try:
            if "inf" in data:
                return cls(math.inf * data["inf"])
            if "q" in data:
                return cls(fmpq(int(data["q"][0], 16), int(data["q"][1], 16)))
            return cls(arb((int(data["d"][0], 16), int(data["d"][1]))))
        except (TypeError, ValueError, LookupError, ZeroDivisionError):
            raise _no_end(f"the record {data!r:.100}") from None


def _no_end(given: str) -> NumberError:
    return NumberError(
        f"{given} as an end point",
        required="an int, a Fraction, a float, an fmpq or an exact arb",
        advice="for a ball, .lower() or .upper()",
    )


def _compare_rational(rational: fmpq, dyadic: arb) -> int:
    """Sign of ``p/q - m 2^e``, from ``p`` and ``q m 2^e`` at a precision where the product is exact."""
    mantissa, _ = dyadic.man_exp()
    bits = int(mantissa).bit_length() + int(rational.q).bit_length() + 16
    product = at_precision(bits, lambda: arb(rational.q) * dyadic)
    numerator = arb(rational.p)
    return int(numerator > product) - int(numerator < product)


def nearest_float(end: End) -> float:
    """Return a double next to the end (``±inf`` beyond the range of doubles); rounded either way."""
    if end.sign:
        return math.inf * end.sign
    if isinstance(end.value, arb):
        return float(end.value)
    try:
        return int(end.value.p) / int(end.value.q)
    except OverflowError:
        return math.inf if end.value > 0 else -math.inf


def _end(end: End) -> End:
    if not isinstance(end, End):
        raise _no_end(type(end).__name__)
    return end


def float_lower(end: End) -> float:
    """Return the largest double that is ``<=`` the end (``-inf`` below the range of doubles)."""
    value = nearest_float(_end(end))
    while End(value) > end:
        value = math.nextafter(value, -math.inf)
    return value


def float_upper(end: End) -> float:
    """Return the smallest double that is ``>=`` the end (``inf`` above the range of doubles)."""
    value = nearest_float(_end(end))
    while End(value) < end:
        value = math.nextafter(value, math.inf)
    return value


NEGATIVE_INFINITY = End(-math.inf)
POSITIVE_INFINITY = End(math.inf)
