r"""Look for a point, or an object, that violates a statement; shrink it; confirm it with the whole budget.

Points are tried on the edges of the hypotheses first, then the small ones around the grid, ever larger ones on a log
scale, each point once.  The error probability is divided by the number of evaluations allowed before the search
begins, so a sampled violation is one at the claim's own level however many points were tried.
"""

from __future__ import annotations

import contextlib
import numbers
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from theorytools.arguments.values import checked_integer
from theorytools.claims.judging.point import UNJUDGED, Judgement, measure_point, outside
from theorytools.claims.judging.region import Axis
from theorytools.claims.judging.tracks import Spent, Work, diagonal, steps, tour
from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Budget, Evidence
from theorytools.claims.language.grid import Point, axis_text
from theorytools.errors import DomainError, TheoryError
from theorytools.salts import salted

EVALUATIONS = 2000
FRESH = "fresh"  # the salt of the objects that a search draws beside those that were judged
_LOOKS = 4  # points looked at for each point within the hypotheses
_SMALLEST = 128  # points of least size that are tried when a violation is simplified
_FEW = 64  # integers that are tried one by one when a violation is simplified
_DRAWN = 8  # objects that are drawn where the grid has been judged: the other points are steps beyond it
_SEARCH_BITS, _SEARCH_SAMPLES = 256, 20_000


@dataclass(frozen=True)
class Search:
    """What a search found: the violating row at the simplest point, or nothing in so many evaluations.

    ``region`` says for every axis how far the points inside the hypotheses reached: ``{"low", "high", "values"}`` as
    exact texts and a count, or ``{"words", "values"}``.  ``outside`` counts points where a hypothesis fails, ``open``
    those that could not be judged (too much work, undefined, an error of the check), ``failure`` is the first reason.
    ``spent`` is the error probability of what was drawn.
    ``refused`` counts those of the points outside at which the construction refuses to exist, ``refusal`` is the first
    reason.
    ``steps`` says for each letter how far beyond the grid a point was judged, where the points of the grid had been.
    ``work`` are the operations that such a search was allowed and spent, and the points that it left out for it.
    ``fresh`` counts the objects drawn anew at the points of the grid, where the engine draws.
    """

    id: str
    evaluations: int
    outside: int
    seconds: float
    row: Row | None = None
    thing: str = ""
    open: int = 0
    failure: str = ""
    region: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    spent: float = 0.0
    refused: int = 0
    refusal: str = ""
    steps: Mapping[str, str] = field(default_factory=dict)
    work: Work | None = None
    fresh: int = 0

    @property
    def judged(self) -> int:
        """How many points were decided or tried to be: those neither outside nor open."""
        return self.evaluations - self.outside - self.open

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        row = None if self.row is None else self.row.to_json()
        return {"id": self.id, "evaluations": self.evaluations, "outside": self.outside, "open": self.open,
                "failure": self.failure, "region": {name: dict(part) for name, part in self.region.items()},
                "seconds": round(self.seconds, 3), "violation": row, "object": self.thing}  # fmt: skip


