"""``list`` and ``show``: from the syntax trees and, for ``show``, from the claim itself."""

from __future__ import annotations

import json as json_module
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.papers.catalogue import Catalogue, Entry, find_roots, fingerprint
from theorytools.cli.answers import answer
from theorytools.cli.display import said
from theorytools.cli.formats import among, chosen, fitted, hanging, markdown_rows, wrapped
from theorytools.errors import CheckError
from theorytools.meaning import ROLES, TRAINED, counted, numbered, sayer_text, standing
from theorytools.mistakes.door import explained
from theorytools.progress import talking
from theorytools.reporting.escapes import markdown_code, markdown_words
from theorytools.reporting.unicode_math import unicode_math, with_unicode


def list_statements(
    ids: Sequence[str], checks: Path | None, as_json: bool, *, role: str = "", format: str = ""
) -> None:
    """Print every statement with the number of its claims; those of a role or under an id claim by claim."""
    how = chosen(format, as_json)
    among("--role", role or "statement", ROLES, "what a claim is to the statement")
    catalogue = Catalogue(find_roots(checks))
    papers = catalogue.index()
    for paper in papers:
        for statement in paper["statements"]:
            statement["relation"] = standing(statement)
        paper["statements"] += _unlisted(catalogue, paper["key"])
    keys = {paper["key"] for paper in papers}
    single = {e.id for e in catalogue.select([i for i in ids if i not in keys])} if ids else set()
    if role:
        single = {e.id for e in (catalogue.select(ids) if ids else catalogue.entries) if _role(e) == role}
    if ids or role:
        for paper in papers:
            if role or paper["key"] not in ids:
                paper["statements"] = [_only(s, single, role) for s in paper["statements"] if set(s["claims"]) & single]
        papers = [paper for paper in papers if paper["statements"] or (paper["key"] in ids and not role)]
    if how == "json":
        answer("list", {"checks": [str(root) for root in catalogue.roots], "papers": papers})
    elif how == "markdown":
        print(_markdown(papers))
    else:
        _tell(papers, catalogue, single)
    _ = catalogue.papers  # raises for a paper.toml that cannot be read, after the others were listed


def _role(entry: Entry) -> str:
    """The role of a claim: from the syntax tree where it is spelt out there, else from the claim itself."""
    if entry.role or entry.error:
        return entry.role
    from theorytools.claims.papers.loading import load

    with talking():
        return load(entry).role


def _only(statement: dict[str, Any], single: set[str], role: str) -> dict[str, Any]:
    """A statement with those of its claims that have the role asked for, or with all of them."""
    return statement | {"claims": [id for id in statement["claims"] if id in single]} if role else statement


def summarise(ids: Sequence[str], checks: Path | None, as_json: bool, format: str = "") -> None:
    """Print how many claims there are of each role, with their evidence where a verdict is known, and their scope."""
    from theorytools.claims.papers.loading import load
    from theorytools.cli.stored import committed
    from theorytools.reporting.kinds import distribution
    from theorytools.reporting.stored_verdicts import stored_verdicts

    how = chosen(format, as_json)
    catalogue = Catalogue(find_roots(checks))
    known = committed(catalogue, [paper.key for paper in catalogue.papers])
    known |= stored_verdicts(Path("site/verdicts"))
    lines, errors = [], []
    for entry in catalogue.select(ids) if ids else catalogue.entries:
        try:
            with talking():
                claim = load(entry)
        except CheckError as error:
            errors.append(explained(entry, error))
            continue
        verdict = known.get(entry.id, {})
        same = verdict and verdict["source"]["sha256"] == fingerprint(entry.path)
        grade = verdict["evidence"] if same else None
        lines.append({"role": claim.role, "scope": dict(claim.scope), "evidence": grade})
    made = distribution(lines)
    if how == "json":
        heads, *rows = made
        counted = [{h: c if h == "role" else int(c or 0) for h, c in zip(heads, row, strict=True)} for row in rows]
        answer("summary", {"roles": counted})
    else:
        print(markdown_rows(made[0], made[1:]) if how == "markdown" else "\n".join(fitted(made)))
    if errors:
        raise errors[0]


def _unlisted(catalogue: Catalogue, key: str) -> list[dict[str, Any]]:
    """The checks of a paper whose statement ``paper.toml`` does not list."""
    paper = catalogue.paper(key)
    stems = dict.fromkeys(e.stem for e in catalogue.entries if e.paper == key and paper.statement_of(e.stem) is None)
    return [
        {"id": stem, "label": stem, "title": "", "relation": "not listed", "aliases": [], "open": None,
         "claims": [e.id for e in catalogue.entries if e.paper == key and e.stem == stem]}
        for stem in stems
    ]  # fmt: skip


