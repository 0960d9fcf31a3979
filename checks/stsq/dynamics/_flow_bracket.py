r"""The flow with trained :math:`\alpha` between two proved curves, for every time.

In :math:`(\alpha,p)` the flow of :class:`~theorytools.papers.stsq.selection.flow.SelectionFlow` is
:math:`\dot\alpha=2A(\alpha^*-\alpha)`, :math:`\dot p=r\alpha p^2\epsilon^2(1-\alpha c)`, :math:`r=2d/(qd_e)`.
Three facts hold for all sizes.  (i) :math:`\alpha^*\ge1` for :math:`p\ge q/T` and :math:`A\ge1/T`, so
:math:`\alpha(t)\ge1-e^{-2t/T}`.  (ii) :math:`\alpha\le\frac12(1+\sqrt{T/q})`, the largest :math:`\alpha^*`.
(iii) :math:`\alpha^*c=1-q\epsilon/D<1`, so :math:`\alpha c<1` is kept and :math:`p` grows.

The traps.  With :math:`p_r` where :math:`\alpha c\le\frac9{10}` by (ii), and :math:`K` so large that
:math:`\alpha_+(p_r)` is at least (ii),

.. math:: \alpha\le\alpha_+(p)=\alpha^*+\frac{Kq\epsilon^3}{cD}\quad(p\ge p_r),\qquad
          \alpha\ge\alpha_-(p)=\alpha^*-(\alpha^*-1+\eta)\Bigl(\frac\epsilon{\epsilon_s}\Bigr)^4\quad(p\ge p_s),

:math:`c(p_s)=\frac23`, :math:`\eta\ge e^{-2t/T}` at the time :math:`p_s` is reached.  The flow cannot leave where the
field points inward, that is where on :math:`\alpha_+` and on :math:`\alpha_-`

.. math:: 2A(\alpha_+-\alpha^*)+\alpha_+'\dot p>0,\qquad2A(\alpha^*-\alpha_-)-\alpha_-'\dot p>0 .

Both, divided by :math:`\epsilon^3`, are proved on balls that cover :math:`[p_r,1]` and :math:`[p_s,1]`.  Since
:math:`\alpha(1-\alpha c)` is concave in :math:`\alpha`, the speed lies between its values at the traps, and
:math:`t(p)=\int dp/\dot p` is enclosed by quadrature.

References
----------
Wang, Wei, Hsu, Lee (2024), Dynamics, arXiv 2406.06893v1; the traps are derived here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from theorytools.arguments.checked import Real, checked
from theorytools.arguments.values import quotient_safe
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import Enclosure, at_precision, between, float_upper, integrate, maximum
from theorytools.papers.stsq.selection.flow import SelectionFlow

_PIECES = 1 << 12
_BITS = 96
_TOP = Fraction(9, 10)  # alpha c at p_r, at most
_DECIMALS = 10**4


@checked
@dataclass(frozen=True)
class FlowBracket:
    r"""Two-sided bounds of time and loss along the jointly trained flow, at one size.

    Parameters
    ----------
    flow : the flow; its traps hold where :math:`\alpha` relaxes faster than the attention moves, roughly
        :math:`d_e\ge2d`.

    Raises
    ------
    CertificateError
        If the field does not provably point inward on a trap.
    """

    flow: SelectionFlow

    def __post_init__(self) -> None:
        at_precision(_BITS, self._prove)

    # -- the constants, all rational ----------------------------------------------------------------------
    @cached_property
    def largest(self) -> Fraction:
        r"""A rational upper bound of :math:`\frac12(1+\sqrt{T/q})`."""
        root = Fraction(math.isqrt(_DECIMALS**2 * self.flow.T // self.flow.q) + 1, _DECIMALS)
        return (1 + root) / 2

    @cached_property
    def entry(self) -> Fraction:
        r""":math:`p_r`, where the upper trap begins."""
        return _down((self.flow.q + self.flow.n * _TOP / self.largest) / self.flow.T)

    @cached_property
    def settled(self) -> Fraction:
        r""":math:`p_s`, where the lower trap begins: :math:`c(p_s)=\frac23`."""
        return Fraction(self.flow.q + Fraction(2 * self.flow.n, 3)) / self.flow.T

    @cached_property
    def K(self) -> Fraction:
        """The constant of the upper trap."""
        f, p = self.flow, self.entry
        needed = (self.largest - f.best_alpha(p)) * f.excess(p) * f.spread(p) / (f.q * (1 - p) ** 3)
        return -_down(-max(needed, Fraction(9, 8) * f.d / Fraction(f.d_e)))

    @cached_property
    def eta(self) -> Fraction:
        r"""A rational upper bound of :math:`1-\alpha` when :math:`p_s` is reached, by (i)."""
        late = at_precision(_BITS, lambda: (self._crude_time(self.settled) * Fraction(-2, self.flow.T)).exp())
        return -_down(-Fraction(float_upper(late.upper)))

    # -- the traps ----------------------------------------------------------------------------------------
    def upper_alpha(self, p: Real) -> Any:
        r"""Return :math:`\alpha_+(p)`."""
        p = quotient_safe(p)
        f, e = self.flow, 1 - p
        return f.best_alpha(p) + self.K * f.q * e * e * e / (f.excess(p) * f.spread(p))

    def lower_alpha(self, p: Real) -> Any:
        r"""Return :math:`\alpha_-(p)`."""
        p = quotient_safe(p)
        best, share = self.flow.best_alpha(p), (1 - p) / (1 - self.settled)
        return best - (best - 1 + self.eta) * share * share * share * share

    def inward_above(self, p: Real) -> Any:
        r"""Return :math:`[2A(\alpha_+-\alpha^*)+\alpha_+'\dot p]/\epsilon^3` on the upper trap, by hand."""
        p = quotient_safe(p)
        f, e = self.flow, 1 - p
        c, D = f.excess(p), f.spread(p)
        slope = Fraction(f.T, f.n) * D + c * 2 * (f.n * p - f.q * e)  # (cD)'
        bend = self._best_slope(p) - self.K * f.q * e * e * (3 + e * slope / (c * D)) / (c * D)
        moved = f.rate * self.upper_alpha(p) * p * p * f.q / D * (1 - self.K * e * e)
        return 2 * f.norm(p) * self.K * f.q / (c * D) + bend * moved

    def inward_below(self, p: Real) -> Any:
        r"""Return :math:`[2A(\alpha^*-\alpha_-)-\alpha_-'\dot p]/\epsilon^3` on the lower trap, by hand."""
        p = quotient_safe(p)
        f, e, e_s = self.flow, 1 - p, 1 - self.settled
        c, D = f.excess(p), f.spread(p)
        rise = e * (f.n * p - f.q * e) / D + self.eta  # alpha^* - 1 + eta
        cubic = rise / e_s**4  # the gap over eps^4
        slope = self._best_slope(p) * (1 - e * e * e * e / e_s**4) + 4 * cubic * e * e * e
        moved = f.rate * self.lower_alpha(p) * p * p * (f.q / D + c * cubic * e * e * e)
        return 2 * f.norm(p) * cubic * e - slope * moved

    def _best_slope(self, p: Any) -> Any:
        D = self.flow.spread(p)
        return self.flow.n * (self.flow.q - self.flow.T * p * p) / (D * D)

    def _prove(self) -> None:
        if self.eta > Fraction(1, 4) or self.entry >= self.settled:
            raise self._refused(f"alpha may be {float(1 - self.eta):.3g} when c = 2/3")
        # alpha_- >= 1/(2c), so that the speed falls with alpha between the traps
        _positive(lambda p: 2 * self.flow.excess(p) * self.lower_alpha(p) - 1, self.settled, self._refused)
        _positive(self.inward_above, self.entry, self._refused)
        _positive(self.inward_below, self.settled, self._refused)

    def _refused(self, where: str) -> CertificateError:
        f = self.flow
        return CertificateError(
            f"T = {f.T}, q = {f.q}, d = {f.d}, d_e = {f.d_e}", required="a field that points into the traps",
            why=f"not proved: {where}", advice="take d_e larger against d; the traps need alpha to relax first",
        )  # fmt: skip

    # -- what follows -------------------------------------------------------------------------------------
    def times(self, masses: Sequence[Real]) -> list[tuple[Enclosure, Enclosure]]:
        """Return bounds ``(low, high)`` of the times at which the flow reaches increasing rational masses above p_s."""
        stops = [self.settled, *masses]
        for a, b in pairwise(stops):
            if not Enclosure(a).certainly_lt(self.flow.checked_mass(b)):
                raise DomainError(f"p = {b} after {a}", required="increasing masses", why="both traps hold above p_s")
        low, high, found = self._crude_time(self.settled), self._latest_start(), []
        for a, b in pairwise(stops):
            low, high = low + self._passage(self._lower_speed, a, b), high + self._passage(self._upper_speed, a, b)
            found.append((low, high))
        return found

    def loss(self, p: Real) -> tuple[Any, Any]:
        r"""Return bounds ``(low, high)`` of the loss when the flow is at :math:`p>p_s`; exact for rational ``p``."""
        f = self.flow
        ends = [Enclosure(f.loss(alpha(p), p)) for alpha in (self.lower_alpha, self.upper_alpha)]
        return f.loss(f.best_alpha(p), p), maximum(ends)

    def _passage(self, speed: Callable[[Any], Any], a: Any, b: Any) -> Enclosure:
        r"""The time from ``a`` to ``b`` at the speed :math:`rp^2\epsilon^2v(\epsilon)`.

        In :math:`\epsilon`, without cancellation: balls around :math:`1-p` lose digits and quadrature its speed.
        """

        def slowness(e: Any) -> Any:
            p = 1 - e
            return 1 / (p * p * e * e * speed(e))

        return integrate(slowness, 1 - b, 1 - a) / self.flow.rate

    def _upper_speed(self, e: Any) -> Any:
        r""":math:`\alpha(1-\alpha c)` on the upper trap."""
        n, q, p = self.flow.n, self.flow.q, 1 - e
        c, D = 1 - e * Fraction(self.flow.T, n), n * p * p + q * e * e
        return (n * p + self.K * q * e * e * e / c) * q * e * (1 - self.K * e * e) / (D * D)

    def _lower_speed(self, e: Any) -> Any:
        r""":math:`\alpha(1-\alpha c)` on the lower trap."""
        n, q, p = self.flow.n, self.flow.q, 1 - e
        c, D = 1 - e * Fraction(self.flow.T, n), n * p * p + q * e * e
        gap = (e * (n * p - q * e) / D + self.eta) / (1 - self.settled) ** 4 * e * e * e * e
        return (n * p / D - gap) * (q * e / D + c * gap)

    def _flat_speed(self, alpha: Fraction) -> Callable[[Any], Any]:
        return lambda e: alpha * (1 - alpha + alpha * e * Fraction(self.flow.T, self.flow.n))

    def _crude_time(self, p: Fraction) -> Enclosure:
        r"""A lower bound of the time to reach ``p``: :math:`\alpha(1-\alpha c)\le\max\alpha`."""

        def G(p: Fraction) -> Enclosure:
            return 2 * Enclosure(p / (1 - p)).log() - 1 / p + 1 / (1 - p)

        return (G(p) - G(self.flow.start)) / (self.flow.rate * self.largest)

    def _latest_start(self) -> Enclosure:
        r"""An upper bound of the time to reach :math:`p_s`: after :math:`\frac T2\log2`, :math:`\alpha\ge\frac12`.

        The speed is at least the smaller of its values at the two ends of the range of alpha, so the time is at most
        the sum of both; where :math:`c(\frac12+\max\alpha)\le1` the smaller is that at one half.
        """
        half, f = Fraction(1, 2), self.flow
        turn = min(_down((f.q + f.n / (half + self.largest)) / f.T), self.entry)
        wait = Enclosure(2).log() * f.T / 2 + self._passage(self._flat_speed(half), f.start, self.settled)
        early = self._passage(self._flat_speed(self.largest), turn, self.entry)
        return wait + early + self._passage(self._upper_speed, self.entry, self.settled)


def _down(x: Fraction) -> Fraction:
    return Fraction(math.floor(x * _DECIMALS), _DECIMALS)


def _positive(f: Callable[[Enclosure], Any], a: Fraction, refused: Callable[[str], CertificateError]) -> None:
    """Prove ``f > 0`` on ``[a, 1]`` by halving until every piece is decided."""
    pieces, tried = [(a, Fraction(1))], 0
    while pieces:
        low, high = pieces.pop()
        tried += 1
        if Enclosure(0).certainly_lt(f(between(low, high))):
            continue
        middle = (low + high) / 2
        if tried > _PIECES or Enclosure(f(middle)).certainly_le(0):
            raise refused(f"p near {float(middle):.6g}")
        pieces += [(low, middle), (middle, high)]