def falsify(
    claim: Claim, id: str, *, evaluations: int = EVALUATIONS, seconds: float | None = None, judged: bool = False,
    beyond: Iterable[Mapping[str, Any]] | None = None, least: Evidence = Evidence.FITTED,
) -> Search:  # fmt: skip
    """Search the hypotheses of a claim for a violation.

    Parameters
    ----------
    claim, id : the claim and its id (seeds are keyed by it).
    evaluations : the largest number of points judged; fixed in advance, because it divides the error probability.
    seconds : stop earlier when this much time has passed, but not before the first point.  An axis then grows as long
        as its next point may be expected to take less than an eighth of the time left; without it, to 10,000 or a
        hundred times the grid.
    judged : the points of the grid have been judged and are left out.  Then ``evaluations`` counts the points within
        the hypotheses, and at most four times as many are looked at; the first are one step beyond the grid, in one
        letter after another, with the object that the claim constructs there.  The others have what these leave of
        the budget of :class:`Work`: a point that takes more is left out, and a smaller one follows.
    beyond : points that are tried, and no others; of a claim that draws objects they only say that the search goes
        where the check was not written for: no error there is the check's.  It also ends when as many points were
        refused or left open as it may judge.
    least : the weakest evidence of a row that counts as a violation.

    Returns
    -------
    Search
        With the violating row at the simplest point found, re-judged with the claim's whole budget, and the region
        that was searched.

    Raises
    ------
    DomainError : ``evaluations`` is no integer of at least 1, or ``seconds`` no finite number of at least 0.
    """
    evaluations = checked_integer("evaluations", evaluations, least=1, why="the error probability is divided by them")
    seconds = _checked_seconds(seconds)
    hunt = _Hunt(claim, id, evaluations, seconds, judged, least)
    hunt.beyond = beyond is not None
    if judged and beyond is None:
        hunt.work = Work(claim, hunt.axes)
    with contextlib.suppress(_Finished):
        if judged and beyond is None and (_hunt_draws(hunt) or claim.fixed or _hunt_steps(hunt)):
            raise _Finished
        if claim.search is not None:
            _hunt_objects(hunt)
        elif beyond is not None:
            _hunt_listed(hunt, beyond)
        else:
            _hunt_points(hunt)
    if hunt.error is not None and not hunt.judged and beyond is None:
        raise hunt.error
    row = hunt.confirm()
    drawn = None if row is None or hunt.best is None else hunt.best[1]
    thing = "" if drawn is None else repr(drawn)
    return Search(
        id, hunt.evaluated, hunt.outside, time.perf_counter() - hunt.started, row, thing, hunt.open, hunt.failure,
        hunt.region(), spent=hunt.spent, refused=hunt.refused, refusal=hunt.refusal, steps=hunt.steps, work=hunt.work,
        fresh=hunt.fresh,
    )  # fmt: skip


def _checked_seconds(seconds: Any) -> float | None:
    if seconds is None:
        return None
    real = isinstance(seconds, numbers.Real) and not isinstance(seconds, bool)
    if not real or not 0 <= seconds <= sys.float_info.max:
        raise DomainError(
            f"seconds = {seconds!r:.60}", required="a finite number of seconds >= 0, or None",
            why="the search ends when they have passed", advice="seconds=10; None for no limit",
        )  # fmt: skip
    return float(seconds)


class _Finished(BaseException):
    """The time or the evaluations are used up; no ``Exception``, which hypothesis would take for a finding."""


