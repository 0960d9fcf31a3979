"""The bound of the norm of recurrent networks by a multiplier, against networks that are drawn."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from devices import device
from hypothesis import strategies as st
from properties import examples

from theorytools.theory.interpolation.convex_relu import least_norm_relu

saved, lowest, OneState = device("qstr/theorem_09/least", "saved", "lowest", "OneState")


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
