"""Recurrent models that are asked before they read: a countdown, a running best.  Few states suffice.

Symbol number 0 is the query, a position ``0 .. N-1``; then follow ``N`` symbols.  The answer is
``answer(h, p)`` after the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import NonNegativeInt, PositiveInt, checked, ranks
from theorytools.constructions.shapes import in_range, shaped
from theorytools.papers.sep.recurrent.registers import Integers


@checked
@dataclass(frozen=True)
class Countdown:
    r"""The position comes first: count down to it, store one symbol, ignore the rest; :math:`N+|\Sigma|+1` states.

    States: ``-1`` before the position, ``0 .. N-1`` symbols still to pass over, ``N + a`` the symbol stored.  The start
    could be one of the stored ones, so the number is not minimal.

    Parameters
    ----------
    N : number of symbols.
    """

    N: PositiveInt

    @cached_property
    def passed(self) -> Integers:
        """How many symbols are passed over for each position: as many as there are before it, shape ``(N,)``."""
        return np.arange(self.N)

    @property
    def start(self) -> Integers:
        """Nothing has been asked."""
        return np.array([-1])

    @ranks(h=2, symbols=1)
    def step(self, h: Integers, symbols: Integers, t: NonNegativeInt) -> Integers:
        """Take the position, then count, store or keep."""
        if t == 0:
            return self.passed[symbols][:, None]
        h = h[:, 0]
        return np.where(h >= self.N, h, np.where(h == 0, self.N + symbols, h - 1))[:, None]

    @ranks(h=2, p=1)
    def answer(self, h: Integers, p: Integers) -> Integers:
        """Return the symbol stored, 0 where there is none."""
        return np.maximum(h[:, 0] - self.N, 0)


@checked
@dataclass(frozen=True, eq=False)
class RunningBest:
    r"""The query vector comes first: keep it, the best similarity so far and its label.

    Symbol number 0 names the codeword that is asked; then come the pairs :math:`(x_j,y_j)`, the codewords in a fixed
    order.  The state is (query, similarity, label); similarities are integers :math:`d\langle x_q,x_j\rangle`.

    Parameters
    ----------
    codes : sign vectors of the codewords, shape ``(N, d)``.
    """

    codes: NDArray[Any]

    def __post_init__(self) -> None:
        shaped("codes", self.codes, "N", "d")

    @property
    def start(self) -> Integers:
        """Nothing has been asked."""
        return np.array([-1, -self.codes.shape[1] - 1, 0])

    @ranks(h=2, symbols=1)
    def step(self, h: Integers, symbols: Integers, t: NonNegativeInt) -> Integers:
        """Take the query, then keep the label of the nearest vector so far."""
        t = in_range("t", t, len(self.codes) + 1, "symbol")
        if t == 0:
            return np.column_stack([symbols, np.repeat(self.start[None, 1:], len(h), axis=0)])
        codes = self.codes.astype(np.int64)
        similar = codes[h[:, 0]] @ codes[t - 1]
        nearer = similar > h[:, 1]
        return np.column_stack([h[:, 0], np.where(nearer, similar, h[:, 1]), np.where(nearer, symbols, h[:, 2])])

    @ranks(h=2, p=1)
    def answer(self, h: Integers, p: Integers) -> Integers:
        """Return the label of the nearest vector."""
        return h[:, 2]
