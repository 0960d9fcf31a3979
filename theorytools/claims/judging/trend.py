r"""Whether the slack of a bound runs out along a size: a question to be asked beyond the grid, never an outcome.

Along one whole-number letter, the others equal, let :math:`s=b/m` be the slack of an upper bound (:math:`m/b` of a
lower one) and :math:`e=s-1` its excess.  Every bound that is met in the limit has a falling slack, so the fall alone
says nothing.  Of three sizes, the last and two about a factor two apart before it, the question is asked only where

* the exponent :math:`-\Delta\log e/\Delta\log v` grows, by 2 % at least (of :math:`1+c/v^a` it stays, of a limit above
  1 it falls; towards an end it grows without bound),
* the fall of the slack for each factor of the size, :math:`-\Delta s/\Delta\log v`, has not halved, and
* :math:`e` does not fall exponentially: its rates for each unit of the size, :math:`-\Delta\log e/\Delta v`, differ by
  more than 10 %.

Each must hold for all numbers of the stored intervals, and the slack must fall at every size from the first of the
three on.  The end is told by two fits through the last two of them: :math:`s=cv^{-a}` reaches 1 at
:math:`v s^{1/a}`, and :math:`s=c-a\log v` at :math:`v e^{(s-1)/a}`, which is the nearer one, since
:math:`\log s\ge1-1/s`.  Shapes such as :math:`1+c\log v/v` cannot be told from an end by three sizes and may ask, too.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.grid import Value, axis_value
from theorytools.numbers import Enclosure, float_lower, float_upper

LEAST_SIZES = 3
GROWN, HALVED, EXPONENTIAL = 1.02, 0.5, 1.1
FARTHER = Fraction(12, 5)  # of planted ends nine in ten lie before so many times the nearer fit
RESOLVED = 10**6  # sizes nearer than this part of themselves have no rate in doubles
FARTHEST = 1e15  # an end beyond is none that could be looked at


@dataclass(frozen=True)
class Place:
    """One size of a series, with the slack and its excess as intervals: ``(low, high)``."""

    size: int
    excess: tuple[float, float]

    @property
    def slack(self) -> float:
        """The slack that is certain."""
        return 1 + self.excess[0]


def trend(rows: Sequence[Row], trials: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return for each inequality and each size along which it was judged how its slack moves.

    Parameters
    ----------
    rows : the claim's own rows; those of controls, of equalities and of quantities that are 0 or 1 are left out.
    trials : letters that count trials, and are no sizes.

    Returns
    -------
    list of dict
        ``assertion``, ``letter``, ``at`` (the other letters of the series that is told), ``sizes`` (its first and
        last), ``slack`` there, ``exponent`` (the slack is :math:`cv^{-a}` through the last two of three sizes) and
        ``ends``: the two sizes at which the slack would be spent, None where nothing points to an end.
    """
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for name, own in _judged(rows).items():
        for letter in own[0].point:
            if letter not in trials:
                for at, places in _series(own, letter):
                    found.setdefault((name, letter), []).append(_told(name, letter, at, places))
    return [min(told, key=_nearness) for told in found.values()]


def trend_ends(told: Iterable[Mapping[str, Any]]) -> list[dict[str, Value]]:
    """Return the points at which a search should look first: the later end, and where nine of ten have ended.

    Parameters
    ----------
    told : of a verdict its ``trend``.

    Returns
    -------
    list of dict : axes with exact values, the nearest in proportion first; powers of two where all sizes were.
    """
    points = []
    for one in sorted((one for one in told if one["ends"]), key=_nearness):
        for end in (Fraction(one["ends"][1]), FARTHER * Fraction(one["ends"][1])):
            size = max(math.ceil(end), int(one["sizes"][1]) + 1)
            size = 1 << (size - 1).bit_length() if one["binary"] else size
            points.append({name: axis_value(text) for name, text in one["at"].items()} | {one["letter"]: size})
    return [point for k, point in enumerate(points) if point not in points[:k]]


