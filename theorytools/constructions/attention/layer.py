r"""One attention layer as data, evaluated in five ways: the softmax of all attention constructions.

A layer is a table of rational scores at an exact temperature.  Query ``q`` gives key ``j`` the weight

.. math:: w_{qj}=\frac{e^{\beta K_{qj}/s}}{\sum_ie^{\beta K_{qi}/s}},\qquad f_q=\sum_jw_{qj}v_j .

Where scores are products of position codes, no token enters them: one table serves every prompt, and the worst case
over all prompts is a function of the table.  The evaluators are float64 (a call), exact (:meth:`AttentionLayer.exact`;
rational where :math:`e^{\beta/s}` is, else enclosed), the worst case (:meth:`~AttentionLayer.leakage`,
:meth:`~AttentionLayer.margin`), a machine format (:meth:`~AttentionLayer.rounded`) and torch
(:meth:`~AttentionLayer.module`).

Layers follow one another: what one hands on of the words that positions hold is a mixture of words.  As a query of the
next layer it is weighed by :meth:`~AttentionLayer.mixed`, and over all prompts by :meth:`~AttentionLayer.leakage` of
what it is *near* to: a word, up to the leakage of the layer that handed it on.

What is no such table keeps its own weights.  Layer 1 of :mod:`.nearest_neighbour` and :mod:`.position_copy` sum
numerators over one denominator in integers, for every input at once; their second layers have scores that layer 1
computes, powers of a base to exponents that differ from input to input; :mod:`.equality` and :mod:`.fixed_point` have
numerators and no temperature; scores of :mod:`.few_heads.decoder` and :mod:`.few_heads.short_codes` depend on Gaussian
tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theorytools.blocks import network as form
from theorytools.blocks.lookups import copied, looked_up
from theorytools.codes.protocol import Code
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.leakage import Profiles, worst_leakage
from theorytools.constructions.shapes import in_range
from theorytools.constructions.twin import twin
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, at_precision, ball_matmul, evaluate, ipow, maximum, minimum, total
from theorytools.numbers.boxes import Box, enclosing
from theorytools.numbers.softmax import boltzmann, exact_number, softmax_weights

if TYPE_CHECKING:
    import torch

    from theorytools.constructions.attention.lookup_precision import LookupFormat

Array = NDArray[np.float64]
_BITS = 64  # of scores that are rounded to doubles
_TABLE = 2**26  # entries of a Gram matrix that are held in memory


def softmax(scores: Array) -> Array:
    """Return the softmax along the last axis in doubles."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def shares(weights: Sequence[Enclosure]) -> list[Enclosure]:
    """Return weights divided by their sum."""
    normaliser = total(weights)
    return [w / normaliser for w in weights]


def powers(base: Enclosure, exponents: NDArray[Any]) -> list[list[Enclosure]]:
    """Return a table of integer powers of one number, each computed once."""
    known = {int(k): ipow(base, int(k)) for k in np.unique(exponents)}
    return [[known[k] for k in row] for row in exponents.tolist()]


@dataclass(frozen=True, eq=False)
class Products:
    """A table of integer products of codes, each row computed when it is asked for, so that none is held.

    ``queries`` and ``keys`` have shapes ``(Q, k)`` and ``(J, k)``; ``more`` are the scores of further keys.
    """

    queries: NDArray[Any]
    keys: NDArray[Any]
    more: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.queries)

    def __getitem__(self, q: int) -> NDArray[Any]:
        row = self.keys @ self.queries[q].astype(np.result_type(self.queries, np.int64))
        return row if self.more is None else np.append(row, self.more[q])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        kind = np.result_type(self.queries, np.int64)
        table = self.queries.astype(kind) @ self.keys.T.astype(kind)
        return np.asarray(table if self.more is None else np.concatenate([table, self.more], axis=1), dtype=dtype)


