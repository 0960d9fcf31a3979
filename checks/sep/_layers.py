"""Random single layers with exact sums, and models whose sums do not decouple."""

import numpy as np

from theorytools.constructions.attention.attention_tables import FixedPointTables
from theorytools.constructions.attention.fixed_point import FixedPointAttention
from theorytools.theory.communication.protocol import OneLayerProtocol


def tables(q, kind=FixedPointTables):
    top, shape, rng = 1 << (q.p - 1), (2 * q.n, 2, q.H), q.rng("tables")
    e, v = rng.integers(1, 2 * top, shape), rng.integers(-top, top, (*shape, q.d_v))
    return kind(e, v, q.p, lambda N, D: (N[:, 0, 0] ** 2 + D[:, 0]) % 3 == 0)


def split(model) -> OneLayerProtocol:
    half = model.length // 2
    return OneLayerProtocol(model, range(half), range(half, 2 * half))


class CopyThenCompare(FixedPointAttention):
    r"""Two layers for equality: $y_i$ fetches $x_i$ by its code and compares; a mean of the mismatches decides.

    Layer 1: scores $\beta\langle t_i,t_j\rangle$ on $x$ with binary codes and $e^{2\beta}=16k$, so numerators are in
    the proportion of the integers $(16k)^{k-d_{ij}}$; the sign of the sum is taken.  Layer 2 is uniform.
    """

    p, heads, width = 2, 1, 1

    def __init__(self, n):
        self.n, self.length, k = n, 2 * n, max(1, (n - 1).bit_length())
        codes = np.arange(n)[:, None] >> np.arange(k) & 1
        gaps = (codes[:, None] != codes[None]).sum(axis=2)
        self.first = np.array([[(16 * k) ** int(k - g) for g in row] for row in gaps], dtype=np.int64)

    def numerators(self, tokens):
        return np.ones((len(tokens), self.length, 1), dtype=np.int64)

    def values(self, tokens):  # of the second layer: they depend on the other party's tokens
        fetched = (2 * tokens[:, : self.n] - 1) @ self.first.T > 0
        wrong = fetched != (tokens[:, self.n :] > 0)
        return np.concatenate([np.zeros_like(wrong), wrong], axis=1).astype(np.int64)[..., None, None]

    def answer(self, N, D):
        return N[:, 0, 0] == 0


class GlobalMaximum(FixedPointTables):
    """Numerators, larger for ones and late positions, rounded over the largest of the input: no public reference."""

    def unscaled(self, tokens):
        return super().numerators(tokens) * ((1 + 2 * tokens) * np.arange(1, self.length + 1))[..., None]

    def over(self, e, largest):
        return np.maximum(1, e * ((1 << self.p) - 1) // largest[:, None])

    def numerators(self, tokens):
        e = self.unscaled(tokens)
        return self.over(e, e.max(axis=1))
