r"""A transition network of four layers for arbitrary unit position codes, without error, in rationals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from theorytools.arguments.checked import Count, Size, checked
from theorytools.constructions.feedforward.inner_products import InnerProductUnits, Number
from theorytools.constructions.inputs import in_range, rows_of
from theorytools.errors import DomainError


def code_gap(codes: Sequence[Sequence[Number]]) -> Fraction:
    r"""Return :math:`\gamma=1-\max_{i\ne j}\langle\omega_i,\omega_j\rangle` of rational codes, two or more."""
    if len(codes) < 2:
        raise DomainError(f"{len(codes)} codes", required="two or more", why="the gap is one of pairs")
    return 1 - max(sum((Fraction(x) * y for x, y in zip(a, b, strict=True)), Fraction(0))
                   for a, b in combinations(codes, 2))  # fmt: skip


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
    def of(cls, codes: Sequence[Sequence[Number]], M: Number, cells: Size, radius: Number = 1) -> GeneralTracker:
        r"""Return the tracker whose thresholds follow from the gap of the codes and the number of cells.

        ``radius`` bounds the entries of the codes; then :math:`\varepsilon_s=d_eB^2/m^2`.
        """
        rows = tuple(tuple(Fraction(x) for x in row) for row in codes)
        if len(rows) < 2 or not rows[0]:
            raise DomainError(f"{len(rows)} codes", required="two or more", why="the gap is one of pairs")
        rows_of("codes", rows)
        units = InnerProductUnits(cells, radius)
        error = units.error(len(rows[0]))
        return cls(rows, M, units, 1 - code_gap(rows) + error, 1 - error)

    def product(self, i: int, t: int) -> Fraction:
        """Return the approximate inner product of two codes, as the second layer reads it."""
        i, t = (in_range(name, k, len(self.codes)) for name, k in (("i", i), ("t", t)))
        return self.units(self.codes[i], self.codes[t])

    def gate(self, i: int, t: int) -> Fraction:
        """Return the ramp: 1 where the codes agree, 0 where they differ."""
        s = self.product(i, t)
        return (max(s - self.lo, Fraction(0)) - max(s - self.hi, Fraction(0))) / (self.hi - self.lo)

    def __call__(self, x: Sequence[Number], i: int, t: int) -> list[Fraction]:
        """Return what position ``i`` with token ``x`` writes for the index ``t``."""
        shift = self.M * (self.gate(i, t) - 1)
        return [max(v + shift, Fraction(0)) - max(-v + shift, Fraction(0)) for v in x]

    def width(self, d: Count) -> int:
        r"""Return the width of the first layer, :math:`2d+2d_em`, for tokens of dimension ``d`` and one slot."""
        return 2 * d + self.units.units(len(self.codes[0]))
