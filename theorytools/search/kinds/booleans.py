"""Boolean functions of n bits: their tables of values."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from theorytools.errors import DomainError
from theorytools.search.kinds.entries import fits, once

MOST = 16  # bits: a table of 65,536 values


@dataclass(frozen=True)
class Boolean:
    """A function from bits to a bit.

    Parameters
    ----------
    table : its values, that of the bits b_0, …, b_(n-1) at the place b_0 + 2 b_1 + 4 b_2 + …

    Raises
    ------
    DomainError : values other than 0 and 1, or as many as no function of n bits has.

    Examples
    --------
    >>> both = Boolean((0, 0, 0, 1))
    >>> both.inputs, both(1, 1), both(1, 0), both.relevant
    (2, 1, 0, (0, 1))
    """

    table: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", tuple(self.table))
        count = len(self.table)
        if (
            count & (count - 1)
            or not 1 <= count <= 2**MOST
            or not all(type(v) is int and v in (0, 1) for v in self.table)
        ):
            raise DomainError(
                f"a table of {count} values, {self.table!s:.40}", required="2^n values, each 0 or 1",
                why="a function of n bits has one for each", advice=f"n <= {MOST}",
            )  # fmt: skip

    @property
    def inputs(self) -> int:
        """The number of bits."""
        return len(self.table).bit_length() - 1

    @property
    def relevant(self) -> tuple[int, ...]:
        """The bits on which the value depends."""
        every = range(len(self.table))
        return tuple(k for k in range(self.inputs) if any(self.table[x] != self.table[x ^ 1 << k] for x in every))

    def __call__(self, *bits: int) -> int:
        """Return the value of the bits, which are given one by one.

        Raises
        ------
        DomainError : another number of bits, or values other than 0 and 1.
        """
        if len(bits) != self.inputs or not all(bit in (0, 1) for bit in bits):
            raise DomainError(f"the bits {bits}", required=f"{self.inputs} bits, each 0 or 1")
        return self.table[sum(bit << k for k, bit in enumerate(bits))]

    def restricted(self, place: int, bit: int) -> Boolean:
        """Return the function of one bit less, with this one fixed."""
        return Boolean(tuple(v for x, v in enumerate(self.table) if x >> place & 1 == bit))


@dataclass(frozen=True)
class Booleans:
    """The functions from n bits to a bit, as :class:`Boolean`.

    Examples
    --------
    >>> from itertools import islice
    >>> kind = Booleans()
    >>> [kind.pack(f) for f in islice(kind.first(2), 8)]
    ['0000', '1111', '0101', '0011', '0111', '0001', '0110', '1010']
    >>> kind.unpack("0110")(1, 1)
    0
    """

    name = "Boolean function"
    wide = 6  # a table of 64

    def first(self, n: int) -> Iterator[Boolean]:
        """Yield constants, single bits, thresholds, parities, symmetric functions, small weights, then all tables."""
        yield from once(_structured(self._fits(n)))

    def _fits(self, n: int) -> int:
        return fits(n, "a Boolean function", 0, MOST)

    def draw(self, rng: random.Random, n: int) -> Boolean:
        """Return a table, biased or not, a symmetric one, a threshold of weights, one of few bits, or a formula."""
        count, style = 1 << self._fits(n), rng.randrange(6)
        if style == 5 and n:
            return _formula(rng, n)
        if style == 0:
            levels = [rng.randrange(2) for _ in range(n + 1)]
            return _of(n, lambda x: levels[x.bit_count()])
        if style == 1:
            weights = [rng.randrange(-3, 4) for _ in range(n)]
            mark = rng.randrange(-3, 4)
            return _of(n, lambda x: int(_weighed(weights, x) >= mark))
        if style == 2:  # of at most three bits
            kept = sum(1 << rng.randrange(n) for _ in range(min(n, 3)))
            values = [rng.randrange(2) for _ in range(count)]
            return _of(n, lambda x: values[x & kept])
        share = rng.choice((1, 4, 4, 7))
        return Boolean(tuple(int(rng.randrange(8) < share) for _ in range(count)))

    def near(self, rng: random.Random, x: Boolean) -> Boolean:
        """Return the function with one value changed, or of the bits with two exchanged or one negated."""
        n, move = x.inputs, rng.randrange(4)
        place = rng.randrange(len(x.table))
        if move < 2 or n == 0:
            return Boolean(tuple(v ^ (k == place) for k, v in enumerate(x.table)))
        u, v = rng.randrange(n), rng.randrange(n)
        if move == 2:
            return _of(n, lambda y: x.table[y ^ 1 << u])
        return _of(n, lambda y: x.table[y ^ ((y >> u ^ y >> v) & 1) * (1 << u ^ 1 << v)])

    def simpler(self, x: Boolean) -> Iterator[Boolean]:
        """Yield functions of fewer relevant bits, a bit being fixed, then those of as many that are 1 less often."""
        relevant, ones = x.relevant, [k for k, v in enumerate(x.table) if v]
        found = [_of(x.inputs, lambda y, k=k, bit=bit: x.table[y & ~(1 << k) | bit << k])  # type: ignore[misc]
                 for k in relevant for bit in (0, 1)]  # fmt: skip
        if ones:
            found += [Boolean((0,) * len(x.table))]
            found += [Boolean(tuple(v ^ (k == one) for k, v in enumerate(x.table))) for one in ones]
        here = (len(relevant), len(ones))
        ranked = [((len(y.relevant), sum(y.table)), y) for y in dict.fromkeys(found)]
        yield from (y for rank, y in sorted(ranked, key=lambda pair: pair[0]) if rank < here)

    def smaller(self, x: Boolean) -> Iterator[Boolean]:
        """Yield the functions that are left when one bit is fixed."""
        yield from once(x.restricted(k, bit) for k in range(x.inputs) for bit in (0, 1))

    def larger(self, rng: random.Random, x: Boolean) -> Boolean:
        """Return a function of one bit more: it chooses, negates, or forces the value, or does nothing."""
        full, move = len(x.table) - 1, rng.randrange(5)
        one = {0: x.table, 1: tuple(1 - v for v in x.table), 2: (0,) * (full + 1), 3: (1,) * (full + 1),
               4: self.near(rng, x).table}[move]  # fmt: skip
        return Boolean((*x.table, *one))

    def size(self, x: Boolean) -> int:
        """Return the number of bits."""
        return x.inputs

    def pack(self, x: Boolean) -> str:
        """Return the table as a text of 0 and 1."""
        return "".join(map(str, x.table))

    def unpack(self, data: Any) -> Boolean:
        """Return the function of a text of 2^n letters 0 and 1.

        Raises
        ------
        DomainError : no such text.
        """
        if not isinstance(data, str) or set(data) - {"0", "1"}:
            raise DomainError(
                f"a Boolean function {data!r:.40}", required="its table as a text of 0 and 1",
                why="that is how it is written as JSON", advice='"0001" for two bits that are both 1',
            )  # fmt: skip
        return Boolean(tuple(map(int, data)))


def _structured(n: int) -> Iterator[Boolean]:
    yield _of(n, lambda x: 0)
    yield _of(n, lambda x: 1)
    for k in range(n):
        yield _of(n, lambda x, k=k: x >> k & 1)  # type: ignore[misc]
    for mark in range(1, n + 1):
        yield _of(n, lambda x, mark=mark: int(x.bit_count() >= mark))  # type: ignore[misc]
    every = range(1, 1 << n)
    yield _of(n, lambda x: x.bit_count() % 2)
    for size in range(2, n // 2 + 1):  # all of blocks of which one each, and one of which all
        blocks = [((1 << min(size, n - k)) - 1) << k for k in range(0, n, size)]
        yield _of(n, lambda x, blocks=blocks: int(all(x & block for block in blocks)))  # type: ignore[misc]
        yield _of(n, lambda x, blocks=blocks: int(any(x & block == block for block in blocks)))  # type: ignore[misc]
    for k in range(n):
        yield _of(n, lambda x, k=k: 1 - (x >> k & 1))  # type: ignore[misc]
    for kept in sorted(every, key=lambda m: (m.bit_count(), m)):
        yield _of(n, lambda x, kept=kept: (x & kept).bit_count() % 2)  # type: ignore[misc]
    for bits in itertools.product((0, 1), repeat=n + 1) if n <= 6 else ():
        yield _of(n, lambda x, bits=bits: bits[x.bit_count()])  # type: ignore[misc]
    for weights in itertools.product((1, 2, 3), repeat=n) if n <= 4 else ():
        for mark in range(1, sum(weights) + 1):
            yield _of(n, lambda x, w=weights, mark=mark: int(_weighed(w, x) >= mark))  # type: ignore[misc]
    for code in range(1 << (1 << n)):
        yield _of(n, lambda x, code=code: code >> x & 1)  # type: ignore[misc]


def _formula(rng: random.Random, n: int) -> Boolean:
    """A formula of and, or, exclusive or and negations in which each bit occurs once."""
    order = list(range(n))
    rng.shuffle(order)

    def values(bits: list[int]) -> list[int]:
        if len(bits) == 1:
            turned = int(rng.randrange(6) == 0)
            return [x >> bits[0] & 1 ^ turned for x in range(1 << n)]
        cut = rng.choice((len(bits) // 2, rng.randint(1, len(bits) - 1)))
        one, other, gate = values(bits[:cut]), values(bits[cut:]), rng.randrange(5)
        return [(a & b, a | b, a & b, a | b, a ^ b)[gate] for a, b in zip(one, other, strict=True)]

    return Boolean(tuple(values(order)))


def _of(n: int, value: Callable[[int], int]) -> Boolean:
    return Boolean(tuple(value(x) for x in range(1 << n)))


def _weighed(weights: list[int] | tuple[int, ...], x: int) -> int:
    return sum(w for k, w in enumerate(weights) if x >> k & 1)
