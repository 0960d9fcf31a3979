"""The list of the files that a report made: only what stands in it, unchanged since, is ever deleted.

A folder may come from somebody else, with a list that names anything and with links that lead anywhere: no path of the
list is followed that a report could not have made, and no link inside the folder at all.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError
from theorytools.files import read_json, refuse_links, write_json
from theorytools.reporting.rendering import INDEX, TITLE

NAME, SCHEMA, SECTIONS, VERDICTS = "manifest.json", "theorytools.site/1", "sections", "verdicts"
KINDS = (".html", ".css", ".js", ".svg")  # of the files that are pages
KEPT = (NAME, SECTIONS, VERDICTS, "written.json", "times.json", "rendered")  # beside the pages
_PART = r"[A-Za-z0-9_-][A-Za-z0-9_.-]*"  # as the names of pages are made: no hidden file, no step upwards
_PAGE = re.compile(rf"(?:{_PART}/){{0,2}}{_PART}(?:{'|'.join(map(re.escape, KINDS))})")
_SECTION = re.compile(rf"{SECTIONS}/[0-9a-f]{{40}}\.json")
_DIGEST = re.compile(r"[0-9a-f]{64}")


def refuse_links_in(folder: Path, keys: Iterable[str] = ()) -> None:
    """Refuse a report folder with a link where a report is read, written or deleted; links elsewhere are the user's.

    Parameters
    ----------
    folder : of the report.  The folder itself may be a link: its user named it, and everything then lies in one place.
    keys : the folders of pages that a run will write.

    Raises
    ------
    DomainError : naming the link.
    """
    refuse_links(folder, [NAME])  # before it is read
    listed = read_manifest(folder)
    used = {*KEPT, *keys, *(path.split("/")[0] for path in listed)}
    try:
        own = [name for name in os.listdir(folder) if name in used or name.endswith(KINDS)]
    except OSError:  # nothing there, or no folder: whoever writes says so
        own = []
    refuse_links(folder, [*own, *listed])


def refuse_paths(folder: Path, paths: Iterable[str]) -> None:
    """Refuse pages whose paths, made of the names of papers and statements, lead out of the folder or through a link.

    Raises
    ------
    DomainError : naming the path.
    """
    paths = list(paths)
    for path in paths:
        if not _PAGE.fullmatch(path):
            raise DomainError(
                f"a page {path!r}", required="a path below the folder, of letters, digits, _, . and -",
                why="pages are named for papers and statements, and must lie in the folder of the report",
                advice="give the paper a key such as mypaper",
            )  # fmt: skip
    refuse_links(folder, paths)


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_manifest(folder: Path) -> dict[str, str]:
    """Return the digests of the files made before, by path; nothing where there is no list that can be read.

    A line that no report writes is left out: another path than that of a page or section, or no SHA-256.
    """
    try:
        data = read_json(folder / NAME)
        files = data["files"] if data["schema"] == SCHEMA else {}
        return {path: known for path, known in files.items() if _listed(path) and is_digest(known)}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def _listed(path: str) -> bool:
    return bool(_SECTION.fullmatch(path) or (_PAGE.fullmatch(path) and path.split("/")[0] not in KEPT))


def is_digest(known: Any) -> bool:
    """Whether a value is a SHA-256 as lists of files have it."""
    return isinstance(known, str) and bool(_DIGEST.fullmatch(known))


def write_manifest(folder: Path, files: Mapping[str, str], origin: Mapping[str, Any], version: str) -> None:
    """Write the list: ``files`` by path, whose statements they show, and the version that made them."""
    data = {"schema": SCHEMA, "version": version, "origin": dict(origin), "files": dict(sorted(files.items()))}
    write_json(folder / NAME, data, indent=1)


def unchanged(folder: Path, path: str, known: str) -> bool:
    """Whether a file still is what was written: a plain file whose content has the digest listed."""
    file = folder / path
    try:
        return stat.S_ISREG(os.lstat(file).st_mode) and hashlib.sha256(file.read_bytes()).hexdigest() == known
    except OSError:
        return False


def is_front(folder: Path) -> bool:
    """Whether the index of a folder is that of a report, also where its list is torn or lost."""
    try:
        return f"<title>{TITLE}</title>" in (folder / INDEX).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
