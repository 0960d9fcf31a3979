"""What is made once and kept: JSON values in files named by the digest of everything they were made from.

A file holds the value beside this machine's seal of its name and value: what is torn, changed, moved to another name or
written by somebody else is made again.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from theorytools.closed_folder import ClosedFolder
from theorytools.errors import DomainError
from theorytools.files import if_possible, json_text
from theorytools.machine_key import seal

PACKAGE = Path(__file__).parent
HEAD = len('{"seal":"') + 64 + len('","value":')  # signs before the value in a file
LIBRARIES = ("jinja2", "math-core", "fonttools")  # what they return is what is kept
# what no kept value is made with
APART = frozenset({
    "cache.py", "contents.py", "cpu.py", "escapes.py", "folder.py", "front.py", "gallery.py", "growing.py", "kinds.py",
    "leaves.py", "manifest.py", "paper.py", "phase_picture.py", "phase_text.py", "plain_text.py", "proof_map.py",
    "scores.py", "site.py", "statement.py", "stored_verdicts.py", "shape.py", "tables.py", "task_picture.py",
    "themes.py", "told.py",
})  # fmt: skip


@lru_cache(maxsize=1)
def machinery() -> str:
    """Return the digest of all that turns a verdict into a page: sources, templates, font and libraries."""
    own = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in {".py", ".j2", ".css", ".woff"} and path.name not in APART:
            own.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    own.update(" ".join([platform.python_version(), *map(version, LIBRARIES)]).encode())
    return own.hexdigest()


class Cache:
    """A folder of values; ``digests`` are the SHA-256 of the files that were read or written, by name.

    Parameters
    ----------
    folder
        where the files lie; None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.digests: dict[str, str] = {}

    @property
    def used(self) -> set[str]:
        """The names of the files that were read or written."""
        return set(self.digests)

    def key(self, kind: str, data: Any) -> str:
        """Return the name of the value of this kind that is made from the data."""
        return hashlib.sha256(f"{kind} {machinery()} {json_text(data)}".encode()).hexdigest()[:40]

    def get(self, key: str) -> Any:
        """Return the value, or None where there is none that can be read."""
        if self.folder is None:
            return None
        try:
            text = ClosedFolder(self.folder.parent).read(f"{self.folder.name}/{key}.json").decode()
            if text != _sealed(key, text[HEAD:-1]):
                return None
            value = json.loads(text[HEAD:-1])
        except (OSError, ValueError, RecursionError, DomainError):
            return None
        self.digests[f"{key}.json"] = hashlib.sha256(text.encode()).hexdigest()
        return value

    def put(self, key: str, value: Any) -> None:
        """Keep the value; a file lost with the power is made again, and so is one that cannot be written."""
        if self.folder is not None:
            text = _sealed(key, json_text(value))
            with if_possible(self.folder / f"{key}.json"):
                ClosedFolder(self.folder.parent).write({f"{self.folder.name}/{key}.json": text}, durable=False)
                self.digests[f"{key}.json"] = hashlib.sha256(text.encode()).hexdigest()

    def made(self, kind: str, data: Any, make: Callable[[], Any]) -> Any:
        """Return the kept value of this kind and these data, or make and keep it."""
        key = self.key(kind, data)
        value = self.get(key)
        if value is None:
            value = make()
            self.put(key, value)
        return value


def _sealed(key: str, text: str) -> str:
    """The text of a file: the seal of its name and value, and the value."""
    return f'{{"seal":"{seal(f"{key} {text}")}","value":{text}}}'
