"""``list`` and ``show``: from the syntax trees and, for ``show``, from the claim itself."""

from __future__ import annotations

import json as json_module
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.papers.catalogue import Catalogue, Entry, find_roots, fingerprint
from theorytools.cli.display import said
from theorytools.cli.exits import talking
from theorytools.cli.unicode_math import unicode_math, with_unicode
from theorytools.errors import CheckError
from theorytools.reporting.layout import table


def list_statements(ids: list[str], checks: Path | None, as_json: bool) -> None:
    """Print every statement, its claims, and the open ones with their reason."""
    catalogue = Catalogue(find_roots(checks))
    papers = catalogue.index()
    for paper in papers:
        paper["statements"] += _unlisted(catalogue, paper["key"])
    if ids:
        keys = {paper["key"] for paper in papers}
        chosen = {e.id for e in catalogue.select([i for i in ids if i not in keys])}
        for paper in papers:
            if paper["key"] not in ids:
                paper["statements"] = [s for s in paper["statements"] if set(s["claims"]) & chosen]
        papers = [paper for paper in papers if paper["statements"]]
    if as_json:
        print(
            json_module.dumps({"checks": [str(root) for root in catalogue.roots], "papers": papers}, ensure_ascii=False)
        )
    else:
        _tell(papers, catalogue)
    _ = catalogue.papers  # raises for a paper.toml that cannot be read, after the others were listed


def summarise(ids: list[str], checks: Path | None, as_json: bool) -> None:
    """Print how many claims there are of each role, with their evidence where a verdict is known, and their scope."""
    from theorytools.claims.judging.sealed import stored_verdicts
    from theorytools.claims.papers.loading import load
    from theorytools.cli.stored import committed
    from theorytools.reporting.tables import distribution

    catalogue = Catalogue(find_roots(checks))
    known = committed(catalogue, [paper.key for paper in catalogue.papers])
    known |= stored_verdicts(Path("site/verdicts"))
    lines, errors = [], []
    for entry in catalogue.select(ids) if ids else catalogue.entries:
        try:
            claim = load(entry)
        except CheckError as error:
            errors.append(error)
            continue
        verdict = known.get(entry.id, {})
        same = verdict and verdict["source"]["sha256"] == fingerprint(entry.path)
        grade = verdict["evidence"] if same else None
        lines.append({"role": claim.role, "scope": dict(claim.scope), "evidence": grade})
    made = distribution(lines)
    if as_json:
        heads, *rows = made
        counted = [{h: c if h == "role" else int(c or 0) for h, c in zip(heads, row, strict=True)} for row in rows]
        print(json_module.dumps(counted, ensure_ascii=False))
    else:
        print(table(made))
    if errors:
        raise errors[0]


def _unlisted(catalogue: Catalogue, key: str) -> list[dict[str, Any]]:
    """The checks of a paper whose statement ``paper.toml`` does not list."""
    paper = catalogue.paper(key)
    stems = dict.fromkeys(e.stem for e in catalogue.entries if e.paper == key and paper.statement_of(e.stem) is None)
    return [
        {"id": stem, "label": stem, "title": "", "provenance": "not listed", "aliases": [], "open": None,
         "claims": [e.id for e in catalogue.entries if e.paper == key and e.stem == stem]}
        for stem in stems
    ]  # fmt: skip


def _tell(papers: list[dict[str, Any]], catalogue: Catalogue) -> None:
    for paper in papers:
        print(f"{paper['key']}  {_cited(paper, paper['title'])}")
        rows = []
        for s in paper["statements"]:
            claims = ", ".join(s["claims"]) or f"open: {s['open'] or 'no check'}"
            claims += f"; lacks: {s['lacks']}" if s.get("lacks") else ""
            rows.append([f"  {s['label']}", s["provenance"], claims])
        print(table(rows) + "\n")
    for root in catalogue.roots:
        statements = [s for p in papers if catalogue.paper(p["key"]).folder.parent == root for s in p["statements"]]
        if statements:
            print(f"{sum(bool(s['claims']) for s in statements)} of {len(statements)} statements have checks ({root})")


def _cited(paper: Mapping[str, Any], title: str = "") -> str:
    """Authors, title and arXiv number, as far as ``paper.toml`` gives them."""
    arxiv = f"arXiv {paper['arxiv']}v{paper['version']}" if paper["arxiv"] else ""
    return ", ".join(filter(None, [": ".join(filter(None, [paper["authors"], title])), arxiv]))


