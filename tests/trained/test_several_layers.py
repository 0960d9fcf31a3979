"""Label errors of several layers of attention: against every prompt of small classes, from both sides, set by set."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from layer_specimens import drawn_layers, pointer_network
from tail_specimens import all_prompts

from theorytools.blocks.network import Head
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers.boxes import Box, exact
from theorytools.trained.worst import cutting, several_layers, worst_prompt
from theorytools.trained.worst.averaged_sets import Weights
from theorytools.trained.worst.prompts import Prompts
from theorytools.trained.worst.several_layers import layers_error
from theorytools.trained.worst.worst_prompt import Errors

SMALL = Prompts(3, 1, 1)
HAIR = 1e-12
CAUSAL = np.tril(np.ones((3, 3), dtype=bool))
CLASSES = [
    (SMALL, {}, 1),
    (SMALL, {"heads": 2, "beta": 3.0}, 2),
    (SMALL, {"between": "relu", "residual": False}, 2),
    (Prompts(3, 1, 1, radius=0.5), {"mask": CAUSAL, "beta": 4.0}, 1),
    (Prompts(3, 1, 2), {"at": 2}, 1),
    (Prompts(2, 2, 2), {"between": "norm"}, 2),
]


def judged(number, seed):
    prompts, more, hops = CLASSES[number]
    network, u = drawn_layers(prompts, seed, **more), np.random.default_rng(seed).standard_normal(prompts.d)
    X, T, _ = all_prompts(prompts)
    return network, prompts, u, hops, Errors(network, prompts, u, hops)(X, T)


@pytest.mark.parametrize("number", range(len(CLASSES)))
def test_it_is_what_the_worst_of_all_prompts_attains(number, monkeypatch):
    """A label of the first hop for that of the second, a key that is masked, what one head reads added to another's."""
    monkeypatch.setattr(worst_prompt, "DRAWN", 1)
    network, prompts, u, hops, errors = judged(number, number)
    truth = float(np.abs(errors).max())
    found = layers_error(network, prompts, u, hops=hops)
    assert truth * (1 - HAIR) <= found.upper <= truth * (1 + 1e-9)
    assert found.exact
    assert found.value == pytest.approx(truth, rel=1e-12)


@pytest.mark.parametrize("number", range(len(CLASSES)))
def test_with_little_work_it_is_above_all_prompts_and_is_not_called_exact(number, monkeypatch):
    """Cases that are left uncut and forgotten."""
    monkeypatch.setattr(cutting, "WORK", 1)
    for seed in range(3):
        network, prompts, u, hops, errors = judged(number, seed)
        truth = float(np.abs(errors).max())
        found = layers_error(network, prompts, u, hops=hops)
        assert truth * (1 - HAIR) <= found.upper
        assert found.exact == (found.upper <= truth * (1 + 1e-9))


@pytest.mark.parametrize("number", range(len(CLASSES)))
def test_the_bound_of_a_set_is_above_each_prompt_in_it(number):
    """Own states that are averaged over, hulls of another position, pointers that are followed through one state."""
    network, prompts, u, hops, errors = judged(number, number)
    layers = several_layers._layers(network, prompts, u, hops)
    X, T, _ = all_prompts(prompts)
    rows = np.concatenate([X, T], axis=2)
    kinds = np.concatenate([layers.tokens, layers.tuples], axis=1)
    states = (rows[:, :, None] == kinds).all(-1).argmax(-1)
    rng, column = np.random.default_rng(number), 0 if network.at is None else network.at
    cases = layers.first(column)
    for _ in range(5):
        bounds = layers.bounds(column, cases)
        for n in rng.choice(len(cases), 6):
            held = np.stack([cases[n, j][states[:, j]] for j in range(prompts.N)], 1).all(1)
            found = np.abs(errors[held][:, 0 if network.at is not None else column])
            assert found.max() <= bounds[n] * (1 + HAIR)
        whole = np.argsort(-bounds)[:20]
        halves = layers.halves(column, cases[whole])
        assert ((halves[::2] | halves[1::2]) == cases[whole]).all()
        assert ((halves[::2] & halves[1::2]).any(-1).sum(-1) == prompts.N - 1).all()
        cases = halves


