"""The largest bound of sets of prompts, cut in two while their bounds are above the largest error found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import DomainError
from theorytools.numbers.boxes import Array
from theorytools.trained.worst.prompts import Indices
from theorytools.trained.worst.supremum import EXACT
from theorytools.trained.worst.tail import TailBound
from theorytools.trained.worst.worst_prompt import Errors, Worst

Progress = Callable[[int, int], None]
WORK = 2**26  # numbers that cutting may take, about a microsecond each
BATCH = 2**13  # cases that are cut together
TRIED = 8  # prompts of a batch that the network is run on
ENCLOSED = 1e-6  # how wide the enclosure of a single prompt may be where the bound is called attained
ROUNDED = 1e-13  # of what is subtracted from each other: differences as small as this are rounding


class Sets(Protocol):
    """Sets of prompts, the rows of an array, each with one query."""

    def first(self, query: Any) -> NDArray[Any]:
        """Return sets that together are all prompts of a query."""

    def price(self, query: Any, cases: NDArray[Any]) -> int:
        """How many numbers the bounds of sets take."""

    def bounds(self, query: Any, cases: NDArray[Any]) -> Array:
        """Return upper bounds of the error on sets."""

    def single(self, query: Any, cases: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which sets are not cut any more."""

    def halves(self, query: Any, cases: NDArray[Any]) -> NDArray[Any]:
        """Return sets cut in two, one behind the other."""

    def prompts_of(self, query: Any, cases: NDArray[Any]) -> tuple[Array, Indices]:
        """Return some prompts of sets."""


@dataclass
class Search:
    """Cases that are cut while their bounds are above the largest error found.

    Attributes
    ----------
    cases, errors : the network, on sets of prompts and on prompts.
    progress : called with the work done and the most.
    worst : the worst prompt found.
    grain : the size of what is subtracted from each other, outputs and labels.
    upper : a bound of what is not cut any more.
    done : numbers of states that were computed.
    left : what is still to be cut: by the number of the query its bounds and cases.
    """

    cases: Sets
    errors: Errors
    progress: Progress | None
    worst: Worst
    grain: float
    upper: float = 0.0
    done: int = 0
    left: dict[int, tuple[Array, NDArray[Any]]] = field(default_factory=dict)

    def run(self, queries: Sequence[Any]) -> float:
        """Return a bound of all queries, as small as the work allows."""
        for k, query in enumerate(queries):
            cases = self.cases.first(query)
            self._add(k, query, cases, np.full(len(cases), np.inf))
        while self.left and self.done < WORK:
            k = max(self.left, key=lambda k: float(self.left[k][0].max()))
            bounds, cases = self._largest(k)
            self._add(k, queries[k], self.cases.halves(queries[k], cases), np.repeat(bounds, 2))
            if self.progress:
                self.progress(min(self.done, WORK), WORK)
        return max([self.upper, *(float(bounds.max()) for bounds, _ in self.left.values())])

    def _largest(self, k: int) -> tuple[Array, NDArray[Any]]:
        """Take the cases with the largest bounds out of those of one query."""
        bounds, cases = self.left.pop(k)
        if len(bounds) <= BATCH:
            return bounds, cases
        order = np.argpartition(-bounds, BATCH)
        self.left[k] = bounds[order[BATCH:]], cases[order[BATCH:]]
        return bounds[order[:BATCH]], cases[order[:BATCH]]

    def _add(self, k: int, query: Any, cases: NDArray[Any], above: Array) -> None:
        """Bound cases, each at most what it was cut from, and keep those that are to be cut."""
        bounds = np.minimum(self.cases.bounds(query, cases), above)
        self.done += self.cases.price(query, cases)
        if not np.isfinite(bounds).all():
            raise DomainError(
                "bounds beyond doubles", required="weights whose outputs are doubles",
                why="what they may be on some prompt is computed", advice="smaller weights",
            )  # fmt: skip
        single = self.cases.single(query, cases)
        self._try(query, cases[single], bounds[single])
        self._try(query, cases[~single], bounds[~single])
        open_ = ~single & (bounds > self.worst.value * (1 + EXACT / 8) + ROUNDED * self.grain)
        self.upper = max(self.upper, float(bounds[~open_].max(initial=0.0)))
        if open_.any():
            new = bounds[open_], cases[open_]
            old = self.left.get(k)
            self.left[k] = new if old is None else (np.concatenate([old[0], new[0]]), np.concatenate([old[1], new[1]]))

    def _try(self, query: Any, cases: NDArray[Any], bounds: Array) -> None:
        """Run the network on a prompt of some cases with large bounds."""
        some = np.argsort(-bounds, kind="stable")[:TRIED]
        if len(some) and bounds[some[0]] > self.worst.value:
            best = self.errors.best(*self.cases.prompts_of(query, cases[some]))
            if best.value > self.worst.value:
                self.worst = self.errors.improved(best)


def largest(
    cases: Sets, queries: Sequence[Any], errors: Errors, progress: Progress | None, grain: float
) -> TailBound:  # fmt: skip
    """Return the largest bound of all queries, and the worst prompt; ``grain`` is the size of a label."""
    p = errors.prompts
    worst = errors.searched(np.zeros((0, p.N, p.d)), np.zeros((0, p.N, p.q), dtype=np.int64))
    search = Search(cases, errors, progress, worst, grain + worst.value)
    upper, worst = search.run(queries), search.worst
    # with nothing left, what is above the worst prompt found are enclosures of single prompts
    part = EXACT if search.left else ENCLOSED
    exact = bool(upper - worst.value <= part * upper + 16 * ROUNDED * search.grain)
    return TailBound(upper, worst.X, worst.T, worst.at, worst.value, exact)
