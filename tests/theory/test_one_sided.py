"""Measured sides of bounds, a second time: by floats, by second differences, by moving one ingredient of a maximum."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorytools.constructions.feedforward.lipschitz_units import LipschitzUnits
from theorytools.theory.capacity.perturbation.attention import SoftmaxPair
from theorytools.theory.capacity.perturbation.networks import Head, HeadPair, NetworkPair

seeds = st.integers(0, 10**6)


def numbers(rows):
    return np.array([[float(x) for x in row] for row in rows])


def output(head, h):
    rows = numbers(head.rows)
    return float(np.array([float(a) for a in head.a]) @ np.maximum(rows[:, :-1] @ np.asarray(h) + rows[:, -1], 0))


def attended(Z, matrices, j):
    Z, parts = numbers(Z), []
    for W in matrices:
        scores = Z @ numbers(W).T @ Z[j]  # <z_j, W z_l>
        weights = np.exp(scores - scores.max())
        parts.append(weights @ Z / weights.sum())
    return np.concatenate(parts)


@settings(max_examples=25, deadline=None)
@given(seed=seeds, m=st.integers(1, 3), H=st.integers(1, 2))
def test_the_gap_of_two_heads_is_the_largest_difference_and_every_input_counts(seed, m, H):
    pair = HeadPair.random(np.random.default_rng(seed), m=m, H=H, D_e=2, r_z=Fraction(3, 2), count=5)
    each = [abs(output(pair.first, h) - output(pair.second, h)) for h in numbers(pair.inputs)]
    assert float(pair.gap()) == pytest.approx(max(each), rel=1e-12, abs=1e-12)
    turned = HeadPair(pair.second, pair.first, pair.inputs)  # an absolute value: neither sign is lost
    assert turned.gap() == pair.gap()
    for k, value in enumerate(each):
        alone = HeadPair(pair.first, pair.second, [pair.inputs[k]])
        assert float(alone.gap()) == pytest.approx(value, rel=1e-12, abs=1e-12)
        assert alone.gap() <= pair.gap()


@settings(max_examples=15, deadline=None)
@given(seed=seeds, H=st.integers(1, 2), N=st.integers(2, 3))
def test_gaps_of_attention_and_of_networks_by_floats(seed, H, N):
    net = NetworkPair.random(np.random.default_rng(seed), m=2, H=H, D_e=2, r=Fraction(2), N=N)
    pair = net.attention
    outputs = [(attended(pair.Z, pair.first, j), attended(pair.Z, pair.second, j)) for j in range(N)]
    for j, (one, two) in enumerate(outputs):
        assert float(pair.gap(j)) == pytest.approx(np.linalg.norm(one - two), rel=1e-9, abs=1e-12)
    wanted = max(abs(output(net.heads.first, one) - output(net.heads.second, two)) for one, two in outputs)
    assert float(net.gap()) == pytest.approx(wanted, rel=1e-9, abs=1e-12)


@given(seed=seeds, N=st.integers(2, 5))
def test_the_gap_of_two_softmaxes_by_floats(seed, N):
    rng = np.random.default_rng(seed)
    u, v = ([Fraction(int(x), 8) for x in rng.integers(-16, 17, N)] for _ in range(2))
    weights = [np.exp(numbers([w])[0]) / np.exp(numbers([w])[0]).sum() for w in (u, v)]
    assert float(SoftmaxPair(u, v).gap()) == pytest.approx(np.abs(weights[0] - weights[1]).sum(), abs=1e-12)


@given(seed=seeds, cells=st.integers(1, 6), breaks=st.integers(0, 4))
def test_the_largest_bend_is_the_largest_second_difference_of_either_sign(seed, cells, breaks):
    rng = np.random.default_rng(seed)
    inner = sorted({Fraction(int(x), 8) for x in rng.integers(-7, 8, breaks)})
    x = [Fraction(-1), *inner, Fraction(1)]
    y = [Fraction(int(v), 4) for v in rng.integers(-8, 9, len(x))]
    for sign in (1, -1):
        units = LipschitzUnits(x, [sign * v for v in y], cells)
        values = [units.target(k) for k in units.knots]
        slopes = [(b - a) * cells / 2 for a, b in pairwise(values)]
        assert units.largest_bend() == max((abs(b - a) for a, b in pairwise(slopes)), default=0)
        assert all(units(k) == value for k, value in zip(units.knots, values, strict=True))


def test_a_head_needs_its_bias_and_its_sign():
    head = Head([Fraction(-2)], [[Fraction(1), Fraction(1, 2)]])
    assert (head([Fraction(1)]), head([Fraction(-1)])) == (-3, 0)
