r"""Rules of attention that keep what exceeds a threshold: the ``k`` best positions, and the sparsemax.

The threshold depends on all positions.  Their summaries (:mod:`.split_rules`) therefore list candidates, and are short
only if few positions are kept or scores are coarse; :mod:`.threshold_lookup` shows that this is no accident.

References
----------
Martins, Astudillo (2016), Proposition 1, arXiv 1602.02068v2.

One layer of logarithmic size that a message cannot replace: a threshold set by one party, read by the other.

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

In both, weights do not depend on :math:`x`: all inputs are right if the combined weights are 1 at :math:`p` alone.

References
----------
Derived here, for the one-layer lower bounds of Bhattamishra, Hahn, Blunsom, Kanade (2024), arXiv 2406.09347v1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Count, checked
from theorytools.arguments.values import checked_integer, within_budget
from theorytools.errors import DomainError
from theorytools.numbers import fraction, quick
from theorytools.papers.sep.communication.mergeable_rules import HardRule, Output, SplitRule, Summary, WeightRule

_WHY = "a rule of attention that splits"
_NAMES = ("softmax", "linear", "relu", "sigmoid", "hard", "top", "sparsemax")


@dataclass(frozen=True)
class TopRule(SplitRule):
    """Equal weights on the ``k`` positions of the largest scores, ties by position; all of them if there are fewer."""

    k: int

    def summary(self, s: Sequence[int], v: Sequence[Sequence[int]], at: Sequence[int]) -> Summary:
        """Return score, position and value of the best."""
        rows = sorted((-x, place, tuple(row)) for x, place, row in zip(s, at, v, strict=True))
        return tuple(rows[: self.k])

    def merged(self, one: Summary, other: Summary) -> Summary:
        """Return the best of both."""
        return tuple(sorted([*one, *other])[: self.k])

    def output(self, found: Summary) -> Output:
        """Return the mean of those kept."""
        return tuple(Fraction(sum(column), len(found)) for column in zip(*(row for _, _, row in found), strict=True))

    def direct(self, s: Sequence[int], v: Sequence[Sequence[int]]) -> Output:
        """Return the mean over positions with fewer than ``k`` ahead of them."""
        ahead = [sum(x > s[i] or (x == s[i] and j < i) for j, x in enumerate(s)) for i in range(len(s))]
        chosen = [i for i, many in enumerate(ahead) if many < self.k]
        return tuple(Fraction(sum(v[i][c] for i in chosen), len(chosen)) for c in range(len(v[0])))

    def bits(self, n: int, p: int, width: int) -> int:
        """Return the bits of as many triples."""
        return min(self.k, n) * (p + (n - 1).bit_length() + width * p)


@dataclass(frozen=True)
class SparsemaxRule(SplitRule):
    r"""The projection of the scores over ``R`` on the simplex."""

    R: int

    @cached_property
    def levels(self) -> int:
        """How many of the uppermost levels a summary holds."""
        return self.R

    def summary(self, s: Sequence[int], v: Sequence[Sequence[int]], at: Sequence[int]) -> Summary:
        """Return the maximum and, for each of the uppermost levels, a number and the sums."""
        found = {max(s) - level: [0] * (1 + len(v[0])) for level in range(self.levels)}
        for x, row in zip(s, v, strict=True):
            if x in found:
                found[x] = [a + b for a, b in zip(found[x], [1, *row], strict=True)]
        return (max(s), *map(tuple, found.values()))

    def merged(self, one: Summary, other: Summary) -> Summary:
        """Return both levels by level, from the larger maximum down."""
        top, zero = max(one[0], other[0]), (0,) * len(one[1])
        rows = []
        for level in range(self.levels):
            each = [f[1 + k] for f in (one, other) if 0 <= (k := f[0] - top + level) < len(f) - 1]
            rows.append(tuple(map(sum, zip(zero, *each, strict=True))))
        return (top, *rows)

    def output(self, found: Summary) -> Output:
        """Return the mean of the values, weighted by level."""
        levels = [found[0] - level for level in range(len(found) - 1)]
        scores = [x for x, row in zip(levels, found[1:], strict=True) for _ in range(row[0])]
        t = quick(threshold(scores, self.R))
        w = [max(x - t, quick(0)) / self.R for x in levels]
        return tuple(
            fraction(sum(a * row[c] for a, row in zip(w, found[1:], strict=True))) for c in range(1, len(found[1]))
        )

    def direct(self, s: Sequence[int], v: Sequence[Sequence[int]]) -> Output:
        r"""Return the values times :math:`[s_j-t]_+/R`.

        :math:`R=\sum_j[s_j-t]_+\ge\sum_{j\in S}(s_j-t)` for every set, so :math:`t` is the largest
        :math:`(\sum_Ss_j-R)/|S|`.
        """
        largest = accumulate(sorted(s, reverse=True))  # the sums over the sets of the k largest
        best = max(quick(whole - self.R) / k for k, whole in enumerate(largest, 1))
        w = [max(x - best, quick(0)) / self.R for x in s]
        return tuple(fraction(sum(a * b for a, b in zip(w, c, strict=True))) for c in zip(*v, strict=True))

    def bits(self, n: int, p: int, width: int) -> int:
        """Return the bits of a maximum and of ``R`` levels."""
        return p + self.R * (n.bit_length() + width * (n * ((1 << p) - 1)).bit_length())


def threshold(scores: Sequence[int], R: int) -> Fraction:
    r"""Return :math:`t` with :math:`\sum_j[s_j-t]_+=R`: the largest scores are added while they stay above it.

    Examples
    --------
    >>> threshold([3, 1, 0], R=2), threshold([3, 3, 0], R=2)
    (Fraction(1, 1), Fraction(2, 1))
    """
    total, kept = 0, 0
    for x in sorted(scores, reverse=True):
        if kept and kept * x <= total - R:
            break
        total, kept = total + x, kept + 1
    return Fraction(total - R, kept)


@checked
def split_rule(name: str, size: int = 1) -> SplitRule:
    """Return a rule by its name; ``size`` is ``k`` of ``top`` and ``R`` of ``sparsemax``.

    Raises
    ------
    DomainError : an unknown name, or a size below 1.
    """
    checked_integer("size", size, least=1, why=_WHY)
    if name in ("softmax", "linear", "relu", "sigmoid"):
        return WeightRule(name)
    if name not in _NAMES:
        raise DomainError(f"the rule {name!r}", required=f"one of {', '.join(_NAMES)}", why=_WHY)
    return HardRule() if name == "hard" else TopRule(size) if name == "top" else SparsemaxRule(size)


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

    def kept(self, p: int, k: Count) -> list[int]:
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
