"""Claims judged by several processes, a file at a time and the longest first; a lost process loses one claim.

The parent gives every worker one claim after the other from the file it has imported, and hands a finished file's
worker the next file; when no file is left, half of what the longest one still has.  A worker that dies takes only the
claim with it that it was judging, and that is tried once more, alone, at the end.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from theorytools.claims.papers.catalogue import Entry
from theorytools.interrupts import end_with_parent, unheard
from theorytools.progress import turn_aside

Job = tuple[Entry, Mapping[str, Any]]
Answer = tuple[Mapping[str, Any] | None, str]  # a verdict, or the text of the error that kept the claim from one
Judge = Callable[[Entry, Mapping[str, Any], Callable[[int, int], None] | None], Answer]
TYPICAL = 0.3  # processor seconds of a claim of which nothing is known
START = 1.0  # processor seconds that a process needs before it judges


def cores() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have no such call
        return os.cpu_count() or 1


def worth(jobs: Sequence[Job], hints: Mapping[str, float]) -> int:
    """Return how many processes pay: all cores, fewer where the claims take less than starting a process.

    Parameters
    ----------
    jobs : the claims to be judged.
    hints : seconds that claims took before, by id.
    """
    expected = sum(hints.get(entry.id, TYPICAL) for entry, _ in jobs)
    return max(1, min(cores(), len(jobs), int(expected / (2 * START))))


def batches(jobs: Sequence[Job], hints: Mapping[str, float]) -> list[deque[Job]]:
    """Return the jobs by file, for one import serves all of a file: the longest file first, in it the longest claim."""

    def cost(job: Job) -> float:
        return hints.get(job[0].id, TYPICAL)

    files: dict[Any, list[Job]] = {}
    for job in jobs:
        files.setdefault(job[0].path, []).append(job)
    made = [deque(sorted(batch, key=cost, reverse=True)) for batch in files.values()]
    return sorted(made, key=lambda batch: sum(map(cost, batch)), reverse=True)


@dataclass
class _Worker:
    process: Any
    line: Connection
    batch: deque[Job] = field(default_factory=deque)
    job: Job | None = None

    def begin(self) -> bool:
        """Send the next claim; False where the process is gone."""
        self.job = self.batch.popleft()
        try:
            self.line.send(self.job)
        except OSError:
            return False
        return True


def pooled(
    judge: Judge, jobs: Sequence[Job], processes: int, *, hints: Mapping[str, float] | None = None,
    progress: Callable[[Entry, int, int], None] | None = None,
) -> Iterator[tuple[Entry, Answer | None]]:  # fmt: skip
    """Yield an answer per job as it is decided; None for a claim whose process died twice.

    Parameters
    ----------
    judge : a function of a module, called in the workers.
    jobs : the claims, each with the axes that replace the grid's.
    processes : how many processes judge at once.
    hints : seconds that claims took before, by id; they order the work and change nothing else.
    progress : called here with (entry, done, total) after every point of a claim.
    """
    waiting, lost = deque(batches(jobs, hints or {})), list[Job]()
    workers: list[_Worker] = []
    try:
        while True:
            while len(workers) < processes and (waiting or any(w.batch for w in workers)):
                workers.append(_hired(judge))
            for worker in workers[:]:
                if worker.job is None and _supplied(worker, waiting, workers) and not worker.begin():
                    _bury(worker, workers, waiting, lost)
            if any(worker.job for worker in workers):
                yield from _heard(workers, waiting, lost, progress)
            elif not waiting:
                break
        for worker in workers:
            worker.line.close()  # the sign to end
        for worker in workers:
            worker.process.join()
    except BaseException:  # an interrupt does not wait for what may take hours
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.process.join(1)
        raise
    for job in lost:
        yield from pooled(judge, [job], 1, progress=progress) if len(jobs) > 1 else [(job[0], None)]


def _hired(judge: Judge) -> _Worker:
    """Start a process; ``spawn``, for a fork would copy whatever threads and locks this process has."""
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, judge))
    with unheard():
        process.start()
    there.close()
    return _Worker(process, here)


def _supplied(worker: _Worker, waiting: deque[deque[Job]], workers: Sequence[_Worker]) -> bool:
    """Whether the worker has a claim to judge, from its file, the next one, or what the longest one still has."""
    if not worker.batch and waiting:
        worker.batch = waiting.popleft()
    elif not worker.batch:
        richest = max((w.batch for w in workers), key=len)
        worker.batch = deque(richest.pop() for _ in range((len(richest) + 1) // 2))
    return bool(worker.batch)


def _heard(
    workers: list[_Worker], waiting: deque[deque[Job]], lost: list[Job],
    progress: Callable[[Entry, int, int], None] | None,
) -> Iterator[tuple[Entry, Answer]]:  # fmt: skip
    """Wait for a message and yield what was decided."""
    busy = {worker.line: worker for worker in workers if worker.job is not None}
    for line in wait(list(busy)):
        worker = busy[line]  # type: ignore[index]
        entry = worker.job[0]  # type: ignore[index]
        try:
            kind, content = worker.line.recv()
        except (EOFError, OSError):
            _bury(worker, workers, waiting, lost)
            continue
        if kind == "answer":
            worker.job = None
            yield entry, content
        elif progress is not None:
            progress(entry, *content)


def _bury(worker: _Worker, workers: list[_Worker], waiting: deque[deque[Job]], lost: list[Job]) -> None:
    """Take a dead process off the list: what it judged is lost, the rest of its file waits again."""
    lost += [worker.job] if worker.job is not None else []
    if worker.batch:
        waiting.appendleft(worker.batch)
    workers.remove(worker)
    worker.line.close()
    worker.process.join()


def _serve(line: Connection, judge: Judge) -> None:
    """In a worker: judge what comes until the parent closes its end or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # interrupts are the parent's
    sys.stdout = sys.stderr  # standard output is the verdicts', also for what C code prints
    turn_aside()
    end_with_parent()  # what is being judged for a killed parent may take hours
    try:
        while True:
            entry, at = line.recv()
            answer = judge(entry, at, lambda done, total: line.send(("step", (done, total))))
            line.send(("answer", answer))
    except (EOFError, OSError):
        return
