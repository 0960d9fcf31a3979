r"""Single-layer attention on encoded prompts, with one scaled identity block per head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import sympy
from numpy.typing import NDArray

from theorytools.arguments.checked import PositiveInt, Real, Rows, checked, ranks
from theorytools.blocks import network as form
from theorytools.blocks.facts import Fact
from theorytools.blocks.lookups import copied, looked_up, relu_head
from theorytools.claims.language.estimate import Recipe, enclosed
from theorytools.codes.duplicates import has_duplicates
from theorytools.codes.protocol import Code
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.layer import AttentionLayer, softmax
from theorytools.constructions.attention.leakage import checked_radius, sums_in_doubles
from theorytools.constructions.feedforward.readout import ReluHead, exact_label
from theorytools.constructions.network import DOUBLE, Network, gamma, upper_leak, weights_rounding
from theorytools.constructions.shapes import exact_array, in_range, indices, rows_of
from theorytools.constructions.twin import twin
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import Enclosure, maximum
from theorytools.numbers.formulas import evaluate
from theorytools.numbers.softmax import exact_number
from theorytools.tasks.sparse_regression import checked_prompts

if TYPE_CHECKING:
    import torch


Array = NDArray[np.float64]
MEMORY = 2**31  # bytes of attention weights held at once


@checked
@dataclass(frozen=True)
class BlockAttention(Network):
    r"""Attention that retrieves the indexed tokens: :math:`W^{(h)}_{QK}` is zero but for one block :math:`\alpha I`.

    Token ``i`` is embedded as
    :math:`z_i=(x_i,\sqrt{d/q}\,(\omega_i,\omega_{t_{i1}},\dots,\omega_{t_{iq}}))\in\mathbb R^{D_e}`,
    :math:`D_e=d+(q+1)d_e`.  Head ``h`` compares index slot ``h`` of the query with the own code of the key,

    .. math:: \langle z_i,W^{(h)}z_j\rangle=\alpha\tfrac dq\langle\omega_{t_{ih}},\omega_j\rangle
              =\beta\,G_{t_{ih},j},\qquad\alpha=\beta q/d .

    Parameters
    ----------
    codes : unit position codes :math:`\omega_1,\dots,\omega_N`, a code or the array of its signs.
    beta : effective inverse temperature, an exact number (int, Fraction, sympy number; a float is read as its shortest
        decimal).
    q, d : index slots and token dimension.
    head : optional two-layer head on the retrieved tokens, input :math:`(v_1,\dots,v_q)\in\mathbb R^{qd}`.
    blocks : for each head the pair (query slot, key slot) of its block, slot 0 being a position's own code; ``((1, 0),
        …, (q, 0))`` unless given.
    scale : squared factor in front of the codes, :math:`d/q` unless given.

    Raises
    ------
    DomainError
        For :math:`\beta\le0`, ``q > N``, no head, slots that do not exist, equal codes, a head of another width.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 11 and eq. (A.2), arXiv 2503.11272v1.

    Examples
    --------
    >>> from theorytools import hadamard
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

    facts: ClassVar[tuple[Fact, ...]] = (
        Fact("leakage", lambda net: net.worst_leakage(), lambda net: maximum(map(net.layer.leaked, range(net.N))),
             "exact", lambda net: net.N <= 64),
        Fact("error of extremal prompts", lambda net: 2 * net.worst_leakage(),
             lambda net: maximum(net._error(1, t, h) for t in range(net.N) for h in range(len(net.wiring))),
             "exact", lambda net: net.N <= 32 and not any(key for _, key in net.wiring)),
    )  # fmt: skip

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
                "codes of which two are equal",
                required="distinct codes",
                why="two positions with one code share the attention: the leakage is at least 1/2 (Lemma 11)",
                advice="a larger d_e, or codes of guaranteed distance (bch)",
            )
        for slots in self.wiring:
            if len(slots) != 2 or not all(0 <= slot <= self.q for slot in slots):
                raise DomainError(f"the block {slots}", required=f"two slots between 0 and q = {self.q}")
        if self.head is not None and self.head.W.shape[1] != len(self.wiring) * self.d:
            needed = f"H d = {len(self.wiring) * self.d} inputs"
            raise DomainError(f"a head with {self.head.W.shape[1]} inputs", required=needed)

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
        """Return the embedded prompts :math:`z_i`.

        Parameters
        ----------
        X : tokens, shape ``(n, N, d)``.
        T : index tuples, positions from 0, shape ``(n, N, q)``.

        Returns
        -------
        array : shape ``(n, N, D_e)``.

        Raises
        ------
        DomainError : other shapes, numbers that are not finite, or positions that do not exist.
        """
        X, T = self._prompts(X, T)
        omega = self.codes.matrix() * np.sqrt(float(self.squared_scale))
        own = np.broadcast_to(omega, (len(X), *omega.shape))
        return np.concatenate([X, own, *(omega[T[:, :, h]] for h in range(self.q))], axis=2)

    def W_QK(self, h: int) -> Array:
        """Return the merged query-key matrix of one head, row = query side.

        Parameters
        ----------
        h : number of the head, from 0.

        Returns
        -------
        array : shape ``(D_e, D_e)``.

        Raises
        ------
        DomainError : a head that does not exist.
        """
        W = np.zeros((self.D_e, self.D_e))
        (query, key), k = self.wiring[in_range("h", h, len(self.wiring), "head")], self.codes.d_e
        W[self.d + query * k : self.d + (query + 1) * k, self.d + key * k : self.d + (key + 1) * k] = float(
            self.alpha
        ) * np.eye(k)
        return W

    def attention(self, X: Array, T: NDArray[np.int64]) -> Array:
        """Return the attention weights of every head; rows sum to 1.

        Parameters
        ----------
        X, T : prompts, as in :meth:`encode`.

        Returns
        -------
        array : shape ``(n, H, N, N)``.

        Raises
        ------
        BudgetError : weights that do not fit the memory meant for them.
        """
        size = 8 * len(X) * len(self.wiring) * self.N**2
        if size > MEMORY:
            raise BudgetError(
                f"attention weights of {size / 2**30:.1f} GiB",
                required=f"at most {MEMORY / 2**30:.0f} GiB",
                why="all N^2 weights of every prompt and head are held at once",
                advice="fewer prompts at a time, or streamed evaluation for large N",
            )
        Z = self.encode(X, T)
        scores = np.stack([Z @ self.W_QK(h) @ Z.transpose(0, 2, 1) for h in range(len(self.wiring))], axis=1)
        return softmax(scores)

    def tokens(self, X: Array, T: NDArray[np.int64], *, r_x: float | None = None) -> Array:
        """Return the retrieved tokens: the token part of every head's output.

        Parameters
        ----------
        X, T : prompts, as in :meth:`encode`.
        r_x : refuse prompts with a token of larger norm: :meth:`certificate` says nothing about them.

        Returns
        -------
        array : shape ``(n, N, H, d)``.

        Raises
        ------
        DomainError : such a token, or prompts that :meth:`encode` refuses.
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
        return twin("theorytools.constructions.torch.attention:AttentionModule")(self, dtype, device)

    def multihead(self, width: int | None = None) -> torch.nn.Module:
        """Return it on a plain ``torch.nn.MultiheadAttention`` with heads of this width, the least by default."""
        return twin("theorytools.constructions.torch.export:MultiheadExport")(self.module(), width)

    def network(self) -> form.Network:
        """Return it as blocks: the fields ``x`` and ``slot1`` … ``slotq``, the words of the index tuple."""
        slots = [form.PLACE, *(f"slot{h}" for h in range(1, self.q + 1))]
        pairs = [(slots[query], slots[key]) for query, key in self.wiring]
        fields = (form.Field("x", self.d), *(form.Field(slot, self.N, word=True) for slot in slots[1:]))
        attention = looked_up("tokens", self.layer.box(), copied("x", self.d), *pairs)
        if self.head is None:
            out = copied("tokens", len(pairs) * self.d)
            return form.Network(self.N, fields, (attention,), out, shape=(self.N, len(pairs), self.d))
        units, label = relu_head("tokens", self.head.a, self.head.W, self.head.b)
        return form.Network(self.N, fields, (attention, units), label, shape=(self.N,))

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        """Return a bound on the rounding of tokens, or labels, of prompts with entries of modulus up to ``size``.

        A head that compares with the keys' own codes has all but its leakage on one key.
        """
        off = size * self.share_rounding(u)
        if self.head is None:
            return off
        a, W, b = (np.abs(part) for part in (self.head.a, self.head.W, self.head.b))
        sums, (m, k) = W.sum(axis=1), W.shape
        # the tokens' errors, and k + 2 roundings of a unit (a weight stored, its product, sums), m + 1 of the output
        own = gamma(k + m + 3, u)
        return float((1 + own) * off * a @ sums + own * a @ (sums * size + b))

    def share_rounding(self, u: float = DOUBLE) -> float:
        r"""Return a bound on :math:`\sum_j|\hat w_j-w_j|` of the computed weights of every head, averages included."""
        leak = 1.0 if any(key for _, key in self.wiring) else upper_leak(self.worst_leakage)
        return weights_rounding(float(self.temperature), self.codes.d_e, self.N, u, leak=leak)

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
                f"X {shapes[0]}, T {shapes[1]}",
                required=f"(n, {self.N}, {self.d}) and (n, {self.N}, {self.q})",
                why="a prompt holds N tokens in R^d and N index tuples (Definition 2)",
            )
        return checked_prompts(X, T)

    def leakage(self) -> Recipe:
        r"""Return :math:`L=\max_tL_t`, the certified worst case over **all** prompts (see :mod:`.leakage`)."""
        return enclosed(self.worst_leakage)

    def worst_leakage(self) -> Enclosure:
        """Return the leakage at the ambient precision (see :meth:`leakage` for the refinable form)."""
        return self.layer.leakage()

    @cached_property
    def layer(self) -> AttentionLayer:
        """The softmax that all heads share: scores are the Gram matrix of the codes, at the temperature."""
        return AttentionLayer.of(self.codes, self.temperature)

    def probes(self, count: PositiveInt) -> list[int]:
        """Return positions where the leakage is likely to be worst, in increasing order.

        Up to ``count`` that maximise it in float64 (ties within 1e-9), and an even sample of the others.  This is a
        heuristic: it proposes and the exact pass decides; the bound on all prompts comes from :meth:`leakage`.
        """
        if self.layer.scores.held or not isinstance(self.codes, SignCode):
            scores = float(self.temperature) * (np.asarray(self.layer.scores) / self.codes.gram_denominator - 1)
            np.fill_diagonal(scores, -np.inf)
            excess = np.exp(scores).sum(axis=1)
        else:
            excess = sums_in_doubles(self.codes, float(self.temperature))
        largest = np.flatnonzero(excess >= excess.max() * (1 - 1e-9))[:count]
        return sorted({*largest.tolist(), *range(0, self.N, max(1, self.N // count))})

    def certificate(self, r_x: Real = 1) -> Recipe:
        r"""Return :math:`2r_xL`, the largest error of a retrieved token over all prompts with :math:`\|x_j\|\le r_x`.

        It is attained when the indexed token is :math:`r_xv` and all others are :math:`-r_xv`.
        """
        radius = checked_radius(r_x)
        return enclosed(lambda: 2 * evaluate(radius, {}) * self.worst_leakage())

    @ranks(T=3)
    def exact(self, X: Any, T: NDArray[np.int64]) -> list[Any]:
        """Return a call on integers or Fractions in exact arithmetic, at the ambient precision, as nested lists."""
        X = exact_array("X", X, "n", self.N, self.d)
        T = indices("T", T, self.N, len(X), self.N, self.q)
        heads = range(len(self.wiring))
        found = [
            [[self.exact_token(x.tolist(), t, i, h) for h in heads] for i in range(self.N)]
            for x, t in zip(X, T, strict=True)
        ]
        if self.head is None:
            return found
        return [[exact_label(self.head, [v for token in tokens for v in token]) for tokens in row] for row in found]

    @ranks(T=2)
    def exact_token(self, X: Rows, T: NDArray[np.int64], i: int, h: int) -> list[Enclosure]:
        r"""Return the token part of head ``h`` at position ``i`` at the ambient precision, by the forward pass.

        Weights are kept unnormalised, :math:`w_j=e^{-\beta(s-K)/s}`, and divided once: :math:`\sum_jw_jx_j/\sum_jw_j`.

        Parameters
        ----------
        X : integers or Fractions, shape ``(N, d)``.
        T : index tuples, shape ``(N, q)``.
        i, h : position and head, from 0.

        Returns
        -------
        list of Enclosure : length ``d``.

        Raises
        ------
        DomainError : other shapes, or a place that does not exist.
        """
        rows_of("X", X, count=self.N)
        T = indices("T", T, self.N, self.N, self.q)
        query, key = self.wiring[in_range("h", h, len(self.wiring), "head")]
        asked = int(_slot(T, query)[in_range("i", i, self.N)])
        return self.layer.exact(asked, X, keys=_slot(T, key))

    def extremal_error(self, r_x: int | Fraction, positions: Sequence[int]) -> Recipe:
        """Return the largest error of a retrieved token over the extremal prompts of the given positions.

        The prompt of position ``t`` and slot ``h`` has :math:`x_t=r_xe_1`, every other token :math:`-r_xe_1`, slot
        ``h`` of every index tuple equal to ``t`` and the other slots pointing elsewhere.  The forward pass is run,
        not the closed form: over all ``t`` the maximum is :math:`2r_xL`.

        Raises
        ------
        DomainError : a negative radius, or a position that does not exist.
        """
        checked_radius(r_x)
        for t in positions:
            in_range("t", t, self.N)
        return enclosed(lambda: maximum(self._error(r_x, t, h) for t in positions for h in range(len(self.wiring))))

    def _error(self, r_x: int | Fraction, t: int, h: int) -> Enclosure:
        X = [[r_x if j == t else -r_x] for j in range(self.N)]
        T = np.full((self.N, self.q), (t + 1) % self.N)
        T[:, h] = t
        token = BlockAttention.exact_token.unchecked(self, X, T, (t + 2) % self.N, h)  # type: ignore[attr-defined]
        return abs(token[0] - r_x)


def _slot(T: NDArray[np.int64], slot: int) -> NDArray[np.int64]:
    return np.arange(len(T)) if slot == 0 else T[:, slot - 1]
