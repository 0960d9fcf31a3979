"""Risks, attention in matrix form, baselines and the floor of learning: each number by two routes."""

import math
from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
import sympy
from devices import device
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import BlockAttention, BudgetError, DomainError
from theorytools.codes.families import hadamard, rademacher
from theorytools.codes.subcode import subcode
from theorytools.constructions.feedforward.link_heads import linear_head
from theorytools.numbers import total
from theorytools.papers.qstr.attention.matrix import MatrixAttention, attend, encoded, merged_matrix, softmax_weights
from theorytools.papers.qstr.attention.tuple_risk import tuple_risk
from theorytools.papers.qstr.first_layers.retrieved_regression import RetrievedRegression
from theorytools.papers.qstr.memory.index_blind import code_classes, partial_index_risk

LossTable, mean, variance = device("qstr/definition_02/_empirical_risk", "LossTable", "mean", "variance")
FinitePrompts = device("qstr/definition_02/_finite_prompts").FinitePrompts

RNG = np.random.default_rng
LOG2 = sympy.log(2)


# risks -------------------------------------------------------------------------------------------------------

TABLES = st.integers(1, 3).flatmap(
    lambda N: st.lists(st.lists(st.integers(0, 9), min_size=N, max_size=N), min_size=1, max_size=5)
)


@examples(25, TABLES, st.integers(1, 2))
def test_laws_are_those_of_listing_all_samples(rows, n):
    table = LossTable(np.array(rows), unit=2)
    P, N = len(rows), len(rows[0])
    whole, single = [], []
    for prompts in product(range(P), repeat=n):
        whole.append(F(sum(sum(rows[p]) for p in prompts), 2 * n * N))
        single += [F(sum(rows[p][j] for p, j in zip(prompts, places, strict=True)), 2 * n)
                   for places in product(range(N), repeat=n)]  # fmt: skip
    for law, listed in ((table.law(n), whole), (table.law(n, whole=False), single)):
        assert mean(law) == sum(listed) / len(listed) == table.risk()
        assert variance(law) == sum(x**2 for x in listed) / len(listed) - table.risk() ** 2
    assert variance(table.law(n, whole=False)) - variance(table.law(n)) == table.within() / n


@pytest.mark.parametrize(("law", "size"), [("general", 3**3 * 3**3), ("simple", 3**3 * 3), ("few", 3)])
def test_all_prompts_are_listed_once(law, size):
    task = FinitePrompts((-1, 0, 2), 3, 1, law)
    X, T = task.prompts()
    assert len(X) == len(T) == size == task.size
    assert len({(*x, *t) for x, t in zip(X.tolist(), T.reshape(size, -1).tolist(), strict=True)}) == size


def test_the_few_law_designs_and_equal_codes():
    X, T = FinitePrompts((1, 2), 5, 2, "few").prompts()
    y = FinitePrompts.labels(X, T, power=2)
    assert (X[:, 2:] == 0).all()
    assert (y[:, :2] == 0).all()
    assert (y[:, 2:] == (X[:, :2] ** 2).sum(axis=1, keepdims=True)).all()
    X, T = RNG(12).integers(-3, 4, (2, 4, 2)), np.array([[[0, 3]], [[2, 1]]])
    assert RetrievedRegression.of(X, T).rows == [[*X[0, 0], *X[0, 3]], [*X[1, 2], *X[1, 1]]]
    assert RetrievedRegression.of(X, T, tied=True).rows == [(X[0, 0] + X[0, 3]).tolist(), (X[1, 2] + X[1, 1]).tolist()]
    assert code_classes(subcode(hadamard(8), [0, 3, 0, 5, 3])) == [0, 1, 0, 3, 1]
    assert code_classes(hadamard(4)) == [0, 1, 2, 3]


# matrices ----------------------------------------------------------------------------------------------------
def test_matrix_forms_are_float_forward_passes_and_move_with_the_tokens():
    net = BlockAttention(rademacher(6, 16, RNG(0)), 8 * LOG2, q=1, d=4)
    X, T = RNG(1).integers(-3, 4, (6, 4)), RNG(2).integers(0, 6, (6, 1))
    assert np.allclose(
        [[float(z) for z in row] for row in encoded(net, X.tolist(), T)], net.encode(X[None], T[None])[0]
    )
    scaled = np.array([[float(w) for w in row] for row in merged_matrix(net, 0)]) * math.log(2)
    assert np.allclose(scaled, net.W_QK(0))
    F_exact = MatrixAttention.of(net, T)(X.tolist())
    # scores below 6 in doubles with D_e = 36 terms
    assert np.allclose([[float(x) for x in row] for row in F_exact], net(X[None], T[None])[0, :, 0], rtol=0, atol=1e-12)
    X, W = RNG(3).integers(-2, 3, (5, 2)).tolist(), RNG(4).integers(-2, 3, (2, 2)).tolist()
    order = [3, 0, 4, 1, 2]
    out = [[x.fraction() for x in row] for row in attend(X, W)]
    assert [[x.fraction() for x in row] for row in attend([X[k] for k in order], W)] == [out[k] for k in order]


