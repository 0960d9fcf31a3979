"""Is each hypothesis needed?  Outside it, with all others kept, a violation is looked for, within one notch first.

A cell is ``needed`` (a violation with exact, enclosed or sampled evidence, re-judged with the claim's whole budget),
``not needed`` (a note says which claim is the stronger statement, or proves it), ``defines`` (outside, the construction
refuses, and names the hypothesis) or ``unknown`` (with what was searched).  Points are counted, those of small numbers
apart from the others; no time decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy

from theorytools.claims.judging.falsify import Findings, falsify
from theorytools.claims.judging.hypotheses import failing, letters
from theorytools.claims.judging.point import Judgement, measure_point
from theorytools.claims.judging.price import Price
from theorytools.claims.judging.searching import Judging
from theorytools.claims.judging.verdict import Row
from theorytools.claims.judging.weaker_hypotheses import Hypothesis, follows, resolved
from theorytools.claims.language.bound import enclose
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Estimate, Evidence
from theorytools.claims.language.grid import Point, Value
from theorytools.claims.papers.notes import Note
from theorytools.claims.papers.work import Work
from theorytools.numbers import Enclosure

_NOTCH = 6  # points tried one notch outside each hypothesis, beside a search that found nothing
EVALUATIONS = 24  # points tried in each of the two places, within one notch and beyond it
STATES = ("needed", "not needed", "defines", "unknown")


@dataclass(frozen=True)
class Cell:
    """What is known of one hypothesis of one claim.

    Parameters
    ----------
    hypothesis, change : the hypothesis and its notch, in words.
    state : one of :data:`STATES`.
    why : the proof or the claim of a note, the refusal, or what was searched; empty where there is a violation.
    notch : whether the violation lies within one notch.
    violation : the search that found one.
    counts : points judged, refused, left open, and found outside, of both places together.
    control : the control of the claim whose object violates it there; empty where the claim's own does.
    """

    hypothesis: str
    change: str
    state: str
    why: str = ""
    notch: bool = False
    violation: Findings | None = None
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)
    control: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the cell as the record has it."""
        data: dict[str, Any] = {"hypothesis": self.hypothesis, "change": self.change, "state": self.state}
        if self.violation is not None and self.violation.row is not None:
            row = self.violation.row
            data |= {"within": self.notch, "at": dict(row.point), "evidence": row.evidence.name}
            data |= {"control": self.control} if self.control else {}
        return {**data, **({"why": self.why} if self.why else {}), "points": list(self.counts)}


def cells(
    claim: Claim, notes: Sequence[Note] = (), *, id: str, evaluations: int = EVALUATIONS, work: Sequence[Work] = ()
) -> Iterator[Cell]:
    """Yield a cell for each hypothesis of a claim, in the order in which it states them.

    Parameters
    ----------
    claim, id : the claim and its id.
    notes : what is kept in words of its hypotheses; where a note says not to search, or where a violation is, no
        search is made.
    evaluations : the largest number of points tried in each of the two places.
    work : what the claim declares of the work of a point.
    """
    told = {note.hypothesis: note for note in notes}
    for hypothesis in Hypothesis.of(claim):
        note = told.get(hypothesis.text)
        why = _not_searched(claim) or (note.unsearched if note else "")
        if why:
            yield Cell(hypothesis.text, hypothesis.change, "unknown", f"not searched: {why}")
        elif note is not None and note.tried:
            yield Cell(hypothesis.text, hypothesis.change, "unknown", "not searched: a note says where to look")
        else:
            yield examine_hypothesis(claim, id, hypothesis, evaluations=evaluations, work=work)


def _not_searched(claim: Claim) -> str:
    if claim.expect != "HOLDS":
        return "the prediction is open" if claim.expect == "UNDECIDED" else "the reading fails within its hypotheses"
    return ""


