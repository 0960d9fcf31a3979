"""The deep read-out in rationals against automatic differentiation, and losses against their slopes."""

from fractions import Fraction

import numpy as np
import pytest
from devices import device

from theorytools import DomainError
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective
from theorytools.tasks.sparse_regression import SLOPES, slope_of

DeepReadout = device("qstr/definition_05/_deep_readout").DeepReadout
LOSSES = {
    "squared": lambda r: r * r / 2,
    "absolute": abs,
    "huber": lambda r: r * r / 2 if abs(r) <= 1 else abs(r) - 0.5,
    "quantile": lambda r: max(r / 4, -3 * r / 4),
    "fair": lambda r: abs(r) - np.log1p(abs(r)),
}


@pytest.mark.parametrize("loss", SLOPES)
def test_a_slope_is_that_of_its_loss(loss):
    for r in (-2.5, -0.25, 0.5, 3.0):
        change = LOSSES[loss](r + 1e-6) - LOSSES[loss](r - 1e-6)
        assert float(slope_of(loss)(Fraction(r))) == pytest.approx(change / 2e-6, abs=1e-5)


def test_an_unknown_loss_is_refused():
    with pytest.raises(DomainError, match="squared, absolute"):
        slope_of("logistic")
    X = np.ones((1, 1, 1), dtype=int)
    with pytest.raises(DomainError, match="makes the equations linear"):
        DecayedObjective(X, [0], [Fraction(1)], Fraction(1), "huber").stationary(X[0].astype(object))


@pytest.mark.parametrize("loss", SLOPES)
def test_value_gradient_and_step_by_automatic_differentiation(loss):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(3)
    f = DeepReadout.random(rng, N=3, m=5, width=4, depth=3)
    X, t = rng.integers(-2, 3, (4, 3, 2)), [0, 2, 1, 0]
    task = DecayedObjective(X, t, [Fraction(k, 3) for k in (5, -4, 2, 1)], Fraction(1, 2), loss)
    W = np.array(rng.integers(-2, 3, (5, 6)).tolist(), dtype=object) * Fraction(1, 8)

    layers = [torch.tensor(M.astype(float), requires_grad=True) for M in f.layers]
    first = torch.tensor(W.astype(float), requires_grad=True)
    total = 0
    for i, x, y in zip(t, task.inputs.astype(float), task.y, strict=True):
        h = first @ torch.tensor(x) + torch.tensor(f.embeddings[i].astype(float))
        for M in layers:
            h = M @ torch.relu(h)
        r = h[0] - float(y)
        total = total + float(slope_of(loss)(Fraction(r.item()))) * h[0] / 4  # the chain rule at fixed slopes
        assert float(f(i, W @ np.array(x, dtype=object).astype(int))[0]) == pytest.approx(h[0].item())
    total.backward()
    assert task.loss_gradient(W, f).astype(float) == pytest.approx(first.grad.numpy())
    moved = f.step(task, W, Fraction(1, 4))
    for M, after, auto in zip(f.layers, moved.layers, layers, strict=True):
        assert (M - after).astype(float) == pytest.approx(auto.grad.numpy() / 4, abs=1 / 1024)
