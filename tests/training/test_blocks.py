"""A sweep in blocks: together they are the sweep, apart they fit the machine that they are meant for."""

import json

import pytest
from sweep_command import SWEEPS, plant, run, toy_sweep

from theorytools import DomainError, Store
from theorytools.papers.qstr.training.costs import group_bytes
from theorytools.papers.qstr.training.experiment import H200, require_memory
from theorytools.training import sweep as places
from theorytools.training.plan import BLOCKS, SECONDS, blocks, group_seconds, plan_json, plan_text, which
from theorytools.training.sweep import load_sweep, sweep
from theorytools.training.trials import work
from theorytools.training.trials.trial import Result, trial_key

LARGE = [
    (one.name, profile, device)
    for one in map(load_sweep, SWEEPS.values()) for profile in ("wide", "device") if profile in one.profiles
    for device in one.devices
]  # fmt: skip


def run_toy(specs, device="cpu"):
    for spec in specs:
        yield dict(spec), Result({"samples": spec["N"] ** 2}, provenance={"device": device})


def toy_groups(profile, protocol):
    return [[{"kind": "toy", "N": N, "repeat": r, "protocol": protocol} for r in range(2)] for N in range(3, 12)]


TOY = toy_sweep(toy_groups, seconds=lambda spec: float(spec["N"]), profiles=("smoke",))


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
    made = blocks(one, profile, "corrected", "cpu", count)
    assert [b.number for b in made] == list(range(1, count + 1))
    groups = [group for b in made for group in b.groups]
    assert len(groups) == len(one.groups(profile, "corrected"))
    assert keys(groups) == keys(one.groups(profile, "corrected"))
    assert blocks(one, profile, "corrected", "cpu", count) == made


@pytest.mark.parametrize(("name", "profile", "device"), LARGE)
def test_no_block_waits_for_another_by_more_than_one_group(name, profile, device):
    one = sweep(name)
    made = blocks(one, profile, "corrected", device)
    costs = [group_seconds(one, group, device) for group in one.groups(profile, "corrected")]
    times = [b.seconds for b in made]
    assert sum(times) == pytest.approx(sum(costs))
    # the last group went to the block that had least: Graham's inequality
    assert max(times) <= sum(costs) / BLOCKS + max(costs) + 1e-9
    assert all(b.seconds == pytest.approx(sum(group_seconds(one, g, device) for g in b.groups)) for b in made)


@pytest.mark.parametrize(("name", "profile"), [(name, profile) for name, profile, on in LARGE if on == "cuda"])
def test_the_profile_fits_the_time_and_the_memory_that_it_is_written_for(name, profile):
    made = blocks(sweep(name), profile, "corrected", "cuda", BLOCKS)
    assert max(b.seconds for b in made) <= SECONDS
    assert all(b.seconds - 1e-9 <= b.seconds_high <= SECONDS for b in made)
    assert all(b.bytes is not None and b.bytes <= H200 for b in made if b.groups)
    require_memory(sweep(name).groups(profile, "corrected"), "cuda", 1, H200)


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
    assert sum(b.seconds for b in blocks(one, "smoke", "corrected", "cuda")) < 120


def test_what_the_records_put_out_of_reach_is_said_and_is_not_in_the_profile():
    data = plan_json(sweep("lengths"), "device", "corrected", "cuda")
    ends = {row["arm"]: row for row in data["out_of_reach"]}
    assert set(ends) == {"transformer", "ffn", "gru", "lstm", "rnn"}
    assert (ends["ffn"]["N"], ends["ffn"]["beyond"]) == (48, 3)
    assert (
        ends["ffn"]["prompts"] > 100 * 10**6
    )  # 1M at N = 16 was not enough, and the local exponent there is above 4.8
    for row in data["prompts"]:
        assert row["N"] < ends[row["arm"]]["N"]
        assert row["seconds"] <= SECONDS
    assert sum(b["seconds"] for b in data["blocks"]) <= 25 * 60
    text = plan_text(data)
    assert "out of reach: ffn from N = 48 on" in text
    assert "16 times beyond the records" in text
    assert plan_json(sweep("lengths"), "device", "corrected")["out_of_reach"] == []
    assert plan_json(sweep("lengths"), "device", "corrected", "cuda") == data


def test_more_members_and_longer_prompts_cost_more_time_and_memory():
    one = sweep("lengths")
    cells = {(g[0]["architecture"], g[0]["N"]): g for g in one.groups("device", "corrected")}
    for kind, sizes in (("transformer", (128, 512, 1024)), ("gru", (32, 64, 128))):
        groups = [cells[kind, N] for N in sizes]
        for cost in (lambda g: group_seconds(one, g, "cuda"), lambda g: group_bytes(g, "cuda")):
            values = [cost(group) for group in groups]
            assert values == sorted(values)
            assert cost(groups[-1][:1]) <= values[-1]


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "1/0", "a/b", "1/4/2", "-1/4", "1.5/4", "", "1/1000"])
def test_what_is_no_block_is_refused(text):
    with pytest.raises(DomainError, match="k/n"):
        which(text)


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


def test_the_plan_shows_the_blocks_of_the_device(toy):
    told = run("lengths", "--plan", "--profile", "device", "--device", "cuda")
    assert told.exit_code == 0
    lines = [line.split()[0] for line in told.output.splitlines() if "largest cell" in line]
    assert lines == ["1/4", "2/4", "3/4", "4/4"]
    assert "139 GiB" in told.output
    data = json.loads(run("toy", "--plan", "--block", "1/3", "--json").output)
    assert [b["block"] for b in data["blocks"]] == ["1/3", "2/3", "3/3"]
    assert sum(b["trials"] for b in data["blocks"]) == 18
    assert sum(b["seconds"] for b in data["blocks"]) == 2 * sum(range(3, 12))
