"""How a command prints and ends: text at the terminal's width, JSON for a program, Markdown for a page; exit codes."""

from __future__ import annotations

import itertools
import shutil
import textwrap
from collections.abc import Iterable, Sequence

from theorytools.cli.terminal import encodable
from theorytools.errors import DomainError, nearest

FORMATS = ("text", "json", "markdown")
USAGE, INFRASTRUCTURE, UNEXPECTED, UNDECIDED, INTERRUPTED, CLOSED_PIPE = 2, 4, 1, 3, 130, 141
EXIT_CODES = (
    "Exit codes, the first that applies: 2 usage (also a point outside the hypotheses, unless another claim is not as "
    "expected), 4 infrastructure (a check that cannot load, an unwritable folder), 1 not as expected, 3 undecided "
    "(also one of several points), 0 all as expected; "
    "130 interrupted, 141 nobody reads the output."
)


def chosen(format: str, as_json: bool) -> str:
    """Return the format asked for; ``--json`` is short for ``--format json``.

    Raises
    ------
    DomainError : another word, or both options with different meanings.
    """
    among("--format", format or "text", FORMATS, "how a command prints")
    if as_json and format not in ("", "json"):
        raise DomainError(f"--format {format} with --json", required="one of the two")
    return "json" if as_json else format or "text"


def among(option: str, given: str, known: Iterable[str], why: str) -> None:
    """Refuse a word that an option does not take, with the nearest that it does; ``DomainError``."""
    words = tuple(known)
    if given not in words:
        near = nearest(given, words, 1, 0.4) or words[:1]
        raise DomainError(
            f"{option} {given}", required=f"one of {', '.join(words)}", why=why, advice=f"{option} {near[0]}"
        )


def wrapped(text: str, indent: int = 0) -> str:
    """Return a paragraph broken at the terminal's width, at 80 columns in a pipe; words and ids are never cut."""
    return hanging(" " * indent, text, indent)


def columns() -> int:
    """Return the width of the terminal, 80 signs in a pipe; never below 40."""
    return max(shutil.get_terminal_size((80, 24)).columns, 40)


def hanging(head: str, text: str, indent: int | None = None) -> str:
    """Return a head with a paragraph behind it, further lines indented as far, or by ``indent``."""
    width = columns()
    head, text = encodable(head), encodable(text)
    margin = " " * (len(head) if indent is None else indent)
    return textwrap.fill(
        text, width, initial_indent=head, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
    )


def fitted(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows of a table, heads first, in columns that fit the terminal, or 80 signs in a pipe.

    Cells are broken between words where the columns are too wide; where even that does not fit, each row is its first
    cell with the others behind it.  No word is broken.
    """
    width = columns()
    rows = [[encodable(cell) for cell in row] for row in rows]
    room = width - 2 * (len(rows[0]) - 1)
    across = list(zip(*rows, strict=True))
    whole = [max(map(len, column)) for column in across]
    least = [max(len(word) for cell in column for word in cell.split() or [""]) for column in across]
    if sum(least) > room:
        return [_paragraph(rows[0], row) for row in rows[1:]]
    cap = next(cap for cap in range(max(whole), -1, -1) if sum(_capped(whole, least, cap)) <= room)
    widths = _capped(whole, least, cap)
    return ["\n".join(_aligned(row, widths)) for row in rows]


def _capped(whole: Sequence[int], least: Sequence[int], cap: int) -> list[int]:
    return [min(most, max(word, cap)) for most, word in zip(whole, least, strict=True)]


def _aligned(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """The lines of one row, its cells broken between words."""
    cells = [textwrap.wrap(cell, max(width, 1), break_long_words=False, break_on_hyphens=False) or [""]
             for cell, width in zip(row, widths, strict=True)]  # fmt: skip
    lines = itertools.zip_longest(*cells, fillvalue="")
    return ["  ".join(part.ljust(width) for part, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def _paragraph(heads: Sequence[str], row: Sequence[str]) -> str:
    """One row as its first cell, and behind it each other cell with its head; empty ones are left out."""
    named = [f"{head} {cell}".strip() for head, cell in zip(heads[1:], row[1:], strict=True) if cell]
    return hanging(f"{row[0]}  ", ", ".join(named), 4)


def markdown_rows(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown; bars inside cells are escaped."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

    return "\n".join([line(heads), "|" + " --- |" * len(heads), *map(line, rows)])
