"""``falsify``: a search for a point that violates a claim; what it finds is told and kept."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

from theorytools.claims.judging.falsify import Findings, bring
from theorytools.claims.judging.watched import FIRST, Watch
from theorytools.claims.judging.witness import keep, read_point, witness
from theorytools.claims.papers.catalogue import Catalogue, Entry, find_roots
from theorytools.claims.papers.loading import broken, load
from theorytools.cli.answers import answer
from theorytools.cli.display import where
from theorytools.cli.formats import UNDECIDED, UNEXPECTED, hanging
from theorytools.errors import DomainError, TheoryError
from theorytools.mistakes.door import explaining
from theorytools.progress import talking
from theorytools.questions.falsify import ShownFindings, falsify, shown_findings, told

COMMANDS = ("witness: ", "reproduce: ")  # one line each, to be copied


def falsify_claim(
    id: str, seconds: float, checks: Path | None, as_json: bool, *, save: Path | None = None,
    brought: Path | None = None,
) -> int:  # fmt: skip
    """Run the search; 1 for an unexpected violation, 3 where a known one was not found or nothing was tried."""
    if not math.isfinite(seconds):
        raise DomainError(f"--seconds {seconds}", required="a number of seconds", why="the search must end")
    entry = Catalogue(find_roots(checks)).one(id)
    watch = Watch(entry, partial(where, entry), first=seconds + FIRST)  # one point can take for ever
    with talking(), watch, explaining(entry):
        found = falsify(entry.id, seconds=seconds, checks=checks) if brought is None else _brought(entry, brought)
        claim = load(entry)
    expected = (found.row is None) == (claim.expect == "HOLDS")
    code = 0 if expected else UNEXPECTED if found.row is not None and not found.fitted else UNDECIDED
    if not found.evaluations:
        code = UNDECIDED
    path = None
    if found.row is not None and save is not None:
        path = keep(save, entry, [witness(found)])
    if as_json:
        kept = {"witness": str(path) if path else None, "budgets": _untried(found)}
        answer("falsify", {**found.to_json(), **kept}, code)
    else:
        for line in told(found, path):
            print(line if line.startswith(COMMANDS) else hanging("", line, 4))
    return code


def _brought(entry: Entry, file: Path) -> ShownFindings:
    """The point of a file, judged and made simpler."""
    try:
        claim = load(entry)
        axes, sample = read_point(file, claim, entry.id)
        return shown_findings(bring(claim, entry.id, axes, sample=sample), claim)
    except TheoryError:
        raise
    except Exception as error:
        raise broken(entry.path, error) from error


def _untried(found: Findings) -> list[dict[str, Any]]:
    """Which budget ended a search before it judged anything, and what to raise."""
    if found.evaluations:
        return []
    reason = f"nothing was tried ({found.tried})"
    return [{"id": found.id, "budget": "seconds", "spent": found.seconds, "reason": reason, "raise": "--seconds"}]
