"""From rows to an outcome: the same for rows just measured, for those of a record, and for a stored verdict.

In this order: no applicable point → INAPPLICABLE; a false row → REFUTED, or WITNESS FAILS where the statement is that
something exists; an open row → UNDECIDED; a premise that is false at every point → INAPPLICABLE; a control that
decidedly fails to break → POWERLESS; an open control → UNDECIDED; else HOLDS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theorytools.claims.judging.horizon import horizon, tested
from theorytools.claims.judging.trend import trend
from theorytools.claims.judging.verdict import ControlResult, Outcome, Row, strongest
from theorytools.claims.language.draw import percent
from theorytools.claims.language.estimate import Evidence
from theorytools.meaning import TRAINED, held

if TYPE_CHECKING:
    from theorytools.claims.language.claim import Claim
    from theorytools.claims.language.control import Control


IDLE = "with a false premise"


@dataclass(frozen=True)
class Named:
    """An assertion or a control as far as a verdict names it."""

    name: str
    repair: bool = False
    rival: bool = False


@dataclass(frozen=True)
class Stated:
    """What :func:`conclude` asks of a claim, read from a stored verdict."""

    assertions: tuple[Named, ...]
    controls: tuple[Named, ...]
    expect: str
    role: str = ""
    sizes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    witnessed: bool = False
    trials: tuple[str, ...] = ()
    fitted: frozenset[str] = frozenset()

    @classmethod
    def of(cls, verdict: Mapping[str, Any]) -> Stated:
        """Return the statement of a stored verdict."""
        return cls(
            tuple(Named(name) for name in verdict["powers"]),
            tuple(
                Named(control["name"], control["repair"], control.get("rival", False))
                for control in verdict["controls"]
            ),
            verdict["expect"],
            verdict.get("role", ""),
            {name: tuple(seen["exponents"]) for name, seen in verdict.get("horizon", {}).items()},
            "exhibited" in verdict.get("scope", {}).values(),
            fitted=frozenset(a["name"] for a in verdict["assertions"] if a.get("growth") == "fitted"),
        )


def conclude(
    claim: Claim | Stated, rows: Sequence[Row], skipped: Sequence[Mapping[str, Any]], *, user: bool = False
) -> dict[str, Any]:
    """Return what follows from rows, fresh or recorded: outcome, evidence, power and the state of every control.

    At a user's points the outcome is that of the points that could be judged.  What a claim expects it expects of its
    grid: here the question is whether the statement holds, so that is what is expected, with no point left open.
    """
    honest = [row for row in rows if not row.control]
    results, places = controls_of(claim, rows), {_place(row) for row in honest}
    outcome, reason = _decide(claim, honest, skipped, len(places), results, user=user)
    outcome = failed(outcome, claim.witnessed)
    if user and places:
        reason += _not_judged(skipped)
    powers = {a.name: _power(a.name, honest) for a in claim.assertions}
    return {
        "outcome": outcome, "expect": claim.expect,
        "as_expected": (outcome is Outcome.HOLDS and not _left_open(skipped)) if user
                       else _expected(claim, outcome, honest, results),
        "evidence": _evidence(outcome, honest), "reason": reason, "rows": tuple(rows), "controls": tuple(results),
        "skipped": tuple(skipped), "power": _weakest(powers.values()), "powers": powers,
        "horizon": horizon(honest, claim.sizes), "tested": tested(row.point for row in honest),
        "trend": tuple(trend(honest, claim.trials)),
    }  # fmt: skip


def failed(outcome: Outcome, witnessed: bool) -> Outcome:
    """Return what a false row means: a *there is* is refuted by no single witness that fails."""
    return Outcome.WITNESS_FAILS if witnessed and outcome is Outcome.REFUTED else outcome


def controls_of(claim: Claim | Stated, rows: Sequence[Row]) -> list[ControlResult]:
    """Return what became of each control, in the order of the claim."""
    places: dict[Any, list[Row]] = {}
    for row in rows:
        if not row.control:
            places.setdefault(_place(row), []).append(row)
    results = []
    for control in claim.controls:
        tries: dict[Any, list[Row]] = {}
        for row in rows:
            if row.control == control.name:
                tries.setdefault(_place(row), []).append(row)
        results.append(_summarise(control, list(tries.values()), places))
    return results


def _place(row: Row) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(row.point.items()))


def _summarise(control: Control | Named, tries: list[list[Row]], places: Mapping[Any, Sequence[Row]]) -> ControlResult:
    breaks = tuple(dict.fromkeys(row.assertion for tried in tries for row in tried if row.must_break))
    broken, detail, worst = 0, "", "breaks"
    for tried in tries:
        state = "breaks"
        for row in tried:
            weaker = row.evidence < _honest_evidence(row, places.get(_place(row), ()))
            wanted = not row.must_break
            if row.truth is None or (row.must_break and row.truth is False and weaker):
                state = "open" if state != "fails" else state
            elif row.truth is not wanted:
                state = "fails"
            if state != "breaks" and not detail:
                detail = f"{row.assertion} was {_word(row.truth)} at {row.place}"
        broken += state == "breaks"
        worst = "fails" if "fails" in (state, worst) else "open" if "open" in (state, worst) else "breaks"
    if not tries or (control.repair and len(tries) < len(places)):
        return ControlResult(control.name, breaks, control.repair, len(tries), broken, "never applies", detail,
                             control.rival)  # fmt: skip
    if control.repair:
        worst = "holds" if worst == "breaks" else worst
    return ControlResult(control.name, breaks, control.repair, len(tries), broken, worst, detail, control.rival)


def _honest_evidence(spoiled: Row, there: Sequence[Row]) -> Evidence:
    """What the claim itself reached at this point: in the same assertion, else in the weakest of this quantity."""
    same = [row for row in there if row.assertion == spoiled.assertion]
    alike = same or [row for row in there if row.quantity == spoiled.quantity]
    return min((row.evidence for row in alike), default=Evidence.FITTED)


def _word(truth: bool | None) -> str:
    return {True: "proved", False: "refuted", None: "left open"}[truth]


def _decide(
    claim: Claim | Stated,
    rows: Sequence[Row],
    skipped: Sequence[Any],
    applicable: int,
    results: Sequence[ControlResult],
    *,
    user: bool,
) -> tuple[Outcome, str]:
    if not applicable:
        first = [*_left_open(skipped), *skipped, {"reason": "no point"}][0]
        return (Outcome.UNDECIDED if _left_open(skipped) else Outcome.INAPPLICABLE), first["reason"]
    false = [row for row in rows if row.truth is False and row.assertion not in claim.fitted]
    if false:
        witness = strongest(false) or false[0]
        return Outcome.REFUTED, f"{witness.assertion} fails at {witness.place}: measured {witness.measured}"
    if failing := strongest(rows):
        return Outcome.UNDECIDED, unresolved(failing)
    undecided = [row for row in rows if row.truth is None]
    if undecided:
        first = undecided[0]
        return Outcome.UNDECIDED, f"{first.assertion} stays open at {first.place}{_why_open(first)}"
    if _left_open(skipped) and not user:
        return Outcome.UNDECIDED, _left_open(skipped)[0]["reason"]
    if idle := _never_applies(rows):
        return Outcome.INAPPLICABLE, idle
    bad = [r for r in results if r.outcome in ("fails", "never applies") and not r.rival]
    sufficient = user and any(r.broken for r in results)  # at a user's point one control that does its work suffices
    if sufficient:
        bad = []
    if bad:
        return Outcome.POWERLESS, _dead(bad[0])
    passing = [] if sufficient else [r for r in results if r.rival and r.outcome != "breaks"]
    if passing:
        return Outcome.UNDECIDED, f"unresolved: {_passes(passing)}"
    undecided_controls = [] if sufficient else [r for r in results if r.outcome == "open"]
    if undecided_controls:
        control = undecided_controls[0]
        return Outcome.UNDECIDED, f"the control '{control.name}' stays open: {control.detail}"
    if rows and all(row.vacuous for row in rows):
        return Outcome.POWERLESS, "every bound says no more than what holds without any theorem"
    broken = sum(1 for r in results if r.outcome == "breaks")
    dead = [r for r in results if r.outcome in ("fails", "never applies", "open")]
    spared = f"; {_dead(dead[0])}" if dead else ""
    rivals = "; ".join(r.name for r in results if r.rival and r.outcome == "breaks")
    excluded = f"; excluded: a {rivals}" if rivals else ""
    said = f"{_held(rows)}{_on_draws(rows)}; {broken} of {len(results)} controls rejected{excluded}{spared}"
    return Outcome.HOLDS, said + _parted(rows)


def _never_applies(rows: Sequence[Row]) -> str:
    """That a premise is false at every point, of the first assertion where it is: it says nothing anywhere."""
    for name in dict.fromkeys(row.assertion for row in rows):
        own = [row for row in rows if row.assertion == name]
        if all(row.idle for row in own) and own[0].premise is not None:
            return f"the premise {own[0].premise.assertion} of '{name}' is false at every point, so it says nothing"
    return ""


def unresolved(row: Row) -> str:
    """Return why a claim about growth is unresolved where a later size fails the constant of the first ones."""
    at = ", ".join(f"{k}={v}" for k, v in row.point.items())
    return (
        f"unresolved: {row.assertion} fails with the constant of its first sizes at {at}: measured {row.measured}, "
        f"which is {'more' if row.relation == '<=' else 'less'} than {row.bound[0]}; another constant may hold"
    )


def _passes(rivals: Sequence[ControlResult]) -> str:
    """Which rivals are not excluded: with the constant of the claim they pass at the last size, or stay open there."""
    names = "; ".join(f"{r.name} {'stays open' if r.outcome == 'open' else 'would pass'}" for r in rivals)
    return f"with the same constant a {names}"


def _held(rows: Sequence[Row]) -> str:
    """How many rows are true in which sense."""
    words: dict[str, list[Row]] = {}
    for row in rows:
        key = "error" if row.evidence is Evidence.SAMPLED else held(row.evidence.name, 0, row.measured.work)
        key = IDLE if row.idle else key
        words.setdefault(key, []).append(row)
    parts = []
    for word, own in sorted(words.items(), key=lambda item: item[0] == IDLE):
        alpha = sum(row.measured.alpha + (row.premise.measured.alpha if row.premise else 0.0) for row in own)
        parts.append(f"{len(own)} {'row' if len(own) == 1 else 'rows'} "
                     + (held("SAMPLED", alpha, {}) if word == "error" else word))  # fmt: skip
    return ", ".join(parts)


def _on_draws(rows: Sequence[Row]) -> str:
    """On which share of draws rows over drawn objects hold: the least that is certified at one point."""
    shares = [Fraction(share) for row in rows if (share := row.measured.work.get("share"))]
    return f"; at each point on at least {percent(min(shares))} of draws (95 %)" if shares else ""


def _parted(rows: Sequence[Row]) -> str:
    """Where a run in doubles ceases to be the run that was judged, the first of them."""
    said = [str(row.measured.work["float64"]) for row in rows if "float64" in row.measured.work]
    return f"; {said[0]}: what it shows later is not this run" if said else ""


def _dead(result: ControlResult) -> str:
    """Which control did not do its work, and at how many points."""
    if result.outcome == "never applies":
        return f"the control '{result.name}' applies at no point"
    what = "did not hold" if result.repair else "did not break"
    at = f" at {result.applied - result.broken} of {result.applied} points"
    return f"the control '{result.name}' {what}{at}{f': {result.detail}' if result.detail else ''}"


def _left_open(skipped: Sequence[Any]) -> list[Any]:
    """The points that are neither judged nor outside the hypotheses."""
    return [point for point in skipped if point["open"]]


def _not_judged(skipped: Sequence[Any]) -> str:
    """How many points a user's verdict says nothing of, with the first reason of each kind."""
    parts = []
    for text, some in (
        ("open", _left_open(skipped)),
        ("outside the hypotheses", [s for s in skipped if not s["open"]]),
    ):
        if some:
            at = ", ".join(f"{k}={v}" for k, v in some[0]["point"].items())
            parts.append(f"{len(some)} {'point' if len(some) == 1 else 'points'} {text} ({at}: {some[0]['reason']})")
    return "".join(f"; {part}" for part in parts)


