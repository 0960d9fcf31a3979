"""The orders in which points are proposed: small ones, joint sizes, edges, steps beyond the grid, moves of good ones.

Each order asks the space for points inside the hypotheses and says only how one letter is chosen, given the interval
that is left to it.  A proposal of None is one that met a dead end.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count, islice
from math import exp, log
from typing import Any

from theorytools.errors import DomainError
from theorytools.search.protocols import Choose, Ends, Place, SpaceFace, Variable
from theorytools.search.simplest import contains, first_objects, fraction, simplest, whole

Proposals = Iterator[dict[str, Any] | None]
_BASES = 4  # points of the grid that edges and steps start from
_FURTHEST = 24  # doublings of the joint sizes: beyond them 2^n is no number that can be written
_BEGIN = 5.0  # of them open for the first point
_RANKS = 64  # simple values of one letter that the small points go through
_DENOMINATOR = 16
# the largest double, where sums overflow, the least one, where ulps are 2 and 1, where squares overflow and vanish,
# exponentials of doubles, where 1 / (1 + exp(-x)) is 1, tenths, an ulp beside 1; then those of 32 and 16 bits
_DOUBLES = tuple(map(Fraction, (
    1.7976931348623157e308, 1e308, 5e-324, 2.0**53 + 2, 2.0**53, 1e154, 1e-162, 2.2250738585072014e-308, 1e300, 1e-300,
    710, 746, 37, 709, 1e16, 0.1, 1 + 2**-52, 1 - 2**-53, 2**-53, 1e-8, 1e8, 2**63, 2**31, 2**24 + 1, 3.4e38, 1e-45, 89,
    104, 65504, 2049, 12, 2**1024,
)))  # fmt: skip
_SWEPT = 400  # places of the lists of objects that are gone through at large sizes
_PARTS = 4  # that a move adds to an object, or takes from it, at most
_SHARED = Fraction(1, 2)  # of the letters of a mixed point, that keep their values of the grid
_LARGE = 0.4  # of the joint points have all sizes large together,
_BELOW = 2  # so many doublings below the largest at most


def in_order(values: Mapping[str, Any]) -> Choose:
    """Return a choice that keeps these values where the interval allows them, else takes the nearest end."""
    return lambda variable, ends, point: nearest(variable, ends, point, values.get(variable.name))


def nearest(variable: Variable, ends: Ends, point: Place, value: Any) -> Any:
    """Return the value itself, or the one inside the ends that is next to it; the simplest one for None."""
    if variable.kind == "object":
        assert variable.thing is not None
        fits = value is not None and (not variable.size or variable.thing.size(value) == point[variable.size])
        return value if fits else simplest(variable, ends, point, 0)
    if value is None:
        return simplest(variable, ends, point, 0)
    if variable.kind == "word" or contains(ends, value):
        return value
    if variable.kind == "int":
        low, high = whole(ends)
        last = low if low is not None and value < low else high
        return last if last is None or contains(ends, Fraction(last)) else None
    below = ends.low is not None and value <= ends.low
    end, left_out = (ends.low, ends.open_low) if below else (ends.high, ends.open_high)
    if not left_out or end is None:
        return end
    return fraction(ends, 0) if ends.low is None or ends.high is None else _inside(ends, Fraction(1, 64), low=below)


def _inside(ends: Ends, share: Fraction, *, low: bool) -> Fraction | None:
    """The number this share of the interval away from an end; of an unbounded one this far away."""
    end = ends.low if low else ends.high
    if end is None:
        return None
    span = ends.high - ends.low if ends.low is not None and ends.high is not None else max(abs(end), Fraction(1))
    return end + share * span if low else end - share * span


# -- small values --------------------------------------------------------------------------------------------------
def small(space: SpaceFace) -> Proposals:
    """Propose all points of simple values by the sum of their ranks, so that none is left out for ever."""
    variables = list(space.variables)
    tops = [len(v.values) - 1 if v.kind == "word" else _RANKS for v in variables]
    names = [v.name for v in variables]
    for total in range(sum(tops) + 1):
        for ranks in _compositions(total, tops):
            rank = dict(zip(names, ranks, strict=True))
            yield space.solve(_ranked(rank), random.Random(total), names)


def _ranked(rank: Mapping[str, int]) -> Choose:
    return lambda variable, ends, point: simplest(variable, ends, point, rank[variable.name])


def _compositions(total: int, tops: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All ways to write a total as a sum of ranks, none above its top."""
    if not tops:
        if total == 0:
            yield ()
        return
    rest = sum(tops[1:])
    for first in range(max(0, total - rest), min(total, tops[0]) + 1):
        for others in _compositions(total - first, tops[1:]):
            yield (first, *others)


