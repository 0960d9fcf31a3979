"""Of every verdict what the pages show of it: its section, its line of the index, the article on its failure.

A fragment is made once from the verdict without its times, kept in the report's folder, and drawn in several
processes where many are new.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import Any

from theorytools.interrupts import end_with_parent, unheard
from theorytools.reporting.cache import Cache
from theorytools.reporting.claim import Verdict, section
from theorytools.reporting.overview import Entry, entry, failure
from theorytools.reporting.plots import figure
from theorytools.reporting.rendering import fill

UNSHOWN = frozenset({"seconds", "cpu", "digest", "inputs", "check_files", "library_sha256"})  # no page shows these
FEW = 32  # sections that are drawn sooner than a process starts

Job = tuple[Verdict, str, bool, str]


@dataclass(frozen=True)
class Fragment:
    """What the pages show of one verdict; ``section`` and ``failure`` are HTML, empty where there is nothing."""

    entry: Entry
    section: str
    failure: str


def fragment(verdict: Verdict, page: str, folded: bool = False, told: str = "") -> Fragment:
    """Return what is shown of a verdict that stands on this page, folded away or not, its text said before or not."""
    failing = failure(verdict, page)
    compact = verdict.get("compact")
    shown = None if compact else section(verdict, figure=figure(verdict), folded=folded, told=told)
    body = fill("claim", claim=shown) if shown else ""
    return Fragment(entry(verdict, page), body, fill("failure", failure=failing) if failing else "")


def fragments(jobs: Iterable[Job], cache: Cache, *, processes: int = 1) -> list[Fragment]:
    """Return the fragments of all verdicts with their pages, in order; those not kept are drawn.

    Parameters
    ----------
    jobs
        verdicts, the paths of their pages, whether the page folds them away, and the claim that has said
        their text.
    cache
        where fragments are kept; those of compact verdicts, a line each, are not.
    processes
        how many processes draw, where more than a few are to be drawn.
    """
    jobs = list(jobs)
    found: dict[int, Fragment] = {}
    new: dict[int, str] = {}
    for place, (verdict, page, folded, told) in enumerate(jobs):
        if verdict.get("compact"):
            found[place] = fragment(verdict, page, folded, told)
            continue
        key = cache.key(
            "claim", [page, folded, told, {name: part for name, part in verdict.items() if name not in UNSHOWN}]
        )
        try:
            found[place] = _read(cache.get(key))
        except (LookupError, TypeError):  # nothing is kept, or something else
            new[place] = key
    drawn = _drawn([jobs[place] for place in new], processes)
    for (place, key), made in zip(new.items(), drawn, strict=True):
        cache.put(key, asdict(made))
        found[place] = made
    return [found[place] for place in range(len(jobs))]


def _read(kept: Mapping[str, Any]) -> Fragment:
    return Fragment(Entry(**kept["entry"]), kept["section"], kept["failure"])


def _drawn(jobs: Sequence[Job], processes: int) -> Iterator[Fragment]:
    if processes <= 1 or len(jobs) <= FEW:
        yield from (fragment(*job) for job in jobs)
        return
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_begin)
    done = 0
    try:
        with unheard():
            drawn = pool.map(_draw, jobs, chunksize=8)
        for made in drawn:
            done += 1
            yield made
    except BrokenProcessPool:  # a process died, of memory perhaps: the rest is drawn here
        yield from (fragment(*job) for job in jobs[done:])
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """In a worker: leave interrupts to the parent, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def _draw(job: Job) -> Fragment:
    return fragment(*job)
