"""``disputes``: how each disputed statement of a project is found to fail; ``--record`` keeps what was found."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.judging.disputed import RECORD, disputed
from theorytools.claims.judging.finds_record import FindsStore, require_committed, write_record
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.disputes import FILE, Dispute, disputing
from theorytools.cli.answers import answer, parts_of
from theorytools.cli.formats import INFRASTRUCTURE, INTERRUPTED, UNDECIDED, UNEXPECTED, wrapped
from theorytools.errors import CheckError, DomainError, TheoryError
from theorytools.files import refuse_links
from theorytools.interrupts import tell
from theorytools.meaning import WAYS
from theorytools.progress import shown, talking
from theorytools.reporting.finds import counts_text, holding

KEPT = Path("site") / "finds"


def disputes_command(
    ids: Sequence[str], *, record: bool, allow_dirty: bool, fresh: bool, checks: Path | None, json: bool
) -> int:
    """Find out how each disputed statement of the project fails, or of those named, and tell it; return the exit code.

    Raises
    ------
    DomainError : no project with disputes, an id that is none of them, or a record that no commit holds the code of.
    """
    catalogue = Catalogue(find_roots(checks))
    root = catalogue.roots[0]
    chosen = _chosen(catalogue, ids)
    if record and ids:
        raise DomainError("--record with ids", required="--record alone",
                          why="the record holds every dispute; what is as it was is not searched again")  # fmt: skip
    if record and not allow_dirty:
        require_committed(root)
    refuse_links(KEPT.parent, [KEPT.name])
    found = _found(catalogue, chosen, fresh=fresh, quiet=json)
    if found is None:
        return INTERRUPTED
    rows, errors = found
    written = write_record(rows, root) if record and not errors else None
    code = _code(rows, errors)
    if json:
        kept = None if written is None else str(written)
        told = {id: parts_of(error) for id, error in errors.items()}
        answer("disputes", {"disputes": rows, "errors": told, "record": kept}, code)
    else:
        _tell_end(rows, errors, root, written, record=record)
    return code


def _chosen(catalogue: Catalogue, ids: Sequence[str]) -> list[Dispute]:
    """The disputes of the project, or those whose claims are named."""
    folders = [catalogue.paper(key).folder for key in catalogue.own_papers]
    found = [one for told in disputing(folders).values() for one in told.disputes]
    if not found:
        raise DomainError(
            f"the checks in {catalogue.roots[0]}, of which none has a {FILE}", required=f"checks/<paper>/{FILE}",
            why="it says which claims judge statements that are disputed, and who says them",
            advice="theorytools disputes --checks DIR names another folder",
        )  # fmt: skip
    wanted = {entry.id for entry in catalogue.select(ids)} if ids else {one.claim for one in found}
    chosen = [one for one in found if one.claim in wanted]
    if not chosen:
        raise DomainError(f"{', '.join(ids)}, which no table disputes", required="claims that are disputed",
                          advice=f"one of {', '.join(one.claim for one in found)}")  # fmt: skip
    return chosen


def _found(
    catalogue: Catalogue, chosen: Sequence[Dispute], *, fresh: bool, quiet: bool
) -> tuple[list[dict[str, Any]], dict[str, TheoryError]] | None:
    """The rows, each kept and told as it is found, and the errors of the others; None where the run was cut off."""
    entries, store = {entry.id: entry for entry in catalogue.own}, FindsStore(KEPT, catalogue.roots[0])
    rows, errors = list[dict[str, Any]](), dict[str, TheoryError]()
    with shown("disputed statements") as progress:
        for done, dispute in enumerate(chosen, 1):
            try:
                with talking():
                    rows.append(store.row(dispute, entries, fresh=fresh))
                if not quiet:
                    _tell(rows[-1])
            except (CheckError, DomainError) as error:
                errors[dispute.claim] = error
                sys.stderr.write(f"{dispute.claim}:\n{error}\n")
            except KeyboardInterrupt:
                tell(f"interrupted: {len(rows)} of {len(chosen)} found; they are kept in {KEPT}, and the "
                     "same command does the rest\n")  # fmt: skip
                return None
            if progress is not None:
                progress(done, len(chosen))
    return rows, errors


def _code(rows: Sequence[Mapping[str, Any]], errors: Mapping[str, TheoryError]) -> int:
    if errors:
        return INFRASTRUCTURE
    if any(twin["outcome"] != "HOLDS" for row in rows for twin in row["repaired"]):
        return UNEXPECTED
    return UNDECIDED if any(row["way"] == "none" for row in rows) else 0


def _tell(row: Mapping[str, Any]) -> None:
    found = f": {row['outcome']} at {row['place']}" if row["place"] else f": {row['said']}"
    spent = f"{row['points']} points tried, {row['seconds']:g} s; {row['lines']} lines"
    print(wrapped(f"{row['claim']} {WAYS[row['way']].replace('`', '')}{found} ({spent})"))
    for twin in row["repaired"]:
        print(wrapped(f"{twin['claim']}: {holding(twin)}", 2))
    for said in [one["said"] for one in row["parts"]]:
        print(wrapped(said, 2))
    sys.stdout.flush()


def _tell_end(
    rows: Sequence[Mapping[str, Any]],
    errors: Mapping[str, TheoryError],
    root: Path,
    written: Path | None,
    *,
    record: bool,
) -> None:
    counts = {way: sum(row["way"] == way for row in rows) for way in WAYS}
    print(wrapped(", ".join(f"{n} {WAYS[way].replace('`', '')}" for way, n in counts.items())))
    if written is not None:
        told = disputed(root)
        print(f"wrote {written}")
        print(wrapped(counts_text(told).replace("`", "")) if told else "")
    elif record:
        print(f"{RECORD} was left as it is: {len(errors)} could not be judged")
