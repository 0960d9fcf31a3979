r"""Two layers of width :math:`2k+6`, :math:`k=\lceil\log_2n\rceil`, compute equality and disjointness with margin 0.48.

Input :math:`x_1\dots x_n\,y_1\dots y_n\,[\mathrm{CLS}]`, bits as signs, :math:`L=2n+1`; positions carry the binary code
:math:`t_i\in\{\pm1\}^k`, at Hamming distances :math:`d_{ij}`.

*Layer 1* copies :math:`x_i` to :math:`y_i`.  With :math:`b^2=e^{2\beta}=16k` the softmax weights of :math:`y_i` are
proportional to the integers :math:`(16k)^{k-d_{ij}}` on :math:`x_j` and 1 on the :math:`n+1` other tokens, so

.. math:: r_i=\frac{\sum_j(16k)^{k-d_{ij}}x_j+\sum_jy_j}{S_i+n+1},\qquad S_i=\sum_j(16k)^{k-d_{ij}},

is rational.  *The worst position is the first, the worst input is opposite to it:* :math:`\{0,\dots,n-1\}` is closed
under clearing bits, and clearing a bit of :math:`i` moves no position away that has no partner; so
:math:`S_i\le S=S_1`, and with :math:`W=(16k)^k`

.. math:: \min r_ix_i=\rho=\frac{2W-S-n}{S+n+1}>2a^*-1,\qquad a^*=\frac W{S+n+1}
          \ge\Bigl[(1+\tfrac1{16k})^k+(n+1)(16k)^{-k}\Bigr]^{-1},

an equality at :math:`n=2^k`.  For :math:`k\ge2` the bracket is at most :math:`e^{1/16}+5/32^2<1.07`; :math:`n=1,2` give
:math:`\frac{19}{16}` and :math:`\frac54`.  So :math:`2a^*-1\ge\frac35` for all :math:`n`.

*FFN 1*, on :math:`y` tokens: :math:`c_i=\mathrm{ReLU}(y_i-r_i-1)+\mathrm{ReLU}(r_i-y_i-1)` for equality,
:math:`\mathrm{ReLU}(y_i+r_i-1)` for the others: zero without a violation, :math:`|r_i|` at one.  Optional rounding
:math:`\hat r=\mathrm{ReLU}(2r+1)-\mathrm{ReLU}(2r-1)-1=\pm1` makes :math:`c_i\in\{0,1\}`.

*Layer 2* at [CLS]: value :math:`c_j`, score :math:`2\ln(4L)c_j`.  With violations of size at least :math:`c` the output
is at least :math:`g(c)=c(4L)^{2c}/((4L)^{2c}+L-1)`.  It is :math:`g(\rho)` at the worst input of equality, where only
the first position is violated, and :math:`g(\rho+\frac2{S+n+1})` for disjointness, where that :math:`y_i=1`.  Uniform
attention gives :math:`c/L` instead.

*Inner product*: rounded, uniform; :math:`u=L\cdot` output counts the common ones, and
:math:`\mathrm{ReLU}(u)+2\sum_{j=1}^{n-1}(-1)^j\mathrm{ReLU}(u-j)` is its parity, with a hidden layer of :math:`n`.

References
----------
Bhattamishra, Hahn, Blunsom, Kanade (2024), equality and disjointness, arXiv 2406.09347v1; the constants
are derived here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theorytools.algebra.rigorous import Enclosure, maximum, minimum
from theorytools.codes.validation import checked_integer
from theorytools.errors import DomainError
from theorytools.tasks.boolean import all_pairs, checked_task

_DENSE = 2048  # positions whose weights are held at once


@dataclass(frozen=True)
class TwoLayerBoolean:
    r"""A two-layer network for a Boolean function of two strings.

    Parameters
    ----------
    n : length of each string.
    task : ``equality``, ``disjointness`` or ``inner_product``.
    scale : scores of the second layer are ``scale * log(4 L) * c``; 0 is uniform attention.  By default 2, and 0 for
        the inner product.
    rounded : whether the copied sign is rounded; by default only for the inner product.
    base : :math:`b^2=e^{2\beta}`, an integer; by default :math:`16k`, and 1 is :math:`\beta=0`.
    keys : the position whose code each :math:`x_j` carries; by default its own.
    copying : whether there is a first layer; without it :math:`r=0`.

    Raises
    ------
    DomainError
        For ``n < 1``, an unknown task, ``base < 1``, ``scale < 0`` or keys that are not ``n`` positions.

    Examples
    --------
    >>> net = TwoLayerBoolean(4)
    >>> net.width, net.least_copy, net.outputs([[0, 1, 1, 0], [0, 1, 1, 0]], [[0, 1, 1, 0], [0, 1, 1, 1]]).round(3)
    (10, Fraction(955, 1094), array([0.   , 0.941]))
    """

    n: int
    task: str = "equality"
    scale: int | None = None
    rounded: bool | None = None
    base: int | None = None
    keys: tuple[int, ...] | None = None
    copying: bool = True

    def __post_init__(self) -> None:
        checked_integer("n", self.n, least=1, why="there is a first symbol")
        checked_task(self.task)
        counts = self.task == "inner_product"
        defaults = {"scale": 0 if counts else 2, "rounded": counts, "base": 16 * self.k}
        for name, value in defaults.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        checked_integer("scale", self.scale, least=0, why="scores grow with violations")
        checked_integer("base", self.base, least=1, why="weights are integers that fall with the distance")
        if self.keys is not None and (len(self.keys) != self.n or not all(0 <= key < self.n for key in self.keys)):
            raise DomainError(f"keys {self.keys}", required=f"{self.n} positions from 0", why="each x_j has one code")

    @property
    def k(self) -> int:
        """Length of the code, ``max(1, ceil(log2(n)))``."""
        return max(1, (self.n - 1).bit_length())

    @property
    def length(self) -> int:
        """Tokens of the input, ``L = 2 n + 1``."""
        return 2 * self.n + 1

    @property
    def width(self) -> int:
        """Coordinates of the residual stream: bit, r, c, three flags, a key block and a query block."""
        return 2 * self.k + 6

    # -- the worst case, for every n ----------------------------------------------------------------------------------
    @property
    def code_sum(self) -> int:
        r"""The integer :math:`S`, by blocks: positions below ``n`` are one subcube for each one of ``n``'s bits."""
        total, above = 0, 0
        for m in range(self.k, -1, -1):
            if self.n >> m & 1:  # 2^m positions, with as many ones above bit m as n has
                total += (self.base + 1) ** m * self.base ** (self.k - m - above)
                above += 1
        return total

    @property
    def kept(self) -> Fraction:
        r"""The least weight :math:`a^*` of a position's own symbol in layer 1."""
        return Fraction(self.base**self.k, self.code_sum + self.n + 1)

    @property
    def least_copy(self) -> Fraction:
        r"""The minimum :math:`\rho` of :math:`r_ix_i` over positions and all :math:`4^n` inputs."""
        S = self.code_sum
        return Fraction(2 * self.base**self.k - S - self.n, S + self.n + 1)

    def copy(self, x: ArrayLike, y: ArrayLike, i: int) -> Fraction:
        """Return :math:`r_i` for one input of any length, symbols counted by their distance: shapes ``(n,)``."""
        d = self._codes_away(i)
        s, t = (2 * np.asarray(bits, dtype=np.int64) - 1 for bits in (x, y))
        weight = [self.base ** (self.k - step) for step in range(self.k + 1)]
        ones = np.bincount(d[s > 0], minlength=self.k + 1).tolist()
        every = np.bincount(d, minlength=self.k + 1).tolist()
        D = sum(w * m for w, m in zip(weight, every, strict=True))
        N = sum(w * (2 * a - m) for w, a, m in zip(weight, ones, every, strict=True))
        return Fraction(N + int(t.sum()), D + self.n + 1)

    def worst_input(self, i: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the input at which the output is least: all symbols opposite to one, except a common one."""
        x, y = np.zeros(self.n, dtype=np.int64), np.zeros(self.n, dtype=np.int64)
        x[i], y[i] = 1, int(self.task != "equality")
        return x, y

    # -- all inputs, exactly ------------------------------------------------------------------------------------------
    @cached_property
    def _distances(self) -> NDArray[Any]:
        if self.n > _DENSE:
            raise DomainError(f"n = {self.n}", required=f"n <= {_DENSE}", why="all weights at once", advice="copy()")
        return self._codes_away(np.arange(self.n)[:, None])

    def _codes_away(self, i: Any) -> NDArray[Any]:
        return np.bitwise_count(i ^ (np.arange(self.n) if self.keys is None else np.array(self.keys)))

    @cached_property
    def _weights(self) -> NDArray[Any]:
        kind = np.int64 if 8 * self.n * self.base**self.k < 1 << 62 else object
        return np.array([self.base ** (self.k - step) for step in range(self.k + 1)], dtype=kind)[self._distances]

    def copies(self, x: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        r"""Return numerators ``(..., n)`` and denominators ``(n,)`` of all :math:`r_i`, integers."""
        s, t = (2 * np.asarray(bits, dtype=np.int64) - 1 for bits in (x, y))
        if not self.copying:
            return np.zeros_like(s), np.ones(self.n, dtype=np.int64)
        return s @ self._weights.T + t.sum(axis=-1)[..., None], self._weights.sum(axis=1) + self.n + 1

    def features(self, x: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        r"""Return numerators and denominators of the violations :math:`c_i`, integers."""
        R, D = self.copies(x, y)
        return self._violations(R, (2 * np.asarray(y, dtype=np.int64) - 1) * D, D), D

    def _violations(self, r: Any, y: Any, one: Any) -> Any:
        if self.rounded:
            r = np.clip(2 * r, -one, one)
        if self.task == "equality":
            return np.maximum(y - r - one, 0) + np.maximum(r - y - one, 0)
        return np.maximum(y + r - one, 0)

    def exact_output(self, c: tuple[Fraction, ...]) -> Enclosure:
        """Return the output at violations ``c``: rational for uniform attention and for rounded signs."""
        L = self.length
        e = [Enclosure(4 * L) ** Enclosure(self.scale * x) if x else Enclosure(1) for x in c]
        mean = sum((x * w for x, w in zip(c, e, strict=True)), Enclosure(0)) / (sum(e, Enclosure(0)) + (L - self.n))
        return mean if self.task != "inner_product" else _parity(mean * L, self.n)

    def violations(self, x: ArrayLike, y: ArrayLike) -> set[tuple[Fraction, ...]]:
        """Return the different violations of some inputs, each sorted: all that the output depends on."""
        C, D = self.features(x, y)
        rows = {tuple(row) for row in np.asarray(C).reshape(-1, self.n).tolist()}
        dens = [int(v) for v in D]
        return {tuple(sorted(map(Fraction, row, dens))) for row in rows}

    def largest_error(self) -> Enclosure:
        """Return the largest distance of the output from the answer over all inputs, for the inner product."""
        x, y = all_pairs(self.n)
        right = checked_task(self.task)(x, y) == 1
        sides = ((1, self.violations(x[right], y[right])), (0, self.violations(x[~right], y[~right])))
        return maximum(abs(self.exact_output(c) - answer) for answer, found in sides for c in found)

    def extremes(self) -> tuple[Any, Any]:
        """Return two callables: the largest output where the answer is 1, the least where it is 0, over all inputs.

        Doubles choose the candidates.  Their outputs are sums of at most 2 n + 1 non-negative terms whose exponents
        are below 2 log(4 L) < 16, so they are right to 1e-12 relative, and what is 1e-9 off the extreme is not extreme.
        """
        x, y = all_pairs(self.n)
        out, right = self.outputs(x, y), checked_task(self.task)(x, y) == 1
        high, low = right & (out >= out[right].max() - 1e-9), ~right & (out <= out[~right].min() + 1e-9)
        tops, bottoms = self.violations(x[high], y[high]), self.violations(x[low], y[low])
        return (lambda: maximum(map(self.exact_output, tops)), lambda: minimum(map(self.exact_output, bottoms)))

    # -- floating point -----------------------------------------------------------------------------------------------
    def outputs(self, x: ArrayLike, y: ArrayLike, dtype: Any = np.float64) -> NDArray[Any]:
        """Return the outputs in a numpy float type, shapes ``(..., n)`` to ``(...)``; parities are read in float64."""
        s, t = (2 * np.asarray(bits, dtype=dtype) - 1 for bits in (x, y))
        w = (float(self.base) ** -self._distances.astype(np.float64)).astype(dtype)
        rest = np.asarray(float(self.base) ** -self.k).astype(dtype)
        r = (s @ w.T + rest * t.sum(axis=-1)[..., None]) / (w.sum(axis=1) + rest * dtype(self.n + 1))
        c = self._violations(r if self.copying else np.zeros_like(s), t, dtype(1))
        top = c.max(axis=-1, keepdims=True)
        heat = dtype(self.scale * np.log(4 * self.length))
        e, null = np.exp(heat * (c - top)), np.exp(-heat * top[..., 0])
        mean = (e * c).sum(axis=-1) / (e.sum(axis=-1) + dtype(self.length - self.n) * null)
        if self.task != "inner_product":
            return np.asarray(mean)
        return parity(self.length * mean.astype(np.float64), self.n)


def parity(u: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return the parity of counts up to ``n`` by ``n`` rectified units, after rounding to the nearest integer."""
    u, j = np.rint(u), np.arange(1, n)
    return np.asarray(np.maximum(u, 0) + np.maximum(u[..., None] - j, 0) @ (2.0 * (-1.0) ** j))


def _parity(u: Enclosure, n: int) -> Enclosure:
    units = (maximum([u - j, Enclosure(0)]) * (1 if j == 0 else 2 * (-1) ** j) for j in range(n))
    return sum(units, Enclosure(0))
