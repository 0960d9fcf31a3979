"""Rates that were measured stand in place of assumed ones, for the same device and versions, and change no result."""

import json
from dataclasses import replace
from fractions import Fraction

import answered
import pytest
import torch
from refusals import refuses
from sweep_command import TINY, plant, run, toy_sweep

from theorytools.errors import DomainError, FolderError
from theorytools.training import rates
from theorytools.training.experiment import cell
from theorytools.training.plan import SECONDS, blocks, group_seconds, plan_json, plan_text
from theorytools.training.sweep import sweep
from theorytools.training.trials.trial import trial_key

TOY = toy_sweep(
    lambda profile, protocol: [cell(2, N=N, protocol=protocol, **TINY) for N in (4, 5)] + [[{"kind": "else", "N": 3}]],
    profiles=("smoke",),
)
RACES = replace(TOY, cells=lambda profile, protocol: TOY.cells(profile, protocol)[:2], devices=("cpu", "cuda"))


@pytest.fixture
def toy(monkeypatch, tmp_path):
    plant(monkeypatch, RACES)
    monkeypatch.chdir(tmp_path)


def as_assumed(one, factor=1.0, **of_one):
    """Rates that are the assumed ones times a factor, or one of an architecture; a part is in the evaluations."""
    cells = {}
    for group in one.groups("device", "corrected"):
        spec = group[0]
        step = of_one.get(spec["architecture"], factor) * group_seconds(
            one, group, "cuda", lambda spec: float(spec["batch"])
        )
        row = {"step": step / 4, "evaluation": 3 / 4 * step * spec["check_every"], "error": ""}
        cells[rates.kind(group)] = row
    return rates.Rates("lengths.rates.json", {"device": "cuda", "device_name": "A card"}, "2026-01-02T03:04:05", cells)


def keys(block):
    return {trial_key(spec) for group in block.groups for spec in group}


# -- what a plan makes of them -------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["lengths", "figure_01b"])
def test_rates_as_assumed_give_the_assumed_plan_and_slower_ones_the_same_split(name):
    one = sweep(name)
    assumed = blocks(one, "device", "corrected", "cuda")
    for factor in (1.0, 4.0):  # powers of two: no sum rounds otherwise, so no tie falls otherwise
        made = blocks(one, "device", "corrected", "cuda", rates=as_assumed(one, factor))
        assert [b.seconds for b in made] == pytest.approx([factor * a.seconds for a in assumed])
        assert [b.seconds_high for b in made] == pytest.approx([factor * a.seconds_high for a in assumed])
    far = [plan_json(one, "device", "corrected", "cuda", rates=r)["out_of_reach"]
           for r in (None, as_assumed(one), as_assumed(one, 4.0))]  # fmt: skip
    assert far[0] == far[1]
    assert all(slow["N"] <= row["N"] for row, slow in zip(far[0], far[2], strict=True) if slow["arm"] == row["arm"])


def test_the_split_follows_the_rates_and_loses_nothing():
    one = sweep("lengths")
    slow = as_assumed(one, transformer=40.0)
    made, before = (blocks(one, "device", "corrected", "cuda", rates=r) for r in (slow, None))
    assert [keys(b) for b in made] != [keys(b) for b in before]
    assert set.union(*map(keys, made)) == set.union(*map(keys, before))
    assert sum(len(keys(b)) for b in made) == sum(len(keys(b)) for b in before)
    costs = [group_seconds(one, g, "cuda", rates=slow) for g in one.groups("device", "corrected")]
    assert max(b.seconds for b in made) <= sum(costs) / 4 + max(costs) + 1e-9  # Graham's inequality


def test_a_plan_says_what_does_not_fit_and_how_many_blocks_would():
    one = sweep("lengths")
    told = plan_json(one, "device", "corrected", "cuda", rates=as_assumed(one, 2.0))["rates"]
    assert (told["name"], told["measured"], told["groups"]) == ("A card", 33, 33)
    times = [2 * group_seconds(one, g, "cuda") for g in one.groups("device", "corrected")]
    assert [row["seconds"] for row in told["too_long"]] == [round(t) for t in times if t > SECONDS]
    fine = as_assumed(one, 1.5)
    data = plan_json(one, "device", "corrected", "cuda", rates=fine)
    k = data["rates"]["blocks_that_fit"]
    if data["rates"]["too_long"]:
        assert k is None
    else:
        most = [max(b.seconds for b in blocks(one, "device", "corrected", "cuda", n, fine)) for n in (k - 1, k)]
        assert most[1] <= SECONDS < most[0]
    assert "A card, measured 2026-01-02 03:04" in plan_text(data)
    assert "assumed rates" not in plan_text(data)
    some = replace(fine, cells=dict(list(fine.cells.items())[3:]))
    assert "; 3 of 33 groups by assumed rates" in plan_text(plan_json(one, "device", "corrected", "cuda", rates=some))
    lost = replace(fine, cells={key: row | {"error": "out of memory"} for key, row in fine.cells.items()})
    assert blocks(one, "device", "corrected", "cuda", rates=lost) == blocks(one, "device", "corrected", "cuda")


