r"""Leakage of random sign codes on average: every code enumerated, or drawn.

With :math:`z=e^{-2\beta/d_e}` two codes at Hamming distance ``k`` give each other the weight :math:`z^k` relative to
the indexed position, :math:`S_t=\sum_{j\ne t}z^{\mathrm{Ham}(t,j)}` and :math:`L_t=S_t/(1+S_t)`.  For uniform signs the
distance of two codes is binomial, so :math:`E\,S_t=(N-1)\left(\frac{1+z}2\right)^{d_e}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import STEPS, PositiveInt, at_most, checked
from theorytools.arguments.values import checked_integer, checked_rational, within_budget
from theorytools.claims.language.estimate import Recipe, enclosed, exactly
from theorytools.numbers import Enclosure, ipow, total

_CODES = 2**18
_CHUNK = 2**14
_PAIRS = 2**17  # pairs of codes at once
_WORD = 62  # signs in one 64-bit integer


@checked
@dataclass(frozen=True)
class RandomSigns:
    r"""The law of :math:`N` independent uniform sign codes of dimension :math:`d_e`, at one temperature.

    Parameters
    ----------
    N, d_e : number and dimension of the codes.
    z : the weight lost per differing sign, :math:`z=e^{-2\beta/d_e}`, a rational number with ``0 < z <= 1``.
    idle : coordinates that are the same for all codes (0 unless a control wants some).

    Raises
    ------
    DomainError
        For parameters outside these ranges.

    References
    ----------
    Derived here, for Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 11, arXiv 2503.11272v1.

    Examples
    --------
    >>> signs = RandomSigns(3, 2, Fraction(1, 2))
    >>> signs.enumerated()["excess"], 2 * Fraction(3, 4) ** 2
    (Fraction(9, 8), Fraction(9, 8))
    """

    N: int
    d_e: int
    z: Fraction
    idle: int = 0

    def __post_init__(self) -> None:
        checked_integer("N", self.N, least=2, why="leakage needs a second position")
        checked_integer("d_e", self.d_e, least=1, why="a unit vector needs a coordinate")
        checked_rational("z", self.z, lambda z: 0 < z <= 1, required="0 < z <= 1", why="z = exp(-2 beta/d_e)")

    @property
    def free(self) -> int:
        """Coordinates that are random."""
        return self.d_e - self.idle

    def repeat_chance(self) -> Fraction:
        r"""Return the probability that two of the codes are equal, :math:`1-\prod_{k<N}(1-k2^{-d_e})`."""
        return 1 - prod((1 - Fraction(k, 2**self.free) for k in range(self.N)), start=Fraction(1))

    def enumerated(self) -> dict[str, Fraction]:
        r"""Return :math:`E\,S_t`, :math:`E\,L_t` and :math:`E\max_tL_t` over all codes, exactly.

        Returns
        -------
        dict
            ``excess``, ``each`` and ``worst``.

        Raises
        ------
        BudgetError
            For more than 2**18 codes.
        """
        sums: dict[str, dict[int, int]] = {"each": {}, "worst": {}}
        p, r = Fraction(self.z).as_integer_ratio()
        # numerators of z^k over r^d_e; Python integers, since they may have more than 64 bits
        weights = np.array([p**k * r ** (self.d_e - k) for k in range(self.d_e + 1)], dtype=object)
        for distances in self._all_distances():
            excess = weights[distances].sum(axis=2)
            for name, values in (("each", excess[:, 0]), ("worst", excess.max(axis=1))):
                found, counts = np.unique(values, return_counts=True)
                for value, count in zip(found, counts, strict=True):
                    sums[name][value] = sums[name].get(value, 0) + int(count)
        unit, codes = r**self.d_e, 2 ** (self.free * self.N)
        mean = {name: sum(Fraction(v, v + unit) * c for v, c in sums[name].items()) / codes for name in sums}
        return {"excess": Fraction(sum(v * c for v, c in sums["each"].items()), unit * codes), **mean}

    def _all_distances(self) -> Iterator[NDArray[np.int64]]:
        """Yield the distances of all codes in chunks, shape ``(codes, N, N - 1)``."""
        codes, others = 2 ** (self.free * self.N), ~np.eye(self.N, dtype=bool)
        within_budget("codes", codes, _CODES, why="every code is enumerated", advice="take N d_e <= 18")
        for start in range(0, codes, _CHUNK):
            index = np.arange(start, min(start + _CHUNK, codes))[:, None]
            rows = index >> self.free * np.arange(self.N) & (2**self.free - 1)
            distances = np.bitwise_count(rows[:, :, None] ^ rows[:, None, :])
            yield distances[:, others].reshape(len(rows), self.N, self.N - 1).astype(np.int64)

    def pair(self) -> dict[str, Recipe]:
        r"""Return the same three numbers for ``N = 2`` from the binomial law of the distance, at any dimension.

        Both positions leak alike: :math:`E\,L=2^{-d_e}\sum_k\binom{d_e}kz^k/(1+z^k)`.
        """
        z, n = Enclosure(Fraction(self.z)), self.free
        powers = [ipow(z, k) for k in range(n + 1)]
        excess = total(x * comb(n, k) for k, x in enumerate(powers)) / 2**n
        leak = enclosed(
            lambda: (
                total(Enclosure(x.ball()) / (1 + Enclosure(x.ball())) * comb(n, k) for k, x in enumerate(powers)) / 2**n
            )
        )
        return {"excess": exactly(excess), "each": leak, "worst": leak}

    @at_most(size=STEPS)
    def draw(self, rng: np.random.Generator, size: PositiveInt) -> dict[str, NDArray[np.float64]]:
        """Return the mean and the largest leakage over positions of ``size`` random codes, in [0, 1], in doubles."""
        weights, parts = float(self.z) ** np.arange(self.free + 1), []
        some = max(1, _PAIRS // self.N**2)
        for codes in [min(some, size - start) for start in range(0, size, some)]:
            distances = np.zeros((codes, self.N, self.N), dtype=np.int64)
            for start in range(0, self.free, _WORD):
                words = rng.integers(0, 2 ** min(_WORD, self.free - start), size=(codes, self.N))
                distances += np.bitwise_count(words[:, :, None] ^ words[:, None, :])
            excess = weights[distances].sum(axis=2) - 1
            parts.append(excess / (1 + excess))
        leak = np.concatenate(parts)
        return {"each": leak.mean(axis=1), "worst": leak.max(axis=1)}
