"""A pool of processes that outlives its workers: a dead one is replaced and its work begun again.

One piece of work and one worker, as the thread that looks after a pool sees them.
"""

from __future__ import annotations

import atexit
import itertools
import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any

from theorytools.arguments.checked import PositiveInt, at_most, checked
from theorytools.errors import DomainError
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


DEATHS = 3  # a submission that has killed this many workers is not tried again
STILLBORN = 20  # workers in a row that may die before they are ready: then the fault is not in the work


@checked
class ProcessPool(Executor):
    """Processes of this machine, started afresh (never forked), one thread each, one submission at a time.

    A worker that dies is replaced, and the submission it ran begins again; only that one, since each worker has its
    own pipe.  A submission that killed ``deaths`` workers after it had begun ends with :class:`WorkerLost`.
    Workers die with the driver.  They are daemons: a trial cannot start processes of its own.

    Parameters
    ----------
    workers : how many; the number of cores if None.
    deaths : how many workers one submission may kill.
    stillborn : how many workers in a row may die before they are ready; then the pool ends, with an error for all
        that is under way.

    Raises
    ------
    DomainError : for numbers below one.

    Examples
    --------
    >>> with ProcessPool(1) as pool:
    ...     pool.submit(pow, 2, 10).result()
    1024
    """

    @at_most(workers=9999)
    def __init__(
        self, workers: PositiveInt | None = None, *, deaths: PositiveInt = DEATHS, stillborn: PositiveInt = STILLBORN
    ) -> None:
        count = os.cpu_count() or 1 if workers is None else workers
        if min(count, deaths, stillborn) < 1:
            raise DomainError(
                f"workers={workers}, deaths={deaths}, stillborn={stillborn}", required="at least 1 of each"
            )
        self.processes = count
        self.width = 2 * count  # so that no worker waits while the driver writes
        self._count, self._deaths, self._most_stillborn, self._stillborn = count, deaths, stillborn, 0
        self._context = multiprocessing.get_context("spawn")
        self._numbers, self._lock = itertools.count(1), threading.Lock()
        self._queue: deque[Job] = deque()
        self._workers: list[Worker] = []
        self._bell, self._ear = self._context.Pipe()  # wakes the thread that looks after the workers
        self._closed, self._killed = False, False
        self._broken: BaseException | None = None
        self._thread = threading.Thread(target=self._look_after, daemon=True, name="theorytools-pool")
        self._thread.start()
        atexit.register(self._abandon)

    # -- what callers see ----------------------------------------------------------------------
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Queue a call; function and arguments travel pickled, so the function stands at the top of a module.

        Raises
        ------
        DomainError : if they cannot be pickled.
        """
        return self._put(None, fn, args, kwargs)

    def stream(self, emit: Callable[[Any], None], fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Queue a call of a generator; ``emit`` is called with each item, in a thread of this process.

        Work that begins again after a death gives its first items again.
        """
        return self._put(emit, fn, args, {})

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Finish what is queued, or drop it; then end the workers."""
        with self._lock:
            self._closed = True
            dropped = [job for job in self._queue if cancel_futures and not job.started]
            for job in dropped:
                self._queue.remove(job)
        for job in dropped:
            job.future.cancel()
        self._ring()
        if wait:
            self._thread.join()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._killed = kind is not None  # what runs is not waited for: its result has no one to take it
        self.shutdown(wait=True, cancel_futures=kind is not None)

    def pids(self) -> list[int]:
        """Return the process ids of the workers that live now."""
        alive = [worker.process.pid for worker in list(self._workers) if worker.process.is_alive()]
        return [pid for pid in alive if pid is not None]

    # -- the thread ----------------------------------------------------------------------
    def _put(self, emit: Any, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Future[Any]:
        try:
            packed = pickle.dumps((fn, args, kwargs))
        except Exception as error:
            raise DomainError(
                f"work that cannot be sent to another process ({error})",
                required="a function at the top of a module, or 'package.module:function', and plain arguments",
                why="a worker is a process of its own",
                advice="no lambda and no function inside a function; or the in-process engine",
            ) from error
        with self._lock:
            if self._closed or self._broken:
                raise RuntimeError("this pool is shut down") from self._broken
            job = Job(next(self._numbers), packed, emit)
            self._queue.append(job)
        self._ring()
        return job.future

    def _ring(self) -> None:
        with suppress(OSError):
            self._bell.send_bytes(b"!")

    def _look_after(self) -> None:
        if hasattr(signal, "pthread_sigmask"):  # processes inherit it: an interruption is the driver's alone
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            while self._hand_out():
                pipes: dict[Any, Worker] = {w.pipe: w for w in self._workers}
                dead: dict[Any, Worker] = {w.process.sentinel: w for w in self._workers}
                ready = connection.wait([self._ear, *pipes, *dead])
                while self._ear.poll():
                    self._ear.recv_bytes()
                for worker in [w for w in self._workers if w.pipe in ready or w.process.sentinel in ready]:
                    if not worker.listen():
                        self._bury(worker)
        except BaseException as error:
            self._broken = error
        finally:
            self._end()

    def _hand_out(self) -> bool:
        """Give every idle worker something to do; False when all is over."""
        with self._lock:
            busy = sum(worker.job is not None for worker in self._workers)
            if self._killed or (self._closed and not self._queue and not busy):
                return False
            wanted = min(self._count, busy + len(self._queue))
        for _ in range(wanted - len(self._workers)):
            self._workers.append(Worker(self._context))
        for worker in [w for w in self._workers if w.job is None]:
            if (job := self._next()) is not None:
                worker.give(job)
        return True

    def _next(self) -> Job | None:
        with self._lock:
            while self._queue:
                if (job := self._queue.popleft()).starts():
                    return job
        return None

    def _bury(self, worker: Worker) -> None:
        self._workers.remove(worker)
        self._stillborn = 0 if worker.ready else self._stillborn + 1
        job = worker.buried()
        if job is not None and job.deaths < self._deaths:
            with self._lock:
                self._queue.appendleft(job)
        elif job is not None:
            job.future.set_exception(lost(job.deaths, worker.process.exitcode))
        if self._stillborn >= self._most_stillborn:
            raise BrokenExecutor(f"{self._stillborn} workers in a row died before they were ready")

    def _abandon(self) -> None:
        """At the end of the program: nobody waits any more."""
        self._killed = True
        self.shutdown(wait=True, cancel_futures=True)

    def _end(self) -> None:
        """End the workers and leave no future open."""
        with self._lock:
            self._closed = True
            left = [w.job for w in self._workers if w.job is not None] + [j for j in self._queue if j.starts()]
            self._queue.clear()
        for worker in self._workers:
            worker.end()
        for job in left:
            ended = BrokenExecutor("the pool was ended while this work was under way")
            ended.__cause__ = self._broken
            job.future.set_exception(ended)
        self._workers.clear()
        self._bell.close()
        self._ear.close()
        atexit.unregister(self._abandon)
