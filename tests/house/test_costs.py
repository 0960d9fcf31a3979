"""What the lines of .ci/run cost is counted whole, kept, and held against the budget; a cold verify is one of them."""

import importlib.util
import json
import subprocess
import sys

import pytest
from source_tree import ROOT

from theorytools.cli.diff import differences, verdicts_of

PROGRAM = ROOT / ".ci" / "cost.py"
spec = importlib.util.spec_from_file_location("cost", PROGRAM)
cost = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cost)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv(cost.FILE, str(tmp_path / "build" / "costs.json"))
    return tmp_path / "build" / "costs.json"


def test_what_the_processes_of_a_process_use_is_counted_and_its_exit_code_is_told(kept, capfd):
    burn = "import time\nwhile time.process_time() < .3: pass"
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}]); sys.exit(3)"
    assert cost.main(["one", "--", sys.executable, "-c", nested]) == 3
    assert cost.main(["two", "--", sys.executable, "-c", ""]) == 0
    costs = json.loads(kept.read_text("utf-8"))
    assert list(costs) == ["one", "two"]
    assert costs["one"]["seconds"] >= 0.3 > costs["two"]["seconds"] > 0
    assert costs["one"]["units"] > costs["two"]["units"]
    assert capfd.readouterr().out.startswith("one: ")


def test_a_line_above_its_budget_or_without_a_cost_fails(kept, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(cost, "BUDGET", tmp_path / "budget.json")
    cost.BUDGET.write_text(json.dumps({"a": 100, "b": 10}), "utf-8")
    cost.keep("a", 24.0, 150)
    assert cost.main(["--check"]) == 1  # b was not measured
    assert "not measured: b" in capsys.readouterr().err
    cost.keep("b", 2.4, 15.1)
    assert cost.main(["--check"]) == 1
    assert "measured: b;" in capsys.readouterr().err
    cost.keep("b", 2.4, 15)
    assert cost.main(["--check"]) == 0
    assert "24 s of processor time, 150 units of 0.160 s, 1.50 of its budget of 100" in capsys.readouterr().out
    assert cost.main(["a", "b"]) == cost.main([]) == 2


def test_every_line_of_the_run_has_a_budget():
    run = (ROOT / ".ci" / "run").read_text("utf-8")
    timed = {line.split('"')[1] for line in run.splitlines() if "cost.py" in line and " -- " in line}
    assert {*timed, COLD} == set(json.loads(cost.BUDGET.read_text("utf-8")))


COLD = "cold verify"


@pytest.mark.slow
@pytest.mark.timeout(2400)
def test_a_cold_verify_finds_what_was_recorded_on_and_beside_every_grid(tmp_path):
    """The default run judges on the grids alone; here every claim is searched beside its grid, too."""
    unit, before = cost.unit(), cost.spent()
    command = [sys.executable, "-m", "theorytools", "verify", "--report", str(tmp_path / "site"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    seconds = cost.spent() - before
    cost.keep(COLD, seconds, seconds / ((unit + cost.unit()) / 2))
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["exit"], answer["errors"]) == (0, 0, {}), done.stderr[-2000:]
    committed, found = verdicts_of(ROOT / "reports"), verdicts_of(tmp_path / "site")
    assert found.keys() == committed.keys()
    assert {id for id in found if found[id]["searched"] != committed[id]["searched"]} == set()
    assert not list(differences(committed, found))
    assert (tmp_path / "site" / "index.html").is_file()
