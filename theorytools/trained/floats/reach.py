r"""Tensors of real numbers that are known up to intervals, and how far floats are from them: a rule for each operation.

A :class:`Reach` holds for each entry an interval of the *real* value, over all inputs of a class, and a bound of
:math:`|\hat x-x|`, how far the computed entry is off.  Every rule has the standard model (Higham 2002, section 3.1),
with unit roundoff :math:`u'` inside an operation, ``u`` where a result is stored and :math:`\tau` where it underflows:

.. math:: \widehat{AB}:\quad|\hat A||\hat B|\gamma_n+|A|\delta_B+\delta_A(|B|+\delta_B)+n\tau,\qquad
          \gamma_n=\frac{nu'}{1-nu'},

in any order of summation, with and without fused multiply-add.  A bound is infinity where nothing is claimed,
also where the result might overflow: that none does is proved, not assumed.

*Averages.*  Scores that are off by at most :math:`\eta` have exact softmax weights :math:`\tilde w` with
:math:`\tilde w_j/w_j\in[c,ce^{2\eta}]`.  Both sum to one, so with ``m`` the least and ``M`` the largest quotient their
distance :math:`\frac12\sum|\tilde w_j-w_j|` is at most :math:`(1-m)(M-1)/(M-m)\le\tanh(\eta/2)`, and

.. math:: \Bigl|\sum_j(\tilde w_j-w_j)v_j\Bigr|\le2\tanh(\eta/2)\max_j|v_j|\le\min(\eta,2)\max_j|v_j| .

Errors that all weights of a row share thus cancel; those of the sum, the quotient and the storing come on top, each
relative to a weight.  A weight of a score 200 below the largest is below :math:`10^{-86}` and counts as underflow.
Rows whose scores are all masked have no weights: nothing is claimed of them.

*Norms.*  :math:`y=(x-\bar x)/s`, :math:`s=\sqrt{\sigma^2+\epsilon}`, and the same of :math:`x+\delta` differ by at most
:math:`(|P\delta|_i+|y_i'|\,\mathrm{rms}\,\delta)/s`, because ``s`` is a Euclidean norm of
:math:`(Px/\sqrt n,\sqrt\epsilon)`, in the Euclidean norm by :math:`\|\delta\|` over the least ``s`` between them, and
never by more than :math:`2\sqrt{n-1}`.  Let the mean be summed, or merged in any tree of updates
:math:`m_A+(m_B-m_A)b/(a+b)`.  A merge adds at most :math:`u'|m|+3u'(|m_A|+|m_B|)b/(a+b)`, with weight
:math:`(a+b)/n` in the whole; along the merges that an entry ``x`` goes through these sum to at most
:math:`4u'(n-1)|x|/n`, since each unit by which its part grows costs 4 at most.  So the mean is off by
:math:`e\le\gamma_{4n}\frac1n\sum|x_k|\le\gamma_{4n}\mathrm{rms}\,x`, and that of a part ``S`` by
:math:`e_S\le\frac1n\gamma_{4n}\sum_S|x_k|`.  What is then squared and summed, :math:`x_k-\hat m` or :math:`m_B-m_A`
with the weight :math:`ab/(a+b)\le\min(a,b)` (Chan, Golub and LeVeque 1983), is off by ``e`` or by
:math:`\frac1n\gamma_{4n}\sum_S|x_k|`, and
:math:`\sum\min(a,b)(\sum_S|x_k|)^2\le\sum_kx_k^2\sum_{S\ni k}\min(a,b)|S|\le\frac23n^2\sum x_k^2`, by induction over
the tree.  By Cauchy and Schwarz :math:`\sigma^2` is off by
:math:`2.42e\sigma+e^2` (2 where a difference is squared, :math:`1+\sqrt2` in Welford's products of two), beside
:math:`\gamma_{n+12}` of itself, and :math:`|\hat\sigma-\sigma|\le2.8e+\gamma_{n+12}\sigma`.  A difference
of two sums of squares is *not* covered.

References
----------
Higham (2002), Accuracy and Stability of Numerical Algorithms, SIAM.
Chan, Golub and LeVeque (1983), Algorithms for computing the sample variance, The American Statistician 37, 242-247.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.numbers.boxes import TINY, UNIT, Array
from theorytools.trained.checkpoint import TYPES
from theorytools.trained.floats.balls import Balls, euclidean, fresh, stretch

FUDGE = 1 + 1e-9  # sums of non-negative doubles: relative errors below 10^-12
FAR, NOTHING = 200.0, 1e-86  # what a score lies below the largest, and what its weight is below
ULPS = 8  # units of roundoff of the exponential; twice as many of every other function
_LARGEST = {"float64": 1e308, "float32": 3.4e38, "bfloat16": 3.38e38, "float16": 65504.0}
_TINY = {"float64": 1e-300, "float32": 2.0**-126, "bfloat16": 2.0**-126, "float16": 2.0**-24}
Indices = NDArray[np.int64]
View = Callable[[NDArray[Any]], NDArray[Any]]  # picks and orders entries


def gamma(n: float, u: float) -> float:
    r"""Return :math:`nu/(1-nu)`; infinity from :math:`nu\ge1/2` on, where nothing is claimed."""
    return n * u / (1 - n * u) if n * u < 0.5 else math.inf


def up(x: Array | float) -> Array:
    """Return what is above a sum of non-negative terms in doubles; infinity where it is no number."""
    found = np.asarray(x, dtype=np.float64) * FUDGE
    return np.where(np.isnan(found), np.inf, found)


@dataclass(frozen=True)
class Floats:
    """The floats that a module computes with, by the name of their type."""

    name: str

    @property
    def inside(self) -> float:
        """Unit roundoff inside an operation: sums of 16 bits are sums in float32."""
        return min(TYPES[self.name], TYPES["float32"])

    @property
    def stored(self) -> float:
        """Unit roundoff of what is stored, rounded to float32 before where the type has 16 bits."""
        u = TYPES[self.name]
        return u if u <= TYPES["float32"] else u + 2 * self.inside

    @property
    def tiny(self) -> float:
        """What a result loses at most where it underflows: it may be set to zero, in float16 it is rounded."""
        return _TINY[self.name]

    @property
    def largest(self) -> float:
        """A number that no finite result exceeds."""
        return _LARGEST[self.name]

    def cast(self, x: Array) -> Array:
        """Return by how much numbers change, at most, where they are cast to the type."""
        size, bits = np.abs(x), round(-math.log2(TYPES[self.name]))
        fits = np.ldexp(np.frexp(np.where(np.isfinite(size), size, 0.0))[0], bits) % 1 == 0
        fits &= (size == 0) | (size >= max(_TINY[self.name], 2.0**-14 if self.name == "float16" else 0.0))
        off = np.where(fits | np.isinf(size), 0.0, up(TYPES[self.name] * size + self.tiny))
        return np.where((size > self.largest) & np.isfinite(size) & ~fits, np.inf, off)


@dataclass(frozen=True, eq=False)
class Lines:
    """Which softmax weights a tensor's entries are.

    Attributes
    ----------
    row, slot : the number of the softmax row that an entry belongs to, -1 for none, and its place there.
    length : how many weights a row has.
    eta : by row, how far scores are off; infinity where the weights may be no numbers.
    relative, absolute : what sum, quotient and storing do to a weight, and what it loses to underflow.
    """

    row: Indices
    slot: Indices
    length: int
    eta: Array
    relative: float
    absolute: float


@dataclass(frozen=True, eq=False)
class Known:
    """What is proved elsewhere of a tensor's real values: ends by entry, Euclidean norms by row of the last axis."""

    low: Array
    high: Array
    length: Array


