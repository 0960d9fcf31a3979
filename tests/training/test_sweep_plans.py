"""Sweeps before they run: their names, their trials, and the power and memory that they need."""

import json
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses
from sweep_command import SWEEPS, run

from theorytools.errors import BudgetError, DomainError
from theorytools.papers.qstr.training.costs import cell_bytes
from theorytools.papers.qstr.training.experiment import Experiment, cell, require_memory
from theorytools.training.plan import forecast, plan
from theorytools.training.record import Trial
from theorytools.training.sweep import sweep, sweeps
from theorytools.training.trials.trial import trial_key

HEAVY = ("numpy", "scipy", "sympy", "flint", "torch", "cvxpy", "matplotlib")


@pytest.mark.parametrize("name", sorted(SWEEPS))
@pytest.mark.parametrize("protocol", ["released", "corrected"])
def test_every_profile_of_every_sweep_is_a_set_of_distinct_trials(name, protocol):
    one = sweep(name)
    for profile in one.profiles:
        specs = [spec for group in one.groups(profile, protocol) for spec in group]
        assert specs
        assert len({trial_key(spec) for spec in specs}) == len(specs)
        arms = plan(one, profile, protocol)
        assert sum(arm.trials for arm in arms) == len(specs)
        assert all(arm.seconds >= 0 for arm in arms)


def test_more_repeats_narrow_the_interval_and_cells_fit_into_memory():
    few = next(a for a in plan(sweep("figure_01a"), "published", "corrected") if a.arm == "transformer")
    many = next(a for a in plan(sweep("figure_01a"), "wide", "corrected") if a.arm == "transformer")
    # t quantiles with 23 and 98 degrees of freedom differ by 4 %, the root of 4 is 2
    assert 2 < few.half_width / many.half_width < 2.1
    specs = cell(2, architecture="ffn", N=2048)
    # the first layer alone, 20480 outputs, two members, four bytes: 2048 * 48 inputs that vary in four copies, and
    # 2048 * 38 columns of codes, which are folded into one vector, once
    assert cell_bytes([Experiment.of(spec) for spec in specs]) > 2 * 4 * 2048 * (4 * 48 + 38) * 20480
    with pytest.raises(BudgetError, match="GB"):
        require_memory([specs], "cpu", 1, 24 * 10**9)
    require_memory([cell(2, architecture="ffn", N=8)], "cpu", 1, 24 * 10**9)
    require_memory([[{"kind": "other"}]], "cpu", 1, 0)


def trials(law, sizes, cap=10**18, spread=(0.95, 1.0, 1.05)):
    """Recorded runs of a law, three a size, stopped at the cap."""
    runs = [(N, law(N) * factor) for N in sizes for factor in spread]
    return [
        Trial({"N": N, "cap": cap}, "done" if n < cap else "censored", {"samples": min(n, cap)}, 0.0) for N, n in runs
    ]


@given(st.floats(0.1, 5), st.floats(1, 1e4), st.sampled_from([6, 40, 64, 200]))
def test_a_power_is_forecast_where_it_goes_and_the_interval_widens_with_the_distance(k, a, N):
    runs = trials(lambda size: a * size**k, (4, 8, 16, 32, 64))
    found = forecast(runs, N)
    # the geometric mean of the factors is below 1 by less than the square of the spread
    assert found.prompts == pytest.approx(a * N**k, rel=0.0025)
    assert found.low < found.prompts < found.high
    assert found.beyond == max(1, N / 64)
    far = forecast(runs, 4 * N)
    if N >= 64:
        assert far.high / far.prompts > found.high / found.prompts


def test_a_forecast_takes_the_nearest_sizes_and_a_stopped_size_for_a_lower_limit():
    growing = trials(lambda N: N**3 if N < 20 else 1e9, (4, 8, 12, 16, 24), cap=10**6)
    cut, free = forecast(growing, 48), forecast(growing[:-3], 48)
    assert (cut.window, free.window) == ((12, 16, 24), (8, 12, 16))
    assert cut.prompts > 100 * free.prompts
    assert forecast(growing, 24).prompts >= 10**6  # what was stopped at 10^6 asks for more
    assert forecast(trials(lambda N: N**2, (30, 31, 32, 33, 38)), 31).window == (30, 31, 32, 33, 38)  # span 5/4
    assert forecast(trials(lambda N: N**2, (4, 8), spread=(1.0,)), 8) is None
    assert forecast(trials(lambda N: N**2, (4, 8, 16), cap=20), 8) is None
    assert forecast(trials(lambda N: N**2, (4, 8, 16), spread=(1.0, 1.0)), 32) is None  # no scatter, no interval


def test_a_plan_says_what_is_fitted_what_is_assumed_and_what_is_stopped():
    lengths, far = sweep("lengths"), {}
    for group in lengths.groups("device", "corrected"):
        spec, found = group[0], lengths.forecast(group[0])
        assert lengths.prompts(spec) == min(found.prompts, spec["cap"])
        assert found.low <= found.prompts <= found.high
        assert bool(found.assumed) == (spec["architecture"] in ("lstm", "rnn"))
        far[spec["architecture"], spec["N"]] = found.beyond
    assert far["transformer", 256] == far["ffn", 16] == 1
    assert (far["transformer", 1024], far["gru", 128], far["ffn", 24]) == (4, 8, 1.5)
    one = sweep("figure_01b")
    gru, ffn = (cell(1, architecture=a, N=256, task="simple", threshold=Fraction(1, 50))[0] for a in ("gru", "ffn"))
    assert one.forecast(gru).prompts > 10 * 150_000
    assert not one.forecast(ffn).assumed
    assert "batch" in one.forecast({**gru, "batch": 32}).assumed


def test_sweeps_are_named_listed_lightly_and_unknown_words_refused():
    refuses(
        DomainError, (lambda: sweep("figure_1"), "figure_01a"),
        (lambda: sweep("figure_01a").groups("quick", "corrected"), "smoke"),
        (lambda: sweep("figure_01a").groups("smoke", "faithful"), "released"),
    )  # fmt: skip
    assert [one.name for one in sweeps("qstr.figure_01")] == ["figure_01a", "figure_01b"]
    assert [one.name for one in sweeps("figure_03")] == ["figure_03"]
    with pytest.raises(DomainError, match="figure_01a"):
        sweeps("qstr.figure_9")
    assert {row["sweep"] for row in json.loads(run("--json").output)["sweeps"]} == set(SWEEPS)
    assert loaded() == loaded("--json") == []
    assert "torch" not in loaded("figure_01a", "--plan")


def test_a_plan_prints_power_and_rule_and_runs_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = run("figure_01a", "--plan", "--profile", "published")
    assert told.exit_code == 0
    assert "half-width" in told.output
    assert "fixed beforehand" in told.output
    arms = json.loads(run("figure_01a", "--plan", "--json").output)["arms"]
    assert {arm["arm"] for arm in arms} == {"transformer", "ffn"}
    there = json.loads(run("figure_01a", "--plan", "--json").output)["record"]
    assert there["profile"] == "published"
    assert ("from uncommitted code" in told.output) == there["uncommitted"]
    assert "record there: profile published, 75 trials" in told.output
    assert list(tmp_path.iterdir()) == []


def loaded(*arguments):
    """The heavy packages that ``theorytools sweep`` has loaded at its end, in a process of its own."""
    script = (
        "import sys\nfrom theorytools.cli import main\n"
        f"sys.argv = ['theorytools', 'sweep', *{arguments!r}]\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        f"print('loaded', *(name for name in {HEAVY} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()[1:]
