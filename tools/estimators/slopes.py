"""What is simulated of slopes and growth forms: windows, repeats and resolutions are those of the sweeps."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
from devices import device

from theorytools.claims.language.estimate import Budget, fitted
from theorytools.numbers import Enclosure, portable, total
from theorytools.numbers.draws import Draws
from theorytools.statistics.censored import CensoredSample, Repeats
from theorytools.statistics.coverage import whole_ladder
from theorytools.statistics.growth_forms import compare_forms, decides, predicted_slope
from theorytools.statistics.slopes import consistent_slopes, likelihood_slope, local_slopes, mean_slope, power_sample
from tools.estimators.draws_and_runs import (
    ALPHA,
    LEVEL,
    MOST,
    NOISE_LAWS,
    Panel,
    Study,
    ends,
    normal_limits,
    recorded,
    repeats,
    sequences,
)
from tools.estimators.laws import exponential
from tools.estimators.levels import levels

FIGURE, LONG, SHORT, THREE = (4, 6, 8, 10, 12), (64, 256, 1024, 4096), (1, 2, 3, 4), (16, 32, 64)
WINDOWS = ((FIGURE, 5), (SHORT, 3), (THREE, 3), (LONG, 8))
SIGMA, START, SLOPE = 0.2, 8.0, 1.25  # of log n; n is 3,000 at size 1


def straight(sizes):
    """Logarithms of a power."""
    return START + SLOPE * portable.log(np.asarray(sizes, dtype=np.float64))


def bent(sizes):
    """Logarithms of N (log N)^2, which is no power."""
    x = portable.log(np.asarray(sizes, dtype=np.float64) + 1)
    return START + x + 2 * portable.log(x)


def shared_by_size(rng, size):
    """Gaussian noise of which half the variance is one draw for all runs of a size: five runs, one data set."""
    return (rng.standard_normal() + rng.standard_normal(size)) / math.sqrt(2)


def drawn(seed, sizes, r, noise, mean=straight, sigma=SIGMA):
    """The logarithms of the runs, one row per size."""
    rng = Draws(seed)
    return [m + sigma * noise(rng, r) for m in mean(sizes)]


def observed(seed, sizes, r, noise, mean=straight, sigma=SIGMA, step=0.0, cap=math.inf):
    """The runs as a sweep records them: first success at a multiple of ``step``, stopped at ``cap``."""
    values = [portable.exp(row) for row in drawn(seed, sizes, r, noise, mean, sigma)]
    if step:
        values = [np.ceil(row / step) * step for row in values]
    stopped = [[bool(v > cap) for v in row] for row in values]
    return Repeats.observed(sizes, [[float(min(v, cap)) for v in row] for row in values], stopped=stopped, step=step)


def slope_of(fit):
    return ends(fit.recipe())


def study(estimate, sizes, r, law, told="", truth=SLOPE, nominal=LEVEL, **changes):
    label = f"{law.label}{', ' * bool(told)}{told}"

    def interval(seed):
        return estimate(observed(seed, sizes, r, law.draw, **changes))

    return Study(label, f"{len(sizes)} sizes of {r} runs", truth, interval, law.admitted, nominal)


GAUSSIAN = NOISE_LAWS["Gaussian"]
SHARED = replace(
    NOISE_LAWS["all share half the variance"], label="a size shares half the variance", draw=shared_by_size
)
OTHERS = [NOISE_LAWS[label] for label in ("heavy tails, t with 3", "skewed, exponential", "learnt or not, 4 : 1")]
CURVE = predicted_slope([float(v) for v in portable.exp(bent(FIGURE))], FIGURE)
residual_slope, repeat_slope = (lambda data, noise=noise: slope_of(mean_slope(data, noise=noise))
                                for noise in ("residuals", "repeats"))  # fmt: skip


def too_free(data):
    """The residuals' variance divided by the number of sizes, and the normal quantile."""
    fit = mean_slope(data)
    half = (fit.high - fit.low) / 2 * math.sqrt(1 - 2 / len(fit.window)) * 1.96 / student_quantile(len(fit.window) - 2)
    return fit.slope - half, fit.slope + half


def biased_repeats(data):
    """The variance within a size divided by the number of runs, not by one less."""
    fit = mean_slope(data, noise="repeats")
    r = len(data.low[0])
    half = (fit.high - fit.low) / 2 * math.sqrt(1 - 1 / r) * 1.96 / student_quantile(len(data.sizes) * (r - 1))
    return fit.slope - half, fit.slope + half


def student_quantile(free):
    from scipy.special import stdtrit

    return float(stdtrit(free, (1 + LEVEL) / 2))


