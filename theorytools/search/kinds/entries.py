"""Numbers as entries of an object: which may stand there, which come first, how they are written as JSON.

A rational entry is a ``Fraction`` even where it is whole, so that a quotient of two entries is one again; where only
whole numbers are meant an entry is an ``int``.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from theorytools.errors import DomainError

Number = int | Fraction
_WRITTEN = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?")  # below the longest that Python reads
_REACH = 8  # a drawn number lies within 2^8 of the simplest one


@dataclass(frozen=True)
class Entries:
    """The numbers that may stand at one place of an object.

    Parameters
    ----------
    low, high : the least and the largest, None for no limit.
    denominator : the largest one that is listed, and its square that which is drawn; 1 for whole numbers.
    values : where only these may stand there, the simplest first.

    Raises
    ------
    DomainError : no number is left, a limit is a float, or the denominator is no positive integer.
    """

    low: Number | None = None
    high: Number | None = None
    denominator: int = 12
    values: tuple[Number, ...] = ()

    def __post_init__(self) -> None:
        for name, value in (("low", self.low), ("high", self.high), *(("values", v) for v in self.values)):
            if value is not None and not exact(value):
                raise DomainError(
                    f"{name} = {value!r}", required="an integer or a Fraction", why="entries of objects are exact",
                    advice="Fraction('0.1')",
                )  # fmt: skip
        if not whole(self.denominator) or self.denominator < 1:
            raise DomainError(f"denominator = {self.denominator!r}", required="an integer of at least 1")
        if len(set(self.values)) < len(self.values) or not all(map(self.admits, self.values)):
            raise DomainError(
                f"values = {self.values}, low = {self.low}, high = {self.high}", required="distinct values in the range"
            )
        if next(self.simplest(), None) is None:
            raise DomainError(
                f"low = {self.low}, high = {self.high}, denominator = {self.denominator}",
                required="a range that contains a number of such a denominator",
                advice="low <= high, or a larger denominator",
            )

    def made(self, value: Number) -> Number:
        """Return a number in the form in which it stands in an object."""
        return int(value) if self.denominator == 1 else Fraction(value)

    def admits(self, value: Any) -> bool:
        """Whether a number may stand there, whatever its denominator unless only whole numbers may."""
        if not exact(value) or (self.denominator == 1 and Fraction(value).denominator != 1):
            return False
        if self.values and value not in self.values:
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def simplest(self) -> Iterator[Number]:
        """Yield the entries, small numerators and small denominators first: 0, 1, -1, 2, -2, 1/2, -1/2, 3 ..."""
        if self.values:
            yield from map(self.made, self.values)
            return
        most = max((self._rank(q, self._largest(q)) for q in range(1, self.denominator + 1)), default=-1)
        for rank in itertools.count() if most == math.inf else range(int(most) + 1):
            for q in range(1, min(self.denominator, rank + 1) + 1):
                size = rank - (q - 1) + self._least(q)
                for p in (size, -size)[: 2 if size else 1]:
                    if math.gcd(p, q) == 1 and self.admits(Fraction(p, q)):
                        yield self.made(Fraction(p, q))

    def _least(self, q: int) -> int:
        """The least size of a numerator over ``q``."""
        if self.low is not None and self.low > 0:
            return math.ceil(self.low * q)
        return math.ceil(-self.high * q) if self.high is not None and self.high < 0 else 0

    def _largest(self, q: int) -> float:
        """The largest size of a numerator over ``q``."""
        if self.low is None or self.high is None:
            return math.inf
        return max(math.floor(self.high * q), math.floor(-self.low * q))

    def _rank(self, q: int, size: float) -> float:
        return q - 1 + size - self._least(q)

    def order(self, value: Number) -> tuple[int, int, bool]:
        """Return the place of an entry in the order of simplicity; below each there are finitely many."""
        if self.values:
            return self.values.index(value), 0, False
        at = Fraction(value)
        return int(self._rank(at.denominator, abs(at.numerator))), at.denominator, at < 0

    def draw(self, rng: random.Random) -> Number:
        """Return an entry: half of the time one of the simplest, else a numerator of any size."""
        if self.values:
            return self.made(rng.choice(self.values))
        if rng.randrange(2):
            return rng.choice(self._few)
        q = rng.randrange(self.denominator) + 1
        size = self._least(q) + rng.randrange(2 ** rng.randrange(_REACH + 1) + 1)
        found = Fraction(rng.choice((size, -size)), q)
        low, high = self.low, self.high
        if low is not None and high is not None:  # uniform over the multiples of 1/q in the range, if there are any
            first, last = math.ceil(low * q), math.floor(high * q)
            found = Fraction(rng.randrange(first, last + 1), q) if first <= last else found
        return self.made(found) if self.admits(found) else next(self.simplest())

    def generic(self, rng: random.Random, n: int) -> list[Number]:
        """Return so many independent entries of one scale, uniform: special positions are no rule, and seldom theirs.

        Their denominator is the square of the largest one that is listed.
        """
        if self.values:
            return [self.made(rng.choice(self.values)) for _ in range(n)]
        q, size = self.denominator**2, rng.choice((1, 1, 10) if self.denominator > 1 else (4, 10, 100))
        low, high = self.low, self.high
        if low is None and high is None:
            low, high = -size, size
        elif low is None:
            low = high - size  # type: ignore[operator]
        elif high is None:
            high = low + size
        first, last = math.ceil(low * q), math.floor(high * q)  # type: ignore[operator]
        return [self.made(Fraction(rng.randint(first, last), q)) for _ in range(n)]

    def near(self, rng: random.Random, value: Number) -> Number:
        """Return another entry close by, or the same where there is no other.

        It lies one step of a denominator away, or a part of itself, or of what is left to an end: a bound is attained
        at numbers that no list of simple ones has.
        """
        if self.values:
            return self.made(rng.choice([v for v in self.values if v != value] or [value]))
        at = Fraction(value)
        found = (v for v in self._around(rng, at) if v != at and self.admits(v))
        return self.made(next(found, next((v for v in self._few[:2] if v != at), at)))

    def _around(self, rng: random.Random, at: Fraction) -> list[Fraction]:
        """Some numbers beside one in random order, those of a part of it first half of the time."""
        step = Fraction(1, rng.choice((1, at.denominator, rng.randrange(self.denominator) + 1)))
        most = max(12, self.denominator)
        steps = [v for v in (at + step, at - step, -at, at / 2, 2 * at, Fraction(0)) if v.denominator <= most]
        rng.shuffle(steps)
        if self.denominator == 1 or rng.randrange(2):
            return steps
        part = Fraction(1, 2 ** rng.randint(1, 6))
        ends = [end - at for end in (self.low, self.high) if end is not None and end != at]
        parts = [(at or 1) * part, -(at or 1) * part, *(part * gap for gap in ends)]
        rng.shuffle(parts)
        return [(at + move).limit_denominator(most * most) for move in parts] + steps

    @cached_property
    def _few(self) -> list[Number]:
        """A dozen of the simplest."""
        return list(itertools.islice(self.simplest(), 12))

    def simpler(self, value: Number) -> Iterator[Number]:
        """Yield entries before this one in the order of simplicity, the simplest first."""
        if self.values:
            yield from map(self.made, self.values[: self.values.index(value)])
            return
        at = Fraction(value)
        tried = [*itertools.islice(self.simplest(), 4), int(at / 2), int(at), *(at + s for s in (-1, 1))]
        tried += [abs(at), Fraction(at.numerator, at.denominator + 1), at / 2]
        tried += [at.limit_denominator(2**k) for k in range(at.denominator.bit_length())]
        known = {self.made(v) for v in tried if self.admits(v)}
        yield from sorted((v for v in known if self.order(v) < self.order(value)), key=self.order)

    def read(self, data: Any, what: str) -> Number:
        """Return the entry that is written as JSON: an integer, or a fraction as a text such as ``"1/3"``."""
        found = read_number(data, what)
        if not self.admits(found):
            raise DomainError(
                f"the entry {found} of {what}", required=self.said, why="this kind of object has no other"
            )
        return self.made(found)

    @property
    def said(self) -> str:
        """The entries in words."""
        if self.values:
            return f"one of {', '.join(map(str, self.values))}"
        limits = [f"from {self.low}"] * (self.low is not None) + [f"to {self.high}"] * (self.high is not None)
        return " ".join([f"{'whole' if self.denominator == 1 else 'rational'} numbers", *limits])


def whole(value: Any) -> bool:
    """Whether this is an integer of Python; truth values are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def exact(value: Any) -> bool:
    """Whether this is an integer or a fraction."""
    return whole(value) or isinstance(value, Fraction)


