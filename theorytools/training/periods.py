r"""The training prompts of a cell's members, one check period after the other.

Every member has a stream of its own, keyed by its trial, and its draws are made on the CPU whatever the device: the
prompts of a trial are the same everywhere.  Beside an accelerator the next period is drawn by threads, one for each
member, while this one trains; a stream is read by one thread at a time and in order, so nothing changes but the time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import torch

from theorytools.training.experiment import Experiment
from theorytools.training.prompts import Batch, World, draw, generator

Member = tuple[Experiment, World, torch.Generator]


class Periods:
    """The streams of some members; a context that ends its threads.

    Parameters
    ----------
    experiments, worlds : the members.
    ahead : whether threads draw the period after the one that was asked for.
    """

    def __init__(self, experiments: Sequence[Experiment], worlds: Sequence[World], *, ahead: bool = False) -> None:
        streams = [generator(one, "train") for one in experiments]
        self.members: list[Member] = list(zip(experiments, worlds, streams, strict=True))
        self.arrays: list[torch.Tensor] = []
        count = min(len(self.members), os.cpu_count() or 1)
        self.threads = ThreadPoolExecutor(count, initializer=torch.set_num_threads, initargs=(1,)) if ahead else None
        self.drawn: list[Future[Batch]] = []

    def __enter__(self) -> Periods:
        return self

    def __exit__(self, *_: object) -> None:
        if self.threads is not None:
            self.threads.shutdown(cancel_futures=True)

    def next(self) -> list[torch.Tensor]:
        """Return the next period's prompts, ``(M, size, …)`` each; valid until the next call."""
        if self.threads is None:
            batches = [period(*member) for member in self.members]
        else:
            drawn = self.drawn or [self.threads.submit(period, *member) for member in self.members]
            batches = [future.result() for future in drawn]
            self.drawn = [self.threads.submit(period, *member) for member in self.members]
        if self.arrays and len(self.arrays[0]) == len(batches):  # new arrays cost page faults
            return [torch.stack(parts, out=a) for parts, a in zip(zip(*batches, strict=True), self.arrays, strict=True)]
        self.arrays = [torch.stack(parts) for parts in zip(*batches, strict=True)]
        return self.arrays

    def keep(self, left: Sequence[int]) -> None:
        """Keep these members, in this order."""
        self.members = [self.members[k] for k in left]
        self.drawn = [self.drawn[k] for k in left] if self.drawn else []


def period(one: Experiment, world: World, rng: torch.Generator) -> Batch:
    """Return the prompts of one check period, drawn together as in the plain loop."""
    return draw(one, world, rng, one.batch * one.check_every, one.task == "simple")
