"""Records of slow claims: the verdict, where it was made, and how it is judged again without being run.

A record is the verdict's JSON with its provenance, at ``checks/<paper>/records/<id>.json``.  Judging it again
compares the stored ends with the claim as it stands today and runs its cheapest point; a record whose check has
changed is STALE.
"""

from __future__ import annotations

import datetime
import json
import subprocess
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from theorytools.claims.catalogue import Entry, fingerprint
from theorytools.claims.claim import Claim
from theorytools.claims.judge import conclude, judge
from theorytools.claims.verdict import Outcome, Row, Verdict, estimate_from_json
from theorytools.errors import CheckError
from theorytools.files import json_text, write_text

MAX_BYTES = 1_000_000


def record_path(entry: Entry) -> Path:
    """Return where the record of a claim lies."""
    return entry.path.parent / "records" / f"{entry.id}.json"


def write_record(entry: Entry, verdict: Mapping[str, Any]) -> Path:
    """Store a verdict as a record, with commit and time; ``CheckError`` where it would exceed 1 MB."""
    path = record_path(entry)
    commit = _git(entry.path.parent, "rev-parse", "HEAD")
    sources = (":(top)theorytools", ":(top)checks", ":(top,exclude,glob)checks/*/records/**")
    dirty = bool(_git(entry.path.parent, "status", "--porcelain", "--", *sources))
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    record = {**verdict, "record": {"commit": commit, "changed_since": dirty, "created": created}}
    text = json_text(record, indent=1)
    if len(text.encode()) > MAX_BYTES:
        raise CheckError(f"a record of {len(text)} bytes for {entry.id}", required=f"at most {MAX_BYTES}")
    write_text(path, text)
    return path


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
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["source"]["sha256"] != fingerprint(entry.path):
            return undecided("STALE: the check changed after its record was made", stale=True)
        rows = _rows(record)
        made, seconds, skipped = dict(record["record"]), float(record["seconds"]), list(record["skipped"])
        problem = _contradiction(claim, rows, [skip["point"] for skip in skipped])
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        return undecided(f"STALE: the record cannot be read ({type(error).__name__}: {error})", stale=True)
    problem = problem or _rerun_cheapest(claim, entry, rows)
    if problem:
        return undecided(f"STALE: {problem}", stale=True)
    found = conclude(claim, rows, skipped)
    found["reason"] += f" (record of {made.get('created', '')[:10]})"
    return Verdict(
        id=entry.id, label=claim.label, **found, alpha_claim=claim.budget.alpha, seconds=seconds,
        document={**document, "record": made},
    )  # fmt: skip


def _rows(record: Mapping[str, Any]) -> list[Row]:
    return [
        Row(r["point"], r["control"], r["assertion"], r["quantity"], r["relation"], r["truth"],
            estimate_from_json(r["measured"]), tuple(estimate_from_json(b) for b in r["bound"]),
            r["vacuous"], r["tied"], r["steps"], r["power"], r["must_break"])
        for r in record["rows"]
    ]  # fmt: skip


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
        tied = row.tied and row.truth is True and assertion.tie != 0 and truth is None
        if truth is not row.truth and not tied:
            return f"the stored ends do not give the stored outcome of '{row.assertion}'"
    for axes in claim.grid:
        place = claim.point(axes, "").text()
        found = sorted(row.assertion for row in rows if row.point == place and not row.control)
        if place not in skipped and found != sorted(a.name for a in claim.assertions):
            return f"its rows at {place} are not those of the statement"
    return ""


def _rerun_cheapest(claim: Claim, entry: Entry, rows: Sequence[Row]) -> str:
    """Run the cheapest recorded point again: its intervals must meet the stored ones."""
    stored = [row for row in rows if not row.control]
    if not stored:
        return "the record has no rows"
    first = {tuple(row.point.items()) for row in stored}
    cheapest = min(first, key=lambda point: [_size(value) for _, value in point])
    fresh = judge(claim, entry.id, [dict(cheapest)])
    if not fresh.rows:
        return f"{dict(cheapest)} is outside the hypotheses today"
    for row in fresh.rows:
        twin = next((r for r in stored if r.point == row.point and r.assertion == row.assertion), None)
        if row.control or twin is None:
            continue
        pairs = [(row.measured, twin.measured), *zip(row.bound, twin.bound, strict=True)]
        if any(a.low > b.high or b.low > a.high for a, b in pairs):
            return f"the library gives another number at {dict(cheapest)}: {row.measured}, recorded {twin.measured}"
    return ""


def _size(value: str) -> int | Fraction:
    from theorytools.claims.grid import axis_value

    exact = axis_value(value)
    return 0 if isinstance(exact, str) else exact
