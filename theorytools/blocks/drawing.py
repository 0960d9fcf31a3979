"""A network as a picture: a line for each field from where it is written to where it is last read, blocks beside them.

Rows follow each other as the network computes: the fields of a position, then block after block, then the output.  At
the left a field runs down as a line; a ring is where a row reads it, a disc where one writes it.  Matrices up to 32 by
32 are shown as cells, as strong as their modulus, the colour their sign, each by the largest of its own; everything is
read from the object (:mod:`.told`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from theorytools.blocks.network import Network
from theorytools.blocks.told import Panel, Part, Row, rows, sentence
from theorytools.numbers.boxes import Array
from theorytools.reporting.canvas import alone, element, inline, text, words

LARGEST = 32  # rows and columns of a matrix that is drawn
SIDE, CELL = 112, 10  # units of a matrix, and of a cell
LANE, LINE, GAP = 13, 15, 18  # between fields' lines, lines of words, matrices
LETTER, SMALL = 5.8, 5.4  # of a text of 11 and of 10 units, on average
NOTE = 170  # words below a heading are at most that wide
STEPS = 12  # shades of a cell
STYLE = (
    ".network text{font:11px sans-serif;fill:currentColor}.network .h{font-weight:600}.network .s{font-size:10px}"
    ".network .c{stroke:#2f78bd}.network .n{stroke:#c4681c}.network .c,.network .n{fill:none}"
    ".network .g,.network .r{fill:none;stroke:#8a8a8a}.network .g{stroke-width:.6}.network .r{stroke-width:1.4}"
    ".network .w{fill:#2f78bd}.network .o{fill:none;stroke:#2f78bd;stroke-width:1.6}"
)
GROUND = (
    ".network{color:#222}.network .p{fill:#fff}"
    "@media(prefers-color-scheme:dark){.network{color:#ddd}.network .p{fill:#16181c}}"
)


def drawing(net: Network, width: int = 720) -> str:
    """Return a network as an SVG file of a width, at least 240 units.

    Examples
    --------
    >>> from theorytools import BlockAttention, hadamard
    >>> svg = drawing(BlockAttention(hadamard(4), beta=6, q=1, d=2).network())
    >>> svg.count("compares slot1 · place, copies x") > 0, "4 × 4: 6 for equal words, else at most 0" in svg
    (True, True)
    """
    size, body = _laid(net, width)
    ground = element("rect", class_="p", width="100%", height="100%")
    return alone(size, sentence(net), ground, *body, style=STYLE + GROUND, name="network")


def within(net: Network, width: int = 720) -> str:
    """Return a network as an element of a page that has :data:`STYLE`; words have the colour of the page's."""
    size, body = _laid(net, width)
    return inline("network", size, sentence(net), *body, fixed=True)


# -- rows and lanes ----------------------------------------------------------------------------------------------------
def _laid(net: Network, width: int) -> tuple[tuple[float, float], list[str]]:
    told = rows(net)
    lanes, last = _lanes(told)
    left = 12 + LANE * (max(lanes.values(), default=0) + 1)
    page = Page(left, max(width, left + 200) - 8)
    heights: list[int] = []
    y = 20
    for row in told:
        heights.append(y)
        y = _written(page, row, y)
    return (page.used + 8, y - 4), [*_lines(told, heights, lanes, last, left), *page.body]


def _lanes(told: Sequence[Row]) -> tuple[dict[str, int], dict[str, int]]:
    """For each field the lane of its line, free again after the row that reads it last, and the number of that row."""
    last = {name: k for k, row in enumerate(told) for name in (*row.reads, row.writes) if name}
    lanes: dict[str, int] = {}
    for k, row in enumerate(told):
        if row.writes:
            taken = {lanes[name] for name in lanes if last[name] >= k}
            lanes[row.writes] = next(lane for lane in range(len(told) + 1) if lane not in taken)
    return lanes, last


def _lines(
    told: Sequence[Row], heights: Sequence[int], lanes: dict[str, int], last: dict[str, int], left: int
) -> list[str]:
    """The lines of the fields, a level one for each row, and their rings and discs."""
    under, over = [], []
    for k, (row, y) in enumerate(zip(told, heights, strict=True)):
        y -= 4
        touched = [12 + LANE * lanes[name] for name in (*row.reads, row.writes) if name]
        under.append(element("path", class_="g", d=f"M{min(touched, default=left)} {y}H{left - 3}"))
        if row.writes and last[row.writes] > k:
            x = 12 + LANE * lanes[row.writes]
            under.append(element("path", class_="r", d=f"M{x} {y}V{heights[last[row.writes]] - 4}"))
        over += [element("circle", element("title", words(f"{row.name} reads {name}")), class_="o",
                         cx=12 + LANE * lanes[name], cy=y, r="3.4") for name in row.reads]  # fmt: skip
        if row.writes:
            over.append(element("circle", element("title", words(f"{row.writes} is written")), class_="w",
                                cx=12 + LANE * lanes[row.writes], cy=y, r="4.2"))  # fmt: skip
    return [*under, *over]