# -- joint sizes ---------------------------------------------------------------------------------------------------
class Joint:
    """Points at which all letters grow together on a log scale, words and objects crossed with them.

    ``reach`` is how many doublings beyond the grid are open; it grows with each point, unless it is closed again by
    :meth:`close` where such points are too dear.
    """

    def __init__(self, space: SpaceFace, grid: Sequence[Place], rng: random.Random) -> None:
        self.space, self.grid, self.rng = space, grid, rng
        self.reach, self.most = _BEGIN, float(_FURTHEST)
        self._objects = sum(v.kind == "object" for v in space.variables) > 1

    def close(self) -> None:
        """Close the last doubling for good: its points are too dear."""
        self.most = max(self.most / 2, 0.0) if self.most > self.reach else max(self.most - 1, 0.0)
        self.reach = min(self.reach, self.most)

    def __iter__(self) -> Proposals:
        while True:
            yield self.propose()

    def propose(self) -> dict[str, Any] | None:
        """Return one point, or None for a dead end."""
        rng = self.rng
        factor = 2 ** (rng.random() * self.reach)
        self.reach = min(self.reach + 1, self.most)
        row = rng.choice(self.grid) if self.grid and rng.random() < 0.15 else {}
        kept = {name: x for name, x in row.items() if rng.random() < _SHARED and not isinstance(x, str)}
        below = _BELOW if rng.random() < _LARGE else None
        listed = rng.choice((0.0, 0.5, 1.0)) if self._objects else 0.5  # several objects are drawn, or listed, together

        def choose(variable: Variable, ends: Ends, point: Place) -> Any:
            if variable.name in kept:
                return nearest(variable, ends, point, kept[variable.name])
            return scattered(rng, variable, ends, point, factor, below, listed)

        return self.space.solve(choose, rng)


def scattered(
    rng: random.Random, variable: Variable, ends: Ends, point: Place, factor: float, below: int | None = None,
    listed: float = 0.5,
) -> Any:  # fmt: skip
    """Return a random value inside the ends: a size on a log scale up to ``factor`` times the grid, or a fraction.

    With ``below`` a size is no more than so many doublings below the largest; ``listed`` is how often an object is one
    of the first of its kind, and not a drawn one.
    """
    if variable.kind == "word":
        return rng.choice(variable.values)
    if variable.kind == "object":
        return _object(rng, variable, point, listed)
    if rng.random() < 0.125 and (tied := _tied(rng, variable, ends, point)) is not None:
        return tied
    if variable.kind == "int":
        return _size(rng, variable, ends, factor, below)
    return _fraction(rng, variable, ends, factor)


def _object(rng: random.Random, variable: Variable, point: Place, listed: float) -> Any:
    assert variable.thing is not None
    n = point[variable.size] if variable.size else 0
    if rng.random() < listed:
        chosen = first_objects(variable, point).at(int(2 ** (rng.random() * 6)) - 1)
        if chosen is not None:
            return chosen
    try:
        return variable.thing.draw(rng, n)
    except DomainError:  # no object of this size
        return None


def _tied(rng: random.Random, variable: Variable, ends: Ends, point: Place) -> Any:
    """A value equal to that of another letter, next to it, twice or half of it, where one is inside the ends."""
    others = [x for x in point.values() if isinstance(x, int | Fraction) and not isinstance(x, bool)]
    if not others:
        return None
    x = rng.choice(others)
    step = 1 if variable.kind == "int" else Fraction(1, rng.choice((1, 2, 4, 8)))
    value = Fraction(rng.choice((x, x + step, x - step, 2 * x, Fraction(x) / 2, x * x)))
    if variable.kind == "int":
        fits = value.denominator == 1 and contains(ends, value) and abs(value) <= _largest(variable)
        return int(value) if fits else None
    return value if contains(ends, value) else None


