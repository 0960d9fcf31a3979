r"""Objects that the engine draws for a claim: how often, from which seeds, and what so many draws say.

:math:`n` draws without a failure exclude, at confidence 95 %, that less than a share :math:`\sigma` of all draws holds,
where :math:`\sigma^n=\frac1{20}`: were the share smaller, so many successes would have probability below 5 %
(Clopper and Pearson).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theorytools.claims.language.grid import Point
from theorytools.errors import CheckError

Draw = Callable[[Any, Point], Any]
MISSED = Fraction(1, 20)  # probability with which the share that is told may be missed
_PARTS = 1000  # the share is told in thousandths, rounded down


@dataclass(frozen=True)
class FirstDraw:
    """The construction of a claim that draws: its first object, for whoever wants one."""

    draw: Draw

    def __call__(self, point: Point) -> Any:
        """Return the first object that is drawn at a point."""
        return self.draw(point.rng("draw 0"), point)


def objects(label: str, draw: Draw, point: Point, draws: int) -> Iterator[Any]:
    """Yield the objects of a point, each from a generator of its own; none may be left out.

    Raises
    ------
    CheckError : a draw that returned nothing, or another type or shape than the first.
    """
    first: Any = None
    for number in range(draws):
        thing = draw(point.rng(f"draw {number}"), point)
        if thing is None:
            raise _refused(label, point, number, "returned nothing", "an object from every draw")
        if number == 0:
            first = form(thing)
        elif form(thing) != first:
            raise _refused(label, point, number, f"is {form(thing)}", f"the type and shape of the first, {first}")
        yield thing


def _refused(label: str, point: Point, number: int, given: str, required: str) -> CheckError:
    return CheckError(
        f"claim {label!r} at {point}: draw {number} {given}", required=required,
        why="what is left out is drawn as well: the share of draws would be that of the ones kept",
        advice="let draw(rng, p) return one object, whatever came out, and measure its failure",
    )  # fmt: skip


def form(thing: Any) -> str:
    """Return the type of an object with its shape, where it has one, in words.

    Examples
    --------
    >>> form([1, 2]), form((1, [2])), form(7)
    ('list of 2', 'tuple (int, list of 1)', 'int')
    """
    name = type(thing).__name__
    if isinstance(thing, tuple):
        return f"{name} ({', '.join(map(form, thing))})"
    if isinstance(thing, list | str | dict | set | frozenset):
        return f"{name} of {len(thing)}"
    shape = getattr(thing, "shape", None)
    return f"{name} of shape {tuple(shape)}" if isinstance(shape, tuple) else name


def certified(draws: int) -> Fraction:
    """Return the share of draws that holds at least, at confidence 95 %, where all of so many did; in thousandths.

    Examples
    --------
    >>> certified(1), certified(30), certified(300)
    (Fraction(1, 20), Fraction(113, 125), Fraction(99, 100))
    """
    low, high = 0, _PARTS  # low**n <= 1/20 of PARTS**n holds, high**n does not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if Fraction(middle, _PARTS) ** draws <= MISSED else (low, middle)
    return Fraction(low, _PARTS)


def percent(share: Fraction) -> str:
    """Return a share in per cent, rounded down; to a tenth where it is above 99 %."""
    tenths = int(1000 * share)
    return f"{tenths // 10}.{tenths % 10} %" if tenths > 990 and tenths % 10 else f"{tenths // 10} %"
