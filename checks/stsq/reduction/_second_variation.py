r"""The loss of the selection layer to second order in the blocks that training from zero never moves, exactly.

Gaussian tokens, orthonormal encodings redrawn with :math:`E e_ie_j^\top=\frac1{d_e}\mathbf 1[i=j]I`, the query their
sum on ``y``; attention :math:`p` on ``y`` and :math:`1-p` off it, each part even.  With
:math:`c_i=x_i^\top W_{12}e_y`, :math:`\tilde c_i=c_i-\sum_ja_jc_j`, the weights at :math:`sW_{12}` are
:math:`a_i\bigl(1+s\tilde c_i+\frac{s^2}2(\tilde c_i^2-\sum_ja_j\tilde c_j^2)\bigr)+O(s^3)`: the terms of the output are
polynomials in the tokens, and Wick's theorem averages them.

References
----------
Wang, Wei, Hsu, Lee (2024), Reduction, arXiv 2406.06893v1 (the form is derived here).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from theorytools.arguments.checked import Numbers, Real, checked
from theorytools.arguments.values import checked_integer, within_budget
from theorytools.errors import DomainError
from theorytools.numbers import shortest_fraction
from theorytools.papers.stsq.tasks.sparse_selection import checked_sizes
from theorytools.theory.gaussian_moments import gaussian_moment
from theorytools.theory.gaussian_polynomials import GaussianPolynomial

_NOTHING = GaussianPolynomial({})


@checked
def second_variation(
    T: int,
    q: int,
    V_2: Numbers,
    W_12: Numbers,
    *,
    alpha: Real,
    mass: Real,
    moments: Callable[[int], int] = gaussian_moment,
) -> Fraction:
    r"""Return :math:`\frac12\frac{d^2}{ds^2}L` at 0, for the blocks :math:`sV_2`, :math:`sW_{12}`.

    Parameters
    ----------
    T, q : tokens and selected tokens.
    V_2, W_12 : integers ``(d, d_e)`` with ``T <= d_e <= 4``.
    alpha, mass : scale of the values and attention on the set, rational.
    moments : :math:`E z^r` of one coordinate of a token, those of the normal law unless given.

    Raises
    ------
    DomainError
        For blocks of different shapes, or encodings that cannot be orthonormal.

    Examples
    --------
    >>> second_variation(2, 1, [[1, 0]], [[0, 0]], alpha=1, mass="1/2")  # A/d_e
    Fraction(1, 4)
    """
    V, W = (np.array(block, dtype=object) for block in (V_2, W_12))
    if V.ndim != 2 or V.shape != W.shape or V.shape[1] < T:
        raise DomainError(f"blocks of shapes {V.shape}, {W.shape}", required=f"both (d, d_e) with d_e >= T = {T}")
    d, d_e = V.shape
    checked_sizes(T, q, d)
    checked_integer("d_e", d_e, least=T, why="T encodings are orthonormal")
    within_budget("frames", d_e * 2**d_e, 64, why="all are averaged", advice="d_e <= 4")
    alpha, mass = shortest_fraction(alpha), shortest_fraction(mass)
    a = [mass / q] * q + [(1 - mass) / (T - q)] * (T - q)
    x = [[GaussianPolynomial.variable(i * d + k) for k in range(d)] for i in range(T)]
    means = []
    for E in _frames(T, d_e):
        pull = W @ E[:q].sum(axis=0)
        read = [_sum(pull, row) for row in x]
        mean = _sum(a, read)
        first = [z - mean for z in read]
        squares = [z * z for z in first]
        spread = _sum(a, squares)
        for k in range(d):
            tokens, places = [row[k] for row in x], E @ V[k]
            start = alpha * _sum(a, tokens) - _sum([Fraction(1, q)] * q, tokens[:q])
            slope = _sum(a, [alpha * z * t + int(g) for z, t, g in zip(first, tokens, places, strict=True)])
            bend = _sum(a, [Fraction(alpha, 2) * (r - spread) * t + int(g) * z
                            for r, z, t, g in zip(squares, first, tokens, places, strict=True)])  # fmt: skip
            means.append((slope * slope + 2 * start * bend).mean(moments))
    return sum(means, Fraction(0)) * d / len(means)


def _frames(T: int, d_e: int) -> Iterator[Any]:
    """Yield signed cyclic shifts of the standard basis, the first ``T`` rows."""
    for k, signs in product(range(d_e), product((1, -1), repeat=d_e)):
        yield (np.roll(np.eye(d_e, dtype=int), k, axis=1) * np.array(signs))[:T].astype(object)


def _sum(weights: Any, terms: Any) -> GaussianPolynomial:
    return sum((Fraction(c) * z for c, z in zip(weights, terms, strict=True)), _NOTHING)
