r"""One attention layer copies the bit at a position to a later token with the code of that position, for every length.

Tokens :math:`x_1\dots x_n\,y_1\dots y_n\,[\mathrm{CLS}]`, bits as signs; positions carry the binary code
:math:`t_i\in\{\pm1\}^k`, :math:`k=\lceil\log_2n\rceil` but at least 1, at Hamming distances :math:`d_{ij}`.
The scores of :math:`y_i` are :math:`\beta(\langle t_i,t_j\rangle+k)` on :math:`x_j` and 0 on the other tokens.  With
:math:`b^2=e^{2\beta}=16k` the weights are proportional to integers, so

.. math:: r_i=\frac{\sum_j(16k)^{k-d_{ij}}x_j+\sum_jy_j}{S_i+n+1},\qquad S_i=\sum_j(16k)^{k-d_{ij}},

is rational.  *The worst position is the first, the worst input is opposite to it:* :math:`\{0,\dots,n-1\}` is closed
under clearing bits.  Clearing a bit of :math:`i` exchanges the distances of two positions that differ in it alone; a
position whose partner is missing has that bit clear and comes nearer.  So :math:`S_i\le S=S_1`, and with
:math:`W=(16k)^k`

.. math:: \min r_ix_i=\rho=\frac{2W-S-n}{S+n+1}>2a^*-1,\qquad a^*=\frac W{S+n+1}
          \ge\Bigl[(1+\tfrac1{16k})^k+(n+1)(16k)^{-k}\Bigr]^{-1},

an equality at :math:`n=2^k`.  For :math:`k\ge2` the bracket is at most :math:`e^{1/16}+5/32^2<1.07`; :math:`n=1,2` give
:math:`\frac{19}{16}` and :math:`\frac54`.  So :math:`2a^*-1\ge\frac35` for all :math:`n`.

References
----------
Bhattamishra, Hahn, Blunsom, Kanade (2024), equality and disjointness, arXiv 2406.09347v1; derived here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from theorytools.arguments.checked import checked, ranks
from theorytools.arguments.values import checked_integer
from theorytools.constructions.shapes import in_range, shaped
from theorytools.errors import DomainError
from theorytools.tasks.automaton import strings_of

_DENSE = 2048  # positions whose weights are held at once


@checked
@dataclass(frozen=True)
class CodeCopy:
    r"""The layer that copies :math:`x_i` to :math:`y_i`.

    Parameters
    ----------
    n : length of each string.
    base : :math:`b^2=e^{2\beta}`, an integer; by default :math:`16k`, and 1 is :math:`\beta=0`.
    causal : whether tokens see only themselves and what comes before; the worst position is then the last at
        :math:`n=2^k`, where :math:`S+n` takes the place of :math:`S+n+1`.

    Raises
    ------
    DomainError
        For ``n < 1`` or ``base < 1``.

    Examples
    --------
    >>> CodeCopy(2).least, 2 * CodeCopy(2).kept - 1, round(float(CodeCopy(2**20).least), 6)
    (Fraction(13, 20), Fraction(3, 5), 0.879009)
    """

    n: int
    base: int | None = None
    causal: bool = False

    def __post_init__(self) -> None:
        checked_integer("n", self.n, least=1, why="there is a first symbol")
        if self.base is None:
            object.__setattr__(self, "base", 16 * self.k)
        checked_integer("base", self.base, least=1, why="weights are integers that fall with the distance")

    @property
    def square(self) -> int:
        """The integer :math:`b^2`, as given or by default."""
        return cast(int, self.base)

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """The position whose code each :math:`x_j` carries: its own."""
        return np.arange(self.n)

    @cached_property
    def value(self) -> int:
        """The factor of what is copied."""
        return 1

    @property
    def k(self) -> int:
        """Length of the code, ``max(1, ceil(log2(n)))``."""
        return max(1, (self.n - 1).bit_length())

    @property
    def code_sum(self) -> int:
        r"""The integer :math:`S`, by blocks: positions below ``n`` are one subcube for each one of ``n``'s bits."""
        total, above = 0, 0
        for m in range(self.k, -1, -1):
            if self.n >> m & 1:  # 2^m positions, with as many ones above bit m as n has
                total += (self.square + 1) ** m * self.square ** (self.k - m - above)
                above += 1
        return total

    @property
    def kept(self) -> Fraction:
        r"""The least weight :math:`a^*` of a position's own symbol without a causal mask."""
        return Fraction(self.square**self.k, self.code_sum + self.n + 1)

    @property
    def least(self) -> Fraction:
        r"""The minimum :math:`\rho` of :math:`r_ix_i` over positions and inputs, without a causal mask."""
        S = self.code_sum
        return Fraction(2 * self.square**self.k - S - self.n, S + self.n + 1)

    @ranks(x=1)
    def at(self, x: ArrayLike, y: ArrayLike, i: int) -> Fraction:
        """Return :math:`r_i` for one input, for any ``n``: symbols are counted by their distance.

        Parameters
        ----------
        x, y : strings of bits, shape ``(n,)``.
        i : the position, from 0.

        Returns
        -------
        Fraction : in [-1, 1].

        Raises
        ------
        DomainError : strings of another shape, or a position that does not exist.
        """
        own, other = (strings_of(bits, self.n, 2, "bits").astype(np.int64) for bits in (x, y))
        d = self._codes_away(in_range("i", i, self.n))
        weight = [self.square ** (self.k - step) for step in range(self.k + 1)]
        ones = np.bincount(d[own == 1], minlength=self.k + 1).tolist()
        every = np.bincount(d, minlength=self.k + 1).tolist()
        D = sum(w * m for w, m in zip(weight, every, strict=True))
        N = sum(w * (2 * a - m) for w, a, m in zip(weight, ones, every, strict=True))
        seen = i + 1 if self.causal else self.n
        return self.value * Fraction(N + int((2 * other[:seen] - 1).sum()), D + seen + (not self.causal))

    @cached_property
    def _distances(self) -> NDArray[Any]:
        if self.n > _DENSE:
            raise DomainError(f"n = {self.n}", required=f"n <= {_DENSE}", why="all weights at once", advice="copy()")
        return self._codes_away(np.arange(self.n)[:, None])

    def _codes_away(self, i: Any) -> NDArray[Any]:
        return np.bitwise_count(i ^ self.keys)

    @cached_property
    def _weights(self) -> NDArray[Any]:
        kind: Any = np.int64 if 8 * self.n * self.square**self.k < 1 << 62 else object
        return np.array([self.square ** (self.k - step) for step in range(self.k + 1)], dtype=kind)[self._distances]

    @ranks(x=(1, 2))
    def all(self, x: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return all :math:`r_i`, exactly.

        Parameters
        ----------
        x, y : strings of bits, shape ``(..., n)``.

        Returns
        -------
        tuple of arrays : integer numerators ``(..., n)`` and denominators ``(n,)``.

        Raises
        ------
        DomainError : other shapes, or ``n`` too large for all weights at once.
        """
        shaped("x", x, "...", self.n)
        shaped("y", y, "...", self.n)
        s, t = (2 * np.asarray(bits, dtype=np.int64) - 1 for bits in (x, y))
        rest, others = self._others(t)
        return self.value * (s @ self._weights.T + rest), self._weights.sum(axis=1) + others

    def _others(self, t: NDArray[Any]) -> tuple[NDArray[Any], Any]:
        """The sum of the signs of tokens that are not on ``x`` but seen by each ``y``, and their number."""
        if self.causal:
            return t.cumsum(axis=-1, dtype=t.dtype), np.arange(1, self.n + 1)
        return t.sum(axis=-1)[..., None], self.n + 1

    @ranks(s=2)
    def floats(self, s: NDArray[Any], t: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
        """Return all :math:`r_i` in a numpy float type.

        Parameters
        ----------
        s, t : the strings as signs of that type, shape ``(k, n)``.
        dtype : the type.

        Returns
        -------
        array : shape ``(k, n)``.

        Raises
        ------
        DomainError : other shapes, or a type that is not one of floats.
        """
        shaped("s", s, "k", self.n)
        shaped("t", t, *np.shape(s))
        if np.dtype(dtype).kind != "f":
            raise DomainError(f"dtype = {dtype!r}", required="a type of floats", why="weights are not integers here")
        kind = np.dtype(dtype).type
        w = (float(self.square) ** -self._distances.astype(np.float64)).astype(dtype)
        rest = np.asarray(float(self.square) ** -self.k).astype(dtype)
        signs, others = self._others(t)
        copied = kind(self.value) * (s @ w.T + rest * signs)
        return np.asarray(copied / (w.sum(axis=1) + rest * np.asarray(others, dtype=dtype)))
