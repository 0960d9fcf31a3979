"""What a device measured: the page says what the committed files hold, and the CPU's records hold the same trials."""

import json
import re
from collections import Counter

import pytest
from source_tree import ROOT

from theorytools import Store
from theorytools.cli.sweep_end import _sizes
from theorytools.reporting.sweep_records import arms_of
from theorytools.training.record import read_record, restore
from theorytools.training.registration import came_first
from theorytools.training.sweep import from_uncommitted, sweep
from theorytools.training.trials.trial import trial_key

FOLDER = ROOT / "docs" / "h100"
RECORD = FOLDER / "qstr" / "records" / "sweeps" / "lengths.corrected.json"
PAGE = (ROOT / "docs" / "gpu.md").read_text(encoding="utf-8")
LOG = (FOLDER / "log.txt").read_text(encoding="utf-8")
TIMES = json.loads((FOLDER / "lengths.rates.json").read_text(encoding="utf-8"))
LENGTHS = sweep("lengths")


@pytest.fixture(scope="module")
def record():
    return read_record(RECORD, LENGTHS, "corrected")


def test_the_record_is_of_committed_code_and_of_a_rule_that_came_first(record):
    data = json.loads(RECORD.read_text(encoding="utf-8"))
    assert came_first(data)
    assert record.provenance["commit"] in LOG
    assert not from_uncommitted(record.provenance)
    (made,) = record.provenance["made"]
    assert (made["device"], made["device_name"]) == ("cuda", "NVIDIA H100 80GB HBM3")
    assert made["products"] == "float32 without TF32"
    assert {name: TIMES["device"][name] for name in ("device_name", "cuda", *made["versions"])} == {
        "device_name": made["device_name"], "cuda": made["cuda"], **made["versions"],
    }  # fmt: skip


def lines_of_times():
    yield "{:<12} {:>5} {:>7} {:>11} {:>9} {:>9} {:>5}".format(
        "architecture", "N", "members", "prompts/s", "step ms", "test ms", "busy"
    )
    for row in TIMES["cells"].values():
        numbers = f"{row['prompts_per_second']:>11,.0f} {1e3 * row['step']:>9.3f} {1e3 * row['evaluation']:>9.2f}"
        yield f"{row['architecture']:<12} {row['N']:>5} {row['members']:>7} {numbers} {row['utilisation']:>3} %"


def test_the_page_has_the_tables_of_the_committed_files(record):
    assert "```text\n" + "\n".join(lines_of_times()) + "\n```" in PAGE
    there = [{"spec": t.spec, "status": t.status, "result": t.result} for t in record.trials + record.unfinished]
    lines = [line for arm in arms_of(there, LENGTHS.size, LENGTHS.value) for line in _sizes(LENGTHS, arm)]
    assert "```text\n" + "\n".join(lines) + "\n```" in PAGE
    assert f"{len(there)} of\n{sum(map(len, LENGTHS.groups('device', 'corrected')))} trials" in PAGE


def test_the_page_says_what_follows_from_the_files(record):
    timed = {(row["architecture"], row["N"]): row for row in TIMES["cells"].values()}
    groups = {(g[0]["architecture"], g[0]["N"]): g[0] for g in LENGTHS.groups("device", "corrected")}
    assert set(timed) == set(groups)
    short = [1e3 * row["step"] for (arm, N), row in timed.items() if arm == "transformer" and N <= 64]
    assert f"takes {min(short):.1f} to {max(short):.1f} ms, whatever N" in PAGE
    gru, spec = timed["gru", 64], groups["gru", 64]
    alone = 320_000 / spec["batch"] * (gru["step"] + gru["evaluation"] / spec["check_every"])
    assert f"320,000 prompts after 395 s, for which it takes {alone:.0f} s alone" in PAGE
    longest = sorted((t.result["samples"] for t in record.of("transformer", N=4096)), reverse=True)
    assert "its two runs at N = 4096 took {:,} and {:,} prompts".format(*longest) in PAGE
    shares = re.findall(r"^(\w+) +N = \d+ +\d runs +(\d+) +(\d+)$", LOG, re.M)
    assert [(arm, round(int(most) / int(said), 2)) for arm, said, most in shares] == [
        ("transformer", 0.74), ("ffn", 0.73), ("gru", 0.34), ("lstm", 0.39), ("rnn", 0.29),
    ]  # fmt: skip


def test_a_cpu_has_seen_the_same_crossings(record):
    here = {}
    for name in ("lengths", "far_lengths"):
        data = json.loads((ROOT / f"checks/qstr/records/sweeps/{name}.corrected.json").read_text("utf-8"))
        here |= {trial_key(t["spec"]): t for t in data["trials"]}
    pairs = [(t, here[trial_key(t.spec)]) for t in record.trials + record.unfinished if trial_key(t.spec) in here]
    apart = Counter()
    for there, cpu in pairs:
        assert (there.status, there.result["censored"]) == (cpu["status"], cpu["result"]["censored"])
        checks = abs(there.result["checks"] - cpu["result"]["checks"])
        assert checks <= 1
        apart[there.arm, checks > 0] += 1
    assert len(pairs) == 39
    assert {key: n for key, n in apart.items() if key[1]} == {("ffn", True): 3}
    assert apart["transformer", False] == 21


def test_the_trials_that_are_there_need_not_run_again(record, tmp_path):
    assert record.missing == {"ffn": 9, "gru": 19, "lstm": 0, "rnn": 0}
    assert not set(record.missing) & {t.arm for t in record.trials}
    with Store(tmp_path / "lengths.sqlite") as store:
        assert restore(FOLDER / "qstr", LENGTHS, "corrected", store) == 49 + 28
        whole = [group for group in LENGTHS.groups("device", "corrected") if all(spec in store for spec in group)]
        assert sum(map(len, whole)) == 77  # no cell is there in part
