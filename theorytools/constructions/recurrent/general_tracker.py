"""A transition network of four layers for arbitrary unit position codes, without error, in rationals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from theorytools.arguments.checked import NonNegativeInt, PositiveInt, checked
from theorytools.constructions.feedforward.inner_products import InnerProductUnits
from theorytools.constructions.feedforward.piecewise_linear import Number
from theorytools.constructions.recurrent.position_tracker import code_gap
from theorytools.constructions.shapes import in_range, rows_of
from theorytools.errors import DomainError


@checked
@dataclass(frozen=True)
class GeneralTracker:
    r"""The transition :math:`\Psi(x,t,i)=x\,\mathbb 1[i=t]` for one slot and rational unit codes.

    The inner product is approximated up to :math:`\varepsilon_s=d_eB^2/m^2`, :math:`B=1` by default; a ramp between
    :math:`\mathrm{lo}=1-\gamma+\varepsilon_s` and :math:`\mathrm{hi}=1-\varepsilon_s` makes it exactly 0 or 1; then
    :math:`\sigma(x_k+MG-M)-\sigma(-x_k+MG-M)=Gx_k` for :math:`|x_k|\le M`.

    Attributes
    ----------
    codes : rational unit vectors, ``N`` of dimension ``d_e``.
    M : bound on the entries of a token.
    units : the network for inner products.
    lo, hi : the ends of the ramp.

    Raises
    ------
    DomainError
        If the ramp is empty (:math:`\varepsilon_s\ge\gamma/2`), or ``M`` is not positive.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Proposition 26, arXiv 2503.11272v1; four layers without error are
    derived here.

    Examples
    --------
    >>> codes = [[Fraction(3, 5), Fraction(4, 5)], [Fraction(4, 5), Fraction(-3, 5)]]
    >>> net = GeneralTracker.of(codes, M=10, cells=4)
    >>> net([7], 0, 0), net([7], 0, 1)
    ([Fraction(7, 1)], [Fraction(0, 1)])
    """

    codes: tuple[tuple[Fraction, ...], ...]
    M: Number
    units: InnerProductUnits
    lo: Fraction
    hi: Fraction

    def __post_init__(self) -> None:
        rows_of("codes", self.codes)
        if not self.codes:
            raise DomainError("no codes", required="N >= 1 codes", why="one for each position")
        if self.lo >= self.hi:
            raise DomainError(f"a ramp from {self.lo} to {self.hi}", required="lo < hi", advice="more cells")
        if self.M <= 0:
            raise DomainError(f"M = {self.M}", required="a positive bound")

    @classmethod
    def of(cls, codes: Sequence[Sequence[Number]], M: Number, cells: PositiveInt, radius: Number = 1) -> GeneralTracker:
        r"""Return the tracker whose thresholds follow from the gap of the codes and the number of cells.

        Parameters
        ----------
        codes : rational unit vectors, ``N`` rows of length ``d_e``.
        M : bound on the entries of a token.
        cells : number of cells on which the square is interpolated.
        radius : bound :math:`B` on the entries of the codes.

        Returns
        -------
        GeneralTracker : with :math:`\varepsilon_s=d_eB^2/m^2`.

        Raises
        ------
        DomainError : fewer than two codes, or too few cells for their gap.
        """
        rows = tuple(tuple(Fraction(x) for x in row) for row in codes)
        if len(rows) < 2 or not rows[0]:
            raise DomainError(f"{len(rows)} codes", required="two or more", why="the gap is one of pairs")
        rows_of("codes", rows)
        units = InnerProductUnits(cells, radius)
        error = units.error(len(rows[0]))
        return cls(rows, M, units, 1 - code_gap(rows) + error, 1 - error)

    def product(self, i: int, t: int) -> Fraction:
        r"""Return the approximate inner product of two codes, as the second layer reads it.

        Parameters
        ----------
        i, t : positions, from 0.

        Returns
        -------
        Fraction : off by at most :math:`\varepsilon_s`.

        Raises
        ------
        DomainError : a position that does not exist.
        """
        i, t = (in_range(name, k, len(self.codes)) for name, k in (("i", i), ("t", t)))
        return self.units(self.codes[i], self.codes[t])

    def gate(self, i: int, t: int) -> Fraction:
        """Return the ramp: 1 where the codes agree, 0 where they differ.

        Parameters
        ----------
        i, t : positions, from 0.

        Returns
        -------
        Fraction : 0 or 1 for codes with the gap.
        """
        s = self.product(i, t)
        return (max(s - self.lo, Fraction(0)) - max(s - self.hi, Fraction(0))) / (self.hi - self.lo)

    def __call__(self, x: Sequence[Number], i: int, t: int) -> list[Fraction]:
        """Return what position ``i`` with token ``x`` writes for the index ``t``."""
        shift = self.M * (self.gate(i, t) - 1)
        return [max(v + shift, Fraction(0)) - max(-v + shift, Fraction(0)) for v in x]

    def width(self, d: NonNegativeInt) -> int:
        """Return the width of the first layer, :math:`2d+2d_em`, for one slot.

        Parameters
        ----------
        d : token dimension.

        Returns
        -------
        int : number of units.
        """
        return 2 * d + self.units.units(len(self.codes[0]))
