r"""The attention layer of Lemma 11: one head per index slot, one scaled identity block per head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from numpy.typing import NDArray

from theorytools.algebra.estimate import Recipe, enclosed
from theorytools.algebra.rigorous import Enclosure, ball_matmul, maximum
from theorytools.algebra.rigorous.printer import evaluate
from theorytools.codes.protocol import Code
from theorytools.constructions.leakage import Profiles, boltzmann, exact_number, worst_leakage
from theorytools.constructions.relu_head import ReluHead
from theorytools.errors import DomainError

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BlockAttention:
    r"""Attention that retrieves the indexed tokens: :math:`W^{(h)}_{QK}` is zero but for one block :math:`\alpha I`.

    Token ``i`` is embedded as
    :math:`z_i=(x_i,\sqrt{d/q}\,(\omega_i,\omega_{t_{i1}},\dots,\omega_{t_{iq}}))\in\mathbb R^{D_e}`,
    :math:`D_e=d+(q+1)d_e`.  Head ``h`` compares index slot ``h`` of the query with the own code of the key,

    .. math:: \langle z_i,W^{(h)}z_j\rangle=\alpha\tfrac dq\langle\omega_{t_{ih}},\omega_j\rangle
              =\beta\,G_{t_{ih},j},\qquad\alpha=\beta q/d .

    Parameters
    ----------
    codes : unit position codes :math:`\omega_1,\dots,\omega_N`.
    beta : effective inverse temperature, an exact number (int, Fraction, sympy number; a float is read as its
        shortest decimal).
    q, d : index slots and token dimension.
    head : optional two-layer head on the retrieved tokens, input :math:`(v_1,\dots,v_q)\in\mathbb R^{qd}`.
    blocks : for each head the pair (query slot, key slot) of its block, slot 0 being a position's own code;
        ``((1, 0), …, (q, 0))`` unless given.
    scale : squared factor in front of the codes, :math:`d/q` unless given.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 11 and eq. (A.2), arXiv 2503.11272v1.

    Examples
    --------
    >>> from theorytools.codes import hadamard
    >>> net = BlockAttention(hadamard(8), beta=12, q=1, d=2)
    >>> X, T = np.arange(16.0).reshape(1, 8, 2), np.full((1, 8, 1), 3)
    >>> np.round(net(X, T)[0, 0, 0], 2)
    array([6., 7.])
    """

    codes: Code
    beta: Any
    q: int = 1
    d: int = 1
    head: ReluHead | None = None
    blocks: tuple[tuple[int, int], ...] | None = None
    scale: Any = None

    def __post_init__(self) -> None:
        exact_number(self.beta, "beta")
        if self.q < 1 or self.d < 1:
            raise DomainError(f"q = {self.q}, d = {self.d}", required="q >= 1 and d >= 1", why="Definition 2")
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

    def leakage(self) -> Recipe:
        r"""Return :math:`L=\max_tL_t`, the certified worst case over **all** prompts (see :mod:`.leakage`)."""
        return enclosed(self.worst_leakage)

    def worst_leakage(self) -> Enclosure:
        """Return the leakage at the ambient precision (see :meth:`leakage` for the refinable form)."""
        return worst_leakage(self._profiles, self.temperature)

    @cached_property
    def _profiles(self) -> Profiles:
        return Profiles.of(self.codes)

    @cached_property
    def _gram(self) -> NDArray[np.int64]:
        return self.codes.gram_numerators()

    def probes(self, count: int) -> list[int]:
        """Return the positions of largest leakage as doubles see it, and ``count`` others: only where to look."""
        scores = float(self.temperature) * (self._gram / self.codes.gram_denominator - 1)
        np.fill_diagonal(scores, -np.inf)
        excess = np.exp(scores).sum(axis=1)
        largest = np.flatnonzero(excess >= excess.max() * (1 - 1e-9))[:count]
        return sorted({*largest.tolist(), *range(0, self.N, max(1, self.N // count))})

    def certificate(self, r_x: Any) -> Recipe:
        r"""Return :math:`2r_xL`, the largest error of a retrieved token over all prompts with :math:`\|x_j\|\le r_x`.

        It is attained when the indexed token is :math:`r_xv` and all others are :math:`-r_xv`.
        """
        radius = exact_number(r_x, "r_x")
        return enclosed(lambda: 2 * evaluate(radius, {}) * self.worst_leakage())

    # -- exact: rationals where the exponentials are -----------------------------------------------------
    def exact_token(
        self, X: Sequence[Sequence[Any]], T: NDArray[np.int64], i: int, h: int
    ) -> list[Enclosure]:
        r"""Return the token part of head ``h`` at position ``i`` at the ambient precision, by the forward pass.

        ``X`` holds integers or Fractions, shape ``(N, d)``, ``T`` index tuples of shape ``(N, q)``.  Weights are kept
        unnormalised, :math:`w_j=e^{-\\beta(s-K)/s}`, and divided once: :math:`\\sum_jw_jx_j/\\sum_jw_j`.
        """
        s, (query, key) = self.codes.gram_denominator, self.wiring[h]
        products = self._gram[_slot(T, query)[i], _slot(T, key)].tolist()
        # equal products have equal weights: sum their tokens first, in integers or fractions
        sums: dict[int, list[Any]] = {}
        for product, x in zip(products, X, strict=True):
            known = sums.setdefault(product, [0] * (len(x) + 1))
            sums[product] = [a + b for a, b in zip(known, [*x, 1], strict=True)]
        weights = [[boltzmann(self.temperature, s - product, s) for product in sums]]
        *tokens, normaliser = ball_matmul(weights, list(sums.values()))[0]
        return [token / normaliser for token in tokens]

    def extremal_error(self, r_x: int | Fraction, positions: Sequence[int]) -> Recipe:
        r"""Return the largest error of a retrieved token over the extremal prompts of the given positions.

        The prompt of position ``t`` and slot ``h`` has :math:`x_t=r_xe_1`, every other token :math:`-r_xe_1`, slot
        ``h`` of every index tuple equal to ``t`` and the other slots pointing elsewhere.  The forward pass is run,
        not the closed form: over all ``t`` the maximum is :math:`2r_xL`.
        """
        return enclosed(
            lambda: maximum(self._error(r_x, t, h) for t in positions for h in range(len(self.wiring)))
        )

    def _error(self, r_x: int | Fraction, t: int, h: int) -> Enclosure:
        X = [[r_x if j == t else -r_x] for j in range(self.N)]
        T = np.full((self.N, self.q), (t + 1) % self.N)
        T[:, h] = t
        return abs(self.exact_token(X, T, (t + 2) % self.N, h)[0] - r_x)

    # -- float64 -----------------------------------------------------------------------------------------
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
        Z = self.encode(X, T)
        scores = np.stack([Z @ self.W_QK(h) @ Z.transpose(0, 2, 1) for h in range(len(self.wiring))], axis=1)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True)

    def __call__(self, X: Array, T: NDArray[np.int64]) -> Array:
        """Return the retrieved tokens, shape ``(n, N, H, d)``: the token part of every head's output."""
        X, T = self._prompts(X, T)
        return np.einsum("nhij,njk->nihk", self.attention(X, T), X)

    def predict(self, X: Array, T: NDArray[np.int64]) -> Array:
        r"""Return the labels :math:`a^\top\sigma(Wf+b)` of the head, shape ``(n, N)``."""
        if self.head is None:
            raise DomainError(
                "a construction without a head", required="head=linear_head(u, q) or another ReluHead"
            )
        tokens = self(X, T)
        return self.head(tokens.reshape(*tokens.shape[:2], -1))

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a trainable ``torch.nn.Module`` with these weights that computes the same function."""
        from theorytools.constructions.torch_attention import attention_module

        return attention_module(self, dtype=dtype, device=device)

    def _prompts(self, X: Array, T: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
        X, T = np.asarray(X, dtype=np.float64), np.asarray(T)
        if X.ndim != 3 or X.shape[1:] != (self.N, self.d) or T.shape != (*X.shape[:2], self.q):
            raise DomainError(
                f"X {X.shape}, T {T.shape}", required=f"(n, {self.N}, {self.d}) and (n, {self.N}, {self.q})",
                why="a prompt holds N tokens in R^d and N index tuples (Definition 2)",
            )  # fmt: skip
        if T.dtype.kind not in "iu" or T.min() < 0 or T.max() >= self.N:
            raise DomainError(
                f"indices of type {T.dtype}", required=f"integers from 0 to N - 1 = {self.N - 1}"
            )
        if not np.isfinite(X).all():
            raise DomainError("tokens that are NaN or infinite", required="finite tokens")
        return X, T


def _slot(T: NDArray[np.int64], slot: int) -> NDArray[np.int64]:
    return np.arange(len(T)) if slot == 0 else T[:, slot - 1]
