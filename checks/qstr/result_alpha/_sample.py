"""A sample of simple prompts, a network that fits it through a table of bits, and what the network then does."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theorytools.numbers.gf2 import matrix_rank, solve
from theorytools.papers.qstr.recurrent.residual import ResidualRNN


@dataclass(frozen=True)
class Fitted:
    """Prompts of signs, shape ``(n, N)``, their indices, the places the network reads, and the network."""

    X: Any
    T: Any
    places: Any
    net: ResidualRNN
    encode: Any

    def wrong(self) -> Fraction:
        """The largest error over the prompts and all positions."""
        labels = self.X[np.arange(len(self.X)), self.T]
        return np.abs(self.net(self.encode(self.X)) - labels[:, None]).max()

    def table(self) -> list[int] | None:
        """The places that the network's answer depends on, read off prompts with one token +1; None for no parity."""
        N = self.X.shape[1]
        single = -np.ones((len(self.places) + 1, N), dtype=int)
        single[np.arange(1, len(single)), self.places] = 1
        out = self.net(self.encode(single))
        if (out != out[:, :1]).any() or not set(out[:, 0]) <= {-1, 1} or out[0, 0] != -1:
            return None
        return [k for k, answer in zip(self.places, out[1:, 0], strict=True) if answer == 1]

    def risk(self) -> Fraction:
        """The population risk: 2 - 2/N if the table names one place, else 2; 0 where the network is no parity."""
        table = self.table()
        return Fraction(0) if table is None else 2 - Fraction(2 * (len(table) == 1), self.X.shape[1])

    def enumerated(self) -> Fraction:
        """The same over all prompts and indices."""
        N = self.X.shape[1]
        every = 1 - 2 * (np.arange(2**N)[:, None] >> np.arange(N) & 1)
        out = self.net(self.encode(every))
        errors = sum((((out[:, j, None] - every) ** 2).sum() for j in range(N)), Fraction(0))
        return errors / (2**N * N * N)


def fitted(p, N, places, memory, encode) -> Fitted:
    """The first sample drawn whose tokens at these places are independent over GF(2), and its network."""
    rng = p.rng("prompts")
    while True:
        X = rng.choice([-1, 1], (p.n, N))
        bits = X[:, places] == 1
        if matrix_rank(bits) == p.n:
            break
    T = rng.integers(0, N, p.n)
    rows = [sum(1 << r for r in np.flatnonzero(row).tolist()) for row in bits]
    word = solve(rows, [int(x == 1) for x in X[np.arange(p.n), T]])
    return Fitted(X, T, places, memory([word >> r & 1 for r in range(len(places))]), encode)


def independent(n, M) -> Fraction:
    """The probability that n uniform vectors of M bits are independent."""
    product = Fraction(1)
    for i in range(n):
        product *= 1 - Fraction(1, 2 ** (M - i)) if i < M else 0
    return product


def union_bound(n, M) -> Fraction:
    """Its lower bound by a sum: vector i lies in the span of those before it with probability at most 2^(i - M)."""
    return 1 - Fraction(2**n - 1, 2**M)