def finished_alone(data):
    """Stopped runs dropped, and the slope of largest likelihood of the others."""
    rows = [[v for v in row if v < math.inf] for row in data.high]
    keep = [k for k, row in enumerate(rows) if row]
    kept = Repeats.observed([data.sizes[k] for k in keep], [rows[k] for k in keep])
    return slope_of(likelihood_slope(kept))


def end_to_end(two, level=0.9):
    """What stands in a check: the difference of two slopes from end to end of their intervals."""
    one, other = two
    return ends(fitted(other.low - one.high, other.high - one.low, level=level))


def two_slopes(seed, noise):
    first, second = seed.spawn(2)
    return [mean_slope(observed(one, FIGURE, 5, noise), noise="repeats") for one in (first, second)]


def like_ends_apart(two):
    """Low end less low end, high end less high end."""
    one, other = two
    return tuple(sorted((other.low - one.low, other.high - one.high)))


def mean_slopes():
    """Least-squares slopes, their noise read off the residuals or off the repeats."""
    yield Panel(
        'mean_slope, noise="residuals"', ("slopes.mean_slope",), "fits",
        (*(study(residual_slope, sizes, r, GAUSSIAN) for sizes, r in WINDOWS[:3]),
         *(study(residual_slope, FIGURE, 5, law) for law in [*OTHERS, SHARED]),
         study(residual_slope, FIGURE, 5, GAUSSIAN, "no power", CURVE, mean=bent)),
        "n for n - 2, z for t", study(too_free, FIGURE, 5, GAUSSIAN),
    )  # fmt: skip
    yield Panel(
        'mean_slope, noise="repeats"', ("slopes.mean_slope",), "fits",
        (*(study(repeat_slope, sizes, r, GAUSSIAN) for sizes, r in WINDOWS),
         study(repeat_slope, FIGURE, 5, GAUSSIAN, "no power", CURVE, mean=bent),
         study(repeat_slope, FIGURE, 5, GAUSSIAN, "seen every 2,000", step=2000.0),
         *(study(repeat_slope, FIGURE, 5, law) for law in [*OTHERS, SHARED])),
        "r for r - 1, z for t", study(biased_repeats, THREE, 3, GAUSSIAN),
    )  # fmt: skip
    yield Panel(
        "difference of two slopes, end to end", ("end to end, slopes",), "fits",
        tuple(Study(law.label, "twice 5 sizes of 5 runs", 0.0,
                    lambda seed, law=law: end_to_end(two_slopes(seed, law.draw)), law.admitted, 0.9)
              for law in [GAUSSIAN, *OTHERS, SHARED]),
        "like ends subtracted", Study("Gaussian", "twice 5 sizes of 5 runs", 0.0, lambda seed: like_ends_apart(
            two_slopes(seed, GAUSSIAN.draw)), nominal=0.9),
    )  # fmt: skip


CAP = 66_500.0  # the geometric mean at 12: stops half of the runs there, and one in eight at 10


def likely(data):
    return slope_of(likelihood_slope(data))


def rise(data):
    """What stands in a check: the last local exponent less the first, from end to end, level 0.9."""
    first, *_, last = local_slopes(data)
    return ends(fitted(last.low - first.high, last.high - first.low, level=0.9))


def rise_of_like_ends(data):
    """Low end less low end, high end less high end."""
    first, *_, last = local_slopes(data)
    return tuple(sorted((last.low - first.low, last.high - first.high)))


def consistent(seed, step=3000.0, sigma=0.0, share=1.0):
    """All powers through runs of one power, which begins anywhere, known to ``share`` of the resolution they have."""
    first, rest = seed.spawn(2)
    start = Draws(first).random()
    data = observed(rest, FIGURE, 1, NOISE_LAWS["Gaussian"].draw, lambda sizes: straight(sizes) + start, sigma, step)
    low = tuple(tuple(b - share * (b - a) for a, b in zip(*rows, strict=True))
                for rows in zip(data.low, data.high, strict=True))  # fmt: skip
    return slope_of(consistent_slopes(Repeats(data.sizes, low, data.high)))


def profile(data):
    """The interval of a coefficient of a linear model, from the profile of its likelihood."""
    sample = power_sample(data)
    return CensoredSample(sample.low, sample.high, sample.X).profile_interval(sample.maximise(), LEVEL)


