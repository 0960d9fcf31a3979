"""The bound of the norm of recurrent networks by a multiplier, against networks that are drawn."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from devices import device
from hypothesis import strategies as st
from properties import examples

from theorytools.papers.qstr.interpolation.convex_relu import least_norm_relu

saved, lowest, OneState = device("qstr/theorem_09/least", "saved", "lowest", "OneState")
exponents = device("qstr/theorem_09/exponents")


@examples(40, st.integers(0, 10**6), st.integers(1, 3), st.sampled_from([1, 4, 16]))
def test_no_drawn_network_with_states_is_shorter_than_the_bound(seed, n, read):
    rng = np.random.default_rng(seed)
    Z = rng.integers(-4, 5, (n, 3)) + 7 * np.eye(n, 3, dtype=int)
    states = rng.choice([-1, 1], (n, 2))  # both scalar states, at the ends of their interval
    U = rng.integers(-read, read + 1, 2)
    a, W = rng.integers(-2, 3, 3), rng.integers(-2, 3, (3, 5))
    outputs = np.maximum(np.hstack([states * U, Z]) @ W.T, 0) @ a
    best = least_norm_relu(Z.tolist(), outputs.tolist())
    if any(best.dual):
        for dual in (best.dual, best.y):
            bound = replace(best, dual=dual)
            assert float(lowest(bound)) <= U @ U + a @ a + (W * W).sum() + 1e-9  # the left side is a rounded ball


def test_for_one_prompt_the_bound_is_the_least_over_a_fine_grid():
    for y in (Fraction(1, 2), Fraction(8), Fraction(64)):
        best = least_norm_relu([[1]], [y])
        t = np.linspace(0, 40, 400001)
        assert abs(float(lowest(best)) - (t + 2 * float(y) / np.sqrt(1 + t)).min()) < 1e-6  # step 1e-4, V'' below 100
        assert abs(float(saved(best)) - float(y)) < 1e-6  # the solver's multiplier is rounded


def test_the_network_that_reads_its_state_runs_on_floats():
    net = OneState(Fraction(8))
    a, on_state, own, u, first, second = map(float, net.weights())
    h = 0.0
    for _ in range(3):
        h = min(second * max(first * 1.0, 0), 1)
    assert abs(a * max(on_state * u * h + own, 0) - 8) < 1e-12
    assert abs(sum(x * x for x in (a, on_state, own, u, first, second)) - 13) < 1e-12


def test_the_network_on_short_codes_has_these_weights_and_passes_through_its_labels():
    class Asked:
        N, power, codes, depth = 256, Fraction(1, 2), "short", 2

        @staticmethod
        def rng(role):
            return np.random.default_rng(5)

    net = exponents.Memoriser.drawn(Asked)
    assert net.n == net.hits() == 16
    F = np.concatenate(net.codes.transpose(1, 0, 2), axis=1) / math.sqrt(exponents.LENGTH)
    W, y = np.column_stack([F, np.full(net.n, -1.5)]), net.labels / 64
    norms = np.linalg.norm(W, axis=1)
    balance = np.sqrt(2 * np.abs(y) / norms)
    a, W = 2 * y / balance, W * balance[:, None]
    outputs = np.maximum(np.column_stack([F, np.ones(net.n)]) @ W.T, 0) @ a
    assert np.abs(outputs - y).max() < 1e-12
    assert abs((a**2).sum() + (W**2).sum() - float(net.norm())) < 1e-9


def test_a_network_on_orthonormal_codes_has_the_length_of_its_weights():
    net = exponents.Memoriser(8, np.array([[0, 3], [1, 5]]), np.array([90, -90]), None)
    assert net.hits() == 2
    v = np.zeros(8)
    v[[3, 5]] = np.array([90, -90]) / 64
    scale = math.sqrt(np.linalg.norm(v))  # both signs: rows v and -v over the scale, output weights +-scale
    weights = [v / scale, -v / scale, np.array([scale, -scale])]
    assert abs(sum((w**2).sum() for w in weights) - float(net.norm())) < 1e-12
