r"""BCH codes: a guaranteed distance for codes that are computed from their index and never stored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, reduce

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.arguments.values import checked_integer, checked_rational
from theorytools.codes.linear import LinearCode, checked_indices
from theorytools.codes.signs import SignCode, admit_table
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers.gf2 import carryless_product, cyclotomic_coset, minimal_polynomial

_LARGEST_M = 12
_TWO_CODES = "coherence is a maximum over pairs of codes"
_WHY = "primitive narrow-sense BCH code of length 2^m - 1, designed distance delta, extended by a parity bit"


@checked
@dataclass(frozen=True)
class BCHCode:
    r"""The first :math:`N` words of an extended BCH code have inner products proved small.

    Let :math:`n=2^m-1`, :math:`d_e=n+1`, and let :math:`g` be the polynomial over GF(2) of least degree with
    roots :math:`\alpha,\dots,\alpha^{\delta-1}`, :math:`\delta` odd.  Word :math:`i=\sum_jb_j2^j` consists of
    the coefficients of :math:`g(x)\sum_jb_jx^j` and of one bit that makes its weight even.  With
    :math:`K=\lceil\log_2N\rceil` message bits,

    .. math:: |G_{ij}|\le1-\frac{2(\delta+1)}{d_e}\qquad(i\ne j,\ K<k=n-\deg g).

    *Proof.*  (1) If a non-zero word had :math:`w<\delta` ones, at places :math:`p_1,\dots,p_w`, then
    :math:`\sum_j\alpha^{rp_j}=0` for :math:`r=1,\dots,w`: a Vandermonde system in :math:`w` different
    non-zero elements with a non-zero solution, which is impossible.  So weights are at least :math:`\delta`,
    and even with the parity bit, hence at least :math:`\delta+1`.  (2) The all-ones word is in the whole
    extended code (:math:`n` is odd, :math:`\alpha^0` is no root of :math:`g`), so adding it sends a word
    other than 0 and 1 of weight :math:`w` to one of weight :math:`d_e-w\ge\delta+1`.  (3) The all-ones word
    is :math:`g\cdot\frac{x^n-1}{(x-1)g}`, whose message has degree exactly :math:`k-1`: with :math:`K<k`
    message bits it never occurs.  So :math:`\delta+1\le w\le d_e-\delta-1`, i.e.
    :math:`|d_e-2w|\le d_e-2(\delta+1)`. ∎

    The proof uses only the roots, so :math:`\delta` may be raised to the *Bose distance*, the least positive
    exponent that is no root.

    Parameters
    ----------
    N : number of codes, a Python integer of any size up to :math:`2^{k-1}`.
    m : :math:`d_e=2^m`, ``2 <= m <= 12``.
    delta : the designed distance, odd, ``1 <= delta <= 2**(m-1) - 1``.
    one_sided : admit the all-ones word, hence ``N`` up to :math:`2^k`; then the bound is proved for
        :math:`G_{ij}` only, not for :math:`-G_{ij}`.

    Raises
    ------
    DomainError : parameters outside these ranges.

    References
    ----------
    Bose, Ray-Chaudhuri (1960), On a class of error correcting binary group codes, Information and Control 3.
    MacWilliams, Sloane (1977), The Theory of Error-Correcting Codes, chapters 7 and 9.

    Examples
    --------
    >>> code = BCHCode(2**23, 6, 15)
    >>> code.d_e, code.absolute_coherence_bound(), code.rows([0, 2**23 - 1]).shape
    (64, Fraction(1, 2), (2, 64))
    """

    N: int
    m: int
    delta: int
    one_sided: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "N", checked_integer("N", self.N, least=2, why=_TWO_CODES))
        object.__setattr__(self, "m", checked_integer("m", self.m, least=2, why=_WHY))
        object.__setattr__(self, "delta", checked_integer("delta", self.delta, least=1, why=_WHY))
        advice = f"call bch({self.N}), which chooses m and delta"
        if self.m > _LARGEST_M or self.delta not in _profile(self.m):
            given = f"m = {self.m}, delta = {self.delta}"
            required = f"2 <= m <= {_LARGEST_M} and an odd delta <= 2^(m-1) - 1"
            raise DomainError(given, required=required, why=_WHY, advice=advice)
        room = self._dimension - (not self.one_sided)
        if self.message_bits > room:
            given = f"N = {self.N}, m = {self.m}, delta = {self.delta}"
            raise DomainError(given, required=f"N <= 2^{room}", why=_WHY, advice=advice)

    @property
    def d_e(self) -> int:
        """Length of a word, ``2**m``."""
        return 1 << self.m

    @property
    def gram_denominator(self) -> int:
        r"""The squared length :math:`d_e` of a sign vector."""
        return self.d_e

    @property
    def message_bits(self) -> int:
        r"""The number :math:`K=\lceil\log_2N\rceil` of index bits."""
        return (self.N - 1).bit_length()

    @property
    def _dimension(self) -> int:
        return _profile(self.m)[self.delta][0]

    @property
    def distance(self) -> int:
        """The proved distance: one more than the Bose distance, by the parity bit."""
        return _profile(self.m)[self.delta][1] + 1

    @cached_property
    def linear(self) -> LinearCode:
        r"""The linear code of all :math:`2^K\ge N` words, ``N`` of which are used."""
        g, n = bch_generator(self.m, self.delta), self.d_e - 1
        bits = np.array([[g >> p & 1 for p in range(n)]], dtype=np.uint8)
        # x^j g(x), j < K <= n - deg g: rolling wraps no coefficient around
        shifts = np.concatenate([np.roll(bits, j, axis=1) for j in range(self.message_bits)])
        parity = shifts.sum(axis=1, keepdims=True) % 2
        return LinearCode(np.concatenate([shifts, parity], axis=1).astype(np.uint8))

    def coherence_bound(self) -> Fraction:
        r"""Return the proved upper bound on :math:`\rho=\max_{i\ne j}G_{ij}`, for any ``N``."""
        return Fraction(self.d_e - 2 * self.distance, self.d_e)

    def absolute_coherence_bound(self) -> Fraction:
        r"""Return the proved bound on :math:`\max_{i\ne j}|G_{ij}|`: 1 if the all-ones word may occur."""
        return Fraction(1) if self.message_bits == self._dimension else self.coherence_bound()

    def coherence(self) -> Fraction:
        r"""Return :math:`\rho` by exhaustion of all :math:`2^K` words.

        Exact for every ``N``: a message with top bit :math:`b`, :math:`2^b<N`, is the sum
        :math:`i\oplus j` of :math:`i=2^b` and some :math:`j<2^b`, so the pairs of the first ``N`` words meet
        every non-zero word.

        Returns
        -------
        Fraction : in [-1, 1].

        Raises
        ------
        BudgetError : more than 2**24 words; ``coherence_bound`` is free.
        """
        return self.linear.coherence()

    def absolute_coherence(self) -> Fraction:
        r"""Return :math:`\max_{i\ne j}|G_{ij}|` by exhaustion, as ``coherence`` does.

        Returns
        -------
        Fraction : in [0, 1].

        Raises
        ------
        BudgetError : more than 2**24 words.
        """
        return self.linear.absolute_coherence()

    def rows(self, indices: Iterable[int]) -> NDArray[np.int8]:
        """Return the sign vectors of some positions; no table is stored.

        Parameters
        ----------
        indices : positions, from 0 to ``N - 1``.

        Returns
        -------
        array : entries +1 and -1, shape ``(len(indices), d_e)``.

        Raises
        ------
        DomainError : an index outside ``range(N)``, or no integer.
        BudgetError : more than 2**28 signs.
        """
        return self.linear.rows(checked_indices(indices, self.N, self.d_e))

    def sign_code(self) -> SignCode:
        """Return the table of the first ``N`` words."""
        admit_table(self.N, self.d_e)
        return SignCode(self.rows(range(self.N)))

    def gram_numerators(self) -> NDArray[np.int64]:
        """Return the integers ``K``, shape ``(N, N)``."""
        return self.sign_code().gram()

    def gram_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the products and their counts; without a table if ``N`` is a power of two."""
        return (self.linear if self.N == self.linear.N else self.sign_code()).gram_counts()

    def matrix(self) -> NDArray[np.float64]:
        """Return the unit codes as rows, shape ``(N, d_e)``."""
        return self.sign_code().matrix()


