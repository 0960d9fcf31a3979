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
from theorytools.codes.near import near_pairs
from theorytools.codes.protocol import Code
from theorytools.codes.signs import SignCode, products_from_distances
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, ball_matmul, maximum
from theorytools.numbers.softmax import boltzmann, exact_number

LARGE = 2048  # codes from which on near pairs are sought before distances are counted
SAMPLE = 512  # rows whose least distance sets the radius
TINY = 1e-250
PAIRS = 2**20  # near pairs that are counted together


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

    @classmethod
    def leading(cls, code: Code, beta: Any) -> Profiles:
        r"""Return profiles among which the one with the largest :math:`S_t` is, few of them where that is easy.

        With :math:`\lambda=e^{-2\beta/d_e}`, the distances :math:`k_j` of row :math:`t`, and the sum :math:`A_t` of
        the weights :math:`\lambda^{k_j}` of those :math:`m_t` within a radius :math:`r`,

        .. math:: A_t\le S_t\le A_t+(N-1-m_t)\lambda^{r+1},

        so only rows whose upper bound reaches the largest :math:`A_t` can be the worst.  Near pairs give all
        :math:`A_t`, each pair for both rows; the distances of a row are counted for the few that remain.  The radius
        is the least that leaves the far codes a quarter of :math:`\lambda^k\le\max_tA_t`, with :math:`k` the least
        distance that the first rows have from any other.
        """
        if not isinstance(code, SignCode) or code.N < LARGE:
            return cls.of(code)
        rows = _leading_rows(code, float(beta))
        if rows is None:
            return cls.of(code)
        values, counts = products_from_distances(code.hamming_counts(rows), code.d_e)
        s = code.gram_denominator
        return cls(tuple(s - int(v) for v in values), np.unique(counts, axis=0), s)


def _leading_rows(code: SignCode, beta: float) -> NDArray[np.int64] | None:
    """Return the rows whose leakage may be the largest, or None where near pairs do not single them out."""
    N, d_e = code.N, code.d_e
    least = int(np.flatnonzero(code.hamming_counts(np.arange(SAMPLE)).any(0))[0])
    step = math.exp(-2 * beta / d_e)
    if not 0 < step < 1 or step**least < TINY:
        return None
    radius = next(r for r in range(least, d_e + 1) if r == d_e or (N - 1) * step ** (r + 1) <= step**least / 4)
    if radius > d_e // 3:
        return None
    counts = _near_counts(code, radius)
    near = counts @ step ** np.arange(radius + 1.0)
    count = counts.sum(1)
    # sums of at most N doubles, each within 10^-12 of its weight: 10^-9 of them is more than they err
    above = (near + (N - 1 - count) * step ** (radius + 1)) * (1 + 1e-9)
    rows = np.flatnonzero(above >= near.max() * (1 - 1e-9))
    return rows if len(rows) <= N // 16 else None


def _near_counts(code: SignCode, radius: int) -> NDArray[np.int64]:
    """Return how many other codes lie at each distance up to the radius from each code, shape ``(N, radius + 1)``."""
    counts, found, held = np.zeros(code.N * (radius + 1), dtype=np.int64), list[NDArray[np.int64]](), 0
    for i, j, distance in near_pairs(code.words, code.d_e, radius):
        found += [i * (radius + 1) + distance, j * (radius + 1) + distance]
        held += len(i)
        if held >= PAIRS:
            counts += np.bincount(np.concatenate(found), minlength=len(counts))
            found, held = [], 0
    if found:
        counts += np.bincount(np.concatenate(found), minlength=len(counts))
    return counts.reshape(code.N, radius + 1)


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
    profiles = code if isinstance(code, Profiles) else Profiles.leading(code, number)
    worst = maximum(excess_weights(profiles, number))
    # not 1 - 1/(1+S): S is small, and the difference of two numbers near 1 would lose its leading bits
    return worst / (1 + worst)
