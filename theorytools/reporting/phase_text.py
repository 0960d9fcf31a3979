"""Phase diagrams in words: the state of a cell, the size of the open region, a diagram for a terminal, and as CSV."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from theorytools.shown import csv_text

Data = Mapping[str, Any]
WORDS = {
    "possible": "proved possible", "impossible": "proved impossible", "trained": "reached by training", "open": "open",
}  # fmt: skip
SIGNS = {"possible": "+", "impossible": "x", "trained": "o", "open": "."}


# -- cells ---------------------------------------------------------------------------------------------------------
def state_of(panel: Data, i: int, j: int) -> str:
    """Return the state of a cell, empty where no cell is."""
    letter = panel["cells"][i][j]
    if letter in " .t":
        return {" ": "", ".": "open", "t": "trained"}[letter]
    return str(panel["rules"][rule_number(letter)]["kind"])


def rule_number(letter: str) -> int:
    """Return which of its panel's rules decides a cell with this letter."""
    from theorytools.phase.stored import DIGITS

    return DIGITS.index(letter)


def share(part: int, whole: int) -> str:
    """Return a share in whole per cent, and one below 1 % as such."""
    return "0 %" if part == 0 else "< 1 %" if 100 * part < whole else f"{round(100 * part / whole)} %"


def summary(data: Data) -> str:
    """Return the size of the open region: ``open: 31 % of 480 cells``."""
    counts = data["counts"]
    return f"open: {share(counts['open'], sum(counts.values()))} of {sum(counts.values())} cells"


# -- text ----------------------------------------------------------------------------------------------------------
def printed(data: Data, width: float = math.inf) -> str:
    """Return a diagram for a terminal: a letter for each cell, and which claims decide.

    Parameters
    ----------
    data : the diagram.
    width : signs of a line: sentences are broken between words, and cells stand close where they are too many for
        spaces between them.
    """
    up, across = data["up"], data["across"]
    lines = [f"{data['name']}: {data['title']}", data["task"], f"goal: {data['goal']}", ""]
    room = max(len(str(value)) for value in up["values"])
    between = " " if room + 5 + 2 * len(across["values"]) <= width else ""
    for panel in data["panels"]:
        lines.append(panel["title"])
        for i in reversed(range(len(up["values"]))):
            cells = between.join(SIGNS.get(state_of(panel, i, j), " ") for j in range(len(across["values"])))
            head = up["letter"] if i == len(up["values"]) - 1 else ""
            lines.append(f"{head:>4} {up['values'][i]:>{room}} {cells}".rstrip())
        lines += [f"{'':>{room + 5}} {across['letter']} = {_told(across['values'])}", *_deciders(panel), ""]
    lines.append("+ proved possible   x proved impossible   o reached by training   . open")
    lines += [summary(data), f"agenda: {data['agenda']}"]
    return "\n".join(broken for line in lines for broken in _broken(line, width))


def _broken(line: str, width: float) -> list[str]:
    """The lines of a sentence that is longer than a width, the further ones below its first word and two more in."""
    if len(line) <= width:
        return [line]
    margin = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(
        line, int(width), subsequent_indent=margin, break_long_words=False, break_on_hyphens=False,
        replace_whitespace=False, drop_whitespace=True,
    )  # fmt: skip


def _told(values: Sequence[int]) -> str:
    steps = {b - a for a, b in pairwise(values)}
    return f"{values[0]}..{values[-1]}" if steps == {1} else ", ".join(map(str, values))


def _deciders(panel: Data) -> Iterator[str]:
    for rule in panel["rules"]:
        if rule["cells"]:
            evidence = ", ".join(rule["evidence"])
            yield f"     {SIGNS[rule['kind']]} {rule['cells']} cells by {rule['claim']} ({evidence}): {rule['says']}"
    if panel["trained"]:
        reached = sum(row.count("1") for row in panel["trained"]["all"])
        yield f"     o {reached} cells by the record {panel['trained']['sweep']} (fitted): {panel['trained']['says']}"


def table(data: Data) -> str:
    """Return the cells as CSV: panel, letters, state, the claim that decides, evidence, whether it was judged there."""
    axes = data["across"]["letter"], data["up"]["letter"]
    lines = [["panel", *axes, "state", "claim", "evidence", "judged", "trained"]]
    for panel in data["panels"]:
        runs = panel["trained"]["all"] if panel["trained"] else None
        for i, y in enumerate(data["up"]["values"]):
            for j, x in enumerate(data["across"]["values"]):
                if state := state_of(panel, i, j):
                    letter = panel["cells"][i][j]
                    claim = "" if letter in ".t" else panel["rules"][rule_number(letter)]["claim"]
                    evidence = {"x": "exact", "n": "enclosed", "-": "fitted" if letter == "t" else ""}[
                        panel["evidence"][i][j]
                    ]
                    how = {"1": "here", "0": "carried" if claim else ""}[panel["judged"][i][j]]
                    lines.append(
                        [panel["title"], x, y, state, claim, evidence, how, "yes" if runs and runs[i][j] == "1" else ""]
                    )
    return csv_text(lines)
