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
from theorytools.trained.worst.prompts import Indices
from theorytools.trained.worst.queries import Cases, Queries

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
    def exact(self) -> bool:
        """Whether the last level is what a prompt attains, up to rounding."""

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
    climbs : whether prompts are looked for where bounds need none.
    """

    problem: Problem
    floor: float = -np.inf
    progress: Progress | None = None
    climbs: bool = True
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
        self._afford(queries.count * (len(queries.keys) + 4) * self.problem.heads, COARSE_WORK)
        tried = np.unique(np.linspace(0, queries.count - 1, 16).astype(np.int64))
        valid = tried[queries.valid(queries.cases(tried))][:8]
        if not len(valid):  # the first answer of all is the query's own token, or agrees with every other slot's
            tried = np.arange(queries.shape[2] * queries.shape[3])
            valid = tried[queries.valid(queries.cases(tried))][:8]
        for seed in valid:
            self._look(int(seed))
        alive = _sorted(self._first())
        for level in range(len(self.problem.costs)):
            alive = _sorted(self._level(*alive, level))
        if not self.problem.exact and self.climbs:
            for _, number in sorted(set(self.tops), reverse=True)[:16]:
                self._climb(number)
        return self.target

    def _first(self) -> Iterator[tuple[Indices, Array]]:
        """The cases that the coarse bounds leave, and how large they may be; all where there are no such bounds."""
        problem, queries = self.problem, self.problem.queries
        W, Y, T, places = queries.shape
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
                    yield numbers[valid], np.full(np.count_nonzero(valid), np.inf)
                    continue
                bounds, rest = made(cases), problem.rest(cases)
                over = np.where(valid, self._over(bounds, rest, 8), -np.inf)
                if over.max(initial=-np.inf) > record:
                    record = float(over.max())
                    self._look(int(numbers.flat[int(over.argmax())]))
                    over = np.where(valid, self._over(bounds, rest, 8), -np.inf)
                yield numbers[over > 0], self._key(over[over > 0])
            self._tell(done + 1, len(blocks), 0)

    def _level(self, alive: Indices, keys: Array, level: int) -> Iterator[tuple[Indices, Array]]:
        """Of these cases those that a finer bound leaves, and how large they may be; the last level leaves none."""
        problem, last = self.problem, level + 1 == len(self.problem.costs)
        cost = problem.costs[level]
        step = max(1, AT_ONCE // cost)
        self._afford(len(alive) * cost * problem.heads, FINE_WORK)
        for at in range(0, len(alive), step):
            numbers = alive[at : at + step]
            if not problem.exact:
                numbers = numbers[keys[at : at + step] > self.target]
            left, over = self._left(numbers, level, last)
            if not last:
                yield left, self._key(over)
            elif len(left):
                cases = problem.queries.cases(left)
                found = self._bounds(problem.fine(cases, level), problem.rest(cases), 60)
                self.tops += [(float(found[k]), int(left[k])) for k in np.argsort(found)[-16:]]
                self.floor = max(self.floor, float(found.max()))
            self._tell(at + step, len(alive), level + 1)

    def _left(self, numbers: Indices, level: int, last: bool) -> tuple[Indices, Array]:
        """Of some cases those that may be above the target, after the first of them was looked at."""
        problem, steps = self.problem, 30 if last else 10
        record = 0.0
        over = np.zeros(0)
        while len(numbers):
            cases = problem.queries.cases(numbers)
            over = self._over(problem.fine(cases, level), problem.rest(cases), steps)
            numbers, over = numbers[over > 0], over[over > 0]
            if not len(numbers) or over.max() <= record:
                break
            record, before = 0.0 if last else float(over.max()), self.floor
            self._look(int(numbers[over.argmax()]))
            if self.floor <= before or not problem.exact:
                break
        return numbers, over

    def _key(self, over: Array) -> Array:
        """What cases are sorted by: bounds of them, or, with one head, only which may be larger."""
        return over if self.problem.exact else over + self.target

    def _tell(self, done: int, total: int, level: int) -> None:
        if self.progress is not None:
            parts = 1 + len(self.problem.costs)
            self.progress(round(1000 * (level + min(1.0, done / max(total, 1)))), 1000 * parts)

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
        if self.problem.exact:
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


def _sorted(found: Iterator[tuple[Indices, Array]]) -> tuple[Indices, Array]:
    """All cases, those that may be the largest first."""
    parts = [*found, (np.zeros(0, dtype=np.int64), np.zeros(0))]
    keys = np.concatenate([key for _, key in parts])
    order = np.argsort(-keys, kind="stable")
    return np.concatenate([numbers for numbers, _ in parts])[order], keys[order]


def root_above(excess: Excess, low: float, high: float, shape: tuple[int, ...], steps: int) -> Array:
    """Return numbers at which bounds of ``F`` are at most 0, or ``high``, which no average is above.

    ``F`` falls and is convex, so a chord from a positive to a negative value meets zero on the right of the root: the
    next end.  A middle moves the other end; the two alternate.
    """
    left, right = np.full(shape, low), np.full(shape, high)
    at_left, at_right = np.minimum(excess(left), 1e300), np.minimum(excess(right), -1e-300)
    for step in range(steps):
        middle = (left + right) / 2
        if step % 2 == 0:
            share = at_left / np.maximum(at_left - at_right, 1e-300)
            nudge = 16 * UNIT * (np.abs(left) + np.abs(right)) * (1 + step / 2) ** 2
            middle = np.clip(left + np.clip(share, 0, 1) * (right - left) + nudge, left, right)
        found = np.minimum(excess(middle), 1e300)
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
    weights = [np.exp(np.clip(view.scores - top, -700.0, 0.0)) * seen[:, None]
               for view, top in zip(views, tops, strict=True)]  # fmt: skip
    mine = [float(np.exp(view.own[0] - top)) * own_seen for view, top in zip(views, tops, strict=True)]
    rows, rest = np.arange(N), float(problem.rest(case)[0])

    def judged(pick: Indices) -> tuple[float, list[float], list[float]]:
        sums = [float(w[rows, pick].sum()) + m for w, m in zip(weights, mine, strict=True)]
        means = [(float((w[rows, pick] * view.values[rows, pick]).sum()) + m * view.own[1]) / D
                 for w, m, view, D in zip(weights, mine, views, sums, strict=True)]  # fmt: skip
        return sum(means) + rest, means, sums

    best = np.where(free, sum(view.scores for view in views), -np.inf).argmax(axis=1)  # so no sum of weights is tiny
    value, means, sums = judged(best)
    above = 1e-14 * max(float(np.abs(view.values).max()) for view in views)
    for _ in range(40):
        # a little above c, or what rounds to c at a large weight is preferred to small weights that free a larger value
        gain = sum((view.values - (c + above)) * (w / D)
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
