"""The difference of two means of a few repeats, with Welch's t-interval: fitted, for near Gaussian repeats."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from theorytools.claims.language.estimate import Recipe, fitted
from theorytools.statistics.repeat_means import mean_interval


def difference_interval(first: Sequence[float], second: Sequence[float], level: float = 0.95) -> tuple[float, float]:
    r"""Return Welch's t-interval of the first mean less the second.

    .. math:: \bar x-\bar y\pm t_\nu\sqrt{v_1+v_2},\qquad\nu=\frac{(v_1+v_2)^2}{v_1^2/(r_1-1)+v_2^2/(r_2-1)},
              \qquad v=s^2/r

    Parameters
    ----------
    first, second : two or more finite repeats each; equal repeats on both sides give an interval of one point.
    level : the confidence, between 0 and 1.

    Raises
    ------
    DomainError : as :func:`theorytools.statistics.repeat_means.mean_interval`.

    References
    ----------
    Welch (1947), Biometrika 34, 28-35.

    Examples
    --------
    >>> difference_interval([1, 1], [0.5, 0.5])
    (0.5, 0.5)
    """
    from scipy.special import stdtrit

    for values in (first, second):
        mean_interval(values, level)  # refuses what has no interval
    x = [np.asarray(values, dtype=np.float64) for values in (first, second)]
    parts = [float(one.var(ddof=1)) / len(one) for one in x]
    middle = float(x[0].mean() - x[1].mean())
    if not sum(parts):
        return middle, middle
    free = sum(parts) ** 2 / sum(v**2 / (len(one) - 1) for v, one in zip(parts, x, strict=True))
    half = float(stdtrit(free, (1 + level) / 2)) * math.sqrt(sum(parts))
    return middle - half, middle + half


def mean_difference(first: Sequence[float], second: Sequence[float], level: float = 0.95) -> Recipe:
    """Return the difference of two means as what a claim measures: FITTED, with its repeats counted."""
    low, high = difference_interval(first, second, level)
    return fitted(low, high, level=level, repeats=len(first) + len(second))
