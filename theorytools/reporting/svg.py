"""Matplotlib's SVG made small: classes instead of styles, one path per group, coordinates of one decimal."""

from __future__ import annotations

import re
from xml.etree import ElementTree

WIDTH, HEIGHT = 460, 232  # units of the view box; text of 11 stays legible on a phone
_SVG = "{http://www.w3.org/2000/svg}"
_CLASSES = {"grid", "axis", "tick", "bound", "band", "range", "measured", "control"}
_XLINK = "{http://www.w3.org/1999/xlink}"


def compact(svg: str, *, prefix: str, title: str) -> str:
    """Return matplotlib's SVG as classes, one path per group and coordinates of one decimal."""
    root = ElementTree.fromstring(svg)
    out = ElementTree.Element("svg", {"class": "plot", "viewBox": f"0 0 {WIDTH} {HEIGHT}", "role": "img"})
    out.set("aria-label", title)
    shapes = {"#" + path.get("id", ""): path.get("d", "") for path in root.iterfind(f".//{_SVG}defs/{_SVG}path")}
    names: dict[str, str] = {}
    for group in root.iter(f"{_SVG}g"):
        name = group.get("id", "")
        if name in _CLASSES:
            last = out[-1] if len(out) and out[-1].get("class") == name else None
            into = ElementTree.SubElement(out, "g", {"class": name}) if last is None else last
            _lines(group, into)
            for mark in group.iter(f"{_SVG}use"):
                href = mark.get(f"{_XLINK}href", "")
                if href not in names:
                    names[href] = f"{prefix}{len(names)}"
                    defs = ElementTree.SubElement(into, "defs")
                    ElementTree.SubElement(defs, "path", {"id": names[href], "d": _short(shapes[href])})
                spot = {
                    "href": "#" + names[href],
                    "x": _short(mark.get("x", "0")),
                    "y": _short(mark.get("y", "0")),
                }
                ElementTree.SubElement(into, "use", spot)
            _labels(group, into)
    return ElementTree.tostring(out, encoding="unicode")


def _lines(group: ElementTree.Element, into: ElementTree.Element) -> None:
    """Copy the lines of a group as one path."""
    d = "".join(_short(path.get("d", "")) for path in group.iterfind(f"{_SVG}path"))
    if d:
        ElementTree.SubElement(into, "path", {"d": d})


def _labels(group: ElementTree.Element, into: ElementTree.Element) -> None:
    for label in group.iter(f"{_SVG}text"):
        text = ElementTree.SubElement(into, "text", {a: _short(label.get(a, "0")) for a in "xy"})
        if anchor := re.search(r"text-anchor: (\w+)", label.get("style", "")):
            text.set("text-anchor", anchor[1])
        text.text = label.text


def _short(numbers: str) -> str:
    rounded = re.sub(r"-?\d+\.\d+", lambda m: f"{float(m[0]):.1f}".replace(".0", ""), numbers)
    return re.sub(r"\s*(?:\n\s*|(?<=[MLCz])\s+|\s+(?=[MLCz]))", "", rounded).replace("-0 ", "0 ").strip()
