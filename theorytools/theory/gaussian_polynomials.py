r"""Polynomials in independent standard Gaussian variables, with exact expectations (Wick's theorem).

:math:`E\prod_kz_k^{r_k}=\prod_kE z_k^{r_k}`, :math:`E z^{2m}=(2m-1)!!`: coefficients in, fractions out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from fractions import Fraction
from math import prod
from typing import Any

from theorytools.arguments.checked import STEPS, NonNegativeInt, at_most, checked
from theorytools.numbers.polynomials import Monomial, Polynomial
from theorytools.theory.gaussian_moments import gaussian_moment


@checked
class GaussianPolynomial(Polynomial):
    r"""A polynomial in independent :math:`z_0,z_1,\dots\sim N(0,1)`.

    Parameters
    ----------
    terms : exact coefficients by monomial; a monomial lists (variable, exponent >= 1) in increasing order.

    Examples
    --------
    >>> z = GaussianPolynomial.variable(0)
    >>> (z * z - 1).variance()
    Fraction(2, 1)
    """

    __slots__ = ()

    def mean(self, moments: Callable[[int], Any] = gaussian_moment) -> Fraction:
        r"""Return the expectation, at other moments :math:`E z^r` of each variable if they are given."""
        return super().mean(moments)

    def covariance(self, other: GaussianPolynomial) -> Fraction:
        r"""Return :math:`E\,PQ-E\,P\,E\,Q`."""
        return (self * other).mean() - self.mean() * other.mean()

    def variance(self) -> Fraction:
        """Return the variance."""
        return self.covariance(self)

    @at_most(last=STEPS)
    def moments(self, last: NonNegativeInt) -> list[Fraction]:
        r"""Return :math:`E\,P^r` for :math:`r=0,\dots,` ``last``."""
        powers = [GaussianPolynomial({(): Fraction(1)})]
        for _ in range(last):
            powers.append(powers[-1] * self)
        return [power.mean() for power in powers]

    def conditional_mean(self, known: Collection[int]) -> GaussianPolynomial:
        """Return the conditional expectation given the variables with numbers in ``known``."""
        terms: dict[Monomial, Fraction] = defaultdict(Fraction)
        for monomial, c in self.terms.items():
            kept = tuple((k, r) for k, r in monomial if k in known)
            terms[kept] += c * prod(gaussian_moment(r) for k, r in monomial if k not in known)
        return GaussianPolynomial(terms)
