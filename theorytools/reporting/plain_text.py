"""Verdicts as plain text: for a failing test, and for a pipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from theorytools.meaning import held
from theorytools.reporting import words

UNCOMMITTED = ", made from uncommitted code"


def number(estimate: Mapping[str, Any]) -> str:
    """Return an interval in at most six significant digits."""
    low, high = estimate["show"]
    if low is not None and high is not None:
        short, other = f"{low:.6g}", f"{high:.6g}"
        return short if short == other else f"[{short}, {other}]"
    return f"[{'-inf' if low is None else f'{low:.6g}'}, {'inf' if high is None else f'{high:.6g}'}]"


def bound_text(row: Mapping[str, Any]) -> str:
    """Return the right side of a row: one interval, or the two edges of an equality."""
    return " … ".join(dict.fromkeys(number(b) for b in row["bound"]))


def point_text(point: Mapping[str, str]) -> str:
    """Return a point as ``N=64, d_e=67``."""
    return ", ".join(f"{name}={value}" for name, value in point.items())


def row_cells(row: Mapping[str, Any]) -> list[str]:
    """Return the cells of one row: point, what, measured, relation, bound, truth, evidence."""
    return [
        point_text(row["point"]), row["quantity"], number(row["measured"]), row["relation"], bound_text(row),
        state_text(row), row["evidence"].lower(),
    ]  # fmt: skip


def state_text(row: Mapping[str, Any]) -> str:
    """Return whether a row is true, in which sense, and what else is to be said of it."""
    measured = row["measured"]
    alone = held(row["evidence"], measured.get("alpha", 0.0), measured.get("work") or {})
    truth = {True: alone, False: "REFUTED", None: "open"}[row["truth"]]
    return " ".join([words.NO_PREMISE if words.idle(row) else truth, *words.marks(row)])


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as aligned columns."""
    if not rows:
        return ""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def verdict_text(verdict: Mapping[str, Any]) -> str:
    """Return outcome, reason, the table of rows and the controls of one verdict."""
    head = f"{verdict['id']} ({verdict['label']}): {verdict['outcome']}, expected {verdict['expect']}"
    head += " on its grid" if verdict.get("user_points") else ""
    header = ["point", "quantity", "measured", "", "bound", "", "evidence"]
    honest = [row_cells(row) for row in verdict["rows"] if not row["control"]]
    lines = [head, words.verdict_line(verdict), verdict["reason"]]
    if verdict.get("role"):
        lines += [f"role: {verdict['role']}; scope: {words.scope(verdict)}", f"source: {words.provenance(verdict)}"]
    lines.append("")
    if honest:
        lines += [table([header, *honest]), ""]
    for skipped in verdict["skipped"]:
        state = "not judged" if skipped["open"] else "not applicable"
        lines.append(f"{state} at {point_text(skipped['point'])}: {skipped['reason']}")
    for control in verdict["controls"]:
        lines.append(f"control '{control['name']}': {words.control(control)}")
    lines += [f"trend: {told}" for told in words.trends(verdict)]
    lines += [f"remark: {remark}" for remark in words.remarks(verdict)]
    if confirmed := words.confirmed(verdict):
        lines.append(f"not judged in this run: confirmed from the committed record of {confirmed}")
    made, dirty = words.record(verdict)
    if made:
        lines.append(f"judged from a record of {made}{UNCOMMITTED if dirty else ''}")
    for name, made, dirty in words.trained(verdict):
        lines.append(f"trained models: the record {name} of {made}{UNCOMMITTED if dirty else ''}")
    if verdict.get("uses"):
        lines.append(f"uses: {', '.join(verdict['uses'])}")
    if verdict.get("command"):
        lines.append(f"reproduce: {verdict['command']}")
    return "\n".join(lines)
