"""Where a search looks: the values of one axis in the order in which they are tried, and the edges of hypotheses.

A user's points: the grid with some axes replaced, the others moved along where a hypothesis ties them.
"""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count, islice, takewhile
from math import ceil, floor
from typing import Any, overload

import sympy

from theorytools.claims.judging.hypotheses import failing
from theorytools.claims.language.bound import expression
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.grid import Grid, Value, axis_value
from theorytools.claims.language.things import fitted
from theorytools.errors import DomainError, did_you_mean

_LISTED = 4096  # small values of one axis that are listed
_SHARES = 128  # fractions of one denominator that are listed
_FURTHEST = 10**12


class Listed(Sequence[Value]):
    """The values of an iterator as a sequence: each is made when it is first asked for, so that a search which looks
    at a dozen points lists no thousands.  Only its length makes all of them.
    """

    def __init__(self, values: Iterable[Value]) -> None:
        self._rest, self._made = iter(values), list[Value]()

    def has(self, index: int) -> bool:
        """Whether there is a value at this index, which is at least 0."""
        self._made += islice(self._rest, max(index + 1 - len(self._made), 0))
        return index < len(self._made)

    def __iter__(self) -> Iterator[Value]:
        yield from (self._made[k] for k in takewhile(self.has, count()))

    def __len__(self) -> int:
        self._made += self._rest
        return len(self._made)

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> list[Value]: ...
    def __getitem__(self, index: int | slice) -> Value | list[Value]:
        last = index.stop if isinstance(index, slice) else index + 1
        if last is None or last <= 0:
            len(self)
        else:
            self.has(last - 1)
        return self._made[index]


@dataclass(frozen=True)
class Axis:
    """One axis of a claim: words, integers or rationals between the ends that one-letter hypotheses leave.

    Parameters
    ----------
    name : the axis.
    words : its words, or nothing for numbers.
    integral : whether its numbers are integers.
    low, high : ends among the hypotheses, where there are any; a strict one is tried too, and found outside.
    values : the numbers of the grid, ascending.
    """

    name: str
    words: tuple[str, ...]
    integral: bool
    low: Fraction | None
    high: Fraction | None
    values: tuple[Fraction, ...]

    @classmethod
    def of(cls, claim: Claim, name: str) -> Axis:
        """Return the axis of a claim."""
        values = [point[name] for point in claim.grid]
        words = tuple(sorted({value for value in values if isinstance(value, str)}))
        if words:
            return cls(name, words, False, None, None, ())
        numbers = tuple(sorted({Fraction(value) for value in values}))
        symbol = claim.all_letters().get(name)
        low, high = ends(claim, symbol) if name not in claim.witnesses else (numbers[0], numbers[-1])
        integral = symbol.is_integer if symbol is not None else all(x.denominator == 1 for x in numbers)
        return cls(name, (), bool(integral), low, high, numbers)

    @property
    def least(self) -> Fraction:
        """The smallest number that is tried."""
        if self.low is not None:
            return Fraction(ceil(self.low)) if self.integral else self.low
        natural = Fraction(1 if self.integral else 0)
        return natural if self.values[0] >= natural else self.values[0]

    def inside(self, number: Fraction) -> bool:
        """Whether a number lies between the ends."""
        return number >= self.least and (self.high is None or number <= self.high)

    def nearest(self, value: Value) -> Value:
        """The value itself, or the end that it lies beyond."""
        if isinstance(value, str) or self.words or self.inside(Fraction(value)):
            return value
        return axis_value(self.least if value < self.least or self.high is None else self.high, self.name)

    @cached_property
    def small(self) -> Listed:
        """Words, or numbers with the simplest first: integers by size, then fractions by denominator and size."""
        if self.words:
            return Listed(self.words)
        return Listed(islice(self._numerators(1), _LISTED) if self.integral else self._fractions())

    def _fractions(self) -> Iterator[Value]:
        """The first fractions of every denominator to 16, and of those of the ends and the grid, each once."""
        edges = {Fraction(x).denominator for x in (self.low, self.high, *self.values) if x is not None}
        denominators = sorted({*range(1, 17), *edges})
        found: set[Fraction] = set()
        for q in denominators:
            for p in islice(self._numerators(q), _SHARES):
                if (number := Fraction(p, q)) not in found:
                    found.add(number)
                    yield axis_value(number, self.name)

    def _numerators(self, q: int) -> Iterator[int]:
        """The numerators over ``q`` between the ends, those nearest to zero first, a positive one before its twin."""
        top = self.high if self.high is not None else max(2 * self.values[-1], self.least + 16)
        first, last = ceil(self.least * q), floor((Fraction(_FURTHEST) if self.integral else top) * q)
        if self.high is not None:
            last = min(last, floor(self.high * q))
        elif last < first:  # all sizes lie beyond the furthest: they begin where their hypothesis does
            last = first + _SHARES
        if first > 0 or last < 0:
            yield from range(first, last + 1) if first > 0 else range(last, first - 1, -1)
            return
        for size in range(max(last, -first) + 1):
            yield from [p for p in dict.fromkeys((size, -size)) if first <= p <= last]

    def edges(self) -> list[Value]:
        """The ends among the hypotheses, and for integers their neighbours, in case an end is excluded."""
        steps = [Fraction(0), Fraction(1)] if self.integral else [Fraction(0), Fraction(1, 16), Fraction(1, 2**20)]
        near = [self.low + s for s in steps] if self.low is not None else []
        near += [self.high - s for s in steps] if self.high is not None else []
        rounded = [Fraction(ceil(x)) if self.integral else x for x in near]
        return [axis_value(x, self.name) for x in dict.fromkeys(rounded) if self.inside(x)]

    def grown(self) -> Iterator[Value]:
        """Values beyond the grid on a log scale: half as large again each time, and for rationals the way to zero too.

        They end before the first that a hypothesis leaves out; its own end is among the edges, not here.
        """
        size, shrunk = max(self.values[-1], Fraction(2)), Fraction(1, 16)
        while size < _FURTHEST:
            size = Fraction(ceil(size * Fraction(3, 2)))
            if self.high is not None and size > self.high:
                return
            if self.inside(size):
                yield axis_value(size, self.name)
            shrunk = shrunk / 4
            if not self.integral and shrunk > Fraction(1, 10**12) and self.inside(self.least + shrunk):
                yield axis_value(self.least + shrunk, self.name)


