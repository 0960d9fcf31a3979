"""The rows of a verdict for a terminal: those that matter, in columns that fit, and how many are left out."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from theorytools.cli.formats import hanging
from theorytools.errors import DomainError
from theorytools.reporting.numbers import band_text, estimate_text, fraction, point_text, slack_text
from theorytools.reporting.plain_text import state_text, table
from theorytools.reporting.rows import signed
from theorytools.reporting.series import urgency

Row = Mapping[str, Any]
MOST, ALL = 12, "all"  # rows that are shown; the word for all of them
MARGIN = "    "


def rows_asked(text: str) -> int | None:
    """Return how many rows ``--rows`` asks for, None for all of them; ``DomainError`` for what is no number."""
    if text == ALL:
        return None
    if not text.isdecimal():
        raise DomainError(
            f"--rows {text}", required=f"a number of rows, or {ALL}", why="it says how many rows are shown",
            advice=f"--rows {ALL}",
        )  # fmt: skip
    return int(text)


def row_lines(verdict: Mapping[str, Any], most: int | None = MOST) -> list[str]:
    """Return the rows of a verdict as lines, assertion by assertion: letters, measured, bound, slack and truth.

    Letters of one value stand above.  Where columns do not fit, each row is a paragraph; no word is ever broken.

    Parameters
    ----------
    verdict : a stored verdict.
    most : rows that are shown at most; None for all.
    """
    own = [row for row in verdict["rows"] if not row["control"]]
    shown = chosen_rows(own, most)
    if not shown:
        return []
    values = {name: {str(row["point"].get(name, "-")) for row in own} for name in own[0]["point"]}
    moving = [name for name, seen in values.items() if len(seen) > 1]
    constant = [f"{name} = {point_text(next(iter(seen)))}" for name, seen in values.items() if len(seen) == 1]
    lines = [hanging(f"{MARGIN}{'at':<11}", ", ".join(constant))] if constant else []
    for name in dict.fromkeys(row["assertion"] for row in shown):
        rows = [row for row in shown if row["assertion"] == name]
        lines += ["", hanging(MARGIN, signed(name), 6), *_laid_out(rows, moving, verdict)]
    if left := len(own) - len(shown):
        said = f"{len(shown)} of {len(own)} rows: those that fail or stay open, of least slack, the first and the last"
        lines += ["", hanging(MARGIN, f"{said}; {left} are left out, --rows {ALL} shows them", 4)]
    return lines


def chosen_rows(rows: Sequence[Row], most: int | None = MOST) -> list[Row]:
    """Return the rows that matter most, in their own order: failing and open ones, and of each assertion the one of
    least slack, the smallest and the largest; then those of little slack.

    Parameters
    ----------
    rows : of a claim, without its controls.
    most : how many; None for all.
    """
    if most is None or len(rows) <= most:
        return list(rows)
    by_urgency = sorted(range(len(rows)), key=lambda place: urgency(rows[place]))
    own: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        own.setdefault(row["assertion"], []).append(place)
    bad = [place for place in by_urgency if rows[place]["truth"] is not True]
    least = [min(places, key=lambda place: urgency(rows[place])) for places in own.values()]
    sized = [sorted(places, key=lambda place: _size(rows[place])) for places in own.values()]
    order = [*bad, *least, *(places[-1] for places in sized), *(places[0] for places in sized), *by_urgency]
    return [rows[place] for place in sorted(list(dict.fromkeys(order))[:most])]


def _size(row: Row) -> list[tuple[bool, Fraction]]:
    """What orders points: their numbers in the order of the letters."""
    numbers = (fraction(str(value)) for value in row["point"].values())
    return [(number is not None, number or Fraction(0)) for number in numbers]


def _laid_out(rows: Sequence[Row], moving: Sequence[str], verdict: Mapping[str, Any]) -> list[str]:
    """The rows of one assertion: a table where it fits, else a paragraph each."""
    grades = {row["evidence"] for row in rows} != {verdict["evidence"]}
    heads = [*moving, "measured", "bound", "slack", "row", *(["evidence"] if grades else [])]
    cells = [_cells(row, moving, grades) for row in rows]
    width = shutil.get_terminal_size((80, 24)).columns
    text = [f"{MARGIN}  {line}" for line in table([heads, *cells]).splitlines()]
    if max(map(len, text)) <= width:
        return text
    return [hanging(f"{MARGIN}  ", _paragraph(row, heads, moving), 8) for row in cells]


def _cells(row: Row, moving: Sequence[str], grades: bool) -> list[str]:
    return [
        *(point_text(row["point"].get(name, "-")) for name in moving), estimate_text(row["measured"]),
        f"{row['relation']} {band_text(row['bound'])}", slack_text(row, row["relation"]).replace("–", "-"),
        state_text(row), *([row["evidence"].lower()] if grades else []),
    ]  # fmt: skip


def _paragraph(cells: Sequence[str], heads: Sequence[str], moving: Sequence[str]) -> str:
    """A row as a sentence: ``N = 64, q = 3: measured 2e-6 <= 6e-5, slack 30, proved``."""
    at = ", ".join(f"{name} = {cell}" for name, cell in zip(moving, cells, strict=False))
    measured, bound, slack, *rest = cells[len(moving) :]
    said = ", ".join([f"measured {measured} {bound}", *([f"slack {slack}"] if slack != "-" else []), *rest])
    return f"{at}: {said}" if at else said
