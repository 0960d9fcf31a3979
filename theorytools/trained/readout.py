r"""How far a read-out is from the label, over all prompts of a class, and on average over one law.

Were the attention perfect, the units would see :math:`\hat z_t` itself, and the output would be off by
:math:`e_0(x_t,t,s_t)`, with :math:`s_t` the indices that stand at ``t``.  The attention returns
:math:`c=\sum_j\pi_j\hat z_j`, and because the slopes of a ReLU lie in :math:`[0,1]`,

.. math:: |f(c)-f(\hat z_t)|\le\max_\pm\rho_\pm(c-\hat z_t)\le\sum_{j\ne t}\pi_j\max_\pm\rho_\pm(\hat z_j-\hat z_t)
          \le L_tD_t,\qquad\rho_\pm(v)=\sum_k(w_kA_kv)_\pm ,

since :math:`\rho_\pm` is sublinear; :math:`D_t` adds up the largest values over tokens, codes and indices.  So the error
is at most :math:`\max_t(e_t+L_tD_t)`, :math:`e_t=\max|e_0|`.  For independent uniform signs and indices
:math:`E_0=\mathbb Ee_0^2` is a finite sum, and by Minkowski's inequality

.. math:: (\sqrt{E_0}-\sqrt M)_+^2\le R\le(\sqrt{E_0}+\sqrt M)^2,\qquad M=\tfrac1N\sum_tD_t^2\,\mathbb EL^2 ,

with the mean over the queries that ask for ``t``, each with the worst keys.  Signs with one index are enumerated;
elsewhere :math:`e_t` is bounded by lines above and below each ReLU, which are then maximised part by part.
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

    def perfect(self) -> tuple[Array, float | None]:
        """Return :math:`e_t` for every position, and the root of :math:`E_0` under the law where there is one."""
        if not self.listed:
            return self._relaxed(), None
        X, N = self.tokens.vertices, self.layer.N
        token, own, slot, one = (self.parts[1, b].mid for b in (-1, 0, 1, 2))
        at_token, y = X @ token.T, X @ self.direction
        worst, square = np.zeros(N), 0.0
        for t in range(N):
            units = at_token[:, None] + (own[:, t] + one[:, 0] + slot.T)[None]
            found = np.abs(np.maximum(units, 0) @ self.last + self.layer.shift - y[:, None])
            worst[t] = found.max()
            # an index is uniform and the query's position too: with probability 1/N the indexed token is the query
            square += (1 - 1 / N) * float((found**2).mean()) + float((found[:, t] ** 2).mean()) / N
        return worst + self.error, float(np.sqrt(square / N))

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
        perfect, root = self.perfect()
        spreads = [self.spread(h) for h in range(len(leaks))]
        moved = sum(one.worst * D for one, D in zip(leaks, spreads, strict=True))
        if self.layer.q > 1:  # the heads ask for positions of their own
            moved = sum(float((one.worst * D).max()) for one, D in zip(leaks, spreads, strict=True))
        largest = float((perfect + moved).max()) * FUDGE
        if root is None:
            return ReadoutError(float(perfect.max()), largest, None)
        shift = sum(float(np.sqrt((one.mean_square * D**2).mean())) for one, D in zip(leaks, spreads, strict=True))
        shift = shift * FUDGE + self.error
        return ReadoutError(float(perfect.max()), largest, (max(0.0, root - shift), min(root + shift, largest)))
