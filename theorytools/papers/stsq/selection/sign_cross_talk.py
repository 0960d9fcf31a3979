r"""Cross-talk of random sign encodings, exactly: given the selected ones, and when those are dependent.

Encodings :math:`e_i\in\{\pm d_e^{-1/2}\}^{d_e}` uniform and independent, a set ``y`` of ``q`` positions with the dual
query :math:`e_y`, :math:`n=T-q`.  Given :math:`E_y` the products :math:`\langle e_y,e_i\rangle`, :math:`i\notin y`, are
independent sums :math:`d_e^{-1/2}\sum_k\pm(e_y)_k`, so that by Hoeffding's inequality

.. math:: \Pr(\kappa\ge c\mid E_y)\le n\exp\Bigl(-\frac{c^2d_e}{2\lVert e_y\rVert^2}\Bigr),\qquad
    \lVert e_y\rVert^2=\mathbf 1^\top(E_y^\top E_y)^{-1}\mathbf 1 .

The weights take few values, up to sign at most :math:`2^{q-1}`, one for each pattern of a column of :math:`E_y`: the
law of the sum is a convolution of few binomial laws, and the probability a rational number.

References
----------
Wang, Wei, Hsu, Lee (2024), Encodings, average case, arXiv 2406.06893v1.  Derived here.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import comb, lcm
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import STEPS, NonNegativeInt, Real, at_most, checked
from theorytools.codes.encodings import Encodings
from theorytools.errors import BudgetError, DomainError
from theorytools.papers.stsq.attention.selector_queries import query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Law = dict[int, int]
_SUMS, _BITS = 200_000, 16


@checked
def sign_tail(weights: Sequence[Real], level: Real) -> Fraction:
    r"""Return :math:`\Pr(\sum_k\pm u_k\ge t)` for independent uniform signs and rational weights.

    Raises
    ------
    BudgetError
        If half of the weights have more than 200 000 different sums.

    Examples
    --------
    >>> sign_tail([1, 1, 1], 1), sign_tail([1, 1], 3)
    (Fraction(1, 2), Fraction(0, 1))
    """
    common = lcm(*(Fraction(x).denominator for x in (*weights, level)))
    sizes = Counter(abs(int(Fraction(x) * common)) for x in weights)
    threshold = int(Fraction(level) * common)
    parts = list(sizes.items())
    left, right = _law(parts[::2]), _law(parts[1::2])
    sums = sorted(right)
    above = [*itertools.accumulate((right[s] for s in reversed(sums)), initial=0)][::-1]  # weight of sums[i:]
    hits = sum(count * above[bisect_left(sums, threshold - s)] for s, count in left.items())
    return Fraction(hits, 2 ** sum(sizes.values()))


def _law(parts: list[tuple[int, int]]) -> Law:
    """Counts of the sums with ``size`` weights of each value."""
    law: Law = {0: 1}
    for value, size in parts:
        step = {value * (size - 2 * k): comb(size, k) for k in range(size + 1)} if value else {0: 2**size}
        if len(law) * len(step) > _SUMS:
            raise BudgetError(f"{len(law) * len(step)} sums of signed weights", required=f"at most {_SUMS}")
        spread: Law = {}
        for (s, a), (t, b) in itertools.product(law.items(), step.items()):
            spread[s + t] = spread.get(s + t, 0) + a * b
        law = spread
    return law


@checked
@at_most(n=STEPS)
def sign_separation(E: Encodings, y: Sequence[int], n: NonNegativeInt, c: Real = 1) -> Fraction:
    r"""Return :math:`\Pr(\kappa<c\mid E_y)` for ``n`` fresh sign encodings off ``y``, exactly.

    Raises
    ------
    DomainError
        If the encodings are not signs, or dependent on ``y``.
    """
    if (np.abs(E.vectors) != 1).any():
        raise DomainError(f"{E!r} with entries other than signs", required="sign encodings", why="the law is theirs")
    u = query(E, y, "dual")  # <e_y, e_i> = squared_scale * sum of signed entries of u
    return (1 - sign_tail(list(u), Fraction(c) / E.squared_scale)) ** n


@checked
def dependence_probability(q: int, d_e: NonNegativeInt) -> Fraction:
    r"""Return the probability that ``q`` random sign vectors in ``d_e`` dimensions are dependent, by enumeration.

    The signs of the first row and of the first column do not matter; all :math:`2^{(q-1)(d_e-1)}` others are tried,
    with the integer determinant of the Gram matrix.

    Raises
    ------
    BudgetError
        If ``(q - 1)(d_e - 1) > 16``.

    Examples
    --------
    >>> dependence_probability(4, 4) == Fraction(43264, 65536)
    True
    """
    if d_e < q:
        return Fraction(1)
    G = _grams(q, d_e)
    det = np.zeros(len(G), dtype=np.int64)
    for order in itertools.permutations(range(q)):
        swaps = sum(a > b for a, b in itertools.combinations(order, 2))
        # |products| <= d_e^q < 2^63 / q! for all sizes that are enumerated
        det += (-1) ** swaps * G[:, range(q), order].prod(axis=1)
    return Fraction(int((det == 0).sum()), len(G))


@checked
def parallel_probability(q: int, d_e: int) -> Fraction:
    r"""Return the probability that two of ``q`` random sign vectors are equal up to sign.

    It is at most :math:`\binom q22^{1-d_e}`, with equality for a pair.  Up to ``q = 3`` this is the only way to be
    dependent; from ``q = 4`` on there are others.
    """
    G = np.abs(_grams(q, d_e))
    rows, columns = np.triu_indices(q, 1)
    return Fraction(int((G[:, rows, columns] == d_e).any(axis=1).sum()), len(G))


def _grams(q: int, d_e: int) -> NDArray[np.int64]:
    """The Gram matrices of all sign matrices whose first row and column are positive, shape ``(2^b, q, q)``."""
    bits = (q - 1) * (d_e - 1)
    if q < 1 or d_e < 1 or bits > _BITS:
        raise BudgetError(f"q = {q}, d_e = {d_e}", required=f"q, d_e >= 1 and (q - 1)(d_e - 1) <= {_BITS}")
    V = np.ones((2**bits, q, d_e), dtype=np.int64)
    negative = (np.arange(2**bits)[:, None] >> np.arange(bits)) & 1
    V[:, 1:, 1:] -= 2 * negative.reshape(2**bits, q - 1, d_e - 1)
    return V @ V.transpose(0, 2, 1)
