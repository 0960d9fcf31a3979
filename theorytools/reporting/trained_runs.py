r"""What the records of a paper's sweeps say, as plain data for a report: arms, intervals, exponents, provenance."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.places import record_files

_NAMES = {"rnn": "gru"}  # the published curve's recurrent network is a GRU in the released experiment


def trained_runs(folder: Path) -> list[dict[str, Any]]:
    """Return one summary for each record in ``records/sweeps`` of a paper's folder of checks.

    ``arms`` holds, for a sweep with a size, the geometric mean of the measured number at each size with its 95 %
    t-interval, the number of censored runs, the exponent where three sizes or more have no censored run, and the
    published number where ``published_<statement>.csv`` lies beside the checks.
    """
    return [_summary(folder, path) for path in record_files(folder, "sweeps")]


def _summary(folder: Path, path: Path) -> dict[str, Any]:
    from theorytools.training.sweep import from_uncommitted
    from theorytools.training.sweeps import SWEEPS

    data = json.loads(path.read_text(encoding="utf-8"))
    kept = {name: data[name] for name in ("sweep", "title", "protocol", "profile", "question", "rule")}
    sweep = SWEEPS.get(data["sweep"])
    size = sweep.size if sweep is not None else ""
    value = sweep.value if sweep is not None else ""
    arms: dict[str, list[Mapping[str, Any]]] = {}
    for trial in data["trials"]:
        arms.setdefault(str(trial["spec"].get("arm") or trial["spec"].get("architecture", "")), []).append(trial)
    published = _published(folder, data["sweep"])
    made = data["provenance"]
    machines = sorted({f"{one.get('cpu', '')}, {one.get('threads', '')} thread(s)" for one in made.get("made", ())})
    return {
        **kept, "missing": data.get("missing", {}), "file": path.name, "size": size, "value": value,
        "device": made.get("device", ""),
        "machines": machines, "commit": made.get("commit", ""), "created": made.get("created", ""),
        "uncommitted": from_uncommitted(made),
        "arms": [_arm(name, trials, size, value, published.get(name, {})) for name, trials in arms.items()],
    }  # fmt: skip


def _arm(
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
        numbers = [float(trial["result"][value]) for trial in own]
        if min(numbers) <= 0:
            return {**arm, "sizes": []}
        low, high = geometric_interval(numbers)
        lost = sum(trial["status"] == "censored" for trial in own)
        arm["sizes"].append({"size": at, "low": low, "high": high, "censored": lost, "published": published.get(at)})
    arm["exponent"] = _exponent(cells, value)
    return arm


def _exponent(cells: Mapping[int, Sequence[Mapping[str, Any]]], value: str) -> list[float] | None:
    from theorytools.errors import DomainError
    from theorytools.statistics.repeats import Repeats
    from theorytools.statistics.slopes import mean_slope

    sizes = sorted(cells)
    first = [cells[at][0]["spec"] for at in sizes]  # a run first seen below the threshold got there since the last look
    steps = [float(int(spec.get("batch", 0)) * int(spec.get("check_every", 0))) for spec in first]
    try:
        data = Repeats.observed(
            sizes, [[float(t["result"][value]) for t in cells[at]] for at in sizes],
            stopped=[[t["status"] == "censored" for t in cells[at]] for at in sizes], step=steps,
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