@examples(25, st.lists(st.integers(-5, 5), min_size=1, max_size=5), st.integers(-9, 9))
def test_softmax_is_invariant_under_a_shift(scores, c):
    weights = [w.fraction() for w in softmax_weights(scores)]
    assert sum(weights) == 1
    assert [w.fraction() for w in softmax_weights([s + c for s in scores])] == weights


@pytest.mark.parametrize("blocks", [None, ((1, 0), (1, 0)), ((0, 1), (0, 2)), ((2, 0),)])
def test_tuple_risk_is_the_squared_length_of_the_coefficients(blocks):
    net = BlockAttention(rademacher(7, 6, RNG(5)), 6 * LOG2, q=2, d=1, blocks=blocks)
    T = RNG(6).integers(0, 7, (7, 2))
    for i in (0, 3):
        # the forward pass on the unit prompts gives the attention weights
        rows = [net.exact_token(np.eye(7, dtype=int).tolist(), T, i, h) for h in range(len(net.wiring))]
        wanted = np.bincount(T[i], minlength=7).tolist()
        direct = total((total(w) - c) ** 2 for w, c in zip(zip(*rows, strict=True), wanted, strict=True)) / 2
        assert tuple_risk(net, T, i).fraction() == direct.fraction()


def test_tuple_risk_is_the_mean_squared_error_of_the_network():
    u, N, q, d = np.array([0.6, 0.8]), 5, 2, 2
    net = BlockAttention(rademacher(N, 6, RNG(7)), 1, q, d, head=linear_head(u, q))
    T = np.tile([1, 3], (N, 1))
    X = RNG(8).standard_normal((20_000, N, d))
    errors = net(X, np.broadcast_to(T, (len(X), N, q)))[:, 0] - (X[:, [1, 3]] @ u).sum(axis=1) / math.sqrt(q)
    exact, x = float(tuple_risk(net, T, 0)), math.log(2e9)
    # Gaussian errors: Laurent and Massart (2000), Lemma 1, at probability 1e-9
    assert abs((errors**2).mean() / exact - 1) <= 2 * math.sqrt(x / len(X)) + 2 * x / len(X)


# baselines ---------------------------------------------------------------------------------------------------
@examples(25, st.lists(st.integers(0, 3), min_size=1, max_size=7), st.integers(1, 3))
def test_only_the_number_of_classes_counts(classes, q):
    N = len(classes)
    assert partial_index_risk(classes, q) == F(N - len(set(classes)), N)
    if q <= N:
        assert partial_index_risk([0] * N, q, distinct=True) == 1 - F(q, N)


# the floor ---------------------------------------------------------------------------------------------------
def test_least_norm_attains_the_floor_and_no_estimator_is_below():
    data = RetrievedRegression(RNG(9).integers(-9, 10, (3, 5)).tolist())
    B = RNG(10).integers(-2, 3, (5, 3))
    floor = F(2, 5)
    assert data.mean_risk(data.min_norm) == floor
    for estimator in (data.ridge, data.zero, data.nearest_axis, lambda y: np.array([F(int(x)) for x in B @ y])):
        assert data.mean_risk(estimator) > floor
    assert data.mean_risk(data.nearest_axis, data.axes) == 0
    V = RNG(11).integers(-9, 10, (3, 5))
    data, u = RetrievedRegression(V.tolist()), np.array([F(1), F(0), F(2), F(-1), F(3)])
    estimate = data.min_norm(data.design @ u).astype(float)
    assert np.allclose(estimate, np.linalg.pinv(V) @ (V @ u.astype(float)), atol=1e-11)  # condition below 100
    rows = [[1, 2, 0], [2, 4, 0], [0, 0, 1]]
    data = RetrievedRegression(rows)
    assert data.rank == 2
    assert data.mean_risk(data.min_norm) == F(1, 3)


def test_refusals():
    net = BlockAttention(hadamard(8), 3, q=1, d=2)
    T = np.zeros((8, 1), dtype=int)
    refuses(
        DomainError, lambda: FinitePrompts((), 2), lambda: FinitePrompts((0, 0), 2),
        lambda: FinitePrompts((0, 1), 3, 2, "few"), lambda: LossTable(np.array([0.5])),
        lambda: LossTable(np.array([[1]]), unit=0), lambda: attend([[1, 2]], [[1]]), lambda: merged_matrix(net, 0),
        lambda: encoded(BlockAttention(hadamard(8), 3, q=1, d=3), [[0] * 3] * 8, T), lambda: tuple_risk(net, T[:3], 0),
        lambda: partial_index_risk([]), lambda: partial_index_risk([0], 2, distinct=True),
        lambda: RetrievedRegression([[0, 0]]).rank, lambda: RetrievedRegression([[1, 0]]).mean_risk(lambda y: y, []),
    )  # fmt: skip
    refuses(BudgetError, lambda: FinitePrompts((0, 1), 8), lambda: partial_index_risk([0] * 50, 3))
