"""What stands above the claims: counts, the index of every statement of every paper, readings that fail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from theorytools.reporting import words
from theorytools.reporting.claim import Verdict, witness
from theorytools.reporting.mathml import mathml, with_math
from theorytools.reporting.rows import Line, tightest


@dataclass(frozen=True)
class Entry:
    """One claim in the index."""

    id: str
    short: str
    outcome: str
    expected: bool
    expectation: str
    evidence: str
    slack: str
    power: str
    controls: str


@dataclass(frozen=True)
class Statement:
    """One statement of a paper; ``gap`` says why it has no verdict."""

    label: str
    title: Markup
    provenance: str
    gap: Markup
    entries: tuple[Entry, ...]

    @property
    def height(self) -> int:
        """How many lines of the index it takes."""
        return len(self.entries) + bool(self.gap)


@dataclass(frozen=True)
class Paper:
    """One paper of the index; ``key`` names its page."""

    key: str
    title: str
    source: str
    statements: tuple[Statement, ...]
    claims: tuple[str, ...]
    tour: tuple[tuple[str, Markup, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class Failure:
    """A reading that fails, with the row that shows it."""

    id: str
    label: str
    title: Markup
    expected: bool
    expectation: str
    statements: tuple[Markup, ...]
    point: tuple[Markup, ...]
    line: Line | None
    repairs: tuple[tuple[Markup, str], ...]
    provenance: str
    note: Markup
    reads: Markup


def counts(verdicts: Iterable[Verdict]) -> list[tuple[str, int, int, str]]:
    """Return (outcome, as expected, not as expected, meaning) for every outcome."""
    verdicts = list(verdicts)
    lines = []
    for outcome, meaning in words.OUTCOMES.items():
        own = [v for v in verdicts if v.get("outcome") == outcome]
        expected = sum(bool(v.get("as_expected")) for v in own)
        lines.append((outcome, expected, len(own) - expected, meaning))
    return lines


def index(verdicts: Sequence[Verdict], papers: Sequence[Mapping[str, Any]]) -> list[Paper]:
    """Return every statement of every paper with its claims; verdicts that no paper lists come last."""
    left = {verdict["id"]: verdict for verdict in verdicts}
    shown = [_paper(paper, left) for paper in papers]
    if left:
        rest = [_unlisted(verdict) for verdict in left.values()]
        tour = (("", Markup(""), tuple(left)),)
        shown.append(Paper("other", "Claims outside the index", "", tuple(rest), tuple(left), tour))
    return shown


def _paper(paper: Mapping[str, Any], left: dict[str, Verdict]) -> Paper:
    statements, claims = [], []
    for entry in paper.get("statements") or ():
        known = [left.pop(name) for name in entry.get("claims") or () if name in left]
        missing = [name for name in entry.get("claims") or () if name not in {v["id"] for v in known}]
        claims += [verdict["id"] for verdict in known]
        gap = f"Open: {entry['open']}" if entry.get("open") else ""
        if missing:
            gap = "; ".join(filter(None, [gap, "no verdict in this run: " + ", ".join(missing)]))
        statements.append(
            Statement(
                label=entry.get("label") or entry.get("id", ""),
                title=with_math(entry.get("title") or ""),
                provenance=words.PROVENANCE.get(str(entry.get("provenance")), ""),
                gap=with_math(gap or ("" if known else "no claim and no reason given")),
                entries=tuple(_entry(verdict) for verdict in known),
            )
        )
    for name in [name for name, v in left.items() if (v.get("source") or {}).get("paper") == paper.get("key")]:
        verdict = left.pop(name)
        claims.append(name)
        statements.append(_unlisted(verdict))
    arxiv = f"arXiv {paper['arxiv']}v{paper.get('version', 1)}" if paper.get("arxiv") else ""
    source = ", ".join(filter(None, [paper.get("authors"), arxiv]))
    title = paper.get("title") or paper.get("key", "")
    key, tour = str(paper.get("key") or "other"), _tour(paper, claims)
    return Paper(key, title, source, tuple(statements), tuple(claims), tour)


def _tour(paper: Mapping[str, Any], claims: Sequence[str]) -> tuple[tuple[str, Markup, tuple[str, ...]], ...]:
    """Return (title, text, claims) of every part with a claim, in reading order; the rest comes last."""
    of = {entry["id"]: entry.get("claims") or () for entry in paper.get("statements") or ()}
    told, parts = set(), []
    for part in paper.get("parts") or ():
        own = [id for name in part["statements"] for id in of.get(name, ()) if id in claims and id not in told]
        told.update(own)
        parts += [(part["title"], with_math(part.get("text") or ""), tuple(own))] if own else []
    rest = tuple(id for id in claims if id not in told)
    return (*parts, *([("Further statements" if parts else "", Markup(""), rest)] if rest else []))


def _unlisted(verdict: Verdict) -> Statement:
    label, title = verdict.get("label") or verdict["id"], with_math(verdict.get("title") or "")
    return Statement(label, title, _mark(verdict), Markup(""), (_entry(verdict),))


def _mark(verdict: Verdict) -> str:
    return words.PROVENANCE.get(str((verdict.get("source") or {}).get("provenance")), "")


def _entry(verdict: Verdict) -> Entry:
    return Entry(
        id=verdict["id"],
        short=verdict["id"].split(".", 1)[-1],
        outcome=str(verdict.get("outcome", "UNDECIDED")),
        expected=bool(verdict.get("as_expected")),
        expectation=words.expectation(verdict),
        evidence=str(verdict.get("evidence") or "none").lower(),
        slack=tightest(verdict),
        power=words.power(verdict),
        controls=words.controls(verdict),
    )


def failures(verdicts: Iterable[Verdict]) -> list[Failure]:
    """Return the refuted claims with their witnesses and repairs."""
    found = []
    for verdict in verdicts:
        if verdict.get("outcome") != "REFUTED":
            continue
        seen = witness(verdict)
        point, alone = seen if seen else ((), None)
        repairs = [c for c in verdict.get("controls") or () if c.get("repair")]
        found.append(
            Failure(
                id=verdict["id"],
                label=verdict.get("label") or verdict["id"],
                title=with_math(verdict.get("title") or ""),
                expected=bool(verdict.get("as_expected")),
                expectation=words.expectation(verdict),
                statements=tuple(
                    mathml(entry["latex"], display=True)
                    for entry in verdict.get("assertions") or ()
                    if entry.get("latex")
                ),
                point=point,
                line=alone.blocks[0].lines[0] if alone else None,
                repairs=tuple(
                    (with_math(str(c.get("name"))), words.CONTROLS.get(str(c.get("outcome")), "")) for c in repairs
                ),
                provenance=_mark(verdict),
                note=with_math(verdict.get("note") or ""),
                reads=with_math(_section(verdict, "Reads")),
            )
        )
    return found


def _section(verdict: Verdict, heading: str) -> str:
    sections = (verdict.get("text") or {}).get("sections") or ()
    return next((text for name, text in sections if name == heading), "")
