r"""Single-layer attention on encoded prompts, with one scaled identity block per head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from numpy.typing import NDArray

from theorytools.codes.bch import has_duplicates
from theorytools.codes.protocol import Code
from theorytools.constructions.attention.layer import softmax
from theorytools.constructions.feedforward.readout import ReluHead
from theorytools.constructions.network import DOUBLE, Network, gamma, weights_rounding
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import Enclosure
from theorytools.numbers.formulas import evaluate
from theorytools.numbers.softmax import exact_number
from theorytools.tasks.sparse_regression import checked_prompts

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float64]
MEMORY = 2**31  # bytes of attention weights held at once


@dataclass(frozen=True)
class AttentionLayer(Network):
    r"""Heads that each compare one code slot of the query with one code slot of the key.

    The fields, the encoding and the errors are those of
    :class:`~theorytools.constructions.attention.block_attention.BlockAttention`, which adds
    the exact forward pass and the certificates.
    """

    codes: Code
    beta: Any
    q: int = 1
    d: int = 1
    head: ReluHead | None = None
    blocks: tuple[tuple[int, int], ...] | None = None
    scale: Any = None

    def __post_init__(self) -> None:
        if not exact_number(self.beta, "beta").is_positive:
            raise DomainError(f"beta = {self.beta}", required="beta > 0", why="the indexed position must score highest")
        if not (1 <= self.q <= self.N and self.d >= 1):
            raise DomainError(
                f"q = {self.q}, d = {self.d}, N = {self.N}", required="1 <= q <= N and d >= 1", why="Definition 2"
            )
        if self.scale is not None and not exact_number(self.scale, "scale").is_positive:
            raise DomainError(f"scale = {self.scale}", required="scale > 0", why="the squared factor of the codes")
        if not self.wiring:
            raise DomainError("no heads", required="at least one block (query slot, key slot)")
        if has_duplicates(self.codes):
            raise DomainError(
                "codes of which two are equal", required="distinct codes",
                why="two positions with one code share the attention: the leakage is at least 1/2 (Lemma 11)",
                advice="a larger d_e, or codes of guaranteed distance (bch)",
            )  # fmt: skip
        for slots in self.wiring:
            if len(slots) != 2 or not all(0 <= slot <= self.q for slot in slots):
                raise DomainError(f"the block {slots}", required=f"two slots between 0 and q = {self.q}")
        if self.head is not None and self.head.W.shape[1] != len(self.wiring) * self.d:
            raise DomainError(
                f"a head with {self.head.W.shape[1]} inputs",
                required=f"H d = {len(self.wiring) * self.d} inputs",
            )

    @property
    def N(self) -> int:
        """Sequence length."""
        return self.codes.N

    @property
    def wiring(self) -> tuple[tuple[int, int], ...]:
        """The (query slot, key slot) of each head."""
        return self.blocks if self.blocks is not None else tuple((h, 0) for h in range(1, self.q + 1))

    @property
    def alpha(self) -> sympy.Expr:
        r"""The block scale :math:`\alpha=\beta q/d`."""
        return exact_number(self.beta, "beta") * sympy.Rational(self.q, self.d)

    @property
    def squared_scale(self) -> sympy.Expr:
        """The squared factor in front of the codes."""
        return sympy.Rational(self.d, self.q) if self.scale is None else exact_number(self.scale, "scale")

    @property
    def temperature(self) -> sympy.Expr:
        r"""The effective inverse temperature, :math:`\alpha` times the squared code factor."""
        return self.alpha * self.squared_scale

    @property
    def D_e(self) -> int:
        """Embedding width."""
        return self.d + (self.q + 1) * self.codes.d_e

    def encode(self, X: Array, T: NDArray[np.int64]) -> Array:
        """Return the embedded prompts, shape ``(n, N, D_e)``, of ``X`` ``(n, N, d)`` and ``T`` ``(n, N, q)``."""
        X, T = self._prompts(X, T)
        omega = self.codes.matrix() * np.sqrt(float(self.squared_scale))
        own = np.broadcast_to(omega, (len(X), *omega.shape))
        return np.concatenate([X, own, *(omega[T[:, :, h]] for h in range(self.q))], axis=2)

    def W_QK(self, h: int) -> Array:
        """Return the merged query-key matrix of head ``h`` (0-based), shape ``(D_e, D_e)``, row = query side."""
        W = np.zeros((self.D_e, self.D_e))
        (query, key), k = self.wiring[h], self.codes.d_e
        W[self.d + query * k : self.d + (query + 1) * k, self.d + key * k : self.d + (key + 1) * k] = float(
            self.alpha
        ) * np.eye(k)
        return W

    def attention(self, X: Array, T: NDArray[np.int64]) -> Array:
        """Return the attention weights of every head, shape ``(n, H, N, N)``; rows sum to 1."""
        size = 8 * len(X) * len(self.wiring) * self.N**2
        if size > MEMORY:
            raise BudgetError(
                f"attention weights of {size / 2**30:.1f} GiB", required=f"at most {MEMORY / 2**30:.0f} GiB",
                why="all N^2 weights of every prompt and head are held at once",
                advice="fewer prompts at a time, or streamed evaluation for large N",
            )  # fmt: skip
        Z = self.encode(X, T)
        scores = np.stack([Z @ self.W_QK(h) @ Z.transpose(0, 2, 1) for h in range(len(self.wiring))], axis=1)
        return softmax(scores)

    def tokens(self, X: Array, T: NDArray[np.int64], *, r_x: float | None = None) -> Array:
        """Return the retrieved tokens, shape ``(n, N, H, d)``: the token part of every head's output.

        With ``r_x``, prompts with a token of larger norm are refused: :meth:`certificate` says nothing about them.
        """
        X, T = self._prompts(X, T)
        longest = float(np.sqrt((X**2).sum(axis=2)).max())
        if r_x is not None and longest > r_x:
            raise DomainError(
                f"a token of norm {longest:.6g}", required=f"norms at most r_x = {r_x}",
                why="the certificate covers the prompts of the assumption set only (Lemma 12)", advice="a larger r_x",
            )  # fmt: skip
        return np.einsum("nhij,njk->nihk", self.attention(X, T), X)

    def __call__(self, X: Array, T: NDArray[np.int64], *, r_x: float | None = None) -> Array:
        r"""Return :meth:`tokens`, or with a head the labels :math:`a^\top\sigma(Wf+b)`, shape ``(n, N)``."""
        tokens = self.tokens(X, T, r_x=r_x)
        return tokens if self.head is None else self.head(tokens.reshape(*tokens.shape[:2], -1))

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a trainable ``torch.nn.Module`` with these weights that computes the same function."""
        from theorytools.constructions.torch.attention import AttentionModule

        return AttentionModule(self, dtype, device)

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        """Return a bound on the rounding of tokens, or labels, of prompts with entries of modulus up to ``size``."""
        off = size * weights_rounding(float(self.temperature), self.codes.d_e, self.N, u)
        if self.head is None:
            return off
        a, W, b = (np.abs(part) for part in (self.head.a, self.head.W, self.head.b))
        sums = W.sum(axis=1)  # of a unit's weights: the tokens' errors and its own, and then those of the output
        return float(a @ (sums * (off + gamma(W.shape[1] + 8, u) * size) + 8 * u * b)
                     + gamma(len(a) + 8, u) * a @ (sums * size + b))  # fmt: skip

    def norms(self) -> dict[str, Enclosure]:
        r"""Return the norms of ``W_QK``, :math:`\alpha\sqrt{Hd_e}`, and of the head's weights."""
        alpha = evaluate(self.alpha, {})
        found = {"W_QK": alpha * Enclosure(len(self.wiring) * self.codes.d_e).sqrt()}
        return found | (self.head.norms() if self.head else {})

    def sizes(self) -> dict[str, int]:
        """Return the embedding width, the number of heads and that of the module's parameters."""
        weights = len(self.wiring) * self.D_e**2 + (self.head.sizes()["parameters"] if self.head else 0)
        return {"width": self.D_e, "heads": len(self.wiring), "parameters": weights}

    def _prompts(self, X: Array, T: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
        shapes = (np.shape(X), np.shape(T))
        if [s[1:] for s in shapes] != [(self.N, self.d), (self.N, self.q)] or shapes[0][0] != shapes[1][0]:
            raise DomainError(
                f"X {shapes[0]}, T {shapes[1]}", required=f"(n, {self.N}, {self.d}) and (n, {self.N}, {self.q})",
                why="a prompt holds N tokens in R^d and N index tuples (Definition 2)",
            )  # fmt: skip
        return checked_prompts(X, T)
