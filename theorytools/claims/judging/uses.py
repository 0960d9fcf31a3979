"""Which statement of a paper rests on which: by checks imported, claims named, modules shared, and its proof.

A construction or a bound of the library belongs to the first statement that needs it, definitions before lemmas,
lemmas before theorems; every other statement that needs it uses that one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from theorytools.claims.judging.inputs import ImportTable
from theorytools.claims.judging.reached import PACKAGE
from theorytools.claims.papers.catalogue import Catalogue, Paper
from theorytools.errors import CheckError

KINDS = (
    "definition",
    "assumption",
    "lemma",
    "corollary",
    "proposition",
    "theorem",
    "figure",
    "experiments",
    "question",
)
SHARED = ("papers", "theory", "constructions", "codes", "tasks")  # rooms whose modules belong to a statement
COMMON = 12  # a module that more statements need is a tool of all
TOOLS = ("__init__", "network", "protocol")  # what every construction, or every code, is made with


@dataclass(frozen=True)
class Use:
    """``user`` rests on ``used``; ``why`` names the checks and modules by which it does."""

    used: str
    user: str
    why: tuple[str, ...]


def statement_uses(
    catalogue: Catalogue, paper: Paper, table: ImportTable, named: Mapping[str, Iterable[str]]
) -> list[Use]:
    """Return the edges of a paper's map, each once, in the order of the statements that use.

    Parameters
    ----------
    catalogue, paper : whose statements are meant.
    table : what files import.
    named : of each claim the ids of the claims that it names as used.
    """
    files, owner, claims = _files(catalogue, paper)
    found: dict[tuple[str, str], set[str]] = {}
    needed: dict[Path, list[str]] = {}
    rooms: dict[Path, tuple[Path, ...]] = {}  # of each file of checks the modules that it needs itself
    real: dict[Path, Path] = {}
    for id, own in files.items():
        for path in own:
            try:
                closure = table.checks(path)
                for check in closure - rooms.keys():
                    rooms[check] = tuple(file for file in table.near(check) if _belongs(file))
                    real[check] = check.resolve()
            except (SyntaxError, ValueError, OSError):  # a check that cannot be read rests on nothing known
                continue
            for check in closure:
                used = owner.get(real[check])
                if used is not None and used != id:
                    found.setdefault((used, id), set()).add(f"check {check.stem}")
            for file in {file for check in closure for file in rooms[check]}:
                needed.setdefault(file, []).append(id)
    for claim, ids in named.items():
        for used in ids:
            pair = (claims.get(used), claims.get(claim))
            if pair[0] and pair[1] and pair[0] != pair[1]:
                found.setdefault((pair[0], pair[1]), set()).add(f"claim {used.partition('.')[2]}")
    for statement in paper.statements:
        for used in statement.rests_on:
            found.setdefault((used, statement.id), set()).add("its proof")
        for used in statement.account.get("of", {}).values():
            found.setdefault((used, statement.id), set()).add(f"claim {statement.account['claim'].partition('.')[2]}")
    place = {id: k for k, id in enumerate(files)}
    checked = set(found)
    for file, ids in needed.items():
        users = sorted(set(ids), key=lambda id: (_kind(id), place[id]))
        if len(users) <= COMMON:
            for id in users[1:]:
                if (id, users[0]) not in checked:  # a check says the opposite
                    found.setdefault((users[0], id), set()).add(f"module {file.stem}")
    edges = sorted(found.items(), key=lambda edge: (place[edge[0][1]], place[edge[0][0]]))
    return [Use(used, user, tuple(sorted(why))) for (used, user), why in edges]


def _files(catalogue: Catalogue, paper: Paper) -> tuple[dict[str, list[Path]], dict[Path, str], dict[str, str]]:
    """The files of each statement, the statement of each file, and that of each claim."""
    files: dict[str, list[Path]] = {}
    owner: dict[Path, str] = {}
    claims: dict[str, str] = {}
    for statement in paper.statements:
        try:
            entries = catalogue.claims_of(paper, statement)
        except CheckError:
            entries = []
        files[statement.id] = list(dict.fromkeys(entry.path for entry in entries))
        owner |= {entry.path.resolve(): statement.id for entry in entries}
        claims |= {entry.id: statement.id for entry in entries}
    return files, owner, claims


@cache
def _belongs(file: Path) -> bool:
    return file.is_relative_to(PACKAGE) and file.relative_to(PACKAGE).parts[0] in SHARED and file.stem not in TOOLS


@cache
def _kind(id: str) -> float:
    return next((k for k, kind in enumerate(KINDS) if id.startswith(kind)), 3.5)
