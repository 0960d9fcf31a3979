"""How far a sweep has come, from its store alone: beside a driver that runs, from another terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from theorytools.training.sweep import Groups, arm
from theorytools.training.trials.store import Store
from theorytools.training.trials.trial import CENSORED, DONE, FAILED
from theorytools.training.trials.trial_row import Row

RECENT = 20  # trials that tell the pace
QUIET = 60.0  # seconds beyond the longest trial after which a driver is not heard of


def status(groups: Groups, store: Store, now: datetime | None = None) -> dict[str, Any]:
    r"""Return what the store has of the asked trials, and when the rest may be there.

    A missing trial is taken to need the mean seconds of the nearest trials that are there: those of its group, else of
    its arm, else of the sweep.  The pace is the seconds that the latest trials took over those that passed meanwhile.

    Parameters
    ----------
    groups : the trials that are asked for.
    store : an open store, perhaps of a driver that runs.
    now : the time of the question; the present unless given.

    Returns
    -------
    dict : ``arms`` (each ``arm``, ``trials``, ``done``, ``censored``, ``failed``, ``missing``), ``reasons`` of
        failures, ``worker_seconds_left``, ``at_a_time``, ``seconds_left``, ``last_seconds_ago``, ``quiet``; None for
        what nothing tells yet.

    Raises
    ------
    FolderError : the store cannot be read.
    """
    now = datetime.now(UTC) if now is None else now
    arms: dict[str, Counter[str]] = {}
    there, reasons, taken, missing = list[Row](), Counter[str](), dict[Any, list[float]](), list[tuple[Any, ...]]()
    for k, spec in ((k, spec) for k, group in enumerate(groups) for spec in group):
        name = arm(spec)
        counts, row = arms.setdefault(name, Counter()), store.get(spec)
        counts["missing" if row is None else row.status] += 1
        if row is None:
            missing.append((k, name, None))
            continue
        there.append(row)
        reasons += Counter([row.reason] if row.status == FAILED else [])
        for kin in (k, name, None) if row.status != FAILED else ():
            taken.setdefault(kin, []).append(row.seconds)
    worker, pace = _worker_seconds(taken, missing), _pace(there)
    last = max((_when(row) for row in there), default=None)
    ago = None if last is None else max((now - last).total_seconds(), 0.0)
    longest = max((row.seconds for row in there), default=0.0)
    return {
        "arms": [
            {"arm": own, "trials": n.total(), **{name: n[name] for name in (DONE, CENSORED, FAILED, "missing")}}
            for own, n in arms.items()
        ],
        "reasons": dict(reasons),
        "worker_seconds_left": worker,
        "at_a_time": pace,
        "seconds_left": worker / pace if worker is not None and pace else None,
        "last_seconds_ago": ago,
        "quiet": bool(missing) and ago is not None and ago > 3 * longest + QUIET,
    }


def _worker_seconds(taken: Mapping[Any, list[float]], missing: Sequence[tuple[Any, ...]]) -> float | None:
    """What is left, each trial as the mean of its next of kin; None before the first trial that says it."""
    if missing and not taken:
        return None
    nearest = (next(taken[kin] for kin in line if kin in taken) for line in missing)
    return sum((sum(seconds) / len(seconds) for seconds in nearest), 0.0)


def _when(row: Row) -> datetime:
    return datetime.fromisoformat(row.created)


def _pace(there: Sequence[Row]) -> float | None:
    """Trials at a time among the latest, up to where the driver paused longer than a trial takes."""
    latest = sorted(there, key=_when, reverse=True)[:RECENT]
    together = latest[:1]
    for later, earlier in pairwise(latest):
        if (_when(later) - _when(earlier)).total_seconds() > later.seconds + QUIET:
            break
        together.append(earlier)
    if not together:
        return None
    begin = min(_when(row).timestamp() - row.seconds for row in together)
    passed = _when(together[0]).timestamp() - begin
    return sum(row.seconds for row in together) / passed if passed > 0 else None


def status_text(data: Mapping[str, Any]) -> str:
    """Return a state, from :func:`status`, as lines for a terminal."""
    head = ("arm", "trials", "done", "censored", "failed", "missing")
    lines = ["{:<28} {:>6} {:>6} {:>8} {:>6} {:>7}".format(*head)]
    for row in data["arms"]:
        lines.append("{:<28} {:>6} {:>6} {:>8} {:>6} {:>7}".format(*(row[name] for name in head)))
    lines += [f"{count} failed: {reason}" for reason, count in data["reasons"].items()]
    missing = sum(row["missing"] for row in data["arms"])
    if not missing:
        return "\n".join([*lines, "all trials are there"])
    if data["seconds_left"] is not None:
        lines.append(
            f"about {span(data['seconds_left'])} left: {span(data['worker_seconds_left'])} of one worker, "
            f"{data['at_a_time']:.1f} at a time lately"
        )
    if data["last_seconds_ago"] is None:
        lines.append("nothing is there yet; --plan says what it costs")
    else:
        lost = "; no driver seems to run: the command of the sweep goes on where it stopped" if data["quiet"] else ""
        lines.append(f"last trial {span(data['last_seconds_ago'])} ago{lost}")
    return "\n".join(lines)


def span(seconds: float) -> str:
    """Return a length of time in its largest unit with two digits: ``45 s``, ``12 min``, ``3.4 h``."""
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.2g} {unit}" if seconds < 100 * size else f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 2 else f"{seconds:.2g} s"
