"""``search``: papers, statements, claims, constructions, commands and documents by words, best first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.cli.answers import answer
from theorytools.cli.display import said
from theorytools.cli.formats import chosen, hanging, markdown_rows, wrapped
from theorytools.content_cache import keep
from theorytools.reporting.escapes import markdown_code, markdown_words
from theorytools.reporting.lookup import Found, Place, look_up, paper_place, statement_places
from theorytools.reporting.unicode_math import with_unicode

FEW = 12  # places that are shown unless all are asked for


def search_command(
    words: Sequence[str], checks: Path | None, as_json: bool, format: str = "", whole: bool = False
) -> int:
    """Print what the words lead to, best first; 0 where there is anything, else 1."""
    how = chosen(format, as_json)
    found = look_up(words, places(Catalogue(find_roots(checks))))
    keep()
    code = 0 if found.places else 1
    shown = found.places if whole or how == "json" else found.places[:FEW]
    if how == "json":
        answer("search", _told(found), code)
    elif how == "markdown":
        rows = [[markdown_words(one.kind), markdown_code(one.name), markdown_words(with_unicode(_about(one)))]
                for one in shown]  # fmt: skip
        print(markdown_rows(["kind", "name", "says"], rows))
    else:
        for one in shown:
            said(hanging(f"{one.name}  ", f"({one.kind})", 4), "bold")
            for text in dict.fromkeys(
                filter(None, [with_unicode(_about(one)), one.use if one.use != one.name else ""])
            ):
                print(wrapped(text, 4))
        for line in _remarks(words, found, len(found.places) - len(shown)):
            print(wrapped(line))
    return code


def _about(one: Place) -> str:
    return ": ".join(filter(None, [one.label, one.said]))


def _told(found: Found) -> dict[str, Any]:
    return {
        "found": [{"kind": p.kind, "name": p.name, "about": _about(p), "use": p.use} for p in found.places],
        "read": dict(found.read), "unknown": {word: list(near) for word, near in found.unknown.items()},
    }  # fmt: skip


def _remarks(words: Sequence[str], found: Found, left: int) -> list[str]:
    """What is said of the words after the list: how they were read, and which nothing has."""
    lines = [f"{word} was read as {other}" for word, other in found.read.items()]
    for word, near in found.unknown.items():
        lines.append(f"nothing has the word {word}" + (f"; the nearest are {', '.join(near)}" if near else ""))
    if not found.places:
        lines.append(f"nothing is found for {' '.join(words)}; theorytools list shows every statement")
    if left > 0:
        lines.append(f"and {left} more: theorytools search --all {' '.join(words)}")
    return lines


def places(catalogue: Catalogue) -> list[Place]:
    """Return everything that can be looked up in the terminal."""
    from theorytools.claims.judging.description import text_of
    from theorytools.reporting.library_places import command_places, document_places, object_places

    entries, found, listed = {e.id: e for e in catalogue.entries}, list[Place](), set[str]()
    texts = {e.id: text_of(e) for e in entries.values() if not e.error}

    def told(id: str) -> tuple[str, str, str]:
        text = texts.get(id) or {"summary": "", "sections": []}
        whole = " ".join([text["summary"], *(body for _, body in text["sections"])])
        return id, entries[id].label if text["summary"] == "" else entries[id].label or text["summary"], whole

    for paper in catalogue.index():
        found.append(paper_place(paper))
        for statement in paper["statements"]:
            found += statement_places(paper["key"], statement, [told(id) for id in statement["claims"]])
            listed |= set(statement["claims"])
    for id in entries:
        if id not in listed:
            _, label, whole = told(id)
            found.append(Place("claim", id, label, "", whole, f"theorytools show {id}"))
    return [*found, *object_places(), *command_places(), *document_places()]
