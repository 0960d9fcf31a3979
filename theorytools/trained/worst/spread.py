r"""Tokens in a box or a ball in front of one attention layer: an upper bound for each state of the query.

Fix place ``i`` and indices of the query, a seen key :math:`\pi` (the asked one, where it is seen), and ``c``.  Divided
by the weight of :math:`\pi`, :func:`~theorytools.trained.worst.separated` 's ``F`` is at most

.. math:: \Phi=\sum_{j\ne\pi}\max e^{s_j-s_\pi}(g_j-c)_++\max(g_\pi-c),

each maximum over the states of its own key, the score of :math:`\pi` least over its tokens in every term: so
:math:`\Phi\le0` proves that no average is above ``c``.  The indices of :math:`\pi` are tried one by one.

*A key's token.*  For every :math:`D>0` and all real ``z``, :math:`z\le De^{z/D-1}` (the tangent of the exponential at
1).  So with :math:`h(v)=\max_x\langle v,x\rangle`, which is ``r`` times the dual norm,

.. math:: \max_{x,t}e^{p+\langle v,x\rangle+\sum_sr_s[t_s]}(g-c)_+\le
          D\exp\Bigl(p-1+\frac{P-c}D+h\bigl(v+\tfrac\gamma D\bigr)+\sum_s\max_t\bigl(r_s[t]+\tfrac{\sigma_s[t]}D\bigr)
          \Bigr),

with equality for tokens where ``D`` is the value minus ``c`` at the maximum: the logarithm of the left-hand side is
concave.  The bound holds for each ``D``; the least of a few is taken.

*The query's token.*  The token of key ``i`` is left free of the query's.  Then each :math:`s_j-s_\pi` is affine in the
query's ``x``, with a factor that is not negative and does not depend on ``x``: :math:`\Phi` is convex, and where it is
at most 0 at the corners of the box it is so in all of it.  Its own term, which is affine in ``x``, is taken at its
largest.  In a ball, or in a box of many dimensions, what ``x`` adds to :math:`s_j-s_\pi` is bounded by ``h``.

*The asked tokens.*  Labels are affine in them.  Their weights were bounded over all tokens, so :math:`\Phi` is convex
in them as well, and corners decide.  In a ball they are bounded: with :math:`a` the label's direction, :math:`\theta`
its share in this head, the mean is at most ``c`` plus :math:`\theta(h(a)-\langle a,y\rangle)` if :math:`\Phi\le0` with
:math:`g_\pi` at most :math:`h(\gamma+\theta a)-\theta h(a)` and what places and indices add.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from theorytools.blocks.network import PLACE, Attention, Map
from theorytools.numbers.boxes import UNIT, Array, Box, exact
from theorytools.trained.worst.branching import Excess, View
from theorytools.trained.worst.prompts import VERTICES, Prompts
from theorytools.trained.worst.queries import Cases, Queries, parts_of
from theorytools.trained.worst.separated import EXP_ERROR, FLOOR, Separated, exponential, separated

LEAST_D = 1e-12  # of the size of the values


def moved(of: Map, N: int) -> Map:
    """Return the same map with its shift at the places."""
    row = Box(np.repeat(of.shift.mid[:, None], N, 1), np.repeat(of.shift.rad[:, None], N, 1))
    part = of.parts[PLACE] + row if PLACE in of.parts else row
    return Map({**of.parts, PLACE: part}, exact(np.zeros(of.width)))


def corners(prompts: Prompts) -> bool:
    """Whether the tokens are a box whose corners are listed."""
    return prompts.tokens == "box" and prompts.d <= VERTICES


@dataclass(frozen=True, eq=False)
class Label:
    """An affine term of one position: its direction in the tokens, and what place and indices add.

    Attributes
    ----------
    direction : shape ``(d,)``, with its errors.
    place, slots, error : as those of :class:`~theorytools.trained.worst.queries.Parts`.
    """

    direction: Box
    place: Array
    slots: tuple[Array, ...]
    error: float


def label_of(of: Map, prompts: Prompts, what: str) -> Label:
    """Return a map of width 1 as a direction and terms."""
    whole = moved(of, prompts.N)
    found = parts_of(Map({k: v for k, v in whole.parts.items() if k != "x"}, whole.shift), prompts,
                     np.zeros((1, prompts.d)), what)  # fmt: skip
    direction = whole.parts["x"][0] if "x" in whole.parts else exact(np.zeros(prompts.d))
    return Label(direction, found.place, found.slots, found.error)


@dataclass(frozen=True, eq=False)
class Spread:
    """Tokens in a box or a ball: one level of bounds.

    Attributes
    ----------
    queries : the cases; asked tokens are corners of the box, or not held.
    attention, values, own, asked : the layer and what is read of it.
    held : whether the query's token is one, and not all of the class.
    bonus : the slot, from 0, and what is added to the value of the position that it asks for.
    """

    queries: Queries
    attention: Attention
    values: tuple[Map, ...]
    own: Map
    asked: tuple[Map, ...]
    held: bool
    bonus: tuple[int, float] | None
    exact: bool = False

    @property
    def prompts(self) -> Prompts:
        """The class."""
        return self.queries.prompts

    @property
    def heads(self) -> int:
        """How many heads."""
        return len(self.values)

    @cached_property
    def tables(self) -> tuple[Separated, ...]:
        """The heads, their keys' tokens the unit vectors."""
        d = self.prompts.d
        units = Queries(
            self.prompts, np.eye(d), self.queries.tokens, self.queries.places, self.queries.tuples, self.queries.seen,
            self.queries.split,
        )  # fmt: skip
        heads = zip(self.attention.heads, self.values, strict=True)
        return tuple(separated(head, moved(value, self.prompts.N), units, self.bonus) for head, value in heads)

    @cached_property
    def directions(self) -> tuple[Label, ...]:
        """The values' directions and terms."""
        return tuple(label_of(value, self.prompts, "the value") for value in self.values)

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The labels."""
        return tuple(label_of(of, self.prompts, f"the label of slot {s}") for s, of in enumerate(self.asked, 1))

    @cached_property
    def mine(self) -> Label:
        """The query's own term."""
        return label_of(self.own, self.prompts, "the own term")

    @cached_property
    def slots(self) -> tuple[int | None, ...]:
        """For each head the slot, from 0, whose position its places' scores single out; a guess that nothing needs."""
        made: list[int | None] = []
        for table in self.tables:
            lead = [float(np.mean(np.diag(C) - C.mean(axis=1))) for C in table.met[PLACE].slots]
            made.append(int(np.argmax(lead)) if lead else None)
        return tuple(made)

    @property
    def ends(self) -> list[tuple[float, float]]:
        """For each head two numbers that no average is beyond."""
        return [(-self._reach(h), self._reach(h)) for h in range(self.heads)]

    def _reach(self, h: int) -> float:
        value = self.directions[h]
        rest = sum(float(np.abs(term).max()) for term in (value.place, *value.slots))
        extra = abs(self.bonus[1]) if self.bonus else 0.0
        labels = sum(float(self.prompts.reach(label.direction)) for label in self.labels)
        return (float(self.prompts.reach(value.direction)) + rest + extra + 2 * labels + value.error) * 1.001 + 1e-300

    @property
    def costs(self) -> list[int]:
        """How many terms one case takes."""
        p = self.prompts
        return [p.N * (8 + p.q + (0 if self.held or corners(p) else p.d)) + p.N**p.q]

    @property
    def grain(self) -> float:
        """What doubles do not resolve in a bound."""
        return 1e-14 * sum(self._reach(h) for h in range(self.heads))

    def rest(self, cases: Cases) -> Array:
        """Return upper bounds of what is not averaged."""
        reach, listed = self.prompts.reach, self.queries.keys
        mine, size = self.mine, 0.0
        x = self.queries.tokens[cases.x] @ mine.direction.mid if self.held else float(reach(mine.direction))
        total, size = x + mine.place[cases.i], size + float(np.abs(mine.place).max()) + float(reach(mine.direction))
        error = mine.error + self._loss(mine)
        for s, (label, t) in enumerate(zip(self.labels, cases.t, strict=True)):
            at = listed[cases.y[s]] @ label.direction.mid if self.queries.split[s] else float(reach(label.direction))
            if self.held:
                own = self.queries.tokens[cases.x] @ label.direction.mid
                at = np.where(t == cases.i, own, at)
            total = total + at + label.place[t] + mine.slots[s][t] + sum(float(term.max()) for term in label.slots)
            terms = (label.place, *label.slots, mine.slots[s])
            size += sum(float(np.abs(term).max()) for term in terms) + float(reach(label.direction))
            error += label.error + self._loss(label)
        size *= max(1.0, float(np.abs(self.queries.tokens).max(initial=0.0)) / self.prompts.radius)
        return np.asarray(total + error + 8 * (self.prompts.d + 8) * (len(self.labels) + 2) * UNIT * size)

    def _loss(self, label: Label) -> float:
        """What a product of a token and a direction, in doubles, may be too small by."""
        token = max(self.prompts.radius, float(np.abs(self.queries.tokens).max(initial=0.0)))
        sizes = float(label.direction.rad.sum()) + 2 * (self.prompts.d + 4) * UNIT * float(label.direction.size.sum())
        return 1.01 * token * sizes

    def coarse(self, x: int, t: slice) -> Callable[[Cases], list[Excess]] | None:
        """Return None: there is one level."""
        return None

    def fine(self, cases: Cases, level: int) -> list[Excess]:
        """Return bounds of some cases."""
        return [One(self, h, cases).excess for h in range(self.heads)]

    def views(self, case: Cases) -> list[View]:
        """No states are listed."""
        raise NotImplementedError


