"""Estimators at the edges of their arguments, their default levels, and second routes to means, slopes and limits."""

import math
from itertools import pairwise

import numpy as np
import pytest
from drawn_recipes import SEED, climb
from hypothesis import strategies as st
from properties import examples
from refusals import refuses
from scipy import integrate, stats

from theorytools import BudgetError, DomainError, Evidence, likelihood_slope
from theorytools.claims.language.estimate import Budget, outward
from theorytools.statistics import batches as blocks
from theorytools.statistics import clipped_error, intervals, t_intervals
from theorytools.statistics.censored import CensoredSample, Repeats
from theorytools.statistics.coverage import DOUBT, Coverage, simulated_coverage
from theorytools.statistics.growth_forms import compare_forms, decides, predicted_slope, slope_half_width
from theorytools.statistics.sampled import bounded_mean, columns, proportion, recorded_interval
from theorytools.statistics.slopes import SlopeFit, consistent_slopes, local_slopes, mean_slope
from theorytools.statistics.two_levels import further_interval

numbers = st.lists(st.integers(-50, 50), min_size=2, max_size=7)
levels = st.sampled_from([0.5, 0.9, 0.95, 0.99])
SIZES = (4, 8, 16)


def ends(recipe, alpha=0.0):
    return next(recipe.steps(alpha, Budget())).floats


# -- means ---------------------------------------------------------------------------------------------------------
@examples(30, numbers, numbers, levels)
def test_t_intervals_are_those_of_scipy_and_have_level_95_unless_told(x, y, level):
    for call, arguments in (
        (t_intervals.mean_interval, (x,)), (t_intervals.difference_interval, (x, y)), (further_interval, (x,)),
    ):  # fmt: skip
        assert call(*arguments) == call(*arguments, 0.95)
        low, high = call(*arguments, level)
        assert (-high, -low) == pytest.approx(call(*([-v for v in side] for side in arguments), level), abs=1e-12)
    if len(set(x)) > 1:
        wanted = stats.ttest_1samp(x, 0).confidence_interval(level)
        assert t_intervals.mean_interval(x, level) == pytest.approx(tuple(wanted), abs=1e-9)
    if len(set(x)) > 1 or len(set(y)) > 1:
        wanted = stats.ttest_ind(x, y, equal_var=False).confidence_interval(level)
        assert t_intervals.difference_interval(x, y, level) == pytest.approx(tuple(wanted), abs=1e-9)
    positive = [math.exp(v / 16) for v in x], [math.exp(v / 16) for v in y]
    logs = [[v / 16 for v in side] for side in (x, y)]
    for of_logs, found in (
        (t_intervals.mean_interval(logs[0]), t_intervals.geometric_interval(positive[0])),
        (t_intervals.difference_interval(*logs), t_intervals.ratio_interval(*positive)),
    ):
        # ends far out are infinite or 0 as doubles
        assert [math.exp(e) if e < 700 else math.inf for e in of_logs] == pytest.approx(found, rel=1e-8)


def test_recipes_of_means_are_their_intervals_with_repeats_counted():
    x, y = [1.0, 2.0, 4.0], [3.0, 5.0]
    for recipe, interval, repeats, level in (
        (t_intervals.repeat_mean(x), t_intervals.mean_interval(x), 3, 0.95),
        (t_intervals.repeat_mean(x, 0.5), t_intervals.mean_interval(x, 0.5), 3, 0.5),
        (t_intervals.geometric_mean(x), t_intervals.geometric_interval(x), 3, 0.95),
        (t_intervals.mean_difference(x, y), t_intervals.difference_interval(x, y), 5, 0.95),
        (t_intervals.mean_difference(x, y, 0.9), t_intervals.difference_interval(x, y, 0.9), 5, 0.9),
    ):
        step = next(recipe.steps(0.0, Budget()))
        assert step.evidence is Evidence.FITTED
        assert step.floats == outward(*interval)
        assert (step.work["repeats"], step.work["level"]) == (repeats, level)
    for level in (0, 1, -0.5, math.nan):
        refuses(DomainError, lambda level=level: t_intervals.mean_interval(x, level),
                lambda level=level: t_intervals.geometric_interval(x, level),
                lambda level=level: t_intervals.ratio_interval(x, y, level))  # fmt: skip
    refuses(
        DomainError, lambda: t_intervals.mean_interval([1.0]), lambda: t_intervals.difference_interval(x, [1.0]),
        lambda: t_intervals.difference_interval([1.0], x), lambda: t_intervals.geometric_interval([0.0, 1.0]),
        lambda: t_intervals.ratio_interval([1.0, -1.0], x), lambda: t_intervals.mean_interval([1.0, math.inf]),
    )  # fmt: skip


