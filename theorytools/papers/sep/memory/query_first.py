r"""Is a recurrent model that is asked first right on all inputs, and with how many states?  A search that proves it.

The search follows (state, position asked, symbol to be answered); what has the same three is followed once, so all
:math:`N|\Sigma|^N` inputs are covered by a number of steps that is polynomial in :math:`N` for a model with few states.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, at_most, checked
from theorytools.arguments.values import checked_integer
from theorytools.errors import BudgetError
from theorytools.theory.memory.integer_states import (
    Integers,
    Recurrence,
    checked_states,
    distinct_states,
)

_FIRST = "index lookup with the position first: p, s_1, ..., s_N"


class Asked(Recurrence, Protocol):
    """A recurrent model that is asked first and answers after the last symbol."""

    def answer(self, h: Integers, p: Integers, /) -> Integers:
        """Return the symbols answered in states ``(R, width)`` for the positions asked ``(R,)``."""


@checked
@dataclass(frozen=True)
class QueryFirst:
    """What the search found.

    Attributes
    ----------
    states : different states met, the start included.
    errors : ends (state, position, symbol) with a wrong answer: 0 proves all inputs right.
    ends : all ends.
    """

    states: int
    errors: int
    ends: int


@checked
@at_most(N=ENTRIES)
def query_first(machine: Asked, N: NonNegativeInt, letters: int = 2, *, limit: int = 1 << 20) -> QueryFirst:
    """Return the states and the errors of a model over all positions and words, exactly.

    Raises
    ------
    BudgetError
        For more than ``limit`` transitions at one symbol.
    DomainError
        For states that are not integers of one shape.

    Examples
    --------
    >>> from theorytools.papers.sep.recurrent.asked_first import Countdown
    >>> query_first(Countdown(8), 8)
    QueryFirst(states=11, errors=0, ends=16)
    """
    N = checked_integer("N", N, least=1, why=_FIRST)
    letters = checked_integer("letters", letters, least=2, why=_FIRST)
    start = checked_states(np.asarray(machine.start)[None], None)
    met, asked = set(map(bytes, start)), np.arange(N)
    h = checked_states(machine.step(np.repeat(start, N, axis=0), asked, 0), (N, start.shape[1]))
    h = np.column_stack([h, asked, np.zeros(N, dtype=np.int64)])
    for t in range(N):
        met |= set(map(bytes, h[distinct_states(h[:, :-2])[0], :-2]))
        if len(h) * letters > limit:
            raise BudgetError(f"{len(h)} reached after {t} of {N} symbols", required=f"{limit} transitions", why=_FIRST)
        rows, symbols = np.repeat(h, letters, axis=0), np.tile(np.arange(letters), len(h))
        after = checked_states(machine.step(rows[:, :-2], symbols, t + 1), (len(rows), start.shape[1]))
        target = np.where(rows[:, -2] == t, symbols, rows[:, -1])
        h = np.column_stack([after, rows[:, -2], target])
        h = h[distinct_states(h)[0]]
    met |= set(map(bytes, h[:, :-2]))
    wrong = np.asarray(machine.answer(h[:, :-2], h[:, -2])) != h[:, -1]
    return QueryFirst(len(met), int(wrong.sum()), len(h))
