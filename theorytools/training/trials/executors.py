"""Engines that run trials: in this process, in processes of this machine, on a dask cluster.

All have the shape of :class:`concurrent.futures.Executor`.  The engine holds no truth: what it loses is run again.
An engine may have two more members that :func:`theorytools.training.trials.driver.drive` uses: ``width``, how many
submissions should be under way, and ``processes``, how many of them run on this machine at a time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import CancelledError, Executor, Future
from typing import Any

from theorytools.arguments.checked import PositiveInt, at_most, checked
from theorytools.errors import DomainError, did_you_mean
from theorytools.training.trials.pool import DEATHS, ProcessPool
from theorytools.training.trials.provenance import ONE_THREAD
from theorytools.training.trials.work import WorkerLost

NAMES = ("in-process", "processes", "dask")


@checked
class InProcess(Executor):
    """The calling process itself: a submission is finished when ``submit`` returns.

    Nothing is set: trials see the threads and the libraries of this process.

    Examples
    --------
    >>> with InProcess() as engine:
    ...     engine.submit(pow, 2, 10).result()
    1024
    """

    width = 1

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run the function now; its exception is kept in the future, an interruption is not."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class DaskExecutor(Executor):
    """A dask cluster; see :func:`dask_executor`."""

    width = 1024  # enough that a cluster that grows with its queue sees one

    def __init__(self, client: Any, owned: tuple[Any, ...]) -> None:
        self.client, self._owned = client, owned
        self.processes = len(owned[1].workers) if len(owned) > 1 else 1
        self._sent: dict[Future[Any], Any] = {}  # dask forgets work that nobody holds

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit to the cluster; dask runs the work again if a worker dies, up to its ``allowed-failures``.

        An answer that was ready on a worker that died before it was fetched is asked for again, as often as
        ``DEATHS`` says: dask calls such work cancelled, though nobody cancelled it.
        """
        ours: Future[Any] = Future()
        self._send(ours, lambda: self.client.submit(fn, *args, pure=False, **kwargs), lost=0)
        return ours

    def _send(self, ours: Future[Any], ask: Callable[[], Any], lost: int) -> None:
        from distributed.scheduler import KilledWorker

        theirs = self._sent[ours] = ask()

        def finish(done: Any) -> None:
            answer: Any = None
            error: BaseException | None = None
            try:
                answer = done.result()
            except CancelledError:
                if not ours.cancelled() and self.client.status == "running":
                    if lost + 1 < DEATHS:
                        self._send(ours, ask, lost + 1)
                        return
                    error = _lost(f"work whose answer was lost with its worker, {DEATHS} times")
                else:
                    ours.cancel()
            except KilledWorker as killed:
                error = _lost(f"work that ended with {killed.allowed_failures + 1} dead workers")
            except BaseException as raised:
                error = raised
            self._sent.pop(ours, None)
            if ours.set_running_or_notify_cancel():
                ours.set_result(answer) if error is None else ours.set_exception(error)

        ours.add_done_callback(lambda future: theirs.cancel() if future.cancelled() else None)
        theirs.add_done_callback(finish)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, and end it if it was started here."""
        waited = list(self._sent)
        if cancel_futures:
            self.client.cancel(list(self._sent.values()))
        elif wait:
            futures.wait(waited)
        for thing in self._owned:
            thing.close()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.shutdown(wait=kind is None, cancel_futures=kind is not None)


def _lost(what: str) -> WorkerLost:
    return WorkerLost(
        what, required="a worker that lives", why="the same work is not sent out for ever",
        advice="look at the memory it needs",
    )  # fmt: skip


@checked
@at_most(workers=9999)
def dask_executor(
    address: Any = None, *, workers: PositiveInt | None = None, deaths: PositiveInt = DEATHS
) -> DaskExecutor:
    """Return an engine on a dask cluster.

    Parameters
    ----------
    address : ``"tcp://host:8786"`` of a running scheduler, a cluster object such as ``SLURMCluster``, or None for one
        process per core of this machine, each with one thread.  A script that passes None starts processes, so its
        top level stands under ``if __name__ == "__main__":``.
    workers : how many processes, where they are started here.
    deaths : how many workers one submission may kill, where they are started here.  A running scheduler has its own
        settings: ``allowed-failures``, and ``worker-saturation``, which at 1.0 keeps dask from blaming the death of a
        worker on submissions that only waited there.

    Returns
    -------
    DaskExecutor : to be closed by the caller.

    Raises
    ------
    DomainError : if distributed is not installed, or no scheduler answers at the address.

    Examples
    --------
    >>> from distributed import LocalCluster
    >>> local = LocalCluster(n_workers=1, processes=False, dashboard_address=None)  # a cluster in this process
    >>> with local, dask_executor(local) as engine:
    ...     engine.submit(max, 2, 3).result()
    3
    """
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise DomainError(
            "a dask cluster, where distributed is not installed", required="dask.distributed",
            why="one machine needs it not", advice="pip install 'theorytools[cluster]'; or processes:4",
        ) from error  # fmt: skip
    if address is None:
        setting = {"distributed.scheduler.allowed-failures": deaths - 1, "distributed.scheduler.worker-saturation": 1.0}
        with dask.config.set(setting):
            cluster = LocalCluster(
                n_workers=workers or os.cpu_count(), threads_per_worker=1, processes=True, dashboard_address=None,
                silence_logs=50, env=ONE_THREAD,
            )  # fmt: skip
            client = Client(cluster)
        return DaskExecutor(client, (client, cluster))
    try:
        client = Client(address, timeout="10s")
    except (OSError, TimeoutError, TypeError, ValueError) as error:
        raise DomainError(
            f"the dask scheduler {address!r} ({error})", required="the address of a scheduler that runs",
            why="work is sent there", advice="dask://host:8786, as `dask scheduler` prints it",
        ) from error  # fmt: skip
    return DaskExecutor(client, (client,))


@checked
def executor(name: str) -> Executor:
    """Return the engine that a text names: ``in-process``, ``processes[:count]`` or ``dask[://host:port]``.

    Parameters
    ----------
    name : the text, with a number of processes or an address behind the colon where one is wanted.

    Returns
    -------
    Executor : to be closed by the caller.

    Raises
    ------
    DomainError : for any other text.

    Examples
    --------
    >>> executor("in-process").submit(max, 2, 3).result()
    3
    """
    if name == "in-process":
        return InProcess()
    if found := re.fullmatch(r"processes(?::([1-9]\d{0,3}))?", name, re.ASCII):
        return ProcessPool(int(found[1]) if found[1] else None)
    if found := re.fullmatch(r"dask(?:://([\w.-]+|\[[0-9a-fA-F:]+\]):(\d{1,5}))?", name, re.ASCII):
        if found[1] is None:
            return dask_executor()
        if int(found[2]) < 2**16:
            return dask_executor(f"tcp://{found[1]}:{found[2]}")
    raise DomainError(
        f"the engine {name!r}",
        required="in-process, processes, processes:4, dask, or dask://host:8786",
        why="it says where trials run",
        advice=did_you_mean(re.split(r"[:/]", name)[0], NAMES, "in-process, if in doubt"),
    )