def write_number(value: Number) -> int | str:
    """Return a number as JSON: an integer, or a text such as ``"1/3"``."""
    return int(value) if Fraction(value).denominator == 1 else str(value)


def read_number(data: Any, what: str) -> Fraction:
    """Return the number that :func:`write_number` wrote; a float is refused, for it is not what was meant."""
    if whole(data):
        return Fraction(data)
    if isinstance(data, str) and _WRITTEN.fullmatch(data) and int(data.partition("/")[2] or 1):
        return Fraction(data)
    raise DomainError(
        f"the entry {data!r:.40} of {what}", required="an integer, or a fraction as a text",
        why="objects are exact, so that a witness is the same everywhere", advice='write 0.5 as "1/2"',
    )  # fmt: skip


def read_list(data: Any, what: str, said: str = "a list") -> list[Any]:
    """Return a list of JSON."""
    if not isinstance(data, list | tuple):
        raise DomainError(f"{what} {data!r:.60}", required=said, why="that is how it is written as JSON")
    return list(data)


def fits(n: Any, what: str, least: int = 1, most: int | None = None) -> int:
    """Return a size that a kind has."""
    if whole(n) and n >= least and (most is None or n <= most):
        return int(n)
    limit = f" and at most {most}" if most is not None else ""
    raise DomainError(
        f"{what} of size {n!r}", required=f"a size of at least {least}{limit}",
        why="the size of an object is a whole number", advice=f"let the letter of its size begin at {least}",
    )  # fmt: skip


def by_rank(values: Callable[[], Iterator[Any]], count: int) -> Iterator[tuple[Any, ...]]:
    """Yield the tuples of so many values, by the last of the values that they use, each once."""
    known, source = list[Any](), values()
    for value in source:
        known.append(value)
        for places in itertools.product(range(len(known)), repeat=count):
            if count and max(places) == len(known) - 1:
                yield tuple(known[k] for k in places)
        if not count:
            break
    if not count:
        yield ()


def once(members: Iterator[Any]) -> Iterator[Any]:
    """Yield each member once; what has been seen is remembered."""
    seen = set[Any]()
    for member in members:
        if member not in seen:
            seen.add(member)
            yield member


def replaced(x: Sequence[Any], place: int, value: Any) -> tuple[Any, ...]:
    """Return a tuple with one entry changed."""
    return (*x[:place], value, *x[place + 1 :])