def likelihoods():
    """Slopes by likelihood: of intervals, and of runs that were stopped."""
    stopped = partial(study, cap=CAP, step=1000.0)
    yield Panel(
        "likelihood_slope", ("slopes.likelihood_slope", "censored.CensoredSample.profile_interval"), "likelihoods",
        (study(likely, FIGURE, 5, GAUSSIAN), study(profile, THREE, 3, GAUSSIAN),
         study(likely, FIGURE, 5, GAUSSIAN, "seen every 2,000", step=2000.0),
         stopped(likely, FIGURE, 5, GAUSSIAN, "half stopped at 12"), stopped(likely, FIGURE, 5, OTHERS[1], "stopped"),
         study(likely, FIGURE, 5, SHARED)),
        "stopped runs dropped", stopped(finished_alone, FIGURE, 5, GAUSSIAN, "half stopped at 12", sigma=0.4),
    )  # fmt: skip
    yield Panel(
        "local_slopes, last less first", ("slopes.local_slopes",), "locals",
        tuple(study(rise, FIGURE, 5, law, truth=0.0, nominal=0.9) for law in [GAUSSIAN, *OTHERS[1:], SHARED]),
        "like ends subtracted", study(rise_of_like_ends, FIGURE, 5, GAUSSIAN, truth=0.0, nominal=0.9),
    )  # fmt: skip
    noisy = Study(
        "sigma 0.1", "5 sizes, seen every 10,000", SLOPE, partial(consistent, step=10_000.0, sigma=0.1), False, 1.0
    )
    yield Panel(
        "consistent_slopes", ("slopes.consistent_slopes",), "fits",
        (Study("no noise", "5 sizes, seen every 3,000", SLOPE, consistent, nominal=1.0), noisy),
        "half the resolution",
        Study("no noise", "5 sizes, seen every 3,000", SLOPE, partial(consistent, share=0.5), nominal=1.0),
    )  # fmt: skip


# -- forms, and the power of a plan ----------------------------------------------------------------------------------
def gap(rows):
    """What stands in a check: the criterion of the power less that of the logarithm, per run."""
    found = {fit.form: fit.excess for fit in compare_forms(rows)}
    return (found["logarithm"] - found["power"]) / sum(len(row) for row in rows.low)


def population(sizes, sigma=SIGMA):
    """The criterion of the law itself: two runs at plus and minus sigma have its mean and variance at every size."""
    rows = [[float(portable.exp(m - sigma)), float(portable.exp(m + sigma))] for m in straight(sizes)]
    return gap(Repeats.observed(sizes, rows))


def left_out(data):
    """The values with one repeat left out, taken for independent ones."""
    from theorytools.statistics.t_intervals import mean_interval

    values = []
    for k in range(len(data.low[0])):
        low, high = (tuple(row[:k] + row[k + 1 :] for row in sides) for sides in (data.low, data.high))
        values.append(gap(replace(data, low=low, high=high)))
    return mean_interval(values)


def excludes(noise, sizes=FIGURE, r=5, sigma=SIGMA, apart=0.2):
    """Whether the interval of a slope excludes another prediction, as (1, 1) or (0, 0); and the planned power."""
    second = [float(v) for v in portable.exp(straight(sizes) + apart * portable.log(np.asarray(sizes, float)))]
    plan = decides(sizes, r, sigma, [float(v) for v in portable.exp(straight(sizes))], second)

    def interval(seed):
        low, high = likely(observed(seed, sizes, r, noise, sigma=sigma))
        return (0.0, 0.0) if low <= plan.second <= high else (1.0, 1.0)

    return interval, plan.power


def forms():
    """Which form a growth has, by jackknife over the repeats; and how often a plan decides."""
    jackknife = device("qstr/figure_01/forms", "jackknife")[0]
    laws = [GAUSSIAN, OTHERS[1], OTHERS[2], SHARED]
    truth = population(FIGURE)
    yield Panel(
        "compare_forms, jackknife", ("growth_forms.compare_forms",), "forms",
        tuple(study(lambda data: ends(jackknife(gap, data)), FIGURE, 5, law, truth=truth) for law in laws),
        "values with one left out as repeats", study(left_out, FIGURE, 5, GAUSSIAN, truth=truth),
    )  # fmt: skip
    fair, power = excludes(GAUSSIAN.draw)
    yield Panel(
        "decides, planned power", ("growth_forms.decides", "growth_forms.slope_half_width"), "likelihoods",
        tuple(Study(law.label, "5 sizes of 5 runs", 1.0, excludes(law.draw)[0], law.admitted, power)
              for law in [GAUSSIAN, *OTHERS[:2], SHARED]),
        "planned with half the noise", Study("Gaussian", "5 sizes of 5 runs", 1.0, fair, nominal=excludes(
            GAUSSIAN.draw, sigma=SIGMA / 2)[1]),
    )  # fmt: skip


