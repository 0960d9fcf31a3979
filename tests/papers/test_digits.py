"""Digits as tokens: the data, and the exact risk of the network against all prompts of a few images."""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from devices import device

from theorytools.claims.language.estimate import Budget
from theorytools.numbers import solve_rational
from theorytools.tasks.digits import digit_images

task, covariance = device("qstr/question_c/task"), device("qstr/theorem_06/covariance")


def test_images_are_split_by_their_order():
    (X, digits), (new, labels) = digit_images(), digit_images(held_out=True)
    assert (X.shape, new.shape) == ((1297, 64), (500, 64))
    assert set(digits.tolist()) == set(labels.tolist()) == set(range(10))
    with pytest.raises(ValueError, match="read-only"):
        X[0, 0] = 1


def test_the_risk_is_the_mean_over_all_prompts():
    rng, N = np.random.default_rng(0), 3
    h, g = [[Fraction(int(x), 7) for x in rng.integers(-9, 10, 4)] for _ in range(2)]
    w = [Fraction(5, 8), Fraction(1, 8), Fraction(1, 4)]
    mean = sum(
        (g[prompt[0]] - sum(x * h[i] for x, i in zip(w, prompt, strict=True))) ** 2
        for prompt in product(range(4), repeat=N)
    ) / Fraction(4**N)
    network = np.array(h, dtype=object), np.array(g, dtype=object), w
    found = task.measure(network, None)[task.risk]()
    assert (found if isinstance(found, Fraction) else found.fraction()) == mean


def test_the_head_is_least_squares_up_to_its_rounding():
    X, digits = digit_images()
    F = np.column_stack([X, np.ones(len(X))])
    exact = np.linalg.solve(F.T @ F + np.eye(65), F.T @ digits)
    assert [float(x) for x in task.head()] == pytest.approx(exact, abs=2e-6)


def least_squares(features, y):
    """The least mean square of an affine function over all rows, by normal equations over the prompts."""
    F = [[Fraction(1), *row] for row in features]
    gram = [[sum(a[k] * a[j] for a in F) for j in range(len(F[0]))] for k in range(len(F[0]))]
    right = [sum(a[k] * v for a, v in zip(F, y, strict=True)) for k in range(len(F[0]))]
    best = solve_rational(gram, right)
    return sum((v - sum(x * c for x, c in zip(a, best, strict=True))) ** 2 for a, v in zip(F, y, strict=True)) / len(F)


@pytest.fixture
def small():
    """Six tokens of dimension 2 and a first layer with two rows for prompts of two tokens."""
    rng = np.random.default_rng(5)
    return rng.integers(0, 5, (6, 2)), rng.integers(-3, 4, (2, 2, 2))


def test_the_least_affine_risk_is_least_squares_over_all_prompts(small):
    rows, W = small
    S = covariance.covariance(rows)
    basis = covariance.orthogonal_basis(S)
    prompts = [np.concatenate(pair) for pair in product(rows, repeat=2)]
    seen = [[Fraction(int(x)) for x in W.reshape(2, 4) @ x] for x in prompts]
    for u, loss in zip(basis, covariance.losses(W, S, basis), strict=True):
        risks = [least_squares(seen, [sum(int(a) * b for a, b in zip(x[2 * t :][:2], u, strict=True)) for x in prompts])
                 for t in range(2)]  # fmt: skip
        variance = sum(u[k] * int(S[k, j]) * u[j] for k in range(2) for j in range(2)) / Fraction(36)
        assert loss == sum(risks) / 2 / variance


def test_a_sigma_orthogonal_basis_leaves_out_what_has_no_variance():
    rows = np.array([[1, 7, 2], [3, 7, 6], [4, 7, 9]])
    S = covariance.covariance(rows)
    b = np.array(covariance.orthogonal_basis(S), dtype=object)
    gram = b @ S.astype(object) @ b.T
    assert len(b) == 2
    assert gram[0, 1] == 0 < min(gram[0, 0], gram[1, 1])


def test_the_risk_of_any_function_is_the_spread_within_equal_values(small):
    rows, W = small
    groups = defaultdict(list)
    for pair in product(rows.tolist(), repeat=2):
        groups[tuple(W.reshape(2, 4) @ np.concatenate(pair))].append(pair)
    left = (
        sum(len(pairs) * np.cov(np.array(pairs)[:, t].T, bias=True) for pairs in groups.values() for t in (0, 1)) / 72
    )
    top = max(np.linalg.eigvals(np.linalg.solve(np.cov(rows.T, bias=True), left)).real)
    recipe = covariance.any_function((rows, W), SimpleNamespace(N=2, d=2))[covariance.worst]
    found = next(recipe.steps(0.0, Budget()))
    assert found.low <= Fraction(top + 1e-9)
    assert found.high >= Fraction(top - 1e-9)
    assert found.low >= Fraction(top) - Fraction(1, 4000)
