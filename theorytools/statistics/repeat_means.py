"""The mean of a few repeats of a number of any sign, with its t-interval: fitted, for near Gaussian repeats."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from theorytools.arguments.checked import checked
from theorytools.claims.language.estimate import Recipe, fitted
from theorytools.errors import DomainError


@checked
def mean_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float]:
    r"""Return :math:`\bar x\pm t_{r-1}s/\sqrt r`.

    Parameters
    ----------
    values : two or more finite repeats; equal repeats give an interval of one point.
    level : the confidence, between 0 and 1.

    Raises
    ------
    DomainError : fewer than two repeats, one that is not finite, or a level outside (0, 1).

    Examples
    --------
    >>> [round(end, 9) for end in mean_interval([1, 3], 0.5)]  # t_1 is Cauchy, with quartiles -1 and 1; s = sqrt(2)
    [1.0, 3.0]
    """
    from scipy.special import stdtrit

    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or len(x) < 2 or not np.isfinite(x).all() or not 0 < level < 1:
        raise DomainError(f"{list(values)} at level {level}", required="two or more finite repeats, 0 < level < 1")
    half = float(stdtrit(len(x) - 1, (1 + level) / 2)) * float(x.std(ddof=1)) / math.sqrt(len(x))
    return float(x.mean()) - half, float(x.mean()) + half


@checked
def repeat_mean(values: Sequence[float], level: float = 0.95) -> Recipe:
    """Return the mean as what a claim measures: FITTED, with its repeats counted."""
    low, high = mean_interval(values, level)
    return fitted(low, high, level=level, repeats=len(values))
