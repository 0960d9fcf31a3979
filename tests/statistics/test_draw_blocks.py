"""Large samples are drawn in blocks of a fixed size: bounded memory, numbers of the seed alone."""

import subprocess
import sys

import numpy as np
import pytest
from drawn_recipes import ALPHA, SEED, climb

from theorytools.errors import BudgetError
from theorytools.numbers.draws import Draws
from theorytools.statistics import batches as draw_blocks
from theorytools.statistics import intervals
from theorytools.statistics.sampled import bounded_mean, columns

ALL = 1 << 15


def two_calls(rng, size):
    """A draw whose numbers depend on how many are asked for at once."""
    return (rng.random(size) + rng.random(size)) / 2


def asked(draw, samples=ALL):
    sizes = []

    def counted(rng, size):
        sizes.append(size)
        return draw(rng, size)

    steps = climb(bounded_mean(counted, SEED, low=0, high=1), samples=samples)
    assert sizes[:3] == [*draw_blocks.PROBES] or samples <= 4
    return sizes[3 if samples > 4 else 0 :], steps


def test_blocks_are_fixed_measured_only_where_large_and_do_not_change_the_numbers():
    sizes, steps = asked(two_calls)
    assert sizes == [1024, 1024, 2048, 4096, *[4096] * 2, *[4096] * 4]
    assert [step.work["samples"] for step in steps] == [1024, 2048, 4096, 8192, 16384, 32768]
    sizes, steps = asked(two_calls, samples=10_000)
    assert sizes == [1024, 1024, 2048, 4096, 1808]
    assert steps[-1].work["samples"] == 10_000
    # Second route, for a draw that would give other numbers if it were asked for all at once.
    rng = Draws(SEED)
    sizes = [1024, 1024, 2048, *[4096] * 7]
    x = np.concatenate([two_calls(rng, size) for size in sizes])
    looks = [1024 << j for j in range(6)]
    ends = [intervals.empirical_bernstein(x[:n], ALPHA / (j * (j + 1)), low=0, high=1) for j, n in enumerate(looks, 1)]
    step = asked(two_calls)[1][-1]
    low, high = max(low for low, _ in ends), min(high for _, high in ends)
    coarse = (high - low) * 2.0**-10  # ends are rounded outward to a grid of at most 2^-11 of each interval's width
    assert low - coarse <= step.floats[0] <= low < high <= step.floats[1] <= high + coarse
    assert not np.array_equal(x, two_calls(Draws(SEED), ALL))


def test_numbers_do_not_depend_on_the_memory_that_is_measured(monkeypatch):
    reference = asked(two_calls)[1]
    for peak in (0, 1, 2**25):
        monkeypatch.setattr(draw_blocks, "_with_peak", lambda draw, rng, size, peak=peak: (draw(rng, size), peak))
        assert asked(two_calls)[1] == reference


def test_columns_are_drawn_in_the_same_blocks():
    sizes = []

    def pair(rng, size):
        sizes.append(size)
        u = two_calls(rng, size)
        return {"u": u, "v": 1 - u}

    u, v = columns(pair, SEED, "u", "v")
    first = climb(bounded_mean(u, low=0, high=1), samples=ALL)
    assert first == asked(two_calls)[1]
    assert climb(bounded_mean(v, low=0, high=1), samples=ALL)[-1].work["samples"] == ALL
    assert max(sizes) == 4096
    assert sum(sizes) == ALL + sum(draw_blocks.PROBES)


def heavy(kilobytes):
    def draw(rng, size):
        table = np.ones((size, 128 * kilobytes)) * rng.random((size, 1))
        return table.mean(axis=1).clip(0, 1)

    return draw


def test_a_draw_that_needs_too_much_is_refused_before_it_is_asked_for_more():
    light, _ = asked(heavy(16), samples=9000)  # two tables of 16 KiB each: 128 MB for a block
    assert light == [1024, 1024, 2048, 4096, 808]
    sizes = []

    def counted(rng, size):
        sizes.append(size)
        return heavy(80)(rng, size)

    with pytest.raises(BudgetError, match="KiB for each item, measured on 1024") as caught:
        climb(bounded_mean(counted, SEED, low=0, high=1), samples=9000)
    assert sizes == [*draw_blocks.PROBES, 1024, 1024]
    assert all([caught.value.required, caught.value.why, caught.value.advice])


@pytest.mark.parametrize("samples", [200, 1024, 9000])
def test_a_first_batch_that_would_not_fit_is_refused_before_it_is_asked_for(samples):
    sizes = []

    def counted(rng, size):
        sizes.append(size)
        return heavy(1024)(rng, size)  # 2 MB each: 2 GB for 1024

    with pytest.raises(BudgetError, match="KiB for each item, measured on 4"):
        climb(bounded_mean(counted, SEED, low=0, high=1), samples=samples)
    assert sizes == [*draw_blocks.PROBES]


def test_tables_that_do_not_grow_and_a_few_draws_are_not_counted(monkeypatch):
    table = []

    def draw(rng, size):
        table.append(np.ones(2**22))  # 32 MB, each time anew
        return rng.random(size)

    assert asked(draw, samples=1024)[0] == [1024]
    assert len(table) == 4
    monkeypatch.setattr(draw_blocks, "_with_peak", None)
    assert asked(two_calls, samples=4)[0] == [4]


def test_a_vectorised_draw_of_48_kilobytes_each_stays_in_bounded_memory():
    """Asked for everything at once this would take 48 kB times 475,712, which is 23 GB."""
    code = (
        "import resource, numpy as np\n"
        "from theorytools.claims.language.estimate import Budget\n"
        "from theorytools.statistics.sampled import bounded_mean\n"
        "def draw(rng, size):\n"
        "    table = np.empty((size, 6000)); table[:, ::512] = rng.random((size, 1))\n"
        "    return table[:, 0]\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "recipe = bounded_mean(draw, np.random.SeedSequence(1), low=0, high=1)\n"
        "for step in recipe.steps(0.05, Budget(samples=100_000)): pass\n"
        "print(step.work['samples'], (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    samples, grown = map(int, done.stdout.split())
    assert samples == 100_000
    assert grown < 300  # a block is 4096 * 48 kB = 197 MB, held once