@dataclass(frozen=True, eq=False)
class Reach:
    r"""What a tensor's entries are, over a class of inputs, and how far the computed ones are off.

    Attributes
    ----------
    low, high : ends of an interval for each entry; both :math:`-\infty` for a score that is masked.
    off : bounds of the error of each entry.
    lines : which entries are softmax weights.
    balls : rows whose lengths are known.
    """

    low: Array
    high: Array
    off: Array
    lines: Lines | None = None
    balls: Balls | None = None

    @property
    def size(self) -> Array:
        """Upper bounds of the moduli."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor."""
        return self.low.shape

    @property
    def masked(self) -> NDArray[np.bool_]:
        """Which entries are minus infinity, whatever the input is."""
        return np.isneginf(self.high)

    @property
    def known(self) -> bool:
        """Whether every entry is one number, computed exactly."""
        return bool((self.low == self.high).all() and not self.off.any())

    def viewed(self, view: View) -> Reach:
        """Return the tensor of entries that a view picks and orders."""
        lines = self.lines
        if lines is not None:
            lines = replace(lines, row=view(lines.row), slot=view(lines.slot))
        balls = None if self.balls is None else self.balls.viewed(view)
        return Reach(view(self.low), view(self.high), view(self.off), lines, balls)

    def rows(self) -> tuple[Array, Array]:
        """Upper bounds of the Euclidean norms along the last axis, of the real rows and of their errors."""
        size, off = up(euclidean(self.size)), up(euclidean(self.off))
        if self.balls is None or not self.shape[-1]:
            return size, off
        known, apart = self.balls.rows()
        claimed = np.isfinite(self.off).all(-1)
        return np.fmin(size, known), np.where(claimed, np.fmin(off, apart), off)

    def narrowed(self, known: Known) -> Reach:
        """Return the tensor where more is known of its real values."""
        low, high = np.maximum(self.low, known.low), np.minimum(self.high, known.high)
        size, off = self.rows()
        return replace(self, low=low, high=high).balled(np.fmin(size, known.length), off)

    def balled(self, size: Array, off: Array) -> Reach:
        """Return the tensor with bounds of the norms of its rows, along the last axis, and of their errors."""
        size, off = up(size), up(off)
        far = np.fmin(self.off, np.where(np.isfinite(self.off), off[..., None], np.inf))
        low, high = np.fmax(self.low, -size[..., None]), np.fmin(self.high, size[..., None])
        return Reach(low, high, far, self.lines, fresh(self.shape, size, off))