@pytest.mark.parametrize("beta", [3.0, 9.0])
def test_two_hops_are_off_by_twice_what_leaks(beta):
    r"""The closed form of one-hot codes, where all products are equal.

    The first layer leaks :math:`L=1/(1+e^\beta/(N-1))`, all of it to one index at worst; then
    :math:`S=e^{-2\beta(1-2L)}+(N-2)e^{-2\beta(1-L)}` and the label is off by :math:`2S/(1+S)`.
    """
    N = 4
    network = replace(pointer_network(N, beta), fields=Prompts(N, 1, 1).fields)
    L = (N - 1) / (N - 1 + np.exp(beta))
    S = np.exp(-2 * beta * (1 - 2 * L)) + (N - 2) * np.exp(-2 * beta * (1 - L))
    found = layers_error(network, Prompts(N, 1, 1), [1.0], hops=2)
    assert found.upper == pytest.approx(2 * S / (1 + S), rel=1e-6)
    assert found.exact
    layers = several_layers._layers(network, Prompts(N, 1, 1), np.ones(1), 2)
    assert "index" not in layers.keyed


def test_a_field_that_a_key_is_asked_for_is_known_at_every_position():
    network = replace(pointer_network(3, 3.0, keys=True), fields=SMALL.fields)
    assert "index" in several_layers._layers(network, SMALL, np.ones(1), 2).keyed
    X, T, _ = all_prompts(SMALL)
    truth = float(np.abs(Errors(network, SMALL, np.ones(1), 2)(X, T)).max())
    assert layers_error(network, SMALL, [1.0], hops=2).upper == pytest.approx(truth, rel=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_averages_are_enclosed_by_every_choice_and_attained_by_one(seed):
    """Weights of an interval that overflow, states whose weights are hidden by rounding, positions that are masked."""
    rng = np.random.default_rng(seed)
    N, S = rng.integers(1, 4, 2)
    there = rng.random((2, N, S)) < 0.7
    there[:, 0, 0] = True
    size = rng.choice([1.0, 5.0, 60.0])
    scores = Box(size * rng.standard_normal((2, N, S)), rng.choice([0.0, 1.5]) * rng.random((2, N, S)))
    values = Box(rng.standard_normal((N, S)), rng.choice([0.0, 1.0]) * rng.random((N, S)))
    least, most = values.mid - values.rad, values.mid + values.rad
    found = Weights.of(scores, there).averages(values)
    for r in range(2):
        places = [j for j in range(N) if there[r, j].any()]
        ends = [np.inf, -np.inf]
        for states in itertools.product(*[np.flatnonzero(there[r, j]) for j in places]):
            at = (places, list(states))
            for signs in itertools.product((-1.0, 1.0), repeat=len(places)):
                s = scores.mid[r][at] + np.array(signs) * scores.rad[r][at]
                w = np.exp(s - s.max()) / np.exp(s - s.max()).sum()
                ends = [min(ends[0], w @ least[at]), max(ends[1], w @ most[at])]
        assert found.low[r] - 1e-14 <= ends[0] <= found.low[r] + 1e-11
        assert found.high[r] - 1e-11 <= ends[1] <= found.high[r] + 1e-14


def test_scores_far_apart_or_of_any_size_are_enclosed():
    """A weight that is cut to the largest exponential is below the true one."""
    scores = Box(np.array([[[0.0, -3000.0], [0.0, 0.0]]]), np.array([[[2000.0, 0.0], [0.0, 0.0]]]))
    found = Weights.of(scores, np.ones((1, 2, 2), dtype=bool)).averages(
        Box(np.array([[1.0, 1.0], [0.0, 0.0]]), np.zeros((2, 2)))
    )
    assert found.low[0] <= 0
    assert found.high[0] >= 1


def test_what_is_in_the_way_is_named():
    network = drawn_layers(SMALL, 0)
    with pytest.raises(DomainError, match="signs"):
        layers_error(network, Prompts(3, 1, 1, "ball"), [1.0])
    with pytest.raises(DomainError, match="hops = 0"):
        layers_error(network, SMALL, [1.0], hops=0)
    many = Prompts(32, 2, 1)
    with pytest.raises(BudgetError, match="128 states at each of 32 positions"):
        layers_error(drawn_layers(many, 0), many, [1.0, 0.0])
    heads = tuple(Head({("x", "x"): exact(np.full((1, 1), 1e160))}, head.value) for head in network.blocks[0].heads)
    with pytest.raises(DomainError, match="beyond doubles"):
        layers_error(
            replace(network, blocks=(replace(network.blocks[0], heads=heads), network.blocks[1])), SMALL, [1.0]
        )
