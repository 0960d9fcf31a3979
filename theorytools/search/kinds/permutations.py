"""Permutations of 0, …, n - 1."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from theorytools.errors import DomainError
from theorytools.search.kinds.entries import fits, once, read_list, whole

Images = tuple[int, ...]


@dataclass(frozen=True)
class Permutations:
    """The permutations of 0, …, n - 1, as the tuples of their images.

    Examples
    --------
    >>> from itertools import islice
    >>> kind = Permutations()
    >>> list(islice(kind.first(3), 4)), kind.unpack([1, 0])
    ([(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)], (1, 0))
    """

    name = "permutation"

    def first(self, n: int) -> Iterator[Images]:
        """Yield identity, reversal, rotations, transpositions, blocks exchanged and riffles, then all."""
        yield from once(_structured(fits(n, "a permutation")))

    def draw(self, rng: random.Random, n: int) -> Images:
        """Return a uniform permutation, or the identity after few transpositions or with few cycles."""
        found = list(range(fits(n, "a permutation")))
        style = rng.randrange(4)
        if style < 2:
            rng.shuffle(found)
        elif style == 2:
            for _ in range(1 + rng.randrange(3)):
                u, v = rng.randrange(n), rng.randrange(n)
                found[u], found[v] = found[v], found[u]
        else:  # each block of a random partition is rotated
            cuts = sorted({0, n, *(rng.randrange(n) for _ in range(1 + rng.randrange(3)))})
            found = [v for a, b in itertools.pairwise(cuts) for v in (*range(a + 1, b), a)]
        return tuple(found)

    def near(self, rng: random.Random, x: Images) -> Images:
        """Return the permutation with two images exchanged, half of the time neighbours."""
        if len(x) < 2:
            return x
        u = rng.randrange(len(x) - 1)
        v = u + 1 if rng.randrange(2) else rng.choice([w for w in range(len(x)) if w != u])
        return _swapped(x, u, v)

    def simpler(self, x: Images) -> Iterator[Images]:
        """Yield permutations with fewer inversions: the identity, and two images in the wrong order exchanged."""
        wrong = [(u, v) for u, v in itertools.combinations(range(len(x)), 2) if x[u] > x[v]]
        if wrong:
            yield from once(itertools.chain([tuple(range(len(x)))], (_swapped(x, u, v) for u, v in wrong)))

    def smaller(self, x: Images) -> Iterator[Images]:
        """Yield the order of the images without one of them."""
        if len(x) > 1:
            yield from once(tuple(v - (v > gone) for v in x if v != gone) for gone in x)

    def larger(self, rng: random.Random, x: Images) -> Images:
        """Return a permutation of one element more that has this one in its order."""
        place, image = rng.randrange(len(x) + 1), rng.randrange(len(x) + 1)
        moved = [v + (v >= image) for v in x]
        return (*moved[:place], image, *moved[place:])

    def size(self, x: Images) -> int:
        """Return the number of elements."""
        return len(x)

    def pack(self, x: Images) -> list[int]:
        """Return the images as a list."""
        return list(x)

    def unpack(self, data: Any) -> Images:
        """Return the permutation of a list of images.

        Raises
        ------
        DomainError : images that are not each of 0, …, n - 1 once.
        """
        listed = read_list(data, "a permutation", "a list of images")
        if not listed or not all(map(whole, listed)) or sorted(listed) != list(range(len(listed))):
            raise DomainError(
                f"the images {listed!r:.60}", required="each of 0, …, n - 1 once", why="a permutation is a bijection"
            )
        return tuple(listed)


def _structured(n: int) -> Iterator[Images]:
    every = tuple(range(n))
    yield every
    yield every[::-1]
    yield from (every[k:] + every[:k] for k in (1, n - 1, n // 2))
    yield from (_swapped(every, u, v) for u, v in ((0, 1), (0, n - 1), (n - 2, n - 1)) if n > 1)
    yield every[::2] + every[1::2]
    yield tuple(v ^ 1 if v ^ 1 < n else v for v in every)
    yield from (_swapped(every, u, v) for u, v in itertools.combinations(every, 2))
    yield from itertools.permutations(every)


def _swapped(x: Images, u: int, v: int) -> Images:
    found = list(x)
    found[u], found[v] = found[v], found[u]
    return tuple(found)
