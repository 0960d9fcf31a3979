"""Figure 1b on a device: the page says what the committed files hold, and what a CPU saw is compared trial by trial."""

import json
import re
from math import exp, log, sqrt
from statistics import fmean, stdev

import pytest
from source_tree import ROOT

from theorytools import Store
from theorytools.cli.sweep_end import _sizes
from theorytools.reporting.sweep_records import arms_of
from theorytools.training.record import read_record, restore
from theorytools.training.registration import came_first
from theorytools.training.sweep import from_uncommitted, sweep

FOLDER = ROOT / "docs" / "h100"
HERE = "records/sweeps/figure_01b.corrected.json"
FIGURE = sweep("figure_01b")
RATES = json.loads((FOLDER / "figure_01b.rates.json").read_text(encoding="utf-8"))
LOG = (FOLDER / "figure_01b.log.txt").read_text(encoding="utf-8")
TITLE = "## What an H100 did with figure 1b\n"
TEXT = (ROOT / "docs" / "gpu.md").read_text(encoding="utf-8").partition(TITLE)[2].partition("\n## ")[0]
PAGE = " ".join(TEXT.split())


@pytest.fixture(scope="module")
def record():
    return read_record(FOLDER / "qstr" / HERE, FIGURE, "corrected")


@pytest.fixture(scope="module")
def cpu():
    return read_record(ROOT / "checks" / "qstr" / HERE, FIGURE, "corrected")


def arms(record):
    there = [{"spec": t.spec, "status": t.status, "result": t.result} for t in record.trials + record.unfinished]
    return {arm["arm"]: arm for arm in arms_of(there, FIGURE.size, FIGURE.value)}


def interval(record, arm, size):
    (cell,) = (cell for cell in arms(record)[arm]["sizes"] if cell["size"] == size)
    return cell["low"], cell["high"]


def mean(record, arm, size):
    return exp(fmean(map(log, interval(record, arm, size))))


def test_the_record_is_of_committed_code_and_of_a_rule_that_came_first(record):
    assert came_first(json.loads((FOLDER / "qstr" / HERE).read_text(encoding="utf-8")))
    commit = record.provenance["commit"]
    assert f"code: commit {commit}, nothing uncommitted" in LOG
    assert f"the code of commit `{commit[:8]}`" in PAGE
    assert not from_uncommitted(record.provenance)
    (made,) = record.provenance["made"]
    assert (made["device"], made["device_name"]) == ("cuda", "NVIDIA H100 80GB HBM3")
    assert (made["commit"], made["products"]) == (commit, "float32 without TF32")
    same = {"device_name": made["device_name"], "cuda": made["cuda"], **made["versions"]}
    assert {name: RATES["device"][name] for name in same} == same


def test_the_page_has_the_tables_of_the_committed_files(record):
    rows = re.findall(r"^(\w+) +(\d+) +(\d+) +([\d,]+) +([\d.]+) +([\d.]+) +(\d+) %$", TEXT, re.M)
    assert rows == [
        (
            cell["architecture"], str(cell["N"]), str(cell["members"]), f"{cell['prompts_per_second']:,.0f}",
            f"{1e3 * cell['step']:.3f}", f"{1e3 * cell['evaluation']:.2f}", str(cell["utilisation"]),
        )
        for cell in RATES["cells"].values()
    ]  # fmt: skip
    lines = [line for arm in arms(record).values() for line in _sizes(FIGURE, arm)]
    assert "```text\n" + "\n".join(lines) + "\n```" in TEXT


def test_the_page_says_what_the_log_does():
    took = re.findall(r"^  \d/4 +\d+ trials +(\d+) s", LOG, re.M)
    assert f"{', '.join(took[:-1])} and {took[-1]} s alone" in PAGE
    times = {
        (block, word): 3600 * int(h) + 60 * int(m) + int(s)
        for block, word, h, m, s in re.findall(r"^block (\d) (\w+) +(\d\d):(\d\d):(\d\d)", LOG, re.M)
    }
    last = [times[block, "ends"] - times[block, "begins"] for block in "342"]
    assert f"took {last[0]} and {last[1]} s, the second {last[2]} s" in PAGE
    h, m, s = map(int, re.search(r"at (\d\d):(\d\d):(\d\d), when it was cut", LOG).groups())
    (seen,) = map(int, re.findall(r"N = 128 +5 runs, (\d+) prompts each", LOG))
    after = 3600 * h + 60 * m + s - times["1", "begins"]
    (cell,) = (c for c in RATES["cells"].values() if (c["architecture"], c["N"]) == ("gru", 128))
    alone = seen / 64 * (cell["step"] + cell["evaluation"] / 100)  # batches of 64, evaluated after 100
    assert f"{seen:,} prompts each after at most {after} s, for which they take {alone:.0f} s alone" in PAGE
    shares = re.findall(r"^(\w+) +N = \d+ +5 runs +(\d+) +(\d+)$", LOG, re.M)
    assert [(arm, round(int(most) / int(said), 2)) for arm, said, most in shares] == [
        ("transformer", 0.45), ("ffn", 0.41), ("gru", 0.26),
    ]  # fmt: skip
    said = "0.45 of the estimate for the Transformer (4.3 GiB at N = 256), 0.41 for the feedforward network and 0.26"
    assert said in PAGE
    assert round(int(shares[0][2]) / 2**30, 1) == 4.3


