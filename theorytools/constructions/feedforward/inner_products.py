"""Inner products by two-layer ReLU networks: exact for signs, of order ``1 / cells^2`` for unit vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from theorytools.arguments.checked import STEPS, NonNegativeInt, PositiveInt, at_most, checked
from theorytools.constructions.feedforward.piecewise_linear import LineUnits, Number
from theorytools.errors import DomainError


def sign_product(s: Sequence[int], t: Sequence[int]) -> Fraction:
    r"""Return :math:`\langle\omega,\omega'\rangle` of sign codes by :math:`2d_e` units, exactly.

    .. math:: \langle\omega,\omega'\rangle=1-\frac1{d_e}\sum_k[\sigma(s_k-t_k)+\sigma(t_k-s_k)],\qquad
              s=\sqrt{d_e}\,\omega,\ t=\sqrt{d_e}\,\omega'.
    """
    return 1 - Fraction(sum(max(a - b, 0) + max(b - a, 0) for a, b in zip(s, t, strict=True)), len(s))


@checked
@at_most(cells=STEPS)
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

    cells: PositiveInt
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

    def units(self, d_e: NonNegativeInt) -> int:
        """Return the width of the network for vectors of dimension ``d_e``."""
        return 2 * d_e * len(self.square.units)

    def error(self, d_e: NonNegativeInt) -> Fraction:
        r"""Return the certified error :math:`d_eB^2/m^2`."""
        return d_e * Fraction(self.radius) ** 2 / self.cells**2


def rational_unit_vector(v: Sequence[int]) -> list[Fraction]:
    r"""Return the rational unit vector :math:`(2v,\lVert v\rVert^2-1)/(\lVert v\rVert^2+1)`."""
    square = sum(int(x) ** 2 for x in v)
    return [Fraction(2 * int(x), square + 1) for x in v] + [Fraction(square - 1, square + 1)]
