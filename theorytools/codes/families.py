r"""Named codes: random signs, binary indices, Hadamard rows, Reed-Muller words, the roots of :math:`E_8`."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, at_most, checked
from theorytools.arguments.values import checked_integer, within_budget
from theorytools.codes.linear import LinearCode
from theorytools.codes.signs import SignCode, admit_table
from theorytools.errors import DomainError

_TWO_CODES = "coherence is a maximum over pairs of codes"


@checked
def rademacher(N: int, d_e: int, rng: np.random.Generator) -> SignCode:
    r"""Draw :math:`N` codes uniformly from the hypercube :math:`\{\pm d_e^{-1/2}\}^{d_e}`.

    Exactly ``2 * rng.integers(0, 2, size=(N, d_e)) - 1``.  For one pair, Hoeffding's inequality reads

    .. math:: \Pr(|G_{ij}|>\rho)\le 2e^{-d_e\rho^2/2}.

    Raises
    ------
    DomainError : ``N < 2``, ``d_e < 1``, or ``rng`` is not a ``numpy.random.Generator``.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Assumption 3, arXiv 2503.11272v1.

    Examples
    --------
    >>> rademacher(64, 67, np.random.default_rng(0)).coherence()
    Fraction(25, 67)
    """
    N = checked_integer("N", N, least=2, why=_TWO_CODES)
    d_e = checked_integer("d_e", d_e, least=1, why="a unit vector needs a coordinate")
    if not isinstance(rng, np.random.Generator):
        raise DomainError(
            f"rng of type {type(rng).__name__}",
            required="a numpy.random.Generator",
            why="a code is random only through a generator that the caller controls",
            advice="pass numpy.random.default_rng(seed)",
        )
    admit_table(N, d_e)
    return SignCode((2 * rng.integers(0, 2, size=(N, d_e)) - 1).astype(np.int8))


@checked
def binary_index(N: int) -> SignCode:
    r"""Write the index in binary: :math:`d_e=\lceil\log_2N\rceil` coordinates, all codes different.

    Bit :math:`b` becomes the sign :math:`(-1)^b`.  Neighbours differ in one bit, so :math:`\rho=1-2/d_e`.

    Parameters
    ----------
    N : number of codes, at least 2.

    Returns
    -------
    SignCode : shape ``(N, d_e)``.

    Raises
    ------
    DomainError : ``N < 2``.
    BudgetError : more than 2**28 signs.

    Examples
    --------
    >>> binary_index(4).signs.tolist(), binary_index(8).coherence()
    ([[1, 1], [-1, 1], [1, -1], [-1, -1]], Fraction(1, 3))
    """
    N = checked_integer("N", N, least=2, why=_TWO_CODES)
    d_e = (N - 1).bit_length()
    admit_table(N, d_e)
    numbers = np.arange(N, dtype="<u8")[:, None].view(np.uint8)  # eight bytes each, the low one first on any machine
    bits = np.unpackbits(numbers[:, : -(-d_e // 8)], axis=1, count=d_e, bitorder="little")
    return SignCode(1 - 2 * bits.view(np.int8))


@checked
def hadamard(N: int) -> SignCode:
    r"""Take the first :math:`N` rows of Sylvester's Hadamard matrix: orthogonal sign vectors.

    .. math:: E_{ij} = (-1)^{\langle i,j\rangle_2},\qquad d_e = 2^{\lceil\log_2N\rceil},\qquad K = d_eI_N .

    Parameters
    ----------
    N : number of codes, at least 2.

    Returns
    -------
    SignCode : shape ``(N, d_e)``.

    Raises
    ------
    DomainError : ``N < 2``.
    BudgetError : more than 2**28 signs.

    Examples
    --------
    >>> hadamard(4).signs.tolist(), hadamard(5).d_e
    ([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]], 8)
    """
    N = checked_integer("N", N, least=2, why=_TWO_CODES)
    d_e = 1 << (N - 1).bit_length()
    admit_table(N, d_e)
    common_bits = np.arange(N)[:, None] & np.arange(d_e)
    return SignCode(1 - 2 * (np.bitwise_count(common_bits) & 1).astype(np.int8))


@checked
@at_most(m=ENTRIES)
def reed_muller(r: int, m: NonNegativeInt) -> LinearCode:
    r"""Evaluate all polynomials of degree at most :math:`r` in :math:`m` bits: distance :math:`2^{m-r}`.

    .. math:: d_e = 2^m,\qquad k = \sum_{i\le r}\binom mi,\qquad \rho = 1-2^{1-r}.

    The generator rows are the monomials in order of degree, so row 0 is the all-ones word.  RM(2, 5) has
    :math:`2^{16}` words in :math:`\mathbb R^{32}` with :math:`\rho=\frac12`: unit vectors at distance 1.

    Raises
    ------
    DomainError : not ``0 <= r <= m``, or ``m < 1``.
    BudgetError : ``m > 14``.

    References
    ----------
    MacWilliams, Sloane (1977), The Theory of Error-Correcting Codes, chapter 13, Theorem 3.
    """
    why = "RM(r, m) evaluates polynomials of degree at most r <= m at the 2^m points of GF(2)^m"
    m = checked_integer("m", m, least=1, why=why)
    r = checked_integer("r", r, least=0, why=why)
    if r > m:
        raise DomainError(f"r = {r}, m = {m}", required="r <= m", why=why, advice=f"take r = {m}: all words")
    within_budget("coordinates", 1 << m, 2**14, why="a generator row is held in memory", advice="take m <= 14")
    bits = (np.arange(1 << m)[:, None] >> np.arange(m) & 1).astype(np.uint8)  # row x: the point x of GF(2)^m
    monomials = [chosen for degree in range(r + 1) for chosen in combinations(range(m), degree)]
    return LinearCode(np.array([bits[:, list(chosen)].all(axis=1) for chosen in monomials], dtype=np.uint8))


def e8_roots() -> NDArray[np.int64]:
    r"""Return the 240 roots of :math:`E_8`, times 2: squared norm 8, largest inner product of two of them 4.

    The vectors are :math:`\pm2e_i\pm2e_j` (112 of them) and :math:`(\pm1)^8` with an even number of minus
    signs (128); shape ``(240, 8)``.  As unit vectors they are at mutual distance at least 1, and
    :math:`\log240=5.48>\log17`: no bound :math:`\epsilon^{-2}\log(2d+1)` holds for packings of the Euclidean
    ball at distance :math:`\epsilon=1`.

    References
    ----------
    Conway, Sloane (1999), Sphere Packings, Lattices and Groups, chapter 4, section 8.1.
    """
    pairs = [
        [s if k == i else t if k == j else 0 for k in range(8)]
        for i, j in combinations(range(8), 2)
        for s, t in product((2, -2), repeat=2)
    ]
    halves = [signs for signs in product((1, -1), repeat=8) if signs.count(-1) % 2 == 0]
    return np.array(pairs + [list(signs) for signs in halves], dtype=np.int64)
