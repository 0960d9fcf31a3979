"""Half a page on one statement, as a referee asks: printed, judged, how far, how near to false, and what is left.

Everything is read from a verdict and from what stands beside its check; nothing is judged here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from theorytools.meaning import COVERED, READ, RELATIONS, WHOLE, numbered, sayer_text
from theorytools.reporting import words
from theorytools.reporting.claim import failing_row
from theorytools.reporting.claim_text import formulas_in_words
from theorytools.reporting.escapes import markdown_text
from theorytools.reporting.horizon import excluded_text, passed_text
from theorytools.reporting.numbers import band_text, estimate_text, point_text, pretty, slack_text
from theorytools.reporting.rows import SIGNS, signed
from theorytools.shown import visible

Verdict = Mapping[str, Any]
PARTS = {
    "printed": "As printed", "judged": "As judged", "verdict": "Verdict", "tightest": "Tightest",
    "excluded": "Nearest false statement excluded", "not_excluded": "Nearest false statement not excluded",
    "hypotheses": "Hypotheses", "rests_on": "Rests on", "not_checked": "Not checked", "again": "Run it again",
}  # fmt: skip
_NUMBERS = {
    "EXACT": "every number is exact", "ENCLOSED": "every number is enclosed, rounded outward",
    "SAMPLED": "the numbers are sampled", "OBSERVED": "the numbers are what one machine's floats gave",
    "FITTED": "the numbers are fitted to trained networks or runs",
}  # fmt: skip
_SAID = {
    "REFUTED": "It is false as it is read here", "WITNESS FAILS": "What is exhibited for it fails",
    "UNDECIDED": "It is undecided", "POWERLESS": "The check says nothing, for a control that should fail did not",
    "INAPPLICABLE": "Its hypotheses fail at every point asked for",
}  # fmt: skip
_STATES = {"needed": "needed", "not needed": "not needed", "defines": "needed for the object to exist",
           "unknown": "not decided"}  # fmt: skip
FEW = 3  # names of one kind in a line


@dataclass(frozen=True)
class Line:
    """Another claim of the statement: what it is to it and what came out, or why nothing is known."""

    id: str
    role: str
    outcome: str
    evidence: str
    said: str


@dataclass(frozen=True)
class Review:
    """Half a page on one statement; ``str`` gives it as Markdown, and so do notebooks.

    ``parts`` are the lines of each part by its key in ``PARTS``, ``claims`` the other claims of the statement, which
    the page names where they do not hold and counts where they do.
    """

    id: str
    claim: str
    title: str
    source: str
    outcome: str
    evidence: str
    parts: Mapping[str, Sequence[str]]
    claims: Sequence[Line] = field(default=())

    def __str__(self) -> str:
        lines = [f"# {markdown_text(self.title)}", "", markdown_text(self.source)]
        for name, heading in PARTS.items():
            said = list(self.parts.get(name) or ())
            if said and name == "again":
                lines += ["", f"**{heading}.**", "", *(f"    {visible(one)}" for one in said)]
            elif said:
                lines += ["", f"**{heading}.** {' '.join(map(markdown_text, said))}"]
        if self.claims:
            lines += ["", f"**{self.heading}.**", ""]
            lines += [f"- {markdown_text(one)}" for one in self.beside]
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        """The page, to be read where a session shows it."""
        return str(self)

    def _repr_markdown_(self) -> str:
        return str(self)

    @property
    def heading(self) -> str:
        """What stands above the claims."""
        return "Other claims of the statement" if "." in self.id else "Claims that do not hold"

    @property
    def beside(self) -> list[str]:
        """Of the other claims a line for each that is the statement itself or does not hold; how many more hold."""
        near = [one for one in self.claims if one.role == "statement" or one.outcome != "HOLDS"]
        roles = Counter(one.role or "of no role" for one in self.claims if one not in near)
        told = ", ".join(f"{count} {role}" for role, count in roles.most_common())
        more = f"{'more ' if near else ''}hold ({told}): theorytools list {self.id}"
        return [*map(claim_line, near), *([f"{roles.total()} {more}"] if roles else [])]

    def to_json(self) -> dict[str, Any]:
        """Return the review as plain data, with the Markdown."""
        parts = {name: list(self.parts.get(name) or ()) for name in PARTS}
        return {**asdict(self), "parts": parts, "claims": [asdict(one) for one in self.claims], "markdown": str(self)}


def claim_line(one: Line) -> str:
    """Return another claim of the statement in one line."""
    outcome = f"{one.outcome}{f', {one.evidence}' if one.evidence else ''}"
    return f"{one.id} ({one.role or 'role not stated'}): {outcome}{f'; {one.said}' if one.said else ''}"


def line_of(id: str, role: str, verdict: Verdict | None, label: str = "") -> Line:
    """Return the line of a claim that a review is not about; ``label`` is that of the statement, which is left out."""
    if verdict is None:
        return Line(id, role, "not judged", "", "")
    said = str(verdict["label"]).removeprefix(label).lstrip(",:; ")
    reason = "" if verdict["outcome"] == "HOLDS" else signed(str(verdict["reason"]))
    told = "; ".join(filter(None, [said, reason]))
    return Line(id, str(verdict.get("role") or role), str(verdict["outcome"]), _grade(verdict), told)


def reviewed(
    verdict: Verdict | None, statement: Mapping[str, Any], paper: Mapping[str, Any], *, relation: Mapping[str, Any],
    text: Mapping[str, Any], cells: Sequence[Mapping[str, Any]] = (), today: bool = True, claims: Sequence[Line] = (),
    known: str = "",
) -> Review:  # fmt: skip
    """Return the review of a statement, or of one of its claims.

    Parameters
    ----------
    verdict : of the claim that it is about; None for a statement that no claim is about.
    statement, paper : as an index of a catalogue has them.
    relation : of the statement to its print, with the formulas compared.
    text : the claim's own text.
    cells : what is recorded of the hypotheses of the claim.
    today : whether that is recorded of its check as it is.
    claims : the other claims of the statement.
    known : where the verdict is from.
    """
    key = f"{paper['key']}.{statement['id']}"
    arxiv = f"arXiv {paper['arxiv']}v{paper['version']}" if paper.get("arxiv") else ""
    source = ", ".join(filter(None, [paper.get("authors"), paper.get("title"), arxiv, key]))
    title = ". ".join(filter(None, [numbered(statement), statement.get("title")]))
    printed = _printed(statement, relation)
    if verdict is None:
        gap = statement.get("open") or statement.get("lacks") or "no check"
        parts = {"printed": printed, "verdict": [f"Nothing is judged: {gap}."], "again": [f"theorytools list {key}"]}
        return Review(key, "", title, source, "open", "", parts, claims)
    if verdict["id"] != key:
        title = f"{title}: {verdict['label']}" if not str(verdict["label"]).startswith(title) else verdict["label"]
        source = f"{source}; the claim {verdict['id']}"
    parts = {
        "printed": printed, "judged": _judged(verdict, text), "verdict": _verdict(verdict, statement, paper, known),
        "tightest": _tightest(verdict), **_nearest(verdict), "hypotheses": _hypotheses(cells, verdict, today),
        "rests_on": _rests_on(verdict, statement), "not_checked": _not_checked(verdict, statement, cells),
        "again": _again(verdict),
    }  # fmt: skip
    return Review(key, str(verdict["id"]), title, source, str(verdict["outcome"]), _grade(verdict), parts, claims)


def reviewed_paper(paper: Mapping[str, Any], verdicts: Mapping[str, Verdict]) -> Review:
    """Return the review of a paper: how many of its claims hold, each one that does not, and what is open.

    Parameters
    ----------
    paper : as an index of a catalogue has it.
    verdicts : of its claims by id, as far as they are known.
    """
    arxiv = f"arXiv {paper['arxiv']}v{paper['version']}" if paper.get("arxiv") else ""
    source = ", ".join(filter(None, [paper.get("authors"), arxiv, paper.get("venue"), paper["key"]]))
    listed = [id for one in paper["statements"] for id in one["claims"]]
    failing = [v for v in verdicts.values() if v["outcome"] != "HOLDS"]
    counts = {name: sum(v["outcome"] == name for v in verdicts.values()) for name in words.OUTCOMES}
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    stated = [v for v in failing if v.get("role") == "statement"]
    said = f"Of {len(verdicts)} claims with a verdict: {told or 'none'}. "
    whole = f"the statement itself in {', '.join(str(v['id']) for v in stated)}" if stated else "no statement itself"
    said += f"What does not hold is {whole}" + ("; " if stated else ": ") + "readings, predictions and other forms."
    surprising = [str(v["id"]) for v in failing if not v["as_expected"]]
    parts = {
        "verdict": [said, *([f"Not as its check expects: {', '.join(surprising)}."] if surprising else [])],
        "not_checked": _open(paper, [id for id in listed if id not in verdicts]),
        "again": [f"theorytools verify {paper['key']} --fresh"],
    }  # fmt: skip
    claims = [line_of(str(v["id"]), "", v) for v in failing]
    return Review(paper["key"], "", paper.get("title") or paper["key"], source, "", "", parts, claims)


def _open(paper: Mapping[str, Any], missing: Sequence[str]) -> list[str]:
    """The statements that no claim is about, or none is the statement itself, and the claims without a verdict."""
    left = [one for one in paper["statements"] if one["open"] or not one["claims"]]
    lines = [f"{numbered(one)} is open: {one['open'] or 'no check'}." for one in left]
    lines += [
        f"{numbered(one)} is not judged itself: {one['lacks']}." for one in paper["statements"] if one.get("lacks")
    ]
    return lines + ([f"No verdict is known of {_few(missing)}."] if missing else [])


def _grade(verdict: Verdict) -> str:
    return str(verdict.get("evidence") or "").lower()


def _printed(statement: Mapping[str, Any], relation: Mapping[str, Any]) -> list[str]:
    """The formulas that are printed, what was read, and how what is judged stands to it."""
    if statement.get("ours"):
        return [f"Nowhere: {statement['ours']}."]
    own = statement.get("printed") or {}
    compared = [f"${one['latex']}$" for one in relation.get("compared") or ()]
    formulas = own.get("formulas") or ()
    shown = compared if len(compared) == len(formulas) else [signed(str(one["formula"])) for one in formulas]
    said = [f"{one['of']} {formula}" for one, formula in zip(formulas, shown, strict=True)]
    lines = [f"{'; '.join(said)}."] if said else []
    read = ", ".join(
        f"{READ[how]} of {version}" for version, how in (own.get("read") or {}).items() if how != "nothing"
    )
    lines += [f"Read: {read}." if read else "Nothing of the print was read."]
    stands = str(relation.get("relation") or own.get("relation") or "")
    meant = RELATIONS.get(stands, stands or "the two were not compared")
    return [*lines, f"To what is judged: {meant}{_because(relation.get('why'))}."]


def _because(why: Any) -> str:
    return f" ({why})" if why else ""


def _judged(verdict: Verdict, text: Mapping[str, Any]) -> list[str]:
    """The sentence of the claim, and its formulas where the sentence is in words."""
    stated = str(dict(text.get("sections") or ()).get("Statement") or text.get("summary") or "")
    if text.get("formal") or not stated:
        return [formulas_in_words(verdict)]
    return [stated, f"In formulas: {formulas_in_words(verdict, scoped=False)}"]


def _verdict(verdict: Verdict, statement: Mapping[str, Any], paper: Mapping[str, Any], known: str) -> list[str]:
    outcome, reason = str(verdict["outcome"]), signed(str(verdict.get("reason") or ""))
    numbers = _NUMBERS.get(str(verdict.get("evidence")), "no number was decided")
    if outcome == "HOLDS":
        rows = [row for row in verdict["rows"] if not row["control"]]
        sizes = words.sizes(verdict)
        reach = ", ".join(filter(None, [str(verdict.get("limit") or ""), sizes if sizes != "–" else ""]))
        said = f"It holds{f' {reach}' if reach else ''}: {_counted(len(rows), 'comparison')} came out true, {numbers}; "
        said += f"{_spoiled(verdict)}."
    else:
        said = f"{_SAID[outcome]}: {reason}; {numbers}."
    known_sayer = (paper.get("sayers") or {}).get(verdict["id"])
    if known_sayer or (verdict.get("role") == "pitfall" and outcome != "HOLDS"):
        said += f" Who says what is refuted: {sayer_text(known_sayer)}."
    if not verdict["as_expected"] and not verdict.get("user_points"):
        said += f" The check expects {verdict['expect']}."
    lacks = [f"It is not the statement itself: {statement['lacks']}."] if statement.get("lacks") else []
    return [said, *lacks, *([f"The verdict is {known}."] if known else [])]


def _spoiled(verdict: Verdict) -> str:
    """What became of the controls, of those that apply at some point."""
    spoiled = [one for one in verdict["controls"] if not one["repair"]]
    applied = [one for one in spoiled if one["applied"]]
    fail = sum(one["outcome"] == "breaks" for one in applied)
    never = f", {len(spoiled) - len(applied)} more apply at none of these points" if len(applied) < len(spoiled) else ""
    return (
        f"{fail} of {len(applied)} spoiled versions of it fail, as they must{never}" if spoiled else "it has no control"
    )


def _counted(count: int, word: str) -> str:
    return f"the one {word}" if count == 1 else f"all {count} {word}s"


def _point(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {pretty(point_text(value))}" for name, value in values.items()) or "the only point"


def _tightest(verdict: Verdict) -> list[str]:
    """The row with the least slack of those that say something; of a claim that fails the row that shows it."""
    rows = [row for row in verdict["rows"] if not row["control"] and not words.idle(row)]
    failing = failing_row(verdict)
    slack = [row for row in rows if row.get("slack") is not None and not row.get("vacuous")]
    if failing is not None:
        return [f"It fails at {_point(failing['point'])}: {_compared(failing)}."]
    if not slack:
        exact = [row for row in rows if row["truth"] and row["relation"] == "=="]
        return [f"Equalities have no slack: all {len(exact)} are met."] if exact else []
    least = min(slack, key=lambda row: float(row["slack"]))
    said = pretty(slack_text(least, least["relation"]))
    return [f"A factor {said} at {_point(least['point'])}: {_compared(least)}."]


def _compared(row: Mapping[str, Any]) -> str:
    measured, bound = pretty(estimate_text(row["measured"])), pretty(band_text(row["bound"]))
    return f"{row['quantity']} is {measured}, asked for is {SIGNS.get(row['relation'], row['relation'])} {bound}"


def _nearest(verdict: Verdict) -> dict[str, list[str]]:
    """What the rows exclude and what they would pass, assertion by assertion; and what controls say."""
    spoiled = [one for one in verdict["controls"] if not one["repair"]]
    broken = [one["name"] for one in spoiled if one["outcome"] == "breaks"]
    passed = [f"'{one['name']}', which {words.control(one)}" for one in spoiled if one["outcome"] != "breaks"]
    repairs = [one["name"] for one in verdict["controls"] if one["repair"] and one["outcome"] == "holds"]
    seen = words.sized(verdict) if verdict["outcome"] == "HOLDS" else {}
    known = {one["name"]: one for one in verdict["assertions"]}
    excluded, left = list[str](), list[str]()
    for name, part in list(seen.items())[:FEW]:
        entry = known.get(name, {})
        relation, of = str(entry.get("relation", "==")), f"{entry.get('quantity', name)}: " if len(seen) > 1 else ""
        excluded.append(f"{of}{excluded_text(part, relation, 1)}")
        left += [f"{of}{told}"] if (told := passed_text(part, relation, 1)) else []
    if repairs:
        excluded.append(f"what repairs it holds: {_few(repairs)}")
    if broken:
        excluded.append(f"spoiled versions that fail: {_few(broken)}")
    left += [f"spoiled versions that do not fail: {_few(passed)}"] if passed else []
    left += [f"Judge farther: {told}" for told in words.trends(verdict)]
    if verdict["outcome"] == "HOLDS" and not left:
        near = "none near it: another constant, power or logarithm would have failed"
        left = [near if seen else "not known: what is measured is yes or no, so that only controls tell"]
    lines = {"excluded": excluded, "not_excluded": left}
    return {name: [f"{one[:1].upper()}{one[1:]}." for one in said if one] for name, said in lines.items()}


def _few(names: Sequence[str]) -> str:
    more = f"; and {len(names) - FEW} more" if len(names) > FEW else ""
    return "; ".join(names[:FEW]) + more


def _hypotheses(cells: Sequence[Mapping[str, Any]], verdict: Verdict, today: bool) -> list[str]:
    """Which hypotheses were found needed, each with the point that shows it, which not, and which are undecided."""
    if not cells:
        if not verdict.get("hypotheses"):
            return ["The claim has none."]
        asked = "what fails needs none" if verdict["outcome"] != "HOLDS" else "nothing is recorded of them"
        return [f"Not asked which are needed: {asked} (theorytools necessity {verdict['id']})."]
    found: dict[str, list[str]] = {}
    for cell in cells:
        at = f" (violated at {_point(cell['at'])})" if cell["state"] == "needed" and cell.get("at") else ""
        why = f" ({cell['why']})" if cell["state"] == "not needed" and cell.get("why") else ""
        found.setdefault(cell["state"], []).append(f"{_condition(cell['hypothesis'])}{at or why}")
    states = [name for name in _STATES if name in found]
    earlier = [] if today else ["Recorded of an earlier form of this check; theorytools necessity asks again."]
    return [f"{_STATES[name][:1].upper()}{_STATES[name][1:]}: {'; '.join(found[name])}." for name in states] + earlier


def _condition(text: Any) -> str:
    """A hypothesis as it is recorded, an equation with its sign."""
    found = re.fullmatch(r"(Eq|Ne)\((.*)\)", str(text))
    sign, inner = (found[1], found[2]) if found else ("", "")
    for comma in (place for place, letter in enumerate(inner) if letter == ","):
        left, right = inner[:comma], inner[comma + 1 :].strip()
        if left.count("(") == left.count(")"):
            return f"{left} {'=' if sign == 'Eq' else '≠'} {right}"
    return signed(str(text))


def _rests_on(verdict: Verdict, statement: Mapping[str, Any]) -> list[str]:
    """Where the claim is from, the claims that it uses, and what the proof alone covers."""
    proved = [said for said, how in (verdict.get("scope") or {}).items() if how == "proof"]
    lines = [f"Source: {words.provenance(verdict)}."]
    lines += [f"Claims: {', '.join(verdict['uses'])}."] if verdict.get("uses") else []
    lines += [f"The proof in the docstring, for {'; '.join(proved)}."] if proved else []
    trained = [f"{name} ({made})" if made else name for name, made, _ in words.trained(verdict)]
    lines += [f"Trained networks: {', '.join(trained)}."] if trained else []
    account = (statement.get("account") or {}).get("claim")
    return [*lines, *([f"Constants: what each step loses is measured by {account}."] if account else [])]


def _not_checked(verdict: Verdict, statement: Mapping[str, Any], cells: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the verdict does not cover: the print, quantifiers, points, rows and hypotheses that nobody looked at."""
    own = statement.get("printed") or {}
    lines = [f"not seen of the print: {own['unknown']}"] if own.get("unknown") else []
    scope = dict(verdict.get("scope") or {})
    lines += ["the proof in the docstring, of which only instances ran"] if "proof" in scope.values() else []
    lines += [f"{said}: only {COVERED[how]}" for said, how in scope.items() if how not in (*WHOLE, "exhibited")]
    rows = [row for row in verdict["rows"] if not row["control"]]
    lines += [f"{count} of {len(rows)} comparisons stayed open"] if (
        count := sum(row["truth"] is None for row in rows)
    ) else []  # fmt: skip
    skipped = [one for one in verdict.get("skipped") or () if not one.get("control")]
    open_points = sum(bool(one.get("open")) for one in skipped)
    lines += [f"{open_points} points that were not judged"] if open_points else []
    lines += [f"{len(skipped) - open_points} points outside the hypotheses"] if len(skipped) > open_points else []
    searched = words.searched(verdict)
    lines += [f"beyond the grid: {searched}"] if searched else ["nothing beside the grid was searched"]
    unknown = [_condition(cell["hypothesis"]) for cell in cells if cell["state"] == "unknown"]
    lines += [f"whether these hypotheses are needed: {'; '.join(unknown)}"] if unknown else []
    lines += words.remarks(verdict)
    return [f"{'; '.join(lines)[:1].upper()}{'; '.join(lines)[1:]}."]


def _again(verdict: Verdict) -> list[str]:
    """The command that judges it again, and the one for other sizes."""
    command = str(verdict.get("command") or f"theorytools verify {verdict['id']}")
    axes = [(name, part["high"]) for name, part in (verdict.get("tested") or {}).items() if part["values"] > 1]
    elsewhere = [f"theorytools verify {verdict['id']} --at {axes[0][0]}={axes[0][1]}"] if axes else []
    return [f"{command} --fresh", *elsewhere]
