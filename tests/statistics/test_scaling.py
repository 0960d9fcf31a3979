"""Exponent fits against closed forms: least squares, likelihood with censoring, forms, and power planned in advance."""

import math

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refused
from scipy import stats
from scipy.optimize import minimize

from theorytools import DomainError, Evidence, likelihood_slope
from theorytools.claims.language.estimate import Budget, outward
from theorytools.statistics.censored import CensoredSample, Repeats
from theorytools.statistics.slopes import consistent_slopes, local_slopes, mean_slope, power_sample

SIZES = (8, 16, 32, 64, 128)
seeds = st.integers(0, 10**6)
# ends agree with a closed form to the tolerance of the root search, 1e-9 of a bracket of about one interval
ROOT = 1e-8


def draws(rng, slope=1.0, sigma=0.5, repeats=6, sizes=SIZES):
    return [np.exp(slope * math.log(size) + sigma * rng.standard_normal(repeats)) for size in sizes]


def stopped_at(values, cap, step=0.0):
    """Runs evaluated every ``step`` prompts and stopped at ``cap``."""
    grid = [np.ceil(v / step) * step if step else v for v in values]
    over = [v > cap for v in grid]
    shown = [np.where(o, cap, v) for v, o in zip(grid, over, strict=True)]
    return Repeats.observed(SIZES, shown, stopped=over, step=step)


def t_interval(x, y):
    fit = stats.linregress(x, y)
    half = stats.t.ppf(0.975, len(x) - 2) * fit.stderr
    return fit.slope, fit.slope - half, fit.slope + half


# -- without censoring: linregress -----------------------------------------------------------------------------------
@examples(15, seeds)
def test_slopes_are_linregress_and_least_squares_over_all_runs(seed):
    values = draws(np.random.default_rng(seed))
    fit = mean_slope(Repeats.observed(SIZES, values))
    # both are sums of fewer than 100 doubles of size below 10
    assert (fit.slope, fit.low, fit.high) == pytest.approx(
        t_interval(np.log(SIZES), [np.log(v).mean() for v in values]), abs=1e-12
    )
    values = draws(np.random.default_rng(seed))
    data = Repeats.observed(SIZES, values)
    fit, x, y = likelihood_slope(data), np.repeat(np.log(SIZES), 6), np.log(np.concatenate(values))
    assert (fit.slope, fit.low, fit.high) == pytest.approx(t_interval(x, y), abs=ROOT)
    assert fit.slope == pytest.approx(mean_slope(data).slope, abs=1e-9)  # as many runs at each size
    residuals = y - fit.intercept - fit.slope * x
    assert fit.sigma == pytest.approx(math.sqrt(np.mean(residuals**2)), rel=1e-8)  # the maximum divides by n


def test_noise_from_the_repeats_is_pooled_also_between_neighbours():
    values = draws(np.random.default_rng(3))
    fit, logs = mean_slope(Repeats.observed(SIZES, values), noise="repeats"), [np.log(v) for v in values]
    pooled = math.sqrt(np.mean([v.var(ddof=1) for v in logs]))
    assert fit.sigma == pytest.approx(pooled, rel=1e-12)
    x = np.log(SIZES)
    half = stats.t.ppf(0.975, 25) * pooled / math.sqrt(6 * ((x - x.mean()) ** 2).sum())
    assert fit.high - fit.slope == pytest.approx(half, rel=1e-12)
    values = draws(np.random.default_rng(4))
    logs = [np.log(v) for v in values]
    sigma = math.sqrt(np.mean([v.var(ddof=1) for v in logs]))
    half = stats.t.ppf(0.975, 25) * sigma * math.sqrt(2 / 6) / math.log(2)
    fits = local_slopes(Repeats.observed(SIZES, values))
    assert [fit.window for fit in fits] == [(8, 16), (16, 32), (32, 64), (64, 128)]
    for fit, a, b in zip(fits, logs, logs[1:], strict=False):
        slope = (b.mean() - a.mean()) / math.log(2)
        assert (fit.slope, fit.low, fit.high) == pytest.approx((slope, slope - half, slope + half), abs=ROOT)