def test_a_step_of_the_gru_is_as_slow_as_the_page_says():
    before = json.loads((FOLDER / "lengths.rates.json").read_text(encoding="utf-8"))["cells"].values()
    step = {(k, c["N"]): c["step"] for k, cells in enumerate((RATES["cells"].values(), before))
            for c in cells if c["architecture"] == "gru"}  # fmt: skip
    assert f"took {1e3 * step[0, 64]:.3f} ms, twice the {1e3 * step[1, 64]:.3f} ms of `lengths`" in PAGE
    assert 1.9 < step[0, 64] / step[1, 64] < 2.1
    assert f"at N = 128 it took {100 * (step[0, 128] / step[1, 128] - 1):.1f} % more" in PAGE


def test_the_rule_decides_as_on_a_cpu(record, cpu):
    for one in (record, cpu):
        (_, most), ffn, gru = (interval(one, arm, 33) for arm in ("transformer", "ffn", "gru"))
        assert most < min(ffn[0], gru[0])
    assert f"from {interval(record, 'gru', 33)[0]:,.0f} prompts on" in PAGE
    assert f"the Transformer's ends at {interval(record, 'transformer', 33)[1]:,.0f}" in PAGE
    assert f"On the CPU the GRU's begins at {interval(cpu, 'gru', 33)[0]:,.0f}" in PAGE


def test_what_the_longer_window_shows(record, cpu):
    grown = [arms(one)[arm]["exponent"] for one in (cpu, record) for arm in ("transformer", "gru")]
    assert grown[0][1] > grown[1][0]
    assert grown[2][1] < grown[3][0]
    here, there, far, long = (f"{low:.2f} to {high:.2f}" for low, high in grown)
    assert f"overlap, {here} and {there} in the CPU's record" in PAGE
    assert f"Here they are {far} to N = 256 and {long} to N = 64" in PAGE
    means = {N: mean(record, "transformer", N) for N in (33, 64, 128, 256)}
    local = [log(means[b] / means[a]) / log(b / a) for a, b in ((33, 64), (64, 128), (128, 256))]
    assert f"{local[0]:.2f} from N = 33 to 64, {local[1]:.2f} to 128, {local[2]:.2f} to 256" in PAGE
    assert local == sorted(local)
    planned = {
        (arm, int(N)): (int(n.replace(",", "")), int(high.replace(",", "")))
        for arm, N, n, high in re.findall(r"^  (\w+) +(\d+) +([\d,]+) +([\d,]+) +\d+ +\d+  N =", LOG, re.M)
    }
    over = [means[N] / planned["transformer", N][0] for N in (64, 128, 256)]
    assert f"exceeded {over[0]:.2f} times at N = 64, {over[1]:.2f} at 128 and {over[2]:.2f} at 256" in PAGE
    top = planned["transformer", 256][1]
    assert all(n > top for n in record.reached("transformer", N=256))
    assert f"its interval, {top:,}" in PAGE
    low, high = interval(record, "gru", 64)
    assert low < planned["gru", 64][0] < high
    assert f"The GRU's {planned['gru', 64][0]:,} at N = 64" in PAGE
    assert max(t.result["samples"] for t in record.unfinished if t.spec["N"] == 64) == 896_000


def test_two_processors_differ_in_single_runs_and_not_in_their_means(record, cpu):
    def named(one):
        return {(t.arm, t.spec["N"], t.spec["repeat"]): t for t in one.trials + one.unfinished}

    here, there = named(cpu), named(record)
    apart, logs = {}, {}
    for arm in ("transformer", "ffn", "gru"):
        pairs = [(here[key].result, there[key].result) for key in here if key[0] == arm]
        assert len(pairs) == 25
        apart[arm] = [abs(b["checks"] - a["checks"]) for a, b in pairs]
        logs[arm] = [log(b["samples"] / a["samples"]) for a, b in pairs]
    assert [sum(map(bool, apart[arm])) for arm in apart] == [0, 25, 22]
    assert f"the farthest are {max(apart['ffn'])} and {max(apart['gru'])} evaluations apart" in PAGE
    (ffn, off), (gru, by) = ((fmean(logs[a]), stdev(logs[a]) / sqrt(25)) for a in ("ffn", "gru"))
    assert f"by {-ffn:.3f} for the feedforward network, standard error {off:.3f} over 25 pairs" in PAGE
    assert f"by {-gru:.3f} for the GRU, {by:.3f}." in PAGE
    assert abs(ffn) < 2 * off
    assert abs(gru) < 2 * by


def test_the_trials_that_are_there_need_not_run_again(record, tmp_path):
    assert record.missing == {"gru": 30}
    with Store(tmp_path / "figure_01b.sqlite") as store:
        assert restore(FOLDER / "qstr", FIGURE, "corrected", store) == 65 + 30
        groups = FIGURE.groups("device", "corrected")
        whole = [group for group in groups if all(spec in store for spec in group)]
        assert (sum(map(len, whole)), sum(map(len, groups))) == (95, 100)  # no cell is there in part
    assert "95 of 100 trials" in PAGE
