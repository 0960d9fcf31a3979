"""Rows of a run: the first step that violates an assertion, else the tightest one of those that were looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from theorytools.claims.judging.verdict import Row
from theorytools.numbers import Enclosure, End


@dataclass
class Track:
    """What became of one assertion along a run: at each step that was looked at its truth, and how tight it was."""

    looks: dict[int, float] = field(default_factory=dict)
    failing: dict[bool | None, list[int]] = field(default_factory=lambda: {False: [], None: []})

    def look(self, t: int, row: Row) -> bool | None:
        """Take the row of a step; return its truth."""
        self.looks[t] = margin(row)
        if row.truth is not True:
            self.failing[row.truth].append(t)
        return row.truth

    def first(self, truth: Literal[False] | None, steps: int) -> int | None:
        """Return the first of so many steps at which it is false, or open, None without one."""
        return min((t for t in self.failing[truth] if t <= steps), default=None)

    def holds(self, t: int) -> bool:
        """Return whether it was looked at there and is true."""
        return t in self.looks and not any(t in steps for steps in self.failing.values())

    def bisect(self, steps: int, look: Callable[[int], bool | None]) -> None:
        """Look for the first violation between the last look at which it holds and the first at which it does not."""
        high = self.first(False, steps)
        if high is None:
            return
        low = max((t for t in self.looks if t < high), default=high - 1)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if look(middle) is False else (middle, high)

    def tightest(self, steps: int) -> list[int]:
        """Return the steps with the tightest first; where both sides are equal at several, the last of these."""
        inside = ((near, -t if near == 0 else t) for t, near in self.looks.items() if t <= steps)
        return [abs(t) for _, t in sorted(inside)]

    def decides(self, steps: int) -> int:
        """Return the step whose row is the row of the run."""
        false, open = self.first(False, steps), self.first(None, steps)
        return false if false is not None else open if open is not None else self.tightest(steps)[0]

    def every(self, first: int, steps: int) -> int:
        """Return up to which step every one was looked at."""
        t = first - 1
        while t < steps and t + 1 in self.looks:
            t += 1
        return t


def margin(row: Row) -> float:
    """Return how far a row is from failing, (bound - measured)/(|bound| + |measured|); negative where it fails.

    It orders rows that are to be shown; what is true was decided before.
    """
    if not all(end.finite for side in (row.measured, *row.bound) for end in (side.low, side.high)):
        return 1.0
    below = _relative(row.bound[-1].low, row.measured.high)
    above = _relative(row.measured.low, row.bound[0].high)
    if row.relation.startswith("<"):
        return below
    if row.relation == "!=":
        return max(below, above)
    return above if row.relation.startswith(">") else min(below, above)


def _relative(large: End, small: End) -> float:
    a, b = Enclosure(large.value), Enclosure(small.value)
    size = abs(a) + abs(b)
    return 0.0 if size.exact and size.lower == 0 else float((a - b) / size)


def told(row: Row, **work: Any) -> Row:
    """Return the row with its step, up to which step every one was judged, and how long the run is."""
    return replace(row, measured=replace(row.measured, work={**row.measured.work, **work}))


def reached(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """Return of each row of a run up to which step every one was judged, and how long the run is."""
    return [(row.measured.work["judged"], row.measured.work["steps"]) for row in rows if "judged" in row.measured.work]
