r"""The exact law of one label given its index tuple: variances and moments in fractions.

A label is a root of a rational times a polynomial in the tokens' Gaussian coordinates,

.. math:: y=\sqrt c\sum_{j\le q}f(x_{t_j}),\qquad
          \texttt{lin}:\ \langle u_j,v\rangle,\ c=\tfrac1q;\quad
          \texttt{sq}:\ \lVert v\rVert^2-d,\ c=\tfrac1{qd};\quad
          \texttt{he2}:\ \langle u_j,v\rangle^2-1,\ c=\tfrac1{2q},

so its even moments are rational for rational directions.  Indices may repeat.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, at_most, checked
from theorytools.errors import DomainError
from theorytools.tasks.sparse_regression import LINKS, Link
from theorytools.theory.gaussian_moments import sum_moments
from theorytools.theory.gaussian_polynomials import GaussianPolynomial

VARIANCES: dict[Link, int] = {"lin": 1, "sq": 2, "he2": 1}


@checked
@dataclass(frozen=True)
class LabelLaw:
    r"""A label of Definition 2 as a polynomial in Gaussian coordinates.

    Parameters
    ----------
    link : ``"lin"``, ``"sq"`` or ``"he2"``.
    indices : the tuple :math:`t_1,\dots,t_q`, positions from 0, repeats allowed.
    d : token dimension.
    u : one rational unit vector for all slots, or one per slot; unused by ``"sq"``.
    squared_scale : the rational :math:`c`; that of the link unless given.

    Raises
    ------
    DomainError
        For an unknown link, an empty tuple, or directions that are not rational unit vectors of length ``d``.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Definition 2, arXiv 2503.11272v1.

    Examples
    --------
    >>> LabelLaw("sq", (0, 1, 2), d=4).variance(), LabelLaw("sq", (5, 5, 5), d=4).variance()
    (Fraction(2, 1), Fraction(6, 1))
    """

    link: Link
    indices: tuple[int, ...]
    d: int
    u: Sequence[Fraction] | Sequence[Sequence[Fraction]] | None = None
    squared_scale: Fraction | None = None

    def __post_init__(self) -> None:
        if self.link not in LINKS or not self.indices or self.d < 1:
            raise DomainError(
                f"the link {self.link!r}, indices {self.indices}, d = {self.d}",
                required=f"one of {', '.join(LINKS)}, at least one index and d >= 1",
                why="Definition 2",
            )
        rows = [row for row in self._given if isinstance(row, Collection)]
        if len({len(row) for row in rows}) > 1:
            raise DomainError("directions of different lengths", required=f"rational unit vectors of length {self.d}")
        if self.link != "sq":
            for row in self._directions:
                if len(row) != self.d or sum(x * x for x in row) != 1:
                    raise DomainError(f"the direction {row}", required=f"a rational unit vector of length {self.d}")

    @property
    def q(self) -> int:
        """The number of slots."""
        return len(self.indices)

    @property
    def scale(self) -> Fraction:
        """The rational ``c`` in front of the square of the sum."""
        usual = {"lin": self.q, "sq": self.q * self.d, "he2": 2 * self.q}[self.link]
        return Fraction(1, usual) if self.squared_scale is None else self.squared_scale

    @property
    def _given(self) -> list[Any]:
        return [] if self.u is None else list(self.u)

    @cached_property
    def _directions(self) -> list[tuple[Fraction, ...]]:
        given = self._given
        single = not given or not isinstance(given[0], Collection)
        rows = [given] * self.q if single else given
        if len(rows) != self.q:
            raise DomainError(f"{len(rows)} directions", required=f"one, or one for each of {self.q} slots")
        return [tuple(map(Fraction, row)) for row in rows]

    def _term(self, slot: int, token: int) -> GaussianPolynomial:
        variables = range(token * self.d, (token + 1) * self.d)
        if self.link == "sq":
            squares: dict[tuple[tuple[int, int], ...], Fraction] = {((k, 2),): Fraction(1) for k in variables}
            return GaussianPolynomial(squares) - self.d
        z = GaussianPolynomial.linear(dict(zip(variables, self._directions[slot], strict=True)))
        return z if self.link == "lin" else z * z - 1

    @cached_property
    def polynomial(self) -> GaussianPolynomial:
        r"""The sum :math:`\sum_jf(x_{t_j})`; coordinate ``k`` of token ``i`` is variable ``i d + k``."""
        result = GaussianPolynomial({})
        for slot, token in enumerate(self.indices):
            result += self._term(slot, token)
        return result

    def variance(self) -> Fraction:
        """Return the variance of the label, by expanding its square."""
        return self.scale * self.polynomial.variance()

    @at_most(r=ENTRIES)
    def even_moment(self, r: NonNegativeInt) -> Fraction:
        r"""Return :math:`E\,y^r` for even ``r``: different tokens are independent, so their moments convolve.

        Parameters
        ----------
        r : the order, even.

        Returns
        -------
        Fraction : in the units of ``y`` to the power ``r``.

        Raises
        ------
        DomainError : an odd order.
        """
        if r % 2:
            raise DomainError(f"order {r}", required="an even order", why="odd ones carry a root of the scale")
        moments = [Fraction(1)] + [Fraction(0)] * r
        for token in sorted(set(self.indices)):
            own = GaussianPolynomial({})
            for slot in [j for j, t in enumerate(self.indices) if t == token]:
                own += self._term(slot, 0)
            moments = sum_moments(moments, own.moments(r))
        return self.scale ** (r // 2) * moments[r]

    def unexplained(self, tokens: Collection[int]) -> Fraction:
        r"""Return :math:`E\operatorname{Var}(y\mid x_i,i\in\text{tokens})`: what these tokens leave open.

        Parameters
        ----------
        tokens : positions, from 0.

        Returns
        -------
        Fraction : 0 where all indexed tokens are known.
        """
        known = {token * self.d + k for token in tokens for k in range(self.d)}
        return self.scale * (self.polynomial - self.polynomial.conditional_mean(known)).variance()
