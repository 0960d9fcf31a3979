r"""Linear functionals of what position-wise blocks write, carried backward to the attention before them.

Let ``B`` queries be held with their states (:mod:`.held`), so that what was written before the attention is known, and
let :math:`c` be a functional of the fields behind it.  From the last block to the first, its part on the block's field
is replaced by a functional of earlier fields that is nowhere below:

* :math:`z=\phi(y)`, with lines :math:`\lambda y+\mu` above and below :math:`\phi` on the range of ``y``:
  :math:`cz\le c(\lambda y+\mu)`, the line above where :math:`c>0`, else the one below.
* :math:`z=n/\sigma`, :math:`\sigma^2=\|n\|^2/k+\epsilon`, ``n`` linear.  With a fixed ``p`` near the middle of the
  range of ``n`` let :math:`c=\gamma p+c'`.  What is along ``p`` hardly moves, :math:`\langle p,z\rangle` being within
  second order of :math:`\sqrt k\|p\|`; and :math:`\langle c',z\rangle=\nu/\sigma` with
  :math:`\nu=\langle c',n\rangle`, which is at most the convex function
  :math:`\nu\mapsto\max(\nu/\sigma_-,\nu/\sigma_+)` and so at most its chord over the range of :math:`\nu`.  Also
  :math:`|\langle c',z\rangle|\le\sqrt k\|c'\|`.

What is left is linear in the attention's averages, and its supremum is exact; ranges of units are such suprema, too:
of functionals carried backward in the same way.

*Rounding.*  Coefficients are carried as doubles; what they may be off is a number for each field, which times the
largest modulus of the field is added to the constant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from theorytools.blocks.network import Kind
from theorytools.errors import DomainError
from theorytools.numbers.boxes import TINY, UNIT, Array, Box, exact, joined
from theorytools.trained.worst.curves import Lines, lines
from theorytools.trained.worst.held import Cases, Held, Keys
from theorytools.trained.worst.prompts import Indices

ROUGH, FINE = 1e-6, 1e-13  # how far above suprema ranges and last bounds may lie, as shares of the functional


@dataclass(frozen=True, eq=False)
class Affine:
    """An affine map of the fields behind the attention, whose constant is known of each query state.

    Attributes
    ----------
    parts : by field, ``(m, width)``.
    known : the rest, of every query state, ``(N S, m)``.
    """

    parts: Mapping[str, Box]
    known: Box


@dataclass(frozen=True, eq=False)
class Bend:
    """A function of one number, entry by entry, of an affine map; written to ``out``."""

    out: str
    kind: Kind
    of: Affine


@dataclass(frozen=True, eq=False)
class Normed:
    """A norm of an affine map that is centred already, over ``k`` numbers; written to ``out``."""

    out: str
    of: Affine
    eps: float


@dataclass(frozen=True, eq=False)
class Scale:
    r"""What is known of :math:`z=n/\sigma`, case by case.

    Attributes
    ----------
    p : the middle of the range of ``n``, ``(B, k)``; zero where it may be orthogonal to ``n``.
    along : lower and upper bounds of :math:`\langle p,z\rangle`, ``(B,)`` each.
    least, most : bounds of :math:`1/\sigma`, ``(B,)``.
    """

    p: Array
    along: tuple[Array, Array]
    least: Array
    most: Array


def up(x: Array) -> Array:
    """Return numbers above those whose nearest doubles are given."""
    return np.asarray(np.nextafter(x, np.inf))


def sum_above(terms: Array) -> Array:
    """Return upper bounds of sums of doubles along the last axis, each of which is off by two roundings at most."""
    n = terms.shape[-1]
    return up(terms.sum(-1) + 1.01 * (n + 4) * UNIT * np.abs(terms).sum(-1) + TINY)


def product_above(a: Box, b: Box) -> Array:
    """Return upper bounds of sums of products along the last axis."""
    return sum_above((a * b).high)


def meet(a: Box, b: Box) -> Box:
    """Return ``a @ b`` for ``a`` of shape ``(B, m, w)`` and a matrix ``b``."""
    B, m, w = a.shape
    return (a.reshape(B * m, w) @ b).reshape(B, m, b.shape[1])


@dataclass(frozen=True, eq=False)
class Form:
    """Functionals of the fields behind the attention, ``m`` for each case.

    Attributes
    ----------
    parts : by field, ``(B, m, width)``, or ``(1, m, width)`` where all cases have the same.
    above, below : upper bounds of the constant and of minus the constant, ``(B, m)``.
    """

    parts: Mapping[str, Box]
    above: Array
    below: Array

    def both(self) -> Form:
        """Return them, and behind them their negatives."""
        parts = {name: joined([c, -c], 1) for name, c in self.parts.items()}
        return Form(parts, np.concatenate([self.above, self.below], 1), np.concatenate([self.below, self.above], 1))


class Behind:
    """The blocks behind one attention, for a batch of cases.

    Parameters
    ----------
    keys, cases : the attention, and what is held of its prompts.
    averages : the field that it writes.
    steps : the blocks behind it.
    rough : whether ranges before the first ReLUs are those of :meth:`~.held.Held.about` alone.
    """

    def __init__(
        self, keys: Keys, cases: Cases, averages: str, steps: tuple[Bend | Normed, ...], rough: bool = False
    ) -> None:
        self.held, self.cases, self.averages, self.steps = Held(keys, cases), cases, averages, steps
        self.rough = rough
        self.sizes: dict[str, Array] = {averages: np.concatenate([one.size.max(0) for one in keys.values])[None]}
        self._bound()

    def _bound(self) -> None:
        """Bound what each block returns, from the first to the last."""
        self.bounds: list[Lines | Scale] = []
        for index, step in enumerate(self.steps):
            low, high = self._ranges(step, index)
            if isinstance(step, Bend):
                bound = lines(step.kind, low, np.maximum(low, high))
                self.sizes[step.out] = bound.size
                self.bounds.append(bound)
            else:
                self.sizes[step.out] = np.full(low.shape, up(up(np.sqrt(float(low.shape[1])))))
                self.bounds.append(self._scale(step, low, np.maximum(low, high), index))

    def _ranges(self, step: Bend | Normed, index: int) -> tuple[Array, Array]:
        """Return ranges of what enters a block."""
        if index == 0 and isinstance(step, Bend) and step.kind == "relu" and set(step.of.parts) == {self.averages}:
            return self._entering(step.of)
        return self.range(self.written(step.of), index)

    def _entering(self, of: Affine) -> tuple[Array, Array]:
        """Return ranges of ReLUs of the averages: sharp ones where rough ones do not tell whether it bends."""
        form = self.written(of)
        part = form.parts[self.averages]
        ends = [self.held.about(part.mid[0], asked) for asked in range(1, self.cases.at.shape[1])]
        off = sum_above(part.rad * self.sizes[self.averages][:, None])
        low = np.nextafter(np.max([one for one, _ in ends], 0) - up(form.below + off), -np.inf)
        high = up(np.min([one for _, one in ends], 0) + up(form.above + off))
        unclear = (low < 0) & (high > 0)
        width = int(unclear.sum(1).max(initial=0))
        if self.rough or not width:
            return low, high
        # the same number for each case: those that are clear fill up
        chosen = np.argsort(~unclear, axis=1, kind="stable")[:, :width]
        B = np.arange(len(low))[:, None]
        some = Form(
            {self.averages: Box(part.mid[0][chosen], part.rad[0][chosen])}, form.above[B, chosen], form.below[B, chosen]
        )
        least, most = self.range(some, 0)
        low[B, chosen], high[B, chosen] = np.maximum(low[B, chosen], least), np.minimum(high[B, chosen], most)
        return low, high

    def written(self, of: Affine) -> Form:
        """Return every number of an affine map as a functional, the same for all cases but for its constant."""
        known = of.known[self.cases.query]
        return Form({name: part[None] for name, part in of.parts.items()}, known.high, -known.low)

    def through(self, c: Box, of: Affine) -> Form:
        """Return functionals ``c`` of shape ``(B, m, w)`` of what an affine map returns, as ones of earlier fields."""
        known = of.known[self.cases.query]
        known = Box(known.mid[:, None], known.rad[:, None])
        parts = {name: meet(c, part) for name, part in of.parts.items()}
        return Form(parts, product_above(c, known), product_above(-c, known))

    def range(self, form: Form, before: int) -> tuple[Array, Array]:
        """Return lower and upper bounds of functionals of what stands before a block, ``(B, m)`` each."""
        m = form.above.shape[1]
        found, _ = self.above(form.both(), before, mirrored=True)
        return -found[:, m:], found[:, :m]

    def above(
        self, form: Form, before: int, near: float = ROUGH, mirrored: bool = False, flat: bool = False
    ) -> tuple[Array, Indices | None]:
        """Return upper bounds of functionals of what stands before a block.

        Parameters
        ----------
        form, before : the functionals, and the number of the block.
        near : how far above the suprema of what is left at the attention.
        mirrored : whether the second half are the negatives of the first.
        flat : which of two lines above a norm that is bounded is taken where others enter beside it.

        Returns
        -------
        tuple : the bounds ``(B, m)``, and states of all positions by head where the attention enters.
        """
        for index in reversed(range(before)):
            step, bound = self.steps[index], self.bounds[index]
            if step.out not in form.parts:
                continue
            form, c = self._taken(form, step.out)
            if isinstance(bound, Lines):
                form, mirrored = self._unbent(form, c, step.of, bound), False
            else:
                form = self._unnormed(form, c, index, mirrored, flat)
                mirrored = mirrored and not form.parts
        return self._at_attention(form, near)

    def at_last(self, form: Form) -> tuple[Array, Indices | None]:
        """Return upper bounds of functionals of what stands behind all blocks, the second half negatives, and states.

        Raises
        ------
        DomainError : bounds beyond doubles.
        """
        found, states = self.above(form, len(self.steps), FINE, mirrored=True)
        if any(isinstance(step, Normed) for step in self.steps):
            other, _ = self.above(form, len(self.steps), FINE, mirrored=True, flat=True)
            found = np.minimum(found, other)
        if not np.isfinite(found).all():
            raise DomainError(
                "bounds beyond doubles", required="weights whose outputs are doubles",
                why="what they may be on some prompt is computed", advice="smaller weights",
            )  # fmt: skip
        return found, states

    def _at_attention(self, form: Form, near: float) -> tuple[Array, Indices | None]:
        """Return upper bounds of functionals of what the attention writes, and states by head."""
        if self.averages not in form.parts:
            return form.above, None
        form, c = self._taken(form, self.averages)
        found, states = self.held.largest(np.broadcast_to(c, (len(self.cases), *c.shape[1:])), near)
        return up(found + form.above), states

    def _taken(self, form: Form, name: str) -> tuple[Form, Array]:
        """Take a field out of functionals, by doubles; what these are off is added to the constants."""
        parts = dict(form.parts)
        c = parts.pop(name)
        off = sum_above(c.rad * self.sizes[name][:, None])
        return Form(parts, up(form.above + off), up(form.below + off)), c.mid

    def _joined(self, form: Form, more: Form, constant: Array) -> Form:
        parts = dict(form.parts)
        for name, c in more.parts.items():
            parts[name] = parts[name] + c if name in parts else c
        above = up(up(form.above + more.above) + constant)
        return Form(parts, above, np.full_like(above, np.nan))  # lines are for one direction only

    def _unbent(self, form: Form, c: Array, of: Affine, bound: Lines) -> Form:
        rises = c > 0
        slope = np.where(rises, bound.upper[:, None], bound.lower[:, None])
        constant = np.where(rises, bound.above[:, None], bound.below[:, None])
        return self._joined(form, self.through(exact(c) * exact(slope), of), sum_above(c * constant))

    def _unnormed(self, form: Form, c: Array, index: int, mirrored: bool, flat: bool) -> Form:
        step, bound = self.steps[index], self.bounds[index]
        assert isinstance(bound, Scale)
        square = (bound.p**2).sum(-1)[:, None]
        along = np.where(square > 0, (c * bound.p[:, None]).sum(-1) / np.where(square > 0, square, 1.0), 0.0)
        rest = exact(c) - exact(along[..., None]) * exact(bound.p[:, None])
        # <p, z> is bounded; any multiple of p may be taken away
        first = up(np.maximum(along * bound.along[0][:, None], along * bound.along[1][:, None]))
        inner, m = self.through(rest, step.of), c.shape[1]
        if mirrored:
            half = Form(
                {n: b[:, : m // 2] for n, b in inner.parts.items()},
                *(x[:, : m // 2] for x in (inner.above, inner.below)),
            )
            low, high = self.range(half, index)
            low, high = np.concatenate([low, -high], 1), np.concatenate([high, -low], 1)
        else:
            low, high = self.range(inner, index)
        chord = Chord.of(low, np.maximum(low, high), bound, _norm_above(rest))
        if not form.parts:
            whole = np.minimum(up(first + chord.top), _norm_above(exact(c)))
            return Form({}, up(form.above + whole), np.full_like(whole, np.nan))
        slope, constant = chord.line(flat)
        return self._joined(form, self.through(rest * exact(slope[..., None]), step.of), up(first + constant))

    def _scale(self, step: Normed, low: Array, high: Array, index: int) -> Scale:
        k, p = low.shape[1], (low + high) / 2
        across = self.through(exact(p[:, None]), step.of)
        at_least, at_most = (x[:, 0] for x in self.range(across, index))
        square = exact(p) * exact(p)
        most_pp, least_pp = sum_above(square.high), np.maximum(-sum_above(-square.low), 0.0)
        off = up(np.maximum(high - p, p - low))
        E = sum_above(up(off * off))
        usable = (at_least > 0) & (least_pp > 0)
        a = np.maximum(at_least, 0.0)
        near, far = (
            np.where((low < 0) & (high > 0), 0.0, np.minimum(abs(low), abs(high))),
            np.maximum(abs(low), abs(high)),
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            # |n|^2 >= <p, n>^2 / |p|^2, and coordinate by coordinate
            projected = np.where(usable, a * a / most_pp * (1 - 8 * UNIT), 0.0)
            least = np.maximum(projected, -sum_above(-near * near))
            # |n|^2 = 2 <p, n> - |p|^2 + |n - p|^2
            most = np.minimum(up(up(2 * at_most - least_pp) + E), sum_above(far * far))
            most = np.maximum(most, 0.0)
            s_low = 1 / np.sqrt(up(most / k) + step.eps) * (1 - 8 * UNIT)
            s_high = 1 / np.sqrt(np.maximum(least / k * (1 - 2 * UNIT), 0.0) + step.eps) * (1 + 8 * UNIT)
            # a / sqrt(a^2 / (k |p|^2) + |rest|^2 / k + eps) grows in a, and |rest| <= |n - p|
            z_low = a / np.sqrt(a * a / least_pp / k + E / k + step.eps) * (1 - 16 * UNIT)
            z_high = at_most / np.sqrt(at_most**2 / most_pp / k + step.eps) * (1 + 16 * UNIT)
        none = np.zeros_like(a)
        return Scale(
            np.where(usable[:, None], p, 0.0),
            (np.where(usable, z_low, none), np.where(usable, z_high, none)),
            s_low,
            s_high,
        )


def _norm_above(c: Box) -> Array:
    r"""Upper bounds of :math:`\sqrt k\|c\|` along the last axis."""
    k = c.shape[-1]
    return np.asarray(np.sqrt(sum_above(up(c.size**2)) * k) * (1 + 8 * UNIT))


@dataclass(frozen=True, eq=False)
class Chord:
    r"""Lines above :math:`\nu/\sigma`, a convex function of :math:`\nu` in the worst case, on a range of :math:`\nu`.

    Attributes
    ----------
    low, high : the range.
    at_low, at_high : the function at its ends.
    steep : its slope above zero.
    cap : a bound of its modulus from elsewhere.
    """

    low: Array
    high: Array
    at_low: Array
    at_high: Array
    steep: Array
    cap: Array

    @classmethod
    def of(cls, low: Array, high: Array, scale: Scale, cap: Array) -> Chord:
        """Return the chords for a range and the bounds of a scale."""
        least, most = scale.least[:, None], scale.most[:, None]
        at_low, at_high = (up(np.maximum(x * least, x * most)) for x in (low, high))
        return cls(low, high, at_low, at_high, np.broadcast_to(most, low.shape), cap)

    @property
    def top(self) -> Array:
        """The largest value: the function grows."""
        return np.minimum(self.at_high, self.cap)

    def line(self, flat: bool) -> tuple[Array, Array]:
        """Return slopes and constants.

        Where the cap is below the chord's end, the chord is drawn to where the function meets the cap, and is above
        the cap from there on as it rises; or the cap itself is taken.
        """
        capped = self.cap < self.at_high
        end = np.where(capped, np.maximum(self.cap / self.steep, self.low), self.high)
        at_end = np.where(capped, np.maximum(self.cap, up(end * self.steep)), self.at_high)
        wide = end - self.low > 1e-12 * (np.abs(end) + np.abs(self.low))
        slope = np.where(wide, (at_end - self.at_low) / np.where(wide, end - self.low, 1.0), self.steep)
        slope = np.maximum(np.where(capped & flat, 0.0, slope), 0.0)
        ends = [
            up(up(value - slope * x + 4 * UNIT * np.abs(slope * x)))
            for value, x in ((self.at_low, self.low), (at_end, end))
        ]
        return slope, np.where(capped & flat, self.cap, np.maximum(*ends))
