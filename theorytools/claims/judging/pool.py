"""Claims judged by several processes, a file at a time and the longest first; a lost process loses one claim.

The parent gives every worker one claim after the other from the file it has imported, and hands a finished file's
worker the next file; when no file is left, half of what the longest one still has.  A worker that dies takes only the
claim with it that it was judging, and that is tried once more, alone, at the end.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from theorytools.claims.judging.watched import Watch
from theorytools.claims.papers.catalogue import Entry
from theorytools.errors import CheckError
from theorytools.interrupts import end_with_parent, unheard
from theorytools.progress import turn_aside

Job = tuple[Entry, Mapping[str, Any]]
Answer = tuple[Mapping[str, Any] | None, str]  # a verdict, or the text of the error that kept the claim from one
Judge = Callable[[Entry, Mapping[str, Any], Callable[[int, int], None] | None], Answer]
TYPICAL = 0.3  # processor seconds of a claim of which nothing is known
START = 1.0  # processor seconds that a process needs before it judges
GRACE = 5.0  # seconds that a worker may say nothing, beyond its limit: one that C code holds cannot say where it is


@dataclass(frozen=True)
class Said:
    """Whom the driver tells of claims while they are judged.

    Parameters
    ----------
    begun : called with a claim when its judging begins.
    where : called with (entry, seconds, where) of one that takes long, again and again.
    """

    begun: Callable[[Entry], None]
    where: Callable[[Entry, float, str], None]


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
    since: float | None = None  # when it was heard last; None while Python starts
    done: int = 0  # points of its claim

    def begin(self, limit: float | None) -> bool:
        """Send the next claim; False where the process is gone."""
        self.job, self.since, self.done = self.batch.popleft(), None, 0
        try:
            self.line.send((*self.job, limit))
        except OSError:
            return False
        return True

    def left(self, limit: float | None) -> float:
        """How many seconds are left until a worker that says nothing has to be ended."""
        return float("inf") if limit is None or self.since is None else self.since + limit + GRACE - time.monotonic()


def pooled(
    judge: Judge, jobs: Sequence[Job], processes: int, *, hints: Mapping[str, float] | None = None,
    progress: Callable[[Entry, int, int], None] | None = None, said: Said | None = None, limit: float | None = None,
) -> Iterator[tuple[Entry, Answer | None]]:  # fmt: skip
    """Yield an answer per job as it is decided; None for a claim whose process died twice.

    A claim that is given up takes its process with it: whatever it was doing, in Python or in C, has ended.

    Parameters
    ----------
    judge : a function of a module, called in the workers.
    jobs : the claims, each with the axes that replace the grid's.
    processes : how many processes judge at once.
    hints : seconds that claims took before, by id; they order the work and change nothing else.
    progress : called here with (entry, done, total) after every point of a claim.
    said : who is told what is being judged, and where a claim is that takes long.
    limit : seconds that one point of a claim may take; then it is given up.
    """
    waiting, lost = deque(batches(jobs, hints or {})), list[Job]()
    workers: list[_Worker] = []
    try:
        while True:
            while len(workers) < processes and (waiting or any(w.batch for w in workers)):
                workers.append(_hired(judge))
            for worker in workers[:]:
                if worker.job is None and _supplied(worker, waiting, workers):
                    if said is not None:
                        said.begun(worker.batch[0][0])
                    if not worker.begin(limit):
                        _bury(worker, workers, waiting, lost)
            if any(worker.job for worker in workers):
                yield from _heard(workers, waiting, lost, progress, said, limit)
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
        again = {"progress": progress, "said": said, "limit": limit}
        yield from pooled(judge, [job], 1, **again) if len(jobs) > 1 else [(job[0], None)]  # type: ignore[arg-type]


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
    progress: Callable[[Entry, int, int], None] | None, said: Said | None, limit: float | None,
) -> Iterator[tuple[Entry, Answer]]:  # fmt: skip
    """Wait for a message and yield what was decided, or given up."""
    busy = {worker.line: worker for worker in workers if worker.job is not None}
    left = min(worker.left(limit) for worker in busy.values())
    for line in wait(list(busy), None if left == float("inf") else max(0.0, left)):
        worker = busy[line]  # type: ignore[index]
        entry = worker.job[0]  # type: ignore[index]
        try:
            kind, content = worker.line.recv()
        except (EOFError, OSError):
            _bury(worker, workers, waiting, lost)
            continue
        worker.since = time.monotonic()
        if kind == "answer":
            worker.job = None
            yield entry, content
        elif kind == "late":
            yield _given_up(worker, workers, waiting, limit, content)
        elif kind == "where" and said is not None:
            said.where(entry, *content)
        elif kind == "step":
            worker.done = content[0]
            if progress is not None:
                progress(entry, *content)
    for worker in [one for one in workers if one.job is not None and one.left(limit) <= 0]:
        yield _given_up(worker, workers, waiting, limit, "")


def _given_up(
    worker: _Worker, workers: list[_Worker], waiting: deque[deque[Job]], limit: float | None, where: str
) -> tuple[Entry, Answer]:
    """End the process of a claim that takes too long; return the error with the point that was being judged."""
    entry, _ = worker.job  # type: ignore[misc]
    worker.process.kill()
    worker.job = None
    _bury(worker, workers, waiting, [])
    error = CheckError(
        f"{entry.id} {where}".rstrip(), required=f"a point that is judged within {limit:g} seconds (--limit)",
        why=f"it was given up after that time, points judged before: {worker.done}; other claims are not touched",
        advice="a loop there that ends, smaller sizes, or a longer --limit",
    )  # fmt: skip
    return entry, (None, str(error))


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
    sending = threading.Lock()

    def send(kind: str, content: Any) -> None:
        with sending:
            line.send((kind, content))

    try:
        while True:
            entry, at, limit = line.recv()
            send("answer", _served(judge, entry, at, limit, send))
    except (EOFError, OSError):
        return


def _served(
    judge: Judge, entry: Entry, at: Mapping[str, Any], limit: float | None, send: Callable[[str, Any], None]
) -> Answer:
    """Judge one claim while a watch beside it sends where it is."""

    def beside(kind: str, content: Any) -> None:
        with suppress(OSError):  # the parent is gone, and this process about to be
            send(kind, content)

    alive = partial(beside, "alive", None)
    with Watch(entry, lambda *content: beside("where", content), partial(beside, "late"), limit, alive):
        return judge(entry, at, lambda done, total: send("step", (done, total)))
