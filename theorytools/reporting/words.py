"""The words a report uses for outcomes, evidence, provenance, scope and horizon; one place, one wording."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from theorytools.meaning import MARKS, SEEN, remark_text, scope_text
from theorytools.reporting.horizon import excluded_text, searched_text, seen_text, sizes_text, trend_text, weakest
from theorytools.reporting.numbers import pretty, significant

MOST = 3  # letters that a line of a table names
OUTCOMES = {
    "HOLDS": "every row satisfies the statement, and every control behaves as it must",
    "REFUTED": "some row contradicts the statement as it is read here",
    "WITNESS FAILS": "what is exhibited for it fails there; another witness may do",
    "UNDECIDED": "some comparison stayed open after the whole budget; neither answer is given",
    "POWERLESS": "a control that should fail did not, so this check cannot tell true from false",
    "INAPPLICABLE": "the hypotheses fail at every point asked for",
}
EVIDENCE = {
    "EXACT": "exact: integers and rationals",
    "ENCLOSED": "enclosed: directed rounding",
    "SAMPLED": "sampled: confidence sequences",
    "OBSERVED": "observed: a run in one machine's own arithmetic",
    "FITTED": "fitted: regressions or trained models",
}
TRUTH = {True: "holds", False: "fails", None: "open"}
NO_PREMISE = "premise false"


def idle(row: Mapping[str, Any]) -> bool:
    """Whether the premise of an implication is false in a row, so that it says nothing."""
    return (row.get("premise") or {}).get("truth") is False


def marks(row: Mapping[str, Any]) -> list[str]:
    """Return what is to be said of a row besides its truth: that a tie decided it, that its bound says nothing.

    A bound beyond the trivial one is met by whatever the quantity can be; a row that fails it was measured outside of
    the range that its quantity is said to have.
    """
    found = ["tied"] if row.get("tied") else []
    return found + (["outside its range" if row.get("truth") is False else "vacuous"] if row.get("vacuous") else [])


def evidence(verdict: Mapping[str, Any]) -> str:
    """Return how strong the numbers of a verdict are, in words."""
    grade = verdict.get("evidence")
    spent = (verdict.get("alpha") or {}).get("spent")
    if grade == "SAMPLED" and spent is not None:
        return "sampled: error probability ≤ " + small(spent)
    return EVIDENCE.get(str(grade), "no evidence")


def small(number: float) -> str:
    """Return a probability with two digits, rounded up."""
    return pretty(significant(Decimal(repr(float(number))), 2, "ROUND_CEILING", strip=True))


def scope(verdict: Mapping[str, Any]) -> str:
    """Return the quantifiers of what is claimed, each with how it is covered."""
    return scope_text(verdict.get("scope") or {}) or "–"


def provenance(verdict: Mapping[str, Any]) -> str:
    """Return whose statement a claim is, where it stands, and what of its display was available."""
    source = verdict.get("source") or {}
    mark = str(source.get("provenance"))
    mark = mark if mark in MARKS else "not stated"
    seen = SEEN.get(str(source.get("seen")), "") if mark == "published" else ""
    where = ", ".join(filter(None, [source.get("where"), seen]))
    return f"{mark} ({where})" if where else mark


def sizes(verdict: Mapping[str, Any]) -> str:
    """Return the sizes at which a claim was judged: ``N = 4..1024``."""
    return sizes_text(verdict.get("tested") or {}, MOST) or "–"


def searched(verdict: Mapping[str, Any]) -> str:
    """Return what the search beside the grid did: ``searched 60 points beside the grid, N = 1..4096``."""
    return searched_text(verdict.get("searched") or {})


def remarks(verdict: Mapping[str, Any]) -> list[str]:
    """Return what the trial of the check found, a line each."""
    return [remark_text(remark) for remark in verdict.get("remarks") or ()]


def points(verdict: Mapping[str, Any]) -> str:
    """Return how many points were judged, of how many: a hypothesis may have dropped some."""
    rows = [row for row in verdict.get("rows") or () if not row.get("control")]
    judged = len({tuple((row.get("point") or {}).items()) for row in rows})
    left = len(verdict.get("skipped") or ())
    return f"{judged} of {judged + left}" if left else str(judged)


def would_see(verdict: Mapping[str, Any]) -> str:
    """Return which wrong statements the rows of a claim reject, of the assertion that sees least, for a table."""
    least = weakest(sized(verdict))
    return _without(verdict) if least is None else seen_text(least, MOST)


def passes(verdict: Mapping[str, Any]) -> str:
    """Return the wrong constants the rows of a claim would pass, if off by more than 2: ``×93``, ``any``.

    Of the assertion that sees least; empty where its rows see a constant off by 2, and where they are yes or no.
    """
    least = weakest(sized(verdict))
    if least is None or least["zero"]:
        return ""
    if least["constant"] is None:
        return "" if any(x is not None for pair in least["exponents"].values() for x in pair) else "any"
    return seen_text({**least, "exponents": {}, "logs": [], "shifts": []}).split()[-1] if least["constant"] > 1 else ""


def sized(verdict: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the horizon without the assertions whose quantity was 0 or 1 at every row and 1 at some: yes or no."""
    found: dict[str, set[bool | None]] = {}
    for row in verdict.get("rows") or ():
        if isinstance(row, Mapping) and not row.get("control") and row.get("truth"):  # a record has them as lists
            found.setdefault(str(row.get("assertion")), set()).add(_yes_or_no(row))
    horizon = verdict.get("horizon") or {}
    return {name: seen for name, seen in horizon.items() if None in found.get(name, {None}) or True not in found[name]}


