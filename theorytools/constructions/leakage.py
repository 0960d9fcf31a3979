r"""How much attention escapes the indexed token, over all prompts at once.

Scores of the block construction are :math:`\beta G_{t,j}`, so the weight outside the indexed position is

.. math:: L_t=\frac{S_t}{1+S_t},\qquad S_t=\sum_{j\ne t}e^{\beta(G_{tj}-1)},\qquad L=\max_tL_t,

a function of the code alone: no token, no prompt enters.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np
import sympy

from theorytools.algebra.rigorous import Enclosure, ball_matmul, maximum
from theorytools.algebra.rigorous.printer import evaluate
from theorytools.algebra.rigorous.rational import shortest_fraction
from theorytools.codes.protocol import Code
from theorytools.errors import DomainError


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
    return evaluate(sympy.exp(-beta * sympy.Rational(steps, denominator)), {})


def excess_weights(code: Code, beta: sympy.Expr) -> list[Enclosure]:
    r"""Return :math:`S_t` for each distinct row profile of the code, at the ambient precision.

    The Gram matrix is integer over one denominator, so with ``g`` the gcd of all :math:`s-K_{tj}` a single
    exponential :math:`e^{-\beta g/s}` is enclosed and the rest are its integer powers.
    """
    values, counts = code.gram_counts()
    gaps = [code.gram_denominator - int(v) for v in values]
    g = reduce(math.gcd, gaps, 0) or 1
    base = boltzmann(beta, g, code.gram_denominator)
    powers = [base ** (gap // g) for gap in gaps]
    profiles = np.unique(np.asarray(counts), axis=0)
    return [row[0] for row in ball_matmul(profiles, [[power] for power in powers])]


def worst_leakage(code: Code, beta: Any) -> Enclosure:
    r"""Return :math:`\max_tL_t` over all prompts: exact where the exponentials are, else enclosed.

    Parameters
    ----------
    code : the position code.
    beta : effective inverse temperature :math:`\beta\ge0`, an exact number.

    Raises
    ------
    DomainError
        If ``beta`` is negative.
    """
    number = exact_number(beta, "beta")
    if number.is_negative:
        raise DomainError(
            f"beta = {number}", required="beta >= 0", why="the largest score must be the indexed one"
        )
    worst = maximum(excess_weights(code, number))
    # S/(1+S) = 1 - 1/(1+S): the ball of S enters once
    return 1 - 1 / (1 + worst)
