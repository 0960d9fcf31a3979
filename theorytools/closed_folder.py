"""A folder that may come from somebody else: what is read, written or deleted in it lies in it, behind no link.

Every path is walked from the folder down, a part at a time, each opened below the one before and never through a link:
a link that is put in place while a command runs is met like one that was there before.  The folder itself may be a
link, since its user named it.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError, FolderError
from theorytools.files import refuse_links

LARGEST = 1 << 26  # bytes that are read of one file: ten times the largest verdict, and no disk full of them
_WALKS = {os.open, os.mkdir, os.stat, os.unlink, os.rename} <= os.supports_dir_fd  # not under Windows
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_HERE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FILE = os.O_RDONLY | _HERE | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # a pipe must not block


class ClosedFolder:
    """A folder, and files named by paths below it with ``/`` between their parts.

    Parameters
    ----------
    path : of the folder, which need not be there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, name: str, *, most: int = LARGEST) -> bytes:
        """Return the bytes of a plain file.

        Raises
        ------
        DomainError : the file is a link, lies behind one, or is no file.
        OSError : it is not there, or cannot be read.
        ValueError : it is longer than ``most`` bytes.
        """
        with self._parent(name) as (at, last), os.fdopen(self._open(at, last, _FILE), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                refuse_links(self.path, [name])
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(self.path / name))
            found = file.read(most + 1)
        if len(found) > most:
            raise ValueError(f"longer than {most} bytes")
        return found

    def json(self, name: str) -> Any:
        """Return what a file of strict JSON holds; ``ValueError`` where it is none, and as for :meth:`read`."""
        return strict_json(self.read(name))

    def names(self, folder: str = "") -> list[str]:
        """Return the names in the folder, or in one below it, in order; none where it is not there."""
        try:
            with self._parent(f"{folder}/." if folder else ".") as (at, _):
                return sorted(os.listdir(self.path / folder if at is None else at))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def holds(self, name: str, known: str) -> bool:
        """Whether a file is a plain one whose content has this SHA-256."""
        try:
            return hashlib.sha256(self.read(name)).hexdigest() == known
        except (OSError, ValueError, DomainError):
            return False

    def remove(self, name: str) -> None:
        """Remove a file, or a link itself; nothing where there is none."""
        with contextlib.suppress(FileNotFoundError), self._parent(name) as (at, last):
            os.unlink(last, dir_fd=at)

    def move(self, name: str, other: str) -> None:
        """Give a file another name in the same folder; ``OSError`` where that cannot be."""
        with self._parent(name) as (at, last):
            new = other.rpartition("/")[2]
            os.rename(last, new if at is not None else os.path.join(os.path.dirname(last), new),
                      src_dir_fd=at, dst_dir_fd=at)  # fmt: skip

    def write(self, files: Mapping[str, str | bytes], *, durable: bool = True) -> None:
        """Write texts: all beside their places first, then all moved in the order given, as ``files.write_all`` does.

        Raises
        ------
        DomainError : a part of a path is a link.
        FolderError : the folder cannot be made or written to.
        """
        made, where = list[tuple[int | None, str, str]](), (self.path / next(iter(files), "")).parent
        with contextlib.ExitStack() as opened:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                parents: dict[str, int | None] = {}
                for name, text in files.items():
                    where = (self.path / name).parent
                    folder = name.rpartition("/")[0]
                    if folder not in parents:  # opened once, and all that is written there stays there
                        parents[folder], _ = opened.enter_context(self._parent(name, make=True))
                    made.append(self._beside(parents[folder], name, text, durable=durable))
                while made:
                    at, part, last = made[0]
                    os.replace(part, last, src_dir_fd=at, dst_dir_fd=at)
                    del made[0]
            except OSError as error:
                raise FolderError(
                    f"the folder {where}, where writing failed: {error.strerror or error}",
                    required="a folder that can be made and written to, on a disk with room",
                    why="a report and its verdicts are files",
                    advice="name another folder, or change the permissions of this one",
                ) from error
            finally:
                for at, part, _ in made:
                    with contextlib.suppress(OSError):
                        os.unlink(part, dir_fd=at)

    def _beside(self, at: int | None, name: str, text: str | bytes, *, durable: bool) -> tuple[int | None, str, str]:
        """Write a text beside its place; return the folder, the name of what was written, and its name to be."""
        head, tail = os.path.split(str(self.path / name) if at is None else name.rpartition("/")[2])
        part, last = (os.path.join(head, n) for n in (f".{tail}.{secrets.token_hex(6)}.part", tail))
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _HERE | getattr(os, "O_BINARY", 0)
            with os.fdopen(os.open(part, flags, 0o666, dir_fd=at), "wb") as out:
                out.write(text if isinstance(text, bytes) else text.encode())
                out.flush()
                if durable:
                    os.fsync(out.fileno())
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(part, dir_fd=at)
            raise
        return at, part, last

    @contextlib.contextmanager
    def _parent(self, name: str, *, make: bool = False) -> Iterator[tuple[int | None, str]]:
        """The open folder that a path lies in, and its last part; without such calls no folder and the whole path."""
        *folders, last = refused_parts(name)
        if not _WALKS:
            refuse_links(self.path, [name] if last != "." else ["/".join(folders)] if folders else [])
            path = self.path.joinpath(*folders)
            path.mkdir(parents=True, exist_ok=True) if make else None
            yield None, str(path / last)
            return
        at = os.open(self.path, _FOLDER)
        try:
            for part in folders:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, dir_fd=at)
                below = self._open(at, part, _FOLDER | _HERE, name)
                os.close(at)
                at = below
            yield at, last
        finally:
            os.close(at)

    def _open(self, at: int | None, part: str, flags: int, name: str = "") -> int:
        try:
            return os.open(part, flags, dir_fd=at)
        except OSError:
            self._say_link(at, part)
            raise

    def _say_link(self, at: int | None, part: str) -> None:
        """Refuse a link, which the system does not open: it says so with one of several numbers, or that of a pipe."""
        with contextlib.suppress(OSError):
            mode = os.stat(part, dir_fd=at, follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                raise DomainError(
                    f"{part!r} in the folder {self.path}, a link to {os.readlink(part, dir_fd=at)}",
                    required="files and folders of its own where a report is read and written",
                    why="what lies behind a link is outside the folder that was named",
                    advice="remove it, or name another folder",
                )


def refused_parts(name: str) -> list[str]:
    """Return the parts of a path; ``ValueError`` for one that is empty, leads upwards or is no name everywhere."""
    parts = name.split("/")
    for k, part in enumerate(parts):
        if part in ("", "..") or (part == "." and k < len(parts) - 1) or set(part) & set("\0\\:"):
            raise ValueError(f"{name!r} is no path below a folder")
    return parts


def strict_json(text: bytes, *, once: bool = False) -> Any:
    """Return what strict JSON holds; ``ValueError`` where it is none: NaN, half a sign, nested without end.

    With ``once`` also where a name stands twice in one object, of which readers take one or the other.
    """
    try:
        found = json.loads(text.decode(), parse_constant=_no_number, object_pairs_hook=_once if once else None)
        if b"\\u" in text:  # half of a pair of these is a sign that no file can be written with
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the name {next(n for n in names if names.count(n) > 1)!r} stands twice in one object")
    return found
