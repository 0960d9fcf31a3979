"""A violation made simpler: each letter towards its simplest value, an object by its parts, as long as it fails."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from theorytools.search.proposal_orders import in_order
from theorytools.search.protocols import Ends, Place, SpaceFace, Variable
from theorytools.search.simplest import fraction

_TRIED = 8  # simplest values of a letter that are tried before it is halved
_PARTS = 64  # simpler objects that are tried in one round


def shrink(
    space: SpaceFace, point: dict[str, Any], fails: Callable[[Place], bool], *, most: int, late: float | None = None
) -> dict[str, Any]:
    """Return a point that fails and is a local minimum, by one order of the letters and by the reverse one.

    Parameters
    ----------
    space : the points inside the hypotheses; the other letters move to the nearest value that they allow.
    point : one that fails.
    fails : judges another one.
    most : points that are judged at most.
    late : the clock (``time.perf_counter``) after which no further one is judged.
    """
    return _Shrinking(space, fails, most, late).best(point)


class _Shrinking:
    def __init__(self, space: SpaceFace, fails: Callable[[Place], bool], most: int, late: float | None) -> None:
        self.space, self.fails, self.left, self.late = space, fails, most, late
        self.known: dict[Any, bool] = {}
        self.names = [v.name for v in space.variables]

    def best(self, point: dict[str, Any]) -> dict[str, Any]:
        """The simpler of what two orders of the letters end at."""
        forward = self._ended(point, list(self.space.variables))
        backward = self._ended(point, list(reversed(self.space.variables)))
        return min((forward, backward), key=self._size)

    def _ended(self, point: dict[str, Any], variables: list[Variable]) -> dict[str, Any]:
        while True:
            before = point
            for variable in variables:
                point = self._letter(point, variable)
            if point == before:
                return point

    def _size(self, point: Place) -> tuple[int, int, int, int]:
        """How long a point is to write, objects by their size; then how large its numbers are, how many are negative,
        and how late its words come.
        """
        length = large = negative = late = 0
        for variable in self.space.variables:
            value = point[variable.name]
            if variable.kind in ("int", "rat"):
                number = Fraction(value)
                length += abs(number.numerator).bit_length() + number.denominator.bit_length()
                large += abs(number.numerator) + number.denominator
                negative += number < 0
            elif variable.thing is not None:
                length += 8 * variable.thing.size(value)
            else:
                late += variable.values.index(value) if value in variable.values else 0
        return length, large, negative, late

    def _letter(self, point: dict[str, Any], variable: Variable) -> dict[str, Any]:
        """One letter as simple as it gets, by the candidates in their order."""
        while True:
            for value in self._simpler(point, variable):
                tried = self._try(point, variable, value)
                if tried is not None:
                    point = tried
                    break
            else:
                return self._halved(point, variable) if variable.kind == "int" else point

    def _try(self, point: Place, variable: Variable, value: Any) -> dict[str, Any] | None:
        """The point with one letter replaced and the others next to where they were, if it fails."""
        if self.left <= 0 or (self.late is not None and time.perf_counter() > self.late):
            return None
        fixed = {variable.name: value}
        if variable.kind == "object" and variable.size and variable.thing is not None:
            fixed[variable.size] = variable.thing.size(value)
        moved = self.space.solve(in_order({**point, **fixed}), random.Random(0), fixed=fixed)
        if moved is None or not self._simplifies(moved, point):
            return None
        key = tuple(moved[name] for name in self.names)
        if key not in self.known:
            self.left -= 1
            self.known[key] = self.fails(moved)
        return moved if self.known[key] else None

    def _simplifies(self, new: Place, old: Place) -> bool:
        """Whether a point is smaller as a whole, or as large with another object: so none is made simpler for ever."""
        objects = [v.name for v in self.space.variables if v.thing is not None]
        if any(new[name] != old[name] for name in objects):
            return self._size(new) <= self._size(old)
        return self._size(new) < self._size(old)

    def _simpler(self, point: Place, variable: Variable) -> Iterator[Any]:
        value = point[variable.name]
        if variable.kind == "word":
            yield from variable.values[: variable.values.index(value)]
        elif variable.kind == "object":
            yield from self._parts(variable, value)
        elif variable.kind == "int":
            for x in sorted(range(-_TRIED, _TRIED + 1), key=lambda x: (abs(x), x < 0)):
                if (abs(x), x < 0) < (abs(value), value < 0):
                    yield x
        else:
            for number in dict.fromkeys(_fractions(value)):
                if _length(number) < _length(value):
                    yield number

    @staticmethod
    def _parts(variable: Variable, value: Any) -> Iterator[Any]:
        assert variable.thing is not None
        tried = 0
        for simpler in (variable.thing.smaller(value) if variable.size else iter(()), variable.thing.simpler(value)):
            for part in simpler:
                tried += 1
                if tried > _PARTS:
                    return
                yield part

    def _halved(self, point: dict[str, Any], variable: Variable) -> dict[str, Any]:
        """A large whole number: the least that halving the distance to the small ones reaches."""
        good = point[variable.name]
        bad = _TRIED if good > 0 else -_TRIED
        while abs(good - bad) > 1 and abs(good) > abs(bad):
            middle = (good + bad) // 2
            tried = self._try(point, variable, middle)
            if tried is None:
                bad = middle
            else:
                point, good = tried, middle
        return point


def _fractions(value: Fraction) -> Iterator[Fraction]:
    """0, 1, -1, 2, 1/2 ..., then the simplest in ever smaller neighbourhoods of a fraction."""
    number = Fraction(value)
    yield from (x for k in range(_TRIED) if (x := fraction(Ends(), k)) is not None)
    yield from (Fraction(k, number.denominator) for k in (1, -1, 2, 3))
    for k in range(1, 24):
        width = max(abs(number), Fraction(1)) / 2**k
        near = Ends(number - width, number + width, True, True)
        yield from (x for rank in range(2) if (x := fraction(near, rank)) is not None)


def _length(x: Any) -> tuple[int, int, bool]:
    number = Fraction(x)
    return number.denominator, abs(number.numerator), number < 0
