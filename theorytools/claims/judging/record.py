"""Records of slow claims: the verdict, where it was made, and how it is judged again without being run.

A record is the verdict's JSON with its provenance, sealed, at ``checks/<paper>/records/<id>.json``.  Judging it again
concludes its outcome from the stored ends and compares them with the claim as it stands today.  Where the library, its
versions or the processor have changed since, the point of least size runs again among those that took at most two
seconds of processor time together with all points before them, which may have done their work.  A record whose check
has changed is STALE.
"""

from __future__ import annotations

import datetime
import itertools
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from theorytools.claims.judging.conclude import conclude
from theorytools.claims.judging.content_digest import contradiction, intact, sealed
from theorytools.claims.judging.coverage import limit
from theorytools.claims.judging.inputs import inputs_digest
from theorytools.claims.judging.judge import judge
from theorytools.claims.judging.verdict import Outcome, Row, Verdict, implied, row_from_json
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Estimate
from theorytools.claims.papers.catalogue import Entry, fingerprint
from theorytools.errors import CheckError, DomainError, NumberError
from theorytools.files import json_text, read_json, write_text
from theorytools.places import record_file, record_target

MAX_BYTES = 1_000_000
SPOT_CHECK_SECONDS = 2.0  # of processor time: a point that took longer is not run again


def record_path(entry: Entry) -> Path:
    """Return where the record of a claim is read: the user's, else the one beside the check."""
    return record_file(entry.folder, f"{entry.id}.json")


def write_record(entry: Entry, verdict: Mapping[str, Any]) -> Path:
    """Store a verdict as a record, with commit and time; ``CheckError`` where it would exceed 1 MB."""
    path = record_target(entry.folder, f"{entry.id}.json")
    commit, dirty = source_commit(entry.folder)
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    made = {"commit": commit, "changed_since": dirty, "created": created}
    inputs = inputs_digest(entry, record=False)
    text = json_text(sealed({**verdict, "inputs": inputs, "record": made}), indent=1)
    if len(text.encode()) > MAX_BYTES:
        raise CheckError(f"a record of {len(text)} bytes for {entry.id}", required=f"at most {MAX_BYTES}")
    write_text(path, text)
    return path


def source_commit(folder: Path) -> tuple[str, bool]:
    """Return the commit of the repository around a folder of checks, and whether its sources have changed since."""
    aside = (":(top,exclude,glob)checks/*/records/**", ":(top,exclude,glob)**/__pycache__/**")
    sources = (":(top)theorytools", ":(top)checks", *aside)
    return _git(folder, "rev-parse", "HEAD"), bool(_git(folder, "status", "--porcelain", "--", *sources))


def _git(folder: Path, *arguments: str) -> str:
    try:
        return subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, text=True, timeout=20
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def judge_record(claim: Claim, entry: Entry, document: Mapping[str, Any]) -> Verdict:
    """Return the verdict that a slow claim's record supports today.

    No record, or a stale one, is UNDECIDED with the command that makes a new one.
    """
    path = record_path(entry)
    command = f"theorytools verify {entry.id} --tier {claim.tier} --record"

    def undecided(reason: str, stale: bool) -> Verdict:
        extra = {**document, "stale": stale}
        return Verdict(entry.id, claim.label, Outcome.UNDECIDED, claim.expect, False, None, f"{reason}; run {command}",
                       alpha_claim=claim.budget.alpha, document=extra)  # fmt: skip

    if not path.is_file():
        return undecided(f"a claim of tier {claim.tier} without a record", stale=False)
    try:
        record = read_json(path)
        if record["source"]["sha256"] != fingerprint(entry.path):
            return undecided("STALE: the check changed after its record was made", stale=True)
        if not intact(record):
            return undecided("STALE: the record is not as it was written (its digest is another)", stale=True)
        rows = [row_from_json(row) for row in record["rows"]]
        made, seconds, skipped = dict(record["record"]), float(record["seconds"]), list(record["skipped"])
        problem = contradiction(record) or _contradiction(claim, rows, [skip["point"] for skip in skipped])
        again = None if problem else _spot_check(claim, entry, record)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        if isinstance(error, DomainError) and not isinstance(error, NumberError):  # of the point that was run again
            raise
        return undecided(f"STALE: the record cannot be read ({type(error).__name__}: {error})", stale=True)
    problem = problem or (_rerun(claim, entry, rows, again) if again is not None else "")
    if problem:
        return undecided(f"STALE: {problem}", stale=True)
    found = conclude(claim, rows, skipped)
    if found["outcome"] is Outcome.HOLDS:
        found["limit"] = limit(claim, [row for row in rows if not row.control])
    found["reason"] += f" (record of {made.get('created', '')[:10]})"
    return Verdict(
        id=entry.id, label=claim.label, **found, alpha_claim=claim.budget.alpha, seconds=seconds,
        document={**document, "record": made},
    )  # fmt: skip


