"""A claim as a search sees it: letters as variables, hypotheses as a space, a point with a sample as a result.

A letter that ``some`` binds is exhibited: it keeps the values of the grid, with the letters that they go with.  A
point that draws is judged again with other samples, unless its object is exhibited too: another one that fails says
nothing.
"""

from __future__ import annotations

import contextlib
import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import sympy

from theorytools.claims.judging.point import UNJUDGED, Judgement, PointResult, measure_point
from theorytools.claims.judging.rows_of_a_run import margin
from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.assertion import Assertion
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Budget, Evidence
from theorytools.claims.language.grid import Point, Thing, axis_value
from theorytools.claims.language.object_letters import failing_predicate
from theorytools.errors import TheoryError
from theorytools.salts import asked, salted
from theorytools.search.admitted import Admitted
from theorytools.search.protocols import Choose, Ends, Place, Result, Variable, limited
from theorytools.search.space import Space

FRESH = "fresh"  # the salt of the samples that a search draws beside those that were judged
_SEARCH_BITS, _SEARCH_SAMPLES = 256, 20_000
_NONE = re.compile("NaN|infinity", re.I)  # what Python says where such a double is made a fraction or an integer


class ClaimSpace:
    """The points at which a statement says something: the hypotheses on its axes, and what its grid names together.

    Parameters
    ----------
    claim : the claim.
    furthest : for a letter of whole numbers the largest value that may be tried, where work may be an exponential.
    least : up to which size objects go where twice the grid is less.
    """

    def __init__(self, claim: Claim, furthest: Mapping[str, int] | None = None, *, least: int = 0) -> None:
        self.claim = claim
        tops = dict(furthest or {})
        if claim.run is not None and claim.run.horizon in claim.grid.axes:  # a longer run is left open
            tops[claim.run.horizon] = min(tops.get(claim.run.horizon, claim.run.limit), claim.run.limit)
        self._predicates = dict(claim.such_that)
        numbers = limited([self._variable(name, tops.get(name)) for name in claim.grid.axes], least)
        named = {getattr(letter, "name", letter) for letter in (*claim.listed, *claim.tabulated)} | {*claim.witnesses}
        self._named = [name for name in claim.grid.axes if name in named]
        self.variables: Sequence[Variable] = [
            replace(v, kind="word") if v.name in named and v.kind != "object" else v for v in numbers
        ]
        self._rows = [{name: row[name] for name in self._named} for row in rows(claim)]
        self.space = Space(
            numbers, conditions(claim),
            symbols={name: s for name, s in claim.all_letters().items() if name in claim.grid.axes}, least=least,
        )  # fmt: skip

    def _variable(self, name: str, furthest: int | None) -> Variable:
        """An axis as a variable; an object without the members that predicates of it alone exclude."""
        variable = variable_of(self.claim, name, furthest)
        own = {text: holds for text, holds in self._predicates.items() if self._alone(variable, holds)}
        if variable.thing is None or not own:
            return variable
        return replace(variable, thing=Admitted(variable.thing, lambda x: self._says(variable, x, own) is not False))

    def _alone(self, variable: Variable, holds: Callable[[Point], Any]) -> bool:
        """Whether a predicate asks for no other letter than an object and its size, at the members of the grid."""
        values = variable.values if variable.thing is not None else ()
        return bool(values) and all(self._says(variable, x, {"": holds}) is not None for x in values)

    def _says(self, variable: Variable, member: Any, predicates: Mapping[str, Callable[[Point], Any]]) -> bool | None:
        """Whether predicates hold of a member and its size; None where they ask for more."""
        assert variable.thing is not None
        size = {variable.size: variable.thing.size(member)} if variable.size else {}
        try:
            return not failing_predicate(predicates, self._place({**size, variable.name: member}))
        except TheoryError:
            return None

    def solve(
        self, choose: Choose, rng: random.Random, order: Sequence[str] | None = None, fixed: Place | None = None
    ) -> dict[str, Any] | None:
        """Return a point inside the hypotheses, see :class:`~theorytools.search.protocols.SpaceFace`.

        The letters that the statement names come first, as words of which some go together; the hypotheses take them
        as the numbers that they are.
        """
        kept = dict(fixed or {})
        if not self.named(kept):
            return None
        for variable in (v for v in self.variables if v.name in self._named):
            known = {name: kept[name] for name in self._named if name in kept}
            left = [row[variable.name] for row in self._rows if all(row[n] == x for n, x in known.items())]
            if variable.name not in kept:
                values = tuple(dict.fromkeys(left))
                chosen = choose(replace(variable, kind="word", values=values), Ends(), kept)
                kept[variable.name] = chosen if chosen in values else values[0]
        return self._admitted(self.space.solve(choose, rng, order, kept))

    def named(self, point: Place) -> bool:
        """Whether the letters that the statement names, and those that ``some`` binds, have values of one row."""
        kept = {name: point[name] for name in self._named if name in point}
        return any(all(row[name] == x for name, x in kept.items()) for row in self._rows)

    def _admitted(self, point: dict[str, Any] | None) -> dict[str, Any] | None:
        """The point, unless an object is none of what the statement speaks of."""
        if point is None:
            return None
        # a whole fraction is an int to a check, as it is on a grid
        whole = {n: int(x) if isinstance(x, Fraction) and x.denominator == 1 else x for n, x in point.items()}
        if not self._predicates:
            return whole
        return None if failing_predicate(self._predicates, self._place(whole)) else whole

    def _place(self, axes: Place) -> Point:
        """A point for a predicate to look at: its objects are not written as texts, which takes longer than a look.

        What is judged is a point of the claim, whose predicates are asked again.
        """
        things, definitions = self.claim.things, self.claim.definitions
        return Point("", {n: Thing("", x) if n in things else x for n, x in axes.items()}, definitions)

    def holds(self, point: Place) -> bool:
        """Whether the hypotheses on axes and objects hold at a point."""
        return bool(self.space.holds(point)) and self._admitted(dict(point)) is not None


