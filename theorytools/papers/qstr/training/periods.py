"""The training prompts of a cell's members, one check period after the other.

Every member has a stream of its own, keyed by its trial, and its draws are made on the CPU whatever the device: the
prompts of a trial are the same everywhere.  Beside an accelerator the next period is drawn by threads, one for each
member, while this one trains; a stream is read by one thread at a time and in order, so nothing changes but the time.

To a CUDA device they go from two page-locked buffers in turn, into two of the device: the next period is copied while
this one trains.  Indices take two bytes there; what encodes the tokens widens them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import torch

from theorytools.papers.qstr.training.costs import SHORT
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.prompts import Batch, World, draw, generator

Member = tuple[Experiment, World, torch.Generator]


def index_type(N: int) -> torch.dtype:
    """Return the type in which indices below ``N`` go to an accelerator: 16 bits if all fit, else 64."""
    return torch.int16 if N <= SHORT else torch.int64


class Card:
    """What a CUDA device is asked for: page-locked arrays, arrays of its own, copies beside its work, and their order.

    Parameters
    ----------
    device : ``cuda``.
    """

    def __init__(self, device: str) -> None:
        self.device, self.stream = device, torch.cuda.Stream(device)

    def pinned(self, shape: torch.Size, dtype: torch.dtype) -> torch.Tensor:
        """Return a page-locked array of the host, from which a copy needs no processor."""
        return torch.empty(shape, dtype=dtype, pin_memory=True)

    def room(self, shape: torch.Size, dtype: torch.dtype) -> torch.Tensor:
        """Return an array of the device."""
        return torch.empty(shape, dtype=dtype, device=self.device)

    def event(self) -> torch.cuda.Event:
        """Return a mark that nobody has set."""
        return torch.cuda.Event()

    def send(self, lane: Lane, members: int) -> None:
        """Copy the first members' rows to the device, as soon as nothing there reads what they replace."""
        with torch.cuda.stream(self.stream):
            self.stream.wait_event(lane.read)
            for here, there in zip(lane.host, lane.arrays, strict=True):
                self.copy(here[:members], there[:members])
            lane.sent.record(self.stream)

    def copy(self, here: torch.Tensor, there: torch.Tensor) -> None:
        """Give the device a copy to make; nobody waits for it."""
        there.copy_(here, non_blocking=True)

    def some(self, array: torch.Tensor, rows: Sequence[int]) -> torch.Tensor:
        """Return these rows of an array, without a copy where they are the first in their order."""
        first = list(rows) == list(range(len(rows)))
        return array[: len(rows)] if first else array[list(rows)]

    def arrived(self, lane: Lane) -> None:
        """Let what the device is given from now on wait for the copy."""
        torch.cuda.current_stream(self.device).wait_event(lane.sent)

    def finished(self, lane: Lane) -> None:
        """Mark that what the device was given so far is the last to read this lane."""
        lane.read.record(torch.cuda.current_stream(self.device))


class Lane:
    """One buffer on the host, one on the device, and the marks of their last copy and their last reader."""

    def __init__(self, card: Card) -> None:
        self.card, self.sent, self.read = card, card.event(), card.event()
        self.host: list[torch.Tensor] = []
        self.arrays: list[torch.Tensor] = []

    def load(self, batches: Sequence[Batch]) -> Lane:
        """Take the members' prompts and send them; the last ones have left the host by then."""
        self.sent.synchronize()
        if not self.host:  # members only ever leave, so the first are the most
            shapes = [torch.Size([len(batches), *part.shape]) for part in batches[0]]
            types = [part.dtype if part.is_floating_point() else index_type(part.shape[1]) for part in batches[0]]
            self.host = [self.card.pinned(*kind) for kind in zip(shapes, types, strict=True)]
            self.arrays = [self.card.room(*kind) for kind in zip(shapes, types, strict=True)]
            self.card.finished(self)  # what had this memory before may still be read
        for array, parts in zip(self.host, zip(*batches, strict=True), strict=True):
            for row, part in zip(array, parts, strict=False):
                row.copy_(part)
        self.card.send(self, len(batches))
        return self


