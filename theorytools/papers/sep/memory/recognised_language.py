r"""Does a recurrent model recognise a regular language at every length?  A search over the reachable product decides.

After the same word the model is in a state and the minimal automaton is in another; if only finitely many pairs are
reachable, each is visited, and the model is right on all words of all lengths iff it answers rightly in each pair.
That is a proof, not a test; otherwise the search returns a shortest word on which they differ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theorytools.arguments.checked import ENTRIES, PositiveInt, at_most, checked, ranks
from theorytools.constructions.shapes import shaped
from theorytools.errors import BudgetError, DomainError
from theorytools.optional import require
from theorytools.tasks.automaton import Automaton, Integers, symbols_of

if TYPE_CHECKING:
    import torch

Numbers = NDArray[Any]
Key = tuple[bytes, int]  # a state of the machine and one of the automaton

_PAIRS = 100_000


class Machine(Protocol):
    """A recurrent model on finitely many symbols; ``DyckRNN`` and :class:`RoundedMachine` are such."""

    @property
    def start(self) -> Numbers:
        """The state before the first symbol, shape ``(width,)``."""

    def step(self, h: Numbers, symbols: Integers, /) -> Numbers:
        """Return the states after one symbol each, for states ``(R, width)`` and symbols ``(R,)``."""

    def accepting(self, h: Numbers, /) -> NDArray[np.bool_]:
        """Return the answers in the states, shape ``(R,)``."""


@dataclass(frozen=True)
class Recognition:
    """What the search over the reachable product found; without disagreements it is a proof for all lengths.

    Attributes
    ----------
    pairs : reachable pairs (state of the model, state of the automaton).
    states : different states of the model among them.
    disagreements : pairs in which the answers differ.
    shortest : a shortest word on which the model is wrong, None if there is none.
    longest : length of the longest of the shortest words to a pair.
    """

    pairs: int
    states: int
    disagreements: int
    shortest: tuple[int, ...] | None
    longest: int

    @property
    def proved(self) -> bool:
        """Whether the model recognises the language at every length."""
        return not self.disagreements


@checked
def recognition(machine: Machine, automaton: Automaton, *, limit: int = _PAIRS) -> Recognition:
    """Return the verdict of a breadth-first search over the reachable pairs of a machine and an automaton.

    The machine must be a function of its state and the symbol.  Integers are exact; a float machine is judged as it
    computes here, one row like any other only if its sums are exact or its rows do not depend on the batch.

    Parameters
    ----------
    machine : the model, see :class:`Machine`.
    automaton : the language.
    limit : most pairs that are visited.

    Returns
    -------
    Recognition : agreement on words of every length, or a shortest word on which they differ.

    Raises
    ------
    BudgetError
        For more pairs, as for a machine with an unbounded counter; the message has their number so far, and a word on
        which they differ if one was met.
    DomainError
        For states that are not finite numbers or have another shape than the start.

    Examples
    --------
    >>> from theorytools.papers.sep import DyckRNN
    >>> net = DyckRNN.stack(1, 2)
    >>> found = recognition(net, net.language.automaton)
    >>> found.proved, found.pairs, found.longest
    (True, 6, 3)
    """
    seen: dict[Key, tuple[Key | None, int]] = {}
    h, q = _first(machine), np.array([automaton.start])
    came: list[tuple[Key | None, int]] = [(None, -1)]
    wrong: list[Key] = []
    longest = -1
    while fresh := _new(seen, keys := _keys(h, q), came):
        longest += 1
        h, q, kept = h[fresh], q[fresh], [keys[i] for i in fresh]
        differs = np.asarray(machine.accepting(h), dtype=bool) != automaton.accepting[q]
        wrong += [kept[i] for i in np.flatnonzero(differs)]
        if len(seen) > limit:
            raise _endless(seen, wrong, limit)
        symbols = np.tile(np.arange(automaton.symbols), len(h))
        came = [(key, s) for key in kept for s in range(automaton.symbols)]
        h = _checked(machine.step(np.repeat(h, automaton.symbols, axis=0), symbols), (len(symbols), *h.shape[1:]))
        q = automaton.transitions[np.repeat(q, automaton.symbols), symbols]
    shortest = _word(seen, wrong[0]) if wrong else None
    return Recognition(len(seen), len({key[0] for key in seen}), len(wrong), shortest, longest)


def _first(machine: Machine) -> Numbers:
    """The state before the first symbol, one row, of the type that the machine's steps have."""
    start = np.asarray(machine.start)[None]
    stepped = _checked(machine.step(start, np.array([0])), start.shape)
    if (start.astype(stepped.dtype) != start).any():
        raise DomainError(f"a start that is not of {stepped.dtype}", required="a state of the machine")
    return _checked(start.astype(stepped.dtype), start.shape)


def _checked(state: Numbers, shape: tuple[int, ...]) -> Numbers:
    h = np.asarray(state)
    if h.dtype.kind not in "biuf" or h.itemsize > 8 or h.ndim != 2 or h.shape != shape or not np.isfinite(h).all():
        raise DomainError(f"states of {h.dtype}, shape {h.shape}", required=f"finite numbers of shape {shape}")
    return h


def _keys(h: Numbers, q: Integers) -> list[Key]:
    # adding 0.0 makes -0.0 and 0.0 one state
    rows = np.ascontiguousarray(h + h.dtype.type(0) if h.dtype.kind == "f" else h)
    return [(row.tobytes(), int(state)) for row, state in zip(rows, q, strict=True)]


