"""Why a near miss is false: one point, the left side there by another route than the check, and the right side.

The left side is, in this order: the closed form that the claim proves (of an equality), the equality case (of a bound
that a row attains), the exact number or the enclosure of a row, or the range that the quantity has by definition.  The
right side is evaluated by :mod:`tools.bench.evaluation`; the judge's arithmetic compares nothing here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from theorytools.claims.judging.point import Judgement, measure_point
from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.assertion import Assertion
from theorytools.claims.language.bound import resolve
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Evidence
from theorytools.claims.language.grid import Point
from theorytools.claims.language.relation import LOWER, UPPER
from theorytools.meaning import TRAINED
from theorytools.numbers import Enclosure, at_precision
from tools.bench.evaluation import Unknown, Value, end, less, letters_of, real, value
from tools.bench.mutations import Mutant, full, rational

BITS = 640  # of a letter that the construction fixes: 190 digits, of which 90 are read
BESIDE = 6  # points beside the grid that are measured for one hypothesis
MULTIPLES = (2, 4, 16, 64, 2**10, 2**16)  # of N_0, where a trap is looked at


@dataclass(frozen=True)
class Place:
    """A point that has been measured: its letters, for the evaluation, and its rows by assertion."""

    point: Point
    letters: Mapping[str, Any]
    rows: Mapping[str, Row]


@dataclass(frozen=True)
class Witness:
    """Where and why a statement is false.

    Parameters
    ----------
    point : the axes, as texts.
    grid : whether this is a point of the claim's grid.
    route : whence the left side is known.
    left, right : both sides, in digits.
    turn : of a horizon trap the least size of its letter at which this route shows it false, found by halving.
    """

    point: Mapping[str, str]
    grid: bool
    route: str
    left: str
    right: str
    turn: int | None = None


@dataclass(frozen=True)
class Left:
    """What is known of the left side: an interval of values, and whence."""

    low: Value | None
    high: Value | None
    route: str

    def text(self) -> str:
        """The interval in digits; a number where it is one."""
        low, high = (None if v is None else v.text() for v in (self.low, self.high))
        return str(low) if low == high else f"[{low or '-inf'}, {high or 'inf'}]"


def places(claim: Claim, id: str) -> list[Place]:
    """Return what the claim measures at the points of its grid, without its controls."""
    bench, check = Judgement(claim, claim.row_alpha()), ".".join(id.split(".")[:2])
    found = (_place(bench, claim.point(axes, check)) for axes in claim.grid)
    return [place for place in found if place is not None]


def _place(bench: Judgement, point: Point) -> Place | None:
    result = measure_point(bench, point)
    if result.skipped is not None:
        return None
    return Place(point, _letters(result.values), {row.assertion: row for row in result.rows})


def _letters(values: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, given in values.items():
        if isinstance(given, Enclosure) or (callable(given) and not isinstance(given, sympy.Basic)):
            given = _digits(given)
        if given is not None:
            found |= letters_of({name: given})
    return found


def _digits(given: Any) -> Any:
    """A letter that the construction fixes by a computation: its value to 90 digits and more, or None."""
    box = at_precision(BITS, lambda: resolve(given))
    low, high = end(box.lower.to_json()), end(box.upper.to_json())
    if low is None or high is None:
        return None
    if low == high and isinstance(low, Fraction) and box.exact:
        return low
    import mpmath

    with mpmath.workdps(200):
        a, b = real(low), real(high)
        return (a + b) / 2 if abs(b - a) <= abs(a) * mpmath.mpf(10) ** -100 else None


def left_side(assertion: Assertion, expr: sympy.Expr, place: Place) -> Left | None:
    """Return what is known of the left side at a measured point by a route that is not the judge's comparison."""
    row = place.rows[assertion.name]
    honest = _or_none(expr, place.letters)
    ends = [end(e.to_json()) for e in (row.measured.low, row.measured.high)]
    low, high = (None if e is None else Value(e) for e in ends)
    exact = row.measured.evidence in (Evidence.EXACT, Evidence.OBSERVED) and low == high
    if assertion.relation == "==" and row.truth and honest is not None and not row.tied:
        if assertion.within == 0:
            return Left(honest, honest, "closed form")
        if row.measured.evidence is Evidence.SAMPLED:
            return None
    if exact and honest is not None and honest.exact and honest.number == ends[0]:
        return Left(honest, honest, "equality case")
    if row.measured.evidence in (Evidence.SAMPLED, Evidence.FITTED):
        return None
    return Left(low, high, "exact value" if exact else "enclosure")


