"""The page of a paper's hypotheses: each claim with a line for every one, and what was found outside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from theorytools.reporting.leaves import Leaf
from theorytools.reporting.messages import reason
from theorytools.reporting.pages.contents import Contents, cells_of, label_of
from theorytools.reporting.rendering import fill

PAGE = "necessity.html"


@dataclass(frozen=True)
class Line:
    """One hypothesis of a claim: what became of the statement without it.

    ``state`` is ``needed`` (then the violation is told: the point ``at`` which, the ``control`` whose object shows it,
    the evidence, and whether it lies ``within`` one ``change``), ``not needed``, ``defines`` or ``unknown`` (``why``).
    """

    hypothesis: str
    state: str
    why: str = ""
    at: str = ""
    control: str = ""
    evidence: str = ""
    within: bool = False
    change: str = ""


@dataclass(frozen=True)
class Page:
    """The hypotheses of a paper's claims, and how many there are of each state; words are in ``necessity.html.j2``."""

    title: str
    counts: Mapping[str, int]
    total: int
    statements: tuple[tuple[str, str, tuple[tuple[str, tuple[Line, ...]], ...]], ...]  # label, page, lines by claim


def body(site: Contents, own: Sequence[Leaf]) -> str:
    """Return the body of the page."""
    paper = own[0].paper
    known: Mapping[str, Any] = paper.get("necessity") or {}
    states = Counter(cell["state"] for leaf in own for cell in cells_of(leaf))
    statements = []
    for leaf in own:
        ids = [id for id in leaf.statement.get("claims") or () if known.get(id)]
        claims = tuple((id, tuple(map(_line, known[id]))) for id in ids)
        if claims:
            statements.append((label_of(leaf), f"../{leaf.path}" if leaf.shown else "", claims))
    title = paper.get("title") or paper.get("key", "")
    return fill("necessity", page=Page(title, states, states.total(), tuple(statements)))


def _line(cell: Mapping[str, Any]) -> Line:
    if cell["state"] != "needed":
        return Line(cell["hypothesis"], cell["state"], why=_short(reason(str(cell["why"]))))
    return Line(
        cell["hypothesis"], cell["state"], at=_short(", ".join(f"{name} = {at}" for name, at in cell["at"].items())),
        control=cell.get("control", ""), evidence=cell["evidence"].lower(), within=bool(cell["within"]),
        change=str(cell["change"]) if cell["within"] else "",
    )  # fmt: skip


def _short(text: str) -> str:
    """The text with integers of more than twenty digits by their size; the record has them whole."""
    return re.sub(r"\b\d{21,}\b", lambda digits: f"about 10^{len(digits[0]) - 1}", text)
