"""The numbers of a figure as CSV: a line for each row of its assertion, with every letter of the point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from theorytools.reporting import words
from theorytools.reporting.numbers import ends, significant
from theorytools.shown import csv_text

DIGITS = 17  # as many as a double holds
RELATIONS = {  # in words: a cell that begins with = is a formula to a table calculator
    "<=": "at most", ">=": "at least", "==": "equal to", "<": "below", ">": "above", "!=": "not equal to",
}  # fmt: skip


def chart_csv(verdict: Mapping[str, Any], assertion: str) -> str:
    """Return the rows of an assertion, those of its controls with their name.

    Ends of intervals have at most 17 significant digits and are rounded outward, so that what is between them is still
    certain; letters are the exact numbers and words of the point.

    Parameters
    ----------
    verdict : a stored verdict.
    assertion : the one that the figure shows.
    """
    rows = [row for row in verdict.get("rows") or () if row.get("assertion") == assertion and row.get("bound")]
    letters = list(dict.fromkeys(name for row in rows for name in row["point"]))
    heads = [*letters, "control", "measured_low", "measured_high", "relation", "bound_low", "bound_high", "row"]
    return csv_text([heads, *(_line(row, letters) for row in rows if row.get("measured"))])


def _line(row: Mapping[str, Any], letters: Sequence[str]) -> list[str | float]:
    low, high = _ends(row["bound"][0])[0], _ends(row["bound"][-1])[1]
    point = [str(row["point"].get(name, "")) for name in letters]
    relation = RELATIONS.get(row.get("relation", ""), "")
    return [*point, row.get("control", ""), *_ends(row["measured"]), relation, low, high, words.TRUTH[row["truth"]]]


def _ends(estimate: Mapping[str, Any]) -> tuple[str | float, str | float]:
    low, high = ends(estimate)
    return _number(low, estimate.get("low"), ROUND_FLOOR), _number(high, estimate.get("high"), ROUND_CEILING)


def _number(value: Decimal, exact: Mapping[str, Any] | None, rounding: str) -> str | float:
    if value.is_infinite():
        return float(value)
    if exact and "q" in exact:
        over, under = (Decimal(int(part, 16)) for part in exact["q"])
        value = Context(DIGITS, rounding, MIN_EMIN, MAX_EMAX, traps=[]).divide(over, under)
    return significant(value, DIGITS, rounding, strip=True)
