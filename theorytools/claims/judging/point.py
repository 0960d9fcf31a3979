"""One point of a claim: hypotheses, construction, measurement, and a row for each assertion."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import sympy

from theorytools.arguments.exhausted import exhausted
from theorytools.claims.judging.draws import counted, worst
from theorytools.claims.judging.hypotheses import conditions, failing, letters, outside, without_value
from theorytools.claims.judging.row import Comparison, bound_ladders, vacuous
from theorytools.claims.judging.rows_of_a_run import Track, told
from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.assertion import Assertion
from theorytools.claims.language.bound import as_recipe, expression, recipe
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.control import Control
from theorytools.claims.language.draw import objects
from theorytools.claims.language.estimate import Estimate, Evidence
from theorytools.claims.language.grid import Point
from theorytools.claims.language.ladder import Ladder
from theorytools.claims.language.measured import by_quantity
from theorytools.claims.language.quantity import Quantity
from theorytools.claims.language.running import Course, Run, course
from theorytools.claims.papers.work import Work
from theorytools.errors import (
    BudgetError,
    CertificateError,
    CheckError,
    DomainError,
    MissingPackageError,
    RecordError,
    TheoryError,
    UndecidedError,
)
from theorytools.numbers import working_precision

# what keeps a point from being judged without being a mistake in the check
UNJUDGED = (
    BudgetError, CertificateError, RecordError, UndecidedError, ZeroDivisionError, OverflowError, FloatingPointError,
    MemoryError,
)  # fmt: skip


@dataclass
class Judgement:
    """What all points of one run of one claim share: budget, error probability per row, what was spent.

    ``user`` says that the points are not the claim's own: one that cannot be judged is then left open by itself.
    ``brief`` says that only the truth of a row is asked for: its power, its shifts and whether its bound says anything
    are not looked for, which are several more climbs.  ``powers`` says whether the first two are looked for otherwise.
    ``fresh`` says that a run begins anew and is not kept, so that it is seen whether it is the same run again.
    ``work`` is what the claim declares of its work: a point beyond the limit is left open before anything is made.
    """

    claim: Claim
    alpha: float
    spent: float = 0.0
    user: bool = False
    brief: bool = False
    powers: bool = True
    fresh: bool = False
    work: Sequence[Work] = ()

    def ladder(self, value: Any, name: str) -> Ladder:
        """Return the ladder of a measured value and book its error probability if it samples."""
        try:
            made = as_recipe(value, f"{self.claim.label}: {name}")
        except DomainError as error:  # what measure returns is the check's doing, at every point
            raise CheckError(error.given, required=error.required, why=error.why, advice=error.advice) from error
        return self._booked(Ladder(made, self.alpha, self.claim.budget))

    def again(self, ladder: Ladder) -> Ladder:
        """Return a ladder from its first step, booked as a measurement of its own."""
        return self._booked(ladder.again())

    def row(
        self, assertion: Assertion, ladders: Mapping[Quantity, Ladder], values: Mapping[str, Any], point: Point,
        *, control: str = "", must_break: bool = False,
    ) -> Row:  # fmt: skip
        """Return the row of one assertion at a point, from what was measured there and the values of the letters."""
        return Comparison(
            assertion, ladders, values, point, self.claim.budget, self.brief, self.powers, control, must_break
        ).row()

    def _booked(self, ladder: Ladder) -> Ladder:
        if ladder.evidence is Evidence.SAMPLED:
            self.spent += self.alpha
        return ladder


@dataclass
class PointResult:
    """What the honest construction gave at one point; controls keep its letters, and what they do not spoil."""

    values: Mapping[str, Any] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    skipped: str | None = None
    open: bool = False
    refused: bool = False  # by the construction or the measurement, not by a hypothesis
    ladders: Mapping[Quantity, Ladder] = field(default_factory=dict)
    thing: Any = None
    drawn: Sequence[Mapping[Quantity, Ladder]] = ()  # of each object that was drawn, where the engine draws


def measure_point(bench: Judgement, point: Point) -> PointResult:
    """Judge every assertion of the claim at one point.

    A user's point that the construction or the measurement refuses is outside the hypotheses.  One that would exceed
    a stated limit of work, at which a formula is undefined, that a record lacks, or for which the check was not
    written, stays open with that reason; the others are judged.
    """
    try:
        return _measure_point(bench, point)
    except DomainError as error:
        return PointResult(letters(bench.claim, point), skipped=_refusal(bench, point, error), refused=True)
    except Exception as error:
        if not leaves_open(bench, error):
            raise
        return PointResult(letters(bench.claim, point), skipped=unjudged(error), open=True)


def leaves_open(bench: Judgement, error: Exception) -> bool:
    """Whether an error concerns a user's point alone; on the claim's own grid it is the check's mistake."""
    return bench.user and not isinstance(error, CheckError | MissingPackageError)