def search_claims(words: Sequence[str], checks: Path | None, as_json: bool) -> int:
    """Print the claims whose id, statement or text has all of the words; 0 where there is one, else 1."""
    from theorytools.claims.judging.description import text_of

    catalogue = Catalogue(find_roots(checks))
    asked = [word.lower() for word in words]
    titles = {
        entry.id: f"{s.label} {s.title}" for p in catalogue.readable for s in p.statements
        for entry in catalogue.claims_of(p, s)
    }  # fmt: skip
    hits = []
    for entry in catalogue.entries:
        if entry.error:
            continue
        said = text_of(entry)
        near = f"{entry.id} {titles.get(entry.id, '')} {said['summary']}"
        whole = " ".join([near, *(body for _, body in said["sections"])])
        if all(word in whole.lower().replace("_", " ") or word in whole.lower() for word in asked):
            missing = sum(word not in near.lower().replace("_", " ") for word in asked)
            hits.append((missing, entry.id, said["summary"]))
    hits.sort(key=lambda hit: hit[0])
    if as_json:
        print(json_module.dumps([{"id": id, "summary": summary} for _, id, summary in hits], ensure_ascii=False))
    else:
        for _, id, summary in hits:
            said_line(id, with_unicode(summary))
        if not hits:
            print(f"no claim has the words {' '.join(words)}; fewer words find more")
    return 0 if hits else 1


def said_line(id: str, summary: str) -> None:
    """Print an id, whole, and under it what it says."""
    said(id, "bold")
    print(f"    {summary}")


def show_claim(id: str, checks: Path | None, as_json: bool, whole: bool = False) -> None:
    """Print statement, formulas, source and controls of the claims an id selects."""
    from theorytools.claims.judging.description import document
    from theorytools.claims.papers.loading import load

    catalogue = Catalogue(find_roots(checks))
    shown, errors = [], []
    for entry in catalogue.select([id]):
        try:
            with talking(as_json):
                claim = load(entry)
        except CheckError as error:
            errors.append(error)
            continue
        described: dict[str, Any] = {
            "id": entry.id, "label": claim.label, "expect": claim.expect, **document(claim, entry, catalogue),
            "axes": list(claim.grid.axes), "points": len(claim.grid),
            "controls": [
                {"name": c.name, "repair": c.repair,
                 "breaks": [a.name for a in (c.asserts or claim.assertions) if c.must_break(a)]}
                for c in claim.controls
            ],
            "record": _record(entry),
        }  # fmt: skip
        shown.append(described)
    if as_json:
        print(json_module.dumps(shown, ensure_ascii=False))
    else:
        for k, item in enumerate(shown):
            print(("\n" if k else "") + claim_text(item, whole))
            _print_record(item["record"])
    if errors:
        raise errors[0]


def _record(entry: Entry) -> dict[str, Any] | None:
    """Where, when and from which commit the record of a claim was made; None without one that can be read."""
    from theorytools.claims.judging.record import record_path

    path = record_path(entry)
    try:
        made = json_module.loads(path.read_text(encoding="utf-8"))["record"]
        return {"file": path.name, **{key: made.get(key) for key in ("created", "commit", "changed_since")}}
    except (OSError, ValueError, LookupError, AttributeError):
        return None


def _print_record(made: dict[str, Any] | None) -> None:
    if made is not None:
        from theorytools.reporting.layout import UNCOMMITTED
        from theorytools.reporting.numbers import made_from

        text, dirty = made_from(made)
        said(f"record      {text}{UNCOMMITTED if dirty else ''}", "red" if dirty else "")


BRIEF = ("Finding", "Statement", "Control")  # of a check's text, what is shown unless all is asked for


def claim_text(item: dict[str, Any], whole: bool = False) -> str:
    """Return one claim as plain text, formulas in Unicode; the whole text of its check where that is asked for."""
    from theorytools.reporting import numbers as words

    source = item["source"]
    lines = [f"{item['id']}  {item['label']}: {with_unicode(item['text']['summary'])}"]
    if item["note"]:
        lines.append(item["note"])
    said = [(name, text) for name, text in item["text"]["sections"] if whole or name in BRIEF]
    lines += [f"{name:<12}{with_unicode(text)}" for name, text in said]
    lines += [
        "",
        *(f"asserts     {unicode_math(a['latex']) if a.get('latex') else a['name']}" for a in item["assertions"]),
    ]
    meanings = {a["quantity"]: a["meaning"] for a in item["assertions"] if a["meaning"]}
    lines += [f"            {quantity}: {with_unicode(meaning)}" for quantity, meaning in meanings.items()]
    lines += [f"where       {unicode_math(text)}" for text in item["lets"]]
    if item["hypotheses"]:
        lines.append(f"requires    {'; '.join(map(unicode_math, item['hypotheses']))}")
    if item["construction"]:
        lines.append(f"constructs  {item['construction']['name']}: {with_unicode(item['construction']['summary'])}")
    lines += [f"uses        {id}" for id in item.get("uses", ())]
    for control in item["controls"]:
        effect = "repair, must hold" if control["repair"] else f"must break {'; '.join(control['breaks'])}"
        lines.append(f"control     {control['name']} ({effect})")
    lines.append(f"grid        {item['points']} points over {', '.join(item['axes'])}; expects {item['expect']}")
    lines += [f"role        {item['role'] or 'not stated'}", f"scope       {words.scope(item)}"]
    where = ", ".join(filter(None, [_cited(source), f"{source['statement']} ({words.provenance(item)})"]))
    lines.append(f"source      {where}; {source['file']}")
    lines.append(f"run         {item['command']}")
    return "\n".join(lines)
