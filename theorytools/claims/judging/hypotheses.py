"""Hypotheses at a point: three-valued, judged with the same enclosures as the bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from theorytools.claims.language.bound import resolve
from theorytools.numbers import at_precision
from theorytools.numbers.logic import decide


@dataclass(frozen=True)
class Failed:
    """A hypothesis that is not certainly true, in words."""

    text: str
    open: bool


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