class One:
    """Some cases of one head.

    Parameters
    ----------
    spread : the problem.
    h : the head.
    cases : the cases.
    """

    def __init__(self, spread: Spread, h: int, cases: Cases) -> None:
        self.spread, self.h, self.cases = spread, h, cases
        self.table, self.value, prompts = spread.tables[h], spread.directions[h], spread.prompts
        n, rows = len(cases.i), np.arange(len(cases.i))
        self.p, met = self.table.met[PLACE](cases), self.table.met["x"](cases)
        self.v, self.r = met[:, : prompts.d], [self.table.met[name](cases) for name in prompts.slots]
        seen = spread.queries.seen[cases.i]
        slot = spread.slots[h]
        best = np.where(seen, self.p, -np.inf).argmax(axis=1)
        asked = cases.t[slot] if slot is not None else best
        self.pivot = np.where(seen[rows, asked], asked, best)
        self.free = seen.copy()
        self.free[rows, cases.i] = False
        self.free[rows, self.pivot] = False
        self.home = seen[rows, cases.i] & (self.pivot != cases.i)  # the query's own key, with its own indices
        token = max(1.0, prompts.radius, float(np.abs(spread.queries.tokens).max(initial=0.0)))
        self.error = self.table.error * (1 + token) * (prompts.d + 4) * 4
        here = sum((r[rows, t] for r, t in zip(self.r, cases.t, strict=True)), np.zeros(n))
        own = self.p[rows, cases.i] + met[rows, prompts.d + cases.x] + here  # the score of the query with itself
        lowest = sum((r.min(axis=1) for r in self.r), np.zeros(n))
        push = prompts.reach(exact(self.v))
        at_home = own if spread.held else self.p[rows, cases.i] - push + here
        self.least = np.where(self.pivot == cases.i, at_home, self.p[rows, self.pivot] - push + lowest) - self.error
        self.own, self.more = own, self._of_token()
        self.lines = None if self.table.value.flat else self._lines(lowest)

    def _lines(self, lowest: Array) -> Array:
        """Upper bounds of what the indices of the key that is divided by make of the others' weights, at most 1."""
        total = np.zeros((len(lowest), 1))
        for r in self.r:
            total = (total[:, :, None] + r[:, None, :]).reshape(len(lowest), -1)
        return self._weight(np.minimum(lowest[:, None] - total, 0.0) + 2 * self.error)

    def _of_token(self) -> Array:
        r"""Upper bounds of what the query's token adds to :math:`s_j-s_\pi`, shape ``(n, N)``."""
        spread, scores = self.spread, self.spread.attention.heads[self.h].scores
        prompts, total = spread.prompts, np.zeros(self.p.shape)
        if spread.held or corners(prompts):
            return total
        if ("x", PLACE) in scores:
            G = scores["x", PLACE].T
            apart = Box(G.mid[None] - G.mid[self.pivot][:, None], G.rad[None] + G.rad[self.pivot][:, None])
            total += prompts.reach(Box(apart.mid, (apart.rad + 2 * UNIT * np.abs(apart.mid)) * (1 + 8 * UNIT)))
        for name in prompts.slots:
            if ("x", name) in scores:
                total += 2.0001 * float(prompts.reach(scores["x", name].T).max())
        if ("x", "x") in scores:
            size = scores["x", "x"].size
            norm = float(np.sqrt((size**2).sum())) if prompts.tokens == "ball" else float(size.sum())
            total += 2.0001 * prompts.radius**2 * norm
        return np.asarray(total * (1 + 1e-12))

    def excess(self, c: Array) -> Array:
        r"""Return upper bounds of :math:`\Phi`."""
        gain = self._pivot(c)
        top = self._highest() - c
        least = LEAST_D * (self.spread._reach(self.h) + float(np.abs(c).max()))
        D = np.maximum(top, least)
        found = self._rivals(c, D)
        for _ in range(2):
            D = np.maximum(self._reached(D) - c, least)
            found = np.minimum(found, self._rivals(c, D))
        here = sum((term[t] for term, t in zip(self.value.slots, self.cases.t, strict=True)), np.zeros(len(c)))
        if self.lines is not None:
            there = (np.minimum(found, 1e300)[:, None] * self.lines + self.table.combined).max(axis=1)
            whole = np.where(self.pivot == self.cases.i, found + here, np.where(np.isinf(found), np.inf, there))
        else:
            whole = found
        size = np.abs(gain) + np.abs(here) + np.abs(whole) + found
        return np.asarray(whole + gain + 16 * UNIT * size + FLOOR)

    def _highest(self) -> Array:
        value = self.value
        rest = float(value.place.max()) + sum(float(term.max()) for term in value.slots)
        return np.full(len(self.cases.i), float(self.spread.prompts.reach(value.direction)) + rest)

    def _reached(self, D: Array) -> Array:
        """The value at the state that the bound with ``D`` is large at, in doubles."""
        prompts, value = self.spread.prompts, self.value
        push = self.v + value.direction.mid / D[:, None]
        if prompts.tokens == "ball":
            x = prompts.radius * push / np.maximum(np.linalg.norm(push, axis=1, keepdims=True), 1e-300)
        else:
            x = prompts.radius * np.sign(push)
        g = x @ value.direction.mid + float(value.place.max())
        for r, term in zip(self.r, value.slots, strict=True):
            g = g + term[(r + term / D[:, None]).argmax(axis=1)]
        return np.asarray(g)

    def _rivals(self, c: Array, D: Array) -> Array:
        rows, value, prompts = np.arange(len(c)), self.value, self.spread.prompts
        over = 1 / D[:, None]
        direction = value.direction.mid * over
        wide = value.direction.rad * over + 8 * UNIT * (np.abs(direction) + np.abs(self.v))
        push = prompts.reach(Box(self.v + direction, wide))
        base = self.p + self.more + ((value.place + self.table.value.error) * over)
        far = (push - 1 - c / D - self.least)[:, None]
        size = self._size(c, D) * UNIT * 64 + self.error
        tops = [r + term * over for r, term in zip(self.r, value.slots, strict=True)]
        total = base + far + sum((t.max(axis=1) for t in tops), np.zeros(len(c)))[:, None]
        bonus = self._bonus(D)
        terms = np.where(self.free, self._weight(total + bonus + size[:, None]), 0.0)
        found = terms.sum(axis=1) * (1 + (self.p.shape[1] + 8) * 2 * UNIT)
        if self.spread.held:
            g = value.place[self.cases.i] + self.spread.queries.tokens[self.cases.x] @ value.direction.mid
            for term, t in zip(value.slots, self.cases.t, strict=True):
                g = g + term[t]
            g = g + self.table.added(self.cases.i, self.cases) + self._pad(c)
            mine = self._weight(self.own - self.least + size) * np.maximum(g - c, 0.0)
            return np.asarray(D * found * (1 + 8 * UNIT) + np.where(self.home, mine, 0.0) * (1 + 8 * UNIT))
        here = sum((t[rows, index] for t, index in zip(tops, self.cases.t, strict=True)), np.zeros(len(c)))
        mine = self._weight((base + far + bonus)[rows, self.cases.i] + here + size)
        return np.asarray(D * (found + np.where(self.home, mine, 0.0)) * (1 + 8 * UNIT))

    def _bonus(self, D: Array) -> Array | float:
        if self.spread.bonus is None:
            return 0.0
        slot, extra = self.spread.bonus
        return np.where(np.arange(self.p.shape[1]) == self.cases.t[slot][:, None], extra / D[:, None], 0.0)

    def _weight(self, exponent: Array) -> Array:
        """Upper bounds of exponentials; infinite where they are beyond doubles."""
        found = exponential(np.minimum(exponent, 690.0)) * (1 + 4 * EXP_ERROR)
        return np.where(exponent > 690.0, np.inf, found)

    def _size(self, c: Array, D: Array) -> Array:
        """A bound of the modulus of everything that is added in an exponent."""
        value = self.value
        rest = sum(float(np.abs(term).max()) for term in (value.place, *value.slots))
        values = float(self.spread.prompts.reach(value.direction)) + rest + np.abs(c)
        scores = np.abs(self.p).max(axis=1) + np.abs(self.least) + self.more.max(axis=1)
        scores = scores + sum((np.abs(r).max(axis=1) for r in self.r), np.zeros(len(c)))
        return np.asarray(scores + self.spread.prompts.reach(exact(self.v)) + values / D + 2)

    def _pad(self, c: Array) -> float:
        """What a value minus ``c``, computed in doubles, may be too small by."""
        spread = self.spread
        return spread._loss(self.value) + self.value.error + self.table.value.error + 32 * UNIT * (
            spread._reach(self.h) + float(np.abs(c).max())
        )  # fmt: skip

    def _pivot(self, c: Array) -> Array:
        """What the key that is divided by adds, without its indices."""
        spread, value, cases = self.spread, self.value, self.cases
        reach, slot = spread.prompts.reach, spread.slots[self.h]
        g = np.full(len(c), float(reach(value.direction)))
        if slot is not None:
            asked = self.pivot == cases.t[slot]
            if spread.queries.split[slot]:
                g = np.where(asked, spread.queries.keys[cases.y[slot]] @ value.direction.mid, g)
            elif not corners(spread.prompts):
                share = 1 / sum(other == slot for other in spread.slots)
                label = spread.labels[slot].direction
                both = Box(value.direction.mid + share * label.mid, value.direction.rad + label.rad + 4 * UNIT * (
                    np.abs(value.direction.mid) + np.abs(label.mid)))  # fmt: skip
                tied = float(reach(both)) - share * float(reach(label)) * (1 - 8 * UNIT * (spread.prompts.d + 8))
                tied += spread._loss(spread.labels[slot])
                held = spread.held & (cases.i == cases.t[slot])  # its label was not taken at its largest
                g = np.where(asked & ~held, np.minimum(g, tied), g)
        if spread.held:
            g = np.where(self.pivot == cases.i, spread.queries.tokens[cases.x] @ value.direction.mid, g)
        g = g + value.place[self.pivot] + self.table.added(self.pivot, cases)
        return np.asarray(g - c + self._pad(c))


def points(prompts: Prompts, directions: list[Array], count: int = 12) -> Array:
    """Return some tokens of the class, corners or ends of directions, among which a large prompt is looked for."""
    if corners(prompts):
        return (
            prompts.radius * np.array(np.meshgrid(*[[-1.0, 1.0]] * prompts.d, indexing="ij")).reshape(prompts.d, -1).T
        )
    rng = np.random.default_rng(0)
    rows = [v for v in directions if np.any(v)] + list(rng.standard_normal((count, prompts.d)))
    whole = np.concatenate([[v, -v] for v in rows])[:count]
    if prompts.tokens == "box":
        return prompts.radius * np.where(whole >= 0, 1.0, -1.0)
    inside = prompts.radius * (1 - 1e-14)
    return np.asarray(inside * whole / np.linalg.norm(whole, axis=1, keepdims=True))
