"""Phase diagrams as pictures, as text for a terminal, as a table, and as their page.

A state has a pattern besides its colour: possible is plain, impossible hatched, trained dotted, open empty.  Cells that
one claim decides are one shape whose title names the claim, which a pointer and a screen reader find.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any
from xml.sax.saxutils import escape

Data = Mapping[str, Any]
WORDS = {
    "possible": "proved possible", "impossible": "proved impossible", "trained": "reached by training", "open": "open",
}  # fmt: skip
SIGNS = {"possible": "+", "impossible": "x", "trained": "o", "open": "."}
LEFT, TOP, WIDE, HIGH, BOTTOM = 46, 20, 240, 200, 36
WIDTH, HEIGHT = LEFT + WIDE + 8, TOP + HIGH + BOTTOM
DEFS = (
    '<defs><pattern id="ph-x" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<path class="ph-hatch" d="M0 0v6"/></pattern>'
    '<pattern id="ph-o" width="6" height="6" patternUnits="userSpaceOnUse">'
    '<circle class="ph-dot" cx="3" cy="3" r="1.4"/></pattern></defs>'
)
STYLE = (
    ".phase text{font:11px system-ui,sans-serif;fill:var(--ink,#1c1e21)}.phase .ph-tick{fill:var(--quiet,#5b626b)}"
    ".ph-possible{fill:var(--good,#1c6b3c);fill-opacity:.38}.ph-impossible{fill:url(#ph-x)}.ph-trained{fill:url(#ph-o)}"
    ".ph-possible,.ph-none{shape-rendering:crispEdges}.ph-none{fill:var(--quiet,#5b626b);fill-opacity:.22}"
    ".ph-open{fill:transparent}.ph-hatch{stroke:var(--bad,#a4262c);stroke-width:2.6;fill:none}"
    ".ph-dot{fill:var(--bound,#1d5c9e)}.ph-frame{fill:none;stroke:var(--quiet,#5b626b);stroke-width:.8}"
    ".ph-edge{fill:none;stroke-width:1.8;stroke:var(--ink,#1c1e21)}.ph-edge.possible{stroke-dasharray:5 3}"
    ".ph-run{stroke:var(--ink,#1c1e21);stroke-width:4.4;stroke-linecap:round;fill:none}"
)
ALONE = (
    "svg{color-scheme:light dark;--ink:#1c1e21;--quiet:#5b626b;--good:#1c6b3c;--bad:#a4262c;--bound:#1d5c9e}"
    "@media(prefers-color-scheme:dark){svg{--ink:#e4e3df;--quiet:#a2a8b0;--good:#74c794;--bad:#f0908b;--bound:#7fb2e8}}"
)


# -- cells ---------------------------------------------------------------------------------------------------------
def state_of(panel: Data, i: int, j: int) -> str:
    """Return the state of a cell, empty where no cell is."""
    letter = panel["cells"][i][j]
    if letter in " .t":
        return {" ": "", ".": "open", "t": "trained"}[letter]
    return str(panel["rules"][_number(letter)]["kind"])


def _number(letter: str) -> int:
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
def printed(data: Data) -> str:
    """Return a diagram for a terminal: a letter for each cell, and which claims decide."""
    up, across = data["up"], data["across"]
    lines = [f"{data['name']}: {data['title']}", data["task"], f"goal: {data['goal']}", ""]
    room = max(len(str(value)) for value in up["values"])
    for panel in data["panels"]:
        lines.append(panel["title"])
        for i in reversed(range(len(up["values"]))):
            cells = " ".join(SIGNS.get(state_of(panel, i, j), " ") for j in range(len(across["values"])))
            head = up["letter"] if i == len(up["values"]) - 1 else ""
            lines.append(f"{head:>4} {up['values'][i]:>{room}} {cells}".rstrip())
        lines += [f"{'':>{room + 5}} {across['letter']} = {_told(across['values'])}", *_deciders(panel), ""]
    lines.append("+ proved possible   x proved impossible   o reached by training   . open")
    return "\n".join([*lines, summary(data), f"agenda: {data['agenda']}"])


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
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write(["panel", data["across"]["letter"], data["up"]["letter"], "state", "claim", "evidence", "judged", "trained"])
    for panel in data["panels"]:
        runs = panel["trained"]["all"] if panel["trained"] else None
        for i, y in enumerate(data["up"]["values"]):
            for j, x in enumerate(data["across"]["values"]):
                if state := state_of(panel, i, j):
                    letter = panel["cells"][i][j]
                    claim = "" if letter in ".t" else panel["rules"][_number(letter)]["claim"]
                    evidence = {"x": "exact", "n": "enclosed", "-": "fitted" if letter == "t" else ""}[
                        panel["evidence"][i][j]
                    ]
                    how = {"1": "here", "0": "carried" if claim else ""}[panel["judged"][i][j]]
                    write(
                        [panel["title"], x, y, state, claim, evidence, how, "yes" if runs and runs[i][j] == "1" else ""]
                    )
    return out.getvalue()


# -- pictures ------------------------------------------------------------------------------------------------------
def _shapes(panel: Data, columns: int) -> dict[str, list[str]]:
    """Rectangles by the letter of their cells, a run of cells of a row in one."""
    rows = panel["cells"]
    w, h = WIDE / columns, HIGH / len(rows)
    found: dict[str, list[str]] = {}
    for i, row in enumerate(rows):
        j = 0
        while j < columns:
            end = j + 1
            while end < columns and row[end] == row[j]:
                end += 1
            y, x, width = TOP + HIGH - (i + 1) * h, LEFT + j * w, (end - j) * w
            found.setdefault(row[j], []).append(f"M{_n(x)} {_n(y)}h{_n(width)}v{_n(h)}h-{_n(width)}z")
            j = end
    return found


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _position(axis: Data, value: float) -> float:
    """Where a number lies among the values of an axis, in cells from the middle of the first."""
    scale: Callable[[float], float] = math.log if axis["logarithmic"] else float
    values = [scale(v) for v in axis["values"]]
    at, last = scale(value), len(values) - 2
    k = next((k for k in range(last + 1) if at <= values[k + 1]), last)
    return k + (at - values[k]) / (values[k + 1] - values[k])


def _spot(data: Data, x: float, y: float) -> tuple[float, float]:
    columns, rows = len(data["across"]["values"]), len(data["up"]["values"])
    across, up = _position(data["across"], x) + 0.5, _position(data["up"], y) + 0.5
    return LEFT + across * WIDE / columns, TOP + HIGH - min(max(up, 0), rows) * HIGH / rows


def panel_picture(data: Data, panel: Data, place: str = "") -> str:
    """Return one panel as an SVG element; ``place`` are attributes of it, such as where it stands in another one."""
    title = f"{data['title']}, {panel['title']}: {_counted(panel['counts'])}"
    said = escape(title, {'"': "&quot;"})
    body = [f'<text x="{LEFT}" y="13">{escape(panel["title"])}</text>']
    for letter, paths in sorted(_shapes(panel, len(data["across"]["values"])).items()):
        kind, said = _kind(panel, letter)
        body.append(f'<path class="ph-{kind}" d="{"".join(paths)}"><title>{escape(said)}</title></path>')
    for rule in panel["rules"]:
        for line in rule["edge"]:
            points = "L".join(f"{_n(x)} {_n(y)}" for x, y in (_spot(data, *point) for point in line))
            body.append(
                f'<path class="ph-edge {rule["kind"]}" d="M{points}"><title>boundary of {rule["claim"]}</title></path>'
            )
    for i, j, said in panel["trained"]["cells"] if panel["trained"] else ():
        x, y = _spot(data, data["across"]["values"][j], data["up"]["values"][i])
        body.append(f'<path class="ph-run" d="M{_n(x)} {_n(y)}h0"><title>{escape(said)}</title></path>')
    body += [f'<rect class="ph-frame" x="{LEFT}" y="{TOP}" width="{WIDE}" height="{HIGH}"/>', *_ticks(data)]
    return (
        f'<svg class="phase" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{said}"'
        f"{place}><title>{escape(title)}</title>{''.join(body)}</svg>"
    )


def _kind(panel: Data, letter: str) -> tuple[str, str]:
    if letter == " ":
        return "none", "no such sizes"
    if letter == ".":
        return "open", "open: no claim and no record decides"
    if letter == "t":
        return "trained", f"reached by training (fitted): {panel['trained']['says']}"
    rule = panel["rules"][_number(letter)]
    return rule["kind"], f"{WORDS[rule['kind']]}, {rule['claim']} ({', '.join(rule['evidence'])}): {rule['says']}"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts[name]} {word}" for name, word in WORDS.items())


def _ticks(data: Data) -> Iterator[str]:
    across, up = data["across"], data["up"]
    columns, rows = len(across["values"]), len(up["values"])
    widest = max(len(_size(value)) for value in across["values"])
    step = math.ceil((6.4 * widest + 7) * columns / WIDE)
    for j in range(0, columns, step):
        x, value = LEFT + (j + 0.5) * WIDE / columns, _size(across["values"][j])
        yield f'<text class="ph-tick" x="{_n(x)}" y="{TOP + HIGH + 14}" text-anchor="middle">{value}</text>'
    for i in range(0, rows, math.ceil(15 * rows / HIGH)):
        y = TOP + HIGH - (i + 0.5) * HIGH / rows
        yield f'<text class="ph-tick" x="{LEFT - 5}" y="{_n(y + 4)}" text-anchor="end">{_size(up["values"][i])}</text>'
    yield f'<text x="{LEFT + WIDE / 2}" y="{HEIGHT - 5}" text-anchor="middle">{_axis_words(across)}</text>'
    middle = TOP + HIGH / 2
    yield f'<text transform="translate(11,{middle}) rotate(-90)" text-anchor="middle">{_axis_words(up)}</text>'


def _size(value: int) -> str:
    for unit, letter in ((10**6, "M"), (10**3, "k")):
        if value >= 10 * 10**3 and value % unit == 0:
            return f"{value // unit}{letter}"
    return str(value)


def _axis_words(axis: Data) -> str:
    return escape(f"{axis['letter']}, {axis['means']}" if axis["means"] else axis["letter"])


def legend(x: float, y: float) -> str:
    """Return what the patterns mean, as a group at a place."""
    parts, left = [], 0
    for name, word in WORDS.items():
        box = f'x="{left}" y="-9" width="14" height="11"'
        parts.append(
            f'<rect class="ph-{name}" {box}/><rect class="ph-frame" {box}/><text x="{left + 19}" y="0">{word}</text>'
        )
        left += 40 + 6 * len(word)
    parts.append(f'<path class="ph-run" d="M{left} -4h0"/><text x="{left + 8}" y="0">a trained network</text>')
    return f'<g transform="translate({_n(x)},{_n(y)})">{"".join(parts)}</g>'


def picture(data: Data) -> str:
    """Return a diagram as a whole SVG file: its panels side by side, and what the patterns mean."""
    count = len(data["panels"])
    width, height = max(count * WIDTH, 670), HEIGHT + 54
    panels = "".join(
        panel_picture(data, panel, f' x="{k * WIDTH}" y="28" width="{WIDTH}" height="{HEIGHT}"')
        for k, panel in enumerate(data["panels"])
    )
    title = escape(f"{data['title']}; {summary(data)}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="phase" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img"><title>{title}</title><style>{ALONE}{STYLE}</style>{DEFS}'
        f'<text x="{LEFT}" y="16">{title}</text>{panels}{legend(LEFT, height - 8)}</svg>\n'
    )


# -- the page ------------------------------------------------------------------------------------------------------
def keys() -> str:
    """Return what the patterns mean, as an SVG element with the patterns that all panels of a page share."""
    words = ", ".join(WORDS.values())
    return (
        f'<svg class="phase" viewBox="0 0 670 18" role="img" aria-label="patterns: {words}">'
        f"<style>{STYLE}</style>{DEFS}{legend(2, 13)}</svg>"
    )


def shelf(data: Data, hrefs: Mapping[str, str]) -> dict[str, Any]:
    """Return what the page says of a diagram: its pictures, its size, and a line for each rule and record.

    Parameters
    ----------
    data : a diagram as plain data.
    hrefs : where claims stand, by id.
    """
    lines = []
    for panel in data["panels"]:
        for rule in panel["rules"]:
            lines.append({
                "panel": panel["title"], "state": WORDS[rule["kind"]], "claim": rule["claim"],
                "href": hrefs.get(rule["claim"], ""), "cells": rule["cells"], "evidence": ", ".join(rule["evidence"]),
                "says": rule["says"], "carried": "; ".join(rule["spreads"]),
            })  # fmt: skip
        if panel["trained"]:
            reached = sum(row.count("1") for row in panel["trained"]["all"])
            lines.append({
                "panel": panel["title"], "state": WORDS["trained"], "claim": f"record {panel['trained']['sweep']}",
                "href": "", "cells": reached, "evidence": "fitted", "says": panel["trained"]["says"], "carried": "",
            })  # fmt: skip
    return {
        "name": data["name"], "title": data["title"], "task": data["task"], "goal": data["goal"],
        "agenda": data["agenda"], "summary": summary(data), "current": data.get("current", True), "lines": lines,
        "panels": [panel_picture(data, panel) for panel in data["panels"]],
    }  # fmt: skip
