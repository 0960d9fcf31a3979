"""Where the race of a cell stands, kept on the disk: a cell that was cut goes on there and does not begin again.

After an evaluation, at most every half minute, a file takes the weights with their averages, the places in the streams
of prompts, what the evaluations know, and the outcomes so far.  The rest of a race depends on nothing else, so what it
gives is what it would have given, bit for bit, and the file is good for one cell, code, set of versions and processor.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import torch

import theorytools.training as shared
from theorytools.errors import FolderError
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.periods import Periods
from theorytools.papers.qstr.training.reference import Outcome
from theorytools.papers.qstr.training.stacks.stacked import Stacked
from theorytools.training.trials.provenance import device_provenance, provenance
from theorytools.training.trials.trial import canonical

EVERY = 30.0  # seconds of work that an interruption loses at most, beside those of one check period


@dataclass
class Stand:
    """What a race depends on from here.

    Parameters
    ----------
    left : places in the cell of the members that still run.
    seen, checks : prompts of one member and evaluations so far.
    tested, controls : what the evaluations know of each member that still runs.
    streams : the states of their streams of prompts.
    weights : the stack's own arrays, :meth:`~theorytools.papers.qstr.training.stacks.stacked.Stacked.state`.
    ended : outcomes so far, each with its member's place in the cell.
    """

    left: list[int]
    seen: int = 0
    checks: int = 0
    tested: list[int] = field(default_factory=list)
    controls: torch.Tensor | None = None
    streams: list[torch.Tensor] = field(default_factory=list)
    weights: dict[str, torch.Tensor] = field(default_factory=dict)
    ended: list[tuple[int, dict[str, Any]]] = field(default_factory=list)


class Pause:
    """The file of one cell's race, and what was read from it.

    Parameters
    ----------
    folder : where the file stands; without one nothing is read or written.
    experiments, device, full : the cell and how it is trained; they are the file's name, with code and versions.

    Raises
    ------
    FolderError : the folder cannot be made or written to.
    """

    def __init__(self, folder: Path | None, experiments: Sequence[Experiment], device: str, full: bool) -> None:
        self.experiments, self.path, self.written = list(experiments), None, time.monotonic()
        self.stand = Stand(list(range(len(experiments))))
        if folder is not None:
            how = {"device": device_provenance(device), "full": full, "code": _code(), "where": provenance()}
            text = canonical([[one.spec() for one in experiments], how])
            self.path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.pt"
            self._read()

    def _read(self) -> None:
        if self.path is None or not self.path.is_file():
            return
        try:
            self.stand = Stand(**torch.load(self.path, map_location="cpu", weights_only=True))
        except (OSError, EOFError, RuntimeError, TypeError, ValueError, pickle.UnpicklingError) as error:
            sys.stderr.write(f"{self.path} cannot be read ({type(error).__name__}); the cell begins again\n")
            return
        one = self.experiments[0]
        sys.stderr.write(f"{one.architecture} at N = {one.N} goes on after {self.stand.seen} prompts\n")

    @property
    def left(self) -> list[Experiment]:
        """The members that still run."""
        return [self.experiments[k] for k in self.stand.left]

    def resume(self, net: Stacked, periods: Periods) -> None:
        """Set the stack and the streams of the members that still run to where the race stands."""
        if self.stand.weights:
            net.restart(self.stand.weights)
            periods.restart(self.stand.streams)

    def noted(self, race: Iterator[tuple[Experiment, Outcome]]) -> Iterator[tuple[Experiment, Outcome]]:
        """Yield the outcomes that the file has and those of the race; in the end the file goes."""
        for k, data in list(self.stand.ended):
            yield self.experiments[k], Outcome(**data)
        for experiment, outcome in race:
            k = self.experiments.index(experiment)
            self.stand.left.remove(k)
            self.stand.ended.append((k, outcome.to_json()))
            yield experiment, outcome
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def keep(
        self, seen: int, checks: int, tested: list[int], controls: torch.Tensor, net: Stacked, periods: Periods
    ) -> None:
        """Write where the race stands, if the last time is long ago."""
        if self.path is None or time.monotonic() - self.written < EVERY:
            return
        now = Stand(self.stand.left, seen, checks, tested, controls, periods.states(), net.state(), self.stand.ended)
        part = self.path.with_name(f".{self.path.name}.{secrets.token_hex(6)}.part")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            torch.save(vars(now), part)
            os.replace(part, self.path)
        except (OSError, RuntimeError) as error:  # torch's own writer raises the second on a full disk
            raise FolderError(
                f"the folder {self.path.parent}, where writing failed: {getattr(error, 'strerror', '') or error}",
                required="a folder that can be made and written to, on a disk with room",
                why="a cell that is cut goes on from there",
            ) from error
        finally:
            with contextlib.suppress(OSError):
                part.unlink()
        self.written = time.monotonic()


@cache
def _code() -> str:
    """The digest of the code that trains: a race does not go on under other code."""
    found = hashlib.sha256()
    for folder in (Path(__file__).parent, Path(shared.__file__).parent):  # the paper's, and what all papers share
        for path in sorted(folder.rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()
