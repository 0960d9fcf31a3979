"""Is each hypothesis needed?  Outside it, with all others kept, a violation is looked for, within one notch first.

A cell is ``needed`` (a violation with exact, enclosed or sampled evidence, re-judged with the claim's whole budget),
``not needed`` (a note says which claim is the stronger statement, or proves it), ``defines`` (outside, the construction
refuses, and names the hypothesis) or ``unknown`` (with what was searched).  Points are counted, those of small numbers
apart from the others; no time decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from theorytools.claims.judging.falsify import Search, falsify
from theorytools.claims.judging.hypotheses import failing
from theorytools.claims.judging.point import letters
from theorytools.claims.judging.weaken import Hypothesis, across, follows, resolved
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Evidence
from theorytools.claims.language.grid import Value
from theorytools.claims.papers.notes import Note

EVALUATIONS = 8  # points judged in each of the two places, within one notch and beyond it
HEAVY = 8  # of them and of those looked at, as many may have larger numbers than _LIGHT says
_LIGHT = 64  # the product of the integers of a small point
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
    violation: Search | None = None
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


def cells(claim: Claim, notes: Sequence[Note] = (), *, id: str, evaluations: int = EVALUATIONS) -> Iterator[Cell]:
    """Yield a cell for each hypothesis of a claim, in the order in which it states them.

    Parameters
    ----------
    claim, id : the claim and its id.
    notes : what is kept in words of its hypotheses; where a note says not to search, or where a violation is, no
        search is made.
    evaluations : the largest number of points judged in each of the two places.
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
            yield examine_hypothesis(claim, id, hypothesis, evaluations=evaluations)


def _not_searched(claim: Claim) -> str:
    if claim.expect != "HOLDS":
        return "the prediction is open" if claim.expect == "UNDECIDED" else "the reading fails within its hypotheses"
    return ""


def examine_hypothesis(claim: Claim, id: str, hypothesis: Hypothesis, *, evaluations: int = EVALUATIONS) -> Cell:
    """Return what a search outside one hypothesis finds, within one notch and then beyond it."""
    cell = Cell(hypothesis.text, hypothesis.change, "unknown")
    if hypothesis.implied:
        return replace(cell, state="not needed", why="the domains of the letters give it")
    if follows(claim, hypothesis):
        return replace(cell, state="not needed", why="the other hypotheses give it")
    if _named(claim, hypothesis):
        why = "the statement names its points, and the hypothesis holds at each of them"
        return replace(cell, state="not needed", why=why)
    searches: list[Search] = []
    for notch, place in [(notch, hypothesis.beyond(claim, notch=notch)) for notch in (True, False)]:
        for found in _searches(place, claim, id, hypothesis, evaluations, notch=notch) if place is not None else ():
            searches.append(found)
            if found.row is not None:
                return replace(cell, state="needed", notch=notch, violation=found, counts=_counts(searches))
    state, why = _without_violation(claim, hypothesis, searches)
    return replace(cell, state=state, why=why, counts=_counts(searches))


def _searches(
    place: Claim, claim: Claim, id: str, hypothesis: Hypothesis, evaluations: int, *, notch: bool
) -> Iterator[Search]:
    """First the claim's own object at points, then the objects that it draws."""
    drawn = claim.search is not None and claim.tier == "seconds"
    kinds = [replace(place, search=None)] + ([place] if drawn else [])
    for kind in kinds:
        points = () if kind.search is not None else _rationed(across(kind, claim, hypothesis, far=not notch), claim)
        try:
            yield falsify(kind, id, evaluations=evaluations, judged=True, beyond=points, least=Evidence.SAMPLED)
        except Exception as error:  # where the claim says nothing its check was not written for the point
            failure = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
            yield Search(id, 1, 0, 0.0, open=1, failure=failure)


def _rationed(points: Iterable[dict[str, Value]], claim: Claim) -> Iterator[dict[str, Value]]:
    """All small points, and as many others as :data:`HEAVY`; of a claim of minutes none beyond its least integers."""
    rows, heavy = [_integers(dict(point)) for point in claim.grid], 0
    least = {name: min(row[name] for row in rows) for name in rows[0] if all(name in row for row in rows)}
    for point in points:
        numbers = _integers(point)
        small = prod(max(1, abs(n)) for n in numbers.values()) <= _LIGHT
        if claim.tier != "seconds":
            if all(numbers.get(name, low) <= low for name, low in least.items()):
                yield point
        elif small or heavy < HEAVY:
            heavy += not small
            yield point


def _integers(point: Mapping[str, Value]) -> dict[str, int]:
    return {name: value for name, value in point.items() if isinstance(value, int)}


def _counts(searches: Sequence[Search]) -> tuple[int, int, int, int]:
    judged, refused, left, out = (
        sum(getattr(found, name) for found in searches) for name in ("judged", "refused", "open", "outside")
    )
    return judged, refused, left, out - refused


def _without_violation(claim: Claim, hypothesis: Hypothesis, searches: Sequence[Search]) -> tuple[str, str]:
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
