"""The driver: it runs what is missing, writes what comes back, and says why something failed."""

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import trials
from source_tree import SUPPORT

from theorytools import DomainError, Store
from theorytools.training.trials.driver import Summary, drive, drive_groups
from theorytools.training.trials.executors import InProcess
from theorytools.training.trials.pool import ProcessPool


class Moves(list):
    def __call__(self, *at):
        self.append(at)


def engines(processes):
    return [InProcess(), processes, ThreadPoolExecutor(2), None]


def test_engines_give_the_same_rows_and_a_second_run_does_nothing(processes, tmp_path):
    tables = []
    for number, engine in enumerate(engines(processes)):
        with Store(tmp_path / str(number)) as store:
            said, moved = [], Moves()
            specs = [{"i": i} for i in (3, 0, 1, 2, 4, 5, 0)]
            summary = drive(specs, trials.cases, store, engine, on_result=said.append, progress=moved)
            assert (summary.asked, summary.before, summary.done, summary.censored, summary.failed) == (6, 0, 2, 1, 3)
            assert moved == [(i, 6) for i in range(7)]
            assert {row.key for row in said} == {row.key for row in store.rows()}
            again = drive(specs, "trials:cases", store, engine, on_result=said.append)
            assert again == Summary(asked=6, before=6)
            assert len(said) == 6
            tables.append([(r.spec, r.status, r.result, r.reason) for r in store.rows()])
    assert tables[0] == tables[1] == tables[2] == tables[3]
    reasons = [row[3] for row in tables[0]]
    assert reasons[1:3] == ["the budget ended", "ValueError: no such width"]
    assert "nan" in reasons[3]
    assert "mapping" in reasons[4]


def test_a_row_says_where_it_comes_from(store, processes):
    drive([{"i": 1}], trials.cases, store, processes)
    about = store.get({"i": 1}).provenance
    assert about["versions"]["python"] == sys.version.split()[0]
    assert (about["threads"], about["device"]) == (1, "cpu")
    assert store.get({"i": 1}).seconds >= 0


def test_a_deadly_trial_fails_and_the_others_do_not(store, tmp_path):
    specs = [{"i": i, "mark": str(tmp_path / "mark")} for i in range(6)]
    with ProcessPool(2, deaths=2) as two:
        summary = drive(specs, trials.deadly, store, two)
    assert (summary.done, summary.failed) == (5, 1)
    assert store.get(specs[3]).reason == "WorkerLost: work that killed 2 workers, the last by signal 9"
    assert drive(specs, trials.cases, store).before == 6
    assert drive(specs[:4], trials.square, store, retry_failed=True).done == 1


@pytest.mark.parametrize("engine", ["in-process", "processes"])
def test_groups_are_acknowledged_trial_by_trial(engine, store, processes):
    what = {1: "fail", 2: "odd", 3: "silent"}
    groups = [[{"g": g, "i": i, "what": what.get(g, "") if i == 1 else ""} for i in range(3)] for g in range(5)]
    moved = Moves()
    engine = InProcess() if engine == "in-process" else processes
    summary = drive_groups(groups, trials.group, store, engine, progress=moved)
    assert (summary.asked, summary.done, summary.failed) == (15, 3 + 1 + 1 + 2 + 3, 2 + 2 + 1)
    assert len(moved) == 16
    assert store.get(groups[1][0]).reason == "ValueError: the stack is too high"
    assert "asked" in store.get(groups[2][0]).reason or "without a result" in store.get(groups[2][0]).reason
    assert store.get(groups[3][1]).reason == "the runner ended without a result for it"
    assert [store.get(spec).status for spec in groups[4]] == ["done"] * 3


def test_a_group_is_written_as_it_comes_and_run_whole_later(store):
    def cut(specs):
        yield specs[2], {"i": 2}
        assert store.get(specs[2]).result == {"i": 2}  # before the group goes on
        raise KeyboardInterrupt

    group = [{"i": 0}, {"i": 1, "what": "die"}, {"i": 2}]
    with pytest.raises(KeyboardInterrupt):
        drive_groups([group], cut, store)
    first = store.get(group[2])
    with ProcessPool(1, deaths=2) as one:  # what a lost worker had found goes with it; what is acknowledged stays
        summary = drive_groups([group], trials.group, store, one)
    assert (summary.before, summary.done, summary.failed) == (1, 0, 2)
    seen = []

    def whole(specs):
        seen.append(len(specs))
        for spec in specs:
            yield spec, {"another": "result"}

    assert drive_groups([group], whole, store, retry_failed=True).done == 2
    assert seen == [3]
    assert store.get(group[2]) == first
    with pytest.raises(DomainError, match="one group"):
        drive_groups([group, group[:1]], whole, store)


def test_a_trial_of_a_second_driver_is_not_run_again(store, tmp_path):
    ran = []

    def run(spec):
        ran.append(spec["i"])
        if spec["i"] == 0:
            with Store(store.path) as other:
                other.add({"i": 1}, {"i": 1})
        return {"i": spec["i"]}

    assert drive([{"i": 0}, {"i": 1}, {"i": 2}], run, store).done == 2
    assert ran == [0, 2]


@pytest.mark.parametrize("run", ["trials:squar", "trails:square", "trials", "trials:signal", 3])
def test_a_runner_that_is_not_there_is_an_error_and_no_row(run, store):
    with pytest.raises(DomainError, match="runner"):
        drive([{"i": 0}], run, store)
    assert len(store) == 0


def test_an_interruption_leaves_the_store_good(tmp_path):
    code = "import sys; sys.path.insert(0, sys.argv[1])\n"
    code += "from theorytools import Store, drive, executor\n"
    code += "with Store(sys.argv[2]) as store, executor('processes:1') as engine:\n"
    code += "    specs = [{'seconds': 0.0}, {'seconds': 60.0}, {'seconds': 61.0}]\n"
    code += "    drive(specs, 'trials:slow', store, engine, on_result=lambda row: print('one', flush=True))\n"
    path = tmp_path / "trials.sqlite"
    driver = subprocess.Popen(
        [sys.executable, "-c", code, str(SUPPORT), str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests may run where it is ignored
    )  # fmt: skip
    assert driver.stdout.readline() == b"one\n"
    driver.send_signal(signal.SIGINT)
    _, said = driver.communicate(timeout=30)  # the work sleeps for longer
    assert b"KeyboardInterrupt" in said
    with Store(path) as store:
        assert [row.spec for row in store.rows()] == [{"seconds": 0.0}]
        assert len(store.missing([{"seconds": 0.0}, {"seconds": 60.0}])) == 1
