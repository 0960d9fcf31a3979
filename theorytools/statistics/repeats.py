r"""Repeats of a number that is measured at several sizes, where a repeat is an interval.

A run evaluated every ``step`` prompts that first succeeds at ``n`` needed more than ``n - step`` and at most ``n``; one
stopped without success needed more than the last ``n`` tried.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from theorytools.arguments.checked import Extended, checked, ranks
from theorytools.errors import DomainError
from theorytools.statistics.censored import Floats

Ends = tuple[tuple[Extended, ...], ...]


@checked
@dataclass(frozen=True)
class Repeats:
    r"""Repeats of a positive number at increasing sizes, each known to lie between two ends.

    Attributes
    ----------
    sizes : increasing positive sizes.
    low, high : the ends, one row per size, one entry per repeat; ``high = inf`` for a run that was stopped, ``low = 0``
        for one that succeeded at once, ``low = high`` for an exact number.  :meth:`observed` makes them.

    Raises
    ------
    DomainError
        For sizes that do not increase, rows that do not fit, NaN, or an interval that is empty or says nothing.
    """

    sizes: tuple[int | float, ...]
    low: Ends
    high: Ends

    def __post_init__(self) -> None:
        sizes = list(self.sizes)
        if not sizes or sizes != sorted(set(sizes)) or not (sizes[0] > 0 and sizes[-1] < math.inf):
            raise DomainError(f"the sizes {sizes}", required="finite, positive and increasing")
        shapes = [[len(row) for row in rows] for rows in (self.low, self.high)]
        if shapes[0] != shapes[1] or len(shapes[0]) != len(sizes) or 0 in shapes[0]:
            raise DomainError(
                f"repeats {shapes[0]} and {shapes[1]}", required=f"rows for {len(sizes)} sizes, not empty"
            )
        for size, lows, highs in zip(sizes, self.low, self.high, strict=True):
            for a, b in zip(lows, highs, strict=True):
                if not (0 <= a <= b and a < math.inf and b > 0 and (a > 0 or b < math.inf)):
                    raise DomainError(
                        f"a repeat between {a} and {b} at size {size}", required="0 <= low <= high, known"
                    )

    @classmethod
    @ranks(step=1)
    def observed(
        cls, sizes: Sequence[int | float], values: Sequence[Sequence[float]], *,
        stopped: Sequence[Sequence[bool]] | None = None, step: float | Sequence[float] = 0,
    ) -> Repeats:  # fmt: skip
        """Return the repeats of runs that first succeeded, or were stopped, at ``values``.

        Parameters
        ----------
        sizes, values : the sizes, and one row of repeats for each.
        stopped : which runs were stopped without success; none unless given.
        step : how far apart a run was evaluated, one number or one per size; 0 for numbers that are known exactly.
        """
        if np.shape(step) not in ((), (len(sizes),)) or not len(sizes):
            given = f"{len(sizes)} sizes, step of shape {np.shape(step)}"
            raise DomainError(given, required="at least one size, and one step or one per size")
        steps = np.broadcast_to(np.asarray(step, dtype=np.float64), (len(sizes),))
        flags = [[False] * len(row) for row in values] if stopped is None else stopped
        if [len(row) for row in flags] != [len(row) for row in values] or len(values) != len(sizes) or min(steps) < 0:
            raise DomainError("values, stopped or step", required="one row per size, one flag per repeat, step >= 0")
        rows = [[(float(v), math.inf) if over else (float(v) - s, float(v)) for v, over in zip(row, flag, strict=True)]
                for row, flag, s in zip(values, flags, steps, strict=True)]  # fmt: skip
        low, high = (tuple(tuple(pair[end] for pair in row) for row in rows) for end in (0, 1))
        return cls(tuple(sizes), low, high)

    @property
    def lost(self) -> tuple[int | float, ...]:
        """The sizes at which every run was stopped."""
        return tuple(size for size, row in zip(self.sizes, self.high, strict=True) if min(row) == math.inf)

    def at(self, sizes: Sequence[int | float]) -> Repeats:
        """Return the repeats at these sizes alone."""
        other = [size for size in sizes if size not in self.sizes]
        if other:
            raise DomainError(f"the sizes {other[:8]}", required=f"some of {list(self.sizes)}")
        places = [self.sizes.index(size) for size in sizes]
        rows = [tuple(ends[place] for place in places) for ends in (self.low, self.high)]
        return Repeats(tuple(sizes), *rows)

    def kept(self, least: int = 3) -> Repeats:
        """Return the repeats at the sizes that stay in the window; ``DomainError`` if fewer than ``least`` do."""
        lost = self.lost
        sizes = [size for size in self.sizes if size not in lost]
        if len(sizes) < least:
            raise DomainError(
                f"{len(sizes)} sizes with a finished run (of {len(self.sizes)})", required=f"{least} or more",
                why="a slope needs a window", advice="more sizes, or a larger limit of n",
            )  # fmt: skip
        return self.at(sizes)

    def log_ends(self) -> tuple[Floats, Floats, Floats]:
        """Return ``log N`` and the logarithms of both ends, one entry per run."""
        counts = [len(row) for row in self.low]
        with np.errstate(divide="ignore"):
            low, high = (np.log(np.concatenate([np.asarray(row) for row in ends])) for ends in (self.low, self.high))
        return np.repeat(np.log(np.asarray(self.sizes, dtype=np.float64)), counts), low, high
