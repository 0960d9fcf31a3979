"""``necessity``: which hypotheses are needed, each with a violation outside it; ``--record`` keeps what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.judging.necessity import STATES
from theorytools.claims.judging.necessity_record import (
    NAME,
    NecessityStore,
    counts,
    recorded,
    renew_record,
    with_notes,
    write_record,
)
from theorytools.claims.judging.witness import FOLDER, read_witnesses, write_witnesses
from theorytools.claims.papers.catalogue import Catalogue, Entry, find_roots
from theorytools.claims.papers.notes import read_notes
from theorytools.cli.answers import answer
from theorytools.cli.claims_asked import asked_claims
from theorytools.cli.formats import UNDECIDED, wrapped
from theorytools.errors import DomainError
from theorytools.files import refuse_links
from theorytools.progress import shown, talking
from theorytools.reporting.messages import reason

KEPT = Path("site") / "necessity"
Lines = Sequence[Mapping[str, Any]]


def necessity_command(ids: Sequence[str], *, record: bool, fresh: bool, checks: Path | None, json: bool) -> int:
    """Search the claims named, or all of the user's; return 3 where a cell stays unknown, else 0."""
    catalogue = Catalogue(find_roots(checks))
    path = Path("reports") / NAME
    if record and ids and not path.is_file():
        raise DomainError(
            "--record with ids", required=f"a record, {path}", why="the lines of all other claims stay",
            advice="theorytools necessity --record makes one, of all claims",
        )  # fmt: skip
    entries = asked_claims(catalogue, ids)
    known = {} if record else recorded(catalogue, {entry.paper for entry in entries})
    refuse_links(KEPT.parent, [KEPT.name])
    store, found = NecessityStore(KEPT), []
    with talking(), shown("claims") as progress:
        for done, entry in enumerate(entries, 1):
            found.append(store.claim(entry, fresh=fresh, recorded=known.get(entry.id)))
            if progress is not None:
                progress(done, len(entries))
    notes = {key: read_notes(catalogue.paper(key).folder) for key in {entry.paper for entry in entries}}
    lines = [with_notes(entry, one, notes[entry.paper]) for entry, one in zip(entries, found, strict=True)]
    written = _write(path, catalogue, entries, lines, found, part=bool(ids)) if record else []
    code = UNDECIDED if counts(lines)["unknown"] else 0
    if json:
        told = {"counts": counts(lines), "claims": lines, "written": [str(path) for path in written]}
        answer("necessity.answer", told, code)
    else:
        _tell(lines, written)
    return code


def _write(
    record: Path, catalogue: Catalogue, entries: Sequence[Entry], lines: Lines, found: Lines, *, part: bool
) -> list[Path]:
    """Write the record, or its part of these claims, and their witnesses; a file that none needs any more goes."""
    if part:
        renew_record(record, lines, catalogue.own, catalogue.roots[0])
    else:
        write_record(record, lines, catalogue.roots[0])
    written = [record]
    for entry, one in zip(entries, found, strict=True):
        path = FOLDER / f"{entry.id}.json"
        own = [w for w in read_witnesses(path)["witnesses"] if not w["hypothesis"]] if path.is_file() else []
        if one["witnesses"] or own:
            write_witnesses(path, entry, [*own, *one["witnesses"]])
            written.append(path)
        else:
            path.unlink(missing_ok=True)
    return written


def _tell(lines: Lines, written: Sequence[Path]) -> None:
    for line in lines:
        if not line["cells"]:
            if len(lines) == 1:
                print(f"{line['id']}: no hypotheses")
            continue
        print(line["id"])
        for cell in line["cells"]:
            print(wrapped(f"{cell['state']}: {cell['hypothesis']}{_reason(cell)}", 2))
    total = counts(lines)
    print(wrapped(", ".join(f"{total[state]} {state}" for state in STATES) + f", of {sum(total.values())} hypotheses"))
    if written:
        print(f"wrote {written[0]} and {len(written) - 1} files of witnesses in {FOLDER}")


def _reason(cell: Mapping[str, Any]) -> str:
    if cell["state"] != "needed":
        return f"; {reason(str(cell['why']))}"
    at = ", ".join(f"{name}={value}" for name, value in cell["at"].items())
    notch = f" ({cell['change']})" if cell["within"] else " (beyond one notch)"
    by = f" by the object of its control '{cell['control']}'" if "control" in cell else ""
    return f"; violated at {at}{notch}{by}, {cell['evidence'].lower()}"