def _told(claim: Claim, honest: Assertion, place: Place) -> Left | None:
    """What an equality of the claim says of the same sampled quantity: its closed form, within its tolerance.

    A trained network has no closed form: what is predicted of one says nothing here.
    """
    if claim.role in TRAINED or place.rows[honest.name].measured.evidence is not Evidence.SAMPLED:
        return None
    for one in claim.assertions:
        if one.quantity == honest.quantity and one.relation == "==" and place.rows[one.name].truth:
            sides = [_or_none(side.xreplace(dict(claim.lets)), place.letters) for side in one.sides()]
            if None not in sides:
                return Left(sides[0], sides[-1], "closed form within its tolerance")
    return None


def _or_none(expr: Any, letters: Mapping[str, Any]) -> Value | None:
    try:
        return value(sympy.sympify(expr), letters)
    except Unknown:
        return None


def violated(assertion: Assertion, sides: Sequence[Value], left: Left) -> bool:
    """Return whether the relation certainly fails."""
    above = left.low is not None and less(sides[-1], left.low)
    below = left.high is not None and less(left.high, sides[0])
    return {"<=": above, ">=": below, "==": above or below, **_strictly(sides, left)}[assertion.relation]


def _strictly(sides: Sequence[Value], left: Left) -> dict[str, bool]:
    """What refutes a strict relation: a number that reaches the other side, both exact where they are equal."""
    low, high, side = left.low, left.high, sides[0]
    same = low is not None and high is not None and low.exact and high.exact and side.exact and (
        low.number == high.number == side.number
    )  # fmt: skip
    return {
        "<": same or (low is not None and less(side, low)), ">": same or (high is not None and less(high, side)),
        "!=": same,
    }  # fmt: skip


def _sides(claim: Claim, assertion: Assertion, letters: Mapping[str, Any]) -> list[Value]:
    return [value(side.xreplace(dict(claim.lets)), letters) for side in assertion.sides()]


def at_place(claim: Claim, honest: Assertion, mutant: Assertion, place: Place, *, grid: bool) -> Witness | None:
    """Return the witness that a measured point is, or None."""
    try:
        sides = _sides(claim, mutant, place.letters)
    except Unknown:
        return None
    left = left_side(honest, full(claim, honest), place) or _told(claim, honest, place)
    if left is None or not violated(mutant, sides, left):
        return None
    return Witness(place.point.text(), grid, left.route, left.text(), _texts(sides))


def _texts(sides: Sequence[Value]) -> str:
    return " to ".join(dict.fromkeys(side.text() for side in sides))


def excluded(claim: Claim, honest: Assertion, mutant: Assertion, measured: Sequence[Place]) -> bool:
    """Return whether the printed power excludes the statement: somewhere it moves the bound falseward by that much."""
    for place in measured:
        power = place.rows[honest.name].power
        if power is None:
            continue
        try:
            old = value(full(claim, honest), place.letters)
            new = value(full(claim, mutant), place.letters)
            f = rational(Fraction(str(power)))
            tight, loose = (value(full(claim, honest) * g, place.letters) for g in (1 / f, f))
        except Unknown:
            continue
        zero = Value(Fraction(0))
        if not (less(zero, old) or less(old, zero)):
            continue
        low, high = (tight, loose) if less(zero, old) else (loose, tight)
        down, up = not less(low, new), not less(new, high)
        if (down and honest.relation not in LOWER) or (up and honest.relation not in UPPER):
            return True
    return False


def find(claim: Claim, id: str, honest: Assertion, mutant: Mutant, measured: Sequence[Place]) -> Witness | None:
    """Return a witness that the mutant is false: on the grid, else beside it; None where none was found."""
    if mutant.dropped is not None:
        return _without(claim, id, mutant.dropped, honest)
    if mutant.horizon is not None:
        return _beyond(claim, honest, mutant)
    for place in measured:
        witness = at_place(claim, honest, mutant.assertion, place, grid=True)
        if witness is not None:
            return witness
    return _between(claim, honest, mutant.assertion)


