r"""A deep ReLU network behind the first layer, in rationals: value, gradient, and training with the first layer."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.papers.qstr.first_layers.stationary import DecayedObjective
from theorytools.tasks.sparse_regression import slope_of

Exact = NDArray[Any]  # fractions, dtype object
_GRID = 2**10  # parameters behind the first layer are rounded to multiples of 1/1024: any f is allowed


@dataclass(frozen=True, eq=False)
class DeepReadout:
    r"""The network :math:`M_L\sigma(\cdots M_1\sigma(z+e_t))` with one embedding for each index.

    ``embeddings`` has shape ``(N, m)``; ``layers`` chain from width ``m`` to 1, without biases.
    """

    embeddings: Exact
    layers: tuple[Exact, ...]

    @classmethod
    def random(cls, rng: np.random.Generator, N: int, m: int, width: int, depth: int) -> DeepReadout:
        """Draw parameters in quarters; those of embeddings are not negative, so that most units are on."""
        sizes = [m, *[width] * (depth - 1), 1]
        drawn = [rng.integers(-2, 5, shape) for shape in zip(sizes[1:], sizes[:-1], strict=True)]
        E, *layers = [np.array(part.tolist(), dtype=object) * Fraction(1, 4)
                      for part in (rng.integers(1, 5, (N, m)), *drawn)]
        return cls(E, tuple(layers))

    def __call__(self, t: int, z: Exact) -> tuple[Fraction, Exact]:
        """Return value and gradient in ``z``; at a kink the derivative is 0."""
        value, _, slopes = self._passed(t, z)
        return value, slopes[0]

    def _passed(self, t: int, z: Exact) -> tuple[Fraction, list[Exact], list[Exact]]:
        """The value, what each layer reads, and the slopes in what each layer is given, before its ReLU."""
        h, read, on = z + self.embeddings[t], [], []
        for M in self.layers:
            on.append(np.array([int(x > 0) for x in h], dtype=object))
            read.append(on[-1] * h)
            h = M @ read[-1]
        slope, slopes = np.array([Fraction(1)], dtype=object), []
        for M, active in zip(self.layers[::-1], on[::-1], strict=True):
            slope = active * (M.T @ slope)
            slopes.append(slope)
        return h[0], read, slopes[::-1]

    def step(self, task: DecayedObjective, W: Exact, rate: Fraction) -> DeepReadout:
        """Return the network after one step of descent on all of its layers, rounded."""
        moves = [0 * M for M in self.layers]
        for t, x, y in zip(task.t, task.inputs, task.y, strict=True):
            value, read, slopes = self._passed(t, W @ x)
            after = [*slopes[1:], np.array([Fraction(1)], dtype=object)]
            scale = slope_of(task.loss)(Fraction(value - y)) / task.n
            moves = [m + scale * np.outer(s, h) for m, s, h in zip(moves, after, read, strict=True)]
        layers = [M - rate * m for M, m in zip(self.layers, moves, strict=True)]
        return DeepReadout(self.embeddings, tuple(np.array([[Fraction(round(x * _GRID), _GRID) for x in row]
                                                            for row in M], dtype=object) for M in layers))