@dataclass(frozen=True, eq=False)
class _Gram:
    """The integer Gram matrix of a code; of sign codes too long for it, row by row."""

    code: Code

    @property
    def held(self) -> bool:
        return self.code.N**2 <= _TABLE or not isinstance(self.code, SignCode)

    @cached_property
    def _table(self) -> NDArray[np.int64]:
        return self.code.gram_numerators()

    def __len__(self) -> int:
        return self.code.N

    def __getitem__(self, t: int) -> NDArray[np.int64]:
        if self.held or not isinstance(self.code, SignCode):
            return np.asarray(self._table[t])
        return np.asarray(self.code.signs @ self.code.signs[t].astype(np.int64))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self._table, dtype=dtype)


@dataclass(frozen=True, eq=False)
class AttentionLayer:
    r"""A softmax over a table of rational scores.

    Parameters
    ----------
    scores : :math:`K`, one row for each query, shape ``(Q, J)``, integers, or Fractions over 1, or
        :class:`Products`, where the table is too long to be held.
    beta : inverse temperature :math:`\beta`, an exact number; rational weights for
        :math:`\beta\in\mathbb Q\log\mathbb Q`.
    over : the denominator :math:`s` of the scores.
    asked : for each query the set of keys that it asks for; key ``q`` unless given.
    silent : how many of the last keys have value zero, whatever the prompt.
    code : the code whose Gram matrix the scores are, if they are one: its leakage is counted without the table.

    Examples
    --------
    >>> import sympy
    >>> layer = AttentionLayer(np.array([[2, 0, 0], [0, 2, 0]]), sympy.log(2), silent=1)
    >>> [w.fraction() for w in layer.weights(0)], [x.fraction() for x in layer.exact(0, [[3], [0], [0]])]
    ([Fraction(2, 3), Fraction(1, 6), Fraction(1, 6)], [Fraction(2, 1)])
    >>> layer.leakage().fraction(), layer.margin().fraction(), layer(np.array([[3.0], [0.0], [0.0]])).ravel()
    (Fraction(1, 3), Fraction(1, 2), array([2. , 0.5]))
    """

    scores: Any
    beta: Any
    over: int = 1
    asked: Sequence[Sequence[int]] | None = None
    silent: int = 0
    code: Code | None = None

    @classmethod
    def of(cls, code: Code, beta: Any) -> AttentionLayer:
        r"""Return the layer whose scores are the products of codes, :math:`\beta\langle\omega_q,\omega_j\rangle`."""
        return cls(_Gram(code), beta, code.gram_denominator, code=code)

    # -- float64 -------------------------------------------------------------------------------------------------------
    def attention(self, queries: Any = slice(None)) -> Array:
        """Return the weights of some queries in float64, all unless given: an array of places of any shape."""
        return softmax(float(exact_number(self.beta, "beta")) * self._products(queries))

    def _products(self, queries: Any) -> Array:
        return np.asarray(np.asarray(self.scores)[queries] / self.over, dtype=np.float64)

    def __call__(self, values: Array, queries: Any = slice(None)) -> Array:
        """Return the outputs in float64, shape ``(..., Q, c)``, of values ``(..., J, c)``."""
        return self.attention(queries) @ values

    # -- rational, or enclosed at the ambient precision ----------------------------------------------------------------
    def row(self, q: int) -> list[Any]:
        """Return the scores of a query, integers or Fractions."""
        row = self.scores[in_range("q", q, len(self.scores), "query")]
        return row.tolist() if isinstance(row, np.ndarray) else list(row)

    def relative(self, q: int) -> list[Enclosure]:
        r"""Return :math:`e^{-\beta(\max_iK_{qi}-K_{qj})/s}`: the weights over the largest, not normalised."""
        row = self.row(q)
        known = self._powers(list(dict.fromkeys(row)))
        return [known[k] for k in row]

    def _powers(self, scores: list[Any]) -> dict[Any, Enclosure]:
        if self.over == 1:  # gaps are few units: one exponential and its powers
            return dict(zip(scores, softmax_weights(scores, self.beta), strict=True))
        beta, top = exact_number(self.beta, "beta"), max(scores)  # a power k of a ball would lose log2(k) bits
        return {k: boltzmann(beta, top - k, self.over) for k in scores}

    def weights(self, q: int) -> list[Enclosure]:
        """Return the weights of a query, one for each key; they sum to 1."""
        return shares(self.relative(q))

    def exact(self, q: int, values: Sequence[Sequence[Any]], keys: Any = slice(None)) -> list[Enclosure]:
        r"""Return :math:`\sum_jw_{qj}v_j` for ``values``, integers or Fractions of shape ``(J, c)``.

        ``keys`` are the keys that the values stand at, where these are others than all in their order.  Values of
        equal scores are summed first, and divided once.
        """
        row: list[Any] = np.asarray(self.row(q), dtype=object)[keys].tolist()
        alike: dict[Any, list[Sequence[Any]]] = {}
        for score, v in zip(row, values, strict=True):
            alike.setdefault(score, []).append(v)
        sums = {score: [*map(sum, zip(*own, strict=True)), len(own)] for score, own in alike.items()}
        *parts, normaliser = ball_matmul([list(self._powers(list(sums)).values())], list(sums.values()))[0]
        return [part / normaliser for part in parts]

    def handed(self, q: int, words: NDArray[Any]) -> list[Enclosure]:
        """Return the mixture that a query receives, where key ``j`` holds the word ``words[j]``, one of as many."""
        found = [Enclosure(0)] * len(words)
        for word, w in zip(words.tolist(), self.weights(q), strict=True):
            found[word] = found[word] + w
        return found

    def mixed(self, query: Sequence[Any], goal: int) -> list[Enclosure]:
        r"""Return the weights of a query that is a mixture of this table's queries, one for each key.

        Parameters
        ----------
        query : the share of each query of the table, numbers or enclosures, shape ``(Q,)``.
        goal : the key that is asked for: exponents are differences of its score, small where the others weigh.
        """
        scores = ball_matmul([query], np.asarray(self.scores))[0]
        unit = evaluate(exact_number(self.beta, "beta")) / self.over
        return shares([((score - scores[goal]) * unit).exp() for score in scores])

    # -- the worst case over all prompts -------------------------------------------------------------------------------
    def _wanted(self, q: int) -> set[int]:
        return {q} if self.asked is None else set(self.asked[q])

    def leaked(self, q: int) -> Enclosure:
        """Return the weight of a query outside the keys that it asks for, without cancellation."""
        weights, wanted = self.relative(q), self._wanted(q)
        return total(w for j, w in enumerate(weights) if j not in wanted) / total(weights)

    def leakage(self, near: Enclosure | None = None) -> Enclosure:
        r"""Return :math:`L=\max_qL_q`, the largest weight outside what is asked for.

        Over all values of norm at most ``r`` no output is off by more than :math:`2rL` from the asked value, with
        equality where that is ``v`` and all others are ``-v``.

        Parameters
        ----------
        near : a leak :math:`\lambda`, where queries are not the words themselves but any
            :math:`(1-\lambda)q+\lambda\operatorname{conv}\{k\}`.  Then :math:`L\le S/(1+S)` for
            :math:`S=\max_{q,k}\sum_{j\ne q}e^{\beta[(1-\lambda)(K_{qj}-K_{qq})+\lambda(K_{kj}-K_{kq})]/s}`: what each
            sum bounds is convex in the query, and the maximum, being convex in :math:`\lambda` and least at 0, does
            not fall.  Queries ask for the key of their own number, and there are as many.

        Raises
        ------
        DomainError : such a leak, and queries that ask for others.
        """
        if near is not None:
            return self._near(near)
        if self._profiles is not None:
            return worst_leakage(self._profiles, self.beta)
        return maximum([self.leaked(q) for q in range(len(self.scores))])

    def _near(self, leak: Enclosure) -> Enclosure:
        K = np.asarray(self.scores)
        if self.asked is not None or K.shape[0] != K.shape[1] or K.dtype.kind not in "iu":
            raise DomainError(
                f"queries near to a word, and scores of shape {K.shape} and type {K.dtype}",
                required="integer scores of as many keys as queries, each of which asks for its own",
                why="mixtures are compared with one another in one alphabet", advice="leakage() without a leak",
            )  # fmt: skip
        unit, here, low = evaluate(exact_number(self.beta, "beta")) / self.over, range(len(K)), int(K.min())
        own, other = powers((-(1 - leak) * unit).exp(), K.diagonal()[:, None] - K), powers((leak * unit).exp(), K - low)
        for q in here:
            own[q][q] = Enclosure(0)
        sums = ball_matmul(own, [list(column) for column in zip(*other, strict=True)])
        # S_qk = sum_j exp(-(1 - L)(K_qq - K_qj)) exp(L K_kj) / exp(L K_kq), in units of beta / s
        worst = maximum(sums[q][k] / other[k][q] for q in here for k in here)
        return worst / (1 + worst)

    @cached_property
    def _profiles(self) -> Profiles | None:
        return None if self.code is None else Profiles.leading(self.code, self.beta)

    def margin(self) -> Enclosure:
        r"""Return the least output over all queries and values :math:`\pm1` times the sign that is asked for.

        It is attained where every other key, if it is not silent, has the opposite sign.
        """
        found = []
        for q in range(len(self.scores)):
            weights, wanted = self.relative(q), self._wanted(q)
            loud = weights[: len(weights) - self.silent]
            found.append(total(w if j in wanted else -w for j, w in enumerate(loud)) / total(weights))
        return minimum(found)

    # -- blocks --------------------------------------------------------------------------------------------------------
    def box(self) -> Box:
        r"""Return the scores with their scale, :math:`\beta K/s`, as intervals in doubles, shape ``(Q, J)``.

        Raises
        ------
        DomainError : scores that are doubles, and were rounded before.
        """
        table = np.asarray(self.scores)
        if table.dtype.kind not in "iuO":
            raise DomainError(f"scores of type {table.dtype}", required="integers or Fractions", why="each is enclosed")
        occurring, place = np.unique(table, return_inverse=True)
        beta, exact = exact_number(self.beta, "beta"), [Fraction(k) / self.over for k in occurring.tolist()]
        known = at_precision(_BITS, lambda: enclosing([evaluate(beta) * k for k in exact]))
        return known[place.reshape(table.shape)]

    def network(self, width: int = 1) -> form.Network:
        """Return it as blocks: the fields ``x``, the key's value of a width, and ``asked``, the query as a word.

        Each position asks for itself, so that a prompt may ask several queries, one of them at several positions.

        Raises
        ------
        DomainError : a width below 1, and what :meth:`box` refuses.
        """
        if width < 1:
            raise DomainError(f"width = {width}", required="width >= 1", why="a key has a value")
        table = self.box()
        Q, J = table.shape
        fields = (form.Field("x", width), form.Field("asked", Q, word=True))
        attention = looked_up("read", table, copied("x", width), ("asked", form.PLACE))
        return form.Network(J, fields, (attention,), copied("read", width), shape=(J, width))

    # -- a machine format ----------------------------------------------------------------------------------------------
    def rounded(self, form: LookupFormat, queries: Any = slice(None)) -> Array:
        """Return the weights, shape ``(Q, J)``, with scores, exponentials, sum and quotients rounded to a format."""
        return np.asarray(form.softmax(float(exact_number(self.beta, "beta")) * self._products(queries)))

    # -- torch ---------------------------------------------------------------------------------------------------------
    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a trainable torch module of the same function, ``forward(values)``: one-hot codes carry the table."""
        return twin("theorytools.constructions.torch.layer:TableModule")(self, dtype, device)
