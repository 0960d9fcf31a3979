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

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from theorytools.claims.papers.catalogue import fingerprint
from theorytools.claims.papers.disputes import FILE, Dispute, Source, disputing
from theorytools.claims.papers.location import check_paths
from theorytools.claims.papers.syntax import read_entries
from theorytools.errors import RecordError, TheoryError
from theorytools.files import read_json, unreadable
from theorytools.meaning import FALSIFY_SECONDS, MISSING, STALE, WAYS

SCHEMA = "theorytools.finds/1"
RECORD = Path("reports") / "finds.json"
_ROW = {"claim", "check", "way", "outcome", "place", "said", "points", "seconds", "lines", "verify", "repaired"}
_TWIN = ("claim", "check", "outcome", "limit", "evidence")


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
    record: dict[str, Any] = {"disputes": [], "made": {}, "seconds": FALSIFY_SECONDS}
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
