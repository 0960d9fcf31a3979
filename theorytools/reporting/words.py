"""The words a report uses for outcomes, evidence, provenance and power; one place, one wording."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from theorytools.reporting.numbers import pretty, significant

OUTCOMES = {
    "HOLDS": "every row satisfies the statement, and every control behaves as it must",
    "REFUTED": "some row contradicts the statement as it is read here",
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
PROVENANCE = {
    "published": "published",
    "reconstructed": "reconstructed display",
    "derived": "derived here",
}
FORCE = {
    "witness": "Witness: the object is exhibited and measured; beyond the points listed nothing is judged.",
    "corroborates": "Corroborates: the statement is universal, and a grid can only fail to refute it.",
}
CONTROLS = {
    "breaks": "breaks, as it must",
    "holds": "repair holds",
    "fails": "does not break",
    "open": "open",
    "never applies": "never applies",
}
TRUTH = {True: "holds", False: "fails", None: "open"}


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


def power(verdict: Mapping[str, Any]) -> str:
    """Return the factor by which the bound may be moved and be rejected, where the outcome asks for one."""
    factor = verdict.get("power")
    if factor is None:
        return "none" if verdict.get("outcome") in {"HOLDS", "POWERLESS"} else "–"
    return f"{factor:g}"


def power_sentence(verdict: Mapping[str, Any]) -> str:
    """Return what the power of a verdict means, as a sentence; nothing where it has none to speak of."""
    factor = power(verdict)
    if factor == "–":
        return ""
    if factor == "none":
        return "Power none: the bound moved towards falsehood, even by the factor 100, is not rejected."
    return f"Power {factor}: the bound moved by the factor {factor} towards falsehood is rejected."


def expectation(verdict: Mapping[str, Any]) -> str:
    """Return whether the outcome is the one the check expects, in words."""
    if verdict.get("as_expected"):
        return "as expected"
    return f"expected {str(verdict.get('expect', 'HOLDS')).lower()}"


def record(verdict: Mapping[str, Any]) -> tuple[str, bool]:
    """Return when and from which commit a verdict's record was made, and whether from uncommitted code."""
    return made_from(verdict.get("record") or {})


def trained(verdict: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """Return the records of trained models that a verdict reads: name, and what :func:`made_from` says of each."""
    return [(name, *made_from(made)) for name, made in sorted((verdict.get("trained") or {}).items())]


def uncommitted(verdict: Mapping[str, Any]) -> bool:
    """Whether a record that a verdict rests on was made from code that no commit holds."""
    return record(verdict)[1] or any(dirty for _, _, dirty in trained(verdict))


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


def anchor(verdict: Mapping[str, Any]) -> str:
    """Return what names a verdict on its page: its id, with the point where the user chose one."""
    at = ",".join(point.strip() for point in str(verdict.get("command") or "").split(" --at ")[1:])
    return f"{verdict['id']}@{at}".replace(" ", "_") if at and verdict.get("user_points") else str(verdict["id"])


def label(verdict: Mapping[str, Any]) -> str:
    """Return the label of a verdict, with the point where the user chose one."""
    at = anchor(verdict).partition("@")[2]
    return str(verdict.get("label") or verdict["id"]) + (f", at {at.replace(',', ', ')}" if at else "")