def _tell(papers: list[dict[str, Any]], catalogue: Catalogue, single: set[str]) -> None:
    entries = {entry.id: entry for entry in catalogue.entries}
    for paper in papers:
        print(wrapped(f"{paper['key']}  {_cited(paper, paper['title'])}") + "\n")
        if not paper["statements"]:
            print(wrapped(f"no statements and no checks yet: theorytools new {paper['key']} lemma_1 writes one", 4))
        for s in paper["statements"]:
            head = f"{paper['key']}.{s['id']}  "
            said(hanging(head, f"{numbered(s)} ({s['relation']}), {_counted(s)}", 4), "bold")
            for text in filter(None, [with_unicode(s["title"]), s["claims"] == [] and _why_open(s), s.get("lacks")]):
                print(wrapped(str(text) if text != s.get("lacks") else f"lacks: {text}", 4))
            for id in s["claims"] if single & set(s["claims"]) else ():
                one = entries[id]
                about = ": ".join(filter(None, [one.role, with_unicode(one.label) if one.label != s["label"] else ""]))
                print(wrapped(f"{id}  {about}".rstrip(), 4))
        print()
    for root in catalogue.roots:
        statements = [s for p in papers if catalogue.paper(p["key"]).folder.parent == root for s in p["statements"]]
        if statements:
            checked = sum(bool(s["claims"]) for s in statements)
            print(wrapped(f"{checked} of {len(statements)} statements have checks ({root})"))
            print(wrapped(f"what is judged, to what is printed: {_related(statements)}"))
    for paper in papers:
        if quiet := _unsaid(catalogue, paper):
            print(wrapped(f"nobody says what they refute, in [[refuted]] of {paper['key']}: {', '.join(quiet)}"))


def _related(statements: Sequence[Mapping[str, Any]]) -> str:
    """How many statements stand in which relation to the print."""
    made = counted(str(s["relation"]) for s in statements)
    return ", ".join(f"{name} {count}" for name, count in made.items())


def _unsaid(catalogue: Catalogue, paper: Mapping[str, Any]) -> list[str]:
    """The claims of a paper that spell out that they refute something, of which nobody is said to say it."""
    own = [e for e in catalogue.entries if e.paper == paper["key"] and e.id not in paper["sayers"]]
    return [e.id for e in own if e.role == "pitfall" or (e.refutes and e.role not in ("", *TRAINED))]


def _counted(statement: Mapping[str, Any]) -> str:
    claims = len(statement["claims"])
    return f"{claims} claim{'s' if claims != 1 else ''}" if claims else "open"


def _why_open(statement: Mapping[str, Any]) -> str:
    return f"open: {statement['open'] or 'no check'}"


def _markdown(papers: list[dict[str, Any]]) -> str:
    """One table for each paper: statement, what it is about, its claims."""
    parts = []
    for paper in papers:
        rows = [
            [*map(markdown_words, (numbered(s), with_unicode(s["title"]), s["relation"])),
             ", ".join(map(markdown_code, s["claims"])) or markdown_words(_why_open(s))]
            for s in paper["statements"]
        ]  # fmt: skip
        heads = ["statement", "about", "to the print", "claims"]
        head = markdown_words(f"{paper['key']}: {_cited(paper, paper['title'])}")
        parts.append(f"## {head}\n\n{markdown_rows(heads, rows)}")
    return "\n\n".join(parts)


def _cited(paper: Mapping[str, Any], title: str = "") -> str:
    """Authors, title and arXiv number, as far as ``paper.toml`` gives them."""
    arxiv = f"arXiv {paper['arxiv']}v{paper['version']}" if paper["arxiv"] else ""
    return ", ".join(filter(None, [": ".join(filter(None, [paper["authors"], title])), arxiv]))


def show_claim(id: str, checks: Path | None, as_json: bool, whole: bool = False, format: str = "") -> None:
    """Print statement, formulas, source and controls of the claims an id selects."""
    how = chosen(format, as_json)
    from theorytools.claims.judging.description import document
    from theorytools.claims.papers.loading import load

    catalogue = Catalogue(find_roots(checks))
    shown, errors = [], []
    for entry in catalogue.select([id]):
        try:
            with talking():
                claim = load(entry)
        except CheckError as error:
            errors.append(explained(entry, error))
            continue
        described: dict[str, Any] = {
            "id": entry.id, "label": claim.label, "expect": claim.expect, **document(claim, entry, catalogue),
            "axes": list(claim.grid.axes), "points": len(claim.grid),
            "controls": [
                {"name": c.name, "repair": c.repair,
                 "breaks": [a.name for a in (c.asserts or claim.assertions) if c.must_break(a)]}
                for c in claim.controls
            ],
            "record": _record(entry), **_beside(catalogue, entry),
        }  # fmt: skip
        text, other = own_text(described, entry, catalogue)
        told = {name: text[name] for name in ("summary", "sections")}
        shown.append({**described, "text": told, "docstring_of": other or entry.id})
    if how == "json":
        answer("show", {"claims": shown})
    for k, item in enumerate(shown if how != "json" else ()):
        if how == "markdown":
            print(("\n" if k else "") + claim_markdown(item, whole))
            continue
        title, *lines = claim_lines(item, whole)
        print(
            ("\n" if k else "")
            + "\n".join([wrapped(title[1]), *(hanging(f"{name:<12}", text) for name, text in lines)])
        )
        _print_record(item["record"])
    if errors:
        raise errors[0]


