"""Of which tree a record speaks: a digest for every claim or module that it is about, and how many are today's.

A record of quality carries ``tree``: under ``claims`` the digest of all code and data that the verdict of a claim
depends on, equal on every machine; under ``modules`` the digest of what a file does, without its comments and
docstrings.  A claim or module counts as today's where the digest is that of the tree as it is: what was found about it
would be found again.  A record without ``tree`` says of no tree.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from theorytools.claims.judging.inputs import ImportTable, code_digest
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.claims.papers.fingerprint import fingerprint
from theorytools.errors import DomainError
from tools import ROOT

SHOWN = 16  # hexadecimal digits of a digest
DEMANDED = 0.9  # of the claims of the tree, of records that say that all are judged alike


@cache
def claims_of(root: Path = ROOT) -> Mapping[str, str]:
    """Return the digest of the code and data of every claim of a tree, by id."""
    table = ImportTable()
    entries = (entry for entry in Catalogue(root / "checks").entries if not entry.error)
    return {entry.id: code_digest(entry, table, record=False)[:SHOWN] for entry in entries}


def refuse_changed(claims: Mapping[str, str], root: Path = ROOT) -> None:
    """Refuse a record of claims whose code was changed while they were judged: nobody knows which code judged them.

    Raises
    ------
    DomainError : the claims whose digests are no longer those from the beginning of the run.
    """
    now = claims_of.__wrapped__(root)  # the files as they are, not as they were when a record was begun
    if moved := [id for id, digest in claims.items() if now.get(id) != digest]:
        few = ", ".join(moved[:3]) + (f" and {len(moved) - 3} more" if len(moved) > 3 else "")
        raise DomainError(
            f"{few}, changed while the claims were judged", required="one tree from beginning to end",
            why="a record says of which code it speaks", advice="run it again: what did not change is kept by --keep",
        )  # fmt: skip


def modules_of(paths: Iterable[str], root: Path = ROOT) -> dict[str, str]:
    """Return the digest of what each file does, by its path from the root; of a file that is gone there is none.

    A Python file is read without comments and docstrings, any other file by its bytes.
    """
    found = {}
    for name in sorted(set(paths)):
        if (file := root / name).is_file():
            whole = fingerprint(file) if file.suffix == ".py" else hashlib.sha256(file.read_bytes()).hexdigest()
            found[name] = whole[:SHOWN]
    return found


def python_below(*folders: str, root: Path = ROOT) -> list[str]:
    """Return the Python files below folders or the files themselves, by their paths from the root."""
    found = [file for name in folders for file in ([root / name] if (root / name).is_file() else
                                                    (root / name).rglob("*.py"))]  # fmt: skip
    return sorted(file.relative_to(root).as_posix() for file in found)


def imported_by(*folders: str, root: Path = ROOT) -> list[str]:
    """Return the files of a program below ``tools`` and those of the library that they import themselves.

    What these import in turn is not among them: that is nearly the whole library, and a record would always be old.
    """
    table, own = ImportTable(), python_below(*folders, root=root)
    near = {file.relative_to(root).as_posix() for name in own for file in table.near(root / name)}
    return sorted({*own, *near})


def tree_of(ids: Iterable[str] = (), modules: Iterable[str] = (), root: Path = ROOT) -> dict[str, dict[str, str]]:
    """Return what a record carries as ``tree``: today's digests of the claims and modules that it is about.

    Parameters
    ----------
    ids : the claims; one that is not in the tree is left out.
    modules : files, by their paths from the root.
    root : the folder of the tree.
    """
    wanted = sorted(set(ids))
    known = claims_of(root) if wanted else {}
    claims = {id: known[id] for id in wanted if id in known}
    made = {"claims": claims, "modules": modules_of(modules, root)}
    return {name: digests for name, digests in made.items() if digests}


def common(trees: Iterable[Mapping[str, Mapping[str, str]]]) -> dict[str, dict[str, str]]:
    """Return what a record of several runs is about: the digests in which all of them agree."""
    first, *others = trees
    return {kind: {name: digest for name, digest in found.items()
                   if all(other.get(kind, {}).get(name) == digest for other in others)}
            for kind, found in first.items()}  # fmt: skip


def name_of(tree: Mapping[str, Mapping[str, str]]) -> str:
    """Return one digest of all that a record is about: equal for equal trees alone."""
    return hashlib.sha256(json.dumps(tree, sort_keys=True).encode()).hexdigest()[:SHOWN]


@dataclass(frozen=True)
class Share:
    """How many of the claims or modules that a record should be about are, and are today's."""

    today: int
    of: int
    kind: str

    @property
    def part(self) -> float:
        """The part from 0 to 1; 0 of a record that says of no tree."""
        return self.today / self.of if self.of else 0.0

    def __str__(self) -> str:
        """Return ``63 % of 549 claims``, rounded down: 100 % is all of them."""
        return f"{100 * self.today // self.of} % of {self.of:,} {self.kind}" if self.of else "it does not say"


def share(record: Mapping[str, Any], *, every: bool = False, root: Path = ROOT) -> Share:
    """Return how much of a record is of the tree as it is.

    Parameters
    ----------
    record : the record, with ``tree`` or without.
    every : whether the record is to be about every claim of the tree: then a claim that it lacks counts against it.
    root : the folder of the tree.
    """
    if "tree" not in record and record.get("schema", "").startswith("theorytools.necessity/"):
        return _by_checks(record["claims"], root)
    tree = record.get("tree", {})
    claims, modules = tree.get("claims", {}), tree.get("modules", {})
    if every or claims:
        now = claims_of(root)
        today = sum(now.get(id) == digest for id, digest in claims.items())
        return Share(today, len({*claims, *now}) if every else len(claims), "claims")
    now = modules_of(modules, root)
    return Share(sum(now.get(name) == digest for name, digest in modules.items()), len(modules), "modules")


def _by_checks(lines: Iterable[Mapping[str, str]], root: Path) -> Share:
    """The share of a record that has, for each claim, the fingerprint of its check alone."""
    said, now = {line["id"]: line["check"] for line in lines}, _checks(root)
    return Share(sum(now.get(id) == check for id, check in said.items()), len(said), "claims, by their checks alone")


@cache
def _checks(root: Path) -> Mapping[str, str]:
    """The fingerprint of the check of every claim."""
    return {entry.id: fingerprint(entry.path) for entry in Catalogue(root / "checks").entries if not entry.error}
