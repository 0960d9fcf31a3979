r"""Packing numbers: how many points at mutual distance :math:`\epsilon` fit into a ball or an ellipsoid.

:math:`P(\epsilon)` is the largest size of an :math:`\epsilon`-*separated* set, one with distances at least
:math:`\epsilon`.  In the unit ball of :math:`\mathbb R^D`, a set that cannot be enlarged has between
:math:`\epsilon^{-D}` and :math:`(1+2/\epsilon)^D` points: its balls of radius :math:`\epsilon` cover the unit
ball, and those of radius :math:`\epsilon/2` are disjoint and lie in the ball of radius :math:`1+\epsilon/2`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, Numbers, PositiveInt, at_most, checked
from theorytools.codes.protocol import Code
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure

_WHY = "a set is packed when its points lie in the body and their distances are known exactly"


@checked
@dataclass(frozen=True, kw_only=True)
class Packing:
    r"""A finite set in a ball or an ellipsoid, with the exact numbers that prove it packed.

    Distances and both norms of :math:`U` do not change under rotations, so :math:`U` is diagonal.

    Parameters
    ----------
    size : number of points.
    axes2 : squared semi-axes :math:`a_i^2`, shape ``(D,)``; all 1 for the unit ball.
    separation2 : proved lower bound on the squared distance of two points.
    gauge2 : proved upper bound on :math:`\|U^{-1}x\|^2=\sum_ix_i^2/a_i^2` over the points; the set lies in
        the body if it is at most 1.
    reach2 : proved upper bound on the squared distance from the set to any point of the body, where known.
    points, scale : the points :math:`z/\sqrt{\mathtt{scale}}` themselves, where they were given.

    Examples
    --------
    >>> square = Packing.of_points([[1, 1], [1, -1], [-1, 1], [-1, -1]], scale=2)
    >>> square.size, square.separation2, square.gauge2
    (4, Fraction(2, 1), Fraction(1, 1))
    """

    size: NonNegativeInt
    axes2: tuple[Fraction, ...]
    separation2: Fraction
    gauge2: Fraction
    reach2: Fraction | None = None
    points: NDArray[np.int64] | None = field(default=None, repr=False, compare=False)
    scale: int = 1

    @classmethod
    def of_points(
        cls,
        points: Numbers,
        scale: PositiveInt = 1,
        reach2: Fraction | None = None,
        *,
        axes2: Sequence[Fraction] | None = None,
    ) -> Packing:
        r"""Measure the points :math:`z/\sqrt{\mathtt{scale}}`.

        Parameters
        ----------
        points : the integers :math:`z`, shape ``(n, D)``, ``n >= 2``.
        scale : a positive integer.
        reach2 : proved bound on the squared distance of the body from the points.  In the unit ball it is computed for
            ``D = 1`` and a square ``scale``; it is at most 1 for a set that holds the centre.
        axes2 : squared semi-axes of the body, shape ``(D,)``; the unit ball unless given.

        Returns
        -------
        Packing : with the exact least distance.

        Raises
        ------
        DomainError : another shape or type, axes that do not fit, or distances that leave 64 bits.
        """
        z = _checked_points(points)
        axes = unit_axes(z.shape[1]) if axes2 is None else _checked_axes(axes2, z.shape[1])
        if axes2 is None and reach2 is None:
            reach2 = _reach2(z, scale)
        common = math.lcm(*(axis.numerator for axis in axes))
        weights = np.array([int(common / axis) for axis in axes], dtype=object)  # exact: 1/a^2 over common
        gauge = int((z.astype(object) ** 2 @ weights).max())
        separation2, gauge2 = Fraction(_least_square(z), scale), Fraction(gauge, common * scale)
        return cls(
            size=len(z), separation2=separation2, gauge2=gauge2, axes2=axes, reach2=reach2, points=z, scale=scale
        )

    @classmethod
    def of_code(cls, code: Code, *, centre: bool = False) -> Packing:
        r"""Take unit codes, :math:`\|\omega_i-\omega_j\|^2=2-2G_{ij}\ge2(1-\rho)`, and the centre if asked.

        Parameters
        ----------
        code : unit codes; one with a proved ``coherence_bound()`` is not searched.
        centre : whether the centre of the ball belongs to the set; then the reach is at most 1.

        Returns
        -------
        Packing : in the unit ball of dimension ``d_e``.
        """
        rho = code.coherence_bound() if hasattr(code, "coherence_bound") else code.coherence()
        separation2 = min(2 - 2 * rho, Fraction(1)) if centre else 2 - 2 * rho
        size, one = code.N + centre, Fraction(1)
        reach2 = one if centre else None
        return cls(size=size, axes2=unit_axes(code.d_e), separation2=separation2, gauge2=one, reach2=reach2)

    @classmethod
    def by_volume(cls, axes2: Sequence[Fraction], eps: Fraction) -> Packing:
        r"""Take :math:`\lceil\prod_{a_i>\epsilon}a_i/\epsilon\rceil` points; they exist, uncomputed.

        In the section by the axes above :math:`\epsilon`, a set that cannot be enlarged has at least as many,
        because its balls of radius :math:`\epsilon` cover the section.

        Parameters
        ----------
        axes2 : squared semi-axes, shape ``(D,)``.
        eps : the distance, positive.

        Returns
        -------
        Packing : without points.

        Raises
        ------
        DomainError : not ``eps > 0``, or axes that are not positive.
        """
        axes = _checked_axes(axes2, len(axes2))
        if not eps > 0:
            raise DomainError(f"eps = {eps}", required="eps > 0", why=_WHY)
        ratio2 = math.prod((axis / eps**2 for axis in axes if axis > eps**2), start=Fraction(1))
        size = 1 + math.isqrt(math.ceil(ratio2) - 1)  # the least n with n^2 >= ratio2
        return cls(size=size, axes2=axes, separation2=eps**2, gauge2=Fraction(1))

    @property
    def D(self) -> int:
        """Dimension of the space."""
        return len(self.axes2)

    def log_size(self) -> Enclosure:
        """Return the natural logarithm of the number of points, at the ambient precision."""
        return Enclosure(self.size).log()

    def frobenius_norm(self) -> Enclosure:
        r"""Return :math:`\|U\|_F=(\sum_ia_i^2)^{1/2}`, at the ambient precision."""
        return Enclosure(sum(self.axes2, Fraction(0))).sqrt()

    def operator_norm(self) -> Enclosure:
        r"""Return :math:`\|U\|_{\mathrm{op}}=\max_ia_i`, at the ambient precision."""
        return Enclosure(max(self.axes2)).sqrt()

    def scaled(self, factor: Fraction) -> Packing:
        """Return the points times ``factor`` in the same body; nothing is known about their reach.

        Parameters
        ----------
        factor : a rational.

        Returns
        -------
        Packing : without points.
        """
        square = Fraction(factor) ** 2
        separation2, gauge2 = self.separation2 * square, self.gauge2 * square
        return replace(self, separation2=separation2, gauge2=gauge2, reach2=None, points=None)

    def changed(self, change: Callable[[NDArray[np.int64]], Any]) -> Packing:
        """Return the set after a change of its integer points, measured again.

        Parameters
        ----------
        change : maps integer points ``(n, D)`` to such.

        Returns
        -------
        Packing : in the same body.

        Raises
        ------
        DomainError : a set whose points were not given.
        """
        if self.points is None:
            raise DomainError("a set without points", required="points", why=_WHY, advice="use Packing.of_points")
        unit = self.axes2 == unit_axes(self.D)
        return Packing.of_points(change(self.points), self.scale, axes2=None if unit else self.axes2)

    def in_dimension(self, D: int) -> Packing:
        """Return this set if it lies in ``D`` dimensions.

        Parameters
        ----------
        D : the dimension.

        Returns
        -------
        Packing : itself.

        Raises
        ------
        DomainError : it lies in another dimension.
        """
        if D != self.D:
            why = "bounds on packing numbers depend on the dimension"
            raise DomainError(f"D = {D}", required=f"D = {self.D}, the dimension of this set", why=why)
        return self


@checked
@at_most(D=ENTRIES)
def unit_axes(D: PositiveInt) -> tuple[Fraction, ...]:
    """Return the squared semi-axes of the unit ball, ``D`` ones."""
    return (Fraction(1),) * D


def _checked_axes(axes2: Sequence[Fraction], D: int) -> tuple[Fraction, ...]:
    axes = tuple(Fraction(axis) for axis in axes2)
    if len(axes) != D or not axes or min(axes) <= 0:
        required = f"{D} positive squared semi-axes"
        raise DomainError(f"{len(axes)} squared semi-axes", required=required, why=_WHY)
    return axes


def _checked_points(points: Any) -> NDArray[np.int64]:
    z = np.asarray(points)
    required = "an integer matrix of shape (n, D), n >= 2, with squared distances below 2^61"
    given = f"an array of shape {z.shape} and type {z.dtype}"
    if z.ndim != 2 or len(z) < 2 or z.shape[1] < 1 or z.dtype.kind not in "iu":
        raise DomainError(given, required=required, why=_WHY)
    largest = max(abs(int(z.min())), abs(int(z.max())))
    if z.shape[1] * 4 * largest**2 >= 2**61:
        raise DomainError(f"an entry of size {largest}", required=required, why=_WHY)
    return z.astype(np.int64)


def _reach2(z: NDArray[np.int64], scale: int) -> Fraction | None:
    """Return a bound on the squared distance of the unit ball from the points, where one is known."""
    end = math.isqrt(scale)
    if z.shape[1] == 1 and end**2 == scale:
        places = sorted(z[:, 0].tolist())
        gaps = [2 * (places[0] + end), 2 * (end - places[-1]), *(b - a for a, b in pairwise(places))]
        return Fraction(max(gaps) ** 2, 4 * scale)
    return None if z.any(axis=1).all() else Fraction(1)


def _least_square(z: NDArray[np.int64]) -> int:
    """Return the least squared distance of two rows, in blocks of rows."""
    norms, least = (z**2).sum(axis=1), 2**61
    for i in range(0, len(z) - 1, 256):
        block = slice(i, i + 256)
        squares = norms[block, None] + norms[None, i:] - 2 * (z[block] @ z[i:].T)
        squares[np.tril_indices(len(squares), 0, squares.shape[1])] = 2**61  # pairs once, no point with itself
        least = min(least, int(squares.min()))
    return least
