"""Laws on finitely many outcomes: tuples of probabilities."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theorytools.errors import DomainError
from theorytools.search.kinds.entries import fits, once, read_list, read_number, replaced, write_number

Masses = tuple[Fraction, ...]


@dataclass(frozen=True)
class Laws:
    """The laws on n outcomes, as tuples of fractions that are not negative and sum to one.

    Parameters
    ----------
    positive : whether every outcome has a positive probability.

    Examples
    --------
    >>> from itertools import islice
    >>> kind = Laws()
    >>> [kind.pack(x) for x in islice(kind.first(2), 4)]
    [['1/2', '1/2'], [1, 0], [0, 1], ['2/3', '1/3']]
    >>> kind.unpack(["1/4", "3/4"])
    (Fraction(1, 4), Fraction(3, 4))
    """

    positive: bool = False
    name = "law"

    def first(self, n: int) -> Iterator[Masses]:
        """Yield the uniform law, then all by their common denominator."""
        yield from once(itertools.chain([uniform(fits(n, "a law"))], self._by_denominator(n)))

    def _by_denominator(self, n: int) -> Iterator[Masses]:
        for whole in itertools.count(1) if n > 1 else (1,):
            for cuts in itertools.combinations(range(1, whole + n), n - 1):
                counts = [b - a - 1 for a, b in itertools.pairwise((0, *cuts, whole + n))][::-1]
                if math.gcd(*counts) == 1 and (min(counts) or not self.positive):
                    yield _law(counts)

    def draw(self, rng: random.Random, n: int) -> Masses:
        """Return a law of weights of one size or of any, of few distinct ones, of powers of two, with many zeros."""
        least, style = int(self.positive), rng.randrange(5)
        few = [rng.randrange(2 ** (1 + rng.randrange(6))) for _ in range(fits(n, "a law"))]
        if style == 1:
            few = [rng.choice(few[:2]) for _ in few]
        elif style == 2:
            few = [2 ** min(k, 40) for k in range(n)]
            rng.shuffle(few)
        elif style == 3:
            few = [w * (rng.randrange(3) == 0) for w in few]
        elif style == 4:
            few = [rng.randint(1, 100) for _ in few]
        weights = [max(w, least) for w in few]
        return _law(weights) if any(weights) else uniform(n)

    def near(self, rng: random.Random, x: Masses) -> Masses:
        """Return the law with mass moved from one outcome to another."""
        if len(x) < 2:
            return x
        giver = rng.choice([k for k, mass in enumerate(x) if mass])
        taker = rng.choice([k for k in range(len(x)) if k != giver])
        shares = [x[giver] / 2, x[giver] / 3, min(x[giver], Fraction(1, common(x)))]
        part = rng.choice(shares if self.positive else [*shares, x[giver]])
        if self.positive and part == x[giver]:
            part /= 2
        return replaced(replaced(x, giver, x[giver] - part), taker, x[taker] + part)

    def simpler(self, x: Masses) -> Iterator[Masses]:
        """Yield laws of smaller common denominator near it, then those of the same one with mass moved to the front.

        The common denominator falls, or of the multiples of one of it the list grows, of which there are finitely many.
        """
        whole = common(x)
        few = [*range(1, min(whole, 13)), *(whole // 2**k for k in range(1, whole.bit_length() - 3)), whole - 1]
        least = len(x) if self.positive else 1
        found = [self._rounded(x, d) for d in sorted({d for d in few if least <= d < whole})]
        found += [tuple(sorted(x, reverse=True))]
        step = Fraction(1, whole)
        for giver in range(len(x) - 1, 0, -1):
            if x[giver] > (step if self.positive else 0):
                found.append(replaced(replaced(x, giver, x[giver] - step), giver - 1, x[giver - 1] + step))
        yield from dict.fromkeys(y for y in found if (common(y), *(-m for m in y)) < (whole, *(-m for m in x)))

    def _rounded(self, x: Masses, whole: int) -> Masses:
        """The law with counts of ``1/whole`` that lies near, by the largest remainders."""
        spare = whole - (len(x) if self.positive else 0)
        shares = [mass * spare for mass in x]
        counts = [int(share) for share in shares]
        order = sorted(range(len(x)), key=lambda k: (counts[k] - shares[k], k))
        for k in order[: spare - sum(counts)]:
            counts[k] += 1
        return _law([count + int(self.positive) for count in counts])

    def smaller(self, x: Masses) -> Iterator[Masses]:
        """Yield the laws of one outcome less, its mass given to another."""
        if len(x) > 1:
            merged = (replaced(x, k, x[k] + x[gone]) for gone in range(len(x)) for k in (0, len(x) - 1) if k != gone)
            places = (gone for gone in range(len(x)) for k in (0, len(x) - 1) if k != gone)
            yield from once(y[:gone] + y[gone + 1 :] for y, gone in zip(merged, places, strict=True))

    def larger(self, rng: random.Random, x: Masses) -> Masses:
        """Return the law with the mass of one outcome shared with a new one."""
        k = rng.randrange(len(x))
        part = x[k] * rng.choice((Fraction(1, 2), Fraction(1, 8), Fraction(int(not self.positive and x[k] < 1), 16)))
        if self.positive and not part:
            part = x[k] / 2
        return (*x[:k], x[k] - part, *x[k + 1 :], part)

    def size(self, x: Masses) -> int:
        """Return the number of outcomes."""
        return len(x)

    def pack(self, x: Masses) -> list[int | str]:
        """Return the probabilities as a list."""
        return list(map(write_number, x))

    def unpack(self, data: Any) -> Masses:
        """Return the law of a list of integers and of fractions as texts that sum to one.

        Raises
        ------
        DomainError : probabilities that are negative or sum to another number; a float.
        """
        masses = tuple(read_number(each, "a law") for each in read_list(data, "a law", "a list of probabilities"))
        if not masses or sum(masses) != 1 or min(masses) < 0 or (self.positive and min(masses) == 0):
            raise DomainError(
                f"the probabilities {', '.join(map(str, masses))[:60]}",
                required=f"{'positive' if self.positive else 'none negative'}, and their sum 1",
                why="they are a law on finitely many outcomes",
            )
        return masses


def uniform(n: int) -> Masses:
    """Return the law of n equally likely outcomes."""
    return (Fraction(1, n),) * n


def common(x: Sequence[Fraction]) -> int:
    """Return the common denominator of some fractions."""
    return math.lcm(*(mass.denominator for mass in x))


def _law(weights: Sequence[int]) -> Masses:
    total = sum(weights)
    return tuple(Fraction(w, total) for w in weights)
