r"""Bounded Dyck languages: balanced words over :math:`n` kinds of brackets, at most :math:`k` open at a time.

A bracket is opened by one of the symbols :math:`0,\dots,n-1` and closed by one of :math:`n,\dots,2n-1`: the symbol
:math:`n+\tau` closes :math:`\tau`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theorytools.arguments.amounts import amount
from theorytools.arguments.checked import STEPS, NonNegativeInt, at_most, checked
from theorytools.errors import BudgetError, DomainError
from theorytools.tasks.automaton import Automaton, Integers, symbols_of

_PAIRS = "()[]{}<>"
_STATES = 2**16
_WORDS = 2**20


@checked
@at_most(length=STEPS)
def all_words(symbols: int, length: NonNegativeInt, *, limit: int = _WORDS) -> Integers:
    """Return all words of one length in lexicographic order, shape ``(symbols**length, length)``.

    Raises
    ------
    BudgetError
        For more words than ``limit``; the message has their number.
    """
    if symbols < 1 or length < 0:
        raise DomainError(f"{symbols} symbols, length {length}", required="at least one symbol, a length from 0 on")
    if symbols**length > limit:
        raise BudgetError(f"{amount(symbols**length)} words of length {length}", required=f"at most {limit}")
    return np.stack(np.unravel_index(np.arange(symbols**length), (symbols,) * length), axis=-1) if length else (
        np.zeros((1, 0), dtype=np.int64)
    )  # fmt: skip


@checked
def interleave(first: ArrayLike, second: ArrayLike) -> Integers:
    r"""Return the words :math:`a_1b_1a_2b_2\dots`; leading axes are broadcast.

    Raises
    ------
    DomainError
        For words of different lengths.
    """
    a, b = np.asarray(first), np.asarray(second)
    if not a.ndim or not b.ndim or a.shape[-1] != b.shape[-1]:
        raise DomainError(f"words of shapes {a.shape} and {b.shape}", required="equal lengths (last axes)")
    words: Integers = np.stack(np.broadcast_arrays(a, b), axis=-1)
    return words.reshape(*words.shape[:-2], -1)


@checked
@dataclass(frozen=True)
class BoundedDyck:
    r"""Dyck-:math:`(n,k)`: well balanced words over :math:`n` kinds of brackets, of depth at most :math:`k` everywhere.

    Words shorter than :math:`2k+2` do not notice the bound on the depth, so ``BoundedDyck(n, N // 2)`` is the
    unbounded language at length ``N``.

    Parameters
    ----------
    n : kinds of brackets.
    k : largest depth.

    Raises
    ------
    DomainError
        Unless both are positive integers.

    References
    ----------
    Bhattamishra, Hahn, Blunsom, Kanade (2024), bounded Dyck languages, arXiv 2406.09347v1.

    Examples
    --------
    >>> language = BoundedDyck(2, 2)
    >>> language.states, language.accepts([language.read("([])"), language.read("([)]")]).tolist()
    (8, [True, False])
    """

    n: int
    k: int

    def __post_init__(self) -> None:
        if not all(isinstance(v, int) and not isinstance(v, bool) and v >= 1 for v in (self.n, self.k)):
            raise DomainError(f"n = {self.n!r}, k = {self.k!r}", required="two positive integers")

    @property
    def symbols(self) -> int:
        """Size of the alphabet, ``2n``."""
        return 2 * self.n

    @property
    def states(self) -> int:
        r"""States of the minimal complete automaton: one for each stack, and a dead one.

        .. math:: |Q|=\sum_{i\le k}n^i+1
        """
        return sum(self.n**i for i in range(self.k + 1)) + 1

    @cached_property
    def automaton(self) -> Automaton:
        """The automaton whose states are the stacks, bottom first, by height; the last state is dead.

        Raises
        ------
        BudgetError
            For more than 2**16 states.
        """
        if self.states > _STATES:
            raise BudgetError(f"an automaton of {self.states} states", required=f"at most {_STATES}")
        stacks = [stack for i in range(self.k + 1) for stack in product(range(self.n), repeat=i)]
        number = {stack: q for q, stack in enumerate(stacks)}
        dead = len(stacks)
        opened = [[number.get((*stack, t), dead) for t in range(self.n)] for stack in stacks]
        closed = [[number[stack[:-1]] if stack[-1:] == (t,) else dead for t in range(self.n)] for stack in stacks]
        table = [a + b for a, b in zip(opened, closed, strict=True)] + [[dead] * self.symbols]
        return Automaton(np.array(table), np.arange(dead + 1) == 0)

    def accepts(self, words: ArrayLike) -> NDArray[np.bool_]:
        """Return whether each word is in the language, by an explicit stack, for words of shape ``(..., N)``."""
        array = symbols_of(words, self.symbols)
        flat = array.reshape(int(np.prod(array.shape[:-1])), array.shape[-1])
        stack, height = np.zeros((len(flat), self.k + 2), dtype=np.int64), np.zeros(len(flat), dtype=np.int64)
        good, every = np.ones(len(flat), dtype=bool), np.arange(len(flat))
        for symbol in flat.T:
            opens = symbol < self.n
            good &= np.where(opens, height < self.k, (height > 0) & (stack[every, height - 1] == symbol - self.n))
            stack[every, height] = np.where(opens, symbol, stack[every, height])
            height = np.clip(height + np.where(opens, 1, -1), 0, self.k)  # beyond it the word is lost already
        return (good & (height == 0)).reshape(array.shape[:-1])

    def read(self, text: str) -> tuple[int, ...]:
        """Return the word of a text of brackets ``()[]{}<>``.

        Raises
        ------
        DomainError
            For a character that is not one of the first ``n`` pairs, or more than four kinds of brackets.
        """
        known = self._alphabet()
        for character in text:
            if character not in known:
                raise DomainError(f"the bracket {character!r}", required=f"brackets among {known}")
        return tuple(known.index(character) for character in text)

    def spell(self, word: ArrayLike) -> str:
        """Return a word as a text of brackets, the inverse of :meth:`read`."""
        known = self._alphabet()
        return "".join(known[s] for s in symbols_of(word, self.symbols, "a word").tolist())

    def _alphabet(self) -> str:
        if self.n > len(_PAIRS) // 2:
            raise DomainError(f"{self.n} kinds of brackets as text", required=f"at most {len(_PAIRS) // 2}")
        return _PAIRS[: 2 * self.n : 2] + _PAIRS[1 : 2 * self.n : 2]

    @at_most(N=STEPS)
    def halves(self, N: NonNegativeInt) -> Integers:
        r"""Return the words at odd positions that have a :meth:`partner`, in lexicographic order.

        All words of length ``N/2`` that open first, :math:`n(2n)^{N/2-1}` of them; with depth 1 all words that only
        open, :math:`n^{N/2}`.
        """
        if N < 2 or N % 2:
            raise DomainError(f"N = {N}", required="a positive even length")
        if self.k == 1:
            return all_words(self.n, N // 2)
        tails = all_words(self.symbols, N // 2 - 1)
        heads = np.repeat(np.arange(self.n), len(tails))
        return np.column_stack([heads, np.tile(tails, (self.n, 1))])

    def partner(self, first: ArrayLike) -> Integers:
        r"""Return for each word ``a`` at odd positions the word ``b`` at even ones that makes depth at most 2.

        The height is 1 after each :math:`a_i`: :math:`b_i` opens what :math:`a_{i+1}` closes, or closes what is open
        where :math:`a_{i+1}` opens.  With depth 1 every :math:`b_i` closes :math:`a_i`.

        Raises
        ------
        DomainError
            For words that do not open first, or that close although the depth is 1.
        """
        a = symbols_of(first, self.symbols)
        must_open = a if self.k == 1 else a[..., :1]
        if not a.shape[-1] or (must_open >= self.n).any():
            required = "words that only open" if self.k == 1 else "words that open first"
            raise DomainError(f"words of shape {a.shape} with a closing bracket", required=required)
        b, pending = np.empty_like(a), a[..., 0]
        for i in range(a.shape[-1] - 1):
            opens = a[..., i + 1] < self.n
            b[..., i] = np.where(opens, pending + self.n, a[..., i + 1] - self.n)
            pending = np.where(opens, a[..., i + 1], pending)
        b[..., -1] = pending + self.n
        return b
