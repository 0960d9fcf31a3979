"""Which numbers of a verdict to draw: one assertion, as curves along its main letter, else a line for each setting.

A setting is the values of all letters but the main one: points of unlike settings never stand on one axis.  The main
letter is the one along which most rows lie on a curve of at least three values; of equals a size (``N``, ``T``, ``n``),
then the one with the most values, then the one along which the bound moves most, then the first.  Where no letter has
curves through half of the rows, or a row that fails lies on none, each row stands on a line of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from theorytools.reporting.numbers import ends, fraction, short_text

CURVES, LINES = 4, 12  # settings that stay legible: as curves, and as lines
DENSE = 10  # rows of one curve
Row = Mapping[str, Any]
Span = tuple[Decimal, Decimal]
Setting = tuple[tuple[str, str], ...]
SIZES = ("N", "T", "n")  # what a statement is asymptotic in
LABELS = frozenset({"repeat", "trial", "seed", "draw"})  # numbers that only name a draw


@dataclass(frozen=True)
class Mark:
    """One interval above one position of the axis."""

    x: Decimal
    low: Decimal
    high: Decimal


@dataclass(frozen=True)
class Spoiled:
    """What the control has at a point: its own measured interval and right side; None where it is the claim's."""

    measured: Span | None
    bound: Span | None


@dataclass(frozen=True)
class Spot:
    """One row: where it stands, what was measured, its right side, slack and truth, and what the control has there.

    ``x`` is the value of the main letter, where there is none the number of the line; ``point`` are all its letters.
    """

    x: Decimal
    word: str
    measured: Span
    bound: Span
    slack: float | None
    truth: bool | None
    spoiled: Spoiled | None = None
    point: Setting = ()


@dataclass(frozen=True)
class Curve:
    """The rows of one setting along the main letter; ``setting`` has the letters that tell it from the others."""

    setting: Setting
    spots: tuple[Spot, ...]


@dataclass(frozen=True)
class Chart:
    """Everything that a figure shows.

    ``axis`` is the main letter, empty where each row has a line of its own: then every curve has one spot.  ``control``
    is the name of the one that is drawn, ``total`` and ``settings`` are how many rows and settings the assertion has,
    drawn or not.
    """

    axis: str
    assertion: str
    quantity: str
    relation: str
    curves: tuple[Curve, ...]
    control: str = ""
    total: int = 0
    settings: int = 0

    @property
    def spots(self) -> tuple[Spot, ...]:
        """All rows that are drawn, curve by curve."""
        return tuple(spot for curve in self.curves for spot in curve.spots)

    @property
    def ticks(self) -> tuple[tuple[Decimal, str], ...]:
        """The values of the main letter with their words, in order."""
        return tuple(sorted({spot.x: short_text(spot.word) for spot in self.spots}.items()))

    @property
    def measured(self) -> tuple[Mark, ...]:
        """What was measured, row by row."""
        return tuple(Mark(spot.x, *spot.measured) for spot in self.spots)

    @property
    def lines(self) -> tuple[tuple[Mark, ...], ...]:
        """The right sides, curve by curve."""
        return tuple(tuple(Mark(spot.x, *spot.bound) for spot in curve.spots) for curve in self.curves)

    @property
    def controls(self) -> tuple[tuple[str, tuple[Mark, ...]], ...]:
        """What the control measured, by its name."""
        marks = tuple(Mark(s.x, *(s.spoiled.measured or s.measured)) for s in self.spots if s.spoiled)
        return ((self.control, marks),) if self.control else ()


@dataclass(frozen=True)
class _Way:
    """A way to draw one assertion: how good it is, the rows of each setting, and how many settings there are."""

    rank: tuple[float, ...]
    letter: str
    count: int
    settings: tuple[tuple[Setting, tuple[Row, ...]], ...]


def chart(verdict: Mapping[str, Any], letter: str = "") -> Chart | None:
    """Return what to draw, or None where there is no second point.

    Parameters
    ----------
    verdict : a stored verdict.
    letter : the main letter; chosen as above unless given.  None is returned where it does not take two values in any
        setting.
    """
    rows = [row for row in verdict.get("rows") or () if row.get("measured") and row.get("bound")]
    best: tuple[tuple[float, ...], list[Row], _Way] | None = None
    for place, name in enumerate(dict.fromkeys(row.get("assertion", "") for row in rows if not row.get("control"))):
        own = [row for row in rows if row.get("assertion", "") == name and not row.get("control")]
        ways = [way for one in ([letter] if letter else own[0]["point"]) if (way := _along(own, one, bool(letter)))]
        lines = _Way((), "", len(own), tuple((_setting(row), (row,)) for row in own))
        way = max(ways, key=lambda one: one.rank, default=lines)
        if (letter and not ways) or len({_setting(row) for row in own}) < 2:
            continue
        fails = any(row.get("truth") is False for row in own)
        rank = (fails, len({str(_shown(row)) for row in own}) > 1, bool(way.letter), -place)
        if best is None or rank > best[0]:
            best = rank, own, way
    return None if best is None else _assembled(verdict, rows, *best[1:])


