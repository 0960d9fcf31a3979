"""Which numbers of a verdict to draw: one assertion, along the size letter, else the axis with the most numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from theorytools.reporting.numbers import ends, fraction, point_text

LIMIT = 48  # points that stay legible, and within the size of a statement
Row = Mapping[str, Any]
SIZES = ("N", "T", "n")  # what a statement is asymptotic in, where one of these takes three values
LABELS = frozenset({"repeat", "trial", "seed", "draw"})  # numbers that only name a draw


@dataclass(frozen=True)
class Mark:
    """One interval above one position of the axis."""

    x: Decimal
    low: Decimal
    high: Decimal


@dataclass(frozen=True)
class Chart:
    """Everything that a plot shows.

    ``ticks`` pairs positions with labels; ``lines`` are the right sides, joined where only the axis varies;
    ``tightest`` says that each position keeps its row of smallest slack only.
    """

    axis: str
    numeric: bool
    assertion: str
    relation: str
    ticks: tuple[tuple[Decimal, str], ...]
    measured: tuple[Mark, ...]
    lines: tuple[tuple[Mark, ...], ...]
    controls: tuple[tuple[str, tuple[Mark, ...]], ...]
    tightest: bool


def chart(verdict: Mapping[str, Any]) -> Chart | None:
    """Return what to draw, or None when no axis takes two values."""
    rows = [row for row in verdict.get("rows") or () if row.get("measured") and row.get("bound")]
    best: tuple[int, str, str, list[Row]] | None = None
    for name in dict.fromkeys(row.get("assertion", "") for row in rows):
        own = [row for row in rows if row.get("assertion", "") == name]
        axis, distinct = _widest_axis([row for row in own if not row.get("control")])
        if axis is not None and (best is None or distinct > best[0]):
            best = distinct, name, axis, own
    return None if best is None else _assemble(verdict, *best[1:])


def _widest_axis(rows: Sequence[Row]) -> tuple[str | None, int]:
    """The size letter, else the numeric axis with the most distinct values, else that of words, else names of draws."""
    values: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row["point"].items():
            values.setdefault(name, set()).add(str(value))
    ranked = [
        (name not in LABELS, all(fraction(v) is not None for v in seen), _size(name, len(seen)), len(seen), name)
        for name, seen in values.items()
        if len(seen) > 1
    ]
    if not ranked:
        return None, 0
    telling, numeric, _, distinct, name = max(ranked, key=lambda entry: entry[:4])  # the first of equals
    return name, distinct if telling and numeric else 1


def _size(name: str, distinct: int) -> int:
    return len(SIZES) - SIZES.index(name) if name in SIZES and distinct >= 3 else 0


def _assemble(verdict: Mapping[str, Any], assertion: str, axis: str, rows: list[Row]) -> Chart:
    honest = [row for row in rows if not row.get("control")]
    words = list(dict.fromkeys(str(row["point"][axis]) for row in honest if axis in row["point"]))
    numeric = all(fraction(word) is not None for word in words)
    place = {word: _position(word, index, numeric) for index, word in enumerate(words)}
    rows = [row for row in rows if str(row["point"].get(axis)) in place]
    honest = [row for row in rows if not row.get("control")]
    tightest = len(honest) > LIMIT
    if tightest:
        honest = _tightest(honest, axis)
        kept = {_key(row) for row in honest}
        rows = [row for row in rows if _key(row) in kept]

    def mark(row: Row, estimates: Sequence[Mapping[str, Any]]) -> Mark:
        return Mark(place[str(row["point"][axis])], ends(estimates[0])[0], ends(estimates[-1])[1])

    groups: dict[tuple[Any, ...], list[Mark]] = {}
    for row in honest:
        others = () if tightest else tuple(item for item in row["point"].items() if item[0] != axis)
        groups.setdefault(others, []).append(mark(row, row["bound"]))
    spoiled: dict[str, list[Mark]] = {}
    for row in rows:
        if row.get("control") and assertion in _broken_by(verdict, row["control"]):
            spoiled.setdefault(row["control"], []).append(mark(row, [row["measured"]]))
    relations = {a.get("name"): a.get("relation", "") for a in verdict.get("assertions") or ()}
    return Chart(
        axis=axis,
        numeric=numeric,
        assertion=assertion,
        relation=relations.get(assertion, ""),
        ticks=tuple(sorted((place[word], point_text(word)) for word in words)),
        measured=tuple(mark(row, [row["measured"]]) for row in honest),
        lines=tuple(tuple(sorted(group, key=lambda m: m.x)) for group in groups.values()),
        controls=tuple((name, tuple(marks)) for name, marks in list(spoiled.items())[:2]),
        tightest=tightest,
    )


def _position(word: str, index: int, numeric: bool) -> Decimal:
    number = fraction(word)
    if not numeric or number is None:
        return Decimal(index)
    return Decimal(number.numerator) / Decimal(number.denominator)


def _key(row: Row) -> tuple[Any, ...]:
    return tuple(row["point"].items())


def _tightest(rows: Sequence[Row], axis: str) -> list[Row]:
    """At each position the row that decides: a failing or open one first, then the smallest slack."""
    best: dict[str, Row] = {}
    for row in rows:
        here = str(row["point"][axis])
        if here not in best or urgency(row) < urgency(best[here]):
            best[here] = row
    return list(best.values())


def urgency(row: Row) -> tuple[int, float]:
    """Sort key: failing rows, then open ones, then the others by slack, vacuous ones last."""
    rank = {False: 0, None: 1, True: 2}[row.get("truth")]
    if rank == 2 and row.get("vacuous"):
        rank = 3
    slack = row.get("slack")
    return rank, float("inf") if slack is None else float(slack)


def _broken_by(verdict: Mapping[str, Any], control: str) -> list[str]:
    """The assertions that a control is to break; every one where the verdict does not say."""
    names = [a.get("name", "") for a in verdict.get("assertions") or ()]
    for entry in verdict.get("controls") or ():
        if entry.get("name") == control:
            return list(entry.get("breaks") or names)
    return names
