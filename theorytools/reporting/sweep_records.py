"""What the records of a paper's sweeps say, as plain data for a report: arms, intervals, exponents, provenance."""

from __future__ import annotations

import csv
import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from theorytools.content_cache import Kept, content
from theorytools.files import json_text, read_json, unreadable
from theorytools.places import PACKAGE, record_files

_FILES = [
    *(PACKAGE / "statistics").glob("*.py"),
    *(PACKAGE / "training" / f"{name}.py" for name in ("registration", "sweep")),
]
_RECORDS = Kept("runs", [__file__, *sorted(_FILES)])
_NAMES = {"rnn": "gru"}  # the published curve's recurrent network is a GRU in the released experiment


def trained_runs(folder: Path) -> list[dict[str, Any]]:
    """Return one summary for each record in ``records/sweeps`` of a paper's folder of checks.

    ``arms`` holds, for a sweep with a size, the geometric mean of the measured number at each size with its 95 %
    t-interval, the number of censored runs, the exponent where three sizes or more have no censored run, and the
    published number where ``published_<statement>.csv`` lies beside the checks.
    """
    found = []
    for path in record_files(folder, "sweeps"):
        try:
            found.append(_summary(folder, path))
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            unreadable(path, error)
    return found


def _summary(folder: Path, path: Path) -> dict[str, Any]:
    from theorytools.training.sweep import load_sweep, sweeps_in

    said = _once([content(path)], lambda: _said(read_json(path)))
    place = sweeps_in(folder).get(said["sweep"])
    sweep = None if place is None else load_sweep(place)
    size = sweep.size if sweep is not None else ""
    value = sweep.value if sweep is not None else ""
    published = _published(folder, said["sweep"])
    asked = [content(path), size, value, published, _libraries()]
    arms = _once(asked, lambda: arms_of(read_json(path)["trials"], size, value, published))
    return {**said, "file": path.name, "size": size, "value": value, "arms": arms}


def _said(data: Mapping[str, Any]) -> dict[str, Any]:
    """What a record says beside its trials."""
    from theorytools.training.registration import registration_text
    from theorytools.training.sweep import from_uncommitted

    made = data["provenance"]
    machines = sorted({f"{one.get('cpu', '')}, {one.get('threads', '')} thread(s)" for one in made.get("made", ())})
    return {
        **{name: data[name] for name in ("sweep", "title", "protocol", "profile", "question", "rule")},
        "missing": data.get("missing", {}), "device": made.get("device", ""), "machines": machines,
        "commit": made.get("commit", ""), "created": made.get("created", ""),
        "uncommitted": from_uncommitted(made), "registered": registration_text(data),
    }  # fmt: skip


def _once(key: Sequence[Any], make: Callable[[], Any]) -> Any:
    """What is made of a record, kept as text: it may hold an infinite end, and each caller has his own."""
    name = hashlib.sha256(json_text(key).encode()).hexdigest()
    return json.loads(_RECORDS.get(name, lambda: json.dumps(make())))


@cache
def _libraries() -> list[str]:
    """What the intervals are computed with."""
    return [version("numpy"), version("scipy")]


def arms_of(
    trials: Sequence[Mapping[str, Any]], size: str, value: str, published: Mapping[str, Mapping[int, int]] | None = None
) -> list[dict[str, Any]]:
    """Return the arms of a sweep's trials: what was measured at each size, and the exponent.

    Parameters
    ----------
    trials : each with ``spec``, ``status`` and ``result``.
    size, value : the field of a specification that grows, and that of a result that is measured.
    published : by arm and size.
    """
    arms: dict[str, list[Mapping[str, Any]]] = {}
    for trial in trials:
        arms.setdefault(str(trial["spec"].get("arm") or trial["spec"].get("architecture", "")), []).append(trial)
    return [_arm_of_record(name, own, size, value, (published or {}).get(name, {})) for name, own in arms.items()]


def _arm_of_record(
    name: str, trials: Sequence[Mapping[str, Any]], size: str, value: str, published: Mapping[int, int]
) -> dict[str, Any]:
    stopped = sum(trial["status"] == "censored" for trial in trials)
    arm: dict[str, Any] = {"arm": name, "trials": len(trials), "censored": stopped, "sizes": [], "exponent": None}
    cells: dict[int, list[Mapping[str, Any]]] = {}
    for trial in trials:
        if size and isinstance(trial["result"].get(value), int | float):
            cells.setdefault(int(trial["spec"][size]), []).append(trial)
    if len(cells) < 3 or min(map(len, cells.values())) < 2:
        return arm
    from theorytools.statistics.t_intervals import geometric_interval

    for at, own in sorted(cells.items()):
        numbers = _units(own, value)
        if min(numbers) <= 0:
            return {**arm, "sizes": []}
        low, high = geometric_interval(numbers)
        lost = sum(trial["status"] == "censored" for trial in own)
        arm["sizes"].append({"size": at, "low": low, "high": high, "censored": lost, "published": published.get(at)})
    arm["exponent"] = _exponent(cells, value)
    return arm


def _units(cell: Sequence[Mapping[str, Any]], value: str) -> list[float]:
    """The independent numbers of a cell: its repeats, or the geometric means of its worlds where there are several."""
    worlds: dict[int, list[float]] = {}
    for trial in cell:
        worlds.setdefault(int(trial["spec"].get("world", 0)), []).append(float(trial["result"][value]))
    if len(worlds) == 1 or min(map(min, worlds.values())) <= 0:
        return [number for own in worlds.values() for number in own]
    return [math.exp(sum(map(math.log, own)) / len(own)) for own in worlds.values()]


def _stopped(cell: Sequence[Mapping[str, Any]]) -> list[bool]:
    """Of each unit of a cell whether one of its runs was stopped."""
    worlds: dict[int, list[bool]] = {}
    for trial in cell:
        worlds.setdefault(int(trial["spec"].get("world", 0)), []).append(trial["status"] == "censored")
    return [any(own) for own in worlds.values()] if len(worlds) > 1 else next(iter(worlds.values()))


def _exponent(cells: Mapping[int, Sequence[Mapping[str, Any]]], value: str) -> list[float] | None:
    from theorytools.errors import DomainError
    from theorytools.statistics.censored import Repeats
    from theorytools.statistics.slopes import mean_slope

    sizes = sorted(cells)
    first = [cells[at][0]["spec"] for at in sizes]  # a run first seen below the threshold got there since the last look
    steps = [float(int(spec.get("batch", 0)) * int(spec.get("check_every", 0))) for spec in first]
    try:
        data = Repeats.observed(
            sizes, [_units(cells[at], value) for at in sizes],
            stopped=[_stopped(cells[at]) for at in sizes], step=steps,
        )  # fmt: skip
        fit = mean_slope(data, noise="repeats")
    except DomainError:
        return None
    return [fit.low, fit.high]


def _published(folder: Path, sweep: str) -> dict[str, dict[int, int]]:
    """Return the published numbers by arm and size; the sweep of panel ``a`` of ``figure_01`` is ``figure_01a``."""
    path = folder / f"published_{sweep[:-1]}.csv"
    found: dict[str, dict[int, int]] = {}
    if path.is_file():
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        for row in csv.DictReader(lines):
            if row["panel"] == sweep[-1]:
                arm = _NAMES.get(row["architecture"], row["architecture"])
                found.setdefault(arm, {})[int(row["N"])] = int(row["samples"])
    return found
