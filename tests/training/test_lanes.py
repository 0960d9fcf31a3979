"""Prompts on their way to a CUDA device, on a device that is played: two queues and marks, in the worst order allowed.

The program under test gives copies, marks and waits to the queues of a stream, as torch does; when they are carried out
is the test's choice: as late as possible with one queue or the other ahead, at once, or at random.
"""

import random
import threading
from collections import deque
from contextlib import contextmanager

import pytest
import torch

from theorytools.papers.qstr.training import periods, search
from theorytools.papers.qstr.training.costs import SHORT, cell_bytes
from theorytools.papers.qstr.training.experiment import ARCHITECTURES, Experiment
from theorytools.papers.qstr.training.periods import Card, Periods, index_type
from theorytools.papers.qstr.training.prompts import World, encode
from theorytools.papers.qstr.training.search import run_period

SMALL = {"N": 5, "d": 3, "q": 2, "width": 8, "batch": 6, "check_every": 2, "test_size": 300}
ORDERS = ("main", "side", "random", "at once")


class Played:
    """A device with the queue of its work and that of its copies."""

    def __init__(self, order):
        self.order, self.lock, self.random = order, threading.RLock(), random.Random(0)
        self.main, self.side, self.now = Stream(self), Stream(self), threading.local()
        self.pinned, self.rooms = [], []

    def runnable(self, stream):
        return bool(stream.queue) and (stream.queue[0][1] is None or stream.queue[0][1]())

    def one(self):
        """Carry out one thing that may be carried out now; False if there is none."""
        ready = [s for s in (self.main, self.side) if self.runnable(s)]
        if self.order == "side":
            ready.reverse()
        if ready:
            (self.random.choice(ready) if self.order == "random" else ready[0]).queue.popleft()[0]()
        return bool(ready)

    def until(self, reached):
        with self.lock:
            while not reached():
                assert self.one(), "everything waits for something"

    def drain(self):
        self.until(lambda: not (self.main.queue or self.side.queue))


class Stream:
    def __init__(self, device):
        self.device, self.queue = device, deque()

    def give(self, do, ready=None):
        with self.device.lock:
            self.queue.append((do, ready))
            while self.device.order == "at once" and self.device.one():
                pass

    def wait_event(self, mark):
        made = mark.made
        self.give(lambda: None, lambda: mark.done >= made)


class Mark:
    def __init__(self, device):
        self.device, self.made, self.done = device, 0, 0

    def record(self, stream):
        self.made += 1
        stream.give(self._set)

    def _set(self):
        self.done += 1

    def synchronize(self):
        made = self.made
        self.device.until(lambda: self.done >= made)


@pytest.fixture
def play(monkeypatch):
    """Let ``cuda`` be a device that is played in this order."""

    def play(order):
        device = Played(order)

        @contextmanager
        def stream(chosen):
            device.now.stream = chosen
            yield
            device.now.stream = device.main

        class Fake(Card):
            def pinned(self, shape, dtype):
                device.pinned.append(torch.full(shape, -7, dtype=dtype))
                return device.pinned[-1]

            def room(self, shape, dtype):
                device.rooms.append(torch.full(shape, -9, dtype=dtype))
                return device.rooms[-1]

            def copy(self, here, there):
                device.now.stream.give(lambda: there.copy_(here))

            def some(self, array, rows):
                found = super().some(array, rows)
                if found.data_ptr() != array.data_ptr():  # work of the device, too
                    device.main.give(lambda: found.copy_(array[list(rows)]))
                return found

        monkeypatch.setattr(torch.cuda, "Stream", lambda name: device.side)
        monkeypatch.setattr(torch.cuda, "Event", lambda: Mark(device))
        monkeypatch.setattr(torch.cuda, "stream", stream)
        monkeypatch.setattr(torch.cuda, "current_stream", lambda name: device.main)
        monkeypatch.setattr(periods, "Card", Fake)
        return device

    return play


def race(architecture="transformer", count=3, **settings):
    cell = [Experiment(architecture=architecture, repeat=k, **(SMALL | settings)) for k in range(count)]
    return cell, [World.of(one) for one in cell]


LEFT = ([0, 1, 2], [0, 1, 2], [0, 1, 2], [2, 0], [0, 1], [0, 1], [1], [0], [0])  # members that stay, before each period


