"""Run claims: one after another or in processes; each verdict is handed over as soon as it is decided."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any

from theorytools.claims.catalogue import Catalogue, Entry, find_roots
from theorytools.claims.document import document
from theorytools.claims.grid import axis_text
from theorytools.claims.judge import judge
from theorytools.claims.limits import TIERS
from theorytools.claims.loading import broken, load
from theorytools.claims.moves import axis_choices, move
from theorytools.claims.verdict import Outcome, Verdict
from theorytools.errors import CheckError, DomainError, MissingPackageError, TheoryError


@dataclass(frozen=True)
class Result:
    """What came of one entry: the verdict as JSON data, or the error that kept it from having one."""

    entry: Entry
    verdict: Mapping[str, Any] | None = None
    error: str = ""


def judge_entry(
    entry: Entry, at: Mapping[str, Any] | None = None, *, tier: str = "hours", progress: Any = None
) -> Verdict:
    """Return the verdict of one entry; a claim of a slower tier than ``tier`` is judged from its record.

    ``at`` replaces the axes it names in every point of the grid, by one value or by each of a list.  A mistake in
    the check file is a ``CheckError``, whatever it raises; a certificate that could not be made leaves the claim
    UNDECIDED.
    """
    catalogue = Catalogue(entry.root)
    claim = load(entry)
    shown = {name: ",".join(map(axis_text, axis_choices(name, value))) for name, value in (at or {}).items()}
    described = document(claim, entry, catalogue, shown)
    points = None if not at else move(claim, entry.id, at)
    try:
        if TIERS.index(claim.tier) > TIERS.index(tier) and not at:
            from theorytools.claims.records import judge_record

            return judge_record(claim, entry, described)
        return judge(claim, entry.id, points, document=described, progress=progress)
    except CheckError:
        raise
    except TheoryError as error:
        own = isinstance(error, DomainError) and not at  # the claim's own grid: nobody else chose these values
        if own or isinstance(error, MissingPackageError):
            raise broken(entry.path, error) from error
        reason = f"{type(error).__name__}: {'; '.join(str(error).splitlines())}"
        return Verdict(entry.id, claim.label, Outcome.UNDECIDED, claim.expect, False, None, reason,
                       user_points=bool(at), alpha_claim=claim.budget.alpha, document=described)  # fmt: skip
    except (Exception, SystemExit) as error:
        raise broken(entry.path, error, shown) from error


def concerned(entries: Sequence[Entry], at: Mapping[str, Any]) -> list[tuple[Entry, dict[str, Any]]]:
    """Return the entries that have some of the given axes, each with its part.

    An entry that does not load is returned too, so that its error is reported beside the other verdicts.

    Raises
    ------
    DomainError
        For a letter that no claim has, and for a value that its axis cannot take.
    """
    parts = []
    unused, names = set(at), set()
    for entry in entries:
        try:
            claim = load(entry)
        except CheckError:
            parts.append((entry, dict(at)))
            continue
        names |= set(claim.grid.axes)
        mine = {name: value for name, value in at.items() if name in claim.grid.axes}
        unused -= set(mine)
        if mine:
            move(claim, entry.id, mine)
            parts.append((entry, mine))
    if unused and names:
        raise DomainError(
            f"the letter {', '.join(sorted(unused))}",
            required=f"an axis of the chosen claims: {', '.join(sorted(names))}",
            why="no chosen claim has it", advice="theorytools show ID lists the axes of a claim",
        )  # fmt: skip
    return parts


def _work(path: str, id: str, at: dict[str, Any], tier: str) -> tuple[str, Mapping[str, Any] | None, str]:
    """In a worker: ids and axes come in, JSON data goes out."""
    from theorytools.claims.catalogue import read_entries

    entry = next(e for e in read_entries(Path(path)) if e.id == id)
    try:
        return id, judge_entry(entry, at, tier=tier).to_json(), ""
    except TheoryError as error:
        return id, None, str(error)


def run(
    jobs: Sequence[tuple[Entry, Mapping[str, Any]]], *, tier: str = "seconds", processes: int = 1,
    progress: Callable[[Entry, int, int], None] | None = None, hints: Mapping[str, float] | None = None,
) -> Iterator[Result]:  # fmt: skip
    """Yield a result per job as it is decided; the verdicts do not depend on order or processes.

    ``hints`` are the seconds that claims took before: with several processes the longest begin first.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if processes <= 1 or len(jobs) <= 1:
        for entry, at in jobs:
            step = None if progress is None else (lambda done, total, entry=entry: progress(entry, done, total))
            try:
                yield Result(entry, judge_entry(entry, at, tier=tier, progress=step).to_json())
            except TheoryError as error:
                yield Result(entry, error=str(error))
        return
    longest = sorted(jobs, key=lambda job: -(hints or {}).get(job[0].id, 0.0))
    yield from _pooled(longest, tier, processes)


