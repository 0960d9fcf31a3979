r"""Recurrent models of index lookup whose states are integers: encoders, registers, quantised networks.

Each has ``start``, the state before the first symbol, shape ``(width,)``, and ``step(h, symbols, t)``, the states
``(R, width)`` after symbol number ``t``; :func:`theorytools.papers.sep.memory.counting.count_states` counts what they
reach.

References
----------
Bhattamishra, Hahn, Blunsom, Kanade (2024), Index Lookup, arXiv 2406.09347v1; the models here are derived.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, PositiveInt, at_most, checked, ranks
from theorytools.constructions.shapes import shaped
from theorytools.errors import DomainError

Integers = NDArray[np.int64]
_WHY = "a recurrent model whose state is a vector of integers"


@checked
@dataclass(frozen=True)
class TightEncoder:
    r"""One integer holds every symbol, :math:`h\leftarrow|\Sigma|h+s_t`: exactly :math:`|\Sigma|^N` states.

    Parameters
    ----------
    letters : size of the alphabet; words with :math:`|\Sigma|^N<2^{63}` fit.
    """

    letters: PositiveInt = 2

    @property
    def start(self) -> Integers:
        """Zero."""
        return np.zeros(1, dtype=np.int64)

    @ranks(h=2, symbols=1)
    def step(self, h: Integers, symbols: Integers, t: NonNegativeInt) -> Integers:
        """Append a symbol as the lowest digit; ``DomainError`` where the integer would not fit."""
        if len(h) and int(h.max()) >= (1 << 62) // self.letters:
            raise DomainError(f"{t + 1} symbols of {self.letters}", required="letters**N < 2**62", why="int64 digits")
        return h * self.letters + symbols[:, None]


@checked
@at_most(kept=ENTRIES)
@dataclass(frozen=True)
class SymbolRegister:
    r"""A shift register of the last :math:`B` symbols, zeros at first: :math:`|\Sigma|^B` states from ``t = B`` on.

    The best read-out guesses the :math:`N-B` symbols that are gone, so its accuracy is
    :math:`\frac1N(B+\frac{N-B}{|\Sigma|})`; with two letters :math:`\frac12(1+B/N)`.

    Parameters
    ----------
    letters : size of the alphabet.
    kept : :math:`B`, at least 0.

    References
    ----------
    For the recurrent lower bound of Bhattamishra, Hahn, Blunsom, Kanade (2024), Index Lookup, arXiv 2406.09347v1; the
    model is derived here.

    Examples
    --------
    >>> SymbolRegister(2, kept=2).step(np.array([[0, 1]]), np.array([1]), 2)
    array([[1, 1]])
    """

    letters: PositiveInt = 2
    kept: NonNegativeInt = 1

    @property
    def start(self) -> Integers:
        """Zeros."""
        return np.zeros(max(1, self.kept), dtype=np.int64)

    @ranks(h=2, symbols=1)
    def step(self, h: Integers, symbols: Integers, t: NonNegativeInt) -> Integers:
        """Shift the new symbol in; without places nothing is kept.

        Parameters
        ----------
        h : states, shape ``(R, width)``.
        symbols : one for each, shape ``(R,)``.
        t : number of the symbol; it does not matter here.

        Returns
        -------
        array : the states after it, shape ``(R, width)``.
        """
        return np.concatenate([h[:, 1:], symbols[:, None]], axis=1) if self.kept else h


@checked
@dataclass(frozen=True)
class HammingQuantiser:
    """Seven bits are read into one integer, and the last step keeps the nearest of the 16 words of the (7, 4) code.

    The code is perfect: a word differs from the nearest one in at most one place, so the accuracy is 7/8.  States
    before the last step are more; the memory that is asked has 16.
    """

    @property
    def start(self) -> Integers:
        """Zero."""
        return np.zeros(1, dtype=np.int64)

    @ranks(h=2, symbols=1)
    def step(self, h: Integers, symbols: Integers, t: NonNegativeInt) -> Integers:
        """Append a bit; at the seventh flip the one that the syndrome names."""
        if t >= 7:
            raise DomainError(f"symbol number {t + 1}", required="words of 7 bits", why="the (7, 4) code")
        h = 2 * h + symbols[:, None]
        if t < 6:
            return h
        places = np.arange(1, 8)
        syndrome = np.bitwise_xor.reduce(np.where(h >> (7 - places) & 1, places, 0), axis=1)
        return h ^ np.where(syndrome > 0, 1 << (7 - np.maximum(syndrome, 1)), 0)[:, None]


@checked
@dataclass(frozen=True, eq=False)
class QuantisedTanhRNN:
    r"""A network :math:`h\leftarrow\operatorname{round}(\tanh(Wh+U_s+b))` with :math:`m` units of :math:`p` bits.

    A unit is one of the :math:`2^p` cells of :math:`[-1,1]`, kept as its number :math:`q` and read as its middle,
    :math:`(2q+1)2^{-p}-1`; so there are at most :math:`2^{mp}` states.

    Parameters
    ----------
    W, U, b : doubles of shape ``(m, m)``, ``(letters, m)`` and ``(m,)``.
    p : bits of a unit, 1 to 24.
    """

    W: NDArray[Any]
    U: NDArray[Any]
    b: NDArray[Any]
    p: int

    def __post_init__(self) -> None:
        shaped("b", self.b, "m")
        m = len(self.b)
        if np.shape(self.W) != (m, m) or np.shape(self.U)[1:] != (m,) or not 1 <= self.p <= 24:
            given = f"W {np.shape(self.W)}, U {np.shape(self.U)}, b ({m},), p = {self.p}"
            raise DomainError(given, required="shapes (m, m), (letters, m), (m,) and 1 <= p <= 24", why=_WHY)

    @classmethod
    @at_most(m=ENTRIES, letters=ENTRIES)
    def drawn(
        cls, m: NonNegativeInt, p: int, letters: NonNegativeInt, rng: np.random.Generator, *, gain: float = 1.0
    ) -> QuantisedTanhRNN:
        """Return a network with Gaussian weights: variance ``gain**2 / m`` for ``W``, 1 for ``U`` and 1/4 for ``b``."""
        W = rng.standard_normal((m, m)) * gain / np.sqrt(m)
        return cls(W, rng.standard_normal((letters, m)), rng.standard_normal(m) / 2, p)

    @property
    def bits(self) -> int:
        """Bits of the state, :math:`mp`."""
        return len(self.b) * self.p

    @property
    def start(self) -> Integers:
        """The cell to the right of 0, in every unit."""
        return np.full(len(self.b), 1 << (self.p - 1), dtype=np.int64)

    @ranks(h=2)
    def values(self, h: Integers) -> NDArray[np.float64]:
        """Return the middles of the cells, shape ``(R, m)``."""
        return np.asarray((2 * h + 1) * 2.0**-self.p - 1, dtype=np.float64)

    @ranks(h=2, symbols=1)
    def step(self, h: Integers, symbols: Integers, t: NonNegativeInt) -> Integers:
        """Return the cells after one symbol each; every row is summed alone, whatever else is in the batch."""
        drive = (self.W * self.values(h)[:, None, :]).sum(axis=2) + self.U[symbols] + self.b
        cells = np.floor((np.tanh(drive) + 1) * 2.0 ** (self.p - 1)).astype(np.int64)
        return np.minimum(cells, (1 << self.p) - 1)  # tanh rounds to 1, the right end of the last cell
