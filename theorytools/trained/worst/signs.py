r"""Tokens of signs in front of heads whose scores separate: bounds of all cases at once, then of each by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from theorytools.blocks.network import PLACE
from theorytools.numbers.boxes import Array
from theorytools.trained.worst.branching import Excess, View
from theorytools.trained.worst.queries import Cases, Queries, Rest
from theorytools.trained.worst.separated import Coarse, Fine, Separated


@dataclass(frozen=True, eq=False)
class Signs:
    """Finitely many tokens in front of heads whose scores separate.

    Attributes
    ----------
    queries : the cases.
    tables : the heads.
    outside : what is not averaged.
    """

    queries: Queries
    tables: tuple[Separated, ...]
    outside: Rest

    @property
    def heads(self) -> int:
        """How many heads."""
        return len(self.tables)

    @property
    def exact(self) -> bool:
        """Whether the last level is what a prompt attains: with one head."""
        return self.heads == 1

    @property
    def ends(self) -> list[tuple[float, float]]:
        """For each head two numbers that no average is beyond."""
        return [table.ends for table in self.tables]

    @property
    def grain(self) -> float:
        """What doubles do not resolve in a bound."""
        return 4 * sum(table.slack(np.zeros(1)) for table in self.tables) + 4 * self.outside.error

    @property
    def counts(self) -> list[int]:
        """The numbers of knots of the levels."""
        levels = max(len(table.levels) for table in self.tables)
        return sorted({min(count, levels) for count in (2, 17, levels)})

    @property
    def costs(self) -> list[int]:
        """How many terms one case takes at each level."""
        p = self.queries.prompts
        combos = 1 if all(table.value.flat for table in self.tables) else p.N**p.q
        return [p.N * (p.q + 2) + p.N**p.q + len(self.queries.keys) * combos * count for count in self.counts]

    def rest(self, cases: Cases) -> Array:
        """Return upper bounds of what is not averaged."""
        return self.outside(cases, len(self.queries.keys)) + self.outside.error

    def coarse(self, x: int, t: slice) -> Any:
        """Return bounds of all places and some tuples, by the answers."""
        tuples = self.queries.tuples[t]
        made = [Coarse(table, x, tuple(tuples.T)) for table in self.tables]

        def bounds(cases: Cases) -> list[Excess]:
            return [lambda c, one=one: one.excess(c, cases) for one in made]  # type: ignore[misc]

        return bounds

    def fine(self, cases: Cases, level: int) -> list[Excess]:
        """Return bounds of some cases."""
        return [Fine(table, cases, self.counts[level]).excess for table in self.tables]

    def views(self, case: Cases) -> list[View]:
        """Return what each head makes of the states, for one case."""
        return [_view(table, case) for table in self.tables]


def _view(table: Separated, case: Cases) -> View:
    N, q = table.queries.prompts.N, table.queries.prompts.q
    v = table.met["x"](case)[0]
    lines, values = v[: table.V], table.value.x[: table.V]
    p, P = table.met[PLACE](case)[0], table.value.place
    own = int(case.x[0]) + table.V
    s = v[own] + p[case.i[0]]
    g = table.value.x[own] + P[case.i[0]]
    for slot in range(q):
        r, t = table.met[table.queries.prompts.slots[slot]](case)[0], int(case.t[slot][0])
        lines = (lines[:, None] + r).reshape(-1)
        values = (values[:, None] + table.value.slots[slot]).reshape(-1)
        s, g = s + r[t], g + table.value.slots[slot][t]
    extra = np.broadcast_to(table.added(np.arange(N), case), (N,))
    return View(p[:, None] + lines, (P + extra)[:, None] + values, (float(s), float(g + extra[case.i[0]])))