def _largest(variable: Variable) -> int:
    """The largest whole number that is tried, unless the hypotheses ask for more."""
    return int(max((abs(Fraction(x)) for x in variable.values), default=Fraction(1)) + 1) << _FURTHEST


def _size(rng: random.Random, variable: Variable, ends: Ends, factor: float, below: int | None = None) -> int | None:
    low, high = whole(ends)
    numbers = [Fraction(x) for x in variable.values if isinstance(x, int | Fraction)]
    top = int(max([Fraction(1), *map(abs, numbers)]) * Fraction(factor))
    if low is None or (low < 0 and (high is None or high > 0)):  # both signs
        bound = top if high is None else min(top, high)
        size = _log_uniform(rng, 0, max(bound, 1))
        value = -size if rng.random() < 0.5 else size
        return value if contains(ends, Fraction(value)) else size if contains(ends, Fraction(size)) else low or high
    bound = max(top, low + int(factor)) if high is None else min(high, max(top, low + int(factor)))
    if bound < low:
        return None
    if below is not None:
        return _log_uniform(rng, max(low, bound >> below), bound)
    size = _log_uniform(rng, low, bound)
    if high is not None and rng.random() < 0.25:
        size = high - (size - low)
    return size


def _log_uniform(rng: random.Random, low: int, high: int) -> int:
    """A whole number of an interval above or at zero, uniform on a log scale; large ones without doubles."""
    if high <= low:
        return low
    start = low if low > 0 else 1
    doublings = (_log2(high + 1) - _log2(start)) * rng.random()
    shift = int(doublings)
    scaled = (start << shift) if shift < 4096 else high
    value = scaled + int(Fraction(2 ** (doublings - shift) - 1) * scaled)
    if low == 0 and rng.random() < 0.05:
        return 0
    return min(max(value, low), high)


def _log2(x: int) -> float:
    shift = max(x.bit_length() - 53, 0)
    return log(x >> shift, 2) + shift


def _fraction(rng: random.Random, variable: Variable, ends: Ends, factor: float) -> Fraction | None:
    turn = rng.random()
    if turn < 0.5:
        return fraction(ends, int(2 ** (rng.random() * 6)) - 1)
    low, high = ends.low, ends.high
    numbers = [Fraction(x) for x in variable.values if isinstance(x, int | Fraction)] or [Fraction(1)]
    top = max(max(abs(x) for x in numbers), Fraction(1)) * Fraction(factor)
    if turn < 0.8:
        a = low if low is not None else min(-top, high - top if high is not None else -top)
        b = high if high is not None else max(top, a + top)
        q = rng.randint(1, _DENOMINATOR)
        least, most = whole(Ends(a * q, b * q, ends.open_low and low is not None, ends.open_high and high is not None))
        if least is None or most is None or most < least:
            return fraction(ends, rng.randrange(8))
        return Fraction(rng.randint(least, most), q)
    near_low = low is not None and (high is None or rng.random() < 0.5)
    if low is None and high is None:
        value = Fraction(2) ** rng.randint(-20, 20) * rng.choice((1, -1))
        return value
    return _inside(ends, Fraction(1, 2 ** rng.randint(1, 24)), low=near_low)


# -- edges and steps -----------------------------------------------------------------------------------------------
def edges(space: SpaceFace, grid: Sequence[Place], rng: random.Random) -> Proposals:
    """Propose each letter at its ends and next to them, the others moved as little as possible; then random corners."""
    yield from _in_turn([_edges_of(space, variable, base, rng) for base in _bases(space, grid)
                         for variable in space.variables if variable.kind in ("int", "rat")])  # fmt: skip
    for _ in count():
        sides = {v.name: rng.random() < 0.5 for v in space.variables}
        inner = rng.choice((0, 0, 0, 1, 2))

        def choose(v: Variable, ends: Ends, point: Place, sides: dict[str, bool] = sides, inner: int = inner) -> Any:
            return _corner(rng, v, ends, point, sides[v.name], inner)

        yield space.solve(choose, rng)


