"""What a device measured: the page says what the committed files hold, and the CPU's records hold the same trials."""

import json
import re
from collections import Counter
from math import floor, log

import pytest
from source_tree import ROOT

from theorytools import Store
from theorytools.cli.sweep_end import _sizes
from theorytools.reporting.sweep_records import arms_of
from theorytools.training import rates
from theorytools.training.plan import blocks, group_seconds
from theorytools.training.record import read_record, restore
from theorytools.training.registration import came_first
from theorytools.training.sweep import from_uncommitted, sweep
from theorytools.training.trials.trial import trial_key

FOLDER = ROOT / "docs" / "h100"
RECORD = FOLDER / "qstr" / "records" / "sweeps" / "lengths.corrected.json"
PAGE = (ROOT / "docs" / "gpu.md").read_text(encoding="utf-8")
LENGTHS = sweep("lengths")


@pytest.fixture(scope="module")
def record():
    return read_record(RECORD, LENGTHS, "corrected")


def test_the_record_is_of_committed_code_and_of_a_rule_that_came_first(record):
    data = json.loads(RECORD.read_text(encoding="utf-8"))
    assert came_first(data)
    assert record.provenance["commit"] in (FOLDER / "log.txt").read_text(encoding="utf-8")
    assert not from_uncommitted(record.provenance)
    (made,) = record.provenance["made"]
    assert (made["device"], made["device_name"]) == ("cuda", "NVIDIA H100 80GB HBM3")
    assert made["products"] == "float32 without TF32"
    measured = rates.read(FOLDER / "lengths.rates.json").device
    assert {name: measured[name] for name in ("device_name", "cuda", *made["versions"])} == {
        "device_name": made["device_name"], "cuda": made["cuda"], **made["versions"],
    }  # fmt: skip


def test_the_page_has_the_tables_of_the_committed_files(record):
    measured = rates.read(FOLDER / "lengths.rates.json")
    assert f"```text\n{rates.rates_text(measured.cells)}\n```" in PAGE
    there = [{"spec": t.spec, "status": t.status, "result": t.result} for t in record.trials + record.unfinished]
    lines = [line for arm in arms_of(there, LENGTHS.size, LENGTHS.value) for line in _sizes(LENGTHS, arm)]
    assert "```text\n" + "\n".join(lines) + "\n```" in PAGE
    assert f"{len(there)} of\n{sum(map(len, LENGTHS.groups('device', 'corrected')))} trials" in PAGE


def test_the_page_says_what_follows_from_the_rates(record):
    measured = rates.read(FOLDER / "lengths.rates.json")
    groups = {(g[0]["architecture"], g[0]["N"]): g for g in LENGTHS.groups("device", "corrected")}
    assert all(rates.kind(group) in measured.cells for group in groups.values())
    took = [f"{b.seconds:.0f}" for b in blocks(LENGTHS, "device", "corrected", "cuda", rates=measured)]
    for place in (PAGE, (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")):
        assert f"{', '.join(took[:-1])} and {took[-1]} s" in place
    factor = {
        key: group_seconds(LENGTHS, groups[key], "cuda", rates=measured) / group_seconds(LENGTHS, groups[key], "cuda")
        for key in (("transformer", 4096), ("gru", 128))
    }
    for one in factor.values():
        assert f" {one:.2f} times" in PAGE
    alone = measured.seconds(groups["gru", 64], 320_000)
    assert f"320,000 prompts after 395 s, for which it takes {alone:.0f} s alone" in PAGE
    log = (FOLDER / "log.txt").read_text(encoding="utf-8")
    shares = re.findall(r"^(\w+) +N = \d+ +\d runs +(\d+) +(\d+)$", log, re.M)
    assert [(arm, round(int(most) / int(said), 2)) for arm, said, most in shares] == [
        ("transformer", 0.74), ("ffn", 0.73), ("gru", 0.34), ("lstm", 0.39), ("rnn", 0.29),
    ]  # fmt: skip


def test_the_page_says_what_more_would_cost(record):
    """The feedforward network at N = 64: by the power through its records, and by the growth that its runs show."""
    cell = rates.read(FOLDER / "lengths.rates.json")
    (ffn,) = (g for g in LENGTHS.groups("device", "corrected") if (g[0]["architecture"], g[0]["N"]) == ("ffn", 24))
    at = {N: LENGTHS.forecast({**ffn[0], "N": N}) for N in (16, 24, 64)}
    rate = cell.cells[rates.kind(ffn)]["prompts_per_second"] / len(ffn)  # of one of eight runs
    seen = 45_760_000  # prompts of each of the eight runs at N = 24, none of which was below the threshold
    steep = log(seen / at[16].prompts) / log(24 / 16)
    more = seen * (64 / 24) ** steep
    assert f"{at[64].prompts:,.0f} prompts at N = 64, up to\n{at[64].high:,.0f}" in PAGE
    assert f"{at[64].prompts / rate / 3600:.1f} hours of this H100" in PAGE
    assert f"by a factor of {seen / at[24].prompts:.1f} at least" in PAGE
    assert f"above {floor(10 * steep) / 10}" in PAGE
    assert f"{more:.1e} prompts, {more / rate / 86400:.0f} days" in PAGE
    assert f"{seen:,} when the time was over".replace(" when", ", when") in PAGE


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
