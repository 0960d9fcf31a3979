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
:math:`\rho_\pm(v)=\sum_k(\pm w_kA_kv)_+`, which is sublinear.

For independent uniform signs and indices let :math:`\pi^0_{ij}` be weights that only the codes decide.  Given what
stands at ``t``, the main part :math:`e_0+\sum_j\pi^0_{ij}g(\hat z_j-\hat z_t)` is a sum of independent terms, so its
mean square :math:`E` is a finite sum, and by Minkowski's inequality

.. math:: (\sqrt E-\sqrt M)_+^2\le R\le(\sqrt E+\sqrt M)^2 ,

where ``M`` is the mean square of what is left: bent units, :math:`|\pi-\pi^0|`, the indices of the query's own key.
Signs with one index are enumerated; elsewhere :math:`e_0` is bounded by lines above and below each ReLU, which are then
maximised part by part.  Such lines are as loose as the tokens are wide.  With one index boxes are therefore cut
(:class:`Cuts`): few units may bend within a part of the box, and where none does nothing is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import DomainError
from theorytools.numbers.boxes import Box, exact, times
from theorytools.trained.layer import UNIT, Array, TrainedLayer
from theorytools.trained.leaks import VERTICES, Head, HeadLeaks, Indices, Tokens

FUDGE = 1 + 1e-9
MOST = 2**33  # units that are evaluated
WORK = 2**29  # multiplications that cuts may take
FIELDS = ("t", "at", "centre", "half")
CLOSE = 1 + 2.0**-7  # cut is what may hold so many times the largest error that is known
LEAST = 2**12  # what a cell costs at least, whatever its products are
AT_ONCE = 2**9  # boxes that are cut in one round


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

    def _enumerated(self, heads: Sequence[Head], leaks: Sequence[HeadLeaks], factors: Sequence[float]) -> ReadoutError:
        """The bounds where everything that can stand at an indexed position is evaluated."""
        parts = [{b: self._part([h], b).mid for b in range(-1, 2)} for h in range(len(leaks))]
        spreads, squares = [self.spread(h) for h in range(len(leaks))], np.zeros((2, self.layer.N))
        readout = largest = 0.0
        for t in range(self.layer.N):
            units, signed = self._at(t)
            readout = max(readout, float(np.abs(signed).max()))
            reach = [self.apart(part, self.tokens.vertices[:, None], t, slice(None)) for part in parts]
            shaken = sum(one.worst[t] * R for one, R in zip(leaks, reach, strict=True)) + self.error
            may_bend, ends = np.abs(units) <= shaken, [signed, -signed]
            for one, part, R, spread in zip(leaks, parts, reach, spreads, strict=True):
                lines, bend = self._moved(units, may_bend, part, t), may_bend * R @ np.abs(self.last)
                ends = [end + one.worst[t] * np.minimum((line + bend) * FUDGE + self.error, spread[t])
                        for end, line in zip(ends, lines, strict=True)]  # fmt: skip
            largest = max(largest, *(float(end.max()) for end in ends))
            if len(leaks) == 1:
                weights = heads[0].by_code(t)
                rest, line = leaks[0].worst[t] * bend, np.maximum(*lines)
                squares[:, t] = self._squares(signed, units, may_bend, parts[0], (weights, factors[0]), line, rest, t)
        readout, largest = readout + self.error, (largest + self.error) * FUDGE
        if len(leaks) > 1:
            return ReadoutError(readout, largest, None)
        root, left = np.sqrt(squares.mean(1))
        left = float(left) * FUDGE + 4 * self.error + 1e-9 * float(root)
        return ReadoutError(readout, largest, (max(0.0, float(root) - left), min(float(root) + left, largest)))

    def _squares(
        self, signed: Array, units: Array, may_bend: NDArray[np.bool_], parts: dict[int, Array],
        weighing: tuple[tuple[Array, float], float], line: Array, rest: Array, t: int,
    ) -> tuple[float, float]:  # fmt: skip
        """Mean squares of the main part and of what is left, over queries that ask for ``t`` and what stands there."""
        (weights, moved), factor = weighing
        N, here = self.layer.N, np.arange(self.layer.N)
        W = weights.copy()
        W[:, t] = 0
        leak = W.sum(1)
        token, own, slot = (self._certain(units, may_bend) @ parts[b] for b in (-1, 0, 1))
        at = (token * self.tokens.vertices[:, None]).sum(-1) + own[..., t] + slot[:, here, here] - slot.mean(-1)
        mean = signed[..., None] + own @ W.T - at[..., None] * leak  # tokens, indices at t, query's position
        varied = self.tokens.radius**2 * (token**2).sum(-1) + slot.var(-1)
        square = mean**2 + varied[..., None] * (W**2).sum(1)
        growth = min(moved, 50.0)
        change = (
            np.exp(growth) * (1 + leak * np.expm1(growth)) * factor - 1 if moved < 50 else 2 / np.maximum(leak, 1e-99)
        )
        left = (rest[..., None] + leak * change * line[..., None] + np.ptp(slot, axis=-1)[..., None] * np.diag(W)) ** 2
        others = here != t  # a query at t asks for itself: the indices at t are its own
        return tuple(  # type: ignore[return-value]
            (float(part[..., others].mean((0, 1)).sum()) + float(part[:, t, t].mean())) / N for part in (square, left)
        )

    def _at(self, t: int) -> tuple[Array, Array]:
        """Units and signed errors of a perfect attention, for all tokens and indices that can stand at ``t``."""
        token, own, slot, one = (self.parts[1, b].mid for b in (-1, 0, 1, 2))
        X = self.tokens.vertices
        units = (X @ token.T)[:, None] + (own[:, t] + one[:, 0] + slot.T)[None]
        found = np.maximum(units, 0) @ self.last + self.layer.shift - (X @ self.direction)[:, None]
        return units, found

    def apart(self, parts: dict[int, Array], x: Array, t: Any, at: Any, half: Array | None = None) -> Array:
        """By how much each unit can differ between a token of the class and what stands at ``t``, in boxes about ``x``.

        Ends of the units over the class are sums over its parts; ``half`` are the boxes' half widths, 0 unless given.
        """
        token, own, slot = (parts[b] for b in (-1, 0, 1))
        push = self.tokens.push(token)
        low, high = own.min(1) + slot.min(1) - push, own.max(1) + slot.max(1) + push
        here = x @ token.T + (own.T[t] + slot.T[at])
        found = np.maximum(high - here, here - low)
        return np.asarray((found if half is None else found + half @ np.abs(token).T) * FUDGE)

    def _certain(self, units: Array, may_bend: NDArray[np.bool_]) -> Array:
        """The weights of the units that stay active."""
        return np.where(may_bend | (units < 0), 0.0, self.last)

    def _moved(self, units: Array, may_bend: NDArray[np.bool_], parts: dict[int, Array], t: int) -> tuple[Array, Array]:
        """The most that units with a known slope can rise and fall per weight, for all that can stand at ``t``."""
        token, own, slot = (self._certain(units, may_bend) @ parts[b] for b in (-1, 0, 1))
        X, here = self.tokens.vertices[:, None], np.arange(self.layer.N)
        at = (token * X).sum(-1) + own[..., t] + slot[:, here, here]
        push = self.tokens.push(token)
        up = push + own.max(-1) + slot.max(-1) - at
        down = push - own.min(-1) - slot.min(-1) + at
        return np.asarray(up), np.asarray(down)

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
        bent, lift = self.lines(low, high, sign * self.last)
        total = (bent * fixed + lift).sum(1) + sign * self.layer.shift
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
        return np.asarray(np.maximum(*both) * FUDGE + off)

    def _apart(self, part: Box, w: Array) -> Array:
        r"""The sums :math:`\sum_k(w_k(P_{kj}-P_{kt}))_+`, shape ``(t, j)``."""
        P = (part.mid * w[:, None]).T
        return np.stack([np.maximum(P - row, 0).sum(1) for row in P])

    def _of_token(self, A: Array, w: Array) -> float:
        r"""An upper bound of :math:`\sum_k(w_kA_kx)_+` over the tokens: sublinear, so largest at a vertex."""
        if self.tokens.kind == "ball" or self.layer.d > VERTICES:
            return float(np.abs(w) @ self.tokens.push(A))
        return float(np.maximum((self.tokens.vertices @ A.T) * w, 0).sum(1).max())

    def lines(self, low: Array, high: Array, w: Array) -> tuple[Array, Array]:
        """Slopes and constants of lines that are nowhere below ``w`` times a ReLU of units between these ends."""
        crossing = (low < 0) & (high > 0)
        chord = np.where(crossing, high / np.where(crossing, high - low, 1.0), high > 0)
        below = np.where(crossing, high > -low, high > 0)
        return w * np.where(w > 0, chord, below), w * np.where((w > 0) & crossing, -chord * low, 0.0)

    def judge(self, heads: Sequence[Head], leaks: Sequence[HeadLeaks], factors: Sequence[float]) -> ReadoutError:
        """Return the bounds, given what every head leaks and by how much rounding can multiply its weights."""
        if self.listed:
            return self._enumerated(heads, leaks, factors)
        spreads = [self.spread(h) for h in range(len(leaks))]
        if self.layer.q == 1 and self.tokens.kind != "ball":
            return ReadoutError(Cuts(self, (), ()).largest(), Cuts(self, leaks, spreads).largest(), None)
        perfect = self._relaxed()
        moved = np.zeros(self.layer.N)
        for one, D in zip(leaks, spreads, strict=True):
            each = one.worst * D
            moved = moved + (each if self.layer.q == 1 else each.max())  # heads of several slots ask for their own
        return ReadoutError(float(perfect.max()), float((perfect + moved).max()) * FUDGE, None)


