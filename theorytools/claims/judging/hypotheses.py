"""Hypotheses at a point: three-valued, judged with the same enclosures as the bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from theorytools.claims.language.bound import resolve
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.grid import Point, axis_text
from theorytools.claims.language.object_letters import failing_predicate
from theorytools.errors import UndecidedError
from theorytools.numbers import Enclosure, at_precision
from theorytools.numbers.logic import decide


@dataclass(frozen=True)
class Failed:
    """A hypothesis that is not certainly true, in words."""

    text: str
    open: bool


def outside(claim: Claim, point: Point) -> Failed | None:
    """Return the first hypothesis on axes alone that does not certainly hold here, before anything is constructed."""
    failed = failing(conditions(claim, False), letters(claim, point), claim.all_letters(), bits=claim.budget.bits)
    if failed is not None and not failed.open:
        return failed
    return _off_table(claim, point) or _off_list(claim, point) or _off_kind(claim, point) or failed


def without_value(claim: Claim, point: Point, values: Mapping[str, Any]) -> Failed | None:
    """Return a letter defined by a formula that has no value at this point."""
    for name, formula in claim.definitions.items():
        if values[name] is _undefined:
            return Failed(f"the letter {name} = {formula} is undefined at {point}", open=True)
    return None


def conditions(claim: Claim, late: bool) -> list[Any]:
    """Return the hypotheses, domains included, that speak of derived letters (``late``) or of none."""
    derived = {symbol.name for symbol in claim.derived}
    every = _domains(claim) + list(claim.requires)
    return [c for c in every if late == bool(derived & {s.name for s in c.free_symbols})]


def letters(claim: Claim, point: Point) -> dict[str, Any]:
    """Return the value of every axis and let at this point, for bounds and hypotheses."""
    values: dict[str, Any] = {name: value for name, value in point.axes.items() if not isinstance(value, str)}
    for name in claim.definitions:
        try:
            values[name] = getattr(point, name)
        except UndecidedError:
            values[name] = _undefined
    return values


def failing(
    conditions: Iterable[Any],
    values: Mapping[str, Any],
    letters: Mapping[str, sympy.Symbol],
    *,
    bits: int,
) -> Failed | None:
    """Return a hypothesis that is false at these values, else the first undecided one, or None when all hold."""
    undecided = None
    for name, symbol in letters.items():
        integral = _integral(values[name], bits) if symbol.is_integer and name in values else True
        if integral is not True:
            word = "fails" if integral is False else "stays undecided"
            text = f"the hypothesis '{name} is an integer' {word}: {name} = {_short(values[name])}"
            if integral is False:
                return Failed(text, open=False)
            undecided = undecided or Failed(text, open=True)
    for condition in conditions:
        if condition is sympy.true:
            continue
        names = {symbol.name for symbol in condition.free_symbols}
        known = {name: (lambda v=values[name]: resolve(v)) for name in sorted(names) if name in values}
        truth = decide(condition, known, bits=bits)
        if truth is not True:
            at = ", ".join(f"{name} = {_short(values[name])}" for name in sorted(names & set(values)))
            word = "fails" if truth is False else "stays undecided"
            text = f"the hypothesis '{condition}' {word} at {at}"
            if truth is False:
                return Failed(text, open=False)
            undecided = undecided or Failed(text, open=True)
    return undecided


def _integral(value: Any, bits: int) -> bool | None:
    """Whether a value is an integer; a ball that contains one stays open."""
    if isinstance(value, int | Fraction):
        return value.denominator == 1
    box = at_precision(bits, lambda: resolve(value))
    if box.exact:
        return box.fraction().denominator == 1
    below = box.floor()
    return False if below.exact and below.lower < box.lower else None


def _short(value: Any) -> str:
    if not callable(value) or isinstance(value, sympy.Basic):
        text = str(value)
        if len(text) <= 24:
            return text
    box = resolve(value)
    return f"{float(box):.6g}" if box.lower.finite or box.upper.finite else "undefined"


def _undefined() -> Enclosure:
    """The value of a letter that has none: the whole line, against which nothing is decided."""
    return Enclosure(0).log()


def _off_kind(claim: Claim, point: Point) -> Failed | None:
    """An object of another size than its letter says, or for which a predicate is false."""
    misfits = [words for stand in claim.things.values() if (words := stand.misfit(point.axes))]
    if misfits:
        return Failed(misfits[0], open=False)
    text = failing_predicate(claim.such_that, point)
    return Failed(f"the hypothesis '{text}' fails at {point}", open=False) if text else None


def _off_table(claim: Claim, point: Point) -> Failed | None:
    """A value that was read for one point of the grid says nothing of another."""
    read = [name for name in claim.grid.axes if name in {getattr(s, "name", s) for s in claim.tabulated}]
    same = [row for row in claim.grid if read and all(row[name] == point.axes[name] for name in read)]
    if not same or dict(point.axes) in same:
        return None
    text = claim.point(same[0], point.id).text()
    values = ", ".join(f"{name} = {text.pop(name)}" for name in read)
    where = ", ".join(f"{name} = {value}" for name, value in text.items())
    return Failed(
        f"{values} was read at {where}: it says nothing of another point; give the value to be tested there too "
        f"({' '.join(f'--at {name}=…' for name in read)})",
        open=False,
    )


def _off_list(claim: Claim, point: Point) -> Failed | None:
    """A combination of values that the statement does not name, and what it names next to it."""
    names = [name for name in claim.grid.axes if name in {getattr(s, "name", s) for s in claim.listed}]
    rows = [{name: row[name] for name in names} for row in claim.grid]
    here = {name: point.axes[name] for name in names}
    if not names or here in rows:
        return None
    for name in names:
        others = [x for x in names if x != name]
        near = dict.fromkeys(axis_text(row[name]) for row in rows if all(row[x] == here[x] for x in others))
        if near:
            kept = f" at {_written(here, others)}" if others else ""
            return Failed(
                f"{name} = {axis_text(here[name])} leaves the points of the statement, which has {name} = "
                f"{', '.join(near)}{kept}",
                open=False,
            )
    return Failed(
        f"{_written(here, names)} is none of the points of the statement, which has {_written(rows[0], names)} and "
        f"others: theorytools show lists them",
        open=False,
    )


def _written(row: Mapping[str, Any], names: Sequence[str]) -> str:
    return ", ".join(f"{name} = {axis_text(row[name])}" for name in names)


def _domains(claim: Claim) -> list[Any]:
    time = "" if claim.run is None else claim.run.time  # within one point it has every value of its range
    return [c for name, s in claim.all_letters().items() if name != time for c in getattr(s, "domain", [])]
