"""A verdict as a section of the page: everything the template prints, already in words and mathematics.

Of its rows at most 40 are shown, and as many as a section of 25 KB (4 KB for a claim that is folded away) has room
for, but never fewer than four.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from markupsafe import Markup

from theorytools.meaning import ROLES
from theorytools.reporting import words
from theorytools.reporting.mathml import mathml, paragraphs, with_math
from theorytools.reporting.plots import Figure
from theorytools.reporting.rows import Table, letters, numbered, point, signed, table

Verdict = Mapping[str, Any]
SECTION = 25_000  # bytes of a section that more rows may fill
FOLDED = 3_400  # the same for a claim that its page folds away
MOST, SPOILED, LEAST = 40, 12, 4  # rows shown: of the claim, of its controls, at least
OWN = ("File", "Error probability", "Points")  # of the facts, what one claim of a page has for itself


@dataclass(frozen=True)
class Bound:
    """One displayed assertion with its source."""

    shown: Markup
    latex: str
    meaning: Markup
    within: Markup
    trivial: Markup


@dataclass(frozen=True)
class Control:
    """One line of the list of controls."""

    name: Markup
    aim: Markup
    outcome: str
    good: bool
    applied: str


@dataclass(frozen=True)
class Section:
    """One claim."""

    id: str
    label: str
    title: Markup
    outcome: str
    expected: bool
    expectation: str
    reason: Markup
    evidence: str
    grade: str
    role: str
    scope: str
    horizon: tuple[tuple[Markup, str], ...]
    sizes: str
    searched: str
    trends: tuple[str, ...]
    text: tuple[tuple[str, list[Markup]], ...]
    bounds: tuple[Bound, ...]
    hypotheses: tuple[Markup, ...]
    lets: tuple[Markup, ...]
    letters: tuple[tuple[Markup, Markup], ...]
    construction: tuple[str, Markup] | None
    source: str
    provenance: str
    figure: Figure | None
    rows: Table | None
    control_rows: Table | None
    controls: tuple[Control, ...]
    skipped: tuple[str, ...]
    remarks: tuple[str, ...]
    limit: str
    facts: tuple[tuple[str, str], ...]
    observed: tuple[str, ...]
    confirmed: str
    record: str
    uncommitted: bool
    trained: tuple[tuple[str, str, bool], ...]
    said_by: Markup
    folded: bool = False
    told: str = ""


def section(verdict: Verdict, *, figure: Figure | None, folded: bool = False, told: str = "") -> Section:
    """Return the section of a verdict with as many rows as it has room for; a missing field leaves a gap.

    One that is ``folded`` has no rows of controls; where the page has said the text of its file it names that claim.
    """
    bare = _bare(verdict, figure)
    if folded:
        facts = tuple(fact for fact in bare.facts if fact[0] in OWN)
        bare = replace(bare, folded=True, facts=facts, told=told, text=() if told else bare.text)
    rows = table(verdict, controls=False, limit=MOST)
    spoiled = None if folded else table(verdict, controls=True, limit=SPOILED)
    room, needed = (FOLDED if folded else SECTION) - weight(bare), weight(rows) + weight(spoiled)
    if needed > max(room, 0):
        limit = max(LEAST, max(_lines(rows), 2 * _lines(spoiled)) * room // needed)
        rows = table(verdict, controls=False, limit=limit)
        spoiled = spoiled and table(verdict, controls=True, limit=max(LEAST, min(SPOILED, limit // 2)))
    return replace(bare, rows=rows, control_rows=spoiled)


def _lines(shown: Table | None) -> int:
    return sum(len(block.lines) for block in shown.blocks) if shown else 0


def weight(part: Any) -> int:
    """Return about how many bytes a part takes on the page: its texts, each with its tags."""
    if isinstance(part, str):
        return len(part.encode()) + 12
    if isinstance(part, tuple | list):
        return sum(map(weight, part))
    return sum(weight(getattr(part, field.name)) for field in fields(part)) if is_dataclass(part) else 0


def _bare(verdict: Verdict, figure: Figure | None) -> Section:
    source = verdict.get("source") or {}
    made, dirty = words.record(verdict)
    broken = {a["name"]: mathml(a["latex"]) for a in verdict.get("spoiled") or ()}
    broken |= {a["name"]: with_math(a.get("quantity") or a["name"]) for a in verdict.get("assertions") or ()}
    return Section(
        id=words.anchor(verdict),
        label=words.label(verdict),
        title=with_math(verdict.get("title") or ""),
        outcome=str(verdict.get("outcome", "UNDECIDED")),
        expected=bool(verdict.get("as_expected")),
        expectation=words.expectation(verdict),
        reason=_reason(verdict),
        evidence=words.evidence(verdict),
        grade=str(verdict.get("evidence") or "none").lower(),
        role=_role(verdict),
        scope=words.scope(verdict),
        horizon=_horizon(verdict),
        sizes=words.sizes(verdict),
        searched=words.searched(verdict),
        text=_text(verdict),
        bounds=tuple(_bound(entry) for entry in verdict.get("assertions") or ()),
        hypotheses=tuple(mathml(latex) for latex in gathered(verdict.get("hypotheses") or ())),
        lets=tuple(mathml(latex) for latex in verdict.get("lets") or ()),
        letters=_letters(verdict),
        **_besides(verdict),
        source=_source(source),
        provenance=words.provenance(verdict),
        figure=figure,
        rows=None,
        control_rows=None,
        controls=tuple(_control(entry, broken) for entry in verdict.get("controls") or ()),
        skipped=_skipped(verdict),
        facts=_facts(verdict),
        observed=_machines(verdict),
        confirmed=words.confirmed(verdict),
        record=made,
        uncommitted=dirty,
        trained=tuple(words.trained(verdict)),
        said_by=with_math(verdict.get("said_by") or ""),
    )


def gathered(hypotheses: Iterable[str]) -> list[str]:
    r"""Return formulas with the letters of one set together: ``N, d\in \{1,2,\dots\}`` where the first stood."""
    members: dict[str, list[str]] = {}
    for formula in hypotheses:
        letter, within, domain = formula.partition(r"\in ")
        own = members.setdefault(within + domain if within else formula, [])
        own += [letter.strip()] if within else []
    return [", ".join(dict.fromkeys(own)) + rest for rest, own in members.items()]


def _letters(verdict: Verdict) -> tuple[tuple[Markup, Markup], ...]:
    """The letters with their meanings, but for those that the page has explained."""
    explained = verdict.get("explained") or ()
    pairs = zip(letters(verdict).values(), verdict.get("letters") or (), strict=False)
    return tuple((mathml(latex), with_math(e.get("meaning") or "")) for latex, e in pairs if e not in explained)


def _role(verdict: Verdict) -> str:
    role = str(verdict.get("role") or "")
    return f"{role}: {ROLES[role]}" if role in ROLES else "role not stated"


def _horizon(verdict: Verdict) -> tuple[tuple[Markup, str], ...]:
    """Each assertion as a formula, with what its rows would have seen."""
    shown = {entry.get("name"): mathml(entry["latex"]) for entry in verdict.get("assertions") or () if "latex" in entry}
    lines = words.horizon_lines(verdict)
    if len(lines) == 1 and len(shown) == 1:  # the one that stands above
        return ((Markup("it"), lines[0][1]),)
    return tuple((numbered(n, verdict) or shown.get(n, with_math(signed(n))), seen) for n, seen in lines)


def _reason(verdict: Verdict) -> Markup:
    """The reason with its assertion as a formula and, where it names the witness, the witness's point in letters."""
    reason, row = str(verdict.get("reason") or ""), _failing(verdict)
    for entry in verdict.get("assertions") or ():
        name, latex = str(entry.get("name") or ""), entry.get("latex")
        if not (name and latex and reason.startswith(f"{name} ")):
            continue
        rest = reason[len(name) :]
        if row and rest.startswith(" fails at ") and ": measured " in rest:
            at = Markup(", ").join(point(row.get("point") or {}, letters(verdict)))
            return Markup("{} fails at {}: measured {}").format(mathml(latex), at, rest.split(": measured ", 1)[1])
        return mathml(latex) + with_math(rest)
    return with_math(reason)


