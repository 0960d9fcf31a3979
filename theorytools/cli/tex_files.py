r"""The text of a TeX source with what it inputs, which anybody may have written.

Only files below the folder of the main one are read, none behind a link, up to a limit of size, depth and number.
Nothing is expanded or run: ``\input`` of a name that a macro makes is left as it stands, and so is ``\openin``.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from theorytools.errors import DomainError
from theorytools.files import read_regular
from theorytools.shown import HIDDEN

DEEPEST = 20  # files that input one another
LARGEST = 4_000_000  # bytes of all files, each as often as it is put in; a long thesis has two million
MOST = 1000  # files that are named, put in or not
_INPUT = re.compile(r"(?<!\\)\\(?:input|include)\s{0,9}\{([^{}]{1,200})\}")


@dataclass
class Source:
    r"""A main file with what it inputs.

    Parameters
    ----------
    path : the main file, which may be a link; what it inputs lies below its folder.
    left : why each ``\input`` that was not followed was not, in words, in the order of the text.
    """

    path: Path
    left: list[str] = field(default_factory=list)
    _open: list[Path] = field(default_factory=list)
    _bytes: int = 0
    _named: int = 0

    def text(self) -> str:
        """Return the whole text; comments stay, so that lines are those of the file.

        Raises
        ------
        DomainError : a file that cannot be read, that is put into itself, or more of them than are read.
        """
        try:
            return self._whole(self.path)
        except DomainError:
            raise
        except (OSError, ValueError) as error:
            raise DomainError(
                f"{self.path}: {getattr(error, 'strerror', None) or error}", required="a TeX file",
                advice="--tex paper.tex",
            ) from None  # fmt: skip

    def _whole(self, path: Path) -> str:
        data = read_regular(path, LARGEST)
        self._bytes += len(data)
        self._require_few()
        self._open.append(path)
        text = data.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
        lines = [line if line.lstrip().startswith("%") else _INPUT.sub(self._put, line)
                 for line in HIDDEN.sub("\ufffd", text).split("\n")]  # fmt: skip
        self._open.pop()
        return "\n".join(lines)

    def _require_few(self) -> None:
        if self._bytes > LARGEST or self._named > MOST or len(self._open) > DEEPEST:
            raise DomainError(
                f"{self.path} with {self._named} files of {self._bytes} bytes, {len(self._open)} inside one another",
                required=f"at most {MOST} files, {LARGEST} bytes and {DEEPEST} inside one another",
                why="each is put in as often as it is named", advice="a part of the paper",
            )  # fmt: skip

    def _put(self, match: re.Match[str]) -> str:
        """The text of the file that is named, or what names it where it is not followed."""
        self._named += 1
        self._require_few()
        name = match[1].strip()
        place = self._place(name if name.endswith(".tex") else f"{name}.tex")
        if isinstance(place, str):
            self.left.append(f"{match[0]}: {place}")
            return match[0]
        if place in self._open:
            raise DomainError(f"{place}, which is put into itself", required="files that do not input one another in "
                              "a circle")  # fmt: skip
        try:
            return self._whole(place)
        except DomainError:
            raise
        except (OSError, ValueError) as error:
            self.left.append(f"{match[0]}: {getattr(error, 'strerror', None) or error}")
            return match[0]

    def _place(self, name: str) -> Path | str:
        """The file of a name below the folder of the main one, or why there is none."""
        parts = name.replace("\\", "/").split("/")
        if os.path.isabs(name) or ":" in parts[0] or ".." in parts or "~" in parts[0] or "\0" in name:
            return "only files below the folder of the main file are read"
        place = self.path.parent
        for part in parts:
            place = place / part
            if place.resolve() != place.parent.resolve() / place.name:  # a link, or a junction
                return "a link, which may lead anywhere"
        if not place.exists():
            return "no such file"
        return place
