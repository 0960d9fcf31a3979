"""Sweeps before they run: their names, their trials, and the power and memory that they need."""

import json
import subprocess
import sys

import pytest
from refusals import refuses
from sweep_command import SWEEPS, run

from theorytools.errors import BudgetError, DomainError
from theorytools.training.experiment import Experiment, cell, cell_bytes, require_memory
from theorytools.training.plan import plan
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
    # the first layer alone: 2048 * 86 inputs, 20480 outputs, four copies of four bytes, two members
    assert cell_bytes([Experiment.of(spec) for spec in specs]) > 2 * 4 * 4 * 2048 * 86 * 20480
    with pytest.raises(BudgetError, match="GB"):
        require_memory([specs], "cpu", 1, 24 * 10**9)
    require_memory([cell(2, architecture="ffn", N=8)], "cpu", 1, 24 * 10**9)
    require_memory([[{"kind": "other"}]], "cpu", 1, 0)


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
    assert {row["sweep"] for row in json.loads(run("--json").output)} == set(SWEEPS)
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
