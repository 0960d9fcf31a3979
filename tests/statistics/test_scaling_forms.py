"""Power, power of a logarithm and logarithm compared; what a sweep can decide before it runs."""

import math

import numpy as np
import pytest
from refusals import refused
from scipy import stats
from scipy.optimize import minimize
from sympy import log

from theorytools import Bound, DomainError, letter, likelihood_slope
from theorytools.statistics.censored import Repeats
from theorytools.statistics.growth_forms import compare_forms, decides, predicted_slope, slope_half_width

N = letter("N", "a size", integer=True, positive=True)
c = letter("c", "a constant", positive=True)
SIZES = (8, 32, 128, 512, 2048)
CURVES = {
    "power": lambda n: 3 * n**0.4,
    "log power": lambda n: 2 * math.log(n) ** 3,
    "logarithm": lambda n: -5 + 4 * math.log(n),
}


def data_of(curve, sigma=0.1, repeats=8, seed=0):
    rng = np.random.default_rng(seed)
    return Repeats.observed(SIZES, [curve(n) * np.exp(sigma * rng.standard_normal(repeats)) for n in SIZES])


@pytest.mark.parametrize("form", CURVES)
def test_the_form_that_made_the_data_comes_first(form):
    fits = compare_forms(data_of(CURVES[form]))
    assert fits[0].form == form
    assert fits[0].excess == 0 < fits[1].excess <= fits[2].excess
    assert sum(fit.weight for fit in fits) == pytest.approx(1, abs=1e-12)
    for fit in fits[1:]:  # Akaike's criterion counts three parameters in each
        assert fit.excess == pytest.approx(2 * (fits[0].log_likelihood - fit.log_likelihood), abs=1e-9)
        assert fit.weight / fits[0].weight == pytest.approx(math.exp(-fit.excess / 2), rel=1e-9)


def test_powers_and_logarithms_are_where_other_routes_find_them():
    data = data_of(CURVES["power"])
    fits = {fit.form: fit for fit in compare_forms(data)}
    y = np.log(np.concatenate(data.low))
    for form, x in (("power", np.log(SIZES)), ("log power", np.log(np.log(SIZES)))):
        wanted = stats.linregress(np.repeat(x, 8), y)
        assert fits[form].parameters == pytest.approx((math.exp(wanted.intercept), wanted.slope), rel=1e-7)
    assert fits["power"].parameters[1] == likelihood_slope(data).slope
    data = data_of(CURVES["logarithm"])
    x, y = np.repeat(np.log(SIZES), 8), np.log(np.concatenate(data.low))

    def squares(theta):
        mean = theta[0] + theta[1] * x
        return np.sum((y - np.log(mean)) ** 2) if mean.min() > 0 else np.inf

    found = minimize(squares, [-4.0, 4.0], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14})
    (fit,) = [fit for fit in compare_forms(data) if fit.form == "logarithm"]
    # both stop where the loss is flat to 1e-14: the parameters are known to 1e-7 times their errors, about 1
    assert fit.parameters == pytest.approx(found.x, abs=1e-5)
    assert fit.sigma == pytest.approx(math.sqrt(found.fun / len(y)), rel=1e-7)


# -- predictions and planning ------------------------------------------------------------------------------------------
def test_predictions_and_forms_of_stopped_runs_and_small_sizes():
    curve = c * N * log(N)
    numbers = [7 * n * math.log(n) for n in SIZES]
    assert predicted_slope(Bound(curve), SIZES, N, c=7) == pytest.approx(predicted_slope(numbers, SIZES), abs=1e-12)
    assert predicted_slope([n**2 for n in SIZES], SIZES) == pytest.approx(2, abs=1e-12)
    for wrong in ([1, 2], [1, 2, 3, 4, 0], [1, 2, 3, 4, math.nan], [1, 2, 3, 4, math.inf]):
        with pytest.raises(DomainError):
            predicted_slope(wrong, SIZES)
    cap = CURVES["power"](700)
    values = data_of(CURVES["power"], sigma=0.3).low
    over = [[v > cap for v in row] for row in values]
    stopped = Repeats.observed(SIZES, [np.minimum(row, cap) for row in values], stopped=over)
    assert any(map(any, over))
    assert {fit.form for fit in compare_forms(stopped)} == set(CURVES)
    with pytest.raises(DomainError, match="sizes above 1"):
        compare_forms(Repeats.observed((1, 2, 4), [[1, 2], [3, 4], [7, 5]]))


def test_plans_have_the_half_width_of_a_fit_and_decide_more_with_more():
    data = data_of(CURVES["power"], repeats=8)
    fit = likelihood_slope(data)
    unbiased = fit.sigma * math.sqrt(40 / 38)  # the maximum divides by n, the t-interval by n - 2
    # the ends of the fit come from a root search with tolerance 1e-9
    assert slope_half_width(SIZES, 8, unbiased) == pytest.approx((fit.high - fit.low) / 2, rel=1e-7)
    power, line = [n**1.2 for n in SIZES], list(SIZES)
    few, many = (decides(SIZES, repeats, 0.8, power, line) for repeats in (2, 40))
    assert (few.decided, many.decided) == (False, True)
    assert few.power < many.power <= 1
    assert many.first - many.second == pytest.approx(0.2, abs=1e-12)
    far = decides(tuple(n**2 for n in SIZES), 2, 0.8, [n**2.4 for n in SIZES], [n**2 for n in SIZES])
    assert far.half_width == pytest.approx(few.half_width / 2, rel=1e-12)
    assert decides(SIZES, 2, 0.8, Bound(N**2), Bound(3 * N**2), letter=N).power == pytest.approx(0.05, abs=1e-12)


def test_the_power_is_the_frequency_of_excluding_the_other_slope():
    plan = decides(SIZES, 3, 0.5, [n**1.0 for n in SIZES], [n**1.15 for n in SIZES])
    rng, x = np.random.default_rng(np.random.SeedSequence(7)), np.repeat(np.log(SIZES), 3)
    y = x + 0.5 * rng.standard_normal((2000, 15))
    centred = x - x.mean()
    slope = y @ centred / (centred @ centred)
    residuals = y - y.mean(axis=1)[:, None] - slope[:, None] * centred
    half = stats.t.ppf(0.975, 13) * np.sqrt((residuals**2).sum(axis=1) / 13 / (centred @ centred))
    excluded = int((np.abs(slope - 1.15) > half).sum())
    # each tail of Bin(2000, power) beyond these has probability 1e-6 at most
    assert stats.binom.ppf(1e-6, 2000, plan.power) <= excluded <= stats.binom.isf(1e-6, 2000, plan.power)
    assert 0.1 < plan.power < 0.9


test_plans_that_say_nothing_are_refused = refused(
    DomainError, lambda: slope_half_width((4, 8), 3, 0.1), lambda: slope_half_width((4, 8, 8), 3, 0.1),
    lambda: slope_half_width(SIZES, 0, 0.1), lambda: slope_half_width(SIZES, 3, 0.0),
    lambda: slope_half_width(SIZES, 3, 0.1, 0.0), lambda: slope_half_width((0, 8, 9), 3, 0.1),
)  # fmt: skip
