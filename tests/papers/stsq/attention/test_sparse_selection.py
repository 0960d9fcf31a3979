"""The selector of sparse token selection, its twins, its loss, and Radon partitions."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy
import torch
from hypothesis import strategies as st
from properties import examples

from theorytools import Budget, DomainError, Encodings
from theorytools.codes.encodings import gaussian_encodings, moment_curve, orthonormal_encodings, sign_encodings
from theorytools.numbers import End, at_precision
from theorytools.papers.stsq import population_loss
from theorytools.papers.stsq.attention.forward import forward
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.attention.selector_queries import float_queries, scores
from theorytools.papers.stsq.selection.loss import attention_moments, best_scale, forward_loss, orthonormal_loss
from theorytools.papers.stsq.selection.set_geometry import radon_partition
from theorytools.papers.stsq.tasks.sparse_selection import sample, sample_subsets

ULP = 2.0**-52


def rng(*key):
    return np.random.default_rng([2406, 6893, *key])


# -- the selector --------------------------------------------------------------------------------------------------
NETS = {
    "orth": (lambda: orthonormal_encodings(6), "dual", 3 * sympy.log(2)),
    "rad": (lambda: sign_encodings(12, 16, rng(10)), "dual", 8 * sympy.log(2)),
    "sum": (lambda: sign_encodings(12, 16, rng(10)), "sum", 4 * sympy.log(2)),
    "lp": (lambda: gaussian_encodings(9, 8, rng(11)), "lp", sympy.Integer(7)),
    "moment": (lambda: moment_curve(8, 6), "polynomial", sympy.Rational(1, 50)),
}


@pytest.mark.parametrize("name", NETS)
def test_exact_doubles_and_torch_agree(name):
    make, kind, beta = NETS[name]
    E = make()
    V = rng(12).integers(-3, 4, (2, 2 + E.d_e)).astype(object)
    net = SparseSelector(E, beta, 3, 2, kind, values=V)
    X = rng(13).integers(-4, 5, (3, E.T, 2)).astype(float)
    Y = sample_subsets(rng(14), 3, E.T, 3)
    e, w = E.matrix(), float_queries(E, Y, kind)
    f = net(X, Y)
    module = net.module()(torch.tensor(X), torch.tensor(e), torch.tensor(w)).detach().numpy()
    for x, y, u, a, b in zip(X, Y, w, f, module, strict=True):
        exact = np.array([float(v) for v in net.outputs([x.astype(int).tolist()], tuple(y))[0]])
        # a score is off by eta: d + d_e products and entries rounded by 4 ulp each; the attention then by a
        # factor e^(2 eta), and V sum a_i z_i by as much of its largest term, besides its own rounding
        eta = float(beta) * (2 + E.d_e + 10) * ULP * (np.abs(e) @ np.abs(u)).max()
        z = np.abs(np.concatenate([x, e], axis=1)) @ np.abs(V.astype(float)).T
        slack = (math.expm1(2 * eta) + (E.T + E.d_e + 20) * ULP) * z.max(axis=0)
        assert (np.abs(a - exact) <= slack).all()
        assert (np.abs(b - exact) <= slack).all()


def test_one_forward_pass_serves_fixed_and_stochastic_encodings():
    E = orthonormal_encodings(5)
    net = SparseSelector(E, sympy.log(7), 2, 3)
    X, Y = sample(rng(15), 4, 5, 3, 2)
    stacked = np.broadcast_to(E.matrix(), (4, 5, 5))
    again = forward(X, stacked, float_queries(stacked, Y, "dual"), net.V.astype(float), net.W)
    assert np.array_equal(again, net(X, Y))


@examples(15, st.integers(1, 3), st.integers(1, 3), st.fractions(Fraction(1, 9), 50), st.fractions(-2, 2), st.data())
def test_the_loss_of_orthonormal_encodings_in_four_ways(q, d, u, alpha, data):
    T = data.draw(st.integers(q + 1, 6))
    net = SparseSelector(orthonormal_encodings(T), sympy.log(sympy.Rational(u.numerator, u.denominator)), q, d,
                         alpha=sympy.Rational(alpha.numerator, alpha.denominator))  # fmt: skip
    closed = orthonormal_loss(T, q, d, u, alpha)
    y = tuple(range(T - q, T))
    A, B = (x.fraction() for x in attention_moments(net))
    assert population_loss(net).fraction() == net.loss(y).fraction() == forward_loss(net, y).fraction() == closed
    assert closed == d * (alpha**2 * A - 2 * alpha * B / q + Fraction(1, q))
    best = best_scale(A, B, q)
    assert orthonormal_loss(T, q, d, u, best) == Fraction(d, q) * (1 - B**2 / (q * A)) <= closed
    assert orthonormal_loss(T, q, d, u) == Fraction(d * T, q * (T - q)) * net.leaked(y).fraction() ** 2


def test_the_gradient_of_the_loss_in_the_scores():
    T, d, alpha = 7, 3, 0.8
    tau = torch.zeros(T, dtype=torch.float64)
    tau[[1, 4]] = 0.5
    sigma = torch.tensor(rng(16).standard_normal(T), requires_grad=True)
    a = torch.softmax(sigma, 0)
    (d * ((alpha * a - tau) ** 2).sum()).backward()
    a = a.detach()
    r = alpha * a - tau
    wanted = 2 * d * alpha * a * (r - (a * r).sum())
    assert (sigma.grad - wanted).abs().max() <= 50 * ULP * 2 * d * alpha  # sums of 7 terms below 1


def test_a_certificate_is_given_only_where_it_is_proved():
    E = sign_encodings(12, 16, rng(10))
    net = SparseSelector(E, sympy.Integer(30), 3, 2, "lp")
    y = (0, 4, 9)
    (bound, *_), (error, *_) = ([*r.steps(0.0, Budget())] for r in (net.loss_certificate(y), net.certificate(1, y)))
    assert at_precision(256, lambda: net.loss(y)).upper <= bound.low
    X = [[1, 0] if i in y else [-1, 0] for i in range(12)]
    assert at_precision(256, lambda: abs(net.outputs([X], y)[0][0] - 1)).upper <= error.low
    assert replace(net, beta=net.sufficient_beta(y, "1e-9")).loss(y).upper <= End(Fraction(1, 10**9))
    assert net.sufficient_beta(y, 100) == 0
    for bad in (replace(net, E=E.duplicated(0, 1)), replace(net, alpha="0.9"), replace(net, query="sum", q=3)):
        with pytest.raises(DomainError, match="exceeds all others"):
            bad.certificate(1, y)
    with pytest.raises(DomainError, match="q = 3"):
        net.loss((0, 1))


# -- Radon partitions ----------------------------------------------------------------------------------------------
@examples(30, st.integers(1, 3), st.data())
def test_a_radon_partition_defeats_every_query(q, data):
    d_e = data.draw(st.integers(1, 2 * q - 1))
    T = d_e + 1 + q
    rows = data.draw(st.lists(st.lists(st.integers(-3, 3), min_size=d_e, max_size=d_e), min_size=T, max_size=T))
    E = Encodings(rows)
    partition = radon_partition(E)
    y = partition.subset(T, q)
    assert partition.defect(E) == 0
    assert sum(partition.inner.values()) == sum(partition.outer.values()) == 1
    assert len(partition.inner) <= q == len(y)
    assert set(partition.inner) <= set(y)
    assert not set(partition.outer) & set(y)
    w = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=d_e, max_size=d_e)), dtype=object)
    sigma = scores(E, w)
    assert max(sigma[j] for j in partition.outer) >= min(sigma[i] for i in partition.inner)


def test_short_curves_cost_their_alternating_tokens_and_independent_encodings_nothing():
    # q = 3, d_e = 5: an affine map of the moment curve, which only shifts all scores; y = {2, 4, 6} at T = 9
    E = np.linalg.qr(np.vander((np.arange(9) - 4) / 4, 6, increasing=True))[0][:, 1:]
    assert radon_partition(moment_curve(9, 5)).subset(9, 3) == (1, 3, 5)
    near = [-2.63, 0, -1.27, -2.17, -1.27, 0, -2.63, -16.28, -50.92]  # scores of a local minimum, projected here
    a = np.exp(E @ (E.T @ near))
    loss = np.square(0.911 * a / a.sum() - np.isin(np.arange(9), (1, 3, 5)) / 3).sum()
    assert 1 / 18 <= loss < 1 / 9  # leaving one token out costs 1/9
    assert f"{loss:.4f}" == "0.1056"
    with pytest.raises(DomainError, match="affinely independent"):
        radon_partition(orthonormal_encodings(4))
    with pytest.raises(DomainError, match="positions outside"):
        radon_partition(moment_curve(4, 2)).subset(4, 3)
