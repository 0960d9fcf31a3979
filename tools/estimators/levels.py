"""Studies of two levels: a further world, and the ratio of deviations between worlds and within them."""

from theorytools.numbers.draws import Draws
from theorytools.statistics import t_intervals, two_levels
from tools.estimators.draws_and_runs import Panel, Study, ends
from tools.estimators.laws import REPEATS


def further(law, r, estimate=two_levels.further_interval):
    """Where one further value lies, seen from that value."""

    def interval(seed):
        *values, last = law.draw(Draws(seed), r + 1).tolist()
        return tuple(end - last for end in estimate(values))

    return interval


def two_levels_of(law, ratio, cells, dealt=False):
    """The ratio of deviations between and within five worlds of three repeats; both levels have the law."""

    def interval(seed):
        rng = Draws(seed)
        worlds, noise = law.draw(rng, cells * 5).reshape(cells, 5, 1), law.draw(rng, cells * 15).reshape(cells, 5, 3)
        y = ratio * worlds + noise
        return ends(two_levels.spread_ratio((y.reshape(cells, 3, 5).swapaxes(1, 2) if dealt else y).tolist()))

    return interval


def levels():
    """Worlds and their repeats."""
    noises = REPEATS[:6]
    yield Panel(
        "further_interval", ("two_levels.further_interval",), "repeats",
        tuple(Study(law.label, f"{r} worlds", 0.0, further(law, r), law.admitted) for law in noises for r in (3, 5)),
        "the interval of the mean",
        Study("Gaussian", "5 worlds", 0.0, further(noises[0], 5, t_intervals.mean_interval)),
    )  # fmt: skip
    yield Panel(
        "spread_ratio", ("two_levels.spread_ratio",), "repeats",
        tuple(Study(f"{law.label}, {ratio:g} : 1", f"{cells} cells, 5 worlds of 3", ratio,
                    two_levels_of(law, ratio, cells), law.admitted)
              for law in noises[:3] for ratio in (1.0, 4.0) for cells in (1, 5)),
        "repeats dealt out over the worlds",
        Study("Gaussian, 4 : 1", "5 cells, 5 worlds of 3", 4.0, two_levels_of(noises[0], 4.0, 5, dealt=True)),
    )  # fmt: skip