# -- limits of what is drawn -----------------------------------------------------------------------------------------
def test_sizes_below_the_largest_and_ranges_of_the_least_length():
    almost = math.nextafter(1e150, 0)
    for x in (almost, -almost):
        for low, high in (
            intervals.gaussian_variance_interval([x], 0.1), intervals.gaussian_mean_interval([x], 0.1, sigma=1.0),
        ):  # fmt: skip
            assert math.isfinite(low)
            assert low < high < math.inf
    refuses(
        DomainError, *((lambda x=x: intervals.gaussian_variance_interval([0.0, x], 0.1), "sizes below")
                       for x in (1e150, -1e150)),
        (lambda: intervals.gaussian_mean_interval([1e150], 0.1, sigma=1.0), "sizes below"),
        (lambda: intervals.checked_range([], 0.0, 1e-290), "by 1e-290"),
        (lambda: intervals.empirical_bernstein([0.0], 0.1, low=0.0, high=1.0, sides=0), "1 or 2"),
    )  # fmt: skip
    assert intervals.checked_range([0.0, 2e-290], 0.0, 2e-290).tolist() == [0, 2e-290]
    assert intervals.checked_range([], -1.0, 1.0).size == 0
    assert intervals.checked_level(0.5) == 0.5


@examples(20, st.lists(st.floats(0, 1), min_size=1, max_size=40), st.sampled_from([0.3, 0.01]))
def test_a_range_has_two_sides_unless_told_and_one_of_them_is_narrower(x, alpha):
    two = intervals.empirical_bernstein(x, alpha, low=0, high=1)
    assert two == intervals.empirical_bernstein(x, alpha, low=0, high=1, sides=2)
    one = intervals.empirical_bernstein(x, alpha, low=0, high=1, sides=1)
    assert one[1] == 1
    assert one[0] == intervals.empirical_bernstein(x, 2 * alpha, low=0, high=1)[0]  # log(1/a) is log(2/(2a))
    assert 0 <= two[0] <= one[0] <= np.mean(x) + 1e-12
    mirrored = intervals.empirical_bernstein([1 - v for v in x], alpha, low=0, high=1)
    assert (1 - mirrored[1], 1 - mirrored[0]) == pytest.approx(two, abs=1e-12)


def test_the_memory_of_a_block_is_at_most_256_megabytes(monkeypatch):
    for each, fits in ((2**16, True), (2**16 + 1, False)):  # 4096 times 64 KiB is 256 MB
        monkeypatch.setattr(blocks, "_with_peak", lambda draw, rng, size, each=each: (draw(rng, size), each * size))
        recipe = bounded_mean(lambda rng, size: rng.random(size), SEED, low=0, high=1)
        if fits:
            assert climb(recipe, samples=8192)[-1].work["samples"] == 8192
        else:
            refuses(BudgetError, (lambda recipe=recipe: climb(recipe, samples=8192), "within 256 MB"))
            assert climb(recipe, samples=2048)[-1].work["samples"] == 2048  # one block of 1024 is smaller
    for each, fits in ((2**18, True), (2**18 + 1, False)):  # and 1024 times 256 KiB, before anything was drawn
        monkeypatch.setattr(blocks, "_with_peak", lambda draw, rng, size, each=each: (draw(rng, size), each * size))
        recipe = bounded_mean(lambda rng, size: rng.random(size), SEED, low=0, high=1)
        if fits:
            assert climb(recipe, samples=1024)[-1].work["samples"] == 1024
        else:
            refuses(BudgetError, (lambda recipe=recipe: climb(recipe, samples=1024), "measured on 4"))