def constant(x: Array | float, floats: Floats | None = None) -> Reach:
    """Return numbers that are known; cast to a type, with what the cast changes."""
    x = np.asarray(x, dtype=np.float64)
    return Reach(x, x, np.zeros_like(x) if floats is None else floats.cast(x))


def gathered(parts: Sequence[Reach], join: Callable[[list[Array]], Array]) -> Reach:
    """Return several tensors as one, by what joins their arrays."""
    return Reach(join([x.low for x in parts]), join([x.high for x in parts]), join([x.off for x in parts]))


def reached(low: Array, high: Array, off: Array | float) -> Reach:
    """Return a reach whose ends were each rounded once, with an end at infinity where one is no number."""
    low, high = np.nextafter(low, -np.inf), np.where(np.isneginf(high), -np.inf, np.nextafter(high, np.inf))
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    return Reach(low, high, np.array(np.broadcast_to(up(off), low.shape)))


def stored(x: Reach, floats: Floats, times: int = 1) -> Reach:
    """Return a result whose error inside is known, as it is stored, once or more often."""
    size = np.where(x.masked, 0.0, x.size)
    off, balls = x.off, x.balls
    for _ in range(times):
        off = off + floats.stored * (size + off) + floats.tiny
        if balls is not None:
            more = floats.stored * (balls.size + balls.off) + math.sqrt(balls.slot.max(initial=0) + 1) * floats.tiny
            balls = replace(balls, off=up(balls.off + more))
    off = np.where(x.masked, np.where(np.isfinite(x.off), 0.0, np.inf), off)
    off = np.where(size + off < floats.largest, off, np.inf)
    return Reach(x.low, x.high, up(off), x.lines, balls)