def _plain(claim: Claim, *formulas: Any) -> bool:
    """Whether formulas and hypotheses speak of numeric axes alone, so that any point can be written down."""
    names = {n for n in claim.grid.axes if not any(isinstance(point[n], str) for point in claim.grid)}
    parts = [*formulas, *(c.xreplace(dict(claim.lets)) for c in claim.requires)]
    return all({s.name for s in part.free_symbols} <= names for part in parts)


def _inside(claim: Claim, axes: Mapping[str, Any]) -> bool:
    """Whether every hypothesis certainly holds, by the evaluation of the witnesses."""
    letters = {name: Fraction(x) for name, x in axes.items() if not isinstance(x, str)}
    return all(_holds(c.xreplace(dict(claim.lets)), letters) for c in claim.requires)


def _holds(condition: Any, letters: Mapping[str, Any]) -> bool:
    if isinstance(condition, sympy.And | sympy.Or):
        parts = (_holds(part, letters) for part in condition.args)
        return all(parts) if isinstance(condition, sympy.And) else any(parts)
    if not isinstance(condition, sympy.core.relational.Relational):
        return bool(condition == sympy.true)
    a, b = (value(side, letters) for side in condition.args)
    same = bool(a.exact and b.exact and a.number == b.number)
    above, below = less(b, a), less(a, b)
    return {">": above, ">=": above or same, "<": below, "<=": below or same, "==": same,
            "!=": above or below}[condition.rel_op]  # fmt: skip


def _between(claim: Claim, honest: Assertion, mutant: Assertion) -> Witness | None:
    """A point between the sizes of the grid, or beyond, where the closed form and the mutant differ."""
    closed = honest.relation == "==" and honest.within == 0
    if not closed or claim.fixed or not _plain(claim, full(claim, honest), full(claim, mutant)):
        return None
    for axes in _beside(claim):
        if (witness := _closed(claim, honest, mutant, axes)) is not None:
            return witness
    return None


