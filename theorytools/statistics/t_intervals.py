r"""The geometric mean of a few repeats, with its t-interval: fitted, for repeats that are near log-normal."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from theorytools.arguments.checked import checked
from theorytools.claims.language.estimate import Recipe, fitted
from theorytools.errors import DomainError
from theorytools.numbers import portable


@checked
def geometric_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float]:
    r"""Return :math:`\exp(\bar\ell\pm t_{r-1}s/\sqrt r)` for :math:`\ell_i=\log n_i`.

    Parameters
    ----------
    values : two or more positive repeats; equal repeats give an interval of one point.
    level : the confidence, between 0 and 1.

    Raises
    ------
    DomainError : fewer than two repeats, one that is not positive and finite, or a level outside (0, 1).
    """
    from scipy.special import stdtrit

    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or len(x) < 2 or not (np.isfinite(x) & (x > 0)).all() or not 0 < level < 1:
        raise DomainError(f"{list(values)} at level {level}", required="two or more positive repeats, 0 < level < 1")
    logs = portable.log(x)
    half = float(stdtrit(len(x) - 1, (1 + level) / 2)) * float(logs.std(ddof=1)) / math.sqrt(len(x))
    return _exp(float(logs.mean()) - half), _exp(float(logs.mean()) + half)


@checked
def ratio_interval(above: Sequence[float], below: Sequence[float], level: float = 0.95) -> tuple[float, float]:
    r"""Return the interval of a ratio of two geometric means: Welch's t-interval for the difference of the logarithms.

    With variances :math:`v=s^2/r` the degrees of freedom are :math:`(v_1+v_2)^2/(v_1^2/(r_1-1)+v_2^2/(r_2-1))`.
    """
    from scipy.special import stdtrit

    for values in (above, below):
        geometric_interval(values, level)  # refuses what has no interval
    logs = [portable.log(np.asarray(values, dtype=np.float64)) for values in (above, below)]
    parts = [float(l.var(ddof=1)) / len(l) for l in logs]
    middle = float(logs[0].mean() - logs[1].mean())
    if not sum(parts):
        return _exp(middle), _exp(middle)
    free = sum(parts) ** 2 / sum(v**2 / (len(l) - 1) for v, l in zip(parts, logs, strict=True))
    half = float(stdtrit(free, (1 + level) / 2)) * math.sqrt(sum(parts))
    return _exp(middle - half), _exp(middle + half)


@checked
def geometric_mean(values: Sequence[float], level: float = 0.95) -> Recipe:
    """Return the geometric mean as what a claim measures: FITTED, with its repeats counted."""
    low, high = geometric_interval(values, level)
    return fitted(low, high, level=level, repeats=len(values))


def _exp(x: float) -> float:
    return float(portable.exp(x))
