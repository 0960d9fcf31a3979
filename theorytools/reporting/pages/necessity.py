"""The page of a paper's hypotheses: each claim with a line for every one, and what was found outside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from markupsafe import Markup

from theorytools.reporting.leaves import Leaf
from theorytools.reporting.messages import reason
from theorytools.reporting.pages.contents import Contents, cells_of, label_of
from theorytools.reporting.rendering import fill
from theorytools.reporting.rows import letters
from theorytools.reporting.typed_math import formula_shown, with_typed

PAGE = "necessity.html"
LONG = 160  # letters of a reason that are shown; a longer one is folded


@dataclass(frozen=True)
class Line:
    """One hypothesis of a claim: what became of the statement without it.

    ``state`` is ``needed`` (then the violation is told: the point ``at`` which, the ``control`` whose object shows it,
    the evidence, and whether it lies ``within`` one ``change``), ``not needed``, ``defines`` or ``unknown`` (``why``,
    with what a folded one ``begins``).
    """

    hypothesis: Markup
    state: str
    why: str = ""
    begins: str = ""
    at: str = ""
    control: str = ""
    evidence: str = ""
    within: bool = False
    change: str = ""


@dataclass(frozen=True)
class Statement:
    """A statement with its page and its claims, each by its name within the paper, and how many hypotheses are what."""

    label: str
    href: str
    counts: Mapping[str, int]
    claims: tuple[tuple[str, tuple[Line, ...]], ...]


@dataclass(frozen=True)
class Page:
    """The hypotheses of a paper's claims, and how many there are of each state; words are in ``necessity.html.j2``."""

    title: str
    counts: Mapping[str, int]
    total: int
    statements: tuple[Statement, ...]


def body(site: Contents, own: Sequence[Leaf]) -> str:
    """Return the body of the page."""
    paper = own[0].paper
    known: Mapping[str, Any] = paper.get("necessity") or {}
    states = Counter(cell["state"] for leaf in own for cell in cells_of(leaf))
    statements = []
    for leaf in own:
        latex = {str(verdict["id"]): letters(verdict) for verdict in leaf.verdicts}
        ids = [id for id in leaf.statement.get("claims") or () if known.get(id)]
        told = [(id, known[id], latex.get(id, {})) for id in ids]
        if told:
            href = f"../{leaf.path}" if leaf.shown else ""
            statements.append((label_of(leaf), href, told))
    title = paper.get("title") or paper.get("key", "")
    made = [title, dict(states), statements]
    return str(site.cache.made("necessity", made, partial(_drawn, title, states, statements)))


def _drawn(title: str, states: Counter[str], statements: Sequence[tuple[str, str, Any]]) -> str:
    shown = []
    for label, href, told in statements:
        counts = Counter(cell["state"] for _, cells, _ in told for cell in cells)
        claims = tuple((id, tuple(_line(cell, latex) for cell in cells)) for id, cells, latex in told)
        shown.append(Statement(label, href, counts, claims))
    return fill("necessity", page=Page(title, states, states.total(), tuple(shown)))


def _line(cell: Mapping[str, Any], latex: Mapping[str, str]) -> Line:
    hypothesis = formula_shown(str(cell["hypothesis"]), latex)
    if cell["state"] != "needed":
        why = reason(str(cell["why"]))
        begins = f"{why[:LONG].rsplit(' ', 1)[0]} …" if len(why) > LONG * 3 // 2 else ""
        return Line(hypothesis, cell["state"], why=with_typed(why, latex), begins=begins)
    point = ", ".join(f"{name} = {at}" for name, at in cell["at"].items())
    return Line(
        hypothesis, cell["state"], at=with_typed(point, latex), control=cell.get("control", ""),
        evidence=cell["evidence"].lower(), within=bool(cell["within"]),
        change=str(cell["change"]) if cell["within"] else "",
    )  # fmt: skip
