r"""Binary linear codes as sign codes: the distance of two words is the weight of their sum, itself a word."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Iterable, Sized
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.arguments.values import checked_array, within_budget
from theorytools.codes import hamming as packed
from theorytools.codes.signs import TABLE_ENTRIES, SignCode, admit_table, products_from_distances
from theorytools.errors import DomainError
from theorytools.numbers import gf2

_ENUMERATED_DIMENSION = 24
_CHUNK_DIMENSION = 14  # 2**14 words of 64 bits fit the first cache levels
_WHY = "the words of a binary linear code are the sums over GF(2) of independent generator rows"


@checked
@dataclass(frozen=True, eq=False, repr=False)
class LinearCode:
    r"""All :math:`N=2^k` words of a binary linear code; its Gram matrix depends on the sum of two words only.

    Word :math:`i=\sum_jb_j2^j` is :math:`c_i=\sum_jb_jg_j\bmod2`, and :math:`\omega_i=d_e^{-1/2}(-1)^{c_i}`:

    .. math:: G_{ij} = 1-\frac{2\,\mathrm{wt}(c_{i\oplus j})}{d_e}.

    Every row of :math:`G` is a permutation of the first, so one weight enumerator answers all questions, and
    no table of words is needed.

    Parameters
    ----------
    generator : rows :math:`g_0,\dots,g_{k-1}`, shape ``(k, d_e)``, entries 0 and 1, independent over GF(2).

    Raises
    ------
    DomainError : wrong shape or entries, or dependent rows.

    References
    ----------
    MacWilliams, Sloane (1977), The Theory of Error-Correcting Codes, chapter 1.

    Examples
    --------
    >>> even_weight = LinearCode([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]])
    >>> even_weight.weight_enumerator().tolist(), even_weight.coherence()
    ([1, 0, 6, 0, 1], Fraction(0, 1))
    """

    generator: NDArray[np.uint8]

    def __post_init__(self) -> None:
        object.__setattr__(self, "generator", _checked_generator(self.generator))

    @property
    def dimension(self) -> int:
        """The number ``k`` of generator rows."""
        return int(self.generator.shape[0])

    @property
    def N(self) -> int:
        """Number of words, ``2**dimension``."""
        return 1 << self.dimension

    @property
    def d_e(self) -> int:
        """Length of a word."""
        return int(self.generator.shape[1])

    @property
    def gram_denominator(self) -> int:
        r"""The squared length :math:`d_e` of a sign vector."""
        return self.d_e

    @cached_property
    def _generator_words(self) -> packed.Words:
        return packed.pack(self.generator)

    @cached_property
    def _enumerator(self) -> NDArray[np.int64]:
        k = self.dimension
        advice = "take fewer words, or a code with a proved distance: bch(N).coherence_bound()"
        within_budget("words", self.N, 2**_ENUMERATED_DIMENSION, why="every word is weighed", advice=advice)
        low = packed.span(self._generator_words[:, : min(k, _CHUNK_DIMENSION)])
        high = packed.span(self._generator_words[:, min(k, _CHUNK_DIMENSION) :])
        total = np.zeros(self.d_e + 1, dtype=np.int64)
        for h in range(high.shape[1]):
            weights = packed.weights(low ^ high[:, h : h + 1], self.d_e)
            total += np.bincount(weights, minlength=self.d_e + 1)
        total.setflags(write=False)
        return total

    def weight_enumerator(self) -> NDArray[np.int64]:
        r"""Return :math:`A_w`, the number of words of weight :math:`w`, shape ``(d_e + 1,)``, by exhaustion.

        Raises
        ------
        BudgetError : more than 2**24 words.
        """
        return self._enumerator

    def _weights(self) -> NDArray[np.intp]:
        """The weights of the words other than zero; independent rows make the zero word unique."""
        return np.flatnonzero(self._enumerator[1:]) + 1

    def minimum_distance(self) -> int:
        """Return the smallest weight of a non-zero word, by exhaustion.

        Raises
        ------
        BudgetError : more than 2**24 words.
        """
        return int(self._weights()[0])

    def coherence(self) -> Fraction:
        r"""Return :math:`\rho=1-2\,d_{\min}/d_e`, by exhaustion."""
        return Fraction(self.d_e - 2 * self.minimum_distance(), self.d_e)

    def absolute_coherence(self) -> Fraction:
        r"""Return :math:`\max|1-2w/d_e|` over the weights of non-zero words, by exhaustion."""
        return Fraction(int(abs(self.d_e - 2 * self._weights()).max()), self.d_e)

    def hamming_counts(self) -> NDArray[np.int64]:
        """Return the distances from each word to the others, shape ``(N, d_e + 1)``: a view of one row."""
        others = self._enumerator.copy()
        others[0] = 0
        return np.broadcast_to(others, (self.N, self.d_e + 1))

    def gram_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        r"""Return the products :math:`d_e-2w`, decreasing, and their counts, equal in all rows (a view)."""
        values, counts = products_from_distances(self.hamming_counts()[:1], self.d_e)
        return values, np.broadcast_to(counts[0], (self.N, len(values)))

    def rows(self, indices: Iterable[int]) -> NDArray[np.int8]:
        """Return the sign vectors of the given words.

        Indices may exceed 64 bits; cost and memory grow with their number, not with ``N``.

        Parameters
        ----------
        indices : numbers of words, from 0 to ``N - 1``.

        Returns
        -------
        array : entries +1 and -1, shape ``(len(indices), d_e)``.

        Raises
        ------
        DomainError : an index outside ``range(N)`` or not an integer.
        BudgetError : more than 2**28 signs.
        """
        octets = -(-self.dimension // 8)
        chosen = checked_indices(indices, self.N, self.d_e)
        raw = b"".join(index.to_bytes(octets, "little") for index in chosen)
        index_octets = np.frombuffer(raw, np.uint8).reshape(-1, octets)
        index_bits = np.unpackbits(index_octets, axis=1, bitorder="little")
        words = np.zeros((len(self._generator_words), len(index_bits)), dtype=np.uint64)
        for j in range(self.dimension):
            words ^= index_bits[:, j].astype(np.uint64) * self._generator_words[:, j : j + 1]
        return 1 - 2 * packed.unpack(words, self.d_e).astype(np.int8)

    def sign_code(self) -> SignCode:
        """Return the table of all words."""
        admit_table(self.N, self.d_e)
        return SignCode(self.rows(range(self.N)))

    def gram_numerators(self) -> NDArray[np.int64]:
        """Return the integers ``K``, shape ``(N, N)``."""
        return self.sign_code().gram()

    def matrix(self) -> NDArray[np.float64]:
        """Return the unit codes as rows, shape ``(N, d_e)``."""
        return self.sign_code().matrix()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LinearCode) and np.array_equal(self.generator, other.generator)

    def __hash__(self) -> int:
        return hash((self.generator.shape, self.generator.tobytes()))

    def __repr__(self) -> str:
        return f"LinearCode(dimension={self.dimension}, d_e={self.d_e})"


def checked_indices(indices: Iterable[int], N: int, d_e: int) -> list[int]:
    """Return positions as Python integers in ``range(N)``, no more of them than one table of signs holds."""
    if isinstance(indices, Sized):
        admit_table(len(indices), d_e)
    chosen = list(islice(indices, TABLE_ENTRIES // d_e + 1))  # an iterator may be endless
    admit_table(len(chosen), d_e)
    for index in chosen:
        integral = isinstance(index, numbers.Integral) and not isinstance(index, bool)
        if not integral or not 0 <= operator.index(index) < N:
            raise DomainError(
                f"index {index!r}",
                required=f"integers between 0 and {N - 1}",
                why=f"the code has N = {N} words",
                advice="number the positions from 0",
            )
    return [operator.index(index) for index in chosen]


def _checked_generator(generator: Any) -> NDArray[np.uint8]:
    required = "an array of shape (k, d_e), k >= 1, entries 0 and 1, rows independent over GF(2)"
    advice = "reduce the rows over GF(2) and drop the zero ones"
    array = checked_array(generator, required=required, why=_WHY, advice=advice)
    if array.ndim != 2 or min(array.shape) < 1 or array.dtype.kind not in "iub":
        given = f"an array of shape {array.shape} and type {array.dtype}"
        raise DomainError(given, required=required, why=_WHY, advice=advice)
    if ((array != 0) & (array != 1)).any():
        raise DomainError("an entry other than 0 and 1", required=required, why=_WHY, advice=advice)
    bits = np.array(array, dtype=np.uint8, order="C")
    rank = gf2.matrix_rank(bits)
    if rank < len(bits):
        raise DomainError(f"{len(bits)} rows of rank {rank}", required=required, why=_WHY, advice=advice)
    bits.setflags(write=False)
    return bits
