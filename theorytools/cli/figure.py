"""``figure`` and ``table``: what one claim shows, as a file for a paper."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from theorytools.claims.papers.catalogue import Catalogue, Entry, find_roots
from theorytools.cli.formats import among
from theorytools.cli.stored import Store
from theorytools.errors import DomainError
from theorytools.progress import talking


def figure_command(id: str, kind: str, output: Path | None, checks: Path | None, style: str = "paper") -> int:
    """Write the figure of a claim; return 0."""
    from theorytools.reporting.paper_figure import FORMATS, STYLES, write_figure
    from theorytools.reporting.sweep_records import trained_runs

    among("--format", kind, FORMATS, "what kind of file a figure is")
    among("--style", style, STYLES, "its size and its letters")
    entry, verdict, catalogue = _verdict(id, checks)
    path = output or Path(f"{entry.id.replace('.', '_')}.{kind}")
    if not path.parent.is_dir():
        raise DomainError(
            f"--output {path}", required="a file in a folder that exists", advice=f"mkdir -p {path.parent}"
        )
    runs = trained_runs(catalogue.paper(entry.paper).folder) if verdict.get("trained") else []
    write_figure(verdict, runs, path, kind, style)
    print(path)
    return 0


def table_command(id: str, kind: str, output: Path | None, checks: Path | None) -> int:
    """Print the rows of a claim as a table, or write them; return 0."""
    from theorytools.reporting.tables import TABLES, row_table

    among("--format", kind, TABLES, "what a table is written in")
    _, verdict, _ = _verdict(id, checks)
    text = row_table(verdict, kind)
    if output is None:
        print(text, end="")
    else:
        output.write_text(text, encoding="utf-8")
        print(output)
    return 0


def _verdict(id: str, checks: Path | None) -> tuple[Entry, Mapping[str, Any], Catalogue]:
    """The stored verdict of the claim that an id names, where it is still today's; else it is judged."""
    from theorytools.mistakes.asked import verify

    catalogue = Catalogue(find_roots(checks))
    chosen = catalogue.select([id])
    entry = next((entry for entry in chosen if entry.id == id), chosen[0])
    known = Store(Path("site")).reusable([(entry, {})], "seconds")
    if entry.id in known:
        return entry, known[entry.id], catalogue
    with talking():
        return entry, verify(entry.id, checks=checks).to_json(), catalogue
