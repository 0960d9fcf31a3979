r"""What is enumerated for a supremum: the state of the query, and the tokens that stand at the positions it asks for.

A *case* is the query's place ``i``, its token, its indices :math:`t_1,\dots,t_q`, and for each slot whose label reads
tokens the token :math:`y_s` at :math:`t_s`.  Given a case, what is not averaged is a number: the own term of the query
and the labels.  All other states are free, so what is averaged splits by key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from theorytools.blocks.network import PLACE, Map
from theorytools.errors import DomainError
from theorytools.numbers.boxes import UNIT, Array, Box, exact, times
from theorytools.trained.worst.prompts import Indices, Prompts


@dataclass(frozen=True, eq=False)
class Cases:
    """Cases as arrays that broadcast against each other.

    Attributes
    ----------
    i, x : the query's place, and which of its tokens.
    t : its index in each slot.
    y : for each slot which token stands at the position that it asks for; 0 where that is not held, or is the query.
    """

    i: Indices
    x: Indices
    t: tuple[Indices, ...]
    y: tuple[Indices, ...]

    def __getitem__(self, at: slice | Indices) -> Cases:
        return Cases(self.i[at], self.x[at], tuple(t[at] for t in self.t), tuple(y[at] for y in self.y))


@dataclass(frozen=True, eq=False)
class Queries:
    """All cases of a class of prompts.

    Attributes
    ----------
    prompts : the class.
    keys : the tokens that a key is tried with, shape ``(V, d)``.
    tokens : those that a query is tried with, shape ``(W, d)``.
    places : where the query may stand.
    tuples : the indices that it may have, shape ``(T, q)``.
    seen : which keys a query sees, shape ``(N, N)``.
    split : for each slot whether the token at the asked position is held.
    tied : whether a query that asks for its own position finds its own token there; else any.
    """

    prompts: Prompts
    keys: Array
    tokens: Array
    places: Indices
    tuples: Indices
    seen: NDArray[np.bool_]
    split: tuple[bool, ...]
    tied: bool = True

    @cached_property
    def answers(self) -> Indices:
        """The tokens at the asked positions, shape ``(Y, q)``."""
        shape = [len(self.keys) if split else 1 for split in self.split]
        return np.indices(shape).reshape(len(shape), int(np.prod(shape))).T.astype(np.int64)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """How many tokens, answers, tuples and places there are; a case's number is made of their digits."""
        return len(self.tokens), len(self.answers), len(self.tuples), len(self.places)

    @property
    def count(self) -> int:
        """How many cases there are, the ones that contradict themselves among them."""
        return int(np.prod([float(k) for k in self.shape]))

    def cases(self, numbers: Indices) -> Cases:
        """Return the cases of these numbers."""
        x, y, t, i = np.unravel_index(numbers, self.shape)
        return self._cases(self.places[i], x.astype(np.int64), self.tuples[t], self.answers[y])

    def block(self, x: int, y: int, t: slice) -> Cases:
        """Return the cases of one token and one tuple of answers: places along axis 0, tuples along axis 1."""
        return self._cases(self.places[:, None], np.array(x), self.tuples[t], self.answers[y])

    def _cases(self, i: Indices, x: Indices, t: Indices, y: Indices) -> Cases:
        slots = range(self.prompts.q)
        return Cases(i, x, tuple(t[..., s] for s in slots), tuple(y[..., s] for s in slots))

    def valid(self, cases: Cases) -> NDArray[np.bool_]:
        """Return whether a case does not contradict itself.

        The query's own token is named by its ``x`` alone, so there ``y`` is 0; and two slots that ask for one position
        find one token there.
        """
        fits = np.ones(np.broadcast_shapes(cases.i.shape, *(t.shape for t in cases.t)), dtype=bool)
        for s, t in enumerate(cases.t):
            if self.split[s] and self.tied:
                fits &= (t != cases.i) | (cases.y[s] == 0)
            for r in range(s):
                if self.split[s] and self.split[r]:
                    fits &= (t != cases.t[r]) | (cases.y[s] == cases.y[r])
        return fits

    @cached_property
    def both(self) -> Array:
        """The keys' tokens and behind them the queries'."""
        return np.concatenate([self.keys, self.tokens])


