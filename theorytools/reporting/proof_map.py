"""The map of a paper: which statement rests on which, drawn in layers when the report is written.

A statement stands to the right of all that it rests on.  Statements without an edge are not drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from theorytools.reporting.canvas import element, inline, path, text, words

STEP, HEIGHT, GAP, LETTER = 44, 22, 12, 6.6  # room between layers; a node; between nodes; width of a letter
SWEEPS = 6
Edge = Mapping[str, Any]


@dataclass(frozen=True)
class Node:
    """One statement: its label, where its page is (empty without one), and its state.

    ``firm`` says whether all that it rests on holds, ``there`` whether at the same sizes; ``note`` says it in words.
    """

    id: str
    label: str
    href: str
    state: str
    firm: bool = True
    there: bool = True
    note: str = ""


def ancestors(id: str, edges: Iterable[Edge]) -> set[str]:
    """Return what a statement rests on, at once or by way of others."""
    below: dict[str, set[str]] = {}
    for edge in edges:
        below.setdefault(edge["user"], set()).add(edge["used"])
    found, waiting = set[str](), [id]
    while waiting:
        new = below.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found - {id}


def around(id: str, edges: Sequence[Edge]) -> list[Edge]:
    """Return the edges among a statement, what it rests on, and those that use it at once."""
    inside = ancestors(id, edges) | {id}
    return [e for e in edges if (e["used"] in inside and e["user"] in inside) or e["used"] == id]


def drawn(nodes: Sequence[Node], edges: Sequence[Edge], *, title: str, here: str = "") -> Markup:
    """Return the map as SVG, empty where there is no edge.

    Parameters
    ----------
    nodes
        in the order of the paper.
    edges
        ``used``, ``user``, ``why``, and the ``factor`` that the one loses in the other, where it is known.
    title
        read aloud instead of the picture.
    here
        the statement whose page shows it.
    """
    known = {node.id: node for node in nodes}
    kept = [edge for edge in edges if edge["used"] in known and edge["user"] in known]
    layers = _ordered(_layers([n.id for n in nodes], kept), kept)
    if not layers:
        return Markup("")
    places, width, height = _places(layers, known)
    lines = "".join(_line(edge, places, known) for edge in kept)
    boxes = "".join(_box(known[id], *places[id], here=id == here) for layer in layers for id in layer)
    return Markup(inline("map", (round(width), round(height)), title, lines, boxes, fixed=True))


def _layers(ids: Sequence[str], edges: Sequence[Edge]) -> list[list[str]]:
    """Each statement one layer after the last that it rests on; an edge that closes a circle counts for nothing."""
    below: dict[str, set[str]] = {id: set() for id in ids}
    for edge in edges:
        if edge["user"] not in _reached(edge["used"], below):
            below[edge["user"]].add(edge["used"])
    touched = {id for edge in edges for id in (edge["used"], edge["user"])}
    level: dict[str, int] = {}

    def depth(id: str) -> int:
        if id not in level:
            level[id] = 1 + max((depth(used) for used in below[id]), default=-1)
        return level[id]

    for id in ids:
        depth(id)
    layers: list[list[str]] = [[] for _ in range(1 + max(level.values(), default=0))]
    for id in ids:
        if id in touched:
            layers[level[id]].append(id)
    return [layer for layer in layers if layer]


def _reached(id: str, below: Mapping[str, set[str]]) -> set[str]:
    found, waiting = {id}, [id]
    while waiting:
        new = below[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def _ordered(layers: list[list[str]], edges: Sequence[Edge]) -> list[list[str]]:
    """Each layer in the order of the mean place of its neighbours, swept there and back."""
    near: dict[str, list[str]] = {}
    for edge in edges:
        near.setdefault(edge["used"], []).append(edge["user"])
        near.setdefault(edge["user"], []).append(edge["used"])
    place = {id: k / len(layer) for layer in layers for k, id in enumerate(layer)}
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 else reversed(layers):
            layer.sort(key=lambda id: sum(place[other] for other in near[id]) / len(near[id]))
            place |= {id: k / len(layer) for k, id in enumerate(layer)}
    return layers


def _width(label: str) -> float:
    return 16 + LETTER * len(label)


def _places(
    layers: Sequence[Sequence[str]], known: Mapping[str, Node]
) -> tuple[dict[str, tuple[float, float, float]], float, float]:
    """The left end, middle height and width of every node, and the size of the picture."""
    tall = max(map(len, layers))
    height = tall * (HEIGHT + GAP) + GAP
    places, left = {}, 4.0
    for layer in layers:
        wide = max(_width(known[id].label) for id in layer)
        room = height / len(layer)
        for k, id in enumerate(layer):
            places[id] = (left, (k + 0.5) * room, wide)
        left += wide + STEP
    return places, left - STEP + 4, height


def _line(edge: Edge, places: Mapping[str, tuple[float, float, float]], known: Mapping[str, Node]) -> str:
    (x, y, wide), (right, top, _) = places[edge["used"]], places[edge["user"]]
    start = x + wide
    bend = max(24.0, (right - start) / 2)
    why = f"{known[edge['user']].label} uses {known[edge['used']].label}: {', '.join(edge['why'])}"
    steps = f"M{start:.0f} {y:.0f}C{start + bend:.0f} {y:.0f} {right - bend:.0f} {top:.0f} {right:.0f} {top:.0f}"
    lost = str(edge.get("factor") or "")
    why += f"; loses a factor {lost}" if lost else ""
    line = path("edge", steps, why)
    if not lost:
        return line
    above = {"x": round(start), "y": round(y - HEIGHT / 2 - 2)}  # the box, where the edge begins
    told = element("title", words(why))
    return line + element("text", words(f"×{lost}"), told, class_="factor", **above, text_anchor="end")


def _box(node: Node, left: float, middle: float, wide: float, *, here: bool) -> str:
    below = "loose" if not node.firm else "elsewhere" if not node.there else ""
    names = " ".join(filter(None, ["node", node.state, below, "here" if here else ""]))
    body = [element("title", words(f"{node.label}: {node.note}"))] if node.note else []
    body += [
        element("rect", x=round(left), y=round(middle - HEIGHT / 2), width=round(wide), height=HEIGHT, rx=3),
        text(round(left + wide / 2), round(middle + 4), node.label, anchor="centre"),
    ]
    return element("g", *([element("a", *body, href=node.href)] if node.href else body), class_=names)
