"""Words over an alphabet: texts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from theorytools.errors import DomainError
from theorytools.search.kinds.entries import by_rank, fits, once


@dataclass(frozen=True)
class Words:
    """The words of n letters of an alphabet, as texts.

    Parameters
    ----------
    alphabet : its letters, the simplest first.

    Raises
    ------
    DomainError : no text of two or more distinct letters.

    Examples
    --------
    >>> from itertools import islice
    >>> kind = Words("()")
    >>> list(islice(kind.first(4), 4)), list(kind.smaller("(()"))
    (['((((', '))))', '()()', '(())'], ['()', '(('])
    """

    alphabet: str = "ab"
    name = "word"

    def __post_init__(self) -> None:
        letters = self.alphabet
        if not isinstance(letters, str) or len(letters) < 2 or len(set(letters)) < len(letters) or '"' in letters:
            raise DomainError(
                f"alphabet = {letters!r:.40}", required="a text of two or more distinct letters, no quotation mark",
                why="a word is a text, each letter one character", advice='Words("ab")',
            )  # fmt: skip

    def first(self, n: int) -> Iterator[str]:
        """Yield constant, periodic and blockwise words, then all by the last letter of the alphabet that they use."""
        yield from once(self._ordered(fits(n, "a word", 0)))

    def _ordered(self, n: int) -> Iterator[str]:
        few = self.alphabet[:3]
        yield from (a * n for a in few)
        pairs = [(a, b) for a in few for b in few if a != b]
        for a, b in pairs:
            yield ((a + b) * n)[:n]
            yield (a * (n // 2) + b * n)[:n]
        for a, b in pairs:
            yield from (a * k + b + a * (n - k - 1) for k in range(n))
        yield from map("".join, by_rank(lambda: iter(self.alphabet), n))

    def draw(self, rng: random.Random, n: int) -> str:
        """Return independent letters, few of them, a periodic word, or a palindrome."""
        style, letters = rng.randrange(4), [rng.choice(self.alphabet) for _ in range(fits(n, "a word", 0))]
        word = "".join(letters)
        if style == 1 and n:
            return "".join(rng.choice(letters[:2]) for _ in letters)
        if style == 2 and n:
            return (word[: 1 + rng.randrange(n)] * n)[:n]
        return word[: n - n // 2] + word[: n // 2][::-1] if style == 3 else word

    def near(self, rng: random.Random, x: str) -> str:
        """Return the word with one letter changed, or two neighbours exchanged."""
        if not x:
            return x
        k = rng.randrange(len(x))
        if k and x[k] != x[k - 1] and rng.randrange(2):
            return x[: k - 1] + x[k] + x[k - 1] + x[k + 1 :]
        return x[:k] + rng.choice([a for a in self.alphabet if a != x[k]]) + x[k + 1 :]

    def simpler(self, x: str) -> Iterator[str]:
        """Yield words with earlier letters of the alphabet: all of them the first, then one earlier."""
        least = self.alphabet[0] * len(x)
        changed = (x[:k] + a + x[k + 1 :] for k in range(len(x)) for a in self.alphabet[: self.alphabet.index(x[k])])
        yield from once(y for y in (least, *changed) if y != x)

    def smaller(self, x: str) -> Iterator[str]:
        """Yield the word without one letter."""
        yield from once(x[:k] + x[k + 1 :] for k in range(len(x)))

    def larger(self, rng: random.Random, x: str) -> str:
        """Return the word with one letter more."""
        k = rng.randrange(len(x) + 1)
        return x[:k] + rng.choice(self.alphabet) + x[k:]

    def size(self, x: str) -> int:
        """Return the length."""
        return len(x)

    def pack(self, x: str) -> str:
        """Return the word itself."""
        return x

    def unpack(self, data: Any) -> str:
        """Return the word of a text whose letters are of the alphabet.

        Raises
        ------
        DomainError : no text, or one with another letter.
        """
        if not isinstance(data, str) or not set(data) <= set(self.alphabet):
            raise DomainError(
                f"the word {data!r:.60}",
                required=f"a text of the letters {self.alphabet}",
                why="words over an alphabet",
            )
        return data
