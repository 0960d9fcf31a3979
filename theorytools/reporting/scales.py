"""Numbers as positions on an axis, and the ticks of the axis.

Positions are logarithms taken in decimal arithmetic, so a value of 1e-4567 has its place like any other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal
from math import ceil, floor

from theorytools.reporting.numbers import power_of_ten, pretty, significant

_HUGE = Decimal("1e300")
_CONTEXT = Context(prec=20, traps=[])


@dataclass(frozen=True)
class Scale:
    """A map from numbers to positions, with the ticks to print."""

    logarithmic: bool
    low: float
    high: float

    def place(self, number: Decimal) -> float | None:
        """Return the position, or None where there is none (infinities, zero on a logarithmic scale)."""
        if not number.is_finite() or (number <= 0 if self.logarithmic else abs(number) > _HUGE):
            return None
        return _position(number, self.logarithmic)

    def clipped(self, number: Decimal) -> float:
        """Return the position, the edge of the plot for a number that has none."""
        place = self.place(number)
        return place if place is not None else self.high if number > 0 else self.low

    def visible(self, low: float, high: float) -> bool:
        """Whether two positions are told apart on the page."""
        return high - low > 0.004 * (self.high - self.low)


def _position(number: Decimal, logarithmic: bool) -> float:
    return float(_CONTEXT.log10(number)) if logarithmic else float(number)


def scale(
    numbers: list[Decimal], *, ratio: int, pad: float, beyond: list[Decimal] | None = None, logarithms: bool = True
) -> Scale:
    """Return a scale over the finite numbers, logarithmic, if it may be, when positive ones spread over ``ratio``.

    Those ``beyond`` are shown, too, as far as they leave the others a third of the scale.
    """
    finite = [n for n in numbers if n.is_finite()]
    more = [n for n in beyond or () if n.is_finite()]
    positive = [n for n in (*finite, *more) if n > 0]
    logarithmic = (
        logarithms and bool(positive) and min(*finite, *more, *positive) >= 0 and max(positive) > ratio * min(positive)
    )
    near, far = (
        [_position(n, logarithmic) for n in own if (n > 0 if logarithmic else abs(n) <= _HUGE)]
        for own in (finite, more)
    )
    low, high = min(near or far or [0.0]), max(near or far or [0.0])
    room = max(2 * (high - low), 1.5 * logarithmic) if high > low else math.inf
    low, high = min([low, *(max(n, low - room) for n in far)]), max([high, *(min(n, high + room) for n in far)])
    margin = pad * (high - low) or (0.5 if logarithmic else 0.1 * abs(low) or 1.0)
    return Scale(logarithmic, low - margin, high + margin)


def ticks(across: Scale, most: int = 7) -> list[tuple[float, str]]:
    """Return the ticks of a scale, at most so many, evenly left out where there are more."""
    found = (log_ticks if across.logarithmic else linear_ticks)(across.low, across.high)
    step = -(-len(found) // most) or 1
    return found[(len(found) - 1) % step :: step]


def log_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return at most seven ticks between two decimal logarithms: powers of ten, or 1-2-5 steps within few."""
    first, last = int(low // 1), int(high // 1)
    decades = last - first + (low == first)  # how many powers of ten lie between
    if decades >= 3:
        step = next(m * 10**k for k in range(20) for m in (1, 2, 5) if m * 10**k * 6 >= decades)
        return [(float(k), power_of_ten(k)) for k in range(-(-first // step) * step, last + 1, step) if k >= low]
    for digits in ((1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7), tuple(n / 10 for n in range(10, 100, 2))):
        marks = [Decimal(str(d)).scaleb(k) for k in range(first, last + 1) for d in digits]
        shown = [(_position(m, True), pretty(significant(m, strip=True))) for m in marks]
        shown = [tick for tick in shown if low <= tick[0] <= high]
        if len(shown) >= 3:
            break
    return shown[:: -(-len(shown) // 7) or 1]


def linear_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return at most six round ticks: multiples of 1, 2 or 5 times a power of ten."""
    least = (Decimal(high) - Decimal(low)) / 5
    step = next(s for m in (1, 2, 5, 10) if (s := Decimal(m).scaleb(least.adjusted())) >= least)
    first, last = ceil(Decimal(low) / step), floor(Decimal(high) / step)
    return [(float(n * step), pretty(_round(n * step))) for n in range(first, last + 1)]


def _round(number: Decimal) -> str:
    return significant(number, 12, strip=True)
