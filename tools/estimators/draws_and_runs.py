"""What is simulated of every estimator: laws, sizes, nominal level, and a spoiled twin that must be found too narrow.

Sizes are those of the claims: three, four, five and eight runs, windows of three to five lengths, ladders of one to
four looks.  A law that the estimator's docstring admits is held against the level; under the others nothing is
promised, and what comes out is said.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from theorytools.claims.language.estimate import Budget
from theorytools.numbers import portable
from theorytools.numbers.draws import Draws
from theorytools.statistics import intervals, sampled, t_intervals
from theorytools.statistics.clipped_error import Limits, clipped_gaussian_excess, least_recorded
from theorytools.statistics.coverage import Coverage, simulated_coverage, whole_ladder
from tools.estimators.laws import (
    COSINE,
    ERRORS,
    EXPONENTIAL,
    NEARLY_ONE,
    NOISES,
    PARETO,
    REPEATS,
    SKEWED,
    SQUARES,
    UNIFORM,
    Law,
    clipped_error,
    coin,
    in_groups,
    student,
)

ALPHA, LEVEL = 0.05, 0.95
FIRST, MOST, LONG = 1024, 8192, 65536  # draws at the first, the fourth and the seventh look
# data sets of a study, by what one of them costs
RUNS = {"repeats": 1000, "draws": 300, "fits": 1000, "likelihoods": 150, "locals": 120, "forms": 40}


@dataclass(frozen=True)
class Study:
    """One law at one size: ``interval(seed)`` draws a data set and returns the two ends; ``truth`` is the number."""

    law: str
    sizes: str
    truth: float
    interval: Callable[[Any], Any]
    admitted: bool = True
    nominal: float = LEVEL

    def run(self, panel: str, runs: int) -> Coverage:
        """Return the coverage; seeds are those of the panel, the law and the sizes."""
        name = f"{panel}, {self.law}, {self.sizes}"
        return simulated_coverage(self.interval, self.truth, nominal=self.nominal, runs=runs, name=name)


@dataclass(frozen=True)
class Panel:
    """An estimator: its studies, and the same with one step spoiled, under a law at which that shows."""

    title: str
    estimators: tuple[str, ...]
    cost: str
    studies: tuple[Study, ...]
    spoiled: str
    twin: Study


# -- confidence sequences: every look of the ladder must hold --------------------------------------------------------
def climbed(make, law, samples):
    """The whole ladder of the recipe that ``make(draw, seed)`` returns."""

    def interval(seed):
        return whole_ladder(make(law.draw, seed), ALPHA, Budget(samples=samples))

    return interval


def looked(law, samples, interval):
    """An interval of one's own, read at the looks of a ladder and cut to those before: what a twin does."""

    def looks(seed):
        x, n, low, high = law.draw(Draws(seed), samples), FIRST, -math.inf, math.inf
        for epoch in range(1, 64):
            ends = interval(x[:n], epoch)
            low, high, n = max(low, float(ends[0])), min(high, float(ends[1])), 2 * n
            if n > samples:
                return low, high

    return looks


def sequence(title, names, make, laws, spoiled, twin_law, twin, truth=None):
    number = truth or (lambda law: law.mean)
    studies = [Study(law.label, f"{n:,} draws, {looks} look{'s'[:looks > 1]}", number(law), climbed(make, law, n),
                     law.admitted)
               for law in laws for n, looks in ((FIRST, 1), (MOST, 4))]  # fmt: skip
    spoilt = Study(twin_law.label, f"{LONG:,} draws, 7 looks", number(twin_law), looked(twin_law, LONG, twin))
    return Panel(title, names, "draws", tuple(studies), spoiled, spoilt)


def range_of_sample(x, epoch):
    """The empirical-Bernstein bound with the range of the sample in place of the law's."""
    low, high = float(x.min()), float(x.max())
    if low == high:
        return low, high
    return intervals.empirical_bernstein(x, intervals.epoch_level(ALPHA, epoch), low=low, high=high)


def normal_limits(x, epoch=1):
    """The mean, two-sided, with the sample's deviation and the normal quantile."""
    half = 1.96 * float(x.std()) / math.sqrt(x.size)
    return x.mean() - half, x.mean() + half


def without_tail(x, epoch):
    low, high = intervals.empirical_bernstein(np.minimum(x, 2), intervals.epoch_level(ALPHA, epoch), low=0, high=2)
    return low, high


def whole_level(method):
    """The level not divided over the looks."""
    return lambda x, epoch: method(x, ALPHA)


