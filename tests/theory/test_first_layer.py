"""Certificates of first layers: two routes agree, bounds hold on explicit networks, refusals."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import CertificateError, CertifiedSpan, DomainError, InputSpan
from theorytools.numbers import Enclosure, End, at_precision, float_upper, rational_rank
from theorytools.numbers.linear_algebra import independent_rows
from theorytools.papers.qstr.first_layers.certificate import certify_first_layer, head_lipschitz
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective, LinearReadout

F = Fraction
sizes = st.tuples(st.integers(1, 6), st.integers(1, 3), st.integers(1, 3), st.integers(0, 999))


def gaussians(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def fractions(A):
    return np.array([F(x) for x in np.ravel(A).tolist()], dtype=object).reshape(np.shape(A))


@examples(15, sizes)
def test_both_routes_enclose_the_projection_and_ranks_are_those_of_elimination(drawn):
    n, N, d, seed = drawn
    X, W, u = np.rint(8 * gaussians(seed, n, N, d)), gaussians(seed + 1, 3, N * d), gaussians(seed + 2, d).tolist()
    X[0, 0, 0] = 9
    exact, enclosed = (CertifiedSpan.of(X, exact=route) for route in (True, False))
    for one, other in ((exact.outside(W), enclosed.outside(W)), (exact.bayes_loss(u), enclosed.bayes_loss(u))):
        assert one.exact
        assert other.contains(one.fraction())
    assert enclosed.supremum.lower <= exact.supremum.upper
    assert exact.supremum.lower <= enclosed.supremum.upper
    span = InputSpan.of(fractions(X), N, d)
    assert exact.bayes_loss(u).fraction() == span.bayes_loss(fractions(u))
    assert exact.bayes_loss(u).lower <= exact.supremum.upper
    R = fractions(W) - fractions(W) @ np.array(span.projector(), dtype=object)
    assert exact.outside(W).fraction() == (R * R).sum()
    n, N, d, seed = drawn
    rng = np.random.default_rng(seed)
    X, W = rng.integers(-1, 2, (n, N * d)), rng.integers(-1, 2, (1, N * d))  # dependent rows are common
    X[0, 0] = 1
    data = CertifiedSpan.of(X, N=N)
    assert data.rank == rational_rank(X)
    assert data.average == 1 - F(rational_rank(X), N * d)
    assert data.contains(W) == (rational_rank(np.vstack([X, W])) == rational_rank(X))
    assert (data.outside(W).fraction() == 0) == data.contains(W)


def test_enclosures_are_narrow_at_a_few_hundred_dimensions():
    X, W = gaussians(0, 60, 20, 10), gaussians(1, 5, 200)
    data = CertifiedSpan.of(X)
    assert not data.exact
    assert data.average == 1 - F(60, 200)
    outside = at_precision(128, lambda: data.outside(W))
    flat = X.reshape(60, -1)
    basis = np.linalg.qr(flat.T)[0]
    # numpy's projection errs by some roundings of |W|^2 = 10^3; the width of the enclosure is far smaller
    assert abs(float(outside) - np.square(W - W @ basis @ basis.T).sum()) < 1e3 * 200 * 2.0**-52
    assert (outside - outside).upper < End(F(1, 10**15))
    assert not data.contains(W)
    assert data.contains(np.random.default_rng(0).integers(-3, 4, (2, 60)) @ fractions(flat))


def test_inputs_are_told_apart_exactly_and_minors_may_vanish():
    X = gaussians(8, 3, 2, 3)
    X[2] = X[1] * (1 + 2.0**-51)  # rounded, entry by entry: independent, but only just
    data, W = CertifiedSpan.of(X, exact=False), gaussians(9, 2, 6)
    assert data.rank == 3
    assert data.outside(W).fraction() == CertifiedSpan.of(X, exact=True).outside(W).fraction()
    X[2] = 2 * X[1]
    assert CertifiedSpan.of(X).rank == 2
    rng = np.random.default_rng(3)
    X = rng.integers(-3, 4, (3, 3, 2))
    task, f = DecayedObjective(X, [0, 1, 2], [F(1)] * 3, F(1, 4)), LinearReadout(fractions(np.ones((3, 2))), relu=True)
    W = task.descend(fractions(rng.integers(-1, 2, (2, 3))) @ task.inputs, f, F(1, 64), 3, decay=False)
    assert certify_first_layer(W, X, u=[0, 1]).risk.fraction() == InputSpan.of(X, 3, 2).bayes_loss([0, 1])
    rows = fractions([[2**31 - 1, 0, 0], [0, 1, 0], [1, 1, 0]])
    assert len(independent_rows(rows)[0]) == 2
    assert len(independent_rows(rows[:2])[0]) == 2


def test_rows_in_the_span_have_the_bayes_loss_and_others_are_refused():
    X = gaussians(2, 4, 3, 3)
    inside = fractions([[1, 2, -1, 3], [0, 1, 1, 1]]) @ fractions(X).reshape(4, 9)
    found = certify_first_layer(inside, X, u=[0.6, 0.8, 0])
    assert found.in_span
    assert found.off_span.fraction() == 0
    assert found.risk.fraction() == found.loss([0.6, 0.8, 0]).fraction()
    assert found.average == F(5, 9)
    assert End(found.average) <= found.supremum.upper
    assert found.rank == 4
    assert certify_first_layer(inside, X).risk is None


def test_a_span_member_in_doubles_keeps_its_bound_through_a_lipschitz_constant():
    """Rounding takes W off the span by at most |W|_F U; with L_f = 1 that is all the bound loses."""
    X = gaussians(2, 4, 3, 3)
    exact = fractions([[1, 2, -1, 3], [0, 1, 1, 1]]) @ fractions(X).reshape(4, 9)
    for route in (True, False):
        found = certify_first_layer(exact.astype(np.float64), X, u=[0, 1, 0], lipschitz=1.0, exact=route)
        assert not found.in_span
        # the balls have 53 bits: ten roundings of |W|_F^2 under the root
        assert 0 < float_upper(found.off_span.upper) < (10 * 2.0**-53) ** 0.5 * float((exact**2).sum()) ** 0.5
        root = float(found.loss([0, 1, 0])) ** 0.5
        assert abs(float(found.risk) - root**2) < 1e-13
        assert found.risk.lower > End(0)


def adam(task, W, f, *, decay, steps=30, rate=0.01):
    m, v, W = 0.0, 0.0, W.astype(np.float64)
    for k in range(1, steps + 1):
        G = task.loss_gradient(fractions(W), f).astype(np.float64)
        m, v = 0.9 * m + 0.1 * G, 0.999 * v + 0.001 * G * G
        W = W - rate * (m / (1 - 0.9**k) / (np.sqrt(v / (1 - 0.999**k)) + 1e-8) + decay * W)
    return W


def trained(how):
    rng = np.random.default_rng(3)
    X, t, y = rng.integers(-3, 4, (3, 3, 2)), [0, 1, 2], [F(1), F(-1), F(2)]
    task, f = DecayedObjective(X, t, y, F(1, 4)), LinearReadout(fractions(rng.integers(-2, 3, (3, 4))))
    start = fractions(rng.integers(-3, 4, (4, 6)))
    inside = fractions(rng.integers(-1, 2, (4, 3))) @ task.inputs
    return X, {
        "random initialisation": lambda: start,
        "descent without decay": lambda: task.descend(start, f, F(1, 64), 3, decay=False),
        "descent with decay": lambda: task.descend(start, f, F(1, 64), 3),
        "Adam": lambda: adam(task, inside, f, decay=0.0),
        "AdamW": lambda: adam(task, inside, f, decay=0.25),
    }[how]()


@pytest.mark.parametrize(
    "how", ["random initialisation", "descent without decay", "descent with decay", "Adam", "AdamW"]
)
def test_layers_outside_the_span_need_a_lipschitz_constant(how):
    X, W = trained(how)
    with pytest.raises(CertificateError, match="Lipschitz constant"):
        certify_first_layer(W, X, u=[1, 0])
    found = certify_first_layer(W, X, u=[1, 0], lipschitz=F(1, 1000))
    root = float(found.loss([1, 0])) ** 0.5 - float(found.off_span) / 1000
    # a handful of roundings of numbers below 1
    assert abs(float(found.risk) - root**2) < 1e-14
    assert float(certify_first_layer(W, X, u=[1, 0], lipschitz=1000).risk) == 0


def test_the_gradient_certifies_what_lies_outside():
    X, W = trained("descent with decay")
    task, f = DecayedObjective(X, [0, 1, 2], [F(1)] * 3, F(1, 4)), LinearReadout(fractions(np.ones((3, 4))))
    G = task.gradient(W, f)
    found = certify_first_layer(W, X, gradient=G, decay=F(1, 4), lipschitz=1)
    assert found.mismatch.fraction() == 0
    # both are square roots of the same rational, the second over 1/4
    assert abs(float(found.gradient_norm) - float(found.off_span)) < 1e-14
    with pytest.raises(CertificateError, match="before any preconditioner"):
        certify_first_layer(W, X, gradient=G, decay=F(1, 2), lipschitz=1)
    rounded = certify_first_layer(W.astype(np.float64), X, gradient=G.astype(np.float64), decay=0.25, lipschitz=1)
    # W and G are rounded once, entry by entry: |G|_F U + lam |W|_F U
    assert float(rounded.mismatch) < 2.0**-53 * float(((G * G).sum() ** 0.5) + (W * W).sum() ** 0.5)


def test_heads_have_their_lipschitz_constant_and_a_full_layer_no_risk():
    assert head_lipschitz([3, 4]).fraction() == 5
    assert head_lipschitz([[3.0, 4.0], [0.0, 13.0]]).fraction() == 13
    assert head_lipschitz(torch.nn.Parameter(torch.tensor([3.0, 4.0]))).fraction() == 5
    a, z, h = gaussians(6, 7), gaussians(7, 50, 7), gaussians(8, 50, 7)
    slopes = np.abs((np.maximum(z + h, 0) - np.maximum(z, 0)) @ a) / np.linalg.norm(h, axis=1)
    assert slopes.max() <= float(head_lipschitz(a))
    # W = X and a small part outside: the read-out that solves W'a_t = P_t u makes no error, and the bound is 0.
    rng = np.random.default_rng(5)
    X = rng.integers(-3, 4, (2, 2, 2))
    W = fractions(np.vstack([X.reshape(2, 4), np.zeros((2, 4))])) + fractions(rng.integers(-9, 10, (4, 4))) / 10**6
    a = np.linalg.solve(W.T.astype(np.float64), np.eye(4)[:, [0, 2]]).T
    found = certify_first_layer(W, X, u=[1, 0], lipschitz=head_lipschitz(a))
    assert float(found.risk) == 0 < float(found.loss([1, 0]))
    assert InputSpan.of(W, 2, 2).bayes_loss([1, 0]) == 0


def test_refusals():
    X, W = gaussians(0, 2, 2, 2), gaussians(1, 3, 4)
    for wrong, match in (
        ({"gradient": W}, "both or none"),
        ({"decay": 1}, "both or none"),
        ({"gradient": W, "decay": 0}, "decay > 0"),
        ({"gradient": W[:2], "decay": 1}, "that of W"),
        ({"lipschitz": -1}, "a finite number >= 0"),
        ({"lipschitz": float("inf")}, "a finite number"),
        ({"lipschitz": Enclosure(-2)}, "a finite number >= 0"),
        ({"u": [0, 0]}, "u not zero"),
        ({"u": [1, 0, 0]}, "the direction of shape"),
        ({"N": 3}, "n, N, d"),
    ):
        with pytest.raises(DomainError, match=match):
            certify_first_layer(W, X, **{"lipschitz": 1, **wrong})
    for bad in (np.full((2, 2, 2), np.nan), np.zeros((2, 2, 2)), np.zeros((0, 2, 2)), [[[True, 1], [1, 1]]]):
        with pytest.raises(DomainError):
            certify_first_layer(W, bad, lipschitz=1)
    refuses(
        DomainError, (lambda: certify_first_layer(W, X.reshape(2, 4), lipschitz=1), "N = None"),
        (lambda: certify_first_layer(W[:, :3], X, lipschitz=1), "W of shape"),
        (lambda: head_lipschitz(np.zeros((0,))), "output weights"),
    )  # fmt: skip
