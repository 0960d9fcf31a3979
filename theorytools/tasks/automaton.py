r"""Finite automata as tables: running, reachable states, classes of states that no suffix tells apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theorytools.arguments.checked import STEPS, NonNegativeInt, at_most, checked, unchecked
from theorytools.errors import DomainError

Integers = NDArray[np.int64]


@checked
def symbols_of(words: ArrayLike, symbols: int, what: str = "words") -> Integers:
    """Return words as integers, last axis the position, or refuse them: each symbol is one of ``0, …, symbols - 1``.

    Raises
    ------
    DomainError
        For words of different lengths, numbers that are not integers, and symbols outside the alphabet.
    """
    required = f"an integer array, symbols from 0 to {symbols - 1}, last axis the position"
    try:
        array = np.asarray(words)
    except ValueError:
        raise DomainError(f"{what} of different lengths", required=required, advice="one array per length") from None
    if not array.size and array.ndim:
        return array.astype(np.int64)
    if array.ndim == 0 or array.dtype.kind not in "iu":
        raise DomainError(f"{what}: {array.dtype} of shape {array.shape}", required=required)
    if array.min() < 0 or array.max() >= symbols:
        unknown = array[(array < 0) | (array >= symbols)].flat[0]
        raise DomainError(f"{what} with the symbol {unknown}", required=required)
    return array.astype(np.int64)


_symbols_of = unchecked(symbols_of)


@checked
def strings_of(strings: ArrayLike, length: int, symbols: int, what: str = "strings") -> Integers:
    """Return strings as integers ``(..., length)``, or refuse another length, kind of number or alphabet.

    Raises
    ------
    DomainError
        As :func:`symbols_of`, and for a last axis of another length.
    """
    array = _symbols_of(strings, symbols, what)
    if array.ndim == 0 or array.shape[-1] != length:
        raise DomainError(
            f"{what} of shape {array.shape}",
            required=f"last axis of length {length}, symbols 0 to {symbols - 1}",
            why="one symbol for each position",
        )
    return array


@checked
@dataclass(frozen=True, eq=False)
class Automaton:
    r"""A complete deterministic finite automaton: :math:`q_t=\delta(q_{t-1},s_t)`.

    Parameters
    ----------
    transitions : :math:`\delta`, integers of shape ``(states, symbols)``.
    accepting : one truth value for each state.
    start : the state before the first symbol.

    Raises
    ------
    DomainError
        For tables that do not match, or that lead to states which do not exist.
    """

    transitions: Integers
    accepting: NDArray[np.bool_]
    start: int = 0

    def __post_init__(self) -> None:
        table, accepting = np.asarray(self.transitions), np.asarray(self.accepting, dtype=bool)
        sound = table.ndim == 2 and table.dtype.kind in "iu" and accepting.shape == (len(table),) and table.size
        if not sound or table.min() < 0 or table.max() >= len(table) or not 0 <= self.start < len(table):
            raise DomainError(
                f"transitions of shape {table.shape}, {accepting.size} flags, start {self.start}",
                required="a table (states, symbols) of states, one flag for each state, a start among them",
            )
        object.__setattr__(self, "transitions", table.astype(np.int64))
        object.__setattr__(self, "accepting", accepting)

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.transitions)

    @property
    def symbols(self) -> int:
        """Number of symbols."""
        return self.transitions.shape[1]

    def run(self, words: ArrayLike) -> Integers:
        """Return the state after each word, for words of shape ``(..., N)``."""
        array = symbols_of(words, self.symbols)
        state = np.full(array.shape[:-1], self.start, dtype=np.int64)
        for position in range(array.shape[-1]):
            state = self.transitions[state, array[..., position]]
        return state

    def accepts(self, words: ArrayLike) -> NDArray[np.bool_]:
        """Return whether each word is accepted, for words of shape ``(..., N)``."""
        return self.accepting[self.run(words)]

    @at_most(N=STEPS)
    def count(self, N: NonNegativeInt) -> int:
        """Return the number of accepted words of length ``N``, an exact integer."""
        ways = [int(flag) for flag in self.accepting]
        for _ in range(N):
            ways = [sum(ways[target] for target in row) for row in self.transitions.tolist()]
        return ways[self.start]

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """For each state, whether some word leads from it to an accepting state."""
        live = self.accepting
        while (more := live | live[self.transitions].any(axis=1)).sum() > live.sum():
            live = more
        return live

    def reachable_at(self) -> list[frozenset[int]]:
        """Return the states reachable after 0, 1, 2, … symbols, up to where the sequence starts to repeat."""
        sets = [frozenset([self.start])]
        while (following := frozenset(self.transitions[list(sets[-1])].flat)) not in sets:
            sets.append(frozenset(map(int, following)))
        return sets

    @cached_property
    def classes(self) -> Integers:
        """For each state, the number of its class; two states share one iff no suffix tells them apart (Moore)."""
        labels = self.accepting.astype(np.int64)
        while True:
            signature = np.column_stack([labels, labels[self.transitions]])
            refined = np.unique(signature, axis=0, return_inverse=True)[1].reshape(-1)
            if refined.max() == labels.max():
                return refined
            labels = refined

    def needed_states(self) -> int:
        """Return the number of states that every automaton of this language has at least (Myhill and Nerode)."""
        reached = frozenset().union(*self.reachable_at())
        return len({int(self.classes[q]) for q in reached})

    def needed_at_once(self) -> int:
        r"""Return the most classes that occur after one and the same number of symbols.

        A model whose update and read-out may depend on the position needs at least this many states at that
        position, for prefixes of one length in different classes are told apart by a common suffix.
        """
        return max(len({int(self.classes[q]) for q in level}) for level in self.reachable_at())


@checked
def bits_for(states: int) -> int:
    r"""Return :math:`\lceil\log_2 states\rceil`, in integers."""
    if states < 1:
        raise DomainError(f"{states} states", required="at least one")
    return (states - 1).bit_length()
