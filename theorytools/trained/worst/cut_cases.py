"""The largest bound of all cases: a first round that holds every query, and rounds that cut the largest.

A case is a query's state with sets of states that some positions may have.  Its bound is that of the functionals
carried backward (:mod:`.carried`); cut into cases whose sets cover its own it is at most the largest of theirs.  First
the tokens of the asked positions are held, so that the label is a number; where the bound is well above the largest
error found, the indices of these positions are, and then the states of the keys with the largest weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import BudgetError
from theorytools.numbers.boxes import Array
from theorytools.trained.worst.all_cases import Bounds
from theorytools.trained.worst.carried import Normed
from theorytools.trained.worst.held import Cases, Held
from theorytools.trained.worst.one_layer import Layer
from theorytools.trained.worst.prompts import Indices
from theorytools.trained.worst.worst_prompt import Worst

BATCH = 96  # cases that are bounded together
WORK, CUTS = 2**37, 2**30  # numbers that the first round may take, and that cutting takes at most
SHARPENED = 2**31  # numbers that it takes at most where all cases are bounded before, once roughly and once sharply
ROUGHLY = 20  # by how much less a rough bound takes
PROMPTS, AT_ONCE = 512, 24  # prompts that a search begins with; cases that are cut together
CLOSE = 1.01  # cases are cut until the bound is this near to the error of a prompt


@dataclass(frozen=True, eq=False)
class Leaf:
    """One case, as it is kept to be cut: the fields of :class:`~.held.Cases` of one row, and its bound."""

    bound: float
    query: int
    at: Indices
    allowed: NDArray[np.bool_]
    label: Indices

    def parts(self, r: int, groups: Indices) -> list[Leaf]:
        """Return the cases in which place ``r`` has states of one group only; together they are this one."""
        found = []
        for group in np.unique(groups[self.allowed[r]]):
            allowed = self.allowed.copy()
            allowed[self.at == self.at[r]] &= groups == group  # two indices may name one position
            found.append(replace(self, allowed=allowed))
        return found

    def naming(self, j: int) -> Leaf:
        """Return the same case with one more position named, whose states are free."""
        allowed = np.concatenate([self.allowed, np.ones_like(self.allowed[:1])])
        return replace(self, at=np.append(self.at, j), allowed=allowed)


def _value(one: Worst) -> float:
    return one.value


def leaves(cases: Cases, bounds: Array) -> list[Leaf]:
    """Return cases one by one, with their bounds."""
    return [
        Leaf(float(bounds[n]), int(cases.query[n]), cases.at[n], cases.allowed[n], cases.label[n])
        for n in range(len(cases))
    ]


def packed(leaves: Sequence[Leaf]) -> Cases:
    """Return cases of one shape: the query's own position is named again where fewer are restricted."""
    R = max(len(leaf.at) for leaf in leaves)
    at = [np.append(leaf.at, np.repeat(leaf.at[:1], R - len(leaf.at))) for leaf in leaves]
    allowed = [np.concatenate([leaf.allowed, *[leaf.allowed[:1]] * (R - len(leaf.at))]) for leaf in leaves]
    return Cases(
        np.array([leaf.query for leaf in leaves]), np.array(at), np.array(allowed),
        np.array([leaf.label for leaf in leaves]),
    )  # fmt: skip