class _Hunt:
    """The predicate of the search, with a count of its evaluations and the simplest violation so far."""

    def __init__(
        self, claim: Claim, id: str, evaluations: int, seconds: float | None, judged: bool, least: Evidence
    ) -> None:
        self.claim, self.id, self.limit, self.seconds, self.short = claim, id, evaluations, seconds, judged
        self.least = least
        self.check = ".".join(id.split(".")[:2])
        # one more than the evaluations: the violation found is judged once again, with other looks
        self.alpha, self.spent = claim.budget.alpha / ((evaluations + 1) * len(claim.quantities)), 0.0
        self.started, self.evaluated, self.outside, self.open = time.perf_counter(), 0, 0, 0
        self.refused, self.refusal = 0, ""
        self.failure, self.error = "", None  # type: tuple[str, Exception | None]
        self.best: tuple[Point, Any] | None = None
        self.judged: list[Point] = []
        self.steps: dict[str, str] = {}
        if claim.witnesses:  # another value is another witness, and no violation
            claim = self.claim = replace(claim, listed=[*claim.listed, *claim.witnesses])
        self.fresh = 0
        self.axes = {name: Axis.of(claim, name) for name in claim.grid.axes}
        self.work: Work | None = None
        grid = [*claim.grid] if judged else []
        self.seen = {tuple(point[name] for name in claim.grid.axes): False for point in grid}
        full = claim.budget
        small = Budget(min(_SEARCH_BITS, full.bits), min(_SEARCH_SAMPLES, full.samples), full.alpha)
        self.beyond = self.stepping = False  # the points lie where the check was not written for
        self.quick = replace(claim, budget=small)

    def left(self) -> float | None:
        """The seconds that are left, where they are limited."""
        return None if self.seconds is None else self.seconds - (time.perf_counter() - self.started)

    def violates(self, candidate: tuple[Point, Any], *, end: bool = False) -> bool:
        """Whether a point with its object violates the claim; where the budget of work does not suffice it is left out.

        A step beyond the grid and an ``end`` of the hypotheses are looked at in any case.
        """
        left = self.left()
        late = left is not None and left <= 0 and self.evaluated > 0  # the first point is tried in any case
        tried = len(self.judged) if self.short else self.evaluated
        barren = self.beyond and self.refused + self.open >= self.limit
        if late or barren or tried >= self.limit or self.evaluated >= _LOOKS * self.limit:
            raise _Finished
        point, outside = candidate[0], self.outside
        work = None if end or self.best is not None else self.work  # what was found is simplified whatever it takes
        if work is not None and not self.stepping and not work.admits(point.axes):
            if work.left_out >= _LOOKS * self.limit:
                raise _Finished
            return False
        found = self._false_row(candidate, self.quick, brief=True) is not None
        if work is not None and self.outside == outside:
            work.spent += work.of(point.axes)
        if found:
            self.best = candidate
        return found

    def at(self, axes: Mapping[str, Any], *, end: bool = False) -> bool:
        """Whether a point without an object violates the claim; each is evaluated once."""
        key = tuple(axes[name] for name in self.claim.grid.axes)
        if key not in self.seen:
            self.seen[key] = False
            self.seen[key] = self.violates((self.claim.point(axes, self.check), None), end=end)
        return self.seen[key]

    def _false_row(self, candidate: tuple[Point, Any], claim: Claim, *, brief: bool = False) -> Row | None:
        point, thing = candidate
        if thing is not None:
            claim = replace(claim, construct=lambda p: thing)
        self.evaluated += 1
        bench = Judgement(claim, self.alpha, brief=brief)
        try:
            honest = measure_point(bench, point)
        except (*UNJUDGED, Exception) as error:
            self._note(point, error, drawn=thing is not None)
            return None
        finally:
            self.spent += bench.spent
        if honest.skipped is not None:
            self.open += honest.open
            self.outside += not honest.open
            self.refused += honest.refused
            if honest.refused:
                self.refusal = self.refusal or f"at {point}: {' '.join(honest.skipped.split())}"[:300]
            elif honest.open:
                self.failure = self.failure or f"at {point}: {' '.join(honest.skipped.split())}"[:300]
            return None
        self.judged.append(point)
        return next((row for row in honest.rows if row.truth is False and row.evidence >= self.least), None)

    def _note(self, point: Point, error: Exception, *, drawn: bool) -> None:
        """Count a point that could not be judged; the check's own mistake at a point of its grid is raised."""
        own = drawn or dict(point.axes) in [*self.claim.grid]
        if own and not (self.beyond or self.stepping) and not isinstance(error, (*UNJUDGED, TheoryError)):
            raise error
        self.open += 1
        self.failure = self.failure or f"{type(error).__name__} at {point}: {' '.join(str(error).split())}"[:300]
        if not isinstance(error, TheoryError) and not self.stepping:
            self.error = self.error or error

    def confirm(self) -> Row | None:
        """Judge the simplest violation once more with the claim's whole budget."""
        if self.best is None:
            return None
        row = self._false_row(self.best, self.claim)
        self.evaluated -= 1
        return row

    def region(self) -> dict[str, dict[str, Any]]:
        """How far the judged points reached on every axis."""
        found: dict[str, dict[str, Any]] = {}
        for name in self.claim.grid.axes if self.judged else ():
            values = {point.axes[name] for point in self.judged}
            numbers = sorted(v for v in values if not isinstance(v, str))
            if numbers:
                found[name] = {"low": axis_text(numbers[0]), "high": axis_text(numbers[-1]), "values": len(values)}
            else:
                found[name] = {"words": sorted(map(str, values)), "values": len(values)}
        return found


