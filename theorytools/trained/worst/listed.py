r"""Heads behind blocks that act on each position by itself: every state of the query and of the keys is listed.

A norm of token, place and indices together is no sum of terms, so a score is one entry of a matrix, states of the
query by states of the keys; a state has the place ``j``, the token and the indices.  As in :mod:`.separated`

.. math:: F(c)=\sum_j\max_{\text{states of }j}w_j(g_j-c),

the maximum taken entry by entry; what the blocks write at a state is enclosed (:mod:`.enclosed`), and so is each score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from theorytools.blocks.network import ONE, PLACE, Attention, Block, Map
from theorytools.errors import DomainError
from theorytools.numbers.boxes import UNIT, Array, Box, exact, joined, times
from theorytools.trained.worst.branching import Excess, View
from theorytools.trained.worst.enclosed import affine, enclosed
from theorytools.trained.worst.prompts import Indices, Prompts
from theorytools.trained.worst.queries import Cases, Queries
from theorytools.trained.worst.separated import EXP_ERROR, FLOOR, exponential


@dataclass(frozen=True, eq=False)
class States:
    """States of positions and their fields, those that blocks write among them.

    Attributes
    ----------
    fields : by name, shape ``(n, width)``.
    """

    fields: dict[str, Box]

    @property
    def count(self) -> int:
        """How many."""
        return self.fields["x"].shape[0]


def states_of(prompts: Prompts, places: Indices, tokens: Array, tuples: Indices, before: Sequence[Block]) -> States:
    """Return the states with these tokens, indices and places; places change fastest, tokens slowest."""
    V, T, P = len(tokens), len(tuples), len(places)
    eye = np.eye(prompts.N)
    fields = {"x": exact(np.repeat(tokens, T * P, axis=0)), PLACE: exact(np.tile(eye[places], (V * T, 1)))}
    for s, name in enumerate(prompts.slots):
        fields[name] = exact(np.tile(np.repeat(eye[tuples[:, s]], P, axis=0), (V, 1)))
    for block in before:
        if block.out in fields:
            raise DomainError(f"two fields {block.out!r}", required="a name for each", why="blocks write new fields")
        fields[block.out] = enclosed(block, fields, V * T * P)
    return States(fields)


@dataclass(frozen=True, eq=False)
class ListedHead:
    """One head: for each state of the query the row that meets the keys' fields, and the values.

    Attributes
    ----------
    rows, columns : scores are their product, shapes ``(n, D)`` and ``(D, states of keys)``.
    own : the score of each state of the query with itself, shape ``(n,)``.
    values, mine : the values of the keys' states and of the query's.
    bonus : the slot, from 0, and what is added to the value of the position that it asks for.
    """

    rows: Box
    columns: Box
    own: Box
    values: Box
    mine: Box
    bonus: tuple[int, float] | None

    @property
    def size(self) -> float:
        """A bound of the modulus of a value."""
        extra = abs(self.bonus[1]) if self.bonus else 0.0
        return float(max(self.values.size.max(), self.mine.size.max())) + extra

    @property
    def error(self) -> float:
        """How far a value, in doubles, is from the real one."""
        return float(max(self.values.rad.max(), self.mine.rad.max()))

    @property
    def ends(self) -> tuple[float, float]:
        """Numbers that no average is beyond."""
        reach = self.size * (1 + 16 * UNIT) + 1e-300
        return -reach, reach

    def slack(self, c: Array) -> float:
        """Return what is added to a value minus ``c`` so that no rounding makes it too small."""
        return self.error + 16 * UNIT * (self.size + float(np.abs(c).max(initial=0.0)))

    def added(self, at: Indices, cases: Cases) -> Array | float:
        """What is added to the value of a key that stands at these places."""
        return 0.0 if self.bonus is None else np.where(at == cases.t[self.bonus[0]], self.bonus[1], 0.0)


@dataclass(frozen=True, eq=False)
class Listed:
    """Tokens of signs, blocks before the attention, and its heads."""

    queries: Queries
    attention: Attention
    values: tuple[Map, ...]
    own: Map
    asked: tuple[Map, ...]
    before: tuple[Block, ...]
    bonus: tuple[int, float] | None

    @cached_property
    def keys(self) -> States:
        """The states of the keys: by token, indices, place."""
        q = self.queries
        return states_of(q.prompts, np.arange(q.prompts.N), q.keys, q.prompts.tuples, self.before)

    @cached_property
    def asking(self) -> States:
        """The states of the query: by token, indices, place."""
        q = self.queries
        return states_of(q.prompts, q.places, q.tokens, q.tuples, self.before)

    @cached_property
    def tables(self) -> tuple[ListedHead, ...]:
        """The heads."""
        return tuple(self._head(h) for h in range(self.heads))

    def _head(self, h: int) -> ListedHead:
        asking, keys, met = self.asking.fields, self.keys.fields, dict[str, Box]()
        for (a, b), G in self.attention.heads[h].scores.items():
            if b == ONE:
                continue
            one = exact(np.ones((self.asking.count, 1)))
            if (a != ONE and a not in asking) or b not in keys:
                raise DomainError(
                    f"a score of {a!r} and {b!r}", required=f"fields {', '.join(asking)}",
                    why="these stand at a position",
                )  # fmt: skip
            found = times(one if a == ONE else asking[a], G)
            met[b] = met[b] + found if b in met else found
        met = met or {"x": exact(np.zeros((self.asking.count, self.queries.prompts.d)))}
        rows = joined([met[b] for b in met], axis=1)
        products = rows * joined([asking[b] for b in met], axis=1)
        D = rows.shape[1]
        own = times(products, exact(np.ones((D, 1)))).reshape(-1)
        value = self.values[h]
        return ListedHead(
            rows, joined([keys[b] for b in met], axis=1).T, own,
            affine(value, keys, self.keys.count).reshape(-1), affine(value, asking, self.asking.count).reshape(-1),
            self.bonus,
        )  # fmt: skip

    @property
    def heads(self) -> int:
        """How many heads."""
        return len(self.values)

    @property
    def exact(self) -> bool:
        """Whether the last level is what a prompt attains: with one head."""
        return self.heads == 1

    @property
    def ends(self) -> list[tuple[float, float]]:
        """For each head two numbers that no average is beyond."""
        return [table.ends for table in self.tables]

    @property
    def costs(self) -> list[int]:
        """How many terms one case takes."""
        return [self.keys.count]

    @property
    def grain(self) -> float:
        """What doubles do not resolve in a bound."""
        return 4 * sum(table.slack(np.zeros(1)) for table in self.tables) + float(self._mine.rad.max())

    @cached_property
    def _mine(self) -> Box:
        return affine(self.own, self.asking.fields, self.asking.count).reshape(-1)

    @cached_property
    def _labels(self) -> list[tuple[Array, Array]]:
        """For each slot upper bounds of the label, by token and place of the asked position, and by the query."""
        V, N, made = len(self.queries.keys), self.queries.prompts.N, []
        for of in self.asked:
            there = affine(of, self.keys.fields, self.keys.count).high.reshape(V, -1, N).max(axis=1)
            made.append((there, affine(of, self.asking.fields, self.asking.count).high.reshape(-1)))
        return made

    def state(self, cases: Cases) -> Indices:
        """Return which of the query's states a case has."""
        _, _, T, P = self.queries.shape
        t = np.zeros(np.shape(cases.i), dtype=np.int64)
        if T > 1:
            for index in cases.t:
                t = t * self.queries.prompts.N + index
        return (cases.x * T + t) * P + np.searchsorted(self.queries.places, cases.i)

    def rest(self, cases: Cases) -> Array:
        """Return upper bounds of what is not averaged."""
        state = self.state(cases)
        total = self._mine.high[state]
        for s, (there, mine) in enumerate(self._labels):
            y = np.arange(len(self.queries.keys)) if not self.queries.split[s] else cases.y[s][:, None]
            found = there[y, cases.t[s][:, None]].max(axis=1)
            total = np.nextafter(total + np.where(cases.t[s] == cases.i, mine[state], found), np.inf)
        return np.asarray(total)

    def coarse(self, x: int, t: slice) -> Callable[[Cases], list[Excess]] | None:
        """Return None: there is one level."""
        return None

    def fine(self, cases: Cases, level: int) -> list[Excess]:
        """Return bounds of some cases."""
        return [self._excess(table, cases) for table in self.tables]

    def _excess(self, table: ListedHead, cases: Cases) -> Excess:
        state, rows, N, V = self.state(cases), np.arange(len(cases.i)), self.queries.prompts.N, len(self.queries.keys)
        scores = times(table.rows[state], table.columns)
        s = scores.mid.reshape(len(rows), -1, N)
        seen = self.queries.seen[cases.i]
        own_seen = seen[rows, cases.i]
        free = seen.copy()
        free[rows, cases.i] = False
        top = np.maximum(
            np.where(free[:, None], s, -np.inf).max(axis=(1, 2)), np.where(own_seen, table.own.mid[state], -np.inf)
        )
        W = exponential(np.where(free[:, None], s - top[:, None, None], -np.inf)) * free[:, None]
        mine = np.where(own_seen, exponential(np.where(own_seen, table.own.mid[state] - top, 0.0)), 0.0)
        error = float(max(scores.rad.max(), table.own.rad.max()))
        if not error < 0.1:
            raise DomainError(
                f"scores that are known up to {error:.1g}", required="up to 0.1",
                why="a weight is the exponential of a score", advice="scores below about 1e12, or weights in doubles",
            )  # fmt: skip
        size = float(np.abs(s).max()) + float(np.abs(table.own.mid).max())
        eta = 2.2 * (error + 4 * UNIT * size + 2 * EXP_ERROR + (N + 64) * UNIT)
        g, gain = table.values.mid.reshape(-1, N), table.mine.mid[state] + table.added(cases.i, cases)
        bonus = 0.0 if table.bonus is None else (
            np.where(np.arange(N) == cases.t[table.bonus[0]][:, None], table.bonus[1], 0.0)[:, None]
        )  # fmt: skip

        def excess(c: Array) -> Array:
            slack = table.slack(c)
            D = g + bonus + (slack - c)[:, None, None]
            D += eta * np.abs(D)
            terms = (W * D).reshape(len(rows), V, -1, N).max(axis=2)
            largest = terms.max(axis=1)
            for s, t in enumerate(cases.t):
                if self.queries.split[s]:
                    held = np.where(t == cases.i, 0.0, terms[rows, cases.y[s], t])
                    largest[rows, t] = np.where(t == cases.i, largest[rows, t], held)
            own = gain - c + slack
            return np.asarray(largest.sum(axis=1) + mine * (own + eta * np.abs(own)) + FLOOR)

        return excess

    def views(self, case: Cases) -> list[View]:
        """Return what each head makes of the states, for one case."""
        state, found, N = self.state(case), [], self.queries.prompts.N
        for table in self.tables:
            s = (table.rows.mid[state] @ table.columns.mid).reshape(-1, N).T
            g = table.values.mid.reshape(-1, N).T + np.broadcast_to(table.added(np.arange(N), case), (N,))[:, None]
            own = float(table.own.mid[state][0]), float((table.mine.mid[state] + table.added(case.i, case))[0])
            found.append(View(s, g, own))
        return found