SCALED = Law("Gaussian", lambda rng, size: 3 * rng.standard_normal(size), 9.0)
HEAVY = Law("heavy tails, t with 3", lambda rng, size: 3 * student(rng, size), 9.0, admitted=False)
GROUPED = in_groups(UNIFORM, 64, "uniform, in groups of 64 equal ones")
COINS = [coin(p) for p in (0.5, 0.1, 0.001)]


def sequences():
    """The recipes that draw, each under laws it admits and one it does not."""
    yield sequence(
        "bounded_mean", ("sampled.bounded_mean",), partial(sampled.bounded_mean, low=0, high=1),
        [UNIFORM, SKEWED, COSINE, *COINS[1:], GROUPED], "the range read off the sample", coin(0.0005), range_of_sample,
    )  # fmt: skip
    yield sequence(
        "proportion", ("sampled.proportion",), sampled.proportion,
        [*COINS, coin(0.00002), in_groups(COINS[1], 64, "0 or 1, p = 0.1, in groups of 64")],
        "normal limits", COINS[2], normal_limits,
    )  # fmt: skip
    yield sequence(
        "lower_mean", ("sampled.lower_mean",), partial(sampled.lower_mean, tau=10),
        [EXPONENTIAL, SQUARES, PARETO, NEARLY_ONE, in_groups(EXPONENTIAL, 64, "exponential, in groups of 64")],
        "the sample's deviation for the bound", NEARLY_ONE, lambda x, epoch: (normal_limits(x)[0], math.inf),
    )  # fmt: skip
    excess = sampled.truncation_excess(8, 2, 10)
    yield sequence(
        "truncated_mean", ("sampled.truncated_mean",), partial(sampled.truncated_mean, tau=10, excess=excess),
        [SQUARES, ERRORS, EXPONENTIAL, in_groups(SQUARES, 64, "squared chi-square, in groups of 64")],
        "what lies beyond the truncation left out", SQUARES, without_tail,
    )  # fmt: skip
    yield sequence(
        "gaussian_variance", ("sampled.gaussian_variance", "intervals.gaussian_variance_interval"),
        sampled.gaussian_variance, [SCALED, HEAVY], "the whole level at every look", SCALED,
        whole_level(intervals.gaussian_variance_interval),
    )  # fmt: skip
    yield sequence(
        "gaussian_mean", ("sampled.gaussian_mean", "intervals.gaussian_mean_interval"),
        partial(sampled.gaussian_mean, sigma=3),
        [SCALED, HEAVY, in_groups(SCALED, 2, "Gaussian, in equal pairs")], "the whole level at every look", SCALED,
        whole_level(partial(intervals.gaussian_mean_interval, sigma=3)), lambda law: 0.0,
    )  # fmt: skip


# -- what a record keeps: one size, fixed beforehand -----------------------------------------------------------------
TESTS, NETWORKS = 2000, 10


def fixed(law, n, interval):
    return lambda seed: interval(law.draw(Draws(seed), n))


def bernstein(x):
    return intervals.empirical_bernstein(x, ALPHA, low=0.0, high=1.0)


EXCESS = clipped_gaussian_excess(3, 64)


def limits(x, tau=64.0, excess=EXCESS):
    found = Limits.of(x, ALPHA, tau=tau, excess=excess)
    return found.low, found.high


def errors_of(seed):
    """The errors of ten networks that are equally good."""
    rng = Draws(seed)
    return [clipped_error(rng, TESTS) for _ in range(NETWORKS)]


def least(seed):
    each = [Limits.of(x, ALPHA / NETWORKS, tau=64.0, excess=EXCESS) for x in errors_of(seed)]
    return whole_ladder(least_recorded(each), ALPHA * (1 + 1e-12), Budget())


def best_by_chance(seed):
    """The normal limits of the network whose sample came out best."""
    return normal_limits(min(errors_of(seed), key=np.mean))