@dataclass(frozen=True, eq=False)
class Cells:
    """Boxes of tokens that stand at an indexed position.

    Attributes
    ----------
    t, at : the position and the index that stands there, ``(C,)``.
    centre, half : middle points and half widths, ``(C, d)``.
    """

    t: Indices
    at: Indices
    centre: Array
    half: Array

    def chosen(self, rows: Any) -> Cells:
        """Return some of them."""
        return Cells(self.t[rows], self.at[rows], self.centre[rows], self.half[rows])

    def cut(self, axis: Indices) -> Cells:
        r"""Return both halves of each along its axis, whose union holds it.

        The centre of a half is off by :math:`u(|c|+h)` at most, its width by less: a half is wider by four of these.
        """
        rows = np.arange(len(self.t))
        half, moved = self.half.copy(), np.zeros_like(self.half)
        moved[rows, axis] = half[rows, axis] / 2
        half[rows, axis] = moved[rows, axis] + 4 * UNIT * (np.abs(self.centre) + half)[rows, axis]
        both = np.concatenate([self.centre - moved, self.centre + moved])
        return Cells(np.tile(self.t, 2), np.tile(self.at, 2), both, np.tile(half, (2, 1)))


@dataclass(frozen=True, eq=False)
class Cuts:
    r"""The largest error over a box of tokens, by cutting the box where it may be largest.

    Let ``x`` lie in a cell and :math:`s=\pm1`.  With lines above :math:`sw_k(\cdot)_+` on the cell, :math:`se_0` is
    below a linear function of ``x``.  Units farther from their kink than the attention can move them in the cell keep
    their slope, so with ``g`` of these units alone, for every token :math:`\hat z_j` of the class,

    .. math:: s(f(c)-f(\hat z_t))\le L_t\min\Bigl(\max_jsg(\hat z_j)-\min_{\text{cell}}sg(\hat z_t)
              +\sum_{\text{may bend}}|w_k|R_k,\;D_t\Bigr),

    :math:`R_k` being the most that unit ``k`` can differ between a point of the cell and a token of the class.  The
    bound of a cell is the larger of both signs, that of the box the largest over cells that cover it.

    Attributes
    ----------
    readout : with one index, and tokens in a box or signs.
    leaks : what the heads leak; none for a perfect attention.
    spreads : :math:`D_t` of each head.
    """

    readout: Readout
    leaks: Sequence[HeadLeaks]
    spreads: Sequence[Array]

    @cached_property
    def _whole(self) -> tuple[Array, Array]:
        """What units take from tokens ``(m, d)``, and all else ``(t, indices, m)``."""
        token, own, slot, one = (self.readout.parts[1, b].mid for b in (-1, 0, 1, 2))
        return token, own.T[:, None] + slot.T[None] + one[:, 0]

    @cached_property
    def _heads(self) -> list[dict[int, Array]]:
        """What each head's units take from tokens, own codes and indices."""
        return [{b: self.readout._part([h], b).mid for b in (-1, 0, 1)} for h in range(len(self.leaks))]

    def largest(self) -> float:
        """Return an upper bound of the largest error."""
        N, d, r = self.readout.layer.N, self.readout.layer.d, self.readout.tokens.radius
        t, at = (x.ravel() for x in np.indices((N, N)))
        cells = Cells(t, at, np.zeros((N * N, d)), np.full((N * N, d), r))
        bounds, axes, known = self._judged(cells)
        products = 8 * len(self.readout.last) * (d + N) * max(1, len(self.leaks))  # both signs, a cell and a point
        left = WORK // max(products, LEAST)  # cells that may still be judged
        while left > 0:
            rows = np.flatnonzero(bounds > known * CLOSE)
            if not len(rows):
                break
            rows = rows[np.argsort(-bounds[rows], kind="stable")[:AT_ONCE]]
            new = cells.chosen(rows).cut(axes[rows])
            found, along, reached = self._judged(new)
            left, known = left - len(found), max(known, reached)
            kept = np.ones(len(bounds), dtype=np.bool_)
            kept[rows] = False
            cells = Cells(*(np.concatenate([getattr(cells, n)[kept], getattr(new, n)]) for n in FIELDS))
            # a cell's bound is no larger than that of the cell that it was cut from
            found = np.minimum(found, np.tile(bounds[rows], 2))
            bounds, axes = np.concatenate([bounds[kept], found]), np.concatenate([axes[kept], along])
        return float(bounds.max())

    def _judged(self, cells: Cells) -> tuple[Array, Indices, float]:
        """Bounds of cells, the axis to cut each along, and a bound that no cut goes below."""
        size = max(1, 2**19 // max(1, len(self.readout.last)))
        bounds, axes, known = [], [], 0.0
        for first in range(0, len(cells.t), size):
            some = cells.chosen(slice(first, first + size))
            (up, corner, open_), (down, other, more) = (self._above(some, sign) for sign in (1.0, -1.0))
            bounds.append(np.maximum(up, down))
            axes.append(np.argmax(some.half * (open_ + more), axis=1))
            for sign, at in ((1.0, corner), (-1.0, other)):
                point = Cells(some.t, some.at, at, np.zeros_like(at))
                known = max(known, float(self._above(point, sign)[0].max()))
        return np.concatenate(bounds), np.concatenate(axes), known

    def _above(self, cells: Cells, sign: float) -> tuple[Array, Array, Array]:
        """Upper bounds of ``sign`` times output minus label, where lines have them, and what each axis makes loose."""
        read, (token, rest) = self.readout, self._whole
        w, centre, half = sign * read.last, cells.centre, cells.half
        units, reach = centre @ token.T + rest[cells.t, cells.at], half @ np.abs(token).T
        bent, lift = read.lines(units - reach, units + reach, w)
        slope = bent @ token - sign * read.direction
        total = (bent * units + lift).sum(1) + sign * (read.layer.shift - centre @ read.direction)
        total = total + (np.abs(slope) * half).sum(1)
        loose = (np.abs(units) < reach) * np.abs(w)
        moved, steady, may_bend = self._moved(cells, units, reach, w)
        slack = 4 * read.error  # ends of units, lines, and the lines' values are each off by at most the error
        bound = np.asarray((np.maximum(total, 0.0) + moved + slack) * FUDGE)
        loose = np.maximum(loose, may_bend * np.abs(w))
        return bound, centre + np.where(slope + steady >= 0, half, -half), np.asarray(loose @ np.abs(token))

    def _moved(self, cells: Cells, units: Array, reach: Array, w: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
        """How much the attention can add, at most; its slope along the token; and the units that may bend."""
        read = self.readout
        apart = [read.apart(parts, cells.centre, cells.t, cells.at, cells.half) for parts in self._heads]
        worst = [one.worst[cells.t] for one in self.leaks]
        shaken = read.error + sum(L[:, None] * R for L, R in zip(worst, apart, strict=True))
        may_bend = np.abs(units) <= reach + shaken
        g = np.where(may_bend | (units < 0), 0.0, w)
        found, slope = np.zeros(len(units)), np.zeros_like(cells.centre)
        here = np.arange(len(g))
        for L, parts, R, D in zip(worst, self._heads, apart, self.spreads, strict=True):
            push, owns, slots = (g @ parts[b] for b in (-1, 0, 1))
            at_t = (push * cells.centre).sum(1) + owns[here, cells.t] + slots[here, cells.at]
            line = read.tokens.push(push) + owns.max(1) + slots.max(1) - at_t + (np.abs(push) * cells.half).sum(1)
            bend = may_bend * R @ np.abs(w)
            found += L * np.minimum((line + bend) * FUDGE + 4 * read.error, D[cells.t])
            slope -= L[:, None] * push
        return found, slope, may_bend
