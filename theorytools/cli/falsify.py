"""``falsify``: a search for a point that violates a claim; what it finds is told and kept."""

from __future__ import annotations

import math
import shlex
import time
from functools import partial
from pathlib import Path
from typing import Any

from theorytools.claims.judging.falsify import Findings, bring, falsify
from theorytools.claims.judging.necessity import stepped
from theorytools.claims.judging.verdict import Row
from theorytools.claims.judging.watched import FIRST, Watch
from theorytools.claims.judging.witness import keep, read_point, witness
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import broken, load
from theorytools.claims.papers.work import declared
from theorytools.cli.answers import answer
from theorytools.cli.display import where
from theorytools.cli.formats import UNDECIDED, UNEXPECTED, hanging
from theorytools.errors import DomainError, TheoryError
from theorytools.progress import talking

_BESIDE = 0.125  # of the time of a search, what may go to points one notch outside a hypothesis


def falsify_claim(
    id: str, seconds: float, checks: Path | None, as_json: bool, *, save: Path | None = None,
    brought: Path | None = None,
) -> int:  # fmt: skip
    """Run the search; 1 for an unexpected violation, 3 where a known one was not found or nothing was tried."""
    if not math.isfinite(seconds):
        raise DomainError(f"--seconds {seconds}", required="a number of seconds", why="the search must end")
    entry, begun, beside = Catalogue(find_roots(checks)).one(id), time.perf_counter(), dict[str, str]()
    try:
        with talking(), Watch(entry, partial(where, entry), first=seconds + FIRST):  # one point can take for ever
            claim = load(entry)
            if brought is None:
                work = declared(entry, claim)
                found = falsify(claim, entry.id, seconds=(1 - _BESIDE) * seconds, work=work)
                if found.row is None:
                    left = lambda: seconds - (time.perf_counter() - begun)  # noqa: E731
                    beside = stepped(claim, entry.id, work=work, left=left)
            else:
                axes, sample = read_point(brought, claim, entry.id)
                found = bring(claim, entry.id, axes, sample=sample)
    except TheoryError:
        raise
    except Exception as error:
        raise broken(entry.path, error) from error
    expected = (found.row is None) == (claim.expect == "HOLDS")
    code = 0 if expected else UNEXPECTED if found.row is not None and not found.fitted else UNDECIDED
    if not found.evaluations:
        code = UNDECIDED
    path = None
    if found.row is not None and save is not None:
        path = keep(save, entry, [witness(found)])
    if as_json:
        told = {**found.to_json(), "stepped": beside, "witness": str(path) if path else None}
        answer("falsify", {**told, "budgets": _untried(found)}, code)
    else:
        _tell_search(found, path)
        for hypothesis, said in beside.items():
            print(hanging("", f"one notch outside {hypothesis}: {said}", 4))
    return code


def _untried(found: Findings) -> list[dict[str, Any]]:
    """Which budget ended a search before it judged anything, and what to raise."""
    if found.evaluations:
        return []
    reason = f"nothing was tried ({found.tried})"
    return [{"id": found.id, "budget": "seconds", "spent": found.seconds, "reason": reason, "raise": "--seconds"}]


def _tell_search(found: Findings, kept: Path | None) -> None:
    from theorytools.reporting.messages import reason
    from theorytools.reporting.plain_text import point_text

    tried, row = f"{found.tried}, {found.seconds:.1f} s", found.row
    if not found.evaluations:
        print(hanging("", f"{found.id}: nothing was tried ({tried}); give more --seconds", 4))
    elif row is None:
        print(hanging("", f"{found.id}: no violation found ({tried}); this corroborates and proves nothing", 4))
    else:
        print(hanging("", f"{found.id}: {found.word} at {row.place} ({tried})", 4))
        print(hanging("", f"{row.assertion}: measured {row.measured}, bound {' … '.join(map(str, row.bound))}", 4))
        if found.thing:
            print(hanging("", f"object: {found.thing}", 4))
        if found.sample:
            print(hanging("", f"with a fresh draw: sample {found.sample}, not the one that the check judges", 4))
        if found.first and found.first != row.point:
            print(hanging("", f"found first at {point_text(found.first)}, then made simpler", 4))
        print(hanging("", f"evidence: {row.evidence.name.lower()}; re-judged with the claim's whole budget", 4))
    for told in found.searched:
        print(hanging("", f"searched: {told}", 4))
    if found.failure:
        print(hanging("", f"not judged, first: {reason(found.failure)}", 4))
    if row is not None:
        _tell_how_to_repeat(found, row, kept)


def _tell_how_to_repeat(found: Findings, row: Row, kept: Path | None) -> None:
    if kept is not None:
        print(f"witness: theorytools verify --witness {kept}")
    if not found.thing and not found.sample:
        at = " ".join(f"--at {name}={shlex.quote(value)}" for name, value in row.point.items())
        print(f"reproduce: theorytools verify {found.id} {at}")
    elif kept is None:
        print(hanging("", "keep it: --save FOLDER writes a file that theorytools verify --witness judges again", 4))
