"""SGD on all weights of sparse token selection: gradients, stacking, what is read off, the reduced training."""

import numpy as np
import pytest
import torch
from devices import device

from theorytools import DomainError
from theorytools.papers.stsq import SelectionFlow
from theorytools.papers.stsq.selection.loss import orthonormal_loss
from theorytools.papers.stsq.torch.selector import SelectorModule

Selection, SelectionSGD, draw_batch = device("stsq/sweeps/_selection_sgd", "Selection", "SelectionSGD", "draw_batch")

selection = device("stsq/sweeps/_selection")

TASK = {"T": 6, "q": 2, "d": 3, "d_e": 8, "encodings": "gauss", "query": "dual", "longest": 8}


def task(**change):
    return Selection(**{**TASK, **change})


def generators(*seeds):
    return [torch.Generator().manual_seed(seed) for seed in seeds]


def trained(one, seeds, steps, rate=0.5, size=16):
    rngs = generators(*seeds)
    fixed = [one.fixed(rng, torch.float64) for rng in rngs]
    net = SelectionSGD(one, len(seeds), rate, torch.float64)
    for _ in range(steps):
        net.step(draw_batch(one, rngs, size, one.T, fixed, torch.float64))
    return net, draw_batch(one, rngs, size, one.longest, fixed, torch.float64)


@pytest.mark.parametrize(
    "change", [{}, {"encodings": "rad", "query": "sum"}, {"encodings": "orth"}, {"encodings": "frozen"}]
)
def test_a_step_is_that_of_autograd_on_the_full_module(change):
    one = task(**change)
    net, batch = trained(one, [1, 2], 5)
    V, W = net.V.clone(), net.W.clone()
    net.step(batch)
    for r in range(2):
        whole = torch.cat([torch.zeros(one.d + one.d_e, one.d, dtype=torch.float64), W[r]], dim=1)
        module = SelectorModule(V[r].clone(), whole)
        loss = (module(batch.X[r], batch.E[r], batch.e_y[r]) - batch.s[r]).square().sum(1).mean()
        loss.backward()
        # one step of sums of at most 16 * 8 * 11 doubles of order one
        assert torch.allclose(net.V[r], V[r] - 0.5 * module.V.grad, atol=1e-13, rtol=0)
        assert torch.allclose(net.W[r], W[r] - 0.5 * module.W.grad[:, one.d :], atol=1e-13, rtol=0)
        assert not module.W.grad[:, : one.d].any()  # the columns that are not held never move


@pytest.mark.parametrize("encodings", ["gauss", "frozen"])
def test_stacked_repeats_are_single_runs(encodings):
    together, _ = trained(task(encodings=encodings), [1, 2, 3], 20)
    for r, seed in enumerate((1, 2, 3)):
        alone, _ = trained(task(encodings=encodings), [seed], 20)
        # the same sums, at most in another order, over 20 steps without growth
        assert torch.allclose(together.V[r], alone.V[0], atol=1e-12, rtol=0)
        assert torch.allclose(together.W[r], alone.W[0], atol=1e-12, rtol=0)


def test_layers_and_banks_on_the_manifold():
    net = SelectionSGD(task(encodings="orth"), 1, 0.5, torch.float64)
    assert net.read_off()[0] == {"alpha": 0, "beta": 0, "off_W": 0, "off_V": 0, "off_x": 0}
    P = torch.zeros(8, 8, dtype=torch.float64)
    P[:6, :6] = torch.eye(6, dtype=torch.float64) - 1 / 6
    net.V[0, :, :3], net.W[0, 3:] = 2 * torch.eye(3), 3 * P
    read = net.read_off()[0]
    assert (read["alpha"], read["beta"]) == pytest.approx((2, 3), rel=1e-14)
    assert max(read["off_W"], read["off_V"], read["off_x"]) < 1e-15  # rounding of 1/6
    net.W[0, 0, 0] = 4.0
    assert net.read_off()[0]["off_x"] == pytest.approx(4 / np.sqrt(16 + 9 * 5), rel=1e-14)  # |P|^2 = T - 1
    flow = SelectionFlow(6, 2, 3, 5)
    scores = selection.score_vectors({"encodings": "orth", "q": 2, "d_e": 5}, None, 1, 6)
    times, rate = (5.0, 15.0), 1 / 64
    found = selection.reduced_training(scores, q=2, d=3, d_e=5, rate=rate, marks=[round(t / rate) for t in times])
    exact = flow.simulate(times)
    for (alpha, beta), a, b in zip(found, exact["alpha"], exact["beta"], strict=True):
        # Euler's error is of the order of the step, 1/64, times changes of order one
        assert (alpha, beta) == pytest.approx((a, b), abs=0.03)
    loss = selection.bank_loss(scores, 1.5, np.log(3), 2, 3)
    assert loss == pytest.approx(float(orthonormal_loss(6, 2, 3, 3, "3/2")), rel=1e-13)


def test_drawn_queries_and_banks_have_the_scores_of_their_laws():
    batch = draw_batch(task(), generators(5), 50, 6, [None], torch.float64)
    scores = (batch.E[0] @ batch.e_y[0][..., None])[..., 0]
    # Gram matrices of two of 8 dimensions; conditioned below 1e4 in 50 draws
    assert ((scores - 1).abs() < 1e-10).sum(1).tolist() == [2] * 50
    rng = np.random.default_rng(0)
    spec = {"encodings": "gauss", "q": 2, "d_e": 8}
    bank = selection.score_vectors(spec, rng, 40_000, 6)
    # the mean square of a score off the set is q/(nu - 2) = 2/5; nu = 7, four standard errors of 160000 draws
    assert (bank[:, 2:] ** 2).mean() == pytest.approx(0.4, abs=0.02)
    signs = selection.score_vectors({**spec, "encodings": "rad"}, rng, 2000, 6)
    assert set(np.unique(np.round(signs * 8).astype(int) % 2)) == {0}  # sums of two sums of 8 signs are even
    assert signs[:, :2].mean() == pytest.approx(1, abs=0.05)  # deviation 1/sqrt(8 * 4000)


@pytest.mark.parametrize("change", [{"q": 6}, {"d_e": 3}, {"encodings": "orth", "d_e": 7}, {"longest": 5},
                                    {"encodings": "rad"}, {"query": "lp"}])  # fmt: skip
def test_refusals(change):
    with pytest.raises(DomainError):
        task(**change)
