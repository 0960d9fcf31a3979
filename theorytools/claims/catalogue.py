"""Which statements exist, and which of them have a check: by location, without importing any check."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from theorytools.claims.syntax import Entry, fingerprint, is_check, read_entries, relative
from theorytools.errors import CheckError, DomainError

__all__ = [
    "Catalogue", "Entry", "Paper", "Statement", "find_root", "fingerprint", "is_check", "read_entries", "read_paper",
    "relative",
]  # fmt: skip
PROVENANCE = ("published", "reconstructed", "derived")


@dataclass(frozen=True)
class Statement:
    """One statement of a paper, with or without a check."""

    id: str
    label: str
    title: str = ""
    provenance: str = "published"
    aliases: tuple[str, ...] = ()
    open: str | None = None


@dataclass(frozen=True)
class Part:
    """A part of the guided tour: a title, a paragraph (may hold ``$…$``) and statement ids in reading order."""

    title: str
    text: str
    statements: tuple[str, ...]


@dataclass(frozen=True)
class Paper:
    """A paper: its bibliography line, all of its statements, and the parts in which a report tells them."""

    key: str
    arxiv: str = ""
    version: int = 1
    authors: str = ""
    title: str = ""
    statements: tuple[Statement, ...] = ()
    folder: Path = field(default=Path())
    parts: tuple[Part, ...] = ()

    def statement_of(self, stem: str) -> Statement | None:
        """Return the statement a check file belongs to: the longest id that is a prefix of its stem."""
        fitting = [s for s in self.statements if stem == s.id or stem.startswith(s.id + "_")]
        return max(fitting, key=lambda s: len(s.id), default=None)


def read_paper(folder: Path) -> Paper:
    """Return the paper described by ``folder/paper.toml``; ``CheckError`` where it cannot be read."""
    path = folder / "paper.toml"
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
            f"{path}: key = {key!r}",
            required=f"the folder's name, {folder.name!r}",
            why="location is identity",
        )
    unknown = sorted({name for part in parts for name in part.statements} - {s.id for s in statements})
    if unknown:
        raise CheckError(f"{path}: a part with {', '.join(unknown)}", required="ids of statements listed in this file")
    return Paper(key, str(head.get("arxiv", "")), int(head.get("version", 1)), str(head.get("authors", "")),
                 str(head.get("title", "")), statements, folder, parts)  # fmt: skip


def _statement(item: dict[str, Any], path: Path) -> Statement:
    mark = item.get("provenance", "published")
    if "id" not in item or mark not in PROVENANCE:
        raise CheckError(
            f"{path}: the statement {item}", required=f"an id and a provenance among {', '.join(PROVENANCE)}"
        )
    return Statement(item["id"], item.get("label", item["id"]), item.get("title", ""), mark,
                     tuple(item.get("aliases", ())), item.get("open"))  # fmt: skip


class Catalogue:
    """Every paper, statement and claim below one ``checks`` folder."""

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root).resolve()
        if not any(self.root.glob("*/paper.toml")):
            raise DomainError(
                f"the folder {root}",
                required="a folder that holds <paper>/paper.toml",
                why="a check is found by its place",
                advice="theorytools new PAPER STATEMENT makes one, or pass --checks DIR",
            )

    @cached_property
    def papers(self) -> list[Paper]:
        """The papers, sorted by key; a broken ``paper.toml`` raises ``CheckError``."""
        for problem in self._read[1]:
            raise problem
        return self.readable

    @property
    def readable(self) -> list[Paper]:
        """The papers whose ``paper.toml`` can be read: one broken file does not hide the others."""
        return self._read[0]

    @cached_property
    def _read(self) -> tuple[list[Paper], list[CheckError]]:
        papers, problems = [], []
        for toml in sorted(self.root.glob("*/paper.toml")):
            try:
                papers.append(read_paper(toml.parent))
            except CheckError as problem:
                problems.append(problem)
        return papers, problems

    @cached_property
    def entries(self) -> list[Entry]:
        """Every claim, in the order of papers, files and lines."""
        files = (path for toml in sorted(self.root.glob("*/paper.toml")) for path in sorted(toml.parent.glob("*.py")))
        return [entry for path in files if is_check(path) for entry in read_entries(path)]

    def paper(self, key: str) -> Paper:
        """Return the paper with this key."""
        return read_paper(self.root / key)

    def select(self, ids: Iterable[str]) -> list[Entry]:
        """Return the claims named by ids, by prefixes of whole parts, or by the papers' own statement names.

        Raises
        ------
        DomainError
            For a name that selects nothing, with the nearest ones.
        """
        wanted: dict[str, Entry] = {}
        for name in ids:
            found = [e for e in self.entries if e.id == name or e.id.startswith(name + ".")]
            found = found or self._by_statement(name)
            if not found:
                raise self._unknown(name)
            wanted.update((entry.id, entry) for entry in found)
        return [entry for entry in self.entries if entry.id in wanted]

    def _by_statement(self, name: str) -> list[Entry]:
        for paper in self.readable:
            for statement in paper.statements:
                if name in (f"{paper.key}.{statement.id}", *statement.aliases, statement.label):
                    return self.claims_of(paper, statement)
        return []

    def claims_of(self, paper: Paper, statement: Statement) -> list[Entry]:
        """Return the claims that belong to one statement."""
        return [e for e in self.entries if e.paper == paper.key and paper.statement_of(e.stem) == statement]

    def _unknown(self, name: str) -> DomainError:
        for paper in self.readable:
            for statement in paper.statements:
                if name in (f"{paper.key}.{statement.id}", *statement.aliases) and statement.open:
                    return DomainError(
                        f"the statement {name}", required="a statement with a check",
                        why=f"{statement.label} is open: {statement.open}",
                        advice=f"theorytools new {paper.key} {statement.id}",
                    )  # fmt: skip
        names = [e.id for e in self.entries] + [a for p in self.readable for s in p.statements for a in s.aliases]
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.4) or names[:3]
        return DomainError(
            f"the id {name!r}", required="an id of this catalogue", why=f"it was looked up in {self.root}",
            advice=f"did you mean {', '.join(near)}? theorytools list shows all",
        )  # fmt: skip

    def index(self) -> list[dict[str, Any]]:
        """Return papers and statements as plain data, with the ids of their claims (for reports)."""
        return [
            {
                "key": p.key, "arxiv": p.arxiv, "version": p.version, "authors": p.authors, "title": p.title,
                "statements": [
                    {"id": s.id, "label": s.label, "title": s.title, "provenance": s.provenance,
                     "aliases": list(s.aliases), "open": s.open, "claims": [e.id for e in self.claims_of(p, s)]}
                    for s in p.statements
                ],
                "parts": [{"title": t.title, "text": t.text, "statements": list(t.statements)} for t in p.parts],
            }
            for p in self.readable
        ]  # fmt: skip


def find_root(given: str | Path | None = None, start: Path | None = None) -> Path:
    """Return the checks folder: the given one, ``checks`` here or in a parent, the source tree, the wheel's copy."""
    if given is not None:
        return Catalogue(given).root
    here = (start or Path.cwd()).resolve()
    package = Path(__file__).resolve().parent.parent
    places = [folder / "checks" for folder in (here, *here.parents)] + [
        package.parent / "checks",
        package / "_checks",
    ]
    for place in places:
        if any(place.glob("*/paper.toml")):
            return place
    raise DomainError(
        "no checks folder", required="checks/<paper>/paper.toml here or in a parent folder",
        advice="theorytools new PAPER STATEMENT makes one, or pass --checks DIR",
    )  # fmt: skip
