"""The page of a paper's hypotheses: each claim with a line for every one, and what was found outside it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from theorytools.reporting.leaves import Leaf
from theorytools.reporting.pages.contents import Contents, cells_of, label_of
from theorytools.reporting.rendering import fill

PAGE = "necessity.html"
STATES = {
    "needed": ("good", "needed"),
    "not needed": ("doubt", "not needed here"),
    "defines": ("quiet", "defines the object"),
    "unknown": ("gap", "unknown"),
}
MEANT = {
    "needed": "outside it, with all other hypotheses kept, the statement is violated at the point shown",
    "not needed": "the statement holds without it, by another claim or by the reason given",
    "defines": "outside it the object does not exist: its construction refuses, and names it",
    "unknown": "no violation was found, or none was looked for; what was tried is said",
}


def body(site: Contents, own: Sequence[Leaf]) -> str:
    """Return the body of the page."""
    paper = own[0].paper
    known: Mapping[str, Any] = paper.get("necessity") or {}
    every = [cell for leaf in own for cell in cells_of(leaf)]
    states = [cell["state"] for cell in every]
    return fill(
        "necessity",
        title=paper.get("title") or paper.get("key", ""),
        total=len(every),
        counts=[(STATES[name][1], states.count(name), meant) for name, meant in MEANT.items()],
        statements=[
            (label_of(leaf), f"../{leaf.path}" if leaf.shown else "", claims)
            for leaf in own
            if (claims := [(id, _lines(known[id])) for id in leaf.statement.get("claims") or () if known.get(id)])
        ],
    )


def _lines(cells: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str, str]]:
    return [(cell["hypothesis"], *STATES[cell["state"]], _said(cell)) for cell in cells]


def _said(cell: Mapping[str, Any]) -> str:
    if cell["state"] != "needed":
        return _short(str(cell["why"]))
    at = _short(", ".join(f"{name} = {value}" for name, value in cell["at"].items()))
    far = f"one notch away ({cell['change']})" if cell["within"] else "beyond one notch"
    by = f", by the object of the control '{cell['control']}'" if "control" in cell else ""
    return f"violated at {at}{by}: {cell['evidence'].lower()}, {far}"


def _short(text: str) -> str:
    """The text with integers of more than twenty digits by their size; the record has them whole."""
    return re.sub(r"\b\d{21,}\b", lambda digits: f"about 10^{len(digits[0]) - 1}", text)