def _new(seen: dict[Key, tuple[Key | None, int]], keys: list[Key], came: list[tuple[Key | None, int]]) -> list[int]:
    """Enter the keys that are new, with where they came from, and return their places."""
    places = []
    for place, key in enumerate(keys):
        if key not in seen:
            seen[key] = came[place]
            places.append(place)
    return places


def _word(seen: dict[Any, Any], key: Any) -> tuple[int, ...]:
    symbols = []
    while (step := seen[key])[0] is not None:
        symbols.append(step[1])
        key = step[0]
    return tuple(reversed(symbols))


def _endless(seen: dict[Any, Any], wrong: list[Any], limit: int) -> BudgetError:
    word = f"; a shortest word on which they differ: {_word(seen, wrong[0])}" if wrong else ""
    return BudgetError(
        f"{len(seen)} reachable pairs and more{word}", required=f"at most {limit}",
        why="only a finite reachable set proves all lengths", advice="a larger limit, or a state rounded more coarsely",
    )  # fmt: skip


@checked
@dataclass(frozen=True, eq=False)
class TableMachine:
    """An automaton as a machine whose state is one number."""

    automaton: Automaton

    @property
    def start(self) -> Integers:
        """The number of the first state."""
        return np.array([self.automaton.start])

    @ranks(h=2, symbols=1)
    def step(self, h: Numbers, symbols: Integers) -> Integers:
        """Return the numbers of the next states."""
        return self.automaton.transitions[h[:, 0], symbols][:, None]

    @ranks(h=2)
    def accepting(self, h: Numbers) -> NDArray[np.bool_]:
        """Return the flags of the states."""
        return self.automaton.accepting[h[:, 0]]


@checked
def disagrees(machine: Machine, automaton: Automaton, words: ArrayLike) -> NDArray[np.bool_]:
    """Return whether the machine, run on each word, answers otherwise than the automaton; words ``(R, N)``."""
    array = symbols_of(words, automaton.symbols)
    h = np.repeat(np.asarray(machine.start)[None], len(array), axis=0)
    for symbol in array.T:
        h = machine.step(h, symbol)
    different: NDArray[np.bool_] = np.asarray(machine.accepting(h), dtype=bool) != automaton.accepts(array)
    return different


@checked
@at_most(symbols=ENTRIES)
@dataclass(frozen=True, eq=False)
class RoundedMachine:
    r"""A user's torch cell whose state is rounded to multiples of a grid after every symbol, as a :class:`Machine`.

    Parameters
    ----------
    cell : ``(x, h) -> h``, as ``torch.nn.RNNCell`` and ``GRUCell``: one-hot inputs ``(R, symbols)``, states
        ``(R, width)``.
    readout : ``h -> scores``, ``(R,)`` or ``(R, 1)``; accepted iff positive.
    start : the state before the first symbol, shape ``(width,)``.
    symbols : size of the alphabet.
    grid : spacing of the values that a unit of the state can have, a power of two.

    Raises
    ------
    DomainError
        For a grid that is not a power of two between :math:`2^{-24}` and 1; later, for states or symbols of another
        shape or range, and a cell or read-out that returns another shape.
    """

    cell: Callable[[Any, Any], Any]
    readout: Callable[[Any], Any]
    start: Numbers
    symbols: PositiveInt
    grid: float

    def __post_init__(self) -> None:
        if not 2.0**-24 <= self.grid <= 1 or np.frexp(self.grid)[0] != 0.5:
            raise DomainError(f"grid = {self.grid}", required="a power of two from 2**-24 to 1")
        shaped("start", self.start, "width")
        object.__setattr__(self, "start", self._rounded(np.asarray(self.start, dtype=np.float64)))

    def _rounded(self, h: Numbers) -> Numbers:
        rounded: Numbers = np.rint(h / self.grid) * self.grid
        return rounded

    @ranks(h=2, symbols=1)
    def step(self, h: Numbers, symbols: Integers) -> Numbers:
        """Return the rounded states after one symbol each."""
        torch = require("torch")

        dtype = self._dtype()
        state = self._state(h).to(dtype)
        names = torch.as_tensor(symbols_of(symbols, self.symbols, "symbols"))
        shaped("symbols", names, len(state))
        with torch.no_grad():
            after = self.cell(torch.nn.functional.one_hot(names, self.symbols).to(dtype), state)
        shaped("the cell's states", after, *state.shape)
        return self._rounded(after.double().cpu().numpy())

    @ranks(h=2)
    def accepting(self, h: Numbers) -> NDArray[np.bool_]:
        """Return whether the scores of the states are positive."""
        torch = require("torch")

        state = self._state(h).to(self._dtype())
        with torch.no_grad():
            score = torch.as_tensor(self.readout(state))
        if tuple(score.shape) != (len(state), 1):
            shaped("scores", score, len(state))
        score = score.reshape(len(state))
        positive: NDArray[np.bool_] = (score > 0).cpu().numpy()
        return positive

    def _state(self, h: Numbers) -> torch.Tensor:
        torch = require("torch")

        shaped("h", h, "R", len(self.start))
        return torch.as_tensor(np.asarray(h, dtype=np.float64))

    def _dtype(self) -> torch.dtype:
        torch = require("torch")

        owner = next((f for f in (self.cell, getattr(self.cell, "__self__", None)) if hasattr(f, "parameters")), None)
        weights = next(owner.parameters(), None) if owner is not None else None
        return torch.float64 if weights is None else weights.dtype
