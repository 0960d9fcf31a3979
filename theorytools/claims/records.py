"""Records of slow claims: the verdict, where it was made, and how it is judged again without being run.

A record is the verdict's JSON with its provenance, at ``checks/<paper>/records/<id>.json``.  Judging it again
compares the stored ends with the claim as it stands today and runs its cheapest point; a record whose check has
changed is STALE.
"""

from __future__ import annotations

import datetime
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from theorytools.algebra.estimate import Evidence
from theorytools.claims.catalogue import Entry, fingerprint
from theorytools.claims.claim import Claim
from theorytools.claims.judge import judge
from theorytools.claims.verdict import ControlResult, Outcome, Verdict, estimate_from_json
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
    dirty = bool(_git(entry.path.parent, "status", "--porcelain", "--", "theorytools", "checks"))
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
    record = json.loads(path.read_text(encoding="utf-8"))
    if record["source"]["sha256"] != fingerprint(entry.path):
        return undecided("STALE: the check changed after its record was made", stale=True)
    problem = _contradiction(claim, entry, record)
    if problem:
        return undecided(f"STALE: {problem}", stale=True)
    controls = tuple(ControlResult(**{**c, "breaks": tuple(c["breaks"])}) for c in record["controls"])
    return Verdict(
        entry.id, claim.label, Outcome(record["outcome"]), claim.expect, bool(record["as_expected"]),
        Evidence[record["evidence"]] if record["evidence"] else None,
        f"{record['reason']} (record of {record['record']['created'][:10]})", 
        rows=tuple(_rows(record)), controls=controls,
        skipped=tuple(record["skipped"]), power=record["power"],
        powers={a["name"]: a["power"] for a in record["assertions"]}, alpha_claim=record["alpha"]["claim"],
        alpha_spent=0.0, seconds=record["seconds"], document={**document, "record": record["record"]},
    )  # fmt: skip


def _rows(record: Mapping[str, Any]) -> list[Any]:
    from theorytools.claims.verdict import Row

    return [
        Row(r["point"], r["control"], r["assertion"], r["quantity"], r["relation"], r["truth"],
            estimate_from_json(r["measured"]), tuple(estimate_from_json(b) for b in r["bound"]),
            r["vacuous"], r["tied"], r["steps"], r["power"], r["must_break"])
        for r in record["rows"]
    ]  # fmt: skip


def _contradiction(claim: Claim, entry: Entry, record: Mapping[str, Any]) -> str:
    """What in the record disagrees with the claim today, or nothing."""
    for row in _rows(record):
        assertion = next((a for a in _all_assertions(claim) if a.name == row.assertion), None)
        if assertion is None:
            return f"the statement changed: '{row.assertion}' is not asserted any more"
        ends = [*row.bound, *row.bound][: len(assertion.sides())]
        if not row.tied and assertion.compare(row.measured, ends) is not row.truth:
            return f"the stored ends do not give the stored outcome of '{row.assertion}'"
    return _rerun_cheapest(claim, entry, record)


def _all_assertions(claim: Claim) -> list[Any]:
    return [*claim.assertions, *(a for c in claim.controls if c.asserts is not None for a in c.asserts)]


def _rerun_cheapest(claim: Claim, entry: Entry, record: Mapping[str, Any]) -> str:
    """Run the cheapest recorded point again: its intervals must meet the stored ones."""
    stored = [row for row in _rows(record) if not row.control]
    if not stored:
        return "the record has no rows"
    first = {tuple(row.point.items()) for row in stored}
    cheapest = min(first, key=lambda point: [_size(value) for _, value in point])
    fresh = judge(claim, entry.id, [dict(cheapest)])
    for row in fresh.rows:
        twin = next((r for r in stored if r.point == row.point and r.assertion == row.assertion), None)
        if row.control or twin is None:
            continue
        pairs = [(row.measured, twin.measured), *zip(row.bound, twin.bound, strict=True)]
        if any(a.low > b.high or b.low > a.high for a, b in pairs):
            return f"the library gives another number at {dict(cheapest)}: {row.measured}, recorded {twin.measured}"
    return ""


def _size(value: str) -> float:
    from theorytools.claims.grid import axis_value

    exact = axis_value(value)
    return 0.0 if isinstance(exact, str) else float(exact)
