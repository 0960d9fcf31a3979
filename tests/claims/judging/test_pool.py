"""Claims judged by several processes: who gets what, and what a lost process loses."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from theorytools.claims.judging.pool import batches, cores, pooled, worth
from theorytools.claims.papers.catalogue import Entry


def entry(stem, name="claim"):
    id = f"p.{stem}" if name == "claim" else f"p.{stem}.{name}"
    return Entry(id, "p", stem, name, stem, Path(f"/checks/p/{stem}.py"))


def say(entry, at, progress):
    progress(1, 1)
    return {"id": entry.id, "pid": os.getpid(), **at}, ""


def die(entry, at, progress):
    """End the process at ``bad`` always, at ``once`` the first time."""
    mark = Path(at["folder"]) / entry.stem
    if entry.stem == "bad" or (entry.stem == "once" and not mark.exists()):
        mark.touch()
        os._exit(1)
    return {"id": entry.id}, ""


def shout(entry, at, progress):
    os.write(1, b"C speaks\n")
    print("Python speaks")
    return {"id": entry.id}, ""


def wait(entry, at, progress):
    (Path(at["folder"]) / str(os.getpid())).touch()
    time.sleep(60)


JOBS = [(entry(stem, name), {}) for stem in ("a", "b", "c") for name in ("claim", "other", "third")]


def test_files_stay_whole_the_longest_first_on_as_many_processes_as_pay():
    made = batches(JOBS, {"p.b.third": 5.0, "p.c": 2.0})
    assert [[e.id for e, _ in batch] for batch in made] == [
        ["p.b.third", "p.b", "p.b.other"], ["p.c", "p.c.other", "p.c.third"], ["p.a", "p.a.other", "p.a.third"],
    ]  # fmt: skip
    assert cores() >= 1
    assert worth([], {}) == worth(JOBS[:1], {"p.a": 1000.0}) == 1
    assert worth(JOBS, dict.fromkeys((e.id for e, _ in JOBS), 0.01)) == 1
    assert worth(JOBS, {"p.a": 1000.0}) == min(cores(), len(JOBS))


@pytest.mark.parametrize("processes", [2, 5])
def test_every_claim_is_judged_once(processes):
    steps = []
    found = list(pooled(say, JOBS, processes, progress=lambda e, done, total: steps.append((e.id, done, total))))
    assert Counter(e.id for e, _ in found) == Counter(e.id for e, _ in JOBS)
    assert all(answer == ({"id": e.id, "pid": answer[0]["pid"]}, "") for e, answer in found)
    assert sorted(steps) == sorted((e.id, 1, 1) for e, _ in JOBS)
    assert len({answer[0]["pid"] for _, answer in found}) <= processes


def test_a_dying_process_takes_one_claim_with_it_and_that_is_tried_once_more(tmp_path):
    at = {"folder": str(tmp_path)}
    jobs = [(entry(stem, name), at) for stem in ("bad", "once", "good") for name in ("claim", "other")]
    found = dict(pooled(die, jobs, 2))
    assert set(found) == {e for e, _ in jobs}
    assert {e.stem for e, answer in found.items() if answer is None} == {"bad"}


def test_what_a_worker_prints_is_no_answer_whoever_prints_it(capfd):
    assert len(list(pooled(shout, JOBS[:2], 1))) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.count("C speaks") == said.err.count("Python speaks") == 2


def test_leaving_early_ends_the_processes(tmp_path):
    before = time.monotonic()
    seen = pooled(wait, [(entry(stem), {"folder": str(tmp_path)}) for stem in ("a", "b")], 2, progress=None)
    with pytest.raises(TimeoutError):
        _interrupted(seen, tmp_path)
    assert time.monotonic() - before < 50
    for mark in tmp_path.iterdir():
        with pytest.raises(ProcessLookupError):
            os.kill(int(mark.name), 0)


def _interrupted(seen, folder):
    """Raise inside the wait for the processes, as an interrupt does, once both are at work."""

    def stop(*_):
        if len(list(folder.iterdir())) < 2:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
        else:
            raise TimeoutError

    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        next(seen)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


ASKED = """
import os
from theorytools import verify
from theorytools.claims.judging import run
seen, judge = [], run.judge
def spied(*args, **kwargs):
    import torch
    seen.append(torch.get_num_threads())
    return judge(*args, **kwargs)
run.judge = spied
def told():
    verify("stsq.fcn")
    import torch
    print(*seen, torch.get_num_threads(), os.environ.get("OMP_NUM_THREADS"))
told()  # torch comes with the check
seen.clear()
import torch
torch.set_num_threads(3)
told()  # torch was there
"""


def test_claims_are_judged_in_one_thread_and_the_caller_keeps_his():
    env = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", ASKED], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"1 {os.cpu_count()} None", "1 3 None"]
