"""A certificate against plain interval bounds of the same weights: both hold, the certificate is tighter."""

import torch
from benchmarks.interval_bounds import interval_bounds
from trained.trained_specimens import drawn

from theorytools.trained.layer import TrainedLayer
from theorytools.trained.leaks import Head, Tokens
from theorytools.trained.readout import Readout

N, d = 32, 4
MODULE, CODES, U = drawn("separate", 0, N, d, d_e=10, size=1.0, dtype=torch.float32)
LAYER, TOKENS = TrainedLayer.of(MODULE.state_dict(), codes=CODES, direction=U), Tokens("signs", 1.0, d)


def certified():
    head = Head(LAYER, 0, 1, TOKENS)
    leaks = [head.leaks()]
    return leaks[0].bound, Readout(LAYER, TOKENS, (1,)).judge([head], leaks, (1.0,)).largest


def by_intervals():
    found = interval_bounds(LAYER, TOKENS)
    return found["delta"], found["error"]


def test_certificate_and_interval_bounds(alternate):
    made, plain = alternate(certified, by_intervals, unit="checkpoint", N=N, d=d)
    assert made[0] <= plain[0]
    assert made[1] < plain[1]