# -- the likelihood of intervals ---------------------------------------------------------------------------------------
def mixed_sample(seed=0):
    return power_sample(stopped_at(draws(np.random.default_rng(seed)), 100.0, step=4.0))


def test_gradient_and_hessian_are_the_derivatives():
    sample, theta = mixed_sample(), np.array([0.3, 1.9, 2.1])
    low, high = sample.low.copy(), sample.high.copy()
    low[:2] = high[:2]  # exact ones too
    low[2] = -np.inf  # and one that is only bounded above
    sample = CensoredSample(low, high, sample.X)
    value, gradient, hessian = sample.evaluate(theta)
    by_hand = [stats.norm.logcdf(theta[2] * high[2] - sample.X[2] @ theta[:2])]
    for i in [0, 1]:
        mean = sample.X[i] @ theta[:2] / theta[2]
        by_hand.append(stats.norm.logpdf(low[i], mean, 1 / theta[2]))
    for i in range(3, len(low)):
        a, b = (stats.norm.cdf(theta[2] * end - sample.X[i] @ theta[:2]) for end in (low[i], high[i]))
        by_hand.append(math.log(b - a))
    assert value == pytest.approx(sum(by_hand), rel=1e-9)  # differences of cdfs above 1e-5 lose 1e-11
    h = 1e-5  # central differences: h^2 times a third derivative below 1e4, and rounding 1e-14/h
    for k, e in enumerate(np.eye(3)):
        up, down = sample.evaluate(theta + h * e), sample.evaluate(theta - h * e)
        assert (up[0] - down[0]) / (2 * h) == pytest.approx(gradient[k], rel=1e-5, abs=1e-5)
        assert (up[1] - down[1]) / (2 * h) == pytest.approx(hessian[k], rel=1e-5, abs=1e-5)
    assert np.linalg.eigvalsh(hessian).max() < 0