@checked
def bch(N: int, *, coherence: Fraction = Fraction(1, 2), one_sided: bool = False) -> BCHCode:
    r"""Return the shortest BCH sign code with :math:`N` words and proved :math:`|G_{ij}|\le` ``coherence``.

    At that length the largest designed distance with room for ``N`` words is taken.  ``one_sided=True`` asks
    for :math:`G_{ij}\le` ``coherence`` only.  At :math:`\frac12`: :math:`N\le2^6,2^{10},2^{15},2^{23}` for
    :math:`d_e=8,16,32,64`, far below the :math:`16\log N` of random signs.

    Parameters
    ----------
    N : number of words, at least 2.
    coherence : the largest inner product of two unit codes that is allowed, in [0, 1).
    one_sided : bound inner products above only, not their moduli.

    Returns
    -------
    BCHCode : the shortest that is proved.

    Raises
    ------
    DomainError : ``N < 2`` or ``coherence`` outside ``[0, 1)``.
    BudgetError : no length up to 4096 has room.

    Examples
    --------
    >>> [bch(N).d_e for N in (64, 1024, 2**15, 2**23)]
    [8, 16, 32, 64]
    """
    N = checked_integer("N", N, least=2, why=_TWO_CODES)
    required = "0 <= coherence < 1"
    target = checked_rational("coherence", coherence, lambda x: 0 <= x < 1, required=required, why=_WHY)
    bits = (N - 1).bit_length()
    for m in range(2, _LARGEST_M + 1):
        for delta, (dimension, bose) in reversed(_profile(m).items()):
            proved = (1 << m) - 2 * (bose + 1)  # times 2^m
            if proved * target.denominator <= target.numerator << m and bits <= dimension - (not one_sided):
                return BCHCode(N, m, delta, one_sided)
    raise BudgetError(
        f"{bits} index bits at coherence {target}",
        required=f"room in a BCH code of length at most {1 << _LARGEST_M}",
        why=_WHY,
        advice="raise the coherence or take fewer codes",
    )


