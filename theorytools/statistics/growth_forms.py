r"""Which form a growth has, and what a sweep can decide before it runs.

A power :math:`n=aN^k`, a power of the logarithm :math:`n=a(\log N)^k` and a logarithm :math:`n=a+b\log N` with the
same log-normal noise are compared by Akaike's criterion.  Each has two coefficients, so its differences are twice
those of the largest log-likelihoods.  It ranks descriptions of these data on this window; it tests none of them, and
says nothing beyond the window: FITTED.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from theorytools.arguments.checked import Real, checked
from theorytools.arguments.containers import Items
from theorytools.arguments.kinds import Either, Number
from theorytools.arguments.objects import Class
from theorytools.claims.language.bound import Bound
from theorytools.errors import DomainError
from theorytools.statistics.censored import CensoredSample, Floats, Maximum, Repeats
from theorytools.statistics.slopes import checked_coverage, power_sample

Form = Literal["power", "log power", "logarithm"]
# a Bound by its name: sympy, which the plan of a sweep does without, loads late
Curve = Annotated[Any, Either((Class("Bound", Bound), Items(Number("float"))))]


@dataclass(frozen=True)
class FormFit:
    r"""One form at its largest likelihood.

    Attributes
    ----------
    form : ``"power"`` :math:`aN^k`, ``"log power"`` :math:`a(\log N)^k` or ``"logarithm"`` :math:`a+b\log N`.
    parameters : ``(a, k)`` or ``(a, b)``.
    sigma, log_likelihood : the noise of :math:`\log n`, and the largest log-likelihood.
    excess : Akaike's criterion above that of the best form, 0 for the best.
    weight : :math:`e^{-\mathrm{excess}/2}`, divided by its sum over the forms.
    """

    form: Form
    parameters: tuple[float, float]
    sigma: float
    log_likelihood: float
    excess: float
    weight: float


@checked
def compare_forms(data: Repeats) -> tuple[FormFit, ...]:
    """Return the three forms, best first, fitted by likelihood with intervals and stopped runs.

    Parameters
    ----------
    data : for each size, the intervals in which the runs finished or were stopped.

    Returns
    -------
    tuple of FormFit : the best first.

    Raises
    ------
    DomainError
        If fewer than three sizes have a finished run, a size is at most 1, or a form passes through every interval.

    Examples
    --------
    >>> sizes = [4, 8, 16, 32]
    >>> data = Repeats.observed(sizes, [[16, 17], [60, 66], [260, 250], [1020, 1040]])
    >>> compare_forms(data)[0].form
    'power'
    """
    rows = data.kept()
    if rows.sizes[0] <= 1:
        raise DomainError(f"the size {rows.sizes[0]}", required="sizes above 1", why="log log N is compared")
    sample = power_sample(rows)
    x = sample.X[:, 1]
    found: list[tuple[Form, tuple[float, float], Maximum]] = []
    names: tuple[tuple[Form, Floats], ...] = (("power", x), ("log power", np.log(x)))
    for form, regressor in names:
        design = np.column_stack([np.ones_like(x), regressor])
        best = CensoredSample(sample.low, sample.high, design).maximise()
        found.append((form, (math.exp(best.coefficients[0]), float(best.coefficients[1])), best))
    found.append(("logarithm", *_logarithm(sample)))
    top = max(best.log_likelihood for _, _, best in found)
    excess = [2 * (top - best.log_likelihood) for _, _, best in found]
    total = sum(math.exp(-e / 2) for e in excess)
    fits = [FormFit(form, parameters, best.sigma, best.log_likelihood, e, math.exp(-e / 2) / total)
            for (form, parameters, best), e in zip(found, excess, strict=True)]  # fmt: skip
    return tuple(sorted(fits, key=lambda fit: fit.excess))


def _logarithm(sample: CensoredSample) -> tuple[tuple[float, float], Maximum]:
    r"""Fit :math:`\log n=\log A+\log(1+c(x-\bar x))`: for fixed ``c`` a shift, so one search in ``c`` remains.

    The mean is positive at every size where ``c`` lies between :math:`-1/(x_{\max}-\bar x)` and
    :math:`1/(\bar x-x_{\min})`; a grid finds the basin, since the profile need not have one.
    """
    from scipy.optimize import minimize_scalar

    x = sample.X[:, 1]
    centre = float(np.unique(x).mean())
    ends = -1 / (float(x.max()) - centre), 1 / (centre - float(x.min()))

    def best_at(c: float) -> Maximum:
        return sample.shifted(np.log1p(c * (x - centre))).maximise()

    def loss(share: float) -> float:
        return -best_at(ends[0] + share * (ends[1] - ends[0])).log_likelihood

    # shares 1/(1 + e^-s): near an end the mean at one size tends to 0, which needs ever finer steps
    shares = 1 / (1 + np.exp(-np.linspace(-9, 9, 25)))
    place = int(np.argmin([loss(float(share)) for share in shares]))
    bracket = float(shares[max(place - 1, 0)]), float(shares[min(place + 1, len(shares) - 1)])
    share = float(minimize_scalar(loss, bounds=bracket, method="bounded", options={"xatol": 1e-10}).x)
    c = ends[0] + share * (ends[1] - ends[0])
    best = best_at(c)
    height = math.exp(best.coefficients[0])
    return (height * (1 - c * centre), height * c), best


@checked
def predicted_slope(curve: Curve, window: Sequence[Real], letter: Any = None, **others: Any) -> float:
    """Return the least-squares log-log slope of a prediction on a window.

    The prediction is a :class:`~theorytools.Bound` in ``letter`` (``others`` are its other letters), or one number per
    size.  ``DomainError`` for numbers that do not fit the window or are not positive.
    """
    from theorytools.claims.language.bound import Bound

    if isinstance(curve, Bound):
        return float(curve.slope(letter, list(window), **others))
    x, y = (np.asarray([float(v) for v in side]) for side in (window, curve))
    if x.shape != y.shape or len(set(x)) < 2 or not (np.isfinite(x) & np.isfinite(y) & (x > 0) & (y > 0)).all():
        raise DomainError(f"{len(y)} numbers on {len(x)} sizes", required="as many, positive, two distinct sizes")
    centred = np.log(x) - np.log(x).mean()
    return float(centred @ np.log(y) / (centred @ centred))


@checked
def slope_half_width(sizes: Sequence[int | float], repeats: int, sigma: float, level: float = 0.95) -> float:
    r"""Return the half-width of the slope's interval that a sweep can give, known before it runs.

    .. math:: h=t_{Kr-2}\,\frac{\sigma}{\sqrt{r\sum_i(x_i-\bar x)^2}},\qquad x_i=\log N_i,

    for ``K`` sizes, ``r`` finished repeats at each and noise :math:`\sigma` of :math:`\log n`; that of
    :func:`~theorytools.statistics.slopes.likelihood_slope` where the estimated noise is :math:`\sigma`.  Censoring
    widens it.

    Raises
    ------
    DomainError
        For fewer than three sizes, no repeats, or noise that is not positive.
    """
    from scipy.special import stdtrit

    spread = _spread(sizes, repeats, sigma)
    return float(stdtrit(len(sizes) * repeats - 2, (1 + checked_coverage(level)) / 2)) * spread


def _spread(sizes: Sequence[int | float], repeats: int, sigma: float) -> float:
    """The standard error of the slope."""
    if len(set(sizes)) < 3 or len(set(sizes)) < len(sizes) or not all(0 < size < math.inf for size in sizes):
        raise DomainError(f"the sizes {list(sizes)}", required="three or more, distinct and positive")
    if repeats < 1 or not 0 < sigma < math.inf:
        raise DomainError(f"repeats = {repeats}, sigma = {sigma}", required="repeats >= 1 and a positive noise")
    x = np.log(np.asarray(sizes, dtype=np.float64))
    return sigma / math.sqrt(repeats * float(((x - x.mean()) ** 2).sum()))


@checked
@dataclass(frozen=True)
class Decision:
    """What a planned sweep says about two predictions.

    Attributes
    ----------
    first, second : their least-squares slopes on the window.
    half_width : of the interval that the sweep can give.
    power : the probability that the interval excludes the second slope when the first is true, and the reverse.
    decided : whether the slopes differ by more than two half-widths, so that no interval contains both.
    """

    first: float
    second: float
    half_width: float
    power: float

    @property
    def decided(self) -> bool:
        """Whether no interval of this width contains both slopes."""
        return abs(self.first - self.second) > 2 * self.half_width


@checked
def decides(
    sizes: Sequence[int | float], repeats: int, sigma: float, first: Curve, second: Curve, *,
    letter: Any = None, level: float = 0.95,
) -> Decision:  # fmt: skip
    """Return whether a planned sweep can tell two predictions apart by their slopes on its window.

    Parameters
    ----------
    sizes, repeats, sigma, level : as in :func:`slope_half_width`.
    first, second : the predictions, each a :class:`~theorytools.Bound` in ``letter`` alone or one number per size.
    letter : the size's letter, for bounds.
    """
    from scipy.special import stdtrit
    from scipy.stats import nct

    half, spread = slope_half_width(sizes, repeats, sigma, level), _spread(sizes, repeats, sigma)
    slopes = [predicted_slope(curve, sizes, letter) for curve in (first, second)]
    free, apart = len(sizes) * repeats - 2, abs(slopes[0] - slopes[1]) / spread
    edge = float(stdtrit(free, (1 + level) / 2))
    # estimate minus the other slope, in standard errors: noncentral t with noncentrality |difference| / error
    power = float(nct.sf(edge, free, apart) + nct.cdf(-edge, free, apart)) if apart else 1 - level
    return Decision(slopes[0], slopes[1], half, power)
