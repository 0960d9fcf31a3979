r"""What Gaussian encodings of finite length leave of the loss, with the dual query, however long one trains.

Losses are relative to that of predicting 0: :math:`qL/d`.  With :math:`P=\Pr(\kappa\ge1)` the chance that an unselected
token scores at least as much as the selected ones,

.. math:: \frac P{q+1}\le\inf_{\alpha,\,\beta\ge0}\frac{qL}d\le\lim_{\beta\to\infty}\frac{qL}d\Big|_{\alpha=1}=(q+1)P .

*Lower bound.*  If :math:`\kappa\ge1` some unselected :math:`a_j` is at least the common selected weight ``a``, and
:math:`q[q(\alpha a-\frac1q)^2+\alpha^2a_j^2]\ge q\min_x[q(x-\frac1q)^2+x^2]=\frac1{q+1}`.  *Limit.*  Attention goes to
the selected tokens alike if :math:`\kappa<1`, to one unselected token if :math:`\kappa>1`, which costs
:math:`q(1+\frac1q)`.  ∎

For :math:`n=T-q=1` the off-score is :math:`\xi=\sqrt q\tan\varphi` with density proportional to
:math:`\cos^{\nu-1}\varphi`, :math:`\nu=d_e-q+1`, and at :math:`\alpha=1` the relative loss is one integral,
:math:`qL/d=(q+1)E(1+qe^{\beta(1-\xi)})^{-2}`.

References
----------
Wang, Wei, Hsu, Lee (2024), Finite encodings, arXiv 2406.06893v1 (derived here).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theorytools.arguments.checked import Real, checked
from theorytools.arguments.values import checked_integer, checked_rational
from theorytools.claims.language.estimate import Recipe, enclosed_between
from theorytools.errors import DomainError
from theorytools.numbers import (
    Enclosure,
    between,
    integrate,
    minimum,
    pi,
    working_precision,
)
from theorytools.papers.stsq.selection.cross_talk import separation_probability
from theorytools.papers.stsq.tasks.sparse_selection import checked_sizes


@checked
@dataclass(frozen=True)
class SelectionFloor:
    r"""The floor of the loss for Gaussian encodings redrawn for every example, dual query.

    Parameters
    ----------
    T, q, d_e : tokens, selected tokens, encoding dimension; ``1 <= q < T``, ``d_e >= q``.
    conditioned : draw the encodings conditionally on :math:`\kappa<1`; then nothing is left.

    Raises
    ------
    DomainError
        For sizes outside these ranges.
    """

    T: int
    q: int
    d_e: int
    conditioned: bool = False

    def __post_init__(self) -> None:
        checked_sizes(self.T, self.q)
        why = "the dual query needs independent encodings of the selected tokens"
        checked_integer("d_e", self.d_e, least=self.q, why=why)

    def failing(self) -> Enclosure:
        r"""Return :math:`P=\Pr(\kappa\ge1)` at the ambient precision."""
        return Enclosure(0) if self.conditioned else 1 - separation_probability(self.T, self.q, self.d_e)

    def limit(self) -> Enclosure:
        r"""Return the relative loss at :math:`\alpha=1` as :math:`\beta\to\infty`."""
        return self.failing() * (self.q + 1)

    def least(self) -> Recipe:
        r"""Return the least relative loss over all :math:`\alpha` and :math:`\beta\ge0`, between its two bounds."""
        one = Enclosure(1)
        return enclosed_between(lambda: self.failing() / (self.q + 1), lambda: minimum([one, self.limit()]))

    # -- one unselected token -----------------------------------------------------------------------------
    def loss(self, beta: Real) -> Enclosure:
        r"""Return the relative loss at :math:`\alpha=1` and rational :math:`\beta>0`, for ``T = q + 1``.

        Raises
        ------
        DomainError
            For another ``T``, conditioned encodings, or ``beta <= 0``.
        """
        if self.q + 1 != self.T or self.conditioned:
            raise DomainError(f"T = {self.T}, q = {self.q}", required="T = q + 1, unconditioned", why="one integral")
        b = checked_rational("beta", beta, lambda x: x > 0, required="beta > 0", why="the flow keeps it positive")
        root = Enclosure(self.q).sqrt()

        def leak(phi: Any) -> Any:
            return 1 / (1 + self.q * (b * (1 - root * phi.sin() / phi.cos())).exp())

        width = Fraction(working_precision()) / b  # beyond it the leak is below 2^-bits of 0 or of 1
        low, high = (_angle((1 + sign * width) / math.sqrt(self.q)) for sign in (-1, 1))
        middle = integrate(lambda phi: self._density(phi) * leak(phi) ** 2, low, high)
        below, above = (_tangent_leak(leak, phi) ** 2 for phi in (low, high))  # the leak grows with the score
        rest = self._mass(-pi() / 2, low) * between(0, below) + self._mass(high, pi() / 2) * between(above, 1)
        return (middle + rest) * (self.q + 1) / self._mass(-pi() / 2, pi() / 2)

    def density_at_one(self) -> Enclosure:
        r"""Return the density of the off-score at 1, for ``T = q + 1``."""
        q, nu = Enclosure(self.q), self.d_e - self.q + 1
        height = (1 + 1 / q) ** Fraction(-(nu + 1), 2)
        return height / (q.sqrt() * self._mass(-pi() / 2, pi() / 2))

    def _density(self, phi: Any) -> Any:
        return phi.cos() ** (self.d_e - self.q)

    def _mass(self, a: Any, b: Any) -> Enclosure:
        return integrate(self._density, a, b)


def _angle(tangent: float) -> Fraction:
    """Return a rational angle inside the right half circle, near that of this tangent."""
    return Fraction(math.atan(float(tangent))).limit_denominator(10**6) * Fraction(999_999, 10**6)


class _Real:
    """An enclosure with the sine and cosine that the integrand asks for."""

    def __init__(self, x: Fraction) -> None:
        self.x = Enclosure(x)

    def sin(self) -> Enclosure:
        return self.x.apply("sin")

    def cos(self) -> Enclosure:
        return self.x.apply("cos")


def _tangent_leak(leak: Any, phi: Fraction) -> Enclosure:
    result: Enclosure = leak(_Real(phi))
    return result