def _why_open(row: Row) -> str:
    """Why a row stays open: a side that has no value here, else the budget."""
    unbounded = [not (e.low.finite or e.high.finite) for e in (row.measured, *row.bound)]
    if unbounded[0]:
        return f": the measured value is undefined there ({row.quantity} has no finite enclosure)"
    if any(unbounded[1:]):
        tolerance = ", or its tolerance," if len(row.bound) == 2 else ""
        return f": the bound{tolerance} is undefined there (it has no finite enclosure)"
    return " within the budget"


def _evidence(outcome: Outcome, rows: Sequence[Row]) -> Evidence | None:
    if outcome in (Outcome.REFUTED, Outcome.WITNESS_FAILS):
        return max(row.evidence for row in rows if row.truth is False)
    return min((row.evidence for row in rows), default=None)


def _expected(claim: Claim | Stated, outcome: Outcome, rows: Sequence[Row], results: Sequence[ControlResult]) -> bool:
    if claim.expect == "HOLDS":
        return outcome is Outcome.HOLDS
    if claim.expect == "UNDECIDED":
        return outcome is Outcome.UNDECIDED
    # a claim about training fails by runs; a statement of mathematics by a certificate
    least = Evidence.FITTED if claim.role in TRAINED else Evidence.ENCLOSED
    strong = any(row.truth is False and row.evidence >= least for row in rows)
    return str(outcome) == claim.expect and strong and all(r.outcome in ("breaks", "holds") for r in results)


def _power(name: str, rows: Sequence[Row]) -> float | None:
    return min((row.power for row in rows if row.assertion == name and row.power is not None), default=None)


def _weakest(powers: Any) -> float | None:
    values = list(powers)
    return None if any(value is None for value in values) else max(values, default=None)
