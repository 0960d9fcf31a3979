"""Which claim stands on which page: a page for each statement of each paper, one for the claims of no statement."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Verdict = Mapping[str, Any]
REST = "other"


@dataclass(frozen=True)
class Leaf:
    """One statement with its verdicts, at ``path`` below the folder; ``missing`` are claims without a verdict."""

    path: str
    paper: Mapping[str, Any]
    statement: Mapping[str, Any]
    verdicts: tuple[Verdict, ...]
    missing: tuple[str, ...]

    @property
    def main(self) -> Verdict | None:
        """The verdict that its page begins with: the first that is the statement itself, else the first of all."""
        whole = [v for v in self.verdicts if not v.get("compact") and not v.get("user_points")]
        whole = whole or [v for v in self.verdicts if not v.get("compact")]
        return next((v for v in whole if v.get("role") == "statement"), whole[0] if whole else None)

    @property
    def shown(self) -> bool:
        """Whether it has a page: some verdict is more than a line of the committed record."""
        return any(not verdict.get("compact") for verdict in self.verdicts)


def leaves(verdicts: Sequence[Verdict], papers: Sequence[Mapping[str, Any]]) -> list[Leaf]:
    """Return every statement of every paper in order; after those of a paper its claims outside them."""
    left: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        left.setdefault(verdict["id"], []).append(verdict)
    found: list[Leaf] = []
    for paper in papers:
        for statement in paper.get("statements") or ():
            claims = statement.get("claims") or ()
            missing = tuple(name for name in claims if name not in left)
            own = tuple(verdict for name in claims for verdict in left.pop(name, ()))
            found.append(Leaf(_path(paper["key"], statement.get("id") or REST, found), paper, statement, own, missing))
        found += _rest(str(paper.get("key")), left, paper, found)
    while left:
        first = next(iter(left.values()))[0]
        title = (first.get("source") or {}).get("paper_title") or _key(first)
        found += _rest(_key(first), left, {"key": _key(first), "title": title}, found)
    return found


def _rest(key: str, left: dict[str, list[Verdict]], paper: Mapping[str, Any], found: list[Leaf]) -> list[Leaf]:
    """Take what is left of a paper, if anything is, on a page of its own."""
    names = [name for name, group in left.items() if _key(group[0]) == key]
    own = tuple(verdict for name in names for verdict in left.pop(name))
    title = {"id": REST, "label": "Claims outside the statements listed", "title": ""}
    return [Leaf(_path(key, REST, found), paper, title, own, ())] if own else []


def _key(verdict: Verdict) -> str:
    return str((verdict.get("source") or {}).get("paper") or verdict["id"].partition(".")[0])


def _path(key: str, name: str, found: Sequence[Leaf]) -> str:
    """A file name that every system takes; another one where two statements would share it."""
    path, taken = f"{_plain(key)}/{_plain(name)}", {leaf.path.lower() for leaf in found} | {f"{_plain(key)}/index.html"}
    while f"{path}.html".lower() in taken:
        path += "_"
    return f"{path}.html"


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", str(name)).lstrip(".") or REST