def added(a: Reach, b: Reach, floats: Floats) -> Reach:
    """Return a sum."""
    made = reached(a.low + b.low, a.high + b.high, np.asarray(a.off + b.off))
    if made.shape and (a.balls is not None or b.balls is not None):
        rows = [x.viewed(lambda t: np.broadcast_to(t, made.shape)).rows() for x in (a, b)]
        made = made.balled(rows[0][0] + rows[1][0], rows[0][1] + rows[1][1])
    return stored(made, floats)


def negative(a: Reach) -> Reach:
    """Return the negative, which no rounding enters."""
    return Reach(-a.high, -a.low, a.off, balls=a.balls)


def multiplied(a: Reach, b: Reach, floats: Floats) -> Reach:
    """Return a product, entry by entry."""
    ends = np.stack(np.broadcast_arrays(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high))
    masked = a.masked & (b.low > 0) | b.masked & (a.low > 0)
    off = np.where(masked, 0.0, a.off * (b.size + b.off) + np.where(a.masked, np.inf, a.size) * b.off)
    made = reached(ends.min(0), ends.max(0), off)
    made = Reach(np.where(masked, -np.inf, made.low), np.where(masked, -np.inf, made.high), made.off)
    a, b = (b, a) if a.balls is None else (a, b)
    if a.balls is not None and made.shape:
        size, apart = a.viewed(lambda t: np.broadcast_to(t, made.shape)).rows()
        factor, far = (np.broadcast_to(t, made.shape).max(-1, initial=0.0) for t in (b.size, b.off))
        made = made.balled(size * factor, apart * (factor + far) + size * far)
    return stored(made, floats)


def inverted(b: Reach) -> Reach:
    """Return :math:`1/b` before rounding; infinite where b, or what is computed of it, may be zero."""
    away = np.where(b.low > 0, b.low, np.where(b.high < 0, -b.high, 0.0))
    least = np.nextafter(away - b.off, -np.inf)
    with np.errstate(divide="ignore"):
        off = np.where(least > 0, b.off / np.where(least > 0, away * least, 1.0), np.inf)
        low, high = (np.where(away > 0, 1 / end, side) for end, side in ((b.high, -np.inf), (b.low, np.inf)))
    return reached(low, high, off)


def squared(a: Reach, floats: Floats) -> Reach:
    """Return squares."""
    least = np.maximum(0.0, np.maximum(a.low, -a.high))
    made = reached(least**2, a.size**2, a.off * (2 * a.size + a.off))
    return stored(Reach(np.maximum(made.low, 0.0), made.high, made.off), floats)


def summed(a: Reach, axes: tuple[int, ...], keep: bool, floats: Floats, *, mean: bool = False) -> Reach:
    """Return a sum or mean along axes, in any order."""
    n = math.prod(a.shape[k] for k in axes)
    part = 1 / n if mean else 1.0
    size, off = (x.sum(axes, keepdims=keep) for x in (a.size, a.off))
    off = (off + gamma(n + 1, floats.inside) * (size + off) + n * floats.tiny) * part
    slack = (n + 4) * UNIT * size
    low, high = ((x.sum(axes, keepdims=keep) + side * slack) * part for x, side in ((a.low, -1), (a.high, 1)))
    made = reached(low, high, off)
    return _overflowing(stored(made, floats), size + off, floats)


def _rms(x: Array) -> Array:
    return np.asarray(np.sqrt((x**2).mean(-1, keepdims=True)))


def _overflowing(made: Reach, mass: Array, floats: Floats) -> Reach:
    """Nothing is claimed where partial sums might overflow float32, or doubles."""
    limit = max(floats.largest, _LARGEST["float32"])
    return replace(made, off=np.where(mass < limit, made.off, np.inf))


def middles(a: Reach) -> tuple[Array, Array]:
    """Middles and radii of the intervals."""
    mid = a.low / 2 + a.high / 2
    return mid, np.where(a.low == a.high, 0.0, np.nextafter(np.maximum(a.high - mid, mid - a.low), np.inf))


