"""States of recurrent models as rows of integers: stepping, running, telling them apart."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theorytools.errors import DomainError
from theorytools.tasks.automaton import symbols_of

Integers = NDArray[Any]


class Recurrence(Protocol):
    """A recurrent model with a state of integers; its transition may depend on the position."""

    @property
    def start(self) -> Integers:
        """The state before the first symbol, shape ``(width,)``."""

    def step(self, h: Integers, symbols: Integers, t: int, /) -> Integers:
        """Return the states ``(R, width)`` after symbol number ``t`` (from 0), for states ``(R, width)``."""


def checked_machine(machine: Any) -> None:
    """Refuse by its name what has no ``start`` and ``step``, such as a module whose state is floats."""
    if not (hasattr(machine, "start") and hasattr(machine, "step")):
        raise DomainError(
            f"a model of type {type(machine).__name__} that does not say what its states are",
            required="start, integers, and step(h, symbols, t)",
            why="states are counted, so they must be exact",
            advice="QuantisedRecurrence for a torch module, InternedRecurrence for states of any other kind",
        )


def run(machine: Recurrence, words: ArrayLike, letters: int) -> Integers:
    """Return the states of a model after words ``(R, N)``."""
    array = symbols_of(words, letters)
    checked_machine(machine)
    h = np.repeat(checked_states(np.asarray(machine.start)[None], None), len(array), axis=0)
    for t, symbols in enumerate(array.T):
        h = checked_states(machine.step(h, symbols, t), h.shape)
    return h


def checked_states(h: Any, shape: tuple[int, ...] | None) -> Integers:
    """Return states as an integer array ``(R, width)``, or refuse another kind or shape."""
    array = np.asarray(h)
    if array.dtype.kind not in "iub" or array.ndim != 2 or (shape is not None and array.shape != shape):
        raise DomainError(
            f"states of {array.dtype}, shape {array.shape}",
            required="integers, one row for each state",
            why="states are counted, so they must be exact",
            advice="QuantisedRecurrence for a torch module, InternedRecurrence for states of any other kind",
        )
    return np.ascontiguousarray(array, dtype=np.int64)


def distinct_states(rows: Integers) -> tuple[Integers, Integers]:
    """Return the first row of each different state, in lexicographic order, and for every row which of them it is."""
    low, high = ([int(x) for x in end] for end in (rows.min(axis=0), rows.max(axis=0)))
    sizes = [h - l + 1 for l, h in zip(low, high, strict=True)]
    if math.prod(sizes) < 1 << 62:  # one integer for each row: sorting rows takes twenty times as long
        place = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]
        _, first, label = np.unique((rows - low) @ place, return_index=True, return_inverse=True)
    else:
        _, first, label = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, label.reshape(-1)
