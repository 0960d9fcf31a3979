r"""Recurrent networks of constant size for bounded Dyck languages, with integer weights and states of zeros and ones.

One step is :math:`h_t=W_L\sigma(\cdots\sigma(W_1(h_{t-1},x_t)+b_1)\cdots)+b_L` with a one-hot input :math:`x_t`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from theorytools.arguments.checked import ENTRIES, STEPS, NonNegativeInt, at_most, checked, ranks
from theorytools.constructions.network import DOUBLE, Network, absent
from theorytools.constructions.shapes import shaped
from theorytools.constructions.twin import twin
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import Enclosure
from theorytools.papers.sep.tasks.dyck import BoundedDyck
from theorytools.tasks.automaton import Integers, bits_for, symbols_of

if TYPE_CHECKING:
    import torch


Code = Literal["one_hot", "binary"]
Numbers = NDArray[Any]

_WEIGHTS = 2**24
_ARITHMETICS = ("int64", "float64", "float32", "float16")


@checked
@dataclass(frozen=True, eq=False)
class DyckRNN(Network):
    r"""A recurrent network with integer weights that recognises a bounded Dyck language at every length.

    Made by :meth:`one_hot` or :meth:`stack`.  All arithmetics run the same code: ``dtype`` is ``int64``
    (exact), ``float64``, ``float32`` or ``float16``; :attr:`largest_sum` says when floats are exact too.

    Attributes
    ----------
    language : the language it is meant for.
    layers : weights and biases; ReLU between them.  The first layer acts on :math:`(h,x)`.
    readout : weights and a constant; a word is accepted iff the score :math:`\langle w,h\rangle+c` is positive;
        scores are odd integers, so they keep a distance of 1 from the threshold.
    start : the state before the first symbol.
    dtype : the arithmetic.

    Raises
    ------
    DomainError
        For another arithmetic.

    References
    ----------
    Bhattamishra, Hahn, Blunsom, Kanade (2024), recurrent models for bounded Dyck, arXiv 2406.09347v1; the weights are
    derived here.

    Examples
    --------
    >>> net = DyckRNN.stack(1, 2)
    >>> net.width, net.accepts([[0, 0, 1, 1], [0, 1, 1, 0], [0, 0, 0, 1]]).tolist()
    (3, [True, False, False])
    """

    language: BoundedDyck
    layers: tuple[tuple[Integers, Integers], ...]
    readout: tuple[Integers, int]
    start: Integers
    dtype: DTypeLike = np.int64

    def __post_init__(self) -> None:
        if str(np.dtype(self.dtype)) not in _ARITHMETICS:
            raise DomainError(f"dtype {self.dtype!r}", required=f"one of {', '.join(_ARITHMETICS)}")
        shaped("start", self.start, "width")
        shaped("the weights of the first layer", self.layers[0][0], "m", self.width + self.language.symbols)
        shaped("the last bias", self.layers[-1][1], self.width)
        shaped("the readout", self.readout[0], self.width)

    @classmethod
    @at_most(k=STEPS)
    def one_hot(cls, n: int, k: NonNegativeInt) -> DyckRNN:
        r"""Return the network whose state is the last transition :math:`e_{(q,a)}` of the automaton, one ReLU layer.

        .. math:: z_t=\sigma(Uz_{t-1}+Wx_t-\mathbf 1),\quad U_{(q,a),(q',a')}=\mathbb 1[\delta(q',a')=q],
                  \quad W_{(q,a),a}=1

        Width :math:`2n|Q|`; accepted iff the transition leads to the empty stack.

        Parameters
        ----------
        n, k : kinds of brackets and depth.

        Returns
        -------
        DyckRNN : of one layer.

        Raises
        ------
        BudgetError
            For more than 2**24 weights.
        """
        language = BoundedDyck(n, k)
        width = language.states * language.symbols
        if width * (width + language.symbols) > _WEIGHTS:
            raise BudgetError(
                f"a network of width {width}", required=f"at most {_WEIGHTS} weights in all", advice="DyckRNN.stack"
            )
        target = language.automaton.transitions.reshape(-1)
        state, symbol = np.divmod(np.arange(width), language.symbols)
        U, W = target[None, :] == state[:, None], symbol[:, None] == np.arange(language.symbols)
        first = np.hstack([U, W]).astype(np.int64), np.full(width, -1)
        home = target == language.automaton.start
        start = (np.arange(width) == np.flatnonzero(home)[0]).astype(np.int64)
        return cls(language, (first, _identity(width)), (2 * home.astype(np.int64), -1), start)

    @classmethod
    @at_most(n=ENTRIES, k=ENTRIES)
    def stack(
        cls,
        n: NonNegativeInt,
        k: NonNegativeInt,
        *,
        code: Code = "one_hot",
        errors: Sequence[str] = ("overflow", "mismatch"),
    ) -> DyckRNN:
        r"""Return the network whose state is the stack, :math:`k` slots of :math:`m` bits, and an error bit.

        With codewords :math:`c(\tau)\in\{0,1\}^m\setminus0`, slot 1 the top, :math:`P`, :math:`C` the flags of an
        opening and a closing symbol and :math:`c(x)` the codeword of the symbol:

        .. math:: \mathrm{dn}_j=\sigma(S_j+P-1),\quad \mathrm{up}_j=\sigma(S_j+C-1),\quad
                  S'_1=c(x)P+\mathrm{up}_2,\quad S'_j=\mathrm{dn}_{j-1}+\mathrm{up}_{j+1},

        .. math:: \mathrm{ovf}=\sigma\bigl(\textstyle\sum_\beta S_{k\beta}+mP-m\bigr),\quad
                  \mathrm{mis}_\beta=\sigma(c(x)_\beta C-S_{1\beta})+\sigma(S_{1\beta}-c(x)_\beta C+C-1),

        and :math:`e'=1-\sigma(1-e-\mathrm{ovf}-\sum_\beta\mathrm{mis}_\beta)`.  Width :math:`km+1` with
        :math:`m=n` (``one_hot``) or :math:`m=\lceil\log_2(n+1)\rceil` (``binary``); accepted iff :math:`S=0,e=0`.

        Parameters
        ----------
        n, k : kinds of brackets and depth.
        code : ``"one_hot"`` or ``"binary"``.
        errors : what sets the error bit; without one of the two the network accepts words outside its language, as
            spoiled twins do: without an overflow words that are too deep, without a mismatch wrong closing brackets.

        Returns
        -------
        DyckRNN : its state has ``k m + 1`` units.

        Raises
        ------
        DomainError
            For an unknown code or kind of error.
        """
        language = BoundedDyck(n, k)
        if code not in ("one_hot", "binary") or not set(errors) <= {"overflow", "mismatch"}:
            raise DomainError(
                f"code {code!r}, errors {tuple(errors)}",
                required="'one_hot' or 'binary'; errors among 'overflow' and 'mismatch'",
                why="no other network is constructed",
            )  # fmt: skip
        words = np.eye(n, dtype=np.int64)
        if code == "binary":
            words = (np.arange(1, n + 1)[:, None] >> np.arange(bits_for(n + 1))) & 1
        layers = _stack_layers(words, k, errors)
        width = len(layers[-1][1])
        return cls(language, layers, (np.full(width, -2), 1), np.zeros(width, dtype=np.int64))

    @property
    def width(self) -> int:
        """Number of units of the state."""
        return len(self.start)

    def step(self, h: ArrayLike, symbols: ArrayLike) -> Numbers:
        """Return the states after one symbol each.

        Parameters
        ----------
        h : states, shape ``(R, width)``.
        symbols : one for each, shape ``(R,)``.

        Returns
        -------
        array : shape ``(R, width)``.

        Raises
        ------
        DomainError : shapes that do not fit, or unknown symbols.
        """
        s = symbols_of(symbols, self.language.symbols, "symbols")
        state = np.asarray(h, dtype=self.dtype)
        if state.shape != (*s.shape, self.width):
            raise DomainError(f"states {state.shape}, symbols {s.shape}", required=f"(R, {self.width}) and (R,)")
        z = np.concatenate([state, np.eye(self.language.symbols, dtype=self.dtype)[s]], axis=-1)
        for number, (W, b) in enumerate(self.layers, start=1):
            z = z @ W.T.astype(self.dtype) + b.astype(self.dtype)
            z = np.maximum(z, 0) if number < len(self.layers) else z
        return z

    @ranks(h=2)
    def score(self, h: ArrayLike) -> Numbers:
        """Return the scores of states.

        Parameters
        ----------
        h : states, shape ``(R, width)``.

        Returns
        -------
        array : shape ``(R,)``; positive where the word is accepted.
        """
        w, c = self.readout
        return np.asarray(h, dtype=self.dtype) @ w.astype(self.dtype) + np.asarray(c, dtype=self.dtype)

    @ranks(h=2)
    def accepting(self, h: ArrayLike) -> NDArray[np.bool_]:
        """Return whether a word that leads to the state is accepted.

        Parameters
        ----------
        h : states, shape ``(R, width)``.

        Returns
        -------
        array : truth values, shape ``(R,)``.
        """
        return self.score(h) > 0

    def __call__(self, words: ArrayLike) -> Numbers:
        """Return the score of each word, for words of shape ``(..., N)``."""
        array = symbols_of(words, self.language.symbols)
        h = np.tile(self.start.astype(self.dtype), (int(np.prod(array.shape[:-1])), 1))
        for symbol in array.reshape(len(h), array.shape[-1]).T:
            h = self.step(h, symbol)
        return self.score(h).reshape(array.shape[:-1])

    def accepts(self, words: ArrayLike) -> NDArray[np.bool_]:
        """Return whether each word is accepted.

        Parameters
        ----------
        words : symbols, shape ``(..., N)``; opening brackets are ``0 .. n - 1``, their closing ones ``n .. 2 n - 1``.

        Returns
        -------
        array : truth values, shape ``(...)``.
        """
        return self(words) > 0

    def exact(self, words: ArrayLike) -> Numbers:
        """Return the scores in integers, whatever the arithmetic."""
        return replace(self, dtype=np.int64)(words)

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        """Return 0 where every partial sum is an integer of the type, of at most :attr:`largest_sum`."""
        return 0.0 if self.largest_sum * u <= 1 else math.inf

    certificate = absent("it makes no error: a word is accepted or it is not")

    def norms(self) -> dict[str, Enclosure]:
        """Return the norms of all weights and biases."""
        w, c = self.readout
        pairs = {f"transition.{2 * i}": pair for i, pair in enumerate(self.layers)} | {"readout": (w, np.array([c]))}
        parts = {f"{k}.{end}": A for k, pair in pairs.items() for end, A in zip(("weight", "bias"), pair, strict=True)}
        return {name: Enclosure(int((A.astype(object) ** 2).sum())).sqrt() for name, A in parts.items()}

    def sizes(self) -> dict[str, int]:
        """Return the units of a state, its bits, and the number of parameters."""
        weights = sum(W.size + len(b) for W, b in self.layers) + self.width + 1
        return {"width": self.width, "bits": self.width, "parameters": weights}

    @property
    def largest_sum(self) -> int:
        r"""Bound on every partial sum of a step whose state and input consist of zeros and ones.

        With :math:`u_0=1` the inputs of layer :math:`l` are at most :math:`u_{l-1}`, its partial sums at most
        :math:`u_l=\max_i\sum_j|W_{ij}|u_{l-1}+|b_i|`.  Up to :math:`2^{11}` all are integers of float16, so a step is
        exact in whatever order it sums.
        """
        size, largest = 1, 1
        for W, b in (*self.layers, (self.readout[0][None], np.array([self.readout[1]]))):
            size = int((np.abs(W).sum(axis=1) * size + np.abs(b)).max())
            largest = max(largest, size)
            size = 1 if W is self.layers[-1][0] else size  # the new state consists of zeros and ones again
        return largest

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return the torch module (float64 unless another type is asked for); all weights can be trained."""
        return twin("theorytools.papers.sep.torch.dyck:DyckModule")(self, dtype, device)


