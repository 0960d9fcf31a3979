r"""How much attention a layer with given weights can leak, over all prompts: the certificate of a fine-tuned network.

The layer compares :math:`z_i=(x_i,\omega_i,\omega_{t_{i1}},\dots,\omega_{t_{iq}})` by merged matrices
:math:`W^{(h)}`, of which a construction has one non-zero block and training changes all.  Head ``h`` reads slot ``s``,
:math:`t=t_{is}`.  Its score of the key ``t`` exceeds that of the key ``j`` by
:math:`z_i^\top W(z_t-z_j)=\sum_{A,B}u_A^\top W_{AB}(v_B-v_B')`, over blocks ``A`` of the query and ``B`` of the keys.
Every term is bounded below over what it may depend on: the own block of the keys is :math:`\omega_t-\omega_j`, the slot
of the query is :math:`\omega_t`; its own code, its other slots and the slots of the keys are any codes; tokens lie in
a ball or a box of radius ``r``.  The sum of these least values is a gap :math:`g_{tj}`, and for every prompt

.. math:: 1-\pi_t\le\frac{S_t}{1+S_t},\qquad S_t=\sum_{j\ne t}e^{-g_{tj}} .

For the construction itself the other terms vanish and this is its leakage.  Weights are read at their word; the
numbers are doubles with a-priori bounds of their rounding, :math:`|\mathrm{fl}(AB)-AB|\le\gamma_n|A||B|`, in any order
of summation (Higham 2002, section 3.5).  The rounding of the module's own arithmetic is not part of the bound.

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 11, arXiv 2503.11272v1; the certificate is derived here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError
from theorytools.notebook import fields_html
from theorytools.numbers import Enclosure, between, float_lower, float_upper, maximum, total
from theorytools.numbers.boxes import UNIT, Array, Box, exact, length, times

if TYPE_CHECKING:
    import torch

_GRID = 2.0**16  # gaps are rounded down to a multiple of 1/_GRID, so that equal ones are exponentiated once


Blocks = dict[tuple[int, int], Box]


def weight_outside(scores: Box, t: int) -> Enclosure:
    r"""Return an enclosure of :math:`1-\operatorname{softmax}(s)_t`, of one row of scores, shape ``(1, N)``."""
    each = [between(low, high) for low, high in zip(scores.low[0].tolist(), scores.high[0].tolist(), strict=True)]
    S = total([(s - each[t]).exp() for j, s in enumerate(each) if j != t])
    # S/(1 + S) grows with S >= 0 and is at most 1: its ends are those of S, also where S is beyond doubles
    low, high = Enclosure(max(0.0, float_lower(S.lower))), float_upper(S.upper)
    return between(low / (1 + low), Enclosure(high) / (1 + Enclosure(high)) if high < np.inf else 1)


def in_ball(v: Array, radius: float) -> Array:
    """Return the vector of a ball that is farthest along ``v``, less what rounding could carry out of the ball."""
    top = float(np.abs(v).max(initial=0.0))
    if not top:
        return radius * np.eye(1, len(v))[0]
    # times a power of two, so that no square that counts under- or overflows; then the norm is off by less than
    # (d/2 + 1) u, the quotient and the two products by u each, which together is less than 8 d u
    scaled = np.ldexp(v, -math.frexp(top)[1])
    return np.asarray(radius * (1 - 8 * len(v) * UNIT) * (scaled / float(np.linalg.norm(scaled))))


@checked
@dataclass(frozen=True, eq=False)
class AttentionCertificate:
    r"""What is proved of the attention of a module; made by :func:`certify_attention`.

    Attributes
    ----------
    bounds : for each head an upper bound of the weight outside the indexed position, over all prompts of the class.
    found : for each head the weight outside on the worst prompt that was tried, rounded down: as in the bounds, of the
        real numbers that the weights define.
    token_error : :math:`2r\max_h` of the bounds, the largest distance of a retrieved token from the indexed one in a
        ball of radius ``r``; in a box, of each coordinate.
    X, T : the worst prompts tried, one for each head, ``(H, N, d)`` and ``(H, N, q)``.
    positions : where each head is worst on its prompt.
    """

    bounds: tuple[Enclosure, ...]
    found: tuple[float, ...]
    token_error: Enclosure
    X: Array
    T: NDArray[np.int64]
    positions: tuple[int, ...]

    _repr_html_ = fields_html

    @property
    def leakage(self) -> Enclosure:
        """The largest of the bounds."""
        return maximum(self.bounds)


@checked
def certify_attention(
    module: torch.nn.Module, radius: float, *, tokens: Literal["ball", "box"] = "ball",
    slots: Sequence[int] | None = None,
) -> AttentionCertificate:  # fmt: skip
    r"""Return an upper bound of what a module's attention leaks, over all prompts, beside a prompt that leaks much.

    Parameters
    ----------
    module : what ``BlockAttention.module()`` returns, trained or not: codes ``omega`` ``(N, d_e)``, merged matrices
        ``W_QK`` ``(H, D_e, D_e)``.
    radius : every token has :math:`\|x_j\|_2\le r` (a ball) or :math:`|x_{jk}|\le r` (a box, which holds the signs).
    tokens : the class of tokens.
    slots : which index slot each head reads, from 1; ``1, …, H`` unless given.

    Returns
    -------
    AttentionCertificate : bounds, and prompts that were tried.

    Raises
    ------
    DomainError
        For a module without these weights, weights that are not finite, a negative radius, slots that do not exist.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 11, arXiv 2503.11272v1; the certificate is derived here.

    Examples
    --------
    >>> from theorytools import BlockAttention, hadamard
    >>> net = BlockAttention(hadamard(8), beta=12, q=1, d=2)
    >>> made = certify_attention(net.module(), radius=2)
    >>> f"{float(made.leakage):.4e}, {float(net.leakage()):.4e}"
    '4.3008e-05, 4.3008e-05'
    """
    one = _Heads.of(module, radius, tokens, slots)
    made = [one.head(h) for h in range(len(one.W))]
    X, T = np.concatenate([head[1] for head in made]), np.concatenate([head[2] for head in made])
    positions = tuple(head[3] for head in made)
    found = tuple(float_lower(one.leaked(h, X[h], T[h], positions[h]).lower) for h in range(len(made)))
    bounds = tuple(head[0] for head in made)
    return AttentionCertificate(bounds, found, 2 * Enclosure(Fraction(radius)) * maximum(bounds), X, T, positions)


@dataclass(frozen=True, eq=False)
class _Heads:
    """Codes and matrices of a module, split into blocks: tokens, own codes, slots."""

    codes: Box
    W: Array
    d: int
    radius: float
    tokens: str
    slots: tuple[int, ...]

    @classmethod
    def of(cls, module: Any, radius: float, tokens: str, slots: Sequence[int] | None) -> _Heads:
        if not (hasattr(module, "omega") and hasattr(module, "W_QK") and hasattr(module, "embed")):
            raise DomainError(
                f"a module of type {type(module).__name__}", required="codes omega and merged matrices W_QK",
                why="the scores of every prompt are bounded from them", advice="BlockAttention(…).module()",
            )  # fmt: skip
        codes, W = (np.asarray(t.detach().cpu().double()) for t in (module.omega, module.W_QK))
        if not (np.isfinite(codes).all() and np.isfinite(W).all() and radius >= 0):
            given = f"radius = {radius}" if radius < 0 else "weights that are not finite"
            raise DomainError(given, required="finite weights and a radius of at least 0", why="scores are bounded")
        chosen = tuple(range(1, len(W) + 1)) if slots is None else tuple(slots)
        if len(chosen) != len(W) or not all(1 <= slot <= module.q for slot in chosen):
            raise DomainError(
                f"slots {chosen} of {len(W)} heads", required=f"{len(W)} numbers from 1 to q = {module.q}",
                why="each head reads one index slot", advice="slots=[…]",
            )  # fmt: skip
        return cls(exact(codes), W, int(module.d), float(radius), tokens, chosen)

    def block(self, h: int, a: int, b: int) -> Box:
        """Block of the query's part ``a`` and the key's part ``b``: -1 the token, 0 the own code, then the slots."""
        d, k = self.d, self.codes.mid.shape[1]
        at = {-1: slice(0, d)} | {s: slice(d + s * k, d + (s + 1) * k) for s in range((self.W.shape[1] - d) // k)}
        return exact(self.W[h][at[a], at[b]])

    def head(self, h: int) -> tuple[Enclosure, Array, NDArray[np.int64], int]:
        """Return the bound of one head, and a prompt that leaks much: tokens, indices, position."""
        with np.errstate(over="ignore", invalid="ignore"):  # what is no number is refused at the end
            return self._head(h)

    def _head(self, h: int) -> tuple[Enclosure, Array, NDArray[np.int64], int]:
        slot, q = self.slots[h], (self.W.shape[1] - self.d) // self.codes.mid.shape[1] - 1
        others = [a for a in range(q + 1) if a != slot]
        C, Ct = self.codes, Box(self.codes.mid.T, self.codes.rad.T)
        M = {(a, b): times(times(C, self.block(h, a, b)), Ct) for a in range(q + 1) for b in range(q + 1)}
        gap = _rows(M[slot, 0], self.codes.mid.shape[0])
        for a in others:
            gap = gap + _least_difference(M[a, 0])
        row = np.zeros(len(C.mid))  # what depends on t alone
        for b in range(1, q + 1):
            row += M[slot, b].high.max(axis=1) - M[slot, b].low.min(axis=1)
            row += sum(float((M[a, b].high.max(axis=1) - M[a, b].low.min(axis=1)).max()) for a in others)
        row += self._of_tokens(h, slot, others, q)
        gap -= self._of_query_token(h) + row[:, None]
        terms = (q + 2) ** 2 + 8  # sums of so many numbers, none larger in modulus than their sum of moduli
        size = sum(float(np.abs(part.mid).max() + part.rad.max()) for part in M.values()) + float(np.abs(gap).max())
        gap -= 8 * terms * UNIT * size
        bound, t = _worst(gap)
        return bound, *self._prompt(h, t, gap, M)

    def _of_tokens(self, h: int, slot: int, others: Sequence[int], q: int) -> Array:
        """Upper bounds of the terms of the keys' tokens, and of the query's token with the keys' slots, for each t."""
        C, r = self.codes, self.radius
        if not self.d or not r:
            return np.zeros(len(C.mid))
        found = 2 * r * length(times(C, self.block(h, slot, -1)), self.tokens)
        for a in others:
            found = found + 2 * r * float(length(times(C, self.block(h, a, -1)), self.tokens).max())
        whole = self.block(h, -1, -1)
        found = found + 2 * r * r * float(
            length(Box(whole.mid.reshape(1, -1), whole.rad.reshape(1, -1)), self.tokens)[0]
        )
        for b in range(1, q + 1):
            seen = times(C, Box(self.block(h, -1, b).mid.T, self.block(h, -1, b).rad.T))
            found = found + 2 * r * float(length(seen, self.tokens).max())
        return found * (1 + 1e-12)

    def _of_query_token(self, h: int) -> Array:
        """Upper bounds of the term of the query's token with the own codes of the keys, ``(N, N)``."""
        N = len(self.codes.mid)
        if not self.d or not self.radius:
            return np.zeros((N, N))
        block = self.block(h, -1, 0)
        P = times(self.codes, Box(block.mid.T, block.rad.T))
        found = np.zeros((N, N))
        for t in range(N):
            apart = np.abs(P.mid[t] - P.mid) * (1 + 2 * UNIT)
            found[t] = length(Box(apart, (P.rad[t] + P.rad) * (1 + 2 * UNIT)), self.tokens)
        return self.radius * found * (1 + 1e-12)

    def leaked(self, h: int, X: Array, T: NDArray[np.int64], i: int) -> Enclosure:
        """Return the weight that a head gives outside the indexed position on one prompt, enclosed."""
        C = self.codes.mid
        Z = exact(np.concatenate([X, C, *(C[T[:, s]] for s in range(T.shape[1]))], axis=1))
        row = times(times(Box(Z.mid[[i]], Z.rad[[i]]), exact(self.W[h])), Box(Z.mid.T, Z.rad.T))
        return weight_outside(row, int(T[i, self.slots[h] - 1]))

    def _prompt(self, h: int, t: int, gap: Array, M: Blocks) -> tuple[Array, NDArray[np.int64], int]:
        """A prompt on which head ``h`` asks for ``t`` and its nearest rival is favoured, term after term."""
        C, slot, q = self.codes.mid, self.slots[h], max(b for _, b in M)
        rival = next(int(j) for j in np.argsort(gap[t], kind="stable") if j != t or len(C) == 1)
        choice = {a: int(np.argmin(M[a, 0].mid[:, t] - M[a, 0].mid[:, rival])) for a in range(q + 1)}
        at_home = M[0, 0].mid[:, t] - M[0, 0].mid[:, rival]
        choice[0] = min(range(len(C)), key=lambda j: (at_home[j], j in (t, rival)))  # the query asks from elsewhere
        choice[slot], i = t, choice[0]
        asks = [C[choice[a]] for a in range(q + 1)]
        x = self._first_token(h, q, C[t] - C[rival])
        T, X = np.zeros((1, len(C), q), dtype=np.int64), np.zeros((1, len(C), self.d))
        for _ in range(3):  # the query's token, then what the keys say, as each likes the other best
            query, push = [x, *asks], self.block(h, -1, 0).mid @ (C[t] - C[rival])
            for b in range(1, q + 1):
                liked = C @ sum(u @ self.block(h, a, b).mid for a, u in enumerate(query, -1))
                T[0, :, b - 1], T[0, t, b - 1] = int(np.argmax(liked)), int(np.argmin(liked))
                push = push + self.block(h, -1, b).mid @ (C[np.argmin(liked)] - C[np.argmax(liked)])
            towards = sum(u @ self.block(h, a, -1).mid for a, u in enumerate(query, -1))
            X[0], X[0, t] = self._pushed(towards), self._pushed(-towards)
            push = push + self.block(h, -1, -1).mid @ (X[0, t] - X[0, rival])
            x = self._pushed(-push) if push.any() else x
        T[0, i], X[0, i] = [choice[b] for b in range(1, q + 1)], x
        return X, T, i

    def _first_token(self, h: int, q: int, apart: Array) -> Array:
        """A query's token to begin with: against the indexed key, or along the widest direction of its blocks."""
        against = self.block(h, -1, 0).mid @ apart
        if not against.any() and self.d:
            wide = np.concatenate([self.block(h, -1, b).mid for b in range(-1, q + 1)], axis=1)
            against = np.linalg.svd(wide)[0][:, 0]
        return self._pushed(-against)

    def _pushed(self, v: Array) -> Array:
        """The token of the class farthest along ``v``."""
        if self.tokens == "box":
            return self.radius * np.where(v >= 0, 1.0, -1.0)
        return in_ball(v, self.radius)


