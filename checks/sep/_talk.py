"""Both orders of speaking for index lookup: Alice holds the bits, Bob the position."""

from dataclasses import dataclass

import numpy as np

from theorytools.codes.families import binary_index


@dataclass(frozen=True)
class Talk:
    """The integer weights of one attention head, e[p, j]: what Alice sums when she is told p."""

    e: np.ndarray

    @classmethod
    def of(cls, N):
        """Weights (2k)^(k - d) for binary codes of length k at Hamming distance d."""
        codes = binary_index(N).signs.astype(int)
        k = codes.shape[1]
        return cls((2 * k) ** (k - (k - codes @ codes.T) // 2).astype(object))

    def numerators(self, words):
        """What Alice sums for every word and every position she could be told, shape (R, N)."""
        return (2 * words.astype(object) - 1) @ self.e.T

    def margin(self):
        """The target's weight minus all others together, at the worst position: positive iff no word fails."""
        return int((2 * np.diagonal(self.e) - self.e.sum(axis=1)).min())

    def bits(self, numerators):
        """Bits of the position, the denominator, and the numerator with its sign, in fields of a fixed size."""
        sizes = (len(self.e) - 1, self.e.sum(axis=1).max(), np.abs(numerators).max())
        return sum(int(size).bit_length() for size in sizes) + 1


def one_message(words, lost=0):
    """Alice's word as one integer without its last bits, and Bob's answers at every position from it."""
    places = np.arange(words.shape[1])[::-1]
    message = (words << places).sum(axis=1) >> lost << lost
    return message[:, None] >> places & 1