def unjudged(error: BaseException) -> str:
    """Return in one line why a point could not be judged."""
    error = exhausted(error) or error
    if not isinstance(error, TheoryError):
        last = traceback.extract_tb(error.__traceback__)[-1:]
        where = "".join(f" in {Path(frame.filename).name}, line {frame.lineno}" for frame in last)
        return f"not computed: {type(error).__name__}{where}: {error}"
    kinds = {BudgetError: "the work exceeds its limit", RecordError: "no run is recorded there"}
    what = next((text for kind, text in kinds.items() if isinstance(error, kind)), "not decided")
    parts = [f"{what}: {error.given}", error.required, error.advice and f"try: {error.advice}"]
    return "; ".join(part for part in parts if part)


def _measure_point(bench: Judgement, point: Point) -> PointResult:
    claim = bench.claim
    values = letters(claim, point)
    failed = outside(claim, point) or without_value(claim, point, values)
    if failed is None:
        for work in bench.work:
            work.admit(point)
    if failed is None and claim.drawn:
        return _measure_draws(bench, point, values)
    if failed is None:
        thing = claim.construct(claim.seen(point))
        if claim.derive is not None:
            values = {**values, **_named(claim, claim.derive(thing, claim.seen(point)))}
        failed = failing(conditions(claim, True), values, claim.all_letters(), bits=claim.budget.bits)
    if failed is not None:
        return PointResult(values, skipped=failed.text, open=failed.open)
    if claim.run is not None:
        return _measure_run(bench, claim.run, point, values, thing)
    ladders = measured(bench, claim.measure(thing, point), claim.quantities)
    rows = [bench.row(a, ladders, values, point) for a in claim.assertions]
    return PointResult(values, rows, ladders=ladders, thing=thing)


def _measure_draws(bench: Judgement, point: Point, values: Mapping[str, Any]) -> PointResult:
    """Measure every object that is drawn at a point; of each assertion the worst one is the row."""
    claim = bench.claim
    drawn = measured_draws(bench, claim.draw, claim.measure, claim.quantities, point)
    quick, rows = replace(bench, powers=False), []
    for a in claim.assertions:
        number, truths = worst([quick.row(a, ladders, values, point) for ladders in drawn])
        rows.append(counted(bench.row(a, drawn[number], values, point), number, truths))
    return PointResult(values, rows, drawn=drawn)


def measured_draws(
    bench: Judgement, draw: Any, measure: Any, wanted: Sequence[Quantity], point: Point
) -> list[dict[Quantity, Ladder]]:
    """Return the ladders of each object that is drawn at a point, in the order of the draws."""
    label = bench.claim.label
    drawn = [measured(bench, measure(thing, point), wanted) for thing in objects(label, draw, point, bench.claim.draws)]
    sampled = next((q for q, ladder in drawn[0].items() if ladder.evidence is Evidence.SAMPLED), None)
    if sampled is not None:
        raise CheckError(
            f"claim {label!r}: {sampled.name} of a drawn object is sampled", required="a number, enclosed or exact",
            why="the draws are counted; an estimate from further draws would spend error probability at each of them",
            advice="measure each object whole, or construct= the law and sample from it",
        )  # fmt: skip
    return drawn


def _measure_run(bench: Judgement, run: Run, point: Point, values: Mapping[str, Any], start: Any) -> PointResult:
    """Judge every step of a run; it stays open where its limit comes before its end and before a violation."""
    seen = course(run, point, start, bench.claim.seen(point), fresh=bench.fresh)
    try:
        rows = Passed(bench, seen, point, values).rows(bench.claim.assertions)
    except BudgetError as error:
        return PointResult(values, skipped=unjudged(error), open=True, thing=start)
    return PointResult(values, rows, thing=start)


