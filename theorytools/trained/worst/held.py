r"""Suprema of many linear functionals of one attention layer, over all prompts in which the query's state is held.

A *state* is what a position may hold: a token and its indices.  Let the query's state be held.  The states
:math:`\sigma_j` of the other positions are free and independent, the weight of key ``j`` is
:math:`w_j=e^{s_j(\sigma_j)}`, and of a functional of the averages only :math:`g_j(\sigma_j)` enters:

.. math:: \sup\frac{\sum_jw_jg_j}{\sum_jw_j}\le c\iff F(c)=\sum_j\max_{\sigma_j}w_j(\sigma_j)(g_j(\sigma_j)-c)\le0 .

The maximum splits by key.  Dinkelbach's iteration goes from a prompt's value ``c`` to the value at the maximising
prompt, from below and faster than linearly; ``c`` is proved once :math:`F(c)\le0` is, in upper ends.  Of several heads
the suprema are added.

*Rounding.*  With weights known up to a factor :math:`1\pm\rho` and ``g`` up to :math:`e`, the largest term of a key is
at most :math:`y+\rho|y|` of the computed :math:`y=w(g+e-c)`; as that grows in ``y``, only the largest ``y`` counts.

References
----------
Dinkelbach (1967), On nonlinear fractional programming, Management Science 13.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import DomainError
from theorytools.numbers.boxes import TINY, UNIT, Array, Box, exact, times
from theorytools.trained.worst.prompts import Indices
from theorytools.trained.worst.separated import EXP_ERROR, exponential

AT_ONCE = 2**18  # numbers of one array that stay in the cache
STEPS = 16  # of Dinkelbach's iteration; it takes three to six


@dataclass(frozen=True, eq=False)
class Cases:
    """Queries whose states are held, with the states that some positions may have.

    Attributes
    ----------
    query : numbers of the queries' states, ``(B,)``: position times the number of states, plus the state.
    at : positions that are restricted, ``(B, R)``; a position may be named twice.
    allowed : which states they may have, ``(B, R, S)``.
    label : the numbers of the tokens at the indexed positions, ``(B, q)``.
    """

    query: Indices
    at: Indices
    allowed: NDArray[np.bool_]
    label: Indices

    def __getitem__(self, rows: Any) -> Cases:
        return Cases(self.query[rows], self.at[rows], self.allowed[rows], self.label[rows])

    def __len__(self) -> int:
        return len(self.query)


@dataclass(frozen=True, eq=False)
class Keys:
    """What attention reads of all states: per head the keys' side of the scores, and the values.

    Attributes
    ----------
    N, S : the number of positions, and of the states of one.
    fields : every field's values, ``(N S, width)``.
    scores : of each head, its score matrices by query field and key field.
    values : of each head, the values of all states, ``(N S, k)``.
    mask : which keys a query sees.
    """

    N: int
    S: int
    fields: dict[str, Box]
    scores: tuple[dict[tuple[str, str], Box], ...]
    values: tuple[Box, ...]
    mask: NDArray[np.bool_] | None

    def met(self, queries: Indices) -> list[Box]:
        """Return the scores of all states for some queries, head by head, each ``(queries, N, S)``."""
        shape, found = (len(queries), self.N, self.S), []
        for terms in self.scores:
            total = exact(np.zeros((len(queries), self.N * self.S)))
            for b in sorted({b for _, b in terms}):
                rows = [times(self.fields[a][queries], G) for (a, key), G in terms.items() if key == b]
                row = rows[0]
                for more in rows[1:]:
                    row = row + more
                total = total + times(row, self.fields[b].T)
            found.append(total.reshape(*shape))
        return found


@dataclass(frozen=True, eq=False)
class Weights:
    r"""Weights ``w`` of shape ``(B, N, S)``, up to a factor :math:`1\pm\rho` for each case."""

    w: Array
    rho: Array


@dataclass(frozen=True, eq=False)
class Held:
    """Suprema for a batch of cases.

    Attributes
    ----------
    keys, cases : what is read, and what is held.
    """

    keys: Keys
    cases: Cases

    @cached_property
    def weights(self) -> list[Weights]:
        """The weights of all states, head by head, in units of the largest that a case allows.

        Raises
        ------
        DomainError : scores that are known to no digit.
        """
        queries, place = np.unique(self.cases.query, return_inverse=True)
        place = place.reshape(-1)
        return [self._weighed(scores[place]) for scores in self.keys.met(queries)]

    def _weighed(self, scores: Box) -> Weights:
        possible = _shut(np.array(scores.mid), self._barred, self.cases.at)
        if self.keys.mask is not None:
            hidden = ~self.keys.mask[self.cases.query // self.keys.S]
            possible[hidden] = -np.inf
        possible -= possible.max((1, 2))[:, None, None]
        there = possible > -np.inf
        gap = np.where(there, possible, 0.0)
        # of the score and of the difference; e^t - 1 <= t + t^2 for t < 1
        off = ((scores.rad + 2 * UNIT * np.abs(gap)) * there).max((1, 2)) * (1 + 8 * UNIT)
        if not off.max() < 1e-3:
            raise DomainError(
                f"scores that are known up to {off.max():.1e} only", required="scores that are known up to 1e-3",
                why="weights are their exponentials", advice="smaller scores, or weights in doubles",
            )  # fmt: skip
        return Weights(exponential(gap) * there, (off * (1 + off) + EXP_ERROR) * (1 + 1e-9) + 4 * off * EXP_ERROR)

    @cached_property
    def _barred(self) -> Array:
        return np.where(self.cases.allowed, 0.0, -np.inf)

    def largest(self, C: Array, near: float) -> tuple[Array, Indices]:
        r"""Return upper bounds of :math:`\sum_h\langle C_h,a_h\rangle`, and states that nearly reach each head's.

        Parameters
        ----------
        C : functionals of the heads' averages, ``(B, m, k)``.
        near : how far bounds may lie above the suprema, as a share of the functional's size.

        Returns
        -------
        tuple : bounds ``(B, m)`` and states ``(heads, B, m, N)``.
        """
        total, states, first = np.zeros(C.shape[:2]), [], 0
        for h, values in enumerate(self.keys.values):
            k = values.shape[1]
            upper, at = self._head(h, np.ascontiguousarray(C[..., first : first + k]), near)
            total, first = np.nextafter(total + upper, np.inf), first + k
            states.append(at)
        return total, np.stack(states)

    def about(self, C: Array, asked: int) -> tuple[Array, Array]:
        r"""Return rough lower and upper bounds of functionals that all cases share, by the weight of one position.

        With the weight :math:`1-\ell` at a restricted position :math:`t`, :math:`\ell\le L`, an average is
        :math:`(1-\ell)g_t+\sum_{j\ne t}\pi_jg_j\le\bar g_t+L\,(G-\bar g_t)_+`, with :math:`\bar g_t` the largest
        value at ``t`` and ``G`` that of all positions.

        Parameters
        ----------
        C : functionals of the heads' averages, ``(m, k)``.
        asked : which of the restricted positions, its column in ``cases.at``.

        Returns
        -------
        tuple : bounds ``(B, m)`` each.
        """
        low, high, first, N, S = np.zeros(()), np.zeros(()), 0, self.keys.N, self.keys.S
        allowed = self.cases.allowed[:, asked, None]
        for h, values in enumerate(self.keys.values):
            k = values.shape[1]
            cut, first = C[:, first : first + k], first + k
            g = (cut @ values.mid.T).reshape(len(C), N, S)
            modulus = np.abs(cut)
            off = (modulus @ values.rad.max(0) + 1.01 * (k + 2) * UNIT * (modulus @ np.abs(values.mid).max(0))) * (
                1 + 1e-12) + TINY  # fmt: skip
            here = g.swapaxes(0, 1)[self.cases.at[:, asked]]  # (B, m, S)
            least = np.where(allowed, here, np.inf).min(-1)
            most = np.where(allowed, here, -np.inf).max(-1)
            leak = self._outside(h, asked)[:, None]
            down = least - leak * np.maximum(0.0, least - g.min((1, 2)))
            up = most + leak * np.maximum(0.0, g.max((1, 2)) - most)
            pad = off + 8 * UNIT * (np.abs(g).max((1, 2)) + off)
            low, high = np.nextafter(low + (down - pad), -np.inf), np.nextafter(high + (up + pad), np.inf)
        return low, high

    def _outside(self, h: int, asked: int) -> Array:
        """Upper bounds of the weight of a head outside a restricted position, ``(B,)``."""
        one, B = self.weights[h], np.arange(len(self.cases))
        top, at = one.w.max(-1), self.cases.at[:, asked]
        least = np.where(self.cases.allowed[:, asked], one.w[B, at], np.inf).min(-1)
        top[B, at] = 0.0
        S = top.sum(-1) * (1 + 2 * (self.keys.N + 8) * UNIT) * (1 + one.rho) / (1 - one.rho)
        with np.errstate(divide="ignore", over="ignore"):
            found = S / (S + least) * (1 + 16 * UNIT)
        # weights are cut below at e^-690 of the largest: one that small may be smaller
        return np.where(least > 1e-290, np.minimum(1.0, found), 1.0)

    def _head(self, h: int, C: Array, near: float) -> tuple[Array, Indices]:
        size = self.keys.N * self.keys.S
        B, m = C.shape[:2]
        wide = min(m, max(1, AT_ONCE // size))
        high = max(1, AT_ONCE // (size * wide))
        upper, at = np.empty((B, m)), np.empty((B, m, self.keys.N), dtype=np.int64)
        for b in range(0, B, high):
            for k in range(0, m, wide):
                rows, columns = slice(b, b + high), slice(k, k + wide)
                upper[rows, columns], at[rows, columns] = self._some(h, C[rows, columns], rows, near)
        return upper, at

    def _some(self, h: int, C: Array, rows: slice, near: float) -> tuple[Array, Indices]:
        """The suprema of one head, for a part of the cases."""
        V, N = self.keys.values[h], self.keys.N
        B, m, k = C.shape
        g = (C.reshape(-1, k) @ V.mid.T).reshape(B, m, N, self.keys.S)
        modulus = np.abs(C)
        size = modulus @ np.abs(V.mid).max(0) * (1 + 1e-12) + TINY
        # Higham's bound of the products, and what is not known of the values
        off = (modulus @ V.rad.max(0) + 1.01 * (k + 2) * UNIT * size) * (1 + 1e-12)
        w, rho = self.weights[h].w[rows], self.weights[h].rho[rows][:, None]
        barred = self._barred[rows], self.cases.at[rows]
        at = _shut(np.array(w), *barred).argmax(-1)  # the states with the largest weights
        value, _ = _averaged(w, g, np.broadcast_to(at[:, None], (B, m, N)))
        upper, reached = (size + off) * (1 + 4 * UNIT), value - np.inf
        states = np.broadcast_to(at[:, None], (B, m, N)).copy()
        slack = near * size + 4 * off + 32 * UNIT * size
        for step in range(STEPS):
            better = value > reached
            reached = np.maximum(value, reached)
            if step:
                states = np.where(better[..., None], at, states)
            # where no prompt is better and F(c) <= 0 is not seen, the terms' own rounding is in the way
            slack = np.where(better, slack, 8 * slack)
            c = np.clip(reached + (step > 0) * slack, -size, size)
            c, at, most = self._raised(g, w, c, off, size, barred)
            # sums of N terms; what underflows is below TINY for each
            short = (rho + 2 * (N + 8) * UNIT) * (1 + 1e-9)
            F = most.sum(-1) + short * np.abs(most).sum(-1) + N * TINY * (1 + size)
            proved = F <= 0
            upper = np.where(proved, np.minimum(upper, c), upper)
            if proved.all():
                break
            value, _ = _averaged(w, g, at)
        return upper, states

    def _raised(
        self, g: Array, w: Array, c: Array, off: Array, size: Array, barred: tuple[Array, Indices]
    ) -> tuple[Array, Indices, Array]:
        """The terms of :math:`F(c)` by key, with ``g`` raised by what it can be off."""
        e = (off + 4 * UNIT * (size + np.abs(c))) * (1 + 1e-9)
        y = g - (c - e)[..., None, None]
        y *= w[:, None]
        _shut(y, *barred)
        at = y.argmax(-1)
        return c, at, np.take_along_axis(y, at[..., None], -1)[..., 0]


def _shut(y: Array, barred: Array, at: Indices) -> Array:
    """Take away, in place, the states that a case does not allow."""
    here = np.arange(len(y))
    for r in range(at.shape[1]):
        if y.ndim == 3:
            y[here, at[:, r]] += barred[:, r]
        else:
            y[here, :, at[:, r]] += barred[:, r, None]
    return y


def _averaged(w: Array, g: Array, at: Indices) -> tuple[Array, Array]:
    """The averages of ``g`` at the chosen states ``(B, m, N)``; minus infinity where no weight is left."""
    chosen = np.take_along_axis(np.broadcast_to(w[:, None], g.shape), at[..., None], -1)[..., 0]
    total = chosen.sum(-1)
    mean = (chosen * np.take_along_axis(g, at[..., None], -1)[..., 0]).sum(-1)
    return np.where(total > 0, mean / np.where(total > 0, total, 1.0), -np.inf), total
