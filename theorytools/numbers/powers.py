r"""Powers and roots of enclosures.

flint's ``arb(0, 1)**2`` is NaN and ``[1/2, 3/2]**2`` reaches below zero, because a ball product forgets that
both factors are the same number.  Here a power is taken at the two ends, where it is monotone.
"""

from __future__ import annotations

import numbers
from typing import Any

from flint import arb, fmpq

from theorytools.errors import NumberError
from theorytools.numbers.balls import lower_end, upper_end, whole_line
from theorytools.numbers.enclosure import Enclosure, wrap

EXACT_BITS = 2_000_000  # a rational with more bits than this is enclosed instead
_ROOT_DEGREES = 64  # x^(p/q) is a q-th root up to this q, exp((p/q) log x) beyond


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
