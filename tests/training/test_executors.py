"""The engines: what is lost is run again, and what is deadly is not run for ever."""

import multiprocessing
import os
import signal
import time
from concurrent.futures import BrokenExecutor

import pytest
import trials

from theorytools.errors import DomainError
from theorytools.training.trials.driver import drive
from theorytools.training.trials.executors import InProcess, executor
from theorytools.training.trials.pool import ProcessPool
from theorytools.training.trials.work import WorkerLost


# -- names -------------------------------------------------------------------------------------------------------------
def test_engines_have_names_and_tell_work_that_does_not_travel(processes):
    assert isinstance(executor("in-process"), InProcess)
    with executor("processes:3") as three, executor("processes") as all_cores:
        assert (three.width, all_cores.width) == (6, 2 * os.cpu_count())
    with pytest.raises(DomainError, match="top of a module"):
        processes.submit(lambda: 1)
    with pytest.raises(RuntimeError, match="Local: only here"):
        processes.submit(trials.unreadable).result()
    with pytest.raises((TypeError, AttributeError), match="pickle"):
        processes.submit(open, os.devnull).result()


@pytest.mark.parametrize(
    ("name", "advice"),
    [("inprocess", "in-process"), ("process:2", "processes"), ("processes:0", "processes"), ("Dask", "dask"),
     ("processes:-1", "processes"), ("processes:٣", "processes"), ("dask://host", "dask"), ("", "if in doubt"),
     ("dask://host:99999", "dask"), ("daks://host:1", "dask"), ("ray", "if in doubt")],
)  # fmt: skip
def test_a_misspelt_engine_is_an_error_with_a_proposal(name, advice):
    with pytest.raises(DomainError, match=f"try: .*{advice}"):
        executor(name)


# -- engines -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("engine", ["in-process", "processes"])
def test_a_result_or_an_error_comes_back(engine, processes):
    engine = InProcess() if engine == "in-process" else processes
    assert engine.submit(divmod, 17, 5).result() == (3, 2)
    assert engine.submit(int, "11", base=2).result() == 3
    assert list(engine.map(abs, [-1, -2, -3])) == [1, 2, 3]
    with pytest.raises(ZeroDivisionError):
        engine.submit(divmod, 1, 0).result()


def test_workers_have_one_thread_and_the_driver_keeps_its_own(processes, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    with ProcessPool(1) as one:
        assert one.submit(trials.square, {"i": 3}).result() == {"square": 9, "threads": "1"}
    assert os.environ["OMP_NUM_THREADS"] == "7"


def pids():
    return [child.pid for child in multiprocessing.active_children()]


def test_a_dead_worker_is_replaced_and_only_its_work_begins_again(processes, tmp_path):
    mark = tmp_path / "mark"
    work = [{"i": i, "mark": str(mark)} for i in (0, 1, 2, 4)]
    assert [f.result()["i"] for f in [processes.submit(trials.deadly, spec) for spec in work]] == [0, 1, 2, 4]
    assert int(mark.read_text(encoding="ascii")) not in pids()


def test_dead_idle_workers_are_replaced_and_deadly_work_given_up(processes):
    for _ in range(2):
        for worker in {processes.submit(trials.pid, {}).result(), *pids()}:
            os.kill(worker, signal.SIGKILL)
    assert processes.submit(divmod, 17, 5).result() == (3, 2)
    with ProcessPool(1, deaths=2) as one:
        with pytest.raises(WorkerLost, match="killed 2 workers, the last by signal 9"):
            one.submit(trials.deadly, {"i": 3}).result()
        assert one.submit(divmod, 17, 5).result() == (3, 2)


def test_a_pool_whose_workers_never_start_says_so(monkeypatch, store):
    monkeypatch.setattr("theorytools.training.trials.pool._begin", os.abort)
    with ProcessPool(1, stillborn=2) as one:
        with pytest.raises(BrokenExecutor, match="2 workers in a row died before they were ready"):
            one.submit(divmod, 1, 1).result()
        with pytest.raises(BrokenExecutor, match="before they were ready"):  # the fault of no trial: none is failed
            drive([{"i": 0}, {"i": 5}], trials.cases, store, one)
    assert len(store) == 0
    with pytest.raises(RuntimeError, match="shutdown"):
        one.submit(divmod, 1, 1)


def test_an_error_in_the_block_ends_the_pool_at_once():
    began = time.monotonic()
    with pytest.raises(KeyError), ProcessPool(1) as one:  # noqa: PT012
        futures = [one.submit(trials.slow, {}) for _ in range(3)]
        while not futures[0].running():
            time.sleep(0.01)
        raise KeyError
    assert time.monotonic() - began < 30  # the work sleeps for 60 s
    assert isinstance(futures[0].exception(), BrokenExecutor)
    assert [f.cancelled() for f in futures] == [False, True, True]


@pytest.mark.parametrize(("workers", "deaths"), [(0, 1), (1, 0)])
def test_a_pool_has_a_worker(workers, deaths):
    with pytest.raises(DomainError, match="at least 1"):
        ProcessPool(workers, deaths=deaths)
