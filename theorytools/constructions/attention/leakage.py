r"""How much attention escapes the indexed token, over all prompts at once.

Scores of the block construction are :math:`\beta G_{t,j}`, so the weight outside the indexed position is

.. math:: L_t=\frac{S_t}{1+S_t},\qquad S_t=\sum_{j\ne t}e^{\beta(G_{tj}-1)},\qquad L=\max_tL_t,

a function of the code alone: no token, no prompt enters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from theorytools.arguments.checked import Real, checked
from theorytools.codes.protocol import Code
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, ball_matmul, maximum
from theorytools.numbers.softmax import boltzmann, exact_number


def checked_radius(r_x: Any) -> sympy.Expr:
    """Return a bound on the norm of tokens as an exact number; ``DomainError`` for a negative one."""
    number = exact_number(r_x, "r_x")
    if number.is_negative:
        raise DomainError(f"r_x = {number}", required="r_x >= 0", why="it bounds the norm of a token")
    return number


@dataclass(frozen=True)
class Profiles:
    r"""The distinct rows of a Gram matrix as far as leakage sees them.

    Attributes
    ----------
    gaps : the distinct :math:`s-K_{tj}`, :math:`j\ne t`, non-negative integers, shape ``(v,)``.
    counts : how often each gap occurs in each distinct row, shape ``(rows, v)``.
    denominator : the integer ``s``.
    """

    gaps: tuple[int, ...]
    counts: NDArray[np.int64]
    denominator: int

    @classmethod
    def of(cls, code: Code) -> Profiles:
        """Read the profiles off a code; equal rows are kept once."""
        values, counts = code.gram_counts()
        rows = np.asarray(counts)
        # a linear code answers with one row seen N times: a view of stride 0
        distinct = rows[:1] if rows.strides[0] == 0 else np.unique(rows, axis=0)
        s = code.gram_denominator
        return cls(tuple(s - int(v) for v in values), np.array(distinct), s)


def excess_weights(profiles: Profiles, beta: sympy.Expr) -> list[Enclosure]:
    r"""Return :math:`S_t` for each distinct row, at the ambient precision.

    The Gram matrix is integer over one denominator, so with ``g`` the gcd of all :math:`s-K_{tj}` a single
    exponential :math:`e^{-\beta g/s}` is enclosed and the rest are its integer powers.
    """
    g = reduce(math.gcd, profiles.gaps, 0) or 1
    base = boltzmann(beta, g, profiles.denominator)
    powers = [[base ** (gap // g)] for gap in profiles.gaps]
    return [row[0] for row in ball_matmul(profiles.counts, powers)]


@checked
def worst_leakage(code: Code | Profiles, beta: Real) -> Enclosure:
    r"""Return :math:`\max_tL_t` over all prompts: exact where the exponentials are, else enclosed.

    Parameters
    ----------
    code : the position code, or its profiles.
    beta : effective inverse temperature :math:`\beta\ge0`, an exact number.

    Raises
    ------
    DomainError
        If ``beta`` is negative.
    """
    number = exact_number(beta, "beta")
    if number.is_negative:
        raise DomainError(f"beta = {number}", required="beta >= 0", why="the largest score must be the indexed one")
    profiles = code if isinstance(code, Profiles) else Profiles.of(code)
    worst = maximum(excess_weights(profiles, number))
    # not 1 - 1/(1+S): S is small, and the difference of two numbers near 1 would lose its leading bits
    return worst / (1 + worst)