def test_recorded_intervals_are_kept_as_long_as_their_level_is_asked_for():
    recipe = recorded_interval(0.25, 0.75, alpha=1e-6, samples=9)
    for alpha in (1e-6, 0.1):
        (step,) = recipe.steps(alpha, Budget())
        assert (step.floats, step.alpha, step.work) == (outward(0.25, 0.75), 1e-6, {"samples": 9})
        assert step.evidence is recipe.evidence is Evidence.SAMPLED
    x, y = columns(lambda rng, size: {"a": rng.random(size), "b": np.ones(size, dtype=bool)}, SEED, "a", "b")
    assert climb(bounded_mean(x, low=0, high=1), samples=10)[0].work["samples"] == 10
    assert climb(proportion(y), samples=10)[-1].high == 1
    assert x.name == "a"


# -- runs that were stopped ----------------------------------------------------------------------------------------
def test_repeats_at_the_edges_of_what_is_known():
    data = Repeats((1, 2), ((0.0, 3.0), (2.0,)), ((5.0, 3.0), (math.inf,)))
    assert data.lost == (2,)
    assert data.kept(1).sizes == (1,)
    x, low, high = data.log_ends()
    assert x.tolist() == [0, 0, math.log(2)]
    assert low.tolist() == [-math.inf, math.log(3), math.log(2)]
    assert high.tolist() == [math.log(5), math.log(3), math.inf]
    assert data.at((2,)) == Repeats((2,), ((2.0,),), ((math.inf,),))
    made = Repeats.observed((3, 4), [[8, 6], [2]], stopped=[[False, True], [False]], step=(2, 1))
    assert (made.low, made.high) == (((6.0, 6.0), (1.0,)), ((8.0, math.inf), (2.0,)))
    assert Repeats.observed((3,), [[8]]) == Repeats((3,), ((8.0,),), ((8.0,),))
    assert Repeats.observed((3,), [[8]]) == Repeats.observed((3,), [[8]], step=0)
    assert Repeats.observed((3,), [[8]], step=8).low == ((0.0,),)
    good = Repeats.observed(SIZES, [[4], [8], [15]])
    assert good.kept() == good
    for row, words in (
        ((-1.0, 1.0), "known"), ((2.0, 1.0), "known"), ((0.0, 0.0), "known"), ((0.0, math.inf), "known"),
        ((math.inf, math.inf), "known"), ((math.nan, 1.0), "known"), ((1.0, math.nan), "known"),
    ):  # fmt: skip
        refuses(DomainError, (lambda row=row: Repeats((1,), ((row[0],),), ((row[1],),)), words))
    refuses(
        DomainError, (lambda: good.kept(4), "4 or more"), (lambda: good.at((5,)), r"the sizes \[5\]"),
        (lambda: Repeats((), (), ()), "increasing"), (lambda: Repeats((1, 1), ((1.0,),) * 2, ((1.0,),) * 2), "incr"),
        (lambda: Repeats((-1, 1), ((1.0,),) * 2, ((1.0,),) * 2), "increasing"),
        (lambda: Repeats((1, math.inf), ((1.0,),) * 2, ((1.0,),) * 2), "increasing"),
        (lambda: Repeats((1,), ((1.0,),), ((1.0, 2.0),)), "rows for 1 sizes"),
        (lambda: Repeats.observed((), []), "at least one size"),
        (lambda: Repeats.observed((1,), [[2], [3]]), "one row per size"),
        (lambda: Repeats.observed((1, 2), [[2], [3]], stopped=[[True]]), "one flag per repeat"),
        (lambda: Repeats.observed((1,), [[2]], step=-1), "step >= 0"),
    )  # fmt: skip


X = np.column_stack([np.ones(4), [0.0, 1.0, 2.0, 3.0]])


