"""Vectors and sequences of numbers: tuples, of one length or of any."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from theorytools.errors import DomainError
from theorytools.search.kinds.entries import (
    Entries,
    Number,
    by_rank,
    fits,
    once,
    read_list,
    replaced,
    whole,
    write_number,
)


@dataclass(frozen=True)
class Vectors:
    """The vectors of n numbers, as tuples.

    Parameters
    ----------
    low, high : the least and the largest entry, None for no limit.
    denominator : the largest one of the entries that are listed, those that are drawn go to its square; 1 for whole
        numbers, which are ``int`` and not ``Fraction``.
    values : where only these may be entries, the simplest first.

    Raises
    ------
    DomainError : entries of which there are none.

    Examples
    --------
    >>> from itertools import islice
    >>> kind = Vectors(low=0, denominator=1)
    >>> list(islice(kind.first(3), 5)), kind.unpack([0, 2, 1])
    ([(0, 0, 0), (1, 1, 1), (2, 2, 2), (1, 0, 0), (0, 0, 1)], (0, 2, 1))
    >>> Vectors().pack(Vectors().unpack([1, "1/3"]))
    [1, '1/3']
    """

    low: Number | None = None
    high: Number | None = None
    denominator: int = 12
    values: tuple[Number, ...] = ()
    name = "vector"

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        _ = self.entries

    @cached_property
    def entries(self) -> Entries:
        """What may be an entry."""
        return Entries(self.low, self.high, self.denominator, self.values)

    def first(self, n: int) -> Iterator[tuple[Number, ...]]:
        """Yield constant, unit, two-valued and arithmetic vectors, then all by their most complicated entry."""
        yield from once(self._ordered(fits(n, "a vector")))

    def _ordered(self, n: int) -> Iterator[tuple[Number, ...]]:
        few = [v for _, v in zip(range(3), self.entries.simplest(), strict=False)]
        yield from ((v,) * n for v in few)
        for a, b in ((b, a) for a in few for b in few if a != b):
            units = [replaced((b,) * n, k, a) for k in (0, n - 1)]
            halves = (a,) * (n // 2) + (b,) * (n - n // 2)
            yield from (*units, halves, tuple((a, b)[k % 2] for k in range(n)))
        runs = [range(n), range(1, n + 1), range(n, 0, -1), range(-(n // 2), n - n // 2)]
        yield from (tuple(map(self.entries.made, run)) for run in runs if all(map(self.entries.admits, run)))
        yield from by_rank(self.entries.simplest, n)

    def draw(self, rng: random.Random, n: int) -> tuple[Number, ...]:
        """Return a vector of uniform entries, of simple ones, of few distinct ones, nearly constant, or in order."""
        return _draw(self.entries, rng, fits(n, "a vector"))

    def near(self, rng: random.Random, x: tuple[Number, ...]) -> tuple[Number, ...]:
        """Return the vector with one or two entries moved, one set equal to another, or exchanged with it."""
        return _near(self.entries, rng, x)

    def within(self, low: Number | None, high: Number | None) -> Vectors:
        """Return the vectors of these entries that lie between two numbers, None for no limit."""
        least = [v for v in (self.low, low) if v is not None]
        most = [v for v in (self.high, high) if v is not None]
        return replace(self, low=max(least, default=None), high=min(most, default=None))

    def simpler(self, x: tuple[Number, ...]) -> Iterator[tuple[Number, ...]]:
        """Yield the vector with all entries at their simplest, and with one entry simpler."""
        yield from _simpler(self.entries, x)

    def smaller(self, x: tuple[Number, ...]) -> Iterator[tuple[Number, ...]]:
        """Yield the vector without one of its entries."""
        yield from once(x[:k] + x[k + 1 :] for k in range(len(x) if len(x) > 1 else 0))

    def larger(self, rng: random.Random, x: tuple[Number, ...]) -> tuple[Number, ...]:
        """Return the vector with one entry more, equal to another or near it, or a drawn one."""
        k = rng.randrange(len(x))
        v = rng.choice((x[k], self.entries.near(rng, x[k]), self.entries.draw(rng)))
        return (*x[:k], v, *x[k:])

    def size(self, x: tuple[Number, ...]) -> int:
        """Return the number of entries."""
        return len(x)

    def pack(self, x: tuple[Number, ...]) -> list[int | str]:
        """Return the entries as a list."""
        return list(map(write_number, x))

    def unpack(self, data: Any) -> tuple[Number, ...]:
        """Return the vector of a list of integers and of fractions as texts."""
        listed = read_list(data, "a vector", "a list of numbers")
        fits(len(listed), "a vector")
        return tuple(self.entries.read(each, "a vector") for each in listed)


@dataclass(frozen=True)
class Sequences:
    """The sequences of numbers, as tuples: of n of them, or of any number up to ``longest``.

    What comes first, lies near and is simpler speaks of the order: constant, with one change, periodic; a neighbour
    exchanges two that follow each other, or, where any length may be, has one number more or less.

    Parameters
    ----------
    values : the numbers that may occur, the simplest first; none for all of the range.
    low, high, denominator : the range, as for :class:`Vectors`.
    longest : where the length is not a letter of the statement, the largest one that is proposed; such a kind has no
        size letter.

    Raises
    ------
    DomainError : numbers of which there are none, or a length that is no whole number.

    Examples
    --------
    >>> from itertools import islice
    >>> list(islice(Sequences((0, 1)).first(3), 4)), list(islice(Sequences((0, 1), longest=2).first(0), 4))
    ([(0, 0, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1)], [(), (0,), (1,), (0, 0)])
    """

    values: tuple[Number, ...] = ()
    low: Number | None = None
    high: Number | None = None
    denominator: int = 1
    longest: int | None = None
    name = "sequence"

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        _ = self.entries
        if self.longest is not None and (not whole(self.longest) or self.longest < 1):
            raise DomainError(f"longest = {self.longest!r}", required="None, or an integer of at least 1")

    @cached_property
    def entries(self) -> Entries:
        """What may occur."""
        return Entries(self.low, self.high, self.denominator, self.values)

    @property
    def sized(self) -> bool:
        """Whether the length is given by a letter."""
        return self.longest is None

    def first(self, n: int) -> Iterator[tuple[Number, ...]]:
        """Yield constant sequences, those with one change, periodic ones, then all by their least simple number."""
        if self.longest is None:
            yield from once(self._ordered(fits(n, "a sequence", 0)))
            return
        lengths = range(self.longest + 1)
        few = (x for length in lengths for _, x in zip(range(8), self._ordered(length), strict=False))
        yield from once(itertools.chain(few, *map(self._ordered, lengths)))

    def _ordered(self, n: int) -> Iterator[tuple[Number, ...]]:
        few = [v for _, v in zip(range(3), self.entries.simplest(), strict=False)]
        yield from ((v,) * n for v in few)
        pairs = [(a, b) for a in few for b in few if a != b]
        for a, b in pairs:
            yield from ((a,) * k + (b,) * (n - k) for k in range(1, n))
        for a, b in pairs:
            yield from (tuple((a, b)[k // step % 2] for k in range(n)) for step in (1, 2, 3))
        yield from by_rank(self.entries.simplest, n)

    def draw(self, rng: random.Random, n: int) -> tuple[Number, ...]:
        """Return a sequence of independent numbers, of few distinct ones, nearly constant, or in order."""
        length = fits(n, "a sequence", 0) if self.longest is None else rng.randrange(self.longest + 1)
        return _draw(self.entries, rng, length)

    def near(self, rng: random.Random, x: tuple[Number, ...]) -> tuple[Number, ...]:
        """Return the sequence with one number changed or two neighbours exchanged, or one more or less of them."""
        if self.longest is not None and rng.randrange(2):
            place = rng.randrange(len(x) + 1)
            if rng.randrange(2) and len(x) < self.longest:
                return (*x[:place], self.entries.draw(rng), *x[place:])
            return x[:place] + x[place + 1 :]
        if len(x) > 1 and rng.randrange(2):
            k = rng.randrange(len(x) - 1)
            return (*x[:k], x[k + 1], x[k], *x[k + 2 :])
        return _near(self.entries, rng, x)

    def simpler(self, x: tuple[Number, ...]) -> Iterator[tuple[Number, ...]]:
        """Yield shorter ones where the length is free, then those with simpler numbers."""
        if self.longest is not None:
            halves = (x[: len(x) // 2], x[len(x) // 2 :])
            yield from once(y for y in (*halves, *self.smaller(x)) if len(y) < len(x))
        yield from _simpler(self.entries, x)

    def smaller(self, x: tuple[Number, ...]) -> Iterator[tuple[Number, ...]]:
        """Yield the sequence without one of its numbers."""
        yield from once(x[:k] + x[k + 1 :] for k in range(len(x)))

    def size(self, x: tuple[Number, ...]) -> int:
        """Return the length."""
        return len(x)

    def pack(self, x: tuple[Number, ...]) -> list[int | str]:
        """Return the numbers as a list."""
        return list(map(write_number, x))

    def unpack(self, data: Any) -> tuple[Number, ...]:
        """Return the sequence of a list of integers and of fractions as texts, of whatever length."""
        return tuple(self.entries.read(each, "a sequence") for each in read_list(data, "a sequence", "a list"))


def _draw(entries: Entries, rng: random.Random, n: int) -> tuple[Number, ...]:
    """Uniform entries of one scale, a third; else simple ones, of two values only, constant but for one, or sorted."""
    style = rng.randrange(6)
    if style > 3:
        return tuple(entries.generic(rng, n))
    drawn = [entries.draw(rng) for _ in range(n)]
    if n == 0 or style == 0:
        return tuple(drawn)
    if style == 1:
        return tuple(rng.choice(drawn[:2]) for _ in range(n))
    if style == 2:
        return replaced((drawn[0],) * n, rng.randrange(n), drawn[-1])
    return tuple(sorted(drawn, reverse=bool(rng.randrange(2))))


def _near(entries: Entries, rng: random.Random, x: tuple[Number, ...]) -> tuple[Number, ...]:
    if not x:
        return x
    k, other, move = rng.randrange(len(x)), rng.randrange(len(x)), rng.randrange(5)
    if move == 0 and x[k] != x[other]:
        return replaced(x, k, x[other])
    if move == 1 and x[k] != x[other]:
        return replaced(replaced(x, k, x[other]), other, x[k])
    y = replaced(x, k, entries.near(rng, x[k]))
    return replaced(y, other, entries.near(rng, x[other])) if move == 2 else y


def _simpler(entries: Entries, x: tuple[Number, ...]) -> Iterator[tuple[Number, ...]]:
    """Each differs in entries that are simpler, so that a chain of them ends."""
    least = next(entries.simplest())
    if sum(v != least for v in x) > 1:
        yield (least,) * len(x)
    halves = tuple(entries.made(int(v / 2)) if v else v for v in x)
    ranks = tuple(entries.made(sorted(set(x)).index(v)) for v in x)
    for y in (ranks, halves):  # all entries at once, none of them less simple
        order = entries.order
        if y != x and all(entries.admits(w) and order(w) <= order(v) for v, w in zip(x, y, strict=True)):
            yield y
    for k, value in enumerate(x):
        yield from (replaced(x, k, v) for v in entries.simpler(value))
