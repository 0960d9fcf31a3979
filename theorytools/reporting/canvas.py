"""SVG in one place: elements with their escapes, coordinates, whole pictures, and a canvas of lines, marks and labels.

All that a report draws is made of these: plots, the map of a paper, phase diagrams, and what constructions draw of
themselves.  A picture has no colour of its own but classes, which a style sheet colours for light and for dark ground;
and it says in words what it shows, which is read aloud where nobody sees it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

XMLNS = "http://www.w3.org/2000/svg"
ANCHORS = {"left": "start", "centre": "middle", "right": "end"}
# each shape around the current point, from which it is drawn with relative steps; a dot is a round cap of no length
SHAPES = {
    "o": "h0",
    "s": "m-2.7-2.7h5.4v5.4h-5.4z",
    "t": "m0-3.8l3.6 6.4h-7.2z",
    "d": "m0-4l4 4-4 4-4-4z",
    "x": "m-3-3l6 6m0-6l-6 6",
    "+": "m-3.4 0h6.8m-3.4-3.4v6.8",
    "_": "m-4.5 0h9",
    "|": "m0-7v14",
    "O": "m-6.5 0a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0",
    "v": "m0-8v8m-3-4l3 4 3-4",
    "^": "m0 8v-8m-3 4l3-4 3 4",
    "<": "m8 0h-8m4-3l-4 3 4 3",
    ">": "m-8 0h8m-4-3l4 3-4 3",
}


# -- elements --------------------------------------------------------------------------------------------------------
def number(value: float) -> str:
    """Return a coordinate with at most one decimal."""
    text = f"{value:.1f}"
    return {"-0": "0"}.get(text := text.removesuffix(".0"), text)


def words(text: str) -> str:
    """Return text as it stands between tags."""
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def element(tag: str, *inside: str, **attributes: str | float) -> str:
    """Return one element around what is inside; an attribute that is empty is left out.

    Parameters
    ----------
    tag
        its name.
    inside
        elements, and text through :func:`words`; without any the element closes itself.
    attributes
        in the order given; ``class_`` is ``class`` and ``text_anchor`` is ``text-anchor``.  A float is a coordinate.

    Examples
    --------
    >>> element("path", element("title", words("a < b")), class_="edge", d="M0 0h8", text_anchor="")
    '<path class="edge" d="M0 0h8"><title>a &lt; b</title></path>'
    >>> element("rect", x=4, width=7.25)
    '<rect x="4" width="7.2"/>'
    """
    told = "".join(f' {_name(key)}="{_value(value)}"' for key, value in attributes.items() if value != "")
    body = "".join(inside)
    return f"<{tag}{told}>{body}</{tag}>" if body else f"<{tag}{told}/>"


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _value(value: str | float) -> str:
    return number(value) if isinstance(value, float) else words(str(value)).replace('"', "&quot;")


def text(x: float, y: float, said: str, *, anchor: str = "left", name: str = "") -> str:
    """Return a text whose base line begins, ends or has its middle at the point."""
    where = "" if anchor == "left" else ANCHORS[anchor]
    return element("text", words(said), class_=name, x=x, y=y, text_anchor=where)


def path(name: str, steps: str, said: str = "") -> str:
    """Return a path of a class; ``said`` is shown where a pointer rests on it."""
    return element("path", *([element("title", words(said))] if said else []), class_=name, d=steps)


# -- pictures --------------------------------------------------------------------------------------------------------
def inline(
    name: str, size: tuple[float, float], said: str, *body: str, fixed: bool = False,
    at: Mapping[str, float] | None = None,
) -> str:  # fmt: skip
    """Return a picture within a page, whose style sheet knows its class ``name``.

    Parameters
    ----------
    name, size : its class, and width and height of its view box.
    said : read aloud instead of the picture.
    body : its elements.
    fixed : whether it has this size on the page, instead of the width of its column.
    at : where it stands within another picture: ``x``, ``y``, ``width`` and ``height``.
    """
    width, height = size
    shown = {"width": width, "height": height} if fixed else {}
    return element("svg", *body, class_=name, viewBox=_box(size), **shown, role="img", aria_label=said, **(at or {}))


def alone(size: tuple[float, float], said: str, *body: str, style: str, name: str = "") -> str:
    """Return a picture as a file of its own, with its title and its style sheet inside."""
    width, height = size
    return element(
        "svg", element("title", words(said)), f"<style>{style}</style>", *body,
        xmlns=XMLNS, class_=name, viewBox=_box(size), width=width, height=height, role="img",
    ) + "\n"  # fmt: skip


def described(told: str) -> list[str]:
    """Return what a picture says after its title, of what can be read off it; nothing where it says nothing."""
    return [element("desc", words(told))] if told else []


def _box(size: tuple[float, float]) -> str:
    return " ".join(["0 0", *(_value(part) for part in size)])


class Canvas:
    """Groups of lines, marks and labels; neighbours of one class and one anchor share their group.

    Parameters
    ----------
    title : read aloud instead of the picture.
    width, height : of the view box.
    told : what can be read off it, as a description after its title.
    """

    def __init__(self, title: str, width: int, height: int, told: str = "") -> None:
        self.title, self.size, self.told = title, (width, height), told
        self._groups: list[tuple[dict[str, str], list[str], list[str]]] = []

    def _group(self, name: str, anchor: str = "") -> tuple[dict[str, str], list[str], list[str]]:
        attributes = {"class_": name, "text_anchor": anchor}
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

    def label(self, name: str, x: float, y: float, said: str, *, anchor: str) -> None:
        """Write a text whose base line begins, ends or has its middle at the point."""
        self._group(name, ANCHORS[anchor])[2].append(text(float(x), float(y), said))

    def text(self) -> str:
        """Return the SVG element."""
        groups = (
            element("g", *([path("", "".join(paths))] if paths else []), *labels, **attributes)
            for attributes, paths, labels in self._groups
        )
        return inline("plot", self.size, self.title, *described(self.told), *groups)


def _step(before: tuple[str, str], place: tuple[str, str]) -> str:
    """Return a line of a path from one printed place to the next: level, upright or neither."""
    if before[1] == place[1]:
        return f"H{place[0]}"
    return f"V{place[1]}" if before[0] == place[0] else f"L{' '.join(place)}"
