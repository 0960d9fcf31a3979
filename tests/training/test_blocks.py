"""A sweep in blocks: together they are the sweep, and its stores are put together."""

import json

import pytest
from sweep_command import SWEEPS, plant, run, toy_sweep

from theorytools import DomainError, Store
from theorytools.training import sweep as places
from theorytools.training.sweep import sweep
from theorytools.training.trials import work
from theorytools.training.trials.trial import Result, trial_key


def run_toy(specs, device="cpu"):
    for spec in specs:
        yield dict(spec), Result({"samples": spec["N"] ** 2}, provenance={"device": device})


def toy_groups(profile, protocol):
    return [[{"kind": "toy", "N": N, "repeat": r, "protocol": protocol} for r in range(2)] for N in range(3, 12)]


TOY = toy_sweep(toy_groups, profiles=("smoke",))


@pytest.fixture
def toy(monkeypatch):
    plant(monkeypatch, TOY)
    for place in (work, places):
        monkeypatch.setattr(place, "resolve", lambda run: run_toy if isinstance(run, str) else run)


def keys(groups):
    return sorted(trial_key(spec) for group in groups for spec in group)


@pytest.mark.parametrize("name", sorted(SWEEPS))
@pytest.mark.parametrize("count", [1, 3, 4])
def test_the_blocks_are_the_sweep_each_group_whole_and_once(name, count):
    one = sweep(name)
    profile = one.profiles[-1]
    whole = one.groups(profile, "corrected")
    made = [one.block(profile, "corrected", f"{k}/{count}") for k in range(1, count + 1)]
    assert sum(map(len, made)) == len(whole)
    assert max(map(len, made)) - min(map(len, made)) <= 1
    assert keys(group for block in made for group in block) == keys(whole)
    assert one.block(profile, "corrected", "") == whole


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "1/0", "a/b", "1/4/2", "-1/4", "1.5/4", "1/1000", "١/4"])
def test_what_is_no_block_is_refused(text):
    with pytest.raises(DomainError, match="k/n"):
        sweep("lengths").block("smoke", "corrected", text)


def test_the_profile_of_a_device_goes_as_far_as_it_says():
    far = {}
    for group in sweep("lengths").groups("device", "corrected"):
        far[group[0]["architecture"]] = max(group[0]["N"], far.get(group[0]["architecture"], 0))
    assert far == {"transformer": 4096, "ffn": 24, "gru": 128, "rnn": 128, "lstm": 96}
    assert {group[0]["N"] for group in sweep("figure_01b").groups("device", "corrected")} >= {64, 128, 256}


def test_the_smallest_profile_trains_each_network_that_a_device_will_train():
    one = sweep("lengths")
    kinds = [{group[0]["architecture"] for group in one.groups(p, "corrected")} for p in ("smoke", "device")]
    assert kinds[0] == kinds[1]


def test_four_blocks_one_after_the_other_are_the_sweep(toy, tmp_path):
    store = tmp_path / "toy.sqlite"
    done = []
    for k in (2, 1, 4, 3):
        told = run("toy", "--block", f"{k}/4", "--store", store, "--json")
        assert told.exit_code == 0
        done += [trial["spec"] for trial in json.loads(told.output)["trials"]]
    assert keys([done]) == keys(toy_groups("smoke", "corrected"))
    whole = run("toy", "--store", store)
    assert "18 of 18 trials were there, 0 done" in whole.output


def test_blocks_that_ran_on_several_machines_are_put_together(toy, tmp_path):
    taken = []
    for k in (1, 2, 3):
        assert run("toy", "--block", f"{k}/3", "--store", tmp_path / f"{k}.sqlite").exit_code == 0
        taken += ["--take", tmp_path / f"{k}.sqlite"]
    told = run("toy", "--stored", "--store", tmp_path / "all.sqlite", *taken, "--json")
    specs = [trial["spec"] for trial in json.loads(told.output)["trials"]]
    assert keys([specs]) == keys(toy_groups("smoke", "corrected"))
    assert "18 of 18" in run("toy", "--store", tmp_path / "all.sqlite").output
    with Store(tmp_path / "1.sqlite") as one, Store(tmp_path / "all.sqlite") as whole:
        assert whole.take(one) == 0
        rows = {row.key: row for row in whole.rows()}
        assert all(rows[row.key].provenance == row.provenance for row in one.rows())
    with Store(tmp_path / "other.sqlite") as other:
        other.add(toy_groups("smoke", "corrected")[0][0], {"samples": -1})
    with pytest.raises(DomainError, match="result that is stored"):
        run("toy", "--stored", "--store", tmp_path / "all.sqlite", "--take", tmp_path / "other.sqlite")
