"""A verdict as a section of the page: everything the template prints, already in words and mathematics.

Of its rows at most 40 are shown, and as many as a section of 25 KB (4 KB for a claim that is folded away) has room
for, but never fewer than four.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from markupsafe import Markup, escape

from theorytools.meaning import ROLES
from theorytools.reporting import words
from theorytools.reporting.claim_text import gathered
from theorytools.reporting.mathml import mathml, paragraphs, with_math
from theorytools.reporting.plots import Figure
from theorytools.reporting.rows import Table, letters, numbered, point, signed, table

Verdict = Mapping[str, Any]
SECTION = 24_900  # bytes of a section that more rows may fill
FOLDED = 3_700  # the same for a claim that its page folds away
PURPOSE = 30  # bytes of the words that say what a control is for
MOST, SPOILED, LEAST = 40, 12, 4  # rows shown: of the claim, of its controls, at least
FAILS, MEASURED = " fails at ", ": measured "  # how a reason names the witness


@dataclass(frozen=True)
class Outcome:
    """What came out: the outcome beside the one expected, how strong its numbers are, why, and what was remarked."""

    outcome: str
    expected: bool
    expectation: str
    limit: str
    evidence: str
    grade: str
    reason: Reason
    remarks: tuple[str, ...]
    said_by: Markup


@dataclass(frozen=True)
class Reason:
    """Why, in ``text``; of a row that fails: the formula that fails, the point ``at`` which, and what was measured."""

    formula: Markup
    at: tuple[Markup, ...]
    text: Markup


@dataclass(frozen=True)
class Origin:
    """Which run, record or trained models the numbers are of; ``uncommitted`` is code that no commit holds."""

    machines: tuple[str, ...]  # whose own arithmetic gave observed numbers
    confirmed: str  # the committed record of a verdict that was not judged here
    record: str
    uncommitted: bool
    trained: tuple[tuple[str, str, bool], ...]


@dataclass(frozen=True)
class Bound:
    """One displayed assertion with its source."""

    shown: Markup
    latex: str
    meaning: Markup
    within: Markup
    trivial: Markup


@dataclass(frozen=True)
class Statement:
    """What is claimed: formulas, hypotheses, letters and text, of whom it speaks, and where it is printed."""

    bounds: tuple[Bound, ...]
    hypotheses: tuple[Markup, ...]
    lets: tuple[Markup, ...]
    letters: tuple[tuple[Markup, Markup], ...]
    summary: tuple[Markup, ...]
    sections: tuple[tuple[str, tuple[Markup, ...]], ...]
    construction: tuple[str, Markup] | None
    role: str
    meaning: str  # of the role
    scope: str
    source: str
    provenance: str


@dataclass(frozen=True)
class Control:
    """One control: what it must break, or that it repairs the statement; what it did, and at how many points."""

    name: Markup
    repair: bool
    breaks: tuple[Markup, ...]
    outcome: str
    detail: str
    good: bool
    broken: int
    applied: int | None


@dataclass(frozen=True)
class Skipped:
    """Points left out for one reason: how many, and of a hypothesis the first at which it ``fails``."""

    count: int
    reason: str
    first: str
    several: bool


@dataclass(frozen=True)
class Judged:
    """What was judged: the rows of the claim and of its controls, the controls, and the points left out."""

    rows: Table | None
    control_rows: Table | None
    controls: tuple[Control, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True)
class Horizon:
    """What the rows exclude, assertion by assertion; what a search beside the grid did; where the slack would end."""

    sizes: str
    excluded: tuple[tuple[Markup, str], ...]
    searched: str
    trends: tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """How to judge it again; what is empty was not said."""

    command: str
    file: str
    seed: str
    spent: str  # of the error probability, at most, of
    granted: str
    versions: tuple[str, ...]
    machine: tuple[str, ...]
    user_points: bool


@dataclass(frozen=True)
class Section:
    """One claim as its page shows it; the words around these parts are those of the template ``claim.html.j2``.

    A ``folded`` one stands below the claim that its page begins with, and says less; ``told`` is the claim that the
    docstring of their file is about, where that is another one.
    """

    id: str
    label: str
    title: Markup
    folded: bool
    told: str
    outcome: Outcome
    origin: Origin
    statement: Statement
    figure: Figure | None
    judged: Judged
    horizon: Horizon
    run: Run


def section(verdict: Verdict, *, figure: Figure | None, folded: bool = False, told: str = "") -> Section:
    """Return the section of a verdict with as many rows as it has room for; a missing field leaves a gap.

    One that is ``folded`` has no rows of controls; ``told`` is the claim that the text of its file is about.
    """
    bare = _bare(verdict, figure, folded, told)
    rows = table(verdict, controls=False, limit=MOST)
    spoiled = None if folded else table(verdict, controls=True, limit=SPOILED)
    most = FOLDED if folded else SECTION - PURPOSE * len(bare.judged.controls)
    room, needed = most - weight(bare), weight(rows) + weight(spoiled)
    if needed > max(room, 0):
        limit = max(LEAST, max(_lines(rows), 2 * _lines(spoiled)) * room // needed)
        rows = table(verdict, controls=False, limit=limit)
        spoiled = spoiled and table(verdict, controls=True, limit=max(LEAST, min(SPOILED, limit // 2)))
    return replace(bare, judged=replace(bare.judged, rows=rows, control_rows=spoiled))


def _lines(shown: Table | None) -> int:
    return sum(len(block.lines) for block in shown.blocks) if shown else 0


def weight(part: Any) -> int:
    """Return about how many bytes a part takes on the page: its texts, each with its tags."""
    if isinstance(part, str):
        return len(part.encode()) + 12
    if isinstance(part, tuple | list):
        return sum(map(weight, part))
    return sum(weight(getattr(part, field.name)) for field in fields(part)) if is_dataclass(part) else 0


def _bare(verdict: Verdict, figure: Figure | None, folded: bool, told: str) -> Section:
    """The section without its rows."""
    made, dirty = words.record(verdict)
    return Section(
        id=words.anchor(verdict),
        label=words.label(verdict),
        title=with_math(verdict.get("title") or ""),
        folded=folded,
        told=told,
        outcome=_outcome(verdict),
        origin=Origin(
            machines=_machines(verdict), confirmed=words.confirmed(verdict), record=made, uncommitted=dirty,
            trained=tuple(words.trained(verdict)),
        ),
        statement=_statement(verdict, told),
        figure=figure,
        judged=Judged(None, None, _controls(verdict), _skipped(verdict)),
        horizon=Horizon(
            sizes=words.sizes(verdict), excluded=_excluded(verdict), searched=words.searched(verdict),
            trends=tuple(words.trends(verdict)),
        ),
        run=_run(verdict),
    )  # fmt: skip


def _outcome(verdict: Verdict) -> Outcome:
    return Outcome(
        outcome=str(verdict.get("outcome", "UNDECIDED")),
        expected=bool(verdict.get("as_expected")),
        expectation=words.expectation(verdict),
        limit=str(verdict.get("limit", "")),
        evidence=words.evidence(verdict),
        grade=str(verdict.get("evidence") or "none").lower(),
        reason=_reason(verdict),
        remarks=tuple(words.remarks(verdict)),
        said_by=with_math(verdict.get("said_by") or ""),
    )


def _statement(verdict: Verdict, told: str) -> Statement:
    build, role = verdict.get("construction") or {}, str(verdict.get("role") or "")
    summary, sections = _text(verdict, told)
    return Statement(
        bounds=tuple(_bound(entry) for entry in verdict.get("assertions") or ()),
        hypotheses=tuple(mathml(latex) for latex in gathered(verdict.get("hypotheses") or ())),
        lets=tuple(mathml(latex) for latex in verdict.get("lets") or ()),
        letters=_letters(verdict),
        summary=summary,
        sections=sections,
        construction=(build["name"], with_math(build.get("summary") or "")) if build.get("name") else None,
        role=role,
        meaning=ROLES.get(role, ""),
        scope=words.scope(verdict),
        source=_source(verdict.get("source") or {}),
        provenance=words.provenance(verdict),
    )


def _letters(verdict: Verdict) -> tuple[tuple[Markup, Markup], ...]:
    """The letters with their meanings, but for those that the page has explained."""
    explained = verdict.get("explained") or ()
    pairs = zip(letters(verdict).values(), verdict.get("letters") or (), strict=False)
    return tuple((mathml(latex), with_math(e.get("meaning") or "")) for latex, e in pairs if e not in explained)


def _excluded(verdict: Verdict) -> tuple[tuple[Markup, str], ...]:
    """Each assertion as a formula, empty for the only one, with what its rows would have seen."""
    shown = {entry.get("name"): mathml(entry["latex"]) for entry in verdict.get("assertions") or () if "latex" in entry}
    lines = words.horizon_lines(verdict)
    if len(lines) == 1 and len(shown) == 1:  # the one that stands above
        return ((Markup(""), lines[0][1]),)
    return tuple((numbered(n, verdict) or shown.get(n, with_math(signed(n))), seen) for n, seen in lines)


def _reason(verdict: Verdict) -> Reason:
    """The reason with its assertion as a formula and, where it names the witness, the witness's point in letters."""
    reason, row = str(verdict.get("reason") or ""), failing_row(verdict)
    for entry in verdict.get("assertions") or ():
        name, latex = str(entry.get("name") or ""), entry.get("latex")
        if not (name and latex and reason.startswith(f"{name} ")):
            continue
        rest = reason[len(name) :]
        if row and rest.startswith(FAILS) and MEASURED in rest:
            return Reason(mathml(latex), point(row.get("point") or {}, letters(verdict)),
                          escape(rest.split(MEASURED, 1)[1]))  # fmt: skip
        return Reason(Markup(""), (), mathml(latex) + with_math(rest))
    return Reason(Markup(""), (), with_math(reason))


