"""Sweeps of trained models run, resume and are recorded: what ends a run, and what a record says of it."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import pytest
from source_tree import ROOT
from sweep_command import TINY, plant, planted, run, toy_sweep

from theorytools import Store
from theorytools.errors import CheckError, DomainError, RecordError
from theorytools.papers.qstr.training import reference as plain
from theorytools.papers.qstr.training import search
from theorytools.papers.qstr.training.experiment import Experiment, cell
from theorytools.papers.qstr.training.search import evaluate
from theorytools.training.record import read_record, recorded, restore, sweep_record_path, write_sweep_record
from theorytools.training.trials.trial import Result


def toy_record(folder):
    one = planted()
    return read_record(sweep_record_path(folder, "toy", "corrected"), one, "corrected")


def three_sizes(profile, protocol):
    return [cell(2, N=N, protocol=protocol, **TINY) for N in (4, 5, 6)]


@pytest.fixture
def sweep_of_three(monkeypatch):
    one = toy_sweep(three_sizes)
    plant(monkeypatch, one)
    return one


def test_a_sweep_runs_resumes_exports_and_is_recorded(sweep_of_three, tmp_path, monkeypatch):
    store = tmp_path / "toy.sqlite"
    checks = tmp_path / "checks"
    (checks / "mine").mkdir(parents=True)
    (checks / "mine" / "paper.toml").write_text('[paper]\nkey = "mine"\n', encoding="utf-8")
    first = run(
        "toy", "--store", store, "--export", tmp_path / "toy.csv", "--record", "--allow-dirty", "--checks", checks
    )
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
    record = toy_record(checks / "mine")
    assert record.sizes("transformer") == [4, 5, 6]
    assert [t.result["samples"] for t in record.trials] == [t["result"]["samples"] for t in data["trials"]]
    assert record.repeats("transformer").sizes == (4, 5, 6)
    assert set(record.means("transformer")) == {4, 5, 6}
    # the record alone brings every trial back, and a new record of it says the same
    again = run(
        "toy", "--store", tmp_path / "new.sqlite", "--from-record", "--record", "--allow-dirty", "--checks", checks
    )
    assert "6 of 6 trials were there, 0 done" in again.output
    assert toy_record(checks / "mine").trials == record.trials
    # the sweep changes: what was recorded no longer stands for it
    changed = lambda profile, protocol: [cell(3, N=4, protocol=protocol, **TINY)]  # noqa: E731
    plant(monkeypatch, replace(sweep_of_three, cells=changed))
    with pytest.raises(RecordError, match="STALE"):
        toy_record(checks / "mine")


def test_no_record_is_an_error_with_the_command(sweep_of_three, tmp_path):
    with pytest.raises(RecordError, match="theorytools sweep toy"):
        recorded(tmp_path / "mine" / "figure.py", "toy")
    with pytest.raises(CheckError, match=r"sweeps/<name>\.py"):
        recorded(tmp_path / "mine" / "figure.py", "no_such")


def test_a_record_needs_every_trial_of_an_arm(sweep_of_three, tmp_path):
    with Store(tmp_path / "s.sqlite") as store, pytest.raises(CheckError, match="no complete arm of toy"):
        write_sweep_record(tmp_path, sweep_of_three, "smoke", "corrected", store, "cpu", allow_dirty=True)


def test_runs_past_the_cap_are_censored_and_wild_ones_have_diverged():
    for protocol, status in (("corrected", "censored"), ("released", "failed")):
        specs = cell(1, N=4, protocol=protocol, **{**TINY, "threshold": Fraction(1, 100), "cap": 512})
        ((spec, result),) = evaluate(specs)
        assert result.status == status
        assert isinstance(result, Result)
        assert spec == specs[0]
    wild = {**TINY, "optimiser": "sgd", "lr": Fraction(10**6), "threshold": Fraction(10**30)}
    for architecture in ("transformer", "ffn"):
        ((_, result),) = evaluate(cell(1, N=4, protocol="corrected", **{**wild, "architecture": architecture}))
        assert result.status == "censored"
        assert result.value["diverged"]
        assert result.value["loss"] is None
        assert "diverged" in result.reason
    assert plain.run(Experiment(N=4, **wild)).diverged


@pytest.mark.parametrize(
    "options", [["--device", "tpu"], ["--export", "trials.xlsx"], ["--executor", "threads"], ["--profile", "quick"]]
)
def test_typing_mistakes_are_messages(sweep_of_three, tmp_path, options):
    with pytest.raises(DomainError):
        run("toy", "--store", tmp_path / "s.sqlite", *options)


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
    one = toy_sweep(cells)
    plant(monkeypatch, one)
    with Store(tmp_path / "s.sqlite") as store:
        for group in one.arms("smoke", "corrected")["ffn"] + one.arms("smoke", "corrected")["transformer"][:1]:
            for spec, result in evaluate(group):
                store.add(spec, result)
        write_sweep_record(tmp_path, one, "smoke", "corrected", store, "cpu", allow_dirty=True)
    record = toy_record(tmp_path)
    assert record.missing == {"transformer": 1}
    assert {trial.arm for trial in record.trials} == {"ffn"}
    assert [trial.arm for trial in record.unfinished] == ["transformer"]
    with Store(tmp_path / "again.sqlite") as store:  # what was finished is not lost, complete arm or not
        assert restore(tmp_path, one, "corrected", store) == 3
        assert store.get(record.unfinished[0].spec).result == record.unfinished[0].result


def test_a_diverged_run_counts_as_one_at_its_cap_and_no_upper_limit_takes_a_stopped_one(sweep_of_three, tmp_path):
    status = {(4, 0): ("done", 512, {}), (4, 1): ("censored", 256, {"diverged": True}), (5, 0): ("done", 768, {}),
              (5, 1): ("done", 1024, {}), (6, 0): ("censored", 10**6, {}), (6, 1): ("done", 1280, {})}  # fmt: skip
    with Store(tmp_path / "s.sqlite") as store:
        for group in sweep_of_three.groups("smoke", "corrected"):
            for spec in group:
                kind, samples, more = status[spec["N"], spec["repeat"]]
                store.add(spec, Result({"samples": samples, **more}, kind, "why" if kind != "done" else ""))
        write_sweep_record(tmp_path, sweep_of_three, "smoke", "corrected", store, "cpu", allow_dirty=True)
    record = toy_record(tmp_path)
    assert record.values("transformer", N=4) == [512.0, 1e6]
    assert record.repeats("transformer").low[0] == (256.0, 1e6)
    assert record.repeats("transformer").high[0] == (512.0, math.inf)
    assert set(record.means("transformer")) == {5}
    assert record.reached("transformer", N=5) == [768.0, 1024.0]
    for cell_ in ({"N": 4}, {"N": 6}):
        with pytest.raises(CheckError, match="without success"):
            record.reached("transformer", **cell_)
    for read in (lambda: record.reached("transformer", N=7), lambda: record.values("gru"),
                 lambda: record.means("transformer")[7], lambda: record.repeats("gru")):  # fmt: skip
        with pytest.raises(RecordError, match=r"without (transformer, N = 7|gru)"):
            read()
    with pytest.raises(CheckError, match="without success"):
        record.means("transformer")[6]


def test_a_record_names_the_devices_that_its_trials_name(sweep_of_three, tmp_path):
    with Store(tmp_path / "s.sqlite") as store, Store(tmp_path / "new.sqlite") as new:
        for k, group in enumerate(sweep_of_three.groups("smoke", "corrected")):
            for spec in group:
                store.add(spec, {"samples": 64, "loss": 0.5}, provenance={"device": "cuda" if k else "cpu"})
        for where in (store, new):  # the second time from the record alone, and asked on another device
            path = write_sweep_record(
                tmp_path, sweep_of_three, "smoke", "corrected", where, "elsewhere", allow_dirty=True
            )
            assert json.loads(path.read_text(encoding="utf-8"))["provenance"]["device"] == "cpu, cuda"
            restore(tmp_path, sweep_of_three, "corrected", new)


RECORDS = sorted(
    [*(ROOT / "checks").glob("*/records/sweeps/*.json"), *(ROOT / "docs").glob("*/*/records/sweeps/*.json")]
)


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


@pytest.mark.slow
def test_the_smoke_profile_of_figure_1_runs_to_the_end(tmp_path):
    done = run("figure_01a", "--store", tmp_path / "s.sqlite", "--json")
    trials = json.loads(done.output)["trials"]
    assert done.exit_code == 0
    assert len(trials) == 18
    assert all(trial["status"] == "done" and trial["result"]["loss"] < 0.7 for trial in trials)
