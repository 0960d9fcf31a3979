r"""One attention layer that looks up an index: exact weights, float64 and rational forward passes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sympy import log

from theorytools.arguments.checked import Numbers, Real, checked, ranks
from theorytools.arguments.values import checked_rational
from theorytools.blocks import network as form
from theorytools.blocks.lookups import copied, looked_up
from theorytools.codes.lookup import lookup_codes
from theorytools.constructions.attention.layer import AttentionLayer, Products, softmax
from theorytools.constructions.network import DOUBLE, Network, absent, upper_leak, weights_rounding
from theorytools.constructions.twin import twin
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure
from theorytools.numbers.softmax import exact_number
from theorytools.papers.sep.tasks.index_lookup import LookupTask

if TYPE_CHECKING:
    import torch


_WHY = "index lookup by one attention layer"


@checked
@dataclass(frozen=True, eq=False)
class IndexLookup(Network):
    r"""One head of logarithmic width reads the symbol at the position named by the last token.

    The residual stream is [symbol | key code | query code | flag] of width :math:`m=c+2k+1`: memory token
    :math:`i` is :math:`(\mathrm{sym}(s_i),t_i,0,1)`, the last token :math:`(0,0,q_p,0)`.  Keys read the second block,
    queries the third times :math:`\beta=\ln b`, values the first, so that at the last token

    .. math:: o=\frac{\sum_ib^{\langle q_p,t_i\rangle}\,\mathrm{sym}(s_i)}{\sum_ib^{\langle q_p,t_i\rangle}+1};

    the 1 is the last token itself, whose key and value are zero.  With ``c = ceil(log2(symbols))`` signs the answer
    is the sign of every coordinate of :math:`o`; one-hot it is the largest coordinate.

    Parameters
    ----------
    keys, queries : :math:`t_i` and :math:`q_p`, shape ``(N, k)``; integers, or doubles for ``circle``.
    b : the base :math:`e^\beta`, rational and positive; 1 is a layer that attends uniformly.
    symbols : size of the alphabet.
    one_hot : one coordinate per symbol in place of signs.

    Raises
    ------
    DomainError : shapes that differ, a base that is not positive, fewer than two positions or symbols.

    References
    ----------
    Bhattamishra, Hahn, Blunsom, Kanade (2024), Index Lookup, arXiv 2406.09347v1; weights and constants derived here.

    Examples
    --------
    >>> net = IndexLookup.of("binary", 4, 6)
    >>> net.width, net.answers([[0, 1, 1, 0]] * 4, range(4)).tolist()
    (6, [0, 1, 1, 0])
    """

    keys: NDArray[Any]
    queries: NDArray[Any]
    b: Fraction
    symbols: int = 2
    one_hot: bool = False

    def __post_init__(self) -> None:
        keys, queries = np.asarray(self.keys), np.asarray(self.queries)
        if keys.ndim != 2 or keys.shape != queries.shape or len(keys) < 2 or not np.isfinite(keys).all():
            given = f"keys of shape {keys.shape}, queries of shape {queries.shape}"
            raise DomainError(given, required="finite arrays of one shape (N, k), N >= 2", why=_WHY)
        object.__setattr__(self, "keys", keys)
        object.__setattr__(self, "queries", queries)
        b = checked_rational("b", self.b, lambda x: x > 0, required="b > 0", why="the base is exp(beta)")
        object.__setattr__(self, "b", b)
        LookupTask(len(keys), self.symbols)

    @classmethod
    def of(cls, code: str, N: int, b: Real, *, rng: np.random.Generator | None = None, length: int | None = None,
           **options: Any) -> IndexLookup:  # fmt: skip
        r"""Return the layer of a named position code.

        Parameters
        ----------
        code : ``"binary"``, ``"jl"`` (random signs), ``"quadratic"`` or ``"circle"``.
        N : number of positions.
        b : the base :math:`e^\beta`, rational and positive.
        rng : generator of ``"jl"``.
        length : length of the codes of ``"jl"``.
        options : ``symbols`` and ``one_hot``, as of the class.

        Returns
        -------
        IndexLookup : the layer.

        Raises
        ------
        DomainError : another code, or as the class.
        """
        keys, queries = lookup_codes(code, N, rng=rng, length=length)
        return cls(keys, queries, b, **options)

    @property
    def N(self) -> int:
        """Number of symbols."""
        return len(self.keys)

    @property
    def k(self) -> int:
        """Length of a position code."""
        return int(self.keys.shape[1])

    @property
    def task(self) -> LookupTask:
        """The task this layer solves."""
        return LookupTask(self.N, self.symbols)

    @property
    def beta(self) -> float:
        r"""The scale of the scores, :math:`\ln b`, as a double."""
        return math.log(self.b)

    @property
    def integral(self) -> bool:
        """Whether all scores are integers, so that weights are rational."""
        return self.keys.dtype.kind in "iu" and self.queries.dtype.kind in "iu"

    @cached_property
    def values(self) -> NDArray[np.int64]:
        """The symbol block of every symbol, shape ``(symbols, c)``."""
        if self.one_hot:
            return np.eye(self.symbols, dtype=np.int64)
        c = (self.symbols - 1).bit_length()
        return 1 - 2 * (np.arange(self.symbols)[:, None] >> np.arange(c) & 1)

    @cached_property
    def last_keys(self) -> NDArray[Any]:
        """The key code of the last token for each position that it may ask for, shape ``(N, k)``: zero."""
        return np.zeros_like(self.keys)

    @cached_property
    def layer(self) -> AttentionLayer:
        """The table of scores: a query for each position, a key for each position and one of the last token, silent."""
        last = (self.queries * self.last_keys).sum(axis=1, keepdims=True)
        return AttentionLayer(Products(self.queries, self.keys, last), log(exact_number(self.b, "b")), silent=1)

    @property
    def width(self) -> int:
        r"""The residual width :math:`c+2k+1`."""
        return self.values.shape[1] + 2 * self.k + 1

    def projections(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        r"""Return the 0-1 matrices of query (to be multiplied by :math:`\beta`), key and value, ``(k or c, width)``."""
        c, unit = self.values.shape[1], np.eye(self.width, dtype=np.int64)
        return unit[c + self.k : c + 2 * self.k], unit[c : c + self.k], unit[:c]

    def stream(self, words: Numbers, p: Numbers, *, asked: int | None = None) -> NDArray[Any]:
        """Return the residual stream.

        Parameters
        ----------
        words : symbols ``0 .. symbols - 1``, shape ``(n, N)``.
        p : one position for all words, or one for each, shape ``(n,)``.
        asked : a symbol to be put into the last token, whose symbol block is otherwise zero.

        Returns
        -------
        array : shape ``(n, N + 1, width)``.
        """
        (words, position), c = self._inputs(words, p), self.values.shape[1]
        X = np.zeros((len(words), self.N + 1, self.width), dtype=np.result_type(self.keys, self.queries))
        X[:, :-1, :c], X[:, :-1, c : c + self.k], X[:, :-1, -1] = self.values[words], self.keys, 1
        X[:, -1, c + self.k : c + 2 * self.k] = self.queries[position]
        X[:, -1, c : c + self.k] = self.last_keys[position]
        if asked is not None:
            X[:, -1, :c] = self.values[asked]
        return X

    @ranks(X=3)
    def scores(self, X: NDArray[Any]) -> NDArray[Any]:
        r"""Return the scores of the last token over :math:`\beta`.

        Parameters
        ----------
        X : the residual stream, shape ``(n, N + 1, width)``.

        Returns
        -------
        array : shape ``(n, N + 1)``.
        """
        W_Q, W_K, _ = self.projections()
        return np.einsum("nk,njk->nj", X[:, -1] @ W_Q.T, X @ W_K.T)

    def _inputs(self, words: Numbers, p: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        words, position = self.task.checked(words), self.task.positions(p)
        position = np.broadcast_to(position, len(words)) if len(position) == 1 else position
        self.task.answers(words, position)  # refuses different numbers of words and positions
        return words, position

    def __call__(self, words: Numbers, p: Numbers, *, asked: int | None = None) -> NDArray[np.float64]:
        """Return the head's output at the last token in float64, shape ``(n, c)``; ``p`` is one position or ``n``."""
        X = self.stream(words, p, asked=asked)
        weights = softmax(self.beta * self.scores(X))
        return np.einsum("nj,njc->nc", weights, (X @ self.projections()[2].T).astype(np.float64))

    def exact(self, words: Numbers, p: Numbers, *, asked: int | None = None) -> NDArray[Any]:
        """Return a call exactly.

        Parameters
        ----------
        words, p, asked : as in :meth:`stream`.

        Returns
        -------
        array : Fractions, shape ``(n, c)``.

        Raises
        ------
        DomainError : scores that are no integers (``circle``).
        """
        if not self.integral:
            raise DomainError(
                "codes that are no integers", required="integer scores", why="b to an integer power is rational",
                advice="a call in float64, or circle_margin of attention/lookup_margin.py, which encloses",
            )  # fmt: skip
        words, position = self._inputs(words, p)
        values = np.pad(self.values[words], ((0, 0), (0, 1), (0, 0)))
        if asked is not None:
            values[:, -1] = self.values[asked]
        out = np.empty((len(words), values.shape[2]), dtype=object)
        for at in np.unique(position).tolist():
            scores, here = self.layer.row(at), position == at  # of every word: keys and query hold no symbols
            weights = [self.b ** (score - max(scores)) for score in scores]
            common = math.lcm(*(w.denominator for w in weights))
            numerators = np.array([int(w * common) for w in weights], dtype=object)
            summed = np.einsum("njc,j->nc", values[here].astype(object), numerators)
            out[here] = np.vectorize(Fraction, otypes=[object])(summed, int(sum(numerators)))
        return out

    def network(self) -> form.Network:
        """Return it as blocks: the fields ``symbol``, its block, zero at the last token, and ``asked``, the position.

        What the other tokens ask for does not enter: the answer is that of the last.
        """
        c, last = self.values.shape[1], self.N
        fields = (form.Field("symbol", c), form.Field("asked", self.N, word=True))
        attention = looked_up("read", self.layer.box(), copied("symbol", c), ("asked", form.PLACE))
        return form.Network(self.N + 1, fields, (attention,), copied("read", c), at=last, shape=(c,))

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        """Return a bound on the rounding of outputs, whose values are signs or units."""
        score = abs(self.beta) * float((np.abs(self.queries) @ np.abs(self.keys).T).max())
        if not self.integral:
            return weights_rounding(score, self.k, self.N + 1, u)
        # beta is a logarithm in doubles (2), stored in the type, and meets two integers
        return weights_rounding(score, self.k, self.N + 1, u, leak=upper_leak(self.layer.leakage), each=5)

    certificate = absent("answers are read by sign: margins() says how clearly")

    def norms(self) -> dict[str, Enclosure]:
        r"""Return the norms of the three projections, :math:`|\beta|\sqrt k`, :math:`\sqrt k` and :math:`\sqrt c`."""
        k, c = Enclosure(self.k).sqrt(), Enclosure(self.values.shape[1]).sqrt()
        return {"W_Q": abs(Enclosure(self.b).log()) * k, "W_K": k, "W_V": c}

    def sizes(self) -> dict[str, int]:
        """Return the residual width, the one head and the number of parameters."""
        return {"width": self.width, "heads": 1, "parameters": (2 * self.k + self.values.shape[1]) * self.width}

    @ranks(outputs=2)
    def margins(self, outputs: NDArray[Any], words: Numbers, p: Numbers) -> NDArray[Any]:
        """Return how clearly each output names the right symbol: positive exactly if it does.

        With signs it is the least of the coordinates times their right signs; one-hot the target coordinate minus the
        largest other one.

        Parameters
        ----------
        outputs : shape ``(n, c)``, exact or in doubles.
        words, p : as in :meth:`stream`.

        Returns
        -------
        array : shape ``(n,)``.
        """
        right = self.task.answers(*self._inputs(words, p))
        if not self.one_hot:
            return (outputs * self.values[right]).min(axis=1)
        others = np.where(self.values[right] == 1, -1, outputs).max(axis=1)
        return outputs[np.arange(len(right)), right] - others

    def answers(self, words: Numbers, p: Numbers) -> NDArray[np.int64]:
        """Return the symbols that the layer answers.

        Parameters
        ----------
        words, p : as in :meth:`stream`.

        Returns
        -------
        array : shape ``(n,)``; -1 where no symbol has these signs.
        """
        return self.decode(self(words, p))

    @ranks(o=2)
    def decode(self, o: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the symbols that outputs stand for.

        Parameters
        ----------
        o : outputs, shape ``(n, c)``.

        Returns
        -------
        array : shape ``(n,)``; -1 where no symbol has these signs.
        """
        if self.one_hot:
            return o.argmax(axis=1)
        symbol = (o < 0) @ (1 << np.arange(o.shape[1]))
        return np.where((symbol < self.symbols) & (o != 0).all(axis=1), symbol, -1)

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return the layer as a torch module (float64 unless another type is asked for)."""
        return twin("theorytools.papers.sep.torch.index_lookup:LookupModule")(self, dtype, device)
