r"""Empirical risk minimisation over two parameters of attention and a read-out, on a grid of cells, in integers.

One index, :math:`d=q=1`, tokens uniform on :math:`\{\pm1\}`, orthogonal codes.  Token ``j`` has under the query ``t``
the score :math:`\beta\langle\omega_t,\omega_j\rangle+\gamma x_j`: attention on encoded tokens :math:`(\omega_j,x_j)`
with one parameter for the codes and one for the token.  With :math:`\kappa=e^{-\beta}`, :math:`\lambda=e^{2\gamma}`, a
prompt whose token :math:`s=x_t` has ``B`` equals among the other :math:`N-1` gives

.. math:: \psi=s\phi=1-\frac2{r+1},\qquad r=\lambda^s\,\frac{1+\kappa B}{\kappa(N-1-B)},

which increases in :math:`\lambda^s` and decreases in :math:`\kappa`, so that its ends over a cell are at two corners.
The loss is :math:`(1-v\psi)^2` for the label ``s``; in the population ``s`` is a fair sign and
:math:`B\sim\mathrm{Bin}(N-1,\frac12)`.  All numbers are integers over :math:`2^{20}`, rounded down and up.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import DomainError

Integers: TypeAlias = NDArray[np.int64]
Ends: TypeAlias = tuple[Integers, Integers]
ONE, UNIT = 2**20, 2**8  # of kappa, psi, losses; of lambda


@dataclass(frozen=True, eq=False)
class BiasedAttention:
    r"""A sample, and the class: :math:`\kappa\ge\kappa_0` up to 1, :math:`\lambda` from 1/top to top, ``|v| <= V``.

    Parameters
    ----------
    N : length of the prompts, at most 256.
    s, B : of each prompt the token of its index, 1 or -1, and how many others equal it, shape ``(n,)``.
    y : labels, 1 or -1, shape ``(n,)``.
    coldest : :math:`\kappa_0`, the least of the class, at least :math:`2^{-16}`.
    top : from 1 to 16; 1 leaves the temperature alone.
    V : the largest read-out, at most 4.
    """

    N: int
    s: Integers
    B: Integers
    y: Integers
    coldest: Fraction
    top: int = 16
    V: int = 2

    def __post_init__(self) -> None:
        # in psi below: 2^20 times twice 2^12 * 2^20 * 2^8 fits into 63 bits
        if not (2 <= self.N <= 256 and 2**16 * self.coldest >= 1 and 1 <= self.top <= 16 and 1 <= self.V <= 4):
            raise DomainError(
                f"N = {self.N}, coldest = {self.coldest}, top = {self.top}, V = {self.V}",
                required="N <= 256, coldest >= 2^-16, top <= 16, V <= 4", why="products stay within 63 bits",
            )

    @classmethod
    def drawn(cls, p, *, coldest=None, top: int = 16, foreign: bool = False, sign: int = 0) -> BiasedAttention:
        """Draw ``p.n`` prompts; labels of another position if ``foreign``; indexed tokens all equal to ``sign``."""
        if (p.d, p.q) != (1, 1):
            raise DomainError(f"d = {p.d}, q = {p.q}", required="d = q = 1", why="one head reads one sign")
        X = 1 - 2 * p.rng("prompts").integers(0, 2, size=(p.n, p.N))
        X[:, 0] = sign or X[:, 0]
        B = (X[:, 1:] == X[:, :1]).sum(axis=1)
        return cls(p.N, X[:, 0], B, X[:, int(foreign)], coldest or Fraction(1, p.N**2), top, int(p.V))

    @cached_property
    def cells(self) -> tuple[Ends, Ends]:
        r"""Ends of :math:`\kappa` over ``ONE`` and of :math:`\lambda` over ``UNIT``, eight cells to an octave."""
        kappa = _geometric(int(self.coldest * ONE), ONE)
        up = _geometric(UNIT, UNIT * self.top)
        lam = np.unique([*(UNIT**2 // up[::-1]), *up])  # a little more than the inverse range
        (k_0, k_1), (l_0, l_1) = ((x[:-1], x[1:]) if len(x) > 1 else (x, x) for x in (kappa, lam))
        i, j = (x.ravel() for x in np.indices((len(k_0), len(l_0))))
        return (k_0[i], k_1[i]), (l_0[j], l_1[j])

    def psi(self, cells: tuple[Ends, Ends], s: Integers, B: Integers) -> Ends:
        r"""Return :math:`2^{20}\psi` over every cell from below and from above, shape (cells, prompts)."""
        (k_0, k_1), (l_0, l_1) = ((x[:, None] for x in ends) for ends in cells)

        def lost(kappa: Integers, plus: Integers, minus: Integers) -> Ends:  # lambda of tokens 1 at s = 1, at s = -1
            against = np.where(s > 0, UNIT, minus) * (kappa * (self.N - 1 - B))
            return 2 * ONE * against, np.where(s > 0, plus, UNIT) * (ONE + kappa * B) + against

        below, above = lost(k_1, l_0, l_1), lost(k_0, l_1, l_0)
        return ONE + -below[0] // below[1], ONE - above[0] // above[1]

    def empirical(self, cells: tuple[Ends, Ends]) -> tuple[Ends, Ends]:
        r"""Return sums over the sample of :math:`ys\psi` and of :math:`\psi^2`, each from below and from above."""
        low, high = self.psi(cells, self.s, self.B)
        right = self.y == self.s
        signed = np.where(right, low, -high).sum(axis=1), np.where(right, high, -low).sum(axis=1)
        squares = _squares(low, high)
        return signed, (squares[0].sum(axis=1), squares[1].sum(axis=1))

    def minimum(self, cells: tuple[Ends, Ends]) -> Ends:
        r"""Return the least empirical risk over read-outs in each cell, from below, and at its corner, from above.

        :math:`\sqrt{\hat R_n}` is the distance of :math:`v\psi` from the labels, so that it changes by at most
        :math:`V\sqrt{\frac1n\sum(\psi-\psi')^2}` from the corner to another parameter of the cell.
        """
        low, high = self.psi(cells, self.s, self.B)
        (c, a), (b, _) = self.empirical(cells)
        (a_0, a_1), (b_0, b_1) = self.empirical(_corners(cells))
        far = np.sqrt(((high - low) ** 2).sum(axis=1) / len(self.s)) + 2  # of integers below 2^53, as what follows
        near = np.sqrt(ONE * np.maximum(self._least(np.maximum(a_1, -a_0), b_0, up=False), 0)) - 2
        least = np.maximum(near - self.V * far, 0).astype(np.int64) ** 2 // ONE
        least = np.maximum(least, self._least(np.maximum(a, -c), b, up=False))
        return least, self._least(np.maximum(a_0, -a_1), b_1, up=True)

    def minimisers(self, within: Fraction, rounds: int = 4) -> tuple[tuple[Ends, Ends], int]:
        """Return cells that hold every parameter ``within`` of the best corner of a cell, and that corner's risk.

        A cell whose corner is 8 times as near stays; others are cut in four, at most ``rounds`` times.
        """
        cells, slack = self.cells, int(within * ONE)
        best, kept = ONE, []
        for _ in range(rounds):
            least, corner = self.minimum(cells)
            best = min(best, int(corner.min(initial=best)))
            near = corner <= best + 8 * slack
            kept.append(_some(cells, (least <= best + slack) & near))
            cells = _quarters(_some(cells, (least <= best + slack) & ~near))
        joined = _joined([*kept, cells])
        return _some(joined, self.minimum(joined)[0] <= best + slack), best

    def _least(self, a: Integers, b: Integers, *, up: bool) -> Integers:
        """The least 1 - 2va + v^2 b for 0 <= v <= V, rounded; sums over the sample, ``-a`` for read-outs below 0."""
        a, n = np.maximum(a, 0), len(self.s)
        inner = ONE - a * a // (n * np.maximum(b, 1)) - (not up)
        edge = ONE + (self.V**2 * b - 2 * self.V * a) // n + up
        return np.where(a <= self.V * b, inner, edge)

    def risk(self, within: Fraction) -> tuple[Fraction, Fraction]:
        """Return numbers below and above the largest risk of a parameter ``within`` of the best corner of a cell."""
        cells, best = self.minimisers(within)
        high = self._risk(cells, self._readouts(cells, within))[1]
        corners = _corners(cells)
        sure = self.minimum(corners)[1] <= best + int(within * ONE / 2)  # a read-out's rounding costs less than 2^-38
        corners = _some(corners, sure)
        low = self._risk(corners, self._readouts(corners, Fraction(0)))[0]
        return Fraction(int(low.max(initial=0)), ONE), Fraction(int(high.max()), ONE)

    def _readouts(self, cells: tuple[Ends, Ends], within: Fraction) -> Ends:
        """All read-outs ``within`` of the least empirical risk of their parameters, as intervals over ``ONE``."""
        a, b = self.empirical(cells)
        # the best read-out v* is the clipped quotient, and by convexity R_n(v) - R_n(v*) >= b (v - v*)^2 / n: clipped
        # first and moved then, as a quotient beyond V stays V when it is moved first; 2^-40 covers the five roundings
        root = np.sqrt(float(within) * len(self.s) * ONE / np.maximum(b[0], 1))
        far = np.ceil((1 + 2.0**-40) * ONE * root).astype(np.int64)
        ends = [x * ONE // np.maximum(y, 1) for x in a for y in b]
        top = self.V * ONE
        low, high = (np.clip(end, -top, top) for end in (np.minimum.reduce(ends), np.maximum.reduce(ends) + 1))
        wild = b[0] < 1  # squares that may be 0 say nothing of the read-out
        return np.where(wild, -top, np.maximum(low - far, -top)), np.where(wild, top, np.minimum(high + far, top))

    def _risk(self, cells: tuple[Ends, Ends], v: Ends) -> Ends:
        return self._population(cells, lambda psi: _squares(*_missed(v, psi)))

    def deviation(self) -> tuple[Fraction, Fraction]:
        r"""Return numbers below and above :math:`\sup(R-\hat R_n)=\sup2v(\hat a-a)+v^2(b-\hat b)` over the class."""
        n, found = len(self.s), []
        for cells, up in ((_corners(self.cells), False), (self.cells, True)):
            (a_0, a_1), (b_0, b_1) = self.empirical(cells)
            p_0, p_1 = self._population(cells, lambda psi: psi)
            q_0, q_1 = self._population(cells, lambda psi: _squares(*psi))
            if up:
                most = self._most(np.maximum(-(-a_1 // n) - p_0, p_1 - a_0 // n), q_1 - b_0 // n, up=True)
            else:
                most = self._most(np.maximum(a_0 // n - p_1, p_0 + -a_1 // n), q_0 + -b_1 // n, up=False)
            found.append(Fraction(int(most.max()), ONE))
        return found[0], found[1]

    def _most(self, c: Integers, e: Integers, *, up: bool) -> Integers:
        """The largest 2vc + v^2 e for 0 <= v <= V, rounded."""
        c = np.maximum(c, 0)
        return np.where(c < -e * self.V, c * c // np.maximum(-e, 1) + up, 2 * c * self.V + e * self.V**2)

    def _population(self, cells, of) -> Ends:
        """The mean of ``of(psi)`` over the law of the prompts, from below and from above; shape (cells,)."""
        sums = []
        for B, (w_0, w_1) in enumerate(_binomial(self.N - 1)):
            for s in (1, -1):
                low, high = of(self.psi(cells, np.array([s]), np.array([B])))
                sums.append((np.where(low >= 0, w_0, w_1) * low, np.where(high >= 0, w_1, w_0) * high))
        low, high = (sum(end)[:, 0] for end in zip(*sums, strict=True))
        return low >> 31, -(-high >> 31)


def _geometric(low: int, high: int) -> Integers:
    count = max(round(8 * np.log2(high / low)), 1) + 1
    return np.unique(np.round(np.geomspace(low, high, count)).astype(np.int64)) if high > low else np.array([low])


def _corners(cells: tuple[Ends, Ends]) -> tuple[Ends, Ends]:
    """The corner of every cell with the least parameters, as cells of one point."""
    return tuple((low, low) for low, _ in cells)


def _some(cells: tuple[Ends, Ends], which: NDArray[np.bool_]) -> tuple[Ends, Ends]:
    return tuple((low[which], high[which]) for low, high in cells)


def _joined(parts: list[tuple[Ends, Ends]]) -> tuple[Ends, Ends]:
    return tuple(tuple(np.concatenate([part[k][e] for part in parts]) for e in range(2)) for k in range(2))


def _quarters(cells: tuple[Ends, Ends]) -> tuple[Ends, Ends]:
    halves = [((low, (low + high) // 2), ((low + high) // 2, high)) for low, high in cells]
    return _joined([(kappa, lam) for kappa in halves[0] for lam in halves[1]])


def _binomial(m: int) -> list[tuple[int, int]]:
    """The probabilities of m fair coins over 2^30, rounded down and up."""
    return [(comb(m, k) * 2**30 >> m, -(-comb(m, k) * 2**30 >> m)) for k in range(m + 1)]


def _squares(low: Integers, high: Integers) -> Ends:
    ends = low * low, high * high
    least = np.where((low < 0) & (high > 0), 0, np.minimum(*ends))
    return least // ONE, -(-np.maximum(*ends) // ONE)


def _missed(v: Ends, psi: Ends) -> Ends:
    """The ends of 1 - v psi."""
    products = [x[:, None] * y for x in v for y in psi]
    return ONE - -(-np.maximum.reduce(products) // ONE), ONE - np.minimum.reduce(products) // ONE
