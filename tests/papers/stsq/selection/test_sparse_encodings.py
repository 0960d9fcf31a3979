"""The task of sparse token selection, its encodings and its queries."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refuses
from scipy.optimize import linprog

from theorytools.codes.encodings import (
    Encodings,
    exact_encodings,
    gaussian_encodings,
    moment_curve,
    named_encodings,
    orthonormal_encodings,
    sign_encodings,
    stochastic_encodings,
)
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers.separation import separation
from theorytools.papers.stsq.attention.selector_queries import cross_talk, float_queries, query, scores
from theorytools.papers.stsq.selection.loss import orthonormal_loss
from theorytools.papers.stsq.tasks.sparse_selection import sample, sample_subsets, subsets, targets
from theorytools.statistics.intervals import clopper_pearson

ULP = 2.0**-52


def rng(*key):
    return np.random.default_rng([2406, 6893, *key])


# -- the task ------------------------------------------------------------------------------------------------------
def test_samples_are_uniform_and_encodings_the_doubles_that_were_drawn():
    X, Y = sample(rng(0), 50, 7, 3, 2)
    assert X.shape == (50, 7, 3)
    assert (np.diff(Y, axis=1) > 0).all()
    by_hand = np.array([(x[i] + x[j]) / 2 for x, (i, j) in zip(X, Y, strict=True)])
    assert np.abs(targets(X, Y) - by_hand).max() <= 2 * ULP * np.abs(X).max()  # one sum, one division
    size = 2000
    drawn = sample_subsets(rng(1), size, 5, 2)
    for y in subsets(5, 2):
        low, high = clopper_pearson(int((drawn == y).all(axis=1).sum()), size, 1e-6)
        assert low <= 0.1 <= high
    E, drawn = gaussian_encodings(4, 9, rng(3)), rng(3).standard_normal((4, 9))
    unscaled = exact_encodings(drawn, Fraction(1, 9))
    assert (E.vectors == unscaled.vectors).all()
    assert E.gram()[1, 2] == sum(Fraction(a) * Fraction(b) for a, b in zip(drawn[1], drawn[2], strict=True)) / 9


@pytest.mark.parametrize(("T", "q"), [(3, 3), (2, 5), (4, 0)])
def test_sizes_that_leave_nothing_to_select_are_refused(T, q):
    refuses(DomainError, (lambda: sample(rng(), 1, T, 1, q), "q"), lambda: orthonormal_loss(T, q, 1, 2))


# -- encodings and queries -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["gauss", "rad", "orth", "moment"])
def test_the_rational_gram_matrix_is_that_of_the_doubles(name):
    E = named_encodings(name, 6, 6, rng(2))
    M = E.matrix()
    # an entry is rounded by at most 3 ulp, and a product of rows by d_e more
    scale = np.abs(M) @ np.abs(M).T
    assert (np.abs(E.gram().astype(float) - M @ M.T) <= (2 * 3 + E.d_e + 1) * ULP * scale).all()


@examples(14, st.integers(0, 10**6), st.sampled_from(["gauss", "rad"]), st.integers(1, 3))
def test_the_lp_query_is_optimal_and_shortest(seed, name, q):
    E = named_encodings(name, 9, 5, rng(4, seed))
    y = tuple(int(i) for i in sample_subsets(rng(5, seed), 1, 9, q)[0])
    try:
        found = separation(E.products, y)
    except DomainError:
        G = E.gram()[np.ix_(y, y)].astype(float)
        assert abs(np.linalg.det(G)) <= 1e-9  # sign vectors: the determinant is a multiple of 5^-q
        return
    sigma = scores(E, query(E, y, "lp"))
    off = [i for i in range(9) if i not in y]
    assert all(sigma[i] == 1 for i in y)
    assert max(sigma[i] for i in off) <= found.level
    # no smaller cross-talk: sum lambda_j e_j = sum mu_i e_i, so t >= sum mu for every query
    if found.level > 0:
        assert sum(found.others.values()) == 1
        assert min(found.others.values()) >= 0
        assert sum(found.selected.values()) == found.level
        left = sum(x * E.vectors[j] for j, x in found.others.items())
        assert (left == sum(x * E.vectors[i] for i, x in found.selected.items())).all()
    # shortest: w is a combination of y and, with negative weights, of encodings that are at the level
    assert all(x <= 0 and sigma[i] == found.level for i, x in found.weights.items() if i in off)
    assert cross_talk(E, y, "lp") <= max(cross_talk(E, y, "dual"), 0)


def test_without_the_clip_the_programme_is_unbounded_as_often_as_wendel_says():
    T, q, d_e, size = 14, 3, 8, 60
    n, count = T - q, 0
    for k in range(size):
        e = gaussian_encodings(T, d_e, rng(6, k)).matrix()
        A = np.hstack([e[q:], -np.ones((n, 1))])
        equal = np.hstack([e[:q], np.zeros((q, 1))])
        done = linprog([0] * d_e + [1], A, np.zeros(n), equal, np.ones(q), bounds=(None, None))
        count += done.status in (3, 4)  # unbounded
    wendel = sum(math.comb(n - 1, k) for k in range(d_e - q)) / 2 ** (n - 1)
    assert f"{wendel:.3f}" == "0.377"
    low, high = clopper_pearson(count, size, 1e-6)
    assert low <= wendel <= high


@pytest.mark.parametrize("kind", ["sum", "dual"])
def test_queries_of_a_batch_of_fresh_encodings_are_the_exact_ones(kind):
    E = stochastic_encodings("rad", rng(7), 4, 8, 32)
    Y = sample_subsets(rng(8), 4, 8, 3)
    batch = float_queries(E, Y, kind)
    for e, y, w in zip(E, Y, batch, strict=True):
        exact = Encodings(np.sign(e).astype(int), Fraction(1, 32))
        G = exact.gram()[np.ix_(y, y)].astype(float)
        wanted = query(exact, tuple(y), kind).astype(float) * 32**-0.5
        # solving a system of order 3 loses at most its condition number, with a constant below 100
        assert np.abs(w - wanted).max() <= 100 * np.linalg.cond(G) * ULP


def test_bad_encodings_and_queries_are_refused_with_their_threshold():
    E = sign_encodings(6, 8, rng(9))
    with pytest.raises(DomainError, match="d_e >= q"):
        query(E.dropped(0).dropped(0).dropped(0).dropped(0).dropped(0).dropped(0), (0, 1, 2), "dual")
    for kind in ("dual", "lp"):
        with pytest.raises(DomainError, match="full column rank"):
            query(E.duplicated(0, 1), (0, 1), kind)
    refuses(
        DomainError, (lambda: float_queries(E.duplicated(0, 1).matrix(), [[0, 1]], "dual"), "singular"),
        (lambda: query(moment_curve(9, 5), (0, 1, 2), "polynomial"), "2q = 6"),
        (lambda: orthonormal_encodings(5, 4), "d_e >= T"), (lambda: query(E, (0, 1), "mean"), "the query"),
        (lambda: query(E, (1, 1), "sum"), "distinct positions"),
        (lambda: stochastic_encodings("orth", rng(), 1, 3, 3), "gauss or rad"),
        (lambda: Encodings([[0.5, 1], [1, 1]]), "integers"),
    )  # fmt: skip
    with pytest.raises(BudgetError):
        subsets(60, 8)