def _identity(width: int) -> tuple[Integers, Integers]:
    return np.eye(width, dtype=np.int64), np.zeros(width, dtype=np.int64)


def _stack_layers(words: Integers, k: int, errors: Sequence[str]) -> tuple[tuple[Integers, Integers], ...]:
    n, m = words.shape
    size = k * m
    # rows that read the parts of (S, e, x), x = (opening, closing)
    read = np.eye(size + 1 + 2 * n, dtype=np.int64)
    S, e, x = read[:size], read[size : size + 1], read[size + 1 :]
    P, C = x[:n].sum(axis=0, keepdims=True), x[n:].sum(axis=0, keepdims=True)
    opened, closed = words.T @ x[:n], words.T @ x[n:]
    rows = [S + P, S + C, S[-m:].sum(axis=0, keepdims=True) + m * P, closed - S[:m], S[:m] - closed + C, opened, e]
    bias = np.repeat([-1, -1, -m, 0, -1, 0, 0], [len(part) for part in rows])
    down, up, overflow, above, below, pushed, error = np.split(
        np.eye(len(bias), dtype=np.int64), np.cumsum([len(part) for part in rows])[:-1]
    )
    moved = np.vstack([pushed, down[: size - m]]) + np.vstack([up[m:], np.zeros((m, len(bias)), dtype=np.int64)])
    wrong = error.sum(axis=0) + ("overflow" in errors) * overflow.sum(axis=0)
    wrong = wrong + ("mismatch" in errors) * (above.sum(axis=0) + below.sum(axis=0))
    second = np.vstack([moved, -wrong]), np.repeat([0, 1], [size, 1])
    last = np.diag(np.repeat([1, -1], [size, 1])), second[1]  # e' = 1 - the last unit
    return (np.vstack(rows), bias), second, last