def test_censored_samples_at_the_edges_of_what_determines_them():
    y = np.array([0.0, 1.5, 1.0, 3.0])
    sample = CensoredSample(y, np.where([0, 0, 0, 1], np.inf, y), X)
    assert sample.known == 3
    assert sample.exact.tolist() == [True, True, True, False]
    far, lost = np.array([np.inf, 0, 0, 0]), np.array([np.nan, 1, 1, 1])
    refuses(
        DomainError, (lambda: CensoredSample(y, np.where([0, 0, 1, 1], np.inf, y), X), "2 runs that finished"),
        (lambda: CensoredSample(y, y - [0, 0, 0, 1], X), "not intervals"),
        (lambda: CensoredSample(y, y, X[:3]), "shapes"),
        (lambda: CensoredSample(y, y[:3], X), "shapes"), (lambda: CensoredSample(y[:, None], y[:, None], X), "shapes"),
        (lambda: CensoredSample(y, y, X[:, 1]), "shapes"), (lambda: CensoredSample(y[:3], y, X), "shapes"),
        (lambda: CensoredSample(y - far, y + far, X), "not intervals"),
        (lambda: CensoredSample(y + far, y + far, X), "not intervals"),
        (lambda: CensoredSample(y - far, y - far, X), "not intervals"),
        (lambda: CensoredSample(y * lost, y, X), "not intervals"),
        (lambda: CensoredSample(y, y, X * [1, 0]), "full column rank"),
        (lambda: CensoredSample(y, y, X + far[:, None]), "finite entries"),
    )  # fmt: skip
    for theta in ([0.0, 0.0, 0.0], [0.0, 0.0, -1.0]):
        assert sample.evaluate(np.array(theta))[0] == -math.inf


@examples(12, st.integers(0, 10**6), st.booleans())
def test_at_the_maximum_the_slope_of_the_likelihood_is_zero(seed, stopped):
    rng = np.random.default_rng(seed)
    x = np.repeat([0.0, 1.0, 2.0, 3.0], 4)
    y = 1 + x / 2 + rng.standard_normal(16) / 2
    high = np.where((np.arange(16) % 8 == 7) & stopped, np.inf, y + 0.3)
    sample = CensoredSample(y, high, np.column_stack([np.ones(16), x]))
    best = sample.maximise()
    theta = np.append(best.coefficients, 1.0) / best.sigma
    value, gradient, hessian = sample.evaluate(theta)
    assert value == pytest.approx(best.log_likelihood, rel=1e-12)
    # what is left to gain, in units of the likelihood; the search ends at 1e-14 of its size
    assert gradient @ np.linalg.solve(-hessian, gradient) <= 1e-12 * (1 + abs(value))

    # standard errors: the inverse information in (coefficients, sigma) by differences of the likelihood in them
    def negative(v):
        return -sample.evaluate(np.append(v[:2], 1.0) / v[2])[0]

    at, h = np.append(best.coefficients, best.sigma), 1e-4
    steps = h * np.eye(3)
    second = np.array([[negative(at + a + b) - negative(at + a - b) - negative(at - a + b) + negative(at - a - b)
                        for a in steps] for b in steps]) / (4 * h * h)  # fmt: skip
    assert best.errors == pytest.approx(np.sqrt(np.diag(np.linalg.inv(second))[:2]), rel=1e-3)
    low, high = sample.profile_interval(best, 0.9)
    for end in (low, high):  # at both ends the deviance is its threshold
        assert sample.deviance(best, end) == pytest.approx(sample.threshold(0.9), rel=1e-5)
    assert sample.deviance(best, best.coefficients[1]) == pytest.approx(0, abs=1e-9)
    assert low < best.coefficients[1] < high
    k, m = 2, sample.known
    assert sample.threshold(0.9) == pytest.approx(
        m * math.log1p(stats.t.ppf(0.95, m - k) ** 2 / (m - k)), rel=1e-12
    )  # fmt: skip


