r"""One layer of logarithmic size that a message cannot replace: a threshold set by one party, read by the other.

Alice holds :math:`x_0,\dots,x_{N-1}`, Bob an index :math:`p`, and the last token is public.  A message from Alice takes
:math:`N\log_2|\Sigma|` bits, so one layer of softmax attention needs linear size.  Where the rule keeps what exceeds a
threshold, Bob's tokens set the threshold, and logarithmic size is enough.

*Sparsemax, three heads.*  Scores are integers over :math:`R=\frac{N(N+1)}2`: :math:`-j` for :math:`x_j`, with the value
:math:`x_j`.  In head :math:`h\in\{-1,0,1\}` Bob's only token has value 0 and the score
:math:`t+R-\sum_j[-j-t]_+`, :math:`t=h-p`, which makes :math:`t` the threshold.  The outputs are
:math:`F(t)/R`, :math:`F(t)=\sum_j[-j-t]_+x_j`, and

.. math:: F(-p-1)-2F(-p)+F(-p+1)=x_p,

as :math:`F` is linear between integers and its slope changes by :math:`x_j` at :math:`-j`.

*The best* ``k``, *two heads.*  Bob's :math:`N` tokens write :math:`p` in unary: those from :math:`p` on are above
all of Alice's, the others below.  With :math:`k=N` the head keeps Alice's first :math:`p`, with :math:`k=N+1` one
more, and the sums differ by :math:`x_p`.

Weights do not depend on :math:`x` in either: all inputs are right if the combined weights are 1 at :math:`p` alone.

References
----------
Derived here, for the one-layer lower bounds of Bhattamishra, Hahn, Blunsom, Kanade (2024), arXiv 2406.09347v1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import NonNegativeInt, checked
from theorytools.arguments.values import checked_integer, within_budget
from theorytools.errors import DomainError
from theorytools.papers.sep.communication.top_k_and_sparsemax import threshold

_LISTED = 10**6  # symbols


_WHY_LOOKUP = "a symbol at an index that another party holds"


@checked
@dataclass(frozen=True)
class SparsemaxLookup:
    """Three heads of sparsemax attention.

    Parameters
    ----------
    N : number of Alice's symbols.
    coefficients : how the heads are combined, for the thresholds ``-p - 1, -p, -p + 1``.
    R : scores are multiples of ``1 / R``; ``N (N + 1) / 2`` unless given, and spoiled where it is less.

    Examples
    --------
    >>> layer = SparsemaxLookup(4)
    >>> layer.bits, layer.combined(2).astype(int).tolist(), layer.scores(2, 0)
    (5, [0, 0, 1, 0], [0, -1, -2, -3, 5, -5])
    """

    N: int
    coefficients: tuple[int, ...] = (1, -2, 1)
    R: int | None = None

    def __post_init__(self) -> None:
        checked_integer("N", self.N, least=1, why=_WHY_LOOKUP)
        if self.R is None:
            object.__setattr__(self, "R", self.N * (self.N + 1) // 2)
        checked_integer("R", self.R, least=1, why="scores have a unit")
        if len(self.coefficients) != self.heads:
            raise DomainError(f"{len(self.coefficients)} coefficients", required=f"{self.heads}", why="one for a head")

    heads = 3

    @property
    def bits(self) -> int:
        """Bits of a score: from ``-N - 1``, that of the public token, to ``R + 1``."""
        return (int(self.R or 1) + self.N + 2).bit_length()

    @property
    def margin(self) -> Fraction:
        r"""A distance within which the answer to a bit does not change: :math:`4\tau<\frac1{2R}`."""
        return Fraction(1, 9 * int(self.R or 1))

    def scores(self, p: int, h: int) -> list[int]:
        """Return the scores of a head: Alice's, Bob's, and that of the public token."""
        _asked(p, self.N)
        if h not in (-1, 0, 1):
            raise DomainError(f"h = {h}", required="-1, 0 or 1", why="the three heads differ in the threshold")
        above = max(p - h, 0)  # sum over j < above of above - j
        return [*range(0, -self.N, -1), h - p + int(self.R or 1) - above * (above + 1) // 2, -self.N - 1]

    def weights(self, p: int, h: int) -> tuple[NDArray[np.object_], int]:
        """Return the weights of a head on all tokens by the definition of the rule: integers, and their sum."""
        s, R = self.scores(p, h), int(self.R or 1)
        t = threshold(s, R)
        return np.array([max(x * t.denominator - t.numerator, 0) for x in s], dtype=object), t.denominator * R

    def combined(self, p: int) -> NDArray[np.object_]:
        """Return ``R`` times the combined weights on Alice's tokens, an object array ``(N,)``."""
        each = [self.weights(p, h) for h in (-1, 0, 1)]
        whole = math.lcm(*(D for _, D in each))
        total = sum(c * (whole // D) * w[: self.N] for c, (w, D) in zip(self.coefficients, each, strict=True))
        none, R = Fraction(0), int(self.R or 1)
        return np.array([Fraction(int(x) * R, whole) if x else none for x in np.asarray(total)], dtype=object)


@checked
@dataclass(frozen=True)
class TopLookup:
    """Two heads that keep the best ``N`` and ``N + more`` of ``2 N`` tokens.

    Examples
    --------
    >>> TopLookup(4).bits, TopLookup(4).combined(2).tolist()
    (3, [0, 0, 1, 0])
    """

    N: int
    more: int = 1

    def __post_init__(self) -> None:
        checked_integer("N", self.N, least=1, why=_WHY_LOOKUP)
        checked_integer("more", self.more, least=0, why=_WHY_LOOKUP)

    heads = 2

    @property
    def bits(self) -> int:
        """Bits of a score: from ``-N - 1`` to 1."""
        return (self.N + 2).bit_length()

    @property
    def margin(self) -> Fraction:
        r"""A distance within which the answer to a bit does not change: :math:`(2N+1)\tau<\frac12`."""
        return Fraction(1, 4 * self.N + 3)

    def scores(self, p: int) -> list[int]:
        """Return the scores: Alice's, Bob's in unary, and that of the public token."""
        _asked(p, self.N)
        return [*range(0, -self.N, -1), *(1 if r >= p else -self.N for r in range(self.N)), -self.N - 1]

    def kept(self, p: int, k: NonNegativeInt) -> list[int]:
        """Return 1 for the tokens among the best ``k``, ties by position."""
        s = self.scores(p)
        best = set(sorted(range(len(s)), key=lambda j: (-s[j], j))[:k])
        return [int(j in best) for j in range(len(s))]

    def combined(self, p: int) -> NDArray[np.object_]:
        """Return the sum of the second head minus that of the first, as weights on Alice's tokens."""
        first, second = (np.array(self.kept(p, k)[: self.N], dtype=object) for k in (self.N, self.N + self.more))
        return second - first


def _asked(p: int, N: int) -> None:
    if not 0 <= p < N:
        raise DomainError(f"p = {p}", required=f"an index from 0 to {N - 1}", why=_WHY_LOOKUP)
    within_budget("symbols", N, _LISTED, why="all scores are listed", advice="a smaller N")


def answers(layer: SparsemaxLookup | TopLookup, word: Sequence[int]) -> list[int]:
    """Return the combined output of a layer on a word, for every index; ``DomainError`` for another length."""
    if len(word) != layer.N:
        raise DomainError(f"a word of {len(word)} symbols", required=f"{layer.N}", why=_WHY_LOOKUP)
    symbols = np.array([int(x) for x in word], dtype=object)
    return [layer.combined(p) @ symbols for p in range(layer.N)]
