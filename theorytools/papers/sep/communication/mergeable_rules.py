r"""Rules of attention whose result over two sets of positions follows from a short summary of each.

At a public last token a rule turns integer scores :math:`s_j` and values :math:`v_j` of the positions into an output.
It *splits* if there are summaries :math:`\sigma(A)` with :math:`\sigma(A\sqcup B)` a function of :math:`\sigma(A)` and
:math:`\sigma(B)`, and the output one of :math:`\sigma(A\sqcup B)`: then one layer is one message from Alice to Bob.
With :math:`n` positions of hers, values in :math:`[-2^{p-1},2^{p-1}-1]` and :math:`\ell(x)=\lceil\log_2(x+1)\rceil`:

=============  ==============================================  =====================================================
rule           summary                                         bits
=============  ==============================================  =====================================================
``softmax``    :math:`\sum w_j,\sum w_jv_j`, :math:`w_j<2^p`   :math:`\ell(n(2^p-1))+d_v\ell(n(2^p-1)2^p)`
``linear``     :math:`\sum w_jv_j`, :math:`|w_j|\le2^{p-1}`    :math:`d_v\ell(n2^{2p-1})`
``relu``       the same                                        the same
``sigmoid``    the same, :math:`0\le w_j\le15`                  :math:`d_v\ell(15n2^p)`
``hard``       maximum; number and sum of those that attain    :math:`p+\ell(n-1)+d_v\ell(n(2^p-1))`
``top``        the :math:`k` best positions, with values       :math:`k(p+\ell(n-1)+d_vp)`
``sparsemax``  maximum; number and sum at :math:`R` levels     :math:`p+R(\ell(n)+d_v\ell(n(2^p-1)))`
=============  ==============================================  =====================================================

``hard`` averages over all positions that attain the maximum, ``top`` over the :math:`k` best, the earlier one first.
``sparsemax`` has scores in units of :math:`1/R` and weights :math:`[s_j/R-t]_+` that add up to 1; as
:math:`t\ge\max s/R-1`, only the :math:`R` uppermost levels count.  In the last two the message is short only for few
positions kept, or coarse scores.

References
----------
Martins, Astudillo (2016), Proposition 1, arXiv 1602.02068v2 (sparsemax).  For the one-layer lower bounds of
Bhattamishra, Hahn, Blunsom, Kanade (2024), arXiv 2406.09347v1; the summaries are derived here.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Any

from theorytools.numbers import fraction, quick

Summary = tuple[Any, ...]
Output = tuple[Fraction, ...]


class SplitRule(abc.ABC):
    """A rule, its summaries, and its output computed without them."""

    low = 0  # the least score for p bits is low * 2^(p - 1), of 2^p consecutive integers

    @abc.abstractmethod
    def summary(self, s: Sequence[int], v: Sequence[Sequence[int]], at: Sequence[int]) -> Summary:
        """Return the summary of positions ``at`` with scores ``s`` and values ``v``."""

    @abc.abstractmethod
    def merged(self, one: Summary, other: Summary) -> Summary:
        """Return the summary of two disjoint sets of positions."""

    @abc.abstractmethod
    def output(self, found: Summary) -> Output:
        """Return the output from the summary of all positions."""

    @abc.abstractmethod
    def direct(self, s: Sequence[int], v: Sequence[Sequence[int]]) -> Output:
        """Return the output from all positions at once: the definition of the rule."""

    @abc.abstractmethod
    def bits(self, n: int, p: int, width: int) -> int:
        """Return the bits of a summary of ``n`` positions."""

    def scores(self, p: int) -> range:
        """Return the scores that ``p`` bits allow."""
        return range(self.low << (p - 1), (self.low << (p - 1)) + (1 << p))


@dataclass(frozen=True)
class WeightRule(SplitRule):
    """Weights that depend on the score alone: ``softmax`` (powers of two), ``linear``, ``relu`` or ``sigmoid``."""

    kind: str

    @property
    def low(self) -> int:  # type: ignore[override]
        """-1 for scores of both signs."""
        return 0 if self.kind == "softmax" else -1

    def scores(self, p: int) -> range:
        """Return the scores that ``p`` bits allow; those of the softmax are exponents of weights below ``2**p``."""
        return range(p) if self.kind == "softmax" else super().scores(p)

    def weight(self, s: int) -> int:
        """Return the weight of a score; the sigmoid's are rounded to multiples of 1/15."""
        if self.kind == "sigmoid":
            return round(15 / (1 + exp(-s)))
        return {"softmax": 1 << max(s, 0), "linear": s, "relu": max(s, 0)}[self.kind]

    def summary(self, s: Sequence[int], v: Sequence[Sequence[int]], at: Sequence[int]) -> Summary:
        """Return the sums, that of the weights first for the softmax."""
        w = [self.weight(x) for x in s]
        sums = tuple(sum(a * b for a, b in zip(w, column, strict=True)) for column in zip(*v, strict=True))
        return (sum(w), *sums) if self.kind == "softmax" else sums

    def merged(self, one: Summary, other: Summary) -> Summary:
        """Return the sums of both."""
        return tuple(a + b for a, b in zip(one, other, strict=True))

    def output(self, found: Summary) -> Output:
        """Return the sums, divided by the first for the softmax."""
        if self.kind == "softmax":
            return tuple(Fraction(x, found[0]) for x in found[1:])
        return tuple(Fraction(x) for x in found)

    def direct(self, s: Sequence[int], v: Sequence[Sequence[int]]) -> Output:
        """Return the sum of values times weights, the softmax's normalised one by one."""
        whole = sum(self.weight(x) for x in s) if self.kind == "softmax" else 1
        w = [quick(self.weight(x)) / whole for x in s]
        return tuple(fraction(sum(a * b for a, b in zip(w, c, strict=True))) for c in zip(*v, strict=True))

    def bits(self, n: int, p: int, width: int) -> int:
        """Return the bits of the sums."""
        if self.kind in ("linear", "relu"):
            return width * (n << (2 * p - 1)).bit_length()
        D = n * (15 if self.kind == "sigmoid" else (1 << p) - 1)
        return width * (D << p).bit_length() + (D.bit_length() if self.kind == "softmax" else 0)


class HardRule(SplitRule):
    """Equal weights on all positions that attain the maximum."""

    def summary(self, s: Sequence[int], v: Sequence[Sequence[int]], at: Sequence[int]) -> Summary:
        """Return the maximum, how many attain it, and the sums of their values."""
        best = [row for x, row in zip(s, v, strict=True) if x == max(s)]
        return (max(s), len(best), *map(sum, zip(*best, strict=True)))

    def merged(self, one: Summary, other: Summary) -> Summary:
        """Return the one with the larger maximum, or their sums."""
        if one[0] != other[0]:
            return max(one, other, key=lambda found: found[0])
        return (one[0], *(a + b for a, b in zip(one[1:], other[1:], strict=True)))

    def output(self, found: Summary) -> Output:
        """Return the mean of those that attain the maximum."""
        return tuple(Fraction(x, found[1]) for x in found[2:])

    def direct(self, s: Sequence[int], v: Sequence[Sequence[int]]) -> Output:
        """Return the mean over the positions with no better one."""
        chosen = [i for i in range(len(s)) if not any(x > s[i] for x in s)]
        return tuple(Fraction(sum(v[i][c] for i in chosen), len(chosen)) for c in range(len(v[0])))

    def bits(self, n: int, p: int, width: int) -> int:
        """Return the bits of a maximum, a number from 1 to n, and sums."""
        return p + (n - 1).bit_length() + width * (n * ((1 << p) - 1)).bit_length()