def matmul(a: Reach, b: Reach, floats: Floats, bias: Reach | None = None, *, more: int = 0) -> Reach:
    """Return a product of (batches of) matrices, plus a bias, in any order of summation.

    Parameters
    ----------
    a, b, bias : the factors, as numpy's ``matmul`` takes them, and what is added; where results have 16 bits the
        product may be stored before the bias is added.
    more : further terms that the same sum may hold.
    """
    n, (long, far), (wide, apart) = a.shape[-1], _lengths(a), _lengths(b.viewed(_turned))
    mass, off = a.size @ b.size, a.off @ (b.size + b.off) + a.size @ b.off
    mass = np.fmin(mass, long * _turned(wide))
    off = np.fmin(off, far * _turned(wide + apart) + long * _turned(apart))
    (m, r), (k, s) = middles(a), middles(b)
    mid = m @ k
    rad = up(np.abs(m) @ s + r @ (np.abs(k) + s) + 1.01 * (n + 4) * UNIT * (np.abs(m) @ np.abs(k)) + TINY)
    low, high = np.maximum(mid - rad, -up(mass)), np.minimum(mid + rad, up(mass))
    if bias is not None:
        mass, off, low, high = mass + bias.size, off + bias.off, low + bias.low, high + bias.high
    own = gamma(n + 1 + more, floats.inside) * (mass + off) + (n + 2) * floats.tiny
    if bias is not None and floats.stored > floats.inside:
        own = own + floats.stored * up(np.abs(mid) + rad + off + own) + floats.tiny
    made = reached(low, high, off + own)
    if a.balls is not None and len(b.shape) == 2 and (b.low == b.high).all():
        turn, off_turn = stretch(b.low), up(euclidean(b.off.ravel())).item()
        more_size, more_off = (0.0, own) if bias is None else (_lengths(bias)[0][..., 0], own + bias.off)
        moved = (turn + off_turn) * far[..., 0] + off_turn * long[..., 0]
        made = made.balled(turn * long[..., 0] + more_size, moved + euclidean(more_off))
    made = _overflowing(stored(made, floats), np.asarray(mass + off), floats)
    return _averaged(a, b, made, floats) if bias is None else made


def _lengths(x: Reach) -> tuple[Array, Array]:
    """Norms along the last axis, which is kept, and of the errors."""
    size, off = x.rows()
    return size[..., None], off[..., None]


def _turned(x: NDArray[Any]) -> NDArray[Any]:
    return x.swapaxes(-1, -2)


def _averaged(a: Reach, b: Reach, made: Reach, floats: Floats) -> Reach:
    """The same product where rows of the left, or columns of the right factor are all weights of one softmax."""
    if a.lines is None and b.lines is not None:
        b, a, made = (x.viewed(_turned) for x in (b, a, made))
        return _averaged(b, a, made, floats).viewed(_turned)
    if a.lines is None:
        return made
    lines = a.lines
    whole = (lines.row >= 0).all(-1) & (lines.row == lines.row[..., :1]).all(-1)
    whole = whole & (np.sort(lines.slot, -1) == np.arange(a.shape[-1])).all(-1) & (lines.length == a.shape[-1])
    if not whole.any():
        return made
    seen = np.asarray(a.high > 0)
    (size, off, low, high) = (np.broadcast_to(_over(seen, x, fill), made.shape) for x, fill in (
        (b.size, 0.0), (b.off, 0.0), (-b.low, -np.inf), (b.high, -np.inf)))  # fmt: skip
    half = np.fmax(up(high / 2 + low / 2), 0.0)  # differences of weights sum to zero: values count less their middle
    eta = np.where(whole, lines.eta[np.where(whole, lines.row[..., 0], 0)], np.inf)[..., None]
    n = a.shape[-1]
    lost = n * lines.absolute
    share = 1 + lines.relative + lost
    moved = np.where(np.isinf(eta), np.inf, np.minimum(eta, 2.0))
    error = moved * np.fmin(size, half) + (lines.relative + lost) * size + share * off
    error = error + gamma(n + 1, floats.inside) * share * (size + off) + (n + 1) * floats.tiny
    mean = reached(-low, high, error)
    if whole.all() and b.balls is not None:
        # |sum (w' - w) v| <= 2 tanh(eta / 2) max |v| in any norm
        long, far = (np.broadcast_to(_over(seen, x, 0.0), (*made.shape[:-1], 1))[..., 0] for x in _lengths(b))
        apart = moved[..., 0] * np.fmin(long, euclidean(half)) + (lines.relative + lost) * long + share * far
        apart = apart + gamma(n + 1, floats.inside) * share * (long + far) + (n + 1) * made.shape[-1] * floats.tiny
        mean = mean.balled(long, apart)
    mean = _overflowing(stored(mean, floats), share * (size + off), floats)
    whole = whole[..., None]
    low, high, off = np.maximum(mean.low, made.low), np.minimum(mean.high, made.high), np.minimum(mean.off, made.off)
    low, high, off = (np.where(whole, x, y) for x, y in ((low, made.low), (high, made.high), (off, made.off)))
    return Reach(low, high, off, balls=mean.balls)


