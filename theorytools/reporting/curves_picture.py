"""Curves along the main letter as SVG: what was measured against its bound, and below it the slack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from theorytools.reporting.canvas import Canvas
from theorytools.reporting.scales import Scale, scale, ticks
from theorytools.reporting.series import Chart, Curve, Span, Spot

WIDTH = 360  # units of the view box: about those of a phone, so letters keep their size there
LETTER = 7.3  # width of a letter of a label
RIGHT = WIDTH - 8
TOP, MAIN, GAP, SLACK, FOOT = 8, 158, 28, 58, 20  # heights of the panels and between them
SHAPES = "ostd"  # of measured values, one for each curve
UPPER, LOWER = ("<=", "<"), (">=", ">")
ONE = Decimal(1)


@dataclass(frozen=True)
class Panel:
    """A rectangle of a canvas with its two scales; ``top`` and ``bottom`` are the ends of the upright one."""

    canvas: Canvas
    across: Scale
    up: Scale
    left: float
    top: float
    bottom: float

    def x(self, number: Decimal) -> float:
        """Where a number stands on the level axis."""
        share = (self.across.clipped(number) - self.across.low) / (self.across.high - self.across.low)
        return self.left + share * (RIGHT - self.left)

    def y(self, number: Decimal) -> float:
        """Where a number stands on the upright axis, at its edge where it lies beyond."""
        place = min(max(self.up.clipped(number), self.up.low), self.up.high)
        return self.bottom - (place - self.up.low) / (self.up.high - self.up.low) * (self.bottom - self.top)

    def inside(self, number: Decimal) -> bool:
        """Whether a number has a place within the panel."""
        place = self.up.place(number)
        return place is not None and self.up.low <= place <= self.up.high

    def frame(self, levels: Iterable[tuple[float, str]]) -> None:
        """Draw the grid with its labels, and the level axis."""
        places = [
            (self.bottom - (p - self.up.low) / (self.up.high - self.up.low) * (self.bottom - self.top), label)
            for p, label in levels
        ]
        for y, _ in places:
            self.canvas.line("grid", [(self.left, y), (RIGHT, y)])
        self.canvas.line("axis", [(self.left, self.bottom), (RIGHT, self.bottom)])
        for y, label in places:
            self.canvas.label("tick", self.left - 6, y + 4, label, anchor="right")

    def interval(self, name: str, shape: str, x: float, span: Span) -> None:
        """Draw an interval: a mark in its middle, a bar where it can be seen, an arrow where an end has no place."""
        low, high = span
        below, above = not self.inside(low), not self.inside(high)
        if abs(self.y(low) - self.y(high)) > 1.2:
            self.canvas.line(name, [(x, self.y(low)), (x, self.y(high))])
        if below and above and self.y(low) == self.y(high):  # the whole of it lies beyond one edge
            self.canvas.mark(name, "v" if self.y(low) == self.bottom else "^", x, self.y(low))
        elif below or above:
            ends = [("v", self.bottom)] * below + [("^", self.top)] * above
            for arrow, y in ends:
                self.canvas.mark(name, arrow, x, y)
        else:
            self.canvas.mark(name, shape, x, (self.y(low) + self.y(high)) / 2)


def curves_picture(shown: Chart, title: str, told: str = "") -> tuple[str, Scale, Scale]:
    """Return the curves as inline SVG, with the scales across and up.

    Parameters
    ----------
    shown : what to draw, with a main letter.
    title, told : read aloud instead of the picture: its name, and what can be read off it.
    """
    across, up = scales_of(shown)
    slacks = slacks_of(shown)
    small = slack_scale(slacks)
    levels, low_levels = ticks(up), ticks(small, 3) if slacks else []
    left = 12 + LETTER * max((len(label) for _, label in (*levels, *low_levels)), default=1)
    height = TOP + MAIN + FOOT + (GAP + SLACK if slacks else 0)
    canvas = Canvas(title, WIDTH, height, told)
    main = Panel(canvas, across, up, left, TOP, TOP + MAIN)
    main.frame(levels)
    _draw_main(main, shown)
    if slacks:
        below = Panel(canvas, across, small, left, TOP + MAIN + GAP, height - FOOT)
        below.frame(low_levels)
        _draw_slack(below, shown)
    for x, label in axis_ticks(shown.ticks, main):
        canvas.label("tick", x, height - 5, label, anchor="centre")
    return canvas.text(), across, up


def scales_of(shown: Chart) -> tuple[Scale, Scale]:
    """Return the scale of the main letter, logarithmic only where all of its values have a place, and that upwards."""
    values = [spot.x for spot in shown.spots]
    across = scale(values, ratio=12, pad=0.05, logarithms=min(values) > 0)
    up = scale(
        [end for spot in shown.spots for end in (*spot.measured, *spot.bound)], ratio=30, pad=0.07,
        beyond=[end for spot in shown.spots for span in spoiled_ends(spot) for end in span],
    )  # fmt: skip
    return across, up


def slack_scale(slacks: Sequence[Decimal]) -> Scale:
    """Return a scale from 1 over the slacks, wide enough that its ticks differ."""
    return scale([*slacks, ONE, Decimal("1.05")], ratio=15, pad=0.12)


def axis_ticks(values: Sequence[tuple[Decimal, str]], panel: Panel) -> list[tuple[float, str]]:
    """Return the values of the axis themselves as ticks, as many as fit beside each other, inside the picture."""
    found: list[tuple[float, str]] = []
    edge = float("-inf")
    for number, label in values:
        half = (len(label) * LETTER) / 2
        x = min(max(panel.x(number), half), WIDTH - half)
        if x - half >= edge + LETTER:
            found.append((x, label))
            edge = x + half
    return found


def spoiled_ends(spot: Spot) -> list[Span]:
    """Return the intervals that the control has at a row and the claim has not."""
    own = spot.spoiled
    return [span for span in (own.measured, own.bound) if span] if own else []


def slacks_of(shown: Chart) -> list[Decimal]:
    """Return the slacks of an inequality; none where most rows have none, or only infinite ones."""
    if shown.relation not in (*UPPER, *LOWER):
        return []
    found = [Decimal(spot.slack) for spot in shown.spots if spot.slack is not None]
    finite = [slack for slack in found if slack.is_finite()]
    return finite if 2 * len(finite) > len(shown.spots) else []


def _draw_main(panel: Panel, shown: Chart) -> None:
    if len(shown.curves) == 1 and shown.relation in (*UPPER, *LOWER):
        _allowed(panel, shown.curves[0], shown.relation)
    for k, curve in enumerate(shown.curves):
        _bound(panel, curve, f"bound d{k + 1}" if k else "bound")
    for curve in shown.curves:
        _control(panel, curve)
    for shape, curve in zip(SHAPES, shown.curves, strict=False):
        for spot in curve.spots:
            panel.interval("measured", shape, panel.x(spot.x), spot.measured)
    for spot in shown.spots:
        if spot.truth is not True:
            y = (panel.y(spot.measured[0]) + panel.y(spot.measured[1])) / 2
            panel.canvas.mark("failing" if spot.truth is False else "undecided", "O", panel.x(spot.x), y)


def _allowed(panel: Panel, curve: Curve, relation: str) -> None:
    """The side of the bound on which the statement wants what is measured."""
    edge = [(panel.x(spot.x), panel.y(spot.bound[relation in UPPER])) for spot in curve.spots]
    far = panel.bottom if relation in UPPER else panel.top
    panel.canvas.line("allowed", [*edge, (edge[-1][0], far), (edge[0][0], far)], closed=True)


def _bound(panel: Panel, curve: Curve, name: str) -> None:
    """The right side as a line through its values, or as a band between its two ends."""
    xs = [panel.x(spot.x) for spot in curve.spots]
    lower, upper = ([(x, panel.y(s.bound[k])) for x, s in zip(xs, curve.spots, strict=True)] for k in (0, 1))
    wide = any(abs(a - b) > 1.2 for (_, a), (_, b) in zip(lower, upper, strict=True))
    if wide:
        panel.canvas.line("band", [*lower, *reversed(upper)], closed=True)
    for side in [lower, upper] if wide else [upper]:
        panel.canvas.line(name, side)
        for place in side:
            panel.canvas.mark(name, "_", *place)


def _control(panel: Panel, curve: Curve) -> None:
    """What the control measured, or the right side that it has instead."""
    own = [(panel.x(spot.x), spot.spoiled) for spot in curve.spots if spot.spoiled]
    for x, spoiled in own:
        if spoiled.measured:
            panel.interval("control", "x", x, spoiled.measured)
    rights = [(x, panel.y(spoiled.bound[1])) for x, spoiled in own if spoiled.bound]
    if rights:
        panel.canvas.line("control right", rights)
    for place in rights:
        panel.canvas.mark("control", "_", *place)


def _draw_slack(panel: Panel, shown: Chart) -> None:
    """The slack of every row as a stem on the line of 1, below which the row would fail."""
    one = panel.y(ONE)
    panel.canvas.line("bound", [(panel.left, one), (RIGHT, one)])
    for shape, curve in zip(SHAPES, shown.curves, strict=False):
        for spot in curve.spots:
            if spot.slack is not None:
                x, slack = panel.x(spot.x), Decimal(spot.slack)
                panel.canvas.line("stem", [(x, one), (x, panel.y(slack))])
                panel.interval("measured", shape, x, (slack, slack))
                if spot.truth is False:
                    panel.canvas.mark("failing", "O", x, panel.y(slack))
    ratio = "measured / bound" if shown.relation in LOWER else "bound / measured"
    panel.canvas.label("said", panel.left, panel.top - 10, f"slack: {ratio}, fails below 1", anchor="left")
