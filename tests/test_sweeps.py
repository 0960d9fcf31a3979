"""Sweeps of trained models: what they are, what they cost, what they print, what their records hold."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode
from typer.testing import CliRunner

from theorytools.cli.app import app
from theorytools.errors import BudgetError, CheckError, DomainError, FolderError
from theorytools.training import Experiment, Store, plain, recorded, search, write_sweep_record
from theorytools.training import sweeps as table
from theorytools.training.arithmetic import multiplications
from theorytools.training.memory import cell_bytes, require_memory
from theorytools.training.models import model
from theorytools.training.plan import plan
from theorytools.training.prompts import generator
from theorytools.training.sweep import Sweep, sweep, sweeps
from theorytools.training.sweep_record import restore
from theorytools.training.threshold import cell, run_group
from theorytools.training.trial import Result, trial_key

TINY = {"architecture": "transformer", "d": 2, "threshold": Fraction(9, 10), "test_size": 300, "check_every": 4}


def toy(runner="tests.test_sweeps:run_group"):
    return Sweep(
        name="toy", title="A toy", question="Does it run?", rule="It does.", runner=runner, size="N", paper="qstr",
        cells=lambda profile, protocol: [cell(2, N=N, protocol=protocol, **TINY) for N in (4, 5, 6)],
    )  # fmt: skip


@pytest.fixture
def toy_sweep(monkeypatch):
    one = toy("theorytools.training.threshold:run_group")
    monkeypatch.setitem(table.SWEEPS, "toy", one)
    return one


# -- experiments as values -----------------------------------------------------------------------------------------
def test_an_experiment_is_its_specification():
    one = Experiment(architecture="gru", N=6, lr=Fraction(3, 1000), q=2)
    assert Experiment.of(json.loads(json.dumps(one.spec()))) == one
    assert trial_key(one.spec()) != trial_key(replace(one, repeat=1).spec())
    assert one.d_e == 8  # floor(5 log 6)
    assert one.D_e == 10 + 3 * 8


@pytest.mark.parametrize(
    "wrong",
    [{"architecture": "cnn"}, {"N": 1}, {"N": 2.5}, {"q": 9}, {"lr": 0}, {"protocol": "mine"}, {"link": "cubic"},
     {"repeat": -1}, {"optimiser": "adam"}, {"batch": True}],
)  # fmt: skip
def test_what_is_no_experiment_is_refused(wrong):
    with pytest.raises(DomainError):
        Experiment(**{"architecture": "ffn", "N": 4, **wrong})


def test_a_specification_with_a_stranger_field_is_refused():
    with pytest.raises(DomainError, match="colour"):
        Experiment.of({"architecture": "ffn", "N": 4, "colour": "red"})


def test_the_protocols_never_share_a_trial_and_share_worlds_as_they_say():
    released, corrected = (
        [Experiment(architecture="ffn", N=4, protocol=name, repeat=r) for r in range(2)]
        for name in ("released", "corrected")
    )
    assert len({trial_key(one.spec()) for one in released + corrected}) == 4
    worlds = [tuple(one.seed("world").generate_state(4)) for one in released + corrected]
    assert worlds[0] == worlds[1]  # one world for all repeats
    assert len(set(worlds)) == 3
    other = Experiment(architecture="gru", N=4, protocol="corrected", lr=Fraction(1, 100))
    assert tuple(other.seed("world").generate_state(4)) == worlds[2]  # architectures meet the same worlds
    assert tuple(other.seed("train").generate_state(4)) != tuple(corrected[0].seed("train").generate_state(4))
    assert [one.simple_tests for one in (released[0], corrected[0])] == [True, False]


@pytest.mark.parametrize("kind", ["transformer", "merged", "ffn", "gru", "lstm", "rnn"])
def test_the_multiplications_are_those_that_torch_counts(kind):
    one = Experiment(architecture=kind, N=5, d=3, d_e=4, width=7, heads=2 if kind in ("transformer", "merged") else 1)
    net = model(one, generator(one, "weights"))
    if kind in ("gru", "lstm", "rnn"):  # torch does not look into its fused cells: count a cell's four products
        gates = {"gru": 3, "lstm": 4, "rnn": 1}[kind]
        shapes = [(gates * 7, one.D_e), (gates * 7, 7)]
        assert [tuple(net.cell.weight_ih_l0.shape), tuple(net.cell.weight_hh_l0.shape)] == shapes
        assert multiplications(one) == 2 * 5 * sum(a * b for a, b in shapes) + 5 * 14
        return
    with FlopCounterMode(display=False) as counter:
        net(torch.zeros(1, 5, one.D_e))
    assert 2 * multiplications(one) == counter.get_total_flops()


# -- plans ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", sorted(table.SWEEPS))
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


def test_more_repeats_narrow_the_interval_by_the_root():
    few = next(a for a in plan(sweep("figure_01a"), "published", "corrected") if a.arm == "transformer")
    many = next(a for a in plan(sweep("figure_01a"), "wide", "corrected") if a.arm == "transformer")
    # t quantiles with 23 and 98 degrees of freedom differ by 4 %, the root of 4 is 2
    assert 2 < few.half_width / many.half_width < 2.1


def test_unknown_words_are_refused():
    with pytest.raises(DomainError, match="figure_01a"):
        sweep("figure_1")
    with pytest.raises(DomainError, match="smoke"):
        sweep("figure_01a").groups("quick", "corrected")
    with pytest.raises(DomainError, match="released"):
        sweep("figure_01a").groups("smoke", "faithful")


# -- running, resuming, recording ----------------------------------------------------------------------------------
def run(*arguments):
    return CliRunner().invoke(app, ["sweep", *map(str, arguments)], catch_exceptions=False)


def test_a_sweep_runs_resumes_exports_and_is_recorded(toy_sweep, tmp_path, monkeypatch):
    store = tmp_path / "toy.sqlite"
    checks = tmp_path / "checks"
    (checks / "qstr").mkdir(parents=True)
    (checks / "qstr" / "paper.toml").write_text('[paper]\nkey = "qstr"\n', encoding="utf-8")
    first = run("toy", "--store", store, "--export", tmp_path / "toy.csv", "--record", "--checks", checks)
    assert first.exit_code == 0, first.output
    assert "0 of 6 trials were there, 6 done" in first.output
    again = run("toy", "--store", store, "--json", "--checks", checks)
    data = json.loads(again.output)
    assert again.exit_code == 0
    assert len(data["trials"]) == 6
    assert len((tmp_path / "toy.csv").read_text(encoding="utf-8").splitlines()) == 7
    kept = run("toy", "--store", store, "--stored", "--profile", "wide", "--protocol", "released", "--checks", checks)
    assert kept.exit_code == 0
    assert "0 of 6 trials were there, 0 done" in kept.output  # another protocol, and nothing ran
    record = recorded(checks / "qstr" / "figure.py", "toy")
    assert record.sizes("transformer") == [4, 5, 6]
    assert [t.result["samples"] for t in record.trials] == [t["result"]["samples"] for t in data["trials"]]
    assert record.repeats("transformer").sizes == (4, 5, 6)
    assert set(record.means("transformer")) == {4, 5, 6}
    # the record alone brings every trial back, and a new record of it says the same
    again = run("toy", "--store", tmp_path / "new.sqlite", "--from-record", "--record", "--checks", checks)
    assert "6 of 6 trials were there, 0 done" in again.output
    assert recorded(checks / "qstr" / "figure.py", "toy").trials == record.trials
    # the sweep changes: what was recorded no longer stands for it
    changed = lambda profile, protocol: [cell(3, N=4, protocol=protocol, **TINY)]  # noqa: E731
    monkeypatch.setitem(table.SWEEPS, "toy", replace(toy_sweep, cells=changed))
    with pytest.raises(CheckError, match="STALE"):
        recorded(checks / "qstr" / "figure.py", "toy")


def test_no_record_is_an_error_with_the_command(toy_sweep, tmp_path):
    with pytest.raises(FolderError, match="theorytools sweep toy"):
        recorded(tmp_path / "figure.py", "toy")


def test_a_record_needs_every_trial_of_an_arm(toy_sweep, tmp_path):
    with Store(tmp_path / "s.sqlite") as store, pytest.raises(CheckError, match="no complete arm of toy"):
        write_sweep_record(tmp_path, toy_sweep, "smoke", "corrected", store, "cpu")


def test_a_run_that_passes_the_cap_is_censored_or_an_error_as_the_protocol_says():
    for protocol, status in (("corrected", "censored"), ("released", "failed")):
        specs = cell(1, N=4, protocol=protocol, **{**TINY, "threshold": Fraction(1, 100), "cap": 512})
        ((spec, result),) = run_group(specs)
        assert result.status == status
        assert isinstance(result, Result)
        assert spec == specs[0]


def test_a_plan_prints_power_and_rule_and_runs_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = run("figure_01a", "--plan", "--profile", "published")
    assert told.exit_code == 0
    assert "half-width" in told.output
    assert "fixed beforehand" in told.output
    arms = json.loads(run("figure_01a", "--plan", "--json").output)["arms"]
    assert {arm["arm"] for arm in arms} == {"transformer", "ffn"}
    assert list(tmp_path.iterdir()) == []


def test_without_a_name_the_sweeps_are_listed():
    assert {row["sweep"] for row in json.loads(run("--json").output)} == set(table.SWEEPS)


@pytest.mark.parametrize(
    "options", [["--device", "tpu"], ["--export", "trials.xlsx"], ["--executor", "threads"], ["--profile", "quick"]]
)
def test_typing_mistakes_are_messages(toy_sweep, tmp_path, options):
    with pytest.raises(DomainError):
        run("toy", "--store", tmp_path / "s.sqlite", *options)


def test_a_statement_names_its_sweeps():
    assert [one.name for one in sweeps("qstr.figure_01")] == ["figure_01a", "figure_01b"]
    assert [one.name for one in sweeps("figure_03")] == ["figure_03"]
    with pytest.raises(DomainError, match="figure_01a"):
        sweeps("qstr.figure_9")


def test_a_cell_that_cannot_fit_is_refused_with_the_estimate():
    specs = cell(2, architecture="ffn", N=2048)
    # the first layer alone: 2048 * 86 inputs, 20480 outputs, four copies of four bytes, two members
    assert cell_bytes([Experiment.of(spec) for spec in specs]) > 2 * 4 * 4 * 2048 * 86 * 20480
    with pytest.raises(BudgetError, match="GB"):
        require_memory([specs], "cpu", 1, 24 * 10**9)
    require_memory([cell(2, architecture="ffn", N=8)], "cpu", 1, 24 * 10**9)
    require_memory([[{"kind": "other"}]], "cpu", 1, 0)


def test_a_run_whose_weights_are_not_finite_has_diverged_and_reached_nothing():
    wild = {**TINY, "optimiser": "sgd", "lr": Fraction(10**6), "threshold": Fraction(10**30)}
    for architecture in ("transformer", "ffn"):
        ((_, result),) = run_group(cell(1, N=4, protocol="corrected", **{**wild, "architecture": architecture}))
        assert result.status == "censored"
        assert result.value["diverged"]
        assert result.value["loss"] is None
        assert "diverged" in result.reason
    assert plain.run(Experiment(N=4, **wild)).diverged


@pytest.mark.parametrize("architecture", ["transformer", "ffn", "rnn"])
@pytest.mark.parametrize("full", [False, True])
def test_a_run_whose_losses_are_not_finite_has_diverged_though_its_weights_are_finite(architecture, full):
    # one step of length 1e20 times a gradient: weights below 1e38 and products of three of them above
    wild = {**TINY, "optimiser": "sgd", "lr": Fraction(10**20), "check_every": 1, "threshold": Fraction(10**30)}
    race = [Experiment(N=4, repeat=k, **{**wild, "architecture": architecture, "width": 9}) for k in range(2)]
    for _, outcome in search.run_cell(race, full=full):
        assert outcome.diverged
        assert outcome.censored
        assert outcome.loss is None
        assert outcome.tested > 0  # it was evaluated: the weights were finite


def test_an_arm_that_is_not_complete_is_named_and_left_out(monkeypatch, tmp_path):
    cells = lambda profile, protocol: [  # noqa: E731
        cell(1, N=N, protocol=protocol, **{**TINY, "architecture": a}) for a in ("ffn", "transformer") for N in (4, 5)
    ]
    one = replace(toy("theorytools.training.threshold:run_group"), cells=cells)
    monkeypatch.setitem(table.SWEEPS, "toy", one)
    with Store(tmp_path / "s.sqlite") as store:
        for group in one.arms("smoke", "corrected")["ffn"] + one.arms("smoke", "corrected")["transformer"][:1]:
            for spec, result in run_group(group):
                store.add(spec, result)
        write_sweep_record(tmp_path, one, "smoke", "corrected", store, "cpu")
    record = recorded(tmp_path / "figure.py", "toy")
    assert record.missing == {"transformer": 1}
    assert {trial.arm for trial in record.trials} == {"ffn"}
    assert [trial.arm for trial in record.unfinished] == ["transformer"]
    with Store(tmp_path / "again.sqlite") as store:  # what was finished is not lost, complete arm or not
        assert restore(tmp_path, one, "corrected", store) == 3
        assert store.get(record.unfinished[0].spec).result == record.unfinished[0].result


def test_a_diverged_run_counts_as_one_at_its_cap_and_no_upper_limit_takes_a_stopped_one(toy_sweep, tmp_path):
    status = {(4, 0): ("done", 512, {}), (4, 1): ("censored", 256, {"diverged": True}), (5, 0): ("done", 768, {}),
              (5, 1): ("done", 1024, {}), (6, 0): ("censored", 10**6, {}), (6, 1): ("done", 1280, {})}  # fmt: skip
    with Store(tmp_path / "s.sqlite") as store:
        for group in toy_sweep.groups("smoke", "corrected"):
            for spec in group:
                kind, samples, more = status[spec["N"], spec["repeat"]]
                store.add(spec, Result({"samples": samples, **more}, kind, "why" if kind != "done" else ""))
        write_sweep_record(tmp_path, toy_sweep, "smoke", "corrected", store, "cpu")
    record = recorded(tmp_path / "figure.py", "toy")
    assert record.values("transformer", N=4) == [512.0, 1e6]
    assert record.repeats("transformer").low[0] == (256.0, 1e6)
    assert record.repeats("transformer").high[0] == (512.0, math.inf)
    assert set(record.means("transformer")) == {5}
    assert record.reached("transformer", N=5) == [768.0, 1024.0]
    for cell_ in ({"N": 4}, {"N": 6}, {"N": 7}):
        with pytest.raises(CheckError, match="without success"):
            record.reached("transformer", **cell_)


def test_a_record_names_the_devices_that_its_trials_name(toy_sweep, tmp_path):
    with Store(tmp_path / "s.sqlite") as store, Store(tmp_path / "new.sqlite") as new:
        for k, group in enumerate(toy_sweep.groups("smoke", "corrected")):
            for spec in group:
                store.add(spec, {"samples": 64, "loss": 0.5}, provenance={"device": "cuda" if k else "cpu"})
        for where in (store, new):  # the second time from the record alone, and asked on another device
            path = write_sweep_record(tmp_path, toy_sweep, "smoke", "corrected", where, "elsewhere")
            assert json.loads(path.read_text(encoding="utf-8"))["provenance"]["device"] == "cpu, cuda"
            restore(tmp_path, toy_sweep, "corrected", new)


RECORDS = sorted((Path(__file__).resolve().parent.parent / "checks").glob("*/records/sweeps/*.json"))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_says_of_every_run_what_its_rule_makes_of_it(path):
    data = json.loads(path.read_text(encoding="utf-8"))
    assert all(trial["status"] in ("done", "censored") for trial in data["trials"])
    for trial in data["trials"] + data.get("unfinished", []):
        spec, result = trial["spec"], trial["result"]
        if "kind" in spec:
            continue
        assert result["samples"] % (spec["batch"] * spec["check_every"]) == 0
        below = result["loss"] is not None and result["loss"] < Fraction(spec["threshold"])
        assert (trial["status"] == "done") == below
        assert below or result.get("diverged") or result["samples"] >= spec["cap"]


def test_the_smoke_profile_of_figure_1_runs_to_the_end(tmp_path):
    done = run("figure_01a", "--store", tmp_path / "s.sqlite", "--json")
    trials = json.loads(done.output)["trials"]
    assert done.exit_code == 0
    assert len(trials) == 18
    assert all(trial["status"] == "done" and trial["result"]["loss"] < 0.7 for trial in trials)
