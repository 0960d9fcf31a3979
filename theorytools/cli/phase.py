"""``phase``: what is possible, impossible, trained and open over two sizes, printed or written."""

from __future__ import annotations

import json as json_module
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from theorytools.cli.answers import answer
from theorytools.cli.formats import among, columns, hanging
from theorytools.errors import DomainError
from theorytools.files import write_text
from theorytools.progress import shown, talking

FORMATS = ("text", "svg", "csv", "json")
EPILOG = (
    "Example: theorytools phase qstr.heads --format svg --out heads.svg\n\nExit codes: 2 usage, 4 a declaration or a "
    "check that is wrong, also a cell that is both possible and impossible, 0 otherwise."
)


def phase(
    name: Annotated[str, typer.Argument(help="The diagram, such as qstr.heads; none: list them.")] = "",
    format: Annotated[str, typer.Option("--format", help="text, svg, csv or json.")] = "text",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The file to write; default: print.")] = None,
    record: Annotated[bool, typer.Option("--record", help="Judge all diagrams and write reports/phase.json.")] = False,
    checks: Annotated[
        Path | None, typer.Option("--checks", help="Your folder of checks; default: checks, here or above.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for a program instead of text.")] = False,
) -> None:
    """Show what is proved possible, proved impossible, reached by training, or open, over two sizes."""
    raise typer.Exit(phase_command(name, "json" if json else format, out, checks, record, as_json=json))


def phase_command(
    name: str, format: str, out: Path | None, checks: Path | None, record: bool, *, as_json: bool = False
) -> int:
    """List the diagrams, print or write one, or write the record of all; return 0."""
    among("--format", format, FORMATS, "how a diagram is told")
    if record:
        return _record(name, out, checks, as_json)
    if not name:
        return _list(format, out, checks)
    from theorytools.phase.declaration import load_phase, named
    from theorytools.phase.diagram import decide
    from theorytools.phase.stored import plain

    _writable(out)
    with talking(), shown(name) as progress:
        data = plain(decide(load_phase(named(name, checks)), progress=progress))
    if out is None:
        if format == "json":
            answer("diagram", data)
        else:
            print(told(data, format, columns()), end="")
        return 0
    write_text(out, told(data, format))
    from theorytools.reporting.phase_text import summary

    if as_json:
        answer("written", {"written": [str(out)]})
    else:
        print(f"{out}: {summary(data)}")
    return 0


def told(data: Mapping[str, Any], format: str, width: float = math.inf) -> str:
    """Return a diagram in one of the formats; text in lines of at most so many signs."""
    from theorytools.reporting.phase_picture import picture
    from theorytools.reporting.phase_text import printed, table

    if format == "json":
        return json_module.dumps(data, ensure_ascii=False, allow_nan=False) + "\n"
    return {"text": lambda one: printed(one, width) + "\n", "svg": picture, "csv": table}[format](data)


def _writable(out: Path | None) -> None:
    if out is not None and not out.parent.is_dir():
        raise DomainError(f"--out {out}", required="a file in a folder that exists", advice=f"mkdir -p {out.parent}")


def _list(format: str, out: Path | None, checks: Path | None) -> int:
    from theorytools.phase.declaration import load_phase, phases

    if out is not None or format not in ("text", "json"):
        raise DomainError(f"--format {format} without a name", required="the name of a diagram",
                          why="the list is text or json", advice="theorytools phase lists the names")  # fmt: skip
    with talking():
        found = {name: load_phase(path) for name, path in phases(checks).items()}
    if format == "json":
        listed = [{"name": name, "title": one.title, "goal": one.goal, "across": one.across.name,
                   "up": one.up.name, "panels": [panel.title for panel in one.panels]}
                  for name, one in found.items()]  # fmt: skip
        answer("diagrams", {"diagrams": listed})
        return 0
    room = max((len(name) for name in found), default=0)
    for name, one in found.items():
        print(
            hanging(
                f"{name:<{room}}  ", f"{one.title}: {one.up.label or one.up.name} against {one.across.name}; {one.goal}"
            )
        )
    return 0


def _record(name: str, out: Path | None, checks: Path | None, as_json: bool) -> int:
    """Judge the cells of every diagram and write the record that the report reads."""
    from theorytools.claims.papers.catalogue import find_roots
    from theorytools.phase.declaration import load_phase, phases
    from theorytools.phase.diagram import decide
    from theorytools.phase.stored import RECORD, plain, write_record
    from theorytools.reporting.phase_text import summary

    if name or out:
        raise DomainError("--record with a name or a file", required="--record alone",
                          why=f"the record holds every diagram, in {RECORD}")  # fmt: skip
    made = []
    for key, path in phases(checks).items():
        with talking(), shown(key) as progress:
            made.append(plain(decide(load_phase(path), progress=progress)))
        if not as_json:
            print(f"{key}: {summary(made[-1])}", flush=True)
    target = find_roots(checks)[0].parent / RECORD
    target.parent.mkdir(exist_ok=True)
    write_record(made, target)
    if as_json:
        answer("written", {"written": [str(target)]})
    else:
        print(target)
    return 0
