r"""The largest attention weight outside the indexed position, over all prompts of a class, of given weights.

Fix the query :math:`Q=(x_i,\omega_i,\omega_{t_{i1}},\dots,1)`.  The score of key ``j`` is

.. math:: s_j=p_j+\langle v,x_j\rangle+\sum_br_{b,t_{jb}},\qquad p,\,v,\,r_b\text{ linear in }Q,

and the tokens and indices of the other positions are free and independent of each other.  The weight outside
:math:`t`, :math:`S/(1+S)` with :math:`S=\sum_{j\ne t}e^{s_j-s_t}`, grows in each :math:`s_j` and falls in :math:`s_t`;
so its supremum given ``Q`` is reached where :math:`x_j` maximises :math:`\langle v,\cdot\rangle` and :math:`x_t`
minimises it, and the indices likewise; only the position of the query itself keeps its token and its indices.

* *Signs.*  There are finitely many queries.  All are enumerated, and the supremum over all prompts is reached.
* *Box.*  Without the last restriction :math:`s_j-s_t` is a maximum of functions affine in :math:`x_i`, so convex, so
  is :math:`\log S` (a log-sum-exp of convex functions), and the largest value over the box is at a vertex.
* *Ball,* and boxes of high dimension: what depends on :math:`x_i` is bounded by :math:`r` times dual norms.

Numbers are doubles with a-priori bounds of their rounding; exponentials are read from a table of upper ends.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import Enclosure, at_precision, float_upper
from theorytools.numbers.boxes import Box, exact, times
from theorytools.trained.attention import in_ball, weight_outside
from theorytools.trained.layer import UNIT, Array, TrainedLayer

Indices = NDArray[np.int64]
Kinds = Literal["signs", "box", "ball"]
VERTICES = 12  # dimensions of which all vertices are enumerated
TERMS = 2**33  # exponentials of one head
REACH, FINE, COARSE = 100, 14, 10  # gaps beyond +-REACH are cut; steps of 2^-FINE, looked up in two parts


@dataclass(frozen=True)
class Tokens:
    r"""A class of tokens: signs :math:`\pm r`, the box :math:`|x_k|\le r`, or the ball :math:`\|x\|_2\le r`."""

    kind: Kinds
    radius: float
    d: int

    def __post_init__(self) -> None:
        if self.kind not in ("signs", "box", "ball"):
            raise DomainError(
                f"tokens of the class {self.kind!r}", required="signs, box or ball",
                why="without a bound on tokens their scores are unbounded, and some prompt leaks as much as one likes",
                advice='tokens="signs", or tokens="ball" with radius=…; for Gaussian tokens the radius that few exceed',
            )  # fmt: skip
        if not (np.isfinite(self.radius) and self.radius > 0):
            raise DomainError(f"radius = {self.radius}", required="a finite radius > 0", why="it bounds the tokens")

    @property
    def listed(self) -> bool:
        """Whether queries are enumerated by the vertices of their tokens."""
        return self.kind != "ball" and self.d <= VERTICES

    @cached_property
    def vertices(self) -> Array:
        """The tokens that a query is tried with: all vertices, or the origin alone."""
        if not self.listed:
            return np.zeros((1, self.d))
        return self.radius * np.array(list(itertools.product((-1.0, 1.0), repeat=self.d)))

    @property
    def norm(self) -> float:
        """An upper bound of the Euclidean norm of a token."""
        return self.radius if self.kind == "ball" else float(np.nextafter(self.radius * self.d**0.5, np.inf))

    def push(self, v: Array) -> Array:
        r"""Return upper bounds of :math:`\max_x\langle v,x\rangle` along the last axis."""
        size = np.sqrt((v**2).sum(-1)) if self.kind == "ball" else np.abs(v).sum(-1)
        return np.asarray(self.radius * size * (1 + 4 * (self.d + 4) * UNIT))

    def farthest(self, v: Array) -> Array:
        r"""Return a token of the class that maximises :math:`\langle v,x\rangle`, up to rounding."""
        if self.kind != "ball":
            return np.asarray(self.radius * np.where(v >= 0, 1.0, -1.0))
        return in_ball(v, self.radius)

    def quadratic(self, W: Box) -> float:
        r"""Return an upper bound of :math:`|x^\top Wx'|` over two tokens."""
        reach = np.abs(W.mid) + W.rad
        size = float(np.sqrt((reach**2).sum())) if self.kind == "ball" else float(reach.sum())
        return self.radius**2 * size * (1 + 1e-12)


@lru_cache(maxsize=1)
def _tables() -> tuple[Array, Array]:
    steps = range(-REACH << (FINE - COARSE), (REACH << (FINE - COARSE)) + 1)
    coarse = [_above(Fraction(-a, 2 ** (FINE - COARSE))) for a in steps]
    fine = [_above(Fraction(-b, 2**FINE)) for b in range(2**COARSE)]
    return np.array(coarse), np.array(fine)


def _above(x: Fraction) -> float:
    """At a precision of its own: the tables serve whoever comes later, at whatever precision."""
    return at_precision(53, lambda: float_upper(Enclosure(x).exp().upper))


def exponential_above(gap: Array) -> Array:
    r"""Return upper bounds of :math:`e^{-g}`, less than a part in :math:`2^{13}` too large for :math:`|g|\le100`.

    Raises
    ------
    DomainError : a gap that is no number.
    """
    coarse, fine = _tables()
    if np.isnan(gap).any():
        raise DomainError("scores beyond doubles", required="weights whose scores are numbers", why="they are bounded")
    steps = np.floor(np.clip(gap, -REACH, REACH) * 2.0**FINE).astype(np.int64)
    found = coarse[(steps >> COARSE) + (REACH << (FINE - COARSE))] * fine[steps & (2**COARSE - 1)] * (1 + 4 * UNIT)
    return np.where(gap < -REACH, np.inf, found)


@dataclass(frozen=True, eq=False)
class HeadLeaks:
    """What one head leaks: for each indexed position ``t`` the most, the mean square over queries, and where.

    Attributes
    ----------
    slot : the index slot that the head reads, from 1.
    worst : upper bounds of the weight outside ``t``, over all prompts, shape ``(N,)``.
    mean_square : upper bounds of the mean over the queries that ask for ``t``, each with the worst keys.
    at : for each ``t`` the query that leaks most: its token, its position, its indices.
    """

    slot: int
    worst: Array
    mean_square: Array
    at: tuple[tuple[Array, int, tuple[int, ...]], ...]

    @property
    def bound(self) -> float:
        """The largest over all positions."""
        return float(self.worst.max())


@dataclass(frozen=True, eq=False)
class Head:
    """Scores of one head, as sums over the parts of the query; ``reads`` is the slot that it is judged by."""

    layer: TrainedLayer
    h: int
    reads: int
    tokens: Tokens

    @cached_property
    def tables(self) -> dict[tuple[int, int], Box]:
        """For each part of the query and each part of the keys: what every value of the first makes of the second."""
        layer, codes = self.layer, exact(self.layer.codes)
        values = {-1: exact(self.tokens.vertices), layer.q + 1: exact(np.ones((1, 1)))}
        made = {}
        for a in range(-1, layer.q + 2):
            for b in range(-1, layer.q + 1):
                found = times(values.get(a, codes), layer.block(self.h, a, b))
                made[a, b] = found if b == -1 else times(found, Box(codes.mid.T, codes.rad.T))
        return made

    @cached_property
    def error(self) -> float:
        """A bound on the rounding of a difference of two scores, computed as here."""
        reach = {b: self.tokens.radius * self.layer.d if b == -1 else 1.0 for b in range(-1, self.layer.q + 1)}
        sizes = [(reach[b] * float(box.rad.max()), reach[b] * float(np.abs(box.mid).max()))
                 for (_, b), box in self.tables.items()]  # fmt: skip
        terms = len(sizes) + self.layer.d + 16
        return 4 * (sum(rad for rad, _ in sizes) + 4 * terms * UNIT * sum(size for _, size in sizes))

    def summed(self, b: int, t: int, others: tuple[int, ...]) -> Array:
        """What the keys' part ``b`` is met by, for every token and position of the query, ``(V, N, …)``."""
        slots = dict(zip([s for s in range(1, self.layer.q + 1) if s != self.reads], others, strict=True))
        rest = self.tables[self.layer.q + 1, b].mid[0] + self.tables[self.reads, b].mid[t]
        for slot, index in slots.items():
            rest = rest + self.tables[slot, b].mid[index]
        return np.asarray(self.tables[-1, b].mid[:, None] + (self.tables[0, b].mid + rest)[None])

    def indices(self, t: int, others: tuple[int, ...]) -> tuple[int, ...]:
        """The tuple of a query that asks for ``t`` and, in its other slots, for ``others``."""
        rest = iter(others)
        return tuple(t if s == self.reads else next(rest) for s in range(1, self.layer.q + 1))

    def leaks(self) -> HeadLeaks:
        """Return the most that the head leaks.

        Raises
        ------
        BudgetError : queries that are too many to be enumerated.
        """
        layer, N, q = self.layer, self.layer.N, self.layer.q
        count = len(self.tokens.vertices) * N ** (q + 2)
        if count > TERMS:
            raise BudgetError(
                f"about {count:.1e} exponentials for N = {N}, q = {q}, d = {layer.d}", required=f"at most {TERMS:.1e}",
                why="every query of the class is enumerated",
                advice="a ball, or certify_attention, which bounds each term by itself",
            )  # fmt: skip
        penalty = None if self.tokens.listed else self._of_query_token()
        worst, squares, at = np.zeros(N), np.zeros(N), []
        for t in range(N):
            best: tuple[float, tuple[Array, int, tuple[int, ...]]] | None = None
            for others in itertools.product(range(N), repeat=q - 1):
                found = self._outside(t, others, penalty)
                v, i = np.unravel_index(int(np.argmax(found)), found.shape)
                squares[t] += float((found**2).mean()) / N ** (q - 1)
                if best is None or found[v, i] > best[0]:
                    best = float(found[v, i]), (self.tokens.vertices[v], int(i), self.indices(t, others))
            assert best is not None
            worst[t] = best[0]
            at.append(best[1])
        return HeadLeaks(self.reads, worst, squares * (1 + 1e-9), tuple(at))

    def _outside(self, t: int, others: tuple[int, ...], penalty: Array | None) -> Array:
        """Upper bounds of the weight outside ``t``, for every token and position of the query, ``(V, N)``."""
        p, v = self.summed(0, t, others), self.summed(-1, t, others)
        push = self.tokens.push(v)
        keys, target = p + push[..., None], p[..., t] - push
        at_home = np.einsum("vid,vd->vi", v, self.tokens.vertices)
        for b, index in zip(range(1, self.layer.q + 1), self.indices(t, others), strict=True):
            r = self.summed(b, t, others)
            keys += r.max(-1)[..., None]
            target = target + r.min(-1)
            at_home = at_home + r[..., index]
        if self.tokens.kind == "signs" and self.tokens.listed:  # the query's own position keeps its token and indices
            here = np.arange(self.layer.N)
            keys[:, here, here] = p[:, here, here] + at_home
            target[:, t] = p[:, t, t] + at_home[:, t]
        gap = target[..., None] - keys - self.error
        if penalty is not None:
            gap = gap - penalty[t]
        terms = exponential_above(gap)
        terms[..., t] = 0
        S = terms.sum(-1) * (1 + 2 * (self.layer.N + 8) * UNIT)
        with np.errstate(invalid="ignore"):
            return np.where(np.isinf(S), 1.0, np.minimum(1.0, S / (1 + S) * (1 + 8 * UNIT)))

    def by_code(self, t: int) -> tuple[Array, float]:
        r"""Return weights that only the codes decide, and how far true ones are from them, for one slot.

        With the query's token, the keys' tokens and their indices left out, the scores of a query at ``i`` that asks
        for ``t`` give :math:`\pi^0_{ij}`; what is left out moves :math:`s_j-s_t` by at most :math:`\varepsilon`, so

        .. math:: |\pi_{ij}-\pi^0_{ij}|\le\pi^0_{ij}\bigl(e^\varepsilon(1+L^0_i(e^\varepsilon-1))-1\bigr) .

        Returns
        -------
        tuple : :math:`\pi^0`, shape ``(i, j)``, in doubles, and :math:`\varepsilon`, the rounding of scores included.
        """
        part = {b: self.summed(b, t, ()) for b in range(-1, self.layer.q + 1)}
        token = self.tables[-1, 0].mid
        base = part[0][0] - token[0]
        left = float(np.abs(token - token[:, [t]]).max()) + 2 * float(self.tokens.push(part[-1]).max())
        left += sum(float(np.ptp(part[b], axis=-1).max()) for b in range(1, self.layer.q + 1))
        weights = np.exp(base - base.max(-1, keepdims=True))
        return np.asarray(weights / weights.sum(-1, keepdims=True)), left * (1 + 1e-12) + self.error + 1e-12

    def _of_query_token(self) -> Array:
        r"""Upper bounds of what the query's token adds to :math:`s_j-s_t`, shape ``(t, j)``."""
        layer, codes, tokens = self.layer, exact(self.layer.codes), self.tokens

        def pairs(b: int) -> Array:
            block = layer.block(self.h, -1, b)
            M = times(codes, Box(block.mid.T, block.rad.T))
            apart = np.abs(M.mid[:, None] - M.mid[None]) * (1 + 4 * UNIT) + M.rad[:, None] + M.rad[None]
            return tokens.push(apart)

        found = pairs(0) + 2 * tokens.quadratic(layer.block(self.h, -1, -1))
        for b in range(1, layer.q + 1):
            found = found + float(pairs(b).max())
        return np.asarray(found * (1 + 1e-12))

    def prompt(self, query: tuple[Array, int, tuple[int, ...]]) -> tuple[Array, Indices]:
        """Return a prompt on which the keys are as bad as they can be for a query: ``(N, d)`` and ``(N, q)``."""
        layer, (x, i, tuple_) = self.layer, query
        t = tuple_[self.reads - 1]
        if not self.tokens.listed:
            x = self._token(t, i, tuple_)
        met = {b: self._met(b, x, i, tuple_) for b in range(-1, layer.q + 1)}
        X = np.repeat(self.tokens.farthest(met[-1])[None], layer.N, 0)
        X[t] = self.tokens.farthest(-met[-1])
        T = np.empty((layer.N, layer.q), dtype=np.int64)
        for b in range(1, layer.q + 1):
            T[:, b - 1], T[t, b - 1] = int(np.argmax(met[b])), int(np.argmin(met[b]))
        X[i], T[i] = x, tuple_
        return X, T

    def _met(self, b: int, x: Array, i: int, tuple_: tuple[int, ...]) -> Array:
        """What the keys' part ``b`` is met by for one query, whose token need not be a vertex."""
        token = x @ self.layer.block(self.h, -1, b).mid
        found = token if b == -1 else token @ self.layer.codes.T
        found = found + self.tables[self.layer.q + 1, b].mid[0] + self.tables[0, b].mid[i]
        for slot, index in enumerate(tuple_, 1):
            found = found + self.tables[slot, b].mid[index]
        return np.asarray(found)

    def _token(self, t: int, i: int, tuple_: tuple[int, ...]) -> Array:
        """A token of the query against its indexed key and for the nearest rival."""
        p = self._met(0, np.zeros(self.layer.d), i, tuple_)
        rival = int(np.argmax(np.where(np.arange(len(p)) == t, -np.inf, p)))
        apart = self.layer.block(self.h, -1, 0).mid @ (self.layer.codes[rival] - self.layer.codes[t])
        return self.tokens.farthest(apart)

    def leaked(self, X: Array, T: Indices, i: int) -> Enclosure:
        """Return the weight outside the indexed position on one prompt, enclosed."""
        layer, one = self.layer, np.ones((self.layer.N, 1))
        Z = np.concatenate([X, layer.codes, *(layer.codes[T[:, s]] for s in range(layer.q)), one], axis=1)
        row = times(times(exact(Z[[i]]), layer.scores[self.h]), exact(Z.T))
        return weight_outside(row, int(T[i, self.reads - 1]))


def slots_of(layer: TrainedLayer) -> tuple[int, ...]:
    """Return for each head the slot whose block with the keys' own codes is the largest in its scores."""

    def size(h: int, s: int) -> float:
        block = layer.block(h, s, 0).mid
        return float(np.linalg.norm(layer.codes @ block @ layer.codes.T))

    return tuple(max(range(1, layer.q + 1), key=lambda s: size(h, s)) for h in range(layer.H))
