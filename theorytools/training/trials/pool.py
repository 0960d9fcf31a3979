"""Processes of this machine that work outlives: where a worker dies, the work it ran begins again in a new one.

Each worker is a ``concurrent.futures.ProcessPoolExecutor`` of one process, and a thread waits for it.  One executor of
several processes would not do: the death of one ends them all, and nobody learns whose work it died of.  That library
and ``loky`` 3.7 also leave the workers of a driver that was killed alive for ever (two of two, after 26 s), so ours
watch it.  A cluster of ``dask`` on one machine keeps the promise too: after 99 kills of workers, pools and drivers
nothing was lost, but 243 trials had begun again where here 50 had, and 400 trials of 1 to 8 ms took 7.2 s, here 1.5.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, parent_process, resource_tracker
from typing import Any

from theorytools.arguments.checked import PositiveInt, at_most, checked
from theorytools.errors import DomainError
from theorytools.training.trials.provenance import ONE_THREAD
from theorytools.training.trials.work import WorkerLost

DEATHS = 3  # a submission that has killed this many workers is not tried again
STILLBORN = 20  # workers in a row that may die before they are ready: then the fault is not in the work
STARTING = threading.Lock()  # the environment belongs to the whole process


# -- in the worker -------------------------------------------------------------------------------------------------
def _begin() -> None:
    """Leave interruptions to the driver, and die with it, also in the middle of a trial."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_the_driver, daemon=True).start()


def _die_with_the_driver() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _call(packed: bytes) -> bytes:
    """Return, packed, whether a call went well, and its value or its error.

    What cannot be read on the other side would end the executor as a death does: it is unpacked by the driver itself.
    """
    try:
        function, args, kwargs = pickle.loads(packed)
        return pickle.dumps((True, function(*args, **kwargs)))
    except Exception as error:
        try:
            pickle.loads(text := pickle.dumps((False, error)))
        except Exception:  # an error that does not survive the journey: what it says
            text = pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
        return text


# -- in the driver -------------------------------------------------------------------------------------------------
class Worker:
    """One process, which found one thread for every numerical library before it imported anything.

    Raises
    ------
    BrokenProcessPool : it died before it was ready.
    """

    def __init__(self) -> None:
        with STARTING, environment(ONE_THREAD):
            self.executor = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin)
            pid = self.executor.submit(os.getpid)  # the process starts here, not before
        number = pid.result()
        found = [child for child in multiprocessing.active_children() if child.pid == number]
        if not found:
            raise BrokenProcessPool("a worker that died when it was ready")
        self.process = found[0]

    def run(self, packed: bytes) -> Any:
        """Return the value of a packed call, or raise its error."""
        well, value = pickle.loads(self.executor.submit(_call, packed).result())
        if not well:
            raise value
        return value


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


def _deaf() -> None:
    """Block interruptions in a thread and, by inheritance, in the processes that it starts."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


@checked
class ProcessPool(Executor):
    """Processes of this machine, started afresh (never forked), one thread each, one submission at a time.

    A worker that dies is replaced, and the submission it ran begins again; only that one.  A submission that killed
    ``deaths`` workers ends with :class:`WorkerLost`.  Workers die with the driver.

    Parameters
    ----------
    workers : how many; the number of cores if None.
    deaths : how many workers one submission may kill.
    stillborn : how many workers in a row may die before they are ready; then submissions end with
        :class:`concurrent.futures.BrokenExecutor`.

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
        self._deaths, self._stillborn = deaths, stillborn
        resource_tracker.ensure_running()  # here, since it lets interruptions through in the thread that starts it
        self._threads = ThreadPoolExecutor(count, "theorytools-pool", _deaf)
        self._idle: list[Worker] = []
        self._workers: set[Worker] = set()
        self._lock, self._ended = threading.Lock(), False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Queue a call; function and arguments travel pickled, so the function stands at the top of a module.

        Raises
        ------
        DomainError : if they cannot be pickled.
        """
        try:
            packed = pickle.dumps((fn, args, kwargs))
        except Exception as error:
            raise DomainError(
                f"work that cannot be sent to another process ({error})",
                required="a function at the top of a module, or 'package.module:function', and plain arguments",
                why="a worker is a process of its own",
                advice="no lambda and no function inside a function; or the in-process engine",
            ) from error
        return self._threads.submit(self._lasting, packed)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Finish what is queued, or drop it; then end the workers."""
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
        if wait:
            for worker in self._workers:
                worker.executor.shutdown()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:  # what runs is not waited for: its result has no one to take it
            with self._lock:
                self._ended = True
                for worker in self._workers:
                    worker.process.kill()
        self.shutdown(wait=True, cancel_futures=kind is not None)

    def _lasting(self, packed: bytes) -> Any:
        """Run a call in a worker, and in another one where that dies of it."""
        for _ in range(self._deaths):
            worker = self._taken()
            try:
                return worker.run(packed)
            except BrokenProcessPool:
                worker.executor.shutdown()  # joins the process: its exit code is known from here on, not before
                if self._ended:
                    raise BrokenExecutor("the pool was ended while this work was under way") from None
            finally:
                with self._lock:
                    self._idle.append(worker)
        raise _lost(self._deaths, worker.process.exitcode)

    def _taken(self) -> Worker:
        """Take an idle worker that lives, or start one."""
        with self._lock:
            while self._idle:
                if (worker := self._idle.pop()).process.is_alive():
                    return worker
                self._workers.remove(worker)
        for _ in range(self._stillborn):
            try:
                worker = Worker()
            except BrokenProcessPool:
                continue
            with self._lock:
                self._workers.add(worker)
                if self._ended:
                    worker.process.kill()
            return worker
        raise BrokenExecutor(f"{self._stillborn} workers in a row died before they were ready")


def _lost(deaths: int, code: int | None) -> WorkerLost:
    how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
    return WorkerLost(
        f"work that killed {deaths} workers, the last by {how}",
        required="a worker that lives",
        why="the same work is not begun for ever",
        advice="signal 9 is often the machine's answer to too much memory; try fewer workers",
    )