@dataclass
class Passed:
    """One pass over a run at a point: each assertion at every look the quick way, then the step that decides in full.

    What a run was found to be at a step is not asked again when it is made longer.
    """

    bench: Judgement
    course: Course
    point: Point
    values: Mapping[str, Any]
    control: Control | None = None

    def rows(self, asserts: Sequence[Assertion]) -> list[Row]:
        """Return the row of each assertion.

        Raises
        ------
        BudgetError : the run is longer than its limit, and no assertion is refuted before.
        """
        run = self.course.run
        steps = run.steps(self.point)
        tracks = [self._track(a) for a in asserts]
        pending: list[BudgetError] = []
        for t in run.times(steps):
            left = [k for k, track in enumerate(tracks) if track.first(False, t) is None]
            try:
                for k in left:
                    if t not in tracks[k].looks:
                        tracks[k].look(t, self._brief(asserts[k], t))
            except BudgetError as error:
                pending.append(error)
                break
            if not left:
                break
        if pending and all(track.first(False, steps) is None for track in tracks):
            raise pending[0]
        rows = [self._decisive(a, track, steps) for a, track in zip(asserts, tracks, strict=True)]
        return [replace(row, truth=None) if pending and row.truth else row for row in rows]

    def _track(self, assertion: Assertion) -> Track:
        """What is known of an assertion along this run, where it says the same of it however long the run is."""
        claim, run = self.bench.claim, self.course.run
        used = {s.name for s in assertion.letters | expression(assertion.tie).free_symbols}
        used |= {s.name for name in used & claim.definitions.keys() for s in claim.definitions[name].free_symbols}
        if used & {run.horizon, *(s.name for s in claim.derived)}:
            return Track()
        key = assertion, claim.budget, self.bench.brief, self.control is None
        return self.course.judged.setdefault(key, Track())  # type: ignore[no-any-return]

    def _at(self, t: int) -> dict[str, Any]:
        return {**self.values, self.course.run.time: t}

    def _ladders(self, bench: Judgement, assertion: Assertion, t: int) -> dict[Quantity, Ladder]:
        return {quantity: self._ladder(bench, quantity, t) for quantity in assertion.parts}

    def _ladder(self, bench: Judgement, quantity: Quantity, t: int) -> Ladder:
        given, label = self.course.at(t), f"claim {bench.claim.label!r}"
        if quantity not in given:
            raise CheckError(
                f"{label}: observe at step {t} gave {[getattr(q, 'name', q) for q in given]}",
                required=f"a value for {quantity.name}", advice="observe returns {Quantity: exact number or callable}",
            )  # fmt: skip
        ladder = bench.ladder(given[quantity], f"{quantity.name} at step {t}")
        if ladder.evidence is Evidence.SAMPLED:
            raise CheckError(
                f"{label}: {quantity.name} of a step is sampled", required="a number, enclosed or exact",
                why="an estimate at each step would spend error probability",
                advice="observe what is known of the state; draw in state or step",
            )  # fmt: skip
        return ladder

    def _brief(self, assertion: Assertion, t: int) -> Row:
        """The row of a step by its truth alone."""
        bench = replace(self.bench, brief=True)
        row = bench.row(assertion, self._ladders(bench, assertion, t), self._at(t), self.point)
        if self.control is None and not self.bench.brief:
            inside_range(bench, assertion, row, self._at(t), f"{self.point}, {self.course.run.time}={t}")
        return row

    def _decisive(self, assertion: Assertion, track: Track, steps: int) -> Row:
        if self.course.run.looks == "doublings":
            track.bisect(steps, lambda t: track.look(t, self._brief(assertion, t)))
        t, named = track.decides(steps), self.control.name if self.control else ""
        if self.control is None and not self.bench.brief and track.holds(t):
            t = self._saying(assertion, track.tightest(steps)) or t
        row = self.bench.row(
            assertion, self._ladders(self.bench, assertion, t), self._at(t), self.point,
            control=named, must_break=self.control is not None and self.control.must_break(assertion),
        )  # fmt: skip
        work = {"t": t, "judged": track.every(self.course.run.first, steps), "steps": steps}
        return told(row, **work, **({} if self.control or self.bench.brief else self._parting(steps)))

    def _saying(self, assertion: Assertion, tightest: Sequence[int]) -> int | None:
        """The tightest step at which the bound says something; a bound may say nothing at the first steps alone."""
        budget = self.bench.claim.budget
        for t in tightest:
            bounds = [ladder for ladder in bound_ladders(assertion, self._at(t), budget) if ladder.at(0)]
            if not vacuous(assertion, self._at(t), [ladder.best for ladder in bounds], budget):
                return t
        return None

    def _parting(self, steps: int) -> dict[str, str]:
        """Where the run in doubles decides otherwise; nothing where it does not, or cannot be followed."""
        try:
            parting = self.course.parts(steps)
        except (DomainError, BudgetError):
            return {}
        return {} if parting is None else {"float64": str(parting)}


