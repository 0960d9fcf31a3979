"""The driver: submits the trials that the store misses, and writes what comes back.  It is the only one who writes.

Starting again is resuming.  Whatever dies, a trial that was acknowledged is not run again and not lost; one that was
under way is run again.  An interruption from the keyboard ends the run between two rows.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Annotated, Any

from theorytools.arguments.checked import BODY, checked
from theorytools.errors import DomainError
from theorytools.progress import shown
from theorytools.training.trials.executors import InProcess
from theorytools.training.trials.store import Store
from theorytools.training.trials.trial import CENSORED, DONE, FAILED, Result, trial_key
from theorytools.training.trials.trial_row import Row
from theorytools.training.trials.work import Answer, Runner, WorkerLost, perform, performed, resolve

Spec = Mapping[str, Any]
Progress = Callable[[int, int], None]


@checked
@dataclass(frozen=True)
class Summary:
    """What a run of the driver did.

    Parameters
    ----------
    asked : different trials that were asked for.
    before : those that were acknowledged before.
    done, censored, failed : those that were acknowledged by this run, by status.
    reasons : how often each reason for a failure was given, by this run.
    """

    asked: int
    before: int
    done: int = 0
    censored: int = 0
    failed: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)


@checked
def drive(
    specs: Iterable[Spec],
    run: Annotated[Runner, BODY],
    store: Store,
    executor: Executor | None = None,
    *,
    progress: Progress | None = None,
    on_result: Callable[[Row], None] | None = None,
    retry_failed: bool = False,
) -> Summary:
    r"""Run the trials that the store misses, and write each result as it comes.

    Parameters
    ----------
    specs : the trials; those that occur twice are one.
    run : ``run(spec)`` returns a mapping of names to values, or a :class:`theorytools.training.trials.trial.Result`; a
        function at the top of a module, or its name ``"package.module:function"``.  What it returns depends on
        ``spec`` only. Its exception makes the trial a failed one, with the reason.
    store : where results are and go.
    executor : any :class:`concurrent.futures.Executor`; this process if None.  It is left open.
    progress : called with ``(done, total)``; a bar with the remaining time on a terminal if None.
    on_result : called with each row after it is on the disk.
    retry_failed : forget the failed ones among ``specs`` first.

    Returns
    -------
    Summary : how many trials were run, found and failed.

    Raises
    ------
    DomainError : if the runner cannot be found or sent, or a second driver stored another result for the same trial.
    FolderError : if the store cannot be written.
    Exception : what the engine itself raises, such as a lost connection; what is acknowledged stays.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "trials.sqlite") as store:
    ...     first = drive([{"N": 4}, {"N": 8}], lambda spec: {"square": spec["N"] ** 2}, store)
    ...     again = drive([{"N": 4}, {"N": 8}, {"N": 9}], lambda spec: {"square": spec["N"] ** 2}, store)
    ...     print(first.done, again.before, again.done, store.get({"N": 9}).result)
    2 2 1 {'square': 81}
    """
    return _Drive(run, store, executor, False, on_result).over([[s] for s in specs], progress, retry_failed)


@checked
def drive_groups(
    groups: Iterable[Sequence[Spec]],
    run: Annotated[Runner, BODY],
    store: Store,
    executor: Executor | None = None,
    *,
    progress: Progress | None = None,
    on_result: Callable[[Row], None] | None = None,
    retry_failed: bool = False,
) -> Summary:
    """Run groups of trials that are computed together, such as networks trained as one stack.

    ``run(specs)`` yields pairs ``(spec, result)`` in any order; each is acknowledged as it comes, from another process
    when the group is over.  A group of which a trial is missing is run whole, because the last bits of a trial can
    depend on what it is computed with; what the store has of it already stays as it is.  If the runner raises, the
    trials without a result are failed; if its worker is lost for good, all of the group.  The other parameters and
    errors are those of :func:`drive`.
    """
    return _Drive(run, store, executor, True, on_result).over(groups, progress, retry_failed)


class _Drive:
    """One run: what is under way, and what came back."""

    def __init__(self, run: Runner, store: Store, executor: Executor | None, grouped: bool, on_result: Any) -> None:
        resolve(run)  # a misspelt runner is an error here, not a failure of every trial
        self.run, self.store, self.grouped, self.on_result = run, store, grouped, on_result
        self.executor = InProcess() if executor is None else executor
        self.width = int(getattr(self.executor, "width", 2 * (os.cpu_count() or 1)))
        self.news: SimpleQueue[Future[list[Answer]]] = SimpleQueue()  # filled from whichever thread
        self.under_way: dict[Future[list[Answer]], list[Spec]] = {}
        self.counts: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.wanted: dict[str, Spec] = {}  # not acknowledged yet

    def over(self, groups: Iterable[Sequence[Spec]], progress: Progress | None, retry_failed: bool) -> Summary:
        """Run all groups and return what was done."""
        keyed = [{trial_key(spec): spec for spec in group} for group in groups]
        asked = {key: spec for group in keyed for key, spec in group.items()}
        if self.grouped and sum(map(len, keyed)) != len(asked):
            raise DomainError(
                "groups that share a trial",
                required="every trial in one group",
                why="a trial is computed once, and its group is part of how",
            )
        if retry_failed:
            self.store.forget_failed(asked.values())
        self.wanted = {key: spec for key, spec in asked.items() if not self.store.has(key)}
        waiting: deque[list[Spec]] = deque()
        taken: set[str] = set()
        for group in keyed:
            if (group.keys() & self.wanted.keys()) - taken:
                waiting.append(list(group.values()))
                taken |= group.keys()
        before = len(asked) - len(self.wanted)
        bar: AbstractContextManager[Progress | None] = shown("trials") if progress is None else nullcontext(progress)
        with bar as moved:
            self._loop(waiting, len(asked), moved)
        return Summary(
            len(asked), before, self.counts[DONE], self.counts[CENSORED], self.counts[FAILED], dict(self.reasons)
        )

    def _loop(self, waiting: deque[list[Spec]], total: int, moved: Progress | None) -> None:
        self.moved: Callable[[], None] = lambda: None if moved is None else moved(total - len(self.wanted), total)
        self.moved()
        try:
            while waiting or self.under_way:
                while waiting and len(self.under_way) < self.width:
                    self._submit(waiting.popleft())
                if self.under_way:
                    self._hear(self.news.get())
        finally:
            for future in self.under_way:
                future.cancel()

    def _submit(self, group: list[Spec]) -> None:
        if all(self.store.has(trial_key(spec)) for spec in group):  # a second driver was here
            for spec in group:
                self.wanted.pop(trial_key(spec), None)
            self.moved()
            return
        if isinstance(self.executor, InProcess):  # no future between them: each answer is written as it comes
            for answer in perform(self.run, group, self.grouped):
                self._acknowledge(answer)
            return
        future = self.executor.submit(performed, self.run, group, self.grouped)
        self.under_way[future] = group
        future.add_done_callback(self.news.put)

    def _hear(self, future: Future[list[Answer]]) -> None:
        group = self.under_way.pop(future)
        error = future.exception()
        if isinstance(error, WorkerLost):
            lost = Result(status=FAILED, reason=f"WorkerLost: {error.given}")
            for spec in group:
                self._acknowledge(Answer(trial_key(spec), lost, {}, 0.0))
            return
        for answer in future.result():
            self._acknowledge(answer)

    def _acknowledge(self, answer: Answer) -> None:
        """Write a row, unless this run or an earlier one has it already; then say so."""
        spec = self.wanted.get(answer.key)
        if spec is None:
            return
        new = self.store.add(spec, answer.result, provenance=answer.provenance, seconds=answer.seconds)
        del self.wanted[answer.key]
        if new:
            self.counts[answer.result.status] += 1
            if answer.result.status == FAILED:
                self.reasons[answer.result.reason] += 1
            if self.on_result is not None:
                self.on_result(self.store.get(spec))
        self.moved()
