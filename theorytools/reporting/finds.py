"""Disputed statements in words, for a page, for a document and for a terminal; data are those of ``disputed``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from theorytools.meaning import MISSING, PROVED, SOURCE, STALE, WAYS
from theorytools.reporting.escapes import markdown_text

Told = Mapping[str, Any]
LONGEST = 100  # characters of an input in a document
HEADS = ("statement", "who said it", "what happens", "first input that shows it", "lines", "seconds")
STATES = {
    "": "",
    STALE: "stale: the check changed since this was recorded",
    MISSING: "not recorded yet",
}
OUTCOMES = {"REFUTED": "refuted", "WITNESS FAILS": "what it exhibits fails", "UNDECIDED": "undecided"}
UNRESOLVED = "unresolved"


def counts_text(told: Told) -> str:
    """Return the counts in one sentence, with commands as code.

    Examples
    --------
    >>> print(counts_text({"counts": {"verify": 2, "falsify": 1, "witness": 0, "none": 0}, "rows": [{"state": ""}] * 3,
    ...                    "unsaid": [], "seconds": 10.0}))
    Of 3 disputed statements of others 2 are found wrong or unresolved by `verify` alone, 1 by `falsify` in 10 s of \
one core, 0 only by a witness that is brought; 0 are not found.
    """
    rows: Sequence[Told] = told["rows"]
    counts, late = told["counts"], sum(bool(row["state"]) for row in rows)
    parts = [
        f"Of {len(rows)} disputed statement{'s' * (len(rows) != 1)} of others {_are(counts['verify'])} found wrong or "
        f"unresolved by `verify` alone, {counts['falsify']} by `falsify` in {told['seconds']:g} s of one core, "
        f"{counts['witness']} only by a witness that is brought", f"{_are(counts['none'])} not found",
    ]  # fmt: skip
    parts += [f"{_are(late)} not recorded as the check is now"] if late else []
    left = len(told["unsaid"])
    parts += [f"{left} more cannot be said with the tool"] if left else []
    return "; ".join(parts) + "."


def _are(count: int) -> str:
    return f"{count} {'is' if count == 1 else 'are'}"


def holding(twin: Told) -> str:
    """Return the verdict of a twin in words: how far a HOLDS reaches, and its evidence."""
    said = f"{twin['outcome']}{' ' + twin['limit'] if twin['limit'] else ''}"
    return f"{said} ({twin['evidence'].lower()})" if twin["evidence"] else said


def happens(row: Told) -> str:
    """Return in a few words what becomes of a statement: refuted, unresolved, not found, stale or not recorded."""
    if row["state"]:
        return STATES[row["state"]]
    if row["way"] == "none":
        return "undecided in its budget" if row["outcome"] == "UNDECIDED" else WAYS["none"]
    word = UNRESOLVED if row["outcome"] == "UNDECIDED" else OUTCOMES[row["outcome"]]
    return f"{word}, {WAYS[row['way']]}"


def because(row: Told) -> str:
    """Return why, where no input shows it: which rival is not excluded, or what the verdict says; else nothing."""
    if row["state"] or row["place"]:
        return ""
    if row["outcome"] == "UNDECIDED":
        return str(row["said"]).removeprefix(f"{UNRESOLVED}: ")
    return f"the verdict is {' '.join(filter(None, [row['verify']['outcome'], row['verify']['limit']]))}"


def tried(row: Told) -> str:
    """Return how many points were tried by the search that found a violation, else by the last one; empty if none."""
    if row["state"] == MISSING or not (points := (row.get("falsify") or row)["points"]):
        return ""
    by = " by `falsify`" if "falsify" in row else " beside the grid"
    return f"{points} point{'s' * (points != 1)} tried{by}"


def shown_input(row: Told) -> str:
    """Return the first input that shows what happens, empty where none does."""
    return "" if row["state"] == MISSING else str(row["place"])


def repair_text(row: Told) -> str:
    """Return where the repaired twins come from."""
    text = str(row["repair"])
    return "proved" if text == PROVED else f"from {text.removeprefix(SOURCE)}"


def in_doubles(row: Told) -> list[tuple[str, str]]:
    """Return what doubles show beside what is exact, where they differ: pairs of words."""
    if row["state"] == MISSING:
        return []
    judged = {row["claim"]: happens(row).replace("`", ""), **{t["claim"]: holding(t) for t in row["repaired"]}}
    pairs = [(part["said"], judged.get(part["claim"], "")) for part in row["parts"]]
    if (doubles := row.get("doubles")) is not None:
        exact = "; ".join(holding(twin) for twin in row["repaired"])
        pairs.append((f"{holding(doubles)}: {doubles['reason']}", exact))
    return pairs


# -- documents -----------------------------------------------------------------------------------------------------
def documents(told: Told | None) -> dict[str, str]:
    """Return the blocks of the documents by name: ``line`` with the counts, ``table``, and ``page`` with all of it."""
    if told is None:
        return dict.fromkeys(("line", "table", "page"), "Nothing is disputed yet.")
    line, table = counts_text(told), finds_table(told)
    parts = [line, table]
    pairs = [(row, pair) for row in told["rows"] for pair in in_doubles(row)]
    if pairs:
        parts.append("What a run in doubles shows, beside the exact one:")
        lines = [_line(("statement", "in doubles", "exactly")), _line(["---"] * 3)]
        lines += [_line([markdown_text(text) for text in (row["statement"], *pair)]) for row, pair in pairs]
        parts.append("\n".join(lines))
    if told["unsaid"]:
        parts += ["What cannot be said with the tool:", unsaid_table(told)]
    return {"line": line, "table": table, "page": "\n\n".join(parts)}


def unsaid_table(told: Told) -> str:
    """Return the statements that cannot be said as a Markdown table, one a line, each with the reason."""
    lines = [_line(("statement", "who said it", "why it cannot be said")), _line(["---"] * 3)]
    lines += [_line([markdown_text(one["statement"]), _who(one), markdown_text(one["reason"])])
              for one in told["unsaid"]]  # fmt: skip
    return "\n".join(lines)


def finds_table(told: Told) -> str:
    """Return the disputed statements as a Markdown table, one a line, with :data:`HEADS`."""
    lines = [_line(HEADS), _line(["---", "---", "---", "---", "---:", "---:"])]
    for row in told["rows"]:
        place, recorded = shown_input(row), row["state"] != MISSING
        shown = place if len(place) <= LONGEST else f"{place[:LONGEST]}…"
        why = f": {markdown_text(because(row))}" if because(row) else ""
        said = f"{markdown_text(row['finding'])} *{_capital(happens(row))}*{why}."
        numbers = [str(row["lines"]), f"{row['seconds']:.2g}"] if recorded else ["", ""]
        code = f"`{shown.replace('|', chr(92) + '|')}`" if shown else "–"
        lines.append(_line([markdown_text(row["statement"]), _who(row), said, code, *numbers]))
    return "\n".join(lines)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _who(one: Told) -> str:
    return f"[{markdown_text(one['by'])}](<{one['address'].replace('>', '%3E').replace('|', '%7C')}>)"
