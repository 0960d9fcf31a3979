r"""Recurrent memories of a given number of bits at any length: a table of symbols, and blocks of a perfect code.

A state of ``numbers`` numbers of ``bits`` bits keeps :math:`\lfloor\text{numbers}\cdot\text{bits}/\log_2q\rfloor`
symbols of :math:`q=2^e` letters, so that lookup is right up to this length: the lower bound
:math:`B\ge N\log_2|\Sigma|` is attained.  Beyond it the best accuracy lies under Fano's curve, which is Shannon's
rate-distortion function of a uniform symbol: blocks of a perfect Hamming code come near.

*Blocks.*  Over the field of :math:`q` elements let the columns of :math:`H` be the :math:`n=\frac{q^r-1}{q-1}` vectors
of length :math:`r` whose first non-zero entry is 1.  Each syndrome :math:`s\ne0` is a multiple of exactly one column,
so each word of length :math:`n` is a code word after a change of one symbol, or none.  Kept are the :math:`n-r`
symbols at which the columns are no unit vectors; the others follow from :math:`Hc=0`.  The syndrome of a uniform word
is uniform, and the share of wrong symbols :math:`\frac{1-q^{-r}}n=(q-1)q^{-r}`.

References
----------
Cover, Thomas (2006), Elements of Information Theory, Theorem 10.3.1 and problem 10.5.  MacWilliams, Sloane (1977),
chapter 1, section 7.  For the recurrent lower bound of Bhattamishra, Hahn, Blunsom, Kanade (2024), arXiv 2406.09347v1.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import PositiveInt, checked, ranks
from theorytools.arguments.values import checked_integer
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers.gf2 import product_table
from theorytools.tasks.automaton import strings_of, symbols_of

Integers = NDArray[np.int64]
_CHECKS = 24  # the code has fewer than q^r columns
_WHY = "a memory of symbols for index lookup"


@checked
@dataclass(frozen=True)
class TableStore:
    """Symbol number t is written to place t of the state, cyclically; what was there is lost.

    Parameters
    ----------
    numbers, bits : of the state.
    letters : size of the alphabet, a power of two whose logarithm divides ``bits``.

    Examples
    --------
    >>> store = TableStore(numbers=2, bits=8, letters=16)
    >>> store.places, store.after([3, 1, 2, 15]).tolist(), store.answers(store.after([3, 1, 2, 15, 7])).tolist()
    (4, [49, 47], [7, 1, 2, 15])
    """

    numbers: int
    bits: int
    letters: int = 2

    def __post_init__(self) -> None:
        for name, value in (("numbers", self.numbers), ("bits", self.bits)):
            checked_integer(name, value, least=1, why=_WHY)
        e = self.letters.bit_length() - 1
        if self.letters < 2 or self.letters != 1 << e or self.bits % e or self.bits > 62:
            given = f"letters = {self.letters}, bits = {self.bits}"
            raise DomainError(given, required="2**e letters, e divides bits <= 62", why="whole symbols in a number")

    @property
    def symbol_bits(self) -> int:
        """Bits of a symbol."""
        return self.letters.bit_length() - 1

    @property
    def places(self) -> int:
        """How many symbols are kept."""
        return self.numbers * (self.bits // self.symbol_bits)

    def after(self, word: list[int] | Integers) -> Integers:
        """Return the numbers of the state, each in ``0 .. 2**bits - 1``, after a word, symbol by symbol."""
        state, e, each = [0] * self.numbers, self.symbol_bits, self.bits // self.symbol_bits
        for t, symbol in enumerate(symbols_of(word, self.letters, "a word").tolist()):
            number, field = divmod(t % self.places, each)
            shift = e * (each - 1 - field)
            state[number] += (symbol - (state[number] >> shift & (self.letters - 1))) << shift
        return np.array(state, dtype=np.int64)

    @ranks(state=1)
    def answers(self, state: Integers) -> Integers:
        """Return the symbols at all places of a state: the read-out at positions ``t`` modulo ``places``."""
        shifts = np.arange(self.bits - self.symbol_bits, -1, -self.symbol_bits)
        return (np.asarray(state)[:, None] >> shifts & (self.letters - 1)).ravel()


@checked
@dataclass(frozen=True)
class PerfectBlocks:
    """Blocks of a Hamming code with ``r`` checks over the field of ``q`` elements, ``q`` a power of two up to 256.

    Examples
    --------
    >>> code = PerfectBlocks(16, 2)
    >>> code.n, code.kept, code.wrong, PerfectBlocks(2, 3).kept
    (17, 15, Fraction(15, 256), 4)
    """

    q: int
    r: int

    def __post_init__(self) -> None:
        checked_integer("r", self.r, least=2, why="a block keeps symbols")
        product_table(self.q)
        if self.r * (self.q.bit_length() - 1) > _CHECKS:
            raise BudgetError(
                f"r = {self.r} checks over {self.q} elements", required=f"q^r <= 2^{_CHECKS}",
                why="the columns of the check matrix are listed", advice="take fewer checks",
            )  # fmt: skip

    @cached_property
    def columns(self) -> Integers:
        """The columns of the check matrix, unit vectors last, shape ``(n, r)``."""
        every = np.array(list(itertools.product(range(self.q), repeat=self.r)))[1:]
        first = every[np.arange(len(every)), (every != 0).argmax(axis=1)]
        kept = every[first == 1]
        units = (kept != 0).sum(axis=1) == 1
        return np.concatenate([kept[~units], kept[units]])

    @property
    def n(self) -> int:
        """Symbols of a block."""
        return (self.q**self.r - 1) // (self.q - 1)

    @property
    def kept(self) -> int:
        """Symbols that are kept."""
        return self.n - self.r

    @property
    def wrong(self) -> Fraction:
        """The share of symbols that are lost, over uniform words."""
        return Fraction(self.q - 1, self.q**self.r)

    def syndromes(self, words: Integers) -> Integers:
        """Return the checks of words ``(k, n)``, shape ``(k, r)``."""
        words = strings_of(words, self.n, self.q, "blocks")
        products = product_table(self.q)[words[:, :, None], self.columns[None]]
        return np.bitwise_xor.reduce(products, axis=1)

    @ranks(syndromes=2)
    def changes(self, syndromes: Integers) -> tuple[Integers, Integers]:
        """Return for each syndrome the place that is changed and what is added there (0: no change)."""
        table = product_table(self.q)
        multiples = table[np.arange(self.q)[1:, None, None], self.columns[None]]  # (q - 1, n, r)
        radix = self.q ** np.arange(self.r)
        place, added = np.zeros(self.q**self.r, dtype=np.int64), np.zeros(self.q**self.r, dtype=np.int64)
        numbers = multiples @ radix
        place[numbers], added[numbers] = np.arange(self.n)[None], np.arange(1, self.q)[:, None]
        sought = np.asarray(syndromes) @ radix
        return place[sought], added[sought]

    def kept_symbols(self, words: Integers) -> Integers:
        """Return the symbols kept of words ``(k, n)``, shape ``(k, n - r)``: those of the nearest code words."""
        place, added = self.changes(self.syndromes(words))
        near = np.array(words)
        near[np.arange(len(near)), place] ^= added
        return near[:, : self.kept]

    @ranks(kept=2)
    def read(self, kept: Integers) -> Integers:
        """Return the code words ``(k, n)`` from what was kept."""
        padded = np.concatenate([kept, np.zeros((len(kept), self.r), dtype=np.int64)], axis=1)
        units = self.columns[self.kept :].argmax(axis=1)
        return np.concatenate([kept, self.syndromes(padded)[:, units]], axis=1)


@checked
@dataclass(frozen=True)
class BlockStore:
    """A memory of a word of ``N`` symbols: blocks of a code, then symbols kept as they are, the rest forgotten.

    While a block is read up to ``r - 1`` symbols more than its share are held, :math:`n-1` before the last one.

    Parameters
    ----------
    N : length of the word.
    code : the perfect code of the blocks.
    blocks, plain : number of blocks and of symbols kept as they are.

    Raises
    ------
    DomainError : more blocks and symbols than the word has.

    Examples
    --------
    >>> store = BlockStore.least(1000, Fraction(9, 10), PerfectBlocks(16, 2))
    >>> store.blocks, store.bits, round(float(store.accuracy), 4)
    (57, 3424, 0.9142)
    """

    N: int
    code: PerfectBlocks
    blocks: int
    plain: int = 0

    def __post_init__(self) -> None:
        if min(self.blocks, self.plain) < 0 or self.blocks * self.code.n + self.plain > self.N:
            given = f"{self.blocks} blocks of {self.code.n} and {self.plain} symbols of {self.N}"
            raise DomainError(given, required="blocks and symbols within the word", why=_WHY)

    @classmethod
    def least(cls, N: PositiveInt, accuracy: Fraction, code: PerfectBlocks) -> BlockStore:
        """Return the store with fewest blocks, then fewest plain symbols, of an accuracy.

        Parameters
        ----------
        N : length of the word.
        accuracy : fraction of positions answered rightly, in [0, 1].
        code : the perfect code of the blocks.

        Returns
        -------
        BlockStore : of at least this accuracy.

        Raises
        ------
        DomainError : an accuracy that blocks of this code do not have.
        """
        if not 0 <= accuracy <= 1:
            raise DomainError(f"accuracy {accuracy}", required="0 <= accuracy <= 1", why="a fraction of the answers")
        guessed = Fraction(1, code.q)
        gain = 1 - code.wrong - guessed  # of a symbol in a block over one that is forgotten
        need = (Fraction(accuracy) - guessed) * N / (gain * code.n)
        blocks = min(max(0, -(-need.numerator // need.denominator)), N // code.n)
        left = Fraction(accuracy) - cls(N, code, blocks).accuracy
        plain = max(Fraction(0), left * N / (1 - guessed))
        store = cls(N, code, blocks, min(-(-plain.numerator // plain.denominator), N - blocks * code.n))
        if store.accuracy < accuracy:
            raise DomainError(f"accuracy {accuracy}", required=f"at most {store.accuracy}", why="one code is used")
        return store

    @property
    def bits(self) -> int:
        """Bits held, one block in the making included."""
        held = self.blocks * self.code.kept + self.plain + (self.code.r - 1 if self.blocks else 0)
        return held * (self.code.q.bit_length() - 1)

    @property
    def accuracy(self) -> Fraction:
        """The accuracy over uniform words and positions."""
        coded = self.blocks * self.code.n
        forgotten = self.N - coded - self.plain
        return (coded * (1 - self.code.wrong) + self.plain + Fraction(forgotten, self.code.q)) / self.N

    def answers(self, words: Integers) -> Integers:
        """Return what is answered at every position: the words are kept, then read again.

        Parameters
        ----------
        words : symbols, shape ``(k, N)``.

        Returns
        -------
        array : shape ``(k, N)``.
        """
        words, coded = strings_of(words, self.N, self.code.q, "words"), self.blocks * self.code.n
        out = np.zeros_like(words)
        out[:, coded : coded + self.plain] = words[:, coded : coded + self.plain]
        if self.blocks:
            kept = self.code.kept_symbols(words[:, :coded].reshape(-1, self.code.n))
            out[:, :coded] = self.code.read(kept).reshape(len(words), coded)
        return out