def test_a_slope_bounded_from_one_side_has_one_infinite_end():
    data = Repeats.observed((1, 2, 4, 8), [[4, 5, 6], [8, 9, 7], [16, 15, 18], [30, 33, 29]])
    for call in (mean_slope, likelihood_slope):
        assert call(data) == call(data, level=0.95)
        assert call(data, level=0.5).low > call(data).low
        assert call(data).level == 0.95
        for level in (0.0, 1.0):
            refuses(DomainError, (lambda call=call, level=level: call(data, level=level), "0 < level < 1"))
    assert local_slopes(data) == local_slopes(data, level=0.95)
    assert mean_slope(data) == mean_slope(data, noise="residuals")
    refuses(DomainError, (lambda: local_slopes(data, level=1.0), "0 < level < 1"))
    assert [fit.window for fit in local_slopes(data)] == list(pairwise(data.sizes))
    wide = Repeats((1, 2, 4), ((1.0,), (1.0,), (1.0,)), ((8.0,), (16.0,), (math.inf,)))
    refuses(DomainError, (lambda: consistent_slopes(wide), "3 or more"))
    open_end = Repeats((1, 2, 4), ((1.0, 1.0), (1.0, 1.0), (1.0, 1.0)), ((8.0, 8.0), (16.0, 16.0), (math.inf, 40.0)))
    fit = consistent_slopes(open_end)
    # from 1 up to 8 at size 1, from 1 up to 40 at size 4: in logarithms over log 4
    assert (fit.low, fit.high) == pytest.approx((-math.log(8, 4), math.log(40, 4)), abs=1e-9)
    assert (fit.slope, fit.level, fit.sigma) == (pytest.approx((fit.low + fit.high) / 2), 1.0, 0.0)
    start = Repeats((1, 2, 4), ((0.0,), (0.0,), (2.0,)), ((1.0,), (2.0,), (4.0,)))
    refuses(DomainError, (lambda: consistent_slopes(start), "one side only"))  # it may be as steep as one likes
    all_open = Repeats((1, 2, 4), ((0.0,), (0.0,), (0.0,)), ((1.0,), (2.0,), (4.0,)))
    refuses(DomainError, (lambda: consistent_slopes(all_open), "one side only"))
    spoiled = Repeats((1, 2, 4), ((0.0,), (1.0,), (2.0,)), ((1.0,), (2.0,), (4.0,)))
    refuses(DomainError, (lambda: mean_slope(spoiled), "two positive ends"))
    step = next(SlopeFit(1.0, -9.0, math.inf, 0.9, 0.0, 1.0, (2, 4), (8,), "likelihood").recipe().steps(0, Budget()))
    assert step.floats[1] == math.inf
    assert (step.work["level"], step.work["method"]) == (0.9, "likelihood")


# -- plans and forms -------------------------------------------------------------------------------------------------
def test_plans_at_the_edges_of_their_arguments():
    assert slope_half_width(SIZES, 2, 0.5) == slope_half_width(SIZES, 2, 0.5, 0.95)
    x = np.log(SIZES)
    spread = 0.5 / math.sqrt(2 * ((x - x.mean()) ** 2).sum())
    assert slope_half_width(SIZES, 2, 0.5, 0.8) == pytest.approx(stats.t.ppf(0.9, 4) * spread, rel=1e-12)
    assert slope_half_width(SIZES, 1, 0.5) > 0
    one, two = [4.0, 8.0, 16.0], [4.0, 16.0, 64.0]
    made = decides(SIZES, 2, 0.5, one, two)
    assert made == decides(SIZES, 2, 0.5, one, two, level=0.95)
    assert (made.first, made.second) == pytest.approx((1, 2), abs=1e-12)
    assert made.half_width == slope_half_width(SIZES, 2, 0.5)
    # the power by simulating nothing: a t of noncentrality (difference / error), outside its quantiles
    free, edge = 4, stats.t.ppf(0.975, 4)
    by_hand = integrate.quad(lambda t: stats.nct.pdf(t, free, 1 / spread), -edge, edge)[0]
    assert made.power == pytest.approx(1 - by_hand, abs=1e-8)
    assert decides(SIZES, 2, 0.5, one, one, level=0.9).power == pytest.approx(0.1)
    assert not decides(SIZES, 2, 0.5, one, one).decided
    for half, decided in ((0.5, False), (0.49, True)):
        assert type(made)(1.0, 2.0, half, 0.5).decided is type(made)(2.0, 1.0, half, 0.5).decided is decided
    refuses(
        DomainError, lambda: slope_half_width((4, 8), 2, 0.5), lambda: slope_half_width((4, 8, 8), 2, 0.5),
        lambda: slope_half_width((4, 8, 16, 16), 2, 0.5), lambda: slope_half_width((0, 4, 8), 2, 0.5),
        lambda: slope_half_width((4, 8, math.inf), 2, 0.5), lambda: slope_half_width(SIZES, 0, 0.5),
        lambda: slope_half_width(SIZES, 2, 0.0), lambda: slope_half_width(SIZES, 2, math.inf),
        lambda: slope_half_width(SIZES, 2, 0.5, 1.0), lambda: slope_half_width(SIZES, 2, 0.5, 0.0),
        lambda: predicted_slope([1.0, 2.0], SIZES), lambda: predicted_slope([1.0, 2.0], (4, 4)),
        lambda: predicted_slope([0.0, 2.0], (4, 8)), lambda: predicted_slope([1.0, 2.0], (0, 8)),
        lambda: compare_forms(Repeats.observed((1, 2, 4, 8), [[1], [3], [4], [9]])),
    )  # fmt: skip
    assert predicted_slope([3.0, 12.0], (2, 8)) == pytest.approx(1, abs=1e-12)


