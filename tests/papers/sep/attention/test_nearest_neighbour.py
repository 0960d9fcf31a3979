"""Nearest neighbour by two layers: exact weights, float64 and torch agree; thresholds, repeated vectors, refusals."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from properties import examples

from theorytools import DomainError, changed
from theorytools.numbers import at_precision
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour
from theorytools.papers.sep.attention.nearest_weights import direct_margin
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask, different_signs, equidistant
from theorytools.papers.sep.torch.nearest_neighbour import NearestModule

LABELS = np.array(list(itertools.product((-1, 1), repeat=4)))


def drawn(N, d, seed=0):
    return NearestTask(different_signs(N, d, np.random.default_rng(seed)))


@pytest.mark.parametrize("variant", ["position", "copy"])
def test_worst_labels_are_worst_over_all_labels(variant):
    net = NearestNeighbour(drawn(4, 5), variant)
    every = (net.task.answers(LABELS) * net(LABELS)).min(axis=0)
    # doubles: at most 30 roundings of numbers below 30 in a score and a sum, so 1e-13 relative to 1
    assert np.allclose(every, [float(m) for m in net.margins()], rtol=0, atol=1e-12)


@examples(25, st.integers(2, 12), st.integers(4, 10), st.integers(0, 99))
def test_bounds_hold_for_drawn_data(N, d, seed):
    task = drawn(N, d, seed)
    by_position, by_copy = NearestNeighbour(task), NearestNeighbour(task, "copy")
    assert by_position.code_error() == 0
    assert by_position.least_weight() >= Fraction(7, 8)
    assert by_position.least_margin().fraction() >= Fraction(3, 4)
    assert by_copy.copy_loss() <= task.margin / 16
    assert by_copy.copy_error() <= task.margin**2 / 64
    assert by_copy.least_margin().certainly_le(Fraction(3, 4)) is False
    near = np.arange(N)
    for net in (by_position, by_copy):
        # scores below (3 + 1) log(14 N) d < 260 in doubles: absolute errors of a few 260 eps < 1e-12 in an exponent
        exact = [float(m) for m in net.margins()]
        assert np.allclose(net(task.worst_labels())[near, near], exact, rtol=0, atol=1e-11)


def test_queries_that_are_no_points_and_tokens_that_attend_to_themselves():
    points = equidistant(8, 0)
    queries = np.where(np.arange(8) == np.arange(8)[:, None], -points, points)  # one sign flipped
    task = NearestTask(points, queries)
    assert task.nearest.tolist() == list(range(8))
    assert 0 < task.margin < 1
    for variant in ("position", "copy"):
        assert NearestNeighbour(task, variant).least_margin().certainly_le(Fraction(3, 4)) is False
    task = NearestTask(equidistant(16, 48))
    apart, shared = (changed(NearestNeighbour(task, pull=10**6), own_key=key) for key in (0, 3 * task.d))
    assert apart.fetch(0)[0] > Fraction(9999, 10000)
    assert Fraction(4999, 10000) < shared.fetch(0)[0] < Fraction(1, 2)
    task = NearestTask(equidistant(64, 192))
    for ratio, margin in ((Fraction(1, 2), -0.745), (Fraction(9, 10), 0.686)):
        net = NearestNeighbour(task, pull=Fraction(63**ratio))
        assert round(float(net.least_margin()), 3) == margin  # the reference numbers have three digits


@pytest.mark.parametrize(
    ("variant", "spoiled"),
    [("position", lambda net: net), ("position", lambda net: changed(net, own_key=3 * 6)),
     ("position", lambda net: changed(net, label_codes=net.codes[[1, 0, 2, 3, 4, 5]])), ("copy", lambda net: net)],
)  # fmt: skip
def test_module_agrees(variant, spoiled):
    net = spoiled(NearestNeighbour(drawn(6, 6), variant))
    task, module = net.task, NearestModule(net)
    labels = np.random.default_rng(1).choice([-1, 1], (6, 6))
    scaled = torch.tensor(task.points / math.sqrt(task.d))
    found = module(scaled.expand(6, -1, -1), torch.tensor(labels, dtype=torch.float64), scaled)
    assert module.width == net.width
    # scores below 3 * (4/3) log(84) d < 110 in doubles: 110 eps times a few operations is below 1e-12
    assert np.allclose(found.detach().numpy(), np.diag(net(labels)), rtol=0, atol=1e-12)


def test_coarse_formats_name_every_label():
    task = NearestTask(equidistant(16, 48))
    for variant, dtype in itertools.product(("position", "copy"), (torch.float16, torch.bfloat16)):
        module = NearestModule(NearestNeighbour(task, variant), torch.float32).to(dtype)
        scaled = torch.tensor(task.points / 8, dtype=dtype)
        labels = torch.tensor(task.worst_labels(), dtype=dtype)
        assert (module(scaled.expand(16, -1, -1), labels, scaled) > 0).all()


@pytest.mark.parametrize("N", [4, 64])
def test_direct_margin_is_a_hyperbolic_tangent(N):
    task = NearestTask(equidistant(N, N))
    for ratio in (0.5, 0.99, 1.01, 2):
        found = float(direct_margin(task, (N - 1) ** ratio))
        # the base is a double, off by one ulp: 63^2 eps relative in the weights moves the margin by less than 1e-12
        assert math.isclose(found, math.tanh((ratio - 1) * math.log(N - 1) / 2), rel_tol=1e-9, abs_tol=1e-12)
    assert direct_margin(task, N - 1).fraction() == 0


def test_repeated_vectors_by_distance_of_their_codes():
    points = different_signs(64, 24, np.random.default_rng(3))
    for other, wrong in ((1, False), (32, False), (7, True), (63, True)):  # codes at distance 1, 1, 3, 6 from the first
        X = points.copy()
        X[other] = X[0]
        task = NearestTask(X, X[:1])
        assert task.repeated
        assert (float(NearestNeighbour(task).least_margin()) < 0) is wrong
        assert at_precision(64, NearestNeighbour(task, "copy").least_margin).certainly_le(Fraction(3, 4)) is False
    # Codes 1 and 2 differ in two bits, but of the four positions between them only three are taken.
    X = equidistant(4, 0)[[0, 1, 1]]
    assert float(NearestNeighbour(NearestTask(X, X[1:2])).least_margin()) > Fraction(1, 5)


def test_refusals():
    task = drawn(4, 5)
    for spoiled in (
        {"variant": "both"}, {"pull": 1}, {"length": 1},
    ):  # fmt: skip
        with pytest.raises(DomainError):
            NearestNeighbour(task, **spoiled)
    for points in ([[1, 1]], [[1, 2], [1, 1]], [1, 1], [[1, 1], [1, 1]]):
        with pytest.raises(DomainError):
            NearestTask(np.array(points))
    with pytest.raises(DomainError, match="power of two"):
        equidistant(6, 0)
    with pytest.raises(DomainError, match="different integers"):
        different_signs(9, 3, np.random.default_rng(0))
