"""What was made of files, kept between runs by the SHA-256 of what it was made from: nothing is parsed or judged twice.

``THEORYTOOLS_CACHE``, else ``theorytools`` in the user's folder of caches, holds a file for each kind of thing.  It may
be deleted at any time; one that is damaged, or that another version of the code wrote, counts for nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from theorytools.errors import FolderError
from theorytools.files import Stamp, json_text, read_regular, stamp, write_all

MOST = 50_000  # entries of one kind; beyond, only those that this process used stay
_KINDS: list[Kept] = []


def cache_folder() -> Path | None:
    """Return where things are kept; None where the user has no home."""
    if given := os.environ.get("THEORYTOOLS_CACHE"):
        return Path(given)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "theorytools"
    except RuntimeError:
        return None


_CONTENT: dict[Path, tuple[Stamp, str]] = {}
LARGEST = 1 << 28  # bytes of a file; records of many trials are the longest
COARSEST = 2_000_000_000  # nanoseconds: file systems tell times apart by at most two seconds


def content(path: Path) -> str:
    """Return the SHA-256 of a file's bytes; a file is read again where its stamp changed, or might hide a change.

    A file written in the last two seconds, or in the future, may be written again without another time.

    Raises
    ------
    OSError : if it cannot be read.
    ValueError : if it is no file, or has more than 256 MiB.
    """
    now = stamp(path)  # before reading: a change in between is seen by the next call
    if path in _CONTENT and _CONTENT[path][0] == now:
        return _CONTENT[path][1]
    digest = hashlib.sha256(read_regular(path, LARGEST)).hexdigest()
    if now[0] < time.time_ns() - COARSEST:
        _CONTENT[path] = now, digest
    return digest


class Kept:
    """Plain data of one kind, by digest.

    Parameters
    ----------
    kind : the name of the file.
    makers : the modules whose code makes the data: where one of them changes, everything is made again.
    """

    def __init__(self, kind: str, makers: Iterable[str | Path]) -> None:
        self.kind, self._makers = kind, tuple(map(Path, makers))
        self._known: dict[str, Any] | None = None
        self._used: set[str] = set()
        self._maker = ""
        self._place: Path | None = None
        self.grown = False
        _KINDS.append(self)

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        """Return what is kept under the digest, or make it; callers share the result and must not change it."""
        known = self._read()
        if key not in known:
            known[key] = make()
            self.grown = True
        self._used.add(key)
        return known[key]

    def has(self, key: str) -> bool:
        """Whether something is kept under the digest."""
        return key in self._read()

    def _read(self) -> dict[str, Any]:
        place = cache_folder()
        if self._known is None or place != self._place:
            self._known, self._place, self.grown = {}, place, False
            self._maker = hashlib.sha256("".join(map(content, self._makers)).encode()).hexdigest()
            try:
                data = json.loads(self.path.read_text(encoding="utf-8"))
                if data["maker"] == self._maker and isinstance(data["known"], dict):
                    self._known = data["known"]
            except (OSError, ValueError, LookupError, TypeError):
                pass
        return self._known

    @property
    def path(self) -> Path:
        """The file; its name holds the version of Python, whose syntax trees are its own."""
        return (cache_folder() or Path(os.devnull)) / f"{self.kind}.{sys.implementation.cache_tag}.json"

    def keep(self) -> None:
        """Write what has grown; ``FolderError`` where that fails."""
        if self.grown and self._known is not None and self._place is not None:
            few = len(self._known) <= MOST
            known = self._known if few else {key: self._known[key] for key in self._used}
            text = json_text({"maker": self._maker, "known": known})
            write_all(self.path.parent, {self.path.name: text}, durable=False)
            self.grown = False


def keep() -> None:
    """Write everything that has grown; where that fails, say once that the next run will take longer."""
    for kind in _KINDS:
        try:
            kind.keep()
        except FolderError as error:
            return _say(error.given)


@cache
def _say(said: str) -> None:
    sys.stderr.write(f"nothing is kept for the next run: {said}; THEORYTOOLS_CACHE names another folder\n")
