"""Networks with free attention scores: their forward pass, their training, their limits and their sweep."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from devices import CHECKS, device
from scipy.integrate import quad

from theorytools import CheckError, DomainError
from theorytools.claims.language.estimate import Budget
from theorytools.claims.language.ladder import Ladder
from theorytools.codes.families import hadamard
from theorytools.papers.qstr import FewHeads
from theorytools.papers.qstr.tasks.few_heads import FewTokens
from theorytools.statistics.clipped_error import Limits, clipped_gaussian_excess, least_recorded
from theorytools.training.sweep import load_sweep, run_group
from theorytools.training.trials.trial import canonical

attention, draw, initial, late_error, predict, task_of, train = device(
    "qstr/sweeps/_free_heads", "attention", "draw", "initial", "late_error", "predict", "task_of", "train",
)  # fmt: skip
cell, late_bound, evaluate = device("qstr/sweeps/heads", "cell", "late_bound", "evaluate")
HEADS = load_sweep(CHECKS / "qstr/sweeps/heads.py")

TINY = {"steps": 3, "batch": 8, "width": 5, "tests": 3000, "repeats": 2}


def stack(weights):
    return {name: w[None] for name, w in weights.items()}


@pytest.mark.parametrize("arm", ["free", "cross"])
def test_the_forward_pass_is_that_of_attention_on_orthonormal_codes(arm):
    (spec, _) = cell(arm, 3, 2, 2, **TINY)
    weights, task = initial(spec), task_of(spec)
    X = task.draw(np.random.default_rng(1), 4)
    got = predict(stack(weights), torch.from_numpy(X[None, :, : task.K]))[0].numpy()
    raw = {name: w.numpy() for name, w in weights.items()}
    for x, y in zip(X, got, strict=True):
        scores = raw["c"] + (raw["w"] @ x.T if arm == "cross" else 0)  # all N tokens, zero ones too
        pi = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        h = (pi @ np.hstack([x, np.eye(task.N)])).reshape(-1)
        for k in range(3):
            h = (np.maximum(h, 0) if k else h) @ raw[f"W{k}"] + raw[f"b{k}"][0]
        assert y == pytest.approx(h[0], rel=1e-12)  # a few dozen roundings of 1e-16


def test_weights_depend_on_tokens_only_with_a_block_between_positions_and_data():
    for arm, same in (("free", True), ("cross", False)):
        (spec, _) = cell(arm, 2, 1, 1, **TINY)
        X = torch.randn(1, 2, 3, 1, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
        pi = attention(stack(initial(spec)), X)
        assert torch.equal(pi[0, 0], pi[0, 1]) is same
        assert torch.allclose(pi.sum(-1), torch.ones(()).double(), rtol=1e-14)


@pytest.mark.parametrize(("arm", "link"), [("free", "sq"), ("linear", "lin")])
def test_labels_are_those_of_the_task(arm, link):
    (spec, _) = cell(arm, 3, 2, 1, **TINY)
    task = task_of(spec)
    assert task == FewTokens(8, 2, 3, link=link)
    X, y = draw(task, 5, [torch.Generator().manual_seed(k) for k in range(2)])
    padded = np.zeros((2, 5, 8, 2))
    padded[:, :, : task.K] = X.numpy()
    for member in range(2):
        assert y[member].numpy() == pytest.approx(task.labels(padded[member])[:, -1], rel=1e-12)


def test_members_of_a_stack_train_alone():
    specs = cell("cross", 2, 2, 2, **TINY)
    together, alone = train(specs), [train([spec]) for spec in specs]
    for name, w in together.items():
        for member in range(2):
            # the first steps of Adam divide gradients by themselves: roundings of 1e-16 become 1e-9 at worst
            assert torch.allclose(w[member], alone[member][name][0], rtol=1e-9, atol=1e-9)


def test_the_bounds_of_the_cells():
    assert late_bound("free", 3, 2, 1) == Fraction(4, 3)
    assert late_bound("cross", 3, 2, 1) == Fraction(2, 3)
    assert late_bound("cross", 3, 1, 1) == late_bound("linear", 3, 1, 1) == late_bound("free", 3, 1, 3) == 0
    published = HEADS.groups("published", "corrected")
    assert {late_bound(g[0]["arm"], g[0]["q"], g[0]["d"], g[0]["H"]) > 0 for g in published} == {True, False}
    assert all(
        (g[0]["tests"] == 2**20) == (late_bound(*(g[0][k] for k in ("arm", "q", "d", "H"))) > 0) for g in published
    )


def test_a_group_gives_limits_weights_and_numbers_that_a_record_can_hold():
    specs = cell("free", 2, 1, 2, **TINY)
    for spec, result in run_group(evaluate, specs):
        value = json.loads(canonical(result.value))
        limits = Limits.read(value["limits"])
        assert limits.low <= value["late_error"] <= limits.high
        assert limits.count == 3000
        assert limits.alpha == 1e-9
        assert Limits.read(value["untrained"]).count == 2**16
        assert np.array(value["weights"]).shape == (2, 8)
        again = late_error(spec, {k: v[spec["repeat"]][None] for k, v in train(specs).items()}, "test", 3000)
        assert again.mean == limits.mean  # the same stack gives the same bits


def test_limits_contain_an_exact_construction_and_truncation_hides_little():
    net = FewHeads(hadamard(8), math.log(1024), FewTokens(8, 1, 3), 1)
    X = net.task.draw(np.random.default_rng(7), 2**15)
    errors = np.square(net.task.labels(X) - net.predict(X).clip(-math.sqrt(3), 10))[:, -1]
    limits = Limits.of(errors, 1e-9, tau=138.0, excess=1e-6)
    assert limits.low < 4 / 3 < limits.high  # 2(1 - 1/3), q = K: attained at any temperature
    phi = lambda y: math.exp(-y * y / 2) / math.sqrt(2 * math.pi)  # noqa: E731
    for clip, tau in ((3, 64), (2, 30)):
        hidden = 2 * quad(lambda y, c=clip, t=tau: ((c + y) ** 2 - t) * phi(y), math.sqrt(tau) - clip, 20)[0]
        assert 0.01 * clipped_gaussian_excess(clip, tau) < hidden < clipped_gaussian_excess(clip, tau)
    with pytest.raises(DomainError, match="tau"):
        clipped_gaussian_excess(3, 9)


def test_the_least_of_several_networks():
    rows = [Limits(mean, 1.0, 100, mean - 0.1, mean + 0.2, 1e-9) for mean in (0.5, 0.3, 0.9)]
    estimate = Ladder(least_recorded(rows), 1e-8, Budget()).at(0)
    low, high = estimate.floats  # rounded outward to a grid of at most 2^-11 of the width
    assert (0.2 - 0.3 / 2**11 <= low <= 0.2, high) == (True, 0.5)
    assert estimate.alpha == pytest.approx(3e-9)
    assert estimate.work["samples"] == 300
    with pytest.raises(CheckError, match="at most"):
        Ladder(least_recorded(rows), 1e-9, Budget()).at(0)
    with pytest.raises(DomainError, match="network"):
        least_recorded([])
    with pytest.raises(DomainError):
        Limits.of([1.0, -1.0], 1e-9, tau=2.0, excess=0.0)
