"""One piece of work and one worker, as the thread that looks after a pool sees them."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any

from theorytools.training.trials.pool_worker import BEGUN, DONE, ERROR, ITEM, READY, serve
from theorytools.training.trials.provenance import ONE_THREAD
from theorytools.training.trials.work import WorkerLost


@dataclass(eq=False)
class Job:
    """A call on its way: packed, with its future, and the workers that died of it."""

    number: int
    packed: bytes
    emit: Callable[[Any], None] | None
    future: Future[Any] = field(default_factory=Future)
    deaths: int = 0
    started: bool = False

    def starts(self) -> bool:
        """Return whether it may be handed out: False if its caller took it back before."""
        if not self.started:
            self.started = self.future.set_running_or_notify_cancel()
        return self.started


class Worker:
    """A process, the pipe to it, and what it was given.

    The process finds one thread for every numerical library in its environment before it imports anything.
    """

    def __init__(self, context: SpawnContext) -> None:
        self.pipe: Connection
        self.pipe, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(target=serve, args=(theirs,), daemon=True)
        with environment(ONE_THREAD):
            self.process.start()
        theirs.close()
        self.ready, self.begun = False, False
        self.job: Job | None = None

    def give(self, job: Job) -> None:
        """Hand out a job; a worker that died meanwhile is found by its sentinel."""
        self.job, self.begun = job, False
        with suppress(OSError):
            self.pipe.send((job.number, job.packed))

    def listen(self) -> bool:
        """Take in all that the worker has said; False if it is dead and has nothing more to say."""
        alive = self.process.is_alive()  # asked first: what it said before it died is still in the pipe
        try:
            while self.pipe.poll():
                self._take(self.pipe.recv_bytes())
        except (EOFError, OSError):
            return False
        return alive

    def _take(self, packed: bytes) -> None:
        job = self.job
        try:
            kind, _, value = pickle.loads(packed)
        except Exception as error:  # what came back cannot be read here
            kind, value = ERROR, error
        if kind == READY:
            self.ready = True
        elif kind == BEGUN:
            self.begun = True
        elif kind == ITEM and job is not None and job.emit is not None:
            job.emit(value)
        elif kind in (DONE, ERROR) and job is not None:
            self.job = None
            job.future.set_result(value) if kind == DONE else job.future.set_exception(value)

    def buried(self) -> Job | None:
        """Take leave of a dead worker; return the job it leaves, which is guilty only if it had begun."""
        self.process.join()
        self.pipe.close()
        job, self.job = self.job, None
        if job is not None and self.begun:
            job.deaths += 1
        return job

    def end(self) -> None:
        """Let an idle worker go, and kill one whose result nobody wants."""
        if self.job is not None:
            self.process.kill()
        self.pipe.close()
        self.process.join(5.0)
        self.process.kill()
        self.process.join()


def lost(deaths: int, code: int | None) -> WorkerLost:
    """Return the error for work that killed its workers."""
    how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
    return WorkerLost(
        f"work that killed {deaths} workers, the last by {how}",
        required="a worker that lives",
        why="the same work is not begun for ever",
        advice="signal 9 is often the machine's answer to too much memory; try fewer workers",
    )


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Variables that a process started inside finds before it imports anything."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