def rows(claim: Claim) -> list[dict[str, Any]]:
    """Return the points of the grid, with the objects themselves in place of their texts."""
    return [{n: x.member if isinstance(x, Thing) else x for n, x in row.items()} for row in claim.grid]


def variable_of(claim: Claim, name: str, furthest: int | None = None) -> Variable:
    """Return one axis of a claim as a variable."""
    values = [row[name] for row in claim.grid]
    if name in claim.things:
        stand = claim.things[name]
        members = tuple(dict.fromkeys(row[name].member for row in claim.grid))  # type: ignore[union-attr]
        return Variable(name, "object", members, thing=stand.kind, size=stand.size)
    if any(isinstance(value, str) for value in values):
        return Variable(name, "word", tuple(dict.fromkeys(values)))
    numbers = tuple(sorted({Fraction(value) for value in values}))
    symbol = claim.all_letters().get(name)
    integral = symbol.is_integer if symbol is not None else all(x.denominator == 1 for x in numbers)
    low: Fraction | None = None
    if symbol is None:  # nothing is said of it: whole numbers go on, and nothing is below zero that was not
        low = Fraction(min(numbers[0], 1 if integral else 0))
    elif symbol.is_positive:
        low = Fraction(1 if integral else 0)
    elif symbol.is_nonnegative:
        low = Fraction(0)
    kept = tuple(axis_value(x, name) for x in numbers)
    high = None if furthest is None else Fraction(furthest)
    return Variable(name, "int" if integral else "rat", kept, low, high)


def conditions(claim: Claim) -> list[Any]:
    """The hypotheses that speak of axes, the letters' own domains among them, with what the claim defines put in."""
    letters = claim.all_letters()
    derived = {symbol.name for symbol in claim.derived}
    every = [part for symbol in letters.values() for part in getattr(symbol, "domain", [])] + list(claim.requires)
    put = {symbol: claim.definitions[symbol.name] for symbol in claim.lets}
    parts = [one for part in every for one in sympy.And.make_args(part.xreplace(put))]
    axes = {*claim.grid.axes} - derived
    return [part for part in parts if part is not sympy.true
            and {s.name for s in getattr(part, "free_symbols", ())} <= axes]  # fmt: skip


