"""Bound against measured values as a small SVG without colours of its own: the page's style sheet has them.

Positions are logarithms taken in decimal arithmetic, so a value of 1e-4567 has its place like any other.

A plot as SVG text: classes instead of colours, one path per group, coordinates of one decimal.

A plot with its legend and caption, ready for the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import pairwise
from math import ceil, floor
from typing import Any

from markupsafe import Markup, escape

from theorytools.reporting.mathml import mathml, with_math
from theorytools.reporting.numbers import power_of_ten, pretty, significant
from theorytools.reporting.rows import letter, letters
from theorytools.reporting.series import Chart, Mark, chart

WIDTH, HEIGHT = 460, 232  # units of the view box; text of 11 stays legible on a phone
ANCHORS = {"left": "start", "centre": "middle", "right": "end"}
# each shape around the current point, from which it is drawn with relative steps; a dot is a round cap of no length
SHAPES = {
    "o": "h0",
    "x": "m-2.5-2.5l5 5m0-5l-5 5",
    "+": "m-2.5 0h5m-2.5-2.5v5",
    "_": "m-4.5 0h9",
    "v": "m0 3l-3-6h6z",
    "^": "m0-3l-3 6h6z",
}


class Canvas:
    """Groups of lines, marks and labels; neighbours of one class and one anchor share their group."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._groups: list[tuple[str, list[str], list[str]]] = []

    def _group(self, name: str, anchor: str = "") -> tuple[str, list[str], list[str]]:
        attributes = f'class="{name}"' + (f' text-anchor="{anchor}"' if anchor else "")
        if not self._groups or self._groups[-1][0] != attributes:
            self._groups.append((attributes, [], []))
        return self._groups[-1]

    def line(self, name: str, points: Iterable[tuple[float, float]], *, closed: bool = False) -> None:
        """Draw a line through the points."""
        places = [(number(x), number(y)) for x, y in points]
        steps = (_step(before, place) for before, place in pairwise(places))
        self._group(name)[1].append(f"M{' '.join(places[0])}{''.join(steps)}{'z' if closed else ''}")

    def mark(self, name: str, shape: str, x: float, y: float) -> None:
        """Put one of the shapes at a point."""
        self._group(f"{name} dots" if shape == "o" else name)[1].append(f"M{number(x)} {number(y)}{SHAPES[shape]}")

    def label(self, name: str, x: float, y: float, text: str, *, anchor: str) -> None:
        """Write a text whose base line begins, ends or has its middle at the point."""
        self._group(name, ANCHORS[anchor])[2].append(f'<text x="{number(x)}" y="{number(y)}">{escape(text)}</text>')

    def text(self) -> str:
        """Return the SVG element."""
        groups = (
            f"<g {attributes}>{'<path d=' + chr(34) + ''.join(paths) + chr(34) + '/>' if paths else ''}"
            f"{''.join(labels)}</g>"
            for attributes, paths, labels in self._groups
        )
        head = f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(self.title)}">'
        return f"{head}{''.join(groups)}</svg>"


def _step(before: tuple[str, str], place: tuple[str, str]) -> str:
    """Return a line of a path from one printed place to the next: level, upright or neither."""
    if before[1] == place[1]:
        return f"H{place[0]}"
    return f"V{place[1]}" if before[0] == place[0] else f"L{' '.join(place)}"


def number(value: float) -> str:
    """Return a coordinate with at most one decimal."""
    text = f"{value:.1f}"
    return {"-0": "0"}.get(text := text.removesuffix(".0"), text)


_HUGE = Decimal("1e300")
_CONTEXT = Context(prec=20, traps=[])
TOP, BOTTOM, RIGHT = 0.03 * HEIGHT, 0.89 * HEIGHT, 0.985 * WIDTH  # the frame at its widest
LETTER = 6.2  # width of a letter of a label


@dataclass(frozen=True)
class Scale:
    """A map from numbers to positions, with the ticks to print."""

    logarithmic: bool
    low: float
    high: float

    def place(self, number: Decimal) -> float | None:
        """Return the position, or None where there is none (infinities, zero on a logarithmic scale)."""
        if not number.is_finite() or (number <= 0 if self.logarithmic else abs(number) > _HUGE):
            return None
        return _position(number, self.logarithmic)

    def clipped(self, number: Decimal) -> float:
        """Return the position, the edge of the plot for a number that has none."""
        place = self.place(number)
        return place if place is not None else self.high if number > 0 else self.low

    def visible(self, low: float, high: float) -> bool:
        """Whether two positions are told apart on the page."""
        return high - low > 0.004 * (self.high - self.low)


def _position(number: Decimal, logarithmic: bool) -> float:
    return float(_CONTEXT.log10(number)) if logarithmic else float(number)