def _over(seen: NDArray[np.bool_], values: Array, fill: float) -> Array:
    """Largest values over the keys that each query sees, ``(..., i, j)`` and ``(..., j, d)`` to ``(..., i, d)``."""
    if seen.all():
        return np.asarray(values.max(-2, keepdims=True))
    shape = np.broadcast_shapes(seen.shape[:-2], values.shape[:-2])
    seen = np.broadcast_to(seen, (*shape, *seen.shape[-2:]))
    values = np.broadcast_to(values, (*shape, *values.shape[-2:]))
    found = np.full((*shape, seen.shape[-2], values.shape[-1]), fill)
    for i in range(seen.shape[-2]):
        found[..., i, :] = np.where(seen[..., i, :, None], values, fill).max(-2)
    return found


def softmax(
    scores: Reach, axis: int, floats: Floats, *, roundings: bool = False, moved: bool = True, least: float = 1.0
) -> tuple[Reach, float]:
    """Return softmax weights along an axis, and by how much a weight can grow or shrink at most.

    Parameters
    ----------
    scores, axis : what the weights are of; masked scores have weight zero.
    floats : the type.
    roundings : whether differences, exponentials and sums are stored, as where the softmax is written out.
    least : what the sum of the exponentials is at least; 1 where the largest score is subtracted.
    moved : whether the weights of the exact scores are the true ones; else those of the computed scores are.
    """
    s = scores.viewed(lambda t: np.moveaxis(t, axis, -1))
    n, live = s.shape[-1], np.asarray(~s.masked)
    best = np.where(live, s.low - s.off, -np.inf).max(-1, keepdims=True)
    near = live & np.asarray(~(s.high + s.off < best - FAR))
    size, off = (np.where(near, x, 0.0).max(-1) for x in (s.size, s.off))
    inner = floats.stored if roundings else floats.inside
    own = gamma(2 * ULPS + 2, floats.inside) + (2 * floats.stored if roundings else 0.0)  # logarithms of 1 +- the error
    eta = up(off + 2 * inner * (size + off) * (1 + inner) + own)
    eta = np.where(live.any(-1), eta, np.inf)
    absolute = 2 * (floats.tiny + (NOTHING if (live & ~near).any() else 0.0)) / least
    relative = (1 + gamma(2 * n + 24, floats.inside)) * (1 + floats.stored) ** (3 if roundings else 1) - 1
    relative += n * absolute if n < floats.largest / 2 else math.inf
    worst = float(eta[live.any(-1)].max(initial=0.0))
    grown = math.exp(2 * worst) * (1 + relative) ** 2 * FUDGE if worst < 25 else math.inf
    eta = eta if moved else np.where(np.isinf(eta), np.inf, 0.0)
    rows = np.broadcast_to(np.arange(eta.size).reshape(*eta.shape, 1), s.shape)
    lines = Lines(rows, np.broadcast_to(np.arange(n), s.shape), n, up(eta.ravel()), up(relative).item(), absolute)
    error = np.where(np.isinf(eta), np.inf, np.minimum(eta / 2, 1.0))[..., None] + relative + absolute
    error = np.where(live.any(-1, keepdims=True), np.where(live, error, 0.0), np.inf)
    high = np.where(live, 1.0, 0.0)
    made = Reach(np.zeros(s.shape), high, up(error), lines).viewed(lambda t: np.moveaxis(t, -1, axis))
    return made, grown


