r"""What a recurrent state can remember: its states counted over all prefixes, the best read-out, and a wrong pair.

A recurrent model with a quantised state reads :math:`s_1\dots s_N` and is then asked for :math:`s_p`.  Two prefixes
that end in one state get the same answer for every :math:`p`, though they differ somewhere; so a model that is right on
all inputs has :math:`S=|\Sigma|^N` states after :math:`N` symbols, hence :math:`B\ge N\log_2|\Sigma|` bits.

All prefixes are counted together: prefixes in one state stay together, and with a state are kept how many reach it and
how many of them have each symbol at each position.  The best possible read-out answers the most frequent one,

.. math:: \text{accuracy}=\frac1{N|\Sigma|^N}\sum_h\sum_p\max_a\#\{s:\text{state}(s)=h,\ s_p=a\},

a rational number; Fano bounds it by :func:`theorytools.theory.memory.fano.fano_ceiling` of :math:`S`.

References
----------
Bhattamishra, Hahn, Blunsom, Kanade (2024), recurrent lower bound for Index Lookup, arXiv 2406.09347v1 (the bound on the
average accuracy is derived here).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from theorytools.arguments.checked import BODY, STEPS, NonNegativeInt, at_most, checked, ranks
from theorytools.arguments.values import checked_integer
from theorytools.constructions.shapes import indices, rows_of, shaped
from theorytools.errors import BudgetError, CertificateError, DomainError
from theorytools.numbers import Enclosure
from theorytools.tasks.automaton import symbols_of
from theorytools.theory.memory.fano import fano_ceiling
from theorytools.theory.memory.integer_states import (
    Integers,
    Recurrence,
    checked_machine,
    checked_states,
    distinct_states,
    run,
)

Answer = Callable[[Integers, Integers], Any]
_WHY = "index lookup by a recurrent state: s_1, ..., s_N are read, then a position is asked"


@dataclass(frozen=True)
class WrongLookup:
    """Two words in one state, executed one by one: one answer, two different symbols asked for.

    Attributes
    ----------
    first, second : the words.
    position : where they differ and are asked, from 0.
    state : of the model after either word.
    answers, targets : of the model, and what was to be answered.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    position: int
    state: tuple[int, ...]
    answers: tuple[int, int]
    targets: tuple[int, int]

    @property
    def wrong(self) -> int:
        """On how many of the two the model is wrong: at least one."""
        return sum(a != t for a, t in zip(self.answers, self.targets, strict=True))


@checked
@dataclass(frozen=True, eq=False)
class StateCount:
    """The states of a model after all words of one length.

    Attributes
    ----------
    machine, N, letters : the model, the length, the size of the alphabet.
    states : the states after ``N`` symbols, shape ``(S, width)``.
    words : how many words reach each, shape ``(S,)``.
    tally : how many of them have each symbol at each position, shape ``(S, N, letters)``.
    layers : number of states after 0, 1, ..., N symbols.
    merged : two words of one length, different and in one state; None where there are none.
    """

    machine: Recurrence
    N: NonNegativeInt
    letters: NonNegativeInt
    states: Integers
    words: Integers
    tally: Integers
    layers: tuple[int, ...]
    merged: tuple[tuple[int, ...], tuple[int, ...]] | None

    def __post_init__(self) -> None:
        if self.merged is not None:
            rows_of("the merged words", self.merged)

    @property
    def S(self) -> int:
        """The number of states after ``N`` symbols."""
        return len(self.states)

    @cached_property
    def accuracy(self) -> Fraction:
        """The accuracy of the best possible read-out over uniform words and positions, exact."""
        return Fraction(int(self.tally.max(axis=2).sum()), self.N * self.letters**self.N)

    def ceiling(self) -> Enclosure:
        """Return Fano's ceiling for this number of states, at the ambient precision."""
        return fano_ceiling(self.S, self.N, self.letters)

    @ranks(h=2, p=1)
    def best(self, h: Integers, p: Integers) -> Integers:
        """Return the best possible read-out: for states ``(R, width)`` and positions ``(R,)`` the likeliest symbols."""
        places = indices("p", p, self.N, len(h))
        known = {row.tobytes(): i for i, row in enumerate(self.states)}
        rows = [known.get(row.tobytes(), -1) for row in np.ascontiguousarray(h, dtype=np.int64)]
        if -1 in rows:
            raise DomainError("a state that no word reaches", required="a state among those counted", why=_WHY)
        return self.tally[rows, places].argmax(axis=1)

    def accuracy_of(self, answer: Answer) -> Fraction:
        """Return the exact accuracy of a read-out ``answer(states, positions) -> symbols``."""
        right = 0
        for p in range(self.N):
            given = symbols_of(answer(self.states, np.full(self.S, p)), self.letters, "answers")
            shaped("answers", given, self.S)
            right += int(self.tally[np.arange(self.S), p, given].sum())
        return Fraction(right, self.N * self.letters**self.N)

    def wrong_pair(self, answer: Answer | None = None) -> WrongLookup | None:
        """Return two words on which the model is executed and errs once at least; None if no two share a state.

        Parameters
        ----------
        answer : the model's read-out, by default the best possible one.

        Raises
        ------
        CertificateError
            If the states differ when each word is run alone: then the model is no function of state and symbol, as
            when floating-point sums depend on the batch.
        """
        if self.merged is None:
            return None
        first, second = (np.array([*word, *[0] * (self.N - len(word))]) for word in self.merged)
        p = int(np.flatnonzero(first != second)[0])
        ends = [run(self.machine, word[None], self.letters) for word in (first, second)]
        if (ends[0] != ends[1]).any():
            raise CertificateError(
                f"the states {ends[0][0].tolist()} and {ends[1][0].tolist()} when each word is run alone",
                required="the state that both reached when all words were counted",
                why="a recurrent model is a function of state and symbol",
                advice="float64, or a coarser state",
            )
        given = [self._answered(answer or self.best, h, p) for h in ends]
        one, other = (tuple(map(int, word)) for word in (first, second))
        state = tuple(map(int, ends[0][0]))
        return WrongLookup(one, other, p, state, (given[0], given[1]), (one[p], other[p]))

    def _answered(self, answer: Answer, h: Integers, p: int) -> int:
        given = symbols_of(answer(h, np.array([p])), self.letters, "answers")
        shaped("answers", given, 1)
        return int(given[0])


