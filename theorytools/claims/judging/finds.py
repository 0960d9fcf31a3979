"""How a disputed statement is found to fail: by ``verify`` alone, by ``falsify``, by a witness that somebody brings.

The grid of a disputed claim contains no failing point: what a check finds must not have been put into it.  So the
statement holds on its grid, and what is asked is who sees that it fails beside it, in this order; the first counts.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from theorytools.claims.judging.conclude import failed
from theorytools.claims.judging.falsify import Findings, falsify
from theorytools.claims.judging.run import judge_entry, one_thread
from theorytools.claims.judging.searching import ClaimSpace, Judging
from theorytools.claims.judging.verdict import Outcome, Row, Verdict
from theorytools.claims.judging.witness import read_point
from theorytools.claims.language.claim import Claim
from theorytools.claims.papers.catalogue import Entry, fingerprint
from theorytools.claims.papers.disputes import Dispute
from theorytools.claims.papers.loading import load
from theorytools.claims.papers.work import declared
from theorytools.errors import CheckError, DomainError
from theorytools.meaning import FALSIFY_SECONDS

SECONDS = FALSIFY_SECONDS
WITNESSES = "witnesses"  # the folder of a project, beside its checks, with the witnesses that somebody brings
_BUSY, _LONGEST = 0.9, 6  # the share of a core that a search should have had; how often its time by the clock
_OBJECT = 200  # characters


def find(dispute: Dispute, entries: Mapping[str, Entry], witnesses: Path) -> dict[str, Any]:
    """Return how a disputed statement is found to fail, with the first input that shows it, and what its twins come to.

    Parameters
    ----------
    dispute : the statement, as its project declares it.
    entries : the claims of the project by id.
    witnesses : the folder with ``<id>.json``, a point or a file of witnesses.

    Returns
    -------
    dict : ``way`` is a key of ``meaning.WAYS``; ``outcome``, ``place``, ``point``, ``evidence`` and ``said`` are of the
        violation; ``points`` tried and processor ``seconds`` are those of that way, and stand for every way that was
        gone under its name; ``lines`` of the check, blank ones left out, to the end of the claim.

    Raises
    ------
    CheckError : a check that cannot be judged, or a grid that contains the failing point.
    DomainError : a brought witness that shows nothing, or is one of another claim or version.
    """
    entry = entries[dispute.claim]
    claim, verdict = load(entry), judge_entry(entry)
    twins = {id: judge_entry(entries[id]) for id in dispute.repaired}
    doubles = judge_entry(entries[dispute.floats]) if dispute.floats not in ("", entry.id) else None
    doubles = verdict if dispute.floats == entry.id else doubles
    made: dict[str, Any] = {
        "claim": entry.id, "check": fingerprint(entry.path), "lines": lines_to(entry),
        "verify": {"outcome": str(verdict.outcome), "reason": verdict.reason, "limit": verdict.limit,
                   "points": int(verdict.searched.get("evaluations", 0)), "seconds": round(verdict.cpu, 3)},
        "repaired": [_told(twin, entries[id]) for id, twin in twins.items()],
        "doubles": None if doubles is None else _told(doubles, entries[dispute.floats]),
        "parts": _parts([verdict, *twins.values()]),
    }  # fmt: skip
    with one_thread():
        way = _by_verify(claim, verdict) or _by_search(claim, entry, witnesses, made)
    return {**made, **way}


def _told(verdict: Verdict, entry: Entry) -> dict[str, Any]:
    return {
        "claim": verdict.id, "check": fingerprint(entry.path), "outcome": str(verdict.outcome), "limit": verdict.limit,
        "evidence": verdict.evidence.name if verdict.evidence else "", "reason": verdict.reason,
        "seconds": round(verdict.cpu, 3),
    }  # fmt: skip


def _parts(verdicts: list[Verdict]) -> list[dict[str, str]]:
    """Where a run in doubles ceases to be the exact one, the first place of each claim."""
    found: dict[str, str] = {}
    for verdict in verdicts:
        for row in verdict.rows:
            if not row.control and "float64" in row.measured.work:
                found.setdefault(verdict.id, f"{row.measured.work['float64']} at {row.place}")
    return [{"claim": id, "said": said} for id, said in found.items()]


def _by_verify(claim: Claim, verdict: Verdict) -> dict[str, Any] | None:
    """What the verdict found; None where it found nothing."""
    spent = {"points": int(verdict.searched.get("evaluations", 0)), "seconds": round(verdict.cpu, 3)}
    if verdict.outcome is Outcome.UNDECIDED and verdict.reason.startswith("unresolved"):
        return {**_violation(None, verdict.outcome, verdict.reason), "way": "verify", **spent}
    if verdict.outcome not in (Outcome.REFUTED, Outcome.WITNESS_FAILS):
        return None
    row = verdict.witness
    assert row is not None
    if not verdict.searched:
        raise _on_grid(verdict.id, row)
    return {**_violation(verdict.rows[-1], verdict.outcome, verdict.reason), "way": "verify", **spent}


def _on_grid(id: str, row: Row) -> CheckError:
    return CheckError(
        f"{id}, whose grid contains its failing point {row.place}", required="a grid without one",
        why="what a check finds must not have been put into it",
        advice="the smallest sizes that the hypotheses allow; verify and falsify search beside them",
    )  # fmt: skip


def _violation(row: Row | None, outcome: Outcome, said: str) -> dict[str, Any]:
    """The parts of a violation, of one that names no row (a rival that is not excluded) its reason alone."""
    if row is None:
        return {"outcome": str(outcome), "place": "", "point": {}, "evidence": "", "said": said}
    return {"outcome": str(outcome), "place": row.place, "point": dict(row.point), "evidence": row.evidence.name,
            "said": said}  # fmt: skip


def _by_search(claim: Claim, entry: Entry, witnesses: Path, made: dict[str, Any]) -> dict[str, Any]:
    """What ``falsify`` finds in its time, else what the witness shows; ``none`` where there is none."""
    found, spent = searched(claim, entry, SECONDS)
    made["falsify"] = {"points": found.evaluations, "seconds": round(spent, 3)}
    if found.row is not None and spent <= SECONDS:
        return {**_findings(claim, found), "way": "falsify", **made["falsify"]}
    path = witnesses / f"{entry.id}.json"
    if not path.is_file():
        said, outcome = made["verify"]["reason"], Outcome(made["verify"]["outcome"])
        return {**_violation(None, outcome, said), "way": "none", **made["falsify"]}
    begun = time.process_time()
    row = brought(claim, entry, path)
    made["witness"] = {"points": 1, "seconds": round(time.process_time() - begun, 3)}
    outcome = failed(Outcome.REFUTED, claim.witnessed)
    return {**_violation(row, outcome, _fails(row)), "way": "witness", **made["witness"]}


def brought(claim: Claim, entry: Entry, path: Path) -> Row:
    """Return the row that fails at the point of a file, judged with the claim's whole budget and as it is.

    Raises
    ------
    DomainError : a file of another claim or version, a point outside the hypotheses, or one that shows nothing.
    CheckError : a point of the grid.
    """
    axes, sample = read_point(path, claim, entry.id)
    judging = Judging(
        claim, ".".join(entry.id.split(".")[:2]), claim.budget.alpha / len(claim.quantities), lenient=True
    )
    result, row = judging.row(axes, sample, whole=True)
    shows = row is not None and row.assertion not in claim.fitted and ClaimSpace(claim).named(axes)
    if row is None or not shows:
        told = result.note or f"nothing fails at {claim.point(axes, '')} that the statement speaks of"
        raise DomainError(
            f"{path}, a witness against {entry.id} that shows nothing: {told}",
            required="a point within the hypotheses at which the statement fails",
            why="forged, or of another version of the check", advice=f"theorytools falsify {entry.id} --from {path}",
        )  # fmt: skip
    if not sample:
        _refuse_grid(claim, entry.id, row)
    return row


def _refuse_grid(claim: Claim, id: str, row: Row) -> None:
    if dict(row.point) in [claim.point(one, "").text() for one in claim.grid]:
        raise _on_grid(id, row)


def _fails(row: Row) -> str:
    return f"{row.assertion} fails at {row.place}: measured {row.measured}, bound {' … '.join(map(str, row.bound))}"


def _findings(claim: Claim, found: Findings) -> dict[str, Any]:
    row = found.row
    assert row is not None
    if not found.sample and not found.thing:
        _refuse_grid(claim, found.id, row)
    outcome = Outcome.UNDECIDED if found.fitted else failed(Outcome.REFUTED, claim.witnessed)
    thing = f", with {' '.join(found.thing.split()):.{_OBJECT}}" if found.thing else ""
    draw = f", by a fresh draw, sample {found.sample}" if found.sample else ""
    return _violation(row, outcome, _fails(row) + draw + thing)


def searched(claim: Claim, entry: Entry, seconds: float) -> tuple[Findings, float]:
    """Return what ``falsify`` finds in so many seconds of one core, and the processor seconds it took.

    A search ends by the clock.  Where other work took the core meanwhile, so that it had less of it, it is made once
    more with as much more time by the clock; what it then finds counts if the processor's seconds are no more.
    """
    clock, work = seconds, declared(entry, claim)
    while True:
        begun = time.process_time()
        found = falsify(claim, entry.id, seconds=clock, work=work)
        spent = time.process_time() - begun
        late = found.row is None and found.seconds >= _BUSY * clock
        if not late or clock > seconds or spent >= _BUSY * seconds:
            return found, spent
        clock = seconds * min(seconds / max(spent, 0.01), _LONGEST)


def lines_to(entry: Entry) -> int:
    """Return how many lines a check has from its first one to the end of a claim, blank ones left out."""
    text = entry.path.read_text(encoding="utf-8")
    ends = [
        node.end_lineno or 0
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == entry.name for t in node.targets)
    ]
    return sum(bool(line.strip()) for line in text.splitlines()[: max(ends, default=0)])
