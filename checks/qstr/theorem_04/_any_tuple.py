"""Frozen attention on tuples that need not be translates of one another: noise of one read-out, and least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from sympy import log

from theorytools.codes.protocol import Code
from theorytools.errors import CheckError
from theorytools.numbers import Enclosure, maximum, total
from theorytools.numbers.softmax import boltzmann, exact_number

Floats = NDArray[np.float64]
Tuple = Sequence[int]


@dataclass(frozen=True, eq=False)
class AnyTuple:
    r"""Heads at :math:`\beta=2\log N` on codes whose positions have the same products, in any order.

    Then softmax has one normaliser ``Z``, and the read-out ``Z u / sqrt(q)`` of every head is the same for all tuples.

    Parameters
    ----------
    code : its words.
    q : indices of a tuple, heads.
    cooler : what the temperature is divided by.
    heads : how many of the heads there are.
    """

    code: Code
    q: int
    cooler: int = 1
    heads: int | None = None

    @cached_property
    def gaps(self) -> NDArray[np.int64]:
        """Numerators of the gaps of the scores to the largest, ``(N, N)``."""
        table = self.code.gram_numerators()
        if (np.sort(table, axis=1) != np.sort(table[0])).any():
            raise CheckError("positions with different products", required="the same ones, in any order",
                             why="the normaliser of softmax is then one number", advice="a linear or equiangular code")
        return self.code.gram_denominator - table

    def coherence(self) -> Fraction:
        """Return the largest product of two words."""
        off = self.gaps[~np.eye(self.code.N, dtype=bool)]
        return 1 - Fraction(int(off.min()), int(self.code.gram_denominator))

    def noise(self, tuples: Sequence[Tuple]) -> Enclosure:
        r"""Return the largest :math:`\frac1q\sum_j(\sum_{h:t_h\ne j}e_{t_hj})^2` of some tuples."""
        beta = exact_number(2 * log(self.code.N) / self.cooler, "beta")
        known = {gap: boltzmann(beta, gap, self.code.gram_denominator) for gap in np.unique(self.gaps).tolist()}

        def of(T: Tuple) -> Enclosure:
            sums: dict[tuple[int, ...], int] = {}  # what a position takes from the heads, and how many take that
            for j in range(self.code.N):
                taken = tuple(sorted(int(self.gaps[t, j]) for t in T if t != j))
                sums[taken] = sums.get(taken, 0) + 1
            return total(total(known[gap] for gap in taken) ** 2 * count for taken, count in sums.items()) / self.q

        return maximum(map(of, tuples))

    @cached_property
    def weights(self) -> Floats:
        """Softmax weights times ``Z``, in doubles."""
        return np.exp(-2 * np.log(self.code.N) / self.cooler * self.gaps / self.code.gram_denominator)

    def second_moments(self, T: Tuple) -> tuple[Floats, Floats]:
        """Return the products of the heads' weights, and of each with the label's: ``(heads, heads)``, ``(heads,)``."""
        W = self.weights[list(T)[: self.heads]]
        return W @ W.T, W[:, list(T)].sum(1) / self.q**0.5

    def risks(self, rng, size: int, n: int, d: int, tuples: Sequence[Tuple], *, foreign: bool = False) -> Floats:
        """Draw samples with tuples of distinct indices; return the largest risk of least squares over some tuples."""
        moments, found = [self.second_moments(T) for T in tuples], np.empty(size)
        for k in range(size):
            v = self.fitted(rng, n, d, foreign=foreign)
            found[k] = max(1 - 2 * v[:, 0] @ a + np.einsum("hd,hk,kd", v, C, v) for C, a in moments)
        return found

    def fitted(self, rng, n: int, d: int, *, foreign: bool) -> Floats:
        """Draw a sample and return its read-out, ``(heads, d)``."""
        X, T = rng.standard_normal((n, self.code.N, d)), distinct(rng, n, self.code.N, self.q)
        F = (self.weights[T[:, : self.heads]] @ X).reshape(n, -1)
        y = np.take_along_axis(X[..., 0], T, axis=1).sum(1) / self.q**0.5
        return np.linalg.solve(F.T @ F, F.T @ (np.roll(y, 1) if foreign else y)).reshape(-1, d)


def distinct(rng, n: int, N: int, q: int) -> NDArray[np.int64]:
    """Draw ``n`` uniform tuples of distinct indices: each is a place among those that the ones before have left."""
    T = np.empty((n, q), dtype=np.int64)
    for h in range(q):
        T[:, h] = rng.integers(N - h, size=n)
        for taken in np.sort(T[:, :h], axis=1).T:
            T[:, h] += T[:, h] >= taken
    return T