@checked
@at_most(N=STEPS)
def count_states(
    machine: Annotated[Recurrence, BODY], N: NonNegativeInt, letters: int = 2, *, limit: int = 1 << 18
) -> StateCount:
    r"""Return the states of a recurrent model over all :math:`|\Sigma|^N` words, exactly.

    Parameters
    ----------
    machine : the model, see :class:`Recurrence`; :class:`.QuantisedRecurrence` makes one of a torch module.
    N, letters : length of the words and size of the alphabet, symbols ``0 .. letters - 1``.
    limit : most transitions of one position.

    Returns
    -------
    StateCount : the states after all words, and how many words reach each.

    Raises
    ------
    BudgetError
        For more; the message has the number of states so far.
    DomainError
        For a model without ``start`` and ``step``, such as a module whose state is floats, and for states that are not
        integers of one shape.

    References
    ----------
    Bhattamishra, Hahn, Blunsom, Kanade (2024), recurrent lower bound for Index Lookup, arXiv 2406.09347v1.

    Examples
    --------
    >>> from theorytools.papers.sep import SymbolRegister
    >>> found = count_states(SymbolRegister(2, kept=2), 3)
    >>> found.S, found.accuracy, found.wrong_pair().targets
    (4, Fraction(5, 6), (0, 1))
    """
    N = checked_integer("N", N, least=1, why=_WHY)
    letters = checked_integer("letters", letters, least=2, why=_WHY)
    checked_machine(machine)
    exact = object if N * letters.bit_length() > 62 else np.int64
    h = checked_states(np.asarray(machine.start)[None], None)
    words, tally = np.ones(1, dtype=exact), np.zeros((1, 0, letters), dtype=exact)
    layers, merged = [1], None
    trail: list[Any] = []
    for t in range(N):
        if (rows := len(h) * letters) > limit:
            raise BudgetError(
                f"{len(h)} states after {t} of {N} symbols, {rows} transitions (of {letters}^{N} words)",
                required=f"at most {limit} transitions",
                why="every reached state is followed",
                advice="shorter words, a coarser state, or a larger limit",
            )
        symbols = np.tile(np.arange(letters), len(h))
        after = checked_states(machine.step(np.repeat(h, letters, axis=0), symbols, t), (rows, h.shape[1]))
        first, label = distinct_states(after)
        h = after[first]
        if merged is None and len(h) < rows:
            merged = _merged(trail, first, label, letters)
        trail.append(first)
        order = np.argsort(label, kind="stable")
        heads = np.searchsorted(label[order], np.arange(len(h)))
        fresh = np.repeat(words, letters)[:, None] * np.eye(letters, dtype=exact)[symbols]
        tally = np.concatenate([np.repeat(tally, letters, axis=0), fresh[:, None]], axis=1)
        tally = np.add.reduceat(tally[order], heads, axis=0)
        words = np.add.reduceat(np.repeat(words, letters)[order], heads)
        layers.append(len(h))
    return StateCount(machine, N, letters, h, words, tally, tuple(layers), merged)


def _merged(trail: list[Integers], first: Integers, label: Integers, letters: int) -> tuple[Any, Any]:
    """Two words in one state: the row that stands for it, and the first other row that fell into it."""
    other = int(np.flatnonzero(first[label] != np.arange(len(label)))[0])
    return _word(trail, int(first[label[other]]), letters), _word(trail, other, letters)


def _word(trail: list[Integers], row: int, letters: int) -> tuple[int, ...]:
    symbols = []
    for first in [*reversed(trail), None]:
        symbols.append(row % letters)
        if first is not None:
            row = int(first[row // letters])
    return tuple(reversed(symbols))
