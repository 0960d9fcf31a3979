r"""Classes of prompts: tokens of a class and any indices at every position, each free of the others.

Position ``j`` holds a token :math:`x_j` and indices :math:`t_{j1},\dots,t_{jq}`.  As fields of a network they are
``"x"``, numbers of width ``d``, and the words ``"slot1"`` … ``"slotq"``; the position itself is ``PLACE``.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from theorytools.blocks.network import PLACE, Field
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers.boxes import Array, Box, length

Indices = NDArray[np.int64]
VERTICES = 12  # dimensions of which all vertices are enumerated


@dataclass(frozen=True)
class Prompts:
    r"""Prompts of ``N`` positions with tokens of a class and any indices.

    Attributes
    ----------
    N, d, q : positions, width of a token, indices at each position.
    tokens : ``"signs"``, :math:`x_k=\pm r`; ``"box"``, :math:`|x_k|\le r`; ``"ball"``, :math:`\|x\|_2\le r`.
    radius : :math:`r`.

    Raises
    ------
    DomainError : another class, a size below 1 (``q`` may be 0), or a radius that is not a finite number above 0.

    Examples
    --------
    >>> Prompts(3, 1, 1).states()[0].tolist()
    [[-1.0], [-1.0], [-1.0], [1.0], [1.0], [1.0]]
    """

    N: int
    d: int
    q: int = 1
    tokens: Literal["signs", "box", "ball"] = "signs"
    radius: float = 1.0

    def __post_init__(self) -> None:
        if self.tokens not in ("signs", "box", "ball"):
            raise DomainError(
                f"tokens of the class {self.tokens!r}", required="signs, box or ball",
                why="without a bound on tokens their scores are unbounded",
                advice='tokens="signs", or tokens="ball" with radius=…; for Gaussian tokens the radius that few exceed',
            )  # fmt: skip
        if self.N < 1 or self.d < 1 or self.q < 0:
            raise DomainError(
                f"N = {self.N}, d = {self.d}, q = {self.q}", required="N, d >= 1, q >= 0", why="sizes of a prompt",
            )  # fmt: skip
        if not (np.isfinite(self.radius) and self.radius > 0):
            raise DomainError(f"radius = {self.radius}", required="a finite radius > 0", why="it bounds the tokens")

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of the fields of the indices."""
        return tuple(f"slot{s}" for s in range(1, self.q + 1))

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields that a prompt holds."""
        return (Field("x", self.d), *(Field(name, self.N, word=True) for name in self.slots))

    @property
    def widths(self) -> dict[str, int]:
        """The width of each field, the place among them."""
        return {field.name: field.width for field in self.fields} | {PLACE: self.N}

    @property
    def vertices(self) -> Array:
        """All sign vectors times the radius, shape ``(2^d, d)``: the tokens, or the corners of the box.

        Raises
        ------
        BudgetError : more than 2^12.
        """
        if self.d > VERTICES:
            raise BudgetError(
                f"2^{self.d} tokens of signs", required=f"d <= {VERTICES}", why="all of them are enumerated",
                advice='the ball that holds them: tokens="ball", radius=r*d**.5',
            )  # fmt: skip
        return self.radius * np.array(list(itertools.product((-1.0, 1.0), repeat=self.d)))

    @property
    def tuples(self) -> Indices:
        """All tuples of indices in the order of their digits, shape ``(N^q, q)``."""
        return np.indices((self.N,) * self.q).reshape(self.q, self.N**self.q).T.astype(np.int64)

    def states(self) -> tuple[Array, Indices]:
        """Return the states of one position: tokens ``(2^d N^q, d)`` and indices ``(2^d N^q, q)``; for signs.

        Raises
        ------
        DomainError : tokens that are not finitely many.
        """
        if self.tokens != "signs":
            raise DomainError(f"states of tokens in a {self.tokens}", required="signs", why="they are enumerated")
        V, M = self.vertices, self.tuples
        return np.repeat(V, len(M), axis=0), np.tile(M, (len(V), 1))

    def inputs(self, X: Array, T: Indices) -> dict[str, Array | Indices]:
        """Return prompts ``(n, N, d)`` and ``(n, N, q)`` by the names of the fields."""
        found: dict[str, Array | Indices] = {"x": np.asarray(X, dtype=np.float64)}
        return found | {name: T[..., s] for s, name in enumerate(self.slots)}

    def reach(self, rows: Box) -> Array:
        r"""Return upper bounds of :math:`\max_x\langle v,x\rangle` over tokens ``x``, for rows ``v``."""
        return np.asarray(np.nextafter(self.radius * length(rows, self.tokens), np.inf))

    def inside(self, X: Array) -> Array:
        """Return tokens moved into the box or the ball, by clipping; signs stay as they are."""
        if self.tokens == "ball":
            return np.asarray(
                X * np.minimum(1, self.radius / np.maximum(np.linalg.norm(X, axis=-1), 1e-300))[..., None]
            )
        return np.clip(X, -self.radius, self.radius)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Indices]:
        """Return ``n`` random prompts of the class, ``(n, N, d)`` and ``(n, N, q)``; for trials, not for proofs."""
        shape = (n, self.N, self.d)
        T = rng.integers(0, self.N, (n, self.N, self.q))
        if self.tokens == "signs":
            return self.radius * rng.choice((-1.0, 1.0), shape), T
        if self.tokens == "box":
            return self.radius * rng.uniform(-1, 1, shape), T
        X = rng.standard_normal(shape)
        X *= rng.uniform(0, 1, (n, self.N, 1)) ** (1 / self.d) / np.linalg.norm(X, axis=-1, keepdims=True)
        return self.radius * X * (1 - 1e-12), T
