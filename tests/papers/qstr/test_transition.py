"""Bounded transitions, and attention on a fixed set of prompts beside least norm."""

import numpy as np
import pytest
import torch
from devices import device

from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.prompts import World, draw, generator
from theorytools.training.sweep import run_group, sweep

information = device("qstr/sweeps/information")
transition = device("qstr/sweeps/_transition")

CELLS = ("residual", "plain")


def experiment(**changes):
    fixed = {"architecture": "rnn", "N": 4, "d": 2, "task": "simple", "width": 6, "cap": 64, "check_every": 1}
    return Experiment(**{**fixed, "test_size": 40, **changes})


@pytest.mark.parametrize("cell", CELLS)
def test_the_stack_is_the_recursion_of_its_members_and_obeys_its_bound(cell):
    nets = transition.Transitions([experiment(repeat=k) for k in range(2)], cell, 3)
    Z = torch.randn(2, 5, 4, experiment().D_e, generator=torch.Generator().manual_seed(1))
    w = {name: part.detach().numpy() for name, part in nets.weights.items()}
    for m in range(2):
        h = np.zeros((5, 3))
        for j in range(4):
            r = np.maximum(h @ w["U"][m] + Z[m, :, j].numpy() @ w["V"][m] + w["b"][m], 0)
            h = h + r @ w["W2"][m] if cell == "residual" else r
        expected = (h @ w["last"][m] + w["c"][m])[:, 0]
        # float32 against float64: about 50 roundings of 6e-8 of numbers of size 1
        assert nets.predict(Z)[m].detach().numpy() == pytest.approx(expected, abs=1e-5)
    nets = transition.Transitions([experiment()], cell, 3)
    product = np.prod(
        [np.linalg.norm(nets.weights[k].detach().numpy()[0], 2) for k in ("U", "W2") if k in nets.weights]
    )
    assert nets.steepness().item() == pytest.approx(product, rel=1e-5)  # float32
    kept = {name: part.detach().clone() for name, part in nets.weights.items()}
    nets.bound(100.0)
    assert all(torch.equal(kept[name], part) for name, part in nets.weights.items())
    nets.bound(0.125)
    assert nets.steepness().item() == pytest.approx(0.125, rel=1e-5)
    assert all(torch.equal(kept[name], part) for name, part in nets.weights.items() if name != "U")


def test_bounded_runs_are_censored_and_least_norm_is_the_projection():
    own = {"kind": "transition", "arm": "x", "cell": "residual", "state": 3, "bound": "1/4", "labels": "shuffled"}
    specs = [{**experiment(repeat=k).spec(), **own} for k in range(2)]
    for _, result in run_group(transition.evaluate, specs):
        assert result.value["steepness"] <= 0.25 * (1 + 1e-5)
        assert (result.status, result.value["samples"]) == ("censored", 64)
    one = experiment(d=5, N=4)
    world = World.of(one)
    X, T, _ = draw(one, world, generator(one, "train"), 3, True)
    rows = X[torch.arange(3), T[:, 0, 0]].double().numpy()
    Q = np.linalg.qr(rows.T)[0]
    u = world.u.double().numpy()
    # labels are float32: the estimate moves by 1e-7 times the inverse of the least singular value
    assert information.least_norm(one, 3) == pytest.approx(u @ u - np.square(Q.T @ u).sum(), abs=1e-5)
    assert information.least_norm(one, 5) == pytest.approx(0, abs=1e-5)


def test_attention_on_a_fixed_set_fits_it_and_the_sweep_has_its_sizes():
    fixed = {**experiment(architecture="transformer", width=30, cap=64 * 150).spec(), "kind": "information"}
    own = {"arm": "attention", "learner": "attention", "labels": "own", "n": 3}
    ((_, result),) = run_group(information.evaluate, [{**fixed, **own}])
    ((_, blank),) = run_group(information.evaluate, [{**fixed, **own, "labels": "none"}])
    assert result.value["train"] < blank.value["train"]
    arms = sweep("information").arms("published", "corrected")
    assert {"attention", "least norm", "shuffled labels", "untrained"} == set(arms)
    assert min(group[0]["n"] for group in arms["attention"]) == 5
