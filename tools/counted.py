"""What a point takes of each claim that declares no work: ``python -m tools.counted [ID ...]``.

Writes ``checks/<paper>/counted.json``, which the search beside a grid reads instead of counting: so it judges the same
points with every version of Python.  With ids, or papers, only these are counted again.  A claim that is not searched
has no line; of one whose grid has changed the line is passed over, until it is counted again.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from theorytools.claims.judging.price import Price
from theorytools.claims.judging.run import one_thread
from theorytools.claims.judging.searching import Judging
from theorytools.claims.language.claim import Claim
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.counted import COUNTED, read_counted
from theorytools.claims.papers.loading import load
from theorytools.claims.papers.syntax import Entry
from theorytools.claims.papers.work import declared
from theorytools.errors import TheoryError
from theorytools.files import write_all

_MINUTE = 60.0


def priced(entry: Entry, claim: Claim) -> bool:
    """Whether the search of a claim counts what a point takes: it declares no work, and is searched in seconds."""
    return claim.tier == "seconds" and not (claim.fixed and not claim.drawn) and not declared(entry, claim)


def count(entry: Entry, claim: Claim) -> tuple[float, float, float]:
    """Return the size of a point of the grid, what it takes, and the power with which that grows."""
    with one_thread():
        return Price(claim, Judging(claim, entry.id, claim.budget.alpha / 100)).counted


def main(words: Sequence[str] | None = None, checks: Path | None = None) -> int:
    """Count, and write what was counted beside the checks; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.counted", description=__doc__)
    parser.add_argument("ids", nargs="*", help="of claims, or papers; all of them without any")
    ids = parser.parse_args(words).ids
    catalogue, told = Catalogue(find_roots(checks)[:1]), time.monotonic()  # never beside checks that are installed
    chosen = catalogue.select(ids) if ids else catalogue.entries
    folders = {entry.folder: read_counted(entry.folder) if ids else {} for entry in chosen}
    for done, entry in enumerate(chosen):
        folders[entry.folder].pop(entry.id, None)
        claim = load(entry)
        if priced(entry, claim):
            folders[entry.folder][entry.id] = count(entry, claim)
        if time.monotonic() > told + _MINUTE:
            told = time.monotonic()
            print(f"{done + 1} of {len(chosen)}: {entry.id}", file=sys.stderr, flush=True)
    for folder, found in folders.items():
        lines = (
            f'"{id}": [{size:.6g}, {taken:.6g}, {power:.4g}]' for id, (size, taken, power) in sorted(found.items())
        )
        write_all(folder, {COUNTED: "{\n " + ",\n ".join(lines) + "\n}\n"})
        print(f"wrote {folder.name}/{COUNTED}: {len(found)} claims")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TheoryError as error:
        sys.exit(str(error))
