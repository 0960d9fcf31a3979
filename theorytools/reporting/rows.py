"""The rows of a verdict as a table: constant axes lifted out, failing and open rows never cut away."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from theorytools.reporting import words
from theorytools.reporting.mathml import mathml, with_math
from theorytools.reporting.numbers import band_text, estimate_text, fraction, point_text, pretty, slack_text
from theorytools.reporting.series import urgency

Row = Mapping[str, Any]
GREEK = {"alpha", "beta", "gamma", "delta", "epsilon", "rho", "sigma", "tau", "lambda", "mu", "eta", "theta"}
SIGNS = {"<=": "≤", ">=": "≥", "==": "=", "<": "<", ">": ">", "!=": "≠"}


@dataclass(frozen=True)
class Line:
    """One printed row; ``state`` is ``holds``, ``fails`` or ``open``."""

    point: tuple[str, ...]
    control: Markup
    measured: str
    bound: str
    slack: str
    state: str
    notes: str


@dataclass(frozen=True)
class Block:
    """The rows of one assertion."""

    heading: Markup
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Table:
    """A table of rows; ``hidden`` of them are only in the JSON file."""

    axes: tuple[tuple[Markup, bool], ...]  # with whether its values are numbers
    constant: tuple[Markup, ...]
    blocks: tuple[Block, ...]
    total: int
    hidden: int
    open: int
    failing: int


def signed(text: str) -> str:
    """Return an assertion's name with ≤ and ≥ as one sign each."""
    for typed, sign in SIGNS.items():
        text = text.replace(typed, sign)
    return text


def letters(verdict: Mapping[str, Any]) -> dict[str, str]:
    """Return the LaTeX of every letter of a verdict by its name."""
    return {entry["name"]: entry.get("latex") or entry["name"] for entry in verdict.get("letters") or ()}


def letter(name: str, latex: Mapping[str, str]) -> Markup:
    """Return an axis as mathematics where the verdict says how, as a word elsewhere."""
    if name in latex:
        return mathml(latex[name])
    if name in GREEK or re.fullmatch(r"[A-Za-z](_\w+)?", name):
        return mathml("\\" + name if name in GREEK else re.sub(r"_(\w+)", r"_{\1}", name))
    return Markup("<i>{}</i>").format(name)


def point(values: Mapping[str, Any], latex: Mapping[str, str]) -> tuple[Markup, ...]:
    """Return ``N = 64`` for every axis of a point."""
    shown = ((letter(name, latex), pretty(point_text(value))) for name, value in values.items())
    return tuple(name + (" " if text.startswith("≈") else " = ") + text for name, text in shown)


def table(verdict: Mapping[str, Any], *, controls: bool, limit: int) -> Table | None:
    """Return the rows of the claim itself, or of its controls, at most ``limit`` of them."""
    rows = [row for row in verdict.get("rows") or () if bool(row.get("control")) == controls]
    if not rows:
        return None
    shown = _chosen(rows, limit)
    names = list(dict.fromkeys(name for row in rows for name in row.get("point") or {}))
    seen = {name: {str((row.get("point") or {}).get(name, "–")) for row in rows} for name in names}
    moving = [name for name in names if len(seen[name]) > 1]
    latex = letters(verdict)
    first = rows[0].get("point") or {}
    assertions = {entry.get("name"): entry for key in ("spoiled", "assertions") for entry in verdict.get(key) or ()}
    blocks = []
    for name in dict.fromkeys(row.get("assertion", "") for row in shown):
        own = [row for row in shown if row.get("assertion", "") == name]
        entry = assertions.get(name, {})
        lines = tuple(_line(row, moving, entry, verdict) for row in own)
        blocks.append(Block(numbered(name, verdict) or _heading(name, entry), lines))
    return Table(
        axes=tuple((letter(name, latex), all(fraction(value) is not None for value in seen[name])) for name in moving),
        constant=point({name: first[name] for name in names if name not in moving and name in first}, latex),
        blocks=tuple(blocks),
        total=len(rows),
        hidden=len(rows) - len(shown),
        open=sum(row.get("truth") is None for row in rows),
        failing=sum(row.get("truth") is False for row in rows),
    )


def _chosen(rows: Sequence[Row], limit: int) -> list[Row]:
    """The most telling rows, in their own order."""
    if len(rows) <= limit:
        return list(rows)
    order = sorted(range(len(rows)), key=lambda place: urgency(rows[place]))
    return [rows[place] for place in sorted(order[:limit])]


def numbered(name: str, verdict: Mapping[str, Any]) -> Markup:
    """Return ``(2) leakage`` for the second of several assertions, empty where there is one or none of that name."""
    entries = [entry for entry in verdict.get("assertions") or () if entry.get("latex")]
    names = [entry.get("name") for entry in entries]
    if len(names) < 2 or name not in names:
        return Markup("")
    quantity = with_math(entries[names.index(name)].get("quantity") or "")
    return Markup("({}) {}").format(names.index(name) + 1, quantity)


def _heading(name: str, entry: Mapping[str, Any]) -> Markup:
    return mathml(entry["latex"]) if entry.get("latex") else with_math(signed(name))


def _line(row: Row, axes: Sequence[str], entry: Mapping[str, Any], verdict: Mapping[str, Any]) -> Line:
    notes = list(reversed(words.marks(row)))
    notes += [words.NO_PREMISE] if words.idle(row) else []
    if row.get("evidence") and row["evidence"] != verdict.get("evidence"):
        notes.append(str(row["evidence"]).lower())
    values = row.get("point") or {}
    relation = entry.get("relation") or row.get("relation")
    return Line(
        point=tuple(pretty(point_text(values.get(name, "–"))) for name in axes),
        control=with_math(str(row.get("control") or "")),
        measured=pretty(estimate_text(row.get("measured"))),
        bound=f"{SIGNS.get(str(relation), '')} {pretty(band_text(row.get('bound') or []))}".strip(),
        slack=pretty(slack_text(row, relation)),
        state=words.TRUTH[row.get("truth")],
        notes=", ".join(notes),
    )


def tightest(verdict: Mapping[str, Any]) -> str:
    """Return the smallest slack over the claim's own rows that are not vacuous."""
    relations = {entry.get("name"): entry.get("relation") for entry in verdict.get("assertions") or ()}
    rows = [
        row
        for row in verdict.get("rows") or ()
        if not row.get("control") and not row.get("vacuous") and row.get("slack") is not None
    ]
    if not rows:
        return "–"
    least = min(rows, key=lambda row: float(row["slack"]))
    return pretty(slack_text(least, relations.get(least.get("assertion"))))