def _along(rows: Sequence[Row], letter: str, asked: bool) -> _Way | None:
    """The curves along a letter, where it has any worth drawing; draws of one setting share a curve."""
    if letter in LABELS or any(fraction(str(row["point"].get(letter))) is None for row in rows):
        return None
    found = _grouped(rows, lambda row: _setting(row, letter, *LABELS))
    if any(len({str(_shown(row)[1]) for row in alike}) > 1 for own in found.values() for alike in _alike(own, letter)):
        found = _grouped(rows, lambda row: _setting(row, letter))
    curves = {at: own for at, own in found.items() if len(_values(own, letter)) > 1}
    covered = [row for own in curves.values() for row in own]
    drawn = {id(row) for row in covered}
    longest = max((len(_values(own, letter)) for own in curves.values()), default=0)
    left = any(row.get("truth") is not True for row in rows if id(row) not in drawn)
    worth = longest >= 3 and 2 * len(covered) >= len(rows) and not left
    if not curves or not (asked or worth or len(found) == 1):
        return None
    size = len(SIZES) - SIZES.index(letter) if letter in SIZES else 0
    moves = max(_movement(own) for own in curves.values())
    rank = (len(covered), size, len(_values(covered, letter)), moves)
    return _Way(rank, letter, len(found), tuple((at, tuple(own)) for at, own in curves.items()))


