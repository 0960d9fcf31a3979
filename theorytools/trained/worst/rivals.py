r"""How much weight the keys that a query does not ask for can have, with the asked token in a cell.

Let a head look for the position ``p`` that one slot names.  With :math:`w_j` the weight of key ``j`` over that of
``p``,

.. math:: \sum_j\pi_jg_j-g_p=\frac{\sum_{j\ne p}w_j(g_j-g_p)}{1+\sum_{j\ne p}w_j},\qquad
          0\le w_j\le E_j,\quad\sum_jw_j\le S .

*The weights.*  Each score but the asked one is at its largest over the tokens and the indices of its key, and that of
``p`` at its least over a cell of tokens and the indices that may stand there.  Tokens of other keys are free of the
query's; so given them each :math:`s_j-s_p` is affine in the query's token, :math:`E_j` and :math:`S`, sums of
exponentials of maxima of affine functions, are convex in it, and what holds at the corners of a polytope holds inside.
A ball of the plane lies in a polygon; else what the query's token adds is bounded by norms.

*The average.*  Let :math:`h_j\ge g_j-g_p`, :math:`h_1\ge h_2\ge\dots`  For a fixed sum ``D`` of the weights the
numerator is largest where the keys are filled in this order; it is then concave and piecewise linear in ``D``, and
divided by :math:`1+D` it is monotone between two breakpoints.  So it is at most the largest value at the breakpoints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.blocks.network import ONE, PLACE, Head
from theorytools.errors import DomainError
from theorytools.numbers.boxes import TINY, UNIT, Array, Box, exact, times
from theorytools.trained.worst.prompts import Indices, Prompts
from theorytools.trained.worst.separated import EXP_ERROR, exponential

POLYGON, CORNERS = 16, 8  # sides of a polygon about a disk; dimensions of which corners are listed
LARGE = 600.0  # beyond it an exponential is taken to be infinite


@dataclass(frozen=True, eq=False)
class Cells:
    """Queries, with the tokens that they hold and ask for in boxes.

    Positions are numbered: 0 is the query's, 1 that of its first slot, and so on.

    Attributes
    ----------
    query : numbers of the queries, ``(C,)``: group of places times the number of tuples, plus the tuple.
    index : numbers of the tuples that stand at the positions, ``(C, 1 + q)``; -1 for any.
    centre, half : middle points and half widths of the tokens there, ``(C, 1 + q, d)``.
    twin : the first number of a position that is the same, ``(C, 1 + q)``; only what is held there counts.
    """

    query: Indices
    index: Indices
    centre: Array
    half: Array
    twin: Indices

    def __len__(self) -> int:
        return len(self.query)

    def __getitem__(self, rows: Any) -> Cells:
        return Cells(*(getattr(self, of.name)[rows] for of in fields(self)))

    def at(self, k: int) -> tuple[Indices, Array, Array]:
        """Return what is held at a position: the number of the tuple, and the middle and half widths of the token."""
        rows, twin = np.arange(len(self)), self.twin[:, k]
        return self.index[rows, twin], self.centre[rows, twin], self.half[rows, twin]

    def gathered(self, x: Array) -> Array:
        """Return numbers of all positions ``(C, 1 + q, …)`` added up where positions are the same."""
        if (self.twin == np.arange(self.twin.shape[1])).all():
            return x
        found, rows = np.zeros_like(x), np.arange(len(self))
        for k in range(x.shape[1]):
            found[rows, self.twin[:, k]] += x[:, k]
        return found

    def cut(self, axis: Indices) -> Cells:
        r"""Return both halves of each along its axis, whose union holds it: the first of each, then the second.

        The centre of a half is off by :math:`u(|c|+h)` at most, its width by less: a half is wider by four of these.
        """
        rows, shape = np.arange(len(self)), self.half.shape
        centre, half = self.centre.reshape(len(self), -1), self.half.reshape(len(self), -1).copy()
        moved = np.zeros_like(half)
        moved[rows, axis] = half[rows, axis] / 2
        half[rows, axis] = moved[rows, axis] + 4 * UNIT * (np.abs(centre) + half)[rows, axis]
        both = np.concatenate([centre - moved, centre + moved]).reshape(-1, *shape[1:])
        again = np.tile(rows, 2)
        return replace(self[again], centre=both, half=half[again].reshape(both.shape))

    def holding(self, k: int, tuples: int) -> Cells:
        """Return each with every tuple of indices at a position, the first of all, then the second, …"""
        found = self[np.tile(np.arange(len(self)), tuples)]
        found.index[:, k] = np.repeat(np.arange(tuples), len(self))
        return found

    @classmethod
    def joined(cls, some: Sequence[Cells]) -> Cells:
        """Return them one behind the other."""
        return cls(*(np.concatenate([getattr(one, of.name) for one in some]) for of in fields(cls)))


def corners(prompts: Prompts) -> Array | None:
    """Return the corners of a polytope that holds the tokens, or None where they are too many."""
    r, d = prompts.radius, prompts.d
    if d > CORNERS or (prompts.tokens == "ball" and d > 2):
        return None
    if prompts.tokens == "ball" and d == 2:
        turn = 2 * np.pi * np.arange(POLYGON) / POLYGON
        wide = r / np.cos(np.pi / POLYGON) * (1 + 1e-12)  # rounding moves corners and sides by less
        return np.asarray(wide * np.stack([np.cos(turn), np.sin(turn)], axis=1))
    return np.asarray(r * (np.indices((2,) * d).reshape(d, -1).T * 2.0 - 1))


def up(x: Any) -> Array:
    """Return the next doubles above."""
    return np.asarray(np.nextafter(x, np.inf))


def down(x: Any) -> Array:
    """Return the next doubles below."""
    return np.asarray(np.nextafter(x, -np.inf))


def exponential_above(x: Array) -> Array:
    """Return upper bounds of exponentials, zero at minus infinity, and infinite beyond :data:`LARGE`."""
    found = exponential(np.minimum(x, LARGE)) * (1 + 4 * EXP_ERROR)
    return np.where(x == -np.inf, 0.0, np.where(x > LARGE, np.inf, found))


@dataclass(frozen=True, eq=False)
class Rivals:
    """One head: ends of its scores for every query, by row; ``Y`` counts places of the group and corners.

    Attributes
    ----------
    prompts, slot : the class, and the slot, from 0, whose position the head is taken to look for.
    tuples : all tuples of indices.
    base, total : the largest score of all rivals, and the sum of all their exponentials in its unit, ``(R, Y)``.
    share : the largest share of each rival in such a sum, ``(R, N)``.
    place, words, v : parts of the asked key's score: by its place at least ``(R, Y)``, by its indices at least
        ``(R, Y, q, N)``, and what meets its token ``(R, Y, d)``.
    blind : the queries that do not see the position that they ask for, ``(R,)``.
    """

    prompts: Prompts
    slot: int
    tuples: Indices
    base: Array
    total: Array
    share: Array
    place: Array
    words: Array
    v: Box
    blind: NDArray[np.bool_]

    @cached_property
    def words_least(self) -> Array:
        """What the asked key's indices make of its score at least, whatever they are, ``(R, Y, q)``."""
        return np.asarray(self.words.min(-1))

    @cached_property
    def reach(self) -> Array:
        """How far a coordinate of the asked token moves its score, at most, ``(R, d)``."""
        return np.asarray(np.abs(self.v.mid).max(1))

    @cached_property
    def wide(self) -> Array:
        """How far its indices do, ``(R,)``."""
        return np.asarray(np.ptp(self.words, axis=-1).sum(-1).max(1))

    @classmethod
    def of(
        cls, head: Head, slot: int, prompts: Prompts, groups: Sequence[Sequence[int]], mask: NDArray[np.bool_] | None
    ) -> Rivals:
        """Return the tables of one head for groups of places, of one size each."""
        p, tuples, points = prompts, prompts.tuples, corners(prompts)
        X = np.zeros((1, p.d)) if points is None else points
        rows = {"x": exact(X), PLACE: exact(np.eye(p.N)), ONE: exact(np.ones((1, 1)))}
        rows |= {name: exact(np.eye(p.N)[tuples[:, s]]) for s, name in enumerate(p.slots)}
        place, v = _met(head, PLACE, rows, p.N), _met(head, "x", rows, p.d)
        words = [_met(head, name, rows, p.N) for name in p.slots]
        asked, T = tuples[:, slot], np.arange(len(tuples))
        push = p.reach(v)
        tops, here = np.zeros(push.shape), np.zeros(push.shape)
        for s, w in enumerate(words):  # the query's own key has the query's indices
            tops, here = up(tops + w.high.max(-1)), up(here + w.high[:, T, :, tuples[:, s]].transpose(1, 0, 2))
        most = up(place.high + up(push + tops)[..., None])
        own = np.arange(p.N)
        most[own, :, :, own] = up(up(place.high[own, :, :, own] + push) + here)
        if points is None:
            most = up(most + _of_token(head, p, asked)[None, :, None])
        seen = np.ones((p.N, p.N), dtype=np.bool_) if mask is None else np.asarray(mask)
        most = np.where(seen[:, None, None], most, -np.inf)
        most[:, T, :, asked] = -np.inf
        low = place.low[:, T, :, asked].transpose(1, 0, 2)
        low_words = np.stack([w.low for w in words], axis=3)
        order = np.asarray(groups)

        def rows_of(x: Array) -> Array:  # (places, tuples, corners, …) to (groups and tuples, places and corners, …)
            moved = np.moveaxis(x[order], 1, 2)
            return np.ascontiguousarray(moved.reshape(len(order) * len(T), -1, *x.shape[3:]))

        base, total, share = _shares(rows_of(most))
        blind = ~seen[order[:, :1], asked[None]].reshape(-1)
        return cls(p, slot, tuples, base, total, share, rows_of(low), rows_of(low_words),
                   Box(rows_of(v.mid), rows_of(v.rad)), blind)  # fmt: skip

    def odds(self, cells: Cells) -> tuple[Array, Array]:
        """Return upper bounds of the rivals' weights, over that of the asked key: of their sum, and of each.

        Shapes ``(C,)`` and ``(C, N)``; where the sum may be infinite, the others are no bounds, and not needed.
        """
        r = cells.query
        low = down(self.place[r] + self._of_cell(cells))
        for b in range(self.prompts.q):
            index = cells.at(1 + self.slot)[0][:, None]
            held = self.words[r, :, b, self.tuples[np.maximum(index[:, 0], 0), b]]
            low = down(low + np.where(index < 0, self.words_least[r, :, b], held))
        S = (self.total[r] * exponential_above(up(self.base[r] - low))).max(1) * (1 + 8 * UNIT)
        return S, self.share[r] * np.where(np.isinf(S), 0.0, S)[:, None] * (1 + 4 * UNIT)

    def _of_cell(self, cells: Cells) -> Array:
        """Lower bounds of what the asked token makes of the asked key's score, ``(C, Y)``."""
        centre, half = (x[:, None] for x in cells.at(1 + self.slot)[1:])
        v = Box(self.v.mid[cells.query], self.v.rad[cells.query])
        size = (v.size * (np.abs(centre) + half)).sum(-1)
        off = (v.rad * (np.abs(centre) + half)).sum(-1) + 8 * (self.prompts.d + 4) * UNIT * size
        found = (v.mid * centre).sum(-1) - (np.abs(v.mid) * half).sum(-1) - off * (1 + 8 * UNIT) - TINY
        return np.maximum(down(found), -self.prompts.reach(v))