def log_softmax(scores: Reach, axis: int, floats: Floats) -> Reach:
    r"""Return :math:`s_j-\log\sum_ke^{s_k}`, which moves by at most twice as much as scores do."""
    s = scores.viewed(lambda t: np.moveaxis(t, axis, -1))
    n, live = s.shape[-1], np.asarray(~s.masked)
    size, off = (np.where(live, x, 0.0).max(-1, keepdims=True) for x in (s.size, s.off))
    own = gamma(2 * n + 40, floats.inside) * (1 + math.log(n)) + n * floats.tiny
    own = own + 2 * floats.stored * (3 * (size + off) + 1 + math.log(n))  # torch stores the logarithm of the sum
    error = up(2 * off + own)
    error = np.where(live.any(-1, keepdims=True), error, np.inf)
    low = np.where(live, -up(2 * size + math.log(n)), -np.inf)
    made = Reach(low, np.where(live, 0.0, -np.inf), np.where(live, error, 0.0))
    return stored(made, floats).viewed(lambda t: np.moveaxis(t, -1, axis))


def bent(
    x: Reach, floats: Floats, function: Callable[[Array], Array], lipschitz: float, *, against: str = "value",
    floor: float | None = None,
) -> Reach:  # fmt: skip
    """Return a function of one number, monotone or first falling and then rising, with a Lipschitz constant.

    Parameters
    ----------
    x, floats, function, lipschitz : the argument, the type, the function in doubles, its steepest slope.
    against : to what its own error is relative: its ``"value"``, the ``"argument"``, or ``"none"`` at all.
    floor : below its least value, where it is not monotone.
    """
    ends = function(x.low), function(x.high)
    low, high = np.minimum(*ends), np.maximum(*ends)
    low = low if floor is None else np.where(x.low < 0, np.minimum(low, floor), low)
    slack = 1e-12 * np.maximum(np.abs(low), np.abs(high)) + 1e-300
    low, high = (low, high) if against == "none" else (low - slack, high + slack)
    own = {"value": np.maximum(np.abs(low), np.abs(high)), "argument": x.size + x.off, "none": np.zeros(x.shape)}
    off = lipschitz * x.off
    own_off = 2 * gamma(ULPS, floats.inside) * (own[against] + off)
    made = Reach(low, high, up(off + own_off))
    if x.balls is not None and x.shape:
        size, apart = x.rows()
        through = not function(np.zeros(1)).any()  # then it is nowhere longer than its argument times the slope
        made = made.balled(lipschitz * size if through else np.full_like(size, np.inf),
                           lipschitz * apart + euclidean(own_off))  # fmt: skip
    return made if against == "none" else stored(made, floats)


def exponential(x: Reach, floats: Floats, most: float = math.inf) -> Reach:
    """Return the exponential; ``most`` is a number that the argument, and what is computed of it, never exceed."""
    top = np.minimum(x.high, most)
    with np.errstate(over="ignore"):
        high = np.exp(np.minimum(top, 800.0)) * (1 + 1e-12)
        grown = np.expm1(np.minimum(x.off, 50.0)) * (1 + gamma(ULPS, floats.inside)) + gamma(ULPS, floats.inside)
    off = np.where(x.masked, 0.0, np.where((x.off < 50) & (top < 700), high * grown, np.inf))
    low = np.exp(np.minimum(x.low, 700.0)) * (1 - 1e-12)
    return stored(Reach(low, np.where(top < 700, high, np.inf), up(off)), floats)


