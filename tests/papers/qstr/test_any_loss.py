"""Training losses of Theorem 6: slopes, exact minimisers and the deep descent, each against a second route."""

from fractions import Fraction

import numpy as np
import pytest
from devices import device

from theorytools import DomainError
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective, LinearReadout

F = Fraction
TrainingLoss, multiplied_gradient, LOSSES = device(
    "qstr/theorem_06/_losses", "TrainingLoss", "multiplied_gradient", "LOSSES"
)
DeepDescent, DeepNetwork, random_network = device(
    "qstr/theorem_06/_deep_training", "DeepDescent", "DeepNetwork", "random_network"
)
PIECES = [name for name in LOSSES if name != "logistic"]


def small(name, lam):
    rng = np.random.default_rng(3)
    X = rng.integers(-5, 6, (5, 3, 2))
    t, y = rng.integers(0, 3, 5).tolist(), [F(int(k)) for k in rng.integers(-4, 5, 5)]
    C = np.array(rng.integers(-3, 4, (3, 4)).tolist(), dtype=object) + F(0)
    return DecayedObjective(X, t, y, lam), C, TrainingLoss(name), rng


def objective(task, C, loss, W):
    residuals = [C[t] @ W @ x - y for t, x, y in zip(task.t, task.inputs, task.y, strict=True)]
    return sum(map(loss.value, residuals)) / task.n + task.lam / 2 * (W * W).sum()


@pytest.mark.parametrize("name", PIECES)
def test_slopes_are_those_of_the_loss(name):
    loss, h = TrainingLoss(name), F(1, 10**6)
    for r in (F(-3), F(-1, 2), F(0), F(1, 3), F(2)):
        below, above = ((loss.value(r + s * h) - loss.value(r)) / (s * h) for s in (-1, 1))
        assert all(abs(a - b) <= h for a, b in zip((below, above), loss.slopes(r), strict=True))


def test_the_logistic_slope_is_the_derivative_and_needs_integers():
    def value(r):
        return np.log2(1 + 2.0**r) + np.log2(1 + 2.0**-r)

    for r in (-2, 0, 1, 3):
        assert TrainingLoss("logistic").slopes(r)[0] == pytest.approx((value(r + 1e-5) - value(r - 1e-5)) / 2e-5)
    for wrong in (lambda: TrainingLoss("logistic").slopes(F(1, 2)), lambda: TrainingLoss("logistic").value(1),
                  lambda: TrainingLoss("cubic")):  # fmt: skip
        with pytest.raises(DomainError):
            wrong()


@pytest.mark.parametrize("lam", [F(1, 100), F(1, 3), F(9)])
@pytest.mark.parametrize("name", PIECES)
def test_no_layer_near_or_far_has_a_smaller_objective_than_the_minimiser(name, lam):
    task, C, loss, rng = small(name, lam)
    W, s = loss.minimiser(task, C)
    assert loss.misfit(task, W, LinearReadout(C), s) == 0
    assert not multiplied_gradient(task, W, LinearReadout(C), s).any()
    least = objective(task, C, loss, W)
    for size in (F(1), F(1, 10), F(1, 10**4)):
        step = size * np.array(rng.integers(-3, 4, W.shape).tolist(), dtype=object)
        assert objective(task, C, loss, W + step) > least


def deep(name, **changed):
    rng = np.random.default_rng(5)
    X, t = rng.integers(-90, 91, (4, 6)), rng.integers(0, 3, 4)
    given = {"rate": F(1, 8), "decay": F(1, 4), "all_layers": True, **changed}
    task = DeepDescent(X, t, 2 * rng.standard_normal(4), TrainingLoss(name), **given)
    return task, random_network(rng, X, 3, 5, F(1, 16))


@pytest.mark.parametrize("name", LOSSES)
def test_a_step_of_the_deep_descent_follows_the_loss(name):
    """One step on W alone, with the decay taken out, is the difference quotient of the mean loss in every entry."""
    task, net = deep(name, all_layers=False)
    values = {"logistic": lambda r: np.log2(1 + 2.0**r) + np.log2(1 + 2.0**-r)}
    loss = values.get(name) or (lambda r: np.array([float(TrainingLoss(name).value(F(x))) for x in r]))

    def mean(W):
        h = np.maximum(task.X / 64 @ W.T + net.b[task.t], 0)
        return loss((np.maximum(np.maximum(h @ net.A1.T, 0) @ net.A2.T, 0) @ net.a)[:, 0] - task.y).mean()

    after = task.descend(net, 1, decay=False)
    slope = (net.rounded - after.rounded) / float(task.rate)
    assert np.abs(slope).max() > 0.01
    for row, column in np.ndindex(slope.shape):
        step = np.zeros_like(slope)
        step[row, column] = 1e-6
        quotient = (mean(net.rounded + step) - mean(net.rounded - step)) / 2e-6
        assert slope[row, column] == pytest.approx(quotient, abs=1e-5)


def test_the_deep_descent_keeps_its_dyadic_numbers_and_learns():
    task, net = deep("absolute")
    after = task.descend(net, 40)
    assert task.training_risk(after) < task.training_risk(net)
    assert np.allclose(after.W.astype(float), after.rounded)
    still = task.descend(net, 0)
    assert (still.W == net.W).all()
    for wrong in ({"rate": F(1, 3)}, {"rate": F(1)}, {"decay": F(3, 4)}):
        with pytest.raises(DomainError):
            deep("absolute", **wrong)


def test_the_lipschitz_constant_of_a_deep_network_bounds_its_differences():
    _, net = deep("huber")
    steep, points = float(net.lipschitz().upper.value), np.random.default_rng(7).standard_normal((200, 6))
    Z, values = points @ net.rounded.T, net.predictions(points, np.zeros(200, dtype=int))
    gaps = np.linalg.norm(Z[:, None] - Z, axis=2)
    assert (np.abs(values[:, None] - values) <= steep * gaps + 1e-9).all()
