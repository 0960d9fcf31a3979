"""What ``paper.toml`` says: a paper, its statements, and the parts in which it is told."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from theorytools.claims.papers.printed import Place, Printed, Sayer, read_printed, read_sayers
from theorytools.claims.papers.toml_files import read_toml, require_types
from theorytools.errors import CheckError
from theorytools.files import kept_while_unchanged

_FORMULA = {"of": str, "formula": str, "claim": str, "quantity": str, "letters": {"*": str}, "relation": str,
            "why": str}  # fmt: skip
_PRINTED = {"number": {"*": str}, "read": {"*": str}, "unknown": str, "relation": str, "why": str, "matched": str,
            "found": str, "formula": [_FORMULA]}  # fmt: skip
_STATEMENT = {"id": str, "label": str, "title": str, "printed": _PRINTED, "aliases": [str], "open": str,
              "lacks": str, "rests_on": [str],
              "account": {"claim": str, "axis": str, "quantity": str, "of": {"*": str}}}  # fmt: skip
_SHAPE = {
    "paper": {"key": str, "arxiv": str, "version": int, "authors": str, "title": str, "venue": str,
              "pitfalls": [str], "versions": {"*": str}},
    "statement": [_STATEMENT], "refuted": [{"claim": str, "said_by": str, "where": str}],
    "question": [{"asks": str, "known": str, "left": str, "by": [str]}],
    "part": [{"title": str, "text": str, "statements": [str]}],
}  # fmt: skip


@dataclass(frozen=True)
class Statement:
    """One statement, of a paper or ``ours``, with or without a check.

    ``printed`` says what the paper prints of it, ``ours`` what it is where the paper prints no such statement; ``open``
    says why it has none; ``lacks`` what none of its claims contains, where none is the statement itself;
    ``rests_on`` names statements that its proof uses and that its checks do not import.  ``account`` says which claim
    measures what each of them loses: the ``claim``, the ``axis`` of its points, and whose loss each value is (``of``).
    """

    id: str
    label: str
    title: str = ""
    printed: Printed | None = None
    ours: str = ""
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
class Question:
    """What is known by now of a question that the paper leaves open, the statement ``asks``.

    ``known`` and ``left`` say in words (may hold ``$…$``) what has been found and what has not, ``by`` names the
    statements whose claims say it.
    """

    asks: str
    known: str
    left: str
    by: tuple[str, ...]


@dataclass(frozen=True)
class Paper:
    """A paper: its bibliography line, all of its statements, and the parts in which a report tells them.

    ``venue`` says where it appeared; ``versions`` which versions there are, by name; ``pitfalls`` are ids of readings
    that fail which a first page should show; ``sayers`` who says what its claims refute; ``questions`` what is known of
    those that it leaves open.
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
    versions: Mapping[str, str] = field(default_factory=dict)
    sayers: tuple[Sayer, ...] = ()
    questions: tuple[Question, ...] = ()

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
        text, data = read_toml(path)
        require_types(data, _SHAPE)
        head = data.get("paper", {})
        versions = head.get("versions") or {"v1": f"arXiv v{head.get('version', 1)}"}
        key, places = head.get("key", folder.name), _Places(path, tuple(text.split("\n")))
        statements = tuple(
            _statement(item, places, number, versions, key) for number, item in enumerate(data.get("statement", []))
        )
        sayers = read_sayers(refuted := data.get("refuted", []), places.tables("[[refuted]]", len(refuted)), key)
        questions = tuple(Question(i["asks"], i["known"], i["left"], tuple(i["by"])) for i in data.get("question", []))
        parts = tuple(Part(i["title"], i.get("text", ""), tuple(i["statements"])) for i in data.get("part", []))
    except (LookupError, ValueError, OSError, AttributeError, TypeError) as error:
        raise CheckError(f"{path}: {error}", required="a TOML file with [paper] and [[statement]] tables") from None
    if key != folder.name:
        raise CheckError(
            f"{path}: key = {key!r}", required=f"the folder's name, {folder.name!r}", why="location is identity"
        )  # fmt: skip
    known = {s.id for s in statements}
    named = [("a part", part.statements) for part in parts]
    named += [(f"what is known of {one.asks}", (one.asks, *one.by)) for one in questions]
    named += [(s.id, (*s.rests_on, *s.account.get("of", {}).values())) for s in statements]
    for what, names in named:
        if unknown := ", ".join(sorted(set(names) - known)):
            raise CheckError(f"{path}: {what} with {unknown}", required="ids of statements listed in this file")
    return Paper(key, str(head.get("arxiv", "")), int(head.get("version", 1)), str(head.get("authors", "")),
                 str(head.get("title", "")), str(head.get("venue", "")),
                 tuple(head.get("pitfalls", ())), statements, folder, parts, dict(versions), sayers,
                 questions)  # fmt: skip


@dataclass(frozen=True)
class _Places:
    """Where the tables of a file stand."""

    path: Path
    lines: tuple[str, ...]

    @cached_property
    def _heads(self) -> dict[str, list[int]]:
        """The lines of each heading, found once: a file may have thousands of statements."""
        found = dict[str, list[int]]()
        for number, line in enumerate(self.lines):
            if (head := re.match(r"\s*(\[[^\]]*\]+)", line)) is not None:
                found.setdefault(head[1], []).append(number)
        return found

    def tables(self, heading: str, count: int, of: int | None = None) -> tuple[Place, ...]:
        """The places of the tables with a heading, of one statement's where it is said which; the heading of that
        statement, or the first line, for tables that are written otherwise.
        """
        found, first, ends = self._heads.get(heading, []), 0, self._heads.get("[[statement]]", [])
        if of is not None and of < len(ends):
            first, last = ends[of], ends[of + 1] if of + 1 < len(ends) else len(self.lines)
            found = found[bisect_left(found, first) : bisect_left(found, last)]
        return tuple(Place(self.path, self.lines, at) for at in (found if len(found) == count else [first] * count))


def _statement(item: dict[str, Any], places: _Places, number: int, versions: Mapping[str, str], key: str) -> Statement:
    here = places.tables("[[statement]]", 1, number)[0]
    printed, ours = item.get("printed"), item.get("ours", "")
    if "id" not in item or bool(printed) == bool(ours) or not isinstance(ours, str):
        told = item.get("id") or item
        raise CheckError(
            f"{here.at('id')}: the statement {told}", why="a reader must know whose statement it is",
            required="an id, and either the table [statement.printed] or ours = '…', what it is that no paper prints",
            advice='ours = "a lemma of mine"',
        )  # fmt: skip
    if not re.fullmatch(r"\w+", item["id"]):
        raise CheckError(f"{here.at('id')}: id = {item['id']!r}", required="letters, digits and _",
                         why="it is the name of a file, of pages and of claims")  # fmt: skip
    if printed:
        formulas = places.tables("[[statement.printed.formula]]", len(printed.get("formula", ())), number)
        printed = read_printed(printed, places.tables("[statement.printed]", 1, number)[0], formulas, versions, key)
    return Statement(item["id"], item.get("label", item["id"]), item.get("title", ""), printed, ours,
                     tuple(item.get("aliases", ())), item.get("open"), item.get("lacks", ""),
                     tuple(item.get("rests_on", ())), _account(item, places.path))  # fmt: skip


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
