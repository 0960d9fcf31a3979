"""``list`` and ``show``: from the syntax trees and, for ``show``, from the claim itself."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Any

from theorytools.claims.catalogue import Catalogue, find_root
from theorytools.reporting.text import table


def list_statements(ids: list[str], checks: Path | None, as_json: bool) -> None:
    """Print every statement, its claims, and the open ones with their reason."""
    catalogue = Catalogue(find_root(checks))
    papers = catalogue.index()
    if ids:
        keys = {paper["key"] for paper in papers}
        chosen = {e.id for e in catalogue.select([i for i in ids if i not in keys])}
        for paper in papers:
            if paper["key"] not in ids:
                paper["statements"] = [s for s in paper["statements"] if set(s["claims"]) & chosen]
        papers = [paper for paper in papers if paper["statements"]]
    if as_json:
        print(json_module.dumps({"checks": str(catalogue.root), "papers": papers}, ensure_ascii=False))
        return
    for paper in papers:
        print(
            f"{paper['key']}  {paper['authors']}: {paper['title']}, arXiv {paper['arxiv']}v{paper['version']}"
        )
        rows = []
        for s in paper["statements"]:
            claims = ", ".join(s["claims"]) or f"open: {s['open'] or 'no check'}"
            rows.append([f"  {s['label']}", s["provenance"], claims])
        print(table(rows) + "\n")
    checked = sum(bool(s["claims"]) for p in papers for s in p["statements"])
    total = sum(len(p["statements"]) for p in papers)
    print(f"{checked} of {total} statements have checks ({catalogue.root})")


def show_claim(id: str, checks: Path | None, as_json: bool) -> None:
    """Print statement, formulas, source and controls of the claims an id selects."""
    from theorytools.claims.document import document
    from theorytools.claims.loading import load

    catalogue = Catalogue(find_root(checks))
    shown = []
    for entry in catalogue.select([id]):
        claim = load(entry)
        described: dict[str, Any] = {
            "id": entry.id, "label": claim.label, "expect": claim.expect, **document(claim, entry, catalogue),
            "axes": list(claim.grid.axes), "points": len(claim.grid),
            "controls": [
                {"name": c.name, "repair": c.repair,
                 "breaks": [a.name for a in (c.asserts or claim.assertions) if c.must_break(a)]}
                for c in claim.controls
            ],
        }  # fmt: skip
        shown.append(described)
    if as_json:
        json_module.dump(shown, sys.stdout, ensure_ascii=False)
        print()
        return
    print("\n\n".join(claim_text(item) for item in shown))


def claim_text(item: dict[str, Any]) -> str:
    """Return one claim as plain text."""
    source = item["source"]
    lines = [f"{item['id']}  {item['label']}: {item['text']['summary']}"]
    if item["note"]:
        lines.append(item["note"])
    lines += [f"{name:<12}{text}" for name, text in item["text"]["sections"]]
    lines += ["", *(f"asserts     {a['name']}" for a in item["assertions"])]
    meanings = {a["quantity"]: a["meaning"] for a in item["assertions"] if a["meaning"]}
    lines += [f"            {quantity}: {meaning}" for quantity, meaning in meanings.items()]
    lines += [f"where       {text}" for text in item["lets"]]
    lines += [f"requires    {text}" for text in item["hypotheses"]]
    if item["construction"]:
        lines.append(f"constructs  {item['construction']['name']}: {item['construction']['summary']}")
    for control in item["controls"]:
        effect = "repair, must hold" if control["repair"] else f"must break {'; '.join(control['breaks'])}"
        lines.append(f"control     {control['name']} ({effect})")
    lines.append(
        f"grid        {item['points']} points over {', '.join(item['axes'])}; expects {item['expect']}; {item['force']}"
    )
    lines.append(
        f"source      {source['authors']}, arXiv {source['arxiv']}v{source['version']}, {source['statement']} "
        f"({source['provenance']}); {source['file']}"
    )
    lines.append(f"run         {item['command']}")
    return "\n".join(lines)
