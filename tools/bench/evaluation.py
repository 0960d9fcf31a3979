"""A right side evaluated by another route than the judge's: in Fractions where it is rational, else by mpmath.

Nothing here uses the ball arithmetic that verdicts rest on.  A value that is no rational is computed at 60 and at 90
digits; what the two differ by, tenfold, and a part in 10^50 is its margin.  A number that could lie on either side of
a jump (the floor of what is an integer to thirty digits) has no value here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from numbers import Rational
from typing import Any

import mpmath
import sympy

from theorytools.errors import DomainError

DIGITS = (60, 90)
_PART = mpmath.mpf(10) ** -50
_EXACT_BITS = 200_000  # a longer rational power is evaluated as a real number
Number = Any  # a Fraction or an mpf


class Unknown(ArithmeticError):
    """The formula has no value here, or none that this evaluation can be sure of."""


@dataclass(frozen=True)
class Value:
    """A number with the margin within which it is known; 0 for a rational."""

    number: Number
    margin: Number = 0

    @property
    def exact(self) -> bool:
        """Whether this is a rational."""
        return isinstance(self.number, Fraction)

    def text(self) -> str:
        """The number: a short fraction in full, else twelve digits."""
        if self.exact and self.number.numerator.bit_length() + self.number.denominator.bit_length() < 80:
            return str(self.number)
        return str(mpmath.nstr(real(self.number), 12))


def real(number: Number) -> Any:
    """Return a Fraction as a real number at the ambient precision; other numbers as they are."""
    return mpmath.mpf(number.numerator) / number.denominator if isinstance(number, Fraction) else mpmath.mpf(number)


def value(expr: sympy.Expr, letters: Mapping[str, Any]) -> Value:
    """Return the value of a formula.

    Parameters
    ----------
    expr : a sympy expression with exact numbers.
    letters : a Fraction, an mpf or a formula without letters for each name.

    Raises
    ------
    Unknown : no value, or none that is sure.

    Examples
    --------
    >>> x = sympy.Symbol("x", positive=True)
    >>> value(x**2 / 3, {"x": Fraction(1, 2)}).text(), value(sympy.log(x), {"x": Fraction(2)}).text()
    ('1/12', '0.69314718056')
    """
    found = []
    for digits in DIGITS:
        with mpmath.workdps(digits):
            found.append(_walk(expr, letters))
            if isinstance(found[-1], Fraction):
                return Value(found[-1])
            if not mpmath.isfinite(found[-1]):
                raise Unknown(f"{expr} is infinite")
    with mpmath.workdps(DIGITS[-1]):
        rough, fine = found
        return Value(fine, 10 * abs(fine - rough) + abs(fine) * _PART)


def less(a: Value, b: Value) -> bool:
    """Return whether the first number is certainly below the second."""
    if a.exact and b.exact and not a.margin and not b.margin:
        return bool(a.number < b.number)
    with mpmath.workdps(DIGITS[-1]):
        rounding = (abs(real(a.number)) + abs(real(b.number))) * _PART  # a Fraction is read at 90 digits
        return bool(real(a.number) + a.margin + rounding < real(b.number) - b.margin)


def apart(a: Value, b: Value) -> bool:
    """Return whether the two numbers certainly differ."""
    return less(a, b) or less(b, a)


def _walk(expr: Any, letters: Mapping[str, Any]) -> Number:
    if isinstance(expr, sympy.Rational):
        return Fraction(int(expr.p), int(expr.q))
    if isinstance(expr, sympy.Symbol):
        if expr.name not in letters:
            raise Unknown(f"no value for {expr}")
        given = letters[expr.name]
        return _walk(given, {}) if isinstance(given, sympy.Basic) else given
    rule = _RULES.get(type(expr))
    if rule is None:
        raise Unknown(f"{type(expr).__name__} is not evaluated here")
    try:
        result = rule([_walk(part, letters) for part in expr.args])
    except (ZeroDivisionError, ValueError, OverflowError) as error:
        raise Unknown(f"{expr}: {error}") from error
    if isinstance(result, mpmath.mpc) or result != result:
        raise Unknown(f"{expr} is no real number")
    return result


def _sum(parts: Sequence[Number]) -> Number:
    return reduce(lambda a, b: a + b if _alike(a, b) else real(a) + real(b), parts)


def _product(parts: Sequence[Number]) -> Number:
    return reduce(lambda a, b: a * b if _alike(a, b) else real(a) * real(b), parts)


def _alike(a: Number, b: Number) -> bool:
    return isinstance(a, Fraction) and isinstance(b, Fraction)


def _power(parts: Sequence[Number]) -> Number:
    base, exponent = parts
    if _alike(base, exponent) and exponent.denominator == 1:
        bits = max(abs(base.numerator).bit_length(), base.denominator.bit_length())
        if abs(exponent.numerator) * bits <= _EXACT_BITS:
            return base ** int(exponent)
    return mpmath.power(real(base), real(exponent))


def _extreme(choose: Callable[..., Any]) -> Callable[[Sequence[Number]], Number]:
    def rule(parts: Sequence[Number]) -> Number:
        exact = all(isinstance(part, Fraction) for part in parts)
        return choose(parts if exact else [real(part) for part in parts])

    return rule


def _whole(rounded: Callable[[Any], Any]) -> Callable[[Sequence[Number]], Number]:
    """Floor or ceiling; what is an integer to thirty digits, and not known to be one, has none."""

    def rule(parts: Sequence[Number]) -> Number:
        (x,) = parts
        if isinstance(x, Fraction):
            return Fraction(rounded(x))
        if abs(x - mpmath.nint(x)) < mpmath.mpf(10) ** -30 * max(1, abs(x)):
            raise Unknown("a jump")
        return Fraction(int(mpmath.floor(x))) if rounded(0.5) == 0 else Fraction(int(mpmath.ceil(x)))

    return rule


def _absolute(parts: Sequence[Number]) -> Number:
    return abs(parts[0])


def _integral(function: Callable[..., int], other: Callable[..., Any]) -> Callable[[Sequence[Number]], Number]:
    """A function of natural numbers in integers, elsewhere in real numbers."""

    def rule(parts: Sequence[Number]) -> Number:
        natural = all(isinstance(x, Fraction) and x.denominator == 1 and 0 <= x <= 5000 for x in parts)
        return Fraction(function(*map(int, parts))) if natural else other(*map(real, parts))

    return rule


def _tables() -> dict[Any, Callable[[Sequence[Number]], Number]]:
    import math

    def plain(function: Callable[..., Any]) -> Callable[[Sequence[Number]], Number]:
        return lambda parts: function(*map(real, parts))

    return {
        sympy.Add: _sum, sympy.Mul: _product, sympy.Pow: _power, sympy.Max: _extreme(max), sympy.Min: _extreme(min),
        sympy.floor: _whole(math.floor), sympy.ceiling: _whole(math.ceil), sympy.Abs: _absolute,
        sympy.exp: plain(mpmath.exp), sympy.log: plain(mpmath.log), sympy.gamma: plain(mpmath.gamma),
        sympy.cos: plain(mpmath.cos), sympy.sin: plain(mpmath.sin), sympy.tanh: plain(mpmath.tanh),
        sympy.erf: plain(mpmath.erf), sympy.erfc: plain(mpmath.erfc),
        sympy.binomial: _integral(math.comb, mpmath.binomial),
        sympy.factorial: _integral(math.factorial, mpmath.factorial),
        type(sympy.pi): lambda parts: +mpmath.pi, type(sympy.E): lambda parts: +mpmath.e,
    }  # fmt: skip


_RULES = _tables()


def end(data: Mapping[str, Any]) -> Number | None:
    """Return the end of an interval from its JSON form, exactly; None for an infinite one."""
    if "inf" in data:
        return None
    if "q" in data:
        return Fraction(int(data["q"][0], 16), int(data["q"][1], 16))
    mantissa, exponent = int(data["d"][0], 16), int(data["d"][1])
    if abs(exponent) < _EXACT_BITS:
        return Fraction(mantissa) * Fraction(2) ** exponent
    return mpmath.ldexp(mpmath.mpf(mantissa), exponent)


def letters_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return exact letters for :func:`value`: Fractions and formulas without letters; others are left out.

    Raises
    ------
    DomainError : a float, whose value nobody wrote.
    """
    found: dict[str, Any] = {}
    for name, given in values.items():
        if isinstance(given, float):
            raise DomainError(f"{name} = {given!r}", required="an exact number")
        if isinstance(given, sympy.Basic) or type(given).__name__ == "mpf":
            found[name] = given
        elif isinstance(given, Rational):  # one of numpy's integers, too
            found[name] = Fraction(int(given.numerator), int(given.denominator))
    return found
