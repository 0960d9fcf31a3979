"""The law of the query of least cross-talk: angle sums in two ways, drawn encodings, known angles, refusals."""

from math import pi

import numpy as np
import pytest

from theorytools import DomainError
from theorytools.codes.encodings import gaussian_encodings
from theorytools.numbers import at_precision, float_lower, float_upper
from theorytools.numbers.separation import separation
from theorytools.papers.stsq import CrossTalk
from theorytools.papers.stsq.selection.separable_sets import inner_angle, outer_angle, separable_probability


def ends(compute, bits=64):
    box = at_precision(bits, compute)
    return float_lower(box.lower), float_upper(box.upper)


@pytest.mark.parametrize("sizes", [(2, 1, 1), (5, 1, 2), (6, 3, 4), (9, 2, 3), (12, 4, 11)])
def test_the_faces_below_and_above_give_one_number(sizes):
    low, high = ends(lambda: separable_probability(*sizes))
    below, above = ends(lambda: separable_probability(*sizes, above=True))
    assert low <= above
    assert below <= high
    assert max(high, above) - min(low, below) < 1e-12  # nothing is left out of the path at the origin


def test_known_angles_and_draws():
    # a triangle: 60 degrees at each vertex; with the origin two of 45 degrees at the ends of the longest side
    for angle, degrees in ((inner_angle(1, 2), 60), (inner_angle(1, 1), 180), (inner_angle(1, 1, origin=True), 45)):
        assert float(angle) == pytest.approx(degrees / 360, abs=1e-8)
    assert float(inner_angle(2, 1, origin=True)) == pytest.approx(np.arctan(np.sqrt(2)) / (2 * pi), abs=1e-8)
    # the normal cone at the vertex (1, 0) of the triangle 0, (1, 0), (0, 1) spans 135 degrees
    assert float(outer_angle(2, 1)) == pytest.approx(3 / 8, abs=1e-12)
    assert float(separable_probability(2, 1, 1)) == pytest.approx(3 / 4, abs=1e-12)  # Cauchy below 1
    assert separable_probability(5, 2, 5).fraction() == 1
    # q = d_e: no direction is left, the query is the dual one
    for T, q in ((5, 2), (7, 3)):
        dual = float(CrossTalk(T, q, q).below(1))
        assert float(separable_probability(T, q, q)) == pytest.approx(dual, abs=1e-7)
    values = [float(separable_probability(9, 2, d_e)) for d_e in range(2, 9)]
    assert values == sorted(values)
    assert all(v >= float(CrossTalk(9, 2, d_e).below(1)) - 1e-8 for d_e, v in enumerate(values, start=2))
    rng = np.random.default_rng(3)
    hits = sum(separation(gaussian_encodings(9, 5, rng).products, (0, 1, 2)).level < 1 for _ in range(400))
    # five standard errors of 400 draws are below 5/(2 * 20)
    assert hits / 400 == pytest.approx(float(separable_probability(9, 3, 5)), abs=0.125)


@pytest.mark.parametrize("sizes", [(4, 4, 5), (5, 3, 2), (5, 0, 2)])
def test_refusals(sizes):
    with pytest.raises(DomainError):
        separable_probability(*sizes)
