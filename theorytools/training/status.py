"""How far a sweep has come, from its store alone: beside a driver that runs, from another terminal.

And what a rehearsal of a sweep found, as lines for a terminal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from theorytools.training.sweep import Groups, Sweep
from theorytools.training.trials.store import Row, Store
from theorytools.training.trials.trial import CENSORED, DONE, FAILED

RECENT = 20  # trials that tell the pace
QUIET = 60.0  # seconds beyond the longest trial after which a driver is not heard of


def status(one: Sweep, groups: Groups, store: Store, now: datetime | None = None) -> dict[str, Any]:
    r"""Return what the store has of the asked trials, and when the rest may be there.

    With :math:`s_i` the seconds that trial :math:`i` took and :math:`p_i` those that the sweep planned, what is left
    costs :math:`\sum_{\text{missing}}p_i\cdot\sum s_i/\sum p_i` seconds of one worker; the pace is the seconds that
    the latest trials took over those that passed meanwhile.

    Parameters
    ----------
    one, groups : the sweep and the trials that are asked for.
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
    there, planned, left, reasons = [], 0.0, 0.0, Counter[str]()
    for spec in (spec for group in groups for spec in group):
        counts = arms.setdefault(str(spec.get("arm") or spec.get("architecture", "")), Counter())
        row = store.get(spec)
        counts["missing" if row is None else row.status] += 1
        if row is None:
            left += one.seconds(spec)
            continue
        there.append(row)
        planned += one.seconds(spec) if row.status != FAILED else 0.0
        reasons += Counter([row.reason] if row.status == FAILED else [])
    worker, pace = _worker_seconds(there, planned, left), _pace(there)
    last = max((_when(row) for row in there), default=None)
    ago = None if last is None else max((now - last).total_seconds(), 0.0)
    longest = max((row.seconds for row in there), default=0.0)
    return {
        "arms": [
            {"arm": arm, "trials": n.total(), **{name: n[name] for name in (DONE, CENSORED, FAILED, "missing")}}
            for arm, n in arms.items()
        ],
        "reasons": dict(reasons),
        "worker_seconds_left": worker,
        "at_a_time": pace,
        "seconds_left": worker / pace if worker is not None and pace else None,
        "last_seconds_ago": ago,
        "quiet": bool(left) and ago is not None and ago > 3 * longest + QUIET,
    }


def _worker_seconds(there: Sequence[Row], planned: float, left: float) -> float | None:
    """What is left, by the ratio of measured to planned seconds; None before the first trial that says it."""
    measured = sum(row.seconds for row in there if row.status != FAILED)
    return 0.0 if not left else left * measured / planned if planned and measured else None


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
    for arm in data["arms"]:
        lines.append("{:<28} {:>6} {:>6} {:>8} {:>6} {:>7}".format(*(arm[name] for name in head)))
    lines += [f"{count} failed: {reason}" for reason, count in data["reasons"].items()]
    missing = sum(arm["missing"] for arm in data["arms"])
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


def rehearsal_text(data: Mapping[str, Any]) -> str:
    """Return a rehearsal of a sweep as lines for a terminal: the largest cell of each arm, and what did not fit."""
    cells, lines = data["cells"], [f"{data['sweep']}, profile {data['profile']}: a dry run without a device"]
    lines.append(f"{'arm':<14} {'cells':>5} {'largest':>8} {'members':>7} {'alive':>10} {'estimate':>10}")
    for name in dict.fromkeys(cell["arm"] for cell in cells):
        own = [cell for cell in cells if cell["arm"] == name and cell["bytes"] is not None]
        if own:
            top = max(own, key=lambda cell: cell["bytes"])
            sizes = " ".join(f"{top[key] / 2**30:>6.2f} GiB" for key in ("bytes", "estimate"))
            lines.append(f"{name:<14} {len(own):>5} {'N = ' + str(top['N']):>8} {top['members']:>7} {sizes}")
    other = sum(cell["bytes"] is None and not cell["error"] for cell in cells)
    lines += [f"{other} groups are no races to a threshold and were not rehearsed"] if other else []
    lines += [f"does not fit: {cell['error']}" for cell in cells if cell["error"]]
    ratios = [cell["estimate"] / cell["bytes"] for cell in cells if cell["bytes"]]
    if ratios:
        lines.append(f"estimate over bytes alive: {min(ratios):.2f} to {max(ratios):.2f} over {len(ratios)} cells")
    return "\n".join([*lines, "nothing was computed: speed, numbers and the device's own memory are not seen here"])
