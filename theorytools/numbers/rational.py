"""Exact rationals: what a typed number means, and rationals whose arithmetic is quick.

A float means the shortest decimal that Python prints for it, so 0.1 is 1/10; flint's rationals are several times as
fast as Fractions in inner loops, and what is handed on is a Fraction again.
"""

from __future__ import annotations

import math
import numbers
import re
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from flint import fmpq, fmpz

from theorytools.errors import DomainError

# flint keeps a quotient in lowest terms with a positive denominator: no further gcd
_coprime = getattr(Fraction, "_from_coprime_ints", None) or partial(Fraction, _normalize=False)  # 3.12; before
_DECIMAL = re.compile(r"\s*[-+]?(\d+(/\d+)?|(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,4})?)\s*", re.ASCII)


def shortest_fraction(x: Any) -> Fraction:
    r"""Return the rational number that a typed number means: 0.1 is 1/10.

    A float stands for the shortest decimal that rounds to it, the one that Python prints; every exact number
    stands for itself.

    Parameters
    ----------
    x : int, Fraction, float, numpy integer or float, sympy Rational, or a string such as ``'21.3'``,
        ``'213/10'`` or ``'1e-3'``.

    Raises
    ------
    DomainError
        For NaN, infinities, booleans and anything else.

    Examples
    --------
    >>> shortest_fraction(0.1), shortest_fraction("21.3")
    (Fraction(1, 10), Fraction(213, 10))
    """
    if isinstance(x, str):
        return _from_text(x)
    if isinstance(x, fmpq | fmpz):
        return of_flint(fmpq(x))
    if isinstance(x, numbers.Rational) and not isinstance(x, bool):
        return Fraction(int(x.numerator), int(x.denominator))
    # numpy's floats print their own shortest decimal: np.float32(0.1) is 1/10 too
    if (isinstance(x, float) or (isinstance(x, numbers.Real) and hasattr(x, "dtype"))) and math.isfinite(x):
        return Fraction(str(x))
    raise _no_number(x)


def _from_text(text: str) -> Fraction:
    if not _DECIMAL.fullmatch(text) or len(text) > 4000:
        raise _no_number(text)
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise _no_number(text) from None


def _no_number(x: Any) -> DomainError:
    text = repr(x)
    return DomainError(
        f"{text if len(text) <= 100 else text[:97] + '...'} of type {type(x).__name__} as a number",
        required="a finite int, Fraction, float, sympy Rational, or a string: '21.3', '213/10', '1e-3'",
        why="every parameter of a statement is one exact rational number",
    )


def quick(x: Any) -> Any:
    """Return an integer or a fraction as flint's rational, whose arithmetic is several times as fast as Fraction's.

    It mixes with Python's integers and with its own kind in ``+ - * / **``, comparisons and arrays of objects, not
    with Fractions.  For inner loops; what is handed on goes through :func:`fraction`.

    Raises
    ------
    DomainError : for anything but an integer or a fraction.
    """
    if type(x) is int:
        return fmpq(x)
    if type(x) is Fraction:  # before the slow tests of abstract classes
        return fmpq(int(x.numerator), int(x.denominator))
    if isinstance(x, fmpq | fmpz):
        return fmpq(x)
    if isinstance(x, numbers.Rational) and not isinstance(x, bool):
        return fmpq(int(x.numerator), int(x.denominator))
    raise DomainError(
        f"the matrix entry {x!r} of type {type(x).__name__}",
        required="an int or a Fraction",
        why="a float is a rounded number",
        advice="compute it from exact inputs; shortest_fraction(x) reads a decimal, 0.1 as 1/10",
    )


def fraction(x: Any) -> Fraction:
    """Return the Fraction that :func:`quick` numbers, integers and fractions stand for.

    Raises
    ------
    DomainError : for anything that :func:`shortest_fraction` refuses.
    """
    if type(x) is fmpq:
        return of_flint(x)
    return Fraction(x) if type(x) in (int, Fraction) else shortest_fraction(x)


def over_one(A: Any) -> tuple[Any, int]:
    """Return an array of integers and fractions as integers over their least common denominator, and that."""
    exact = [fraction(x) for x in np.asarray(A, dtype=object).flat]
    scale = math.lcm(*(x.denominator for x in exact))
    return np.array([x.numerator * (scale // x.denominator) for x in exact], dtype=object).reshape(np.shape(A)), scale


def of_flint(x: fmpq) -> Fraction:
    """Return flint's rational as a Fraction."""
    made: Fraction = _coprime(int(x.p), int(x.q))
    return made
