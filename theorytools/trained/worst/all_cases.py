r"""Bounds of the label error of all cases at once, behind one hidden layer of ReLUs, for tokens of signs and one index.

Were the attention perfect, the units would see the asked position ``t`` itself, whose state is its token and index; the
output would be off by :math:`e_0`.  The attention returns :math:`c=\sum_j\pi_jv_j`, which moves unit ``k`` by at most
:math:`L\,R_k`, with the leakage :math:`L=1-\pi_t` and :math:`R_k=\max_j|A_k(v_j-v_t)|`.  A unit that is farther than
that from its kink keeps its slope, 1 or 0; of the others the slope lies in :math:`[0,1]`.  With :math:`g` the sum of
:math:`w_kA_k` over units that stay active,

.. math:: \pm(f(c)-f(v_t))\le\sum_{j\ne t}\pi_j\Bigl(\pm g(v_j-v_t)+\sum_{\text{may bend}}|w_k|R_k\Bigr)\le LD,

so the error is at most :math:`|e_0|+LD`.  Without any such unit known, :math:`D=\max_j\rho_\pm(v_j-v_t)`,
:math:`\rho_\pm(v)=\sum_k(\pm w_kA_kv)_+`, which is sublinear.  Of several heads what each adds is added.

The leakage of a query, given its place, token and index, is that of the worst keys, which separate.  What is bounded so
is bounded more sharply case by case (:mod:`.cut_cases`), as far as that goes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from theorytools.blocks.network import ONE, PLACE, Activation, Attention, Head, Map, Network
from theorytools.errors import BudgetError
from theorytools.numbers.boxes import UNIT, Array, Box, exact, times
from theorytools.trained.worst.prompts import Indices, Prompts
from theorytools.trained.worst.separated import EXP_ERROR, exponential

FUDGE = 1 + 1e-9  # sums of non-negative doubles: relative errors below 10^-12
TERMS = 2**33  # exponentials, and units, that are evaluated
KNOTS = 65  # leakages at which a maximum over indices is taken; between them its chord is
KEPT = 2**14  # cases with the largest bounds that are returned one by one


@dataclass(frozen=True, eq=False)
class Bounds:
    """The cases with the largest bounds, in falling order.

    Attributes
    ----------
    upper : the bounds, ``(n,)``.
    query, asked : by number the state of the query, place, token and index as in ``Prompts.states()``, and the token
        that stands at the position it asks for.
    rest : a bound of all other cases.
    """

    upper: Array
    query: Indices
    asked: Indices
    rest: float


def bounded_at_once(network: Network, prompts: Prompts) -> bool:
    """Whether all cases of a network are bounded here: one index, one layer of ReLUs behind one attention."""
    blocks, known = network.blocks, set(prompts.widths) | {ONE}
    if len(blocks) != 2 or not isinstance(blocks[0], Attention) or not isinstance(blocks[1], Activation):
        return False
    attention, units = blocks
    assert isinstance(attention, Attention)
    assert isinstance(units, Activation)
    reads = all({a, b} <= known for head in attention.heads for a, b in head.scores)
    behind = set(units.of.parts) <= {attention.out} and set(network.output.parts) <= {units.out}
    return reads and behind and units.kind == "relu" and prompts.q == 1 and prompts.tokens == "signs" and network.each


def bounds(
    network: Network, prompts: Prompts, u: Array, progress: Callable[[int, int], None] | None = None
) -> Bounds:  # fmt: skip
    """Return bounds of the label error for all cases of a network of :func:`bounded_at_once`.

    Raises
    ------
    BudgetError : too many cases.
    """
    attention, units = network.blocks
    assert isinstance(attention, Attention)
    assert isinstance(units, Activation)
    p, m = prompts, units.of.width
    H = len(attention.heads)
    work = len(p.vertices) * p.N**2 * max(p.N * H, len(p.vertices) * (p.N * (H > 1) + KNOTS), m)
    if work > TERMS:
        raise BudgetError(
            f"about {work:.1e} numbers for N = {p.N}, d = {p.d}, {m} units", required=f"at most {TERMS:.1e}",
            why="every query is bounded, and everything that can stand where it asks", advice="fewer positions",
        )  # fmt: skip
    read = _Units.of(network, attention, units, prompts, u)
    leaks = [Leaks.of(head, attention.mask, prompts) for head in attention.heads]
    found: list[tuple[Array, Indices, Indices]] = []
    rest, V = 0.0, len(p.vertices)
    states = np.arange(V)[None] * p.N + np.arange(p.N)[:, None] * V * p.N  # place by token, without the index
    for t in range(p.N):
        L = np.stack([one.at(t) for one in leaks], -1)  # (N, V, heads)
        upper = read.cases(t, L)  # (N, V, V)
        upper[t][~np.eye(V, dtype=bool)] = -np.inf  # what asks for itself finds its own token
        flat = upper.reshape(-1)
        order = np.argsort(-flat, kind="stable")[:KEPT]
        if len(order) < len(flat):
            rest = max(rest, float(flat[order[-1]]))
        query = np.repeat((states + t).reshape(-1), V)
        found.append((flat[order], query[order], order % V))
        if progress:
            progress(t + 1, p.N)
    all_of, queries, asked = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.argsort(-all_of, kind="stable")
    if len(order) > KEPT:
        rest = max(rest, float(all_of[order[KEPT]]))
    order = order[:KEPT]
    order = order[all_of[order] > -np.inf]
    return Bounds(all_of[order], queries[order], asked[order], rest)


def _table(prompts: Prompts, field: str) -> Box:
    """All values of a field of the prompt, by row."""
    if field == "x":
        return exact(prompts.vertices)
    return exact(np.ones((1, 1)) if field == ONE else np.eye(prompts.N))


@dataclass(frozen=True, eq=False)
class Leaks:
    """One head in front of signs and one index: how much it looks elsewhere, to a relative error.

    Attributes
    ----------
    tables : what every value of a query's field makes of each field of the keys.
    seen : which keys a query sees.
    prompts : the class.
    """

    tables: dict[tuple[str, str], Box]
    seen: NDArray[np.bool_]
    prompts: Prompts

    @classmethod
    def of(cls, head: Head, mask: NDArray[np.bool_] | None, prompts: Prompts) -> Leaks:
        """Return the tables of a head whose scores read fields of the prompt."""
        N = prompts.N
        tables = {(a, b): times(_table(prompts, a), G) for (a, b), G in head.scores.items() if b != ONE}
        return cls(tables, np.ones((N, N), dtype=bool) if mask is None else np.asarray(mask, dtype=bool), prompts)

    @cached_property
    def error(self) -> float:
        """A bound on the rounding of a difference of two scores, computed as here."""
        reach = {"x": self.prompts.radius * self.prompts.d}
        sizes = [(reach.get(b, 1.0) * float(box.rad.max(initial=0.0)),
                  reach.get(b, 1.0) * float(np.abs(box.mid).max(initial=0.0)))
                 for (_, b), box in self.tables.items()]  # fmt: skip
        terms = len(sizes) + self.prompts.d + 16
        return 4 * (sum(rad for rad, _ in sizes) + 4 * terms * UNIT * sum(size for _, size in sizes))

    def _met(self, b: str, width: int, t: int) -> Array:
        """What a field of the keys is met by, for every place and token of a query that asks for ``t``."""
        p = self.prompts
        total = np.zeros((p.N, len(p.vertices), width))
        for (a, key), box in self.tables.items():
            if key == b:
                row = box.mid[[t]] if a == "slot1" else box.mid
                total = total + (row[:, None] if a == PLACE else row[None])
        return total

    def at(self, t: int) -> Array:
        """Upper bounds of the weight outside ``t`` for every place and token of a query, ``(N, V)``."""
        p, here = self.prompts, np.arange(self.prompts.N)
        place, slot, x = self._met(PLACE, p.N, t), self._met("slot1", p.N, t), self._met("x", p.d, t)
        push = p.radius * np.abs(x).sum(-1) * (1 + 4 * (p.d + 4) * UNIT)
        keys, target = place + (push + slot.max(-1))[..., None], place[..., t] - push + slot.min(-1)
        home = np.einsum("ivd,vd->iv", x, p.vertices) + slot[..., t]
        keys[here, :, here] = place[here, :, here] + home  # the query's own position keeps its token and index
        target[t] = place[t, :, t] + home[t]
        gap = target[..., None] - keys - self.error
        # what lies beyond 690 is cut: below it leaks all the same, above it is raised
        terms = exponential(-gap) * (1 + 2 * EXP_ERROR)
        terms = np.where(gap < -690, np.inf, terms)
        terms[..., t] = 0
        terms[np.broadcast_to(~self.seen[:, None], terms.shape)] = 0
        S = terms.sum(-1) * (1 + 2 * (p.N + 8) * UNIT)
        with np.errstate(invalid="ignore"):
            found = np.where(np.isinf(S), 1.0, np.minimum(1.0, S / (1 + S) * (1 + 8 * UNIT)))
        return np.where(self.seen[:, t][:, None], found, 1.0)


@dataclass(frozen=True, eq=False)
class _Units:
    """The read-out: units of each head by field, ``(m, width)``, their weights, and the direction of the labels."""

    parts: tuple[dict[str, Box], ...]
    shift: Array
    last: Array
    bias: float
    off: float
    u: Array
    prompts: Prompts

    @classmethod
    def of(cls, network: Network, attention: Attention, units: Activation, prompts: Prompts, u: Array) -> _Units:
        w, A, first = network.output.parts[units.out], units.of.parts[attention.out], 0
        parts, shift = [], units.of.shift
        for head in attention.heads:
            cut = Box(A.mid[:, first : first + head.value.width], A.rad[:, first : first + head.value.width])
            first += head.value.width
            parts.append(_fields(head.value, cut, prompts))
            shift = shift + times(cut, head.value.shift.reshape(-1, 1)).reshape(-1)
        found = cls(tuple(parts), shift.mid, w.mid[0], float(network.output.shift.mid[0]), 0.0, u, prompts)
        return replace(found, off=found._error(shift, w, network.output.shift))

    def _error(self, shift: Box, w: Box, bias: Box) -> float:
        """A bound on the rounding of an output computed here, the enclosures of all parts included."""
        p = self.prompts
        reach = {"x": p.radius * p.d}
        size, off = np.abs(shift.mid), shift.rad
        for head in self.parts:
            size = size + sum(reach.get(b, 1.0) * np.abs(box.mid).max(1) for b, box in head.items())
            off = off + sum(reach.get(b, 1.0) * box.rad.max(1) for b, box in head.items())
        terms = 3 * len(self.parts) + p.d + len(self.last) + 32
        outer = np.abs(w.mid[0])
        labels = p.radius * float(np.abs(self.u).sum())
        found = outer @ off + w.rad[0] @ (size + off) + bias.rad[0]
        return float(found + 4 * terms * UNIT * (outer @ size + labels + abs(self.bias))) * FUDGE + 1e-300

    def cases(self, t: int, L: Array) -> Array:
        """Upper bounds of the error for every place and token of a query and token at ``t``, ``(N, V, V)``."""
        X, p = self.prompts.vertices, self.prompts
        units = sum(self._standing(part, t) for part in self.parts) + self.shift  # (V, N, m)
        signed = np.maximum(units, 0) @ self.last + self.bias - (X @ self.u)[:, None]
        worst = L.max((0, 1))
        reach = [self._apart(part, t) for part in self.parts]
        bend = np.abs(units) <= sum(worst[h] * R for h, R in enumerate(reach)) + self.off
        certain = np.where(bend | (units < 0), 0.0, self.last)
        upper = np.full((p.N, len(X), len(X)), -np.inf)
        for sign in (1.0, -1.0):
            moved = []
            for part, R, spread in zip(self.parts, reach, self.spreads, strict=True):
                line = self._moved(sign * certain, part, t) + (bend * R) @ np.abs(self.last)
                moved.append(np.minimum(line * FUDGE + self.off, spread[sign][t]))
            D = np.stack(moved, -1)  # (V, N, heads)
            for y in range(len(X)):
                upper[..., y] = np.maximum(upper[..., y], _largest(sign * signed[y], D[y], L))
        return (upper + self.off) * FUDGE

    def _standing(self, part: dict[str, Box], t: int) -> Array:
        """What a head brings to the units of a token and an index that stand at ``t``, ``(V, N, m)``."""
        token, slot, place = (part[b].mid for b in ("x", "slot1", PLACE))
        return np.asarray((self.prompts.vertices @ token.T)[:, None] + (place[:, t] + slot.T)[None])

    def _apart(self, part: dict[str, Box], t: int) -> Array:
        """By how much each unit can differ between any state and what stands at ``t``, ``(V, N, m)``."""
        token, slot, place = (part[b].mid for b in ("x", "slot1", PLACE))
        push = self.prompts.radius * np.abs(token).sum(-1)
        low, high = place.min(1) + slot.min(1) - push, place.max(1) + slot.max(1) + push
        here = self._standing(part, t)
        return np.asarray(np.maximum(high - here, here - low) * FUDGE + self.off)

    def _moved(self, certain: Array, part: dict[str, Box], t: int) -> Array:
        """The most that units with a known slope can rise per weight, for all that can stand at ``t``."""
        token, slot, place = (certain @ part[b].mid for b in ("x", "slot1", PLACE))
        here = np.arange(self.prompts.N)
        at = (token * self.prompts.vertices[:, None]).sum(-1) + place[..., t] + slot[:, here, here]
        return np.asarray(self.prompts.radius * np.abs(token).sum(-1) + place.max(-1) + slot.max(-1) - at)

    @cached_property
    def spreads(self) -> list[dict[float, Array]]:
        """For each head and sign the largest rise of a read-out of which no unit is known, by position."""
        found = []
        for part in self.parts:
            token, slot, place = (part[b].mid for b in ("x", "slot1", PLACE))
            rise = {}
            for sign in (1.0, -1.0):
                w = sign * self.last
                total = _apart(place, w).max(1) + float(_apart(slot, w).max())
                total = total + 2 * float(np.maximum((self.prompts.vertices @ token.T) * w, 0).sum(1).max())
                rise[sign] = total * FUDGE + 2 * self.off
            found.append(rise)
        return found


def _largest(first: Array, slope: Array, L: Array) -> Array:
    r"""Return :math:`\max_s(a_s+\langle L,D_s\rangle)` for every ``L``, for one head by chords of what is convex."""
    if L.shape[-1] > 1:
        return np.asarray((first + L @ slope.T).max(-1))
    knots = np.linspace(0.0, float(L.max(initial=0.0)), KNOTS)
    return np.asarray(np.interp(L[..., 0], knots, (first[:, None] + slope * knots).max(0)))  # chords are above


def _fields(value: Map, cut: Box, prompts: Prompts) -> dict[str, Box]:
    """A head's values as units take them, by field; fields that do not enter are zero."""
    found = {name: times(cut, part) for name, part in value.parts.items()}
    widths = {"x": prompts.d, "slot1": prompts.N, PLACE: prompts.N}
    return {name: found.get(name, exact(np.zeros((cut.shape[0], k)))) for name, k in widths.items()}


def _apart(part: Array, w: Array) -> Array:
    r"""The sums :math:`\sum_k(w_k(P_{kj}-P_{kt}))_+`, shape ``(t, j)``."""
    P = (part * w[:, None]).T
    return np.stack([np.maximum(P - row, 0).sum(1) for row in P])