def _text(verdict: Verdict, told: str) -> tuple[tuple[Markup, ...], tuple[tuple[str, tuple[Markup, ...]], ...]]:
    """The paragraphs of the summary, where it says more than the title, and the headed sections of the claim's text.

    A statement that is made of the formulas is left out: they stand above it.
    """
    text = verdict.get("text") or {}
    summary, title = (str(words or "").strip().rstrip(".") for words in (text.get("summary"), verdict.get("title")))
    lead = paragraphs(text["summary"]) if not told and summary and not summary.endswith(title or "\0") else []
    made = {"Setting", "Statement"} if text.get("formal") else {"Setting"} if told else set()
    sections = (
        (str(name), tuple(paragraphs(body)))
        for name, body in text.get("sections") or () if body.strip() and name not in made
    )  # fmt: skip
    return tuple(lead), tuple(sections)


def _bound(entry: Mapping[str, Any]) -> Bound:
    latex = entry.get("latex") or entry.get("bound_latex") or ""
    quantity, meaning = entry.get("quantity") or "", entry.get("meaning") or ""
    return Bound(
        shown=mathml(latex, display=True) if latex else with_math(entry.get("name") or ""),
        latex=latex,
        meaning=with_math(": ".join(part for part in (quantity, meaning) if part)),
        within=mathml(entry["within_latex"]) if entry.get("within_latex") else Markup(""),
        trivial=mathml(str(entry["trivial"])) if entry.get("trivial") else Markup(""),
    )


