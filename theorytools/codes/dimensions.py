r"""How many coordinates random sign codes need: exact binomial tails, first moments, Hoeffding's bound.

For independent uniform signs :math:`K_{ij}=d_e-2B`, :math:`B\sim\mathrm{Bin}(d_e,\frac12)`: the expected
number of violating pairs is rational, and by the union bound at least the probability that there is one.
"""

from __future__ import annotations

import decimal
import math
from fractions import Fraction

from theorytools.arguments.checked import checked
from theorytools.arguments.values import checked_integer, checked_rational, within_budget

_WHY = "Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Assumption 3: |<w_i, w_j>| <= 1/2 for i != j"
_HALF = Fraction(1, 2)
_LARGEST_TAIL = 2**16
_LARGEST_SEARCH = 2**12


@checked
def expected_violations(N: int, d_e: int, *, rho: Fraction = _HALF, one_sided: bool = False) -> Fraction:
    r"""Return the mean number of pairs of random sign codes with :math:`|G_{ij}|>\rho`, exactly.

    .. math:: \binom N2\,2^{-d_e}\sum_{b:\,|d_e-2b|>\rho d_e}\binom{d_e}b .

    ``one_sided=True`` counts :math:`G_{ij}>\rho`, half as many.  The products of different pairs are pairwise
    independent, so by Chebyshev's inequality no pair violates with probability at most 1 over this mean.

    Parameters
    ----------
    N : int
        Number of codes, at least 2.
    d_e : int
        Dimension, from 1 to 65536.
    rho : Fraction
        Admitted coherence, in ``[0, 1)``.
    one_sided : bool
        Whether negative products are harmless.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Assumption 3, arXiv 2503.11272v1; formula derived here.

    Examples
    --------
    >>> round(float(expected_violations(100, 23)), 1)
    52.6
    """
    N = checked_integer("N", N, least=2, why=_WHY)
    d_e = checked_integer("d_e", d_e, least=1, why=_WHY)
    rho = checked_rational("rho", rho, lambda x: 0 <= x < 1, required="0 <= rho < 1", why=_WHY)
    within_budget("coordinates", d_e, _LARGEST_TAIL, why="binomials are summed exactly", advice="take a smaller d_e")
    return math.comb(N, 2) * Fraction(_tail(d_e, rho) * (1 if one_sided else 2), 1 << d_e)


def _tail(d_e: int, rho: Fraction) -> int:
    """Return the number of sign vectors with sum d_e - 2b > rho d_e: b < (1 - rho) d_e / 2 minuses."""
    tail, binomial = 0, 1
    for b in range(math.ceil((1 - rho) * d_e / 2)):
        tail += binomial
        binomial = binomial * (d_e - b) // (b + 1)
    return tail


@checked
def hoeffding_dimension(
    N: int, delta: Fraction = Fraction(1, 100), *, rho: Fraction = _HALF, one_sided: bool = False
) -> int:
    r"""Return the dimension from which on Hoeffding and the union bound give coherence :math:`\le\rho`.

    .. math:: \Pr\bigl(\max_{i\ne j}|G_{ij}|>\rho\bigr)\le N(N-1)e^{-d_e\rho^2/2}\le\delta
              \quad\text{for}\quad d_e\ge\Bigl\lceil\frac2{\rho^2}\log\frac{N^2}\delta\Bigr\rceil,

    with :math:`N^2/(2\delta)` in the one-sided case.  At :math:`\rho=\frac12`:
    :math:`16\log N+8\log(1/\delta)`, natural logarithms.

    Parameters
    ----------
    N : int
        Number of codes, at least 2.
    delta : Fraction
        Failure probability, in ``(0, 1)``.
    rho : Fraction
        Admitted coherence, in ``(0, 1)``.
    one_sided : bool
        Whether negative products are harmless.

    References
    ----------
    Hoeffding (1963), Theorem 2, with the union bound over pairs.

    Examples
    --------
    >>> [hoeffding_dimension(N) for N in (10, 100, 1000, 10000)]
    [74, 111, 148, 185]
    """
    N, delta, rho = _checked(N, delta, rho)
    return _ceiling_of_log(2 / rho**2, N * N / (2 * delta if one_sided else delta))


