r"""Moments of Gaussian vectors and chi-square variables, as integers where they are integers.

For :math:`x\sim N(0,I_d)`: :math:`\lVert x\rVert^2\sim\chi^2_d`, :math:`E\lVert x\rVert^{r+2}=(d+r)E\lVert x\rVert^r`
by integration by parts, so every moment of an integer order follows from :math:`E\lVert x\rVert` and 1.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, prod

from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, pi
from theorytools.numbers.special import gamma


def gaussian_moment(r: int) -> int:
    r"""Return :math:`E z^r` for :math:`z\sim N(0,1)`: :math:`(r-1)!!` for even ``r``, 0 for odd."""
    _order(r)
    return 0 if r % 2 else prod(range(1, r, 2))


def centred_chi_square_moments(k: int, last: int) -> list[int]:
    r"""Return :math:`\mu_r=E(\chi^2_k-k)^r` for :math:`r=0,\dots,` ``last``.

    :math:`\mu_{r+1}=2r(\mu_r+k\mu_{r-1})`: with :math:`Y=\chi^2_k-k`, Stein's identity of the gamma law,
    :math:`E\,Yf(Y)=2E(Y+k)f'(Y)`, at :math:`f(Y)=Y^r`.
    """
    _order(last, k)
    moments = [1, 0]
    for r in range(1, last):
        moments.append(2 * r * (moments[r] + k * moments[r - 1]))
    return moments[: last + 1]


def chi_square_deviation(k: int) -> Enclosure:
    r"""Return the mean deviation :math:`E|\chi^2_k-k|=4(k/2)^{k/2}e^{-k/2}/\Gamma(k/2)` at the ambient precision.

    With the density ``f`` of :math:`\chi^2_k`, :math:`(k-v)f(v)=2\frac{d}{dv}(vf(v))`, so that
    :math:`E(k-\chi^2_k)_+=2kf(k)`, half of the deviation.
    """
    _order(1, k)
    half = Enclosure(Fraction(k, 2))
    return 4 * half**half * (-half).exp() / gamma(half)


def norm_moments(d: int, last: int) -> list[Enclosure]:
    r"""Return :math:`E\lVert x\rVert^r`, :math:`x\sim N(0,I_d)`, for :math:`r=0,\dots,` ``last``.

    Even orders are integers.  Odd ones are integer multiples of

    .. math:: E\lVert x\rVert=\sqrt{\tfrac2\pi}\,\frac{4^m}{\binom{2m}m}\ (d=2m+1),\qquad
              E\lVert x\rVert=\sqrt{2\pi}\,\frac{m\binom{2m}m}{4^m}\ (d=2m),

    enclosed at the ambient precision.
    """
    _order(last, d)
    moments = [Enclosure(1), _mean_norm(d)]
    for r in range(last - 1):
        moments.append(moments[r] * (d + r))
    return moments[: last + 1]


def _mean_norm(d: int) -> Enclosure:
    m = d // 2
    if d % 2:
        return (2 / pi()).sqrt() * Fraction(4**m, comb(2 * m, m))
    return (2 * pi()).sqrt() * Fraction(m * comb(2 * m, m), 4**m)


def sum_moments(first: list[Fraction], second: list[Fraction]) -> list[Fraction]:
    r"""Return the moments of a sum of two independent variables: :math:`\sum_i\binom ria_ib_{r-i}`.

    Both lists hold the moments of orders 0, 1, …, and the result those known from both.
    """
    orders = range(min(len(first), len(second)))
    return [sum((comb(r, i) * first[i] * second[r - i] for i in range(r + 1)), Fraction(0)) for r in orders]


def _order(r: int, degrees: int = 1) -> None:
    if r < 0 or degrees < 1:
        raise DomainError(f"order {r}, {degrees} degrees of freedom", required="an order >= 0 and a dimension >= 1")