def _controls(verdict: Verdict) -> tuple[Control, ...]:
    shown = {a["name"]: mathml(a["latex"]) for a in verdict.get("spoiled") or ()}
    shown |= {a["name"]: with_math(a.get("quantity") or a["name"]) for a in verdict.get("assertions") or ()}
    return tuple(_control(entry, shown) for entry in verdict.get("controls") or ())


def _control(entry: Mapping[str, Any], shown: Mapping[str, Markup]) -> Control:
    outcome, repair = str(entry.get("outcome")), bool(entry.get("repair"))
    return Control(
        name=with_math(str(entry.get("name", ""))),
        repair=repair,
        breaks=tuple(dict.fromkeys(shown.get(name, with_math(signed(name))) for name in entry.get("breaks") or ())),
        outcome=outcome,
        detail=str(entry.get("detail") or ""),
        good=outcome == ("holds" if repair else "breaks"),
        broken=entry.get("broken", 0),
        applied=None if repair else entry.get("applied"),
    )


def _machines(verdict: Verdict) -> tuple[str, ...]:
    """The machines whose own arithmetic gave observed numbers, in their order."""
    numbers = (number for row in verdict.get("rows") or () for number in (row.get("measured"), *row.get("bound", ())))
    work = (number.get("work") or {} for number in numbers if number and number.get("evidence") == "OBSERVED")
    named = (", ".join(f"{name} {value}" for name, value in where.items() if isinstance(value, str)) for where in work)
    return tuple(dict.fromkeys(filter(None, named)))


