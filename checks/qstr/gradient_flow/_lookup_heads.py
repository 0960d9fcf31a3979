r"""The risk of q heads and a linear read-out on look-ups, and its derivatives, token by token in rationals.

Head :math:`h` reads slot :math:`h` with scores :math:`\beta\langle\omega_{t_h},\omega_j\rangle`, and the read-out of
each is :math:`\frac c{\sqrt q}u`.  Tokens have mean 0 and covariance :math:`I`, the label is
:math:`q^{-1/2}\sum_h\langle u,x_{t_h}\rangle`, :math:`\|u\|=1`.  With weights :math:`\pi_{hj}` and
:math:`m_j=c\sum_h\pi_{hj}-1[j\in t]`

.. math:: R=\frac1q\sum_jm_j^2,\qquad
          F_{hj}=\frac{\partial R}{\partial\,\mathrm{score}_{hj}}=\frac{2c}q\pi_{hj}\Bigl(m_j-\sum_k\pi_{hk}m_k\Bigr).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import factorial

import numpy as np

from theorytools.arguments.values import within_budget
from theorytools.errors import DomainError
from theorytools.numbers import fraction, quick

_TURNS = 2**9


@dataclass(frozen=True)
class LookupHeads:
    """Heads that look up the tokens 0, ..., q - 1: products of codes and unnormalised weights, both ``(q, N)``."""

    products: np.ndarray
    weights: np.ndarray

    @classmethod
    def equiangular(cls, N: int, q: int, rho: Fraction, odds: Fraction) -> LookupHeads:
        """Codes whose products are all ``rho``: an indexed token has ``odds`` times the weight of any other."""
        if not 1 <= q < N:
            raise DomainError(f"q = {q}, N = {N}", required="1 <= q < N", why="some token is not indexed")
        own = np.arange(N) == np.arange(q)[:, None]
        one, rho, odds = (quick(Fraction(x)) for x in (1, rho, odds))
        return cls(np.where(own, one, rho), np.where(own, odds, one))

    @property
    def shares(self) -> np.ndarray:
        return self.weights / self.weights.sum(axis=1)[:, None]

    def misses(self, c: Fraction) -> np.ndarray:
        sums = self.shares.sum(axis=0)
        return quick(Fraction(c)) * sums - np.where(np.arange(len(sums)) < len(self.weights), quick(1), quick(0))

    def risk(self, c: Fraction) -> Fraction:
        return fraction((self.misses(c) ** 2).sum() / quick(len(self.weights)))

    def in_scale(self, c: Fraction) -> Fraction:
        """The derivative in c."""
        return fraction(2 * (self.misses(c) * self.shares.sum(axis=0)).sum() / quick(len(self.weights)))

    def forces(self, c: Fraction) -> np.ndarray:
        """The derivatives in the scores, ``(q, N)``."""
        pi, missed = self.shares, self.misses(c)
        return 2 * quick(Fraction(c)) / quick(len(pi)) * pi * (missed - (pi * missed).sum(axis=1)[:, None])

    def in_temperature(self, c: Fraction) -> Fraction:
        """The derivative in beta, which all heads share."""
        return fraction((self.forces(c) * self.products).sum())


def turned_gradient(words: np.ndarray, heads: LookupHeads, c: Fraction, turns: str) -> np.ndarray:
    r"""The gradient in the first head's ``W``, ``(d_e, d_e)``, averaged over turned codes.

    ``words`` are the rows of an integer matrix whose rows have one length.  A turn permutes the coordinates and changes
    signs, which leaves the products of codes and hence the forces: every term is a force times an outer product.
    """
    d_e = words.shape[1]
    length = quick(int(words[0] @ words[0]))
    within_budget("turns", 2**d_e * factorial(d_e), _TURNS, why="all are enumerated", advice="d_e <= 4")
    proper = turns == "proper"  # of determinant 1
    orders = [tuple(range(d_e))] if turns == "none" else list(permutations(range(d_e)))
    signs = list(product((1, -1), repeat=d_e)) if turns in ("signed", "proper") else [(1,) * d_e]
    force, total, count = heads.forces(c)[0], np.full((d_e, d_e), quick(0)), 0
    for order in orders:
        for sign in signs:
            if proper and np.linalg.det(np.eye(d_e)[list(order)] * sign) < 0:
                continue
            count += 1
            moved = words[:, list(order)] * np.array(sign)
            total = total + np.outer(moved[0], (force[:, None] * moved).sum(axis=0))
    return total / (length * quick(count))
