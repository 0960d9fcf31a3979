"""The rates of a device, measured in one short call, cell by cell, and kept beside the store of a sweep.

A cell's kind is all that its time depends on: architecture, sizes, optimiser, batch, and how many members train
together.  Of every kind a few periods run as in the race itself, with prompts that are drawn, copied and trained on,
and an evaluation of as many test prompts as the plan assumes; each kind is given an equal part of the time that is
left.  A plan takes these seconds in place of assumed ones, for the same device and the same versions.
"""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError, FolderError
from theorytools.files import write_json
from theorytools.training.experiment import Experiment
from theorytools.training.plan import TESTED
from theorytools.training.sweep import Groups, Spec
from theorytools.training.trials.provenance import device_provenance, provenance
from theorytools.training.trials.trial import canonical

SCHEMA = "theorytools.rates/1"
FREE = ("repeat", "world", "protocol", "link", "lr", "weight_decay", "threshold", "cap")  # no time depends on them
ROUNDS = 2  # periods that are timed at least, so that one is drawn while another trains


@dataclass(frozen=True)
class Rates:
    """What was measured on a device, for the plan of a sweep.

    Parameters
    ----------
    file : where it stands.
    device : the device and the versions, as :func:`here` says them.
    created : when the last cell was measured.
    cells : by the text of its kind, what was measured of a cell: ``architecture``, ``N``, ``members``, the seconds of a
        ``step`` and of an ``evaluation``, ``prompts_per_second`` of all members without evaluations, how many ``steps``
        that rests on, ``utilisation`` in percent where the device tells it; with an ``error`` nothing else.
    """

    file: str
    device: Mapping[str, Any]
    created: str
    cells: Mapping[str, Mapping[str, Any]]

    def seconds(self, group: Sequence[Spec], prompts: float) -> float | None:
        """Return the seconds of a group whose slowest trial sees so many prompts; None if its kind was not measured."""
        found = self.cells.get(kind(group))
        if found is None or found["error"]:
            return None
        one = Experiment.of(group[0])
        return prompts / one.batch * (found["step"] + found["evaluation"] / one.check_every)

    def name(self) -> str:
        """Return what the device is called."""
        return str(self.device.get("device_name") or self.device.get("cpu") or self.device["device"])


def kind(group: Sequence[Spec]) -> str:
    """Return the kind of a group as text; empty if it is no race to a threshold."""
    if "architecture" not in group[0] or "kind" in group[0]:
        return ""
    try:
        spec = Experiment.of(group[0]).spec()
    except DomainError:
        return ""
    return canonical({**{name: v for name, v in spec.items() if name not in FREE}, "members": len(group)})


def here(device: str) -> dict[str, Any]:
    """Return what rates are good for: the device, of a CPU its model, and the versions."""
    made = provenance()
    return {**device_provenance(device), **({"cpu": made["cpu"]} if device == "cpu" else {}), **made["versions"]}


# -- the file ------------------------------------------------------------------------------------------------------
def beside(store: Path) -> Path:
    """Return the place of the rates that belong to a store: ``lengths.rates.json`` for ``lengths.sqlite``."""
    return store.with_suffix(".rates.json")


