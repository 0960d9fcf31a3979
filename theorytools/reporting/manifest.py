"""The folder of a report, opened by all who read or write one: its list, and what of it may be read, written, deleted.

A folder may come from somebody else, with a list that names anything and with links that lead anywhere: no path of the
list is followed that a report could not have made, and no link inside the folder at all.  Only what stands in the list,
unchanged since, is ever deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any

from theorytools.closed_folder import ClosedFolder
from theorytools.errors import DomainError
from theorytools.files import canonical, json_text, refuse_links
from theorytools.machine_key import is_sealed, seal
from theorytools.reporting.rendering import INDEX, TITLE
from theorytools.reporting.told import few

NAME, SCHEMA, SECTIONS, VERDICTS = "manifest.json", "theorytools.site/1", "sections", "verdicts"
KINDS = (".html", ".css", ".js", ".svg")  # of the files that are pages
KEPT = (NAME, SECTIONS, VERDICTS, "written.json", "times.json", "rendered")  # beside the pages
OLD = 3600.0  # seconds after which what was half-written is nobody's any more
_PART = r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}"  # of a page: no hidden file, no step upwards, not long
_PAGE = re.compile(rf"(?:{_PART}/){{0,2}}{_PART}(?:{'|'.join(map(re.escape, KINDS))})")
_SECTION = re.compile(rf"{SECTIONS}/[0-9a-f]{{40}}\.json")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_HALF = re.compile(r"\..+\.[0-9a-f]{12}\.part")


class ReportFolder(ClosedFolder):
    """The folder of a report: a closed one, with a list of the files that reports made in it.

    Parameters
    ----------
    path : of the folder, which may itself be a link: its user named it, and everything then lies in one place.
    """

    def refuse_links_in(self, keys: Iterable[str] = ()) -> None:
        """Refuse a link where a report is read, written or deleted, before anything is; links elsewhere are the user's.

        Parameters
        ----------
        keys : the folders of pages that a run will write.

        Raises
        ------
        DomainError : naming the link.
        """
        refuse_links(self.path, [NAME])  # before it is read
        listed = self.listed()
        used = {*KEPT, *keys, *(path.split("/")[0] for path in listed)}
        try:
            own = [name for name in self.names() if name in used or name.endswith(KINDS)]
        except OSError:  # no folder that can be read: whoever writes says so
            own = []
        refuse_links(self.path, [*own, *listed])

    def refuse_paths(self, paths: Iterable[str]) -> None:
        """Refuse pages whose paths, made of the names of papers and statements, are none of pages or lead over a link.

        Raises
        ------
        DomainError : naming the path.
        """
        paths = list(paths)
        for path in paths:
            if not _is_page(path):
                raise DomainError(
                    f"a page {path!r}", required="a path below the folder, a part at most 200 letters, digits, _.-",
                    why="pages are named for papers and statements, and must lie in the folder of the report",
                    advice="give the paper a key such as mypaper",
                )  # fmt: skip
        refuse_links(self.path, paths)

    def told(self) -> dict[str, Any]:
        """Return the list as it is written down; empty where there is none that can be read."""
        try:
            data = self.json(NAME)
            return data if isinstance(data, dict) and data["schema"] == SCHEMA else {}
        except (OSError, ValueError, LookupError, DomainError):
            return {}

    def listed(self) -> dict[str, str]:
        """Return the digests of the files made before, by path; nothing where there is no list that can be read.

        A line that no report writes is left out: another path than that of a page or section, or no SHA-256.
        """
        files = self.told().get("files")
        lines = files.items() if isinstance(files, dict) else ()
        return {path: known for path, known in lines if _listed(path) and is_digest(known)}

    @property
    def sealed_here(self) -> bool:
        """Whether this machine has written the list: another one's pages may say anything."""
        told = self.told()
        return isinstance(told.get("files"), dict) and is_sealed(canonical(told["files"]), told.get("seal"))

    def origin(self) -> dict[str, Any]:
        """Return whose statements the pages show, as far as the list says so."""
        found = self.told().get("origin")
        return found if isinstance(found, dict) else {}

    def list(self, files: Mapping[str, str], origin: Mapping[str, Any], version: str) -> None:
        """Write the list: ``files`` by path, whose statements they show, and the version that made them."""
        data = {
            "schema": SCHEMA, "version": version, "origin": dict(origin), "files": dict(sorted(files.items())),
            "seal": seal(canonical(dict(files))),
        }  # fmt: skip
        self.write({NAME: json_text(data, indent=1) + "\n"})

    def delete(self, gone: Mapping[str, str]) -> None:
        """Delete files of an earlier list, given with their digests there; what somebody changed since is theirs."""
        for path, known in gone.items():
            if self.holds(path, known):
                self.remove(path)

    def say_replaced(self, paths: Iterable[str], known: Mapping[str, str]) -> None:
        """Say in one line, before it is done, which files will be replaced that are not as a run wrote them."""
        there = set(self.names())
        found = [path for path in paths if path.split("/")[0] in there and self._changed(path, known.get(path, ""))]
        if found:
            sys.stderr.write(f"replaced in {self.path}, as no run wrote them: {few(found)}\n")

    def _changed(self, path: str, known: str) -> bool:
        try:
            return hashlib.sha256(self.read(path)).hexdigest() != known
        except FileNotFoundError:
            return False
        except (OSError, ValueError):
            return True

    def remove_halves(self, keys: Iterable[str]) -> None:
        """Remove what killed processes left half-written where reports are written, once it is ``OLD`` seconds old.

        Younger ones may belong to a process that is writing.  A time as far ahead is of a clock set back since.
        """
        for folder in ("", SECTIONS, VERDICTS, *keys):
            for name in (name for name in self.names(folder) if _HALF.fullmatch(name)):
                path = f"{folder}/{name}".lstrip("/")
                with contextlib.suppress(OSError):  # another process may remove it too
                    if abs(time.time() - (self.path / path).lstat().st_mtime) > OLD:
                        self.remove(path)

    def is_front(self) -> bool:
        """Whether the index is that of a report, also where the list is torn or lost."""
        try:
            return f"<title>{TITLE}</title>" in self.read(INDEX).decode()
        except (OSError, ValueError):
            return False


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def _is_page(path: str) -> bool:
    return bool(_PAGE.fullmatch(path)) and path.split("/")[0].lower() not in KEPT


def _listed(path: str) -> bool:
    return bool(_SECTION.fullmatch(path)) or _is_page(path)


def is_digest(known: Any) -> bool:
    """Whether a value is a SHA-256 as lists of files have it."""
    return isinstance(known, str) and bool(_DIGEST.fullmatch(known))
