"""Working precision: set it, compute, put it back before anything else runs."""

from collections.abc import Callable
from typing import TypeVar

from flint import ctx

T = TypeVar("T")


def at_precision(bits: int, compute: Callable[[], T]) -> T:
    """Return ``compute()`` with the ball arithmetic working at ``bits`` bits.

    The precision is global to the process.  It is therefore restored before this function returns and is
    never held across a ``yield``; parallel work uses processes, not threads.
    """
    before = ctx.prec
    ctx.prec = bits
    try:
        return compute()
    finally:
        ctx.prec = before


def working_precision() -> int:
    """Return the ambient precision in bits."""
    return int(ctx.prec)
