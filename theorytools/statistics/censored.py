r"""Linear models whose observations are known between two ends: the maximum of the likelihood, and its profile.

:math:`y_i=x_i^\top\theta+\sigma\xi_i` with standard Gaussian :math:`\xi_i`, and of :math:`y_i` only
:math:`l_i\le y_i\le u_i` is known: :math:`l_i=u_i` is an exact observation, :math:`u_i=\infty` a run that was stopped.
In :math:`\delta=\theta/\sigma` and :math:`\gamma=1/\sigma` the log-likelihood

.. math:: \sum_{l_i<u_i}\log\{\Phi(\gamma u_i-x_i^\top\delta)-\Phi(\gamma l_i-x_i^\top\delta)\}
          +\sum_{l_i=u_i}\{\log\gamma-\tfrac12(\gamma l_i-x_i^\top\delta)^2-\tfrac12\log2\pi\}

is concave (Olsen (1978), Econometrica 46; Pratt (1981), JASA 76), so Newton's method finds its one maximum.

:class:`Repeats` holds such observations at several sizes: a run evaluated every ``step`` prompts that first succeeds
at ``n`` needed more than ``n - step`` and at most ``n``; one stopped without success, more than the last ``n`` tried.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Extended, checked, ranks
from theorytools.errors import DomainError

Floats = NDArray[np.float64]
Ends = tuple[tuple[Extended, ...], ...]
_LARGEST = 1e6  # residuals below 1e-6 of the spread of the data are taken for rounding, not for noise
_FLAT = 1e-9  # a scaled information below this does not determine the coefficients in doubles


@dataclass(frozen=True)
class Maximum:
    r"""Where the likelihood is largest: coefficients, :math:`\sigma`, and the log-likelihood there.

    ``errors`` are the standard errors of the coefficients from the observed information.
    """

    coefficients: Floats
    sigma: float
    log_likelihood: float
    errors: Floats


@dataclass(frozen=True)
class CensoredSample:
    r"""Observations ``low <= y <= high``, shape ``(n,)``, with the design ``X`` of shape ``(n, k)``.

    Raises
    ------
    DomainError
        For other shapes, NaN, an empty interval, an observation that says nothing, a design without full rank, or
        fewer than ``k + 1`` observations with a finite upper end.
    """

    low: Floats
    high: Floats
    X: Floats

    def __post_init__(self) -> None:
        low, high, X = (np.asarray(v, dtype=np.float64) for v in (self.low, self.high, self.X))
        for name, value in (("low", low), ("high", high), ("X", X)):
            object.__setattr__(self, name, value)
        if low.ndim != 1 or low.shape != high.shape or X.ndim != 2 or len(X) != len(low):
            given = f"ends of shapes {low.shape} and {high.shape}, a design of shape {X.shape}"
            raise DomainError(given, required="shapes (n,), (n,) and (n, k)")
        ordered = (low <= high) & (low < np.inf) & (high > -np.inf) & (np.isfinite(low) | np.isfinite(high))
        if not ordered.all():
            raise DomainError("observations that are not intervals", required="low <= high, one end finite, no NaN")
        if not np.isfinite(X).all() or np.linalg.matrix_rank(X) < X.shape[1]:
            raise DomainError(f"a design of shape {X.shape}", required="finite entries, full column rank")
        if self.known <= X.shape[1]:
            raise DomainError(f"{self.known} runs that finished", required=f"more than {X.shape[1]}")

    @property
    def known(self) -> int:
        """Number of observations with a finite upper end."""
        return int(np.isfinite(self.high).sum())

    @cached_property
    def exact(self) -> NDArray[np.bool_]:
        """Which observations are single numbers."""
        return np.asarray(self.low == self.high)

    @cached_property
    def _ends(self) -> tuple[Floats, Floats, NDArray[np.bool_], NDArray[np.bool_]]:
        """The linear maps from (delta, gamma) to the two arguments, and where these are finite."""
        below, above = np.isfinite(self.low), np.isfinite(self.high)
        lower = np.column_stack([-self.X, np.where(below, self.low, 0)])
        upper = np.column_stack([-self.X, np.where(above, self.high, 0)])
        return lower, upper, below, above

    def evaluate(self, theta: Floats) -> tuple[float, Floats, Floats]:
        r"""Return the log-likelihood at :math:`(\delta,\gamma)`, its gradient and its Hessian."""
        from scipy.special import log_ndtr

        gamma, k = theta[-1], len(theta)
        if not gamma > 0:
            return -math.inf, np.zeros(k), np.zeros((k, k))
        lower, upper, below, above = self._ends
        zl, zu = np.where(below, lower @ theta, -np.inf), np.where(above, upper @ theta, np.inf)
        flip = zl + zu > 0  # Phi(u) - Phi(l) = Phi(-l) - Phi(-u), so that the difference is of lower tails
        top, bottom = log_ndtr(np.where(flip, -zl, zu)), log_ndtr(np.where(flip, -zu, zl))
        with np.errstate(divide="ignore", invalid="ignore"):
            mass = np.where(self.exact, 0.0, top + np.log(-np.expm1(bottom - top)))
            density = [
                np.where(np.isfinite(z), np.exp(-(z**2) / 2 - math.log(2 * math.pi) / 2 - mass), 0.0) for z in (zl, zu)
            ]
        gl, gu = (np.where(self.exact, 0.0, g) for g in density)
        zl0, zu0 = np.where(below, zl, 0.0), np.where(above, zu, 0.0)
        slopes = gu[:, None] * upper - gl[:, None] * lower
        count, z, rows = int(self.exact.sum()), zl0[self.exact], lower[self.exact]
        value = mass.sum() + count * (math.log(gamma) - math.log(2 * math.pi) / 2) - (z @ z) / 2
        gradient = slopes.sum(axis=0) - z @ rows
        hessian = (lower * (zl0 * gl)[:, None]).T @ lower - (upper * (zu0 * gu)[:, None]).T @ upper
        hessian -= slopes.T @ slopes + rows.T @ rows
        gradient[-1] += count / gamma
        hessian[-1, -1] -= count / gamma**2
        return (float(value) if np.isfinite(value) else -math.inf), gradient, hessian

    def maximise(self) -> Maximum:
        """Return the maximum of the likelihood.

        Raises
        ------
        DomainError
            If a line passes through every observation, so that the likelihood has no maximum at a positive noise.
        """
        y = np.where(np.isfinite(self.low) & np.isfinite(self.high), (self.low + self.high) / 2, self.high)
        y = np.where(np.isfinite(y), y, self.low)
        known = np.isfinite(self.low) & np.isfinite(self.high)
        use = known if np.linalg.matrix_rank(self.X[known]) == self.X.shape[1] else np.ones_like(known)
        start = np.linalg.lstsq(self.X[use], y[use], rcond=None)[0]
        # shifting y by X theta changes the coefficients alone; here it keeps the digits of the noise
        offset = self.X @ start
        residual = y - offset
        scale = float(np.abs(y[use] - y[use].mean()).max()) or 1.0
        noise = max(float(np.sqrt(np.mean(residual[use] ** 2))), 1e-3 * scale)
        centred = CensoredSample(self.low - offset, self.high - offset, self.X)
        theta = centred._climb(np.append(0 * start, 1.0) / noise, scale)
        value, _, hessian = centred.evaluate(theta)
        if theta[-1] * scale > _LARGEST:
            raise _noiseless("a curve of this form passes through every observation")
        # where no line passes through all intervals, every line misses one, which has probability at most 1/2
        if not self.exact.any() and value > -math.log(2):
            raise _noiseless("a curve of this form passes through every interval")
        size = np.sqrt(np.maximum(np.diag(-hessian), 1e-300))
        if np.linalg.eigvalsh(-hessian / np.outer(size, size))[0] < _FLAT:
            raise DomainError("runs that bound a coefficient from one side only", required="two ends at more sizes")
        covariance = np.linalg.inv(-hessian)
        sigma, moved = 1 / theta[-1], theta[:-1] / theta[-1]
        # d(delta/gamma) = (d delta - coefficient d gamma) / gamma
        jacobian = np.column_stack([np.eye(len(moved)), -moved]) * sigma
        errors = np.sqrt(np.diag(jacobian @ covariance @ jacobian.T))
        return Maximum(start + moved, float(sigma), value, errors)

    def _climb(self, theta: Floats, scale: float) -> Floats:
        value, gradient, hessian = self.evaluate(theta)
        for _ in range(200):
            step = np.linalg.lstsq(-hessian, gradient, rcond=None)[0]
            gain, size = float(gradient @ step), 1.0  # twice what is left to gain, for a quadratic
            if gain <= 1e-14 * (1 + abs(value)):
                return theta + (step if self.evaluate(theta + step)[0] >= value else 0)
            while not (reached := self.evaluate(theta + size * step))[0] >= value + 1e-4 * size * gain:
                size /= 2
                if size < 1e-10:
                    return theta  # the gain left is below the rounding of the likelihood
            theta, (value, gradient, hessian) = theta + size * step, reached
            if theta[-1] * scale > 10 * _LARGEST:
                return theta  # refused by maximise, as is the next
            if not self.exact.any() and value > -1e-9:
                return theta
        raise DomainError("a likelihood whose maximum was not reached", required="fewer or better spread observations")

    def shifted(self, offset: Any) -> CensoredSample:
        """Return the sample of ``y - offset``, without the second column of the design."""
        return CensoredSample(self.low - offset, self.high - offset, np.delete(self.X, 1, axis=1))

    def deviance(self, best: Maximum, value: float) -> float:
        """Return twice the log-likelihood lost when the second coefficient is held at ``value``."""
        return 2 * (best.log_likelihood - self.shifted(value * self.X[:, 1]).maximise().log_likelihood)

    def threshold(self, level: float) -> float:
        r"""Return the deviance within which the interval of the second coefficient lies.

        :math:`m\log(1+t^2/(m-k))` with ``m`` finished runs and the quantile of Student's t with :math:`m-k` degrees of
        freedom: without censoring the deviance is :math:`m\log(1+T^2/(m-k))`, so the interval is the t-interval; with
        many runs it is the quantile of chi-square.
        """
        from scipy.special import stdtrit

        m, free = self.known, self.known - self.X.shape[1]
        return m * math.log1p(float(stdtrit(free, (1 + level) / 2)) ** 2 / free)

    def profile_interval(self, best: Maximum, level: float) -> tuple[float, float]:
        """Return where the deviance of the second coefficient stays within its threshold; infinite where it does."""
        from scipy.optimize import brentq

        most, centre = self.threshold(level), float(best.coefficients[1])
        ends = []
        for sign in (-1, 1):
            step = float(best.errors[1]) * math.sqrt(most)
            for _ in range(40):
                if self.deviance(best, centre + sign * step) > most:
                    found = brentq(
                        lambda h, sign=sign: self.deviance(best, centre + sign * h) - most, 0, step, xtol=1e-9 * step
                    )
                    ends.append(centre + sign * found)
                    break
                step *= 2
            else:
                ends.append(sign * math.inf)
        return ends[0], ends[1]


def _noiseless(given: str) -> DomainError:
    return DomainError(
        given,
        required="observations that scatter by more than their resolution",
        why="the likelihood has no maximum at a positive noise",
        advice="a finer grid, more repeats, consistent_slopes, or curve_slope for a curve that is known",
    )


@checked
@dataclass(frozen=True)
class Repeats:
    r"""Repeats of a positive number at increasing sizes, each known to lie between two ends.

    Attributes
    ----------
    sizes : increasing positive sizes.
    low, high : the ends, one row per size, one entry per repeat; ``high = inf`` for a run that was stopped, ``low = 0``
        for one that succeeded at once, ``low = high`` for an exact number.  :meth:`observed` makes them.

    Raises
    ------
    DomainError
        For sizes that do not increase, rows that do not fit, NaN, or an interval that is empty or says nothing.
    """

    sizes: tuple[int | float, ...]
    low: Ends
    high: Ends

    def __post_init__(self) -> None:
        sizes = list(self.sizes)
        if not sizes or sizes != sorted(set(sizes)) or not (sizes[0] > 0 and sizes[-1] < math.inf):
            raise DomainError(f"the sizes {sizes}", required="finite, positive and increasing")
        shapes = [[len(row) for row in rows] for rows in (self.low, self.high)]
        if shapes[0] != shapes[1] or len(shapes[0]) != len(sizes) or 0 in shapes[0]:
            raise DomainError(
                f"repeats {shapes[0]} and {shapes[1]}", required=f"rows for {len(sizes)} sizes, not empty"
            )
        for size, lows, highs in zip(sizes, self.low, self.high, strict=True):
            for a, b in zip(lows, highs, strict=True):
                if not (0 <= a <= b and a < math.inf and b > 0 and (a > 0 or b < math.inf)):
                    raise DomainError(
                        f"a repeat between {a} and {b} at size {size}", required="0 <= low <= high, known"
                    )

    @classmethod
    @ranks(step=1)
    def observed(
        cls, sizes: Sequence[int | float], values: Sequence[Sequence[float]], *,
        stopped: Sequence[Sequence[bool]] | None = None, step: float | Sequence[float] = 0,
    ) -> Repeats:  # fmt: skip
        """Return the repeats of runs that first succeeded, or were stopped, at ``values``.

        Parameters
        ----------
        sizes, values : the sizes, and one row of repeats for each.
        stopped : which runs were stopped without success; none unless given.
        step : how far apart a run was evaluated, one number or one per size; 0 for numbers that are known exactly.
        """
        if np.shape(step) not in ((), (len(sizes),)) or not len(sizes):
            given = f"{len(sizes)} sizes, step of shape {np.shape(step)}"
            raise DomainError(given, required="at least one size, and one step or one per size")
        steps = np.broadcast_to(np.asarray(step, dtype=np.float64), (len(sizes),))
        flags = [[False] * len(row) for row in values] if stopped is None else stopped
        if [len(row) for row in flags] != [len(row) for row in values] or len(values) != len(sizes) or min(steps) < 0:
            raise DomainError("values, stopped or step", required="one row per size, one flag per repeat, step >= 0")
        rows = [[(float(v), math.inf) if over else (float(v) - s, float(v)) for v, over in zip(row, flag, strict=True)]
                for row, flag, s in zip(values, flags, steps, strict=True)]  # fmt: skip
        low, high = (tuple(tuple(pair[end] for pair in row) for row in rows) for end in (0, 1))
        return cls(tuple(sizes), low, high)

    @property
    def lost(self) -> tuple[int | float, ...]:
        """The sizes at which every run was stopped."""
        return tuple(size for size, row in zip(self.sizes, self.high, strict=True) if min(row) == math.inf)

    def at(self, sizes: Sequence[int | float]) -> Repeats:
        """Return the repeats at these sizes alone."""
        other = [size for size in sizes if size not in self.sizes]
        if other:
            raise DomainError(f"the sizes {other[:8]}", required=f"some of {list(self.sizes)}")
        places = [self.sizes.index(size) for size in sizes]
        rows = [tuple(ends[place] for place in places) for ends in (self.low, self.high)]
        return Repeats(tuple(sizes), *rows)

    def kept(self, least: int = 3) -> Repeats:
        """Return the repeats at the sizes that stay in the window; ``DomainError`` if fewer than ``least`` do."""
        lost = self.lost
        sizes = [size for size in self.sizes if size not in lost]
        if len(sizes) < least:
            raise DomainError(
                f"{len(sizes)} sizes with a finished run (of {len(self.sizes)})", required=f"{least} or more",
                why="a slope needs a window", advice="more sizes, or a larger limit of n",
            )  # fmt: skip
        return self.at(sizes)

    def log_ends(self) -> tuple[Floats, Floats, Floats]:
        """Return ``log N`` and the logarithms of both ends, one entry per run."""
        counts = [len(row) for row in self.low]
        with np.errstate(divide="ignore"):
            low, high = (np.log(np.concatenate([np.asarray(row) for row in ends])) for ends in (self.low, self.high))
        return np.repeat(np.log(np.asarray(self.sizes, dtype=np.float64)), counts), low, high
