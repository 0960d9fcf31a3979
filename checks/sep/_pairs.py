"""Recurrent models of the nearest-neighbour task, whose codewords come in a fixed order."""

import math
from dataclasses import dataclass

import numpy as np

from theorytools.codes.families import binary_index, rademacher
from theorytools.errors import DomainError
from theorytools.papers.sep.recurrent.asked_first import RunningBest
from theorytools.papers.sep.recurrent.registers import QuantisedTanhRNN


def codewords(q):
    """Sign vectors (N, d): the positions in binary, or random ones drawn again until similarities are at most d/2."""
    if q.code == "binary":
        codes = binary_index(q.N).signs.astype(int)
        if (q.d_x, q.d_gamma) != (codes.shape[1], 2):
            raise DomainError(f"d = {q.d_x}", required=f"d = {codes.shape[1]}, margin 2/d", why="positions in binary")
        return codes
    rng = q.rng("codewords")
    if 2 * q.d_gamma != q.d_x or q.d_x < 16 * math.log(q.N):
        raise DomainError(f"d = {q.d_x}", required="d >= 16 log N, margin 1/2", why="half of the codes then have it")
    while True:  # each draw succeeds with probability above 1/2
        codes = rademacher(q.N, q.d_x, rng).signs.astype(int)
        if 2 * gap(codes) >= q.d_x:
            return codes


def gap(codes):
    """The margin times d: the similarity of a codeword with itself minus the largest with another."""
    similar = codes @ codes.T
    return int((np.diagonal(similar) - (similar - np.diag(2 * np.diagonal(similar))).max(axis=1)).min())


def nearest(codes, labels, asked):
    """The label of the codeword most similar to each codeword asked, for labels (..., N) and numbers (..., 1)."""
    labels, asked = np.broadcast_arrays(labels, asked)
    return np.take_along_axis(labels, (codes @ codes.T).argmax(axis=1)[asked], axis=-1)[..., 0]


@dataclass(frozen=True, eq=False)
class PairReader:
    """A rounded tanh network that reads x_t and the label together."""

    net: QuantisedTanhRNN
    V: np.ndarray
    codes: np.ndarray

    @property
    def start(self):
        """The start of the network."""
        return self.net.start

    def step(self, h, symbols, t):
        """The network with the codeword added to its bias."""
        moved = QuantisedTanhRNN(self.net.W, self.net.U, self.net.b + self.V @ self.codes[t], self.net.p)
        return moved.step(h, symbols, t)


class LastLabel(RunningBest):
    """Keeps the label of the last vector."""

    def step(self, h, symbols, t):
        """Forget which vector was nearer."""
        after = super().step(h, symbols, t)
        return after if t == 0 else np.column_stack([after[:, :2], symbols])