def _contradiction(claim: Claim, rows: Sequence[Row], skipped: Sequence[Mapping[str, str]]) -> str:
    """What in the record disagrees with the claim today, or nothing; the outcome itself follows from the rows."""
    known = {("", a.name): (a, False) for a in claim.assertions}
    for control in claim.controls:
        known |= {(control.name, a.name): (a, control.must_break(a)) for a in control.asserts or claim.assertions}
    for row in rows:
        assertion, must_break = known.get((row.control, row.assertion), (None, False))
        if assertion is None or must_break is not row.must_break:
            return f"the statement changed: '{row.assertion}' is not asserted any more"
        ends = [*row.bound, *row.bound][: len(assertion.sides())]
        truth = assertion.compare(row.measured, ends)
        if (assertion.premise is None) is not (row.premise is None):
            return f"the statement changed: '{row.assertion}' has another premise"
        if row.premise is not None:
            truth = implied(row.premise.compared, truth)
        tied = row.tied and row.truth is True and assertion.tie != 0 and truth is None
        if truth is not row.truth and not tied:
            return f"the stored ends do not give the stored outcome of '{row.assertion}'"
    for axes in claim.grid:
        place = claim.point(axes, "").text()
        found = sorted(row.assertion for row in rows if row.point == place and not row.control)
        if place not in skipped and found != sorted(a.name for a in claim.assertions):
            return f"its rows at {place} are not those of the statement"
    return ""


def _spot_check(claim: Claim, entry: Entry, record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the point to run again: the least in size, then the first of the grid; None where none need or may run."""
    if record.get("inputs") == inputs_digest(entry, record=False):
        return None
    places = [claim.point(axes, "").text() for axes in claim.grid]
    # records made before points were timed: their mean
    mean = [float(record["seconds"]) / max(len(places), 1)] * len(places)
    spent = list(record.get("cpu", {}).get("points", mean))
    if len(spent) != len(places):
        raise ValueError(f"{len(spent)} times for {len(places)} points")
    skipped = [skip["point"] for skip in record["skipped"]]
    # a later point may owe its time to what an earlier one kept (a trained network): alone it takes at most their sum
    alone = list(itertools.accumulate(spent))
    cheap = [k for k, place in enumerate(places) if place not in skipped and alone[k] <= SPOT_CHECK_SECONDS]
    least = min(cheap, key=lambda k: (_sizes(places[k].values()), k), default=None)
    return None if least is None else dict(claim.grid[least])


def _rerun(claim: Claim, entry: Entry, rows: Sequence[Row], axes: Mapping[str, Any]) -> str:
    """Run a recorded point again: its intervals must meet the stored ones."""
    stored = [row for row in rows if not row.control]
    at = ", ".join(f"{name}={value}" for name, value in claim.point(axes, "").text().items())
    fresh = judge(claim, entry.id, [dict(axes)])
    if not fresh.rows:
        return f"{at} is outside the hypotheses today"
    for row in fresh.rows:
        twin = next((r for r in stored if r.point == row.point and r.assertion == row.assertion), None)
        if row.control or twin is None:
            continue
        sides = [("measured value", row.measured, twin.measured)]
        sides += [("bound", a, b) for a, b in zip(row.bound, twin.bound, strict=True)]
        for side, a, b in sides:
            if a.low > b.high or b.low > a.high:
                return f"the library gives another {side} of '{row.assertion}' at {at}: {_told_apart(a, b)}"
    return ""


def _told_apart(now: Estimate, then: Estimate) -> str:
    """Both intervals with the fewest digits that show them apart, and their relative distance."""
    (a, b), (c, d) = now.floats, then.floats
    low, high = (b, c) if now.high < then.low else (d, a)
    distance = (high - low) / max(abs(low), abs(high)) if high > low else 0.0
    for digits in range(6, 18):
        if f"{low:.{digits}g}" != f"{high:.{digits}g}":
            shown = [f"[{x:.{digits}g}, {y:.{digits}g}]" for x, y in ((a, b), (c, d))]
            return f"{shown[0]}, recorded {shown[1]} (relative distance {distance:.1g})"
    return f"[{a!r}, {b!r}], recorded [{c!r}, {d!r}], which doubles do not tell apart"


def _sizes(texts: Iterable[str]) -> list[int | Fraction]:
    """The numbers of a point, in the order of its letters."""
    from theorytools.claims.language.grid import axis_value

    return [exact for exact in map(axis_value, texts) if not isinstance(exact, str)]
