r"""Exponents of sample sizes: how fast the number of prompts ``n`` that a learner needs grows with a size ``N``.

Data are repeats of :math:`n(N)` at several sizes, and a repeat is an interval: a run evaluated every ``step`` prompts
that first succeeds at ``n`` needed more than ``n - step`` and at most ``n``; one stopped without success needed more
than the last ``n`` tried.  The model is :math:`\log n=a+b\log N+\sigma\xi` with Gaussian :math:`\xi`.  A size at which
every run was stopped leaves the window, and the result names it; single stopped runs never do, since leaving them out
makes a slope too small.  All results are FITTED: their intervals rest on the model.

Simulated on windows of three to five sizes (``tools/estimators``, ``reports/estimators.json``): where the runs of
one size share a data set, so that half the variance of :math:`\log n` is common to them, intervals whose noise is read
off the repeats, and those by likelihood, are much too narrow; ``noise="residuals"`` is not.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from theorytools.arguments.checked import Extended, checked
from theorytools.claims.language.estimate import Recipe, fitted
from theorytools.errors import DomainError
from theorytools.statistics.censored import CensoredSample, Repeats


@checked
@dataclass(frozen=True)
class SlopeFit:
    r"""A fitted exponent :math:`b` with its interval, and the window it was fitted on.

    Attributes
    ----------
    slope, low, high, level : the exponent, the ends of its interval (an end may be infinite), and the level.
    intercept, sigma : :math:`a` and the standard deviation of :math:`\log n` (of the means, for ``"residuals"``).
    window, lost : the sizes fitted, and those left out because every run was stopped (for :func:`mean_slope`, any run).
    method : ``"residuals"``, ``"repeats"``, ``"likelihood"`` or ``"intervals"``.

    Examples
    --------
    >>> fit = SlopeFit(1.0, 0.9, 1.1, 0.95, 0.0, 0.1, (4, 8, 16), (), "likelihood")
    >>> fit.recipe().evidence.name
    'FITTED'
    """

    slope: float
    low: Extended
    high: Extended
    level: float
    intercept: float
    sigma: float
    window: tuple[int | float, ...]
    lost: tuple[int | float, ...]
    method: str

    def recipe(self) -> Recipe:
        """Return the interval as what a claim measures, with its window: FITTED."""
        from theorytools.claims.language.slope import on_window

        made = fitted(self.low, self.high, level=self.level, method=self.method, lost=list(map(str, self.lost)))
        return on_window(made, self.window)


def checked_coverage(level: float) -> float:
    """Return the level of an interval when it is between 0 and 1; ``DomainError`` otherwise."""
    if not 0 < level < 1:
        raise DomainError(f"the level {level}", required="0 < level < 1", why="it is the probability to contain")
    return float(level)


@checked
def mean_slope(data: Repeats, *, level: float = 0.95, noise: Literal["residuals", "repeats"] = "residuals") -> SlopeFit:
    r"""Return the least-squares slope of the log geometric means, with a t-interval.

    The noise is read off the ``"residuals"`` of the means from their line (:math:`K-2` degrees of freedom; a curve
    that is no power widens it), or off the ``"repeats"`` within each size (:math:`\sum(r_i-1)`; right for the
    least-squares slope of any curve).  A size with a stopped run leaves the window, the whole of it; of an interval
    the geometric middle is taken, and a size with an end 0 leaves too.

    Raises
    ------
    DomainError
        If fewer than three sizes have all runs finished, or there are no repeats to read the noise off.
    """
    from scipy.special import stdtrit

    checked_coverage(level)
    spoiled = [
        size for size, a, b in zip(data.sizes, data.low, data.high, strict=True) if max(b) == math.inf or not min(a)
    ]
    sizes = [size for size in data.sizes if size not in spoiled]
    if len(sizes) < 3:
        raise DomainError(
            f"{len(sizes)} sizes whose runs have two positive ends", required="3 or more", advice="likelihood_slope",
        )  # fmt: skip
    rows = data.at(sizes)
    logs = [(np.log(a) + np.log(b)) / 2 for a, b in zip(rows.low, rows.high, strict=True)]
    x, y = np.log(np.asarray(sizes, dtype=np.float64)), np.asarray([row.mean() for row in logs])
    weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    slope = float(weights @ y)
    intercept = float(y.mean() - slope * x.mean())
    if noise == "residuals":
        free, variances = len(x) - 2, np.ones(len(x))
        squares = float(((y - intercept - slope * x) ** 2).sum())
    else:
        free, variances = sum(len(row) - 1 for row in logs), np.asarray([1 / len(row) for row in logs])
        squares = sum(float(((row - row.mean()) ** 2).sum()) for row in logs)
    if not free:
        raise DomainError("one run per size", required="repeats", advice='noise="residuals"')
    sigma = math.sqrt(squares / free)
    half = float(stdtrit(free, (1 + level) / 2)) * sigma * math.sqrt(float(weights**2 @ variances))
    return SlopeFit(slope, slope - half, slope + half, level, intercept, sigma, tuple(sizes), tuple(spoiled), noise)


@checked
def likelihood_slope(data: Repeats, *, level: float = 0.95) -> SlopeFit:
    r"""Return the slope of largest likelihood from intervals and stopped runs, with a profile-likelihood interval.

    Without censoring it is the least-squares slope over all runs with its t-interval (see
    :meth:`~theorytools.statistics.censored.CensoredSample.threshold`).  Of a curve that is no power, sizes with more
    finished runs then weigh more than in the least-squares slope of a prediction; :func:`local_slopes` shows how much
    that can be.

    Parameters
    ----------
    data : for each size, the intervals in which the runs finished or were stopped.
    level : the confidence of the interval, between 0 and 1.

    Returns
    -------
    SlopeFit : the slope of log n against log N, with its interval.

    Raises
    ------
    DomainError
        If fewer than three sizes have a finished run, or a power passes through every interval (then
        :func:`consistent_slopes` says which).

    Examples
    --------
    >>> cut = [[False, False], [False, False], [False, True]]
    >>> data = Repeats.observed([4, 8, 16], [[8, 9], [17, 15], [32, 32]], stopped=cut)
    >>> round(likelihood_slope(data).slope, 2)
    0.98
    """
    checked_coverage(level)
    rows = data.kept()
    sample = power_sample(rows)
    best = sample.maximise()
    low, high = sample.profile_interval(best, level)
    a, b = (float(v) for v in best.coefficients)
    return SlopeFit(b, low, high, level, a, best.sigma, rows.sizes, data.lost, "likelihood")


@checked
def consistent_slopes(data: Repeats) -> SlopeFit:
    r"""Return the range of exponents of all powers that pass through every interval, by linear programming.

    What coarse data without visible noise say: any :math:`aN^b` with :math:`b` outside it misses a run.  The slope is
    the middle, :math:`\sigma=0` and the level 1.

    Raises
    ------
    DomainError
        If no power passes through every interval; then there is noise, and :func:`likelihood_slope` applies.
    """
    from scipy.optimize import linprog

    rows = data.kept()
    sample = power_sample(rows)
    above, below = np.isfinite(sample.high), np.isfinite(sample.low)
    limits = np.concatenate([sample.X[above], -sample.X[below]])
    values = np.concatenate([sample.high[above], -sample.low[below]])
    solved = [linprog([0, sign], A_ub=limits, b_ub=values, bounds=(None, None)) for sign in (1, -1)]
    if any(result.status == 2 for result in solved):  # no feasible point
        raise DomainError("runs that no power passes through", required="no visible noise", advice="likelihood_slope")
    if any(result.status for result in solved):
        raise DomainError("runs that bound the exponent from one side only", required="two ends at more sizes")
    (_, low), (a, high) = (result.x for result in solved)
    return SlopeFit(
        float(low + high) / 2, float(low), float(high), 1.0, float(a), 0.0, rows.sizes, data.lost, "intervals"
    )


def power_sample(data: Repeats) -> CensoredSample:
    """Return the runs as a linear model of ``log n`` in ``1, log N``."""
    x, low, high = data.log_ends()
    return CensoredSample(low, high, np.column_stack([np.ones_like(x), x]))


@checked
def local_slopes(data: Repeats, *, level: float = 0.95) -> tuple[SlopeFit, ...]:
    r"""Return the slope between each two neighbouring sizes of the window, by likelihood, each with its interval.

    Every size has a mean of its own and all share :math:`\sigma`; a trend among the slopes is what one exponent cannot
    show.

    Raises
    ------
    DomainError
        If fewer than two sizes have a finished run, or the runs do not scatter by more than their resolution.
    """
    checked_coverage(level)
    rows, fits = data.kept(2), []
    line = power_sample(rows)
    x = line.X[:, 1]
    for pair in itertools.pairwise(rows.sizes):
        others = [x == np.log(float(size)) for size in rows.sizes if size not in pair]
        sample = CensoredSample(line.low, line.high, np.column_stack([line.X, *others]))
        best = sample.maximise()
        ends = sample.profile_interval(best, level)
        a, b = (float(v) for v in best.coefficients[:2])
        fits.append(SlopeFit(b, *ends, level, a, best.sigma, pair, data.lost, "likelihood"))
    return tuple(fits)
