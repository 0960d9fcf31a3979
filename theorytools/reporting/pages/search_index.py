"""What the search of a site looks through, written into its script: few letters for each thing that can be found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from theorytools.files import json_text
from theorytools.reporting import lookup
from theorytools.reporting.leaves import REST, Leaf
from theorytools.reporting.library_places import command_places, document_places, object_places
from theorytools.reporting.lookup import Place, paper_place, statement_places
from theorytools.reporting.pages.contents import Contents
from theorytools.reporting.pages.themes import themes
from theorytools.reporting.rendering import TEMPLATES
from theorytools.reporting.unicode_math import with_unicode

KINDS = ("page", "paper", "statement", "claim", "construction", "class", "function", "command", "document")
LONGEST = 90  # letters of what a thing says of itself
_RULE = {
    "NAME": lookup.NAME, "TITLE": lookup.TITLE, "TEXT": lookup.TEXT, "LONGER": lookup.LONGER, "ALIKE": lookup.ALIKE,
    "FACTORS": [lookup.FACTORS.get(kind, 1.0) for kind in KINDS], "SHARE": lookup.SHARE,
    "FILLERS": sorted(lookup.FILLERS), "STATEMENT": KINDS.index("statement"), "CLAIM": KINDS.index("claim"),
}  # fmt: skip


def search(site: Contents) -> str:
    """Return the script of the search with the rule by which it ranks and what it looks through."""
    lines = [_line(one) for one in _places(site)]
    text = (TEMPLATES / "search.js").read_text(encoding="utf-8")
    for name, value in (("KINDS", KINDS), ("RULE", _RULE), ("PLACES", lines)):
        text = text.replace(f'"{name}"', json_text(value).replace("<", "\\u003c"), 1)
    return text


def _places(site: Contents) -> Iterator[Place]:
    """Pages, papers, statements and claims with their addresses; then the library, with an address where it has one.

    ``addresses`` of the run gives those of commands, documents, classes and functions that stand elsewhere in the site.
    """
    for path, (title, what) in themes(site).items():
        yield Place("page", title, what, href=path)
    for key, own in site.by_paper.items():
        yield replace(paper_place({**own[0].paper, "key": key}), use="", href=f"{key}/index.html")
        for leaf in own:
            yield from _of_statement(site, key, leaf)
    addresses = {str(name): str(path) for name, path in (site.run.get("addresses") or {}).items()}
    shown = {str((verdict.get("construction") or {}).get("name")) for verdict in site.verdicts}
    for one in [*object_places(), *command_places(), *document_places()]:
        own_page = f"constructions.html#{one.name}" if one.kind == "construction" and one.name in shown else ""
        yield replace(one, text="", href=addresses.get(one.name, own_page))


def _of_statement(site: Contents, key: str, leaf: Leaf) -> Iterator[Place]:
    hrefs = {made.entry.id: made.entry.href for made in site.fragments[leaf.path]}
    claims = dict.fromkeys((str(v["id"]), str(v.get("label") or ""), _summary(v)) for v in leaf.verdicts)
    listed = {**leaf.statement, "label": leaf.statement.get("label") or leaf.statement.get("id")}
    statement, *own = statement_places(key, listed, list(claims))
    rest = leaf.statement.get("id") == REST  # claims that stand for themselves
    if leaf.shown and not rest:
        plain = re.sub(r"\$[^$]*\$", " ", statement.text)
        words = [word for word in lookup.tokens(plain) if len(word) > 2 and word not in lookup.FILLERS]
        yield replace(statement, href=leaf.path, text=" ".join(words))
    for one in own:
        if hrefs.get(one.name):
            yield replace(one, text="", href=hrefs[one.name], within="" if rest else one.within)


def _summary(verdict: Any) -> str:
    return str((verdict.get("text") or {}).get("summary") or "")


def _line(one: Place) -> list[Any]:
    """The parts of a place, without those at the end that are empty; a claim's address is its statement's and its id,
    and 0 where that is so.
    """
    path, _, anchor = one.href.partition("#")
    near = one.kind == "claim" and anchor == one.name and one.within and path == _page(one.within)
    said = with_unicode(one.said)
    said = said if len(said) <= LONGEST else f"{said[: LONGEST - 1].rstrip()}…"
    use = "" if one.href or one.use == one.name else one.use
    line = [KINDS.index(one.kind) if one.kind in KINDS else KINDS.index("function"), one.name, said,
            0 if near else one.href, one.label, one.text, use]  # fmt: skip
    while line and line[-1] == "":
        line.pop()
    return line


def _page(statement: str) -> str:
    key, _, id = statement.partition(".")
    return f"{key}/{id}.html"