# -- what a check makes of several sampled columns -------------------------------------------------------------------
class Columns:
    """One error and eight squared coordinates, in place of a trained network, for the least slack of Proposition 35."""

    noises, N, payloads, basis, reach = (0.5,), 2, 1, np.eye(8), np.ones(8) * 1.01
    truth = 4 * math.log(1 + (1 / 3) / 0.25) + math.log(2) / 2

    @staticmethod
    def observe(rng, size):
        found = {str(k): rng.uniform(-1, 1, size) ** 2 for k in range(8)}
        return {"error 0.5": exponential(rng, size), **found, "error": exponential(rng, size)}

    def at_moments(self, moments, error):
        return total((1 + Enclosure(one) * 4).log() for one in moments) / 2 + (2 * Enclosure(error)).log() / 2


class Noisy(Columns):
    _least = device("qstr/proposition_35/_noisy_state").NoisyStates._least


class Trained(Columns):
    _step = device("qstr/proposition_35/_trained_state").StateInequality._step


def moments_known(seed):
    """Normal limits of the error alone, with the coordinates' sample moments."""
    found = Columns.observe(Draws(seed), MOST)
    carried = sum(math.log(1 + 4 * found[str(k)].mean()) for k in range(8)) / 2
    return tuple(carried + math.log(2 * end) / 2 for end in normal_limits(found["error"]))


def least_slacks():
    """A number made of the limits of nine columns, each at its share of the level, by the code of the check."""
    kinds = [
        ("under noise", Noisy(), device("qstr/proposition_35/_noisy_state").NoisyStates.slack),
        ("by a Lipschitz constant", Trained(), device("qstr/proposition_35/_trained_state").StateInequality.slack),
    ]
    yield Panel(
        "least slack of Proposition 35", ("several columns",), "draws",
        tuple(Study(f"bounded and exponential, {label}", f"{MOST:,} draws, 4 looks", Columns.truth,
                    lambda seed, made=made, slack=slack: whole_ladder(slack(made, seed), ALPHA, Budget(samples=MOST)))
              for label, made, slack in kinds),
        "all but one column taken for known",
        Study("bounded and exponential", f"{MOST:,} draws", Columns.truth, moments_known),
    )  # fmt: skip


# what a check makes of an interval keeps its event, or is studied as what it is; names are those of the definitions
BY_CHECK = {
    name: studied
    for studied, names in {
        "slopes.mean_slope": (
            "qstr.figure_01.far.measure", "qstr.figure_01.far.short", "qstr.figure_01.longer.elsewhere",
            "qstr.figure_01.worlds.exponents", "qstr.figure_03.figure_03.measure", "qstr.figure_03.retrieval.measure",
            "stsq.experiments.short_encodings.measure",
        ),
        "end to end, slopes": ("qstr.figure_01.figure_01.measure", "qstr.figure_01.longer.measure"),
        "slopes.local_slopes": ("qstr.figure_01.forms.local",),
        "t_intervals.geometric_interval": ("qstr.figure_01.published.over",),
        "two_levels.further_interval": ("qstr.figure_01.worlds.further",),
        "end to end, geometric": ("qstr.figure_01.recurrent.measure", "qstr.figure_01.simple.measure"),
        "from failure to success": ("qstr.question_d.least",),
        "t_intervals.ratio_interval": (
            "qstr.question_a.ratios", "qstr.question_b.exchanged", "qstr.question_b.measure", "qstr.question_b.other",
            "qstr.question_c.digits.ratio", "qstr.question_e.trained.ratios", "qstr.question_f.ratios",
            "qstr.theorem_01.trained_heads.ratios", "sep.experiments.layers.over",
            "sep.experiments.dyck.misses", "sep.experiments.lengths.ratios", "sep.experiments.two_heads.misses",
            "sep.experiments.two_heads.perfect", "stsq.experiments.noise.noise", "stsq.question_h.over",
            "stsq.spe_floor.lengths.falls",
        ),
        "several columns": (
            "qstr.proposition_35._noisy_state.NoisyStates", "qstr.proposition_35._trained_state.StateInequality",
        ),
        "clipped_error.Limits.of": ("clipped_error.Limits", "clipped_error.Limits.read"),
    }.items()
    for name in names
}  # fmt: skip


def panels():
    """Every estimator's studies."""
    made = (sequences, recorded, least_slacks, repeats, levels, mean_slopes, likelihoods, forms)
    return [panel for part in made for panel in part()]
