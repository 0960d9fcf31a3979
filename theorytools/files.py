"""Files that appear whole or not at all, written beside their place, then moved; and what was read from files, kept."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from theorytools.errors import DomainError, FolderError, TheoryError

Stamp = tuple[int, int, int, int]
T = TypeVar("T")


def stamp(path: Path) -> Stamp:
    """Return what changes when a file is written: its times in nanoseconds, its size, its inode; ``OSError`` if gone.

    Of the two times the first can be set to anything, and is by whoever restores a file; the other is the system's.
    Stamps are compared for being equal and never for being earlier, so that a clock that jumps misleads nobody.
    """
    found = os.stat(path)
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


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


def read_regular(path: Path, most: int) -> bytes:
    """Return the bytes of a file that anybody may have put there: never those of a pipe or a device, and not too many.

    Parameters
    ----------
    path : the file, or a link to one.
    most : the bytes that it may have.

    Raises
    ------
    OSError : if it cannot be read.
    ValueError : if it is no file, or has more bytes.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):  # before it is opened, which may wait, or do something
        raise ValueError("no file, but a folder, a pipe or a device")
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("no file, but a folder, a pipe or a device")
        data = file.read(most + 1) if os.fstat(file.fileno()).st_size <= most else None
    if data is None or len(data) > most:
        raise ValueError(f"more than {most} bytes")
    return data


def canonical(data: object) -> str:
    """Return the canonical JSON text: sorted keys, no spaces, no NaN."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)


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


def read_json(path: Path) -> Any:
    """Return what a file of strict JSON holds.

    Raises
    ------
    OSError : if it cannot be read.
    ValueError : if it is no JSON: truncated, not UTF-8, with NaN or an infinity, or nested without end.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_number)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")


def refuse_links(folder: Path, names: Iterable[str]) -> None:
    """Refuse paths below a folder that are links, lie behind one, or are neither files nor folders.

    What is written or deleted through a link lies where nobody named it.  The folder itself may be a link.

    Parameters
    ----------
    folder : as its user named it.
    names : paths below it; of a folder among them also everything that lies right in it.  One that is not there passes.

    Raises
    ------
    DomainError : naming the first link.
    """
    known = set[str]()
    for name in names:
        path, mode = str(folder), stat.S_IFDIR
        for part in name.split("/"):
            path = os.path.join(path, part)
            mode = 0 if path in known else _own(path)
            known.add(path)
        for inner in os.listdir(path) if stat.S_ISDIR(mode) else ():
            _own(os.path.join(path, inner))


def _own(path: str) -> int:
    """The mode of a file or folder that is no link; 0 where nothing is."""
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return 0
    junction = getattr(found, "st_reparse_tag", 0) == getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)
    if junction or not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        link = junction or stat.S_ISLNK(found.st_mode)
        raise DomainError(
            f"{path}, {f'a link to {os.readlink(path)}' if link else 'neither a file nor a folder'}",
            required="files and folders of its own where a report is read and written",
            why="what is written or deleted through a link lies outside the folder that was named",
            advice=f"remove it, or name another folder; {os.path.dirname(path) or '.'} itself may be a link when named",
        )
    return found.st_mode


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


def write_text(path: Path, text: str) -> None:
    """Write one text file atomically."""
    write_all(path.parent, {path.name: text})


def write_json(path: Path, data: Any, *, indent: int | None = None) -> None:
    """Write one JSON file atomically."""
    write_text(path, json_text(data, indent=indent) + "\n")


@contextlib.contextmanager
def if_possible(path: Path) -> Iterator[None]:
    """Write inside what saves work and can be made again: where that fails, nothing is raised.

    One line on standard error for each folder says that the work is done again by the next run.
    """
    try:
        yield
    except FolderError as error:
        _say_once(
            os.path.abspath(path.parent),
            f"{path} is not kept, and its work done again by the next run: {error.given}",
        )


_TOLD: set[str] = set()


def _say_once(about: str, text: str) -> None:
    if about not in _TOLD:
        _TOLD.add(about)
        sys.stderr.write(f"{text}\n")


def unreadable(path: Path, error: Exception) -> None:
    """Say once on standard error that a file counts for nothing: it is truncated, of another version or forged."""
    said = error.given if isinstance(error, TheoryError) else f"{path}: {type(error).__name__}: {error}"
    text = f"left out, as a file that cannot be read: {' '.join(said.split())[:300]}"
    _say_once(f"{os.path.abspath(path)} {text}", text)
