"""Heads for the links: exact errors and norms against the float network, and inside the attention layer."""

import math
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools import BlockAttention, DomainError, Enclosure, hadamard
from theorytools.constructions.feedforward.link_heads import LinkHead, linear_head, link_head
from theorytools.constructions.feedforward.piecewise_linear import IDENTITY, SQUARE, LineUnits
from theorytools.constructions.feedforward.readout import ReluHead
from theorytools.tasks.sparse_regression import labels, sample

U = np.array([0.6, 0.8])
EXACT = st.fractions(F(-4), F(4), max_denominator=8)


def direction(link):
    return None if link == "sq" else U


@pytest.mark.parametrize(("cells", "recorded"), [(16, 0.06905), (64, 0.0043158)])
def test_recorded_errors(cells, recorded):
    head = link_head("he2", [1.0], 1, 1, radius=5, cells=cells)
    assert float(head.sup_error(5)) == pytest.approx(recorded, rel=1e-4)  # the record has four digits
    assert head.sup_error(5).certainly_le(Enclosure(2).sqrt() * F(10, cells) ** 2 / 8 + F(1, 10**15))


@examples(30, st.integers(1, 12), st.fractions(F(1, 4), F(6), max_denominator=8), st.booleans())
def test_equal_cells_interpolate(cells, radius, centred):
    line, h = LineUnits.square(radius, cells, centred=centred), 2 * radius / cells
    lowered = h**2 / 8 if centred else 0
    for k in range(cells + 1):
        z = k * h - radius
        assert line(z) == z**2 - 1 - lowered
    assert line.largest_error(SQUARE, radius)[0] == h**2 / 4 - lowered
    assert line.pieces(radius) == cells
    assert len(line.units) == cells - cells % 2  # and one unit for the offset


@examples(30, st.lists(EXACT, min_size=2, max_size=6, unique=True), EXACT)
def test_an_interpolant_through_any_ends_is_above_the_square(ends, z):
    ends = sorted(ends)
    line = LineUnits.square_through(ends)
    assert all(line(end) == end**2 - 1 for end in ends)
    if ends[0] <= z <= ends[-1]:
        assert line(z) >= z**2 - 1


@examples(30, st.lists(st.tuples(EXACT, EXACT.filter(bool), EXACT), max_size=5), EXACT, st.tuples(EXACT, EXACT, EXACT))
def test_the_largest_error_is_no_smaller_than_on_a_grid(units, offset, target):
    line = LineUnits(tuple(units), offset)
    worst, place = line.largest_error(target, 3)
    errors = {
        z: abs(line(z) - target[0] - target[1] * z - target[2] * z * z) for z in (F(k, 8) for k in range(-24, 25))
    }
    assert max(errors.values()) <= worst
    assert abs(line(place) - target[0] - target[1] * place - target[2] * place**2) == worst


@examples(30, EXACT)
def test_enclosures_and_fractions_agree(z):
    line = LineUnits.square(3, 7)
    assert line(Enclosure(z)).fraction() == line(z)
    assert LineUnits.identity()(z) == z


@pytest.mark.parametrize("link", ["lin", "he2", "sq"])
@pytest.mark.parametrize(("q", "cells"), [(1, 4), (3, 9), (2, 1)])
def test_norms_of_the_float_weights(link, q, cells):
    head = link_head(link, direction(link), q, 2, radius=2, cells=cells)
    A, B = (float(x) for x in head.layer_norms())
    # sums of at most 60 rounded squares
    assert np.linalg.norm(head.a) == pytest.approx(A, rel=1e-13)
    assert math.sqrt((head.W**2).sum() + (head.b**2).sum()) == pytest.approx(B, rel=1e-13)
    r_a, r_w = (float(x) for x in head.radii())
    assert (r_a, r_w) == pytest.approx((A * math.sqrt(head.m), B / math.sqrt(head.m)))
    assert isinstance(head, ReluHead)


