"""Covers at every width of a token, and functions of several directions: second routes."""

from fractions import Fraction
from itertools import product
from math import gamma, isqrt
from math import pi as circle
from types import SimpleNamespace

import numpy as np
import pytest
from devices import device

from theorytools.constructions.feedforward.inner_products import InnerProductUnits

cover, ridges = device("qstr/lemma_15/cover"), device("qstr/lemma_42/ridges")
few, net = device("qstr/proposition_03/rounded"), device("qstr/lemma_25/network")


@pytest.mark.parametrize(
    ("D", "radius", "side"), [(1, 2, Fraction(1, 3)), (2, 1, Fraction(2, 3)), (2, Fraction(5, 4), 1)]
)
def test_cubes_are_counted_as_by_trying_all(D, radius, side):
    most = isqrt(int((radius / side) ** 2)) + 2
    found = sum(
        sum(max(Fraction(abs(k)) - Fraction(1, 2), Fraction(0)) ** 2 for k in point) * side**2 <= radius**2
        for point in product(range(-most, most + 1), repeat=D * D)
    )
    assert cover.Cubes(D, Fraction(radius), Fraction(side)).number() == found


@pytest.mark.parametrize("D", [1, 2, 3, 4])
def test_the_cubes_keep_their_bound_at_every_step_up_to_four_dimensions(D):
    top, n = 16, D * D
    most = (top * D) ** 2
    counts = np.array([1, *[0] * most], dtype=object)  # points by sum of (2|k| - 1)^2, one coordinate after the other
    for _ in range(n):
        added = counts.copy()
        for odd in range(1, isqrt(most) + 1, 2):
            added[odd**2 :] += 2 * counts[: most + 1 - odd**2]
        counts = added
    sums = np.cumsum(counts)
    assert sums[(4 * D) ** 2] == cover.Cubes(D, Fraction(2 * D), Fraction(1)).number()
    for step in range((4 * D) ** 2, most + 1):
        ratio = Fraction(isqrt(step * 10**6), 1000 * D)  # from below
        assert 20 * sums[step] <= 13 * (1 + 2 * ratio) ** n
    volume = (circle ** (n / 2) / gamma(n / 2 + 1)) ** (1 / n)
    assert volume * D > 2 - 1e-9  # so (R_F/s)^n times the volume is enough below
    assert volume * D * (15.4 / 2 + 1) <= 1 + 2 * 15.4  # and the ball of radius R_F + s D from there on
    assert volume * D <= 4


def test_in_five_dimensions_the_cubes_are_too_many():
    assert cover.Cubes(5, Fraction(1), Fraction(1, 10)).number() > 9**25


def test_a_matrix_is_in_the_cube_of_its_centre_and_outputs_are_those_of_softmax():
    rng, cubes = np.random.default_rng(0), cover.Cubes(3, Fraction(2), Fraction(1, 5))
    Theta = [[Fraction(int(x), 97) for x in row] for row in rng.integers(-97, 98, (3, 3))]
    centre = cubes.centre(Theta)
    assert (
        max(abs(a - b) for x, y in zip(Theta, centre, strict=True) for a, b in zip(x, y, strict=True)) <= cubes.side / 2
    )
    Z = [[cover.Enclosure(Fraction(int(x), 8)) for x in row] for row in rng.integers(-8, 9, (4, 3))]
    tokens, matrix = np.array([[float(x) for x in z] for z in Z]), np.array(Theta, dtype=float)
    scores = np.exp(tokens @ matrix.T @ tokens[0])
    expected = scores @ tokens / scores.sum()
    assert [float(x) for x in cover.output(Theta, Z, Z[0])] == pytest.approx(list(expected))


def test_a_sum_over_directions_is_near_its_function_on_the_ball():
    p = SimpleNamespace(
        teeth="random", d=3, k=5, cells=8, lip_f=2, R_f=3, rng=lambda word: np.random.default_rng(len(word))
    )
    net, rng = ridges.construct(p), np.random.default_rng(1)
    bound = ridges.measure(net, p)[ridges.total_error]
    for _ in range(50):
        x = rng.standard_normal(3)
        x *= 3 * rng.random() / np.linalg.norm(x)
        exact = [Fraction(round(v * 512), 513) for v in x]  # a little inside the ball
        assert abs(net(exact) - net.target(exact)) <= bound
    assert len(net.weights) == 5 * 9