def _hunt_points(hunt: _Hunt) -> None:
    """Try the points of the tour until one violates the claim; then the simpler ones around it."""
    axes = hunt.axes
    costs: dict[tuple[Any, ...], Spent] = {}
    for track, point in tour(hunt.claim, axes, timed=hunt.seconds is not None, judged=hunt.short):
        if hunt.work is not None:  # what ends this search is no clock, and nothing else of the machine
            if hunt.at(point, end=track.ends):
                _simplify(hunt, axes, point)
                return
            continue
        key, outside_before, spent = tuple(point[name] for name in axes), hunt.outside, Spent.begin()
        found = hunt.at(point)
        if hunt.outside == outside_before:
            track.paid(costs.setdefault(key, spent.end()), hunt.left())
        else:
            costs[key] = Spent(0.0, 0)
        if found:
            _simplify(hunt, axes, point)
            return


def _hunt_steps(hunt: _Hunt) -> bool:
    """Try the first point that can be judged one step beyond the grid, letter by letter; whether one violates.

    A refused point is followed by the next one; where one is too much work, a larger one is too.
    """
    axes, hunt.stepping = hunt.axes, True
    for name, points in steps(hunt.claim, axes):
        least: Any = None  # the size at which a point was left open
        for point in points:
            if least is not None and point[name] > least:
                break
            judged, left = len(hunt.judged), hunt.open
            if hunt.at(point):
                if hunt.claim.search is None:
                    _simplify(hunt, axes, point)
                return True
            if len(hunt.judged) > judged:
                hunt.steps[name] = axis_text(point[name])
                break
            least = point[name] if hunt.open > left else least
    hunt.stepping = False
    if hunt.work is not None:
        hunt.work.leave()
    return False


def _hunt_draws(hunt: _Hunt) -> bool:
    """Draw other objects at the points of the grid, as many as there; whether one violates the claim.

    They are looked at beside the points of the search and do not count as such.
    """
    claim = hunt.claim
    if not claim.drawn or claim.draw is None:
        return False
    kept = hunt.evaluated, hunt.outside, hunt.open, hunt.refused, hunt.failure, list(hunt.judged)
    for axes in claim.grid:
        point = claim.point(axes, hunt.check)
        with salted(FRESH):
            row = hunt._false_row((point, None), hunt.quick, brief=True)
            if row is not None:
                hunt.best = point, claim.draw(point.rng(f"draw {row.measured.work['draw']}"), point)
        hunt.fresh += claim.draws
        if row is not None:
            break
    hunt.evaluated, hunt.outside, hunt.open, hunt.refused, hunt.failure, hunt.judged = kept
    return hunt.best is not None


def _hunt_listed(hunt: _Hunt, points: Iterable[Mapping[str, Any]]) -> None:
    """Try the points given and no others; then make the numbers of one that violates the claim smaller, one by one."""
    for point in points:
        hunt.seen.pop(tuple(point[name] for name in hunt.claim.grid.axes), None)  # judged where a hypothesis held
        if hunt.at(point):
            best = dict(point)
            while (less := next((p for p in _lesser(best) if hunt.at(p)), None)) is not None:
                best = less
            return