def _rows(M: Box, N: int) -> Array:
    """Lower bounds of ``M[t, t] - M[t, j]``."""
    return np.nextafter(np.diag(M.low)[:, None] - M.high, -np.inf)


def _least_difference(M: Box) -> Array:
    """Lower bounds of the least over ``i`` of ``M[i, t] - M[i, j]``, zero where ``t = j``."""
    found = np.full((M.mid.shape[1],) * 2, np.inf)
    for low, high in zip(M.low, M.high, strict=True):
        np.minimum(found, low[:, None] - high[None], out=found)
    found = np.nextafter(found, -np.inf)
    np.fill_diagonal(found, 0.0)
    return found


def _worst(gap: Array) -> tuple[Enclosure, int]:
    """The largest ``S/(1 + S)`` and the position where it is reached."""
    steps = np.floor(gap * _GRID)
    np.fill_diagonal(steps, 0.0)
    if not np.isfinite(steps).all():
        raise DomainError("scores beyond doubles", required="weights whose scores are numbers", why="they are bounded")
    np.fill_diagonal(steps, np.inf)
    values = np.unique(steps[np.isfinite(steps)])
    powers = {value: (Enclosure(int(-value)) / int(_GRID)).exp() for value in values.tolist()}
    sums = []
    for row in steps:
        each, counts = np.unique(row[np.isfinite(row)], return_counts=True)
        parts = [powers[value] * int(count) for value, count in zip(each.tolist(), counts.tolist(), strict=True)]
        sums.append(total(parts) if parts else Enclosure(0))
    leaks = [s / (s + 1) for s in sums]
    return maximum(leaks), max(range(len(leaks)), key=lambda t: float(leaks[t]))
