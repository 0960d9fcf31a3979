"""The committed numbers: ``verify`` says where one changed although no outcome did, and ``--accept`` renews them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.judging.archive import committed_files
from theorytools.claims.judging.committed_record import compact, expanded
from theorytools.claims.judging.inputs import ImportTable
from theorytools.claims.papers.catalogue import Catalogue, fingerprint
from theorytools.cli.diff import differences
from theorytools.cli.formats import wrapped
from theorytools.cli.stored import committed
from theorytools.errors import DomainError
from theorytools.files import write_all
from theorytools.reporting.stored_verdicts import stored_verdicts

Verdicts = Sequence[Mapping[str, Any]]


def changed(verdicts: Verdicts, catalogue: Catalogue) -> list[dict[str, str]]:
    """Return where verdicts differ from the committed record of their paper, as ``diff`` compares them.

    Exact numbers must be equal, enclosures and sampled intervals meet; what one machine's arithmetic gave is its own.
    Claims that the record does not have, or whose check has changed since, are not compared.

    Parameters
    ----------
    verdicts : as they were judged now; those at a user's points are left out.
    catalogue : whose papers have ``reports/<paper>.json`` beside their checks.
    """
    own = {str(v["id"]): v for v in verdicts if not v["user_points"]}
    known = committed(catalogue, {v["source"]["paper"] for v in own.values()})
    same = {id for id in own.keys() & known.keys() if known[id]["source"].get("sha256") == own[id]["source"]["sha256"]}
    before = {id: known[id] for id in same}
    return list(differences(before, {id: expanded(compact(own[id]), {}) for id in same}))


def tell(changes: Sequence[Mapping[str, str]], report: Path) -> None:
    """Print how many rows changed, and how to see and to accept them; nothing where none did."""
    if not changes:
        return
    ids = list(dict.fromkeys(change["id"] for change in changes))
    few = ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
    moved = [change["id"] for change in changes if change["what"] == "outcome"]
    outcomes = f"outcomes too: {', '.join(moved[:3])}" if moved else "outcomes equal"
    numbers = "1 number differs" if len(changes) == 1 else f"{len(changes)} numbers differ"
    text = f"{numbers} from the committed record ({few}), {outcomes}; theorytools diff reports {report} shows them, "
    print(wrapped(f"{text}theorytools verify --accept takes them over"))


def accept(catalogue: Catalogue, verdicts: Path) -> list[Path]:
    """Write the committed record of the user's own papers from stored verdicts; return the files.

    Parameters
    ----------
    catalogue : whose own papers are written, to ``reports/`` beside ``checks/``.
    verdicts : the folder of stored verdicts.

    Raises
    ------
    DomainError : a claim without a verdict of everything as it is, or checks in a folder of another name.
    """
    found, table, written = stored_verdicts(verdicts), ImportTable(), list[Path]()
    for paper in (p for p in catalogue.papers if p.key in catalogue.own_papers):
        root = paper.folder.parent
        if root.name != "checks":
            raise DomainError(f"--accept with the checks in {root}", required="a folder named checks",
                              why="the record stands beside it, in reports")  # fmt: skip
        own = []
        for entry in (e for e in catalogue.entries if e.paper == paper.key):
            verdict = found.get(entry.id)
            if verdict is None or verdict["source"]["sha256"] != fingerprint(entry.path):
                raise DomainError(f"--accept without a verdict of {entry.id} as it is", required="all of its paper",
                                  advice="theorytools verify --accept, without ids")  # fmt: skip
            own.append((entry, verdict))
        files = committed_files(paper, own, table)
        write_all(root.parent / "reports", files)
        written += [root.parent / "reports" / name for name in files]
    return written
