r"""Index lookup: read the symbol at a position that is named after the symbols."""

from __future__ import annotations

import numbers
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Numbers, checked
from theorytools.errors import BudgetError, DomainError

_WHY = "index lookup: symbols s_1, ..., s_N, then a position p; the answer is s_p"
_WORDS = 2**20


@checked
@dataclass(frozen=True)
class LookupTask:
    r"""The input is :math:`s_1\dots s_N\in\Sigma^N` and then a position :math:`p`; the answer is :math:`s_p`.

    Symbols are :math:`0,\dots,|\Sigma|-1`; in code positions are counted from 0.

    Parameters
    ----------
    N : number of symbols, at least 1.
    symbols : size of the alphabet, at least 2.

    Raises
    ------
    DomainError : parameters outside these ranges.

    References
    ----------
    Bhattamishra, Hahn, Blunsom, Kanade (2024), Index Lookup, arXiv 2406.09347v1.

    Examples
    --------
    >>> task = LookupTask(3)
    >>> task.inputs, task.words().shape, task.answers([[0, 1, 1]], [1]).tolist()
    (24, (8, 3), [1])
    """

    N: int
    symbols: int = 2

    def __post_init__(self) -> None:
        for name, value, least in (("N", self.N, 1), ("symbols", self.symbols, 2)):
            if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
                raise DomainError(f"{name} = {value!r}", required=f"an integer {name} >= {least}", why=_WHY)
            object.__setattr__(self, name, int(value))

    @property
    def inputs(self) -> int:
        r"""The number of inputs, :math:`N|\Sigma|^N`."""
        return self.N * self.symbols**self.N

    def words(self) -> NDArray[np.int64]:
        r"""Return all words, shape ``(symbols**N, N)``, the first symbol varying fastest.

        Raises
        ------
        BudgetError : more than 2**20 words.
        """
        advice = "the worst input is known: see theorytools.papers.sep.attention.lookup_margin.LookupMargin"
        if self.symbols**self.N > _WORDS:
            given = f"{self.symbols}^{self.N} words"
            raise BudgetError(given, required=f"at most {_WORDS} words", why="every word is listed", advice=advice)
        return np.arange(self.symbols**self.N)[:, None] // self.symbols ** np.arange(self.N) % self.symbols

    def answers(self, words: Numbers, p: Numbers) -> NDArray[np.int64]:
        """Return the symbols at positions ``p``, shape ``(n,)``, of words of shape ``(n, N)``."""
        words, p = self.checked(words), self.positions(p)
        if len(p) != len(words):
            raise DomainError(f"{len(words)} words and {len(p)} positions", required="one position per word", why=_WHY)
        return words[np.arange(len(words)), p]

    def checked(self, words: Numbers) -> NDArray[np.int64]:
        """Return words as an array of shape ``(n, N)``, or refuse a length or a symbol that does not match."""
        array = np.asarray(words)
        if array.ndim != 2 or array.shape[1] != self.N or array.dtype.kind not in "iu":
            raise DomainError(
                f"words of shape {array.shape}, type {array.dtype}", required=f"integers of shape (n, {self.N})",
                why=_WHY, advice="one row per word; codes and scale are made for one length",
            )  # fmt: skip
        wrong = array[(array < 0) | (array >= self.symbols)]
        if wrong.size:
            raise DomainError(f"the symbol {wrong[0]}", required=f"a symbol in 0, ..., {self.symbols - 1}", why=_WHY)
        return array.astype(np.int64)

    def positions(self, p: Numbers) -> NDArray[np.int64]:
        """Return positions as an array of shape ``(n,)``, or refuse one outside ``0, ..., N - 1``."""
        array = np.atleast_1d(np.asarray(p))
        if array.ndim != 1 or array.dtype.kind not in "iu" or ((array < 0) | (array >= self.N)).any():
            raise DomainError(f"p = {p!r}", required=f"positions in 0, ..., {self.N - 1}", why=_WHY)
        return array.astype(np.int64)
