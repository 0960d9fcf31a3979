r"""Runs at two levels: repeats within a world, which share what the world fixes, and worlds, which are independent.

The model is :math:`y_{wr}=\mu+\sigma_b\beta_w+\sigma_w\xi_{wr}` with independent standard Gaussians: the repeats of one
world tell :math:`\sigma_w`, and an interval from them alone says nothing of another world.  With the worlds as units
the :math:`k` world means have the interval of :func:`theorytools.statistics.t_intervals.mean_interval`, and one further
world's mean lies in :func:`further_interval`.  All are FITTED.

References
----------
Searle, Casella, McCulloch (1992), Variance Components, section 3.6, for the interval of the ratio.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from theorytools.arguments.checked import checked
from theorytools.claims.language.estimate import Recipe, fitted
from theorytools.errors import DomainError
from theorytools.statistics.t_intervals import Interval


@checked
def further_interval(values: Sequence[float], level: float = 0.95) -> Interval:
    r"""Return where one further value lies, :math:`\bar x\pm t_{k-1}\,s\sqrt{1+1/k}`.

    Parameters
    ----------
    values : two or more finite values, alike and independent of each other and of the further one.
    level : the probability that it lies there, between 0 and 1.

    Returns
    -------
    Interval : its two ends.

    Raises
    ------
    DomainError : fewer than two values, one that is not finite, or a level outside (0, 1).

    Examples
    --------
    >>> [round(end, 9) for end in further_interval([1, 3], 0.5)]  # t_1 has quartiles -1, 1; s sqrt(3/2) = sqrt(3)
    [0.267949192, 3.732050808]
    """
    from scipy.special import stdtrit

    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or len(x) < 2 or not np.isfinite(x).all() or not 0 < level < 1:
        raise DomainError(f"{list(values)} at level {level}", required="two or more finite values, 0 < level < 1")
    half = float(stdtrit(len(x) - 1, (1 + level) / 2)) * float(x.std(ddof=1)) * math.sqrt(1 + 1 / len(x))
    return float(x.mean()) - half, float(x.mean()) + half


@checked
def spread_ratio(cells: Sequence[Sequence[Sequence[float]]], level: float = 0.95) -> Recipe:
    r"""Return the ratio :math:`\sigma_b/\sigma_w` of worlds to repeats as what a claim measures: FITTED.

    With :math:`F` the mean square between the worlds of a cell over that within them, pooled over the cells,
    :math:`F/(1+r\,\sigma_b^2/\sigma_w^2)` has Fisher's distribution, so the ends are
    :math:`\sqrt{(F/f_\pm-1)_+/r}` with its quantiles :math:`f_\pm` of :math:`(1\pm\text{level})/2`.  A ratio is not
    negative: where :math:`F<f_+` the lower end is 0.

    Parameters
    ----------
    cells : for each cell (a size) its worlds, each with its repeats; numbers of worlds and of repeats are those of all.
    level : the confidence, between 0 and 1.

    Returns
    -------
    Recipe : evidence FITTED.

    Raises
    ------
    DomainError : fewer than two worlds or repeats, unequal numbers of them, a value that is not finite, worlds whose
        repeats are all equal (their spread is not told from 0), or a level outside (0, 1).

    Examples
    --------
    >>> from theorytools import Budget
    >>> made = spread_ratio([[[0.0, 0.1], [5.0, 5.1], [9.0, 9.1]]])
    >>> low, high = next(made.steps(0.0, Budget())).floats
    >>> 5 < low < 64 < high
    True
    """
    from scipy.special import fdtri

    sizes = {(len(cell), len(world)) for cell in cells for world in cell}
    if len(sizes) != 1 or min(*next(iter(sizes)), 0 < level < 1 and 2) < 2:
        raise DomainError(
            f"{len(cells)} cells of (worlds, repeats) {sorted(sizes)} at level {level}",
            required="equal numbers of worlds and repeats, two or more of each, 0 < level < 1",
            why="one mean square stands over another",
        )
    y = np.asarray(cells, dtype=np.float64)
    (cell_count, worlds, repeats), means = y.shape, y.mean(2)
    free, within = cell_count * (worlds - 1), cell_count * worlds * (repeats - 1)
    between = repeats * float(np.square(means - means.mean(1, keepdims=True)).sum()) / free
    noise = float(np.square(y - means[:, :, None]).sum()) / within
    if not (math.isfinite(between) and math.isfinite(noise) and noise > 0):
        raise DomainError(
            f"mean squares {between} between worlds and {noise} within", required="finite, the latter above 0",
            why="their ratio is what is asked for",
        )  # fmt: skip
    F = between / noise
    ends = [float(fdtri(free, within, (1 + sign * level) / 2)) for sign in (1, -1)]
    low, high = (math.sqrt(max(F / f - 1, 0.0) / repeats) for f in ends)
    return fitted(low, high, level=level, worlds=worlds, repeats=repeats, cells=cell_count)
