r"""GF(2): ranks, polynomials and the fields with :math:`2^m` elements, all as Python integers.

Bit :math:`j` of an integer is the coefficient of :math:`x^j`.  Field elements are residues modulo the least
primitive polynomial of degree :math:`m`, and :math:`\alpha` is the residue of :math:`x`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import DomainError


def rank(words: Iterable[int]) -> int:
    """Return the rank over GF(2) of vectors whose entries are the bits of integers."""
    basis: dict[int, int] = {}  # by leading bit
    for word in words:
        while word and (leading := word.bit_length()) in basis:
            word ^= basis[leading]
        if word:
            basis[word.bit_length()] = word
    return len(basis)


def solve(rows: Sequence[int], right: Sequence[int]) -> int | None:
    """Return a word that meets every row in an odd number of bits where ``right`` is 1 and else in an even one.

    Parameters
    ----------
    rows : integers, bit ``j`` the coefficient of unknown ``j``.
    right : 0 or 1 for each row.

    Returns
    -------
    int or None : the unknowns as bits, those that are free 0; None where the equations contradict each other.

    Examples
    --------
    >>> solve([0b011, 0b110], [1, 0]), solve([1, 1], [0, 1])
    (6, None)
    """
    basis: dict[int, int] = {}  # by leading bit; bit 0 of what is kept is the right side
    for word, value in zip(rows, right, strict=True):
        word = word << 1 | value
        while word > 1 and (leading := word.bit_length()) in basis:
            word ^= basis[leading]
        if word == 1:
            return None
        if word:
            basis[word.bit_length()] = word
    found = 1  # the constant
    for leading in sorted(basis):  # what is below is known
        if (basis[leading] & found).bit_count() % 2:
            found |= 1 << (leading - 1)
    return found >> 1


def matrix_rank(bits: NDArray[np.bool_] | NDArray[np.uint8]) -> int:
    """Return the rank over GF(2) of a matrix of zeros and ones; at most the rational rank."""
    return rank(int.from_bytes(row.tobytes(), "big") for row in np.packbits(bits, axis=1))


def carryless_product(a: int, b: int) -> int:
    """Return the product of two polynomials over GF(2)."""
    product = 0
    while b:
        lowest = b & -b
        product ^= a * lowest  # a multiple by a power of two: a shift
        b ^= lowest
    return product


@lru_cache
def powers(m: int) -> tuple[int, ...]:
    r"""Return :math:`1,\alpha,\dots,\alpha^{2^m-2}`, all non-zero elements of the field, each once."""
    order = (1 << m) - 1
    for modulus in range((1 << m) + 1, 2 << m, 2):  # an even one is divisible by x
        orbit, element = [1], _times_x(1, modulus, m)
        while element != 1 and len(orbit) < order:
            orbit.append(element)
            element = _times_x(element, modulus, m)
        if element == 1 and len(orbit) == order:  # x has order 2^m - 1: the modulus is primitive
            return tuple(orbit)
    raise ArithmeticError(f"no primitive polynomial of degree {m} was met, but one exists for every m >= 1")


def _times_x(element: int, modulus: int, m: int) -> int:
    doubled = element << 1
    return doubled ^ modulus if doubled >> m else doubled


@cache
def product_table(q: int) -> NDArray[np.int64]:
    """Return the products of all pairs of the field with ``q`` elements, shape ``(q, q)``; sums are exclusive ors.

    Raises
    ------
    DomainError : ``q`` is not one of 2, 4, ..., 256.

    Examples
    --------
    >>> product_table(4).tolist()
    [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]]
    """
    if q not in (2, 4, 8, 16, 32, 64, 128, 256):
        raise DomainError(f"q = {q}", required="2, 4, 8, ..., 256", why="a field of characteristic 2, tabulated")
    elements = np.array(powers(q.bit_length() - 1))
    exponent = np.argsort(elements)  # of 1, ..., q - 1
    table = np.zeros((q, q), dtype=np.int64)
    table[1:, 1:] = elements[(exponent[:, None] + exponent[None]) % (q - 1)]
    return table


def cyclotomic_coset(s: int, m: int) -> frozenset[int]:
    r"""Return :math:`\{s,2s,4s,\dots\}\bmod2^m-1`: the exponents conjugate to :math:`\alpha^s`."""
    order = (1 << m) - 1
    return frozenset((s << i) % order for i in range(m))


@lru_cache(maxsize=4096)
def minimal_polynomial(s: int, m: int) -> int:
    r"""Return the polynomial over GF(2) of least degree with the root :math:`\alpha^s`.

    .. math:: \prod_{e\in\{s,2s,4s,\dots\}}(x-\alpha^e) .
    """
    order, elements = (1 << m) - 1, powers(m)
    logarithm = {element: exponent for exponent, element in enumerate(elements)}
    coefficients = [1]  # of x^0, x^1, …, in the large field
    for e in cyclotomic_coset(s, m):
        shifted = [0, *coefficients]
        scaled = [elements[(logarithm[c] + e) % order] if c else 0 for c in coefficients] + [0]
        coefficients = [a ^ b for a, b in zip(shifted, scaled, strict=True)]
    return sum(c << j for j, c in enumerate(coefficients))  # every c is 0 or 1
