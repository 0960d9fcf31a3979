r"""Codes with entries :math:`\pm d_e^{-1/2}`: inner products are Hamming distances, hence exact integers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.arguments.objects import reads_arrays
from theorytools.arguments.values import checked_array, checked_rational, within_budget
from theorytools.codes import hamming as packed
from theorytools.codes.extreme_distances import extreme_distances
from theorytools.codes.protocol import Code
from theorytools.errors import DomainError

_PAIR_WORDS = 2**35  # about 20 s of exclusive-or and population count
_GRAM_ENTRIES = 2**26  # 512 MiB of int64
_COUNT_ENTRIES = 2**27  # 1 GiB of int64
TABLE_ENTRIES = 2**28  # 256 MiB of int8
_ASSUMPTION_3 = "Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Assumption 3: unit position codes"


@checked
@dataclass(frozen=True, eq=False, repr=False)
class SignCode:
    r"""The inner product of two sign vectors is :math:`d_e` minus twice their Hamming distance.

    .. math:: \omega_i = d_e^{-1/2}E_i,\qquad E\in\{\pm1\}^{N\times d_e},\qquad
              G_{ij} = \frac{K_{ij}}{d_e},\quad K = EE^\top,\quad K_{ij} = d_e-2\,\mathrm{Ham}(E_i,E_j).

    Equal rows are allowed; the coherence is then 1.

    Parameters
    ----------
    signs : the matrix :math:`E`, shape ``(N, d_e)``, entries +1 and -1, ``N >= 2``, ``d_e >= 1``.  It is
        copied and kept read-only as int8.

    Raises
    ------
    DomainError : wrong shape, or an entry that is not +1 or -1.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Assumption 3, arXiv 2503.11272v1.

    Examples
    --------
    >>> code = SignCode([[1, 1, 1], [1, -1, 1], [-1, -1, -1]])
    >>> code.coherence(), code.absolute_coherence(), code.minimum_distance()
    (Fraction(1, 3), Fraction(1, 1), 1)
    """

    signs: NDArray[np.int8]

    def __post_init__(self) -> None:
        object.__setattr__(self, "signs", _checked_signs(self.signs))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the signs: a code is taken where its array is."""
        return np.array(self.signs, dtype=dtype) if copy else np.asarray(self.signs, dtype=dtype)

    @property
    def N(self) -> int:
        """Number of codes."""
        return int(self.signs.shape[0])

    @property
    def d_e(self) -> int:
        """Number of coordinates."""
        return int(self.signs.shape[1])

    @property
    def gram_denominator(self) -> int:
        r"""The squared length :math:`d_e` of a sign vector."""
        return self.d_e

    @cached_property
    def words(self) -> packed.Words:
        """The rows as bits, 1 for a negative sign, packed 64 to a word, shape ``(W, N)``."""
        return packed.pack(self.signs < 0)

    @cached_property
    def _extremes(self) -> tuple[int, int]:
        self._admit(self.N * (self.N - 1) // 2, "all pairs of rows are compared")
        return extreme_distances(self.words, self.d_e)

    def minimum_distance(self) -> int:
        """Return the smallest Hamming distance of two different rows (0 if two rows are equal).

        Raises
        ------
        BudgetError : the pairs of rows, times the words per row, exceed 2**35.
        """
        return self._extremes[0]

    def maximum_distance(self) -> int:
        """Return the largest Hamming distance of two rows.

        Raises
        ------
        BudgetError : as :meth:`minimum_distance`.
        """
        return self._extremes[1]

    def coherence(self) -> Fraction:
        r"""Return :math:`\rho=\max_{i\ne j}G_{ij}`, attained at the minimum distance.

        Raises
        ------
        BudgetError : the pairs of rows, times the words per row, exceed 2**35.
        """
        return Fraction(self.d_e - 2 * self._extremes[0], self.d_e)

    def absolute_coherence(self) -> Fraction:
        r"""Return :math:`\max_{i\ne j}|G_{ij}|`, attained at the smallest or the largest distance."""
        return Fraction(max(abs(self.d_e - 2 * distance) for distance in self._extremes), self.d_e)

    def gram(self) -> NDArray[np.int64]:
        r"""Return :math:`K=EE^\top`, shape ``(N, N)``.

        Raises
        ------
        BudgetError : ``N**2`` exceeds 2**26 entries.
        """
        why = "the Gram matrix is held in memory"
        within_budget(
            "Gram entries", self.N**2, _GRAM_ENTRIES, why=why, advice="use hamming_counts(): one row per code"
        )
        K = np.empty((self.N, self.N), dtype=np.int64)
        for rows in packed.blocks(0, self.N, 256):
            K[rows] = packed.distances(self.words[:, rows], self.words, self.d_e)
        return self.d_e - 2 * K

    gram_numerators = gram

    def hamming_counts(self, rows: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        r"""Return :math:`c_{t,k}=\#\{j\ne t:\mathrm{Ham}(t,j)=k\}`, shape ``(N, d_e + 1)``.

        Parameters
        ----------
        rows : the places ``t`` whose distances are counted, all of them unless given.

        Raises
        ------
        BudgetError : the rows asked for, times all others, times the words per row, exceed 2**35, or the table has
            more than 2**27 entries.
        """
        asked = self.N if rows is None else len(rows)
        self._admit(asked * (self.N - 1), "each row asked for is compared with all others")
        why = "one histogram of distances is kept per row"
        within_budget("histogram entries", asked * (self.d_e + 1), _COUNT_ENTRIES, why=why, advice="take fewer codes")
        return packed.distance_counts(self.words, self.d_e, rows)

    def gram_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        r"""Return the products :math:`d_e-2k` that occur, decreasing, and how often in each row."""
        return products_from_distances(self.hamming_counts(), self.d_e)

    def violations(self, *, rho: Fraction = Fraction(1, 2), one_sided: bool = False) -> int:
        r"""Return the number of pairs :math:`i<j` whose inner product is too large; 0 is Assumption 3 of the paper.

        Parameters
        ----------
        rho : the largest product allowed, a rational in [-1, 1].
        one_sided : count :math:`G_{ij}>\rho` rather than :math:`|G_{ij}|>\rho`.

        Returns
        -------
        int : number of pairs.

        Raises
        ------
        DomainError : ``rho`` outside [-1, 1].
        BudgetError : as :meth:`hamming_counts`.
        """
        rho = checked_rational("rho", rho, lambda x: abs(x) <= 1, required="|rho| <= 1", why=_ASSUMPTION_3)
        products = self.d_e - 2 * np.arange(self.d_e + 1)
        size = products if one_sided else abs(products)
        too_large = size * rho.denominator > rho.numerator * self.d_e
        return int(self.hamming_counts()[:, too_large].sum()) // 2  # each pair was met from both ends

    def matrix(self) -> NDArray[np.float64]:
        r"""Return the unit codes :math:`E/\sqrt{d_e}` as rows, shape ``(N, d_e)``."""
        return self.signs.astype(np.float64) / math.sqrt(self.d_e)

    def _admit(self, pairs: int, why: str) -> None:
        advice = "take fewer codes, or a linear code, whose distances are the weights of single words"
        within_budget("word comparisons", pairs * len(self.words), _PAIR_WORDS, why=why, advice=advice)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SignCode) and np.array_equal(self.signs, other.signs)

    def __hash__(self) -> int:
        return hash((self.signs.shape, self.signs.tobytes()))

    def __repr__(self) -> str:
        return f"SignCode(N={self.N}, d_e={self.d_e})"


def admit_table(N: int, d_e: int) -> None:
    """Refuse a table of more than 2**28 signs, before it is made."""
    why = "the signs are held in memory as one table"
    advice = "use bch(N).rows(indices), which computes codes from their index"
    within_budget("sign entries", N * d_e, TABLE_ENTRIES, why=why, advice=advice)


def products_from_distances(counts: NDArray[np.int64], d_e: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    r"""Turn counts of Hamming distances into counts of products :math:`d_e-2k`, those that occur."""
    present = np.flatnonzero(counts.any(axis=0))
    return d_e - 2 * present, counts[:, present]


def _checked_signs(signs: Any) -> NDArray[np.int8]:
    required = "an array of shape (N, d_e), N >= 2, d_e >= 1, with entries +1 and -1"
    advice = "scale +-d_e^(-1/2) entries by sqrt(d_e) and round, or call rademacher(N, d_e, rng)"
    array = checked_array(signs, required=required, why=_ASSUMPTION_3, advice=advice)
    if array.ndim != 2 or array.shape[0] < 2 or array.shape[1] < 1:
        given = f"an array of shape {array.shape}"
        raise DomainError(given, required=required, why=_ASSUMPTION_3, advice=advice)
    if array.dtype.kind not in "iuf":
        given = f"entries of type {array.dtype}"
        raise DomainError(given, required=required, why=_ASSUMPTION_3, advice=advice)
    wrong = np.argwhere((array != 1) & (array != -1))  # catches NaN as well
    if len(wrong):
        i, k = (int(index) for index in wrong[0])
        given = f"entry [{i}, {k}] = {array[i, k]}"
        raise DomainError(given, required=required, why=_ASSUMPTION_3, advice=advice)
    copy = np.array(array, dtype=np.int8, order="C")
    copy.setflags(write=False)
    return copy


@reads_arrays(Code, "an array of its signs")
@reads_arrays(SignCode, "an array of its signs")
def _of_array(array: Any) -> SignCode | None:
    """The code of a matrix of signs, or of signs over the root of their number, as ``matrix()`` has them; else None."""
    if not isinstance(array, np.ndarray | list | tuple):
        return None
    try:
        rows = np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    if rows.ndim != 2 or rows.shape[0] < 2 or not rows.size:
        return None
    # 1/sqrt(d_e) in doubles, however it was computed, is off by a few units of 2^-53
    unit = np.abs(np.abs(rows) * math.sqrt(rows.shape[1]) - 1) <= 8 * 2.0**-53
    return SignCode(np.sign(rows).astype(np.int8)) if (np.abs(rows) == 1).all() or unit.all() else None
