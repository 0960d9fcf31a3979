"""Digits as tokens: the data, and the exact risk of the network against all prompts of a few images."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from devices import device

from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import load
from theorytools.numbers import solve_rational
from theorytools.tasks.digits import digit_images

task, covariance = device("qstr/question_c/task"), device("qstr/theorem_06/covariance")


def claim_of(id):
    return load(Catalogue(find_roots()).one(id))


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


def test_the_largest_loss_of_a_basis_is_not_the_supremum_over_links():
    """At N = 3, d = 6 the largest of six links is .934; a link between them has .99947."""
    claim = claim_of("qstr.theorem_06_covariance")
    point = claim.point({"N": 3, "d": 6, "n": 4, "m_1": 5}, "qstr.theorem_06_covariance")
    rows, W = claim.construct(point)
    S = covariance.covariance(rows)
    forms = covariance.forms(W, S, covariance.orthogonal_basis(S))
    links, found = covariance.of_links(*forms, 3), covariance.supremum(*forms, 3)
    values, vectors = np.linalg.eig(np.linalg.solve(*(form.astype(float) for form in forms[::-1])))
    top = 1 - values.real.min() / 3
    assert max(links) < Fraction(94, 100) < Fraction(999, 1000) < found.lower
    assert found.contains(Fraction(top))
    u = [Fraction(x) for x in vectors[:, values.real.argmin()].real]
    seen, own = (np.array(u, dtype=object) @ form @ np.array(u, dtype=object) for form in forms)
    assert 1 - seen / (3 * own) > Fraction(999, 1000)


def test_a_link_that_is_not_explained_has_loss_one_and_one_dimension_its_own(small):
    rows, W = small
    S = covariance.covariance(rows)
    basis = covariance.orthogonal_basis(S)
    one = covariance.forms(W[:1, :, :1], S[:1, :1], [[Fraction(1)]])
    assert [covariance.supremum(*one, 2).fraction()] == covariance.losses(W[:1, :, :1], S[:1, :1], [[Fraction(1)]])
    W = np.concatenate([W[:1, :1], 0 * W[:1, :1]], axis=1)  # one direction of the first token
    assert covariance.supremum(*covariance.forms(W, S, basis), 2).fraction() == 1
