"""Intervals with exact ends: rational arithmetic stays rational, logarithms and roots are rounded outward.

An interval is ``(low, high, open_low, open_high)``.  Ends are integers and fractions, or the two infinities of this
module, which are compared by identity and never enter arithmetic: ``inf + 10**400`` would be an overflow of floats.
An end of more than 2^13 bits becomes an infinity, or a coarser end further out, so that ``2**d`` never hangs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from theorytools.numbers import Enclosure, End, at_precision, power

Interval = tuple[Any, Any, bool, bool]

INF, NEG = math.inf, -math.inf
WHOLE: Interval = (NEG, INF, True, True)
_BITS = 1 << 13  # of an end
_TINY = Fraction(1, 1 << _BITS)
_PRECISION = 64  # of logarithms and roots


def point(x: Any) -> Interval:
    """Return the interval of one number."""
    return (x, x, False, False)


def empty(a: Interval) -> bool:
    """Whether there is no number in an interval."""
    low, high = a[0], a[1]
    if low is NEG or high is INF:
        return False
    return bool(low > high or (low == high and (a[2] or a[3])))


def meet(a: Interval, b: Interval) -> Interval:
    """Return the intersection, which may be empty; where two ends agree an open one wins.

    It is ``a`` itself where ``b`` cuts nothing off.  The infinities are told by identity: to compare a fraction with
    one of them takes ten times as long.
    """
    low, high, open_low, open_high = a
    if b[0] is not NEG and (low is NEG or b[0] >= low):
        open_low = b[2] or (open_low and low is not NEG and b[0] == low)
        low = b[0]
    if b[1] is not INF and (high is INF or b[1] <= high):
        open_high = b[3] or (open_high and high is not INF and b[1] == high)
        high = b[1]
    if low is a[0] and high is a[1] and open_low == a[2] and open_high == a[3]:
        return a
    return (low, high, open_low, open_high)


def whole_numbers(a: Interval) -> Interval:
    """Return the interval of the whole numbers in an interval, with ends that belong to it."""
    low, high = a[0], a[1]
    if low is not NEG and (a[2] or type(low) is not int):
        low = math.floor(low) + 1 if a[2] else math.ceil(low)
    if high is not INF and (a[3] or type(high) is not int):
        high = math.ceil(high) - 1 if a[3] else math.floor(high)
    return (low, high, low is NEG, high is INF)


def contains(a: Interval, x: Any) -> bool:
    """Whether a number lies in an interval."""
    return bool((a[0] < x or (a[0] == x and not a[2])) and (x < a[1] or (x == a[1] and not a[3])))


# -- arithmetic --------------------------------------------------------------------------------------------------------
def negative(a: Interval) -> Interval:
    """Return ``-a``."""
    return (NEG if a[1] is INF else -a[1], INF if a[0] is NEG else -a[0], a[3], a[2])


def add(a: Interval, b: Interval) -> Interval:
    """Return ``a + b``."""
    low = NEG if a[0] is NEG or b[0] is NEG else a[0] + b[0]
    high = INF if a[1] is INF or b[1] is INF else a[1] + b[1]
    return _short((low, high, a[2] or b[2], a[3] or b[3]))


def multiply(a: Interval, b: Interval) -> Interval:
    """Return ``a*b``."""
    if b[0] == b[1]:
        return _scaled(a, b[0])
    if a[0] == a[1]:
        return _scaled(b, a[0])
    ends = [_product(x, p, y, q) for x, p in ((a[0], a[2]), (a[1], a[3])) for y, q in ((b[0], b[2]), (b[1], b[3]))]
    return _hull(ends)


def _scaled(a: Interval, c: Any) -> Interval:
    if c == 0:
        return point(0)
    if c < 0:
        a, c = negative(a), -c
    if c == 1:
        return a
    return _short((NEG if a[0] is NEG else a[0] * c, INF if a[1] is INF else a[1] * c, a[2], a[3]))


def _product(x: Any, open_x: bool, y: Any, open_y: bool) -> tuple[Any, bool]:
    """The product of two ends; a zero that belongs to its interval is a product whatever the other end is."""
    if x == 0 or y == 0:
        return 0, not ((x == 0 and not open_x) or (y == 0 and not open_y))
    if x is INF or x is NEG or y is INF or y is NEG:
        return (INF if (x > 0) == (y > 0) else NEG), True
    return x * y, open_x or open_y


def _hull(ends: list[tuple[Any, bool]]) -> Interval:
    low, open_low = min(ends)  # of equal ends the one that belongs: False comes first
    high = max(end for end, _ in ends)
    return _short((low, high, open_low, all(out for end, out in ends if end == high)))


def reciprocal(a: Interval) -> Interval:
    """Return ``1/a`` for the numbers of ``a`` that are not zero: the whole line where both signs occur."""
    if a[0] >= 0 and a[1] > 0:
        low, open_low = (0, True) if a[1] is INF else (1 / Fraction(a[1]), a[3])
        high, open_high = (INF, True) if a[0] == 0 else (1 / Fraction(a[0]), a[2])
        return (low, high, open_low, open_high)
    if a[1] <= 0 and a[0] < 0:
        return negative(reciprocal(negative(a)))
    return WHOLE


def factor(product: Interval, other: Interval) -> Interval | None:
    """Return an interval that holds each ``x`` with ``x*other = product``; None where there is none."""
    if contains(other, 0):
        if contains(product, 0):
            return WHOLE
        if other[0] == other[1]:
            return None
    if other[0] == other[1]:
        return _divided(product, other[0])
    return multiply(product, reciprocal(other))


def _divided(a: Interval, c: Any) -> Interval:
    if c < 0:
        a, c = negative(a), -c
    if c == 1:
        return a
    low = NEG if a[0] is NEG else Fraction(a[0]) / c
    high = INF if a[1] is INF else Fraction(a[1]) / c
    return (low, high, a[2], a[3])


def absolute(a: Interval) -> Interval:
    """Return the interval of ``|x|``."""
    if a[0] >= 0:
        return a
    if a[1] <= 0:
        return negative(a)
    low, high = negative(a)[1], a[1]
    # the larger end belongs where one of those that give it does
    return (0, max(low, high), False, a[3] if high > low else a[2] if low > high else a[2] and a[3])


def largest(a: Interval, b: Interval) -> Interval:
    """Return the interval of ``max(x, y)``."""
    low, open_low = max((a[0], a[2]), (b[0], b[2]))
    high, out = max((a[1], not a[3]), (b[1], not b[3]))
    return (low, high, open_low, not out)


# -- powers and functions ----------------------------------------------------------------------------------------------
def whole_power(a: Interval, n: int) -> Interval:
    """Return ``a**n`` for a whole number ``n``."""
    if n < 0:
        return reciprocal(whole_power(a, -n))
    if n == 0:
        return point(1)
    if n % 2 == 0:
        a = absolute(a)
    return (_raised(a[0], n, True), _raised(a[1], n, False), a[2], a[3])


def _raised(x: Any, n: int, down: bool) -> Any:
    """``x**n`` of one end, ``n > 0``, or an end further out where it is too long."""
    if x is INF or x is NEG:
        return x if n % 2 else INF
    if x in (0, 1, -1):
        return x**n
    if x < 0:
        return -_raised(-x, n, not down) if n % 2 else _raised(-x, n, down)
    if n * (max(x.numerator.bit_length(), x.denominator.bit_length()) - 1) <= _BITS:
        return x**n
    ends = enclosed(lambda: (Enclosure(x).log() * n).exp())
    return max(ends[0], 0) if down else ends[1]


def general_power(a: Interval, b: Interval) -> Interval:
    """Return ``x**y`` for ``x >= 0`` in ``a`` and ``y`` in ``b``: it is monotone in each, so the corners bound it."""
    if b[0] == b[1] and b[0].denominator == 1:
        return whole_power(a, int(b[0]))
    if a[0] < 0:
        if not (b[0] == b[1] and a[1] >= 0):
            return WHOLE  # whole exponents of a negative base may be meant
        a = meet(a, (0, INF, False, True))  # a root of a negative number is undefined
    corners = [_corner(x, y) for x in (a[0], a[1]) for y in (b[0], b[1])]
    low, high = min(c[0] for c in corners), max(c[1] for c in corners)
    if low is INF:
        return WHOLE  # a power of 0 that is undefined
    return (low, high, low == 0 and a[0] > 0, high is INF)


def _corner(x: Any, y: Any) -> tuple[Any, Any]:
    """An enclosure of the limit of ``x**y`` at a corner."""
    if y == 0 or x == 1:
        return 1, 1
    if x == 0 or x is INF or y is INF or y is NEG:
        large = (x > 1) == (y > 0)
        return (INF, INF) if large else (0, 0)
    if y.denominator == 1:
        n = int(y)
        inner = whole_power(point(x), n)
        return inner[0], inner[1]
    found = enclosed(lambda: power(Enclosure(x), Enclosure(y)))
    return max(found[0], 0), found[1]


def enclosed(compute: Callable[[], Enclosure]) -> Interval:
    """Return the interval of an enclosure, its ends rounded outward to 64 bits."""
    found = at_precision(_PRECISION, compute)
    return (_end(found.lower, True), _end(found.upper, False), False, False)


def _end(end: End, down: bool) -> Any:
    if not end.finite:
        return NEG if down else INF
    if end.rational:
        return _shortened(Fraction(int(end.value.p), int(end.value.q)), down)
    mantissa, exponent = map(int, end.value.man_exp())
    if exponent >= 0:
        if exponent <= _BITS:
            return mantissa << exponent
        if mantissa > 0:
            return 1 << _BITS if down else INF
        return NEG if down else -(1 << _BITS)
    if exponent >= -_BITS:
        return Fraction(mantissa, 1 << -exponent)
    if mantissa > 0:
        return 0 if down else _TINY
    return -_TINY if down else 0


def rising(name: str, a: Interval, low: Any, high: Any) -> Interval:
    """Return the interval of a rising function of enclosures, given its limits at the infinities."""
    least = low if a[0] is NEG else enclosed(lambda: Enclosure(a[0]).apply(name))[0]
    most = high if a[1] is INF else enclosed(lambda: Enclosure(a[1]).apply(name))[1]
    return (least, most, least is NEG, most is INF)


def logarithm(a: Interval) -> Interval:
    """Return the interval of ``log x`` for the positive numbers of ``a``; the whole line where there are none."""
    if a[1] <= 0:
        return WHOLE
    low = NEG if a[0] <= 0 else 0 if a[0] == 1 else enclosed(lambda: Enclosure(a[0]).log())[0]
    high = INF if a[1] is INF else 0 if a[1] == 1 else enclosed(lambda: Enclosure(a[1]).log())[1]
    return (low, high, low is NEG or (a[0] == 1 and a[2]), high is INF or (a[1] == 1 and a[3]))


def exponential(a: Interval) -> Interval:
    """Return the interval of ``exp x``."""
    low = 0 if a[0] is NEG else max(0, enclosed(lambda: Enclosure(a[0]).exp())[0])
    high = INF if a[1] is INF else enclosed(lambda: Enclosure(a[1]).exp())[1]
    return (low, high, low == 0, high is INF)


def whole_root(a: Interval, n: int) -> Interval:
    """Return the interval of the real roots of degree ``n >= 1``: of either sign for an odd one, else not negative."""
    if n % 2 == 0:
        a = meet(a, (0, INF, False, True))
    if n == 1 or empty(a):
        return a
    (low, exact_low), (high, exact_high) = _root(a[0], n, True), _root(a[1], n, False)
    return (low, high, low is NEG or (exact_low and a[2]), high is INF or (exact_high and a[3]))


def _root(x: Any, n: int, down: bool) -> tuple[Any, bool]:
    """An end's root and whether it is exact: strictness stays with an exact end only."""
    if x is INF or x is NEG:
        return x, False
    if x < 0:
        end, exact = _root(-x, n, not down)
        return -end, exact
    found = enclosed(lambda: power(Enclosure(x), Enclosure(Fraction(1, n))))
    return (max(found[0], 0) if down else found[1]), found[0] == found[1]


def _short(a: Interval) -> Interval:
    low, high = a[0], a[1]
    if low is not NEG and _size(low) > _BITS:
        a = (_shortened(low, True), high, a[2], a[3])
    if high is not INF and _size(high) > _BITS:
        a = (a[0], _shortened(high, False), a[2], a[3])
    return a


def _size(x: Any) -> int:
    """The bits of an end."""
    return int(x.bit_length() if type(x) is int else x.numerator.bit_length() + x.denominator.bit_length())


def _shortened(x: Any, down: bool) -> Any:
    """The end itself, or one further out with few bits."""
    top, below = x.numerator, x.denominator
    if _size(x) <= _BITS:
        return x
    size = top.bit_length() - below.bit_length()
    if size > _BITS:
        return (1 << _BITS if top > 0 else NEG) if down else (INF if top > 0 else -(1 << _BITS))
    if size < -_BITS:
        return (0 if top > 0 else -_TINY) if down else (_TINY if top > 0 else 0)
    shift = _PRECISION - size
    up, under = (top << max(shift, 0)), (below << max(-shift, 0))
    rounded = up // under if down else -(-up // under)
    return Fraction(rounded, 1 << shift) if shift >= 0 else rounded << -shift
