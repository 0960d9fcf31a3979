r"""Constrained empirical risk minimisation over the temperature of attention and its read-out, by branch and bound.

One head, :math:`d=q=1`, tokens uniform on :math:`\{\pm1\}`, codes the words of a linear code.  With
:math:`z=e^{-2\beta/d_e}` the attended token of prompt ``i`` is a quotient of polynomials with integer coefficients,

.. math:: \phi_i(z)=\frac{P_i(z)}{A(z)},\quad P_i=\sum_wz^w\sum_{j:\,\mathrm{Ham}(t_i,j)=w}x_{ij},\quad A=\sum_wA_wz^w,

and with the read-out :math:`v\in[-V,V]` and :math:`y_i=x_{i,t_i}`

.. math:: \hat R_n=1-2v\,\hat a(z)+v^2\hat b(z),\ \hat a=\tfrac1n\sum_iy_i\phi_i,\ \hat b=\tfrac1n\sum_i\phi_i^2,\qquad
          R=(1-v\,a(z))^2+v^2(b(z)-a(z)^2),\ a=\tfrac1A,\ b=\tfrac{A(z^2)}{A(z)^2}.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from theorytools.codes.signs import SignCode

Box: TypeAlias = tuple[Fraction, Fraction]  # an interval with rational ends


@dataclass(frozen=True, eq=False)
class LearnedTemperature:
    r"""A sample and the class of all temperatures :math:`e^{-2\beta/d_e}\in[z_0,1]` and read-outs in [-V, V].

    Parameters
    ----------
    code : the codes of the positions.
    X : tokens, entries 1 and -1, shape ``(n, N)``.
    t : the index of each prompt, shape ``(n,)``.
    y : labels, entries 1 and -1, shape ``(n,)``.
    z_0 : the largest :math:`\beta` of the class, as a weight for each differing sign.
    V : the largest read-out of the class.
    """

    code: SignCode
    X: NDArray[np.int64]
    t: NDArray[np.int64]
    y: NDArray[np.int64]
    z_0: Fraction
    V: Fraction

    @cached_property
    def _weights(self) -> NDArray[np.int64]:
        signs = self.code.signs
        return (self.code.d_e - signs @ signs[0].astype(np.int64)) // 2

    @cached_property
    def _sums(self) -> tuple[list[list[int]], list[int], list[int]]:
        r"""The coefficients of all :math:`P_i`, of :math:`\sum_iy_iP_i` and of ``A``."""
        j, size = np.arange(self.code.N), self.code.d_e + 1
        rows = [np.bincount(self._weights[j ^ t], weights=x, minlength=size).astype(np.int64).tolist()
                for x, t in zip(self.X, self.t, strict=True)]
        labelled = (np.array(rows) * self.y[:, None]).sum(axis=0).tolist()
        return rows, labelled, np.bincount(self._weights, minlength=size).tolist()

    def empirical(self, z: Box) -> tuple[Box, Box]:
        r"""Return intervals of :math:`\hat a` and :math:`\hat b` over ``z``."""
        rows, labelled, counts = self._sums
        powers, n = _powers(z, len(counts)), len(rows)
        A, squares = _value(counts, powers), [_square(_value(row, powers)) for row in rows]
        over = (n * A[0] ** 2, n * A[1] ** 2)
        b = _quotient((sum(low for low, _ in squares), sum(high for _, high in squares)), over)
        return _quotient(_value(labelled, powers), (n * A[0], n * A[1])), b

    def population(self, z: Box) -> tuple[Box, Box]:
        r"""Return intervals of ``a`` and of the squared weight of the other positions, :math:`b-a^2`."""
        one, counts = (Fraction(1), Fraction(1)), self._sums[2]
        powers = _powers(z, len(counts))
        A, others = _value(counts, powers), _value([0, *counts[1:]], [_square(x) for x in powers])
        return _quotient(one, A), _quotient(others, _square(A))

    def minimisers(self, within: Fraction) -> list[Box]:
        r"""Return intervals of ``z`` that hold every parameter whose :math:`\hat R_n` is ``within`` of the minimum."""
        def least(low, high):
            return _least(*self.empirical((low, high)), self.V)

        start, kept = (self.z_0, Fraction(1)), []
        best, heap = least(self.z_0, self.z_0), [(least(*start), start)]
        while heap and heap[0][0] <= best + within:  # the box of least lower bound first
            bound, (low, high) = heapq.heappop(heap)
            if high - low <= within:
                kept.append((bound, (low, high)))
                continue
            middle = (low + high) / 2
            best = min(best, least(middle, middle))
            for half in ((low, middle), (middle, high)):
                heapq.heappush(heap, (least(*half), half))
        return [box for bound, box in kept if bound <= best + within]

    def _clipped(self, v: Fraction) -> Fraction:
        return max(-self.V, min(self.V, v))

    def risk(self, within: Fraction) -> Box:
        """Return an interval that holds ``R`` of every parameter ``within`` of the empirical minimum."""
        ends = []
        for z in self.minimisers(within):
            (a_0, a_1), (b_0, b_1) = self.empirical(z)
            a, rest = self.population(z)
            # R_n(v) - min_v R_n >= b (v - v*)^2: read-outs within of the minimum are close to the clipped quotient
            far = Fraction(math.isqrt(int(within / b_0 * 2**80)) + 1, 2**40)
            low, high = _quotient((a_0, a_1), (b_0, b_1))
            v = (self._clipped(low - far), self._clipped(high + far))
            va = _product(v, a)
            missed, spilt = _square((1 - va[1], 1 - va[0])), _product(_square(v), rest)
            ends.append((missed[0] + spilt[0], missed[1] + spilt[1]))
        return min(low for low, _ in ends), max(high for _, high in ends)

    def deviation(self, within: Fraction) -> Box:
        r"""Return an interval of :math:`\sup(R-\hat R_n)` over the class, no longer than ``within``."""
        def bound(box):
            (a_0, a_1), (b_0, _) = self.empirical(box)
            (a_2, a_3), (_, rest) = self.population(box)
            return _most(max(a_1 - a_2, a_3 - a_0), rest + a_3**2 - b_0, self.V)

        start = (self.z_0, Fraction(1))
        best, heap = bound((Fraction(1), Fraction(1))), [(-bound(start), start)]
        while -heap[0][0] > best + within:
            _, box = heapq.heappop(heap)
            middle = (box[0] + box[1]) / 2
            best = max(best, bound((middle, middle)))
            for half in ((box[0], middle), (middle, box[1])):
                heapq.heappush(heap, (-bound(half), half))
        return best, max(best, -heap[0][0])


def _powers(z: Box, degree: int) -> list[Box]:
    return [(z[0] ** w, z[1] ** w) for w in range(degree)]


def _value(coefficients: list[int], powers: list[Box]) -> Box:
    """Evaluate a polynomial on ``0 <= z``: each term is monotone."""
    terms = [(c, x) for c, x in zip(coefficients, powers, strict=True) if c]
    return (sum(c * x[c < 0] for c, x in terms), sum(c * x[c > 0] for c, x in terms))


def _product(x: Box, y: Box) -> Box:
    ends = [a * b for a in x for b in y]
    return min(ends), max(ends)


def _quotient(x: Box, y: Box) -> Box:
    return _product(x, (1 / y[1], 1 / y[0]))


def _square(x: Box) -> Box:
    ends = sorted((x[0] ** 2, x[1] ** 2))
    return (Fraction(0) if x[0] < 0 < x[1] else ends[0]), ends[1]


def _least(a: Box, b: Box, V: Fraction) -> Fraction:
    """The least :math:`1-2va+v^2b` for ``v`` in [-V, V], from below; exact where both are points."""
    c, e = max(a[1], -a[0]), b[0]
    return Fraction(1) if c <= 0 else 1 - c * c / e if c <= e * V else 1 - 2 * c * V + e * V * V


def _most(c: Fraction, e: Fraction, V: Fraction) -> Fraction:
    """The largest :math:`2vc+v^2e` for ``v`` in [0, V] and ``c >= 0``."""
    return 2 * c * V + e * V * V if c + e * V >= 0 else c * c / -e