def _grouped(rows: Iterable[Row], key: Callable[[Row], Setting]) -> dict[Setting, list[Row]]:
    found: dict[Setting, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def _alike(rows: Iterable[Row], letter: str) -> list[list[Row]]:
    """The rows of each value of a letter."""
    return list(_grouped(rows, lambda row: ((letter, str(row["point"][letter])),)).values())


def _setting(row: Row, *without: str) -> Setting:
    return tuple((name, str(value)) for name, value in row["point"].items() if name not in without)


def _values(rows: Iterable[Row], letter: str) -> set[str]:
    return {str(row["point"][letter]) for row in rows}


def _shown(row: Row) -> tuple[Any, Any]:
    """What is measured and what it is held against, as the verdict stores them."""
    return row["measured"].get("show"), [one.get("show") for one in row["bound"]]


def _movement(rows: Iterable[Row]) -> float:
    """By how many powers of ten the bound moves; its change where it is not positive."""
    places = [ends(row["bound"][-1])[1] for row in rows]
    finite = [place for place in places if place.is_finite()]
    if not finite:
        return 0.0
    low, high = min(finite), max(finite)
    return float(high.log10() - low.log10()) if low > 0 else min(float(high - low), math.inf)


def _assembled(verdict: Mapping[str, Any], rows: Sequence[Row], honest: Sequence[Row], way: _Way) -> Chart:
    relations = {a.get("name"): a.get("relation", "") for a in verdict.get("assertions") or ()}
    first = honest[0]
    name = first.get("assertion", "")
    relation = relations.get(name) or first.get("relation", "")
    chosen = _chosen(way)
    drawn = [row for _, own in chosen for row in own]
    control, spoiled = _control(verdict, rows, drawn)
    moving = _moving([at for at, _ in chosen])
    curves = []
    for number, (at, own) in enumerate(chosen):
        spots = [_spot(row, way.letter, number, spoiled) for row in own]
        told = tuple(item for item in at if item[0] in moving)
        curves.append(Curve(told, tuple(sorted(spots, key=lambda spot: (spot.x, spot.measured)))))
    return Chart(
        axis=way.letter, assertion=name, quantity=str(first.get("quantity") or ""), relation=relation,
        curves=tuple(curves), control=control, total=len(honest),
        settings=way.count,
    )  # fmt: skip


def _chosen(way: _Way) -> list[tuple[Setting, tuple[Row, ...]]]:
    """The settings that are drawn, in their own order: those that fail first, then the longest, then the tightest."""
    most = CURVES if way.letter else LINES
    urgent = [min(map(urgency, own)) for _, own in way.settings]

    def before(k: int) -> tuple[Any, ...]:
        rank, slack = urgent[k]
        return (min(rank, 2), -len(way.settings[k][1]), rank, slack)

    order = sorted(range(len(way.settings)), key=before)
    return [(way.settings[k][0], _thinned(way.settings[k][1], way.letter)) for k in sorted(order[:most])]


def _thinned(rows: tuple[Row, ...], letter: str) -> tuple[Row, ...]:
    """The rows of a curve; of a long one those that fail or are open, and others evenly from the first to the last."""
    if len(rows) <= DENSE:
        return rows
    own = sorted(rows, key=lambda row: fraction(str(row["point"][letter])) or 0)
    kept = sorted(range(len(own)), key=lambda k: (urgency(own[k])[0] > 1, urgency(own[k])[1]))[:DENSE]
    kept = [k for k in kept if urgency(own[k])[0] <= 1]
    even = [k * (len(own) - 1) // (DENSE - 1) for k in range(DENSE)]
    kept += [k for k in even if k not in kept][: DENSE - len(kept)]
    return tuple(own[k] for k in sorted(kept))


def _moving(settings: Sequence[Setting]) -> set[str]:
    """The letters that tell the settings apart."""
    seen: dict[str, set[str]] = {}
    for at in settings:
        for name, value in at:
            seen.setdefault(name, set()).add(value)
    return {name for name, values in seen.items() if len(values) > 1}


def _spot(row: Row, letter: str, number: int, spoiled: Mapping[Setting, Row]) -> Spot:
    word = str(row["point"][letter]) if letter else ""
    value = fraction(word) if letter else None
    x = Decimal(number) if value is None else Decimal(value.numerator) / Decimal(value.denominator)
    slack = row.get("slack")
    return Spot(
        x, word, ends(row["measured"]), _side(row), None if slack is None else float(slack), row.get("truth"),
        _spoiled(row, spoiled.get(_setting(row))), _setting(row),
    )  # fmt: skip


def _side(row: Row) -> Span:
    return ends(row["bound"][0])[0], ends(row["bound"][-1])[1]


def _spoiled(row: Row, other: Row | None) -> Spoiled | None:
    if other is None:
        return None
    (measured, bound), (own, right) = _shown(other), _shown(row)
    return Spoiled(None if measured == own else ends(other["measured"]), None if bound == right else _side(other))


def _control(
    verdict: Mapping[str, Any], rows: Sequence[Row], drawn: Sequence[Row]
) -> tuple[str, Mapping[Setting, Row]]:
    """The control that breaks the assertion at most of the drawn rows, with its rows by their points; empty for none.

    One that is meant to break another assertion only comes last; of those that break as many rows one that can be seen
    to differ is taken, and of equals the first.  It may spoil the object or the right side; then its assertion has
    another name, and the same quantity.
    """
    first = drawn[0]
    name, quantity = first.get("assertion", ""), first.get("quantity")
    honest = {row.get("assertion", "") for row in rows if not row.get("control")}
    places = {_setting(row) for row in drawn}
    found: dict[str, dict[Setting, Row]] = {}
    for row in rows:
        control, own = row.get("control"), row.get("assertion", "")
        same = own == name or (own not in honest and row.get("quantity") == quantity)
        if control and same and row.get("truth") is False and _setting(row) in places:
            found.setdefault(control, {})[_setting(row)] = row
    aims = {entry.get("name"): entry.get("breaks") or [name] for entry in verdict.get("controls") or ()}
    told = {_setting(row): row for row in drawn}

    def before(one: str) -> tuple[bool, int, bool]:
        own = aims.get(one, [name])
        seen = any(_apart(told[at], row) for at, row in found[one].items())
        return not honest.isdisjoint(own) and name not in own, -len(found[one]), not seen

    order = sorted(found, key=before)
    return (order[0], found[order[0]]) if order else ("", {})


def _apart(row: Row, other: Row) -> bool:
    """Whether a control is told apart from the claim in a picture: by a twentieth, or in its sign."""
    spoiled = _spoiled(row, other)
    pairs = [(spoiled.measured, ends(row["measured"])), (spoiled.bound, _side(row))] if spoiled else []
    middles = [((own[0] + own[1]) / 2, (its[0] + its[1]) / 2) for own, its in pairs if own]
    return any(not (a.is_finite() and b.is_finite()) or 20 * abs(a - b) > abs(b) for a, b in middles)


def urgency(row: Row) -> tuple[int, float]:
    """Sort key: failing rows, then open ones, then the others by slack, vacuous ones last."""
    rank = {False: 0, None: 1, True: 2}[row.get("truth")]
    if rank == 2 and row.get("vacuous"):
        rank = 3
    slack = row.get("slack")
    return rank, float("inf") if slack is None else float(slack)
