"""The ``verdicts/`` folder of a report: written as each claim is decided, read for ``--resume`` and the report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from theorytools.claims.catalogue import Catalogue, Entry, fingerprint
from theorytools.files import write_json, write_text


def prepare(folder: Path) -> Path:
    """Return the folder of verdicts, made and writable; ``FolderError`` otherwise, before anything runs."""
    store = folder / "verdicts"
    write_text(store / ".writable", "")
    (store / ".writable").unlink()
    return store


def keep(store: Path | None, verdict: Mapping[str, Any]) -> None:
    """Store one verdict under its id, or under id and axes where it was made at a user's point."""
    if store is not None:
        point = ",".join(verdict["command"].split(" --at ")[1:]).replace("/", "over")
        write_json(store / f"{verdict['id']}{'@' + point if point else ''}.json", verdict)


def read(path: Path) -> dict[str, Any] | None:
    """Return a stored verdict, or None where the file holds none."""
    from theorytools.claims.verdict import SCHEMA

    try:
        verdict = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return verdict if isinstance(verdict, dict) and verdict.get("schema") == SCHEMA else None


def _unchanged(entry: Entry, verdict: Mapping[str, Any]) -> bool:
    try:
        return bool(verdict["source"]["sha256"] == fingerprint(entry.path))
    except (SyntaxError, ValueError, OSError):  # a neighbour that it imports cannot be read
        return False


def reusable(store: Path, work: Iterable[tuple[Entry, Mapping[str, Any]]]) -> dict[str, Mapping[str, Any]]:
    """Return the stored verdicts that would come out the same: check and library unchanged, no record involved."""
    from theorytools.claims.document import library_fingerprint

    kept = {}
    for entry, at in work:
        stored = None if at or entry.error else read(store / f"{entry.id}.json")
        if stored is None or "record" in stored or "stale" in stored:
            continue
        if _unchanged(entry, stored) and stored.get("library_sha256") == library_fingerprint():
            kept[entry.id] = stored
    return kept


def current(folder: Path, catalogue: Catalogue) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the stored verdicts whose check is unchanged, in catalogue order, and the names left out."""
    entries = {e.id: e for e in catalogue.entries if not e.error}
    order = {id: k for k, id in enumerate(entries)}
    kept, left_out = [], []
    for path in sorted((folder / "verdicts").glob("*.json")):
        verdict = read(path)
        entry = entries.get(verdict["id"]) if verdict else None
        if verdict is None or entry is None or not _unchanged(entry, verdict):
            left_out.append(path.name)
        else:
            kept.append(verdict)
    return sorted(kept, key=lambda v: (order[v["id"]], v["user_points"], v["command"])), left_out
