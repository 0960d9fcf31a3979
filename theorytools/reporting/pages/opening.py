"""What a front page opens with: the task, its letters, and findings in plain words with numbers out of verdicts.

The words are those of ``reports/front.toml`` beside the checks, of which each project has its own or none.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any

from markupsafe import Markup

from theorytools.errors import DomainError
from theorytools.reporting.claim import Verdict
from theorytools.reporting.mathml import mathml, with_math
from theorytools.reporting.pages.contents import Contents
from theorytools.reporting.task_picture import task_figure

KINDS = {"show": ("count", "percent", "one in"), "side": ("measured", "bound"), "round": ("", "down", "up")}
PICTURES = {"sparse": task_figure}  # by the name that a project gives


@dataclass(frozen=True)
class Plain:
    """A finding for readers who have not read the papers: what it says, with its numbers, and where it is judged."""

    head: Markup
    said: Markup
    href: str
    claim: str
    outcome: str
    evidence: str


@dataclass(frozen=True)
class Opening:
    """The task in a picture and in words, its letters with their meanings, and the findings; ``more`` are not shown."""

    picture: Markup
    task: Markup
    letters: tuple[tuple[Markup, Markup], ...]
    findings: tuple[Plain, ...]
    more: int


def front_text(text: str, place: str) -> dict[str, Any]:
    """Return what ``front.toml`` says, read from its text.

    Parameters
    ----------
    text : of the file.
    place : how a refusal calls it.

    Raises
    ------
    DomainError : where it is no TOML, or a finding lacks a part or asks for a number in a way that there is not.

    Examples
    --------
    >>> front_text('papers = ["mine"]', "front.toml")
    {'papers': ['mine']}
    """
    try:
        told = tomllib.loads(text)
    except ValueError as error:
        raise DomainError(place, required="a TOML file", why=str(error)) from None
    shapes = (("papers", list), ("letters", dict), ("finding", list), ("task", str), ("picture", str))
    for name, kind in shapes:
        if not isinstance(told.get(name, kind()), kind):
            raise DomainError(f"{name} in {place}", required={list: "a list", dict: "a table", str: "a text"}[kind])
    if (drawn := told.get("picture", "")) and drawn not in PICTURES:
        raise DomainError(f"picture = {drawn!r} in {place}", required=f"one of {', '.join(PICTURES)}")
    for count, one in enumerate(told.get("finding", []), 1):
        if wrong := _wrong(one):
            raise DomainError(f"finding {count} of {place}", required=wrong, why="a sentence is filled from a verdict")
    return told


def _wrong(one: Any) -> str:
    """What a finding is to have and has not; empty where nothing is wrong."""
    if not isinstance(one, dict) or not all(isinstance(one.get(name), str) for name in ("head", "text", "claim")):
        return "head, text and claim, each a text"
    if not isinstance(one.get("at", {}), dict) or not isinstance(one.get("numbers", {}), dict):
        return "tables at and numbers"
    for name, asked in one.get("numbers", {}).items():
        if not isinstance(asked, dict) or not isinstance(asked.get("quantity"), str):
            return f"a quantity for the number {name}"
        for key, known in KINDS.items():
            if asked.get(key, known[0]) not in known:
                return f"{key} of the number {name} one of {', '.join(filter(None, known))}"
        if not isinstance(asked.get("of", 1), int | float) or not asked.get("of", 1) > 0:
            return f"of, for the number {name}, a positive number"
    try:
        fields = [field for _, field, _, _ in Formatter().parse(one["text"]) if field is not None]
    except ValueError:
        fields = [""]
    return "" if all(field.isidentifier() for field in fields) else "a text with {names} in brackets"


def opening(site: Contents) -> Opening | None:
    """Return what the front page opens with, None where the project says nothing or none of its papers is shown."""
    told: Mapping[str, Any] = site.run.get("front") or {}
    if not told or not {str(key) for key in told.get("papers") or ()} & site.by_paper.keys():
        return None
    of = {str(v["id"]): v for v in site.verdicts if not v.get("user_points") and not v.get("compact")}
    asked = told.get("finding") or ()
    found = [plain for one in asked if (plain := _plain(site, one, of.get(str(one["claim"]))))]
    draw = PICTURES.get(str(told.get("picture") or ""))
    return Opening(
        picture=draw() if draw else Markup(""), task=with_math(str(told.get("task") or "")),
        letters=tuple((mathml(name), with_math(str(said))) for name, said in (told.get("letters") or {}).items()),
        findings=tuple(found), more=len(asked) - len(found),
    )  # fmt: skip


def _plain(site: Contents, one: Mapping[str, Any], verdict: Verdict | None) -> Plain | None:
    """A finding with its numbers; None where its claim came out otherwise, or the row that it tells of is not there."""
    if verdict is None or verdict.get("outcome") != one.get("outcome", "HOLDS"):
        return None
    values = numbers_of(one, verdict)
    if values is None:
        return None
    return Plain(
        head=with_math(str(one.get("head") or "")), said=with_math(str(one["text"]).format(**values)),
        href=site.place(str(verdict["id"])), claim=str(verdict["id"]), outcome=str(verdict["outcome"]),
        evidence=str(verdict.get("evidence") or "").lower(),
    )  # fmt: skip


def numbers_of(one: Mapping[str, Any], verdict: Verdict) -> dict[str, str] | None:
    """Return the numbers that a finding's text names, None where a row or a number of it is missing.

    Parameters
    ----------
    one : the finding, with ``text``, ``at`` and ``numbers``.
    verdict : of its claim.
    """
    at = {name: str(value) for name, value in (one.get("at") or {}).items()}
    rows = [
        row for row in verdict.get("rows") or ()
        if not row.get("control") and at.items() <= {k: str(v) for k, v in (row.get("point") or {}).items()}.items()
    ]  # fmt: skip
    if not rows:
        return None
    values = {name: _thousands(str(value)) for name, value in rows[0]["point"].items()}
    for name, asked in (one.get("numbers") or {}).items():
        row = next((row for row in rows if row.get("quantity") == asked["quantity"]), None)
        shown = _shown(row, asked) if row else ""
        if not shown:
            return None
        values[name] = shown
    named = {field for _, field, _, _ in Formatter().parse(str(one["text"])) if field}
    return values if named <= values.keys() else None


def _shown(row: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """One side of a row as it is read aloud; empty for one without finite ends."""
    number = row.get("measured") if asked.get("side", "measured") == "measured" else next(iter(row["bound"]), None)
    ends = [end for end in (number or {}).get("show") or () if end is not None and math.isfinite(end)]
    if len(ends) != 2:
        return ""
    low, high = (end / asked.get("of", 1) for end in ends)
    if asked.get("show") == "one in":  # at most the larger end: one part in that many, or fewer
        return f"{_leading(1 / high):,}" if high > 0 else ""
    return _rounded([low, high], asked.get("show") == "percent", str(asked.get("round", "")))


def _rounded(ends: Sequence[float], percent: bool, towards: str) -> str:
    low, high = (end * (100 if percent else 1) for end in ends)
    tiny = 1e-9 * max(1.0, abs(high))  # what a decimal of a double may be off
    turned = {"down": math.floor(low + tiny), "up": math.ceil(high - tiny)}
    return f"{turned.get(towards, round((low + high) / 2)):,}" + " %" * percent


def _leading(value: float) -> int:
    """The number with its first digit alone, rounded down."""
    size = 10 ** max(math.floor(math.log10(value)), 0)
    return int(value // size * size)


def _thousands(text: str) -> str:
    return f"{int(text):,}" if text.isdecimal() else text