# -- coverage, and the error of a network ----------------------------------------------------------------------------
def test_coverage_at_the_edges():
    assert Coverage(1, 1, 1.0).refused == 0
    assert Coverage(1, 1, 1.0).verdict == "at"
    assert Coverage(3, 4, 0.5).share == 0.75
    seen = Coverage(7, 9, 0.5)
    # Clopper and Pearson: each tail at its end is half of the doubt, up to what intervals may spare
    assert stats.binom.sf(6, 9, seen.low) == pytest.approx(DOUBT / 2, rel=1e-5)
    assert stats.binom.cdf(7, 9, seen.high) == pytest.approx(DOUBT / 2, rel=1e-5)

    def exactly(seed):
        return 1.0, 2.0

    for truth, hits in ((1.0, 3), (2.0, 3), (0.999, 0), (2.001, 0)):
        assert simulated_coverage(exactly, truth, nominal=0.5, runs=3, name="ends").hits == hits
    refuses(DomainError, lambda: Coverage(0, 0, 0.5), lambda: Coverage(2, 1, 0.5), lambda: Coverage(1, 2, 0.0))
    seeds = []
    for name in ("one", "one", "two"):
        simulated_coverage(lambda seed: (seeds.append(tuple(seed.generate_state(2))), 0.0)[1:] * 2, 0.0,
                           nominal=0.5, runs=2, name=name)  # fmt: skip
    assert seeds[:2] == seeds[2:4]
    assert len(set(seeds)) == 4


def test_limits_of_the_squared_error():
    rng = np.random.default_rng(1)
    Z = rng.standard_normal(4000) ** 2
    limits = clipped_error.Limits.of(Z, 0.01, tau=16.0, excess=0.25)
    low, high = intervals.empirical_bernstein(np.minimum(Z, 16.0), 0.01, low=0.0, high=16.0)
    assert (limits.low, limits.high) == (low, math.nextafter(high + 0.25, math.inf))
    assert (limits.mean, limits.count, limits.alpha) == (Z.mean(), 4000, 0.01)
    assert limits.variance == pytest.approx(((Z - Z.mean()) ** 2).sum() / 3999, rel=1e-12)
    assert clipped_error.Limits.read(limits.to_json()) == limits
    other = clipped_error.Limits(1.0, 1.0, 5, 0.5, 9.0, 0.02)
    (step,) = clipped_error.least_recorded([limits, other]).steps(0.5, Budget())
    assert step.floats == outward(0.5, limits.high)
    assert (step.alpha, step.work["samples"]) == (0.03, 4005)
    refuses(DomainError, lambda: clipped_error.least_recorded([]),
            lambda: clipped_error.Limits.of([-1.0], 0.1, tau=1.0, excess=0.0))  # fmt: skip


@pytest.mark.parametrize(("clip", "tau"), [(1, 3), (1, 16), (2, 6), (3, 40)])
def test_the_excess_of_a_clipped_error_is_above_its_integral(clip, tau):
    edge = math.sqrt(tau) - clip
    exact, error = integrate.quad(
        lambda y: 2 * ((clip + y) ** 2 - tau) * math.exp(-y * y / 2) / math.sqrt(2 * math.pi), edge, 40,
        epsabs=1e-13,
    )  # fmt: skip
    bound = clipped_error.clipped_gaussian_excess(clip, tau)
    assert exact - error <= bound
    # the bound leaves out 2(1 + c^2 - tau) Q(s), and nothing else
    left_out = 2 * (1 + clip**2 - tau) * stats.norm.sf(edge)
    assert bound + left_out == pytest.approx(exact, abs=1e-11)
    refuses(
        DomainError, lambda: clipped_error.clipped_gaussian_excess(0, 5),
        lambda: clipped_error.clipped_gaussian_excess(clip, clip**2 + 1),
    )  # fmt: skip
    assert clipped_error.clipped_gaussian_excess(clip, clip**2 + 2) > 0
