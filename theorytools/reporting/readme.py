"""The tables of README.md and checks/README.md, made from the committed report.

``python -m theorytools.reporting.readme`` rewrites both from ``reports/index.json``; a test compares them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.files import write_text
from theorytools.reporting.tables import markdown_text

Verdicts = Mapping[str, Mapping[str, Any]]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _power(verdict: Mapping[str, Any]) -> str:
    return "none" if verdict["power"] is None else f"{verdict['power']:g}"


def verdict_table(papers: Sequence[Mapping[str, Any]], verdicts: Verdicts) -> str:
    """Return the statements that have a check, with the verdict of each claim, as a Markdown table."""
    lines = [_row(["paper", "statement", "claim", "verdict", "evidence", "power"]), _row(["---"] * 6)]
    for paper in papers:
        for statement in paper["statements"]:
            for id in statement["claims"]:
                v = verdicts[id]
                outcome = v["outcome"] + ("" if v["as_expected"] else " (not expected)")
                strength = (v["evidence"] or "-").lower()
                lines.append(_row([paper["arxiv"], statement["label"], f"`{id}`", outcome, strength, _power(v)]))
    return "\n".join(lines)


def index_table(papers: Sequence[Mapping[str, Any]]) -> str:
    """Return every statement with its claims, or the reason why it has none, as Markdown tables."""
    parts = []
    for paper in papers:
        lines = [f"### {paper['key']}: {paper['title']} (arXiv {paper['arxiv']})", ""]
        lines += [_row(["statement", "provenance", "claims"]), _row(["---"] * 3)]
        for s in paper["statements"]:
            claims = ", ".join(f"`{id}`" for id in s["claims"]) or f"open: {markdown_text(s['open'] or '')}"
            lines.append(_row([s["label"], s["provenance"], claims]))
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def replace_between(text: str, mark: str, table: str) -> str:
    """Return the text with the part between the two comments of ``mark`` replaced by the table."""
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    head, _, rest = text.partition(begin)
    _, found, tail = rest.partition(end)
    if not found:
        raise ValueError(f"no comments '{begin}' and '{end}'")
    return f"{head}{begin}\n{table}\n{end}{tail}"


def refreshed(root: Path) -> dict[Path, str]:
    """Return the texts of both files as the committed report says they should be."""
    report = json.loads((root / "reports" / "index.json").read_text(encoding="utf-8"))
    verdicts = {v["id"]: v for v in report["verdicts"] if not v["user_points"]}
    tables = {"README.md": ("verdicts", verdict_table(report["papers"], verdicts)),
              "checks/README.md": ("index", index_table(report["papers"]))}  # fmt: skip
    return {
        root / name: replace_between((root / name).read_text(encoding="utf-8"), mark, table)
        for name, (mark, table) in tables.items()
    }


if __name__ == "__main__":
    for path, text in refreshed(Path.cwd()).items():
        write_text(path, text)