def _beside(claim: Claim) -> Iterator[dict[str, Any]]:
    """Points with one integer axis of a grid point doubled, trebled or halfway to the next size."""
    listed = {getattr(letter, "name", letter) for letter in claim.listed}
    for base in dict.fromkeys((0, len(claim.grid) - 1)):
        for name in (n for n in claim.grid.axes if n not in listed):
            values = sorted({int(p[name]) for p in claim.grid if isinstance(p[name], int)})
            if values and isinstance(claim.grid[base][name], int):
                for size in (2 * values[-1], 4 * values[-1], (values[0] + values[-1]) // 2):
                    yield {**claim.grid[base], name: size}


def _closed(claim: Claim, honest: Assertion, mutant: Assertion, axes: Mapping[str, Any]) -> Witness | None:
    letters = {name: Fraction(v) for name, v in axes.items() if not isinstance(v, str)}
    try:
        if not _inside(claim, axes):
            return None
        known, sides = value(full(claim, honest), letters), _sides(claim, mutant, letters)
    except (Unknown, TypeError, ValueError):
        return None
    left = Left(known, known, "closed form")
    if not violated(mutant, sides, left):
        return None
    grid = dict(axes) in list(claim.grid)
    return Witness({n: str(v) for n, v in axes.items()}, grid, left.route, left.text(), _texts(sides))


def _beyond(claim: Claim, honest: Assertion, mutant: Mutant) -> Witness | None:
    """A point beyond the horizon of a trap, and the least size at which the trap is shown to be false."""
    name, start = mutant.horizon or ("", 0)
    listed = {getattr(letter, "name", letter) for letter in claim.listed}
    if name in listed or not _plain(claim, full(claim, honest)):
        return None
    base = claim.grid[len(claim.grid) - 1]
    look = _closed if honest.relation == "==" and honest.within == 0 else _ranged

    def at(size: int) -> Witness | None:
        return look(claim, honest, mutant.assertion, {**base, name: size})

    for factor in MULTIPLES:
        witness = at(factor * start)
        if witness is not None:
            return replace(witness, turn=_turn(lambda size: at(size) is not None, start, factor * start))
    return None


def _turn(false: Callable[[int], bool], start: int, size: int) -> int:
    """The size at which a trap turns false: the next smaller one is not known to be.

    An equality turns at N_0 + 1.  An upper bound is only cut by degrees from N_0 on, and stays true as long as it was
    loose, so that N_0 is not where it turns.
    """
    while size - start > 1:
        middle = (start + size) // 2
        start, size = (start, middle) if false(middle) else (middle, size)
    return size


def _ranged(claim: Claim, honest: Assertion, mutant: Assertion, axes: Mapping[str, Any]) -> Witness | None:
    """A point where the right side leaves the range that the quantity has by definition."""
    letters = {name: Fraction(v) for name, v in axes.items() if not isinstance(v, str)}
    ends = [None if t is None else _or_none(sympy.sympify(t).xreplace(dict(claim.lets)), letters)
            for t in honest.quantity.trivial]  # fmt: skip
    try:
        if ends == [None, None] or not _inside(claim, axes):
            return None
        sides = _sides(claim, mutant, letters)
    except (Unknown, TypeError, ValueError):
        return None
    left = Left(ends[0], ends[1], "range")
    if not violated(mutant, sides, left):
        return None
    return Witness({n: str(v) for n, v in axes.items()}, False, left.route, left.text(), _texts(sides))


def _without(claim: Claim, id: str, index: int, honest: Assertion) -> Witness | None:
    """A point outside one hypothesis, inside the others, at which the exact or enclosed left side violates."""
    rest = [c for i, c in enumerate(claim.requires) if i != index]
    open_claim = replace(claim, requires=rest)
    if open_claim.search is not None:
        return None
    bench, check = Judgement(open_claim, open_claim.row_alpha(), user=True), ".".join(id.split(".")[:2])
    for axes in itertools.islice(_outside(claim, index), BESIDE):
        try:
            place = _place(bench, open_claim.point(axes, check))
        except Exception:  # the construction was not written for this point
            continue
        if place is None or place.rows[honest.name].measured.evidence < Evidence.ENCLOSED:
            continue
        witness = at_place(open_claim, honest, honest, place, grid=False)
        if witness is not None:
            return witness
    return None


def _outside(claim: Claim, index: int) -> Iterator[dict[str, Any]]:
    """Points that violate the hypothesis: one axis of a grid point replaced, by a step beyond the grid at most.

    Of a hypothesis on derived letters every point is given; whether it fails there shows when it is measured.
    """
    condition = claim.requires[index].xreplace(dict(claim.lets))
    letters, seen = {s.name: s for s in condition.free_symbols}, []
    for base in dict.fromkeys((0, len(claim.grid) - 1)):
        for name in claim.grid.axes:
            start = claim.grid[base]
            numbers: list[Any] = sorted(p[name] for p in claim.grid if not isinstance(p[name], str))
            if not numbers or isinstance(start[name], str) or (name not in letters and letters.keys() <= set(start)):
                continue
            tried = [numbers[0] - 1, 0, 1, 2, 3, numbers[-1], numbers[-1] + 1, -1]
            tried += [] if getattr(letters.get(name), "is_integer", True) else [Fraction(1, 2), Fraction(3, 2)]
            for number in dict.fromkeys(x for x in tried if x <= numbers[-1] + (name in letters)):
                axes = {**start, name: number}
                if axes not in seen and _near(claim, axes, name) and _fails(condition, letters, axes):
                    seen.append(axes)
                    yield axes


def _near(claim: Claim, axes: Mapping[str, Any], name: str) -> bool:
    """Whether some point of the grid is as large in every axis, but for one more in this: the work is not much more."""
    sizes = {axis: size - (axis == name) for axis, size in axes.items() if not isinstance(size, str)}
    return any(all(size <= row[axis] for axis, size in sizes.items()) for row in claim.grid)


def _fails(condition: Any, letters: Mapping[str, Any], axes: Mapping[str, Any]) -> bool:
    known = {s: rational(Fraction(axes[n])) for n, s in letters.items() if n in axes and not isinstance(axes[n], str)}
    try:
        return bool(condition.subs(known) != sympy.true)
    except (TypeError, ValueError):
        return False