def _yes_or_no(row: Mapping[str, Any]) -> bool | None:
    """Whether a row measured exactly 0 or exactly 1; None for any other number.  Doubles tell both exactly."""
    if "numbers" in row:  # of a committed record: an exact number is a text
        return {"0": False, "1": True}.get(row["numbers"][0] if isinstance(row["numbers"][0], str) else "")
    measured = row.get("measured") or {}
    ends = set(measured.get("show") or ()) if measured.get("evidence") == "EXACT" else set()
    return {frozenset({0.0}): False, frozenset({1.0}): True}.get(frozenset(ends))


def _without(verdict: Mapping[str, Any]) -> str:
    """What a verdict without a horizon would see: of a quantity that is 0 or 1 at every row nothing is said."""
    powerless = verdict.get("outcome") == "POWERLESS" or (verdict.get("outcome") == "HOLDS" and not verdict.get("rows"))
    return "no power" if powerless else "–"


def excludes(verdict: Mapping[str, Any]) -> str:
    """Return in words what the rows of a claim exclude, of the assertion that sees least; empty where it says nothing.

    Of a quantity that is 0 or 1 at every row nothing is said.
    """
    seen = sized(verdict)
    least = weakest(seen)
    name = next((name for name in seen if seen[name] is least), "")
    return excluded_text(least, _relation(verdict, name), MOST) if least is not None else ""


def _relation(verdict: Mapping[str, Any], assertion: str) -> str:
    return next((a["relation"] for a in verdict.get("assertions") or () if a.get("name") == assertion), "==")


