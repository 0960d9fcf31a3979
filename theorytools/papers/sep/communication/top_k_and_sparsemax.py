r"""Rules of attention that keep what exceeds a threshold: the ``k`` best positions, and the sparsemax.

The threshold depends on all positions.  Their summaries (:mod:`.mergeable_rules`) therefore list candidates, and are
short only if few positions are kept or scores are coarse; :mod:`.threshold_lookup` shows that this is no accident.

References
----------
Martins, Astudillo (2016), Proposition 1, arXiv 1602.02068v2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

from theorytools.arguments.checked import checked
from theorytools.arguments.values import checked_integer
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
