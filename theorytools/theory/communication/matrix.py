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

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Count, Numbers, Steps, checked, ranks
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers.rational import independent_rows

_LARGEST = 1 << 22


@checked
def all_strings(length: Steps, letters: Count = 2) -> NDArray[np.int64]:
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
    r"""The matrix of answers :math:`M_{xy}` of a task, for small sizes.

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
        """Return the matrix of ``task(x, y)``, a function that broadcasts over leading axes."""
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
        """Return whether the pairs ``(rows[i], columns[i])`` are a fooling set, decided pair by pair."""
        block = self.answers[np.ix_(rows, columns)]
        answer = block[0, 0]
        same = block == answer
        return bool(same.diagonal().all() and not (same & same.T & ~np.eye(len(block), dtype=bool)).any())

    def fooling_set(self, answer: int = 1) -> tuple[list[int], list[int]]:
        """Return a fooling set with one answer, chosen greedily: its size is a lower bound, not the largest."""
        rows: list[int] = []
        columns: list[int] = []
        same = self.answers == answer
        left = same.copy()  # the pairs that may still join
        while left.any():
            x, y = divmod(int(left.argmax()), left.shape[1])
            rows, columns = [*rows, x], [*columns, y]
            left &= ~(same[:, y, None] & same[x])  # (x, y') and (x', y) have the answer: (x', y') does not fool
        return rows, columns
