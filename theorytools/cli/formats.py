"""How a command prints and ends: text at the terminal's width, JSON for a program, Markdown for a page; exit codes."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Sequence

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


def hanging(head: str, text: str, indent: int | None = None) -> str:
    """Return a head with a paragraph behind it, further lines indented as far, or by ``indent``."""
    width = max(shutil.get_terminal_size((80, 24)).columns, 40)
    margin = " " * (len(head) if indent is None else indent)
    return textwrap.fill(
        text, width, initial_indent=head, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
    )


def markdown_rows(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown; bars inside cells are escaped."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

    return "\n".join([line(heads), "|" + " --- |" * len(heads), *map(line, rows)])
