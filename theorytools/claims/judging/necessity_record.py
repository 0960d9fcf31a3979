"""The record of what is needed: ``reports/necessity.json``, a claim a line, and what a run has done so far."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.judging.inputs import ImportTable
from theorytools.claims.judging.necessity import EVALUATIONS, STATES, Cell, cells, noted
from theorytools.claims.judging.necessity_point import examine_control, examine_point, exhausted
from theorytools.claims.judging.record import source_commit
from theorytools.claims.judging.versions import versions
from theorytools.claims.judging.witness import witness
from theorytools.claims.language.claim import Claim
from theorytools.claims.papers.catalogue import Catalogue, Entry, fingerprint
from theorytools.claims.papers.loading import load
from theorytools.claims.papers.notes import Note, read_notes
from theorytools.claims.papers.work import declared
from theorytools.errors import CheckError, DomainError
from theorytools.files import canonical, if_possible, read_json, unreadable, write_json, write_text

SCHEMA = "theorytools.necessity/1"
NAME = "necessity.json"
SEARCHING = (  # what decides a cell
    "necessity", "necessity_point", "weaker_hypotheses", "falsify", "price", "searching", "drawn_objects", "point",
    "hypotheses",
)  # fmt: skip


class NecessityStore:
    """Cells by claim, each searched once: what a run has found is kept in ``folder`` until its inputs change.

    Parameters
    ----------
    folder : where a run keeps what it has found; a run that was cut off goes on from there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.table = folder, ImportTable()

    def claim(self, entry: Entry, *, fresh: bool = False, recorded: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return a claim's cells as they were searched, and its witnesses; notes are not applied.

        Parameters
        ----------
        entry : the claim.
        fresh : search again what is kept.
        recorded : its line of a committed record, taken where the check and the controls that notes name are the same.
        """
        path, digest = self.folder / f"{entry.id}.json", self._digest(entry)
        if not fresh:
            try:
                kept = read_json(path)
                if kept["digest"] == digest:
                    return dict(kept)
            except (OSError, ValueError, LookupError, TypeError):
                pass
            if recorded is not None and recorded["check"] == fingerprint(entry.path) and _as_noted(entry, recorded):
                return {**recorded, "witnesses": []}
        made = {"id": entry.id, "check": fingerprint(entry.path), "digest": digest, **_searched(entry)}
        with if_possible(path):
            write_json(path, made)
        return made

    def _digest(self, entry: Entry) -> str:
        here = Path(__file__).parent
        engine = [hashlib.sha256((here / f"{name}.py").read_bytes()).hexdigest() for name in SEARCHING]
        own = [note for note in read_notes(entry.folder) if note.claim == entry.id]
        asked = [note.hypothesis for note in own if note.unsearched]
        asked += [f"{note.hypothesis} at {note.at}{note.control}" for note in own if note.tried]
        return hashlib.sha256(canonical([self.table.check_files(entry.path), engine, asked]).encode()).hexdigest()


def _as_noted(entry: Entry, recorded: Mapping[str, Any]) -> bool:
    """Whether every hypothesis that a note gives a control was decided by that control in the record."""
    by = {cell["hypothesis"]: cell.get("control", "") for cell in recorded["cells"]}
    notes = [note for note in read_notes(entry.folder) if note.claim == entry.id and note.control]
    return all(by.get(note.hypothesis) == note.control for note in notes)


def _searched(entry: Entry) -> dict[str, Any]:
    claim = load(entry)
    if claim.expect != "HOLDS":  # what fails within its hypotheses, or is left open there, needs none of them
        return {"cells": [], "witnesses": []}
    notes = [note for note in read_notes(entry.folder) if note.claim == entry.id]
    told = {note.hypothesis: note for note in notes if note.tried}
    made = cells(claim, notes, id=entry.id, work=declared(entry, claim))
    found = [_tried(claim, entry.id, cell, told.get(cell.hypothesis)) for cell in made]
    unsearched = {note.hypothesis for note in notes if note.unsearched}
    found = [cell if cell.hypothesis in unsearched else exhausted(claim, entry.id, cell) for cell in found]
    witnesses = [
        witness(
            cell.violation, hypothesis=cell.hypothesis, within=cell.notch, control=cell.control
        )
        for cell in found if cell.violation is not None
    ]  # fmt: skip
    return {"cells": [cell.to_json() for cell in found], "witnesses": witnesses}


def _tried(claim: Claim, id: str, cell: Cell, note: Note | None) -> Cell:
    """A cell after what a note names was judged: a point, or the object of a control."""
    if note is None:
        return cell
    return (
        examine_control(claim, id, cell, note.control) if note.control else examine_point(claim, id, cell, note.point)
    )


def with_notes(entry: Entry, found: Mapping[str, Any], notes: Sequence[Note]) -> dict[str, Any]:
    """Return a claim's line of the record: its cells as the notes leave them.

    Raises
    ------
    CheckError : a note on a hypothesis that the claim does not have, or one that a violation contradicts.
    """
    own = {note.hypothesis: note for note in notes if note.claim == entry.id}
    strange = own.keys() - {cell["hypothesis"] for cell in found["cells"]}
    if strange:
        raise CheckError(
            f"a note on '{min(strange)}' of {entry.id}", required="a hypothesis of the claim as it is printed",
            why=f"it has {'; '.join(cell['hypothesis'] for cell in found['cells']) or 'none'}",
        )  # fmt: skip
    made = [noted(cell, own.get(cell["hypothesis"])) for cell in found["cells"]]
    return {"id": entry.id, "check": found["check"], "cells": made}


def counts(lines: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many cells are in each state."""
    states = [cell["state"] for line in lines for cell in line["cells"]]
    return {state: states.count(state) for state in STATES}


def _made(checks: Path) -> dict[str, Any]:
    commit, dirty = source_commit(checks)
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return {"created": created, "commit": commit, "changed_since": dirty, "versions": versions()}


def record_text(
    lines: Sequence[Mapping[str, Any]], made: Mapping[str, Any], renewed: Sequence[Mapping[str, Any]] = ()
) -> str:
    """Return the text of the record: when all claims were searched, and which of them again since."""
    head = {"schema": SCHEMA, "made": made, **({"renewed": list(renewed)} if renewed else {}), "counts": counts(lines)}
    rows = ",\n".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines if line["cells"])
    return f'{json.dumps(head, ensure_ascii=False)[:-1]}, "claims": [\n{rows}\n]}}\n'