def _source(source: Mapping[str, Any]) -> str:
    arxiv, version = source.get("arxiv"), source.get("version")
    page = f"arXiv {arxiv}" + (f"v{version}" if version else "") if arxiv else ""
    return ", ".join(str(part) for part in (source.get("authors"), source.get("paper_title"), page) if part)


def _skipped(verdict: Verdict) -> tuple[Skipped, ...]:
    """Reasons for points left out, each with its count; of one that fails at many places the first is named."""
    places: dict[str, list[str]] = {}
    for entry in verdict.get("skipped") or ():
        control = f" (control: {entry['control']})" if entry.get("control") else ""
        reason, _, at = str(entry.get("reason", "no reason given")).partition(FAILS)
        places.setdefault(reason + control, []).append(at)
    return tuple(Skipped(len(at), reason, at[0], len(set(at)) > 1) for reason, at in places.items())


def _run(verdict: Verdict) -> Run:
    source, alpha = verdict.get("source") or {}, verdict.get("alpha") or {}
    seed, sampled = verdict.get("seed"), {"spent", "claim"} <= alpha.keys()
    return Run(
        command=str(verdict.get("command") or ""),
        file=str(source.get("file") or ""),
        seed=str(seed) if seed else "",
        spent=words.small(alpha["spent"]) if sampled else "",
        granted=words.small(alpha["claim"]) if sampled else "",
        versions=tuple(f"{name} {value}" for name, value in (verdict.get("versions") or {}).items()),
        machine=tuple(f"{name} {value}" for name, value in (verdict.get("machine") or {}).items()),
        user_points=bool(verdict.get("user_points")),
    )


def witness(verdict: Verdict) -> tuple[tuple[Markup, ...], Table] | None:
    """Return the point and the row that refute a verdict: the failing row with the strongest evidence."""
    row = failing_row(verdict)
    alone = table({**verdict, "rows": [row]}, controls=False, limit=1) if row else None
    return (point(row.get("point") or {}, letters(verdict)), alone) if row and alone else None


def failing_row(verdict: Verdict) -> Mapping[str, Any] | None:
    """Return the row that refutes a verdict: of the strongest evidence the one that its reason names; None without."""
    failing = [row for row in verdict.get("rows") or () if row.get("truth") is False and not row.get("control")]
    strength = list(reversed(words.EVIDENCE))
    first = str(verdict.get("reason") or "").partition(FAILS)[2].partition(MEASURED)[0]
    return max(
        failing,
        key=lambda row: (
            strength.index(row["evidence"]) if row.get("evidence") in strength else -1,
            ", ".join(f"{k}={v}" for k, v in (row.get("point") or {}).items()) == first,
        ),
        default=None,
    )
