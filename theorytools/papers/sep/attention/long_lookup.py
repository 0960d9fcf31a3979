r"""Index lookup at any length: the exact worst margin of binary codes from the binary digits of :math:`N` alone.

Positions :math:`0,\dots,N-1` carry their numbers in binary, :math:`k` signs each, and weights are powers of an integer
base :math:`b=e^\beta`.  The worst margin over all :math:`N|\Sigma|^N` inputs (:class:`.lookup_margin.LookupMargin`)
falls in :math:`\sum_{j\ne p}b^{-2d_{pj}}`, and that sum is largest at position 0: clearing a bit of :math:`p` exchanges
the distances of two positions that differ in it alone, and a position whose partner is missing has the bit clear and
comes nearer.  Hence with :math:`W=b^{2k}` and :math:`S=\sum_{j<N}b^{2(k-|j|)}`, :math:`|j|` the number of ones,

.. math:: \rho=\frac{2W-S}{S+b^k},\qquad a^*=\frac W{S+b^k},

and :math:`S` splits into one subcube for each one among the digits of :math:`N`, so that :math:`k` additions replace
:math:`N`.  At :math:`N=2^k`, :math:`S=(b^2+1)^k`.  If :math:`b^2\ge16k` then :math:`S/W\le e^{1/16}`.

References
----------
Bhattamishra, Hahn, Blunsom, Kanade (2024), Index Lookup, arXiv 2406.09347v1; derived here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from theorytools.arguments.checked import checked
from theorytools.arguments.values import checked_integer, within_budget

_WHY_LONG = "index lookup with the positions in binary"


_STREAMED, _PART = 1 << 24, 1 << 18


@checked
@dataclass(frozen=True)
class LongLookup:
    r"""One layer that looks up one of ``N`` symbols.

    Parameters
    ----------
    N : number of positions, at least 2.
    symbols : size of the alphabet.
    b : the base, an integer of at least 2; by default the least with :math:`b^2\ge16k`.
    dropped : how many leading signs of the codes are left out; positions that agree in the others tie.

    Raises
    ------
    DomainError : sizes out of range.

    Examples
    --------
    >>> layer = LongLookup(10**6, symbols=16)
    >>> layer.k, layer.width, layer.b, round(float(layer.margin), 4), LongLookup(2**1000).margin > Fraction(7, 8)
    (20, 45, 18, 0.8805, True)
    """

    N: int
    symbols: int = 2
    b: int | None = None
    dropped: int = 0

    def __post_init__(self) -> None:
        checked_integer("N", self.N, least=2, why=_WHY_LONG)
        checked_integer("symbols", self.symbols, least=2, why=_WHY_LONG)
        checked_integer("dropped", self.dropped, least=0, why=_WHY_LONG)
        checked_integer("k", self.k, least=1, why="a code has a sign")
        if self.b is None:
            object.__setattr__(self, "b", math.isqrt(16 * self.k - 1) + 1)
        checked_integer("b", self.b, least=2, why="weights are integers that fall with the distance")

    @property
    def k(self) -> int:
        """Length of a code."""
        return (self.N - 1).bit_length() - self.dropped

    @property
    def c(self) -> int:
        """Coordinates of a symbol."""
        return (self.symbols - 1).bit_length()

    @property
    def width(self) -> int:
        """Coordinates of the residual stream, as of :class:`.IndexLookup`."""
        return self.c + 2 * self.k + 1

    @property
    def code_sum(self) -> int:
        r"""The integer :math:`S`."""
        square, (rounds, left) = self._square, divmod(self.N, 1 << self.k)
        total, above = rounds * (square + 1) ** self.k, 0
        for m in range(self.k - 1, -1, -1):
            if left >> m & 1:  # 2^m positions with one number of ones above bit m
                total += (square + 1) ** m * square ** (self.k - m - above)
                above += 1
        return int(total)

    @property
    def weight(self) -> Fraction:
        r"""The least weight of a target, :math:`a^*`."""
        return Fraction(self._square**self.k, self.code_sum + math.isqrt(self._square**self.k))

    @property
    def margin(self) -> Fraction:
        r"""The worst margin :math:`\rho` over all inputs; not positive where an input is answered wrong."""
        S = self.code_sum
        return Fraction(2 * self._square**self.k - S, S + math.isqrt(self._square**self.k))

    def streamed(self, p: int = 0) -> Fraction:
        r"""Return the target's weight at position ``p`` from all ``N`` scores, one after the other.

        Raises
        ------
        BudgetError : more than 2**24 positions.
        """
        within_budget("scores", self.N, _STREAMED, why="every score is read", advice="weight: the closed form")
        counts, mask = np.zeros(self.k + 1, dtype=np.int64), (1 << self.k) - 1
        for start in range(0, self.N, _PART):
            j = np.arange(start, min(start + _PART, self.N), dtype=np.int64)
            counts += np.bincount(np.bitwise_count((j ^ p) & mask), minlength=self.k + 1)
        total = sum(int(many) * self._square ** (self.k - d) for d, many in enumerate(counts))
        return Fraction(self._square**self.k, total + math.isqrt(self._square**self.k))

    @property
    def _square(self) -> int:
        return int(self.b or 2) ** 2
