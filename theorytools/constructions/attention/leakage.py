r"""How much attention escapes the indexed token, over all prompts at once.

Scores of the block construction are :math:`\beta G_{t,j}`, so the weight outside the indexed position is

.. math:: L_t=\frac{S_t}{1+S_t},\qquad S_t=\sum_{j\ne t}e^{\beta(G_{tj}-1)},\qquad L=\max_tL_t,

a function of the code alone: no token, no prompt enters.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from theorytools.arguments.checked import Real, checked
from theorytools.arguments.values import within_budget
from theorytools.codes.distance_sums import distance_sums
from theorytools.codes.near import Index, Pairs, near_pairs
from theorytools.codes.protocol import Code
from theorytools.codes.signs import SignCode, products_from_distances
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, at_precision, ball_matmul, evaluate, float_upper, maximum
from theorytools.numbers.softmax import boltzmann, exact_number

Array = NDArray[np.float64]

LARGE = 2048  # codes from which on the rows that may leak most are sought before distances are counted
SAMPLE = 512  # rows whose distances say where near pairs begin, and how many there are
FEW = 1 / 64  # of all pairs: so many near ones cost what a look-up for each pair does
PAIRS = 2**20  # near pairs that are counted together
WORDS = 2**38  # two minutes of exclusive-or and population count: 10^5 codes of any length that a table holds
RANGE = 600.0  # exponents of doubles that are added
SURE = 1e-9  # of a sum of doubles: more than N 2^-53 of it, what it errs, and 2^-52, what its weights err


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

        Doubles bound the sums :math:`S_t` of all rows from both sides, each pair of rows compared once for both (see
        :func:`_by_near_pairs` and :func:`_by_all_pairs`); only rows whose upper bound reaches the largest lower one can
        be the worst, and the distances of these few are counted.

        Raises
        ------
        BudgetError : the pairs of rows of a sign code, times the words per row, exceed 2**38; or too many rows to
            count their distances may be the worst.
        """
        if not isinstance(code, SignCode) or code.N < LARGE:
            return cls.of(code)
        rows = _leading_rows(code, exact_number(beta, "beta"))
        if rows is None:
            return cls.of(code)
        values, counts = products_from_distances(code.hamming_counts(rows), code.d_e)
        s = code.gram_denominator
        return cls(tuple(s - int(v) for v in values), np.unique(counts, axis=0), s)


def _leading_rows(code: SignCode, beta: sympy.Expr) -> NDArray[np.int64] | None:
    """Return the rows whose leakage may be the largest, or None where bounds do not single them out."""
    if beta.is_zero:
        return np.arange(1)  # every row leaks 1 - 1/N
    if not beta.is_positive:
        return None
    _admit_pairs(code)
    seen = code.hamming_counts(np.arange(SAMPLE)).sum(0)
    least = int(np.flatnonzero(seen)[0])
    colder = 2 * float(beta) / code.d_e  # lambda = e^-colder
    radius = least + math.floor(min(math.log(4 * code.N) / colder, code.d_e - least))
    for bounds, worth in (
        (lambda: _by_near_pairs(code, beta, radius), seen[: radius + 1].sum() <= FEW * seen.sum()),
        (lambda: _by_all_pairs(code, beta, least), colder * code.d_e <= RANGE),
    ):
        if worth:
            below, above = bounds()
            rows = np.flatnonzero(above >= below.max())
            if len(rows) <= code.N // 16:
                return rows
    return None


def _by_near_pairs(code: SignCode, beta: sympy.Expr, radius: int) -> tuple[Array, Array]:
    r"""Return bounds of all :math:`S_t` by the pairs within a radius.

    With :math:`\lambda=e^{-2\beta/d_e}`, the distances :math:`k_j` of row :math:`t`, and the sum :math:`A_t` of the
    weights :math:`\lambda^{k_j}` of those :math:`m_t` within a radius :math:`r`,

    .. math:: A_t\le S_t\le A_t+(N-1-m_t)\lambda^{r+1}.

    At the radius that is asked for the far codes have at most a quarter of :math:`\lambda^k\le\max_tA_t`, with
    :math:`k` the least distance that the first rows have from any other.  All is in units of :math:`\lambda^k`, with
    :math:`k` the least distance of all: the largest :math:`A_t` is at least 1.
    """
    counts, least = _near_counts(code, radius)
    weights = _weights(beta, code.d_e, least, range(least, radius + 2))
    near = counts @ weights[:-1]
    far = (code.N - 1 - counts.sum(1)) * weights[-1]
    return near * (1 - SURE), (near + far) * (1 + SURE)


def _by_all_pairs(code: SignCode, beta: sympy.Expr, unit: int) -> tuple[Array, Array]:
    r"""Return bounds of all :math:`S_t`, in units of :math:`e^{-2\beta u/d_e}`, by the weights of all pairs."""
    sums = distance_sums(code.words, code.d_e, _weights(beta, code.d_e, unit, range(code.d_e + 1)))
    return sums * (1 - SURE), sums * (1 + SURE)


def sums_in_doubles(code: SignCode, beta: float) -> Array:
    r"""Return :math:`S_t` of every row in doubles: what they suggest, not a bound.

    Raises
    ------
    BudgetError : the pairs of rows, times the words per row, exceed 2**38.
    """
    _admit_pairs(code)
    return distance_sums(code.words, code.d_e, np.exp(-2 * beta * np.arange(code.d_e + 1) / code.d_e))


def _admit_pairs(code: SignCode) -> None:
    pairs = code.N * (code.N - 1) // 2 * len(code.words)
    why, advice = "each pair of codes is compared once", "take fewer codes, or a linear code, whose rows are all alike"
    within_budget("word comparisons", pairs, WORDS, why=why, advice=advice)


def _weights(beta: sympy.Expr, d_e: int, unit: int, distances: range) -> Array:
    r"""Return :math:`e^{-2\beta(k-u)/d_e}` for each distance, rounded up by less than :math:`2^{-50}` of it.

    The unit ``u`` is a distance that occurs, so some row sums to 1 at least; next to that, what is below
    :math:`10^{-300}` may be rounded up to it.
    """
    rate = at_precision(128, lambda: evaluate(2 * beta / d_e, {}))
    powers = at_precision(128, lambda: [(rate * (unit - k)).exp().upper for k in distances])
    return np.maximum([float_upper(power) for power in powers], 1e-300)


def _near_counts(code: SignCode, radius: int) -> tuple[NDArray[np.int64], int]:
    """Return how many other codes lie at each distance up to the radius from each code, and the least distance.

    The counts have shape ``(N, radius + 1 - least)``: those of long codes begin far from 0.
    """
    counts, least = np.zeros((code.N, 0), dtype=np.int64), radius + 1
    for rows, distances in _gathered(near_pairs(code.words, code.d_e, radius)):
        nearer = max(0, least - int(distances.min()))
        counts, least = np.pad(counts, ((0, 0), (nearer, 0))), least - nearer
        width = radius + 1 - least
        counts += np.bincount(rows * width + (distances - least), minlength=counts.size).reshape(counts.shape)
    return counts, least


def _gathered(pairs: Iterable[Pairs]) -> Iterator[tuple[Index, Index]]:
    """Yield both rows of many pairs, and the distances twice."""
    held, size = list[Pairs](), 0
    for some in chain(pairs, [None]):
        if some is not None:
            held.append(some)
            size += len(some[0])
        if held and (some is None or size >= PAIRS):
            i, j, distance = (np.concatenate(part) for part in zip(*held, strict=True))
            yield np.concatenate([i, j]), np.tile(distance.astype(np.int64), 2)
            held, size = [], 0


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