def ends(claim: Claim, symbol: sympy.Symbol | None) -> tuple[Fraction | None, Fraction | None]:
    """Return the interval that the one-letter hypotheses leave for a letter, its ends included."""
    low: Fraction | None = None
    high: Fraction | None = None
    if symbol is None:
        return low, high
    for condition in [*getattr(symbol, "domain", []), *claim.requires]:
        if getattr(condition, "free_symbols", set()) != {symbol} or not isinstance(
            condition, sympy.core.relational.Relational
        ):
            continue
        edge = condition.rhs if condition.lhs == symbol else condition.lhs
        if not edge.is_Rational or symbol not in (condition.lhs, condition.rhs):
            continue
        value = Fraction(edge.p, edge.q)
        greater = isinstance(condition, sympy.Ge | sympy.Gt) == (condition.lhs == symbol)
        if isinstance(condition, sympy.Eq):
            low = high = value
        elif isinstance(condition, sympy.Ne):
            continue
        elif greater:
            low = value if low is None else max(low, value)
        else:
            high = value if high is None else min(high, value)
    return low, high


def joint_edges(claim: Claim, axes: Mapping[str, Axis], base: Mapping[str, Value]) -> Iterator[dict[str, Value]]:
    """Yield points where a hypothesis on several axes changes from true to false along one of them, from ``base``."""
    for condition in claim.requires:
        resolved = condition.xreplace({symbol: claim.definitions[symbol.name] for symbol in claim.lets})
        letters = sorted(getattr(resolved, "free_symbols", ()), key=lambda s: s.name)
        if len(letters) < 2 or any(s.name not in axes or axes[s.name].words for s in letters):
            continue
        for symbol in letters:
            yield from _edge(resolved, axes[symbol.name], symbol, base, letters)


def _edge(
    condition: Any, axis: Axis, symbol: sympy.Symbol, base: Mapping[str, Value], letters: list[Any]
) -> Iterator[dict[str, Value]]:
    """The two neighbours between which the condition changes; a rational edge only where it is linear."""
    if not axis.integral:
        linear = [e for e in condition.atoms(sympy.core.relational.Relational) if symbol in e.free_symbols]
        for relation in linear:
            known = {s: sympy.Rational(str(base[s.name])) for s in letters if s != symbol}
            gap = (relation.lhs - relation.rhs).xreplace(known)
            slope = sympy.diff(gap, symbol)
            if slope.is_Rational and slope != 0 and (edge := -gap.subs(symbol, 0) / slope).is_Rational:
                yield {**base, axis.name: axis_value(edge, axis.name)}
        return

    def holds(number: int) -> bool:
        values = {s.name: base[s.name] for s in letters} | {axis.name: number}
        return failing([condition], values, {}, bits=256) is None

    tried = [int(axis.least)]
    while len(tried) < 40 and tried[-1] < _FURTHEST and (axis.high is None or tried[-1] < axis.high):
        tried.append(min(2 * tried[-1] + 1 if tried[-1] > 0 else 1, int(axis.high or _FURTHEST)))
    truths = [holds(number) for number in tried]
    for k in range(len(tried) - 1):
        if truths[k] != truths[k + 1]:
            left, right = tried[k], tried[k + 1]
            while right - left > 1:
                middle = (left + right) // 2
                left, right = (middle, right) if holds(middle) == truths[k] else (left, middle)
            yield from ({**base, axis.name: number} for number in ((left, right) if truths[k] else (right, left)))


