r"""Polynomials in independent standard Gaussian variables, with exact expectations (Wick's theorem).

:math:`E\prod_kz_k^{r_k}=\prod_kE z_k^{r_k}`, :math:`E z^{2m}=(2m-1)!!`: coefficients in, fractions out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Any

from theorytools.arguments.checked import Steps, checked
from theorytools.numbers import fraction, quick
from theorytools.theory.gaussians.moments import gaussian_moment

Monomial = tuple[tuple[int, int], ...]


@checked
@dataclass(frozen=True)
class GaussianPolynomial:
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

    terms: Mapping[Monomial, Fraction]

    @classmethod
    def variable(cls, k: int) -> GaussianPolynomial:
        """Return :math:`z_k`."""
        return cls({((k, 1),): Fraction(1)})

    @classmethod
    def linear(cls, coefficients: Mapping[int, Fraction]) -> GaussianPolynomial:
        r"""Return :math:`\sum_kc_kz_k`."""
        return cls({((k, 1),): Fraction(c) for k, c in coefficients.items() if c})

    def __add__(self, other: GaussianPolynomial | int | Fraction) -> GaussianPolynomial:
        terms = dict(self.terms)
        for monomial, c in _of(other).terms.items():
            terms[monomial] = terms.get(monomial, Fraction(0)) + c
        return GaussianPolynomial({monomial: c for monomial, c in terms.items() if c})

    def __sub__(self, other: GaussianPolynomial | int | Fraction) -> GaussianPolynomial:
        return self + -1 * _of(other)

    def __mul__(self, other: GaussianPolynomial | int | Fraction) -> GaussianPolynomial:
        terms: dict[Monomial, Any] = {}
        others = [(b, quick(e)) for b, e in _of(other).terms.items()]
        for a, c in ((a, quick(c)) for a, c in self.terms.items()):
            for b, e in others:
                monomial = _product(a, b)
                terms[monomial] = terms.get(monomial, 0) + c * e
        return GaussianPolynomial({monomial: fraction(c) for monomial, c in terms.items() if c})

    __rmul__ = __mul__

    def mean(self) -> Fraction:
        """Return the expectation."""
        return sum((c * _moment(monomial) for monomial, c in self.terms.items()), Fraction(0))

    def covariance(self, other: GaussianPolynomial) -> Fraction:
        r"""Return :math:`E\,PQ-E\,P\,E\,Q`."""
        pairs = ((a, c, b, e) for a, c in self.terms.items() for b, e in other.terms.items())
        return sum((c * e * _moment(_product(a, b)) for a, c, b, e in pairs), -self.mean() * other.mean())

    def variance(self) -> Fraction:
        """Return the variance."""
        return self.covariance(self)

    def moments(self, last: Steps) -> list[Fraction]:
        r"""Return :math:`E\,P^r` for :math:`r=0,\dots,` ``last``."""
        powers = [GaussianPolynomial({(): Fraction(1)})]
        for _ in range(last):
            powers.append(powers[-1] * self)
        return [power.mean() for power in powers]

    def conditional_mean(self, known: Collection[int]) -> GaussianPolynomial:
        """Return the conditional expectation given the variables with numbers in ``known``."""
        result = GaussianPolynomial({})
        for monomial, c in self.terms.items():
            kept = tuple((k, r) for k, r in monomial if k in known)
            rest = _moment(tuple((k, r) for k, r in monomial if k not in known))
            result += GaussianPolynomial({kept: c * rest})
        return result


def _of(value: GaussianPolynomial | int | Fraction) -> GaussianPolynomial:
    return value if isinstance(value, GaussianPolynomial) else GaussianPolynomial({(): Fraction(value)})


def _product(a: Monomial, b: Monomial) -> Monomial:
    exponents = dict(a)
    for k, r in b:
        exponents[k] = exponents.get(k, 0) + r
    return tuple(sorted(exponents.items()))


@lru_cache(maxsize=2**14)
def _moment(monomial: Monomial) -> int:
    return prod(gaussian_moment(r) for _, r in monomial)