def examine_hypothesis(
    claim: Claim, id: str, hypothesis: Hypothesis, *, evaluations: int = EVALUATIONS, work: Sequence[Work] = ()
) -> Cell:
    """Return what a search outside one hypothesis finds, within one notch and then beyond it."""
    cell = Cell(hypothesis.text, hypothesis.change, "unknown")
    if hypothesis.implied:
        return replace(cell, state="not needed", why="the domains of the letters give it")
    if follows(claim, hypothesis):
        return replace(cell, state="not needed", why="the other hypotheses give it")
    if _named(claim, hypothesis):
        why = "the statement names its points, and the hypothesis holds at each of them"
        return replace(cell, state="not needed", why=why)
    searches: list[Findings] = []
    for notch, place in [(notch, hypothesis.beyond(claim, notch=notch)) for notch in (True, False)]:
        for found in _searches(place, claim, id, evaluations, work) if place is not None else ():
            searches.append(found)
            if found.row is not None and (said := conclusion(claim, hypothesis, found.row)):
                return replace(cell, state="defines", why=said, counts=_counts(searches))
            if found.row is not None:
                return replace(cell, state="needed", notch=notch, violation=found, counts=_counts(searches))
    state, why = _without_violation(claim, hypothesis, searches)
    return replace(cell, state=state, why=why, counts=_counts(searches))


def stepped(claim: Claim, id: str, *, work: Sequence[Work] = (), left: Callable[[], float]) -> dict[str, str]:
    """Return for each hypothesis what a few points say at which it alone fails, by one notch.

    Where the statement fails there the hypothesis is needed; where it holds, it may be stronger than it must be.

    Parameters
    ----------
    claim, id : the claim and its id.
    work : what the claim declares of the work of a point.
    left : the seconds that are left; without any no further hypothesis is looked at.
    """
    found: dict[str, str] = {}
    for hypothesis in [] if claim.fixed or claim.tier != "seconds" else Hypothesis.of(claim):
        place = None if hypothesis.implied else hypothesis.beyond(claim, notch=True)
        if place is None or left() <= 0:
            continue
        search = next(_searches(place, claim, id, _NOTCH, work))
        if search.row is not None:
            found[hypothesis.text] = f"fails at {search.row.place}"
        elif search.judged:
            found[hypothesis.text] = f"holds at {search.judged} point{'s' * (search.judged != 1)}"
        else:
            found[hypothesis.text] = "the construction refuses" if search.refused else "no point is judged"
    return found


def _searches(place: Claim, claim: Claim, id: str, evaluations: int, work: Sequence[Work]) -> Iterator[Findings]:
    """First the claim's own object at points, then the objects that it draws."""
    drawn = claim.search is not None and claim.tier == "seconds"
    kinds = [replace(place, search=None)] + ([place] if drawn else [])
    check = ".".join(id.split(".")[:2])
    price = Price(claim, Judging(replace(claim, search=None), check, claim.budget.alpha / 100, lenient=True), work)
    for kind in kinds:
        try:
            yield falsify(
                kind, id, evaluations=evaluations, judged=True, elsewhere=True, least=Evidence.SAMPLED, price=price,
                operations=price.share(), furthest=_furthest(claim),
            )  # fmt: skip
        except Exception as error:  # where the claim says nothing its check was not written for the point
            failure = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
            yield Findings(id, 1, 0, 0.0, open=1, failure=failure)


def _furthest(claim: Claim) -> dict[str, int]:
    """Of a claim of minutes no point beyond its least integers is tried."""
    if claim.tier == "seconds":
        return {}
    rows = [_integers(dict(point)) for point in claim.grid]
    return {name: min(row[name] for row in rows) for name in rows[0] if all(name in row for row in rows)}


def _integers(point: Mapping[str, Value]) -> dict[str, int]:
    return {name: value for name, value in point.items() if isinstance(value, int)}


def conclusion(claim: Claim, hypothesis: Hypothesis, row: Row) -> str:
    """Say that a hypothesis is what the claim asserts, where a row that violates it is the hypothesis itself.

    Then it is violated outside the hypothesis whatever the statement is, and that shows no need.  Both sides agree as
    numbers, at the violation and at the rows of the grid that are looked at.
    """
    condition = hypothesis.condition
    signs = {sympy.Le: "<=", sympy.Ge: ">=", sympy.Lt: "<", sympy.Gt: ">", sympy.Eq: "=="}
    sign = signs.get(type(condition))
    turned = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "==": "=="}
    if sign is None:
        return ""
    sides = [(condition.lhs, condition.rhs, sign), (condition.rhs, condition.lhs, turned[sign])]
    alone = Judgement(replace(claim, requires=list(hypothesis.others)), claim.row_alpha(), brief=True, user=True)
    places = [claim.point({name: claim.value(name, x) for name, x in row.point.items()}, "")]
    places += [claim.point(axes, "") for axes in list(claim.grid)[:2]]
    for left, right, relation in sides:
        if relation.rstrip("=") == row.relation.rstrip("=") and all(
            _agrees(alone, point, row.assertion, left, right) for point in places
        ):
            return f"the hypothesis is what the claim asserts, {row.assertion}"
    return ""


