r"""Confidence intervals with a proved error probability, vectorised over independent repetitions.

Every function returns ``(low, high)`` that misses with probability at most ``alpha`` for every law its
docstring admits, rounding included: tails are bounded at the returned ends, never read off an inverse.  An
interval for fixed ``n`` may be read at sizes :math:`n_1<n_2<\dots` chosen in advance when look :math:`j` is
taken at level :math:`\alpha/(j(j+1))`: these add up to at most ``alpha``, so all looks hold jointly.

In comments :math:`u=2^{-53}`, :math:`\gamma_k=ku/(1-ku)`; a sum of ``n`` non-negative doubles, added in any
order, has relative error at most :math:`\gamma_{n-1}` (Higham (2002), section 4.2).

The empirical-Bernstein bound.  For :math:`x_t\in[0,1]` with conditional mean :math:`\mu`, bets
:math:`\lambda_t\in(0,1)` and centres :math:`\hat\mu_{t-1}\in[0,1]` that depend on the past only, and
:math:`\psi(\lambda)=-\log(1-\lambda)-\lambda`, the two processes

.. math:: \prod_{t\le n}\exp\{\pm\lambda_t(x_t-\mu)-(x_t-\hat\mu_{t-1})^2\psi(\lambda_t)\}

are supermartingales, because :math:`e^{\lambda y-y^2\psi(\lambda)}\le1+\lambda y` for :math:`y\ge-1` (Fan,
Grama and Liu (2015), Lemma 4.1), taken at :math:`y=\pm(x_t-\hat\mu_{t-1})`, has conditional mean
:math:`1\pm\lambda(\mu-\hat\mu_{t-1})\le e^{\pm\lambda(\mu-\hat\mu_{t-1})}`.  Markov's inequality (one ``n``)
or Ville's (all ``n`` at once) on each side gives, with probability :math:`1-\alpha`,

.. math:: \Bigl|\mu-\frac{\sum\lambda_tx_t}{\sum\lambda_t}\Bigr|\le
    \frac{\log(2/\alpha)+\sum(x_t-\hat\mu_{t-1})^2\psi(\lambda_t)}{\sum\lambda_t}.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import DomainError
from theorytools.numbers import portable

Floats = NDArray[np.float64]
_U = 2.0**-53
_CAP = 0.75  # the largest bet; any value in (0, 1) is valid
_TRUST = 1 - 2.0**-20  # tails are brought below this multiple of the level, so they may err by 9e-7


def checked_level(alpha: float) -> float:
    """Return ``alpha`` when it is an error probability, ``0 < alpha < 1``; ``DomainError`` otherwise."""
    if not 0 < alpha < 1:
        raise DomainError(f"alpha = {alpha}", required="0 < alpha < 1", why="it is the probability to miss")
    return float(alpha)


def epoch_level(alpha: float, epoch: int) -> float:
    r"""Return :math:`\alpha/(j(j+1))`, the level of look number ``epoch`` = 1, 2, …"""
    return checked_level(alpha) / (epoch * (epoch + 1))


def checked_range(samples: Any, low: float, high: float) -> Floats:
    """Return ``samples`` as doubles when all lie in ``[low, high]``; ``DomainError`` counts the others."""
    if not 1e-290 < high - low < math.inf:
        raise DomainError(f"the range [{low}, {high}]", required="finite ends, low < high (by 1e-290 at least)")
    x = np.asarray(samples, dtype=np.float64)
    outside = ~((x >= low) & (x <= high))  # NaN counts
    if outside.any():
        raise DomainError(
            f"{outside.sum()} of {x.size} draws not in [{low:.17g}, {high:.17g}], first {x[outside][0]:.17g}",
            required="draws of a law bounded in advance, as the empirical-Bernstein bound asks",
            advice="state the range of the law (never the largest draw), or use lower_mean",
        )
    return x


def empirical_bernstein(
    samples: Any, alpha: float, *, low: float, high: float, sides: int = 2
) -> tuple[Floats, Floats]:
    r"""The mean of variables bounded in ``[low, high]``, at one sample size chosen in advance.

    The bound above with :math:`\lambda_t=\sqrt{2\log(2/\alpha)/(n\hat\sigma^2_{t-1})}\wedge\tfrac34`; its
    half-width is about :math:`\sigma\sqrt{2\log(2/\alpha)/n}`.

    Parameters
    ----------
    samples, alpha : array_like, float
        Shape ``(..., n)``, independent along the last axis; the error probability of each interval.
    low, high, sides : float, float, int
        The range of the law (not of the sample); 2, or 1 for a lower limit alone (the upper is ``high``).

    Raises
    ------
    DomainError
        If a sample is NaN or outside ``[low, high]``.

    References
    ----------
    Waudby-Smith and Ramdas (2024), Theorem 2, arXiv 2010.09686.
    """
    x, log_term = _unit(samples, alpha, low, high, sides)
    bets, gains, costs = (part.sum(axis=-1) for part in _parts(x, log_term, x.shape[-1]))
    return _ends(bets, gains, costs, log_term, x.shape[-1], low, high, sides)


def _unit(samples: Any, alpha: float, low: float, high: float, sides: int) -> tuple[Floats, float]:
    x = checked_range(samples, low, high)
    if sides not in (1, 2) or x.ndim == 0 or x.shape[-1] == 0:
        raise DomainError(f"sides = {sides}, shape {x.shape}", required="1 or 2, shape (..., n), n >= 1")
    # rounding is monotone, so the quotient stays in [0, 1]
    return (x - low) / (high - low), float(portable.log(sides / checked_level(alpha)))


def _parts(x: Floats, log_term: float, horizon: int) -> tuple[Floats, Floats, Floats]:
    """Return the bets, the bets times the samples, and the costs ``(x - mean)^2 psi(bet)``.

    The bets and centres in use are the doubles computed from the past, so rounding inside them is harmless.
    """
    t = np.arange(1, x.shape[-1] + 1)
    mean = (0.5 + np.cumsum(x, axis=-1)) / (t + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2, axis=-1)) / (t + 1)
    start = np.ones_like(x[..., :1])
    mean = np.concatenate([start / 2, mean[..., :-1]], axis=-1)
    variance = np.concatenate([start / 4, variance[..., :-1]], axis=-1)
    bets = np.minimum(np.sqrt(2 * log_term / (variance * horizon)), _CAP)
    return bets, bets * x, (x - mean) ** 2 * (-portable.log1p(-bets) - bets)


def _ends(
    bets: Floats, gains: Floats, costs: Floats, log_term: float, n: Any, low: float, high: float, sides: int
) -> tuple[Floats, Floats]:
    r"""Return the interval on the scale of the samples, widened for rounding and cut to ``[low, high]``.

    The theorem holds for the doubles ``x``, whose mean is within :math:`\gamma_3` of the scaled mean.  The
    centre (two sums, a division) is off by :math:`\gamma_{2n+2}`; the margin, where it is below 1.1 and so
    matters, by :math:`1.1\gamma_{2n+8}`, and by 15u since the cancellation in :math:`\psi` costs at most
    :math:`8u|\log(1-\lambda)|\le15u\lambda` (``log1p`` within 4 units in the last place).  Together less than
    (5n + 48)u; scaling back adds a few roundings of numbers below ``max(|low|, |high|)``.
    """
    centre, margin = gains / bets, (log_term + costs) / bets
    allowance = (5 * n + 48) * _U * (high - low) + 4 * _U * max(abs(low), abs(high))
    lower = low + (high - low) * (centre - margin) - allowance
    upper = low + (high - low) * (centre + margin) + allowance if sides == 2 else np.full_like(lower, high)
    return np.maximum(lower, low), np.minimum(upper, high)


def clopper_pearson(successes: Any, n: int, alpha: float) -> tuple[Floats, Floats]:
    r"""A proportion from ``successes`` in ``n`` independent trials: exact tails, ``alpha/2`` on each side.

    The lower end solves :math:`\Pr(\mathrm{Bin}(n,p)\ge k)=I_p(k,n-k+1)=\alpha/2` (0 at :math:`k=0`); the
    upper end is one minus the lower end for the failures (Clopper and Pearson (1934), Biometrika 26).
    """
    from scipy.special import betainc, betaincinv

    k = np.asarray(successes, dtype=np.float64)
    if n < 1 or not np.all((k >= 0) & (k <= n) & (k == np.floor(k))):
        raise DomainError(f"{successes!r} successes of {n}", required="integers, 0 <= successes <= n, n >= 1")
    level = checked_level(alpha) / 2 * _TRUST

    def lower(k: Floats) -> Floats:
        a, b = np.maximum(k, 1), n - np.maximum(k, 1) + 1
        end = _outward(betaincinv(a, b, level), lambda p: betainc(a, b, p), level, -1)
        return np.where(k == 0, 0.0, end)

    return lower(k), np.minimum(np.nextafter(1 - lower(n - k), 2), 1)


def _outward(start: Any, tail: Callable[[Any], Any], level: float, direction: int) -> Any:
    """Move ``start`` away by factors ``1 ± 2^-46``, ``1 ± 2^-45``, … until ``tail`` is at most ``level``."""
    x, step = np.where(np.isnan(start), np.inf if direction > 0 else 0.0, start), 2.0**-46
    while not np.all(done := tail(x) <= level):  # NaN is not done; at 0 and at infinity every tail is 0
        x, step = np.where(done, x, x * max(1 + direction * step, 0.0)), 2 * step
    return x


def gaussian_variance_interval(residuals: Any, alpha: float, off: float = 0.0) -> tuple[Floats, Floats]:
    r"""The variance of independent Gaussians of mean zero (last axis), from the sum ``S`` of their squares.

    :math:`S/(2\sigma^2)` has the Gamma law of shape :math:`n/2`, so :math:`S/(2x_+)\le\sigma^2\le S/(2x_-)`
    where the tails below :math:`x_-` and above :math:`x_+` are at most :math:`\alpha/2` each (derived here).

    Residuals that are computed may each be ``off`` by so much: by the triangle inequality the root of ``S`` is then off
    by at most :math:`\sqrt n` times that.
    """
    from scipy.special import gammainccinv, gammaincinv

    r, level = _finite(residuals), checked_level(alpha) / 2
    n, a = r.shape[-1], r.shape[-1] / 2
    below = _outward(gammaincinv(a, level), lambda x: _gamma_tail(a, float(x), above=False), level, -1)
    above = _outward(gammainccinv(a, level), lambda x: _gamma_tail(a, float(x), above=True), level, +1)
    S, slack = np.square(r).sum(axis=-1), 1.01 * (n + 8) * _U  # S: gamma_n; four roundings below
    least, most = S, S + n * 2.0**-1074  # squares that underflow hide n 2^-1074 at most
    if off:
        root, apart = np.sqrt(most), math.sqrt(n) * off * (1 + 8 * _U)  # roots, sums and squares: eight roundings more
        least, most, slack = np.square(np.maximum(root * (1 - slack) - apart, 0)), np.square(root + apart), 2 * slack
    with np.errstate(divide="ignore", over="ignore"):
        return least / (2 * above) * (1 - slack), most / (2 * below) * (1 + slack)


def _finite(samples: Any) -> Floats:
    x = np.asarray(samples, dtype=np.float64)
    if x.ndim == 0 or x.shape[-1] == 0 or not (np.abs(x) < 1e150).all():  # their squares have a finite sum
        raise DomainError(f"samples of shape {x.shape}", required="shape (..., n), n >= 1, sizes below 1e150")
    return x


def _gamma_tail(a: float, x: float, *, above: bool) -> float:
    r"""Return an upper bound of the Gamma tail of shape ``a``, below ``x < a`` or above ``x > a`` (else 1).

    Below, :math:`x^ae^{-x}/\Gamma(a+1)` times :math:`\sum_i\prod_{l\le i}x/(a+l)`.  Above, by parts,
    :math:`x^{a-1}e^{-x}/\Gamma(a)` times :math:`\sum_{i\le a}\prod_{l\le i}(a-l)/x`.  The ratios decrease, so
    what follows the first :math:`8\sqrt a+64` terms is at most geometric.  (scipy's ``gammainc``, found 0.7 %
    too small at shape 5e6, level 5e-7, only starts the search.)
    """
    if not (a < x < math.inf if above else 0 < x < a):
        return 0.0 if x in (0.0, math.inf) else 1.0
    N = math.ceil(8 * math.sqrt(a)) + 64
    i = np.arange(1, (min(N, math.floor(a)) if above else N) + 2)
    ratios = np.maximum(a - i, 0) / x if above else x / (a + i)
    products = np.concatenate([[1.0], np.cumprod(ratios[:-1])])
    series = float(products.sum() + products[-1] * ratios[-1] / (1 - ratios[-1]))
    shape = a - 1 if above else a
    parts = shape * math.log(x), x, math.lgamma(shape + 1)
    # 8u of each part covers log, lgamma and the subtractions; products and sum lose less than (4N + 16)u.
    error = 8 * _U * sum(map(abs, parts)) + (4 * N + 16) * _U
    return math.exp(parts[0] - parts[1] - parts[2] + error) * series


def gaussian_mean_interval(samples: Any, alpha: float, *, sigma: float) -> tuple[Floats, Floats]:
    r"""The mean of independent Gaussians (last axis) of standard deviation at most ``sigma``.

    :math:`\bar X\pm z\sigma/\sqrt n` with :math:`\Phi(-z)\le\alpha/2` (derived here).
    """
    from scipy.special import ndtr, ndtri

    x, level = _finite(samples), checked_level(alpha) / 2 * _TRUST
    if not 0 < sigma < math.inf:
        raise DomainError(f"sigma = {sigma}", required="0 < sigma < inf")
    n, mean, size = x.shape[-1], x.mean(axis=-1), np.abs(x).mean(axis=-1)
    half = _outward(-ndtri(level), lambda z: ndtr(-z), level, +1) * sigma / math.sqrt(n)
    allowance = 1.01 * (n + 8) * _U * (size + half)  # the sum of the samples is off by gamma_n sum |x_i|
    return mean - half - allowance, mean + half + allowance
