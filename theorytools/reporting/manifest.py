"""The list of the files that a report made: only what stands in it, unchanged since, is ever deleted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from theorytools.files import write_json

NAME, SCHEMA = "manifest.json", "theorytools.site/1"


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def read(folder: Path) -> dict[str, str]:
    """Return the digests of the files made before, by path; nothing where there is no list that can be read."""
    try:
        data = json.loads((folder / NAME).read_text(encoding="utf-8"))
        files = data["files"] if data["schema"] == SCHEMA else {}
        return {path: known for path, known in files.items() if isinstance(known, str) and _inside(path)}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def _inside(path: str) -> bool:
    parts = path.replace("\\", "/").split("/")
    return not path.startswith("/") and ":" not in path and not {"", ".", ".."} & set(parts)


def write(folder: Path, files: Mapping[str, str], origin: Mapping[str, Any], version: str) -> None:
    """Write the list: ``files`` by path, whose statements they show, and the version that made them."""
    data = {"schema": SCHEMA, "version": version, "origin": dict(origin), "files": dict(sorted(files.items()))}
    write_json(folder / NAME, data, indent=1)


def unchanged(folder: Path, path: str, known: str) -> bool:
    """Whether a file still is what was written: its content has the digest listed."""
    try:
        return hashlib.sha256((folder / path).read_bytes()).hexdigest() == known
    except OSError:
        return False