class Periods:
    """The streams of some members; a context that ends its threads.

    Parameters
    ----------
    experiments, worlds : the members.
    ahead : whether threads draw the period after the one that was asked for.
    device : where the prompts are wanted; to ``cuda`` they are copied ahead, elsewhere they stay on the host.
    """

    def __init__(
        self, experiments: Sequence[Experiment], worlds: Sequence[World], *, ahead: bool = False, device: str = "cpu"
    ) -> None:
        streams = [generator(one, "train") for one in experiments]
        self.members: list[Member] = list(zip(experiments, worlds, streams, strict=True))
        self.arrays: list[torch.Tensor] = []
        card = Card(device) if torch.device(device).type == "cuda" else None
        self.lanes = [Lane(card), Lane(card)] if card is not None else []  # the one in use is the last
        count = min(len(self.members), os.cpu_count() or 1) + (card is not None)
        self.threads = ThreadPoolExecutor(count, initializer=torch.set_num_threads, initargs=(1,)) if ahead else None
        self.drawn: list[Future[Batch]] = []
        self.sent: Future[Lane] | None = None  # what is drawn, on its way
        self.rows: list[int] = []  # of it, those of the members that are left
        self.behind: list[torch.Tensor] = []  # where the streams stood before what is drawn ahead

    def __enter__(self) -> Periods:
        return self

    def __exit__(self, *_: object) -> None:
        if self.threads is not None:
            self.threads.shutdown(cancel_futures=True)
        for lane in self.lanes:
            lane.sent.synchronize()  # no copy may arrive in memory that is given back

    def next(self) -> list[torch.Tensor]:
        """Return the next period's prompts, ``(M, size, …)`` each; valid until the next call."""
        if self.lanes:
            return self._next_lane()
        if self.threads is None:
            batches = [period(*member) for member in self.members]
        else:
            self._ahead(self.threads)
            batches = [future.result() for future in self.drawn]
            self._ahead(self.threads, again=True)
        if self.arrays and len(self.arrays[0]) == len(batches):  # new arrays cost page faults
            return [torch.stack(parts, out=a) for parts, a in zip(zip(*batches, strict=True), self.arrays, strict=True)]
        self.arrays = [torch.stack(parts) for parts in zip(*batches, strict=True)]
        return self.arrays

    def _ahead(self, threads: ThreadPoolExecutor, *, again: bool = False) -> None:
        """Let threads draw a period, if none is drawn or that one was taken."""
        if again:
            self.behind = [rng.get_state() for *_, rng in self.members]
        if again or not self.drawn:
            self.drawn = [threads.submit(period, *member) for member in self.members]

    def _next_lane(self) -> list[torch.Tensor]:
        """Return the arrays of the lane that was sent last, and send the other."""
        free, used = self.lanes
        used.card.finished(used)
        if self.threads is None:
            lane, rows = free.load([period(*member) for member in self.members]), list(range(len(self.members)))
        else:
            if self.sent is None:
                self._send(self.threads, free)
            assert self.sent is not None
            lane, rows = self.sent.result(), self.rows
            self._send(self.threads, used, again=True)
        self.lanes = [used, lane]
        lane.card.arrived(lane)
        return [lane.card.some(array, rows) for array in lane.arrays]

    def _send(self, threads: ThreadPoolExecutor, lane: Lane, *, again: bool = False) -> None:
        self._ahead(threads, again=again)
        drawn, self.rows = list(self.drawn), list(range(len(self.members)))
        self.sent = threads.submit(lambda: lane.load([future.result() for future in drawn]))

    def keep(self, left: Sequence[int]) -> None:
        """Keep these members, in this order."""
        self.members = [self.members[k] for k in left]
        self.drawn = [self.drawn[k] for k in left] if self.drawn else []
        self.rows = [self.rows[k] for k in left] if self.rows else []
        self.behind = [self.behind[k] for k in left] if self.behind else []

    def states(self) -> list[torch.Tensor]:
        """Return the states of the streams after the last period that was asked for."""
        return list(self.behind) if self.drawn else [rng.get_state() for *_, rng in self.members]

    def restart(self, states: Sequence[torch.Tensor]) -> None:
        """Set the streams to these states, before anything is drawn."""
        for (*_, rng), state in zip(self.members, states, strict=True):
            rng.set_state(state)


def period(one: Experiment, world: World, rng: torch.Generator) -> Batch:
    """Return the prompts of one check period, drawn together as in the plain loop."""
    return draw(one, world, rng, one.batch * one.check_every, one.task == "simple")
