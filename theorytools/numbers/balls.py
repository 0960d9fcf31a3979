r"""Working precision, and the few operations on flint's rationals and balls that it answers coarsely or with NaN."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, cast, overload

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


class KeptAtPrecision(Generic[T]):
    """A property that is computed once for each working precision: what ``cached_property`` is for exact values.

    A ball that is kept whatever the precision is as sharp as whoever asked first made it: what is measured from it
    then depends on what ran before.

    Parameters
    ----------
    compute : the method, of an object that has a ``__dict__`` and does not change.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__

    @overload
    def __get__(self, held: None, owner: type) -> Self: ...
    @overload
    def __get__(self, held: object, owner: type | None = None) -> T: ...
    def __get__(self, held: object, owner: type | None = None) -> Self | T:
        if held is None:
            return self
        key = f"{self.compute.__name__} at {working_precision()} bits"
        if key not in held.__dict__:
            held.__dict__[key] = self.compute(held)
        return cast("T", held.__dict__[key])


class _Nodes:
    """What flint keeps of its quadrature: nodes of one precision, or of several (None)."""

    bits: int | None = None
    used = False  # an integral is being computed


def at_own_nodes(quadrature: Callable[[], T]) -> T:
    """Return ``quadrature()`` as it comes out in a process that has integrated at no other precision.

    flint keeps the nodes of its quadrature at the highest precision that was ever asked for, and rounds them for a
    lower one: the same integral is then another ball, as right as the first.  So they are forgotten where the
    precision changes; not by an integral within an integrand, for the outer one is at work with them.
    """
    bits = working_precision()
    if _Nodes.used:
        if _Nodes.bits != bits:
            _Nodes.bits = None
        return quadrature()
    if _Nodes.bits != bits:
        ctx.cleanup()
    _Nodes.bits, _Nodes.used = bits, True
    try:
        return quadrature()
    finally:
        _Nodes.used = False


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
