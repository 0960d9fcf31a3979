r"""Rectifier units on a line, in rationals: a piecewise linear function and its exact distance from a parabola."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from theorytools.arguments.checked import STEPS, NonNegativeInt, Numbers, at_most, checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, fraction, maximum, quick, total

Number = int | Fraction
Parabola = tuple[Number, Number, Number]

IDENTITY: Parabola = (0, 1, 0)
SQUARE: Parabola = (-1, 0, 1)


@checked
@dataclass(frozen=True)
class LineUnits:
    r"""The function :math:`P(z)=o+\sum_kc_k\sigma(w_kz+b_k)` of one real variable.

    Parameters
    ----------
    units : triples :math:`(c_k,w_k,b_k)` of integers or fractions, :math:`w_k\ne0`.
    offset : the constant :math:`o`; in a network without output bias it takes one unit, :math:`o\,\sigma(0z+1)`.

    Raises
    ------
    DomainError
        For a unit without slope.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Assumption 2, arXiv 2503.11272v1; the units are derived here.

    Examples
    --------
    >>> P = LineUnits.square(radius=5, cells=16)
    >>> P.largest_error(SQUARE, 5), Fraction(10, 16) ** 2 / 4
    ((Fraction(25, 256), Fraction(5, 16)), Fraction(25, 256))
    """

    units: tuple[tuple[Number, Number, Number], ...]
    offset: Number = 0

    def __post_init__(self) -> None:
        if any(w == 0 for _, w, _ in self.units):
            raise DomainError("a unit with w = 0", required="a slope", advice="constants belong to the offset")

    @classmethod
    def identity(cls) -> LineUnits:
        r"""Return :math:`z=\sigma(z)-\sigma(-z)`."""
        return cls(((1, 1, 0), (-1, -1, 0)))

    @classmethod
    @at_most(cells=STEPS)
    def square(cls, radius: Number, cells: NonNegativeInt, *, centred: bool = False) -> LineUnits:
        r"""Return the interpolant of :math:`z^2-1` on :math:`[-Z,Z]` at the ends of equal cells of width ``h``.

        The slope rises by :math:`2h` at each of the ``cells - 1`` inner ends: one unit each, facing outward, and
        two at 0.  The interpolant is above by :math:`(z-a)(b-z)\le h^2/4`; ``centred`` lowers it by half of that,
        the best that any function with so many linear pieces can do.

        Parameters
        ----------
        radius : :math:`Z>0`.
        cells : their number, at least 1.
        centred : lower the interpolant by half of its largest error.

        Returns
        -------
        LineUnits : with ``cells`` units, one fewer where ``cells`` is odd.

        Raises
        ------
        DomainError : a radius that is not positive, or no cell.
        """
        if cells < 1 or radius <= 0:
            raise DomainError(f"radius {radius}, {cells} cells", required="radius > 0 and cells >= 1")
        Z, h = Fraction(radius), Fraction(2 * radius) / cells
        inner = [k * h - Z for k in range(1, cells)]
        units: list[tuple[Number, Number, Number]] = [(2 * h, 1 if z > 0 else -1, -abs(z)) for z in inner if z]
        if cells % 2 == 0:
            units += [(h, 1, 0), (h, -1, 0)]
        # all units vanish at 0, where the interpolant is -1, or (h/2)^2 - 1 inside a cell
        offset = (0 if cells % 2 == 0 else h**2 / 4) - 1 - (h**2 / 8 if centred else 0)
        return cls(tuple(units), offset)

    @classmethod
    def square_through(cls, ends: Sequence[Number]) -> LineUnits:
        """Return the interpolant of :math:`z^2-1` at the given increasing ``ends`` of cells, two or more.

        Parameters
        ----------
        ends : exact numbers, increasing.

        Returns
        -------
        LineUnits : exact at the ends.

        Raises
        ------
        DomainError : fewer than two ends, or ends that do not increase.
        """
        z = [Fraction(x) for x in ends]
        if len(z) < 2 or any(b <= a for a, b in pairwise(z)):
            raise DomainError(f"the ends {list(map(str, z))}", required="two or more, increasing")
        # on the first cell the line through both ends: z^2 - 1 = a^2 - 1 + (a + b)(z - a)
        rises = [(c - a, 1, -b) for a, b, c in zip(z, z[1:], z[2:], strict=False)]
        slope, start = z[0] + z[1], -z[0] * z[1] - 1
        line = [(slope, 1, 0), (-slope, -1, 0)] if slope else []
        return cls((*rises, *line), start)

    def __call__(self, z: Numbers) -> Any:
        """Return :math:`P(z)`, a fraction for an exact number and an enclosure for an enclosure."""
        if isinstance(z, Enclosure):
            return total([self.offset, *(maximum([z * w + b, 0]) * c for c, w, b in self.units)])
        at, value = quick(Fraction(z)), quick(self.offset)
        for c, w, b in self._quick:
            inner = w * at + b
            if inner > 0:
                value += c * inner
        return fraction(value)

    @cached_property
    def _quick(self) -> list[tuple[Any, Any, Any]]:
        return [(quick(c), quick(w), quick(b)) for c, w, b in self.units]

    def kinks(self) -> list[Fraction]:
        """Return the places where the slope may change, increasing."""
        return sorted({Fraction(-b) / w for _, w, b in self.units})

    def pieces(self, radius: Number) -> int:
        """Return the number of intervals into which the kinks cut ``[-radius, radius]``.

        Parameters
        ----------
        radius : half the length of the interval, positive.

        Returns
        -------
        int : at least 1.

        Raises
        ------
        DomainError : a radius that is not positive.
        """
        _positive(radius)
        return 1 + sum(-radius < z < radius for z in self.kinks())

    def largest_error(self, target: Parabola, radius: Number) -> tuple[Fraction, Fraction]:
        r"""Return :math:`\sup_{|z|\le Z}|P(z)-c_0-c_1z-c_2z^2|` and the place nearest to 0 that attains it.

        Between two neighbouring kinks the difference is a parabola: its extremes are at the ends and the vertex.

        Raises
        ------
        DomainError : a radius that is not positive.
        """
        _positive(radius)
        c0, c1, c2 = map(Fraction, target)
        errors = []
        for a, b, value, slope in self._pieces(Fraction(radius)):
            places = [a, b]
            if c2 and a < (vertex := (slope - c1) / (2 * c2)) < b:
                places.append(vertex)
            errors += [(abs(value + slope * (z - a) - c0 - c1 * z - c2 * z * z), -abs(z), z) for z in places]
        worst, _, place = max(errors)
        return worst, place

    def _pieces(self, Z: Fraction) -> list[tuple[Fraction, Fraction, Fraction, Fraction]]:
        """The linear pieces on [-Z, Z]: both ends, the value at the left one and the slope."""
        rises: dict[Fraction, Fraction] = {}
        slope = Fraction(0)
        for c, w, b in self.units:
            place = Fraction(-b) / w
            if -Z < place < Z:
                rises[place] = rises.get(place, Fraction(0)) + Fraction(c) * abs(Fraction(w))
            if (w < 0) == (place > -Z):  # the unit is on just right of -Z
                slope += Fraction(c) * w
        ends, value, pieces = [-Z, *sorted(rises), Z], Fraction(self(-Z)), []
        for a, b in pairwise(ends):
            slope += rises.get(a, Fraction(0))
            pieces.append((a, b, value, slope))
            value += slope * (b - a)
        return pieces

    def path_norm(self) -> Enclosure:
        r"""Return :math:`\sum_k|c_k|\sqrt{w_k^2+b_k^2}`, the offset apart, at the ambient precision.

        It is the least :math:`\lVert a\rVert_2\lVert(W,b)\rVert_F` over all scalings of the units.
        """
        return total(Enclosure(Fraction(w) ** 2 + Fraction(b) ** 2).sqrt() * abs(Fraction(c)) for c, w, b in self.units)


def _positive(radius: Number) -> None:
    if radius <= 0:
        raise DomainError(f"radius = {radius}", required="radius > 0", why="half the length of an interval")
