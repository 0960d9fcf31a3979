"""Bound against measured values as a small SVG without colours of its own: the page's style sheet has them.

Positions are logarithms taken in decimal arithmetic, so a value of 1e-4567 has its place like any other.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import pairwise
from typing import Any

from theorytools.reporting.numbers import power_of_ten, pretty, significant
from theorytools.reporting.series import Chart, Mark
from theorytools.reporting.svg import HEIGHT, WIDTH, compact

_HUGE = Decimal("1e300")
_CONTEXT = Context(prec=20, traps=[])
_STYLE = {"svg.hashsalt": "theorytools", "svg.fonttype": "none", "path.simplify": False, "font.size": 11.0}


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
    """Return about five round ticks."""
    from matplotlib.ticker import MaxNLocator

    places = [float(v) for v in MaxNLocator(5, steps=[1, 2, 5, 10]).tick_values(low, high) if low <= v <= high]
    step = min((b - a for a, b in pairwise(places)), default=1.0)
    digits = max(1, min(12, 1 + Decimal(max(map(abs, places), default=1.0)).adjusted() - Decimal(step).adjusted()))
    return [(v, pretty(significant(Decimal(v), digits, strip=True)) if abs(v) > step / 2 else "0") for v in places]


def axis_ticks(shown: Chart, across: Scale) -> list[tuple[float, str]]:
    """Return the values of the axis themselves as ticks, as many as fit beside each other."""
    ticks: list[tuple[float, str]] = []
    for number, label in shown.ticks:
        place, room = across.clipped(number), (across.high - across.low) * 7 / (WIDTH - 60)
        if not ticks or place - ticks[-1][0] >= room * (len(label) + len(ticks[-1][1]) + 1) / 2:
            ticks.append((place, label))
    return ticks


def draw(shown: Chart, *, prefix: str, title: str) -> tuple[str, Scale, Scale]:
    """Return the plot as inline SVG, with the scales across and up.

    Parameters
    ----------
    shown
        what to draw.
    prefix
        makes the identifiers of this plot unique in the page.
    title
        read aloud instead of the picture.
    """
    import matplotlib
    from matplotlib.figure import Figure

    marks = [
        *shown.measured,
        *(m for line in shown.lines for m in line),
        *(m for _, c in shown.controls for m in c),
    ]
    across = scale([number for number, _ in shown.ticks], ratio=15, pad=0.05 if shown.numeric else 0.2)
    up = scale([end for m in marks for end in (m.low, m.high)], ratio=30, pad=0.07)
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72))
        figure.patch.set_visible(False)
        _paint(figure, shown, across, up)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return compact(out.getvalue(), prefix=prefix, title=title), across, up


def _paint(figure: Any, shown: Chart, across: Scale, up: Scale) -> None:
    levels = (log_ticks if up.logarithmic else linear_ticks)(up.low, up.high)
    left = (12 + 6.2 * max((len(label) for _, label in levels), default=1)) / WIDTH
    axes = figure.add_axes((left, 0.11, 0.985 - left, 0.86), xlim=(across.low, across.high), ylim=(up.low, up.high))
    axes.set_axis_off()
    axes.hlines([y for y, _ in levels], across.low, across.high, gid="grid", clip_on=False)
    axes.plot([across.low, across.high], [up.low, up.low], gid="axis", clip_on=False)
    for y, label in levels:
        axes.annotate(label, (across.low, y), (-6, -3.6), textcoords="offset points", ha="right", gid="tick")
    for x, label in axis_ticks(shown, across):
        axes.annotate(label, (x, up.low), (0, -14), textcoords="offset points", ha="center", gid="tick")
    for line in shown.lines:
        _paint_bound(axes, line, across, up, joined=len(shown.lines) <= 8 and shown.numeric)
    _paint_marks(axes, shown.measured, across, up, shape="o", gid="measured")
    for shape, (_, spoiled) in zip("x+", shown.controls, strict=False):
        _paint_marks(axes, spoiled, across, up, shape=shape, gid="control")


def _paint_bound(axes: Any, line: tuple[Mark, ...], across: Scale, up: Scale, *, joined: bool) -> None:
    xs = [across.clipped(m.x) for m in line]
    sides = [[up.clipped(m.low) for m in line], [up.clipped(m.high) for m in line]]
    if not any(up.visible(low, high) for low, high in zip(*sides, strict=True)):
        sides = sides[1:]
    elif joined and len(line) > 1:
        axes.fill(xs + xs[::-1], sides[0] + sides[1][::-1], gid="band", clip_on=False)
    else:
        axes.vlines(xs, *sides, gid="range", clip_on=False)
    dash = "-" if joined else "None"
    for ys in sides:
        axes.plot(xs, ys, linestyle=dash, marker="_", markersize=9, gid="bound", clip_on=False)


def _paint_marks(axes: Any, marks: tuple[Mark, ...], across: Scale, up: Scale, *, shape: str, gid: str) -> None:
    spots = [(across.clipped(m.x), up.clipped(m.low), up.clipped(m.high)) for m in marks]
    bars = [spot for spot in spots if up.visible(*spot[1:])]
    if bars:
        axes.vlines(*zip(*bars, strict=True), gid=gid, clip_on=False)

    def put(chosen: list[tuple[float, float]], marker: str, size: float) -> None:
        if chosen:
            axes.plot(*zip(*chosen, strict=True), marker, markersize=size, gid=gid, clip_on=False)

    off_low, off_high = ([up.place(m.low) is None for m in marks], [up.place(m.high) is None for m in marks])
    put([(x, low) for (x, low, _), off in zip(spots, off_low, strict=True) if off], "v", 6)
    put(
        [(x, high) for (x, _, high), off in zip(spots, off_high, strict=True) if off and high > up.low],
        "^",
        6,
    )
    inside = zip(spots, off_low, off_high, strict=True)
    put([(x, (low + high) / 2) for (x, low, high), below, above in inside if not (below or above)], shape, 5)
