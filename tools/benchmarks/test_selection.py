"""Stacked SGD on sparse token selection against single modules with autograd, and against our own single runs.

Five repeats of one cell, T = 20, q = 3, d = 5, d_e = 64, Gaussian encodings drawn anew for every prompt, with draws.
``ratio_single`` is the same hand-written step for one repeat at a time: what stacking alone brings.  Stacking pays as
long as a step is made of small operations: measured 1.7, 1.5, 1.3, 1.15 and 0.9 at batch 8, 16, 32, 64 and 256 on one
thread; from ``STACKED_BATCH`` on repeats train one at a time.
"""

import time

import pytest
import torch
from devices import device

from theorytools.papers.stsq.torch.selector import SelectorModule

STACKED_BATCH, Selection, SelectionSGD, draw_batch = device(
    "stsq/sweeps/_selection_sgd", "STACKED_BATCH", "Selection", "SelectionSGD", "draw_batch"
)

TASK = Selection(T=20, q=3, d=5, d_e=64, encodings="gauss", query="dual", longest=20)
REPEATS, RATE = 5, 0.5


def streams():
    return [torch.Generator().manual_seed(seed) for seed in range(REPEATS)]


def stacked(batch, steps):
    net, rngs = SelectionSGD(TASK, REPEATS, RATE), streams()
    for _ in range(steps):
        net.step(draw_batch(TASK, rngs, batch, TASK.T, [None] * REPEATS))
    return list(net.V)


def singly(batch, steps):
    found = []
    for rng in streams():
        net = SelectionSGD(TASK, 1, RATE)
        for _ in range(steps):
            net.step(draw_batch(TASK, [rng], batch, TASK.T, [None]))
        found.append(net.V[0])
    return found


def plain(batch, steps):
    found, width = [], TASK.d + TASK.d_e
    for rng in streams():
        module = SelectorModule(torch.zeros(TASK.d, width), torch.zeros(width, width))
        descent = torch.optim.SGD(module.parameters(), lr=RATE)
        for _ in range(steps):
            one = draw_batch(TASK, [rng], batch, TASK.T, [None])
            descent.zero_grad()
            loss = (module(one.X[0], one.E[0], one.e_y[0]) - one.s[0]).square().sum(1).mean()
            loss.backward()
            descent.step()
        found.append(module.V.detach())
    return found


def seconds(function):
    start = time.process_time()
    function()
    return time.process_time() - start


@pytest.mark.parametrize("batch", [8, 16, 32, 64, 256])
def test_selection(alternate, benchmark, batch):
    torch.set_num_threads(1)
    steps = max(4, 1024 // batch) if benchmark.enabled else 3
    candidate = stacked if batch < STACKED_BATCH else singly
    found, expected = alternate(
        lambda: candidate(batch, steps), lambda: plain(batch, steps), unit="step of one repeat",
        work=(REPEATS * steps,) * 2, rounds=5, batch=batch,
    )  # fmt: skip
    # float32: rounding of 1e-7 a step, over at most 128 steps that hardly amplify it
    assert torch.allclose(torch.stack(found), torch.stack(expected), atol=1e-4)
    if benchmark.enabled:
        pairs = [(seconds(lambda: singly(batch, steps)), seconds(lambda: stacked(batch, steps))) for _ in range(5)]
        benchmark.extra_info["ratio_single"] = sorted(a / b for a, b in pairs)[2]
