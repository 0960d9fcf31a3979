r"""One head whose scores are sums over token, place and indices: the largest average over all states of the keys.

The score of key ``j`` for a query ``Q`` is :math:`s_j=p_j+\langle v,x_j\rangle+\sum_sr_s[t_{js}]` with ``p``, ``v``,
``r`` linear in ``Q``, its value :math:`g_j=P_j+\gamma(x_j)+\sum_s\sigma_s[t_{js}]`.  With :math:`w_j=e^{s_j}`,

.. math:: \sup\frac{\sum_jw_jg_j}{\sum_jw_j}\le c\iff F(c)=\sum_j\max_{\text{states of }j}w_j(g_j-c)\le0,

because the weights are positive, and a maximum of a sum of terms in separate variables is the sum of the maxima.  The
token and the indices of a key meet the same ``v``, ``r`` whatever its place is, so

.. math:: F(c)=\sum_je^{p_j}M(c-P_j),\qquad
          M(z)=\max_{x,t}e^{\langle v,x\rangle+\sum_sr_s[t_s]}\bigl(\gamma(x)+\textstyle\sum_s\sigma_s[t_s]-z\bigr).

``M`` is a maximum of falling affine functions: convex.  Between knots it is therefore at most its chord, which needs
``M`` at a few points and not at every key's (:attr:`Fine.knots`); at as many knots as there are values of ``P``
nothing is lost.

*Coarse.*  All cases of a token and some index tuples at once: :math:`p_{ij}` is a sum of what the place and what the
indices of the query add, so the sums over ``j`` are a product of matrices of exponentials; each index is at its
largest in the weight and in the value separately.  What keys the sums leave out, the query's and the asked, has entries
of zero in them, and is not subtracted.

*Rounding.*  A computed weight is off by the factor :math:`e^{\pm\varepsilon}` of its score's error and by that of the
exponentials (:data:`EXP_ERROR`); a sum of ``n`` terms in any order is :math:`\sum a_k(1+\theta_k)` with
:math:`|\theta_k|\le nu/(1-nu)` (Higham 2002, section 3.1, 4.2).  All of this is one relative error :math:`\eta` of each
term, so a term is taken as :math:`\hat w(D+\eta|D|)` with :math:`D\ge g-c`: what is then summed in doubles is at least
``F``.  Exponentials are cut at :math:`e^{-690}`, which may raise a negative term by :math:`10^{-299}` of its value:
:data:`FLOOR` is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from theorytools.blocks.network import ONE, PLACE, Head, Map
from theorytools.errors import DomainError
from theorytools.numbers import portable
from theorytools.numbers.boxes import UNIT, Array, Box, exact, times
from theorytools.trained.prompts import Indices
from theorytools.trained.queries import Cases, Parts, Queries, fitting, parts_of

EXP_ERROR = 2.0**-46
FLOOR = 1e-280
DEEPEST = -690.0


def exponential(x: Array) -> Array:
    r"""Return :math:`e^x` for :math:`x\le700` with a relative error of at most :data:`EXP_ERROR`, cut below at -690.

    :func:`theorytools.numbers.portable.exp` is :math:`2^kq(r)` with Taylor's polynomial ``q`` of degree 13 at
    :math:`|r|\le0.3467`.  What the series leaves out is below :math:`0.3467^{14}/14!<10^{-17}`.  ``r`` is a difference
    of numbers that are exact but for :math:`k\ln2`, whose second part is off by :math:`1100\cdot2^{-84}`, and is
    rounded to :math:`2u`.  Horner's rule is off by at most :math:`\gamma_{26}e^{|r|}\le37u` (Higham 2002, section
    5.1), which is :math:`53u` of a value that is at least :math:`e^{-|r|}`.  Powers of two are exact where nothing
    underflows.  Together below :math:`64u=2^{-47}`.
    """
    return portable.exp(np.clip(x, DEEPEST, 700.0))


@dataclass(frozen=True, eq=False)
class Met:
    r"""What one part of the keys is met by: a sum of what the query's token, place and indices make of it.

    Attributes
    ----------
    x, place, slots : by the query's token ``(W, n)``, place ``(N, n)``, and index in each slot ``(N, n)``.
    """

    x: Array
    place: Array
    slots: tuple[Array, ...]

    def __call__(self, cases: Cases) -> Array:
        """Return it for cases, shape ``(..., n)``."""
        total = self.x[cases.x] + self.place[cases.i]
        for table, t in zip(self.slots, cases.t, strict=True):
            total = total + table[t]
        return np.asarray(total)

    def apart(self, x: int, t: Sequence[Indices]) -> Array:
        """Return what the token and the indices make of it, without the place, shape ``(tuples, n)``."""
        total = np.repeat(self.x[None, x], len(t[0]) if t else 1, axis=0)
        for table, index in zip(self.slots, t, strict=True):
            total += table[index]
        return total


@dataclass(frozen=True, eq=False)
class Separated:
    r"""One head: tables of its scores, and of its values.

    Attributes
    ----------
    queries : the cases.
    met : by the part of the keys, ``"x"``, ``PLACE``, ``"slot1"``, …: for ``"x"`` the tokens of the keys and behind
        them the queries' own.
    error : how far a score, computed from the tables, is from the real one, at most.
    value : the values.
    bonus : the slot, from 0, and what is added to the value of the position that it asks for.
    """

    queries: Queries
    met: dict[str, Met]
    error: float
    value: Parts
    bonus: tuple[int, float] | None = None

    @property
    def V(self) -> int:
        """How many tokens a key is tried with."""
        return len(self.queries.keys)

    def added(self, at: Indices, cases: Cases) -> Array | float:
        """What is added to the value of a key that stands at these places."""
        return 0.0 if self.bonus is None else np.where(at == cases.t[self.bonus[0]], self.bonus[1], 0.0)

    @cached_property
    def size(self) -> float:
        """A bound of the modulus of a value."""
        return self.value.size + abs(self.bonus[1] if self.bonus else 0.0)

    @property
    def ends(self) -> tuple[float, float]:
        """Numbers that no average is beyond."""
        extra = self.bonus[1] if self.bonus else 0.0
        pad = self.value.error + 8 * UNIT * self.size + 1e-300
        return self.value.low + min(extra, 0.0) - pad, self.value.high + max(extra, 0.0) + pad

    def relative(self, terms: int) -> float:
        r"""Return :math:`\eta` for sums of so many terms."""
        q = self.queries.prompts.q
        return 2.2 * (self.error + (q + 4) * EXP_ERROR + (terms + 64) * UNIT)

    def slack(self, c: Array) -> float:
        """Return what is added to a value minus ``c`` so that no rounding makes it too small."""
        largest = float(np.abs(c).max(initial=0.0))
        return self.value.error + 32 * UNIT * (self.size + largest)

    @cached_property
    def levels(self) -> Array:
        """The values of the place in the values, sorted."""
        return np.unique(self.value.place)

    @cached_property
    def combined(self) -> Array:
        """What all tuples of indices add to a value, shape ``(N^q,)`` in the order of their digits."""
        total = np.zeros(1)
        for term in self.value.slots:
            total = (total[:, None] + term).reshape(-1)
        return total

    def chords(self, count: int) -> tuple[Array, Array]:
        """Return knots of the places' values and each key's share of them, shapes ``(K,)`` and ``(N, K)``."""
        levels = self.levels
        if count >= len(levels):
            knots = levels
        else:
            knots = np.linspace(levels[0], levels[-1], max(count, 2))
            knots[-1] = levels[-1]
        shares = np.zeros((len(self.value.place), len(knots)))
        rows = np.arange(len(shares))
        right = np.clip(np.searchsorted(knots, self.value.place), 0, len(knots) - 1)
        left = np.maximum(right - 1, 0)
        gap = np.where(right > left, knots[right] - knots[left], 1.0)
        part = np.clip(np.where(right > left, (self.value.place - knots[left]) / gap, 1.0), 0.0, 1.0)
        shares[rows, left] = 1 - part
        shares[rows, right] = part
        return knots, shares


def separated(head: Head, value: Map, queries: Queries, bonus: tuple[int, float] | None = None) -> Separated:
    """Return the tables of a head.

    Raises
    ------
    DomainError : scores of fields that no prompt holds, or beyond what doubles resolve.
    """
    prompts = queries.prompts
    widths = prompts.widths | {ONE: 1}
    for (a, b), G in head.scores.items():
        fitting(Map({a: G.T}, exact(np.zeros(G.shape[1]))), widths, "a score's query")
        fitting(Map({b: G}, exact(np.zeros(G.shape[0]))), widths, "a score's key")
    met, errors = {}, 0.0
    for b in ("x", PLACE, *prompts.slots):
        made = {a: _table(head.scores[a, b], a, b, queries) for a in widths if (a, b) in head.scores}
        errors += sum(float(box.rad.max()) + 8 * (len(widths) ** 2 + 4) * UNIT * float(np.abs(box.mid).max())
                      for box in made.values())  # fmt: skip
        met[b] = _met(made, b, queries)
    if not errors < 0.1:
        raise DomainError(
            f"scores that are known up to {errors:.1g}", required="up to 0.1",
            why="a weight is the exponential of a score", advice="scores below about 1e12, or weights in doubles",
        )  # fmt: skip
    return Separated(queries, met, 1.01 * errors, parts_of(value, prompts, queries.both, "the value"), bonus)


def _table(G: Box, a: str, b: str, queries: Queries) -> Box:
    found = times(exact(queries.tokens), G) if a == "x" else G
    return times(found, exact(queries.both.T)) if b == "x" else found


def _met(made: dict[str, Box], b: str, queries: Queries) -> Met:
    N, W = queries.prompts.N, len(queries.tokens)
    n = len(queries.both) if b == "x" else N
    token = np.zeros((W, n))
    for a in ("x", ONE):
        if a in made:
            token = token + made[a].mid
    empty = np.broadcast_to(np.zeros(1), (N, n))
    rest = [made[a].mid if a in made else empty for a in (PLACE, *queries.prompts.slots)]
    return Met(token, rest[0], tuple(rest[1:]))


class Fine:
    r"""Some cases of one head, each by itself, with chords between knots: no index is bounded.

    Parameters
    ----------
    head : the tables.
    cases : the cases, arrays of one axis.
    count : how many knots at most.
    """

    def __init__(self, head: Separated, cases: Cases, count: int) -> None:
        self.head, self.cases, n = head, cases, len(cases.i)
        self.knots, shares = head.chords(count)
        rows = np.arange(n)
        p, v = head.met[PLACE](cases), head.met["x"](cases)
        seen = head.queries.seen[cases.i]
        P = exponential(p - np.where(seen, p, -np.inf).max(axis=1, keepdims=True)) * seen
        self.E = exponential(v - v.max(axis=1, keepdims=True))
        own = P[rows, cases.i] * self.E[rows, head.V + cases.x]
        self.lines = np.ones((n, 1))
        for name, t in zip(head.queries.prompts.slots, cases.t, strict=True):
            r = head.met[name](cases)
            L = exponential(r - r.max(axis=1, keepdims=True))
            own = own * L[rows, t]
            self.lines = (self.lines[:, :, None] * L[:, None, :]).reshape(n, -1)
        self.own = own
        free = P.copy()
        free[rows, cases.i] = 0.0
        self.asked = []
        for s, t in enumerate(cases.t):
            self.asked.append((s, free[rows, t]))  # zero where the query asks for itself, or an earlier slot did
            free[rows, t] = 0.0
        self.S = free @ shares
        self.ends = (self.lines.max(axis=1), self.lines.min(axis=1)) if head.value.flat else None
        self.eta = head.relative(len(shares) + len(self.knots) + head.V)

    def excess(self, c: Array) -> Array:
        r"""Return upper bounds of :math:`F(c)`, one ``c`` for each case, in units of about the largest weight."""
        head, cases, value = self.head, self.cases, self.head.value
        slack = head.slack(c)
        total = np.zeros(len(c))
        for k, knot in enumerate(self.knots):
            total += self.S[:, k] * self._largest(c - knot - slack)
        for s, weight in self.asked:
            z = c - value.place[cases.t[s]] - head.added(cases.t[s], cases) - slack
            total += weight * self._allowed(s, z)
        g = value.x[head.V + cases.x] + value.place[cases.i] + head.added(cases.i, cases)
        for term, t in zip(value.slots, cases.t, strict=True):
            g = g + term[t]
        D = g - c + slack
        return np.asarray(total + self.own * (D + self.eta * np.abs(D)) + FLOOR)

    def _allowed(self, s: int, z: Array) -> Array:
        """The largest term of a position that slot ``s`` asks for: its token is held if that of any such slot is."""
        split = self.head.queries.split
        if not any(split):
            return self._largest(z)
        found = self._held(self.cases.y[s], z) if split[s] else self._largest(z)
        for r, t in enumerate(self.cases.t):
            if r != s and split[r] and not split[s]:
                found = np.where(t == self.cases.t[s], self._held(self.cases.y[r], z), found)
        return found

    def _largest(self, z: Array) -> Array:
        return np.asarray(np.max([self._held(np.full(len(z), y), z) for y in range(self.head.V)], axis=0))

    def _held(self, y: Indices, z: Array) -> Array:
        D = self.head.value.x[y] - z
        E = self.E[np.arange(len(z)), y]
        if self.ends is not None:
            D = D + self.eta * np.abs(D)
            return np.asarray(E * D * np.where(D >= 0, *self.ends))
        lines = D[:, None] + self.head.combined
        lines += self.eta * np.abs(lines)
        lines *= self.lines
        return np.asarray(E * lines.max(axis=1))


class Coarse:
    r"""All places, one token of the query and some of its index tuples, for one head: each index is bounded by itself.

    Parameters
    ----------
    head : the tables.
    x : which token the query has.
    t : for each slot the indices, arrays of one axis.
    """

    def __init__(self, head: Separated, x: int, t: tuple[Indices, ...]) -> None:
        self.head, self.x, self.t = head, x, t
        queries, places = head.queries, head.queries.places
        self.knots, shares = head.chords(2)
        met = head.met[PLACE]
        by_place, own_max = _by_place(head)
        by_tuple = met.apart(x, t)
        free = by_tuple.copy()
        for index in t:
            free[np.arange(len(free)), index] = -np.inf
        top = np.maximum(free.max(axis=1, keepdims=True), -1e300)
        there = np.isfinite(free)
        E = exponential(np.where(there, free, 0.0) - np.where(there, top, 0.0)) * there
        self.S = [by_place @ (E * shares[:, k]).T for k in range(len(self.knots))]
        base, seen = met.place[places], queries.seen[places]
        rows, columns = np.arange(len(places)), np.arange(len(by_tuple))
        asked = [np.where(seen[:, index], base[:, index] + by_tuple[columns, index], -np.inf) for index in t]
        own = np.where(seen[rows, places], base[rows, places], -np.inf)[:, None] + by_tuple[:, places].T
        sums = own_max[:, None] + top.T
        whole = np.maximum.reduce([sums, own, *asked])
        self.S = [S * exponential(sums - whole) for S in self.S]
        self.own = np.where(np.isfinite(own), exponential(own - whole), 0.0)
        self.asked = [np.where(np.isfinite(a), exponential(a - whole), 0.0) for a in asked]
        self._tokens()
        self._slots()
        self.eta = head.relative(len(shares) + len(self.knots) + head.V)

    def _tokens(self) -> None:
        head, met = self.head, self.head.met["x"]
        by_tuple, by_place = met.apart(self.x, self.t).T, met.place[head.queries.places]
        v = [by_place[:, k, None] + by_tuple[k] for k in (*range(head.V), head.V + self.x)]
        top = np.maximum.reduce(v)
        self.E = [exponential(row - top) for row in v]
        self.own = self.own * self.E[-1]

    def _slots(self) -> None:
        lowest, shape = np.zeros(self.own.shape), self.own.shape
        rows = np.arange(shape[1])
        for name, index in zip(self.head.queries.prompts.slots, self.t, strict=True):
            met = self.head.met[name]
            by_place, by_tuple = met.place[self.head.queries.places], met.apart(self.x, self.t)
            high = by_place.max(axis=1)[:, None] + by_tuple.max(axis=1)
            lowest += by_place.min(axis=1)[:, None] + by_tuple.min(axis=1) - high
            self.own = self.own * exponential(np.minimum(by_place[:, index] + by_tuple[rows, index] - high, 0.0))
        self.low = exponential(np.minimum(lowest, 0.0))
        self.extra = sum(float(term.max()) for term in self.head.value.slots)

    def excess(self, c: Array, cases: Cases) -> Array:
        r"""Return upper bounds of :math:`F(c)`, shape ``(places, tuples)``, for one of the tuples of answers."""
        head, value = self.head, self.head.value
        slack = head.slack(c)
        total = np.zeros(c.shape)
        for S, knot in zip(self.S, self.knots, strict=True):
            total += S * self._largest(c - knot - slack)
        done: list[Indices] = []
        for s, (weight, t) in enumerate(zip(self.asked, cases.t, strict=True)):
            z = c - value.place[t] - head.added(t, cases) - slack
            fresh = t != cases.i
            for other in done:
                fresh = fresh & (t != other)
            done.append(t)
            # an asked token that only a later slot holds is free here, which is a bound as well
            term = self._held(int(cases.y[s]), z) if head.queries.split[s] else self._largest(z)
            total += np.where(fresh, weight * term, 0.0)
        g = value.x[head.V + self.x] + value.place[cases.i] + head.added(cases.i, cases)
        for term, t in zip(value.slots, cases.t, strict=True):
            g = g + term[t]
        D = g - c + slack
        return np.asarray(total + self.own * (D + self.eta * np.abs(D)) + FLOOR)

    def _largest(self, z: Array) -> Array:
        return np.asarray(np.maximum.reduce([self._held(y, z) for y in range(self.head.V)]))

    def _held(self, y: int, z: Array) -> Array:
        D = self.head.value.x[y] + self.extra - z
        D += self.eta * np.abs(D)
        return np.asarray(self.E[y] * D * np.where(D >= 0, 1.0, self.low))


def _by_place(head: Separated) -> tuple[Array, Array]:
    """What the place of the query makes of the keys' weights, without its own key, and the logarithm of its unit."""
    queries = head.queries
    p = head.met[PLACE].place[queries.places].copy()
    there: NDArray[np.bool_] = queries.seen[queries.places].copy()
    there[np.arange(len(p)), queries.places] = False
    top = np.where(there, p, -np.inf).max(axis=1)
    top = np.where(np.isfinite(top), top, 0.0)
    return exponential(np.where(there, p - top[:, None], 0.0)) * there, top
