"""``grade``: what the trial says of a check, and which changes of its measurement nothing sees."""

from __future__ import annotations

from pathlib import Path

from theorytools.claims.judging.run import judge_entry
from theorytools.claims.judging.trial.grading import graded
from theorytools.claims.judging.trial.variants import Trial
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import load
from theorytools.cli.answers import answer
from theorytools.cli.formats import hanging
from theorytools.mistakes.door import explaining


def grade_command(id: str, checks: Path | None, json: bool) -> int:
    """Grade the points and anchors of one claim by changes of its measurement; return 0."""
    entry = Catalogue(find_roots(checks)).one(id)
    with explaining(entry):
        verdict = judge_entry(entry)
    trial = Trial(load(entry), entry, verdict)
    changes = graded(trial) if trial.points else []
    unseen = [change for change in changes if not change.seen]
    if json:
        data = [{"line": c.line, "before": c.before, "after": c.after, "seen": c.seen} for c in changes]
        remarks = [remark.to_json() for remark in verdict.remarks]
        answer("grade", {"id": entry.id, "remarks": remarks, "changes": data})
        return 0
    print(hanging("", str(verdict), 4))
    for remark in verdict.remarks:
        print(hanging("", f"remark: {remark}", 4))
    for change in unseen:
        print(hanging("", str(change), 4))
    by = [sum(change.seen == who for change in changes) for who in ("rows", "anchors")]
    told = (
        f"{len(changes)} changes of the measurement: {by[0]} seen by the rows, {by[1]} by "
        f"{len(trial.claim.anchors)} anchors, {len(unseen)} by nothing"
        if changes else "no expression of measure stands in this check file: nothing was changed"
    )  # fmt: skip
    print(hanging("", told, 4))
    return 0