def _lesser(point: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The point with one number replaced by a simpler one."""
    for name, value in point.items():
        if not isinstance(value, str):
            simpler = [n for n in (0, 1, 2, 3, value // 2) if n < value or (n == 0 and value < 0)]
            yield from ({**point, name: n} for n in dict.fromkeys(simpler))


def _simplify(hunt: _Hunt, axes: Mapping[str, Axis], point: Mapping[str, Any]) -> None:
    """Look among the smallest points, then for one axis after another for the simplest value that still violates."""
    if hunt.claim.fixed:
        return
    simplest = (small for small in islice(diagonal(axes), _SMALLEST) if hunt.at(small))
    best = dict(next(simplest, point))
    while True:
        before = dict(best)
        for name, axis in axes.items():
            for value in axis.small[: _FEW if axis.integral else None]:
                if value == best[name] or (axis.integral and value >= best[name] > 0):
                    break
                if hunt.at({**best, name: value}):
                    best[name] = value
                    break
            else:
                best[name] = _halved(hunt, best, name, axis)
        if best == before:
            hunt.best = (hunt.claim.point(best, hunt.check), None)
            return


def _halved(hunt: _Hunt, best: Mapping[str, Any], name: str, axis: Axis) -> Any:
    """A value beyond the smallest ones: the least that halving the distance to them reaches."""
    if not axis.integral:
        return best[name]
    good, bad = best[name], axis.small[:_FEW][-1]
    while isinstance(good, int) and isinstance(bad, int) and good - bad > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if hunt.at({**best, name: middle}) else (good, middle)
    return good


def _hunt_objects(hunt: _Hunt) -> None:
    """Let hypothesis draw a point and an object for it, and shrink both."""
    from hypothesis import HealthCheck, Phase, find, settings
    from hypothesis.errors import Flaky, NoSuchExample, Unsatisfiable

    short = hunt.short and not hunt.beyond
    options = settings(
        max_examples=min(hunt.limit, _DRAWN) if short else hunt.limit, database=None, deadline=None, derandomize=False,
        phases=[Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    # these mean that nothing was found, or that the limit came while shrinking; hunt.best keeps what was found
    with contextlib.suppress(Flaky, NoSuchExample, Unsatisfiable), _keyed_draws(), _nothing_left_behind():
        key = random.Random(f"falsify {hunt.id}")
        find(_objects(hunt.claim, hunt.check), hunt.violates, settings=options, random=key)


@contextlib.contextmanager
def _keyed_draws() -> Iterator[None]:
    """Let draws depend on their key alone: hypothesis also tries constants that it reads in modules outside
    site-packages, so that the same search would meet other objects in another folder.
    """
    try:
        from hypothesis.internal.conjecture.providers import HypothesisProvider

        provider: Any = HypothesisProvider
        usual = provider._maybe_draw_constant
    except (ImportError, AttributeError):  # a version without such constants
        yield
        return
    provider._maybe_draw_constant = lambda *args, **kwargs: None
    try:
        yield
    finally:
        provider._maybe_draw_constant = usual


@contextlib.contextmanager
def _nothing_left_behind() -> Iterator[None]:
    """Let hypothesis keep its tables in a folder that is removed: by default it makes one where the user stands."""
    from hypothesis import configuration

    before = getattr(configuration, "__hypothesis_home_directory", None)
    with tempfile.TemporaryDirectory() as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(before)


def _objects(claim: Claim, check: str) -> Any:
    """The strategy: axes inside the univariate hypotheses, up to twice the grid, then an object."""
    from hypothesis import reject
    from hypothesis import strategies as st

    axes: dict[str, Any] = {}
    for name in claim.grid.axes:
        axis = Axis.of(claim, name)
        top = 2 * axis.values[-1] if axis.values else None
        near = [v for v in axis.small if isinstance(v, str) or top is None or v <= max(top, axis.least)]
        axes[name] = st.sampled_from(near or axis.small)

    @st.composite
    def candidate(draw: Any) -> tuple[Point, Any]:
        point = claim.point({name: draw(strategy) for name, strategy in axes.items()}, check)
        # an object is drawn only where the hypotheses hold: elsewhere it need not exist
        if outside(claim, point) is not None or claim.search is None:
            return point, None
        try:
            return point, claim.search(draw, point)
        except DomainError:  # no such object here
            reject()
            raise

    return candidate()
