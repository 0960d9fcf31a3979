"""Numbers of ours for sparse token selection, derived before the library was written, found again from its objects."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

from theorytools.papers.stsq.feedforward.bottleneck import OptimalLinearBottleneck
from theorytools.papers.stsq.selection.cross_talk import cross_talk_bound, median_length, separation_probability
from theorytools.papers.stsq.selection.least_cross_talk_query import half_space_probability
from theorytools.papers.stsq.selection.length_generalisation import SeenPositions
from theorytools.papers.stsq.selection.separable_sets import separable_probability
from theorytools.papers.stsq.selection.sign_cross_talk import dependence_probability


@pytest.mark.parametrize(
    ("T", "q", "c", "values"),
    [(64, 4, 1, {16: ".165", 32: ".741", 64: ".993"}), (200, 3, 1, {24: ".466", 48: ".973"}),
     (14, 3, 1, {6: ".237", 8: ".379", 10: ".510", 20: ".880", 40: ".9945"}),
     (64, 4, F(1, 2), {64: ".225", 128: ".839"})],
)  # fmt: skip
def test_the_dual_query_separates_a_random_set(T, q, c, values):
    for d_e, digits in values.items():
        places = len(digits) - 1
        assert f"{float(separation_probability(T, q, d_e, c)):.{places}f}" == "0" + digits
        assert f"{float(separation_probability(T, q, d_e - 1, c)):.{places}f}" != "0" + digits or d_e >= 40


def test_failures_and_their_bounds():
    """A failure of .0071 was noted first for (64, 4, 64): it is .00705, and .0071 is more than half a unit off."""
    for d_e, c, miss, bound in ((64, 1, 7.0e-3, 3.3e-2), (128, 1, 4.1e-6, 2.6e-5), (264, F(1, 2), 2.1e-3, 1.1e-2)):
        assert f"{1 - float(separation_probability(64, 4, d_e, c)):.1e}" == f"{miss:.1e}"
        assert f"{float(cross_talk_bound(64, 4, d_e, c)):.1e}" == f"{bound:.1e}"
    assert abs(1 - float(separation_probability(64, 4, 64)) - 0.0071) > 0.5e-4


def test_lengths_that_separate_half_of_the_sets():
    sizes = [(14, 3, 1), (32, 4, 1), (512, 4, 1), (2048, 8, 1), (2048, 8, F(1, 2))]
    assert [median_length(*size) for size in sizes] == [10, 20, 41, 101, 379]


def test_the_query_of_least_cross_talk_separates_a_random_set():
    """A simulation had .60 at (64, 4, 12); the probability is .54."""
    small = [f"{float(separable_probability(14, 3, d_e)):.3f}" for d_e in (6, 8, 10)]
    assert small == ["0.718", "0.967", "0.999"]
    large = [f"{float(separable_probability(64, 4, d_e)):.3f}" for d_e in (12, 16, 24)]
    assert large == ["0.542", "0.925", "1.000"]
    assert abs(float(separable_probability(64, 4, 12)) - 0.60) > 0.05


def test_the_programme_without_its_clip_is_unbounded_how_often():
    sizes = [(14, 3, 6), (14, 3, 8), (64, 4, 24), (64, 4, 64)]
    found = [half_space_probability(T - q, d_e - q) for T, q, d_e in sizes]
    assert [f"{float(p):.3f}" for p in found] == ["0.055", "0.377", "0.004", "1.000"]


def test_signs_are_dependent_more_often_than_pairs_are_equal():
    """Four signs in d_e dimensions, all of them tried; the count of pairs is no bound from four vectors on."""
    signs = np.array(list(product((1, -1), repeat=16))).reshape(-1, 4, 4)
    assert dependence_probability(4, 4) == F(int((np.linalg.matrix_rank(signs) < 4).sum()), 2**16) == F(43264, 65536)
    assert dependence_probability(4, 6) == F(3169, 16384) > 6 * F(1, 2**5)
    assert [dependence_probability(3, d_e) for d_e in (3, 4)] == [F(5, 8), F(11, 32)]


def test_fully_connected_networks_lose_what_was_derived():
    found = [OptimalLinearBottleneck.of(m, 8, 2, 2).risk() for m in (2, 4, 8, 12, 16, 32)]
    assert [f"{float(x):.4f}" for x in found] == ["0.7500", "0.6429", "0.4286", "0.2143", "0.0000", "0.0000"]


def test_limits_of_the_loss_at_new_lengths_with_fixed_encodings():
    for T_1, q, limit in ((30, 3, 1.173), (40, 3, 1.780), (40, 1, 2.4375)):
        assert abs(SeenPositions(20, T_1, q, 5).limit() - F(str(limit))) < F(1, 2000)
        assert abs(SeenPositions(21, T_1, q, 5).limit() - F(str(limit))) > F(1, 2000)