def variance(x: Reach, correction: float, floats: Floats) -> Reach:
    r"""Return :math:`\frac n{n-c}\sigma^2` along the last axis."""
    n = x.shape[-1]
    if not correction < n:
        return Reach(np.zeros(x.shape[:-1]), np.full(x.shape[:-1], np.inf), np.full(x.shape[:-1], np.inf))
    mid, rad = middles(x)
    mid, away = mid - mid.mean(-1, keepdims=True), up(rad + (n + 4) * 2 * UNIT * x.size.max(-1, keepdims=True))
    sigma = up(_rms(mid) + _rms(away))[..., 0]
    least = np.fmax(0.0, _rms(mid) * (1 - 1e-9) - _rms(away) * FUDGE)[..., 0]
    shift = 2.8 * gamma(4 * n, floats.inside) * up(_rms(x.size + x.off))[..., 0]
    apart = up(shift + up(_rms(x.off))[..., 0] + gamma(n + 12, floats.inside) * (sigma + shift))
    part = n / (n - correction)
    low, high = least**2 * part * (1 - 1e-9), up(sigma**2 * part)
    return stored(reached(low, high, (2 * sigma * apart + apart**2) * part), floats)


def normed(
    x: Reach, n: int, eps: float, floats: Floats, *, spread: float = 0.0, centred: bool = True, own: float | None = None
) -> Reach:
    r"""Return :math:`y` of a norm along the last axis of length ``n``, before its weights.

    Parameters
    ----------
    x, n, eps, floats : the argument, its length, :math:`\epsilon`, the type.
    spread : a lower bound of :math:`\sigma` that the caller has proved.
    centred : whether the mean is subtracted.
    own : the relative error of what a norm written out does to an argument that is already centred; None for the
        operation as a whole, which subtracts the mean itself.
    """
    (mid, rad), off = middles(x), x.off
    away = up(_rms(rad + (n + 4) * UNIT * x.size))
    if centred:
        mid, rad, off = (
            mid - mid.mean(-1, keepdims=True),
            rad + rad.mean(-1, keepdims=True),
            off + off.mean(-1, keepdims=True),
        )
        rad = rad + (n + 4) * 2 * UNIT * x.size.max(-1, keepdims=True)
    least = np.fmax(spread, np.fmax(0.0, _rms(mid) * (1 - 1e-9) - away))
    s = np.sqrt(least**2 + eps) * (1 - 1e-9)
    clip = math.sqrt(n - 1 if centred else n) * FUDGE
    long, far = _lengths(x)
    moved, mean = (up(t / math.sqrt(n)) for t in (far, long + far))
    X = up((x.size + x.off).max(-1, keepdims=True))
    less = np.fmax(s - moved, math.sqrt(eps) * (1 - 1e-9))
    y, seen = (np.fmin(clip, up((np.abs(mid) + rad + far) / t)) for far, t in ((0.0, s), (off, less)))
    error = np.fmin(2 * clip, up((off + seen * moved) / s))
    # the derivative of y is (P - yy'/n)/s, and no longer than 1/s
    apart = np.fmin(2.0, moved / less)
    if own is None:
        e = (gamma(4 * n, floats.inside) if centred else 0.0) * mean
        # the variance is off by 2.42 e sigma + e^2; 1/sqrt(1 - 2q) <= (1 - q)/(1 - 2q)
        q = up(1.21 * e / less + e**2 / less**2 / 2 + gamma(n + 24, floats.inside))
        part = np.where(q < 0.25, q / (1 - 2 * np.minimum(q, 0.25)), np.inf)
        rest = (1 + part) * (e + 6 * floats.inside * X) / less
        error, apart = error + seen * part + rest, apart + part + (1 + part) * (e + 6 * floats.inside * mean) / less
    else:
        error, apart = error + own * seen, apart + own
    square = n * X**2 < _LARGEST[floats.name if floats.inside < TYPES["float32"] else "float32"] / 4  # no overflow
    error = np.where(square & np.isfinite(x.off.max(-1, keepdims=True)), error, np.inf)
    root = np.full(y.shape[:-1], math.sqrt(n))
    return reached(-y, y, np.broadcast_to(error, y.shape)).balled(root, root * np.asarray(apart)[..., 0])
