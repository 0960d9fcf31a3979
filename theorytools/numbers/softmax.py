r"""Softmax weights of rational scores at an exact temperature, rational where the exponentials are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

import sympy

from theorytools.errors import DomainError
from theorytools.numbers.balls import working_precision
from theorytools.numbers.enclosure import Enclosure
from theorytools.numbers.formulas import evaluate
from theorytools.numbers.rational import shortest_fraction

_DENOMINATOR = 2**16  # a power k of a ball costs log2(k) of its bits
_EXACT_BITS = 2**18  # longer rational weights are enclosed instead


def exact_number(value: Any, name: str) -> sympy.Expr:
    """Return an exact sympy number from an int, Fraction, float (its shortest decimal) or sympy number."""
    if isinstance(value, sympy.Expr):
        if value.free_symbols or value.has(sympy.Float):
            raise DomainError(f"{name} = {value}", required="an exact number without letters")
        return value
    exact = shortest_fraction(value)
    return sympy.Rational(exact.numerator, exact.denominator)


def boltzmann(beta: sympy.Expr, steps: int, denominator: int) -> Enclosure:
    r"""Return :math:`e^{-\beta k/s}` at the ambient precision; rational where :math:`\beta\in\mathbb Q\log2`."""
    return _boltzmann(beta, steps, denominator, working_precision())


@lru_cache(maxsize=1024)  # a layer asks for the same few again at each query
def _boltzmann(beta: sympy.Expr, steps: int, denominator: int, bits: int) -> Enclosure:
    """That value at the precision ``bits``, which is the ambient one."""
    return evaluate(sympy.exp(-beta * sympy.Rational(steps, denominator)), {})


def softmax_weights(scores: Sequence[Any], beta: Any) -> list[Enclosure]:
    r"""Return :math:`e^{\beta(\sigma_i-\max\sigma)}` at the ambient precision; not normalised.

    Parameters
    ----------
    scores : integers or Fractions.
    beta : an exact number; for :math:`\beta=k\log u` and scores in :math:`\frac1k\mathbb Z` the weights are rational.
        A negative one makes the largest score the least attended.
    """
    sigma, beta = [Fraction(s) for s in scores], exact_number(beta, "beta")
    s = math.lcm(*(x.denominator for x in sigma))
    units = [x.numerator * (s // x.denominator) for x in sigma]
    top = max(units)
    gaps = [top - x for x in units]
    unit = reduce(math.gcd, gaps, 0) or 1
    if s > _DENOMINATOR:  # no such power is rational
        rate = evaluate(beta, {})
        powers = {gap: (-rate * Fraction(gap, s)).exp() for gap in set(gaps)}
    else:  # one exponential of the common unit of all gaps, then its integer powers
        base = boltzmann(beta, unit, s)
        if base.exact and max(gaps) // unit * _bits(base) > _EXACT_BITS:
            base = Enclosure(base.ball())
        powers = {gap: base ** (gap // unit) for gap in set(gaps)}
    return [powers[gap] for gap in gaps]


def _bits(number: Enclosure) -> int:
    exact = number.fraction()
    return max(exact.numerator.bit_length(), exact.denominator.bit_length())