def _pooled(jobs: Sequence[tuple[Entry, Mapping[str, Any]]], tier: str, processes: int) -> Iterator[Result]:
    """Judge in processes; a claim that was lost with a dying process is tried once more, alone."""
    lost, others = [], set(active_children())
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_begin_work)
    try:
        waiting = {pool.submit(_work, str(entry.path), entry.id, dict(at), tier): (entry, at) for entry, at in jobs}
        for future in as_completed(waiting):
            entry, at = waiting[future]
            try:
                _, verdict, text = future.result()
            except BrokenProcessPool:
                lost.append((entry, at))
                continue
            yield Result(entry, verdict, text)
    except BaseException:  # an interrupt does not wait for what may take hours
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(active_children()) - others:
            process.terminate()
        raise
    pool.shutdown()
    for entry, at in lost:
        yield from _pooled([(entry, at)], tier, 1) if len(jobs) > 1 else [_died(entry)]


def _begin_work() -> None:
    """In a worker: leave interrupts to the parent, its standard output to the verdicts, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
    Thread(target=_die_with_parent, daemon=True).start()


def _die_with_parent() -> None:
    """Workers that wait for work hold each other's queue open: the end of a killed parent would not reach them."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _died(entry: Entry) -> Result:
    error = CheckError(
        f"{entry.id}, whose process died twice", required="a check that fits into memory and does not end Python",
        why="the verdict is made by that process", advice=f"theorytools verify {entry.id} runs it alone",
    )  # fmt: skip
    return Result(entry, error=str(error))


def verify(id: str, *, checks: str | Path | None = None, **at: Any) -> Verdict:
    """Return the verdict of one claim, at its grid or with the given axes replaced.

    Parameters
    ----------
    id : the claim's id, ``"qstr.lemma_11"``.
    checks : a folder of checks; the library's own unless given.
    at : a value for an axis, or a list of values: ``verify("qstr.lemma_11", N=[64, 128], q=4)`` judges the product of
        all lists with the other axes of the grid, in one verdict.

    Returns
    -------
    Verdict
        Ask ``verdict.ok`` or ``verdict.raise_unless_expected()``; a verdict has no truth value.  Points outside the
        hypotheses, and points that would exceed a limit of work, are listed in ``verdict.skipped`` with the reason;
        the outcome is that of the others.  With no other it is INAPPLICABLE, or UNDECIDED where a point stayed open.

    Raises
    ------
    DomainError
        For unknown ids and axes, and for a value that is no exact number or word of its axis (None, NaN, True).
    """
    if not isinstance(id, str):
        raise DomainError(
            f"the id {id!r} of type {type(id).__name__}", required="a claim's id as a text",
            why="ids are made of the paper, the file and the claim", advice='verify("qstr.lemma_11"); theorytools list',
        )  # fmt: skip
    chosen = Catalogue(find_roots(checks)).select([id])
    exact = [entry for entry in chosen if entry.id == id] or chosen
    if len(exact) > 1:
        raise DomainError(f"the id {id!r}", required="one claim", advice=" or ".join(entry.id for entry in exact))
    return judge_entry(replace(exact[0]), at)
