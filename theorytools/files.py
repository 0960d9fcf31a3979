"""Files that appear whole or not at all, written beside their place, then moved; and what was read from files, kept."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import time
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from theorytools.errors import DomainError, FolderError

Stamp = tuple[int, int, int]
T = TypeVar("T")
_PART = re.compile(r"\..+\.[0-9a-f]{12}\.part")


def stamp(path: Path) -> Stamp:
    """Return what changes when a file is written: its time in nanoseconds, its size, its inode; ``OSError`` if gone."""
    found = os.stat(path)
    return found.st_mtime_ns, found.st_size, found.st_ino


def kept_while_unchanged(read: Callable[[Path], T]) -> Callable[[Path], T]:
    """Return ``read`` with its last result for every file remembered until the file's stamp changes.

    Errors are not remembered, and a file that is not there is left to ``read``.  The results are shared by all
    callers: they must not be changed.
    """
    known: dict[Path, tuple[Stamp, T]] = {}

    @wraps(read)
    def remembered(path: Path) -> T:
        try:
            now = stamp(path)  # before reading: a change in between is seen by the next call
        except OSError:
            return read(path)
        if path not in known or known[path][0] != now:
            known[path] = (now, read(path))
        return known[path][1]

    return remembered


def json_text(data: Any, *, indent: int | None = None) -> str:
    """Return strict JSON; NaN and infinities are refused, because no other reader would accept them."""
    try:
        separators = (",", ":") if indent is None else (",", ": ")
        return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    except ValueError as error:
        raise DomainError(
            f"data for a JSON file with a number that JSON does not have ({error})",
            required="finite numbers; an infinite end is {'inf': ±1} and shows null",
            why="the verdict schema theorytools.verdict/1 forbids NaN and Infinity",
            advice="look for the quantity whose measurement is NaN",
        ) from error


def write_all(folder: Path, files: Mapping[str, str | bytes], *, durable: bool = True) -> None:
    """Write several texts, or bytes, into a folder: all temporary files first, then all moves in the order given.

    A failure before the last temporary file is complete leaves every old file as it was.  A name may hold folders
    (``qstr/lemma_11.html``), which are made.  Files that can be made again need not be ``durable``: they are not
    forced to the disk, and may be empty after a loss of power.

    Raises
    ------
    FolderError : if the folder cannot be made or written to.
    """
    written: list[tuple[Path, Path]] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
            written.append((temporary, target))
            with temporary.open("xb") as out:
                out.write(text if isinstance(text, bytes) else text.encode())
                out.flush()
                if durable:
                    os.fsync(out.fileno())
        for temporary, target in written:
            os.replace(temporary, target)
    except OSError as error:
        raise FolderError(
            f"the folder {folder}, where writing failed: {error.strerror or error}",
            required="a folder that can be made and written to, on a disk with room",
            why="a report and its verdicts are files",
            advice="name another folder, or change the permissions of this one",
        ) from error
    finally:
        for temporary, _ in written:
            temporary.unlink(missing_ok=True) if temporary.parent.is_dir() else None


def remove_parts(folder: Path, *, age: float = 3600.0) -> None:
    """Remove the temporary files that a killed process left below a folder, once they are ``age`` seconds old.

    Younger ones may belong to a process that is writing.
    """
    for path in folder.rglob(".*.part"):
        with contextlib.suppress(OSError):  # another process may remove it too
            if _PART.fullmatch(path.name) and time.time() - path.stat().st_mtime > age:
                path.unlink()


def write_text(path: Path, text: str) -> None:
    """Write one text file atomically."""
    write_all(path.parent, {path.name: text})


def write_json(path: Path, data: Any, *, indent: int | None = None) -> None:
    """Write one JSON file atomically."""
    write_text(path, json_text(data, indent=indent) + "\n")
