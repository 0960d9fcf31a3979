r"""Moments of Gaussian vectors and chi-square variables, as integers where they are integers.

For :math:`x\sim N(0,I_d)`: :math:`\lVert x\rVert^2\sim\chi^2_d`, :math:`E\lVert x\rVert^{r+2}=(d+r)E\lVert x\rVert^r`
by integration by parts, so every moment of an integer order follows from :math:`E\lVert x\rVert` and 1.

How fast absolute moments grow: the supremum of :math:`E[|Y|^r]^{2/r}/r^s` over all real orders of an interval.

:math:`L(r)=\log E|Y|^r` is convex (Lyapunov), so between two orders :math:`a<b` where it is known it lies below its
chord :math:`\sigma r+c`, and

.. math:: \log\frac{E[|Y|^r]^{2/r}}{r^s}\le F(r)=2\sigma+\frac{2c}r-s\log r,\qquad F'(r)=-\frac{2c+sr}{r^2}:

the largest value on :math:`[a,b]` is at :math:`-2c/s` cut to the interval, at an end where the bound is the moment
itself or inside.  A supremum that lies at a known order is thereby enclosed as sharply as that moment is.

What a truncated squared error of a chi-square label hides when the prediction is clipped.

Polynomials in independent standard Gaussian variables, with exact expectations (Wick's theorem).

:math:`E\prod_kz_k^{r_k}=\prod_kE z_k^{r_k}`, :math:`E z^{2m}=(2m-1)!!`: coefficients in, fractions out.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import comb, factorial, prod
from typing import Any

from theorytools.arguments.checked import Count, Size, Steps, checked
from theorytools.claims.language.estimate import Recipe, enclosed_between
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, chi_square_tail, maximum, pi
from theorytools.numbers.polynomials import Monomial, Polynomial
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


@checked
@dataclass(frozen=True)
class KnownMoments:
    r"""A random variable :math:`\sqrt cY\ge0` or real, known by absolute moments of some integer orders.

    Parameters
    ----------
    moments : computes at the ambient precision :math:`E|Y|^r>0` by integer order ``r >= 1``, two orders or more.
    squared_scale : the rational :math:`c>0`.

    Examples
    --------
    >>> from theorytools.claims.language.estimate import Budget
    >>> from theorytools.claims.language.ladder import Ladder
    >>> growth = KnownMoments.gaussian_norm(1, 8).largest_ratio()  # at r = 1: 2/pi
    >>> print(Ladder(growth, 0.0, Budget()).at(0))
    0.63662
    """

    moments: Callable[[], Mapping[int, Enclosure]]
    squared_scale: Fraction = Fraction(1)

    @classmethod
    def gaussian_norm(cls, d: Count, last: int, squared_scale: Fraction = Fraction(1)) -> KnownMoments:
        r"""Return :math:`\sqrt c\lVert x\rVert`, :math:`x\sim N(0,I_d)`, with all orders up to ``last``."""
        return cls(lambda: dict(enumerate(norm_moments(d, last)[1:], start=1)), squared_scale)

    @classmethod
    def centred_chi_square(cls, k: int, last: Steps, squared_scale: Fraction = Fraction(1)) -> KnownMoments:
        r"""Return :math:`\sqrt c(\chi^2_k-k)` with the order 1 and the even ones up to ``last``."""
        even = {r: Enclosure(m) for r, m in enumerate(centred_chi_square_moments(k, last)) if r and r % 2 == 0}
        return cls(lambda: {1: chi_square_deviation(k), **even}, squared_scale)

    @classmethod
    def exponential(cls, last: int, squared_scale: Fraction = Fraction(1)) -> KnownMoments:
        r"""Return :math:`\sqrt cE`, ``E`` exponential of mean 1: :math:`E\,E^r=r!`."""
        return cls(lambda: {r: Enclosure(factorial(r)) for r in range(1, last + 1)}, squared_scale)

    def largest_ratio(self, s: int = 1, *, over: Size = 1) -> Recipe:
        r"""Return :math:`\sup_rE[|\sqrt cY|^r]^{2/r}/(\text{over}\cdot r^s)` over all real orders up to the last.

        The orders run from the smallest to the largest that is known.

        Raises
        ------
        DomainError
            For fewer than two orders, an order below 1, or ``s < 0``.
        """
        if s < 0:
            raise DomainError(f"s = {s}", required="s >= 0")
        factor = self.squared_scale / over

        def at_orders() -> Enclosure:
            return maximum(_value(L, r, s) for r, L in self._logs().items()).exp() * factor

        def everywhere() -> Enclosure:
            return maximum(_cell(a, b, s) for a, b in pairwise(self._logs().items())).exp() * factor

        return enclosed_between(at_orders, everywhere)

    def _logs(self) -> dict[int, Enclosure]:
        known = {r: value.log() for r, value in sorted(self.moments().items())}
        if len(known) < 2 or min(known) < 1:
            raise DomainError(f"moments of the orders {list(known)}", required="two orders or more, all >= 1")
        return known


def _value(L: Enclosure, r: int, s: int) -> Enclosure:
    return L * 2 / r - Enclosure(r).log() * s


def _cell(left: tuple[int, Enclosure], right: tuple[int, Enclosure], s: int) -> Enclosure:
    """An upper bound of the log-ratio between two neighbouring orders: the largest value of the chord's F."""
    (a, low), (b, high) = left, right
    slope = (high - low) / (b - a)
    intercept = low - slope * a
    at_end = maximum([_value(low, a, s), _value(high, b, s)])
    if s == 0:  # F is monotone
        return at_end
    peak = intercept * -2 / s
    if peak.certainly_le(a):
        return _value(low, a, s)
    if peak.certainly_lt(b) is False:
        return _value(high, b, s)
    # F(-2c/s), the largest value over all r > 0; where the peak may be <= 0 its logarithm is the whole line
    return maximum([at_end, slope * 2 - s - peak.log() * s])