def scale(numbers: list[Decimal], *, ratio: int, pad: float) -> Scale:
    """Return a scale over the finite numbers, logarithmic when positive ones spread over ``ratio``."""
    finite = [n for n in numbers if n.is_finite()]
    positive = [n for n in finite if n > 0]
    logarithmic = bool(positive) and min(finite) >= 0 and max(positive) > ratio * min(positive)
    usable = positive if logarithmic else [n for n in finite if abs(n) <= _HUGE]
    places = [_position(n, logarithmic) for n in usable] or [0.0]
    low, high = min(places), max(places)
    margin = pad * (high - low) or (0.5 if logarithmic else 0.1 * abs(low) or 1.0)
    return Scale(logarithmic, low - margin, high + margin)


def log_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return at most seven ticks between two decimal logarithms: powers of ten, or 1-2-5 steps within few."""
    first, last = int(low // 1), int(high // 1)
    decades = last - first + (low == first)  # how many powers of ten lie between
    if decades >= 3:
        step = next(m * 10**k for k in range(20) for m in (1, 2, 5) if m * 10**k * 6 >= decades)
        return [(float(k), power_of_ten(k)) for k in range(-(-first // step) * step, last + 1, step) if k >= low]
    for digits in ((1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7), tuple(n / 10 for n in range(10, 100, 2))):
        marks = [Decimal(str(d)).scaleb(k) for k in range(first, last + 1) for d in digits]
        shown = [(_position(m, True), pretty(significant(m, strip=True))) for m in marks]
        shown = [tick for tick in shown if low <= tick[0] <= high]
        if len(shown) >= 3:
            break
    return shown[:: -(-len(shown) // 7) or 1]


def linear_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return at most six round ticks: multiples of 1, 2 or 5 times a power of ten."""
    least = (Decimal(high) - Decimal(low)) / 5
    step = next(s for m in (1, 2, 5, 10) if (s := Decimal(m).scaleb(least.adjusted())) >= least)
    first, last = ceil(Decimal(low) / step), floor(Decimal(high) / step)
    return [(float(n * step), pretty(_round(n * step))) for n in range(first, last + 1)]


def _round(number: Decimal) -> str:
    return significant(number, 12, strip=True)


def axis_ticks(shown: Chart, across: Scale) -> list[tuple[float, str]]:
    """Return the values of the axis themselves as ticks, as many as fit beside each other."""
    ticks: list[tuple[float, str]] = []
    for number, label in shown.ticks:
        place, room = across.clipped(number), (across.high - across.low) * 7 / (WIDTH - 60)
        if not ticks or place - ticks[-1][0] >= room * (len(label) + len(ticks[-1][1]) + 1) / 2:
            ticks.append((place, label))
    return ticks


def draw(shown: Chart, *, title: str) -> tuple[str, Scale, Scale]:
    """Return the plot as inline SVG, with the scales across and up.

    Parameters
    ----------
    shown
        what to draw.
    title
        read aloud instead of the picture.
    """
    marks = [
        *shown.measured,
        *(m for line in shown.lines for m in line),
        *(m for _, c in shown.controls for m in c),
    ]
    across = scale([number for number, _ in shown.ticks], ratio=15, pad=0.05 if shown.numeric else 0.2)
    up = scale([end for m in marks for end in (m.low, m.high)], ratio=30, pad=0.07)
    levels = (log_ticks if up.logarithmic else linear_ticks)(up.low, up.high)
    ticks = axis_ticks(shown, across)
    left = 12 + LETTER * max((len(label) for _, label in levels), default=1)  # room for the longest label
    plot = _Plot(Canvas(title), across, up, left, _right(left, across, ticks))
    plot.frame(levels, ticks)
    for line in shown.lines:
        plot.bound(line, joined=len(shown.lines) <= 8 and shown.numeric)
    plot.marks(shown.measured, shape="o", name="measured")
    for shape, (_, spoiled) in zip("x+", shown.controls, strict=False):
        plot.marks(spoiled, shape=shape, name="control")
    return plot.canvas.text(), across, up


def _right(left: float, across: Scale, ticks: list[tuple[float, str]]) -> float:
    """Where the horizontal axis ends: as far right as leaves every label inside the picture."""
    shares = [((place - across.low) / (across.high - across.low), len(label) * LETTER / 2) for place, label in ticks]
    return min([RIGHT, *(left + (WIDTH - half - left) / share for share, half in shares if share > 0.5)])


