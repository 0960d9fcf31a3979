"""A dask cluster on this machine, and the page on clusters."""

import importlib
import os
import re
import signal
import sys
from concurrent.futures import CancelledError
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest
from source_tree import ROOT

import theorytools
from theorytools import DomainError, Store
from theorytools.training.sweep import run_group, sweeps
from theorytools.training.trials.driver import Summary, drive, drive_groups
from theorytools.training.trials.executors import DaskExecutor, InProcess, dask_executor, executor
from theorytools.training.trials.work import WorkerLost

PAGE = ROOT / "docs" / "cluster.md"


@pytest.mark.slow
def test_a_dask_cluster_survives_a_worker_and_gives_up_a_deadly_trial(store):
    pytest.importorskip("distributed", reason="needs theorytools[cluster]")
    with dask_executor(workers=2, deaths=2) as cluster:
        workers = list(cluster.client.run(os.getpid).values())
        said = []

        def kill_one(row):
            said.append(row.key)
            if len(said) == 5:
                os.kill(workers[0], signal.SIGKILL)

        specs = [{"i": i, "mark": os.devnull, "seconds": 0.01} for i in range(40)]
        assert drive(specs, "trials:slow", store, cluster, on_result=kill_one) == Summary(40, 0, done=40)
        summary = drive([{**spec, "again": 1} for spec in specs[:5]], "trials:deadly", store, cluster)
        assert (summary.done, summary.failed) == (4, 1)
        assert "2 dead workers" in next(iter(summary.reasons))
        summary = drive_groups([[{"g": g, "i": i} for i in range(2)] for g in range(3)], "trials:group", store, cluster)
        assert summary.done == 6


@pytest.mark.slow
def test_a_real_sweep_whose_workers_die_ends_with_the_table_of_a_serial_run(tmp_path):
    pytest.importorskip("distributed", reason="needs theorytools[cluster]")
    (one,) = sweeps("two_step", None)
    groups, runner = one.groups("smoke", "corrected"), partial(run_group, one.running, device="cpu")
    with Store(tmp_path / "serial.sqlite") as serial, Store(tmp_path / "cluster.sqlite") as ours:
        drive_groups(groups, runner, serial)
        with dask_executor(workers=4, deaths=20) as cluster:  # the killer is not the work
            killed, heard = [], []

            def kill_one(row):  # after every third trial that comes back, whichever worker it is
                heard.append(row.key)
                alive = list(cluster.client.run(os.getpid, on_error="ignore").values())
                if len(heard) % 3 == 0 and alive:
                    killed.append(alive[0])
                    os.kill(alive[0], signal.SIGKILL)

            summary = drive_groups(groups, runner, ours, cluster, on_result=kill_one)
        assert len(killed) >= 3
        assert summary.failed == 0
        assert [(row.spec, row.status, row.result) for row in ours.rows()] == [
            (row.spec, row.status, row.result) for row in serial.rows()
        ]


class Answered:
    """A dask future that is done at once; the first ones say that somebody cancelled them."""

    def __init__(self, cancelled, value):
        self.gone, self.value = cancelled, value

    def result(self):
        if self.gone:
            raise CancelledError("cancelled for reason: unknown")
        return self.value

    def add_done_callback(self, call):
        call(self)

    def cancel(self):
        self.gone = True


class Forgetful:
    """A client that loses the first answers with the workers that had them."""

    status = "running"

    def __init__(self, loses):
        self.loses, self.asked = loses, 0

    def submit(self, function, *arguments, pure):
        self.asked += 1
        return Answered(self.asked <= self.loses, function(*arguments))


@pytest.mark.parametrize("loses", range(4))
def test_an_answer_lost_with_its_worker_is_asked_for_again(loses):
    pytest.importorskip("distributed", reason="needs theorytools[cluster]")
    client = Forgetful(loses)
    future = DaskExecutor(client, ()).submit(max, 2, 3)
    if loses < 3:
        assert (future.result(), client.asked) == (3, loses + 1)
    else:
        with pytest.raises(WorkerLost, match="lost with its worker, 3 times"):
            future.result()
        assert client.asked == 3


def test_a_client_that_is_closed_is_not_asked_again():
    pytest.importorskip("distributed", reason="needs theorytools[cluster]")
    client = Forgetful(1)
    client.status = "closed"
    assert DaskExecutor(client, ()).submit(max, 2, 3).cancelled()
    assert client.asked == 1


def test_dask_without_distributed_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(DomainError, match=r"theorytools\[cluster\]"):
        executor("dask")


def test_an_address_without_a_scheduler_is_an_error(monkeypatch):
    pytest.importorskip("distributed", reason="needs theorytools[cluster]")

    def no_answer(address, timeout):
        raise OSError(f"Timed out trying to connect to {address}")

    monkeypatch.setattr("distributed.Client", no_answer)
    with pytest.raises(DomainError, match="tcp://nowhere:8786"):
        executor("dask://nowhere:8786")


class Cluster:
    """Takes what SLURMCluster takes, and starts nothing."""

    def __init__(self, **settings):
        self.settings = settings

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def scale(self, jobs):
        assert jobs >= 1


def test_the_script_on_the_page_runs(tmp_path, monkeypatch, capsys):
    """As printed, on eight of its trials; only Slurm is missing, and the disk of the node is a folder of the test."""
    trial, script = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "least_squares.py").write_text(trial)
    script = script.replace('Path("/var/tmp")', f"Path({str(tmp_path)!r})").replace("range(100)", "range(2)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    slurm = ModuleType("dask_jobqueue")
    slurm.SLURMCluster = Cluster
    monkeypatch.setitem(sys.modules, "dask_jobqueue", slurm)
    monkeypatch.setattr(theorytools, "dask_executor", lambda cluster: InProcess())
    exec(compile(script, "sweep.py", "exec"), {"__name__": "__main__"})
    assert "asked=8, before=0, done=8" in capsys.readouterr().out
    rows = Path("least_squares.csv").read_text().splitlines()
    assert len(rows) == 9
    assert importlib.import_module("least_squares").run({"n": 32, "d": 16, "noise": 0.0, "seed": 0})["excess"] < 1e-20
