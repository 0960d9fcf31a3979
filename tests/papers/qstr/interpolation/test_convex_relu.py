"""Least norms in any dimension: certificates on both sides, closed forms, the line again, refusals."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import Budget, BudgetError, CertificateError, DomainError, Evidence
from theorytools.numbers import Enclosure, rational_rank
from theorytools.papers.qstr import MinNormReLU, min_norm_interpolant
from theorytools.papers.qstr.interpolation.activation_patterns import activation_patterns, squared_gain
from theorytools.papers.qstr.interpolation.convex_program import shrunk
from theorytools.papers.qstr.interpolation.convex_relu import LeastReLU, gram_matrix, least_norm_relu
from theorytools.papers.qstr.interpolation.line_with_error import min_norm_erm
from theorytools.papers.qstr.interpolation.orthogonal_inputs import orthogonal_norm

# the solver stops at a relative gap of 1e-8; repair moves at most n <= 4 entries by its residual, another 1e-8 each
# times the condition of the data, which small integers keep below 20
WIDTH = Fraction(1, 10**6)


@st.composite
def data(draw, most=4):
    n = draw(st.integers(1, most))
    D = n + draw(st.integers(0, 2))
    rows = st.lists(st.integers(-4, 4), min_size=D, max_size=D)
    F = draw(st.lists(rows, min_size=n, max_size=n).filter(lambda F: rational_rank(F) == n))
    return F, draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))


def exact(F):
    return tuple(tuple(map(Fraction, row)) for row in F)


def contains(best, value):
    box = Enclosure(value) if not isinstance(value, Enclosure) else value
    return best.lower().certainly_le(box) is not False and box.certainly_le(best.upper()) is not False


# -- the bracket --------------------------------------------------------------------------------------------------
@examples(12, data(), st.sampled_from([0, Fraction(1, 100), Fraction(1, 2)]))
def test_network_is_exact_dual_is_below_bracket_is_narrow(points, epsilon):
    best = least_norm_relu(*points, epsilon=epsilon)
    assert best.loss() <= epsilon
    assert best.hits() == best.n or epsilon
    assert best.residual() == 0 or epsilon
    assert best.lower().certainly_le(best.upper()) is not False
    assert best.within(WIDTH) or not any(best.dual)


@examples(30, data(), st.lists(st.integers(-9, 9), min_size=8, max_size=8), st.sampled_from([0, Fraction(1, 2)]))
def test_weak_duality_for_any_network_and_any_multiplier(points, numbers, epsilon):
    F, y = points
    v = np.array(numbers[: len(F[0])] * 2)[: len(F[0])]
    # the linear network v through its own outputs, and the labels as a multiplier
    own = [int(x) for x in np.array(F) @ v]
    net = MinNormReLU([1, -1], [v.tolist(), (-v).tolist()])
    trial = LeastReLU(exact(F), tuple(map(Fraction, own)), Fraction(epsilon), net, tuple(map(Fraction, y)))
    assert trial.residual() == 0
    assert trial.lower().certainly_le(trial.upper()) is not False


@examples(30, data(most=3), st.lists(st.integers(-6, 6), min_size=3, max_size=3))
def test_supremum_is_above_every_unit_and_attained_by_one(points, numbers):
    gram, n = gram_matrix(exact(points[0])), len(points[1])
    dual = tuple(map(Fraction, numbers[:n]))
    bound = float(squared_gain(gram, dual, activation_patterns(n))) ** 0.5
    # the best unit lies in a face of an orthant, where it is stationary: entries J of s free, the others 0
    l, inverse, best = np.array(dual, dtype=float), np.linalg.inv(np.array(gram, dtype=float)), 0.0
    for kept, signs in product(product([0, 1], repeat=n), product([-1, 0, 1], repeat=n)):
        J, s = np.flatnonzero(kept), np.zeros(n)
        s[J] = np.linalg.solve(inverse[np.ix_(J, J)], (l * signs)[J])
        if (size := s @ inverse @ s) > 0:
            best = max(best, abs(l @ np.maximum(s, 0)) / size**0.5)
    # doubles: inverses of integer matrices of order 3 with entries below 100, condition below 1e6
    assert best <= bound * (1 + 1e-9)
    assert bound <= best * (1 + 1e-7) + 1e-12


@examples(12, data(), st.sampled_from([Fraction(3), Fraction(1, 7)]))
def test_labels_and_inputs_scale_the_norm(points, factor):
    F, y = points
    plain = least_norm_relu(F, y)
    scaled = least_norm_relu(F, [factor * v for v in y])
    wide = least_norm_relu([[factor * v for v in row] for row in F], y)
    for other, ratio in ((scaled, factor), (wide, 1 / factor)):
        assert (ratio * plain.lower()).certainly_le(other.upper()) is not False
        assert other.lower().certainly_le(ratio * plain.upper()) is not False


@examples(12, data(), st.integers(0, 2))
def test_useless_inputs_and_a_rotation_change_nothing(points, place):
    F, y = points
    plain = least_norm_relu(F, y)
    turned = [[*row[:place], 0, *row[place:]] for row in F]
    # (3, 4; -4, 3)/5 on the first two coordinates
    turned = [[Fraction(3 * a + 4 * b, 5), Fraction(3 * b - 4 * a, 5), *rest] for a, b, *rest in turned]
    other = least_norm_relu(turned, y)
    assert contains(plain, other.lower()) or contains(other, plain.lower())


@pytest.mark.parametrize("y", [(2, -1, 3), (1, 1, -4)])
def test_the_program_in_weights_has_the_same_value(y):
    # the display itself: v_b in R^D with (2 diag(b) - I) F v_b >= 0, instead of pre-activations
    cp = pytest.importorskip("cvxpy")
    F, (value, fitted, rules) = np.array([[1, 2, 0, -1], [0, 1, 3, 1], [2, -1, 1, 0]]), (0, 0, [])
    for b, sign in product(activation_patterns(3), (1, -1)):
        v = cp.Variable(4)
        value, fitted = value + cp.norm(v, 2), fitted + sign * np.diag(b) @ F @ v
        rules.append((2 * np.diag(b) - np.eye(3)) @ F @ v >= 0)
    problem = cp.Problem(cp.Minimize(value), [*rules, fitted == np.array(y)])
    problem.solve(solver="CLARABEL")
    # Clarabel stops at a relative gap of 1e-8
    assert 2 * problem.value == pytest.approx(float(least_norm_relu(F, y).upper()), rel=1e-6)


@pytest.mark.parametrize("epsilon", [0, "1/100", 1])
@pytest.mark.parametrize(("z", "y"), [([0, 1], [0, 5]), ([-1, "1/2"], [2, -3]), (["3/4"], [5])])
def test_the_line_by_the_other_program(z, y, epsilon):
    # features (z, 1): a bias is the weight of a constant; both brackets contain the same number
    best = least_norm_relu([[v, 1] for v in z], y, epsilon=epsilon)
    line = min_norm_erm(z, y, epsilon=epsilon)
    assert best.within(WIDTH)
    assert line.within(WIDTH)
    assert best.lower().certainly_le(line.upper()) is not False
    assert line.lower().certainly_le(best.upper()) is not False


@pytest.mark.parametrize("epsilon", ["0", "1/10", "3/2", "5", "8"])
@pytest.mark.parametrize("y", [(1, -2, 3), (2, 1, 2), (-4, 1, "1/2")])
def test_orthogonal_inputs_have_a_closed_form(y, epsilon):
    best = least_norm_relu([[2, 0, 0, 0], [0, 0, -2, 0], [0, 2, 0, 0]], y, epsilon=epsilon)
    assert contains(best, orthogonal_norm(y, squared_length=4, epsilon=epsilon))
    assert not any(best.dual) or best.within(WIDTH)


def test_recipes_enclose_and_zero_labels_cost_nothing():
    best = least_norm_relu([[2, 2, 1]], [3])
    (step, *_) = best.recipe().steps(0.0, Budget(bits=256))
    assert (step.evidence, step.low, step.high) == (Evidence.EXACT, 2, 2)
    missed = replace(best, network=MinNormReLU([2], best.network.W))
    with pytest.raises(CertificateError, match="misses"):
        missed.recipe()
    best = least_norm_relu([[1, 0], [1, 1]], [1, -1], epsilon=1)
    assert (best.neurons, best.upper().fraction(), best.lower().fraction()) == (0, 0, 0)
    assert best.network(np.ones((5, 2))).tolist() == [0.0] * 5
    y = (Fraction(3), Fraction(4))
    moved = shrunk((Fraction(0), Fraction(0)), y, Fraction(1, 3))
    loss = sum((m - v) ** 2 for m, v in zip(moved, y, strict=True)) / 2
    assert Fraction(1, 3) * (1 - Fraction(1, 10**12)) <= loss <= Fraction(1, 3)


@pytest.mark.parametrize("epsilon", ["1/100", "1/4", 2])
def test_erm_on_the_line_is_narrow_exact_and_decreasing(epsilon):
    z, y = [-2, -1, 0, "1/2", 3], [1, -2, 3, 1, -1]
    found = min_norm_erm(z, y, epsilon=epsilon)
    assert found.loss() <= found.epsilon
    assert found.within(WIDTH)
    assert found.upper().certainly_lt(min_norm_interpolant(z, y).lower()) is True
    with pytest.raises(CertificateError, match="misses"):
        replace(found, epsilon=found.loss() / 2).recipe()


# -- the network ----------------------------------------------------------------------------------------------------
def test_arrays_module_and_closed_form_agree():
    rng = np.random.default_rng(7)
    net = least_norm_relu(rng.integers(-4, 5, (4, 6)), [1, -2, 3, 1]).network
    head, x = net.head(), rng.integers(-9, 10, (50, 6))
    exactly = np.array([float(net.evaluate(row)) for row in x.tolist()])
    # six products, m <= 5 neurons: 11 roundings of terms below 1e3
    assert np.abs(net(x) - exactly).max() < 1e-11
    assert (head.a**2).sum() + (head.W**2).sum() == pytest.approx(float(net.squared_norm()), rel=1e-14)
    assert np.abs(head.a) == pytest.approx(np.linalg.norm(head.W, axis=1), rel=1e-14)
    outputs = net.module()(torch.from_numpy(x.astype(float)))[:, 0].detach().numpy()
    assert np.abs(outputs - exactly).max() < 1e-11


@pytest.mark.parametrize(
    ("F", "y", "epsilon", "message"),
    [([[1, 2], [1, 2]], [1, 2], 0, "no function takes both"), ([[1, 2], [1, 2]], [1, 1], 0, "drop one of them"),
     ([[1, 2], [2, 4]], [1, 2], 0, "rank 1"), ([[1], [2]], [1, 2], 0, "min_norm_interpolant"),
     ([[1, float("nan")]], [1], 0, "finite"), ([[1, 2]], [float("inf")], 0, "finite"), ([[1, 2]], [1], -1, "epsilon"),
     ([], [], 0, "n >= 1"), ([[1, 2], [1]], [1, 1], 0, "shape"), ([[1, 2]], [1, 1], 0, "shape")],
)  # fmt: skip
def test_data_that_are_refused(F, y, epsilon, message):
    with pytest.raises(DomainError, match=message):
        least_norm_relu(F, y, epsilon=epsilon)


def test_what_is_too_large_unsolved_or_dependent_is_refused():
    with pytest.raises(BudgetError, match="2047 activation patterns"):
        least_norm_relu(np.eye(11, dtype=int), [1] * 11)
    for a, W in (([1], []), ([], []), ([1], [[]]), ([1, 2], [[1], [1, 2]])):
        with pytest.raises(DomainError, match=r"shapes|different lengths"):
            MinNormReLU(a, W)
    refuses(
        DomainError, (lambda: MinNormReLU([1], [[1, 2]]).evaluate([1]), "D = 2"),
        (lambda: min_norm_erm([0, 1], [1, 2], epsilon=-1), "epsilon"), (lambda: orthogonal_norm([]), "label"),
    )  # fmt: skip
    for solver in ("HIGHS", "no such solver"):  # the first solves linear programs only
        with pytest.raises(CertificateError, match="conic solver"):
            least_norm_relu([[1, 0], [0, 1]], [1, 2], solver=solver)
    with pytest.raises(CertificateError, match="dependent in doubles"):
        least_norm_relu([[1, 0], [1, Fraction(1, 10**9)]], [1, 2])
