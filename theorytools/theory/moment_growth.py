r"""How fast absolute moments grow: the supremum of :math:`E[|Y|^r]^{2/r}/r^s` over all real orders of an interval.

:math:`L(r)=\log E|Y|^r` is convex (Lyapunov), so between two orders :math:`a<b` where it is known it lies below its
chord :math:`\sigma r+c`, and

.. math:: \log\frac{E[|Y|^r]^{2/r}}{r^s}\le F(r)=2\sigma+\frac{2c}r-s\log r,\qquad F'(r)=-\frac{2c+sr}{r^2}:

the largest value on :math:`[a,b]` is at :math:`-2c/s` cut to the interval, at an end where the bound is the moment
itself or inside.  A supremum that lies at a known order is thereby enclosed as sharply as that moment is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import factorial

from theorytools.arguments.checked import STEPS, NonNegativeInt, PositiveInt, at_most, checked
from theorytools.claims.language.estimate import Recipe, enclosed_between
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, maximum
from theorytools.theory.gaussian_moments import centred_chi_square_moments, chi_square_deviation, norm_moments


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
    def gaussian_norm(cls, d: NonNegativeInt, last: int, squared_scale: Fraction = Fraction(1)) -> KnownMoments:
        r"""Return :math:`\sqrt c\lVert x\rVert`, :math:`x\sim N(0,I_d)`, with all orders up to ``last``."""
        return cls(lambda: dict(enumerate(norm_moments(d, last)[1:], start=1)), squared_scale)

    @classmethod
    @at_most(last=STEPS)
    def centred_chi_square(cls, k: int, last: NonNegativeInt, squared_scale: Fraction = Fraction(1)) -> KnownMoments:
        r"""Return :math:`\sqrt c(\chi^2_k-k)` with the order 1 and the even ones up to ``last``."""
        even = {r: Enclosure(m) for r, m in enumerate(centred_chi_square_moments(k, last)) if r and r % 2 == 0}
        return cls(lambda: {1: chi_square_deviation(k), **even}, squared_scale)

    @classmethod
    def exponential(cls, last: int, squared_scale: Fraction = Fraction(1)) -> KnownMoments:
        r"""Return :math:`\sqrt cE`, ``E`` exponential of mean 1: :math:`E\,E^r=r!`."""
        return cls(lambda: {r: Enclosure(factorial(r)) for r in range(1, last + 1)}, squared_scale)

    def largest_ratio(self, s: int = 1, *, over: PositiveInt = 1) -> Recipe:
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
