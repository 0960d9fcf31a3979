"""Means of a few repeats with their t-intervals: of numbers, of logarithms, and differences of two means by Welch.

All are FITTED: they hold for independent repeats that are near Gaussian, or near log-normal for the geometric means.
Simulated at three, five and eight runs (``tools/estimators``, ``reports/estimators.json``), the interval of a mean
is too narrow where the repeats are skewed; much too narrow where one run in five does not learn, since all repeats may
then be alike and the interval a point; and too narrow where the repeats share a data set or a task, the more so the
more there are.  Two equally skewed sides cancel in a difference or a ratio, and a share by pairs does not.

References
----------
Welch (1947), Biometrika 34, 28-35.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from theorytools.arguments.checked import checked
from theorytools.claims.language.estimate import Recipe, fitted
from theorytools.errors import DomainError
from theorytools.numbers import portable

Interval = tuple[float, float]


@checked
def mean_interval(values: Sequence[float], level: float = 0.95) -> Interval:
    r"""Return :math:`\bar x\pm t_{r-1}s/\sqrt r`.

    Parameters
    ----------
    values : two or more finite repeats; equal repeats give an interval of one point.
    level : the confidence, between 0 and 1.

    Returns
    -------
    Interval : the mean and its two ends.

    Raises
    ------
    DomainError : fewer than two repeats, one that is not finite, or a level outside (0, 1).

    Examples
    --------
    >>> [round(end, 9) for end in mean_interval([1, 3], 0.5)]  # t_1 is Cauchy, with quartiles -1 and 1; s = sqrt(2)
    [1.0, 3.0]
    """
    x = _repeats(values, level)
    half = _quantile(len(x) - 1, level) * float(x.std(ddof=1)) / math.sqrt(len(x))
    return float(x.mean()) - half, float(x.mean()) + half


@checked
def difference_interval(first: Sequence[float], second: Sequence[float], level: float = 0.95) -> Interval:
    r"""Return Welch's t-interval of the first mean less the second.

    .. math:: \bar x-\bar y\pm t_\nu\sqrt{v_1+v_2},\qquad\nu=\frac{(v_1+v_2)^2}{v_1^2/(r_1-1)+v_2^2/(r_2-1)},
              \qquad v=s^2/r

    Parameters
    ----------
    first, second : two or more finite repeats each; equal repeats on both sides give an interval of one point.
    level : the confidence, between 0 and 1.

    Raises
    ------
    DomainError : as :func:`mean_interval`.

    Examples
    --------
    >>> difference_interval([1, 1], [0.5, 0.5])
    (0.5, 0.5)
    """
    x = [_repeats(values, level) for values in (first, second)]
    parts = [float(one.var(ddof=1)) / len(one) for one in x]
    middle = float(x[0].mean() - x[1].mean())
    if not sum(parts):
        return middle, middle
    free = sum(parts) ** 2 / sum(v**2 / (len(one) - 1) for v, one in zip(parts, x, strict=True))
    half = _quantile(free, level) * math.sqrt(sum(parts))
    return middle - half, middle + half


@checked
def geometric_interval(values: Sequence[float], level: float = 0.95) -> Interval:
    """Return the t-interval of the geometric mean: :func:`mean_interval` of the logarithms, for positive repeats."""
    return _exp(mean_interval(_logarithms(values, level), level))


@checked
def ratio_interval(above: Sequence[float], below: Sequence[float], level: float = 0.95) -> Interval:
    """Return the interval of a ratio of two geometric means: :func:`difference_interval` of the logarithms."""
    return _exp(difference_interval(_logarithms(above, level), _logarithms(below, level), level))


@checked
def repeat_mean(values: Sequence[float], level: float = 0.95) -> Recipe:
    """Return the mean as what a claim measures: FITTED, with its repeats counted."""
    return fitted(*mean_interval(values, level), level=level, repeats=len(values))


@checked
def geometric_mean(values: Sequence[float], level: float = 0.95) -> Recipe:
    """Return the geometric mean as what a claim measures: FITTED, with its repeats counted.

    Parameters
    ----------
    values : two or more positive repeats.
    level : the confidence of the interval, between 0 and 1.

    Returns
    -------
    Recipe : evidence FITTED.

    Raises
    ------
    DomainError : fewer than two repeats, one that is not positive, or a level outside (0, 1).

    Examples
    --------
    >>> from theorytools import Budget
    >>> low, high = next(geometric_mean([1, 4], 0.5).steps(0.0, Budget())).floats
    >>> low < 2 < high
    True
    """
    return fitted(*geometric_interval(values, level), level=level, repeats=len(values))


@checked
def mean_difference(first: Sequence[float], second: Sequence[float], level: float = 0.95) -> Recipe:
    """Return the difference of two means as what a claim measures: FITTED, with its repeats counted."""
    return fitted(*difference_interval(first, second, level), level=level, repeats=len(first) + len(second))


def _repeats(values: Sequence[float], level: float, sign: str = "finite") -> Any:
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or len(x) < 2 or not np.isfinite(x).all() or not 0 < level < 1:
        raise DomainError(f"{list(values)} at level {level}", required=f"two or more {sign} repeats, 0 < level < 1")
    return x


def _logarithms(values: Sequence[float], level: float) -> Any:
    x = _repeats(values, level, "positive")
    if not (x > 0).all():
        raise DomainError(f"{list(values)}", required="two or more positive repeats, 0 < level < 1")
    return portable.log(x)


def _quantile(free: float, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(free, (1 + level) / 2))


def _exp(ends: Interval) -> Interval:
    return float(portable.exp(ends[0])), float(portable.exp(ends[1]))
