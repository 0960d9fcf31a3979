"""A certificate against intervals and linear relaxations of the same weights: all hold, the certificate is tightest."""

import pytest
import torch
from benchmarks.interval_bounds import interval_bounds
from benchmarks.linear_bounds import linear_bounds
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


def rival(bounds):
    found = bounds(LAYER, TOKENS)
    return found["delta"], found["error"]


@pytest.mark.parametrize("bounds", [interval_bounds, linear_bounds], ids=["intervals", "linear"])
def test_certificate_and_its_rivals(alternate, bounds):
    made, other = alternate(certified, lambda: rival(bounds), unit="checkpoint", N=N, d=d)
    assert made[0] <= other[0]
    assert made[1] < other[1]
