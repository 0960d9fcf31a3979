r"""Explicit coverings of small classes by grids, checked cell by cell in rationals.

One unit, one head, one dimension: :math:`f(h)=a\,\mathrm{ReLU}(wh+b)`, :math:`|a|\le A`, :math:`w^2+b^2\le B^2`, and
tokens :math:`\pm r_z` with :math:`h=\pm r_z\tanh(r_z^2\theta)`, :math:`|\theta|\le R_F`.  Over a cell, a box of
parameters, the unit is monotone in each of them, so its extremes are found at corners: every distance to the cell's
centre is enclosed, for all parameters, not for a sample of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any, NamedTuple

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure
from theorytools.numbers.endpoint import float_lower, float_upper

_DIGITS = 1 << 12


class Cell(NamedTuple):
    """A box of parameters ``(low, high)`` and the member of the class that stands for it."""

    w: tuple[Fraction, Fraction]
    b: tuple[Fraction, Fraction]
    centre: tuple[Fraction, Fraction]


def exact_root(x: Fraction) -> Fraction:
    """Return the square root of the square of a rational.

    Raises
    ------
    DomainError : the root is not rational.
    """
    root = Fraction(isqrt(x.numerator), isqrt(x.denominator))
    if root**2 != x:
        raise DomainError(f"{x}", required="the square of a rational", why="the grid is laid out in rationals")
    return root


def _positive(**numbers: Any) -> None:
    for name, value in numbers.items():
        if not value > 0:
            raise DomainError(f"{name} = {value}", required=f"{name} > 0")


def intervals(radius: Fraction, half: Fraction) -> list[tuple[Fraction, Fraction]]:
    r"""Return intervals of half-width at most ``half`` that cover :math:`[-r,r]`."""
    count = -(-radius // half)
    return [(-radius + 2 * radius * k / count, -radius + 2 * radius * (k + 1) / count) for k in range(count)]


def disc_cells(radius: Fraction, reach: Fraction) -> list[Cell]:
    r"""Return boxes with half-diagonals at most ``reach`` that cover the disc, with centres in the disc.

    A box that leaves the disc is cut to a smaller one; its centre is moved towards 0 until it lies in the disc.
    """
    sides = intervals(radius, reach * isqrt(_DIGITS**2 // 2) / _DIGITS)
    cells = []
    for w in sides:
        for b in sides:
            near = (_nearest(w), _nearest(b))
            if near[0] ** 2 + near[1] ** 2 >= radius**2:
                continue  # a corner on the circle belongs to the next box inwards as well
            box = _cut(w, _root(radius**2 - near[1] ** 2)), _cut(b, _root(radius**2 - near[0] ** 2))
            centre = ((box[0][0] + box[0][1]) / 2, (box[1][0] + box[1][1]) / 2)
            while centre[0] ** 2 + centre[1] ** 2 > radius**2:
                centre = ((7 * centre[0] + near[0]) / 8, (7 * centre[1] + near[1]) / 8)
            cells.append(Cell(*box, centre))
    return cells


def _nearest(side: tuple[Fraction, Fraction]) -> Fraction:
    return max(side[0], min(Fraction(0), side[1]))


def _root(x: Fraction) -> Fraction:
    """A rational that is at least the square root."""
    return Fraction(isqrt(x.numerator * _DIGITS**2 // x.denominator) + 1, _DIGITS)


def _cut(side: tuple[Fraction, Fraction], limit: Fraction) -> tuple[Fraction, Fraction]:
    return max(side[0], -limit), min(side[1], limit)


def _farthest(a: tuple[Fraction, Fraction], low: Any, high: Any, value: Any) -> Any:
    """The largest distance of ``value`` from ``a y``, over the interval of ``a`` and ``0 <= low <= y <= high``."""
    return max(max(a[1] * high, a[1] * low) - value, value - min(a[0] * high, a[0] * low))


@checked
@dataclass(frozen=True)
class HeadGrid:
    r"""A covering of the heads on :math:`|h|\le r_z`, half of the radius for :math:`a`, half for :math:`(w,b)`.

    Parameters
    ----------
    A, B, r_z, eps : bounds of the class and the radius.
    lipschitz : the :math:`\sqrt{1+r_z^2}` that the grid is laid out for.
    coarse : factor on the mesh; 1 for the covering of Lemma 14.
    """

    A: Fraction
    B: Fraction
    r_z: Fraction
    eps: Fraction
    lipschitz: Fraction
    coarse: int = 1

    def __post_init__(self) -> None:
        _positive(A=self.A, B=self.B, r_z=self.r_z, eps=self.eps, lipschitz=self.lipschitz, coarse=self.coarse)

    @cached_property
    def layout(self) -> tuple[list[tuple[Fraction, Fraction]], list[Cell]]:
        """The intervals of ``a`` and the cells of ``(w, b)``."""
        mesh = self.coarse * self.eps / (2 * self.lipschitz)
        return intervals(self.A, mesh / self.B), disc_cells(self.B, mesh / self.A)

    def size(self) -> int:
        """Return the number of centres."""
        return len(self.layout[0]) * len(self.layout[1])

    def radius(self) -> Fraction:
        """Return the largest distance of a member from the centre of its cell, as measured on whole boxes."""
        return max(self._radius(cell) for cell in self.layout[1])

    def _radius(self, cell: Cell) -> Fraction:
        worst = Fraction(0)
        for h in self._breaks(cell):
            values = [w * h + b for w in cell.w for b in cell.b]
            low, high = max(min(values), Fraction(0)), max(*values, Fraction(0))
            unit = max(cell.centre[0] * h + cell.centre[1], Fraction(0))
            worst = max(worst, *(_farthest(a, low, high, sum(a) / 2 * unit) for a in self.layout[0]))
        return worst

    def _breaks(self, cell: Cell) -> Iterator[Fraction]:
        """The ends, and the kinks of the corners and of the centre: between them everything is linear in ``h``."""
        yield from (-self.r_z, self.r_z)
        for w, b in [cell.centre, *((w, b) for w in cell.w for b in cell.b)]:
            if w != 0 and abs(b) < self.r_z * abs(w):
                yield -b / w

    def packed(self) -> int:
        r"""Return the size of a set of heads at mutual distances above :math:`2\epsilon`: no ball holds two of them.

        Heads that are linear on the interval with :math:`|a|=A`; their values at both ends are multiples of a step
        above :math:`2\epsilon`.
        """
        step = 2 * self.eps / self.A * Fraction(_DIGITS + 1, _DIGITS)
        reach2, slope2, count = (2 * self.B / step) ** 2, Fraction(self.r_z) ** 2, 0
        # values i, j >= 1 steps at the ends: w = (i - j) step / 2r, b = (i + j) step / 2 lie in the disc
        for total in range(2, isqrt(int(reach2)) + 1):
            most = min(isqrt(int(slope2 * (reach2 - total**2))), total - 2)
            count += most + 1 if (most - total) % 2 == 0 else most  # differences of the parity of the sum
        return 2 * count


@checked
@dataclass(frozen=True)
class NetworkGrid:
    r"""A covering of the networks in the largest distance over the queries :math:`\pm r_z`.

    A quarter of the radius goes to :math:`a`, a quarter to :math:`(w,b)`, half to :math:`\theta`, as in Proposition 17.

    Parameters
    ----------
    A, B, R_F, r_z, eps : bounds of the class and the radius.
    lipschitz : the :math:`\sqrt{1+r_z^2}` that the grid is laid out for.
    power : the power of :math:`r_z` that it is laid out for in :math:`\theta`; 3 is right.
    coarse : factor on the mesh.
    """

    A: Fraction
    B: Fraction
    R_F: Fraction
    r_z: Fraction
    eps: Fraction
    lipschitz: Fraction
    power: int = 3
    coarse: int = 1

    def __post_init__(self) -> None:
        _positive(R_F=self.R_F, r_z=self.r_z)

    @cached_property
    def heads(self) -> HeadGrid:
        """The covering of the heads, at half the radius."""
        return HeadGrid(self.A, self.B, self.r_z, self.eps / 2, self.lipschitz, self.coarse)

    @cached_property
    def scores(self) -> list[tuple[Fraction, Fraction]]:
        r"""The intervals of :math:`\theta`."""
        return intervals(self.R_F, self.coarse * self.eps / (2 * self.A * self.B * self.r_z**self.power))

    def size(self) -> int:
        """Return the number of centres."""
        return self.heads.size() * len(self.scores)

    def outputs(self) -> list[tuple[Fraction, Fraction, Fraction, Fraction]]:
        r"""Return rationals around :math:`h` on each interval of :math:`\theta`, and around :math:`h` at its middle."""
        result = []
        for low, high in self.scores:
            ends = [self._output(theta) for theta in (low, high, (low + high) / 2)]
            result.append((ends[0][0], ends[1][1], *ends[2]))
        return result

    def _output(self, theta: Fraction) -> tuple[Fraction, Fraction]:
        h = Enclosure(self.r_z**2 * theta).apply("tanh") * self.r_z
        scale = h * _DIGITS
        return Fraction(int(float_lower(scale.floor().lower)), _DIGITS), Fraction(
            int(float_upper(scale.ceil().upper)), _DIGITS
        )

    def radius(self) -> Fraction:
        """Return an upper bound of the largest distance of a member from the centre of its cell."""
        return max(self._radius(cell, h) for cell in self.heads.layout[1] for h in self.outputs())

    def _radius(self, cell: Cell, h: tuple[Fraction, Fraction, Fraction, Fraction]) -> Fraction:
        worst = Fraction(0)
        for sign in (1, -1):
            products = [sign * w * x for w in cell.w for x in h[:2]]
            low, high = max(min(products) + cell.b[0], Fraction(0)), max(max(products) + cell.b[1], Fraction(0))
            for x in h[2:]:
                unit = max(cell.centre[0] * sign * x + cell.centre[1], Fraction(0))
                worst = max(worst, *(_farthest(a, low, high, sum(a) / 2 * unit) for a in self.heads.layout[0]))
        return worst