def test_weights_are_rounded_to_the_nearest_multiple():
    p = SimpleNamespace(N=4, q=3, d=2, rng=lambda word: np.random.default_rng(len(word)))
    X, t, bits = few.construct(p)[0], (2, 0, 2), 40
    exact = few.attended(X, t, 2, 8, False)
    for (weights, means), (pi, mean) in zip(few.rounded(X, t, bits), exact, strict=True):
        for found, real in zip([*weights, *means], [*pi, *mean], strict=True):
            assert (found * 2**bits).denominator == 1
            assert abs(float(found) - float(real)) <= 2.0 ** -(bits + 1) + 1e-15


def test_bits_that_are_enough_and_too_few_differ_by_a_constant():
    for N, q in ((3, 2), (64, 5), (1024, 8), (2980, 12)):
        enough, less = few.bits(SimpleNamespace(N=N, q=q))
        assert 16 < enough - less <= 19


def test_a_number_of_bits_that_rounds_the_weights_alone_leaves_the_means_of_the_two_tuples_apart():
    """It once said "and so do the means", and rounded weights only."""
    p = SimpleNamespace(N=3, q=2, d=1, rng=lambda word: np.random.default_rng(len(word)))
    network = few.construct(p)
    assert few.measure(network, p)[few.apart] == 0 < few.unrounded(network, p)[few.apart]


@pytest.mark.parametrize("q", [2, 3, 5])
def test_slots_are_read_from_the_logarithms_of_rounded_weights(q):
    for held in ([2**q - 1, 0, 0], [0, 1, 2**q - 2], [2**q - 4, 3, 0]):
        lifts = [8.0 * (k - max(held)) + x for k, x in zip(held, (1, -1, 0), strict=True)]
        assert few.slots_of([Fraction(round(np.exp(lift) * 2**500), 2**500) for lift in lifts], q) == held


def test_the_tent_is_a_line_but_in_one_cell_and_bounded():
    for cells in (1, 2, 3, 6, 9):
        p = SimpleNamespace(teeth="tent", cells=cells, lip_f=3, R_f=2)
        units = ridges.LipschitzUnits(*ridges.paths(p), cells)
        assert (units.steepness(), units.error()) == (3, Fraction(6, cells))
        assert units.largest_value() <= 6
        assert (cells == 1) == (not any(a for a, _, _ in units.units))


def test_the_whole_network_is_gates_on_inner_products_behind_a_rectifier():
    p = SimpleNamespace(d_e=4, m=6, m_gate=4, M_x=3, d=2)
    layers, product = net.construct(p), InnerProductUnits(6)
    gate, b = InnerProductUnits(4), Fraction(6 * 4, 36) + Fraction(6, 16)
    for one, two, _ in [*net.codes(p), *net.just_below(4)]:
        x = [Fraction(5, 2), Fraction(-3)]
        u = max(product(one, two) - Fraction(1, 2), Fraction(0))
        raw = [6 * gate([value / 3], [u]) for value in x]
        expected = [max(value - b, Fraction(0)) - max(-value - b, Fraction(0)) for value in raw]
        assert [
            net.fraction(y) for y in net.run(layers, net.exact(np.array([*x, *one, *two], dtype=object)))
        ] == expected


def test_patterns_of_half_spaces_are_those_of_a_search():
    counting, rng = device("qstr/lemma_42/counting"), np.random.default_rng(0)
    for count, k in ((4, 1), (5, 1), (4, 2), (5, 2)):
        X = np.column_stack([rng.standard_normal((count, k)), np.ones(count)])  # points in general position
        found = {tuple(row) for row in (rng.standard_normal((100_000, k + 1)) @ X.T > 0).tolist()}
        assert len(found) == counting.patterns(count, k + 1)
    assert counting.patterns(4, 9) == 2**4
