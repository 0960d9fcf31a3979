"""What ``paper.toml`` says: a paper, its statements, and the parts in which it is told."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from theorytools.errors import CheckError
from theorytools.files import kept_while_unchanged
from theorytools.meaning import MARKS


@dataclass(frozen=True)
class Statement:
    """One statement of a paper, with or without a check.

    ``open`` says why it has none; ``lacks`` what none of its claims contains, where none is the statement itself;
    ``rests_on`` names statements that its proof uses and that its checks do not import.  ``account`` says which claim
    measures what each of them loses: the ``claim``, the ``axis`` of its points, and whose loss each value is (``of``).
    """

    id: str
    label: str
    title: str = ""
    provenance: str = ""
    aliases: tuple[str, ...] = ()
    open: str | None = None
    lacks: str = ""
    rests_on: tuple[str, ...] = ()
    account: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """A part of the guided tour: a title, a paragraph (may hold ``$…$``) and statement ids in reading order."""

    title: str
    text: str
    statements: tuple[str, ...]


@dataclass(frozen=True)
class Paper:
    """A paper: its bibliography line, all of its statements, and the parts in which a report tells them.

    ``venue`` says where it appeared and which version was read; ``pitfalls`` are ids of readings that fail which a
    first page should show.
    """

    key: str
    arxiv: str = ""
    version: int = 1
    authors: str = ""
    title: str = ""
    venue: str = ""
    pitfalls: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
    folder: Path = field(default=Path())
    parts: tuple[Part, ...] = ()

    def statement_of(self, stem: str) -> Statement | None:
        """Return the statement a check file belongs to: the longest id that is a prefix of its stem."""
        fitting = [s for s in self.statements if stem == s.id or stem.startswith(s.id + "_")]
        return max(fitting, key=lambda s: len(s.id), default=None)


def read_paper(folder: Path) -> Paper:
    """Return the paper described by ``folder/paper.toml``; ``CheckError`` where it cannot be read."""
    return _paper(folder / "paper.toml")


@kept_while_unchanged
def _paper(path: Path) -> Paper:
    folder = path.parent
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        head = data.get("paper", {})
        statements = tuple(_statement(item, path) for item in data.get("statement", []))
        parts = tuple(Part(i["title"], i.get("text", ""), tuple(i["statements"])) for i in data.get("part", []))
        key = head.get("key", folder.name)
    except (KeyError, tomllib.TOMLDecodeError, OSError, AttributeError, TypeError) as error:
        raise CheckError(f"{path}: {error}", required="a TOML file with [paper] and [[statement]] tables") from None
    if key != folder.name:
        raise CheckError(
            f"{path}: key = {key!r}", required=f"the folder's name, {folder.name!r}", why="location is identity"
        )  # fmt: skip
    known = {s.id for s in statements}
    named = [("a part", part.statements) for part in parts]
    named += [(s.id, (*s.rests_on, *s.account.get("of", {}).values())) for s in statements]
    for what, names in named:
        if unknown := ", ".join(sorted(set(names) - known)):
            raise CheckError(f"{path}: {what} with {unknown}", required="ids of statements listed in this file")
    return Paper(key, str(head.get("arxiv", "")), int(head.get("version", 1)), str(head.get("authors", "")),
                 str(head.get("title", "")), str(head.get("venue", "")),
                 tuple(head.get("pitfalls", ())), statements, folder, parts)  # fmt: skip


def _statement(item: dict[str, Any], path: Path) -> Statement:
    mark = item.get("provenance")
    if "id" not in item or mark not in MARKS:
        raise CheckError(
            f"{path}: the statement {item}", required=f"an id and a provenance among {', '.join(MARKS)}",
            why="a reader must know whose statement it is", advice='provenance = "derived here" for one of your own',
        )  # fmt: skip
    return Statement(item["id"], item.get("label", item["id"]), item.get("title", ""), mark,
                     tuple(item.get("aliases", ())), item.get("open"), item.get("lacks", ""),
                     tuple(item.get("rests_on", ())), _account(item, path))  # fmt: skip


def _account(item: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return whose loss a claim measures at which point; ``CheckError`` where a part of it is missing."""
    account = item.get("account", {})
    named = account.keys() - {"quantity"} == {"claim", "axis", "of"}
    fits = not account or (named and isinstance(account["of"], dict))
    if not fits:
        raise CheckError(
            f"{path}: account = {account}", required="a claim, the axis of its points, and `of`, a table",
            why="the map prints by what factor each statement loses",
            advice='account = { claim = "mine.theorem_1_losses", axis = "step", of = { chaining = "lemma_2" } }',
        )  # fmt: skip
    return dict(account)
