"""What the index says of a claim: its line, and of a reading that fails the row that shows it; and the counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from theorytools.meaning import TRAINED
from theorytools.reporting import words
from theorytools.reporting.claim import Verdict, witness
from theorytools.reporting.mathml import mathml, with_math
from theorytools.reporting.rows import Line


@dataclass(frozen=True)
class Entry:
    """One claim in the index; ``href`` is empty where no page shows it, ``record`` which committed record it is of."""

    id: str
    short: str
    outcome: str
    expected: bool
    expectation: str
    evidence: str
    role: str
    sizes: str
    horizon: str
    controls: str
    href: str
    record: str
    uncommitted: bool


@dataclass(frozen=True)
class Failure:
    """A reading that fails, with the row that shows it."""

    href: str
    label: str
    title: Markup
    outcome: str
    expected: bool
    expectation: str
    statements: tuple[Markup, ...]
    point: tuple[Markup, ...]
    line: Line | None
    reason: Markup
    repairs: tuple[tuple[Markup, str], ...]
    said_by: Markup
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


def entry(verdict: Verdict, page: str) -> Entry:
    """Return the line of a verdict that stands on a page, or of one that only the committed record knows."""
    short, _, at = words.anchor(verdict).split(".", 1)[-1].partition("@")
    known = bool(verdict.get("compact"))
    elsewhere = known or bool(verdict.get("committed"))
    made, _ = words.made_from(verdict.get("committed") or (known and verdict.get("record")) or {})
    return Entry(
        id=words.anchor(verdict),
        short=f"{short}, at {at.replace(',', ', ')}" if at else short,
        outcome=str(verdict.get("outcome", "UNDECIDED")),
        expected=bool(verdict.get("as_expected")),
        expectation=words.expectation(verdict),
        evidence=str(verdict.get("evidence") or "none").lower(),
        role=str(verdict.get("role") or "–"),
        sizes=words.sizes(verdict),
        horizon=words.would_see(verdict),
        controls="–" if known else words.controls(verdict),
        href="" if known else f"{page}#{words.anchor(verdict)}",
        record=f"from the committed record{' of ' if made else ''}{made.partition(',')[0]}" if elsewhere else "",
        uncommitted=words.uncommitted(verdict),
    )


def failure(verdict: Verdict, page: str) -> Failure | None:
    """Return a refuted claim with its witness and repairs, one about training that stayed open, or None."""
    predicted = verdict.get("role") in TRAINED and verdict.get("outcome") == "UNDECIDED"
    if verdict.get("outcome") not in ("REFUTED", "WITNESS FAILS") and not predicted:
        return None
    known = bool(verdict.get("compact"))
    seen = None if known else witness(verdict)
    point, alone = seen if seen else ((), None)
    repairs = [] if known else [c for c in verdict.get("controls") or () if c.get("repair")]
    return Failure(
        href="" if known else f"{page}#{words.anchor(verdict)}",
        label=words.label(verdict),
        title=with_math(_title(verdict)),
        outcome=str(verdict.get("outcome")),
        expected=bool(verdict.get("as_expected")),
        expectation=words.expectation(verdict),
        statements=tuple(
            mathml(entry["latex"], display=True) for entry in verdict.get("assertions") or () if entry.get("latex")
        ),
        point=point,
        line=alone.blocks[0].lines[0] if alone else None,
        reason=with_math(str(verdict.get("reason") or "")) if known or predicted else Markup(""),
        repairs=tuple((with_math(str(c.get("name"))), str(c.get("outcome"))) for c in repairs),
        said_by=with_math(verdict.get("said_by") or ""),
        note=with_math(verdict.get("note") or ""),
        reads=with_math(_section(verdict, "Reads")),
    )


def _title(verdict: Verdict) -> str:
    """What the text of a claim says first, unless that is its note; of a line of the record the statement's title."""
    said = str((verdict.get("text") or {}).get("summary") or "").rstrip(".")
    if said or "text" in verdict:
        return "" if said == str(verdict.get("note") or "").rstrip(".") else said
    return str(verdict.get("title") or "")


def _section(verdict: Verdict, heading: str) -> str:
    sections = (verdict.get("text") or {}).get("sections") or ()
    return next((text for name, text in sections if name == heading), "")
