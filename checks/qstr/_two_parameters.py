r"""Constrained empirical risk minimisation over a gate and a read-out, by branch and bound in rationals.

One index, :math:`d=q=1`, tokens uniform on :math:`\{\pm1\}`, codes the words of a linear code.  A network with one gate
parameter :math:`\kappa` gives a prompt with index ``t`` the mean :math:`\phi=\sum_jg_w(\kappa)x_j/A(\kappa)` by the
distance :math:`w=\mathrm{Ham}(t,j)`, and predicts :math:`v\phi`, :math:`v\in[-V,V]`.  With :math:`A_w` words of weight
``w`` and the labels :math:`y_i`,

.. math:: \hat R_n=1-2v\,\hat a+v^2\hat b,\ \hat a=\tfrac1n\sum_iy_i\phi_i,\ \hat b=\tfrac1n\sum_i\phi_i^2,\qquad
          R=(1-v\,a)^2+v^2\sum_{w\ge1}A_w\frac{g_w^2}{A^2},\ a=\frac{g_0}A.

* attention: :math:`\kappa=e^{-2\beta/d_e}`, :math:`g_w=\kappa^w`, :math:`A=\sum_wA_wg_w`;
* the recurrent network that tracks positions: :math:`\kappa` is minus its slope ``K``, which cuts a token of
  size 1 by :math:`K(1-\langle\omega_t,\omega_j\rangle)`, so that :math:`g_w=(1-2Kw/d_e)_+` and :math:`A=1`.
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

from theorytools.codes.bch import bch
from theorytools.codes.signs import SignCode
from theorytools.errors import DomainError

Box: TypeAlias = tuple[Fraction, Fraction]  # an interval with rational ends


@dataclass(frozen=True, eq=False)
class GateLearner:
    r"""A sample, and the class of all gates :math:`\kappa` in an interval and read-outs in [-V, V].

    Parameters
    ----------
    code : the codes of the positions, a group: the distance of two of them depends on :math:`i\oplus j` only.
    X : tokens, entries 1 and -1, shape ``(n, N)``.
    t : the index of each prompt, shape ``(n,)``.
    y : labels, entries 1 and -1, shape ``(n,)``.
    gates : the interval of :math:`\kappa`.
    V : the largest read-out of the class.
    recurrent : whether the gate is that of the recurrent network.
    """

    code: SignCode
    X: NDArray[np.int64]
    t: NDArray[np.int64]
    y: NDArray[np.int64]
    gates: Box
    V: Fraction
    recurrent: bool = False

    def __post_init__(self) -> None:
        _refuse_no_group(self.code.N)

    @cached_property
    def _weights(self) -> NDArray[np.int64]:
        signs = self.code.signs
        return (self.code.d_e - signs @ signs[0].astype(np.int64)) // 2

    @cached_property
    def _sums(self) -> tuple[list[list[int]], list[int], list[int]]:
        r"""For each prompt the sum of the tokens at each distance, these over all labels, and all :math:`A_w`."""
        j, size = np.arange(self.code.N), self.code.d_e + 1
        rows = [np.bincount(self._weights[j ^ t], weights=x, minlength=size).astype(np.int64).tolist()
                for x, t in zip(self.X, self.t, strict=True)]
        labelled = (np.array(rows) * self.y[:, None]).sum(axis=0).tolist()
        return rows, labelled, np.bincount(self._weights, minlength=size).tolist()

    @classmethod
    def drawn(cls, p, gates: Box, *, foreign: int = 0, recurrent: bool = False) -> GateLearner:
        """Draw ``p.n`` prompts on BCH words; labels from the position ``foreign`` places after the indexed one."""
        if (p.d, p.q) != (1, 1):
            raise DomainError(f"d = {p.d}, q = {p.q}", required="d = q = 1", why="one gate, one read-out")
        _refuse_no_group(p.N)
        rng = p.rng("prompts")
        X, t = 1 - 2 * rng.integers(0, 2, size=(p.n, p.N)), rng.integers(0, p.N, size=p.n)
        return cls(bch(p.N).sign_code(), X, t, X[range(p.n), (t + foreign) % p.N], gates, Fraction(p.V), recurrent)

    def _gates(self, box: Box) -> tuple[list[Box], Box]:
        r"""Intervals of :math:`g_0,g_1,\dots` and of ``A``; all increase with the parameter."""
        weights, d_e = range(self.code.d_e + 1), self.code.d_e
        if self.recurrent:
            cut = [tuple(max(Fraction(0), 1 + Fraction(2 * w, d_e) * end) for end in box) for w in weights]
            return cut, (Fraction(1), Fraction(1))
        powers = [(box[0] ** w, box[1] ** w) for w in weights]
        return powers, _value(self._sums[2], powers)

    def features(self, kappa: Fraction) -> list[Fraction]:
        r"""Return all :math:`\phi_i` at one gate."""
        gates, A = self._gates((kappa, kappa))
        return [_value(row, gates)[0] / A[0] for row in self._sums[0]]

    def empirical(self, box: Box) -> tuple[Box, Box]:
        r"""Return intervals of :math:`\hat a` and :math:`\hat b` over an interval of gates."""
        rows, labelled, _ = self._sums
        (gates, A), n = self._gates(box), len(rows)
        squares = [_square(_value(row, gates)) for row in rows]
        b = _quotient((sum(low for low, _ in squares), sum(high for _, high in squares)), _times(_square(A), n))
        return _quotient(_value(labelled, gates), _times(A, n)), b

    def population(self, box: Box) -> tuple[Box, Box]:
        r"""Return intervals of ``a`` and of the squared weight of the other positions."""
        gates, A = self._gates(box)
        others = _value([0, *self._sums[2][1:]], [_square(g) for g in gates])
        return _quotient((Fraction(1), Fraction(1)), A), _quotient(others, _square(A))

    def minimisers(self, within: Fraction) -> list[Box]:
        r"""Return intervals of gates that hold every parameter whose :math:`\hat R_n` is ``within`` of the minimum."""
        def least(low, high):
            return _least(*self.empirical((low, high)), self.V)

        kept, heap = [], [(least(*self.gates), self.gates)]
        best = min(least(end, end) for end in self.gates)
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
        for box in self.minimisers(within):
            (a_0, a_1), (b_0, b_1) = self.empirical(box)
            a, rest = self.population(box)
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

        ends = [(end, end) for end in self.gates]
        best, heap = max(map(bound, ends)), [(-bound(self.gates), self.gates)]
        while -heap[0][0] > best + within:
            _, box = heapq.heappop(heap)
            middle = (box[0] + box[1]) / 2
            best = max(best, bound((middle, middle)))
            for half in ((box[0], middle), (middle, box[1])):
                heapq.heappush(heap, (-bound(half), half))
        return best, max(best, -heap[0][0])


def _refuse_no_group(N: int) -> None:
    """Other positions see other distances unless i XOR t runs over all positions, as it does at powers of 2."""
    if N & (N - 1):
        raise DomainError(f"N = {N}", required="N = 2^k", why="the words are all those of a linear code",
                          advice=f"N = {1 << N.bit_length()}")


def _value(coefficients: list[int], gates: list[Box]) -> Box:
    """Return a combination of gates; none is negative."""
    terms = [(c, x) for c, x in zip(coefficients, gates, strict=True) if c]
    return (sum(c * x[c < 0] for c, x in terms), sum(c * x[c > 0] for c, x in terms))


def _product(x: Box, y: Box) -> Box:
    ends = [a * b for a in x for b in y]
    return min(ends), max(ends)


def _quotient(x: Box, y: Box) -> Box:
    return _product(x, (1 / y[1], 1 / y[0]))


def _times(x: Box, n: int) -> Box:
    return n * x[0], n * x[1]


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