def _shares(most: Array) -> tuple[Array, Array, Array]:
    """Return the largest of scores ``(R, Y, N)``, the sum of their exponentials in its unit, and largest shares."""
    base = most.max(-1)
    base = np.where(base == -np.inf, 0.0, base)
    E = exponential_above(up(most - base[..., None]))
    off = 4 * (most.shape[-1] + 8) * UNIT  # of a sum, and e^x |x| < 1 times what rounding an exponent up can do
    total = E.sum(-1)
    share = E / np.maximum(total, TINY)[..., None] * (1 + off + 8 * EXP_ERROR)  # each is at most 8 errors too large
    return base, total * (1 + off), share.max(1)


def chosen(table: Array, index: Indices, digits: Indices, ends: Any) -> Array:
    """Entries of ``(C or 1, …, N)`` at the digit of the tuple that is held, ``(C, …)``, or an end where none is."""
    ones = (1,) * (table.ndim - 2)
    digit = digits[np.maximum(index, 0)].reshape(-1, *ones, 1)
    whole = np.broadcast_to(table, (len(index), *table.shape[1:]))
    held = np.take_along_axis(whole, np.broadcast_to(digit, (*whole.shape[:-1], 1)), -1)[..., 0]
    return np.where((index < 0).reshape(-1, *ones), ends(table, axis=-1), held)


