"""What a report shows besides numbers: statement, formulas, hypotheses, source, versions, the command."""

from __future__ import annotations

import platform
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import sympy

from theorytools.claims.judging.rests_on import used
from theorytools.claims.judging.statement_text import statement as plain_statement
from theorytools.claims.judging.versions import versions
from theorytools.claims.language.bound import expression
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.relation import trivial_end
from theorytools.claims.language.symbol import Letter
from theorytools.claims.papers.catalogue import Catalogue, Entry, Paper, fingerprint, relative
from theorytools.claims.papers.syntax import summary
from theorytools.meaning import Source

HEADINGS = ("Finding", "Setting", "Statement", "Proof", "Witness", "Adversary", "Measured", "Control", "Reads")


def document(claim: Claim, entry: Entry, catalogue: Catalogue, axes: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the descriptive part of the verdict's JSON."""
    uses = [other.id for other in used(claim, entry)]
    return {
        **source(entry, catalogue, claim), **({"uses": uses} if uses else {}),
        "role": claim.role, "scope": dict(claim.scope), "tier": claim.tier, "note": claim.note,
        "text": {**text_of(entry), "sections": sections_of(claim, entry)}, **formulas(claim, axis_letters(claim)),
        "plain": plain_statement(claim),
        "construction": construction(claim),
        "command": command(entry.id, axes), "versions": versions(),
        "machine": {"cpu": platform.machine(), "threads": 1},
        "seed": "SHA-256 of [file id, axes, role]",
    }  # fmt: skip


def source(entry: Entry, catalogue: Catalogue, claim: Claim | None = None) -> dict[str, Any]:
    """Return title and source: paper, statement, whose the claim's own statement is, file and fingerprint."""
    own = Source.parse(claim.source) if claim and claim.source else None
    paper = catalogue.paper(entry.paper)
    statement = paper.statement_of(entry.stem)
    return {
        "title": statement.title if statement else "",
        "source": {
            "paper": paper.key, "paper_title": paper.title, "authors": paper.authors, "arxiv": paper.arxiv,
            "version": paper.version, "statement": statement.id if statement else entry.stem,
            "provenance": own.mark if own else "not stated", "where": own.where if own else "",
            "seen": own.seen if own else "none",
            "file": relative(entry.path), "sha256": fingerprint(entry.path),
        },
    }  # fmt: skip


def text_of(entry: Entry) -> dict[str, Any]:
    """Return the check's docstring: its first paragraph and its headed sections."""
    return split_docstring(summary(entry.path)["doc"])


def sections_of(claim: Claim, entry: Entry) -> list[list[str]]:
    """Return the headed sections of a claim: those of its file, with its own sentence as *Statement* if it has one."""
    sections: list[list[str]] = text_of(entry)["sections"]
    if not claim.statement:
        return sections
    before = [part for part in sections if part[0] in ("Finding", "Setting")]
    after = [part for part in sections if part[0] not in ("Finding", "Setting", "Statement")]
    return [*before, ["Statement", " ".join(claim.statement.split())], *after]


def findings(catalogue: Catalogue, paper: Paper) -> list[dict[str, Any]]:
    """Return what a colleague would repeat of a paper, in its order: the Finding of a check, with its first claim and
    those of its claims that refute what somebody says.

    Parameters
    ----------
    catalogue, paper : whose checks are read.
    """
    found: dict[Path, dict[str, Any]] = {}
    known = {one.claim for one in paper.sayers}
    for statement in paper.statements:
        for entry in catalogue.claims_of(paper, statement):
            if entry.path not in found and not entry.error and "Finding" in summary(entry.path)["doc"]:
                sections = dict(text_of(entry)["sections"])
                if "Finding" in sections:
                    found[entry.path] = {"claim": entry.id, "text": sections["Finding"], "refutes": []}
            if entry.path in found and entry.id in known:
                found[entry.path]["refutes"].append(entry.id)
    return list(found.values())


def split_docstring(doc: str) -> dict[str, Any]:
    """Split a check's docstring at its ``HEADINGS``: Setting, Statement, Proof and so on."""
    pieces = re.split(rf"^({'|'.join(HEADINGS)})s?\b[ \t]*", doc, flags=re.MULTILINE)
    sections = [[name, " ".join(body.split())] for name, body in zip(pieces[1::2], pieces[2::2], strict=True)]
    return {"summary": " ".join(pieces[0].split()), "sections": sections}


def axis_letters(claim: Claim) -> dict[str, Letter]:
    """Return the letters of the paper's notation that name an axis of the grid but stand in no formula."""
    package = getattr(sys.modules.get(getattr(claim.construct, "__module__", "")), "__package__", "")
    notation, used = sys.modules.get(f"{package}.notation"), claim.all_letters()
    found = {name: getattr(notation, name, None) for name in claim.grid.axes if name not in used}
    return {name: symbol for name, symbol in found.items() if isinstance(symbol, Letter)}


def formulas(claim: Claim, also: Mapping[str, Letter] | None = None) -> dict[str, Any]:
    """Return assertions, those only controls make, hypotheses, lets and letters in LaTeX; ``also`` are more letters."""
    letters = claim.all_letters()
    spoiled = {a.name: a.latex() for control in claim.controls for a in control.asserts or ()}
    for own in claim.assertions:
        spoiled.pop(own.name, None)
    return {
        "assertions": [
            {"name": a.name, "quantity": a.quantity.name, "quantity_latex": a.left_latex,
             "meaning": a.quantity.meaning, "relation": a.relation, "bound_latex": sympy.latex(a.expr),
             "latex": a.latex(), "within_latex": sympy.latex(expression(a.within)) if a.within != 0 else None,
             "trivial": _trivial(a.quantity.trivial, a.relation),
             **({"growth": "fitted" if a.growth.constant is not None else "declared"} if a.growth else {})}
            for a in claim.assertions
        ],
        "spoiled": [{"name": name, "latex": latex} for name, latex in spoiled.items()],
        "hypotheses": [sympy.latex(c) for c in claim.requires if c is not sympy.true]
        + [s.domain_latex for s in letters.values() if hasattr(s, "domain_latex")]
        + [_words(text) for text in (*(stand.words for stand in claim.things.values()), *claim.such_that)],
        "lets": [f"{sympy.latex(s)} = {sympy.latex(v)}" for s, v in claim.lets.items()],
        "letters": [
            {"name": name, "latex": sympy.latex(s), "meaning": getattr(s, "meaning", "")}
            for name, s in (letters | dict(also or {})).items()
        ],
    }  # fmt: skip


def _words(text: str) -> str:
    """A hypothesis in words as LaTeX: what would be a command there is written out."""
    plain = re.sub(r"[\\{}$%&#_^~]", " ", text)
    return rf"\text{{{plain}}}"


def _trivial(trivial: Sequence[Any], relation: str) -> str | None:
    value = trivial_end(trivial, relation)
    return None if value is None else str(sympy.latex(value))


def construction(claim: Claim) -> dict[str, str] | None:
    """Return the name and first docstring line of what the claim constructs, read from its annotation."""
    made = claim.construct.__annotations__.get("return") if hasattr(claim.construct, "__annotations__") else None
    if isinstance(made, str):
        made = getattr(claim.construct, "__globals__", {}).get(made)
    if not isinstance(made, type) or not made.__module__.startswith("theorytools"):
        return None
    return {"name": made.__name__, "summary": (made.__doc__ or "").strip().split("\n")[0]}


def command(id: str, axes: Mapping[str, str] | None = None) -> str:
    """Return the command line that reproduces the verdict."""
    moved = [f"--at {name}={shlex.quote(value)}" for name, value in (axes or {}).items()]
    return " ".join(["theorytools verify", id, *moved])
