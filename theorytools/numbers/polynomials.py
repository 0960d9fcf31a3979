"""Polynomials with rational coefficients in the variables number 0, 1, 2, ...: flint's, which share one ring."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any, Self

from flint import fmpq, fmpq_mpoly_ctx

from theorytools.arguments.checked import checked
from theorytools.arguments.values import within_budget
from theorytools.errors import DomainError
from theorytools.numbers.rational import fraction, quick

Monomial = tuple[tuple[int, int], ...]


@checked
class Polynomial:
    """A polynomial; sums, differences and products of its kind, integers and fractions are exact.

    Parameters
    ----------
    terms : exact coefficients by monomial; a monomial lists (variable, exponent >= 1) in increasing order.

    Raises
    ------
    DomainError : for a monomial that is not written so.
    BudgetError : for a variable beyond the first 4096.
    """

    __slots__ = ("_p",)

    def __init__(self, terms: Mapping[Monomial, Fraction]) -> None:
        for m in terms:
            known = [-1, *(k for k, _ in m)]
            if any(a >= b for a, b in pairwise(known)) or any(r < 1 for _, r in m):
                raise DomainError(f"the monomial {m}", required="(variable, exponent >= 1) with increasing variables")
        ring = _ring(max((k + 1 for m in terms for k, _ in m), default=0))
        self._p = ring.from_dict({_exponents(m, ring.nvars()): quick(c) for m, c in terms.items()})

    @classmethod
    def variable(cls, k: int) -> Self:
        """Return :math:`z_k`."""
        return cls.linear({k: Fraction(1)})

    @classmethod
    def linear(cls, coefficients: Mapping[int, Fraction]) -> Self:
        r"""Return :math:`\sum_kc_kz_k`."""
        return cls({((k, 1),): Fraction(c) for k, c in coefficients.items() if c})

    @property
    def terms(self) -> dict[Monomial, Fraction]:
        """The coefficients that are not 0, by monomial."""
        each = zip(self._p.monoms(), self._p.coeffs(), strict=True)
        return {tuple((k, int(r)) for k, r in enumerate(m) if r): fraction(c) for m, c in each}

    def mean(self, moments: Callable[[int], Any]) -> Fraction:
        r"""Return the expectation at independent variables with :math:`Ez_k^r` = ``moments(r)`` for ``r >= 1``."""
        monomials = self._p.monoms()
        known = {r: moments(int(r)) if r else 1 for r in set().union(*monomials)}
        each = (math.prod(map(known.__getitem__, m)) for m in monomials)
        return fraction(sum((c * quick(x) for c, x in zip(self._p.coeffs(), each, strict=True) if x), fmpq(0)))

    def __add__(self, other: Polynomial | int | Fraction) -> Self:
        return self._with(operator.add, other)

    def __sub__(self, other: Polynomial | int | Fraction) -> Self:
        return self._with(operator.sub, other)

    def __mul__(self, other: Polynomial | int | Fraction) -> Self:
        return self._with(operator.mul, other)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __reduce__(self) -> Any:
        return type(self), (self.terms,)

    def _with(self, operation: Callable[[Any, Any], Any], other: Any) -> Self:
        a, b = self._p, other._p if isinstance(other, Polynomial) else quick(other)
        if isinstance(other, Polynomial) and a.context() is not b.context():
            ring = max(a.context(), b.context(), key=lambda ring: ring.nvars())
            a, b = a.project_to_context(ring), b.project_to_context(ring)
        made = object.__new__(type(self))
        made._p = operation(a, b)
        return made


def _ring(n: int) -> Any:
    """Return a ring with at least n variables, one for every power of two, so that most polynomials share theirs."""
    within_budget("variables", n, 2**12, why="every monomial holds an exponent of each", advice="number them from 0")
    return fmpq_mpoly_ctx.get(("z", max(8, 1 << (n - 1).bit_length())), "lex")


def _exponents(monomial: Monomial, n: int) -> tuple[int, ...]:
    exponents = [0] * n
    for k, r in monomial:
        exponents[k] = r
    return tuple(exponents)