def largest_share(rates, alpha, group=1):
    """The best of several networks' shares of right answers, from the Clopper-Pearson limits of each."""

    def interval(seed):
        rng = Draws(seed)
        counts = [np.repeat(rng.random(TESTS // group) < p, group).sum() for p in rates]
        low, high = (float(ends.max()) for ends in intervals.clopper_pearson(counts, TESTS, alpha))
        recipe = sampled.recorded_interval(low, high, alpha=ALPHA, samples=TESTS * len(rates))
        return whole_ladder(recipe, ALPHA, Budget())

    return interval


def recorded():
    """Intervals that a sweep writes into its record."""
    admitted = [UNIFORM, SKEWED, COSINE, *COINS[1:], GROUPED]
    yield Panel(
        "empirical_bernstein", ("intervals.empirical_bernstein",), "draws",
        tuple(Study(law.label, f"{n:,} draws", law.mean, fixed(law, n, bernstein), law.admitted)
              for law in admitted for n in (256, 4096)),
        "the range read off the sample",
        Study("0 or 1, p = 0.0001", "4,096 draws", 1e-4, fixed(coin(1e-4), 4096, partial(range_of_sample, epoch=1))),
    )  # fmt: skip
    few = [("equal, 0.98", [0.98] * NETWORKS), ("equal, 0.5", [0.5] * NETWORKS), ("one better", [0.5, *[0.45] * 9]),
           ("all answers right", [1.0] * NETWORKS)]  # fmt: skip
    sizes = f"{NETWORKS} networks, {TESTS:,} tests"
    shared = ALPHA / NETWORKS
    yield Panel(
        "recorded_interval, largest share", ("sampled.recorded_interval", "intervals.clopper_pearson"), "draws",
        (*(Study(label, sizes, max(rates), largest_share(rates, shared)) for label, rates in few),
         Study("tests in groups of 8", sizes, 0.98, largest_share([0.98] * NETWORKS, shared, 8), admitted=False)),
        "the whole level for every network", Study("equal, 0.5", sizes, 0.5, largest_share(few[1][1], ALPHA)),
    )  # fmt: skip
    grouped = in_groups(ERRORS, 16, "read-out, in groups of 16 equal prompts")
    yield Panel(
        "Limits of a clipped error", ("clipped_error.Limits.of",), "draws",
        tuple(Study(law.label, f"{n:,} prompts", law.mean, fixed(law, n, limits), law.admitted)
              for law in (ERRORS, grouped) for n in (512, 8192)),
        "truncated at 1, the excess left out",
        Study(ERRORS.label, "8,192 prompts", ERRORS.mean, fixed(ERRORS, 8192, partial(limits, tau=1.0, excess=0.0))),
    )  # fmt: skip
    yield Panel(
        "least_recorded", ("clipped_error.least_recorded",), "draws",
        (Study("ten equal networks", f"{TESTS:,} prompts each", ERRORS.mean, least),),
        "the limits of the network that came out best",
        Study("ten equal networks", f"{TESTS:,} prompts each", ERRORS.mean, best_by_chance),
    )  # fmt: skip


# -- a few repeats: t-intervals --------------------------------------------------------------------------------------
def ends(recipe):
    return whole_ladder(recipe, 0.0, Budget())


def of_repeats(law, r, estimate):
    return lambda seed: estimate(law.draw(Draws(seed), r).tolist())


def of_two(first, second, sizes, estimate):
    def interval(seed):
        rng = Draws(seed)
        return estimate(*(law.draw(rng, r).tolist() for law, r in zip((first, second), sizes, strict=True)))

    return interval


def normal_mean(values):
    """Z in place of t."""
    x = np.asarray(values)
    half = 1.96 * float(x.std(ddof=1)) / math.sqrt(len(x))
    return x.mean() - half, x.mean() + half


def normal_difference(first, second):
    x, y = np.asarray(first), np.asarray(second)
    half = 1.96 * math.sqrt(x.var(ddof=1) / len(x) + y.var(ddof=1) / len(y))
    return x.mean() - y.mean() - half, x.mean() - y.mean() + half


def exp_of(law, sigma=0.3):
    """The law of a positive number whose logarithm is ``sigma`` times a draw."""
    return Law(law.label, lambda rng, size: portable.exp(sigma * law.draw(rng, size)), 1.0, law.admitted)


def exponentials(pair):
    return tuple(math.exp(end) for end in pair)


def logarithms(*rows):
    return [[math.log(x) for x in row] for row in rows]


def quotient(first, second):
    """What stands in a check: the quotient of two geometric means from end to end of their intervals, level 0.9."""
    one, two = (t_intervals.geometric_interval(row) for row in (first, second))
    return one[0] / two[1], one[1] / two[0]


def like_ends(first, second):
    one, two = (t_intervals.geometric_interval(row) for row in (first, second))
    return tuple(sorted((one[0] / two[0], one[1] / two[1])))


def threshold(law, r, estimate, factor=1.5):
    """A threshold between the last size that failed and the first that did not, on a grid of factor 1.5."""

    def interval(seed):
        true = np.log(law.draw(Draws(seed), r)) / math.log(factor) + 20.5
        first = [10 * factor ** float(k) for k in np.ceil(true)]
        failed = [x / factor for x in first]
        return estimate(failed, first)

    return interval, 10 * factor**20.5


def corners(failed, first):
    """What stands in a check: from the lower end of the failures to the upper end of the successes, level 0.9."""
    return t_intervals.geometric_interval(failed)[0], t_intervals.geometric_interval(first)[1]


def successes(failed, first):
    return t_intervals.geometric_interval(first)


def paired_sizes(laws, pairs, estimate, truth):
    for law in laws:
        for r in pairs:
            yield Study(law.label, f"{r[0]} and {r[1]} runs", truth, of_two(law, law, r, estimate), law.admitted)


def repeats():
    """Means of a few runs."""
    noises = REPEATS[:6]
    yield Panel(
        "repeat_mean", ("t_intervals.repeat_mean", "t_intervals.mean_interval"), "repeats",
        tuple(Study(law.label, f"{r} runs", law.mean, of_repeats(law, r, lambda x: ends(t_intervals.repeat_mean(x))),
                    law.admitted) for law in REPEATS for r in (3, 5, 8)),
        "z for t", Study("Gaussian", "5 runs", 0.0, of_repeats(noises[0], 5, normal_mean)),
    )  # fmt: skip
    wide = Law("Gaussian", lambda rng, size: 3 * rng.standard_normal(size), 0.0)
    welch = lambda x, y: ends(t_intervals.mean_difference(x, y))  # noqa: E731
    yield Panel(
        "mean_difference", ("t_intervals.mean_difference", "t_intervals.difference_interval"), "repeats",
        (*paired_sizes(REPEATS[:5], [(8, 6), (8, 4)], welch, 0.0),
         Study("deviations 3 : 1", "4 and 8 runs", 0.0, of_two(wide, noises[0], (4, 8), welch))),
        "z for t", Study("Gaussian", "3 and 3 runs", 0.0, of_two(noises[0], noises[0], (3, 3), normal_difference)),
    )  # fmt: skip
    yield from factors([exp_of(law) for law in noises])


def factors(positive):
    """Geometric means of a few runs, and their ratios."""
    yield Panel(
        "geometric_mean", ("t_intervals.geometric_mean", "t_intervals.geometric_interval"), "repeats",
        tuple(Study(f"log: {law.label}", f"{r} runs", 1.0,
                    of_repeats(law, r, lambda x: ends(t_intervals.geometric_mean(x))), law.admitted)
              for law in positive for r in (3, 5)),
        "z for t", Study("log: Gaussian", "5 runs", 1.0, of_repeats(
            positive[0], 5, lambda x: exponentials(normal_mean(*logarithms(x))))),
    )  # fmt: skip
    ratio = t_intervals.ratio_interval
    yield Panel(
        "ratio_interval", ("t_intervals.ratio_interval",), "repeats",
        tuple(paired_sizes(positive[:5], [(3, 3), (5, 5), (8, 4)], ratio, 1.0)),
        "z for t", Study("Gaussian", "3 and 3 runs", 1.0, of_two(
            positive[0], positive[0], (3, 3), lambda x, y: exponentials(normal_difference(*logarithms(x, y))))),
    )  # fmt: skip
    ratios = [Study(law.label, "5 and 5 runs", 1.0, of_two(law, law, (5, 5), quotient), law.admitted, 0.9)
              for law in positive[:5]]  # fmt: skip
    yield Panel(
        "quotient of geometric_interval ends", ("end to end, geometric",), "repeats", tuple(ratios),
        "like ends divided", Study("Gaussian", "5 and 5 runs", 1.0, of_two(
            positive[0], positive[0], (5, 5), like_ends), nominal=0.9),
    )  # fmt: skip
    known = [(law, threshold(law, 3, corners)) for law in positive[:5]]
    blind = threshold(positive[0], 3, successes)
    yield Panel(
        "threshold from failure to success", ("from failure to success",), "repeats",
        tuple(Study(law.label, "3 runs, grid 1.5", truth, interval, law.admitted, 0.9)
              for law, (interval, truth) in known),
        "the successes alone", Study("Gaussian", "20 runs, grid 1.5", blind[1],
                                     threshold(positive[0], 20, successes)[0], nominal=0.9),
    )  # fmt: skip


NOISE_LAWS = {label: Law(label, draw, 0.0, admitted) for label, (draw, admitted) in NOISES.items()}