@pytest.mark.parametrize("link", ["he2", "sq"])
def test_the_error_is_attained_in_the_ball_and_never_passed(link):
    q, d, radius, cells = 3, 2, 5, 12
    head = link_head(link, direction(link), q, d, radius=radius, cells=cells)
    sup = float(head.sup_error(radius))
    place = float(head.line.largest_error(SQUARE, radius)[1])
    v = place * head.directions.sum(axis=0)
    label = labels(v.reshape(1, q, d), np.arange(q)[None, None].repeat(q, axis=1), link, direction(link))[0, 0]
    assert np.linalg.norm(v) <= radius
    # sixty products of numbers below 30 in doubles
    assert abs(head(v) - label) == pytest.approx(sup, abs=1e-12)
    w = np.random.default_rng(0).standard_normal((2000, q * d))
    w *= radius / np.linalg.norm(w, axis=1, keepdims=True)
    y = labels(w.reshape(-1, q, d), np.broadcast_to(np.arange(q), (len(w), q, q)), link, direction(link))[:, 0]
    assert np.abs(head(w) - y).max() <= sup + 1e-12


def test_an_interval_where_not_all_projections_fit():
    head = link_head("sq", None, 3, 2, radius=5, cells=2)
    assert head.K * 2.5**2 > 25
    low, high = (head.sup_error(5).lower, head.sup_error(5).upper)
    assert low < high
    assert float(high.value) == pytest.approx(6 * 6.25 / math.sqrt(6))
    w = np.random.default_rng(1).standard_normal((4000, 6))
    w *= 5 / np.linalg.norm(w, axis=1, keepdims=True)
    assert np.abs(head(w) - (np.square(w) - 1).sum(axis=1) / math.sqrt(6)).max() <= float(high.value) + 1e-12


def test_the_linear_head_is_the_old_one_and_exact_values_are_the_float_ones():
    head, other = link_head("lin", U, 3, 2), linear_head(U, 3)
    v = np.random.default_rng(2).standard_normal((10, 6))
    assert np.allclose(head(v), other(v), rtol=0, atol=1e-13)
    assert head.sup_error(100).fraction() == 0
    assert head.line.largest_error(IDENTITY, 7)[0] == 0
    head = link_head("he2", U, 2, 2, radius=4, cells=9)
    v = np.array([0.5, -1.25, 2.0, 0.75])
    projections = [F(3, 5) * F(v[0]) + F(4, 5) * F(v[1]), F(3, 5) * F(v[2]) + F(4, 5) * F(v[3])]
    assert float(head.value(projections)) == pytest.approx(head(v), abs=1e-13)
    assert float(head.label(projections)) == pytest.approx(sum((float(z) ** 2 - 1) / 2 for z in projections))


@pytest.mark.parametrize("link", ["lin", "he2", "sq"])
def test_attention_with_a_link_head_computes_the_labels(link):
    N, q, d, radius = 16, 2, 2, 12
    head = link_head(link, direction(link), q, d, radius=radius, cells=400)
    net = BlockAttention(hadamard(N), 60, q, d, head=head)
    X, T = sample(np.random.default_rng(3), 5, N, d, q, False)
    assert np.linalg.norm(X, axis=2).max() * math.sqrt(q) <= radius
    # leakage below 16 e^-60
    assert np.abs(net(X, T) - labels(X, T, link, direction(link))).max() <= float(head.sup_error(radius)) + 1e-9


def test_refusals():
    for bad in (("cubic", U, 1, 2), ("lin", None, 1, 2), ("sq", U, 1, 2), ("he2", 2 * U, 1, 2), ("lin", U, 1, 3)):
        with pytest.raises(DomainError):
            link_head(*bad, radius=1, cells=2)
    with pytest.raises(DomainError, match="radius"):
        link_head("he2", U, 1, 2)
    with pytest.raises(DomainError, match="projections"):
        link_head("he2", U, 2, 2, radius=1, cells=2).value([0])
    for bad in (lambda: LineUnits(((1, 0, 1),)), lambda: LineUnits.square(1, 0), lambda: LineUnits.square_through([1])):
        with pytest.raises(DomainError):
            bad()
    assert LinkHead.__mro__[1] is ReluHead
