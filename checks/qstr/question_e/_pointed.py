"""The two-step look-up between two parties, and the second of two layers in fixed point."""

import numpy as np

from theorytools.constructions.attention.fixed_point import FixedPointAttention
from theorytools.theory.communication.protocol import OneLayerProtocol


def pointed(x, y):
    """Return the label at the position that the other party's token names."""
    return np.take_along_axis(*np.broadcast_arrays(x, y), axis=-1)[..., 0]


def split(q, model) -> OneLayerProtocol:
    """Return the protocol: labels are Alice's, the token with the pointer is Bob's, the query belongs to the answer."""
    return OneLayerProtocol(model, range(q.others), [q.others], letters=max(q.others, q.Y))


class SecondLayer(FixedPointAttention):
    """A first layer has handed on the pointer; this one weighs the position it names, labels 0 and 1."""

    heads, width = 1, 1

    def __init__(self, n, p):
        self.n, self.length, self.p = n, n + 1, p

    def numerators(self, tokens):
        """Return the largest numerator at the position named, 1 elsewhere: they depend on the other party's token."""
        return np.where(np.arange(self.length) == tokens[:, -1:], (1 << self.p) - 1, 1)[..., None]

    def values(self, tokens):
        """Return the labels, negated, so that one bit holds them."""
        return -(tokens * (np.arange(self.length) < self.n))[..., None, None]

    def answer(self, N, D):
        """Return whether more than half of the weight is on labels 1."""
        return (-2 * N[:, 0, 0] > D[:, 0]).astype(int)
