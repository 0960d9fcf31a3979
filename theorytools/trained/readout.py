r"""How far a read-out is from the label, over all prompts of a class, and on average over one law.

Were the attention perfect, the units would see :math:`\hat z_t` itself, and the output would be off by
:math:`e_0(x_t,t,s_t)`, with :math:`s_t` the indices that stand at ``t``.  The attention returns
:math:`c=\sum_j\pi_j\hat z_j`, which moves unit ``k`` by at most
:math:`L_tR_k`, :math:`R_k=\max_j|A_k(\hat z_j-\hat z_t)|`.
A unit that is farther than that from its kink keeps its slope, 1 or 0; of the others the slope lies in :math:`[0,1]`.
With :math:`g` the sum of :math:`w_kA_k` over units that stay active,

.. math:: \pm(f(c)-f(\hat z_t))\le\sum_{j\ne t}\pi_j\Bigl(\pm g(\hat z_j-\hat z_t)+\sum_{\text{may bend}}|w_k|R_k\Bigr)
          \le L_tD,

with ``D`` the largest value over tokens, codes and indices, each by itself.  So the error is at most
:math:`\max(|e_0|+L_tD)`.  Without any such unit known, :math:`D_t=\max\rho_\pm(\hat z_j-\hat z_t)`,
:math:`\rho_\pm(v)=\sum_k(\pm w_kA_kv)_+`, which is sublinear.  For independent uniform signs and indices
:math:`E_0=\mathbb Ee_0^2` is a finite sum, and by Minkowski's inequality

.. math:: (\sqrt{E_0}-\sqrt M)_+^2\le R\le(\sqrt{E_0}+\sqrt M)^2,\qquad
          M=\frac1N\sum_t\Bigl(\mathbb EL^2\,\mathbb ED^2+\frac1N\max L^2\max D^2\Bigr),

with means over the queries that ask for ``t``, each with the worst keys, and over what stands at ``t``; the last term
is for queries that ask for themselves.  Signs with one index are enumerated; elsewhere :math:`e_0` is bounded by lines
above and below each ReLU, which are then maximised part by part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from theorytools.errors import DomainError
from theorytools.theory.attention.trained import Box, exact, times
from theorytools.trained.layer import UNIT, Array, TrainedLayer
from theorytools.trained.leaks import VERTICES, HeadLeaks, Tokens

FUDGE = 1 + 1e-9
MOST = 2**33  # units that are evaluated


@dataclass(frozen=True)
class ReadoutError:
    """Bounds of the error of the labels.

    Attributes
    ----------
    readout : the largest error were the attention perfect, at most.
    largest : the largest error, at most, for the real numbers that the weights define.
    root_mean : ends of the root of the mean square error under the law; None where there is none.
    """

    readout: float
    largest: float
    root_mean: tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class Readout:
    """The two-layer network behind the attention, judged against the labels of one direction."""

    layer: TrainedLayer
    tokens: Tokens
    reads: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.layer.u is None or self.layer.units is None:
            raise DomainError("a layer without a direction or read-out", required="both", why="labels are <u, x>")

    @property
    def direction(self) -> Array:
        r"""The labels' weight on each indexed token, :math:`u/\sqrt q`."""
        assert self.layer.u is not None
        return np.asarray(self.layer.u / np.sqrt(self.layer.q))

    @property
    def last(self) -> Array:
        """The weights of the units."""
        return self.layer.last

    def _part(self, heads: Sequence[int], b: int) -> Box:
        """What the units take from part ``b`` of the tokens that some heads return; codes are multiplied out."""
        blocks = [self.layer.unit_block(h, b) for h in heads]
        mid, rad = sum(B.mid for B in blocks), sum(B.rad + 4 * UNIT * len(blocks) * np.abs(B.mid) for B in blocks)
        whole = Box(np.asarray(mid), np.asarray(rad))
        if b in (-1, self.layer.q + 1):
            return whole
        return times(whole, exact(self.layer.codes.T))

    @cached_property
    def parts(self) -> dict[tuple[int, int], Box]:
        """By slot and part of the token it asks for: ``(m, d)``, ``(m, N)``, or ``(m, 1)``."""
        heads = {s: [h for h, r in enumerate(self.reads) if r == s] for s in range(1, self.layer.q + 1)}
        return {(s, b): self._part(at, b) for s, at in heads.items() if at for b in range(-1, self.layer.q + 2)}

    @cached_property
    def error(self) -> float:
        """A bound on the rounding of an output computed here from :attr:`parts`."""
        reach = {b: self.tokens.radius * self.layer.d if b == -1 else 1.0 for b in range(-1, self.layer.q + 2)}
        size = sum(reach[b] * np.abs(box.mid).max(1) for (_, b), box in self.parts.items())
        off = sum(reach[b] * box.rad.max(1) for (_, b), box in self.parts.items())
        w, terms = np.abs(self.last), len(self.parts) + self.layer.d + len(self.last) + 32
        labels = self.tokens.radius * float(np.abs(self.direction).sum()) * self.layer.q
        return float(w @ off + 4 * terms * UNIT * (w @ size + labels + abs(self.layer.shift))) * FUDGE

    @property
    def listed(self) -> bool:
        """Whether all inputs of a perfect attention's read-out are evaluated."""
        count = len(self.tokens.vertices) * self.layer.N**2 * len(self.last)
        return self.layer.q == 1 and self.tokens.kind == "signs" and self.tokens.listed and count <= MOST

    def _enumerated(self, leaks: Sequence[HeadLeaks]) -> ReadoutError:
        """The bounds where everything that can stand at an indexed position is evaluated."""
        N, squares, moves = self.layer.N, np.zeros(self.layer.N), np.zeros(self.layer.N)
        readout = largest = 0.0
        heads = [{b: self._part([h], b).mid for b in range(-1, 2)} for h in range(len(leaks))]
        spreads = [self.spread(h) for h in range(len(leaks))]
        for t in range(N):
            units, off = self._at(t)
            readout = max(readout, float(off.max()))
            reach = [self._reach(parts, t) for parts in heads]
            shaken = sum(one.worst[t] * R for one, R in zip(leaks, reach, strict=True)) + self.error
            total, mean = off, 0.0
            for one, parts, R, spread in zip(leaks, heads, reach, spreads, strict=True):
                D = np.minimum(self._moved(units, shaken, parts, R, t) * FUDGE + self.error, spread[t])
                total = total + one.worst[t] * D
                square = one.mean_square[t] * float((D**2).mean()) + (one.worst[t] * float(D.max())) ** 2 / N
                mean += square**0.5
            largest, moves[t] = max(largest, float(total.max())), mean**2
            # an index is uniform and the query's position too: with probability 1/N the indexed token is the query
            squares[t] = (1 - 1 / N) * float((off**2).mean()) + float((off[:, t] ** 2).mean()) / N
        readout, largest = readout + self.error, (largest + self.error) * FUDGE
        root, shift = float(np.sqrt(squares.mean())), float(np.sqrt(moves.mean())) * FUDGE + self.error
        return ReadoutError(readout, largest, (max(0.0, root - shift), min(root + shift, largest)))

    def _at(self, t: int) -> tuple[Array, Array]:
        """Units and errors of a perfect attention, for every token and index that can stand at ``t``: ``(V, N, …)``."""
        token, own, slot, one = (self.parts[1, b].mid for b in (-1, 0, 1, 2))
        X = self.tokens.vertices
        units = (X @ token.T)[:, None] + (own[:, t] + one[:, 0] + slot.T)[None]
        found = np.maximum(units, 0) @ self.last + self.layer.shift - (X @ self.direction)[:, None]
        return units, np.abs(found)

    def _reach(self, parts: dict[int, Array], t: int) -> Array:
        """By how much each unit can differ between two tokens that a head returns, one of them that at ``t``."""
        own = np.abs(parts[0] - parts[0][:, [t]]).max(1)
        return np.asarray((2 * self.tokens.push(parts[-1]) + own + np.ptp(parts[1], axis=1)) * FUDGE)

    def _moved(self, units: Array, shaken: Array, parts: dict[int, Array], R: Array, t: int) -> Array:
        """Upper bounds of ``D`` for every token and index that can stand at ``t``."""
        may_bend = np.abs(units) <= shaken
        bend = may_bend @ (np.abs(self.last) * R)
        g = np.where(may_bend | (units < 0), 0.0, self.last)
        token, own, slot = g @ parts[-1], g @ parts[0], g @ parts[1]
        X, here = self.tokens.vertices[:, None], np.arange(self.layer.N)
        at = (token * X).sum(-1) + own[..., t] + slot[:, here, here]
        push = self.tokens.push(token)
        up = push + own.max(-1) + slot.max(-1) - at
        down = push - own.min(-1) - slot.min(-1) + at
        return np.asarray(np.maximum(up, down) + bend)

    def _relaxed(self) -> Array:
        """Upper bounds of :math:`e_t` by lines: one batch for each position and indices if there is one slot."""
        N, q = self.layer.N, self.layer.q
        m = len(self.last)
        fixed = np.zeros((1, m)) + sum(box.mid[:, 0] for (_, b), box in self.parts.items() if b == q + 1)
        free = [box.mid for (_, b), box in self.parts.items() if 0 <= b <= q]
        if q == 1:
            own, slot = free
            fixed, free = (fixed + (own.T[:, None] + slot.T[None]).reshape(-1, m)), []
        tokens = [self.parts[s, -1].mid for s in range(1, q + 1) if (s, -1) in self.parts]
        missing = q - len(tokens)  # slots that no head reads: their part of the label is not in the output
        lost = missing * float(self.tokens.push(self.direction))
        found = np.maximum(self._above(fixed, free, tokens, 1.0), self._above(fixed, free, tokens, -1.0)) + lost
        rows = found.reshape(N, N).max(1) if q == 1 else np.full(N, found.max())
        return rows * FUDGE + self.error

    def _above(self, fixed: Array, free: Sequence[Array], tokens: Sequence[Array], sign: float) -> Array:
        """Upper bounds of ``sign`` times output minus label for each batch."""
        low = fixed + sum(F.min(1) for F in free) - sum(self.tokens.push(A) for A in tokens)
        high = fixed + sum(F.max(1) for F in free) + sum(self.tokens.push(A) for A in tokens)
        w = sign * self.last
        crossing = (low < 0) & (high > 0)
        chord = np.where(crossing, high / np.where(crossing, high - low, 1.0), high > 0)
        below = np.where(crossing, high > -low, high > 0)
        slope = np.where(w > 0, chord, below)
        lift = np.where((w > 0) & crossing, -chord * low, 0.0)
        bent = w * slope
        total = (bent * fixed + w * lift).sum(1) + sign * self.layer.shift
        for F in free:
            total = total + (bent @ F).max(1)
        for A in tokens:
            total = total + self.tokens.push(bent @ A - sign * self.direction)
        return np.asarray(total)

    def spread(self, h: int) -> Array:
        """Return :math:`D_t` of one head for every position."""
        if len(self.last) == 0:
            return np.zeros(self.layer.N)
        parts = {b: self._part([h], b) for b in range(-1, self.layer.q + 1)}
        both = []
        for w in (self.last, -self.last):
            own = self._apart(parts[0], w)
            total = own.max(1) + 2 * self._of_token(parts[-1].mid, w)
            for b in range(1, self.layer.q + 1):
                total = total + float(self._apart(parts[b], w).max())
            both.append(total)
        reach = {-1: self.tokens.radius * self.layer.d}
        off = sum(2 * reach.get(b, 1.0) * float(np.abs(self.last) @ box.rad.max(1)) for b, box in parts.items())
        return np.maximum(*both) * FUDGE + off

    def _apart(self, part: Box, w: Array) -> Array:
        r"""The sums :math:`\sum_k(w_k(P_{kj}-P_{kt}))_+`, shape ``(t, j)``."""
        P = (part.mid * w[:, None]).T
        return np.stack([np.maximum(P - row, 0).sum(1) for row in P])

    def _of_token(self, A: Array, w: Array) -> float:
        r"""An upper bound of :math:`\sum_k(w_kA_kx)_+` over the tokens: sublinear, so largest at a vertex."""
        if self.tokens.kind == "ball" or self.layer.d > VERTICES:
            return float(np.abs(w) @ self.tokens.push(A))
        return float(np.maximum((self.tokens.vertices @ A.T) * w, 0).sum(1).max())

    def judge(self, leaks: Sequence[HeadLeaks]) -> ReadoutError:
        """Return the bounds, given what every head leaks."""
        if self.listed:
            return self._enumerated(leaks)
        perfect = self._relaxed()
        spreads = [self.spread(h) for h in range(len(leaks))]
        if self.layer.q == 1:
            moved = sum(one.worst * D for one, D in zip(leaks, spreads, strict=True))
        else:  # the heads ask for positions of their own
            moved = sum(float((one.worst * D).max()) for one, D in zip(leaks, spreads, strict=True))
        return ReadoutError(float(perfect.max()), float((perfect + moved).max()) * FUDGE, None)