def bch_generator(m: int, delta: int) -> int:
    r"""Return the polynomial :math:`g` of least degree with roots :math:`\alpha,\dots,\alpha^{\delta-1}`."""
    representatives = sorted({min(cyclotomic_coset(s, m)) for s in range(1, delta)})
    return reduce(carryless_product, (minimal_polynomial(s, m) for s in representatives), 1)


@lru_cache
def _profile(m: int) -> dict[int, tuple[int, int]]:
    r"""Return (dimension :math:`k`, Bose distance) for every odd designed distance, increasing.

    Even exponents are conjugate to smaller ones, so one coset is added from :math:`\delta` to
    :math:`\delta+2`; if :math:`\delta` is a root already, the two codes are the same.
    """
    roots: set[int] = set()
    steps: list[tuple[int, int, bool]] = []
    for delta in range(1, 1 << m - 1, 2):
        steps.append((delta, (1 << m) - 1 - len(roots), delta in roots))
        roots |= cyclotomic_coset(delta, m)
    profile: dict[int, tuple[int, int]] = {}
    bose = 0  # the largest delta is the least element of its coset, hence no root: it sets bose
    for delta, dimension, repeated in reversed(steps):
        bose = bose if repeated else delta
        profile[delta] = (dimension, bose)
    return dict(reversed(profile.items()))
