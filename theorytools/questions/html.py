"""Tables of a notebook: outcome, truth and controls in colour, and each by a sign and a word as well.

No style sheet is needed: a notebook's may be light, dark or taken away.  What has a colour has its own ground, so that
it can be read on any page; all other text keeps the page's colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from theorytools.reporting import words
from theorytools.reporting.mathml import mathml, with_math
from theorytools.reporting.rows import Table, table, tightest

MOST = 12  # rows of a table, and verdicts of a list
GOOD, BAD, DOUBT, BLIND, QUIET = "#1c6b3c", "#a4262c", "#875300", "#6b3fa0", "#5b626b"
OUTCOMES = {
    "HOLDS": ("✓", GOOD), "REFUTED": ("✗", BAD), "WITNESS FAILS": ("✗", BAD), "UNDECIDED": ("?", DOUBT),
    "POWERLESS": ("!", BLIND), "INAPPLICABLE": ("–", QUIET),
}  # fmt: skip
STATES = {"holds": ("✓", GOOD), "fails": ("✗", BAD), "open": ("?", DOUBT)}
Data = Mapping[str, Any]


def badge(sign: str, word: str, colour: str) -> Markup:
    """Return a word on a ground of its own, after its sign."""
    style = f"background:{colour};color:#fff;padding:.05em .45em;border-radius:.2em;white-space:nowrap"
    return Markup('<span style="{}">{} {}</span>').format(style, sign, word)


def cells_html(heads: Sequence[str | Markup], lines: Iterable[Sequence[str | Markup]], caption: str = "") -> Markup:
    """Return a table with heads; what is no markup is escaped."""
    left = Markup(' style="text-align:left"')
    top = Markup("").join(Markup('<th scope="col"{}>{}</th>').format(left, head) for head in heads)
    body = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(Markup("<td{}>{}</td>").format(left, cell) for cell in line))
        for line in lines
    )
    told = Markup('<caption style="text-align:left">{}</caption>').format(caption) if caption else ""
    return Markup("<table>{}<thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(told, top, body)


def paragraph(*parts: str | Markup) -> Markup:
    """Return a paragraph of what is not empty."""
    return Markup("<p>{}</p>").format(Markup(" ").join(part for part in parts if part))


def outcome_badge(verdict: Data) -> Markup:
    """Return the outcome of a verdict with how far it reaches."""
    sign, colour = OUTCOMES.get(str(verdict["outcome"]), ("?", QUIET))
    return badge(sign, f"{verdict['outcome']} {verdict.get('limit', '')}".strip(), colour)


def verdict_html(verdict: Data) -> str:
    """Return a verdict: its outcome, what was asserted, at most twelve rows, and its controls."""
    name = Markup("<b>{}</b>").format(verdict["id"])
    expected = "as expected" if verdict["as_expected"] else words.expectation(verdict)
    if verdict["user_points"]:
        expected = "" if verdict["as_expected"] else "not at every point asked for"
    grade = (verdict["evidence"] or "no evidence").lower()
    head = paragraph(outcome_badge(verdict), name, f"({'; '.join(filter(None, [grade, expected]))})")
    formulas = [mathml(entry["latex"]) for entry in verdict.get("assertions") or () if entry.get("latex")]
    said = paragraph(with_math(str(verdict["label"])), Markup("; ").join(formulas[:4]))
    rows = table(verdict, controls=False, limit=MOST)
    shown = "" if rows is None else _rows_html(rows)
    parts = [head, said, paragraph(with_math(str(verdict["reason"]))), shown, controls_html(verdict)]
    return str(Markup("").join(parts))


def _rows_html(rows: Table) -> Markup:
    """The rows of a verdict, and how many more there are; letters with one value stand before the table."""
    several = len(rows.blocks) > 1
    heads = [*(name for name, _ in rows.axes), *(["quantity"] if several else []), "measured", "bound", "slack", ""]
    lines = []
    for block in rows.blocks:
        for line in block.lines:
            sign, colour = STATES[line.state]
            truth = badge(sign, line.state, colour)
            truth = truth if not line.notes else truth + f" {line.notes}"
            what = [block.heading] if several else []
            lines.append([*line.point, *what, line.measured, line.bound, line.slack, truth])
    constant = paragraph("at", Markup(", ").join(rows.constant)) if rows.constant else ""
    return Markup("").join([constant, cells_html(heads, lines), more_html(rows.hidden, "row", ".rows, .to_frame()")])


def more_html(hidden: int, noun: str, where: str) -> Markup | str:
    """Return how many more there are, and where they are found; nothing where all are shown."""
    if not hidden:
        return ""
    return paragraph(f"and {hidden} {noun}{'s' * (hidden != 1)} more:", Markup("<code>{}</code>").format(where))


def controls_html(verdict: Data) -> Markup | str:
    """Return what each control did: a spoiled statement must fail, a repaired one must hold."""
    entries = verdict.get("controls") or ()
    if not entries:
        return ""
    lines = []
    for entry in entries:
        must = "hold" if entry["repair"] else "fail"
        lines.append([with_math(entry["name"]), must, _did(entry), words.control(entry)])
    shown = cells_html(["control", "must", "", "what came out"], lines[:MOST])
    return shown + more_html(len(lines) - MOST if len(lines) > MOST else 0, "control", ".controls")


def _did(entry: Data) -> Markup:
    """Whether a control did what it must: one that applies at no point says nothing either way."""
    if entry["outcome"] == ("holds" if entry["repair"] else "breaks"):
        return badge("✓", "as it must", GOOD)
    if not entry["applied"]:
        return badge("–", "not here", QUIET)
    return badge("?", "open", DOUBT) if entry["outcome"] == "open" else badge("✗", "not so", BAD)


def list_html(verdicts: Sequence[Data]) -> str:
    """Return several verdicts, a line each."""
    heads = ["claim", "outcome", "evidence", "points", "controls", "tightest slack", "as expected"]
    lines = [
        [v["id"], outcome_badge(v), (v["evidence"] or "none").lower(), words.points(v), words.controls(v), tightest(v),
         badge("✓", "yes", GOOD) if v["as_expected"] else badge("✗", "no", BAD)]
        for v in verdicts[:MOST]
    ]  # fmt: skip
    hidden = max(len(verdicts) - MOST, 0)
    return str(cells_html(heads, lines) + more_html(hidden, "verdict", f"[{MOST}:]"))


def code(text: str) -> Markup:
    """Return a command or a name as such."""
    return Markup("<code>{}</code>").format(escape(text))
