r"""Working precision, and the few operations on flint's rationals and balls that it answers coarsely or with NaN."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any, TypeVar

from flint import arb, ctx, fmpq

from theorytools.errors import DomainError

T = TypeVar("T")


def at_precision(bits: int, compute: Callable[[], T]) -> T:
    """Return ``compute()`` with the ball arithmetic working at ``bits`` bits.

    The precision is global to the process.  It is therefore restored before this function returns and is
    never held across a ``yield``; parallel work uses processes, not threads.
    """
    if type(bits) is not int or bits < 2 or not callable(compute):
        bits = _precision(bits, compute)
    before = ctx.prec
    ctx.prec = bits
    try:
        return compute()
    finally:
        ctx.prec = before


def _precision(bits: object, compute: object) -> int:
    if not callable(compute):
        raise DomainError(f"compute = {compute!r:.60}", required="a function without arguments")
    if isinstance(bits, bool) or not isinstance(bits, numbers.Integral) or bits < 2:
        raise DomainError(f"bits = {bits!r:.60}", required="an integer of at least 2", why="a precision in bits")
    return int(bits)


def working_precision() -> int:
    """Return the ambient precision in bits."""
    return int(ctx.prec)


def whole_line() -> arb:
    """Return the ball that stands for "undefined or unknown": every real number."""
    return arb(0, math.inf)


def lower_end(ball: arb) -> arb:
    """Return an exact ball that is not above any number in ``ball``, at no less than the ball's own bits."""
    return _sharply(ball, ball.lower)


def upper_end(ball: arb) -> arb:
    """Return an exact ball that is not below any number in ``ball``, at no less than the ball's own bits."""
    return _sharply(ball, ball.upper)


def _sharply(ball: arb, side: Callable[[], arb]) -> arb:
    # flint rounds an end to the ambient precision; a ball that was made at a higher one keeps all its bits
    bits = int(ball.bits())
    return side() if bits <= working_precision() else at_precision(bits, side)


def multiply(a: Any, b: Any) -> Any:
    """Return ``a b``; a rational 0 times a number is exactly 0, times something undefined it is not."""
    if type(a) is not type(b):
        rational, ball = (a, b) if type(a) is fmpq else (b, a)
        if rational == 0 and ball.is_finite():
            return rational
    return a * b


def divide(a: Any, b: Any) -> Any:
    """Return ``a / b``, not finite where ``b`` may be zero."""
    if type(b) is fmpq:
        return a / b if b != 0 else whole_line()
    if type(a) is fmpq and a == 0 and b.is_finite() and not b.contains(0):
        return a
    return a / b


def absolute(a: Any) -> Any:
    """Return ``|a|``, without the negative part that flint leaves where the ball contains zero."""
    return abs(a) if type(a) is fmpq else abs(a).nonnegative_part()


def pack(ball: arb) -> tuple[int, ...]:
    """Return mantissa and exponent of midpoint and radius; nothing for the whole line."""
    if not ball.is_finite():
        return ()
    return tuple(int(number) for part in (ball.mid(), ball.rad()) for number in part.man_exp())


def unpack(*parts: int) -> arb:
    """Return the ball that :func:`pack` described."""
    if not parts:
        return whole_line()
    man, exp, rad_man, rad_exp = parts
    # flint rounds a radius up to 30 bits, and moves even one that has 30 bits; a hair less lands on it
    radius = arb(((rad_man << 40) - 1, rad_exp - 40)) if rad_man else arb(0)
    return arb(arb((man, exp)), radius)
