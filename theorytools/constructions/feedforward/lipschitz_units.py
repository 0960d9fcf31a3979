"""Rectifier units that interpolate a Lipschitz function on an interval, in rationals."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import Any

from theorytools.arguments.checked import STEPS, NonNegativeInt, Real, at_most, checked
from theorytools.errors import DomainError
from theorytools.numbers import fraction, quick, shortest_fraction


@checked
@at_most(cells=STEPS)
@dataclass(frozen=True)
class LipschitzUnits:
    r"""The piecewise linear interpolant on equal cells of :math:`[-R,R]` as a two-layer ReLU network.

    With knots :math:`\kappa_k=-R+2Rk/m` and slopes :math:`s_1,\dots,s_m` of the interpolant,

    .. math:: g(x)=f(-R)\,\sigma(1)+Rs_1\,\sigma\Bigl(\frac{x+R}R\Bigr)
        +\sum_{k=1}^{m-1}R(s_{k+1}-s_k)\,\sigma\Bigl(\frac{x-\kappa_k}R\Bigr):

    :math:`m+1` units with :math:`|w_k|\le1/R` and :math:`|b_k|\le1`.

    Parameters
    ----------
    x, y : break points from :math:`-R` to :math:`R` in increasing order and the values there; ``f`` is linear between.
    cells : the number :math:`m\ge1` of cells.

    Raises
    ------
    DomainError
        For fewer than two break points, unequal lengths, an interval that is not symmetric, or no cell.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 42, arXiv 2503.11272v1.  One dimension, derived here.

    Examples
    --------
    >>> tent = LipschitzUnits([-1, 0, 1], [0, 1, 0], cells=1)
    >>> tent.error(), LipschitzUnits([-1, 0, 1], [0, 1, 0], cells=2).error()
    (Fraction(1, 1), Fraction(0, 1))
    """

    x: Sequence[Real]
    y: Sequence[Real]
    cells: NonNegativeInt

    def __post_init__(self) -> None:
        ends = [shortest_fraction(t) for t in self.x]
        increasing = all(a < b for a, b in pairwise(ends))
        if len(ends) < 2 or len(ends) != len(self.y) or not increasing or ends[0] != -ends[-1] or self.cells < 1:
            raise DomainError(
                f"{len(self.x)} break points, {len(self.y)} values, {self.cells} cells",
                required="x increasing from -R to R, as many y, at least one cell",
            )

    @cached_property
    def points(self) -> list[tuple[Fraction, Fraction]]:
        """The break points with their values, as fractions."""
        return [(shortest_fraction(x), shortest_fraction(y)) for x, y in zip(self.x, self.y, strict=True)]

    @property
    def radius(self) -> Fraction:
        """Half the length of the interval."""
        return self.points[-1][0]

    @property
    def knots(self) -> list[Fraction]:
        """The ends of the cells, ``cells + 1`` of them."""
        return [self.radius * Fraction(2 * k - self.cells, self.cells) for k in range(self.cells + 1)]

    def target(self, x: Fraction) -> Fraction:
        """Return the function at ``x``.

        Raises
        ------
        DomainError : a number outside the interval.
        """
        if not -self.radius <= x <= self.radius:
            raise DomainError(f"x = {x}", required=f"-{self.radius} <= x <= {self.radius}")
        k = max(bisect_left(self.points, x, key=itemgetter(0)), 1)  # the first piece that holds x
        (a, u), (b, v) = self.points[k - 1], self.points[k]
        return u + (v - u) * (x - a) / (b - a)

    @cached_property
    def units(self) -> list[tuple[Fraction, Fraction, Fraction]]:
        """The triples of output weight, input weight and bias."""
        R, values = self.radius, [self.target(k) for k in self.knots]
        slopes = [(v - u) * self.cells / (2 * R) for u, v in pairwise(values)]
        bends = [slopes[0], *(after - before for before, after in pairwise(slopes))]
        inner = [(R * bend, 1 / R, -knot / R) for bend, knot in zip(bends, self.knots, strict=False)]
        return [(values[0], Fraction(0), Fraction(1)), *inner]

    def __call__(self, x: Fraction) -> Fraction:
        """Return the output of the network at ``x``, exactly."""
        at, value = quick(x), quick(0)
        for a, w, b in self._quick:
            inner = w * at + b
            if inner > 0:
                value += a * inner
        return fraction(value)

    @cached_property
    def _quick(self) -> list[tuple[Any, Any, Any]]:
        return [(quick(a), quick(w), quick(b)) for a, w, b in self.units]

    def error(self) -> Fraction:
        """Return the largest distance from the function: both are linear between all knots and break points."""
        places = {*self.knots, *(x for x, _ in self.points)}
        return max(abs(self(x) - self.target(x)) for x in places)

    def steepness(self) -> Fraction:
        """Return the Lipschitz constant of the function."""
        return max(abs(v - u) / (b - a) for (a, u), (b, v) in pairwise(self.points))

    def largest_value(self) -> Fraction:
        """Return the largest absolute value of the function."""
        return max(abs(y) for _, y in self.points)

    def largest_bend(self) -> Fraction:
        """Return the largest change of slope at an inner knot; 0 for one cell."""
        return max((abs(a) / self.radius for a, _, _ in self.units[2:]), default=Fraction(0))

    def squared_output(self) -> Fraction:
        """Return the squared norm of the output weights."""
        return sum((a * a for a, _, _ in self.units), Fraction(0))

    def largest_input(self) -> Fraction:
        r"""Return the largest of :math:`R|w_k|` and :math:`|b_k|`."""
        return max(max(self.radius * abs(w), abs(b)) for _, w, b in self.units)
