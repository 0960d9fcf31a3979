"""Bound against measured values: the plot as a small SVG, and what stands around it on a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from theorytools.reporting.canvas import Canvas
from theorytools.reporting.mathml import mathml, with_math
from theorytools.reporting.rows import letter, letters
from theorytools.reporting.scales import Scale, linear_ticks, log_ticks, scale
from theorytools.reporting.series import Chart, Mark, chart

WIDTH, HEIGHT = 460, 232  # units of the view box; text of 11 stays legible on a phone
TOP, BOTTOM, RIGHT = 0.03 * HEIGHT, 0.89 * HEIGHT, 0.985 * WIDTH  # the frame at its widest
LETTER = 6.2  # width of a letter of a label
# which scales are logarithmic, by whether the one across and the one up are
LOGARITHMIC = {(True, True): "both", (False, True): "up", (True, False): "across", (False, False): ""}


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
    plot = _Plot(Canvas(title, WIDTH, HEIGHT), across, up, left, _right(left, across, ticks))
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


@dataclass(frozen=True)
class Figure:
    """The drawing of a verdict, and what its marks mean.

    ``logarithmic`` says which scales are (``both``, ``up``, ``across`` or none), ``floor`` what an interval is cut at
    below: ``zero`` on a logarithmic scale, ``none`` where it has no lower end.  ``open_above`` is whether one has no
    finite upper end, ``tightest`` whether each position keeps its row of smallest slack only.
    """

    svg: Markup
    up: Markup
    across: Markup
    relation: str
    controls: tuple[tuple[str, Markup], ...]
    logarithmic: str
    floor: str
    open_above: bool
    tightest: bool


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
    marks = [*shown.measured, *(mark for _, spoiled in shown.controls for mark in spoiled)]
    cut = any(up.place(mark.low) is None for mark in marks)
    return Figure(
        svg=Markup(svg),
        up=mathml(quantity) if quantity else Markup("<i>{}</i>").format(entry.get("quantity", "measured")),
        across=letter(shown.axis, letters(verdict)),
        relation=shown.relation,
        controls=tuple(zip("×+", (with_math(name) for name, _ in shown.controls), strict=False)),
        logarithmic=LOGARITHMIC[across.logarithmic, up.logarithmic],
        floor="" if not cut else "zero" if up.logarithmic else "none",
        open_above=any(mark.high.is_infinite() for mark in marks),
        tightest=shown.tightest,
    )