@dataclass(frozen=True)
class _Plot:
    """A canvas with its two scales; ``left`` and ``right`` are the ends of the horizontal axis."""

    canvas: Canvas
    across: Scale
    up: Scale
    left: float
    right: float

    def x(self, place: float) -> float:
        share = (place - self.across.low) / (self.across.high - self.across.low)
        return self.left + share * (self.right - self.left)

    def y(self, place: float) -> float:
        return BOTTOM - (place - self.up.low) / (self.up.high - self.up.low) * (BOTTOM - TOP)

    def frame(self, levels: list[tuple[float, str]], ticks: list[tuple[float, str]]) -> None:
        for place, _ in levels:
            self.canvas.line("grid", [(self.left, self.y(place)), (self.right, self.y(place))])
        self.canvas.line("axis", [(self.left, BOTTOM), (self.right, BOTTOM)])
        for place, label in levels:
            self.canvas.label("tick", self.left - 6, self.y(place) + 3.6, label, anchor="right")
        for place, label in ticks:
            self.canvas.label("tick", self.x(place), BOTTOM + 14, label, anchor="centre")

    def bound(self, line: tuple[Mark, ...], *, joined: bool) -> None:
        xs = [self.x(self.across.clipped(m.x)) for m in line]
        places = [(self.up.clipped(m.low), self.up.clipped(m.high)) for m in line]
        lower, upper = ([(x, self.y(ends[k])) for x, ends in zip(xs, places, strict=True)] for k in (0, 1))
        sides = [lower, upper]
        if not any(self.up.visible(*ends) for ends in places):
            sides = [upper]
        elif joined and len(line) > 1:
            self.canvas.line("band", [*lower, *reversed(upper)], closed=True)
        else:
            for ends in zip(lower, upper, strict=True):
                self.canvas.line("range", ends)
        for side in sides:
            if joined:
                self.canvas.line("bound", side)
            for spot in side:
                self.canvas.mark("bound", "_", *spot)

    def marks(self, marks: tuple[Mark, ...], *, shape: str, name: str) -> None:
        """An interval that can be seen has a bar; an end without a place on the scale has a triangle instead."""
        whole = []
        for mark in marks:
            x, low, high = self.x(self.across.clipped(mark.x)), self.up.clipped(mark.low), self.up.clipped(mark.high)
            below, above = self.up.place(mark.low) is None, self.up.place(mark.high) is None
            if self.up.visible(low, high):
                self.canvas.line(name, [(x, self.y(low)), (x, self.y(high))])
            if below:
                self.canvas.mark(name, "v", x, self.y(low))
            if above and high > self.up.low:
                self.canvas.mark(name, "^", x, self.y(high))
            if not (below or above):
                whole.append((x, self.y((low + high) / 2)))
        for spot in whole:
            self.canvas.mark(name, shape, *spot)


BOUND_WORDS = {
    "<=": "bound from above", "<": "bound from above", ">=": "bound from below", ">": "bound from below",
    "==": "predicted band", "!=": "what it differs from",
}  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """The drawing and the words around it."""

    svg: Markup
    up: Markup
    across: Markup
    bound: str
    controls: tuple[tuple[str, Markup], ...]
    notes: tuple[str, ...]


def figure(verdict: Mapping[str, Any]) -> Figure | None:
    """Return the plot of a verdict, or None when nothing varies."""
    shown = chart(verdict)
    if shown is None:
        return None
    named = (a for a in verdict.get("assertions") or () if a.get("name") == shown.assertion)
    entry: Mapping[str, Any] = next(named, {})
    words = f"{verdict.get('id', '')}: {entry.get('quantity', 'measured')} and its bound against {shown.axis}"
    svg, across, up = draw(shown, title=words)
    quantity = entry.get("quantity_latex")
    return Figure(
        svg=Markup(svg),
        up=mathml(quantity) if quantity else Markup("<i>{}</i>").format(entry.get("quantity", "measured")),
        across=letter(shown.axis, letters(verdict)),
        bound=BOUND_WORDS.get(shown.relation, "bound"),
        controls=tuple(zip("×+", (with_math(name) for name, _ in shown.controls), strict=False)),
        notes=_notes(shown, across, up),
    )


def _notes(shown: Chart, across: Scale, up: Scale) -> tuple[str, ...]:
    marks = [*shown.measured, *(mark for _, spoiled in shown.controls for mark in spoiled)]
    both = across.logarithmic and up.logarithmic
    scales = "Both scales are logarithmic." if both else "The vertical scale is logarithmic."
    notes = [scales] if up.logarithmic else ["The horizontal scale is logarithmic."] if across.logarithmic else []
    if any(up.place(mark.low) is None for mark in marks):
        notes.append("▽ the interval reaches down to zero." if up.logarithmic else "▽ no finite lower end.")
    if any(mark.high.is_infinite() for mark in marks):
        notes.append("△ no finite upper end.")
    if shown.tightest:
        notes.append("Each position shows its tightest row only.")
    return tuple(notes)
