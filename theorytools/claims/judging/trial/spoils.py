"""Spoils by the engine: a measurement that no spoiled object moves does not look at its object.

Six changes are tried, one after another, until the measured number moves or the measurement refuses: the object of
another size, every number zero, every number one more, one sign changed, the order reversed, the object of another
seed.  A spoil may leave the hypotheses, so a row that it makes false means nothing; one movement is all that is asked.
An object that holds no number cannot be spoiled, and nothing is said of it.
"""

from __future__ import annotations

import copy
import numbers
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any

from theorytools.claims.judging.remark import Remark
from theorytools.claims.judging.trial.variants import Numbers, Trial
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.grid import Point
from theorytools.meaning import TRAINED
from theorytools.numbers import Enclosure

_DEEP = 6  # objects within objects that are walked into
_MANY = 10_000  # entries of a list that are walked into

Change = Callable[[Any], Any]


class _Walk:
    """Makes a changed copy of an object; ``found`` counts the numbers that were changed."""

    def __init__(self, number: Change, order: Change | None = None, *, first: bool = False) -> None:
        self.number, self.order, self.first, self.found = number, order, first, 0

    def of(self, thing: Any, depth: int = 0) -> Any:
        if depth > _DEEP or (self.first and self.found) or isinstance(thing, Point):
            return thing
        if isinstance(thing, numbers.Number | Enclosure) and not isinstance(thing, bool):
            return self._changed(thing)
        if _is_array(thing):
            return self._array(thing)
        if isinstance(thing, list | tuple):
            return self._sequence(thing, depth)
        if isinstance(thing, Mapping):
            return {key: self.of(value, depth + 1) for key, value in thing.items()}
        if callable(thing) and not isinstance(thing, type) and not hasattr(thing, "__dict__"):
            return thing
        if type(thing).__name__ in ("function", "method"):
            return self._function(thing, depth)
        return self._parts(thing, depth)

    def _changed(self, thing: Any) -> Any:
        self.found += 1
        return self.number(thing)

    def _array(self, thing: Any) -> Any:
        if not thing.size or thing.dtype.kind not in "biufcO":
            return thing
        self.found += 1
        if self.order is not None:
            return thing[::-1].copy() if thing.ndim else thing
        made = thing.astype("int64") if thing.dtype.kind == "b" else thing.copy()
        if self.first:
            made.flat[0] = self.number(made.flat[0])
            return made
        return self.number(made)

    def _sequence(self, thing: Any, depth: int) -> Any:
        if len(thing) > _MANY:
            return thing
        parts = [self.of(part, depth + 1) for part in thing]
        if self.order is not None and len(parts) > 1:
            self.found += 1
            parts = self.order(parts)
        return type(thing)(*parts) if hasattr(thing, "_fields") else type(thing)(parts)

    def _function(self, thing: Any, depth: int) -> Any:
        self.found += 1

        def spoiled(*given: Any, **named: Any) -> Any:
            return _Walk(self.number, self.order, first=self.first).of(thing(*given, **named), depth + 1)

        return spoiled

    def _parts(self, thing: Any, depth: int) -> Any:
        names = [f.name for f in fields(thing)] if is_dataclass(thing) else list(getattr(thing, "__dict__", ()))
        if isinstance(thing, type) or not names:
            return thing
        made = copy.copy(thing)
        for name in _kept(type(thing), made):  # or it would answer what the honest object had computed
            del vars(made)[name]
        for name in names:
            part = getattr(thing, name, None)
            before = self.found
            new = self.of(part, depth + 1)
            if self.found > before:
                object.__setattr__(made, name, new)
        return made


def _kept(kind: type, thing: Any) -> list[str]:
    """What an object keeps of its own answers."""
    return [name for name in getattr(thing, "__dict__", ()) if isinstance(getattr(kind, name, None), cached_property)]


def _is_array(thing: Any) -> bool:
    return type(thing).__module__ == "numpy" and hasattr(thing, "dtype") and hasattr(thing, "ndim")


def _zero(number: Any) -> Any:
    return number * 0


def _more(number: Any) -> Any:
    return number + 1


def _sign(number: Any) -> Any:
    return -number if number != 0 else number + 1


def _reversed(parts: list[Any]) -> list[Any]:
    return parts[::-1]


WALKS: dict[str, Callable[[], _Walk]] = {
    "every number one more": lambda: _Walk(_more),
    "every number zero": lambda: _Walk(_zero),
    "one sign changed": lambda: _Walk(_sign, first=True),
    "the order reversed": lambda: _Walk(lambda x: x, _reversed),
}


def spoiled_claims(trial: Trial) -> Iterable[tuple[str, Claim, Callable[[], int]]]:
    """Yield each spoil by name, the claim with it, and how many numbers it changed when it was last made."""
    grid = trial.claim.grid

    def other_size(_: Any, p: Point) -> Any:
        axes = next((dict(q) for q in (*grid[::-1], *grid) if dict(q) != dict(p.axes)), None)
        return trial.claim.construct(p if axes is None else trial.claim.point(axes, trial.check))

    if len(grid) > 1:
        yield "another size", trial.with_thing(other_size), lambda: 0
    for name, make in WALKS.items():
        seen: list[int] = [0]

        def change(thing: Any, _: Point, make: Callable[[], _Walk] = make, seen: list[int] = seen) -> Any:
            walk = make()
            made = walk.of(thing)
            seen[0] = walk.found
            return made

        yield name, trial.with_thing(change), lambda seen=seen: seen[0]  # type: ignore[misc]

    def other_seed(_: Any, p: Point) -> Any:
        return trial.claim.construct(trial.claim.point(dict(p.axes), trial.check + " another seed"))

    yield "another seed", trial.with_thing(other_seed), lambda: 0


def spoils(trial: Trial) -> Iterable[Remark]:
    """Say that a measurement does not look at its object where no spoil moves it at any of the points."""
    if trial.claim.role in TRAINED:  # networks that were trained: their anchors are their trial
        return
    tried: list[str] = []
    changed = 0
    for name, claim, count in spoiled_claims(trial):
        for point in trial.points:
            honest: Numbers = trial.honest(point)
            if not honest.judged or not honest.same(trial.numbers(claim, point)):
                return
            changed += count()
        tried.append(name)
    if changed and trial.points:
        values = dict.fromkeys(str(value) for p in trial.points for value in trial.honest(p).measured.values())
        yield Remark(
            "spoils",
            f"{', '.join(tried)}: the measurement is always {', '.join(values)}; it does not look at its object",
            trial.line(node) if (node := trial.node(trial.claim.measure)) is not None else "",
            "measure something of the object that was constructed, or say which object the statement is about",
        )  # fmt: skip
