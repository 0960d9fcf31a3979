"""A certificate against its rivals on the same weights, each at its best setting; the certificate is tightest.

Two networks, one drawn and one trained on the spot.  Linear relaxations may be optimised; the reference takes the
fewest steps that come near its best bounds, none where steps change little.  Times alone do not compare bounds of two
widths, so beside the ratio of times stand the rival's bounds over ours (``delta_ratio``, ``error_ratio``) and, as
``error_ratio_at_our_time``, those of the rival with as many steps as it can do in our time, or with none.

Tokens in a box are also bounded by the library auto_LiRPA where it is installed: by CROWN, its graphs being made before
the clock runs.
"""

import time
from importlib import util

import numpy as np
import pytest
import torch
from trained_specimens import drawn

from theorytools.codes.families import rademacher
from theorytools.trained.checkpoint import TrainedLayer
from theorytools.trained.leaks import Head, Tokens
from theorytools.trained.readout import Readout
from theorytools.training.adamw import AdamW
from theorytools.training.networks import SeparateAttention
from tools.benchmarks.auto_lirpa_bounds import graphs, largest_error
from tools.benchmarks.interval_bounds import interval_bounds
from tools.benchmarks.linear_bounds import SETTINGS, best_setting, linear_bounds


def of_training(steps):
    """The first network of docs/certify.md: one head that learns on Gaussian tokens, N = 8."""
    N, d, d_e = 8, 2, 10
    codes = torch.tensor(rademacher(N, d_e, np.random.default_rng(0)).matrix(), dtype=torch.float32)
    u, rng = torch.tensor([0.6, 0.8]), torch.Generator().manual_seed(0)
    net = SeparateAttention(d + 2 * d_e, heads=1, width=32)
    for weights in net.parameters():
        weights.data.uniform_(-0.2, 0.2, generator=rng)
    optimiser = AdamW(net.parameters(), lr=0.02, weight_decay=0.05)
    for _ in range(steps):
        X, T = torch.randn(64, N, d, generator=rng), torch.randint(N, (64, N), generator=rng)
        Z = torch.cat([X, codes.expand(64, N, d_e), codes[T]], dim=2)
        loss = ((net(Z) - torch.take_along_dim(X @ u, T, 1)) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return net, codes, u


@pytest.fixture(scope="module")
def layers():
    torch.set_num_threads(1)
    made = {
        "drawn": drawn("separate", 0, 32, 4, d_e=10, size=1.0, dtype=torch.float32),
        "trained": of_training(1200),
    }
    return {name: TrainedLayer.of(net.state_dict(), codes=codes, direction=u) for name, (net, codes, u) in made.items()}


def certified(layer, tokens):
    head = Head(layer, 0, 1, tokens)
    leaks = [head.leaks()]
    return {"delta": leaks[0].bound, "error": Readout(layer, tokens, (1,)).judge([head], leaks, (1.0,)).largest}


def seconds(function):
    start = time.process_time()
    return function(), time.process_time() - start


@pytest.mark.parametrize("kind", ["signs", "box"])
@pytest.mark.parametrize("network", ["drawn", "trained"])
@pytest.mark.parametrize("rival", ["intervals", "linear"])
def test_certificate_and_its_rivals(alternate, benchmark, layers, network, rival, kind):
    layer = layers[network]
    tokens = Tokens(kind, 1.0, layer.d)
    steps, best = best_setting(layer, tokens) if rival == "linear" else (0, None)
    bounds = interval_bounds if rival == "intervals" else lambda *given: linear_bounds(*given, steps)
    made, other = alternate(
        lambda: certified(layer, tokens), lambda: bounds(layer, tokens), unit="checkpoint", N=layer.N, d=layer.d,
        network=network, tokens=kind, program=f"own {rival}", rival_steps=steps,
    )  # fmt: skip
    best = best or other
    assert made["delta"] <= best["delta"]
    assert made["error"] < best["error"]
    facts = {f"{name}_ratio": best[name] / made[name] for name in made} | {f"our_{name}": made[name] for name in made}
    if rival == "linear":
        _, ours = seconds(lambda: certified(layer, tokens))
        timed = (seconds(lambda s=s: linear_bounds(layer, tokens, s)) for s in SETTINGS)
        fit = [found["error"] for found, spent in timed if spent <= ours] or [linear_bounds(layer, tokens, 0)["error"]]
        facts["error_ratio_at_our_time"] = min(fit) / made["error"]
    benchmark.extra_info |= facts


@pytest.mark.parametrize("program", ["auto_LiRPA"] if util.find_spec("auto_LiRPA") else ["own linear"])
def test_box_and_crown(alternate, benchmark, layers, program):
    """CROWN on the trained network, tokens in a box: the library where it is installed, else our own without steps."""
    layer, tokens = layers["trained"], Tokens("box", 1.0, 2)
    if program == "auto_LiRPA":
        made = graphs(layer, tokens.radius)
        rival = lambda: largest_error(made)  # noqa: E731
    else:
        rival = lambda: linear_bounds(layer, tokens, 0)["error"]  # noqa: E731
    ours, theirs = alternate(
        lambda: certified(layer, tokens)["error"], rival, unit="checkpoint", N=layer.N, d=layer.d, program=program,
    )  # fmt: skip
    assert ours < theirs
    benchmark.extra_info |= {"our_error": ours, "error_ratio": theirs / ours}
