"""Feed-forward constructions at the edges of their domains, and their numbers by second routes."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import eighths, examples
from refusals import edges

from theorytools.constructions.feedforward.bottleneck import LinearBottleneck, OptimalLinearBottleneck
from theorytools.constructions.feedforward.feature_readout import FeatureReadout
from theorytools.constructions.feedforward.interpolant import Interpolant1D, alternating_data
from theorytools.constructions.feedforward.linear_interpolant import LinearInterpolant
from theorytools.constructions.feedforward.min_norm_relu import MinNormReLU
from theorytools.constructions.feedforward.piecewise_linear import (
    SQUARE,
    InnerProductUnits,
    LineUnits,
    LipschitzUnits,
    rational_unit_vector,
)
from theorytools.constructions.feedforward.readout import ReluHead, exact_label, linear_head, link_head
from theorytools.constructions.feedforward.span_predictor import PerIndexRidge, SpanPredictor
from theorytools.constructions.feedforward.stationary import BumpReadout, StationaryMember
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import Enclosure, at_precision


def fractions(rows):
    return np.array([[F(x) for x in row] for row in rows], dtype=object)


# -- heads -------------------------------------------------------------------------------------------------------------
A, W, B = np.ones(2), np.ones((2, 3)), np.zeros(2)
test_heads = edges(
    DomainError, ReluHead, ((A, np.ones(2), B), (A, W, B)), ((A[:1], W, B), (A, W, B)),
    ((A, W, B[:1]), (A[:1], W[:1], B[:1])),
    ((A[:1], W, B[:1]), (A, W[:, :1], B)), ((A * np.nan, W, B), (A, W, B)), ((A, W * np.inf, B), (A, W * 1e300, B)),
    ((A, W, B - np.inf), (A, W, B - 1e300)),
)  # fmt: skip
HEAD = ReluHead(A, W, B)
test_inputs_of_a_head = edges(
    DomainError, HEAD, ((np.ones((4, 2)),), (np.ones((4, 3)),)), ((np.ones(4),), (np.ones(3),))
)
test_labels_of_a_head = edges(
    DomainError, exact_label, ((HEAD, [1, 2]), (HEAD, [1, 2, 3])), ((HEAD, [1] * 4), (HEAD, [F(1, 2), 0, 1])),
)  # fmt: skip
U = np.array([0.6, 0.8])
LINK = link_head("sq", None, 1, 2, radius=2, cells=4)
test_scales_of_a_link = edges(
    DomainError, lambda **changed: replace(LINK, **changed), ({"squared_scale": F(0)}, {"squared_scale": F(1, 99)}),
    ({"squared_scale": F(-1)}, {"squared_scale": F(1)}), ({"directions": np.eye(3)}, {"directions": np.eye(2)}),
)  # fmt: skip
EQUAL = {"radius": 2, "cells": 4}
test_links = edges(
    DomainError, lambda link, u, q, d, **line: link_head(link, u, q, d, **line), (
        {"link": "he2", "u": U, "q": 0, "d": 2} | EQUAL, {"link": "he2", "u": U, "q": 1, "d": 2} | EQUAL,
    ), ({"link": "sq", "u": None, "q": 1, "d": 0} | EQUAL, {"link": "sq", "u": None, "q": 1, "d": 1} | EQUAL),
    ({"link": "sq", "u": U, "q": 1, "d": 2} | EQUAL, {"link": "sq", "u": None, "q": 1, "d": 2} | EQUAL),
    ({"link": "lin", "u": None, "q": 1, "d": 2}, {"link": "lin", "u": U, "q": 1, "d": 2}),
    ({"link": "lin", "u": U * (1 + 1e-9), "q": 1, "d": 2}, {"link": "lin", "u": -U, "q": 1, "d": 2}),
    ({"link": "lin", "u": U, "q": 1, "d": 3}, {"link": "lin", "u": np.eye(3)[0], "q": 1, "d": 3}),
    ({"link": "sq", "u": None, "q": 1, "d": 2, "cells": 4}, {"link": "sq", "u": None, "q": 1, "d": 2} | EQUAL),
    ({"link": "sq", "u": None, "q": 1, "d": 2, "radius": 4}, {"link": "sq", "u": None, "q": 2, "d": 2} | EQUAL),
)  # fmt: skip
test_projections_of_a_link = edges(
    DomainError, LINK.label, (([1],), ([1, 2],)), (([1, 2, 3],), ([F(1, 2), 0],)),
)  # fmt: skip

# -- units on a line ---------------------------------------------------------------------------------------------------
test_units = edges(
    DomainError, LineUnits, ((((1, 0, 1),),), (((1, F(1, 99), 1),),)), ((((1, 1, 1), (1, 0, 0)),), ((),))
)
test_squares = edges(
    DomainError, LineUnits.square, ((1, 0), (1, 1)), ((0, 1), (F(1, 99), 1)), ((-1, 2), (1, 2)),
)  # fmt: skip
test_ends_of_cells = edges(
    DomainError, LineUnits.square_through, (([0],), ([0, 1],)), (([0, 0],), ([0, F(1, 99)],)),
    (([0, 2, 1],), ([0, 1, 2],)),
)  # fmt: skip
LINE = LineUnits.square(2, 4)
test_radii = edges(DomainError, LINE.pieces, ((0,), (F(1, 99),)), ((-1,), (1,)))
test_radii_of_an_error = edges(
    DomainError, lambda radius: LINE.largest_error(SQUARE, radius), ((0,), (F(1, 99),)), ((-1,), (1,)),
)  # fmt: skip
TENT = {"x": [-1, 0, 1], "y": [0, 1, 0], "cells": 1}
test_break_points = edges(
    DomainError, LipschitzUnits, (TENT | {"x": [-1, 0, 2]}, TENT), (TENT | {"x": [-1, -1, 1]}, TENT),
    (TENT | {"cells": 0}, TENT),
    (TENT | {"y": [0, 1]}, TENT), ({"x": [0], "y": [1], "cells": 1}, {"x": [-1, 1], "y": [1, 1], "cells": 1}),
    (TENT | {"x": [1, 0, -1]}, TENT),
)  # fmt: skip
test_places_of_a_function = edges(
    DomainError, LipschitzUnits(**TENT).target, ((F(9, 8),), (F(1),)), ((F(-9, 8),), (F(-1),)),
)  # fmt: skip
test_products = edges(DomainError, InnerProductUnits, ((4, 0), (4, F(1, 99))), ((4, -1), (4, 1)))
test_vectors_of_a_product = edges(
    DomainError, InnerProductUnits(4), (([F(9, 8)], [0]), ([1], [0])), (([0], [F(-9, 8)]), ([0], [-1])),
    (([0], [0, 0]), ([0], [0])),
)  # fmt: skip

# -- interpolants ------------------------------------------------------------------------------------------------------
Z, Y = [-2, 0, F(1, 2), 3], [1, -1, 2, 5]
DATA = {"z": Z, "y": Y}
test_data = edges(
    DomainError, Interpolant1D, (DATA | {"eps": 0}, DATA | {"eps": F(1, 99)}),
    (DATA | {"eps": F(9, 16)}, DATA | {"eps": F(1, 2)}),
    ({"z": [0, 4], "y": [1, 2], "eps": F(9, 8)}, {"z": [0, 4], "y": [1, 2], "eps": 1}),
    (DATA | {"knots": [0] * 3}, DATA | {"knots": [0] * 4}),
    (DATA | {"slopes": [0] * 5}, DATA | {"slopes": [0] * 4}), ({"z": [], "y": []}, {"z": [1], "y": [1]}),
    ({"z": [0, 0], "y": [1, 2]}, {"z": [0, F(1, 99)], "y": [1, 2]}),
    ({"z": [1, 0], "y": [1, 2]}, {"z": [0, 1], "y": [1, 2]}),
    ({"z": [0, 1], "y": [1]}, {"z": [0], "y": [1]}),
)  # fmt: skip
NET = Interpolant1D(**DATA)
test_balances = edges(DomainError, NET.head, (("both",), ("none",)), (("",), ("global",)), (("Neuron",), ("neuron",)))
X2 = np.array([[3, 4], [0, 1]])
test_linear_interpolants = edges(
    DomainError, LinearInterpolant, ((X2, [5, 1], 1), (X2, [5, 1], 2)), ((X2, [0, 0]), (X2, [0, 1])),
    ((X2, [5]), (X2[:1], [5])),
    ((X2[0], [5, 1]), (X2, [5, 1], 3)),
)  # fmt: skip
test_networks_of_least_norm = edges(
    DomainError, MinNormReLU, (([], []), ([], [], 1)), (([1], [[1], [2]]), ([1, 1], [[1], [2]])),
    (([1], [[1, 2]], 1), ([1], [[1, 2]], 2)),
    (([1, 1], [[1], [1, 2]]), ([1, 1], [[0, 1], [1, 2]])), (([1], [[]]), ([1], [[0]])), (([], [], -1), ([], [], 2)),
)  # fmt: skip
LEAST = MinNormReLU([2, -1], [[1, 0], [0, 3]])
test_inputs_of_a_network_of_least_norm = edges(
    DomainError, LEAST.evaluate, (([1],), ([1, 2],)), (([1, 2, 3],), ([0, 0],))
)

# -- predictors --------------------------------------------------------------------------------------------------------
INPUTS = np.array([[[1], [2]], [[0], [1]]])
ONE = (F(1),)
test_spans = edges(
    DomainError, SpanPredictor, ((INPUTS, (F(1, 2),)), (INPUTS, ONE)), ((INPUTS, (F(1), F(0))), (INPUTS, (F(-1),))),
    ((INPUTS[0], ONE), (INPUTS, ONE)),
    ((INPUTS[:0], ONE), (INPUTS[:1], ONE)), ((INPUTS * 1.0, ONE), (INPUTS, ONE)), ((INPUTS, (1.0,)), (INPUTS, (1,))),
)  # fmt: skip
P, T = np.ones((3, 2, 1)), np.ones((3, 2, 1), dtype=int)
SPAN = SpanPredictor(INPUTS, ONE)
test_prompts_of_a_span = edges(
    DomainError, SPAN, ((P[:, :1], T[:, :1]), (P, T)), ((P, np.dstack([T, T])), (P, T)), ((P, T + 1), (P, T - 1)),
    ((np.dstack([P, P]), T), (P, T)),
)  # fmt: skip
test_directions_of_a_risk = edges(DomainError, SPAN.risk, (((F(1), F(0)),), ((F(2),),)))
test_directions_of_a_residual = edges(
    DomainError, lambda u: SPAN.residual(np.random.default_rng(0), 1, u), (((F(1), F(0)),), ((F(-1),),)),
    ((np.ones((1, 1)),), (None,)),
)  # fmt: skip
RIDGE = {"X": INPUTS, "u": ONE, "t": np.array([0, 1])}
test_ridges = edges(
    DomainError, PerIndexRidge, (RIDGE | {"lam": F(-1, 99)}, RIDGE | {"lam": 0}),
    (RIDGE | {"t": np.array([0, 2])}, RIDGE),
    (RIDGE | {"t": np.array([0, -1])}, RIDGE | {"t": np.array([0, 0])}),
    (RIDGE | {"t": np.array([0])}, RIDGE), (RIDGE | {"t": np.array([0.0, 1.0])}, RIDGE),
    (RIDGE | {"t": np.array([[0, 1]])}, RIDGE),
)  # fmt: skip

ROWS, READ = fractions([[1, 0], [0, 1], [1, 1]]), fractions([[1, 0, 1], [0, 1, 0]])
test_features = edges(
    DomainError, FeatureReadout, ((ROWS[0], READ), (ROWS, READ)), ((ROWS, READ[0]), (ROWS, READ)),
    ((ROWS[:2], READ), (ROWS[:2], READ[:, :2])),
    ((fractions([[1, 0, 1]] * 3), READ), (fractions([[1, 0, 1, 1]] * 3), READ)),
    ((fractions([[1, 0], [0, 0], [1, 1]]), READ), (ROWS, READ)),
    ((ROWS.astype(float), READ), (ROWS, READ)), ((ROWS, READ.astype(float)), (ROWS, READ)),
)  # fmt: skip
test_least_squares = edges(
    DomainError, lambda u, ridge: FeatureReadout.least_squares(ROWS, 2, u, ridge), ((ONE, -1e-9), (ONE, 0.0)),
    (((F(1), F(0)), 0.0), (ONE, 1.0)),
)  # fmt: skip
FEATURES = FeatureReadout(ROWS, READ)
test_directions_of_features = edges(
    DomainError, FEATURES.risk, (((F(1, 2),),), (ONE,)), (((F(3, 5), F(4, 5)),), ((F(-1),),))
)
test_prompts_of_features = edges(
    DomainError, FEATURES, ((P[:, :1], T[:, :1]), (P, T)), ((P, np.dstack([T, T])), (P, T)),
    ((np.ones((3, 1, 2)), 0 * T[:, :1]), (P, 0 * T)),
)  # fmt: skip

BUMPS = {"C": READ, "centres": fractions([[0, 1, 0]]), "h": fractions([[1, 1, 1]]), "rho": F(1), "radius2": F(1, 9)}
test_bumps = edges(
    DomainError, BumpReadout, (BUMPS | {"radius2": F(0)}, BUMPS), (BUMPS | {"radius2": F(-1)}, BUMPS),
    (BUMPS | {"h": READ}, BUMPS),
    (BUMPS | {"centres": ROWS[:1]}, BUMPS), (BUMPS | {"C": READ[0]}, BUMPS),
)  # fmt: skip
test_places_of_a_read_out = edges(
    DomainError, BumpReadout(**BUMPS), ((2, READ[0]), (1, READ[0])), ((-1, READ[0]), (0, READ[0])),
    ((0, READ[0][:2]), (0, READ[1])),
)  # fmt: skip
MEMBER = {
    "X": INPUTS, "t": [0, 1], "y": [F(1), F(1)], "lam": F(1, 9),
    "C": fractions([[1, 2], [0, 1]]), "A": fractions([[1, 0], [0, 1]]),
}  # fmt: skip
test_members = edges(
    DomainError, StationaryMember, (MEMBER | {"lam": F(0)}, MEMBER),
    (MEMBER | {"shrink": F(0)}, MEMBER | {"shrink": F(1, 99)}),
    (MEMBER | {"shrink": F(9, 8)}, MEMBER | {"shrink": F(1)}),
    (MEMBER | {"t": [0, 2]}, MEMBER), (MEMBER | {"t": [-1, 0]}, MEMBER | {"t": [0, 0]}),
    (MEMBER | {"y": [F(1)]}, MEMBER), (MEMBER | {"A": fractions([[1, 0]])}, MEMBER), (MEMBER | {"t": [0]}, MEMBER),
    (MEMBER | {"X": INPUTS[:1]}, MEMBER),
    (MEMBER | {"A": fractions([[0, 0], [0, 0]])}, MEMBER), (MEMBER | {"C": fractions([[1, 2]])}, MEMBER),
    (MEMBER | {"A": fractions([[1], [1]])}, MEMBER),
    (MEMBER | {"X": INPUTS[:, :, 0]}, MEMBER),
)  # fmt: skip

LAYER = np.ones((1, 4), dtype=object)
test_bottlenecks = edges(
    DomainError, LinearBottleneck, ((LAYER, 4, 1, 0), (LAYER, 4, 1, 1)), ((LAYER, 4, 1, 5), (LAYER, 4, 1, 4)),
    ((LAYER, 2, 1, 1), (LAYER, 2, 2, 1)),
    ((LAYER[0], 4, 1, 1), (LAYER, 4, 1, 1)), ((np.ones((1, 0), dtype=object), 0, 1, 0), (LAYER, 1, 4, 1)),
    ((np.ones((1, 0), dtype=object), 4, 0, 1), (LAYER, 4, 1, 1)),
)  # fmt: skip
test_optimal_bottlenecks = edges(
    DomainError, OptimalLinearBottleneck.of, ((-1, 2, 1, 1), (0, 2, 1, 1)), ((1, 2, 1, 3), (1, 2, 1, 2))
)
NARROW = LinearBottleneck(LAYER, 4, 1, 2)
test_selected_positions = edges(
    DomainError, NARROW.coefficients, (([0],), ([0, 1],)), (([0, 4],), ([0, 3],)), (([-1, 0],), ([1, 0],)),
    (([0, 1, 2],), ([3, 2],)),
)  # fmt: skip


def test_subsets_have_a_budget(monkeypatch):
    monkeypatch.setattr("theorytools.constructions.feedforward.bottleneck._SUBSETS", 6)
    assert NARROW.risk() > 0  # 4 over 2
    monkeypatch.setattr("theorytools.constructions.feedforward.bottleneck._SUBSETS", 5)
    with pytest.raises(BudgetError, match="6 subsets"):
        NARROW.risk()


# -- second routes -----------------------------------------------------------------------------------------------------
kinks = st.sampled_from([F(-3), F(3), F(-1), F(0), F(7, 4)])
slopes = st.sampled_from([F(-2), F(-1, 2), F(1), F(3)])


@examples(25, st.lists(st.tuples(eighths, slopes, kinks), max_size=4), eighths, st.tuples(eighths, eighths, eighths))
def test_the_largest_error_sees_kinks_at_the_ends_of_the_interval(units, offset, target):
    line = LineUnits(tuple((c, w, -w * kink) for c, w, kink in units), offset)
    worst, place = line.largest_error(target, 3)
    error = lambda z: abs(line(z) - target[0] - target[1] * z - target[2] * z * z)  # noqa: E731
    assert error(place) == worst
    assert -3 <= place <= 3
    assert max(error(F(k, 16)) for k in range(-48, 49)) <= worst
    assert line.pieces(3) == 1 + len({kink for _, _, kink in units} - {-3, 3})
    assert line.kinks() == sorted({kink for _, _, kink in units})


def test_of_equal_errors_the_place_nearest_to_zero_is_returned():
    line = LineUnits.square(2, 4)  # four cells of width 1, all with the error 1/4 at their middles
    assert line.largest_error(SQUARE, 2)[0] == F(1, 4)
    assert abs(line.largest_error(SQUARE, 2)[1]) == F(1, 2)


@examples(
    12,
    st.lists(st.fractions(-3, 3, max_denominator=6), min_size=2, max_size=5, unique=True),
    st.integers(1, 6),
    st.integers(0, 99),
)
def test_an_interpolant_on_cells_has_its_unit_form(x, cells, seed):
    x = sorted({*x, -max(map(abs, x)) or F(-1), max(map(abs, x)) or F(1)})
    y = [F(int(v), 4) for v in np.random.default_rng(seed).integers(-9, 10, len(x))]
    net = LipschitzUnits(x, y, cells)
    knots = net.knots
    assert (knots[0], knots[-1], len(knots)) == (x[0], x[-1], cells + 1)
    assert all(net(k) == net.target(k) for k in knots)
    for a, b in itertools.pairwise(knots):
        assert net((a + b) / 2) == (net(a) + net(b)) / 2
    places = [x[0] + (x[-1] - x[0]) * F(k, 60) for k in range(61)]
    assert net.error() >= max(abs(net(z) - net.target(z)) for z in places)
    assert net.error() in {abs(net(z) - net.target(z)) for z in (*x, *knots)}
    assert len(net.units) == cells + 1
    assert net.largest_input() == 1
    pairs = list(itertools.pairwise(zip(x, y, strict=True)))
    assert net.steepness() == max(abs(v - u) / (b - a) for (a, u), (b, v) in pairs)
    assert net.largest_value() == max(map(abs, y))
    rises = [(net(b) - net(a)) / (b - a) for a, b in itertools.pairwise(knots)]
    assert net.largest_bend() == max((abs(b - a) for a, b in itertools.pairwise(rises)), default=0)
    assert net.squared_output() == sum(a * a for a, _, _ in net.units)
    assert net.largest_bend() <= 2 * net.steepness()


@examples(20, st.integers(1, 4), st.fractions(F(1, 2), 3, max_denominator=4), st.integers(1, 9), st.integers(0, 99))
def test_products_of_another_radius_have_its_error(d_e, radius, cells, seed):
    rng = np.random.default_rng(seed)
    a, b = ([radius * F(int(v), 8) for v in rng.integers(-8, 9, d_e)] for _ in range(2))
    units = InnerProductUnits(cells, radius)
    assert abs(units(a, b) - sum(x * y for x, y in zip(a, b, strict=True))) <= units.error(d_e)
    assert units.error(d_e) == d_e * units.error(1) == d_e * (radius / cells) ** 2
    assert units.units(d_e) == 2 * d_e * (cells - cells % 2)
    assert InnerProductUnits(cells) == InnerProductUnits(cells, 1)
    if cells % 2 == 0:  # attained: 2 B/m is the middle of a cell, where the square is missed most, and 0 the end of one
        assert units([radius / cells], [radius / cells]) - (radius / cells) ** 2 == units.error(1)


@examples(30, st.lists(st.integers(-5, 5), min_size=1, max_size=4))
def test_rational_unit_vectors_project_to_the_vector(v):
    *side, last = rational_unit_vector(v)
    assert [x / (1 - last) for x in side] == v  # stereographic


@examples(20, st.lists(eighths, min_size=4, max_size=4), st.lists(eighths, min_size=4, max_size=4))
def test_the_residual_of_other_slopes_and_knots_is_the_largest_distance(knots, slopes):
    net = Interpolant1D(Z, Y, knots=knots, slopes=slopes)
    gaps = [net.evaluate(z) - F(y) for z, y in zip(Z, Y, strict=True)]
    assert net.residual() == max(map(abs, gaps))
    assert net.hits() == gaps.count(0)
    assert net.separation == F(1, 2)


def test_a_network_below_its_data_has_a_residual():
    low = Interpolant1D(Z, Y, slopes=[0] * 4)
    assert low.residual() == 5
    assert low.hits() == 0
    assert Interpolant1D([0], [0]).hits() == 1


@examples(12, st.integers(2, 12), st.integers(0, 40))
def test_alternating_data_alternate_on_equal_distances(n, finer):
    spacing = F(1, n + finer)
    z, y = alternating_data(n, spacing)
    assert len(z) == n
    assert z[0] == -1
    assert {b - a for a, b in itertools.pairwise(z[1:])} <= {spacing}
    assert abs(sum(z[1:])) <= n * spacing  # around 0
    assert all(a * b < 0 for a, b in itertools.pairwise(y))
    assert max(map(abs, y)) <= 64
    assert [abs(v) for v in y] == [abs(v) for v in reversed(y)]  # one arch


@examples(20, st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=2), st.integers(2, 4))
def test_a_linear_interpolant_by_its_layers(labels, depth):
    y = [a for a, _ in labels]
    if not any(y):
        return
    X = np.array([[1, 2, 0], [0, 1, 3]])[: len(y)]
    net = LinearInterpolant(X, y, depth)
    assert net.hits() == len(y)
    assert [sum(F(int(a)) * b for a, b in zip(x, net.v, strict=True)) for x in X] == y
    # the shortest such vector lies in the span of the rows: it is orthogonal to their common normal
    normal = np.cross(*X) if len(X) == 2 else np.array([2, -1, 0])
    assert sum(int(a) * b for a, b in zip(normal, net.v, strict=True)) == 0
    size = math.sqrt(net.squared_v)
    assert net.squared_v == sum(x * x for x in net.v)
    norms = [float(x) for x in net.layer_norms()]
    assert len(norms) == depth
    assert norms == pytest.approx([2 * size ** (2 / depth)] * depth)
    plain = [float(x) for x in net.layer_norms(balanced=False)]
    assert plain == pytest.approx([2 * size**2] + [2.0] * (depth - 1))
    assert float(net.squared_norm()) == pytest.approx(sum(norms))
    assert float(net.squared_norm(balanced=False)) == pytest.approx(sum(plain))
    assert math.prod(n / 2 for n in norms) == pytest.approx(math.prod(n / 2 for n in plain))  # one function
    ridged = LinearInterpolant(X, y, depth, 7)
    assert ridged.hits() == y.count(0) or len(y) == 2
    assert ridged.squared_v < net.squared_v
    assert (LinearInterpolant(X, y).depth, LinearInterpolant(X, y).ridge) == (2, 0)


@examples(20, st.lists(st.tuples(eighths, eighths, eighths), max_size=4), st.tuples(eighths, eighths))
def test_a_network_of_least_norm_in_both_arithmetics(neurons, x):
    net = MinNormReLU([a for a, _, _ in neurons], [[v, w] for _, v, w in neurons], 2)
    exact = sum(a * max(v * x[0] + w * x[1], F(0)) for a, v, w in neurons)
    assert net.evaluate(x) == exact
    assert abs(float(net(np.array([[float(t) for t in x]]))[0]) - exact) <= net.rounding(1)
    cost = sum(abs(float(a)) * math.hypot(v, w) for a, v, w in neurons)
    assert float(net.squared_norm()) == pytest.approx(2 * cost)
    head = net.head()
    assert head.a @ head.a + (head.W**2).sum() == pytest.approx(2 * cost)
    assert not head.b.any()
    assert net.sizes() == {"width": len(neurons), "parameters": 3 * len(neurons)}


# -- rounding of heads, and their errors -------------------------------------------------------------------------------
def test_exact_labels_and_head_norms():
    head = ReluHead(np.array([2.0, -1.0]), np.array([[1.0, 0.5], [-1.0, 2.0]]), np.array([0.25, -3.0]))
    assert exact_label(head, [1, 2]).fraction() == F(9, 2)
    assert exact_label(head, [-2, 1]).fraction() == -1
    assert [x.fraction() for x in head.exact([[1, 2], [-2, 1]])] == [F(9, 2), -1]
    assert {k: float(v) ** 2 for k, v in head.norms().items()} == pytest.approx({"a": 5, "W": 6.25, "b": 9.0625})
    assert linear_head([0.6, 0.8], 4).W.tolist() == [[0.3, 0.4] * 4, [-0.3, -0.4] * 4]


@pytest.mark.parametrize(("q", "d", "cells"), [(2, 2, 4), (3, 1, 3), (1, 1, 2)])
def test_the_error_of_a_link_is_enclosed_whether_or_not_all_projections_fit(q, d, cells):
    for link, u in (("sq", None), ("he2", np.eye(d)[0])):
        head = link_head(link, u, q, d, radius=4, cells=cells)
        for radius in (F(1, 2), 1, 2, 3, 4):
            bound = head.sup_error(radius)
            # equal projections on the ball, and one projection alone, reach the lower end only below the upper one
            seen = []
            for share in range(17):
                z = [F(radius) * share / 16] + [F(0)] * (head.K - 1)
                seen.append(abs(head.value(z) - head.label(z)))
            spread = F(math.isqrt(int(F(radius) ** 2 * 4**20 / head.K)), 2**20)
            seen += [
                abs(head.value([spread * k / 8] * head.K) - head.label([spread * k / 8] * head.K)) for k in range(9)
            ]
            assert not any(bound.certainly_lt(one) for one in seen)
            assert bound.certainly_le(head.scale() * head.K * head.line.largest_error(SQUARE, radius)[0]) is not False
    assert link_head("lin", np.eye(d)[0], q, d).squared_scale == 1
    assert link_head("he2", np.eye(d)[0], q, d, radius=4, cells=2).squared_scale == F(1, 2 * q)
    assert link_head("sq", None, q, d, radius=4, cells=2).squared_scale == F(1, q * d)


def test_a_centred_link_has_half_the_error_and_another_line_is_taken():
    plain, centred = (link_head("he2", [1.0], 1, 1, radius=2, cells=4, centred=c) for c in (False, True))
    assert (plain.sup_error(2) - 2 * centred.sup_error(2)).contains(0)
    assert link_head("he2", [1.0], 1, 1, radius=2, cells=4).line == plain.line
    other = LineUnits.square_through([-2, 0, 1])
    assert link_head("he2", [1.0], 1, 1, line=other).line is other
    assert link_head("lin", [1.0], 1, 1, line=other).line is other


# -- predictors --------------------------------------------------------------------------------------------------------
def test_parallel_features_have_a_rational_risk():
    """E of two ReLUs of one Gaussian: half the product of the norms on one side, 0 on opposite sides."""
    W = fractions([[1, 2], [2, 4], [-3, -6]])
    net = FeatureReadout(W, fractions([[1, -1, 2]]))
    both = [[F(5, 2) * a * b if a * b > 0 else F(0) for b in (1, 2, -3)] for a in (1, 2, -3)]
    read = [1, -1, 2]
    cross = sum(a * w for a, w in zip(read, (1, 2, -3), strict=True))  # 2 a b, b half of <w, u>
    expected = 1 - cross + sum(read[i] * read[j] * both[i][j] for i in range(3) for j in range(3))
    assert net.risk((F(1), F(0))).fraction() == expected


def test_features_with_and_without_relu_on_one_prompt():
    X, T = fractions([[1], [-2]]).reshape(1, 2, 1), np.array([[[0], [1]]])
    # neurons 1, -2, -1: read-outs (1 + (-1), -2) and with the ReLU (1 + 0, 0)
    assert FeatureReadout(ROWS, READ, relu=False).exact(X, T).tolist() == [[0, -2]]
    assert FEATURES.exact(X, T).tolist() == [[1, 0]]
    assert FEATURES.relu
    assert (
        FeatureReadout.least_squares(ROWS, 2, ONE).A.tolist()
        == FeatureReadout.least_squares(ROWS, 2, ONE, 0.0).A.tolist()
    )


def test_one_position_has_a_residual_too():
    net = SpanPredictor(np.array([[[1, 2, 0]]]), (F(0), F(3, 5), F(4, 5)))
    draws = net.residual(np.random.default_rng(1), 3000)
    # chi-square over n: off by more than 2 sqrt(x/n) + 2 x/n with probability 2 exp(-x) (Laurent and Massart)
    x = math.log(2e9)
    assert abs(np.square(draws).mean() / float(net.risk()) - 1) <= 2 * math.sqrt(x / 3000) + 2 * x / 3000
    assert net.risk() == 1 - F(6, 5) ** 2 / 5
    assert net.risk((F(0), F(0), F(1))) == 1 + F(6, 5) ** 2 / 5
    other = (F(3, 5), F(4, 5), F(0))
    turned = net.residual(np.random.default_rng(1), 3000, other)
    assert abs(np.square(turned).mean() / float(net.risk(other)) - 1) <= 2 * math.sqrt(x / 3000) + 2 * x / 3000


@examples(15, st.integers(0, 999))
def test_span_predictors_round_within_their_bound(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (2, 2, 2)) + np.array([[[9, 0], [0, 0]], [[0, 9], [0, 0]]])
    net = SpanPredictor(X, (F(3, 5), F(4, 5)))
    prompts, T = rng.integers(-6, 7, (8, 2, 2)), rng.integers(0, 2, (8, 2, 1))
    off = np.abs(net(prompts, T) - net.exact(prompts, T).astype(float)).max()
    assert off <= net.rounding(6)
    assert net.rounding(6) == pytest.approx(6 * net.rounding(1))
    assert net.rounding(6) < 1e-9


def test_bumps_by_hand_and_their_slope_by_differences():
    read = BumpReadout(**BUMPS)
    inside = fractions([[F(1, 9), 1, F(1, 9)]])[0]
    value, slope = read(0, inside)
    rest = 1 - F(2, 81) * 9
    assert value == F(2, 9) + rest**2 * (1 + F(2, 9))
    h = F(1, 10**9)
    for k in range(3):
        step = fractions([[h * (i == k) for i in range(3)]])[0]
        ahead, back = (read(0, inside + s * step)[0] for s in (1, -1))
        assert abs((ahead - back) / (2 * h) - slope[k]) < F(1, 10**6)
    edge = fractions([[F(1, 3), 1, 0]])[0]  # at distance 1/3, where the bump ends
    assert read(1, edge)[0] == 1
    assert (read(1, edge)[1] == READ[1]).all()


@pytest.mark.parametrize("m", [1, 2, 3])
def test_the_bump_norm_is_the_volume_of_its_balls(m):
    X = np.eye(3, dtype=int)[:m].reshape(m, 3, 1)
    net = StationaryMember.oracle(X, [0, 1, 2][:m], ONE, F(1, 9))
    f = net.readout
    r0 = math.sqrt(f.radius2)
    height = abs(float(f.rho)) + max(math.sqrt(h @ h) for h in f.h) * r0
    ball = math.pi ** (m / 2) / math.gamma(m / 2 + 1) * r0**m
    # W = X has the Gram matrix I
    wanted = height * math.sqrt(m * ball / (2 * math.pi) ** (m / 2))
    assert float(net.bump_norm()) == pytest.approx(wanted)


def test_a_first_layer_of_dependent_rows_has_no_density():
    twice = {"A": fractions([[1, 2], [0, 0]]), "C": fractions([[1, 2], [0, 1]])}
    with pytest.raises(DomainError, match="independent"):
        StationaryMember(**MEMBER | twice).bump_norm()
    assert StationaryMember(**MEMBER).bump_norm().certainly_lt(Enclosure(100))


def test_the_first_layer_is_stationary():
    net = StationaryMember(**MEMBER)
    f, rows = net.readout, INPUTS.reshape(2, -1).astype(object)
    total = 0
    for row, t, y in zip(rows, net.t, net.y, strict=True):
        value, slope = f(t, net.W @ row)
        total = total + (value - y) * np.outer(slope, row) / F(2)  # the mean over two data of the slopes of r^2/2
    assert (total == -net.lam * net.W).all()
    assert StationaryMember(**MEMBER).rho == 1 == StationaryMember(**MEMBER).shrink


@examples(15, st.integers(1, 4), st.integers(1, 2), st.integers(0, 99))
def test_a_bottleneck_predicts_by_its_coefficients(T, d, seed):
    rng = np.random.default_rng(seed)
    q = int(rng.integers(1, T + 1))
    W = rng.integers(-2, 3, (2, T * d)).astype(object)
    net = LinearBottleneck(W, T, d, q)
    y = rng.permutation(T)[:q]
    x = rng.integers(-5, 6, T * d).astype(object)
    C = net.coefficients(y.tolist())
    assert (net.exact(x.reshape(1, T, d), y[None])[0] == C @ x).all()
    doubled = LinearBottleneck(W, T, d, q, 2)
    assert (doubled.coefficients(y.tolist()) == 2 * C).all()
    assert OptimalLinearBottleneck.of(1, T, d, q).scale == 1
    # normal equations: the residual of each selected mean is uncorrelated with the first layer
    S = np.zeros((d, T * d), dtype=object) + F(0)
    for i in y:
        S[:, i * d : (i + 1) * d] += np.eye(d, dtype=int).astype(object) * F(1, q)
    assert not ((S - C) @ W.T).any()


def test_gaps_of_random_draws_have_the_variance_of_the_loss():
    net = LinearBottleneck(np.array([[1, 2, -1, 0]], dtype=object), 4, 1, 2)
    draws = net.residual(np.random.default_rng(3), 3000)
    x = math.log(2e9)  # Laurent and Massart, as above
    assert abs(np.square(draws).mean() / float(net.risk()) - 1) <= 2 * math.sqrt(x / 3000) + 2 * x / 3000
    assert at_precision(64, lambda: Enclosure(net.risk())).fraction() == net.risk()
