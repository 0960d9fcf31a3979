"""The sparse token regression task: shapes and laws of prompts, identities between links, refusals."""

import math

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools.errors import DomainError
from theorytools.tasks.sparse_regression import LINKS, labels, retrieve, sample

RNG = np.random.default_rng
U = np.array([0.6, 0.8])
EPS = 2.0**-52


@examples(40, st.integers(1, 9), st.integers(1, 6), st.integers(1, 4), st.integers(1, 6), st.booleans(), st.booleans())
def test_shapes_and_indices(size, N, d, q, simple, distinct):
    if distinct and q > N:
        with pytest.raises(DomainError, match="distinct"):
            sample(RNG(0), size, N, d, q, simple)
        return
    X, T = sample(RNG(0), size, N, d, q, simple, distinct=distinct)
    assert X.shape == (size, N, d)
    assert X.dtype == np.float64
    assert T.shape == (size, N, q)
    assert T.dtype == np.int64
    assert T.min() >= 0
    assert T.max() < N
    if simple:
        assert (T[:, :1] == T).all()
    if distinct:
        assert (np.diff(np.sort(T, axis=-1), axis=-1) > 0).all()


@pytest.mark.parametrize("simple", [True, False])
@pytest.mark.parametrize(("N", "q", "distinct", "kinds"), [(4, 2, True, 12), (3, 3, True, 6), (3, 2, False, 9)])
def test_tuples_are_uniform(simple, N, q, distinct, kinds):
    size = 40_000
    _, T = sample(RNG(1), size, N, 1, q, simple, distinct=distinct)
    codes = T[:, N - 1] @ N ** np.arange(q)
    counts = np.unique(codes, return_counts=True)[1]
    # Hoeffding for each kind: misses with probability at most 2 exp(-2 size eps^2) = 1e-9
    assert len(counts) == kinds
    assert np.abs(counts / size - 1 / kinds).max() <= math.sqrt(math.log(2e9) / (2 * size))


def test_samples_repeat_differ_between_positions_and_are_retrieved():
    _, T = sample(RNG(2), 2000, 8, 1, 1, False)
    # independent positions agree with probability 1/8; Hoeffding at 1e-9
    assert abs((T[:, 0] == T[:, 1]).mean() - 1 / 8) <= math.sqrt(math.log(2e9) / 4000)
    for a, b in zip(sample(RNG(5), 3, 4, 2, 2, False), sample(RNG(5), 3, 4, 2, 2, False), strict=True):
        assert np.array_equal(a, b)
    X, T = sample(RNG(3), 3, 5, 2, 2, False)
    tokens = retrieve(X, T)
    for a in range(3):
        for i in range(5):
            for j in range(2):
                assert np.array_equal(tokens[a, i, j], X[a, T[a, i, j]])


def test_links_by_their_hermite_polynomials():
    X, T = sample(RNG(4), 20_000, 5, 2, 3, True)
    y = labels(X, T, "lin", U)[:, 0]
    # exactly N(0, 1) for distinct indices; a chi-square over n is off by more than 2 sqrt(x/n) + 2x/n with
    # probability at most 2 exp(-x) (Laurent and Massart (2000), Lemma 1): x = log(2e9)
    x = math.log(2e9)
    assert abs(np.square(y).mean() - 1) <= 2 * math.sqrt(x / y.size) + 2 * x / y.size
    X, T = sample(RNG(6), 50, 4, 2, 1, False)
    z = labels(X, T, "lin", U)
    # the same products; a square, a difference and a quotient each round once
    assert np.abs(labels(X, T, "he2", U) - (z**2 - 1) / math.sqrt(2)).max() <= 4 * EPS * (1 + np.square(z).max())
    X, T = sample(RNG(7), 50, 4, 1, 1, False)
    y = labels(X, T, "sq")
    # (x^2 - 1) against sqrt(2) (x^2 - 1)/sqrt(2)
    assert np.abs(y - math.sqrt(2) * labels(X, T, "he2", np.ones(1))).max() <= 4 * EPS * (1 + np.abs(y).max())


@pytest.mark.parametrize("link", LINKS)
def test_links_add_over_slots(link):
    X, T = sample(RNG(8), 20, 6, 2, 3, False)
    u = None if link == "sq" else np.array([[1.0, 0.0], U, [0.0, -1.0]])
    parts = [labels(X, T[:, :, [j]], link, None if u is None else u[j]) for j in range(3)]
    joint = labels(X, T, link, u)
    # sums of at most 6 terms in two orders, each below 6 eps times the sum of absolute values
    assert np.abs(joint - sum(parts) / math.sqrt(3)).max() <= 24 * EPS * (6 + np.square(X).sum(axis=2).max())


def test_refusals():
    X, T = sample(RNG(9), 2, 4, 2, 1, True)
    for bad in ({"size": 0}, {"N": 2.0}, {"d": True}, {"q": -1}):
        with pytest.raises(DomainError, match=next(iter(bad))):
            sample(RNG(0), **{"size": 2, "N": 4, "d": 2, "q": 1, "simple": True, **bad})
    for link, u in (("cubic", U), ("lin", None), ("lin", 2 * U), ("lin", np.ones(3)), ("he2", [np.nan, 1]), ("sq", U)):
        with pytest.raises(DomainError):
            labels(X, T, link, u)
    for wrong in (T + 3, T.astype(float), T[:, :3], T[0]):
        with pytest.raises(DomainError):
            retrieve(X, wrong)
    with pytest.raises(DomainError, match="NaN"):
        retrieve(np.where(X > 0, X, np.nan), T)
