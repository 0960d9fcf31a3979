"""Risks of ReLU features in closed form, and layers trained in doubles: two routes, the bound of rounding, refusals."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from devices import device
from hypothesis import strategies as st
from properties import examples

from theorytools import CertifiedSpan, DomainError
from theorytools.numbers import at_precision
from theorytools.papers.qstr import FeatureReadout
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective, LinearReadout
from theorytools.theory.first_layers.exact_span import orthonormal_basis

FirstLayerDescent = device("qstr/theorem_06/_rounded_descent").FirstLayerDescent

F = Fraction


def fractions(A):
    return np.array([F(x) for x in np.ravel(A).tolist()], dtype=object).reshape(np.shape(A))


def integers(seed, *shape):
    A = np.random.default_rng(seed).integers(-4, 5, shape)
    A[..., 0] = 5  # no row is zero
    return fractions(A)


def by_angle(first, second):
    """E of two ReLUs in the plane: E r^2 = 2 times the mean over the angle, Gauss-Legendre where both are on."""
    (a, b), edges = (np.arctan2(*w[::-1]) for w in (first, second)), [-np.pi / 2, np.pi / 2]
    delta = (b - a + np.pi) % (2 * np.pi) - np.pi
    low, high = max(edges[0], edges[0] + delta), min(edges[1], edges[1] + delta)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    x = (low + high) / 2 + (high - low) / 2 * nodes
    sizes = np.hypot(*first) * np.hypot(*second)
    return sizes * (high - low) / 2 * (weights * np.cos(x) * np.cos(x - delta)).sum() / np.pi


@examples(10, st.tuples(*[st.integers(-5, 5)] * 4).filter(lambda v: any(v[:2]) and any(v[2:])))
def test_two_relus_agree_with_the_integral_over_the_angle(drawn):
    W = fractions(np.array(drawn).reshape(2, 2))
    net = FeatureReadout(W, fractions([[1, 1]]))
    first, second = np.array(drawn, dtype=float).reshape(2, 2)
    # u = (1, 0): 1 - sum_i w_i1 + |w_1|^2/2 + |w_2|^2/2 + 2 E of the product
    expected = 1 - first[0] - second[0] + (first @ first + second @ second) / 2 + 2 * by_angle(first, second)
    # entries at most 5: terms below 100, some tens of roundings
    assert abs(float(at_precision(128, lambda: net.risk([1, 0]))) - expected) < 100 * 64 * 2.0**-53


@examples(10, st.integers(0, 99), st.integers(1, 3), st.integers(1, 2), st.integers(1, 3))
def test_pairs_of_relus_are_a_linear_network(seed, N, d, m):
    """s(z) - s(-z) = z: the risk of the pairs, in balls, contains that of the linear network, a rational."""
    W, A, u = integers(seed, m, N * d), integers(seed + 1, N, m), orthonormal_basis(d, np.random.default_rng(seed))[0]
    pairs = FeatureReadout(np.vstack([W, -W]), np.hstack([A, -A]))
    linear = FeatureReadout(W, A, relu=False).risk(u).fraction()
    assert at_precision(128, lambda: pairs.risk(u)).contains(linear)
    gaps = -(A @ W)
    for t in range(N):
        gaps[t, t * d : (t + 1) * d] += np.array(u, dtype=object)
    assert linear == (gaps * gaps).sum() / F(N)


def test_least_squares_is_the_least_risk_and_the_network_computes_its_formula():
    W, u = integers(3, 6, 6), orthonormal_basis(2, np.random.default_rng(0))[0]
    best = FeatureReadout.least_squares(W, 3, u)
    for seed in range(3):
        other = replace(best, A=best.A + integers(seed, 3, 6) / 100)
        assert at_precision(128, lambda net=other: net.risk(u)).lower > at_precision(128, lambda: best.risk(u)).upper
    ridged = FeatureReadout.least_squares(W, 3, u, ridge=1.0)
    assert (ridged.A**2).sum() < (best.A**2).sum()
    W, A = integers(4, 3, 4), integers(5, 2, 3)
    X, T = (
        np.random.default_rng(0).standard_normal((5, 2, 2)),
        np.array([[[0]] * 2, [[1]] * 2, [[0]] * 2] + [[[1], [0]]] * 2),
    )
    for relu in (True, False):
        z = X.reshape(5, 4) @ W.T.astype(float)
        values = (np.maximum(z, 0) if relu else z) @ A.T.astype(float)
        assert np.array_equal(FeatureReadout(W, A, relu)(X, T), np.take_along_axis(values, T[:, :, 0], axis=1))


def small(**spoiled):
    rng = np.random.default_rng(6)
    X, t = rng.integers(-3, 4, (3, 3, 2)), np.array([0, 1, 2])
    task = {"X": X.astype(float), "t": t, "y": np.array([1.0, -1.0, 2.0]), "C": rng.integers(-2, 3, (3, 4)) * 1.0}
    return FirstLayerDescent(**{**task, "rate": F(1, 16), "decay": F(1, 4), **spoiled})


def test_descent_in_doubles_stays_within_its_bound_of_descent_in_rationals():
    task, W = small(), integers(7, 4, 6).astype(float)
    exact = DecayedObjective(task.X.astype(int), [0, 1, 2], [F(1), F(-1), F(2)], task.decay)
    found, drift = task.descend(W, 6)
    wanted = exact.descend(fractions(W), LinearReadout(fractions(task.C), relu=True), task.rate, 6)
    outside = exact.outside(fractions(found) - wanted)
    assert outside <= drift**2
    # entries below 100 and six steps: the bound is some hundred roundings
    assert 0 < drift < 1e4 * 2.0**-53
    shrunk = CertifiedSpan.of(exact.X).outside(fractions(found) - (1 - task.rate * task.decay) ** 6 * fractions(W))
    assert shrunk.fraction() <= drift**2


def test_first_steps_of_adam_and_momentum():
    """At k = 1 the means are G and G^2: the step is rate G/(|G| + 1e-8), entries of G at least 1e-3 here or 0."""
    task, W = small(decay=F(0)), integers(7, 4, 6).astype(float)
    G = task.slopes(W) @ task.flat
    assert np.abs(G[G != 0]).min() > 1e-3
    # relative error 1e-8/|G| at most 1e-5 and the rounding of W + step
    assert np.abs(W - task.adam(W, 1) - np.sign(G) / 16).max() < 1e-5
    decayed = replace(task, decay=F(1, 4))
    assert np.abs(task.adam(W, 1) - decayed.adam(W, 1) - W / 64).max() < 1e-12
    assert not np.array_equal(decayed.adam(W, 1), decayed.adam(W, 1, coupled=True))
    # The first corrected mean is the gradient itself; the two sums round differently, entries below 100.
    task, W = small(), integers(7, 4, 6).astype(float)
    assert np.abs(task.momentum(W, 1) - task.descend(W, 1)[0]).max() < 100 * 16 * 2.0**-53


def test_refusals():
    W, A = integers(0, 3, 4), integers(1, 2, 3)
    for wrong in ((W, A[:, :2]), (W[:, :3], A), (W.astype(float), A), (W * 0, A)):
        with pytest.raises(DomainError):
            FeatureReadout(*wrong)
    with pytest.raises(DomainError, match="sum to 1"):
        FeatureReadout(W, A).risk([1, 1])
    with pytest.raises(DomainError, match="one index"):
        FeatureReadout(W, A)(np.zeros((1, 2, 3)), np.zeros((1, 2, 1), dtype=int))
    for spoiled in ({"rate": F(1, 3)}, {"decay": F(-1)}, {"decay": F(1, 3)}, {"decay": F(32)}, {"rate": F(0)}):
        with pytest.raises(DomainError, match="rate = 2"):
            small(**spoiled)
    with pytest.raises(DomainError, match="n of each"):
        small(y=np.ones(2))
    with pytest.raises(DomainError, match="a million"):
        small().descend(np.ones((4, 6)), -1)
