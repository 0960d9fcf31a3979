"""One search: points inside the hypotheses, in several orders by turns, until one fails; then it is made simpler.

The search knows nothing of claims: it asks ``judge`` for each point, and ``price`` for what a point would take before
it is judged.  What ends it is a number of points or of operations, the same on every machine; a clock only where one is
given.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from theorytools.search.climb import Climbs
from theorytools.search.proposal_orders import Joint, doubles, edges, moved, small, steps, sweep
from theorytools.search.protocols import Found, Judge, Place, Result, SpaceFace
from theorytools.search.shrink import shrink

# one point of each in turn; small values are where most errors of statements lie, joint sizes where proofs end
TURNS = ("joint", "small", "joint", "edges", "joint", "steps", "sweep", "small", "joint", "fresh", "joint", "climb")
BARREN, DEAR = 400, 40  # proposals of one track without a point, after which it ends; with a budget of work they count
BARE = 24  # points that say nothing, after which a search ends that meets few others
KEPT = 8  # points beside the grid that are judged with other samples
_EARLY = 60  # points before lists of large objects are gone through: small ones come first
_ACCEPTED = 64  # judged points that are kept to be moved
_IDLE = 16
_EARLY_SHARE, _LATE_SHARE = 1 / 100, 1 / 10  # of the time of a search that one point may take, where a clock ends it
_SHARE = 4  # a point that takes more than this part of what is left is left out
_END: Any = object()


class Search:
    """A search of a space for a point at which a judge says ``false``.

    Parameters
    ----------
    space : the points inside the hypotheses.
    judge : judges a point with one of its samples.
    grid : the points of the statement's own grid, tried first unless they have been ``judged``.
    evaluations : the largest number of points judged.
    work : operations that may be spent, by ``price``; None for no limit.
    price : what a point would take, in operations; 1 for each unless given.
    seed : by what the draws of the search are keyed: equal keys propose equal points in every process.
    judged : the grid has been judged.
    first : points that are tried before all others.
    seconds : a clock beside the budget; for a verdict None.
    shrinks : the largest number of points judged to make a violation simpler.
    fresh : how many other samples of the grid are judged before all else.
    only_grid : propose no point beside the grid, only other samples of it.
    resampled : whether points that draw are judged again with other samples.
    each : operations that one point may take, beside the budget of all.
    before : a search of the same space that has ended: what it judged is not judged again, its lists go on where they
        ended, and the points nearest to failing are moved on.
    """

    def __init__(
        self, space: SpaceFace, judge: Judge, grid: Sequence[Place], *, evaluations: int, work: float | None = None,
        price: Callable[[Place], float] | None = None, seed: str = "", judged: bool = False,
        first: Sequence[Place] = (), seconds: float | None = None, shrinks: int = 200, fresh: int = 0,
        only_grid: bool = False, resampled: bool = True, each: float | None = None,
        before: Search | None = None,
    ) -> None:  # fmt: skip
        self.space, self.judge, self.grid = space, judge, [dict(row) for row in grid]
        self.evaluations, self.work, self.price, self.seconds = evaluations, work, price, seconds
        self.judged_before, self.first, self.shrinks, self.seed = judged, list(first), shrinks, seed
        self.fresh, self.only_grid, self.resampled, self.each = fresh, only_grid, resampled, each
        self.found = Found()
        self._names = [v.name for v in space.variables]
        self._seen: set[Any] = set()
        self._climbs = Climbs(space, self._rng_of("climb"))
        self._accepted: list[dict[str, Any]] = []
        self._drawing: list[tuple[dict[str, Any], int]] = []  # points that draw, with the sample that is next
        self._binding: set[Any] = set()  # points of which a sample was outside a hypothesis on what is drawn
        self._turn = self._floats = False
        self._tally: dict[str, list[int]] = {}  # of each track, points that say something and that do not
        self._cheapest = 1.01 * min((price(row) for row in self.grid), default=0.0) if price and (work or each) else 0.0
        self.left_out = 0
        self._tracks: dict[str, Iterator[Any]] = {}
        if before is not None:
            self._seen, self._accepted, self._tracks = before._seen, before._accepted, before._tracks
            self._climbs = before._climbs
            self._climbs.space = space
            self._drawing, self._binding = before._drawing, before._binding
        self._begun = time.perf_counter()
        self._rng = {name: self._rng_of(name) for name in {*TURNS, "moved", "doubles"}}
        self._joint = Joint(space, self.grid, self._rng["joint"])

    def _rng_of(self, name: str) -> random.Random:
        return random.Random(f"{self.seed} {name}")

    # -- the turns -------------------------------------------------------------------------------------------------
    def run(self) -> Found:
        """Search until a point fails, or the budget ends; return what was done."""
        found = self.found
        for track, point, sample in self._proposals():
            if self._ended():
                break
            result = self.judge(point, sample)
            self._note(track, point, sample, result)
            if result.status == "false":
                found.first, found.first_sample, found.track, found.ended = point, sample, track, "found"
                self._shrink(point, sample)
                break
        else:
            found.ended = found.ended or ("work" if self.left_out else "exhausted")
        return found

    def _ended(self) -> bool:
        found = self.found
        if found.proposals >= self.evaluations:
            found.ended = "evaluations"
        elif self.work is not None and (found.work >= self.work or self.left_out > 4 * self.evaluations):
            found.ended = "work"
        elif (wasted := found.outside + found.refused + found.open) >= max(BARE, self.evaluations // 5) and (
            wasted > 4 * found.judged
        ):
            found.ended = "barren"
        elif self.seconds is not None and found.proposals and time.perf_counter() - self._begun > self.seconds:
            found.ended = "seconds"
        return bool(found.ended)

    def _proposals(self) -> Iterator[tuple[str, dict[str, Any], int]]:
        """Yield each point once, with its track and the number of its sample."""
        for row in self.grid:
            if self.judged_before and self._key(row, 0) not in self._seen:
                self._seen.add(self._key(row, 0))
                self._drawing += [(row, 1)] * self.resampled
        grid = [] if self.judged_before else self.grid
        for name, point in [*(("first", dict(one)) for one in self.first), *(("grid", one) for one in grid)]:
            if self._new(point, 0):
                yield name, dict(point), 0
        for _ in range(self.fresh):
            if (again := self._fresh()) is not None:
                yield ("fresh", *again)
        tracks = self._begin()
        idle = 0  # rounds without a point: what is left waits for others
        while idle < _IDLE:
            idle += 1
            for turn in self._turns():
                if turn == "fresh":
                    if (again := self._fresh()) is not None:
                        idle = 0
                        yield ("fresh", *again)
                    continue
                if turn not in tracks or (turn == "climb" and self._climbs.idle()) or self._wasting(turn):
                    continue
                following = self._next(turn, tracks[turn])
                if following is None:
                    del tracks[turn]
                else:
                    idle = 0
                    yield turn, following, 0

    def _begin(self) -> dict[str, Iterator[Any]]:
        """The tracks; the lists of an earlier search go on."""
        if self.only_grid:
            return {}
        if not self._tracks:
            self._tracks = {"steps": steps(self.space, self.grid), "small": small(self.space),
                            "edges": edges(self.space, self.grid, self._rng["edges"]),
                            "sweep": sweep(self.space), "doubles": doubles(self.space, self.grid)}  # fmt: skip
        return {**self._tracks, "joint": iter(self._joint), "climb": iter(self._climbs)}

    def widened(self) -> None:
        """Let a search that goes on from this one begin its lists anew: objects may be larger."""
        self._tracks = {}

    def _next(self, turn: str, track: Iterator[Any]) -> dict[str, Any] | None:
        """The next new point of a track that is not too dear; None where it has ended."""
        for _ in range(BARREN if self.work is None else DEAR):
            if turn == "joint" and self._barren():
                point = moved(self.space, self._rng["moved"].choice(self._accepted), self._rng["moved"])
            else:
                point = next(track, _END)
            if point is _END:
                return None
            if point is None or not self._new(point, 0, keep=False):
                continue
            if self._dear(point):
                self.left_out += 1
                if turn == "joint":
                    self._joint.close()
                continue
            self._seen.add(self._key(point, 0))
            return point
        return None

    def _wasting(self, turn: str) -> bool:
        """Whether a track meets few points of the statement: then it takes one turn of four."""
        good, bad = self._tally.get(turn, (0, 0))
        return bad > good + 2 and len(self._accepted) > 1 and self._rng[turn].random() < 0.75

    def _barren(self) -> bool:
        """Whether a fifth of the points were no points of the statement: then good ones are moved, mostly."""
        found = self.found
        wasted = found.outside + found.refused + found.open
        return len(self._accepted) > 1 and 5 * wasted > found.proposals and self._rng["moved"].random() < 0.8

    def _dear(self, point: Place) -> bool:
        """Whether a point takes more than is left, or more than its part of it and than the cheapest of the grid."""
        if self.price is None:
            return False
        price = self.price(point)
        if self.work is None:
            return self.each is not None and price > max(self.each * self._part(), self._cheapest)
        left = self.work - self.found.work
        return price > left or price > max(left / _SHARE, self._cheapest)

    def _part(self) -> float:
        """The part of the time that one point may take: little in the first half, so that dear ones come last."""
        late = self.seconds is None or time.perf_counter() - self._begun > self.seconds / 2
        return _LATE_SHARE if late else _EARLY_SHARE

    def _turns(self) -> Iterator[str]:
        """The tracks in turn; while moves of objects and of fractions gain, one after each other point."""
        objects = any(v.kind == "object" and v.size for v in self.space.variables)
        for turn in TURNS:
            early = self.found.proposals < _EARLY
            yield "joint" if turn == "sweep" and (early or not objects) else turn
            if turn in ("edges", "fresh") and self._floats:
                yield "doubles"
            if turn != "climb" and self._climbs.gaining():
                yield "climb"

    def _fresh(self) -> tuple[dict[str, Any], int] | None:
        """A point that draws, with a sample of it that was not judged."""
        if not self._drawing:
            return None
        point, sample = self._drawing.pop(self._next_drawing())
        if self._dear(point):
            self.left_out += 1
            return None
        self._drawing.append((point, sample + 1))
        return point, sample

    def _next_drawing(self) -> int:
        """The place of the point whose turn it is; every other time one where a hypothesis on what is drawn binds.

        If that hypothesis is missing, or too weak, a sample on its far side fails there and nowhere else.
        """
        self._turn = not self._turn
        binding = (k for k, (point, _) in enumerate(self._drawing) if self._key(point, 0) in self._binding)
        return next(binding, 0) if self._turn else 0

    # -- what was judged -------------------------------------------------------------------------------------------
    def _key(self, point: Place, sample: int) -> Any:
        return (*(point.get(name) for name in self._names), sample)

    def _new(self, point: Place, sample: int, *, keep: bool = True) -> bool:
        key = self._key(point, sample)
        if key in self._seen:
            return False
        if keep:
            self._seen.add(key)
        return True

    def _note(self, track: str, point: dict[str, Any], sample: int, result: Result) -> None:
        found = self.found
        if sample and result.status == "true" and not result.drawn:  # the same again: no point, and no look
            found.work += self._taken(point, result)
            self._drawing = [one for one in self._drawing if one[0] != point]
            return
        found.proposals += 1
        self._floats = self._floats or result.floats
        self._tally.setdefault(track, [0, 0])[result.status not in ("true", "false")] += 1
        found.work += self._taken(point, result)
        if result.status in ("outside", "refused", "open"):
            found.other(result.status, result.note)
            binds = result.status == "outside" and result.drawn
            if binds:
                self._binding.add(self._key(point, 0))
                if not sample and len(self._drawing) < KEPT + len(self.grid):
                    self._drawing.append((point, 1))
            elif sample:  # where a point is no point, other samples are none
                self._drawing = [one for one in self._drawing if one[0] != point]
            return
        found.judged += 1
        found.reached(point)
        if sample:
            found.samples += 1
        elif result.drawn and len(self._drawing) < KEPT + len(self.grid):
            self._drawing.append((point, 1))
        if len(self._accepted) < _ACCEPTED:
            self._accepted.append(point)
        if result.margin is not None:
            self._climbs.note(track == "climb", point, result.margin)

    def _taken(self, point: Place, result: Result) -> int:
        return result.work or (1 if self.price is None else int(self.price(point)))

    def _shrink(self, point: dict[str, Any], sample: int) -> None:
        found = self.found

        def fails(other: Place) -> bool:
            found.shrinking += 1
            result = self.judge(other, sample)
            found.work += result.work
            return result.status == "false"

        late = None if self.seconds is None else self._begun + max(2 * self.seconds, self.seconds + 1)
        found.point = shrink(self.space, point, fails, most=self.shrinks, late=late)
        found.sample = sample


def simplified(
    space: SpaceFace, judge: Judge, point: Place, *, sample: int = 0, most: int = 200
) -> tuple[dict[str, Any] | None, Result]:
    """Return a simpler point that fails as well as this one, and how this one was judged; None where it does not fail.

    Parameters
    ----------
    space, judge : as of :class:`Search`.
    point : a point that somebody brings.
    sample : the number of its sample.
    most : the largest number of points judged.
    """
    result = judge(point, sample)
    if result.status != "false":
        return None, result
    return shrink(space, dict(point), lambda other: judge(other, sample).status == "false", most=most), result
