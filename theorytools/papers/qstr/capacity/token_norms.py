r"""Long tokens are rare: a bound from moments alone, the laws that attain it, and what Gaussians do.

If :math:`\mathbb E[\|x\|^r]^{1/r}\le\sqrt{C_xdr}` for all :math:`r\ge1` (Assumption 1) and :math:`r_x^2\ge C_xed`, then

.. math:: \Pr\bigl(\max_{i\le n,j\le N}\|x_j^{(i)}\|\ge r_x\bigr)\le nN\exp\Bigl(-\frac{r_x^2}{2C_xed}\Bigr).

*Proof.*  Markov with :math:`r=r_x^2/(C_xed)\ge1`: :math:`\Pr(\|x\|\ge r_x)\le(C_xdr)^{r/2}r_x^{-r}=e^{-r/2}`; summed
over the tokens, dependent or not.  ∎

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 12 and Assumption 1, arXiv 2503.11272v1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import sympy

from theorytools.arguments.checked import Formula, NonNegativeInt, PositiveInt, Real, checked
from theorytools.claims.language.bound import Bound, expression
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, chi_square_tail, evaluate


@checked
def token_failure(r_x: Formula, *, n: Formula, N: Formula, d: Formula, C_x: Formula = 1) -> Bound:
    r"""Return :math:`nN\exp(-r_x^2/(2C_xed))`; it needs :math:`r_x^2\ge C_xed`."""
    r_x, n, N, d, C_x = (expression(value, "a letter of Lemma 12") for value in (r_x, n, N, d, C_x))
    return Bound(n * N * sympy.exp(-(r_x**2) / (2 * C_x * sympy.E * d)))


@checked
def token_radius(*, n: Formula, N: Formula, d: Formula, C_x: Formula = 1) -> sympy.Expr:
    r"""Return :math:`r_x=\sqrt{3C_xed\log(nN)}`, where the bound is :math:`(nN)^{-1/2}`; it needs :math:`nN\ge2`."""
    n, N, d, C_x = (expression(value, "a letter of Lemma 12") for value in (n, N, d, C_x))
    return sympy.sqrt(3 * C_x * sympy.E * d * sympy.log(n * N))


@checked
@dataclass(frozen=True)
class TwoPointTokens:
    r"""Tokens of length :math:`v` with a fixed probability, otherwise zero: the moments allow no more long ones.

    With :math:`\Pr(\|x\|=v)=1/K` and :math:`v^2=2C_xed\log K\ge C_xed`, Assumption 1 holds with equality at
    :math:`r=2\log K`, and :math:`\Pr(\|x\|\ge v)` is the bound.

    Parameters
    ----------
    d : token dimension.
    v2 : :math:`v^2`, a sympy expression without letters.
    mass : :math:`\Pr(\|x\|=v)`.
    joint : ``"independent"`` tokens, or ``"disjoint"``: never two long ones at once.
    """

    d: NonNegativeInt
    v2: sympy.Expr
    mass: Fraction
    joint: Literal["independent", "disjoint"] = "independent"

    def __post_init__(self) -> None:
        if not 0 < self.mass <= 1 or self.joint not in ("independent", "disjoint"):
            required = "0 < mass <= 1 and joint 'independent' or 'disjoint'"
            raise DomainError(f"mass = {self.mass}, joint = {self.joint!r}", required=required)

    @classmethod
    def sharp(cls, d: NonNegativeInt, C_x: Real, K: PositiveInt, joint: Any = "independent") -> TwoPointTokens:
        r"""Return the law with :math:`\Pr(\|x\|=v)=1/K` and :math:`v^2=2C_xed\log K`."""
        return cls(d, 2 * expression(C_x) * sympy.E * d * sympy.log(K), Fraction(1, K), joint)

    def moment_constant(self) -> Enclosure:
        r"""Return the least :math:`C_x` of Assumption 1, :math:`\sup_{r\ge1}\mathbb E[\|x\|^r]^{2/r}/(dr)`.

        :math:`v^2p^{2/r}/(dr)` increases up to :math:`r=2\log(1/p)`, where it is :math:`v^2/(edr)`, and then falls.
        """
        peak = 2 * sympy.log(1 / expression(self.mass))
        if (peak - 1).is_positive:
            return evaluate(self.v2 / (sympy.E * self.d * peak))
        return evaluate(self.v2 * expression(self.mass) ** 2 / self.d)

    def failure(self, count: NonNegativeInt, r_x: Real) -> Enclosure:
        r"""Return :math:`\Pr(\max\|x\|\ge r_x)` over ``count`` tokens.

        Raises
        ------
        DomainError : disjoint events of total probability above 1.
        """
        if self.joint == "disjoint" and count * self.mass > 1:
            raise DomainError(
                f"{count} disjoint events of probability {self.mass}",
                required="a total of at most 1",
                advice=f"K >= {count}",
            )
        if evaluate(self.v2 - expression(r_x) ** 2).certainly_lt(0):
            return Enclosure(0)
        return Enclosure(count * self.mass if self.joint == "disjoint" else 1 - (1 - self.mass) ** count)


@checked
@dataclass(frozen=True)
class GaussianTokens:
    r"""Independent Gaussian tokens, whose lengths have a chi-square tail; standard ones obey Assumption 1 with 1.

    *Proof.*  For :math:`2k-2<r\le2k`, :math:`\mathbb E[\|x\|^r]^{2/r}\le\mathbb E[\|x\|^{2k}]^{1/k}
    =(d(d+2)\cdots(d+2k-2))^{1/k}\le d\,(1\cdot3\cdots(2k-1))^{1/k}\le dk`, which is at most :math:`dr` for
    :math:`r\ge1`.  ∎

    Parameters
    ----------
    d : token dimension.
    variance : of each nonzero coordinate.
    directions : how many coordinates are not zero; all of them by default.
    """

    d: NonNegativeInt
    variance: Fraction | int = 1
    directions: int = 0

    def failure(self, count: NonNegativeInt, r2: Real) -> Enclosure:
        r"""Return :math:`1-(1-\Pr(\|x\|^2\ge r^2))^{\mathtt{count}}` at the ambient precision."""
        square = evaluate(expression(r2)) / self.variance
        tail = chi_square_tail(self.directions or self.d, square)
        return -((-tail).apply("log1p") * count).apply("expm1")
