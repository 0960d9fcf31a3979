r"""Power series in one variable with rational coefficients, cut after a fixed order.

Enough to read off limits and leading terms of rational functions exactly: sums, products, powers and quotients by
series with a constant term.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theorytools.arguments.checked import Held, Steps, checked
from theorytools.errors import CertificateError, DomainError


@checked
@dataclass(frozen=True)
class PowerSeries:
    r"""The series :math:`\sum_{j\le J}c_jz^j+O(z^{J+1})`.

    Parameters
    ----------
    coefficients : :math:`c_0,\dots,c_J`, fractions; series of two orders do not mix.

    Examples
    --------
    >>> z = PowerSeries.power(1, 3)
    >>> (1 / (1 - z)).coefficients
    (Fraction(1, 1), Fraction(1, 1), Fraction(1, 1), Fraction(1, 1))
    >>> (z**2 / (1 + z)).leading()
    (2, Fraction(1, 1))
    """

    coefficients: tuple[Fraction, ...]

    @classmethod
    def constant(cls, number: int | Fraction, order: Held) -> PowerSeries:
        """Return a constant, known to ``order``."""
        return cls((Fraction(number), *[Fraction(0)] * order))

    @classmethod
    def power(cls, j: int, order: Steps) -> PowerSeries:
        r"""Return :math:`z^j`, known to ``order``."""
        return cls(tuple(Fraction(int(i == j)) for i in range(order + 1)))

    @property
    def order(self) -> int:
        """The last power that is known."""
        return len(self.coefficients) - 1

    def leading(self) -> tuple[int, Fraction]:
        """Return power and coefficient of the first term; ``CertificateError`` if none is known."""
        for j, c in enumerate(self.coefficients):
            if c:
                return j, c
        raise CertificateError(f"a series that vanishes up to z^{self.order}", required="a term that is not 0")

    def __add__(self, other: Any) -> PowerSeries:
        right = self._like(other).coefficients
        return PowerSeries(tuple(a + b for a, b in zip(self.coefficients, right, strict=True)))

    def __mul__(self, other: Any) -> PowerSeries:
        if isinstance(other, numbers.Rational):
            scale = Fraction(int(other.numerator), int(other.denominator))
            return PowerSeries(tuple(scale * c for c in self.coefficients))
        product = [Fraction(0)] * (self.order + 1)
        right = [(j, c) for j, c in enumerate(self._like(other).coefficients) if c]
        for i, a in enumerate(self.coefficients):
            if a:
                for j, b in right:
                    if i + j > self.order:
                        break
                    product[i + j] += a * b
        return PowerSeries(tuple(product))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> PowerSeries:
        return self * -1

    def __sub__(self, other: Any) -> PowerSeries:
        return self + self._like(other) * -1

    def __rsub__(self, other: Any) -> PowerSeries:
        return self._like(other) - self

    def __pow__(self, exponent: int) -> PowerSeries:
        result = PowerSeries.constant(1, self.order)
        for _ in range(exponent):
            result = result * self
        return result

    def inverse(self) -> PowerSeries:
        """Return the reciprocal; ``DomainError`` without a constant term."""
        a = self.coefficients
        if not a[0]:
            raise DomainError("the reciprocal of a series without constant term", required="a constant term")
        b: list[Fraction] = [1 / a[0]]
        for j in range(1, len(a)):
            b.append(-sum((a[i] * b[j - i] for i in range(1, j + 1) if a[i]), Fraction(0)) / a[0])
        return PowerSeries(tuple(b))

    def __truediv__(self, other: Any) -> PowerSeries:
        return self * self._like(other).inverse()

    def __rtruediv__(self, other: Any) -> PowerSeries:
        return self._like(other) * self.inverse()

    def _like(self, other: Any) -> PowerSeries:
        if isinstance(other, PowerSeries):
            if other.order != self.order:
                raise DomainError(f"series of orders {self.order} and {other.order}", required="one order")
            return other
        if isinstance(other, numbers.Rational) and not isinstance(other, bool):
            return PowerSeries.constant(Fraction(int(other.numerator), int(other.denominator)), self.order)
        raise DomainError(f"{other!r} as a power series", required="a series, an integer or a fraction")
