"""At which line of its file a claim begins, for annotations and for editors."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from theorytools.claims.papers.syntax import Entry

_BEGINS = re.compile(r"^(\w+)[ \t]*(?::[^=\n]*)?=[ \t]*[\w.]*(?:Claim|replace)\(", re.MULTILINE)


def line_of(entry: Entry) -> int:
    """Return the line at which a claim begins in its file; of a broken file the line that its error names, else 1."""
    if entry.error:
        told = re.search(r"\(line (\d+)", entry.error)
        return int(told[1]) if told else 1
    return _lines(entry.path).get(entry.name, 1)


@lru_cache(maxsize=1024)
def _lines(path: Path) -> dict[str, int]:
    """The lines by the names of the claims, found in the text: a tree of each file doubles the time of a collection."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return {}
    return {found[1]: text.count("\n", 0, found.start()) + 1 for found in reversed([*_BEGINS.finditer(text)])}
