"""A plot as SVG text: classes instead of colours, one path per group, coordinates of one decimal."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import escape

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
    """Groups of lines, marks and labels; neighbours of one class share their group."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._groups: list[tuple[str, list[str], list[str]]] = []

    def _group(self, name: str) -> tuple[str, list[str], list[str]]:
        if not self._groups or self._groups[-1][0] != name:
            self._groups.append((name, [], []))
        return self._groups[-1]

    def line(self, name: str, points: Iterable[tuple[float, float]], *, closed: bool = False) -> None:
        """Draw a line through the points."""
        path = "L".join(f"{number(x)} {number(y)}" for x, y in points)
        self._group(name)[1].append(f"M{path}{'z' if closed else ''}")

    def mark(self, name: str, shape: str, x: float, y: float) -> None:
        """Put one of the shapes at a point."""
        self._group(f"{name} dots" if shape == "o" else name)[1].append(f"M{number(x)} {number(y)}{SHAPES[shape]}")

    def label(self, name: str, x: float, y: float, text: str, *, anchor: str) -> None:
        """Write a text whose base line begins, ends or has its middle at the point."""
        written = f'<text x="{number(x)}" y="{number(y)}" text-anchor="{ANCHORS[anchor]}">{escape(text)}</text>'
        self._group(name)[2].append(written)

    def text(self) -> str:
        """Return the SVG element."""
        groups = (
            f'<g class="{name}">{"<path d=" + chr(34) + "".join(paths) + chr(34) + "/>" if paths else ""}'
            f"{''.join(labels)}</g>"
            for name, paths, labels in self._groups
        )
        head = f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(self.title)}">'
        return f"{head}{''.join(groups)}</svg>"


def number(value: float) -> str:
    """Return a coordinate with at most one decimal."""
    text = f"{value:.1f}"
    return {"-0": "0"}.get(text := text.removesuffix(".0"), text)
