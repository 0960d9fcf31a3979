r"""The largest label error over tokens in a box or a ball, behind functions that bend: by cells that are cut.

A case is a query's place and indices, with the tokens at the positions that it asks for, and its own, in boxes.  What
is behind the attention is carried backward to it as for signs (:mod:`.carried`): lines bound what bends on ranges of
their own, so at last the error is at most an affine function of the averages, the query's token and the asked ones.
With the average written as the asked key's value and what other keys move it by (:mod:`.rivals`), that is affine in
tokens within their boxes, and a bound of the move.  Lines are as loose as the boxes are wide; those with the largest
bounds are cut, along the axis that makes most of the lines' width, as in branch and bound (Land, Doig 1960).

Between cells of width zero nothing is left to be cut: the bound of one cell that holds a single token says how far cuts
can lead, and they end a hundredth above it, or a hundredth above the error of a prompt.

Places that nothing behind the attention tells from each other are bounded together; then the token of a query that
asks for itself is bounded as if it were free of what it asks for.

References
----------
Land, Doig (1960), An automatic method of solving discrete programming problems, Econometrica 28.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from theorytools.errors import BudgetError
from theorytools.numbers.boxes import Array
from theorytools.trained.worst.around import Judged, Spacious
from theorytools.trained.worst.prompts import Indices
from theorytools.trained.worst.rivals import Cells
from theorytools.trained.worst.worst_prompt import Worst

WORK, CUTS = 2**35, 2**31  # numbers that the first round may take, and that cutting takes at most
NUMBERS, AT_ONCE, POINTS = 2**23, 2**8, 8  # numbers at a time; cells cut together; points tried of them
STARTS = 2  # prompts that are improved, of those met on the way
CLOSE = 1.01  # cells are cut until the bound is this near to what is known


@dataclass(eq=False)
class Cutting:
    """Cells and their bounds.

    Attributes
    ----------
    layer, progress : the network; called with what is done and the total, in cells.
    known, upper : a bound that no cut goes below; a bound of all cells that are cut no more.
    """

    layer: Spacious
    progress: Callable[[int, int], None] | None
    known: float = 0.0
    upper: float = 0.0
    done: int = 0
    met: list[Worst] = field(default_factory=list)

    def run(self) -> tuple[float, Worst]:
        """Return a bound of all cells, and the worst prompt found.

        Raises
        ------
        BudgetError : too many queries.
        """
        layer, p = self.layer, self.layer.prompts
        cells, self.price = layer.roots(), layer.price
        if len(cells) * self.price > WORK:
            raise BudgetError(
                f"about {len(cells):.1e} queries for N = {p.N}, q = {p.q}, d = {p.d}",
                required=f"at most {WORK / self.price:.1e}", why="each query is held with its indices",
                advice="fewer positions, or a network that is asked at one position",
            )  # fmt: skip
        self.total = len(cells) + int(CUTS // self.price)
        self.worst = layer.errors.searched(np.zeros((0, p.N, p.d)), np.zeros((0, p.N, p.q), dtype=np.int64))
        first = self._judged(cells)
        bounds, axis = first.bounds, first.axis
        while self.done < self.total and len(bounds):
            order = np.argsort(-bounds, kind="stable")
            order = order[bounds[order] > CLOSE * max(self.known, self.worst.value) + 1e-9 * bounds.max()]
            rows, rest = order[:AT_ONCE], order[AT_ONCE:]
            self.upper = max(self.upper, float(np.delete(bounds, order).max(initial=0.0)))
            if not len(rows):
                break
            new, parents = self._parts(cells[rows], axis[rows], bounds[rows])
            found = self._judged(new)
            self._look(new, found)
            cells, axis = Cells.joined([cells[rest], new]), np.concatenate([axis[rest], found.axis])
            # a cell's bound is no larger than that of the cell that it was cut from
            bounds = np.concatenate([bounds[rest], np.minimum(found.bounds, parents)])
        return max(self.upper, float(bounds.max(initial=0.0))), self._best()

    def _parts(self, cells: Cells, axis: Indices, bounds: Array) -> tuple[Cells, Array]:
        """Cut cells: in halves, or by the indices of an asked position; with the bounds of what was cut."""
        tuples, made, parents = len(self.layer.tuples), [], []
        slot = axis - cells.centre[0].size
        for s in np.unique(np.maximum(slot, -1)):
            some = np.flatnonzero(np.maximum(slot, -1) == s)
            made.append(cells[some].cut(axis[some]) if s < 0 else cells[some].holding(int(s), tuples))
            parents.append(np.tile(bounds[some], 2 if s < 0 else tuples))
        new, known = Cells.joined(made), np.concatenate(parents)
        inside = self.layer.meets(new)
        inside |= not inside.any()  # on the edge of what doubles tell
        return new[inside], known[inside]

    def _judged(self, cells: Cells) -> Judged:
        size, made = max(1, NUMBERS // self.price), []
        for k in range(0, len(cells), size):
            made.append(self.layer.bounded(cells[k : k + size]))
            self.done += min(size, len(cells) - k)
            if self.progress:
                self.progress(min(self.done, self.total), self.total)
        return Judged.joined(made)

    def _look(self, cells: Cells, found: Judged) -> None:
        """Bound single tokens in the cells with the largest bounds, and look for a prompt from there."""
        rows = np.argsort(-found.bounds, kind="stable")[:POINTS]
        points = self.layer.points(cells[rows], found[rows])
        self.known = max(self.known, float(self._judged(points).bounds.max()))
        self.met.append(self.layer.errors.best(*self.layer.prompts_at(points, found.average[rows])))

    def _best(self) -> Worst:
        """The worst prompt, the worst of those on the way improved."""
        met = sorted(self.met, key=lambda one: -one.value)[:STARTS]
        return max([self.worst, *(self.layer.errors.improved(one) for one in met)], key=lambda one: one.value)
