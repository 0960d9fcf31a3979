"""Working precision: set it, compute, put it back before anything else runs."""

import numbers
from collections.abc import Callable
from typing import TypeVar

from flint import ctx

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
