r"""Deep networks with rational weights, alone and as the maps of a bidirectional recurrent network, in pairs.

The perturbation inequalities of :mod:`theorytools.papers.qstr.capacity.covering` compare how far outputs and
parameters are apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, PositiveInt, at_most, checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, euclidean, maximum
from theorytools.theory.capacity.perturbation.attention import Matrix, Vector, dot


@checked
@dataclass(frozen=True)
class Deep:
    r"""A network :math:`W_L\sigma(W_{L-1}\cdots\sigma(W_1x+b_1)\cdots+b_{L-1})` with rational weights.

    Parameters
    ----------
    weights : the matrices :math:`W_1,\dots,W_L`.
    biases : the vectors :math:`b_1,\dots,b_{L-1}`.
    """

    weights: Sequence[Matrix]
    biases: Sequence[Vector]

    def __post_init__(self) -> None:
        if len(self.biases) != len(self.weights) - 1:
            raise DomainError(f"{len(self.biases)} biases", required="one for every layer but the last")

    @classmethod
    def random(cls, rng: np.random.Generator, widths: Sequence[int]) -> Deep:
        """Return a network with entries drawn from the multiples of 1/4 in [-1, 1]."""

        def draw(*shape: int) -> Any:
            return (np.vectorize(lambda x: Fraction(int(x), 4), otypes=[object])(rng.integers(-4, 5, shape))).tolist()

        return cls([draw(m, k) for k, m in pairwise(widths)], [draw(m) for m in widths[1:-1]])

    @classmethod
    @at_most(L=ENTRIES)
    def scalar(cls, L: NonNegativeInt, size: Fraction) -> Deep:
        """Return ``L`` layers of one unit, all weights and biases equal to ``size``."""
        return cls([[[size]]] * L, [[size]] * (L - 1))

    def __call__(self, x: Vector) -> Vector:
        """Return the output; ``DomainError`` unless ``x`` has as many entries as the first matrix has columns."""
        if len(x) != len(self.weights[0][0]):
            raise DomainError(f"an input of length {len(x)}", required=f"length {len(self.weights[0][0])}")
        for W, b in zip(self.weights, self.biases, strict=False):
            x = [max(dot(row, x) + c, Fraction(0)) for row, c in zip(W, b, strict=True)]
        return [dot(row, x) for row in self.weights[-1]]

    def blocks(self) -> list[list[Fraction]]:
        """Return all weight matrices and bias vectors, flattened."""
        return [[x for row in W for x in row] for W in self.weights] + [list(b) for b in self.biases]

    def moved(self, rng: np.random.Generator, step: Fraction) -> Deep:
        """Return the network with ``step`` added to or taken from every parameter, at random."""

        def near(x: Fraction) -> Fraction:
            return x + step * int(rng.integers(2) * 2 - 1)

        return Deep(
            [[[near(x) for x in row] for row in W] for W in self.weights], [[near(x) for x in b] for b in self.biases]
        )


@checked
@dataclass(frozen=True)
class DeepPair:
    """Two deep networks of one shape and the inputs at which they are compared."""

    first: Deep
    second: Deep
    inputs: Matrix

    def gap2(self) -> Fraction:
        """Return the largest squared distance of the outputs."""
        pairs = ([a - b for a, b in zip(self.first(x), self.second(x), strict=True)] for x in self.inputs)
        return Fraction(max(dot(v, v) for v in pairs))

    def output2(self) -> Fraction:
        """Return the largest squared length of an output."""
        return Fraction(max(dot(y, y) for net in (self.first, self.second) for y in map(net, self.inputs)))

    def radius(self) -> Enclosure:
        """Return the largest norm of a block of either network, at least 1."""
        return maximum([1, *(euclidean(block) for net in (self.first, self.second) for block in net.blocks())])

    def distance(self) -> Enclosure:
        """Return the largest distance of two corresponding blocks."""
        pairs = zip(self.first.blocks(), self.second.blocks(), strict=True)
        return maximum([euclidean(a - b for a, b in zip(s, t, strict=True)) for s, t in pairs])

    def reach(self) -> Enclosure:
        """Return the largest length of an input."""
        return maximum([euclidean(x) for x in self.inputs])


@checked
@dataclass(frozen=True)
class BidirectionalPair:
    r"""Two bidirectional networks with a scalar state in each direction, deep transitions and a deep readout.

    Parameters
    ----------
    forward, backward : transitions :math:`(h,z)\mapsto f(h,z)`; their inputs are not used.
    readout : readouts :math:`(h^\to,h^\leftarrow,z)\mapsto\hat y`; their inputs are not used.
    inputs : :math:`z_1,\dots,z_N`.
    r_h : radius of the states.
    """

    forward: DeepPair
    backward: DeepPair
    readout: DeepPair
    inputs: Matrix
    r_h: Fraction

    @classmethod
    @at_most(N=ENTRIES)
    def creeping(cls, N: PositiveInt, reach: Fraction, step: Fraction) -> BidirectionalPair:
        """Return a network that does nothing and one whose weight ``step`` on the input makes its states creep away.

        At the last position the bound of Corollary 31 is attained, up to what long inputs and a small step make small.
        """
        zero, one, s = Fraction(0), Fraction(1), Fraction(step)
        pair = DeepPair(Deep([[[zero, zero]]], []), Deep([[[zero, s]]], []), [])
        readout = DeepPair(Deep([[[one, zero, zero]]], []), Deep([[[one, zero, s]]], []), [])
        return cls(pair, pair, readout, [[Fraction(reach)]] * N, reach * s * N)

    @classmethod
    @at_most(N=ENTRIES)
    def random(cls, rng: np.random.Generator, N: PositiveInt, step: Fraction, r_h: Fraction) -> BidirectionalPair:
        """Return random networks of two layers that do not read the state, and all parameters moved by ``step``."""

        def pair(width: int, blind: int) -> DeepPair:
            net = Deep.random(rng, [width, 2, 1])
            rows = [[Fraction(0)] * blind + list(row)[blind:] for row in net.weights[0]]
            net = Deep([rows, *net.weights[1:]], net.biases)
            return DeepPair(net, net.moved(rng, step), [])

        z = [[Fraction(x, 4) for x in row] for row in rng.integers(-8, 9, (N, 2)).tolist()]
        return cls(pair(3, 1), pair(3, 1), pair(4, 0), z, r_h)

    def outputs(self, which: Literal["first", "second"]) -> list[Fraction]:
        """Return the predictions of the ``"first"`` or the ``"second"`` network at every position."""
        forward, backward, readout = (getattr(pair, which) for pair in (self.forward, self.backward, self.readout))
        right, left = self._states(forward, self.inputs), self._states(backward, self.inputs[::-1])[::-1]
        return [readout([h, k, *z])[0] for h, k, z in zip(right, left, self.inputs, strict=True)]

    def _states(self, f: Deep, inputs: Matrix) -> list[Fraction]:
        h = [Fraction(0)]
        for z in inputs[:-1]:
            h.append(min(max(h[-1] + f([h[-1], *z])[0], -self.r_h), self.r_h))
        return h

    def gap(self) -> Fraction:
        """Return the largest distance of two predictions."""
        return max(abs(a - b) for a, b in zip(self.outputs("first"), self.outputs("second"), strict=True))

    def radius(self) -> Enclosure:
        """Return the largest norm of a block, at least 1."""
        return maximum([pair.radius() for pair in (self.forward, self.backward, self.readout)])

    def distances(self) -> tuple[Enclosure, Enclosure]:
        """Return the largest distance of two blocks of the transitions, and of the readouts."""
        return maximum([self.forward.distance(), self.backward.distance()]), self.readout.distance()

    def reach(self) -> Enclosure:
        """Return the largest length of an input."""
        return maximum([euclidean(z) for z in self.inputs])
