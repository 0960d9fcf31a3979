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

A gate increases with its parameter, so the ends of every sum over a box are those of its positive and of its negative
coefficients at the two ends of the box: these are computed once for each end, all prompts in one product.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from theorytools.codes.bch import bch
from theorytools.codes.signs import SignCode
from theorytools.errors import DomainError
from theorytools.numbers.rational import fraction, quick, quick_product

Box: TypeAlias = tuple[Fraction, Fraction]  # an interval with rational ends
Ends: TypeAlias = tuple[Any, Any]  # the same in the quick rationals of the inner loop


class _End(NamedTuple):
    """What one end of a box gives: the sums of all prompts and, last, of the labels, by the signs of what is added."""

    up: list[Any]
    down: list[Any]
    A: Any
    others: Any


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

    @cached_property
    def _signed(self) -> tuple[NDArray[np.int64], list[int]]:
        r"""The positive parts of all sums, labelled one last, above the negative parts; and the distances in use."""
        rows, labelled, counts = self._sums
        table = np.array([*rows, labelled])
        used = [w for w, count in enumerate(counts) if count]  # a linear code leaves out most distances
        return np.vstack([np.maximum(table, 0), np.minimum(table, 0)])[:, used], used

    @cached_property
    def _known(self) -> dict[Fraction, _End]:
        return {}

    def _end(self, kappa: Fraction) -> _End:
        """Return all sums at one end of a box, computed once."""
        if kappa not in self._known:
            (table, used), counts, d_e = self._signed, self._sums[2], self.code.d_e
            if self.recurrent:
                gates = [quick(max(Fraction(0), 1 + Fraction(2 * w, d_e) * kappa)) for w in used]
            else:
                gates = [quick(kappa) ** w for w in used]
            A = quick(1) if self.recurrent else sum((counts[w] * g for w, g in zip(used, gates, strict=True)), quick(0))
            others = sum((counts[w] * g * g for w, g in zip(used, gates, strict=True) if w), quick(0))
            up, down = np.split(quick_product(table, gates), 2)
            self._known[kappa] = _End(up.tolist(), down.tolist(), A, others)
        return self._known[kappa]

    def features(self, kappa: Fraction) -> list[Fraction]:
        r"""Return all :math:`\phi_i` at one gate."""
        end = self._end(kappa)
        return [fraction((up + down) / end.A) for up, down in zip(end.up[:-1], end.down[:-1], strict=True)]

    def empirical(self, box: Box) -> tuple[Box, Box]:
        r"""Return intervals of :math:`\hat a` and :math:`\hat b` over an interval of gates."""
        a, b = self._empirical(box)
        return _exact(a), _exact(b)

    def population(self, box: Box) -> tuple[Box, Box]:
        r"""Return intervals of ``a`` and of the squared weight of the other positions."""
        a, rest = self._population(box)
        return _exact(a), _exact(rest)

    def _empirical(self, box: Box) -> tuple[Ends, Ends]:
        low, high = map(self._end, box)
        A, n = (low.A, high.A), len(low.up) - 1
        *rows, labelled = ((a + d, b + c) for a, b, c, d in zip(low.up, high.up, low.down, high.down, strict=True))
        squares = [_square(row) for row in rows]
        b = _quotient((sum(x for x, _ in squares), sum(x for _, x in squares)), _times(_square(A), n))
        return _quotient(labelled, _times(A, n)), b

    def _population(self, box: Box) -> tuple[Ends, Ends]:
        low, high = map(self._end, box)
        A, one = (low.A, high.A), quick(1)
        return _quotient((one, one), A), _quotient((low.others, high.others), _square(A))

    def minimisers(self, within: Fraction) -> list[Box]:
        r"""Return intervals of gates that hold every parameter whose :math:`\hat R_n` is ``within`` of the minimum."""
        V, margin = quick(self.V), quick(within)

        def least(low, high):
            return _least(*self._empirical((low, high)), V)

        kept, heap = [], [(least(*self.gates), self.gates)]
        best = min(least(end, end) for end in self.gates)
        while heap and heap[0][0] <= best + margin:  # the box of least lower bound first
            bound, (low, high) = heapq.heappop(heap)
            if high - low <= within:
                kept.append((bound, (low, high)))
                continue
            middle = (low + high) / 2
            best = min(best, least(middle, middle))
            for half in ((low, middle), (middle, high)):
                heapq.heappush(heap, (least(*half), half))
        return [box for bound, box in kept if bound <= best + margin]

    def _clipped(self, v: Any) -> Any:
        return max(-quick(self.V), min(quick(self.V), v))

    def risk(self, within: Fraction) -> Box:
        """Return an interval that holds ``R`` of every parameter ``within`` of the empirical minimum."""
        ends = []
        for box in self.minimisers(within):
            (a_0, a_1), (b_0, b_1) = self._empirical(box)
            a, rest = self._population(box)
            # the best read-out v* is the clipped quotient, and by convexity R_n(v) - R_n(v*) >= b (v - v*)^2: clipped
            # first and moved then, as a quotient beyond V stays V when it is moved first, though others are within too
            far = quick(Fraction(math.isqrt(int(within / fraction(b_0) * 2**80)) + 1, 2**40))
            low, high = _quotient((a_0, a_1), (b_0, b_1))
            v = (self._clipped(self._clipped(low) - far), self._clipped(self._clipped(high) + far))
            va = _product(v, a)
            missed, spilt = _square((1 - va[1], 1 - va[0])), _product(_square(v), rest)
            ends.append((missed[0] + spilt[0], missed[1] + spilt[1]))
        return _exact((min(low for low, _ in ends), max(high for _, high in ends)))

    def deviation(self, within: Fraction) -> Box:
        r"""Return an interval of :math:`\sup(R-\hat R_n)` over the class, no longer than ``within``."""
        V, margin = quick(self.V), quick(within)

        def bound(box):
            (a_0, a_1), (b_0, _) = self._empirical(box)
            (a_2, a_3), (_, rest) = self._population(box)
            return _most(max(a_1 - a_2, a_3 - a_0), rest + a_3**2 - b_0, V)

        ends = [(end, end) for end in self.gates]
        best, heap = max(map(bound, ends)), [(-bound(self.gates), self.gates)]
        while -heap[0][0] > best + margin:
            _, box = heapq.heappop(heap)
            middle = (box[0] + box[1]) / 2
            best = max(best, bound((middle, middle)))
            for half in ((box[0], middle), (middle, box[1])):
                heapq.heappush(heap, (-bound(half), half))
        return _exact((best, max(best, -heap[0][0])))


