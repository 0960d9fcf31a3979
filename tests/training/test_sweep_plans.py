"""Sweeps before they run: their names, their trials, their power, what is there, and what a step takes."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from refusals import refuses
from sweep_command import SWEEPS, TINY, plant, planted, run, toy_sweep

from theorytools import Store
from theorytools.cli.sweep_plan import plan_text
from theorytools.errors import BudgetError, DomainError
from theorytools.papers.qstr.training import search
from theorytools.papers.qstr.training.costs import cell_bytes
from theorytools.papers.qstr.training.experiment import Experiment, cell
from theorytools.training import plan
from theorytools.training.memory import require_memory
from theorytools.training.plan import Known, cells, plan_json, power
from theorytools.training.sweep import load_sweep, sweep, sweeps
from theorytools.training.trials.trial import Result, trial_key

HEAVY = ("numpy", "scipy", "sympy", "flint", "torch", "cvxpy", "matplotlib")


@pytest.mark.parametrize("name", sorted(SWEEPS))
@pytest.mark.parametrize("protocol", ["released", "corrected"])
def test_every_profile_of_every_sweep_is_a_set_of_distinct_trials(name, protocol):
    one = sweep(name)
    for profile in one.profiles:
        specs = [spec for group in one.groups(profile, protocol) for spec in group]
        assert specs
        assert len({trial_key(spec) for spec in specs}) == len(specs)
        assert sum(arm.trials for arm in power(one, profile, protocol)) == len(specs)


@pytest.mark.parametrize("name", sorted(SWEEPS))
def test_a_sweep_of_networks_says_the_memory_of_each_of_its_cells(name):
    one = load_sweep(SWEEPS[name])
    for profile in one.profiles:
        for group in one.groups(profile, "corrected"):
            assert (one.bytes(group, "cpu") is not None) == ("architecture" in group[0])


def test_more_repeats_narrow_the_interval_and_cells_fit_into_memory():
    few = next(a for a in power(sweep("figure_01a"), "published", "corrected") if a.arm == "transformer")
    many = next(a for a in power(sweep("figure_01a"), "wide", "corrected") if a.arm == "transformer")
    # t quantiles with 23 and 98 degrees of freedom differ by 4 %, the root of 4 is 2
    assert 2 < few.half_width / many.half_width < 2.1
    specs = cell(2, architecture="ffn", N=2048)
    # the first layer alone, 20480 outputs, two members, four bytes: 2048 * 48 inputs that vary in four copies, and
    # 2048 * 38 columns of codes, which are folded into one vector, once
    assert cell_bytes([Experiment.of(spec) for spec in specs]) > 2 * 4 * 2048 * (4 * 48 + 38) * 20480
    one = sweep("lengths")
    with pytest.raises(BudgetError, match=r"ffn at N = 2048: about .* GB"):
        require_memory(one, [specs], "cpu", 1, 24 * 10**9)
    require_memory(one, [cell(2, architecture="ffn", N=8)], "cpu", 1, 24 * 10**9)
    require_memory(replace(one, memory=None), [specs], "cpu", 1, 0)  # where nobody estimates, nothing is refused
    require_memory(one, [specs], "cpu", 1, None)  # nor where the machine does not say what it has


# -- what is there, and what a step takes --------------------------------------------------------------------------
GROUPS = [[{"arm": "a", "N": N, "repeat": k} for k in range(2)] for N in (4, 8, 16)]


def timed(seconds=0.5, count=10):
    """A sweep whose steps take so long, with what was timed."""
    asked = []

    def step(specs, device):
        asked.append((len(specs), specs[0]["N"], device))
        return seconds, count

    one = toy_sweep(lambda profile, protocol: GROUPS, step="toy:step", memory=lambda specs, device: specs[0]["N"])
    return one, asked, step


def known(groups, stored=True, status="done", **results):
    return {
        trial_key(spec): Known(status, {"samples": 100 * (1 + spec["repeat"])}, 3.0, stored)
        for group in groups for spec in group
    }  # fmt: skip


def test_a_step_is_timed_of_the_cells_that_are_not_there_and_arithmetic_says_the_rest(monkeypatch):
    one, asked, step = timed()
    monkeypatch.setattr(plan, "resolve", lambda name: step)
    there = known(GROUPS[:1]) | known([GROUPS[1][1:]], stored=False)
    whole, part, none = cells(one, GROUPS, there, "cpu")
    assert asked == [(2, 8, "cpu"), (2, 16, "cpu")]  # the first cell has all its trials
    assert (whole.stored, whole.recorded, whole.took, whole.step) == (2, 0, 6.0, None)
    # its second repeat saw 200 prompts, 10 a step, and a step takes half a second
    assert (part.stored, part.recorded, part.steps, part.seconds) == (0, 1, 20, 10.0)
    assert (none.stored, none.recorded, none.took, none.step, none.steps, none.seconds) == (0, 0, None, 0.5, None, None)
    text = " ".join(plan_text(plan_json(one, "smoke", "corrected", "cpu", [whole, part, none])).split())
    assert "1 of these 2 cells ran before: with as many steps they take 10 s here" in text
    assert "3 trials are nowhere yet" in text
    assert "a 8 2 0 1 3 500.00 20 10 a 16 2 0 0 - 500.00 - -" in text
    arm = plan_json(one, "smoke", "corrected")["arms"][0]
    assert f"a {arm['trials']} {arm['half_width']:.2f} {arm['tells']:.2f} 4 8 16" in text
    failed = known([GROUPS[1][1:]], status="failed")
    assert cells(one, GROUPS[1:2], failed, "cpu")[0].steps is None  # a failed trial says nothing of its length


def test_what_does_not_fit_and_what_has_no_step_is_not_timed(monkeypatch):
    one, asked, step = timed()
    monkeypatch.setattr(plan, "resolve", lambda name: step)
    small, large = cells(one, GROUPS[1:], {}, "cpu", free=8)
    assert (small.step, small.why) == (0.5, "")
    assert (large.step, "needs about" in large.why) == (None, True)
    assert "not timed: needs about" in plan_text(plan_json(one, "smoke", "corrected", "cpu", [large]))
    assert len(asked) == 1
    assert cells(replace(one, step=""), GROUPS, {}, "cpu")[0].step is None
    assert cells(one, GROUPS, {}, "cpu", timed=False)[0].step is None
    assert len(asked) == 1


@pytest.mark.parametrize("architecture", ["transformer", "gru"])
def test_a_step_of_a_cell_is_that_of_the_race(architecture, monkeypatch):
    made, run_period = [], search.run_period
    specs = cell(3, **{**TINY, "architecture": architecture, "N": 4, "width": 8, "batch": 6})

    def counted(net, periods, batch, device):
        made.append((net.members, batch, run_period(net, periods, batch, device)))

    monkeypatch.setattr(search, "run_period", counted)
    seconds, count = search.time_a_step(specs)
    assert seconds > 0
    assert count == 6
    assert set(made) == {(3, 6, 6)}  # all members, a batch each
    assert 2 <= len(made) <= 4


def test_the_command_says_what_the_store_and_the_record_have(tmp_path, monkeypatch):
    plant(monkeypatch, toy_sweep(lambda profile, protocol: [cell(2, N=N, protocol=protocol, **TINY) for N in (4, 5)]))
    groups = planted().groups("smoke", "corrected")
    with Store(tmp_path / "s.sqlite") as store:
        store.add(groups[0][0], {"samples": 640}, seconds=2.0)
        store.add(groups[0][1], Result({"samples": 10}, "censored", "the cap"), seconds=3.0)
    data = json.loads(run("toy", "--plan", "--json", "--store", tmp_path / "s.sqlite").output)
    assert [(c["size"], c["trials"], c["stored"], c["recorded"], c["took"]) for c in data["cells"]] == [
        (4, 2, 2, 0, 5.0), (5, 2, 0, 0, None),
    ]  # fmt: skip
    there = json.loads(run("figure_01a", "--plan", "--profile", "published", "--json").output)
    assert all(c["recorded"] == c["trials"] and c["step"] is None for c in there["cells"])
    part = json.loads(run("lengths", "--plan", "--block", "2/3", "--json").output)
    assert len(part["cells"]) == len(sweep("lengths").block("smoke", "corrected", "2/3"))


# -- names ---------------------------------------------------------------------------------------------------------
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
    assert "torch" not in loaded("figure_01a", "--plan")  # its trials are in the record: nothing is timed


def test_a_plan_prints_power_and_rule_and_keeps_nothing(tmp_path, monkeypatch):
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