def differing(device, ahead):
    """How many periods the device trained on that are not those that a CPU trains on."""
    plain, used = Periods(*race()), []
    with Periods(*race(), ahead=ahead, device="cuda") as periods:
        for left in LEFT:
            periods.keep(left)
            arrays = periods.next()
            if periods.sent is not None:  # the worst: the next period is on its way before this one is read
                periods.sent.result()
            device.main.give(lambda arrays=arrays: used.append([a.clone() for a in arrays]))
    device.drain()
    count = 0
    for left, there in zip(LEFT, used, strict=True):
        plain.keep(left)
        count += any(not torch.equal(a, b.to(a.dtype)) for a, b in zip(plain.next(), there, strict=True))
    return count


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("ahead", [False, True])
def test_a_device_trains_on_the_prompts_of_a_cpu_in_whatever_order_it_works(play, order, ahead):
    device = play(order)
    assert differing(device, ahead) == 0
    assert len(device.pinned) == len(device.rooms) == 6  # two of each array, and none is made again
    for made in (device.pinned, device.rooms):
        assert [a.dtype for a in made] == 2 * [torch.float32, torch.int16, torch.float32]


@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("fault", ["the host waits for no copy", "no copy waits for its reader",
                                   "no reader waits for its copy", "one buffer"])  # fmt: skip
def test_every_wait_is_needed(play, monkeypatch, fault, ahead):
    device = play("main" if fault.startswith("no reader") else "side")
    if fault == "the host waits for no copy":
        monkeypatch.setattr(Mark, "synchronize", lambda self: None)
    elif fault == "no copy waits for its reader":
        monkeypatch.setattr(Card, "finished", lambda self, lane: None)
    elif fault == "no reader waits for its copy":
        monkeypatch.setattr(Card, "arrived", lambda self, lane: None)
    else:
        make = Periods.__init__

        def single(self, *arguments, **settings):
            make(self, *arguments, **settings)
            self.lanes = self.lanes[:1] * 2 if self.lanes else []

        monkeypatch.setattr(Periods, "__init__", single)
        device.order = "at once"
    if (fault, ahead) == ("one buffer", False):
        assert differing(device, ahead) == 0  # nothing is sent before it is asked for
    else:
        assert differing(device, ahead) > 0


@pytest.mark.parametrize("ahead", [False, True])
def test_the_two_buffers_take_turns(play, ahead):
    device = play("at once")
    with Periods(*race(), ahead=ahead, device="cuda") as periods:
        places = [tuple(a.data_ptr() for a in periods.next()) for _ in range(5)]
    assert places[0] == places[2] == places[4] != places[1] == places[3]
    assert {p for place in places for p in place} == {a.data_ptr() for a in device.rooms}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_short_indices_train_and_evaluate_to_the_same_bits(play, architecture):
    play("at once")
    nets = []
    for device in ("cpu", "cuda"):
        cell, worlds = race(architecture)
        net = search.ensemble(cell, worlds)
        with Periods(cell, worlds, ahead=True, device=device) as periods:
            for left in ([0, 1, 2], [2, 0]):
                assert run_period(net, periods, 6, "cpu") == 12
                periods.keep(left), net.keep(left)
            X, T, y = periods.next()
            losses = net.losses(X, T, y), net.losses(X[1:], T[1:], y[1:], [1])
        assert T.dtype == (torch.int64 if device == "cpu" else torch.int16)
        nets.append([net.flat.detach(), *losses])
        assert torch.equal(encode(worlds[0].codes, X[0], T[0]), encode(worlds[0].codes, X[0], T[0].long()))
    assert all(torch.equal(a, b) for a, b in zip(*nets, strict=True))


@pytest.mark.parametrize("ahead", [False, True])
def test_a_race_that_is_cut_while_prompts_are_on_their_way_goes_on_with_the_same(play, ahead):
    play("at once")
    with Periods(*race(), ahead=ahead, device="cuda") as periods, Periods(*race()) as plain:
        periods.next(), plain.next(), periods.keep([2, 0]), plain.keep([2, 0])
        assert all(torch.equal(a, b) for a, b in zip(periods.states(), plain.states(), strict=True))
        X, _, _ = plain.next()
        assert torch.equal(periods.next()[0], X)
        assert all(torch.equal(a, b) for a, b in zip(periods.states(), plain.states(), strict=True))


def test_indices_are_short_where_all_fit_and_nothing_is_pinned_for_a_cpu(play):
    device = play("at once")
    with Periods(*race(), ahead=True) as periods:
        assert periods.next()[1].dtype == torch.int64
    assert device.pinned == device.rooms == []
    assert (index_type(SHORT), index_type(SHORT + 1)) == (torch.int16, torch.int64)
    assert torch.tensor([SHORT - 1]).to(index_type(SHORT)).item() == SHORT - 1  # the largest index of so long a prompt
    short, long = (Experiment(architecture="gru", N=N, d=1, d_e=1, width=1, test_size=1, check_every=1000)
                   for N in (SHORT, SHORT + 1))  # fmt: skip
    # two periods of 64,000 prompts of one index at each position, in eight bytes instead of two
    more = 2 * 64_000 * (6 * SHORT + 8 + 8)
    assert cell_bytes([long], "cuda") - cell_bytes([short], "cuda") == pytest.approx(more, rel=1e-3)
