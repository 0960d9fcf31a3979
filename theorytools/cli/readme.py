"""The tables of README.md and checks/README.md, made from the committed record; a test compares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.judging.compact import read_committed
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.reporting.tables import markdown_text

Verdicts = Mapping[str, Mapping[str, Any]]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


EVIDENCE = ("exact", "enclosed", "sampled", "observed", "fitted")


def summary_table(papers: Sequence[Mapping[str, Any]], verdicts: Verdicts) -> str:
    """Return, for each paper, its statements, its claims by verdict and their evidence, as a Markdown table."""
    heads = ["paper", "statements", "open", "claims", "HOLDS", "REFUTED", "other", *EVIDENCE, "not as expected"]
    lines = [_row(heads), _row(["---"] + ["---:"] * (len(heads) - 1))]
    for paper in papers:
        own = [verdicts[id] for statement in paper["statements"] for id in statement["claims"]]
        outcomes = [v["outcome"] for v in own]
        strengths = [(v["evidence"] or "").lower() for v in own]
        counts = [
            len(paper["statements"]),
            sum(not statement["claims"] for statement in paper["statements"]),
            len(own),
            *(outcomes.count(word) for word in ("HOLDS", "REFUTED")),
            sum(word not in ("HOLDS", "REFUTED") for word in outcomes),
            *(strengths.count(word) for word in EVIDENCE),
            sum(not v["as_expected"] for v in own),
        ]
        lines.append(_row([f"`{paper['key']}`, {paper['arxiv']}", *map(str, counts)]))
    return "\n".join(lines)


def refuted_table(papers: Sequence[Mapping[str, Any]], verdicts: Verdicts) -> str:
    """Return the readings that fail, each with its evidence and one point where it does, as a Markdown table."""
    lines = [_row(["claim", "reading", "evidence", "fails at"]), _row(["---"] * 4)]
    for id in (id for paper in papers for statement in paper["statements"] for id in statement["claims"]):
        v = verdicts[id]
        if v["outcome"] == "REFUTED":
            at = v["reason"].partition(" fails at ")[2].partition(": measured ")[0]
            reading = v["label"] + (f": {v['note'].rstrip('.')}" if v.get("note") else "")
            lines.append(_row([f"`{id}`", markdown_text(reading), v["evidence"].lower(), markdown_text(at)]))
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
    """Return the texts of both files as the committed record says they should be."""
    papers = Catalogue(root / "checks").index()
    verdicts: dict[str, Mapping[str, Any]] = {}
    for paper in papers:
        verdicts |= read_committed(root / "reports" / f"{paper['key']}.json")
    texts = {root / name: (root / name).read_text(encoding="utf-8") for name in ("README.md", "checks/README.md")}
    for name, mark, table in (
        ("README.md", "summary", summary_table(papers, verdicts)),
        ("README.md", "refuted", refuted_table(papers, verdicts)),
        ("checks/README.md", "index", index_table(papers)),
    ):
        texts[root / name] = replace_between(texts[root / name], mark, table)
    return texts