class Rounds:
    """Cases and their bounds: a first round of all queries, and rounds that cut the largest.

    Parameters
    ----------
    layer : the network.
    progress : called with what is done and the total, in cases.
    at_once : bounds of all cases, where there are some (:mod:`.all_cases`): the cases with the largest are then bounded
        more sharply, as many as the work allows.

    Attributes
    ----------
    upper : a bound of all cases that are not kept to be cut.
    leaves : those that are.
    worst : the worst prompt found; after the first round.
    """

    worst: Worst

    def __init__(
        self, layer: Layer, progress: Callable[[int, int], None] | None, at_once: Bounds | None = None
    ) -> None:  # fmt: skip
        self.layer, self.progress, self.at_once = layer, progress, at_once
        self.upper = 0.0
        self.leaves: list[Leaf] = []
        widths, norms = [step.of.known.shape[1] for step in layer.steps], [isinstance(s, Normed) for s in layer.steps]
        # numbers that one case takes: four rounds of both ends of each range; ranges behind a norm ask for others
        self.price = 8 * (sum(widths) + 1) * (1 + 2 * sum(norms)) * layer.keys.N * layer.keys.S
        self.count = layer.count

    def run(self) -> float:
        """Return a bound of all cases.

        Raises
        ------
        BudgetError : too many queries.
        """
        if self.at_once is not None:
            self._sharpened(self.at_once)
            self._cut()
            return max([self.upper, *(leaf.bound for leaf in self.leaves)])
        if self.count * self.price > WORK:
            p = self.layer.prompts
            raise BudgetError(
                f"about {self.count:.1e} cases for N = {p.N}, q = {p.q}, d = {p.d}",
                required=f"at most {WORK / self.price:.1e}", why="each query is held with its token and its indices",
                advice="fewer positions, or a network that is asked at one position",
            )  # fmt: skip
        self._first()
        self._cut()
        return max([self.upper, *(leaf.bound for leaf in self.leaves)])

    def _first(self) -> None:
        """Bound all queries, and look for a prompt from the worst of them."""
        layer, queries = self.layer, self.layer.queries
        found = []
        for k in range(0, len(queries), BATCH):
            cases = layer.cases(queries[k : k + BATCH])
            bounds, X, T = self._judged(cases)
            kept = np.argsort(-bounds, kind="stable")[:PROMPTS]
            found.append((bounds[kept], X[kept], T[kept]))
            self.leaves += leaves(cases, bounds)
            self._tell(len(self.leaves))
        bounds, X, T = (np.concatenate(part) for part in zip(*found, strict=True))
        order = np.argsort(-bounds, kind="stable")[:PROMPTS]
        self.worst = layer.errors.searched(X[order], T[order])

    def _sharpened(self, known: Bounds) -> None:
        """Bound the cases that bounds of all are largest at, roughly first, until those of the others are no larger."""
        errors, rough = self.layer.errors, self.price // ROUGHLY
        self.count = min(len(known.upper), max(BATCH, SHARPENED // max(1, rough)))
        done, sharp = 0, 0
        while done < self.count:
            some = slice(done, min(done + BATCH, self.count))
            cases = self.layer.chosen(known.query[some], known.asked[some])
            bounds, X, T = self._judged(cases, rough=True)
            bounds = np.minimum(bounds, known.upper[some])
            self.worst = max(self.worst, errors.best(X, T), key=_value) if done else errors.searched(X, T)
            done = some.stop
            self.leaves += leaves(cases, bounds)
            self._tell(done)
            if done < len(known.upper) and known.upper[done] <= CLOSE * self.worst.value:
                break
        self.upper = max(self.upper, known.rest, float(known.upper[done]) if done < len(known.upper) else 0.0)
        self._shed()
        self.leaves.sort(key=lambda leaf: -leaf.bound)
        while sharp < min(len(self.leaves), SHARPENED // self.price):
            some = slice(sharp, sharp + BATCH // 4)
            bounds, X, T = self._judged(packed(self.leaves[some]))
            self.leaves[some] = [
                replace(leaf, bound=min(leaf.bound, float(b)))
                for leaf, b in zip(self.leaves[some], bounds, strict=True)
            ]
            self.worst = max(self.worst, errors.best(X, T), key=_value)
            sharp += BATCH // 4
            if sharp < len(self.leaves) and self.leaves[sharp].bound <= max(leaf.bound for leaf in self.leaves[:sharp]):
                break
        self.worst = errors.improved(self.worst)

    def _judged(self, cases: Cases, rough: bool = False) -> tuple[Array, Array, Indices]:
        found = [self.layer.bounded(cases[k : k + BATCH], rough) for k in range(0, len(cases), BATCH)]
        bounds, X, T = (np.concatenate(part) for part in zip(*found, strict=True))
        return bounds, X, T

    def _tell(self, done: int) -> None:
        if self.progress:
            self.progress(done, self.count + CUTS // self.price)

    def _cut(self) -> None:
        """Cut the cases with the largest bounds, as long as some lie well above the error of a prompt."""
        done, most = 0, CUTS // self.price
        while done < most:
            self._shed()
            self.leaves.sort(key=lambda leaf: -leaf.bound)
            new = [part for leaf in self.leaves[:AT_ONCE] for part in self._parts(leaf)]
            if not new:
                break
            bounds, X, T = self._judged(packed(new))
            # a part is bounded by what bounds the whole
            parts = [replace(leaf, bound=min(leaf.bound, float(b))) for leaf, b in zip(new, bounds, strict=True)]
            self.leaves = self.leaves[AT_ONCE:] + parts
            best = self.layer.errors.best(X, T)
            if best.value > self.worst.value:
                self.worst = self.layer.errors.improved(best)
            done += len(new)
            self._tell(self.count + done)

    def _shed(self) -> None:
        """Keep the bound alone of cases that need not be cut."""
        largest = max(leaf.bound for leaf in self.leaves) if self.leaves else 0.0
        enough = CLOSE * self.worst.value + 1e-9 * largest
        self.upper = max([self.upper, *(leaf.bound for leaf in self.leaves if leaf.bound <= enough)])
        self.leaves = [leaf for leaf in self.leaves if leaf.bound > enough]

    def _parts(self, leaf: Leaf) -> list[Leaf]:
        """Cut a case: by the indices of an asked position, else by the states of the key with the largest weight."""
        for r in range(1, len(leaf.at)):
            groups = self._groups(leaf.allowed[r])
            if groups is not None:
                return leaf.parts(r, groups)
        free = [j for j in range(self.layer.prompts.N) if j not in leaf.at]
        if free:
            largest = sum(one.w[0].max(-1) for one in Held(self.layer.keys, packed([leaf])).weights)
            named = leaf.naming(max(free, key=lambda j: float(largest[j])))
            groups = self._groups(named.allowed[-1])
            if groups is not None:
                return named.parts(len(named.at) - 1, groups)
        self.upper = max(self.upper, leaf.bound)  # one prompt, which is not cut
        return []

    def _groups(self, allowed: NDArray[np.bool_]) -> Indices | None:
        """The tokens of all states, or their indices of one slot, whichever first differ among those allowed."""
        groups: Indices
        for groups in (self.layer.token, *self.layer.tuples.T):
            if len(np.unique(groups[allowed])) > 1:
                return groups
        return None
