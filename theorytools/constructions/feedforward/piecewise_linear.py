r"""Rectifier units on a line, in rationals: a piecewise linear function and its exact distance from a parabola.

Rectifier units that interpolate a Lipschitz function on an interval, in rationals.

Inner products by two-layer ReLU networks: exact for signs, of order ``1 / cells^2`` for unit vectors.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import Any

from theorytools.arguments.checked import Count, Numbers, Real, Steps, Terms, checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, fraction, maximum, quick, shortest_fraction, total

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
    def square(cls, radius: Number, cells: Steps, *, centred: bool = False) -> LineUnits:
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


@checked
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
    cells: Steps

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


def sign_product(s: Sequence[int], t: Sequence[int]) -> Fraction:
    r"""Return :math:`\langle\omega,\omega'\rangle` of sign codes by :math:`2d_e` units, exactly.

    .. math:: \langle\omega,\omega'\rangle=1-\frac1{d_e}\sum_k[\sigma(s_k-t_k)+\sigma(t_k-s_k)],\qquad
              s=\sqrt{d_e}\,\omega,\ t=\sqrt{d_e}\,\omega'.
    """
    return 1 - Fraction(sum(max(a - b, 0) + max(b - a, 0) for a, b in zip(s, t, strict=True)), len(s))


@checked
@dataclass(frozen=True)
class InnerProductUnits:
    r"""The two-layer network :math:`\sum_k[P(a_k+b_k)-P(a_k-b_k)]/4` with the interpolant ``P`` of the square.

    ``P`` interpolates :math:`z^2` at the ends of ``cells`` equal cells of :math:`[-2B,2B]`, of width
    :math:`\Delta=4B/m`, and is above it by at most :math:`\Delta^2/4`; so each coordinate is off by at most
    :math:`\Delta^2/16=B^2/m^2`.  The constants of ``P`` cancel.

    Attributes
    ----------
    cells : number ``m`` of cells.
    radius : bound ``B`` on the entries.

    Raises
    ------
    DomainError : a radius that is not positive; when called, vectors of two lengths or entries beyond the radius.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 22, arXiv 2503.11272v1; this network is derived here.

    Examples
    --------
    >>> net = InnerProductUnits(4)
    >>> net([Fraction(3, 5), Fraction(4, 5)], [1, 0]), net.error(2), net.units(2)
    (Fraction(3, 5), Fraction(1, 8), 16)
    """

    cells: Terms
    radius: Number = 1

    def __post_init__(self) -> None:
        if self.radius <= 0:
            raise DomainError(f"radius = {self.radius}", required="radius > 0", why="it bounds the entries")

    @cached_property
    def square(self) -> LineUnits:
        """The interpolant of ``z^2 - 1``."""
        return LineUnits.square(2 * self.radius, self.cells)

    def __call__(self, a: Sequence[Number], b: Sequence[Number]) -> Fraction:
        """Return the approximate inner product of two rational vectors, exactly as the network gives it."""
        if len(a) != len(b):
            raise DomainError(
                f"vectors of lengths {len(a)} and {len(b)}", required="one length", why="a sum over entries"
            )
        if any(abs(Fraction(x)) > self.radius for x in [*a, *b]):
            raise DomainError("entries beyond the radius", required=f"at most {self.radius} in absolute value")
        terms = (self.square(x + y) - self.square(x - y) for x, y in zip(a, b, strict=True))
        return sum(terms, Fraction(0)) / 4

    def units(self, d_e: Count) -> int:
        """Return the width of the network for vectors of dimension ``d_e``."""
        return 2 * d_e * len(self.square.units)

    def error(self, d_e: Count) -> Fraction:
        r"""Return the certified error :math:`d_eB^2/m^2`."""
        return d_e * Fraction(self.radius) ** 2 / self.cells**2


def rational_unit_vector(v: Sequence[int]) -> list[Fraction]:
    r"""Return the rational unit vector :math:`(2v,\lVert v\rVert^2-1)/(\lVert v\rVert^2+1)`."""
    square = sum(int(x) ** 2 for x in v)
    return [Fraction(2 * int(x), square + 1) for x in v] + [Fraction(square - 1, square + 1)]
