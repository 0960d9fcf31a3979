r"""Look for a point that violates a statement; make it simpler; confirm it with the whole budget.

``verify`` and ``falsify`` share one search (:mod:`theorytools.search`).  The error probability is divided by the number
of evaluations allowed before the search begins, so a sampled violation is one at the claim's own level however many
points were tried; of round :math:`k` of a longer search it is the part :math:`6/(\pi k)^2`.
"""

from __future__ import annotations

import contextlib
import contextvars
import gc
import math
import numbers
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

from theorytools.arguments.checked import BODY, checked
from theorytools.arguments.values import checked_integer
from theorytools.claims.judging.drawn_objects import hunt_objects
from theorytools.claims.judging.price import CALL, DOUBLED, FURTHER, Exceeded, Price, counted, known
from theorytools.claims.judging.searching import ClaimSpace, Judging, rows
from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Evidence
from theorytools.claims.language.grid import axis_text
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.counted import read_counted
from theorytools.claims.papers.loading import load
from theorytools.claims.papers.work import Work, declared
from theorytools.errors import DomainError
from theorytools.numbers import at_precision, working_precision
from theorytools.search.hunt import Search, simplified
from theorytools.search.protocols import Found, Place, Result

EVALUATIONS = 2000
SHRINKS = 200  # points judged to make a violation simpler
_FUSE = 8  # times its price that a point beyond the grid may take, before it is left open
_OPERATIONS = 3e6  # that any point may take
_LARGE, _SHORT = 16, 600  # the size that objects go to with a clock, after a first round of so many points
_WIDE = 2e8  # operations with which objects are tried at all sizes, each ended where it takes too much
_OBJECTS = 8  # that take too much before none of their size is judged,
_OBJECT, _POINT = 0.03, 0.1  # of the time that one of them may take, and any other point beside the grid
_TIMED = 16  # times the grid that sizes go to with a clock, where the work may be an exponential of them
_RATE = 10**8  # operations a second
_AGAIN = 5.0  # seconds after which an alarm that was lost is given again
_FOR_EVER = 15.0  # processor seconds after which a point ends in any case
DRAWN = 8  # objects that a claim's own search draws where the grid has been judged