def write_record(path: Path, lines: Sequence[Mapping[str, Any]], checks: Path) -> None:
    """Write the record of all claims atomically."""
    write_text(path, record_text(lines, {**_made(checks), "evaluations": EVALUATIONS}))


def renew_record(path: Path, lines: Sequence[Mapping[str, Any]], entries: Sequence[Entry], checks: Path) -> None:
    """Write a record again with the lines of some claims replaced; the others stay as they were searched.

    Parameters
    ----------
    path : the record.
    lines : of the claims that were searched again.
    entries : all claims, in the order of the record; the line of one that is no more goes.
    checks : where the checks are.

    Raises
    ------
    DomainError : a file that is no such record.
    """
    kept = read_record(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    kept |= {line["id"]: dict(line) for line in lines}
    renewal = {**_made(checks), "claims": [line["id"] for line in lines if line["cells"]]}
    ordered = [kept[entry.id] for entry in entries if entry.id in kept]
    write_text(path, record_text(ordered, data["made"], [*data.get("renewed", ()), renewal]))


def read_record(path: Path) -> dict[str, dict[str, Any]]:
    """Return the lines of a record by id.

    Raises
    ------
    DomainError : a file that is no such record.
    """
    try:
        data = read_json(path)
        if data["schema"] != SCHEMA:
            raise ValueError(f"schema {data['schema']}")
        return {line["id"]: line for line in data["claims"]}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise DomainError(
            f"{path}: {type(error).__name__}: {error}",
            required=f"a record of necessity ({SCHEMA})",
            advice="theorytools necessity --record writes it",
        ) from None


def recorded(catalogue: Catalogue, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the lines of the records beside the checks of these papers, as the notes leave them; by id."""
    found: dict[str, dict[str, Any]] = {}
    for key in keys:
        folder = catalogue.paper(key).folder
        path = folder.parent.parent / "reports" / NAME
        if folder.parent.name == "checks" and path.is_file():
            try:
                lines = read_record(path)
            except DomainError as error:
                unreadable(path, error)
                continue
            found |= {id: line for id, line in lines.items() if id.partition(".")[0] == key}
    return found
