"""Which claims a command is about, and what is said where there are none, or where an id is no id."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from theorytools.claims.papers.catalogue import Catalogue, Entry, find_roots, library_root, read_paper
from theorytools.errors import CheckError, DomainError, TheoryError, nearest

_UNKNOWN = re.compile(r"the id '(.*)'", re.S)
NEAR = 0.6  # how near an id must be to be offered


def asked_claims(catalogue: Catalogue, ids: Sequence[str]) -> list[Entry]:
    """Return the claims of these ids, or all of one's own folder; without such a folder those of the library.

    Raises
    ------
    DomainError : an id selects nothing, or no paper of the folder has a check.
    CheckError : there is none because a ``paper.toml`` cannot be read.
    """
    if ids:
        return catalogue.select(ids)
    if not catalogue.own:
        _ = catalogue.papers  # raises for one that cannot be read
        raise _without_checks(catalogue.own_papers[0], f"the checks in {catalogue.roots[0]}, which hold no claim")
    library = library_root()
    if library is not None and catalogue.roots[0] == library and not Path.cwd().is_relative_to(library.parent):
        sys.stderr.write(
            f"no checks/PAPER/paper.toml here or above: it is about the library's {len(catalogue.own)} claims; "
            "theorytools new PAPER STATEMENT begins your own\n"
        )
    return catalogue.own


def _without_checks(key: str, given: str) -> DomainError:
    return DomainError(
        given, required="a check: a file of Python with a claim, beside paper.toml",
        why="a paper without one has nothing that could be judged", advice=f"theorytools new {key} lemma_1 writes one",
    )  # fmt: skip


def explained(error: TheoryError, words: Sequence[str]) -> TheoryError:
    """Return the error of an id that is none with what is known of it: a paper that cannot be read or has no check, the
    nearest ids, or where to look; any other error as it is.

    Parameters
    ----------
    error : of a command.
    words : those of the command, among which ``--checks`` may stand.
    """
    unknown = _UNKNOWN.fullmatch(error.given)
    if unknown is None or error.required != "an id of this catalogue":
        return error
    checks = next((after for word, after in itertools.pairwise(words) if word == "--checks"), None)
    catalogue, name = Catalogue(find_roots(checks)), unknown[1]
    key = name.partition(".")[0]
    folder = next((root / key for root in catalogue.roots if (root / key / "paper.toml").is_file()), None)
    if folder is not None:
        try:
            read_paper(folder)
        except CheckError as problem:
            return problem
        if not any(entry.paper == key for entry in catalogue.entries):
            return _without_checks(key, f"the id {name!r}, of the paper {key}, which has no checks")
    near = _near(name, catalogue)
    own = Path("checks")
    strange = own.is_dir() and not any(own.glob("*/paper.toml"))
    return DomainError(
        error.given, required=error.required,
        why=error.why + ("; the folder checks here holds no PAPER/paper.toml" if strange else ""),
        advice=(f"did you mean {', '.join(near)}? " if near else f"theorytools search {name} finds by words; ")
        + "theorytools list shows all",
    )  # fmt: skip


def _near(name: str, catalogue: Catalogue) -> list[str]:
    """The ids that are nearly so, else the statements that the words of it lead to."""
    from theorytools.reporting.lookup import look_up, statement_places

    papers = catalogue.index()
    names = [entry.id for entry in catalogue.entries]
    names += [alias for paper in papers for one in paper["statements"] for alias in one["aliases"]]
    if near := nearest(name, names, 3, NEAR):
        return near
    places = [statement_places(paper["key"], one, [])[0] for paper in papers for one in paper["statements"]]
    found = look_up([name], places)
    return [] if found.unknown else [one.name for one in found.places[:3]]
