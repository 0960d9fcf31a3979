r"""Numbers that enclose: exact rationals as long as the mathematics allows, directed rounding afterwards.

An :class:`Enclosure` is either one rational number or a ball that certainly contains the real number meant.
Arithmetic on rationals stays rational; a function without a rational value gives a ball at the ambient
precision.  Whatever is undefined (``log`` of a ball that meets zero, division by a ball around zero) is the
whole line, never NaN, so that nothing can be certified from it.  flint's ``arb(0, 1)**2`` is NaN and
``[1/2, 3/2]**2`` reaches below zero, because a ball product forgets that both factors are the same number: a power is
taken at the two ends, where it is monotone.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb, fmpq, fmpz

from theorytools.errors import DomainError, NumberError
from theorytools.numbers.balls import (
    absolute,
    divide,
    lower_end,
    multiply,
    pack,
    unpack,
    upper_end,
    whole_line,
)
from theorytools.numbers.endpoint import NEGATIVE_INFINITY, POSITIVE_INFINITY, End, Limit, nearest_float
from theorytools.numbers.float_result import FloatResult

EXACT_BITS = 2_000_000  # a rational with more bits than this is enclosed instead
_ROOT_DEGREES = 64  # x^(p/q) is a q-th root up to this q, exp((p/q) log x) beyond
# told of every float of which an enclosure is made, while somebody asks where a number comes from
ENTERING: list[Callable[[Any], None]] = []


class Enclosure:
    """A rational number or a ball; every operation returns a set that contains the true result.

    Parameters
    ----------
    value : int, Fraction, finite float (its exact binary value), numpy integer, flint number or Enclosure.

    Raises
    ------
    DomainError : a truth value, a text or anything else that is no number, and the result of a run in floats, whose
        rounding is unknown.

    Examples
    --------
    >>> half = Enclosure(Fraction(1, 2))
    >>> half + 1, half.sqrt().exact, half.sqrt().certainly_lt(Fraction(3, 4)), Enclosure(9).sqrt()
    (Enclosure(3/2), False, True, Enclosure(3))
    """

    __slots__ = ("value",)
    value: Any  # fmpq or arb

    def __init__(self, value: Any) -> None:
        kind = type(value)
        if kind is int:  # the two commonest kinds, before the slow tests of abstract classes
            self.value = fmpq(value)
        elif kind is Fraction:
            self.value = fmpq(int(value.numerator), int(value.denominator))
        elif kind is bool:
            raise _no_number(value)
        elif isinstance(value, Enclosure):
            self.value = value.value
        elif isinstance(value, fmpq):
            self.value = value
        elif isinstance(value, arb):
            # nan and the exact infinities (limits, not numbers) say nothing
            self.value = value if value.is_finite() else whole_line()
        elif isinstance(value, fmpz):
            self.value = fmpq(value)
        elif isinstance(value, numbers.Integral):
            self.value = fmpq(int(value))
        elif isinstance(value, FloatResult):
            raise DomainError(
                f"{value!r:.80}, the result of a run in floats", required="a number whose rounding is known",
                why="an enclosure of what one machine's arithmetic gave encloses nothing else",
                advice="observed(…) in a claim; value.exact for the number itself",
            )  # fmt: skip
        elif isinstance(value, numbers.Rational):
            self.value = fmpq(int(value.numerator), int(value.denominator))
        elif isinstance(value, numbers.Real) and hasattr(value, "as_integer_ratio"):
            for noted in ENTERING:
                noted(value)
            finite = math.isfinite(value)  # float, numpy floats of any width: no detour through 53 bits
            self.value = fmpq(*map(int, value.as_integer_ratio())) if finite else whole_line()
        else:
            raise _no_number(value)

    # -- what it knows -----------------------------------------------------------------------------------
    @property
    def exact(self) -> bool:
        """Whether the number is known exactly, as a rational."""
        return isinstance(self.value, fmpq)

    @property
    def lower(self) -> End:
        """The lower end; never above the true number."""
        if isinstance(self.value, fmpq):
            return End(self.value)
        return End(lower_end(self.value)) if self.value.is_finite() else NEGATIVE_INFINITY

    @property
    def upper(self) -> End:
        """The upper end; never below the true number."""
        if isinstance(self.value, fmpq):
            return End(self.value)
        return End(upper_end(self.value)) if self.value.is_finite() else POSITIVE_INFINITY

    def fraction(self) -> Fraction:
        """Return the exact rational value.

        Raises
        ------
        ValueError : it is a ball.
        """
        if not isinstance(self.value, fmpq):
            raise ValueError("only an exact enclosure is a fraction")
        return Fraction(int(self.value.p), int(self.value.q))

    def ball(self) -> arb:
        """Return a ball at the ambient precision (rounds an exact rational outward)."""
        return arb(self.value) if isinstance(self.value, fmpq) else self.value

    def __float__(self) -> float:
        return nearest_float(End(self.value)) if isinstance(self.value, fmpq) else float(self.value)

    def __repr__(self) -> str:
        return f"Enclosure({self.lower!r}, {self.upper!r})" if not self.exact else f"Enclosure({self.lower!r})"

    def __bool__(self) -> bool:
        raise TypeError("an enclosure has no truth value; compare with certainly_le or certainly_lt")

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise TypeError("two enclosures are never compared with ==; use certainly_le both ways, or .same(other)")

    def same(self, other: Enclosure) -> bool:
        """Whether both objects hold the same set (bitwise), for tests and serialisation.

        Raises
        ------
        NumberError : ``other`` is no enclosure; also a :class:`~theorytools.DomainError`.
        """
        if not isinstance(other, Enclosure):
            raise _no_number(other)
        return self.lower == other.lower and self.upper == other.upper

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self.value, fmpq):
            return (_from_rational, (int(self.value.p), int(self.value.q)))
        return (_from_ball, pack(self.value))

    # -- arithmetic: flint rounds a rational outward where it meets a ball ---------------------------------
    def __add__(self, other: Any) -> Enclosure:
        b = other.value if type(other) is Enclosure else _operand(other)
        return NotImplemented if b is None else wrap(self.value + b)

    def __sub__(self, other: Any) -> Enclosure:
        b = other.value if type(other) is Enclosure else _operand(other)
        return NotImplemented if b is None else wrap(self.value - b)

    def __rsub__(self, other: Any) -> Enclosure:
        b = _operand(other)
        return NotImplemented if b is None else wrap(b - self.value)

    def __mul__(self, other: Any) -> Enclosure:
        b = other.value if type(other) is Enclosure else _operand(other)
        return NotImplemented if b is None else wrap(multiply(self.value, b))

    def __truediv__(self, other: Any) -> Enclosure:
        b = other.value if type(other) is Enclosure else _operand(other)
        return NotImplemented if b is None else wrap(divide(self.value, b))

    def __rtruediv__(self, other: Any) -> Enclosure:
        b = _operand(other)
        return NotImplemented if b is None else wrap(divide(b, self.value))

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Enclosure:
        return wrap(-self.value)

    def __abs__(self) -> Enclosure:
        return wrap(absolute(self.value))

    def __pow__(self, exponent: Any) -> Enclosure:

        return power(self, Enclosure(exponent))

    def __rpow__(self, base: Any) -> Enclosure:
        return Enclosure(base) ** self

    # -- functions ---------------------------------------------------------------------------------------
    def apply(self, function: str) -> Enclosure:
        """Return the ball function of that name of flint (``exp``, ``tanh``, ``erf``, …) at this number.

        The whole line stays the whole line, also under a bounded function: ``sin`` of something undefined is
        undefined, and must not be certified to lie in [-1, 1].

        Raises
        ------
        DomainError : flint has no such function.
        """
        ball = self.ball()
        try:
            method = getattr(ball, function)
        except (AttributeError, TypeError):
            raise DomainError(f"the function {function!r:.60}", required="a function of flint's balls") from None
        return wrap(method() if ball.is_finite() else ball)

    def exp(self) -> Enclosure:
        """Return :math:`e^x`; exact at 0."""
        return Enclosure(1) if self._is(0) else self.apply("exp")

    def log(self) -> Enclosure:
        """Return the natural logarithm; exact at 1, the whole line where the ball meets ``(-inf, 0]``."""
        return Enclosure(0) if self._is(1) else self.apply("log")

    def sqrt(self) -> Enclosure:
        """Return the square root, exact for squares of rationals; the whole line where it may not exist."""
        return root(self, 2)

    def nonnegative_part(self) -> Enclosure:
        """Cut the ball at zero: allowed only where the true number is known to be ``>= 0`` by other means."""
        return self if self.exact else wrap(self.value.nonnegative_part())

    def floor(self) -> Enclosure:
        """Return the integer part (a ball of width one where it is not decided)."""
        return Enclosure(self.value.floor()) if self.exact else _settle(self.value.floor())

    def ceil(self) -> Enclosure:
        """Return the smallest integer that is not below (a ball of width one where it is not decided)."""
        return Enclosure(self.value.ceil()) if self.exact else _settle(self.value.ceil())

    def _is(self, number: int) -> bool:
        return isinstance(self.value, fmpq) and bool(self.value == number)

    # -- order -------------------------------------------------------------------------------------------
    def certainly_le(self, other: Any) -> bool | None:
        """Whether ``self <= other``: True or False when proved, None when the enclosures leave it open."""
        b = other if type(other) is Enclosure else Enclosure(other)
        # flint rounds a rational outward where it meets a ball: what it affirms is proved
        if self.value <= b.value:
            return True
        if self.value > b.value:
            return False
        if type(self.value) is type(b.value):
            return None  # two balls are compared exactly
        return True if self.upper <= b.lower else False if self.lower > b.upper else None

    def certainly_lt(self, other: Any) -> bool | None:
        """Whether ``self < other``: True or False when proved, None when open."""
        reverse = (other if type(other) is Enclosure else Enclosure(other)).certainly_le(self)
        return None if reverse is None else not reverse

    def contains(self, number: Limit) -> bool:
        """Whether the exact ``number`` lies in this enclosure."""
        return self.lower <= End(number) <= self.upper


def wrap(value: Any) -> Enclosure:
    """Return the enclosure of a flint rational or ball; whatever is not finite becomes the whole line."""
    box: Enclosure = object.__new__(Enclosure)
    box.value = value if type(value) is fmpq or value.is_finite() else whole_line()
    return box


def _no_number(value: Any) -> NumberError:
    required = "an int, a Fraction, a float, a flint number or an Enclosure"
    return NumberError(f"{value!r:.60}, a {type(value).__name__}, where a number is meant", required=required)


def _operand(other: Any) -> Any:
    try:
        return Enclosure(other).value
    except TypeError:
        return None


def _settle(value: arb) -> Enclosure:
    """An integer part that the ball pins down is exact."""
    integer = value.unique_fmpz()
    return Enclosure(integer if integer is not None else value)


def _from_rational(p: int, q: int) -> Enclosure:
    return Enclosure(fmpq(p, q))


def _from_ball(*parts: int) -> Enclosure:
    return Enclosure(unpack(*parts))


def ipow(base: Enclosure, exponent: int) -> Enclosure:
    r"""Return :math:`x^n` for an integer exponent: exact on rationals, tight on balls; ``0**0 = 1``.

    A ball that contains zero has no negative power: the result is the whole line.
    """
    n = exponent
    if type(base) is not Enclosure or type(n) is not int:
        base, n = Enclosure(base), _whole(n)
    value = base.value
    if type(value) is fmpq:
        if n < 0 and value == 0:
            return wrap(whole_line())
        size = value.height_bits()
        if abs(n) * (size - 1) <= EXACT_BITS:  # |p|, q < 2^size; size is 1 for 0, 1 and -1
            return wrap(value**n)
    elif not value.is_finite():
        return wrap(whole_line())
    elif n == 0:
        return Enclosure(1)
    if n < 0:
        return Enclosure(1) / ipow(base, -n)
    return wrap(_ball_power(base.ball(), n))


def _ball_power(ball: arb, n: int) -> arb:
    if ball.is_exact():
        return _power_of_exact(ball, n)
    # x -> x^n is monotone on x >= 0 and on x <= 0, so the ends bound it, with 0 where the ball meets 0
    result = _power_of_exact(lower_end(ball), n).union(_power_of_exact(upper_end(ball), n))
    if n % 2:
        return result
    return (result.union(arb(0)) if ball.contains(0) else result).nonnegative_part()


def _power_of_exact(x: arb, n: int) -> arb:
    result = x if n & 1 else arb(1)
    while n := n >> 1:
        x = x * x
        if n & 1:
            result = result * x
    return result


def root(base: Enclosure, k: int) -> Enclosure:
    """Return the ``k``-th root, exact for perfect powers; the whole line where ``base`` may be negative."""
    if type(base) is not Enclosure or type(k) is not int or k < 1:
        base, k = Enclosure(base), _whole(k, 1)
    value = base.value
    if type(value) is fmpq:
        if value < 0:
            return wrap(whole_line())
        p, q = value.p.root(k), value.q.root(k)  # integer parts of the roots
        if p**k == value.p and q**k == value.q:
            return wrap(fmpq(p, q))
    ball = base.ball()
    if ball > 0:
        return wrap(ball.root(k))
    if not ball.is_finite() or not ball >= 0:
        return wrap(whole_line())
    # 0 <= base <= upper, so the root lies in [0, upper^(1/k)]
    upper = upper_end(ball)
    return wrap(upper.root(k).union(arb(0)).nonnegative_part() if upper > 0 else arb(0))


def power(base: Enclosure, exponent: Enclosure) -> Enclosure:
    r"""Return :math:`x^y` for :math:`x\ge0` or integer :math:`y`; the whole line where it is undefined."""
    if type(base) is not Enclosure or type(exponent) is not Enclosure:
        base, exponent = Enclosure(base), Enclosure(exponent)
    if type(exponent.value) is fmpq:
        p, q = int(exponent.value.p), int(exponent.value.q)
        if q == 1:
            return ipow(base, p)
        if q <= _ROOT_DEGREES:
            # gcd(p, q) = 1, so x^p is a q-th power of a rational only if x is
            return ipow(root(base, q), p) if _nonnegative(base) else wrap(whole_line())
    if base.certainly_le(0) is False:
        return (exponent * base.log()).exp()
    if exponent.certainly_le(0) is False and _nonnegative(base):
        # 0 <= x <= u and y > 0: x^y lies between 0 and the largest of u^y over the ball of y
        top = upper_end(base.ball())
        return wrap((exponent * wrap(top).log()).exp().ball().union(arb(0))) if top > 0 else Enclosure(0)
    return wrap(whole_line())


def _whole(n: Any, least: int | None = None) -> int:
    if isinstance(n, bool) or not isinstance(n, numbers.Integral) or (least is not None and n < least):
        required = "an integer" if least is None else f"an integer of at least {least}"
        raise NumberError(f"the power or degree {n!r:.60}", required=required)
    return int(n)


def _nonnegative(base: Enclosure) -> bool:
    return base.certainly_lt(0) is False