def own_text(described: Mapping[str, Any], entry: Entry, catalogue: Catalogue) -> tuple[dict[str, Any], str]:
    """Return the text of a claim, and the claim that the docstring of its file is about where that is another one.

    Parameters
    ----------
    described : a verdict, or what is shown of the claim.
    entry : the claim.
    catalogue : where it is.
    """
    from theorytools.claims.judging.description import text_of
    from theorytools.reporting.claim_text import owner_of, text_of_claim

    beside = catalogue.select([f"{entry.paper}.{entry.stem}"])
    owner = owner_of(entry.id, [other.id for other in beside])
    about = None if owner == entry.id else {"text": text_of(entry)}
    return text_of_claim(described, about), "" if about is None else owner


def _beside(catalogue: Catalogue, entry: Entry) -> dict[str, Any]:
    """How the statement of a claim stands to its print, and who says what the claim refutes."""
    (paper,) = catalogue.index([entry.paper])
    statement: dict[str, Any] = next((s for s in paper["statements"] if entry.id in s["claims"]), {})
    known = paper["sayers"].get(entry.id)
    told = f"{numbered(statement)}: {standing(statement)}" if statement else ""
    return {"print": told, "said_by": sayer_text(known) if known or entry.role == "pitfall" else ""}


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
        from theorytools.reporting.plain_text import UNCOMMITTED
        from theorytools.reporting.words import made_from

        text, dirty = made_from(made)
        said(f"record      {text}{UNCOMMITTED if dirty else ''}", "red" if dirty else "")


BRIEF = ("Finding", "Statement", "Control")  # of a check's text, what is shown unless all is asked for


def claim_markdown(item: dict[str, Any], whole: bool = False) -> str:
    """Return one claim as a heading and a list."""
    (_, title), *lines = claim_lines(item, whole)
    return "\n".join(
        [
            f"### {markdown_words(title)}",
            "",
            *(f"- {f'**{name}** ' if name else ''}{markdown_words(text)}" for name, text in lines if text),
        ]
    )


def claim_lines(item: dict[str, Any], whole: bool = False) -> list[tuple[str, str]]:
    """Return one claim as named lines, formulas in Unicode; the whole text of its check where that is asked for."""
    from theorytools.reporting import words

    source, text = item["source"], item["text"]
    meanings = {a["quantity"]: a["meaning"] for a in item["assertions"] if a["meaning"]}
    where = ", ".join(filter(None, [_cited(source), f"{source['statement']} ({words.provenance(item)})"]))
    made = item["construction"]
    about, note = item["docstring_of"], with_unicode(item["note"] or "")
    return [
        ("", f"{item['id']}  {': '.join(filter(None, [item['label'], with_unicode(text['summary'])]))}"),
        *([("note", note)] if note and about == item["id"] else []),
        *((name, with_unicode(said)) for name, said in text["sections"] if whole or name in BRIEF),
        ("", ""),
        *(("asserts", unicode_math(a["latex"]) if a.get("latex") else a["name"]) for a in item["assertions"]),
        *(("", f"{quantity}: {with_unicode(meaning)}") for quantity, meaning in meanings.items()),
        *(("where", unicode_math(let)) for let in item["lets"]),
        *([("requires", "; ".join(map(unicode_math, item["hypotheses"])))] if item["hypotheses"] else []),
        *([("constructs", f"{made['name']}: {with_unicode(made['summary'])}")] if made else []),
        *(("uses", id) for id in item.get("uses", ())),
        *(("control", f"{c['name']} ({_effect(c)})") for c in item["controls"]),
        ("grid", f"{item['points']} points over {', '.join(item['axes'])}; expects {item['expect']}"),
        ("role", item["role"] or "not stated"),
        ("scope", words.scope(item)),
        ("source", f"{where}; {source['file']}"),
        *([("print", item["print"])] if item.get("print") else []),
        *([("says it", with_unicode(item["said_by"]))] if item.get("said_by") else []),
        *([("see also", f"{about}, which the docstring of the same file is about")] if about != item["id"] else []),
        ("run", item["command"]),
    ]  # fmt: skip


def _effect(control: Mapping[str, Any]) -> str:
    return "repair, must hold" if control["repair"] else f"must break {'; '.join(control['breaks'])}"