@dataclass
class Page:
    """What is written so far, from ``left`` to at most ``right``, and how far to the right it is."""

    left: int
    right: int
    used: int = 0
    body: list[str] = field(default_factory=list)

    def say(self, x: int, y: int, said: str, name: str = "") -> None:
        """Write words at a place."""
        self.body.append(text(x, y, said, name=name))
        self.used = max(self.used, x + _long(said))


def _written(page: Page, row: Row, y: int) -> int:
    """Write a row from a height on; return that of the next one."""
    first, *more = _wrapped(f"{row.name} {row.said}", page.right - page.left)
    page.say(page.left, y, first, name="" if first.startswith(row.name) else "h")
    if first.startswith(row.name):
        bold = element("tspan", words(row.name), class_="h")
        page.body[-1] = element("text", bold, words(first[len(row.name) :]), x=page.left, y=y)
    for line in more:
        page.say(page.left, y := y + LINE, line)
    x, low = page.left, y
    for part in row.parts:  # one beside the other, as many as there is room for
        across = _across(part)
        if x > page.left and (x + across > page.right or not part.panels):
            x, y = page.left, low
        below = _part(page, part, x, y)
        low, x = max(low, below), x + across + 2 * GAP
        if not part.panels:
            x, y = page.left, low
    return low + LINE + (9 if row.parts else 4)


def _part(page: Page, part: Part, x: int, y: int) -> int:
    """Write a line of words and put its matrices below it, one beside the other; return their lower end."""
    for line in _wrapped(part.words, page.right - x) if part.words else ():
        page.say(x, y := y + LINE, line)
    start, top, low = x, y + 8, y
    for panel in part.panels:
        notes = _wrapped(panel.note, min(page.right - start, NOTE))
        wide, high, size = _extent(panel.matrix)
        if x > start and x + _wide(panel) > page.right:
            x, top = start, low + 10
        below = top + 10 + 13 * len(notes)
        page.say(x, top + 10, panel.title, name="h s")
        for k, line in enumerate(notes, 1):
            page.say(x, top + 10 + 13 * k, line, name="s")
        if size:
            page.body.append(_cells(panel, x, below + 5, size))
            page.used = max(page.used, x + wide)
            below += 5 + high
        low, x = max(low, below), x + _wide(panel) + GAP
    return low + (4 if part.panels else 0)


def _across(part: Part) -> int:
    return max(_long(part.words), sum(_wide(panel) + GAP for panel in part.panels) - GAP)


def _wide(panel: Panel) -> int:
    return max(_extent(panel.matrix)[0], *(_long(line, SMALL) for line in (panel.title, *_wrapped(panel.note, NOTE))))


def _long(said: str, letter: float = LETTER) -> int:
    return round(letter * len(said))


def _wrapped(said: str, room: float) -> list[str]:
    return textwrap.wrap(said, max(12, int(room / LETTER))) or [""]


# -- matrices ----------------------------------------------------------------------------------------------------------
def _extent(A: Array) -> tuple[int, int, int]:
    """Width and height of a matrix and of one of its cells; zero where it is too large to be drawn."""
    m, n = A.shape
    if not 0 < min(m, n) <= max(m, n) <= LARGEST:
        return 0, 0, 0
    size = min(CELL, SIDE // max(m, n))
    return n * size, m * size, size


def _cells(panel: Panel, x: int, y: int, size: int) -> str:
    """A matrix: cells of one shade are one path, runs in a row one step of it."""
    A = panel.matrix
    m, n = A.shape
    level = np.rint(STEPS * A / (np.abs(A).max() or 1.0)).astype(int)
    body = []
    for shade in [k for k in np.unique(level).tolist() if k]:
        steps = "".join(
            f"M{x + size * start} {y + size * i + size / 2:g}h{size * count}"
            for i in range(m) for start, count in _runs(level[i] == shade)
        )  # fmt: skip
        kind = {"class_": "c" if shade > 0 else "n", "stroke_width": str(size)}
        body.append(element("path", **kind, opacity=f"{abs(shade) / STEPS:.2f}", d=steps))
    frame = f"M{x} {y}h{n * size}v{m * size}h{-n * size}z"
    frame += "".join(f"M{x} {y + size * k}h{n * size}" for k in range(panel.cut, m, panel.cut or m) if k)
    return element("g", element("title", words(f"{panel.title}, {panel.note}")), *body,
                   element("path", class_="g", d=frame))  # fmt: skip


def _runs(row: Array) -> list[tuple[int, int]]:
    """Where a row of truth values is true without a gap: first places and lengths."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(int), [0]])))
    return [(int(a), int(b - a)) for a, b in edges.reshape(-1, 2)]
