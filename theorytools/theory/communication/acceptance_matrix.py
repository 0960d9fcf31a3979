"""The acceptance matrix of a language whose positions are split between two parties: rows, rank, partners.

Alice owns some positions, Bob the others: :math:`M[a,b]=1` iff the word put together from both is accepted.  A message
from Alice that lets Bob answer must take as many values as ``M`` has different rows, whatever the split.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.amounts import amount
from theorytools.arguments.checked import STEPS, NonNegativeInt, at_most, checked
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import gf2
from theorytools.numbers.linear_algebra import independent_rows
from theorytools.tasks.automaton import Automaton

Split = Literal["interleaved", "contiguous"]


_CELLS = 2**24


_VECTORS = 100_000


def split_positions(split: Split, N: int) -> range:
    """Return Alice's positions: every second one from the first, or the first half.

    Raises
    ------
    DomainError
        For an unknown split or a length that is not even and positive.
    """
    if N < 2 or N % 2 or split not in ("interleaved", "contiguous"):
        raise DomainError(
            f"{split!r} split of length {N}", required="'interleaved' or 'contiguous', a positive even length"
        )
    return range(0, N, 2) if split == "interleaved" else range(N // 2)


@checked
@at_most(N=STEPS)
@dataclass(frozen=True, eq=False)
class AcceptanceMatrix:
    """The matrix :math:`M[a,b]` of all words of length ``N``, rows Alice's strings, columns Bob's, in order.

    Parameters
    ----------
    automaton : the language.
    N : length of the words.
    alice : Alice's positions, from 0; the others are Bob's.
    fixed : public symbols, position to symbol; they belong to neither.
    limit : most cells that are computed.

    Raises
    ------
    DomainError
        For positions that do not exist, or fixed ones among Alice's, and unknown symbols.
    BudgetError
        For more cells than the limit; the message has their number.

    Examples
    --------
    >>> from theorytools.papers.sep.tasks.dyck import BoundedDyck
    >>> M = AcceptanceMatrix(BoundedDyck(1, 1).automaton, 4, alice=[0, 2])
    >>> M.rows, M.ones, M.rank, M.partners()
    (2, 1, 1, (1, 1))
    """

    automaton: Automaton
    N: NonNegativeInt
    alice: Iterable[int]
    fixed: Mapping[int, int] = field(default_factory=dict)
    limit: int = _CELLS

    def __post_init__(self) -> None:
        object.__setattr__(self, "alice", frozenset(self.alice))
        positions, known = set(self.alice) | set(self.fixed), self.automaton.symbols
        lost = not positions <= set(range(self.N)) or set(self.alice) & set(self.fixed)
        if self.N < 1 or lost or not all(0 <= s < known for s in self.fixed.values()):
            raise DomainError(
                f"positions {sorted(positions)}, fixed symbols {dict(self.fixed)}",
                required=f"positions from 0 to {self.N - 1}, the fixed ones not Alice's, symbols from 0 to {known - 1}",
            )
        if (cells := known ** (self.N - len(self.fixed))) > self.limit:
            raise BudgetError(f"{amount(cells)} cells", required=f"at most {self.limit}", advice="most_partners")

    @cached_property
    def cells(self) -> NDArray[np.bool_]:
        """The matrix as truth values, Alice's and Bob's strings in lexicographic order."""
        small = np.min_scalar_type(self.automaton.states)
        table, symbols = self.automaton.transitions.astype(small), self.automaton.symbols
        state = np.full((1, 1), self.automaton.start, dtype=small)
        for i in range(self.N):
            rows, columns = state.shape
            if i in self.fixed:
                state = table[state, self.fixed[i]]
            elif i in self.alice:
                state = table[state].transpose(0, 2, 1).reshape(rows * symbols, columns)
            else:
                state = table[state].reshape(rows, columns * symbols)
        return self.automaton.accepting[state]

    @cached_property
    def distinct(self) -> NDArray[np.bool_]:
        """The different rows, each once, restricted to one of each kind of column; as many rows, the same rank."""
        return _unique_rows(_unique_rows(self.cells).T).T

    @property
    def rows(self) -> int:
        """Number of different rows."""
        return len(self.distinct)

    @property
    def ones(self) -> int:
        """Number of accepted words."""
        return int(self.cells.sum())

    @cached_property
    def rank(self) -> int:
        """The rank over the rationals, exactly.

        The rank modulo 2 is at most it, the number of different rows other than zero at least it; where they differ
        the rank is found by elimination modulo a large prime and proved over the rationals.
        """
        nonzero = self.distinct[self.distinct.any(axis=1)]
        if (low := gf2.matrix_rank(nonzero)) == len(nonzero):
            return low
        return len(independent_rows(nonzero.astype(int).astype(object))[0])

    def partners(self) -> tuple[int, int]:
        """Return the most ones in a row and the most ones in a column."""
        return int(self.cells.sum(axis=1).max()), int(self.cells.sum(axis=0).max())


@checked
@at_most(N=STEPS)
def acceptance_matrix(
    automaton: Automaton, N: NonNegativeInt, split: Split = "interleaved", *, fixed: Mapping[int, int] | None = None
) -> AcceptanceMatrix:
    """Return the acceptance matrix of a named split; ``fixed`` symbols are public."""
    alice = set(split_positions(split, N)) - set(fixed or {})
    return AcceptanceMatrix(automaton, N, alice, dict(fixed or {}))


def _unique_rows(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    packed = np.ascontiguousarray(np.packbits(cells, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).reshape(-1)
    return cells[np.unique(keys, return_index=True)[1]]


@dataclass(frozen=True)
class Partners:
    """How many strings of one party complete a string of the other.

    Attributes
    ----------
    most : the largest number of accepted partners of one string.
    vectors : vectors of counts that were visited.
    rounds : rounds after which no new vector appears, or those asked for.
    """

    most: int
    vectors: int
    rounds: int


@checked
def most_partners(
    automaton: Automaton, side: Literal["alice", "bob"], *, rounds: int | None = None, limit: int = _VECTORS
) -> Partners:
    r"""Return the most strings of the other party that complete a string of this one, interleaved.

    For a string of Alice the numbers of Bob's strings that lead to each live state form a vector of integers that
    only depends on the vector before, :math:`v'_{\delta(\delta(q,a),b)}\mathrel{+}=v_q` for all ``b`` (for Bob: for
    all ``a``).  If finitely many vectors are reachable, visiting them settles all lengths at once.

    Parameters
    ----------
    automaton : the language.
    side : whose strings are completed.
    rounds : stop after words of length ``2 rounds``; by default all lengths.
    limit : most vectors that are visited.

    Raises
    ------
    BudgetError
        For more vectors, as for depth 3 and all lengths, where the counts grow without bound.
    """
    if side not in ("alice", "bob"):
        raise DomainError(f"side = {side!r}", required="'alice' or 'bob'")
    live = np.flatnonzero(automaton.live)
    maps = _rounds(automaton, side)[:, live][:, :, live]
    level = {tuple(int(q == automaton.start) for q in live)}
    seen: set[tuple[int, ...]] = set()
    most, done = 0, 0
    while level and done != rounds:
        stacked: NDArray[Any] = np.array(sorted(level), dtype=object)
        following = {tuple(row) for A in maps for row in (stacked @ A).tolist()}
        level = following - seen if rounds is None else following
        seen |= following
        done += bool(level)
        most = max([most, *(sum(x for x, q in zip(v, live, strict=True) if automaton.accepting[q]) for v in level)])
        if len(seen) > limit:
            raise BudgetError(f"{len(seen)} vectors after {done} rounds and more", required=f"at most {limit}",
                              why="only finitely many settle all lengths", advice="rounds=…")  # fmt: skip
    return Partners(most, len(seen), done)


def _rounds(automaton: Automaton, side: str) -> NDArray[Any]:
    """For each symbol of this party the matrix (state before, state after) of the other's choices in one round."""
    Q, S = automaton.transitions.shape
    maps = np.zeros((S, Q, Q), dtype=object)
    for q in range(Q):
        for a in range(S):
            for b in range(S):
                maps[a if side == "alice" else b, q, automaton.transitions[automaton.transitions[q, a], b]] += 1
    return maps