@checked
@dataclass(frozen=True)
class Findings:
    """What a search found: the violating row at the simplest point, or nothing in so many evaluations.

    Attributes
    ----------
    id : of the claim.
    row : the violation, judged with the claim's whole budget; None where none was found.
    evaluations : points proposed.
    outside : those where a hypothesis fails, or that the construction refuses; of these ``refused`` are the latter,
        and ``refusal`` is the first reason.
    open : those that could not be judged (too much work, undefined, an error of the check); ``failure`` is the first
        reason.
    region : for every axis how far the points inside the hypotheses reached: ``{"low", "high"}`` as exact texts, or
        ``{"words", "values"}``.
    first : the violation before it was made simpler; ``track`` says which order of points met it.
    thing : the object of a violation that ``search=`` drew, in words.
    samples : further samples judged at points that draw; ``sample`` is the number of the one that violates.
    spent : error probability of what was drawn; ``most`` is the number of looks by which it was divided.
    work : operations spent; ``left_out`` counts the points that were too dear.
    ended : what ended the search.
    fitted : whether the violation is one of a fitted constant of growth, so that another constant may hold.
    seconds : that it took.
    unnumbered : where a double of the check was no number or too large for one first; empty: nowhere.

    Examples
    --------
    >>> Findings("my.lemma", 12, 2, 0.1, region={"N": {"low": "1", "high": "4096"}}).tried
    '12 points tried, 2 outside the hypotheses'
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
    most: int = 0
    refused: int = 0
    refusal: str = ""
    samples: int = 0
    sample: int = 0
    first: Mapping[str, str] = field(default_factory=dict)
    track: str = ""
    work: float = 0.0
    left_out: int = 0
    ended: str = ""
    fitted: bool = False
    unnumbered: str = ""

    @property
    def judged(self) -> int:
        """How many points were decided or tried to be: those neither outside nor open."""
        return self.evaluations - self.outside - self.open

    @property
    def tried(self) -> str:
        """How many points were tried, and what became of those that say nothing."""
        said = [f"{self.evaluations} point{'s' * (self.evaluations != 1)} tried"]
        counts = {"outside the hypotheses": self.outside - self.refused, "refused": self.refused,
                  "not judged": self.open, "with fresh draws": self.samples}  # fmt: skip
        return ", ".join(said + [f"{count} {word}" for word, count in counts.items() if count])

    @property
    def searched(self) -> tuple[str, ...]:
        """For every axis how far the points inside the hypotheses reached: ``"N in 1 to 4096"``."""
        said = []
        for name, part in self.region.items():
            if "words" in part and len(part["words"]) > 8 and all(word[:1] in '[{"' for word in part["words"]):
                said.append(f"{len(part['words']):,} objects {name}")
            elif "words" in part:
                few = [word if len(word) <= 40 else word[:37] + "..." for word in part["words"][:8]]
                more = f" and {len(part['words']) - 8} more" if len(part["words"]) > 8 else ""
                said.append(f"{name} in {', '.join(few)}{more}")
            else:
                said.append(f"{name} in {part['low']} to {part['high']}")
        return tuple(said)

    @property
    def word(self) -> str:
        """What a violation is called."""
        return "unresolved, another constant may hold: fails" if self.fitted else "VIOLATED"

    def __str__(self) -> str:
        row = self.row
        if row is None:
            return "; ".join([f"{self.id}: no violation found ({self.tried})", *self.searched])
        return (
            f"{self.id}: {self.word} at {row.place} ({row.evidence.name.lower()}): {row.assertion}, measured "
            f"{row.measured}, bound {' … '.join(map(str, row.bound))} ({self.tried})"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        row = None if self.row is None else self.row.to_json()
        return {"id": self.id, "evaluations": self.evaluations, "outside": self.outside, "refused": self.refused,
                "open": self.open, "failure": self.failure,
                "region": {name: dict(part) for name, part in self.region.items()}, "samples": self.samples,
                "ended": self.ended, "seconds": round(self.seconds, 3), "violation": row, "object": self.thing,
                "sample": self.sample, "first": dict(self.first), "track": self.track,
                "fitted": self.fitted}  # fmt: skip


@checked
def falsify(
    claim: Claim | str, id: str = "", *, evaluations: Annotated[int, BODY] = EVALUATIONS,
    seconds: Annotated[float | None, BODY] = None, judged: bool = False, first: Sequence[Mapping[str, Any]] = (),
    least: Evidence = Evidence.FITTED, work: Sequence[Work] = (),
    operations: Callable[[Price], float] | float | None = None, elsewhere: bool = False,
    price: Annotated[Price | None, BODY] = None,
    furthest: Mapping[str, int] | None = None, checks: str | Path | None = None,
) -> Findings:  # fmt: skip
    """Search the hypotheses of a claim for a violation, and make what is found simpler.

    Parameters
    ----------
    claim : a claim, or the id of one.
    id : of a claim that is given as an object: seeds are keyed by it, as in :func:`theorytools.judge`; its label
        unless given.
    evaluations : the largest number of points judged; fixed in advance, because it divides the error probability.
    seconds : search in rounds of that many until this much time has passed, but judge one point in any case; without
        it points and operations end the search, at the same point on every machine.
    judged : the points of the grid have been judged and are left out.
    first : points that are tried before all others.
    least : the weakest evidence of a row that counts as a violation.
    work : what the claim declares of the work of a point.
    operations : what all points together may take, a number or by the price of a point; without a clock and without
        it a second for each hundred evaluations.
    elsewhere : the points lie where the check was not written for: no error there is the check's.
    price : what a point takes; by ``work`` and the grid unless given.
    furthest : for a letter of whole numbers the largest value that is tried.
    checks : where ``claim`` is an id, a folder of checks; the library's own unless given.

    Returns
    -------
    Findings
        With the violating row at the simplest point found, re-judged with the claim's whole budget, and the region
        that was searched.  Finding nothing proves nothing.

    Raises
    ------
    DomainError : ``evaluations`` is no integer of at least 1, ``seconds`` no finite number of at least 0, no point
        satisfies the hypotheses, or no claim has the id.

    Examples
    --------
    >>> import sympy
    >>> from theorytools import Control, Quantity, grid, letter
    >>> N = letter("N", "a number", integer=True, positive=True)
    >>> size = Quantity("size", "N", "the number itself")
    >>> claim = Claim(
    ...     "The logarithm keeps up", asserts=size <= sympy.log(N) ** 4, grid=grid(N=[16, 1024]), requires=[N >= 16],
    ...     construct=lambda p: p.N, measure=lambda n, p: {size: n},
    ...     controls=[Control("the third power", asserts=[size <= sympy.log(N) ** 3], breaks=size, where=N >= 256)],
    ... )
    >>> found = falsify(claim, seconds=10)
    >>> found.row.point, found.row.truth, found.row.evidence.name
    ({'N': '5504'}, False, 'ENCLOSED')
    """
    if isinstance(claim, str):
        entry = Catalogue(find_roots(checks)).one(claim)
        claim, id = load(entry), entry.id
        work = work or declared(entry, claim)
        price = price or (None if work else known(claim, read_counted(entry.folder).get(id)))
    id = id or claim.label
    if price is not None and not isinstance(price, Price):
        raise DomainError(f"price = {price!r:.60}", required="None, or a Price of a claim",
                          why="it tells which points are too dear")  # fmt: skip
    evaluations = checked_integer("evaluations", evaluations, least=1, why="the error probability is divided by them")
    seconds = _checked_seconds(seconds)
    started = time.perf_counter()
    hunt = _Hunt(
        claim, id, evaluations, judged, first, least, work, operations, elsewhere, started, seconds, price, furthest
    )
    hunt.rounds()
    if hunt.judging.error is not None and not (hunt.total.judged or elsewhere or judged):
        raise hunt.judging.error
    return hunt.findings()


def bring(claim: Claim, id: str, axes: Mapping[str, Any], *, sample: int = 0) -> Findings:
    """Judge a point that somebody brings, and make it simpler where it violates the claim.

    Raises
    ------
    DomainError : the point lies outside the hypotheses, the construction refuses it, or it cannot be judged there.
    """
    started = time.perf_counter()
    axes = {n: claim.things[n].thing(x).member if n in claim.things else x for n, x in axes.items()}
    furthest = {name: value for name, value in axes.items() if isinstance(value, int)}  # simpler ones are no larger
    hunt = _Hunt(claim, id, 1, False, (), Evidence.FITTED, (), None, True, started, None, furthest=furthest)
    hunt.allowed = None  # whoever brings a point wants it judged
    if not hunt.space.named(axes):
        raise DomainError(
            f"the point {', '.join(f'{k} = {v}' for k, v in axes.items())} of {id}",
            required="a letter that the statement names, or that some binds, with a value of the grid",
            why="another value fails another statement: what exists is exhibited by the grid",
            advice=f"theorytools show {id}",
        )  # fmt: skip
    point, result = simplified(hunt.space, hunt.judge, axes, sample=sample, most=SHRINKS)
    if result.status not in ("true", "false"):
        raise DomainError(
            f"the point {', '.join(f'{k} = {v}' for k, v in axes.items())} of {id}: {result.note}",
            required="a point within the hypotheses that can be judged", why="a violation elsewhere says nothing",
            advice=f"theorytools show {id}",
        )  # fmt: skip
    found = hunt.total
    found.proposals = found.judged = 1
    found.ended = "brought"
    if point is not None:
        found.first, found.point, found.sample, found.track = dict(axes), point, sample, "brought"
    return hunt.findings()


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


class _Late(BaseException):
    """The time is over in the middle of a point; no ``Exception``, which a check might catch."""


@contextlib.contextmanager
def _alarm(seconds: float | None) -> Iterator[None]:
    """Let the clock end a point after so many seconds, where the system and the thread allow it.

    It repeats after a while, since an exception that meets the collection of garbage is lost; not at once, or it would
    meet what the first one is undoing.  Without a clock a point ends after a while of processor time all the same,
    which no point within its price comes near to.
    """
    able = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not able:
        yield
        return
    timer, number = (signal.ITIMER_PROF, signal.SIGPROF) if seconds is None else (signal.ITIMER_REAL, signal.SIGALRM)
    seconds = _FOR_EVER if seconds is None else seconds

    def late(signal_number: int, frame: Any) -> None:
        raise _Late

    before = signal.signal(number, late)
    others = signal.setitimer(timer, max(seconds, 0.05), _AGAIN)  # a caller's own alarm goes on afterwards
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)
        signal.setitimer(timer, *others)


def _apart(function: Callable[[], Any], seconds: float | None) -> Any:
    """Return what a function returns, ended by the clock; one that is ended leaves no trace.

    It may be ended anywhere, also where it puts back what it had changed: the salt of its draws and who collects them
    (they are of its own context), the precision of balls, who counts its calls, who hears of collections.
    """
    counting, collecting, own = sys.getprofile(), list(gc.callbacks), contextvars.copy_context()

    def limited() -> Any:
        with _alarm(seconds):
            return own.run(function)

    try:
        return at_precision(working_precision(), limited)
    finally:
        sys.setprofile(counting)
        gc.callbacks[:] = collecting


class _Hunt:
    """One call of :func:`falsify`: its space, its judge, its rounds, and all that was done in them."""

    def __init__(
        self, claim: Claim, id: str, evaluations: int, judged: bool, first: Sequence[Mapping[str, Any]],
        least: Evidence, work: Sequence[Work], operations: Any, elsewhere: bool, started: float, seconds: float | None,
        price: Price | None = None, furthest: Mapping[str, int] | None = None,
    ) -> None:  # fmt: skip
        self.claim, self.id, self.evaluations, self.grid_judged = claim, id, evaluations, judged
        self.first, self.elsewhere, self.started, self.seconds = list(first), elsewhere, started, seconds
        self.check = ".".join(id.split(".")[:2])
        self.most = evaluations + SHRINKS + 1
        self.judging = Judging(claim, self.check, self._alpha(1), least=least, lenient=elsewhere)
        self.price = price or Price(claim, self._counted, work, judged=judged)
        self.allowed = operations(self.price) if callable(operations) else operations
        if self.allowed is None and seconds is None:
            self.allowed = evaluations * _RATE / 100
        self.furthest = {**self._furthest(), **(furthest or {})}
        self.space = ClaimSpace(claim, self.furthest)
        self.total, self.left_out = Found(), 0
        self.dearest = max(self.price(dict(point)) for point in claim.grid)
        self.ranges = {v.name: (min(v.values), max(v.values)) for v in self.space.variables if v.kind == "rat"}
        self.objects = any(v.kind == "object" for v in self.space.variables)
        self.too_much: list[Place] = []  # points that took more than they may
        self.thing: Any = None
        self.begun, self.before = False, None  # type: bool, Search | None
        self._refuse_nothing()

    def _refuse_nothing(self) -> None:
        """Refuse hypotheses that no point satisfies: nothing would be searched, and every statement would hold."""
        if self.space.space.contradiction() and (text := ClaimSpace(self.claim).space.contradiction()):
            raise DomainError(
                f"the hypotheses of {self.id}: {text}", required="at least one point that satisfies all of them",
                why="of no point at all every statement is true", advice="turn one of the relations round",
            )  # fmt: skip

    def _alpha(self, number: int) -> float:
        """The error probability of each look of a round; those of all rounds together do not exceed the claim's."""
        share = 1.0 if self.seconds is None else 6 / (math.pi * number) ** 2
        return share * self.claim.budget.alpha / (self.most * len(self.claim.quantities))

    def _furthest(self) -> dict[str, int]:
        """Where the work may be an exponential of a size, small sizes are followed by the next few and not doubled."""
        if not self.price.steep:
            return {}
        found, sized = {}, {v.size for v in ClaimSpace(self.claim).variables if v.size}
        steps = {self.claim.run.horizon} if self.claim.run is not None else set()  # one after the other, to a limit
        for name in (n for n in self.claim.grid.axes if n not in steps):
            values = [x for point in self.claim.grid if isinstance(x := point[name], int)]
            if len(values) == len(self.claim.grid):
                top = max(values)
                timed = self.seconds is not None  # then a point that takes too long is ended
                ended = timed or (name in sized and (self.allowed or 0) >= _WIDE)  # what an object takes is its own
                found[name] = _TIMED * top if ended else top + FURTHER if top < DOUBLED else 2 * top
        return found

    def left(self) -> float | None:
        return None if self.seconds is None else self.seconds - (time.perf_counter() - self.started)

    # -- rounds ----------------------------------------------------------------------------------------------------
    def rounds(self) -> None:
        """Search once, or with a clock until its time is over, each time with other draws."""
        number, self.total.ended = 1, ""
        while True:
            before = self.total.proposals
            self._round(number)
            left = self.left()
            again = self.total.first is None and left is not None and left > 0 and self.total.proposals > before
            if not again or self.total.ended == "barren":  # others would say as little
                return None
            number += 1
            self.judging.alpha = self._alpha(number)

    def _round(self, number: int) -> None:
        if self.claim.search is not None:
            most = DRAWN if self.grid_judged else self.evaluations
            found, thing = hunt_objects(self.claim, self.space, self.judging, most, f"{self.id} {number}", self.left)
            self.thing = thing
            self.total.add(found)
            if found.first is not None:
                return
        if number == 2 and self.before is not None and self._grows:
            self.space = ClaimSpace(self.claim, self.furthest, least=self._grows)
            self.before.widened()
        tops = {v.name: v.high for v in self.space.variables if v.kind == "int" and v.high is not None}
        first = [p for p in self.first if self._asked or self._told(p, tops)]
        search = Search(
            self.space, self.judge, rows(self.claim), evaluations=self._most(number), work=self.allowed,
            price=self.price, each=None if self.seconds is None else _RATE * max(self.seconds, 1.0),
            seed=f"{self.id} {number}" if number > 1 else self.id,
            judged=self.grid_judged or number > 1, first=first if number == 1 else (), seconds=self.left(),
            shrinks=SHRINKS, fresh=len(self.claim.grid) if self.claim.drawn else 0, only_grid=self.claim.fixed,
            resampled=not self.claim.witnessed, before=self.before,
        )  # fmt: skip
        self.before = search
        self.total.add(search.run())
        self.left_out += search.left_out

    def _most(self, number: int) -> int:
        """The points of a round; with a clock the first one of objects is short, for the next have larger ones."""
        return min(self.evaluations, _SHORT) if number == 1 and self._grows and self.seconds else self.evaluations

    @property
    def _grows(self) -> int:
        """The size up to which objects go whatever the grid has, 0 where there are none with a size."""
        return min(
            (getattr(stand.kind, "wide", _LARGE) for stand in self.claim.things.values() if stand.size), default=0
        )

    @property
    def _asked(self) -> bool:
        """Whether the points that are tried first were asked for one by one, and not where a trend may end."""
        return self.elsewhere or not self.grid_judged

    def _told(self, axes: Place, tops: Mapping[str, Fraction]) -> bool:
        """Whether a point is no larger than its work may be told, and takes no more than its part of the budget."""
        small = all(not isinstance(axes[n], int) or axes[n] <= top for n, top in tops.items())
        return small and (self.allowed is None or self.price(axes) <= self.allowed / 4)

    def _counted(self, axes: Place) -> None:
        """Judge a point of the grid again for its price: the same draws are no further look."""
        spent = self.judging.spent
        try:
            self.judging(axes)
        finally:
            self.judging.spent = spent

    # -- one point ---------------------------------------------------------------------------------------------------
    def judge(self, axes: Place, sample: int) -> Result:
        """Judge a point; beyond the sizes of the grid it may take so many times what it is expected to, and no more."""
        if self._known_dear(axes):
            return Result("open", note=f"at {_text(axes)}: a smaller point took more work than it may")
        if self.allowed is None or self._usual(axes):
            return self._timed(axes, sample)
        price = self.price(axes)
        most = max(min(_FUSE * price, max(self.allowed / 4, price)), _OPERATIONS) / CALL
        try:
            return self._in_calls(axes, sample, most)
        except (Exceeded, _Late) as end:
            self._too_much(axes)
            what = "ended by the clock" if isinstance(end, _Late) else f"more than {most:.0e} calls"
            return Result("open", work=int(CALL * most), note=f"at {_text(axes)}: {what}")

    def _in_calls(self, axes: Place, sample: int, most: float) -> Result:
        """Judge a point in so many calls.

        The first point of its kind has sympy make what a later one finds made, which may be more than the least that
        any point may take; how much more is chance (the order of a set).  So one that is ended there is judged again,
        with the same draws, which is no further look.
        """

        def once() -> Result:
            return _apart(lambda: counted(lambda: self.judging(axes, sample), most)[1], None)  # type: ignore[no-any-return]

        spent = self.judging.spent
        try:
            return once()
        except Exceeded:
            if most > _OPERATIONS / CALL:
                raise
        self.judging.spent = spent
        return once()

    def _usual(self, axes: Place) -> bool:
        """Whether a point is like those of the grid: no dearer than they are, and no fraction outside their range.

        Where the work may be an exponential, it is so where one of them is as large in every whole number.
        """
        for name, (low, high) in self.ranges.items():
            if not low <= axes[name] <= high:
                return False
        if self.price.steep:
            names = [name for name, value in axes.items() if isinstance(value, int)]
            return any(_within(axes, row, names) for row in rows(self.claim))
        return self.price(axes) <= 1.01 * self.dearest

    def _timed(self, axes: Place, sample: int) -> Result:
        """Judge a point; with a clock it may take a quarter of what is left, and else no point as large follows."""
        left = self.left()
        most = None if left is None else max(left, 0.0) / (4 if self.total.proposals or self.begun else 1)
        if most is not None and self.begun and not self._usual(axes):
            most = min(most, (_OBJECT if self.objects else _POINT) * max(self.seconds or 0.0, 1.0))
        self.begun = True
        try:
            return _apart(lambda: self.judging(axes, sample), most)  # type: ignore[no-any-return]
        except _Late:
            self._too_much(axes)
            return Result("open", note=f"at {_text(axes)}: ended by the clock")

    def _known_dear(self, axes: Place) -> bool:
        """Whether a point is at least as large in every whole number as one that took too much, or as some of them
        where it is an object that takes more or less work than another of its size.
        """
        names = [name for name, value in axes.items() if isinstance(value, int)]
        known = sum(_within(dear, axes, names) and dict(axes) != dict(dear) for dear in self.too_much if names)
        return known >= (_OBJECTS if self.objects else 1)

    def _too_much(self, axes: Place) -> None:
        """Note a point that took more than it may, unless one of the grid is larger: then work is not told by size."""
        names = [v.name for v in self.space.variables if v.kind == "int"]
        if not any(_within(axes, row, names) for row in rows(self.claim)):
            self.too_much.append(axes)

    # -- what came of it ---------------------------------------------------------------------------------------------
    def findings(self) -> Findings:
        found, row = self.total, None
        if found.ended == "exhausted" and self.price.steep and not self.claim.fixed:
            found.ended = "steep"
        if found.point is not None:
            row = self._confirmed(found)
        thing = "" if self.thing is None else repr(self.thing)
        return Findings(
            self.id, found.proposals, found.outside + found.refused, time.perf_counter() - self.started, row, thing,
            open=found.open, failure=found.notes.get("open", ""), region=self._region(), spent=self.judging.spent,
            most=self.most, refused=found.refused, refusal=found.notes.get("refused", ""), samples=found.samples,
            sample=found.sample, track=found.track, work=float(found.work), left_out=self.left_out, ended=found.ended,
            first={} if found.first is None else self.claim.point(found.first, self.check).text(),
            fitted=row is not None and row.assertion in self.claim.fitted, unnumbered=self.judging.unnumbered,
        )  # fmt: skip

    def _confirmed(self, found: Found) -> Row | None:
        """Judge the simplest violation once more with the claim's whole budget, and the first one where it fails."""
        for point in (found.point, found.first):
            assert point is not None
            row = self.judging.row(point, found.sample, whole=True, thing=self.thing)[1]
            if row is not None:
                return row
        return None

    def _region(self) -> dict[str, dict[str, Any]]:
        """How far the judged points reached on every axis."""
        found: dict[str, dict[str, Any]] = {}
        for name, part in self.total.reach.items():
            if isinstance(part, tuple):
                found[name] = {"low": axis_text(part[0]), "high": axis_text(part[1])}
            else:
                words = sorted({str(self.claim.value(name, value)) for value in part})
                found[name] = {"words": words, "values": len(part)}
        return found


def _within(small: Place, large: Place, names: Sequence[str]) -> bool:
    """Whether a point is no larger than another in these letters; words, which have no size, are the same."""
    pairs = [(small[name], large[name]) for name in names]
    return all(a <= b if isinstance(a, int) and isinstance(b, int) else a == b for a, b in pairs)


def _text(axes: Place) -> str:
    return ", ".join(f"{name}={value}" for name, value in axes.items())