def _agrees(bench: Judgement, point: Point, assertion: str, left: Any, right: Any) -> bool:
    """Whether the measured side of an assertion is one expression at a point, and its bound another."""
    try:
        found = measure_point(bench, point)
        row = next(row for row in found.rows if row.assertion == assertion)
        values = {s.name: found.values[s.name] for side in (left, right) for s in side.free_symbols}
        sides = [enclose(side, values) for side in (left, right)]
    except (Exception, StopIteration):
        return False
    return all(_meets(estimate, side) for estimate, side in zip((row.measured, row.bound[-1]), sides, strict=True))


def _meets(estimate: Estimate, side: Enclosure) -> bool:
    """Whether two enclosures may be of one number, and both are narrow."""
    low, high = estimate.floats
    return not (estimate.low > side.upper or estimate.high < side.lower) and high - low <= 1e-9 * max(1.0, abs(high))


def _counts(searches: Sequence[Findings]) -> tuple[int, int, int, int]:
    judged, refused, left, out = (
        sum(getattr(found, name) for found in searches) for name in ("judged", "refused", "open", "outside")
    )
    return judged, refused, left, out - refused


def _without_violation(claim: Claim, hypothesis: Hypothesis, searches: Sequence[Findings]) -> tuple[str, str]:
    """The state of a hypothesis outside which nothing was violated, and why."""
    judged, refused, left, _ = _counts(searches)
    refusal = next((found.refusal for found in searches if found.refusal), "")
    if refused and not judged and not left and _names(hypothesis, claim, refusal):
        return "defines", refusal
    failure = next((found.failure for found in searches if found.failure), "")
    if judged:
        regions = dict(item for found in searches for item in found.region.items())
        reach = "; ".join(f"{name} {_reach(part)}" for name, part in regions.items())
        return "unknown", f"no violation at {judged} points: {reach}"[:300]
    if left:
        return "unknown", f"not judged, first {failure}"
    return "unknown", f"refused, {refusal}" if refused else "no point was found where all others hold"


def _named(claim: Claim, hypothesis: Hypothesis) -> bool:
    """Whether a hypothesis speaks only of axes whose values the statement names, and holds at all of these."""
    names = {symbol.name for symbol in resolved(claim, hypothesis.condition).free_symbols}
    told = set(claim.grid.axes) if claim.fixed else {getattr(symbol, "name", symbol) for symbol in claim.listed}
    if not names <= told:
        return False
    places = [letters(claim, claim.point(axes, "")) for axes in claim.grid]
    return all(failing([hypothesis.condition], values, {}, bits=claim.budget.bits) is None for values in places)


def _names(hypothesis: Hypothesis, claim: Claim, refusal: str) -> bool:
    """Whether a refusal speaks of a letter of the hypothesis, and the hypothesis was known to fail where it came."""
    names = {symbol.name for symbol in hypothesis.condition.free_symbols}
    if names & {symbol.name for symbol in claim.derived}:  # it came before the letter was known
        return False
    names |= {s.name for name in names & set(claim.definitions) for s in claim.definitions[name].free_symbols}
    names |= {name for name in claim.definitions if names & {s.name for s in claim.definitions[name].free_symbols}}
    said = refusal.partition("the construction refuses ")[2]
    return bool(names & set(re.findall(r"[A-Za-z_]\w*", said)))


def _reach(part: Mapping[str, Any]) -> str:
    if "words" in part:
        return ", ".join(part["words"])
    return str(part["low"]) if part["low"] == part["high"] else f"{part['low']} to {part['high']}"


def noted(data: Mapping[str, Any], note: Note | None) -> dict[str, Any]:
    """Return a cell of the record as a note leaves it: an unknown one is decided by it.

    Raises
    ------
    CheckError : the note says that the hypothesis is not needed, and there is a violation.
    """
    if note is None or not note.decides:
        return dict(data)
    if data["state"] == "needed":
        raise note.contradicted(dict(data["at"]))
    return {**data, "state": note.state, "why": note.words}
