"""The tour of a search: several orders of points, taken in turn, each of which stops where its points become dear."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, islice
from math import prod

from theorytools.claims.judging.point import outside
from theorytools.claims.judging.region import Axis, Listed, along, joint_edges
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.grid import Value, axis_value

Axes = dict[str, Value]
Values = Callable[[Axis], Listed]
_MEMORY = 2**18  # KiB by which one evaluation may raise the peak of the process before its track ends
_BASES = 4  # points of the grid from which the others are reached
_NOISE = 0.005  # seconds below which two evaluations are not compared
_REACH, _FACTOR = 10_000, 100  # how far an axis grows where no time is given
_DOUBLED = 64  # nobody lists 2^64 objects: where a size is as large as this, the work is no exponential of it
_SHARE = Fraction(2, 5)  # of the operations that the grid and its controls ask for, the search's
_LEFT = Fraction(1, 2)  # operations that are left to it after its steps
_NEXT = 4  # whole numbers tried after the largest size


@dataclass(frozen=True)
class Spent:
    """Seconds and KiB of peak memory of one evaluation."""

    seconds: float
    memory: int

    @classmethod
    def begin(cls) -> Spent:
        """Return a start."""
        return cls(time.perf_counter(), _peak())

    def end(self) -> Spent:
        """Return what was spent since this start."""
        now = Spent.begin()
        return Spent(now.seconds - self.seconds, now.memory - self.memory)


def _peak() -> int:
    """Return the peak memory of the process in KiB, 0 where the system does not tell: then time alone ends a track."""
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class Work:
    r"""The budget of a search that goes with a verdict, in operations that depend on nothing but the claim.

    One operation is to make and measure the object of the grid's largest point.  A point with the whole sizes :math:`x`
    takes :math:`w=\prod\max(|x|,1)` over the same of the largest point, as if work were linear in each size.  The grid
    asks for :math:`(1+k)\sum w` operations with its :math:`k` controls, and the search is allowed 2/5 of these.  Its
    steps beyond the grid, one for each letter, are taken in any case and counted; half an operation is left to what
    lies beside the grid whatever they took.  An end of a hypothesis is looked at in any case and does not count: where
    it is so large that sizes would forbid it, the claim says itself that it can be judged there.

    Attributes
    ----------
    allowed, spent : operations.
    left_out : how many points were not judged because what was left did not suffice.
    """

    def __init__(self, claim: Claim, axes: Mapping[str, Axis]) -> None:
        self._whole, self._largest = [name for name, axis in axes.items() if axis.integral], Fraction(1)
        grid = [self.of(dict(point)) for point in claim.grid]
        self._largest = max(grid)
        asked = (1 + len(claim.controls)) * sum(grid) / self._largest
        self.allowed, self.spent, self.left_out = _SHARE * asked, Fraction(0), 0

    def of(self, point: Mapping[str, Value]) -> Fraction:
        """Return the operations of one point."""
        return prod((max(abs(Fraction(point[name])), Fraction(1)) for name in self._whole), start=1 / self._largest)

    def leave(self) -> None:
        """Leave half an operation at least, after the steps."""
        self.allowed = max(self.allowed, self.spent + _LEFT)

    def admits(self, point: Mapping[str, Value]) -> bool:
        """Whether what is left suffices for a point; count it where not."""
        enough = self.spent + self.of(point) <= self.allowed
        self.left_out += not enough
        return enough


class Track:
    """One order of points.

    ``growing`` says that each is larger than the one before along one axis, ``ends`` that they are ends of hypotheses,
    up to which the claim says that it can be judged.
    """

    def __init__(self, points: Iterator[Axes], *, growing: bool = False, ends: bool = False) -> None:
        self.points, self.growing, self.ends = points, growing, ends
        self.last = 0.0
        self.ended = False

    def paid(self, spent: Spent, left: float | None) -> None:
        """End the track where its next point may take more than an eighth of the time that is left.

        Points grow by half: a cost that is polynomial in the size grows by one factor each time, an exponential one by
        the square of the last factor, which is what is expected here.
        """
        expected = spent.seconds
        if self.growing and self.last:
            factor = max(spent.seconds, _NOISE) / max(self.last, _NOISE)
            expected *= max(factor, 1.5) ** 2
        self.last = spent.seconds
        if (left is not None and expected > left / 8) or spent.memory > _MEMORY:
            self.ended = True


def tour(
    claim: Claim, axes: Mapping[str, Axis], *, timed: bool = True, judged: bool = False
) -> Iterator[tuple[Track, Axes]]:
    """Yield points with the track they are on: edges of the hypotheses, the grid, then all other tracks in turn.

    Where values were read for the points of the grid alone, these are all points.  Where no time ends the growth of an
    axis (``timed`` is False), it ends at 10,000 or a hundred times the grid.  Where the grid has been ``judged``, few
    points are left to try: then it is left out, and edges take their turn with the small values and the neighbours, so
    that a hypothesis that was forgotten is met as well as one that is too weak.
    """
    if judged and not claim.fixed:
        tracks = [
            Track(_edges(claim, axes), ends=True),
            Track(diagonal(axes, _reached)),
            *_neighbours(claim, axes, _reached),
        ]
        yield from _in_turn(tracks)
        return
    first = [Track(iter([dict(point) for point in claim.grid]))]
    if not claim.fixed:
        first.insert(0, Track(_edges(claim, axes)))
    for track in first:
        yield from ((track, point) for point in track.points)
    if claim.fixed:
        return
    yield from _in_turn([Track(diagonal(axes)), *_neighbours(claim, axes), *_growing(claim, axes, timed)])
    yield from ((Track(iter(())), point) for point in _anywhere(axes))


def _in_turn(tracks: list[Track]) -> Iterator[tuple[Track, Axes]]:
    """One point of each track after the other, until each has ended."""
    while tracks:
        for track in list(tracks):
            point = None if track.ended else next(track.points, None)
            if point is None:
                tracks.remove(track)
            else:
                yield track, point


def _bases(claim: Claim, axes: Mapping[str, Axis]) -> list[Axes]:
    """The point of least values, and the first points of the grid."""
    return [{name: axis.small[0] for name, axis in axes.items()}, *_rows(claim, axes)]


def _rows(claim: Claim, axes: Mapping[str, Axis]) -> list[Axes]:
    """The first points of the grid that the hypotheses on axes allow, else the first ones moved to their ends."""
    rows = [dict(point) for point in claim.grid]
    allowed = (row for row in rows if outside(claim, claim.point(row, "")) is None)
    moved = [{name: axes[name].nearest(value) for name, value in row.items()} for row in rows[:_BASES]]
    return list(islice(allowed, _BASES)) or moved


def _edges(claim: Claim, axes: Mapping[str, Axis]) -> Iterator[Axes]:
    """Ends of the hypotheses on one letter, and edges of those on several, from the grid and from the least point."""
    least, *rows = _bases(claim, axes)
    for name, axis in axes.items():
        for edge in [] if axis.words else axis.edges():
            yield from ({**row, name: edge} for row in (least, *rows))
    for base in (least, *rows):
        for point in joint_edges(claim, axes, base):
            yield dict(point)


def steps(claim: Claim, axes: Mapping[str, Axis]) -> Iterator[tuple[str, list[Axes]]]:
    """For every numeric letter, points at which it is one step beyond the grid, none twice as large and more.

    Its other letters are those of the first points at which the grid has its largest value; what an equation among the
    hypotheses ties to it moves along.  A whole number of 64 and more is doubled, or followed by the next ones; a
    smaller one is followed by the next ones, since the work may be an exponential of it; a fraction is doubled, or goes
    half of the way to its end.  So the work of a step is told by sizes, never by a clock.  Points outside the
    hypotheses on axes are left out; a letter without a point has no step.
    """
    listed = {getattr(letter, "name", letter) for letter in claim.listed}
    for name, axis in () if claim.fixed else axes.items():
        if axis.words or name in listed:
            continue
        last = [dict(p) for p in claim.grid if p[name] == axis.values[-1]][:_BASES]
        found: list[Axes] = []
        for value in _next(axis):
            for row in last:
                point = along(claim, {**row, name: value}, {name})
                if point not in found and point[name] == value and outside(claim, claim.point(point, "")) is None:
                    found.append(point)
                    break
        if found:
            yield name, found


def _next(axis: Axis) -> list[Value]:
    """The values that a step beyond the grid may take, the first choice first."""
    top = axis.values[-1]
    if axis.integral:
        doubled = [2 * top] if top >= _DOUBLED else []
        tried = [*doubled, *(top + k for k in range(1, _NEXT + 1))]
    else:
        tried = [2 * top] if top > 0 else []
        tried += [] if axis.high is None else [(top + axis.high) / 2]
    return [axis_value(x, axis.name) for x in dict.fromkeys(tried) if x > top and axis.inside(x)]


def _small(axis: Axis) -> Listed:
    return axis.small


def _reached(axis: Axis) -> Listed:
    """The small values that cost no more than those of the grid: none is larger, and no fraction smaller."""
    return axis.small if axis.words else Listed(_within(axis))


def _within(axis: Axis) -> Iterator[Value]:
    """The numbers of :func:`_reached`; the first small one where there is none."""
    low, high, none = (0 if axis.integral else axis.values[0]), axis.values[-1], True
    for x in axis.small:
        if low <= x <= high or x in (0, 1):  # type: ignore[operator]  # no words
            none = False
            yield x
        elif axis.integral and abs(x) > max(high, 1):  # type: ignore[operator, arg-type]  # by size: none follows
            break
    if none:
        yield axis.small[0]


def _neighbours(claim: Claim, axes: Mapping[str, Axis], small: Values = _small) -> list[Track]:
    """One axis of a point of the grid replaced by its small values, simplest first."""
    rows = _rows(claim, axes)
    return [Track(_over(rows, name, small(axis)), growing=axis.integral) for name, axis in axes.items()]


def _over(rows: list[Axes], name: str, values: Iterable[Value]) -> Iterator[Axes]:
    return ({**row, name: value} for value in values for row in rows)


def diagonal(axes: Mapping[str, Axis], small: Values = _small) -> Iterator[Axes]:
    """All points of small values by the sum of their ranks, so that none is left out for ever."""
    lists = [small(axis) for axis in axes.values()]
    for total in count():
        tops = [total if values.has(total) else len(values) - 1 for values in lists]  # none is made before its rank
        if sum(tops) < total:  # each list has ended, and the sums of its ranks too
            return
        for ranks in _compositions(total, tops):
            yield {name: values[rank] for name, values, rank in zip(axes, lists, ranks, strict=True)}


def _compositions(total: int, tops: list[int]) -> Iterator[tuple[int, ...]]:
    if len(tops) == 1:
        if total <= tops[0]:
            yield (total,)
        return
    rest = sum(tops[1:])
    for first in range(max(0, total - rest), min(total, tops[0]) + 1):
        for others in _compositions(total - first, tops[1:]):
            yield (first, *others)


def _growing(claim: Claim, axes: Mapping[str, Axis], timed: bool) -> list[Track]:
    """For every axis, its values beyond the grid at the first points; then all integer axes together."""
    numeric = {name: axis for name, axis in axes.items() if not axis.words}
    tracks = []
    least, *rows = _bases(claim, axes)
    for name, axis in numeric.items():
        furthest = None if timed else max(Fraction(_REACH), _FACTOR * axis.values[-1])
        values = [v for v in axis.grown() if furthest is None or Fraction(v) <= furthest]
        tracks += [Track(_over([base], name, values), growing=True) for base in (rows[0], least)]
    if len(numeric) > 1:
        tracks.append(Track(_together(rows[0], numeric, 10**9 if timed else _FACTOR), growing=True))
    return tracks


def _together(base: Axes, axes: Mapping[str, Axis], furthest: int) -> Iterator[Axes]:
    """All integer axes half as large again each time, each up to its end."""
    factor = Fraction(1)
    while factor < furthest:
        factor *= Fraction(3, 2)
        scaled = {n: Fraction(base[n]) * factor for n, a in axes.items() if a.integral and base[n] != 0}
        kept = {n: axis_value(round(v), n) for n, v in scaled.items() if axes[n].inside(Fraction(round(v)))}
        if not kept:
            return
        yield {**base, **kept}


def _anywhere(axes: Mapping[str, Axis]) -> Iterator[Axes]:
    """Points drawn from one fixed stream, numbers on a log scale up to ten times the grid."""
    rng = random.Random(0)
    for _ in range(20_000):
        point: Axes = {}
        for name, axis in axes.items():
            if axis.words or not axis.integral:
                point[name] = rng.choice(axis.small)
                continue
            top = 10 * axis.values[-1] if axis.high is None else axis.high
            span = max(float(top - axis.least), 0.0) + 2  # its power is less than it, and the top is drawn too
            point[name] = axis_value(int(axis.least) + int(span ** rng.random()) - 1, name)
        yield point