@checked
def smallest_dimension(
    N: int, delta: Fraction = Fraction(1, 100), *, rho: Fraction = _HALF, one_sided: bool = False
) -> int:
    r"""Return the least :math:`d_e` with at most :math:`\delta` mean violations there and at :math:`d_e+1`.

    The mean is not monotone in :math:`d_e` (the strict threshold :math:`\rho d_e` is rounded), so it may
    exceed :math:`\delta` again later: see ``threshold_dimension``.  Arguments as in ``hoeffding_dimension``.

    Examples
    --------
    >>> [smallest_dimension(N) for N in (10, 100, 1000, 10000)]
    [51, 87, 119, 155]
    """
    admitted = _admitted_dimensions(N, delta, rho, one_sided)
    return next(d_e for d_e in range(1, len(admitted)) if admitted[d_e] and admitted[d_e + 1])


@checked
def threshold_dimension(
    N: int, delta: Fraction = Fraction(1, 100), *, rho: Fraction = _HALF, one_sided: bool = False
) -> int:
    r"""Return the least :math:`D` with at most :math:`\delta` mean violations at every :math:`d_e\ge D`.

    From ``hoeffding_dimension`` on Hoeffding's bound proves it; below, every exact tail is computed.
    Arguments as in ``hoeffding_dimension``.

    Examples
    --------
    >>> [threshold_dimension(N) for N in (10, 100, 1000, 10000)]
    [54, 87, 122, 155]
    """
    admitted = _admitted_dimensions(N, delta, rho, one_sided)
    return max(d_e for d_e in range(len(admitted)) if not admitted[d_e]) + 1


def _admitted_dimensions(N: int, delta: Fraction, rho: Fraction, one_sided: bool) -> list[bool]:
    """Return whether the mean violations are <= delta, for d_e = 0 (no) up to Hoeffding's dimension + 1."""
    N, delta, rho = _checked(N, delta, rho)
    last = hoeffding_dimension(N, delta, rho=rho, one_sided=one_sided) + 1
    why, advice = (
        "every dimension below Hoeffding's is tried",
        "raise rho or delta, or use hoeffding_dimension",
    )
    within_budget("dimensions", last, _LARGEST_SEARCH, why=why, advice=advice)
    means = (expected_violations(N, d_e, rho=rho, one_sided=one_sided) for d_e in range(1, last + 1))
    return [False, *(mean <= delta for mean in means)]


def _checked(N: int, delta: Fraction, rho: Fraction) -> tuple[int, Fraction, Fraction]:
    N = checked_integer("N", N, least=2, why=_WHY)
    probability = "a union bound of 1 or more says nothing"
    delta = checked_rational("delta", delta, lambda x: 0 < x < 1, required="0 < delta < 1", why=probability)
    rho = checked_rational("rho", rho, lambda x: 0 < x < 1, required="0 < rho < 1", why=_WHY)
    return N, delta, rho


def _ceiling_of_log(factor: Fraction, argument: Fraction) -> int:
    """Return the ceiling of factor * log(argument) for positive rationals, argument != 1.

    ``decimal`` rounds logarithms correctly, to half a unit in the last place.  Digits are added until the
    enclosure lies between two integers; the product is irrational, so that happens.
    """
    digits = 40
    while True:
        logarithm = decimal.Context(prec=digits).ln
        top, bottom = (Fraction(logarithm(decimal.Decimal(part))) for part in argument.as_integer_ratio())
        error = (abs(top) + abs(bottom)) * Fraction(10) ** (1 - digits)
        low, high = (math.ceil(factor * (top - bottom + sign * error)) for sign in (-1, 1))
        if low == high:
            return low
        digits *= 2
