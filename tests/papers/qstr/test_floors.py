"""Trained networks that see the index only partly: what is shown, what is asked for, and what is measured."""

import json
from fractions import Fraction

import pytest
import torch
from devices import CHECKS, device

from theorytools.papers.qstr.memory.index_blind import partial_index_risk
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.prompts import World, generator, labels
from theorytools.papers.qstr.training.reference import evaluate, model
from theorytools.papers.qstr.training.stacks.ensemble import ensemble
from theorytools.statistics.clipped_error import Limits
from theorytools.training.sweep import load_sweep, run_group
from theorytools.training.trials.trial import canonical

_floors = device("qstr/sweeps/floors")
ARMS, cell, floor, losses, source, spoiled_world = device(
    "qstr/sweeps/floors", "ARMS", "cell", "floor", "losses", "source", "spoiled_world",
)  # fmt: skip
FLOORS = load_sweep(CHECKS / "qstr/sweeps/floors.py")


ONE = Experiment(architecture="transformer", N=4, d=3, d_e=16, width=9)


@pytest.mark.parametrize("N", [2, 4, 8])
def test_the_floors_are_those_of_partly_seen_indices(N):
    assert floor("pair", N) == partial_index_risk([0, 0, *range(2, N)])
    assert floor("blind", N) == partial_index_risk([0] * N)
    assert floor("distinct", N) == partial_index_risk(list(range(N))) == 0
    assert floor("labels", N) == 1


def test_what_is_shown_and_what_is_asked_for():
    world = World.of(ONE)
    for arm in ARMS:
        X, T, y = source(arm, ONE, spoiled_world(arm, world), generator(ONE, "test"))(64)
        own = labels(ONE, world, X, T)
        assert torch.equal(own, y) is (arm in ("distinct", "pair"))
        values = X @ world.u
        among = (y[..., None] == values[:, None]).any(-1)  # whether the label is that of a token of the prompt
        assert bool(among.all()) is (arm != "labels")
    pair = spoiled_world("pair", world).codes
    assert torch.equal(pair[0], pair[1])
    assert torch.equal(pair[2:], world.codes[2:])
    assert len(torch.unique(world.codes, dim=0)) == 4
    assert spoiled_world("blind", world) is world


def test_losses_are_those_of_the_plain_module_in_the_cells_of_the_sweep():
    world = World.of(ONE)
    net = ensemble([ONE], [world])
    (found,) = losses(net, [source("distinct", ONE, world, generator(ONE, "test"))], 3000, 1e-9)
    tests = source("distinct", ONE, world, generator(ONE, "test"))(3000)
    plain = evaluate(model(ONE, generator(ONE, "weights")), world.codes, tests)
    # float32 forward passes; no untrained prediction reaches the clip
    assert found.mean == pytest.approx(plain, rel=1e-5)
    assert found.low < plain < found.high
    groups = FLOORS.groups("published", "corrected")
    assert {(g[0]["arm"], g[0]["architecture"], g[0]["N"]) for g in groups} >= {(a, "ffn", 4) for a in ARMS}
    assert all(Fraction(s["level"]) == Fraction(1, 10**9) for g in groups for s in g)
    assert {(g[0]["N"], g[0]["tests"]) for g in groups} == {(4, 2**18), (8, 2**19)}


def test_groups_are_measured_before_and_after_and_learn_what_they_can():
    specs = cell("pair", "ffn", 4, repeats=2, steps=4, tests=5000)
    values = [json.loads(canonical(result.value)) for _, result in run_group(_floors.evaluate, specs)]
    assert [value["codes"] for value in values] == [3, 3]
    for value in values:
        assert Limits.read(value["limits"]).count == 5000
        assert Limits.read(value["untrained"]).count == 2**15
        assert value["loss"] == value["limits"]["mean"] > 0.25
    ((_, result),) = run_group(_floors.evaluate, cell("distinct", "transformer", 4, repeats=1, steps=100, tests=1024))
    assert result.value["loss"] < 0.9 * result.value["untrained"]["mean"]
