"""Phase diagrams as pictures.

A state has a pattern besides its colour: possible is plain, impossible hatched, trained dotted, open empty.  Cells that
one claim decides are one shape whose title names the claim, which a pointer and a screen reader find.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from theorytools.reporting.canvas import alone, element, inline, number, path, text, words
from theorytools.reporting.phase_text import WORDS, Data, rule_number, summary

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
            found.setdefault(row[j], []).append(
                f"M{number(x)} {number(y)}h{number(width)}v{number(h)}h-{number(width)}z"
            )
            j = end
    return found


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


def panel_picture(data: Data, panel: Data, at: Mapping[str, float] | None = None) -> str:
    """Return one panel as an SVG element; ``at`` is where it stands in another one."""
    title = f"{data['title']}, {panel['title']}: {_counted(panel['counts'])}"
    body = [element("title", words(title)), text(LEFT, 13, panel["title"])]
    for letter, paths in sorted(_shapes(panel, len(data["across"]["values"])).items()):
        kind, said = _kind(panel, letter)
        body.append(path(f"ph-{kind}", "".join(paths), said))
    for rule in panel["rules"]:
        for line in rule["edge"]:
            points = "L".join(f"{number(x)} {number(y)}" for x, y in (_spot(data, *point) for point in line))
            body.append(path(f"ph-edge {rule['kind']}", f"M{points}", f"boundary of {rule['claim']}"))
    for i, j, said in panel["trained"]["cells"] if panel["trained"] else ():
        x, y = _spot(data, data["across"]["values"][j], data["up"]["values"][i])
        body.append(path("ph-run", f"M{number(x)} {number(y)}h0", said))
    frame = element("rect", class_="ph-frame", x=LEFT, y=TOP, width=WIDE, height=HIGH)
    return inline("phase", (WIDTH, HEIGHT), title, *body, frame, *_ticks(data), at=at)


def _kind(panel: Data, letter: str) -> tuple[str, str]:
    if letter == " ":
        return "none", "no such sizes"
    if letter == ".":
        return "open", "open: no claim and no record decides"
    if letter == "t":
        return "trained", f"reached by training (fitted): {panel['trained']['says']}"
    rule = panel["rules"][rule_number(letter)]
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
        yield text(x, TOP + HIGH + 14, value, anchor="centre", name="ph-tick")
    for i in range(0, rows, math.ceil(15 * rows / HIGH)):
        y = TOP + HIGH - (i + 0.5) * HIGH / rows
        yield text(LEFT - 5, y + 4, _size(up["values"][i]), anchor="right", name="ph-tick")
    yield text(LEFT + WIDE / 2, HEIGHT - 5, _axis_words(across), anchor="centre")
    turned = f"translate(11,{number(TOP + HIGH / 2)}) rotate(-90)"
    yield element("text", words(_axis_words(up)), transform=turned, text_anchor="middle")


def _size(value: int) -> str:
    for unit, letter in ((10**6, "M"), (10**3, "k")):
        if value >= 10 * 10**3 and value % unit == 0:
            return f"{value // unit}{letter}"
    return str(value)


def _axis_words(axis: Data) -> str:
    return f"{axis['letter']}, {axis['means']}" if axis["means"] else str(axis["letter"])


def legend(x: float, y: float) -> str:
    """Return what the patterns mean, as a group at a place."""
    parts, left = [], 0
    for name, word in WORDS.items():
        parts += [element("rect", class_=f"ph-{kind}", x=left, y=-9, width=14, height=11) for kind in (name, "frame")]
        parts.append(text(left + 19, 0, word))
        left += 40 + 6 * len(word)
    parts += [path("ph-run", f"M{left} -4h0"), text(left + 8, 0, "a trained network")]
    return element("g", *parts, transform=f"translate({number(x)},{number(y)})")


def picture(data: Data) -> str:
    """Return a diagram as a whole SVG file: its panels side by side, and what the patterns mean."""
    count = len(data["panels"])
    width, height = max(count * WIDTH, 670), HEIGHT + 54
    panels = [
        panel_picture(data, panel, {"x": k * WIDTH, "y": 28, "width": WIDTH, "height": HEIGHT})
        for k, panel in enumerate(data["panels"])
    ]
    title = f"{data['title']}; {summary(data)}"
    body = [DEFS, text(LEFT, 16, title), *panels, legend(LEFT, height - 8)]
    return alone((width, height), title, *body, style=ALONE + STYLE, name="phase")


# -- the page ------------------------------------------------------------------------------------------------------
def keys() -> str:
    """Return what the patterns mean, sign by sign so that a narrow page can break the line, with the patterns that all
    panels of a page share.
    """
    box = {"class_": "phase", "viewBox": "0 0 16 13", "aria_hidden": "true"}
    squares = {
        word: [element("rect", class_=f"ph-{kind}", x=1, y=1, width=14, height=11) for kind in (name, "frame")]
        for name, word in WORDS.items()
    }
    signs = {**squares, "a trained network": [path("ph-run", "M8 7h0")]}
    shared = element("svg", f"<style>{STYLE}</style>", DEFS, **{**box, "class_": "phase patterns"})
    return shared + " ".join(
        element("span", element("svg", *parts, **box), words(f" {word}"), class_="phase-key")
        for word, parts in signs.items()
    )