def _refusal(bench: Judgement, point: Point, error: DomainError) -> str:
    """The construction refuses a point: a fact about a user's point, a mistake in the claim's own grid."""
    reason = f"the construction refuses {error.given}, it takes {error.required}"
    if dict(point.axes) in list(bench.claim.grid):
        raise CheckError(
            f"claim {bench.claim.label!r} at {point}: {reason}",
            required="a grid of points that the construction accepts", why=error.why, advice=error.advice,
        ) from error  # fmt: skip
    return reason


def _named(claim: Claim, derived: Mapping[Any, Any]) -> dict[str, Any]:
    named = {getattr(key, "name", key): value for key, value in derived.items()}
    wanted = {symbol.name for symbol in claim.derived}
    if set(named) != wanted:
        raise CheckError(f"claim {claim.label!r}: derive gave {sorted(named)}", required=f"exactly {sorted(wanted)}")
    for name, value in named.items():
        if isinstance(value, float):
            raise CheckError(
                f"claim {claim.label!r}: the derived letter {name} is a float",
                required="an exact number, or a callable that computes it at the ambient precision",
                why="a frozen 53-bit value leaves the comparison open for ever",
            )
    return {name: _once(value) if _recipe(value) else value for name, value in named.items()}


def _recipe(value: Any) -> bool:
    return callable(value) and not isinstance(value, sympy.Basic)


def _once(value: Callable[[], Any]) -> Callable[[], Any]:
    """Return a derived letter that computes once at each precision: hypotheses, bounds and factors all read it."""
    known: dict[int, Any] = {}

    def compute() -> Any:
        bits = working_precision()
        if bits not in known:
            known[bits] = value()
        return known[bits]

    return compute


def measured(bench: Judgement, given: Any, wanted: Sequence[Quantity]) -> dict[Quantity, Ladder]:
    """Return the ladder of each wanted quantity among what was measured."""
    values = by_quantity(given, wanted, bench.claim.label)
    return {q: bench.ladder(values[q], q.name) for q in wanted}


def within_range(bench: Judgement, point: Point, honest: PointResult) -> None:
    """Refuse a measured value that lies decidedly outside what holds of its quantity without any theorem.

    Raises
    ------
    CheckError : at the line of the measurement.
    """
    for assertion, row in zip(bench.claim.assertions, honest.rows, strict=True):
        inside_range(bench, assertion, row, honest.values, str(point))


def inside_range(bench: Judgement, assertion: Assertion, row: Row, values: Mapping[str, Any], at: str) -> None:
    """Refuse one measured value that lies decidedly outside its trivial range, as :func:`within_range`."""
    low, high = (None, None) if assertion.sloped else assertion.quantity.trivial
    below = low is not None and any(row.measured.high < end.low for end in _ends(bench, low, values))
    above = high is not None and any(row.measured.low > end.high for end in _ends(bench, high, values))
    if below or above:
        measure = bench.claim.measure
        code = getattr(getattr(measure, "func", measure), "__code__", None)
        where = f"{Path(code.co_filename).name}, line {code.co_firstlineno}: " if code else ""
        raise CheckError(
            f"{where}{row.quantity} = {row.measured} at {at}",
            required=f"at least {low}" if below else f"at most {high}",
            why=f"{bench.claim.label!r} declares that range as what holds without any theorem",
            advice="mend measure, or the trivial range of the Quantity",
        )


def _ends(bench: Judgement, edge: Any, values: Mapping[str, Any]) -> Iterator[Estimate]:
    """An end of a trivial range at the first precisions; a tie stays open, as does an end in letters without value."""
    if not {symbol.name for symbol in expression(edge).free_symbols} <= values.keys():
        return
    limit = Ladder(recipe(expression(edge), values), 0.0, bench.claim.budget)
    yield from (end for rung in range(3) if (end := limit.at(rung)) is not None)
