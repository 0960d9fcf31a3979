"""One-layer attention models given by tables, a number for each position and token: the two adapters ready to use.

With a public last token the query is fixed, so in one layer a logit and a value depend on position and token alone:
whatever the embedding, the model *is* its tables and a function of the head outputs.  Trained weights enter
semantics E by :meth:`FixedPointTables.quantised`.

References
----------
Bhattamishra, Hahn, Blunsom, Kanade (2024), one-layer lower bounds, arXiv 2406.09347v1; the quantisation is ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Numbers, PositiveInt, Real, checked, ranks
from theorytools.constructions.attention.fixed_point import FixedPointAttention, Integers, MarginAttention
from theorytools.constructions.shapes import shaped
from theorytools.errors import DomainError
from theorytools.tasks.automaton import strings_of

Rest = Callable[[Integers, Integers], NDArray[Any]]


class _Tables:
    """Sizes and look-up of two tables, ``(L, letters, H)`` and ``(L, letters, H, d_v)``."""

    def _sized(self, scores: NDArray[Any], values: NDArray[Any]) -> None:
        if scores.ndim != 3 or values.ndim != 4 or values.shape[:3] != scores.shape:
            raise DomainError(
                f"tables of shapes {scores.shape} and {values.shape}",
                required="(L, letters, H) and (L, letters, H, d_v)",
                why="one entry for each position, token and head",
            )
        self.length, _, self.heads, self.width = values.shape

    def _at(self, table: NDArray[Any], tokens: Integers) -> NDArray[Any]:
        return table[np.arange(len(table)), strings_of(tokens, len(table), table.shape[1], "tokens")]


@checked
class FixedPointTables(_Tables, FixedPointAttention):
    r"""A model of semantics E: tables of integer numerators and values, and the rest of the layer.

    Parameters
    ----------
    e : numerators :math:`e_j\in\{1,\dots,2^p-1\}`, integers ``(L, letters, H)``.
    v : values :math:`v_j\in[-2^{p-1},2^{p-1}-1]`, integers ``(L, letters, H, d_v)``.
    p : bits.
    rest : ``rest(N, D)``, answers ``(k,)`` from the sums ``(k, H, d_v)`` and ``(k, H)``, each row by itself.
    """

    def __init__(self, e: Numbers, v: Numbers, p: int, rest: Rest) -> None:
        if not 1 <= p <= 62:
            raise DomainError(f"p = {p}", required="1 <= p <= 62", why="numerators and values are 64-bit integers")
        self.e, self.v, self.p, self.rest = np.asarray(e), np.asarray(v), p, rest
        self._sized(self.e, self.v)

    @classmethod
    def quantised(cls, logits: Numbers, values: Numbers, p: int, rest: Callable[[Any], Any]) -> FixedPointTables:
        r"""Return the model of real tables rounded to ``p`` bits: the weights that a trained module has learnt.

        :math:`e=\max(1,\lfloor(2^p-1)e^{\ell-\ell_{\max}}\rceil)`, :math:`\ell_{\max}` the largest logit of the head's
        table: a public reference, for a maximum over the *input* would depend on both parties.  A value becomes the
        number of its cell among :math:`2^p` cells of width :math:`s=\max|v|/2^{p-1}`, and stands for the midpoint.
        ``rest(o)`` gets the outputs :math:`o=s(N/D+\frac12)`, ``(k, H, d_v)``, as doubles.

        Raises
        ------
        DomainError
            For numbers that are not finite, values that are all zero, or fewer than one bit.
        """
        if not 1 <= p <= 62:
            raise DomainError(f"p = {p}", required="1 <= p <= 62", why="numerators and values are 64-bit integers")
        logits, values = np.asarray(logits, dtype=float), np.asarray(values, dtype=float)
        shaped("logits", logits, "L", "letters", "H")
        shaped("values", values, *logits.shape, "d_v")
        if not (np.isfinite(logits).all() and np.isfinite(values).all() and values.any()):
            raise DomainError("tables of logits and values", required="finite numbers, a value that is not zero",
                              why="values are measured by the largest")  # fmt: skip
        top, half = (1 << p) - 1, 1 << (p - 1)
        e = np.rint(np.exp(logits - logits.max(axis=(0, 1))) * top).clip(1, top).astype(np.int64)
        scale = np.abs(values).max() / half
        v = np.floor(values / scale).clip(-half, half - 1).astype(np.int64)
        return cls(e, v, p, lambda N, D: rest(scale * (N / D[..., None] + 0.5)))

    def numerators(self, tokens: Integers) -> Integers:
        """Return the numerators of the tokens."""
        return self._at(self.e, tokens)

    def values(self, tokens: Integers) -> Integers:
        """Return the values of the tokens."""
        return self._at(self.v, tokens)

    @ranks(N=3, D=2)
    def answer(self, N: Integers, D: Integers) -> NDArray[Any]:
        """Return the answers of the rest of the layer."""
        return self.rest(N, D)


@checked
class MarginTables(_Tables, MarginAttention):
    r"""A model of semantics R: tables of exact logits and values, with a margin.

    Parameters
    ----------
    logits, table : exact numbers ``(L, letters, H)`` and ``(L, letters, H, d_v)``.
    tau : the margin of the answer, a positive rational.
    S, V : bounds of logits and values; the largest moduli of the tables by default.
    """

    def __init__(self, logits: Numbers, table: Numbers, tau: Real, S: Real = None, V: Real = None) -> None:
        self.scores, self.table, self.tau = np.asarray(logits), np.asarray(table), Fraction(tau)
        self._sized(self.scores, self.table)
        given = [x for x in (S, V) if x is not None]
        if self.tau <= 0 or any(Fraction(x) < 0 for x in given):
            raise DomainError(f"tau = {tau}, S = {S}, V = {V}", required="tau > 0, S >= 0, V >= 0", why="they bound")
        bounds = [max(map(abs, array.ravel().tolist())) for array in (self.scores, self.table)]
        self.S, self.V = (Fraction(b if given is None else given) for given, b in zip((S, V), bounds, strict=True))

    def logits(self, tokens: Integers) -> NDArray[Any]:
        """Return the logits of the tokens."""
        return self._at(self.scores, tokens)

    def values(self, tokens: Integers) -> NDArray[Any]:
        """Return the values of the tokens."""
        return self._at(self.table, tokens)


@checked
@dataclass(frozen=True)
class MarginEquality(MarginAttention):
    r"""The width-1 network for equality in real arithmetic: values :math:`\pm2^{-i}`, :math:`i=0,\dots,n-1`.

    Its least non-zero output is :math:`2\tau_0`, :math:`\tau_0=2^{-n}/n`; deciding by :math:`|o|<\tau_0` has every
    margin :math:`\tau<\tau_0`.
    """

    n: PositiveInt
    tau: Fraction

    heads, width, S, V = 1, 1, Fraction(0), Fraction(1)

    def __post_init__(self) -> None:
        if self.tau <= 0:
            raise DomainError(f"tau = {self.tau}", required="tau > 0", why="a margin")

    @property
    def length(self) -> int:  # type: ignore[override]  # read only here
        """Positions attended to."""
        return 2 * self.n

    def logits(self, tokens: Integers) -> NDArray[Any]:
        """Return zero: attention is uniform."""
        return np.zeros((len(strings_of(tokens, self.length, 2, "tokens")), self.length, 1), dtype=int)

    def values(self, tokens: Integers) -> NDArray[Any]:
        """Return the signed weights, exact, shape ``(k, 2 n, 1, 1)``."""
        w = [Fraction(1, 1 << i) for i in range(self.n)]
        signed = np.array([*w, *(-one for one in w)], dtype=object)
        return ((2 * strings_of(tokens, self.length, 2, "tokens") - 1).astype(object) * signed)[..., None, None]