def _met(head: Head, b: str, rows: Mapping[str, Box], width: int) -> Box:
    """What queries make of the keys' field ``b``, ``(places, tuples, corners, width)``."""
    shape = (len(rows[PLACE].mid), len(rows["slot1"].mid), len(rows["x"].mid))
    at = {"x": (1, 1, shape[2]), PLACE: (shape[0], 1, 1), ONE: (1, 1, 1)}
    total = exact(np.zeros((*shape, width)))
    for (a, key), G in head.scores.items():
        if key == b:
            total = total + times(rows[a], G).reshape(*at.get(a, (1, shape[1], 1)), width)
    if not np.isfinite(total.mid).all() or not np.isfinite(total.rad).all():
        raise DomainError("scores beyond doubles", required="weights whose scores are doubles", why="they are bounded")
    return total


def _of_token(head: Head, prompts: Prompts, asked: Indices) -> Array:
    r"""Upper bounds of what the query's token adds to :math:`s_j-s_p`, ``(tuples, N)``."""
    total = np.zeros((len(asked), prompts.N))
    for (a, b), G in head.scores.items():
        if a != "x" or b == ONE:
            continue
        if b == PLACE:
            C = G.T
            apart = Box(C.mid[None] - C.mid[asked][:, None], C.rad[None] + C.rad[asked][:, None])
            rad = (apart.rad + 2 * UNIT * np.abs(apart.mid)) * (1 + 8 * UNIT)
            total += prompts.reach(Box(apart.mid, rad))
        elif b == "x":
            size = np.sqrt((G.size**2).sum()) if prompts.tokens == "ball" else G.size.sum()
            total += 2.0001 * prompts.radius**2 * float(size)
        else:
            total += 2.0001 * float(prompts.reach(G.T).max())
    return np.asarray(total * (1 + 1e-12) + TINY)


def moved_at_most(G: Array, low: Array, S: Array, E: Array) -> Array:
    r"""Return upper bounds of :math:`\sum_j\pi_jg_j-g_p`, at least 0.

    Parameters
    ----------
    G : upper bounds of the values, ``(C or 1, m, N)``.
    low : lower bounds of :math:`g_p`, ``(C, m)``.
    S, E : upper bounds of the weights' sum ``(C,)``, which may be infinite, and of each of them ``(C, N)``.
    """
    order = np.argsort(-G, axis=-1)
    h = np.take_along_axis(G, order, -1) - low[..., None]
    filled = np.take_along_axis(np.broadcast_to(E[:, None], (len(E), *G.shape[1:])), order, -1)
    D = np.minimum(np.cumsum(filled, axis=-1), np.where(np.isinf(S), 0.0, S)[:, None, None])
    steps = np.diff(D, axis=-1, prepend=0.0)
    found = (np.cumsum(steps * h, axis=-1) / (1 + D)).max(-1)
    return np.maximum(np.where(np.isinf(S)[:, None], h[..., 0], found), 0.0)