@checked
def clipped_label_excess(k: Steps, limit: int) -> tuple[int, Enclosure]:
    r"""Return :math:`\tau` and a bound of :math:`E(Z-\tau)_+` that holds for every clipped prediction.

    Here :math:`Z=(y-\hat y)^2` for the label :math:`y=(\chi^2_k-k)/\sqrt k` and any prediction with
    :math:`-\sqrt k\le\hat y\le c`, right or wrong.  The error then lies between :math:`-\sqrt k-c` and
    :math:`\chi^2_k/\sqrt k`; so for :math:`\tau\ge(\sqrt k+c)^2` and :math:`s=\sqrt{k\tau}`

    .. math:: E(Z-\tau)_+\le E\bigl((\chi^2_k)^2/k-\tau\bigr)_+=(k+2)\Pr(\chi^2_{k+4}>s)-\tau\Pr(\chi^2_k>s) .

    Parameters
    ----------
    k : number of Gaussian coordinates in the label, ``q d``.
    limit : ``c``, a positive integer.

    Returns
    -------
    tau, excess : the smallest integer above :math:`(\sqrt k+c)^2`, and the bound at the ambient precision.

    Raises
    ------
    DomainError
        For ``k < 1`` or ``limit < 1``.
    """
    if k < 1 or limit < 1:
        raise DomainError(f"k = {k}, limit = {limit}", required="k >= 1 and limit >= 1")
    tau = k + limit**2 + math.isqrt(4 * k * limit**2) + 1
    s = (Enclosure(k) * tau).sqrt()
    return tau, (k + 2) * chi_square_tail(k + 4, s) - tau * chi_square_tail(k, s)


@checked
class GaussianPolynomial(Polynomial):
    r"""A polynomial in independent :math:`z_0,z_1,\dots\sim N(0,1)`.

    Parameters
    ----------
    terms : exact coefficients by monomial; a monomial lists (variable, exponent >= 1) in increasing order.

    Examples
    --------
    >>> z = GaussianPolynomial.variable(0)
    >>> (z * z - 1).variance()
    Fraction(2, 1)
    """

    __slots__ = ()

    def mean(self, moments: Callable[[int], Any] = gaussian_moment) -> Fraction:
        r"""Return the expectation, at other moments :math:`E z^r` of each variable if they are given."""
        return super().mean(moments)

    def covariance(self, other: GaussianPolynomial) -> Fraction:
        r"""Return :math:`E\,PQ-E\,P\,E\,Q`."""
        return (self * other).mean() - self.mean() * other.mean()

    def variance(self) -> Fraction:
        """Return the variance."""
        return self.covariance(self)

    def moments(self, last: Steps) -> list[Fraction]:
        r"""Return :math:`E\,P^r` for :math:`r=0,\dots,` ``last``."""
        powers = [GaussianPolynomial({(): Fraction(1)})]
        for _ in range(last):
            powers.append(powers[-1] * self)
        return [power.mean() for power in powers]

    def conditional_mean(self, known: Collection[int]) -> GaussianPolynomial:
        """Return the conditional expectation given the variables with numbers in ``known``."""
        terms: dict[Monomial, Fraction] = defaultdict(Fraction)
        for monomial, c in self.terms.items():
            kept = tuple((k, r) for k, r in monomial if k in known)
            terms[kept] += c * prod(gaussian_moment(r) for k, r in monomial if k not in known)
        return GaussianPolynomial(terms)
