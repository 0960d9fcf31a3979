"""Units on a line and interpolants by second routes."""

import itertools
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import eighths, examples
from refusals import edges

from theorytools.constructions.feedforward.inner_products import InnerProductUnits
from theorytools.constructions.feedforward.lipschitz_units import LipschitzUnits
from theorytools.constructions.feedforward.piecewise_linear import SQUARE, LineUnits
from theorytools.errors import BudgetError, DomainError
from theorytools.papers.qstr.feedforward.feature_readout import FeatureReadout
from theorytools.papers.qstr.feedforward.stationary import BumpReadout, StationaryMember
from theorytools.papers.stsq.feedforward.bottleneck import LinearBottleneck, OptimalLinearBottleneck


def fractions(rows):
    return np.array([[F(x) for x in row] for row in rows], dtype=object)


INPUTS = np.array([[[1], [2]], [[0], [1]]])


ONE = (F(1),)


P, T = np.ones((3, 2, 1)), np.ones((3, 2, 1), dtype=int)


ROWS, READ = fractions([[1, 0], [0, 1], [1, 1]]), fractions([[1, 0, 1], [0, 1, 0]])


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
    monkeypatch.setattr("theorytools.papers.stsq.feedforward.bottleneck._SUBSETS", 6)
    assert NARROW.risk() > 0  # 4 over 2
    monkeypatch.setattr("theorytools.papers.stsq.feedforward.bottleneck._SUBSETS", 5)
    with pytest.raises(BudgetError, match="6 subsets"):
        NARROW.risk()


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
