r"""What heads whose scores read the tokens know about the variance of two selected tokens.

Selected tokens :math:`x_1,x_2\sim N(0,1)`, no attention elsewhere, scores :math:`\gamma x_i`; with
:math:`x_1-x_2=\sqrt2g` and the independent mean :math:`\bar x`

.. math:: f_\gamma=\frac{\sum x_ie^{\gamma x_i}}{\sum e^{\gamma x_i}}=\bar x+h_\gamma,\qquad
          h_\gamma=\tfrac g{\sqrt2}\tanh\tfrac{\gamma g}{\sqrt2},\qquad v=\tfrac12\sum(x_i-\bar x)^2=\tfrac{g^2}2 .

One head: the best :math:`\alpha f_\gamma+b` explains the share :math:`\operatorname{Cov}(v,h)^2/(\operatorname{Var}v
(\frac12+\operatorname{Var}h))` of :math:`\operatorname{Var}v=\frac12`; as :math:`\gamma\to\infty`, the largest of the
two tokens, :math:`\frac1{2(\pi-1)}`.  Two heads of opposite tilt give
:math:`(f_\gamma-f_{-\gamma})/(2\gamma)=h_\gamma/\gamma`, and :math:`|x-\tanh x|\le|x|^3/3` bounds the mean squared
error by :math:`\frac{35}{48}\gamma^4`.

References
----------
Wang, Wei, Hsu, Lee (2024), one-layer attention, arXiv 2406.06893v1; these targets and formulas are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theorytools.arguments.checked import Real, checked
from theorytools.arguments.values import checked_rational
from theorytools.numbers import Enclosure, between, integrate, pi

_END = 14  # beyond 14 deviations a Gaussian integral of what is integrated here is below 1e-35


@checked
@dataclass(frozen=True)
class TiltedHeads:
    r"""Heads of tilt :math:`\gamma`, a positive rational, on two selected Gaussian tokens.

    Values are enclosures at the ambient precision, by quadrature on :math:`[0,14]` and a bound of the rest.

    Examples
    --------
    >>> round(float(TiltedHeads(2).share()), 4)
    0.26
    """

    tilt: Real

    def __post_init__(self) -> None:
        checked_rational("tilt", self.tilt, lambda x: x > 0, required="tilt > 0", why="a head of tilt 0 reads no token")

    def share(self) -> Enclosure:
        r"""Return the share of :math:`\operatorname{Var}v` that the best :math:`\alpha f_\gamma+b` explains."""
        first = self._mean(lambda g: g * self._slope(g), 2)
        second = self._mean(lambda g: g**3 * self._slope(g), 4)
        square = self._mean(lambda g: g * g * self._slope(g) ** 2, 2)
        # h = g tanh(gamma g/sqrt 2)/sqrt 2: E h, E g^2 h, E h^2
        root = Enclosure(2).sqrt()
        mean, mixed = first / root, second / root
        covariance = (mixed - mean) / 2
        return 2 * covariance**2 / (Fraction(1, 2) + square / 2 - mean**2)

    def pair_error(self) -> Enclosure:
        r"""Return :math:`E(v-h_\gamma/\gamma)^2`, the error of two heads of opposite tilt."""
        scale = Enclosure(2).sqrt() / Fraction(self.tilt)
        # v - h/gamma = (g^2 - scale g tanh)/2, between 0 and g^2/2
        return self._mean(lambda g: (g * g - scale * g * self._slope(g)) ** 2, 4) / 4

    def _slope(self, g: Any) -> Any:
        return (g * (Enclosure(Fraction(self.tilt)) / Enclosure(2).sqrt())).tanh()

    @staticmethod
    def _mean(f: Callable[[Any], Any], order: int) -> Enclosure:
        r"""Return :math:`E f(g)` for an even ``f`` with :math:`0\le f\le|g|^r`, ``order`` :math:`r\le4`.

        The rest is at most :math:`2\int_R^\infty g^4\varphi\,dg\le2\varphi(R)(R^3+3R+3/R)`, by parts twice and
        :math:`Q(R)\le\varphi(R)/R`.
        """
        normal = (2 * pi()).sqrt()
        body = integrate(lambda g: f(g) * (-(g * g) / 2).exp(), 0, _END)
        rest = (Enclosure(-(_END**2)) / 2).exp() * (_END**3 + 3 * _END + Fraction(3, _END))
        return 2 * (body + between(0, rest)) / normal
