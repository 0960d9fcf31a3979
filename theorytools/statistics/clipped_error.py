r"""The squared error of one trained network on fresh prompts, with confidence limits that a record can keep.

The network is fixed before the prompts are drawn.  Errors are truncated at :math:`\tau`, and the upper limit adds a
bound of what that hides; the lower one needs none, since :math:`EZ\ge E\min(Z,\tau)`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from theorytools.claims.language.estimate import Recipe
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, at_precision, float_upper, pi
from theorytools.statistics.intervals import empirical_bernstein
from theorytools.statistics.sampled import recorded_interval


@dataclass(frozen=True)
class Limits:
    r"""A mean squared error: the sample's mean and variance, and the limits that hold with probability ``1 - alpha``.

    Parameters
    ----------
    mean, variance, count : of the untruncated errors of ``count`` independent prompts.
    low, high : both limits together miss with probability at most ``alpha``.
    """

    mean: float
    variance: float
    count: int
    low: float
    high: float
    alpha: float

    @classmethod
    def of(cls, errors: Any, alpha: float, *, tau: float, excess: float) -> Limits:
        r"""Return the limits from errors :math:`Z\ge0` of shape ``(n,)``, by the empirical-Bernstein bound.

        ``excess`` is at least :math:`E(Z-\tau)_+`, proved and not measured; ``tau`` is fixed before the draw.
        ``DomainError`` for a negative or missing error.
        """
        Z = np.asarray(errors, dtype=np.float64)
        low, high = empirical_bernstein(np.minimum(Z, tau), alpha, low=0.0, high=tau)
        top = math.nextafter(float(high) + excess, math.inf)  # one addition, rounded up
        return cls(float(Z.mean()), float(Z.var(ddof=1)), Z.size, float(low), top, alpha)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Limits:
        """Return the limits of a :meth:`to_json`."""
        return cls(**data)

    def to_json(self) -> dict[str, Any]:
        """Return JSON data."""
        return asdict(self)


def least_recorded(rows: Sequence[Limits]) -> Recipe:
    """Return the least error of several networks as a sampled quantity, from recorded limits.

    The smallest limits on each side hold jointly with probability one less the sum of the levels.  ``DomainError``
    without a row.
    """
    if not rows:
        raise DomainError("no recorded error", required="one network or more")
    ends = min(row.low for row in rows), min(row.high for row in rows)
    return recorded_interval(*ends, alpha=sum(row.alpha for row in rows), samples=sum(row.count for row in rows))


def clipped_gaussian_excess(clip: int, tau: int) -> float:
    r"""Return a bound of :math:`E(Z-\tau)_+`, :math:`Z=(y-\hat y)^2`, :math:`y\sim N(0,1)`, :math:`|\hat y|\le c`.

    As :math:`Z\le(c+|y|)^2`, with :math:`s=\sqrt\tau-c` and :math:`\tau\ge1+c^2`

    .. math:: E(Z-\tau)_+\le2\int_s^\infty\bigl((c+y)^2-\tau\bigr)\varphi(y)\,dy
              =2(s+2c)\varphi(s)+2(1+c^2-\tau)Q(s)\le2(s+2c)\varphi(s).

    It holds for averages of such errors too, since :math:`z\mapsto(z-\tau)_+` is convex.

    Raises
    ------
    DomainError : unless ``clip >= 1`` and ``tau > max(1, c)^2 + 1``.
    """
    if clip < 1 or tau <= clip**2 + 1:
        raise DomainError(f"clip = {clip}, tau = {tau}", required="clip >= 1 and tau > clip^2 + 1")

    def bound() -> Enclosure:
        s = Enclosure(tau).sqrt() - clip
        return 2 * (s + 2 * clip) * (-(s**2) / 2).exp() / (2 * pi()).sqrt()

    return float_upper(at_precision(64, bound).upper)
