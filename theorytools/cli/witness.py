"""Files for other judges: ``falsify`` keeps violations, ``verify --witness`` judges them, ``certificates`` objects."""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from theorytools.certificates import write_certificate
from theorytools.claims.judging.falsify import Findings, bring, falsify
from theorytools.claims.judging.necessity import stepped
from theorytools.claims.judging.verdict import Row
from theorytools.claims.judging.witness import changed, keep, read_point, read_witnesses, replay, witness
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import broken, load
from theorytools.claims.papers.work import declared
from theorytools.cli.answers import answer
from theorytools.cli.formats import UNDECIDED, UNEXPECTED
from theorytools.errors import DomainError, TheoryError
from theorytools.files import refuse_links
from theorytools.progress import shown, talking

_BESIDE = 0.125  # of the time of a search, what may go to points one notch outside a hypothesis
CERTIFICATES = Path("site") / "certificates"


def replay_files(files: Sequence[Path], ids: Sequence[str], at: Sequence[str], checks: Path | None, format: str) -> int:
    """Judge the witnesses in files again and tell each; ``DomainError`` for one that does not come out as it says."""
    if ids or at:
        raise DomainError("--witness with ids or --at", required="files of witnesses alone",
                          why="a witness names its claim and its point")  # fmt: skip
    catalogue = Catalogue(find_roots(checks))
    lines = []
    for file in files:
        with talking():
            rows = replay(file, catalogue)
        data = read_witnesses(file)
        for one, row in zip(data["witnesses"], rows, strict=True):
            told = {"id": data["id"], "hypothesis": one["hypothesis"], "violation": row.to_json()}
            lines.append({**told, "changed": changed(data, catalogue.one(data["id"]))})
    if format == "json":
        answer("replay", {"witnesses": lines})
        return 0
    for line in lines:
        _tell_witness(line)
    return 0


def _tell_witness(line: dict[str, Any]) -> None:
    from theorytools.reporting.plain_text import number, point_text

    row = line["violation"]
    without = f" without '{line['hypothesis']}'" if line["hypothesis"] else ""
    print(f"{line['id']}{without}: VIOLATED at {point_text(row['point'])} ({row['evidence'].lower()})")
    bound = " … ".join(number(b) for b in row["bound"])
    print(f"{row['assertion']}: measured {number(row['measured'])}, bound {bound}")


def falsify_claim(
    id: str, seconds: float, checks: Path | None, as_json: bool, *, save: Path | None = None,
    brought: Path | None = None,
) -> int:  # fmt: skip
    """Run the search; 1 for an unexpected violation, 3 where a known one was not found or nothing was tried."""
    if not math.isfinite(seconds):
        raise DomainError(f"--seconds {seconds}", required="a number of seconds", why="the search must end")
    entry, begun, beside = Catalogue(find_roots(checks)).one(id), time.perf_counter(), dict[str, str]()
    try:
        with talking():
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
            print(f"one notch outside {hypothesis}: {said}")
    return code


def _untried(found: Findings) -> list[dict[str, Any]]:
    """Which budget ended a search before it judged anything, and what to raise."""
    if found.evaluations:
        return []
    reason = f"nothing was tried ({found.tried})"
    return [{"id": found.id, "budget": "seconds", "spent": found.seconds, "reason": reason, "raise": "--seconds"}]


def _tell_search(found: Findings, kept: Path | None) -> None:
    from theorytools.reporting.plain_text import point_text

    tried, row = f"{found.tried}, {found.seconds:.1f} s", found.row
    if not found.evaluations:
        print(f"{found.id}: nothing was tried ({tried}); give more --seconds")
    elif row is None:
        print(f"{found.id}: no violation found ({tried}); this corroborates and proves nothing")
    else:
        print(f"{found.id}: {found.word} at {row.place} ({tried})")
        print(f"{row.assertion}: measured {row.measured}, bound {' … '.join(map(str, row.bound))}")
        if found.thing:
            print(f"object: {found.thing}")
        if found.sample:
            print(f"with a fresh draw: sample {found.sample}, not the one that the check judges")
        if found.first and found.first != row.point:
            print(f"found first at {point_text(found.first)}, then made simpler")
        print(f"evidence: {row.evidence.name.lower()}; re-judged with the claim's whole budget")
    for told in found.searched:
        print(f"searched: {told}")
    if found.failure:
        print(f"not judged, first: {found.failure}")
    if row is not None:
        _tell_how_to_repeat(found, row, kept)


def _tell_how_to_repeat(found: Findings, row: Row, kept: Path | None) -> None:
    if kept is not None:
        print(f"witness: theorytools verify --witness {kept}")
    if not found.thing and not found.sample:
        at = " ".join(f"--at {name}={shlex.quote(value)}" for name, value in row.point.items())
        print(f"reproduce: theorytools verify {found.id} {at}")
    elif kept is None:
        print("keep it: --save FOLDER writes a file that theorytools verify --witness judges again")


def certificates_command(ids: Sequence[str], *, output: Path, checks: Path | None, json: bool) -> int:
    """Write the certificates of the claims named, or of all of the user's; return 3 where none has one, else 0."""
    catalogue = Catalogue(find_roots(checks))
    entries = catalogue.select(ids) if ids else catalogue.own
    if output == CERTIFICATES:  # nobody named that folder
        refuse_links(output.parent, [output.name])
    written: list[Path] = []
    with talking(), shown("claims") as progress:
        for done, entry in enumerate(entries, 1):
            try:
                path = write_certificate(entry, load(entry), output)
            except TheoryError:
                raise
            except Exception as error:
                raise broken(entry.path, error) from error
            written += [path] if path else []
            if progress is not None:
                progress(done, len(entries))
    code = 0 if written else UNDECIDED
    if json:
        answer("certificates", {"claims": len(entries), "written": [str(path) for path in written]}, code)
    else:
        print(f"{len(written)} of {len(entries)} claims have an object that is small and of a kind")
        print(f"wrote {output}" if written else "wrote nothing")
    return code