class Judging:
    """Judges points of a claim for a search, each with one of its samples.

    Parameters
    ----------
    claim, check : the claim, and the name by which its seeds are keyed.
    alpha : the error probability of each sampled quantity.
    least : the weakest evidence of a row that counts as a violation.
    lenient : the points lie where the check was not written for: no error there is the check's.
    """

    def __init__(
        self, claim: Claim, check: str, alpha: float, *, least: Evidence = Evidence.FITTED, lenient: bool = False
    ) -> None:
        full = claim.budget
        small = Budget(min(_SEARCH_BITS, full.bits), min(_SEARCH_SAMPLES, full.samples), full.alpha)
        self.claim, self.check, self.alpha, self.least, self.lenient = claim, check, alpha, least, lenient
        self.quick = replace(claim, budget=small)
        self.spent, self.error = 0.0, None  # type: float, Exception | None
        self.unnumbered = ""  # the first point at which a number in doubles was none
        self._grid = rows(claim)

    def __call__(self, axes: Place, sample: int = 0) -> Result:
        """Judge a point with what is left of the budget of a search."""
        return self.row(axes, sample)[0]

    def row(self, axes: Place, sample: int = 0, *, whole: bool = False, thing: Any = None) -> tuple[Result, Row | None]:
        """Return the result at a point and its row that is false, judged with the ``whole`` budget where that is asked,
        of the object that is given or else of the claim's own.

        Raises
        ------
        Exception : what the check raised at a point of its own grid.
        """
        point = self.claim.point(axes, self.check)
        claim = self.claim if whole else self.quick
        claim = claim if thing is None else replace(claim, construct=lambda p: thing)
        bench = Judgement(claim, self.alpha, brief=not whole)
        salt = salted(f"{FRESH} {sample}") if sample else contextlib.nullcontext()
        with salt, asked() as roles:
            try:
                honest = measure_point(bench, point)
            except (*UNJUDGED, Exception) as error:
                return self._raised(axes, error, drawn=thing is not None), None
            finally:
                self.spent += bench.spent
        note = "" if honest.skipped is None else f"at {point}: {' '.join(honest.skipped.split())}"[:300]
        if honest.skipped is not None:
            status: Any = "open" if honest.open else "refused" if honest.refused else "outside"
            return Result(status, note=note, drawn=bool(roles) and not self.claim.witnessed), None
        wrong = next((row for row in honest.rows if row.truth is False and row.evidence >= self.least), None)
        margins = [_margin(row, a, honest) for row, a in zip(honest.rows, self.claim.assertions, strict=True)]
        drawn = bool(roles) and not self.claim.witnessed
        floats = any(row.evidence is Evidence.OBSERVED for row in honest.rows)
        undecided = next((row for row in honest.rows if row.truth is None), None)
        if wrong is None and undecided is not None:  # it corroborates nothing
            note = f"at {point}: {undecided.assertion} is not decided"[:300]
            return Result("open", min(margins, default=None), drawn=drawn, note=note), None
        status = "true" if wrong is None else "false"
        return Result(status, min(margins, default=None), drawn=drawn, floats=floats), wrong

    def _raised(self, axes: Place, error: Exception, *, drawn: bool) -> Result:
        """A point that could not be judged; the check's own mistake at a point of its grid, or of its own object, is
        raised.
        """
        own = drawn or dict(axes) in self._grid
        if own and not self.lenient and not isinstance(error, (*UNJUDGED, TheoryError)):
            raise error
        if not isinstance(error, TheoryError):
            self.error = self.error or error
        if isinstance(error, OverflowError | FloatingPointError) or (
            isinstance(error, ValueError) and _NONE.search(str(error))
        ):
            place = ", ".join(f"{name} = {_short(x)}" for name, x in self.claim.point(axes, self.check).text().items())
            self.unnumbered = self.unnumbered or f"at {place}: {' '.join(str(error).split())}"[:200]
        point = self.claim.point(axes, self.check)
        return Result("open", note=f"{type(error).__name__} at {point}: {' '.join(str(error).split())}"[:300])


def _short(text: str) -> str:
    """A number of many digits by three of them and its power of ten."""
    if len(text) <= 24 or not re.fullmatch(r"-?\d+(/\d+)?", text):
        return text
    over, _, under = text.partition("/")
    return f"{Decimal(over) / Decimal(under or 1):.3g}"


def _margin(row: Row, assertion: Assertion, honest: PointResult) -> float:
    """How far a row is from failing; of several measured numbers in proportion to them, not to their difference."""
    near = margin(row)
    parts = [honest.ladders[q].best.floats for q in assertion.quantity.parts if q in honest.ladders]
    if len(parts) < 2 or row.premise is not None:
        return near
    gap, bound = (max(map(abs, end.floats)) for end in (row.measured, row.bound[0]))
    size = sum(max(map(abs, ends)) for ends in parts) + bound
    return near * min((gap + bound) / size, 1.0) if 0 < size < math.inf else near