def horizon_lines(verdict: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return for each assertion what its rows exclude."""
    seen = sized(verdict)
    return [(name, excluded_text(part, _relation(verdict, name))) for name, part in seen.items()]


def trends(verdict: Mapping[str, Any]) -> list[str]:
    """Return where the slack would end, a line for each assertion and letter along which it points to an end."""
    found = [told for told in verdict.get("trend") or () if told["ends"]]
    named = len({told["assertion"] for told in verdict.get("trend") or ()}) > 1
    return [f"{told['assertion']}: {trend_text(told)}" if named else trend_text(told) for told in found]


def verdict_line(verdict: Mapping[str, Any]) -> str:
    """Return the verdict as one line: ``HOLDS for N = 4..1024; its rows exclude: a constant smaller by 1 %``."""
    outcome, where, out = str(verdict.get("outcome")), sizes(verdict), excludes(verdict)
    said = f"{outcome} for {where}" if where != "–" else outcome
    return f"{said}; its rows exclude: {out}" if out and outcome == "HOLDS" else said


def expectation(verdict: Mapping[str, Any]) -> str:
    """Return whether the outcome is the one the check expects, in words; at a user's points, what its grid expects."""
    if verdict.get("user_points") and verdict.get("expect", "HOLDS") != "HOLDS":
        return f"its grid expects {str(verdict['expect']).lower()}"
    if verdict.get("as_expected"):
        return "as expected"
    return f"expected {str(verdict.get('expect', 'HOLDS')).lower()}"


def record(verdict: Mapping[str, Any]) -> tuple[str, bool]:
    """Return when and from which commit a verdict's record was made, and whether from uncommitted code."""
    return made_from(verdict.get("record") or {})


def confirmed(verdict: Mapping[str, Any]) -> str:
    """Return of which committed record a verdict is that was not judged here; nothing for any other."""
    made = verdict.get("committed")
    return made_from(made)[0] or "no commit" if made else ""


def trained(verdict: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """Return the records of trained models that a verdict reads: name, and what :func:`made_from` says of each."""
    return [(name, *made_from(made)) for name, made in sorted((verdict.get("trained") or {}).items())]


def uncommitted(verdict: Mapping[str, Any]) -> bool:
    """Whether a record that a verdict rests on was made from code that no commit holds."""
    made = [record(verdict), made_from(verdict.get("committed") or {})]
    return any(dirty for *_, dirty in [*made, *trained(verdict)])


def made_from(made: Mapping[str, Any]) -> tuple[str, bool]:
    """Return date and commit of a provenance in words, and whether it says that the code was not committed."""
    when, commit = str(made.get("created") or "").partition("T")[0], str(made.get("commit") or "")
    dirty = bool(made.get("changed_since")) or commit.endswith("-dirty")
    return ", ".join(filter(None, [when, commit and f"commit {commit[:12]}"])), dirty


def controls(verdict: Mapping[str, Any]) -> str:
    """Return how many controls did what they must: ``2 of 2 break; repair holds``."""
    entries = verdict.get("controls") or ()
    spoiled = [entry.get("outcome") for entry in entries if not entry.get("repair")]
    repairs = [str(entry.get("outcome")) for entry in entries if entry.get("repair")]
    parts = [f"{spoiled.count('breaks')} of {len(spoiled)} break"] if spoiled else []
    parts += [f"repair {outcome}" for outcome in dict.fromkeys(repairs)]
    return "; ".join(parts) or "–"


def control(entry: Mapping[str, Any]) -> str:
    """Return what one control did, in the words that verdicts use: ``did not break at 3 of 8 points: …``."""
    applied, broken, repair = entry.get("applied") or 0, entry.get("broken") or 0, bool(entry.get("repair"))
    if not applied:
        return "applies at no point"
    good = "holds" if repair else "breaks"
    if entry.get("outcome") == good:
        return f"{good} at {applied} of {applied} points"
    detail = f": {entry['detail']}" if entry.get("detail") else ""
    return f"did not {'hold' if repair else 'break'} at {applied - broken} of {applied} points{detail}"


def anchor(verdict: Mapping[str, Any]) -> str:
    """Return what names a verdict on its page: its id, with the point where the user chose one."""
    at = ",".join(point.strip() for point in str(verdict.get("command") or "").split(" --at ")[1:])
    return f"{verdict['id']}@{at}".replace(" ", "_") if at and verdict.get("user_points") else str(verdict["id"])


def label(verdict: Mapping[str, Any]) -> str:
    """Return the label of a verdict, with the point where the user chose one."""
    at = anchor(verdict).partition("@")[2]
    return str(verdict.get("label") or verdict["id"]) + (f", at {at.replace(',', ', ')}" if at else "")