def move(claim: Claim, id: str, at: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the grid with the given axes replaced by each of their values, every point once.

    An axis that was not given moves along where an equation among the hypotheses fixes it by those that were.

    Raises
    ------
    DomainError
        For a letter that is no axis of the claim, a value that is none, or a word where a number belongs (and the
        reverse).
    """
    choices = {name: _checked(claim, id, name, given) for name, given in at.items()}
    combined = [dict(zip(choices, row, strict=True)) for row in itertools.product(*choices.values())]
    rows = [along(claim, {**point, **exact}, set(at)) for exact in combined for point in claim.grid]
    return list(Grid(fitted(rows, claim.things.values(), at, claim.such_that, claim.definitions)))


def choices(claim: Claim, name: str, given: Any) -> list[Value]:
    """Return the exact values given for one axis of a claim: objects of its kind, or as :func:`axis_choices` does."""
    return claim.things[name].things(given) if name in claim.things else axis_choices(name, given)


def axis_choices(name: str, given: Any) -> list[Value]:
    """Return the exact values given for one axis: one value, a list of them, or a text with commas.

    Raises
    ------
    DomainError
        For an empty list, and for None, NaN, infinities, truth values and whatever else is no number or word.
    """
    if isinstance(given, str):
        values: list[Any] = given.split(",")
    elif isinstance(given, list | tuple | range) or (hasattr(given, "tolist") and getattr(given, "ndim", 0) == 1):
        values = list(given)
    else:
        values = [given]
    kinds = str | numbers.Number | sympy.Basic
    wrong = [v for v in values if not isinstance(v, kinds) or isinstance(v, bool) or v != v]
    if wrong or not values:
        raise DomainError(
            f"{name} = {wrong[0] if wrong else given!r}", required="a finite number or a word of the axis, or a list",
            why="a point has one exact value for every axis", advice=f"{name}=[64, 128], or --at {name}=64,128",
        )  # fmt: skip
    return [axis_value(value, name) for value in values]


def _checked(claim: Claim, id: str, name: str, given: Any) -> list[Value]:
    if name not in claim.grid.axes:
        hint = "it follows from the axes" if name in claim.all_letters() else "no letter of this claim"
        raise DomainError(
            f"{name} = {given}", required=f"an axis of {id}: {', '.join(claim.grid.axes)}", why=hint,
            advice=did_you_mean(name, claim.grid.axes, f"theorytools show {id}"),
        )  # fmt: skip
    values = choices(claim, name, given)
    if name in claim.things:
        return values
    words = list(dict.fromkeys(sorted(str(p[name]) for p in claim.grid if isinstance(p[name], str))))
    for value in values:
        if value not in words if isinstance(value, str) else words:
            raise DomainError(
                f"{name} = {value}", required=f"one of {', '.join(words)}" if words else "a number",
                why=f"the axis {name} of {id}", advice=f"theorytools show {id} lists the points of its grid",
            )  # fmt: skip
    return values


def along(claim: Claim, point: dict[str, Value], given: set[str]) -> dict[str, Value]:
    """Move the axes that the equations among the hypotheses fix, each by those given or moved before."""
    fixed, moved = set(given), dict(point)
    for equation in _equations(claim):
        letters = [symbol for symbol in equation.free_symbols if isinstance(moved.get(symbol.name), int | Fraction)]
        free = [symbol for symbol in letters if symbol.name not in fixed]
        alone = [side for side in equation.args if side in free]
        if len(letters) < len(equation.free_symbols) or len(letters) == len(free) or not (alone or len(free) == 1):
            continue
        unknown = alone[0] if alone else free[0]
        known = {symbol: expression(moved[symbol.name]) for symbol in letters if symbol != unknown}
        try:
            solutions = sympy.solve(equation.lhs.xreplace(known) - equation.rhs.xreplace(known), unknown)
        except NotImplementedError:  # N in r = ceiling(N/2): no single N follows, so it stays where it is
            continue
        if len(solutions) == 1 and solutions[0].is_Rational:
            moved[unknown.name] = axis_value(solutions[0], unknown.name)
            fixed.add(unknown.name)
    return moved


def _equations(claim: Claim) -> Iterator[sympy.Eq]:
    """The equations among the hypotheses, in axes only."""
    for condition in claim.requires:
        for part in sympy.And.make_args(condition):
            if isinstance(part, sympy.Eq):
                yield part.xreplace({symbol: claim.definitions[symbol.name] for symbol in claim.lets})