def _refuse_no_group(N: int) -> None:
    """Other positions see other distances unless i XOR t runs over all positions, as it does at powers of 2."""
    if N & (N - 1):
        raise DomainError(f"N = {N}", required="N = 2^k", why="the words are all those of a linear code",
                          advice=f"N = {1 << N.bit_length()}")


def _exact(x: Ends) -> Box:
    return fraction(x[0]), fraction(x[1])


def _product(x: Ends, y: Ends) -> Ends:
    ends = [a * b for a in x for b in y]
    return min(ends), max(ends)


def _quotient(x: Ends, y: Ends) -> Ends:
    return _product(x, (1 / y[1], 1 / y[0]))


def _times(x: Ends, n: int) -> Ends:
    return n * x[0], n * x[1]


def _square(x: Ends) -> Ends:
    low, high = x
    return (high**2 if high <= 0 else low**2 if low >= 0 else quick(0)), max(high, -low) ** 2


def _least(a: Ends, b: Ends, V: Any) -> Any:
    """The least :math:`1-2va+v^2b` for ``v`` in [-V, V], from below; exact where both are points."""
    c, e = max(a[1], -a[0]), b[0]
    return quick(1) if c <= 0 else 1 - c * c / e if c <= e * V else 1 - 2 * c * V + e * V * V


def _most(c: Any, e: Any, V: Any) -> Any:
    """The largest :math:`2vc+v^2e` for ``v`` in [0, V] and ``c >= 0``."""
    return 2 * c * V + e * V * V if c + e * V >= 0 else c * c / -e
