"""Recurrent networks: drift of states, perturbation of deep networks, covering numbers; two routes, and refusals."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import strategies as st
from properties import examples
from refusals import refused

from theorytools import Bound, DomainError
from theorytools.papers.qstr.capacity.perturbation.deep import BidirectionalPair, Deep, DeepPair
from theorytools.papers.qstr.capacity.perturbation.recurrent import RecurrentPair, ScalarMap
from theorytools.papers.qstr.capacity.recurrent import RecurrentBound
from theorytools.papers.qstr.capacity.recurrent_covering import (
    deep_network,
    drift_factor,
    output_radius,
    perturbation_factor,
    recurrent_network,
)

F = Fraction
eighths = st.integers(0, 8).map(lambda x: F(x, 8))
CLASS = {"N": 64, "P_h": 5, "L_h": 3, "P_y": 7, "L_y": 4, "R": 2, "r_h": 3, "R_z": 4}


# -- identities: two routes to one number ---------------------------------------------------------------------
@examples(20, st.integers(2, 40), eighths)
def test_the_drift_factor_is_the_sum_of_the_powers(N, alpha):
    assert drift_factor(N, alpha) == sum((1 + alpha) ** i for i in range(N - 1))


@examples(20, st.integers(2, 20), eighths, st.integers(0, 19))
def test_the_two_directions_take_the_steps_of_one(N, alpha, j):
    j = min(j, N - 1)
    split = [sum((1 + alpha) ** i for i in range(k)) for k in (j, N - 1 - j)]
    assert sum(split) <= drift_factor(N, alpha)
    if alpha == 0:
        assert sum(split) == N - 1


@examples(20, st.integers(1, 6), st.integers(1, 5), st.integers(0, 9))
def test_the_perturbation_factor_sums_the_blocks(L, R, R_in):
    # a change of block l alone moves the output by R^(L-1) (R_in + l)
    assert perturbation_factor(L=L, R=R, R_in=R_in) == sum(R ** (L - 1) * (R_in + k) for k in range(1, L + 1))
    length = sympy.Integer(R_in)
    for _ in range(L):  # a layer maps the length r to at most R r + R
        length = R * length + R
    assert length <= output_radius(L=L, R=R, R_in=R_in)


def test_the_whole_network_and_the_position_tracker_by_hand():
    eps = sympy.Rational(1, 10)
    step = recurrent_network(eps, **CLASS, split=4)
    f = step.factors
    assert (f["S_N"], f["C_y"], f["eps_y"], f["eps_h"]) == (63, 16, eps / 2, eps / (4 * 16 * 63))
    readout = deep_network(eps / 2, P=7, L=4, R=2, R_in=sympy.sqrt(34))
    transition = deep_network(f["eps_h"], P=5, L=3, R=2, R_in=5)
    assert sympy.simplify(step.expr - readout.expr - 2 * transition.expr) == 0
    by_hand = 7 * math.log(1 + 2 * 2 * 4 * 2**3 * (math.sqrt(34) + 2.5) / 0.05)
    by_hand += 10 * math.log(1 + 2 * 2 * 3 * 2**2 * (5 + 2) * 4 * 16 * 63 / 0.1)
    # two dozen operations in doubles
    assert float(Bound(step.expr).value()) == pytest.approx(by_hand, rel=1e-13)
    # N = 64, d = 2, q = 1: six digits, transition 8 x ... with widths 16, 4, 2 and readout with widths 24, 8, 2.
    sizes = RecurrentBound(N=64, n=1).sizes
    inputs = 2 + 2 * 6  # a token and two codes
    transition = 16 * (2 + inputs + 1) + 4 * (16 + 1) + 2 * 4
    readout = 24 * (4 + inputs + 1) + 8 * (24 + 1) + 2 * (8 + 1) + 2
    assert (sizes["d_e"], sizes["P_h"], sizes["P_y"]) == (6, transition, readout)
    M2 = 2 * math.log(2 * 64 * 2 * 100)
    gate = 2 * 2 + 4 * 6 + 8 * (1 + 9 * M2)
    # a dozen operations in doubles
    assert float(sizes["R2"]) == pytest.approx(2 * (gate + 4) + gate + 24 + 10, rel=1e-13)
    low, high = RecurrentBound(N=16, n=1).required_n()
    assert low < high <= 1.001 * low + 1
    below, above = (RecurrentBound(N=16, n=n).value() for n in (high, low))
    assert below.certainly_lt(1) is True
    assert above.certainly_lt(1) is False


# -- properties: networks side by side ------------------------------------------------------------------------
@examples(20, st.integers(0, 1000), st.integers(2, 12), eighths)
def test_the_distance_of_two_maps_is_met_at_a_kink(seed, N, alpha):
    pair = RecurrentPair.random(np.random.default_rng(seed), N, alpha, F(2))
    distance = pair.distance()
    states = [F(k, 7) for k in range(-14, 15)]
    assert max(abs(pair.first(h, z) - pair.second(h, z)) for h in states for z in pair.inputs) <= distance
    assert pair.steepness() <= alpha
    assert max(pair.drifts()) <= drift_factor(N, alpha) * distance


@examples(20, st.integers(0, 1000), st.lists(st.integers(1, 4), min_size=2, max_size=5))
def test_a_deep_network_agrees_with_numpy(seed, widths):
    rng = np.random.default_rng(seed)
    net = Deep.random(rng, widths)
    x = [F(k, 2) for k in rng.integers(-6, 7, widths[0]).tolist()]
    y = np.array(x, dtype=float)
    for W, b in zip(net.weights, net.biases, strict=False):
        y = np.maximum(np.array(W, dtype=float) @ y + np.array(b, dtype=float), 0)
    # quarters and halves of small integers: doubles are exact
    assert (np.array(net.weights[-1], dtype=float) @ y).tolist() == [float(v) for v in net(x)]


def test_a_bidirectional_network_reads_before_and_after_and_creeps_at_every_step():
    one, zero = F(1), F(0)
    reader = Deep([[[zero, one]]], [])  # the increment is the input
    pair = DeepPair(reader, reader, [])
    readout = DeepPair(*(Deep([[[one, F(10), F(100)]]], []) for _ in range(2)), [])
    network = BidirectionalPair(pair, pair, readout, [[F(k)] for k in (1, 2, 3)], F(50))
    assert network.outputs("first") == [50 + 100, 1 + 30 + 200, 3 + 300]
    assert network.gap() == 0
    pair = BidirectionalPair.creeping(10, F(3), F(1, 8))
    # the readout's own weight once, the transition's at each of nine steps
    assert pair.gap() == 10 * F(3, 8)
    assert [float(x) for x in (*pair.distances(), pair.reach())] == [1 / 8, 1 / 8, 3]
    assert (pair.radius() ** 2).contains(F(65, 64))  # the second readout, (1, 0, 1/8)


test_what_makes_no_sense_is_refused = refused(
    DomainError, lambda: perturbation_factor(L=2, R=F(1, 2), R_in=1), lambda: output_radius(L=2, R=F(1, 2), R_in=1),
    lambda: drift_factor(3, F(-1, 2)), lambda: Deep([[[F(1)]]], [[F(1)]]),
    lambda: RecurrentPair(ScalarMap(), ScalarMap(), [F(0)], F(0)),
    lambda: RecurrentPair(ScalarMap(), ScalarMap(), [], F(1)), lambda: RecurrentBound(N=1, n=1),
    lambda: RecurrentBound(N=4, n=1, tau=0), lambda: RecurrentBound(N=4, n=1).required_n(0),
)  # fmt: skip
