r"""The attention layer of Lemma 11: one head per index slot, one scaled identity block per head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Real, Rows, Size, checked, ranks
from theorytools.claims.language.estimate import Recipe, enclosed
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.block import AttentionLayer
from theorytools.constructions.attention.layer import mean
from theorytools.constructions.attention.leakage import Profiles, checked_radius, worst_leakage
from theorytools.constructions.feedforward.readout import exact_label
from theorytools.constructions.inputs import exact_array, in_range, indices, rows_of
from theorytools.numbers import Enclosure, maximum
from theorytools.numbers.formulas import evaluate

_TABLE = 2**26  # entries of a Gram matrix that are held in memory


@checked
@dataclass(frozen=True)
class BlockAttention(AttentionLayer):
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

    @property
    def _held(self) -> bool:
        """Whether the Gram matrix fits; of longer sign codes single rows are computed."""
        return self.N**2 <= _TABLE or not isinstance(self.codes, SignCode)

    def _products(self, t: int) -> NDArray[np.int64]:
        """Row ``t`` of the Gram matrix."""
        if self._held or not isinstance(self.codes, SignCode):
            return self._gram[t]
        return self.codes.signs @ self.codes.signs[t].astype(np.int64)

    def probes(self, count: Size) -> list[int]:
        """Return the positions of largest leakage as doubles see it, and ``count`` others: only where to look."""
        if self._held:
            scores = float(self.temperature) * (self._gram / self.codes.gram_denominator - 1)
            np.fill_diagonal(scores, -np.inf)
            excess = np.exp(scores).sum(axis=1)
        else:
            occurring, counts = self.codes.gram_counts()
            excess = counts @ np.exp(float(self.temperature) * (occurring / self.codes.gram_denominator - 1))
        largest = np.flatnonzero(excess >= excess.max() * (1 - 1e-9))[:count]
        return sorted({*largest.tolist(), *range(0, self.N, max(1, self.N // count))})

    def certificate(self, r_x: Real) -> Recipe:
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

        ``X`` holds integers or Fractions, shape ``(N, d)``, ``T`` index tuples of shape ``(N, q)``.  Weights are kept
        unnormalised, :math:`w_j=e^{-\beta(s-K)/s}`, and divided once: :math:`\sum_jw_jx_j/\sum_jw_j`.
        """
        rows_of("X", X, count=self.N)
        T = indices("T", T, self.N, self.N, self.q)
        s, (query, key) = self.codes.gram_denominator, self.wiring[in_range("h", h, len(self.wiring), "head")]
        i = in_range("i", i, self.N)
        products = self._products(int(_slot(T, query)[i]))[_slot(T, key)]
        return mean(self.temperature, products, s, X)

    def extremal_error(self, r_x: int | Fraction, positions: Sequence[int]) -> Recipe:
        r"""Return the largest error of a retrieved token over the extremal prompts of the given positions.

        The prompt of position ``t`` and slot ``h`` has :math:`x_t=r_xe_1`, every other token :math:`-r_xe_1`, slot
        ``h`` of every index tuple equal to ``t`` and the other slots pointing elsewhere.  The forward pass is run,
        not the closed form: over all ``t`` the maximum is :math:`2r_xL`.
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
