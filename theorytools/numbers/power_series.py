"""Power series in one variable with rational coefficients, cut after a fixed order: flint's.

Enough to read off limits and leading terms of rational functions exactly: sums, products, powers and quotients by
series with a constant term.
"""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import ctx, fmpq, fmpq_series

from theorytools.arguments.checked import ENTRIES, STEPS, NonNegativeInt, at_most, checked
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers.rational import fraction, quick


@checked
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

    __slots__ = ("_s", "order")

    def __init__(self, coefficients: tuple[Fraction, ...]) -> None:
        self.order = len(coefficients) - 1  # the last power that is known
        self._s = fmpq_series([quick(c) for c in coefficients], prec=self.order + 1)

    @classmethod
    @at_most(order=ENTRIES)
    def constant(cls, number: int | Fraction, order: NonNegativeInt) -> PowerSeries:
        """Return a constant, known to ``order``."""
        return cls((Fraction(number), *[Fraction(0)] * order))

    @classmethod
    @at_most(order=STEPS)
    def power(cls, j: int, order: NonNegativeInt) -> PowerSeries:
        r"""Return :math:`z^j`, known to ``order``."""
        return cls(tuple(Fraction(int(i == j)) for i in range(order + 1)))

    @property
    def coefficients(self) -> tuple[Fraction, ...]:
        """The coefficients, those that are 0 too."""
        known = [fraction(c) for c in self._s.coeffs()]
        return (*known, *[Fraction(0)] * (self.order + 1 - len(known)))

    def leading(self) -> tuple[int, Fraction]:
        """Return power and coefficient of the first term; ``CertificateError`` if none is known."""
        for j, c in enumerate(self.coefficients):
            if c:
                return j, c
        raise CertificateError(f"a series that vanishes up to z^{self.order}", required="a term that is not 0")

    def __add__(self, other: Any) -> PowerSeries:
        return self._with(operator.add, self._like(other)._s)

    def __mul__(self, other: Any) -> PowerSeries:
        return self._with(operator.mul, self._like(other)._s)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> PowerSeries:
        return self * -1

    def __sub__(self, other: Any) -> PowerSeries:
        return self._with(operator.sub, self._like(other)._s)

    def __rsub__(self, other: Any) -> PowerSeries:
        return self._like(other) - self

    def __pow__(self, exponent: NonNegativeInt) -> PowerSeries:
        return self._with(operator.pow, exponent)

    def inverse(self) -> PowerSeries:
        """Return the reciprocal; ``DomainError`` without a constant term."""
        if not self._s[0]:
            raise DomainError("the reciprocal of a series without constant term", required="a constant term")
        return self._with(lambda a, one: one / a, fmpq(1))

    def __truediv__(self, other: Any) -> PowerSeries:
        return self * self._like(other).inverse()

    def __rtruediv__(self, other: Any) -> PowerSeries:
        return self._like(other) * self.inverse()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerSeries) and self.coefficients == other.coefficients

    def __hash__(self) -> int:
        return hash(self.coefficients)

    def __reduce__(self) -> Any:
        return type(self), (self.coefficients,)

    def _with(self, operation: Callable[[Any, Any], Any], other: Any) -> PowerSeries:
        made = object.__new__(PowerSeries)
        before, ctx.cap = ctx.cap, self.order + 1  # flint cuts every result after its process's cap
        try:
            made._s, made.order = operation(self._s, other), self.order
        finally:
            ctx.cap = before
        return made

    def _like(self, other: Any) -> PowerSeries:
        if isinstance(other, PowerSeries):
            if other.order != self.order:
                raise DomainError(f"series of orders {self.order} and {other.order}", required="one order")
            return other
        if isinstance(other, numbers.Rational) and not isinstance(other, bool):
            return self._with(lambda _, c: fmpq_series([c], prec=self.order + 1), quick(other))
        raise DomainError(f"{other!r} as a power series", required="a series, an integer or a fraction")
