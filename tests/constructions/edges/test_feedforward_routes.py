"""Interpolants and predictors by second routes."""

import itertools
import math
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import eighths, examples

from theorytools.constructions.feedforward.inner_products import rational_unit_vector
from theorytools.constructions.feedforward.link_heads import linear_head, link_head
from theorytools.constructions.feedforward.piecewise_linear import SQUARE, LineUnits
from theorytools.constructions.feedforward.readout import ReluHead, exact_label
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, at_precision
from theorytools.papers.qstr.feedforward.feature_readout import FeatureReadout
from theorytools.papers.qstr.feedforward.interpolant import Interpolant1D, alternating_data
from theorytools.papers.qstr.feedforward.linear_interpolant import LinearInterpolant
from theorytools.papers.qstr.feedforward.min_norm_relu import MinNormReLU
from theorytools.papers.qstr.feedforward.span_predictor import SpanPredictor
from theorytools.papers.qstr.feedforward.stationary import BumpReadout, StationaryMember
from theorytools.papers.stsq.feedforward.bottleneck import LinearBottleneck, OptimalLinearBottleneck


def fractions(rows):
    return np.array([[F(x) for x in row] for row in rows], dtype=object)


A, W, B = np.ones(2), np.ones((2, 3)), np.zeros(2)


Z, Y = [-2, 0, F(1, 2), 3], [1, -1, 2, 5]


INPUTS = np.array([[[1], [2]], [[0], [1]]])


ONE = (F(1),)


P, T = np.ones((3, 2, 1)), np.ones((3, 2, 1), dtype=int)


ROWS, READ = fractions([[1, 0], [0, 1], [1, 1]]), fractions([[1, 0, 1], [0, 1, 0]])


FEATURES = FeatureReadout(ROWS, READ)


BUMPS = {"C": READ, "centres": fractions([[0, 1, 0]]), "h": fractions([[1, 1, 1]]), "rho": F(1), "radius2": F(1, 9)}


MEMBER = {
    "X": INPUTS, "t": [0, 1], "y": [F(1), F(1)], "lam": F(1, 9),
    "C": fractions([[1, 2], [0, 1]]), "A": fractions([[1, 0], [0, 1]]),
}  # fmt: skip


slopes = st.sampled_from([F(-2), F(-1, 2), F(1), F(3)])


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
