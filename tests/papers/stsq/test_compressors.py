"""Trained fully-connected networks on sparse token selection: the program, its laws, its certificates."""

from fractions import Fraction

import pytest
import torch
from devices import device

from theorytools.theory.first_layers.bottleneck import compressor_risk
from theorytools.training.sweep import run_group, sweep
from theorytools.training.trials.trial import trial_generator

compressors = device("stsq/sweeps/_compressors")

SPEC = {"T": 4, "d": 2, "q": 2, "m": 3, "width": 8, "batch": 16, "steps": 3, "rate": "1/500", "tests": 2**13,
        "level": "1/1000000000", "repeat": 0}  # fmt: skip
ROWS = [{**SPEC, "repeat": repeat} for repeat in (0, 1)]


def streams(role):
    return [trial_generator(role, spec, 32) for spec in ROWS]


def test_draws_are_means_and_results_hold_limits_and_certificate():
    X, chosen, s = compressors.draw(SPEC, streams("test"), 5)
    assert chosen.sum(-1).tolist() == [[2.0] * 5] * 2
    for r in range(2):
        for tokens, places, target in zip(X[r].view(5, 4, 2), chosen[r], s[r], strict=True):
            assert torch.allclose(tokens[places.bool()].mean(0), target, atol=1e-6)  # float32 sums of two
    net = compressors.Compressors(ROWS)
    for part in net.parameters:
        part.data.zero_()
    for row in compressors.limits(net, SPEC, streams("test"), 1e-6):
        assert row.low < 1 < row.high
    for _, result in run_group(compressors.evaluate, ROWS):
        value = result.value
        assert value["limits"]["low"] < value["loss"] < value["limits"]["high"]
        assert compressor_risk(3, 4, 2, 2) <= Fraction(value["certificate"]) < value["limits"]["high"]
        assert value["rank"] == 3


def test_stacked_networks_are_plain_modules_and_single_runs():
    net = compressors.train(ROWS, streams("train"))
    X, chosen, _ = compressors.draw(SPEC, streams("test"), 7)
    for r, spec in enumerate(ROWS):
        alone = compressors.train([spec], [trial_generator("train", spec, 32)])
        layers = [torch.nn.Linear(W.shape[1], W.shape[2]) for W in net.maps[1:]]
        for layer, W, b in zip(layers, net.maps[1:], net.biases, strict=True):
            layer.weight.data, layer.bias.data = W[r].detach().mT.clone(), b[r, 0].detach().clone()
        module = torch.nn.Sequential(layers[0], torch.nn.ReLU(), layers[1], torch.nn.ReLU(), layers[2])
        plain = module(torch.cat([X[r] @ net.maps[0][r], chosen[r]], dim=1))
        # float32, sums of at most 11 terms; Adam's first steps have size rate whatever the gradient's rounding
        assert torch.allclose(net.predict(X, chosen)[r], plain, atol=1e-5)
        assert torch.allclose(net.maps[0][r], alone.maps[0][0], atol=1e-4)


@pytest.mark.parametrize("profile", ["smoke", "published", "wide"])
def test_the_sweep_has_the_widths_of_the_rule(profile):
    groups = sweep("compressors").groups(profile, "corrected")
    assert {g[0]["m"] for g in groups if g[0]["arm"] == "trained"} == {2, 4, 8, 12, 16}
    assert all(spec["steps"] == 0 for g in groups for spec in g if spec["arm"] == "untrained")