def _text(verdict: Verdict) -> tuple[tuple[str, list[Markup]], ...]:
    text = verdict.get("text") or {}
    summary, title = (str(words or "").strip().rstrip(".") for words in (text.get("summary"), verdict.get("title")))
    lead = [("In words", paragraphs(text["summary"]))] if summary and not summary.endswith(title or "\0") else []
    return (
        *lead,
        *((str(name), paragraphs(body)) for name, body in text.get("sections") or () if body.strip()),
    )


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


def _control(entry: Mapping[str, Any], shown: Mapping[str, Markup]) -> Control:
    outcome, repair = str(entry.get("outcome")), bool(entry.get("repair"))
    broken = dict.fromkeys(shown.get(name, with_math(signed(name))) for name in entry.get("breaks") or ())
    applied = entry.get("applied")
    must = Markup("must break ") + Markup(", ").join(broken) if broken else Markup("must break")
    return Control(
        name=with_math(str(entry.get("name", ""))),
        aim=Markup("repairs the statement") if repair else must,
        outcome=": ".join(filter(None, [words.CONTROLS.get(outcome, outcome), entry.get("detail")])),
        good=outcome == ("holds" if repair else "breaks"),
        applied="" if applied is None or repair else f"{entry.get('broken', 0)} of {applied} points",
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


def _besides(verdict: Verdict) -> dict[str, Any]:
    """How far a verdict reaches, what was remarked of its check, and what its object is."""
    build = verdict.get("construction") or {}
    made = (build["name"], with_math(build.get("summary") or "")) if build.get("name") else None
    return {"limit": str(verdict.get("limit", "")), "remarks": tuple(words.remarks(verdict)), "construction": made,
            "trends": tuple(words.trends(verdict))}  # fmt: skip


def _skipped(verdict: Verdict) -> tuple[str, ...]:
    """Reasons for points left out, each with its count; of one that fails at many places the first is named."""
    places: dict[str, list[str]] = {}
    for entry in verdict.get("skipped") or ():
        control = f" (control: {entry['control']})" if entry.get("control") else ""
        reason, _, at = str(entry.get("reason", "no reason given")).partition(" fails at ")
        places.setdefault(reason + control, []).append(at)
    return tuple(
        f"{len(at)} × {reason}" + (f" fails, {'first ' if len(set(at)) > 1 else ''}at {at[0]}" if at[0] else "")
        for reason, at in places.items()
    )


def _facts(verdict: Verdict) -> tuple[tuple[str, str], ...]:
    source, machine = verdict.get("source") or {}, verdict.get("machine") or {}
    alpha = verdict.get("alpha") or {}
    facts = {
        "Command": verdict.get("command"),
        "File": source.get("file"),
        "Seed": verdict.get("seed"),
        "Error probability": f"at most {words.small(alpha['spent'])} spent of {words.small(alpha['claim'])}"
        if {"spent", "claim"} <= alpha.keys()
        else None,
        "Versions": ", ".join(f"{name} {value}" for name, value in (verdict.get("versions") or {}).items()),
        "Machine": ", ".join(f"{name} {value}" for name, value in machine.items()),
        "Points": "chosen by the user" if verdict.get("user_points") else None,
    }
    return tuple((name, str(value)) for name, value in facts.items() if value)


def witness(verdict: Verdict) -> tuple[tuple[Markup, ...], Table] | None:
    """Return the point and the row that refute a verdict: the failing row with the strongest evidence."""
    row = _failing(verdict)
    alone = table({**verdict, "rows": [row]}, controls=False, limit=1) if row else None
    return (point(row.get("point") or {}, letters(verdict)), alone) if row and alone else None


def _failing(verdict: Verdict) -> Mapping[str, Any] | None:
    failing = [row for row in verdict.get("rows") or () if row.get("truth") is False and not row.get("control")]
    strength = list(reversed(words.EVIDENCE))
    first = str(verdict.get("reason") or "").partition(" fails at ")[2].partition(": measured ")[0]
    return max(
        failing,
        key=lambda row: (
            strength.index(row["evidence"]) if row.get("evidence") in strength else -1,
            ", ".join(f"{k}={v}" for k, v in (row.get("point") or {}).items()) == first,
        ),
        default=None,
    )
