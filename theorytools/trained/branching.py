r"""The largest bound of many cases: cheap bounds of all, better ones of those that may still be the largest.

``F(c)`` falls with ``c``; a case with :math:`F(c)\le0` has no average above ``c``, nor above any larger number, so it
is left out for good.  What is found in doubles, values of prompts, only says which ``c`` to try: the number that is
returned is one at which every case was left out by an upper bound of ``F``, at some level, so its truth depends on no
search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from theorytools.errors import BudgetError
from theorytools.numbers.boxes import UNIT, Array
from theorytools.trained.prompts import Indices
from theorytools.trained.queries import Cases, Queries

Excess = Callable[[Array], Array]
Progress = Callable[[int, int], None]
COARSE_WORK, FINE_WORK = 2**31, 2**35  # terms of the two passes, some ten nanoseconds and three a term
AT_ONCE = 2**22  # doubles of one array
CLOSE = 2.0**-37  # by so much of its value a bound may be above what a prompt attains


@dataclass(frozen=True, eq=False)
class View:
    """What one head makes of the states of each key, for one case, in doubles.

    Attributes
    ----------
    scores, values : by key and state, shape ``(N, S)``; the state's token changes slowest.
    own : score and value of the query's own state.
    """

    scores: Array
    values: Array
    own: tuple[float, float]


class Problem(Protocol):
    """Cases, and for each head upper bounds of ``F`` at several levels."""

    @property
    def queries(self) -> Queries:
        """The cases."""

    @property
    def heads(self) -> int:
        """How many heads."""

    @property
    def ends(self) -> Sequence[tuple[float, float]]:
        """For each head two numbers that no average is beyond."""

    @property
    def costs(self) -> Sequence[int]:
        """How many terms one case takes at each level."""

    @property
    def grain(self) -> float:
        """What doubles do not resolve in a bound."""

    def rest(self, cases: Cases) -> Array:
        """Return upper bounds of what is not averaged."""

    def coarse(self, x: int, t: slice) -> Callable[[Cases], list[Excess]] | None:
        """Return bounds of all places and some tuples, by the answers; None where there is no such level."""

    def fine(self, cases: Cases, level: int) -> list[Excess]:
        """Return bounds of some cases."""

    def views(self, case: Cases) -> list[View]:
        """Return what each head makes of the states, for one case."""


@dataclass(eq=False)
class Search:
    """The largest bound, and the prompts that come near it.

    Attributes
    ----------
    problem : the cases.
    floor : no bound below it is returned; what a prompt attains, or -inf.
    progress : called with what is done and how much there is.
    """

    problem: Problem
    floor: float = -np.inf
    progress: Progress | None = None
    best: tuple[float, Array, Indices, int] | None = None
    tops: list[tuple[float, int]] = field(default_factory=list)

    @property
    def target(self) -> float:
        """The number that cases are left out at."""
        C = self.floor
        return C if np.isinf(C) else float(np.nextafter(C + CLOSE * abs(C) + self.problem.grain, np.inf))

    def run(self) -> float:
        """Return a number that no case is above.

        Raises
        ------
        BudgetError : too many cases, or too many that no cheap bound leaves out.
        """
        queries = self.problem.queries
        for seeds in (np.unique(np.linspace(0, queries.count - 1, 16).astype(np.int64)), np.arange(queries.count)):
            valid = seeds[queries.valid(queries.cases(seeds))][:8]
            if len(valid):
                break
        for seed in valid:
            self._look(int(seed))
        alive = np.concatenate([*self._first(), np.zeros(0, dtype=np.int64)])
        for level in range(len(self.problem.costs)):
            alive = np.concatenate([*self._level(alive, level), np.zeros(0, dtype=np.int64)])
        if self.problem.heads > 1:
            for _, number in sorted(set(self.tops), reverse=True)[:16]:
                self._climb(number)
        return self.target

    def _first(self) -> Iterator[Indices]:
        """The cases that the coarse bounds leave; all where there are none."""
        problem, queries = self.problem, self.problem.queries
        W, Y, T, places = queries.shape
        self._afford(queries.count * (len(queries.keys) + 4) * problem.heads, COARSE_WORK)
        step = max(1, min(T, 2**17 // places))
        record = 0.0
        blocks = [(x, slice(at, at + step)) for x in range(W) for at in range(0, T, step)]
        for done, (x, t) in enumerate(blocks):
            made = problem.coarse(x, t)
            for y in range(Y):
                cases = queries.block(x, y, t)
                valid = queries.valid(cases)
                first = ((x * Y + y) * T + t.start) * places
                numbers = first + np.arange(valid.shape[1]) * places + np.arange(places)[:, None]
                if made is None:
                    yield numbers[valid]
                    continue
                bounds, rest = made(cases), problem.rest(cases)
                over = np.where(valid, self._over(bounds, rest, 8), -np.inf)
                if over.max(initial=-np.inf) > record:
                    record = float(over.max())
                    self._look(int(numbers.flat[int(over.argmax())]))
                    over = np.where(valid, self._over(bounds, rest, 8), -np.inf)
                yield numbers[over > 0]
            if self.progress is not None:
                self.progress(done + 1, len(blocks) * (1 + len(problem.costs)))

    def _level(self, alive: Indices, level: int) -> Iterator[Indices]:
        """Of these cases those that a finer bound leaves; the last level leaves none."""
        problem, last = self.problem, level + 1 == len(self.problem.costs)
        cost = problem.costs[level]
        self._afford(len(alive) * cost * problem.heads, FINE_WORK)
        step = max(1, AT_ONCE // cost)
        record = 0.0
        for at in range(0, len(alive), step):
            numbers = alive[at : at + step]
            cases = problem.queries.cases(numbers)
            bounds, rest = problem.fine(cases, level), problem.rest(cases)
            over = self._over(bounds, rest, 40 if last else 10)
            while over.max() > (0.0 if last else record):
                record = max(record, float(over.max()))
                before = self.floor
                self._look(int(numbers[over.argmax()]))
                over = self._over(bounds, rest, 40 if last else 10)
                if self.floor <= before:
                    break
            if last and (over > 0).any():
                self.floor = max(self.floor, float(self._bounds(bounds, rest, 60)[over > 0].max()))
            elif not last:
                yield numbers[over > 0]
            if self.progress is not None:
                parts = 1 + len(problem.costs)
                self.progress(round(1000 * (level + 1 + (at + step) / len(alive))), 1000 * parts)

    def _afford(self, work: float, budget: float) -> None:
        if work > budget:
            p = self.problem.queries.prompts
            raise BudgetError(
                f"about {work:.1e} terms for N = {p.N}, q = {p.q}, d = {p.d} and {self.problem.heads} heads",
                required=f"at most {float(budget):.1e}",
                why="the queries of the class are enumerated; bounds of all of them leave this many to be refined",
                advice="hold a query (query=), fewer positions, or a class of fewer tokens",
            )

    def _over(self, bounds: list[Excess], rest: Array, steps: int) -> Array:
        """Return numbers that are positive unless a case is proved to be at most the target."""
        if np.isinf(self.target):
            return np.ones(rest.shape)
        if len(bounds) == 1:
            return bounds[0](self.target - rest)
        return self._bounds(bounds, rest, steps) - self.target

    def _bounds(self, bounds: list[Excess], rest: Array, steps: int) -> Array:
        """Return upper bounds of the cases: what is not averaged, and of each head a number with ``F`` at most 0."""
        total = rest
        for excess, (low, high) in zip(bounds, self.problem.ends, strict=True):
            total = np.nextafter(total + root_above(excess, low, high, rest.shape, steps), np.inf)
        return np.asarray(total)

    def _look(self, number: int) -> None:
        """Raise the floor by what one case certainly is, or by what a prompt of it attains."""
        if self.problem.heads == 1:
            self.floor = max(self.floor, self._climb(number))
            return
        case = self.problem.queries.cases(np.array([number]))
        bounds = self.problem.fine(case, len(self.problem.costs) - 1)
        found = float(self._bounds(bounds, self.problem.rest(case), 60)[0])
        self.tops.append((found, number))
        self.floor = max(self.floor, found)

    def _climb(self, number: int) -> float:
        case = self.problem.queries.cases(np.array([number]))
        value, X, T = climbed(self.problem, case)
        if self.best is None or value > self.best[0]:
            self.best = value, X, T, int(case.i[0])
        return value


def root_above(excess: Excess, low: float, high: float, shape: tuple[int, ...], steps: int) -> Array:
    """Return numbers at which bounds of ``F`` are at most 0, or ``high``, which no average is above.

    ``F`` falls and is convex, so a chord from a positive to a negative value meets zero on the right of the root: the
    next end.  A middle moves the other end; the two alternate.
    """
    left, right = np.full(shape, low), np.full(shape, high)
    at_left, at_right = excess(left), np.minimum(excess(right), -1e-300)
    for step in range(steps):
        middle = (left + right) / 2
        if step % 2 == 0:
            share = at_left / np.maximum(at_left - at_right, 1e-300)
            nudge = 16 * UNIT * (np.abs(left) + np.abs(right)) * (1 + step / 2) ** 2
            middle = np.clip(left + np.clip(share, 0, 1) * (right - left) + nudge, left, right)
        found = excess(middle)
        below = found <= 0
        right, at_right = np.where(below, middle, right), np.where(below, np.minimum(found, -1e-300), at_right)
        left, at_left = np.where(below, left, middle), np.where(below, at_left, found)
    return right


def climbed(problem: Problem, case: Cases) -> tuple[float, Array, Indices]:
    r"""Return a prompt of a case that is large, and what it attains, in doubles.

    From a prompt with averages :math:`c_h` and sums of weights :math:`D_h` every key takes the state that is largest
    in :math:`\sum_hw_h(g_h-c_h)/D_h`.  With one head that is Dinkelbach's iteration, which ends at the supremum.
    """
    queries, prompts = problem.queries, problem.queries.prompts
    N, V, i = prompts.N, len(queries.keys), int(case.i[0])
    views = problem.views(case)
    states = views[0].scores.shape[1]
    free = np.ones((N, states), dtype=bool)
    for s, t in enumerate(case.t):
        if queries.split[s] and t[0] != i:
            free[t[0]] &= np.arange(states) // (states // V) == case.y[s][0]
    others = np.arange(N) != i
    seen, own_seen = queries.seen[i] & others, bool(queries.seen[i, i])
    tops = [max(float(view.scores[seen].max(initial=-np.inf)), view.own[0] if own_seen else -np.inf) for view in views]
    weights = [np.exp(np.maximum(view.scores - top, -700.0)) * seen[:, None]
               for view, top in zip(views, tops, strict=True)]  # fmt: skip
    mine = [float(np.exp(view.own[0] - top)) * own_seen for view, top in zip(views, tops, strict=True)]
    rows, rest = np.arange(N), float(problem.rest(case)[0])

    def judged(pick: Indices) -> tuple[float, list[float], list[float]]:
        sums = [float(w[rows, pick].sum()) + m for w, m in zip(weights, mine, strict=True)]
        means = [(float((w[rows, pick] * view.values[rows, pick]).sum()) + m * view.own[1]) / D
                 for w, m, view, D in zip(weights, mine, views, sums, strict=True)]  # fmt: skip
        return sum(means) + rest, means, sums

    best = free.argmax(axis=1)
    value, means, sums = judged(best)
    for _ in range(40):
        gain = sum((view.values - c) * (w / D)
                   for view, w, c, D in zip(views, weights, means, sums, strict=True))  # fmt: skip
        pick = np.where(free, gain, -np.inf).argmax(axis=1)
        found, means, sums = judged(pick)
        if not found > value:
            break
        best, value = pick, found
    tuples = prompts.tuples
    X, T = queries.keys[best // (states // V)].copy(), tuples[best % (states // V)].copy()
    X[i], T[i] = queries.tokens[int(case.x[0])], [int(t[0]) for t in case.t]
    return value, X, T
