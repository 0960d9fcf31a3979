"""Rows of unlike settings as SVG: a line for each, its bound and what was measured on it, and its slack as a number."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from theorytools.reporting.canvas import Canvas
from theorytools.reporting.curves_picture import LETTER, LOWER, UPPER, WIDTH, spoiled_ends
from theorytools.reporting.numbers import pretty, short_text, significant
from theorytools.reporting.scales import Scale, scale, ticks
from theorytools.reporting.series import Chart, Setting, Span, Spot
from theorytools.reporting.signs import letter_signs

LEFT, RIGHT = 14, WIDTH - 14
WORDS, MARKS, FOOT = 14, 20, 22  # heights: of a line of words, of the marks below it, of the axis
ROOM = 40  # letters of a line of words beside the slack


@dataclass(frozen=True)
class _Plane:
    """A canvas with its one scale, which is level."""

    canvas: Canvas
    scale: Scale

    def x(self, number: Decimal) -> float:
        place = min(max(self.scale.clipped(number), self.scale.low), self.scale.high)
        return LEFT + (place - self.scale.low) / (self.scale.high - self.scale.low) * (RIGHT - LEFT)

    def inside(self, number: Decimal) -> bool:
        place = self.scale.place(number)
        return place is not None and self.scale.low <= place <= self.scale.high

    def interval(self, name: str, shape: str, y: float, span: Span) -> None:
        """Draw an interval: a mark in its middle, a bar where it can be seen, an arrow where an end has no place."""
        (low, high), (left, right) = span, map(self.x, span)
        if right - left > 1.2:
            self.canvas.line(name, [(left, y), (right, y)])
        beyond = [("<", left)] * (not self.inside(low)) + [(">", right)] * (not self.inside(high))
        if len(beyond) == 2 and left == right:  # the whole of it lies beyond one edge
            beyond = beyond[left > LEFT :][:1]
        for arrow, x in beyond:
            self.canvas.mark(name, arrow, x, y)
        if not beyond:
            self.canvas.mark(name, shape, (left + right) / 2, y)


def lines_picture(shown: Chart, title: str, told: str, latex: dict[str, str]) -> tuple[str, Scale]:
    """Return a line for each row as inline SVG, with the scale.

    Parameters
    ----------
    shown : what to draw, without a main letter.
    title, told : read aloud instead of the picture: its name, and what can be read off it.
    latex : how letters are printed, by their names.
    """
    level = scale(
        [end for spot in shown.spots for end in (*spot.measured, *spot.bound)], ratio=30, pad=0.06,
        beyond=[end for spot in shown.spots for span in spoiled_ends(spot) for end in span],
    )  # fmt: skip
    said = [broken(setting_words(curve.setting, latex)) for curve in shown.curves]
    bottom = 4 + sum(WORDS * len(lines) + MARKS for lines in said)
    plane = _Plane(Canvas(title, WIDTH, bottom + FOOT, told), level)
    marked = _spread(ticks(level, 5), level)
    plane.canvas.line("axis", [(LEFT, bottom), (RIGHT, bottom)])
    top = 4.0
    for spot, lines in zip(shown.spots, said, strict=True):
        y = top + WORDS * len(lines) + 8
        for x, _ in marked:
            plane.canvas.line("grid", [(x, y - 8), (x, y + 8)])
        _words(plane, spot, lines, top, shown.relation)
        _marks(plane, spot, y, shown.relation)
        top = y + MARKS - 8
    for x, label in marked:
        plane.canvas.label("tick", x, bottom + 15, label, anchor="centre")
    return plane.canvas.text(), level


def setting_words(setting: Setting, latex: dict[str, str]) -> list[str]:
    """Return ``N=64``, ``code hadamard`` for the letters of a setting."""
    found = []
    for name, value in setting:
        text = short_text(value)
        sign = letter_signs(name, latex.get(name, ""))
        number = text[:1].isdigit() or text[:1] in "−≈∞"
        found.append(f"{sign}{text}" if text.startswith("≈") else f"{sign}={text}" if number else f"{sign} {text}")
    return found


def broken(parts: list[str]) -> list[str]:
    """Return the parts in lines, separated by commas."""
    lines = [""]
    for part in parts:
        longer = f"{lines[-1]}, {part}" if lines[-1] else part
        if len(longer) > ROOM and lines[-1]:
            lines[-1] += ","
            lines.append(part)
        else:
            lines[-1] = longer
    return lines


def _spread(found: list[tuple[float, str]], level: Scale) -> list[tuple[float, str]]:
    """The ticks at their places, those left out that would touch the one before."""
    shown: list[tuple[float, str]] = []
    edge = float("-inf")
    for place, label in found:
        half = len(label) * LETTER / 2
        x = LEFT + (place - level.low) / (level.high - level.low) * (RIGHT - LEFT)
        if x - half >= max(edge, 0) and x + half <= WIDTH:
            shown.append((x, label))
            edge = x + half + LETTER
    return shown


def _words(plane: _Plane, spot: Spot, lines: list[str], top: float, relation: str) -> None:
    for k, line in enumerate(lines):
        plane.canvas.label("said", LEFT, top + WORDS * k + 11, line, anchor="left")
    if spot.truth is not True:
        name, said = ("failing", "fails") if spot.truth is False else ("undecided", "open")
        plane.canvas.label(name, RIGHT, top + 11, said, anchor="right")
    elif spot.slack is not None and relation in (*UPPER, *LOWER):
        said = pretty(significant(Decimal(spot.slack), 3, "ROUND_FLOOR", strip=True))
        plane.canvas.label("tick", RIGHT, top + 11, f"slack {said}", anchor="right")


def _marks(plane: _Plane, spot: Spot, y: float, relation: str) -> None:
    low, high = map(plane.x, spot.bound)
    if relation in UPPER or relation in LOWER or high - low > 1.2:
        left, right = (LEFT, high) if relation in UPPER else (low, RIGHT) if relation in LOWER else (low, high)
        plane.canvas.line("allowed", [(left, y - 4), (right, y - 4), (right, y + 4), (left, y + 4)], closed=True)
    for x in dict.fromkeys((low, high)) if high - low > 1.2 else (high,):
        plane.canvas.mark("bound", "|", x, y)
    own = spot.spoiled
    if own and own.measured:
        plane.interval("control", "x", y, own.measured)
    if own and own.bound:
        plane.canvas.mark("control right", "|", plane.x(own.bound[1]), y)
    plane.interval("measured", "o", y, spot.measured)
    if spot.truth is not True:
        middle = sum(map(plane.x, spot.measured)) / 2
        plane.canvas.mark("failing" if spot.truth is False else "undecided", "O", middle, y)