def test_a_general_optimiser_finds_the_same_maximum():
    sample = mixed_sample()
    best = sample.maximise()

    def loss(theta):  # in the coefficients and log sigma, another parametrisation
        gamma = math.exp(-theta[2])
        return -sample.evaluate(np.append(theta[:2] * gamma, gamma))[0]

    found = minimize(loss, [0.0, 1.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    # where the loss differs by 1e-12 the argument differs by the root of it, times a standard error
    assert best.coefficients == pytest.approx(found.x[:2], abs=1e-4)
    assert best.sigma == pytest.approx(math.exp(found.x[2]), rel=1e-4)
    assert best.log_likelihood >= -found.fun - 1e-11


@examples(5, seeds, st.floats(0.1, 10), st.floats(0.1, 10), st.floats(-2, 2))
def test_units_do_not_matter(seed, a, b, k):
    """Prompts counted in other units, sizes in other units, and n times a power of N."""
    data = stopped_at(draws(np.random.default_rng(seed)), 120.0, step=2.0)
    fit = likelihood_slope(data)
    moved = Repeats(
        tuple(b * size for size in data.sizes),
        *(tuple(tuple(a * size**k * end for end in row) for size, row in zip(data.sizes, ends, strict=True))
          for ends in (data.low, data.high)),
    )  # fmt: skip
    other = likelihood_slope(moved)
    assert (other.slope - k, other.low - k, other.high - k) == pytest.approx((fit.slope, fit.low, fit.high), abs=1e-6)


def test_narrow_intervals_are_exact_and_coarse_data_give_a_range():
    values = draws(np.random.default_rng(5))
    narrow = [[[v * (1 - 1e-7) for v in row] for row in values], [list(row) for row in values]]
    fit = likelihood_slope(Repeats(SIZES, *(tuple(map(tuple, rows)) for rows in narrow)))
    exact = likelihood_slope(Repeats.observed(SIZES, values))
    assert (fit.slope, fit.low, fit.high) == pytest.approx((exact.slope, exact.low, exact.high), abs=1e-6)
    # Through (4, 8], (8, 16], (16, 32] at 1, 2, 4: in logarithms of base 2, from 3 to 4 and from 2 to 5, over 2.
    data = Repeats.observed((1, 2, 4), [[8], [16], [32]], step=[4, 8, 16])
    with pytest.raises(DomainError, match="passes through every interval"):
        likelihood_slope(data)
    fit = consistent_slopes(data)
    assert (fit.low, fit.high) == pytest.approx((0.5, 1.5), abs=1e-9)
    with pytest.raises(DomainError, match="no power passes"):
        consistent_slopes(Repeats.observed(SIZES, draws(np.random.default_rng(1))))


# -- coverage, and the bias of leaving stopped runs out ----------------------------------------------------------------
def test_intervals_cover_and_dropping_stopped_runs_makes_the_slope_too_small():
    rng = np.random.default_rng(np.random.SeedSequence(20250312))
    missed, uncensored, fits, dropped = 0, 0, [], []
    for _ in range(120):
        values = draws(rng)
        uncensored += not (fit := mean_slope(Repeats.observed(SIZES, values))).low <= 1 <= fit.high
        data = stopped_at(values, 150.0, step=1.0)
        sample = power_sample(data.kept())
        best = sample.maximise()
        missed += sample.deviance(best, 1.0) > sample.threshold(0.95)  # whether the interval contains 1
        fits.append(best.coefficients[1])
        kept = [v[v <= 150] for v in values]
        dropped.append(mean_slope(Repeats.observed(SIZES, kept)).slope if min(map(len, kept)) else 1.0)
    # the t-interval misses with probability 1/20: each tail of Bin(120, 1/20) beyond these has 1e-6 at most
    low, high = stats.binom.ppf(1e-6, 120, 0.05), stats.binom.isf(1e-6, 120, 0.05)
    assert low <= uncensored <= high
    assert missed <= high  # the profile interval is approximate: it must not miss more than its level says
    error = np.std(fits, ddof=1) / math.sqrt(120)
    assert abs(np.mean(fits) - 1) < 4 * error  # a normal mean beyond 4 standard errors: 6e-5
    assert np.mean(dropped) < 1 - 10 * error


# -- what leaves the window -------------------------------------------------------------------------------------------
def test_a_size_where_every_run_was_stopped_leaves_the_window_and_is_named():
    data = stopped_at([*draws(np.random.default_rng(9))[:4], np.full(6, 1e9)], 300.0)
    fit = likelihood_slope(data)
    assert (fit.window, fit.lost) == ((8, 16, 32, 64), (128,))
    step = next(fit.recipe().steps(0.0, Budget()))
    assert step.evidence is Evidence.FITTED
    assert (step.work["window"], step.work["lost"]) == ([8, 16, 32, 64], ["128"])
    assert outward(fit.low, fit.high) == (float(step.low.value), float(step.high.value))
    some = stopped_at(values := draws(np.random.default_rng(9)), 150.0)
    spoiled = tuple(size for size, v in zip(SIZES, values, strict=True) if v.max() > 150)
    assert 0 < len(spoiled) < 3
    assert (likelihood_slope(some).lost, mean_slope(some).lost) == ((), spoiled)


@pytest.mark.parametrize(
    ("rows", "message"),
    [([[1, 2], [3, 4]], "3 or more"), ([[2], [4], [8]], "passes through every observation")],
)
def test_too_little_or_too_perfect(rows, message):
    with pytest.raises(DomainError, match=message):
        likelihood_slope(Repeats.observed(SIZES[: len(rows)], rows))


test_what_is_refused = refused(
    DomainError, lambda: Repeats((4, 8), ((1.0,),), ((1.0,),)), lambda: Repeats((8, 4), ((1.0,),) * 2, ((1.0,),) * 2),
    lambda: Repeats((4,), ((2.0,),), ((1.0,),)), lambda: Repeats((4,), ((0.0,),), ((math.inf,),)),
    lambda: Repeats.observed((4,), [[math.nan]]), lambda: Repeats.observed((4,), [[3]], step=4),
    lambda: Repeats.observed((4,), [[3]], stopped=[[False, True]]), lambda: Repeats((0,), ((1.0,),), ((1.0,),)),
    lambda: Repeats((4,), ((),), ((),)), lambda: mean_slope(Repeats.observed(SIZES, [[1]] * 5), noise="repeats"),
    lambda: likelihood_slope(Repeats.observed(SIZES, [[1, 2]] * 5), level=1.0),
)  # fmt: skip