def test_a_kind_is_what_time_depends_on():
    fixed = {"architecture": "gru", "N": 8}
    one = rates.kind(cell(2, **fixed))
    assert one == rates.kind(cell(2, **fixed, cap=500, threshold=Fraction(1, 50), protocol="released", lr=Fraction(1)))
    others = [cell(3, **fixed), *(cell(2, **{**fixed, **more}) for more in (
        {"N": 9}, {"width": 3}, {"q": 2}, {"batch": 32}, {"check_every": 20}, {"dtype": "float64"}, {"d": 3},
        {"optimiser": "sgd"}, {"task": "simple"}, {"test_size": 300}, {"architecture": "lstm"}))]  # fmt: skip
    assert len({one, *map(rates.kind, others)}) == 1 + len(others)
    assert rates.kind([{"kind": "other", "architecture": "gru"}]) == rates.kind([{"arm": "a"}]) == ""
    assert rates.kind([{"architecture": "forest"}]) == ""


# -- the call ------------------------------------------------------------------------------------------------------
def test_rates_are_measured_kept_and_taken_by_the_plan_and_no_trial_changes(toy, tmp_path):
    whole = json.loads(run("toy", "--store", "before.sqlite", "--json").stdout)["trials"]
    assumed = json.loads(run("toy", "--plan", "--json").stdout)
    done = run("toy", "--rates", "0.2", "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    assert [path.name for path in (tmp_path / "sweeps").iterdir()] == ["toy.rates.json"]  # no store
    told = answered.told(done.stdout, 0)
    assert (assumed["rates"], told["rates"]["measured"], told["rates"]["groups"]) == (None, 2, 2)
    for group, row in zip(RACES.cells("smoke", "corrected"), told["rates"]["cells"], strict=True):
        assert (row["architecture"], row["N"], row["members"]) == ("transformer", group[0]["N"], 2)
        assert row["steps"] >= 2
        assert row["prompts_per_second"] == pytest.approx(2 * 64 / row["step"])
        found = rates.read(tmp_path / "sweeps" / "toy.rates.json").seconds(group, 6400)
        assert found == pytest.approx(100 * row["step"] + 25 * row["evaluation"])
    again = json.loads(run("toy", "--plan", "--json").stdout)
    assert again["blocks"] == told["blocks"]
    assert "measured" in run("toy", "--plan").stdout
    assert json.loads(run("toy", "--json").stdout)["trials"] == whole
    parts = [run("toy", "--block", f"{k}/2", "--json").stdout for k in (1, 2)]
    assert sorted(len(json.loads(part)["trials"]) for part in parts) == [2, 2]
    assert "prompts/s" in run("toy", "--rates", "0.1").stdout


def test_cells_of_other_profiles_are_kept_beside_new_ones(toy, tmp_path, monkeypatch):
    path, old = tmp_path / "a.rates.json", {"an older kind": {"step": 1.0, "evaluation": 1.0, "error": ""}}
    rates.keep(path, "cpu", old)
    assert run("toy", "--rates", "0.1", "--store", "a.sqlite").exit_code == 0
    assert len(rates.read(path).cells) == 3
    monkeypatch.setattr(rates, "here", lambda device: {"device": "cpu", "torch": "0"})
    assert rates.keep(path, "cpu", old).cells == rates.read(path).cells == old  # not of what measured the others


def test_rates_of_another_device_or_version_are_ignored_and_that_is_said(toy, tmp_path, monkeypatch):
    assumed = run("toy", "--plan", "--json").stdout
    assert run("toy", "--rates", "0.1").exit_code == 0
    with monkeypatch.context() as patch:
        made = rates.here("cpu")
        patch.setattr(rates, "here", lambda device: made | {"torch": "9.9"})
        done = run("toy", "--plan", "--json")
        assert done.stdout == assumed
        assert f"toy.rates.json is ignored: measured with torch {made['torch']}, here 9.9" in done.stderr
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    done = run("toy", "--plan", "--device", "cuda")
    assert "and no such device is here" in done.stderr
    assert "assumed rates, not measured" not in run("toy", "--plan").output
    about = {"name": "A card", "total_memory": 2**37, "major": 9, "minor": 0}
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.get_device_properties", lambda device: type("About", (), about))
    assert "device_name none, here A card" in run("toy", "--plan", "--device", "cuda").stderr
    own = rates.Rates("", rates.here("cuda"), "2026", {})
    assert own.name() == "A card"
    path = tmp_path / "of_a_card.rates.json"
    rates.keep(path, "cuda", {})
    assert rates.known(path, "cuda") == (replace(rates.read(path)), "")


def test_a_cell_that_runs_out_of_memory_is_said_and_planned_as_assumed(toy, monkeypatch):
    measured = rates._measured

    def small(race, device, share):
        if race[0].N == 5:
            raise torch.OutOfMemoryError("fake")
        return measured(race, device, share)

    monkeypatch.setattr(rates, "_measured", small)
    monkeypatch.setattr("torch.cuda.empty_cache", lambda: None)
    done = run("toy", "--rates", "0.1")
    assert done.exit_code == 1
    assert "out of memory" in done.stdout
    assert "1 of 2 groups by assumed rates" in done.stdout


def test_the_time_is_shared_and_every_kind_makes_its_steps(monkeypatch):
    shares, told = [], []
    monkeypatch.setattr(rates, "_measured", lambda race, device, share: shares.append(share) or {"step": 1.0})
    groups = [cell(1, architecture="gru", N=N) for N in (4, 5, 4, 6)]
    assert len(rates.measure([*groups, [{"arm": "a"}]], "cpu", 900, lambda *at: told.append(at))) == 3  # distinct
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert shares[0] == 0  # what happens once is not timed
    assert shares[1] <= 300 <= shares[2] <= 450 <= shares[3] <= 900


HEAD = '{"schema": "theorytools.rates/1", "created": "", '


# -- refusals ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_no_time_to_measure_in_is_refused(toy, seconds, tmp_path):
    with pytest.raises(DomainError, match="a number of seconds above 0") as error:
        run("toy", "--rates", seconds)
    assert error.value.given.startswith("--rates ")
    assert error.value.why
    assert error.value.advice == "--rates 60"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "these are no rates", '{"schema": "theorytools.rates/2"}', '{"schema": [1]}',
             HEAD + '"device": {"device": "cpu"}, "cells": {"a": {"error": "", "step": 0, "evaluation": 1}}}',
             HEAD + '"device": {"device": "cpu"}, "cells": {"a": {"error": "", "step": "1", "evaluation": 1}}}',
             HEAD + '"device": {"device": "cpu"}, "cells": {"a": {"step": 1, "evaluation": 1}}}',
             HEAD + '"device": {}, "cells": {}}'],
)  # fmt: skip
def test_a_file_that_is_none_of_rates_is_named_and_not_replaced(toy, text, tmp_path):
    path = tmp_path / "toy.rates.json"
    path.write_text(text)
    for arguments in (("--plan",), ("--rates", "1"), ("--block", "1/2"), ()):
        with pytest.raises(DomainError, match="no file of rates") as error:
            run("toy", *arguments, "--store", "toy.sqlite")
        assert str(error.value).count("\n") == 3
    assert path.read_text() == text
    assert [p.name for p in tmp_path.iterdir()] == ["toy.rates.json"]


def test_rates_are_measured_alone_on_one_device_and_of_races(toy, tmp_path, monkeypatch):
    (tmp_path / "f.rates.json").mkdir()
    refuses(
        DomainError,
        (lambda: run("toy", "--rates", "1", "--plan"), "--plan"),
        (lambda: run("toy", "--rates", "1", "--from-record"), "--from-record"),
        (lambda: run("toy", "--rates", "1", "--executor", "processes"), "in-process"),
        (lambda: run("lengths", "--rates", "1", "--device", "meta"), "--device meta with --rates"),
        (lambda: run("passage", "--rates", "1"), "races to a threshold"),
        (lambda: rates.measure([[{"arm": "a"}]], "cpu", 1.0), "races to a threshold"),
    )  # fmt: skip
    with pytest.raises(FolderError):
        run("toy", "--rates", "1", "--store", "f.sqlite")
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(DomainError, match="a CUDA device"):
        run("toy", "--rates", "1", "--device", "cuda")
