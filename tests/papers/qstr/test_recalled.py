"""What is enclosed of a GRU that recalls signs: its risk, its slope, and the bits that its answers need."""

import itertools
import math

import numpy as np
import pytest
import torch
from devices import device

(recaller,) = device("qstr/proposition_35/_recalled", "recaller")


@pytest.fixture(scope="module")
def net():
    return recaller(3, np.random.SeedSequence(7), 150)


def prompts():
    return torch.tensor(list(itertools.product((-1.0, 1.0), repeat=3)), dtype=torch.float64)


def test_the_risk_is_that_of_all_prompts(net):
    X = prompts()
    answers = net.cell(X[..., None])[1][0].numpy() @ net.W.T + net.b
    observed = float(((answers - X.numpy()) ** 2).mean())
    assert 0.001 < observed <= net.risk <= observed * (1 + 1e-6)


def test_the_slope_is_the_largest_norm_of_a_row(net):
    norms = np.sqrt((net.W**2).sum(1))
    assert norms.max() <= net.slope <= norms.max() * (1 + 1e-9)


def test_the_need_is_fanos_for_each_sign(net):
    found = net.certificate(3, 0.01)
    p = (math.sqrt(net.risk) + 0.01) ** 2
    entropy = -(p * math.log2(p) + (1 - p) * math.log2(1 - p))
    assert found.need == pytest.approx(3 * (1 - entropy), abs=3e-8)
    assert found.need <= 3 * (1 - entropy)
    assert found.resolution == 0.01 / net.slope
    steep = net.certificate(3, 0.01, steeper=10.0)
    assert (steep.resolution, steep.bits) == (found.resolution, found.bits)
    assert steep.need < found.need


def test_a_network_that_forgets_knows_the_last_sign_only(net):
    X = prompts()
    states = net.forgetful().cell(X[..., None])[1][0].numpy()
    assert len({tuple(np.round(state, 12)) for state in states}) == 2
    assert net.forgetful().certificate(3, 0.01).states == (2, 2)
    assert net.certificate(3, 0.01).states == (8, 8)  # the network itself is as it was


def test_networks_are_trained_once_for_a_seed(net):
    assert recaller(3, np.random.SeedSequence(7), 150) is net
    assert recaller(3, np.random.SeedSequence(8), 2) is not net