def read(path: Path) -> Rates | None:
    """Return the rates in a file, or None where there is no file.

    Raises
    ------
    DomainError : a file that holds something else.
    FolderError : a file that cannot be read.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            raise ValueError(data["schema"])
        cells = {str(key): dict(row) for key, row in data["cells"].items()}
        sound = all(row["error"] or all(0 < row[name] < math.inf for name in ("step", "evaluation"))
                    for row in cells.values())  # fmt: skip
        found = Rates(str(path), dict(data["device"]), str(data["created"]), cells)
        if not sound or not found.name():
            raise ValueError("seconds")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise FolderError(
            f"{path}: {error.strerror or error}", required="a file that can be read",
            why="the file beside a store with this name gives the plan its rates", advice=f"remove {path.name}",
        ) from error  # fmt: skip
    except (ValueError, LookupError, TypeError, AttributeError):
        raise DomainError(
            f"{path}, which is no file of rates", required=f"what --rates writes, {SCHEMA}",
            why="the file beside a store with this name gives the plan its rates", advice=f"remove {path.name}",
        ) from None  # fmt: skip
    return found


def known(path: Path, device: str) -> tuple[Rates | None, str]:
    """Return the rates in a file that are good for this device and these versions, or None and why they are not."""
    found = read(path)
    if found is None:
        return None, ""
    if device != "cpu":
        import torch

        if not torch.cuda.is_available():
            return None, f"{path} is ignored: measured on {found.name()}, and no such device is here"
    now = here(device)
    other = [name for name in {**now, **found.device} if now.get(name) != found.device.get(name)]
    if not other:
        return found, ""
    told = ", ".join(f"{name} {found.device.get(name, 'none')}, here {now.get(name, 'none')}" for name in other)
    return None, f"{path} is ignored: measured with {told}"


def keep(path: Path, device: str, cells: Mapping[str, Mapping[str, Any]]) -> Rates:
    """Write what was measured, beside what the file has of the same device and versions; return all of it."""
    before, _ = known(path, device)
    every = {**(before.cells if before is not None else {}), **cells}
    created = datetime.now(UTC).isoformat(timespec="seconds")
    write_json(path, {"schema": SCHEMA, "created": created, "device": here(device), "cells": every}, indent=1)
    return Rates(str(path), here(device), created, every)


# -- measuring -----------------------------------------------------------------------------------------------------
def measure(
    groups: Groups, device: str, seconds: float, progress: Callable[[int, int], None] | None = None
) -> dict[str, dict[str, Any]]:
    """Train a few steps of every kind of cell; return what was measured by kind.

    Parameters
    ----------
    groups : the trials of a sweep.
    device : ``cpu`` or ``cuda``.
    seconds : about how long that takes; every kind makes a few steps and an evaluation, however long they are.
    progress : called with the kinds that are measured and their number.

    Raises
    ------
    DomainError : no number of seconds, or no group that is a race to a threshold.
    """
    import torch

    require_seconds(seconds)
    races = {name: group for group in groups if (name := kind(group))}
    if not races:
        raise DomainError(
            "--rates for a profile without races to a threshold", required="trials that train until a test loss",
            why="rates are measured on their steps and evaluations", advice="theorytools sweep --json lists sweeps",
        )  # fmt: skip
    torch.set_num_threads(1)
    with contextlib.suppress(torch.OutOfMemoryError):  # what a process and a device do once is of no cell's time
        _measured([Experiment.of(spec) for spec in next(iter(races.values()))], device, 0.0)
    end, rows = time.monotonic() + seconds, dict[str, dict[str, Any]]()
    for k, (name, group) in enumerate(races.items()):
        cell = [Experiment.of(spec) for spec in group]
        row = {"architecture": cell[0].architecture, "N": cell[0].N, "members": len(cell), "error": ""}
        try:
            row |= _measured(cell, device, (end - time.monotonic()) / (len(races) - k))
        except torch.OutOfMemoryError:
            row["error"] = "out of memory"
        if row["error"]:
            torch.cuda.empty_cache()  # outside the handler, whose traceback holds the arrays
        rows[name] = row
        if progress is not None:
            progress(k + 1, len(races))
    return rows


def require_seconds(seconds: float) -> None:
    """Refuse what is no time to measure in."""
    if not 0 < seconds < math.inf:
        raise DomainError(
            f"--rates {seconds:g}", required="a number of seconds above 0, such as 60",
            why="a rate is steps by the time they took", advice="--rates 60",
        )  # fmt: skip


def _measured(cell: Sequence[Experiment], device: str, share: float) -> dict[str, Any]:
    """Time steps and an evaluation of one cell in about so many seconds, the making of its arrays included."""
    from theorytools.training.prompts import World
    from theorytools.training.search import ensemble

    end, one, worlds = time.monotonic() + share, cell[0], [World.of(e) for e in cell]
    net = ensemble(cell, worlds, device)
    evaluation = _evaluation(net, cell, worlds, device)
    _, single = _periods(net, cell, worlds, device, 1, 0.0)
    left = end - time.monotonic()
    length = max(1, min(one.check_every, int(left / (1 + ROUNDS) / single)))  # one period is not timed
    steps, step = _periods(net, cell, worlds, device, length, end)
    busy = _utilisation(device)
    rate = len(cell) * one.batch / step
    return {"prompts_per_second": rate, "step": step, "evaluation": evaluation, "steps": steps, "utilisation": busy}


def _periods(
    net: Any, cell: Sequence[Experiment], worlds: Sequence[Any], device: str, length: int, end: float
) -> tuple[int, float]:
    """Train in periods of so many steps until the end; return the steps that were timed and the seconds of one."""
    from theorytools.training.prompts import Periods
    from theorytools.training.search import run_period

    some, rounds, one = [replace(e, check_every=length) for e in cell], 0, cell[0]
    with Periods(some, worlds, ahead=device != "cpu", device=device) as periods:
        run_period(net, periods, one.batch, device)  # what a first step makes or chooses is not timed
        net.finite()
        start = _now(device)
        while rounds < ROUNDS or time.monotonic() < end:
            run_period(net, periods, one.batch, device)
            net.finite()  # as in the race, which waits for the device here
            rounds += 1
        return rounds * length, (_now(device) - start) / (rounds * length)


def _evaluation(net: Any, cell: Sequence[Experiment], worlds: Sequence[Any], device: str) -> float:
    """Return the seconds of an evaluation of as many test prompts as the plan assumes, the second of two."""
    import torch

    from theorytools.training.loop import stack
    from theorytools.training.reference import test_set
    from theorytools.training.stacks.stacked import fast_products

    size, start = min(TESTED, cell[0].test_size), 0.0
    sets = (test_set(replace(e, test_size=size), world) for e, world in zip(cell, worlds, strict=True))
    tests = stack(sets, device)
    with fast_products(device):
        for _ in range(2):
            start = _now(device)
            parts = zip(*(A.split(net.block, 1) for A in tests), strict=True)
            torch.cat([net.losses(*part) for part in parts], 1).cpu()
    return _now(device) - start


def _now(device: str) -> float:
    """The time when the device has done what it was given."""
    if device != "cpu":
        import torch

        torch.cuda.synchronize()
    return time.perf_counter()


def _utilisation(device: str) -> int | None:
    if device == "cpu":
        return None
    import torch

    with contextlib.suppress(Exception):  # needs a library that may be missing, whose errors have no common class
        return int(torch.cuda.utilization(device))
    return None


def rates_text(cells: Mapping[str, Mapping[str, Any]]) -> str:
    """Return what was measured as lines for a terminal."""
    head = ("architecture", "N", "members", "prompts/s", "step ms", "test ms", "busy")
    lines = ["{:<12} {:>5} {:>7} {:>11} {:>9} {:>9} {:>5}".format(*head)]
    for row in cells.values():
        text = f"{row['architecture']:<12} {row['N']:>5} {row['members']:>7} "
        if row["error"]:
            lines.append(f"{text} {row['error']}")
            continue
        busy = "-" if row["utilisation"] is None else f"{row['utilisation']} %"
        numbers = f"{row['prompts_per_second']:>11,.0f} {1e3 * row['step']:>9.3f} {1e3 * row['evaluation']:>9.2f}"
        lines.append(f"{text}{numbers} {busy:>5}")
    return "\n".join(lines)
