"""A class of prompts: its sizes, its tokens, and any indices."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from theorytools.blocks.network import Field
from theorytools.numbers.boxes import Array

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Prompts:
    """Prompts of ``N`` tokens in ``d`` dimensions with ``q`` indices at each position.

    Attributes
    ----------
    N, d, q : sizes.
    tokens, radius : signs ``+-radius``, a box, or a ball.
    """

    N: int
    d: int
    q: int
    tokens: Literal["signs", "box", "ball"] = "signs"
    radius: float = 1.0

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields that a prompt holds."""
        return (Field("x", self.d), *(Field(f"slot{s}", self.N, word=True) for s in range(1, self.q + 1)))

    @property
    def vertices(self) -> Array:
        """The tokens of signs."""
        return self.radius * np.array(list(itertools.product((-1.0, 1.0), repeat=self.d)))

    def states(self) -> tuple[Array, Indices]:
        """The states of one position: tokens and tuples."""
        tuples = np.array(list(itertools.product(range(self.N), repeat=self.q)), dtype=np.int64)
        V = self.vertices
        return np.repeat(V, len(tuples), 0), np.tile(tuples, (len(V), 1))

    def inputs(self, X: Array, T: Indices) -> dict[str, Array | Indices]:
        """Prompts by the names of the fields."""
        found: dict[str, Array | Indices] = {"x": X}
        return found | {f"slot{s + 1}": T[..., s] for s in range(self.q)}
