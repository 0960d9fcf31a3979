"""The record of disputed statements, ``reports/finds.json`` beside a folder of checks, is made here, row by row."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from theorytools.claims.judging.disputed import RECORD, SCHEMA
from theorytools.claims.judging.finds import SECONDS, WITNESSES, find
from theorytools.claims.judging.inputs import ImportTable, inputs_digest
from theorytools.claims.judging.versions import versions
from theorytools.claims.papers.catalogue import Entry
from theorytools.claims.papers.disputes import Dispute
from theorytools.errors import DomainError
from theorytools.files import if_possible, json_text, read_json, write_json, write_text
from theorytools.places import PACKAGE
from theorytools.training.trials.provenance import git, provenance

_SEARCHING = ("finds", "falsify", "price", "searching", "drawn_objects", "witness")  # beside the room of the search


class FindsStore:
    """Rows by claim: what a run has found is kept in ``folder`` until its inputs change.

    Parameters
    ----------
    folder : where a run keeps its rows; a run that was cut off goes on from there.
    root : the folder of checks; witnesses lie beside it.
    """

    def __init__(self, folder: Path, root: Path) -> None:
        self.folder, self.root, self.table = folder, root, ImportTable()

    def row(self, dispute: Dispute, entries: Mapping[str, Entry], *, fresh: bool = False) -> dict[str, Any]:
        """Return the row of a disputed statement, found now or kept; errors as those of ``find``.

        Parameters
        ----------
        dispute, entries : as :func:`theorytools.claims.judging.finds.find` takes them.
        fresh : search again what is kept.
        """
        path, digest = self.folder / f"{dispute.claim}.json", self._digest(dispute, entries)
        if not fresh:
            try:
                kept = read_json(path)
                if kept["digest"] == digest:
                    return dict(kept["row"])
            except (OSError, ValueError, LookupError, TypeError):
                pass
        row = find(dispute, entries, self.root.parent / WITNESSES)
        with if_possible(path):
            write_json(path, {"digest": digest, "row": row})
        return row

    def _digest(self, dispute: Dispute, entries: Mapping[str, Entry]) -> str:
        ids = (dispute.claim, *dispute.repaired, *filter(None, [dispute.floats]))
        try:
            judged = [inputs_digest(entries[id], self.table, record=False) for id in ids]
        except (SyntaxError, ValueError, OSError):  # such a check cannot be judged either
            judged = []
        brought = self.root.parent / WITNESSES / f"{dispute.claim}.json"
        files = [Path(__file__).with_name(f"{name}.py") for name in _SEARCHING]
        files += [*sorted((PACKAGE / "search").rglob("*.py")), *([brought] * brought.is_file())]
        parts = [*ids, *judged, *(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def made_of(root: Path) -> tuple[str, bool]:
    """Return the commit of a folder of checks, empty where there is none, and whether its files differ from it.

    Asked are the checks, the witnesses beside them, and the library where it lies in the same repository.
    """
    commit = git(root, "rev-parse", "HEAD") or ""
    places = (str(root.resolve()), str(root.resolve().parent / WITNESSES), ":(top)theorytools")
    aside = (":(top,exclude,glob)**/__pycache__/**", ":(top,exclude,glob)**/records/**")
    return commit, git(root, "status", "--porcelain", "--", *places, *aside) != ""


def require_committed(root: Path) -> None:
    """Refuse a record that no commit holds the code of.

    Raises
    ------
    DomainError : files differ from the commit, or there is no repository.
    """
    commit, dirty = made_of(root)
    if not commit or dirty:
        raise DomainError(
            f"--record from {f'files that differ from the commit {commit[:12]}' if commit else 'no repository'}",
            required="a commit that holds the checks, the witnesses and the library",
            why="nobody could run it again", advice="commit, then record; --allow-dirty writes it all the same, and "
            "pages say so",
        )  # fmt: skip


def write_record(rows: Iterable[Mapping[str, Any]], root: Path) -> Path:
    """Write the record of all rows, one a line, beside the folder of checks; return its path."""
    commit, dirty = made_of(root)
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    machine = {name: value for name, value in provenance().items() if name != "versions"}
    made = {"commit": commit, "dirty": dirty, "created": created, **machine, "versions": versions()}
    lines = ",\n".join(json_text(dict(row)) for row in rows)
    head = json_text({"schema": SCHEMA, "seconds": SECONDS, "made": made})[:-1]
    path = root.parent / RECORD
    write_text(path, f'{head},"disputes":[\n{lines}\n]}}\n')
    return path
