"""Whole Transformers with few heads: what is trained and tested, and the floor under fewer heads than indices."""

import numpy as np
import pytest
import torch
from devices import device

from theorytools.training.sweep import run_group, sweep

runner = device("qstr/sweeps/_merged_heads")
heads = device("qstr/theorem_01/trained_heads")


def specs(link="sq", **sizes):
    cell = sweep("merged_heads").groups("smoke", "corrected")[0]
    return [{**spec, "link": link, **sizes} for spec in cell]


@pytest.mark.parametrize("link", ["sq", "lin"])
def test_a_network_that_says_nothing_has_loss_one(link):
    """Losses are over the variance of a label, which is 2 for squared norms."""
    experiments = [runner.Experiment.within(spec) for spec in specs(link)]
    worlds = [runner.world(e) for e in experiments]
    net = runner.ensemble(experiments, worlds)
    net.weights["last"].zero_()
    tests = runner.fresh(experiments, worlds, [torch.Generator().manual_seed(k) for k in (1, 2)], 4000)
    assert runner.losses(net, tests).mean(1).tolist() == pytest.approx([1, 1], rel=0.1)


def test_training_moves_the_loss_and_repeats_give_the_same_numbers():
    found = [[result.value for _, result in run_group(runner.evaluate, specs(cap=640, test_size=200))] for _ in "ab"]
    assert found[0] == found[1]
    assert all(one["loss"] != one["untrained"] for one in found[0])


@pytest.mark.parametrize(("N", "q", "d", "H"), [(8, 2, 8, 1), (8, 3, 8, 2), (6, 3, 4, 1)])
def test_heads_that_copy_stay_above_the_floor(N, q, d, H):
    """H heads that copy H of the indexed tokens, and the own token where it is indexed, leave (q' - H) / q."""
    at = heads.least(H).subs({heads.N: N, heads.q: q, heads.d: d, heads.H: H})
    copied = (1 - q / N) * max(0, q - H) / q + q / N * max(0, q - 1 - H) / q
    assert 0 < float(at) < copied
    far = heads.least(H).subs({heads.N: N, heads.q: q, heads.d: 10**9})
    assert float(far) == pytest.approx(copied)  # in many dimensions scores that see tokens are worth nothing


def test_scores_that_see_a_coordinate_know_it_and_no_more():
    """The variance that one head leaves of a sum of squares, by the projection on the kernel of what it sees."""
    rng, N, q, d = np.random.default_rng(0), 8, 3, 5
    K = np.linalg.svd(rng.random((1, N - 1)))[2][1:]  # a basis of what one combination of 7 tokens does not tell
    P = np.diag([1.0] * q + [0.0] * (N - 1 - q))
    left = 2 * np.trace((K.T @ K @ P) @ (K.T @ K @ P)) * (d - 1) / (2 * q * d)
    at = float(heads.least(1).subs({heads.N: 10**9, heads.q: q, heads.d: d}))
    assert at == pytest.approx((q - 1) * (d - 1) / (q * d), rel=1e-6)
    assert left >= at