@dataclass(frozen=True, eq=False)
class Parts:
    r"""A number that is affine in the fields of one position, as a sum of terms in doubles.

    Attributes
    ----------
    x, place, slots : the terms by token, by place, and by index in each slot; the shift is in the first.
    error : how far any sum of such terms, computed in doubles, is from the real number.
    """

    x: Array
    place: Array
    slots: tuple[Array, ...]
    error: float

    @property
    def high(self) -> float:
        """The largest sum of middles."""
        return float(self.x.max() + self.place.max() + sum(float(s.max()) for s in self.slots))

    @property
    def low(self) -> float:
        """The smallest sum of middles."""
        return float(self.x.min() + self.place.min() + sum(float(s.min()) for s in self.slots))

    @property
    def size(self) -> float:
        """A bound of the modulus of any sum, and of any partial sum."""
        terms = (self.x, self.place, *self.slots)
        return 1.01 * sum(float(np.abs(term).max()) for term in terms) + self.error

    @property
    def flat(self) -> bool:
        """Whether no index enters."""
        return not any(s.any() for s in self.slots)


def parts_of(of: Map, prompts: Prompts, tokens: Array, what: str) -> Parts:
    """Return a map of width 1 by the values of each field.

    Raises
    ------
    DomainError : a map of another width, or of a field that no prompt holds.
    """
    fitting(of, prompts.widths, what)
    if of.width != 1:
        raise DomainError(
            f"{what} of width {of.width}", required="width 1", why="one number is maximised",
            advice="one direction at a time",
        )  # fmt: skip
    N = prompts.N
    words = {name: of.parts[name][0] if name in of.parts else exact(np.zeros(N)) for name in (PLACE, *prompts.slots)}
    x = exact(np.zeros(len(tokens)))
    if "x" in of.parts:
        x = times(exact(tokens), of.parts["x"].T).reshape(-1)
    first = Box(x.mid + of.shift.mid, x.rad + of.shift.rad + 2 * UNIT * np.abs(x.mid + of.shift.mid))
    boxes = (first, *words.values())
    error = sum(float(box.rad.max()) + 4 * (prompts.q + 4) * UNIT * float(np.abs(box.mid).max()) for box in boxes)
    return Parts(first.mid, words[PLACE].mid, tuple(words[name].mid for name in prompts.slots), 1.01 * error)


def fitting(of: Map, widths: dict[str, int], what: str) -> None:
    """Refuse a map of fields that are not there, or that are wider."""
    for name, part in of.parts.items():
        if widths.get(name) != part.shape[1]:
            raise DomainError(
                f"{what} reads {name!r} of width {part.shape[1]}",
                required=", ".join(f"{field} of width {width}" for field, width in widths.items()),
                why="a prompt of the class holds these fields",
                advice="blocks.substitute.substituted writes a network on encoded tokens as one on these fields",
            )
        if not (np.isfinite(part.mid).all() and np.isfinite(part.rad).all()):
            raise DomainError(f"{what} with weights that are not finite", required="finite weights")


@dataclass(frozen=True, eq=False)
class Rest:
    """What is not averaged: the query's own term, and the label of what it asks for.

    Attributes
    ----------
    own : by the query's state.
    asked : for each slot by the state of the asked position; what an index adds there is at its largest.
    """

    own: Parts
    asked: tuple[Parts, ...]

    @property
    def error(self) -> float:
        """How far a sum of all of it is from the real number."""
        size = self.own.size + sum(part.size for part in self.asked)
        return self.own.error + sum(part.error for part in self.asked) + 8 * (len(self.asked) + 4) * UNIT * size

    def __call__(self, cases: Cases, keys: int) -> Array:
        """Return it in doubles; ``keys`` is how many of the tokens are the keys'."""
        own = cases.x + keys
        total = self.own.x[own] + self.own.place[cases.i]
        for s, t in enumerate(cases.t):
            part = self.asked[s]
            total = total + self.own.slots[s][t] + part.place[t] + sum(float(slot.max()) for slot in part.slots)
            total = total + part.x[np.where(t == cases.i, own, cases.y[s])]
        return np.asarray(total)


def rest_of(own: Map, asked: Sequence[Map], prompts: Prompts, tokens: Array) -> Rest:
    """Return what is not averaged, by the values of each field."""
    return Rest(
        parts_of(own, prompts, tokens, "the own term"),
        tuple(parts_of(of, prompts, tokens, f"the label of slot {s}") for s, of in enumerate(asked, 1)),
    )
