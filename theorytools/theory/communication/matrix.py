r"""How much two parties must say: distinct rows, rank and fooling sets of a matrix of answers.

Alice holds a row, Bob a column of :math:`M`.  One message from Alice to Bob takes at least
:math:`\log_2\#\{\text{distinct rows}\}` bits, and so many suffice; conversations in both directions take at least
:math:`\log_2` of the rank, or of a fooling set, pairs :math:`(x_i,y_i)` with one answer such that of any two mixed
pairs :math:`(x_i,y_j)`, :math:`(x_j,y_i)` at least one has the other answer.

References
----------
Kushilevitz, Nisan (1997), Communication Complexity, chapters 1 and 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import STEPS, NonNegativeInt, Numbers, at_most, checked, ranks
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers.linear_algebra import independent_rows
from theorytools.tasks.automaton import strings_of

_LARGEST = 1 << 22


@checked
@at_most(length=STEPS)
def all_strings(length: NonNegativeInt, letters: NonNegativeInt = 2) -> NDArray[np.int64]:
    """Return all strings over ``0 .. letters - 1`` in order, shape ``(letters**length, length)``.

    Raises
    ------
    BudgetError
        For more than 2^22 of them.
    """
    if letters**length > _LARGEST:
        raise BudgetError(f"{letters}^{length} strings", required=f"at most {_LARGEST}", why="all are enumerated")
    numbers = np.arange(letters**length, dtype=np.int64)
    return numbers[:, None] // letters ** np.arange(length - 1, -1, -1, dtype=np.int64) % letters


def shared_inputs(length: int, letters: int, *parts: tuple[Iterable[int], NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return inputs ``(k, length)`` from the parties' positions and strings ``(k, n)``; zeros where nobody has one.

    Raises
    ------
    DomainError : no strings, different numbers of them, other lengths or another alphabet.
    """
    if len({len(strings) for _, strings in parts}) != 1:
        sizes = ", ".join(str(len(strings)) for _, strings in parts) or "no"
        raise DomainError(f"{sizes} strings", required="as many of Bob's as of Alice's", why="an input has both")
    tokens = np.zeros((len(parts[0][1]), length), dtype=np.int64)
    for owned, strings in parts:
        positions = list(owned)
        tokens[:, positions] = strings_of(strings, len(positions), letters)
    return tokens


@checked
def equality(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
    """Return whether strings are equal, broadcast over leading axes: ``(..., n)`` and ``(..., n)`` to ``(...)``."""
    if x.shape[-1:] != y.shape[-1:] or not x.ndim:
        given = f"strings of shapes {x.shape} and {y.shape}"
        raise DomainError(given, required="one length on the last axis", why="they are compared letter by letter")
    return (x == y).all(axis=-1)


@checked
@dataclass(frozen=True)
class CommunicationMatrix:
    """The matrix of answers :math:`M_{xy}` of a task, for small sizes.

    Parameters
    ----------
    answers : the matrix, integers, shape ``(rows, columns)``; made by :meth:`of`.

    References
    ----------
    Kushilevitz, Nisan (1997), Communication Complexity, chapters 1 and 4.

    Examples
    --------
    >>> strings = all_strings(3)
    >>> M = CommunicationMatrix.of(equality, strings, strings)
    >>> M.distinct_rows, M.rank, M.fools(np.arange(8), np.arange(8))
    (8, 8, True)
    """

    answers: NDArray[np.int64]

    @classmethod
    @ranks(X=2)
    def of(cls, task: Callable[..., Any], X: NDArray[Any], Y: NDArray[Any]) -> CommunicationMatrix:
        """Return the matrix of a task on given strings.

        Parameters
        ----------
        task : ``task(x, y)``, broadcasting over leading axes.
        X, Y : strings of Alice and of Bob, shapes ``(k, n)`` and ``(k', n')``.

        Returns
        -------
        CommunicationMatrix : shape ``(k, k')``.

        Raises
        ------
        DomainError : answers of another shape, or that are no integers or truth values.
        BudgetError : too many pairs.
        """
        if len(X) * len(Y) > _LARGEST:
            raise BudgetError(f"{len(X)} x {len(Y)} answers", required=f"at most {_LARGEST}", why="all are computed")
        answers = np.asarray(task(X[:, None], Y[None]))
        if answers.shape != (len(X), len(Y)):
            given = f"answers of shape {answers.shape}"
            raise DomainError(given, required=f"({len(X)}, {len(Y)})", why="the task takes strings on the last axis")
        if answers.dtype.kind not in "biuO":
            raise DomainError(f"answers of type {answers.dtype}", required="integers or truth values", why="compared")
        return cls(answers.astype(np.int64))

    @cached_property
    def distinct_rows(self) -> int:
        """The number of different rows: what one message from Alice must tell apart."""
        return len(np.unique(self.answers, axis=0))

    @cached_property
    def rank(self) -> int:
        """The rank over the rationals, never more than the number of distinct rows."""
        rows = np.unique(self.answers, axis=0)
        return len(independent_rows(rows.astype(object))[0])

    @ranks(rows=1, columns=1)
    def fools(self, rows: Numbers, columns: Numbers) -> bool:
        """Return whether the pairs ``(rows[i], columns[i])`` are a fooling set.

        Parameters
        ----------
        rows, columns : numbers of rows and of columns, from 0, equally many.

        Returns
        -------
        bool : decided pair by pair.
        """
        block = self.answers[np.ix_(rows, columns)]
        answer = block[0, 0]
        same = block == answer
        return bool(same.diagonal().all() and not (same & same.T & ~np.eye(len(block), dtype=bool)).any())

    def fooling_set(self, answer: int = 1) -> tuple[list[int], list[int]]:
        """Return a fooling set with one answer, chosen greedily: its size is a lower bound, not the largest.

        Parameters
        ----------
        answer : the common answer of its pairs.

        Returns
        -------
        tuple of lists : numbers of rows and of columns; empty if the answer does not occur.
        """
        rows: list[int] = []
        columns: list[int] = []
        same = self.answers == answer
        left = same.copy()  # the pairs that may still join
        while left.any():
            x, y = divmod(int(left.argmax()), left.shape[1])
            rows, columns = [*rows, x], [*columns, y]
            left &= ~(same[:, y, None] & same[x])  # (x, y') and (x', y) have the answer: (x', y') does not fool
        return rows, columns
