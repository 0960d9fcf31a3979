"""What is recorded of disputed statements: ``reports/finds.json`` beside a folder of checks, and how it is told.

``schema``
    ``theorytools.finds/1``.
``seconds``
    Of one core, that ``falsify`` had for each statement.
``made``
    Commit, whether files differed from it, time, processor and versions.
``disputes``
    A row for each disputed claim, as :func:`theorytools.claims.judging.finds.find` returns it, with the digests of its
    check and of those of its twins.

Words are not recorded: they are those of ``disputes.toml`` as it is, and a row whose check changed is *stale*.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from theorytools.claims.judging.finds import SECONDS, WAYS, WITNESSES, find
from theorytools.claims.judging.inputs import ImportTable, inputs_digest
from theorytools.claims.judging.sealed import versions
from theorytools.claims.papers.catalogue import Entry, fingerprint
from theorytools.claims.papers.disputes import FILE, Dispute, Source, disputing
from theorytools.claims.papers.location import check_paths
from theorytools.claims.papers.syntax import read_entries
from theorytools.errors import DomainError, RecordError, TheoryError
from theorytools.files import if_possible, json_text, read_json, unreadable, write_json, write_text
from theorytools.training.trials.provenance import git, provenance

SCHEMA = "theorytools.finds/1"
RECORD = Path("reports") / "finds.json"
STALE, MISSING = "stale", "missing"  # of rows: the check changed since; the record has none
_SEARCHING = ("finds", "falsify", "price", "searching", "drawn_objects", "witness")
_ROW = {"claim", "check", "way", "outcome", "place", "said", "points", "seconds", "lines", "verify", "repaired"}
_TWIN = ("claim", "check", "outcome", "limit", "evidence")


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
        files = [*(Path(__file__).with_name(f"{name}.py") for name in _SEARCHING), *([brought] * brought.is_file())]
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


def read_record(path: Path) -> dict[str, Any]:
    """Return a record.

    Raises
    ------
    RecordError : no such file, or one of another kind.
    """
    try:
        data = read_json(path)
        if data["schema"] != SCHEMA or not isinstance(data["made"], dict):
            raise ValueError(f"schema {data['schema']}")
        for row in data["disputes"]:
            whole = row.keys() >= _ROW and row["way"] in WAYS
            if not whole or not all(twin.keys() >= {*_TWIN} for twin in row["repaired"]):
                raise ValueError(f"a row with {', '.join(row)}")
        return dict(data)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise RecordError(
            f"{path}: {type(error).__name__}: {error}", required=f"a record of disputed statements ({SCHEMA})",
            advice="theorytools disputes --record",
        ) from None  # fmt: skip


# -- how it is told ------------------------------------------------------------------------------------------------
def disputed(root: Path) -> dict[str, Any] | None:
    """Return what a folder of checks disputes, joined with its record; None where it disputes nothing.

    Returns
    -------
    dict : ``rows`` in the order of the files, each with the words of its dispute, its row of the record, and ``state``:
        empty, :data:`STALE` or :data:`MISSING`; ``unsaid``; ``counts`` by way, of rows that are not stale; ``made`` and
        ``seconds`` of the record.

    Raises
    ------
    CheckError : a ``disputes.toml`` that is wrong.
    """
    folders = sorted(path.parent for path in root.glob(f"*/{FILE}"))
    told = disputing(folders)
    if not any(one.disputes or one.unsaid for one in told.values()):
        return None
    record: dict[str, Any] = {"disputes": [], "made": {}, "seconds": SECONDS}
    if (path := root.parent / RECORD).is_file():
        try:
            record = read_record(path)
        except RecordError as error:
            unreadable(path, error)
    known = {row["claim"]: row for row in record["disputes"]}
    checks = {e.id: e.path for folder in folders for _, file in check_paths(folder) for e in read_entries(file)}
    rows = [_joined(one, known.get(one.claim), checks) for found in told.values() for one in found.disputes]
    unsaid = [{**_words(one), "reason": one.reason} for found in told.values() for one in found.unsaid]
    current = [row["way"] for row in rows if not row["state"]]
    return {
        "rows": rows, "unsaid": unsaid, "counts": {way: current.count(way) for way in WAYS}, "made": record["made"],
        "seconds": record["seconds"], "papers": list(told),
    }  # fmt: skip


def _words(one: Source) -> dict[str, Any]:
    return {"statement": one.statement, "by": one.by, "address": one.address, "read": one.read.isoformat(),
            "read_as": one.read_as}  # fmt: skip


def _joined(one: Dispute, row: Mapping[str, Any] | None, checks: Mapping[str, Path]) -> dict[str, Any]:
    """The words of a dispute with its row of the record; numbers of a row that is stale stay, marked as such."""
    words = {**_words(one), "claim": one.claim, "finding": one.finding, "repair": one.repair, "grid": one.grid}
    if row is None:
        return {**words, "state": MISSING, "way": "none", "twins": one.repaired}
    parts = [row, *row["repaired"], *filter(None, [row.get("doubles")])]
    named = [one.claim, *one.repaired, *filter(None, [one.floats])]
    same = [part["claim"] for part in parts] == named and all(_same(part, checks) for part in parts)
    return {**row, **words, "state": "" if same else STALE, "twins": one.repaired}


def _same(part: Mapping[str, Any], checks: Mapping[str, Path]) -> bool:
    """Whether a check is as it was when its row was recorded; one that cannot be read is not."""
    try:
        return bool(part["claim"] in checks and part["check"] == fingerprint(checks[part["claim"]]))
    except (SyntaxError, ValueError, OSError):
        return False


def projects(root: Path) -> list[Path]:
    """Return the folders of checks with disputes that a site tells of: its own, and those of its examples."""
    roots = [root, *sorted((root.parent / "examples").glob("*/checks"))]
    return [place for place in roots if any(place.glob(f"*/{FILE}"))]


def told_disputes(root: Path) -> list[dict[str, Any]]:
    """Return what a site tells of disputed statements, none where there are none; what is wrong is said, and left out.

    Parameters
    ----------
    root : the folder of checks of the site.
    """
    found = []
    for place in projects(root):
        try:
            one = disputed(place)
        except TheoryError as error:
            unreadable(place, error)
            continue
        if one is not None:
            found.append({**one, "own": place == root})
    return found
