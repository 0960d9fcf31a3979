"""Two layers that answer several queries over separate tokens, executed in integers, and their worst case."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product

import numpy as np

from theorytools.errors import DomainError


def signs(numbers, digits):
    return 1 - 2 * (np.asarray(numbers)[..., None] >> np.arange(digits) & 1)


@dataclass(frozen=True)
class Recall:
    r"""The tokens $k_1v_1\dots k_Nv_N$, a null token, $q_1\dots q_R$; keys out of $K=2^\kappa$.

    Layer 1: a value token fetches the key of its slot by the slot's binary code, base $b_1$, and rounds it to signs.
    Layer 2: a query token compares its key with those fetched, base $b_2$; the null token has the score
    $\kappa-1$ with every query, between $\kappa$ of the key itself and $\kappa-2$ of any other. Tokens that a layer
    does not look up have key 0, value 0 and score 0; they count in the denominators.
    """

    K: int
    N: int
    Y: int
    R: int
    first: int
    second: int
    null: int = -1  # the score of the null token minus kappa
    shift: int = 0  # the value token fetches the key of a later slot
    silent: bool = True  # query tokens show no key in layer 2

    def __post_init__(self):
        if self.K & (self.K - 1) or not 2 <= self.N <= self.K:
            raise DomainError(f"K = {self.K}, N = {self.N}", required="a power of two, 2 <= N <= K",
                              why="keys are all sign vectors of one length")

    @property
    def kappa(self):
        return self.K.bit_length() - 1

    @property
    def k(self):
        return (self.N + self.R - 1).bit_length()

    @property
    def c(self):
        return (self.Y - 1).bit_length()

    @property
    def width(self):
        """Own key, key to look for, key fetched; slot as key, as query; value; value token, null, query, presence."""
        return 3 * self.kappa + 2 * self.k + self.c + 4

    def fetched(self, keys):
        """Layer 1 on keys (B, N): numerators (B, N, kappa) and denominators (N,) of what the value tokens fetch."""
        slots = signs(np.arange(self.N), self.k)
        asking = np.roll(slots, -self.shift, axis=0)
        e = self.first ** (asking @ slots.T + self.k).astype(np.int64)  # times b1^k
        others = (self.N + 1 + self.R) * self.first**self.k
        return np.einsum("ij,bjk->bik", e, signs(keys, self.kappa)), e.sum(axis=1) + others

    def run(self, keys, values, queries):
        """Numerators (B, R, c + 1) and denominators (B, R) of layer 2, and how many fetched signs are not exact."""
        top, bottom = self.fetched(keys)
        unclear = int((2 * abs(top) < bottom[:, None]).sum())  # clip(2 z) is a sign iff |z| >= 1/2
        asked = signs(queries, self.kappa)
        e = self.second ** (np.einsum("brk,bjk->brj", asked, np.sign(top)) + self.kappa)
        null = self.second ** (2 * self.kappa + self.null) if self.null > -2 * self.kappa else 0  # else left out
        shown = np.einsum("brk,bsk->brs", asked, asked) if not self.silent else np.zeros((1, 1, self.R), dtype=np.int64)
        rest = (self.second ** (shown + self.kappa)).sum(axis=2) + self.N * self.second**self.kappa
        tokens = np.concatenate([signs(values, self.c), np.ones((*keys.shape, 1), dtype=np.int64)], axis=2)
        out = np.einsum("brj,bjc->brc", e, tokens)
        out[..., -1] -= null
        return out, e.sum(axis=2) + null + rest, unclear

    def margins(self, keys, values, queries):
        """The least margin of presence and of the value's signs over inputs (B, N), (B, N), (B, R), and `unclear`."""
        if (self.N + self.R + 2) * self.second ** (2 * self.kappa) >= 2**62:
            raise DomainError(f"K = {self.K}", required="weights within 62 bits", why="layers are run in integers")
        out, total, unclear = self.run(keys, values, queries)
        found = (queries[:, :, None] == keys[:, None]).any(axis=2)
        own = np.take_along_axis(values, (queries[:, :, None] == keys[:, None]).argmax(axis=2), axis=1)
        right = np.concatenate([signs(own, self.c) * out[..., :-1], (2 * found - 1)[..., None] * out[..., -1:]], axis=2)
        right[..., :-1][~found] = total[~found][:, None]  # no value is read where there is none
        pairs = np.unique(np.stack([right.min(axis=2).ravel(), total.ravel()]), axis=1)
        return min(Fraction(*map(int, pair)) for pair in pairs.T), unclear

    def every_input(self):
        """All sequences of pairs, each with all keys as queries in order: (B, N), (B, N), (B, K)."""
        keys = np.array(list(permutations(range(self.K), self.N)))
        values = np.array(list(product(range(self.Y), repeat=self.N)))
        B = len(keys) * len(values)
        asked = np.broadcast_to(np.arange(self.R) % self.K, (B, self.R))
        return np.repeat(keys, len(values), axis=0), np.tile(values, (len(keys), 1)), asked

    def others(self, count, farthest=False):
        r"""The least or largest $\sum b_2^{-2d}$ over so many keys other than one, as a rational number."""
        b, total, kappa = Fraction(1, self.second**2), Fraction(0), self.kappa
        sizes = [1]
        for d in range(kappa):
            sizes.append(sizes[-1] * (kappa - d) // (d + 1))
        for d in range(kappa, 0, -1) if farthest else range(1, kappa + 1):
            taken = min(count, sizes[d])
            total, count = total + taken * b**d, count - taken
        return total

    def worst(self):
        """The least margin over all inputs: of a value, of presence, and of absence where a key can be absent."""
        null, rest = Fraction(self.second) ** self.null, Fraction(self.N + self.R, self.second**self.kappa)
        most, least = self.others(self.N - 1), self.others(self.N - 1, farthest=True)
        found = [(1 - most) / (1 + most + null + rest), (1 + least - null) / (1 + least + null + rest)]
        if self.K > self.N:
            every = self.others(self.N)
            found.append((null - every) / (null + every + rest))
        return min(found)

    def fetch(self):
        """The least margin of a fetched sign, at slot 0, where distances are least, all other keys opposite."""
        b = Fraction(1, self.first**2)
        near = Counter(i.bit_count() for i in range(1, self.N))
        others = sum(count * b**d for d, count in near.items())
        return (1 - others) / (1 + others + Fraction(self.N + 1 + self.R, self.first**self.k))
