"""Networks on a fixed training set: gradients, decay outside the span, certificates, limits of their risk."""

import math

import numpy as np
import pytest
from devices import device

from theorytools import Budget, CertifiedSpan, CheckError
from theorytools.statistics.sampled import recorded_interval
from theorytools.training.sweep import run_group, sweep
from theorytools.training.trials.trial import trial_seed

fixed_set = device("qstr/sweeps/_span")

SPEC = {"N": 3, "d": 2, "n": 3, "repeat": 0, "width": 8, "optimiser": "descent", "labels": "own", "rate": "1/4",
        "decay": "1/64", "steps": 512, "tests": 4000}  # fmt: skip


def test_the_gradients_are_those_of_the_loss_by_central_differences():
    net, data = fixed_set.start(SPEC), fixed_set.prompts(SPEC, "train", 3)
    step = 1e-6

    def loss():
        return float(np.mean((net.hidden(data) @ net.a + net.b - data.y) ** 2)) / 2

    for part, slope in zip(net.parts, fixed_set.gradients(net, data), strict=True):
        flat, at = part.reshape(-1), part.size // 2
        kept = flat[at]
        flat[at] = kept + step
        above = loss()
        flat[at] = kept - step
        below = loss()
        flat[at] = kept
        # quadratic along each weight between kinks: what is left is rounding, 1e-16 / 1e-6
        assert (above - below) / (2 * step) == pytest.approx(slope.reshape(-1)[at], abs=1e-8)


def test_descent_shrinks_what_lies_outside_the_span_and_adamw_does_not():
    found = {}
    for optimiser, rate in (("descent", "1/4"), ("adamw", "1/256")):
        ((_, result),) = run_group(fixed_set.evaluate, [{**SPEC, "optimiser": optimiser, "rate": rate}])
        found[optimiser] = result.value
    one = found["descent"]
    factor = (1 - 1 / 256) ** 512
    assert one["off"][0] == pytest.approx(factor * one["off_0"][0], rel=1e-9)  # rounding: 512 steps of 1e-16
    assert found["adamw"]["off"][0] > one["off"][1]
    assert one["rank"] == 3
    assert one["low"] < one["risk"] < one["high"]
    # the certificate, by a second route: a projector in doubles
    net, data = fixed_set.trained(SPEC)
    beyond = net.W - net.W @ np.linalg.pinv(data.X) @ data.X
    assert one["off"][0] == pytest.approx(np.linalg.norm(beyond), rel=1e-9)
    assert one["lipschitz"][0] == pytest.approx(np.linalg.norm(net.a), rel=1e-12)
    loss = CertifiedSpan.of(data.X, N=3).bayes_loss(fixed_set.direction(SPEC).tolist())
    assert one["bayes"][0] <= float(loss) <= one["bayes"][1]


def test_arms_share_their_data_and_meet_the_sizes_of_the_sweep():
    small, large = (fixed_set.prompts({**SPEC, "optimiser": o}, "train", n) for o, n in (("adamw", 3), ("none", 9)))
    assert np.array_equal(small.X, large.X[:3])
    assert np.array_equal(small.t, large.t[:3])
    assert np.array_equal(small.y, large.y[:3])
    assert trial_seed("train", SPEC).entropy != trial_seed("test", SPEC).entropy
    groups = sweep("span").groups("published", "corrected")
    assert {g[0]["n"] * 8 // (g[0]["N"] * g[0]["d"]) for g in groups} == {1, 2, 4, 8, 16, 32, 64}
    assert {g[0]["arm"] for g in groups} == {"descent", "adamw", "shuffled labels", "untrained"}


def test_recorded_intervals_and_cut_errors_are_bounded():
    recipe = recorded_interval(0.25, 0.75, alpha=1e-6, samples=10)
    (estimate,) = recipe.steps(1e-5, Budget())
    assert estimate.floats == (0.25, 0.75)
    with pytest.raises(CheckError, match="1e-06"):
        next(recipe.steps(1e-7, Budget()))
    y = np.linspace(fixed_set.REACH, 40, 400_001)
    density = np.exp(-(y**2) / 2) / math.sqrt(2 * math.pi)
    hidden = 2 * np.trapezoid(((fixed_set.CLIP + y) ** 2 - fixed_set.TAU) * density, y)
    assert 0.5 * float(fixed_set.excess()) < hidden < float(fixed_set.excess())  # its two steps lose s^-2 each
