r"""The exact worst case of index lookup over all inputs, from the gaps between the target's score and the others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import STEPS, NonNegativeInt, PositiveInt, Real, at_most, checked
from theorytools.arguments.values import checked_integer, checked_rational, within_budget
from theorytools.codes.signs import SignCode
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, pi, total
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.attention.nearest_weights import root_above

_WHY = "index lookup: weights are powers of b = exp(beta) with the score gaps as exponents"
_POWER_BITS = 2**22
_PAIRS = 2**24
_CODES = 2**10


@checked
@dataclass(frozen=True, eq=False)
class LookupMargin:
    r"""One number bounds all :math:`N|\Sigma|^N` inputs of a lookup layer, and an input attains it.

    With :math:`g_{pj}` the target's score minus that of position :math:`j`, and :math:`g_p` minus that of the last
    token, the target's weight and the worst margin over all words are

    .. math:: a_p=\Bigl(1+\sum_{j\ne p}b^{-g_{pj}}+b^{-g_p}\Bigr)^{-1},\qquad
              \rho=\min_pa_p\Bigl(1-\sum_{j\ne p}b^{-g_{pj}}\Bigr)\ge\min_p(2a_p-1).

    *Proof.*  The output is :math:`\sum_ja_{pj}\mathrm{sym}(s_j)`, for the last token's value is 0.  A coordinate times
    its right sign is at least :math:`a_p-\sum_{j\ne p}a_{pj}`, with equality where all other positions hold a symbol
    that differs from :math:`s_p` in that coordinate: with :math:`2^{c-1}<|\Sigma|` codes of :math:`c` signs both signs
    occur.  One-hot, one common wrong symbol attains the same number.  The inequality is
    :math:`\sum_{j\ne p}a_{pj}\le1-a_p`. ∎

    If the last token held an adversarial symbol, its weight would count as well: ``worst(b, query_value=1)``.

    Parameters
    ----------
    gaps : the gaps :math:`g_{pj}` that occur, integers, shape ``(G,)``.
    counts : how often each occurs for every kind of query, shape ``(R, G)``.
    query : the gap :math:`g_p` of the last token for every kind of query, shape ``(R,)``.

    References
    ----------
    Bhattamishra, Hahn, Blunsom, Kanade (2024), Index Lookup, arXiv 2406.09347v1; formula derived here.

    Examples
    --------
    >>> exact = LookupMargin.full_binary(6)
    >>> round(float(exact.bound(4)), 4), exact.worst(2) > 0
    (0.3899, False)
    """

    gaps: NDArray[np.int64]
    counts: NDArray[np.int64]
    query: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.counts.shape != (len(self.query), len(self.gaps)):
            given = f"counts of shape {self.counts.shape} for {len(self.query)} queries and {len(self.gaps)} gaps"
            raise DomainError(given, required="one count per query and gap", why=_WHY)

    @classmethod
    def of(cls, net: IndexLookup) -> LookupMargin:
        """Return the gaps of a layer with integer codes, read off all of its scores.

        Raises
        ------
        DomainError : codes that are no integers.
        BudgetError : more than 2**24 pairs of positions; ``of_signs`` needs no table of scores.
        """
        if not net.integral:
            raise DomainError("codes that are no integers", required="integer scores", why=_WHY, advice="circle_margin")
        advice = "LookupMargin.of_signs(code) counts Hamming distances"
        within_budget("pairs of positions", net.N**2, _PAIRS, why="all scores are listed", advice=advice)
        table = np.asarray(net.layer.scores)
        scores, last = table[:, :-1], table[:, -1]
        target = scores.diagonal()
        gaps = target[:, None] - scores
        gaps = gaps[~np.eye(net.N, dtype=bool)].reshape(net.N, net.N - 1)
        occurring, place = np.unique(gaps, return_inverse=True)
        counts = np.zeros((net.N, len(occurring)), dtype=np.int64)
        np.add.at(counts, (np.arange(net.N)[:, None], place.reshape(gaps.shape)), 1)
        return cls._grouped(occurring, counts, target - last)

    @classmethod
    def of_signs(cls, code: SignCode) -> LookupMargin:
        """Return the gaps of a sign code, twice its Hamming distances, without a table of scores."""
        return cls._grouped(2 * np.arange(code.d_e + 1), code.hamming_counts(), np.full(code.N, code.d_e))

    @classmethod
    @at_most(k=STEPS)
    def full_binary(cls, k: NonNegativeInt) -> LookupMargin:
        r"""Return the gaps of all :math:`2^k` binary codes: :math:`\binom kd` others at distance :math:`d`."""
        k = checked_integer("k", k, least=1, why=_WHY)
        counts = np.array([[0, *(math.comb(k, d) for d in range(1, k + 1))]], dtype=object)
        return cls(2 * np.arange(k + 1), counts, np.array([k]))

    @classmethod
    def _grouped(cls, gaps: NDArray[Any], counts: NDArray[Any], query: NDArray[Any]) -> LookupMargin:
        kinds = np.unique(np.concatenate([counts, query[:, None]], axis=1), axis=0)
        return cls(gaps, kinds[:, :-1], kinds[:, -1])

    def scaled(self, b: Real) -> tuple[list[tuple[int, int]], int]:
        r"""Return :math:`D\sum_{j\ne p}b^{-g_{pj}}` and :math:`Db^{-g_p}` for every kind of query, and :math:`D`.

        Raises
        ------
        DomainError : a base that is not a positive rational.
        BudgetError : a power of more than 2**22 bits.
        """
        b = checked_rational("b", b, lambda x: x > 0, required="b > 0", why=_WHY)
        p, q = b.denominator, b.numerator  # b^-g = p^g / q^g = p^(g - low) q^(high - g) / (p^-low q^high)
        low, high = (int(f([f(self.gaps), f(self.query), 0])) for f in (np.min, np.max))
        bits = (high - low) * max(q.bit_length(), p.bit_length())
        advice = "take fewer positions, or a code with smaller scores"
        within_budget("bits of a power of b", bits, _POWER_BITS, why="weights are exact rationals", advice=advice)

        def power(g: int) -> int:
            return int(p ** (g - low) * q ** (high - g))

        powers = [power(int(g)) for g in self.gaps]
        rows = [
            (sum(int(count) * w for count, w in zip(row, powers, strict=True) if count), power(int(g)))
            for row, g in zip(self.counts, self.query, strict=True)
        ]
        return rows, power(0)

    def sums(self, b: Real) -> Iterator[tuple[Fraction, Fraction]]:
        r"""Yield :math:`\sum_{j\ne p}b^{-g_{pj}}` and :math:`b^{-g_p}` for every kind of query."""
        rows, D = self.scaled(b)
        for off, last in rows:
            yield Fraction(off, D), Fraction(last, D)

    def weight(self, b: Real) -> Fraction:
        r"""Return the target's weight where it is smallest, :math:`\min_pa_p`."""
        rows, D = self.scaled(b)
        return Fraction(D, D + max(off + last for off, last in rows))

    def bound(self, b: Real) -> Fraction:
        r"""Return the lower bound :math:`\min_p(2a_p-1)`."""
        return 2 * self.weight(b) - 1

    def worst(self, b: Real, *, query_value: int = 0) -> Fraction:
        r"""Return the exact worst margin :math:`\rho` over all words; ``query_value=1``: and over the last token's."""
        rows, D = self.scaled(b)
        above, below = 1, 1
        for off, last in rows:
            numerator, denominator = D - off - query_value * last, D + off + last
            if numerator * below < above * denominator:
                above, below = numerator, denominator
        return Fraction(above, below)


