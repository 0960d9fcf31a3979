"""A planted statement: its letters, hypotheses and grid, where it is said to hold, and where it fails.

What a search may know of it is what it knows of a claim: letters with the values of a grid, hypotheses in the language
of sympy, and a judge.  The box is told to the rivals only, and the witness to nobody: it is the proof that there is
something to find.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy

from theorytools.search.protocols import Place, Result, Variable

MOST = 10_000  # whole numbers of the rivals' box
WAYS = ("flat", "steady", "noise", "slope")


@dataclass(frozen=True)
class Planted:
    """A false statement.

    Parameters
    ----------
    name, family : of it.
    variables : its letters.
    conditions : hypotheses, sympy relations between symbols of the letters' names; without divisions, so that
        Python's integers and fractions decide them exactly.
    gap : of a point and a sample, 0 where the statement fails, else how far it is from failing, in any unit.
    way : how the gap shows in the margin, one of ``WAYS``.
    grid : points where it holds.
    box : for the rivals, the least and greatest value of each letter that is a number.
    witness, sample : a point inside the hypotheses where it fails.
    drawn : whether a judgement asks for a generator.
    """

    name: str
    family: str
    variables: tuple[Variable, ...]
    conditions: tuple[sympy.Basic, ...]
    gap: Callable[[Place, int], float]
    way: str
    grid: tuple[dict[str, Any], ...]
    box: Mapping[str, tuple[Any, Any]]
    witness: dict[str, Any]
    sample: int = 0
    drawn: bool = False

    @cached_property
    def _tests(self) -> list[tuple[tuple[str, ...], Callable[..., bool]]]:
        found = []
        for condition in self.conditions:
            letters = sorted(condition.free_symbols, key=str)
            found.append((tuple(map(str, letters)), sympy.lambdify(letters, condition, modules="math")))
        return found

    def holds(self, point: Place) -> bool:
        """Whether the hypotheses hold at a point, exactly."""
        own = all(_within(variable, point[variable.name]) for variable in self.variables)
        return own and all(test(*(point[name] for name in names)) for names, test in self._tests)

    def judge(self, point: Place, sample: int = 0) -> Result:
        """Judge the statement at a point: outside, true or false, and its margin."""
        if not self.holds(point):
            return Result("outside")
        gap = self.gap(point, sample if self.drawn else 0)
        bound, measured = sides(gap, self.way, f"{self.name} {shown(point)}")
        margin = (bound - measured) / (abs(bound) + abs(measured))
        return Result("true" if gap > 0 else "false", margin, work=1, drawn=self.drawn)


def _within(variable: Variable, value: Any) -> bool:
    low, high = variable.low, variable.high
    return (low is None or value >= low) and (high is None or value <= high)


def sides(gap: float, way: str, key: str) -> tuple[float, float]:
    """The bound and what is measured against it, where a statement is so far from failing.

    ``flat`` is a truth value, ``steady`` a bound with a twentieth to spare everywhere else, ``noise`` a slack that
    says nothing of the distance, ``slope`` one that falls to 0 with it.
    """
    if way == "flat":
        return 1.0, 0.0 if gap > 0 else 2.0
    if gap <= 0:
        return 1.0, 1.1
    if way == "steady":
        return 1.0, 0.95
    return 1.0, 1 / (1 + min(gap, 1e9)) if way == "slope" else uniform(key, 0.2, 0.99)


def uniform(key: str, low: float = 0, high: float = 1) -> float:
    """A number that is a function of a text, uniform over texts."""
    return random.Random(key).uniform(low, high)


def shown(point: Place) -> str:
    """A point as text, letters in alphabetical order."""
    return ", ".join(f"{name}={point[name]}" for name in sorted(point))


def fails(truth: bool, gap: float = 1.0) -> float:
    """The gap of a statement that fails exactly where ``truth`` says so."""
    return 0.0 if truth else max(gap, 1e-6)


def beyond(value: float, start: float) -> float:
    """How many factors e a value has to grow to reach a start, 0 where it has."""
    if value >= start:
        return 0.0
    return math.log(start / value) if value > 0 else math.log(start) + 1


def whole(name: str, *values: int, low: int | None = 1) -> Variable:
    """A letter of whole numbers, from 1 on unless said otherwise."""
    return Variable(name, "int", tuple(sorted(set(values))), None if low is None else Fraction(low))


def real(name: str, *values: Any) -> Variable:
    """A letter of rationals, whose ends are conditions."""
    return Variable(name, "rat", tuple(sorted({Fraction(value) for value in values})))


def words(name: str, *values: str) -> Variable:
    """A letter of words."""
    return Variable(name, "word", values)


def symbols(*variables: Variable) -> list[sympy.Symbol]:
    """The sympy symbols of letters of numbers."""
    return [_symbol(v) for v in variables]


def _symbol(variable: Variable) -> sympy.Symbol:
    if variable.kind == "int":
        positive = variable.low is not None and variable.low >= 1
        return sympy.Symbol(variable.name, integer=True, **({"positive": True} if positive else {}))
    return sympy.Symbol(variable.name, real=True)


def rows(*variables: Variable, most: int = 6) -> list[dict[str, Any]]:
    """At most so many points of the grid of letters, all values of each: the same place in each list, then shifted."""
    longest = max(len(v.values) for v in variables)
    found: list[dict[str, Any]] = []
    for shift in range(longest):
        for i in range(longest):
            point = {v.name: v.values[(i + shift * k) % len(v.values)] for k, v in enumerate(variables)}
            if point not in found:
                found.append(point)
    return found[: max(most, longest)]