def _judged(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each inequality of which all are true, unless its quantity takes the values 0 and 1 alone."""
    own: dict[str, list[Row]] = {}
    for row in rows:
        if not row.control and row.relation != "==":
            own.setdefault(row.assertion, []).append(row)
    return {name: some for name, some in own.items() if all(row.truth for row in some) and not zero_or_one(some)}


def zero_or_one(rows: Sequence[Row]) -> bool:
    """Whether a quantity was exactly 0 or exactly 1 at every row: it says yes or no, and has neither size nor slack."""
    return all(row.measured.low == row.measured.high and row.measured.low in (0, 1) for row in rows)


def _series(rows: Sequence[Row], letter: str) -> Iterable[tuple[dict[str, str], list[Place]]]:
    """The series along a letter in which all other letters are equal, with enough whole sizes and a slack at each."""
    series: dict[tuple[tuple[str, str], ...], list[tuple[str, Row]]] = {}
    for row in rows:
        at = {name: value for name, value in row.point.items() if name != letter}
        series.setdefault(tuple(at.items()), []).append((row.point[letter], row))
    for key, own in series.items():
        if len(own) >= LEAST_SIZES and all(size.isdecimal() and int(size) > 0 for size, _ in own):
            ordered = sorted(own, key=lambda pair: int(pair[0]))
            excesses = [(int(size), _excess(row)) for size, row in ordered]
            places = [Place(size, excess) for size, excess in excesses if excess is not None]
            apart = all((b.size - a.size) * RESOLVED >= a.size for a, b in pairwise(places))
            if len(places) == len(own) and apart:
                yield dict(key), places


def _excess(row: Row) -> tuple[float, float] | None:
    """The excess of the slack as an interval, rounded outward; None where a side is not positive, or unbounded."""
    small, large = (row.measured, row.bound[-1]) if row.relation == "<=" else (row.bound[0], row.measured)
    ends = (small.low, small.high, large.low, large.high)
    if not all(end.finite for end in ends) or small.low <= 0:
        return None
    least, most, low, high = (Enclosure(end.value) for end in ends)
    interval = float_lower(((low - most) / most).lower), float_upper(((high - least) / least).upper)
    return (max(interval[0], 0.0), interval[1]) if all(map(math.isfinite, interval)) else None


def _three(places: Sequence[Place]) -> tuple[int, int, int]:
    """The last size, one at a quarter of it or less that has another between, and the one nearest to their middle."""
    last = len(places) - 1
    first = max((k for k in range(last - 1) if 4 * places[k].size <= places[last].size), default=0)
    middle = math.log(places[first].size) + math.log(places[last].size)
    return first, min(range(first + 1, last), key=lambda k: abs(2 * math.log(places[k].size) - middle)), last


def _told(name: str, letter: str, at: Mapping[str, str], places: Sequence[Place]) -> dict[str, Any]:
    first, middle, last = _three(places)
    before, end = places[middle], places[last]
    span = math.log(end.size) - math.log(before.size)
    power = (math.log(before.slack) - math.log(end.slack)) / span
    ends = None
    if _asks(places[first : last + 1], places[first], before, end):
        fall = (before.slack - end.slack) / span
        reached = [math.log(end.size) + end.excess[0] / fall, math.log(end.size) + math.log(end.slack) / power]
        if reached[1] < math.log(FARTHEST):
            ends = [_rounded(math.exp(log)) for log in sorted(reached)]
    return {
        "assertion": name, "letter": letter, "at": dict(at), "sizes": [str(places[0].size), str(end.size)],
        "slack": [_rounded(places[0].slack), _rounded(end.slack)], "exponent": _rounded(power), "ends": ends,
        "binary": all(place.size & (place.size - 1) == 0 for place in places),
    }  # fmt: skip


def _asks(falling: Sequence[Place], first: Place, middle: Place, last: Place) -> bool:
    """Whether the slack points to an end, at all numbers of the intervals: the rule above."""
    if any(a.excess[0] <= b.excess[1] for a, b in pairwise(falling)) or last.excess[0] <= 0:
        return False
    logs = [(math.log(p.excess[0]), math.log(p.excess[1])) for p in (first, middle, last)]
    spans = [math.log(b.size) - math.log(a.size) for a, b in ((first, middle), (middle, last))]
    falls = [_fall(a.excess, b.excess, x) for (a, b), x in zip(((first, middle), (middle, last)), spans, strict=True)]
    exponents = [_fall(logs[k], logs[k + 1], spans[k]) for k in (0, 1)]
    units = [middle.size - first.size, last.size - middle.size]
    rates = [_fall(logs[k], logs[k + 1], units[k]) for k in (0, 1)]
    apart = rates[1][0] > EXPONENTIAL * rates[0][1] or EXPONENTIAL * rates[1][1] < rates[0][0]
    return exponents[1][0] > GROWN * exponents[0][1] and falls[1][0] > HALVED * falls[0][1] and apart


def _fall(before: tuple[float, float], after: tuple[float, float], span: float) -> tuple[float, float]:
    """The least and the largest fall between two intervals, for each unit of the span."""
    return (before[0] - after[1]) / span, (before[1] - after[0]) / span


def _rounded(value: float) -> float:
    """Three significant digits, which no library's logarithm disputes."""
    return float(f"{value:.3g}")


def _nearness(told: Mapping[str, Any]) -> tuple[bool, float]:
    """Series that ask come first, by how soon they would end; then those with the least slack at the last size."""
    return told["ends"] is None, told["ends"][0] / int(told["sizes"][1]) if told["ends"] else told["slack"][1]