def _bases(space: SpaceFace, grid: Sequence[Place]) -> list[Place]:
    least = space.solve(_ranked(dict.fromkeys((v.name for v in space.variables), 0)), random.Random(0))
    rows = list(grid)
    spread = [rows[k * (len(rows) - 1) // max(_BASES - 1, 1)] for k in range(_BASES)] if rows else []
    bases: list[Place] = [] if least is None else [least]
    for row in spread:
        if row not in bases:
            bases.append(row)
    return bases


def _in_turn(tracks: list[Iterator[Any]]) -> Iterator[Any]:
    while tracks:
        for track in list(tracks):
            try:
                yield next(track)
            except StopIteration:
                tracks.remove(track)


def _edges_of(space: SpaceFace, variable: Variable, base: Place, rng: random.Random) -> Proposals:
    """One letter at an end, one inside, a sixteenth inside and 2^-20 inside; chosen first, and chosen last."""
    others = [v.name for v in space.variables if v.name != variable.name]
    for depth in range(4 if variable.kind == "rat" else 3):
        for low in (True, False):
            for order in ([variable.name, *others], [*others, variable.name]):

                def choose(v: Variable, ends: Ends, point: Place, low: bool = low, depth: int = depth) -> Any:
                    if v.name == variable.name:
                        return _end(v, ends, low, depth)
                    return nearest(v, ends, point, base.get(v.name))

                yield space.solve(choose, rng, order)


def _end(variable: Variable, ends: Ends, low: bool, depth: int) -> Any:
    """The end of an interval, or a number next to it; None where there is no such end."""
    if variable.kind == "int":
        least, most = whole(ends)
        last = least if low else most
        if last is None:
            return None
        beside = last + depth * (1 if low else -1)
        return beside if contains(ends, Fraction(beside)) else None
    end, left_out = (ends.low, ends.open_low) if low else (ends.high, ends.open_high)
    if end is None or (depth == 0 and left_out):
        return None
    shares = (Fraction(0), Fraction(1, 2**20), Fraction(1, 16), Fraction(1))
    if depth == 3:
        value = end + 1 if low else end - 1
        return value if contains(ends, value) else None
    return _inside(ends, shares[depth], low=low)


def _corner(rng: random.Random, variable: Variable, ends: Ends, point: Place, low: bool, inner: int) -> Any:
    if variable.kind in ("word", "object"):
        return scattered(rng, variable, ends, point, 1.0)
    value = _end(variable, ends, low, inner if inner < 2 else rng.randrange(3))
    if value is None:
        value = _end(variable, ends, not low, 0)
    return scattered(rng, variable, ends, point, 2.0) if value is None else value


def steps(space: SpaceFace, grid: Sequence[Place]) -> Proposals:
    """Propose one step beyond the grid in every letter: doubled, and followed by the next number, others kept."""
    for double in (True, False):
        for variable in space.variables:
            numbers = [Fraction(x) for x in variable.values if isinstance(x, int | Fraction)]
            if variable.kind not in ("int", "rat") or not numbers:
                continue
            top = max(numbers)
            rows = [row for row in grid if row.get(variable.name) == top][:_BASES]
            further = 2 * top if double else top + 1
            value = int(further) if variable.kind == "int" and further.denominator == 1 else further
            for row in rows:
                point = space.solve(in_order(row), random.Random(0), fixed={variable.name: value})
                if point is not None:
                    yield point
                    break


def doubles(space: SpaceFace, grid: Sequence[Place]) -> Proposals:
    """Propose each real letter at the edges of floating-point numbers, and at minus these, the others as on the grid.

    There sums, squares, exponentials and differences overflow, vanish, or lose their last digit.
    """
    rows = list(grid)[:_BASES] or [{}]
    names = [variable.name for variable in space.variables if variable.kind == "rat"]
    for size in _DOUBLES:
        for name, value in ((name, value) for name in names for value in (size, -size)):
            yield from (space.solve(in_order(row), random.Random(0), fixed={name: value}) for row in rows)


def sweep(space: SpaceFace) -> Proposals:
    """Propose the lists of the objects in their order at the largest size, at one less, and at three quarters of it.

    Several objects have the same place in their lists, or but one of them goes on and the others stay at the first.
    """
    objects = [v for v in space.variables if v.kind == "object" and v.size]
    sizes = {v.size for v in objects}
    for rank in range(_SWEPT):
        moving: list[str] = [] if len(objects) < 2 else [v.name for v in objects]
        for part in ((1, 0), (1, 1), (Fraction(3, 4), 0)):
            for one in ["", *moving] if rank else [""]:
                yield space.solve(_swept(sizes, rank, one, *part), random.Random(rank), sorted(sizes))


def _swept(sizes: set[str], rank: int, one: str, share: Fraction | int, less: int) -> Choose:
    def choose(variable: Variable, ends: Ends, point: Place) -> Any:
        low, high = whole(ends)
        if variable.name in sizes and high is not None:
            return nearest(variable, ends, point, max(int(high * share) - less, low or 0))
        return simplest(variable, ends, point, rank if variable.kind == "object" and one in ("", variable.name) else 0)

    return choose


# -- moves of good points ------------------------------------------------------------------------------------------
def moved(space: SpaceFace, point: Place, rng: random.Random, some: int = 0) -> dict[str, Any] | None:
    """Return a point with one or two letters moved a little, the others as near as the hypotheses allow.

    Objects grow and shrink with a size that is moved, which is so in every fourth of their moves.
    """
    names = [v.name for v in space.variables]
    sizes = {v.size for v in space.variables if v.size}
    free = names if not sizes or rng.randrange(4) == 0 else [name for name in names if name not in sizes]
    chosen = rng.sample(free, min(len(free), some or rng.choice((1, 1, 2))))
    order = [*chosen, *(name for name in names if name not in chosen)]

    def choose(variable: Variable, ends: Ends, made: Place) -> Any:
        value = point.get(variable.name)
        if variable.kind == "object" and (resized := _resized(rng, variable, made, value)) is not value:
            return resized
        if variable.name in chosen:
            if variable.name in sizes:
                return nearest(variable, ends, made, point[variable.name] + rng.choice((1, -1, 1, -1, 2, -2)))
            value = _near(rng, variable, ends, made, value)
        return nearest(variable, ends, made, value)

    return space.solve(choose, rng, order)


def _resized(rng: random.Random, variable: Variable, point: Place, value: Any) -> Any:
    """An object made larger or smaller, part by part, to the size that a point asks for; itself where it has it."""
    thing, size = variable.thing, point[variable.size] if variable.size else None
    if thing is None or value is None or size is None or abs(thing.size(value) - size) > _PARTS:
        return value
    while value is not None and thing.size(value) != size:
        if thing.size(value) > size:
            value = rng.choice(list(islice(thing.smaller(value), _RANKS)) or [None])
        else:
            grow = getattr(thing, "larger", None)
            value = None if grow is None else grow(rng, value)
    return simplest(variable, Ends(), point, 0) if value is None else value


def _near(rng: random.Random, variable: Variable, ends: Ends, point: Place, value: Any) -> Any:
    if variable.kind == "word":
        return rng.choice(variable.values)
    if variable.kind == "object":
        assert variable.thing is not None
        fits = value is not None and (not variable.size or variable.thing.size(value) == point[variable.size])
        return variable.thing.near(rng, value) if fits else None
    if variable.kind == "int":
        if rng.random() < 0.5:
            return value + rng.choice((1, -1))
        scaled = int(Fraction(exp(rng.gauss(0, log(2)))) * value)
        if abs(scaled) > max(_largest(variable), abs(value)):
            return None
        return scaled if scaled != value else value + rng.choice((1, -1))
    width = Fraction(1, 2 ** rng.randint(0, 10)) * max(abs(value), Fraction(1))
    low, high = value - width, value + width
    a = low if ends.low is None else max(low, ends.low)
    b = high if ends.high is None else min(high, ends.high)
    return fraction(Ends(a, b, a == ends.low and ends.open_low, b == ends.high and ends.open_high), rng.randrange(4))