@checked
def largest_power(b: Real, *, by_bound: bool = False) -> int:
    r"""Return the largest :math:`k` for which the full binary code with base :math:`b` looks up :math:`2^k` positions.

    The worst margin (``by_bound``: the lower bound :math:`2a-1`) decreases in :math:`k`, so the first :math:`k` where
    it is not positive is searched for.  In closed form :math:`\rho>0\iff(1+b^{-2})^k<2`.

    Raises
    ------
    DomainError : ``b <= 1``, where every sum is at least 2 or more codes help.
    BudgetError : bases above 38, whose largest power exceeds 2**10.

    Examples
    --------
    >>> [largest_power(b) for b in (3, 4, 5, 8)], largest_power(2, by_bound=True)
    ([6, 11, 17, 44], 2)
    """
    b = checked_rational("b", b, lambda x: x > 1, required="b > 1", why=_WHY)
    # (1 + b^-2)^k < 2 for k up to b^2 log 2, and a little more
    advice = "take a smaller base"
    within_budget("codes", math.ceil(Fraction(7, 10) * b * b), _CODES, why="each is tried", advice=advice)
    k = 1
    while (exact := LookupMargin.full_binary(k)).bound(b) > 0 or (not by_bound and exact.worst(b) > 0):
        k += 1
    return k - 1


@checked
@at_most(N=STEPS)
def circle_margin(N: NonNegativeInt, b: Real, *, query_value: int = 0) -> tuple[Enclosure, Enclosure]:
    r"""Return target weight and worst margin of the circle code at the ambient precision.

    All queries are alike by rotation: the gaps are :math:`1-\cos(2\pi j/N)`, that of the last token is 1.

    Raises
    ------
    DomainError : ``N < 2`` or a base that is not a positive rational.
    """
    N = checked_integer("N", N, least=2, why=_WHY)
    b = checked_rational("b", b, lambda x: x > 0, required="b > 0", why=_WHY)
    beta, angle = Enclosure(b).log(), 2 * pi() / N
    off = total((-beta * (1 - (angle * j).apply("cos"))).exp() for j in range(1, N))
    last = Enclosure(1 / b)
    return 1 / (1 + off + last), (1 - off - query_value * last) / (1 + off + last)


@checked
@at_most(k=STEPS)
def explicit_scale(code: str, N: NonNegativeInt, k: PositiveInt) -> Fraction:
    r"""Return a rational base with :math:`b^{\min(\Delta,g)}\ge3N`, hence :math:`a\ge\frac34` and margin at least ½.

    :math:`\Delta` is the least gap between positions and :math:`g` that of the last token: 2 and :math:`k` for
    ``binary``, 1 and 1 for ``quadratic``, at least :math:`\frac k2` for ``jl``; roots are rounded up to a denominator
    of 64.  It is exact where the root is an integer, as for ``binary`` at :math:`N=3m^2`.

    Raises
    ------
    DomainError : a code without an integer gap.
    """
    exponents = {"binary": min(2, k), "quadratic": 1, "jl": -(-k // 2)}
    if code not in exponents:
        raise DomainError(f"the code {code!r}", required=f"one of {', '.join(exponents)}", why=_WHY)
    return root_above(Fraction(3 * N), exponents[code])
