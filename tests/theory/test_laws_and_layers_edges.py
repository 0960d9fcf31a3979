"""Gaussian laws, spans of inputs and certificates of attention at the edges of their arguments, by second routes."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from properties import examples
from refusals import refuses
from scipy import integrate, stats

from theorytools import BlockAttention, DomainError, Enclosure, hadamard
from theorytools.claims.language.estimate import Budget
from theorytools.numbers import End, rational_rank
from theorytools.numbers.boxes import Box, exact, length, times
from theorytools.papers.qstr.gaussians.conditioned import ConditionedGaussian, wick_moment
from theorytools.papers.qstr.gaussians.label_law import LabelLaw
from theorytools.theory.clipped_labels import clipped_label_excess
from theorytools.theory.first_layers.certified_span import CertifiedSpan, exact_matrix
from theorytools.theory.gaussian_moments import (
    centred_chi_square_moments,
    chi_square_deviation,
    gaussian_moment,
    norm_moments,
    sum_moments,
)
from theorytools.theory.gaussian_polynomials import GaussianPolynomial
from theorytools.theory.moment_growth import KnownMoments
from theorytools.trained.attention import certify_attention

F = Fraction
HALF = (F(3, 5), F(4, 5))
small = st.integers(-3, 3)


def ends(recipe):
    return list(recipe.steps(0.0, Budget(bits=64)))[-1].floats


# -- moments -----------------------------------------------------------------------------------------------------------
def test_moments_at_their_first_orders():
    assert [gaussian_moment(r) for r in range(7)] == [1, 0, 1, 0, 3, 0, 15]
    assert centred_chi_square_moments(3, 0) == [1]
    assert centred_chi_square_moments(3, 1) == [1, 0]
    assert centred_chi_square_moments(3, 2) == [1, 0, 6]
    assert [m.fraction() for m in norm_moments(4, 0)] == [1]
    assert len(norm_moments(4, 1)) == 2
    assert norm_moments(1, 4)[4].fraction() == 3
    assert sum_moments([F(1), F(2)], [F(1)]) == [1]
    assert sum_moments([F(1), F(2), F(5)], [F(1), F(3), F(7)]) == [1, 5, 5 + 12 + 7]
    refuses(
        DomainError, *((call, "an order >= 0 and a dimension >= 1") for call in (
            lambda: gaussian_moment(-1), lambda: norm_moments(0, 1), lambda: norm_moments(1, -1),
            lambda: centred_chi_square_moments(0, 1), lambda: centred_chi_square_moments(1, -1),
            lambda: chi_square_deviation(0))),
        (lambda: ends(KnownMoments(lambda: {0: Enclosure(1), 2: Enclosure(1)}).largest_ratio()), "all >= 1"),
        (lambda: ends(KnownMoments(lambda: {2: Enclosure(1)}).largest_ratio()), "two orders or more"),
        (lambda: KnownMoments.exponential(5).largest_ratio(-1), "s >= 0"), lambda: clipped_label_excess(0, 1),
        lambda: clipped_label_excess(1, 0),
    )  # fmt: skip


@pytest.mark.parametrize("s", [0, 1, 2, 3])
def test_the_growth_of_an_exponential_over_all_orders(s):
    """E E^r = Gamma(r + 1): the ratio Gamma(r + 1)^(2/r) / r^s on a grid of real orders lies between the two ends."""
    orders = np.linspace(1, 12, 2201)
    ratios = np.exp(2 / orders * np.array([math.lgamma(r + 1) for r in orders]) - s * np.log(orders))
    low, high = ends(KnownMoments.exponential(12).largest_ratio(s))
    whole = [math.factorial(r) ** (2 / r) / r**s for r in range(1, 13)]
    assert low == pytest.approx(max(whole), rel=1e-12)
    assert low * (1 - 1e-12) <= ratios.max() <= high * (1 + 1e-12)
    assert high <= 1.2 * low
    if s == 0:  # moments grow with the order (Lyapunov): the last one is the largest, and nothing is lost
        assert high == pytest.approx(low, rel=1e-12)
    scaled = ends(KnownMoments.exponential(12, F(3)).largest_ratio(s, over=2))
    assert scaled == pytest.approx((low * 1.5, high * 1.5), rel=1e-12)
    assert ends(KnownMoments.exponential(12).largest_ratio(s, over=1)) == (low, high)
    if s == 1:
        assert ends(KnownMoments.exponential(12).largest_ratio()) == (low, high)


@pytest.mark.parametrize("peak", [F(1, 2), 1, F(3, 2), 2, 3])
def test_chords_whose_largest_value_is_inside_or_at_an_end(peak):
    """Two orders with the chord sigma r + c, c = -peak/2 at s = 1: the largest ratio on it is at the peak."""
    sigma, c = F(1, 3), -F(peak) / 2
    logs = {r: sigma * r + c for r in (1, 2)}
    low, high = ends(KnownMoments(lambda: {r: Enclosure(l).exp() for r, l in logs.items()}).largest_ratio(1))

    def ratio(r):
        return math.exp(float(2 * sigma) + 2 * float(c) / r - math.log(r))

    assert low == pytest.approx(max(ratio(1), ratio(2)), rel=1e-12)
    assert high == pytest.approx(ratio(min(max(float(peak), 1), 2)), rel=1e-12)


@pytest.mark.parametrize(("k", "limit"), [(1, 1), (4, 2), (9, 1)])
def test_the_excess_of_a_clipped_label_by_integration(k, limit):
    tau, bound = clipped_label_excess(k, limit)
    assert tau - 1 <= (math.sqrt(k) + limit) ** 2 < tau
    value, error = integrate.quad(
        lambda v: (v * v / k - tau) * stats.chi2.pdf(v, k), math.sqrt(k * tau), 400, epsabs=1e-13
    )
    assert float(bound) == pytest.approx(value, abs=10 * error + 1e-10)


@examples(25, st.lists(st.tuples(small, small, small), min_size=1, max_size=3), st.integers(0, 4))
def test_powers_of_polynomials_by_quadrature(terms, r):
    P = GaussianPolynomial({})
    for c, i, j in terms:
        P += GaussianPolynomial({tuple((k, e) for k, e in ((0, abs(i)), (1, abs(j))) if e): F(c)})
    nodes, weights = np.polynomial.hermite_e.hermegauss(16)  # exact up to degree 31
    weights = weights / weights.sum()
    x, y = np.meshgrid(nodes, nodes)
    values = sum(c * x ** abs(i) * y ** abs(j) for c, i, j in terms)
    wanted = [float((np.outer(weights, weights) * values**k).sum()) for k in range(r + 1)]
    size = [float((np.outer(weights, weights) * np.abs(values) ** k).sum()) for k in range(r + 1)]
    for found, value, scale in zip(P.moments(r), wanted, size, strict=True):
        assert float(found) == pytest.approx(value, abs=1e-9 * (1 + scale))
    assert P.variance() == P.covariance(P) == (P * P).mean() - P.mean() ** 2
    assert not any((P.conditional_mean({0, 1}) - P).terms.values())
    assert P.conditional_mean(()).mean() == P.mean()


@pytest.mark.parametrize("link", ["lin", "he2"])
def test_directions_are_one_or_one_for_each_slot(link):
    single = LabelLaw(link, (0, 1), 2, HALF)
    assert single.variance() == LabelLaw(link, (0, 1), 2, (HALF, HALF)).variance() == 1
    both = LabelLaw(link, (0, 0), 2, (HALF, (F(4, 5), F(3, 5))))
    cosine = F(24, 25)
    assert both.variance() == (1 + cosine if link == "lin" else 1 + cosine**2)
    assert both.scale == F(1, 2 if link == "lin" else 4)
    assert replace(both, squared_scale=F(7)).scale == 7
    for u, words in (
        ((HALF, HALF, HALF), "3 directions"), ((HALF,), "1 directions"), ((F(1), F(1)), "unit vector"),
        ((F(1),), "unit vector"), ((HALF, (F(1),)), "different lengths"), (None, "unit|directions"),
    ):  # fmt: skip
        refuses(DomainError, (lambda u=u: LabelLaw(link, (0, 1), 2, u), words))
    refuses(DomainError, (lambda: LabelLaw(link, (), 2, HALF), "at least one index"),
            (lambda: LabelLaw(link, (0,), 0, ()), "d >= 1"),
            (lambda: single.even_moment(1), "an even order"))  # fmt: skip
    assert single.even_moment(0) == 1
    assert single.even_moment(2) == single.variance()
    assert single.unexplained(()) == 1
    assert single.unexplained((0,)) == F(1, 2)
    assert single.unexplained((0, 1)) == 0
    assert LabelLaw("sq", (0, 1), 3).even_moment(4) == LabelLaw("sq", (0, 1), 3).scale ** 2 * (
        2 * centred_chi_square_moments(3, 4)[4] + 6 * 6**2
    )  # fmt: skip


# -- a Gaussian given linear functionals -------------------------------------------------------------------------------
@examples(20, st.lists(st.lists(small, min_size=3, max_size=3), max_size=3), st.lists(small, min_size=3, max_size=3),
          st.sampled_from([0, F(1, 2), 2]))  # fmt: skip
def test_conditioning_against_the_pseudo_inverse(rows, at, noise):
    law = ConditionedGaussian(tuple(map(tuple, rows)), tuple(at), noise)
    V = np.array(rows, dtype=float).reshape(-1, 3)
    wanted = V.T @ np.linalg.pinv(V @ V.T + float(noise) * np.eye(len(V)), rcond=1e-10) @ V
    assert np.abs(np.array(law.projection, dtype=float) - wanted).max() <= 1e-8
    assert law.rank == (rational_rank(rows) if rows else 0)
    assert np.abs(np.array(law.mean, dtype=float) - wanted @ at).max() <= 1e-7
    assert law.seen == sum(x * x for x in law.mean)
    C = np.array(law.covariance, dtype=float)
    assert np.abs(C - (np.eye(3) - wanted)).max() <= 1e-8
    m = np.array(law.mean, dtype=float)
    assert float(law.norm_mean()) == pytest.approx(m @ m + np.trace(C), abs=1e-7)
    # the variance of a quadratic form: 2 tr C^2 + 4 m' C m
    assert float(law.norm_variance()) == pytest.approx(2 * np.trace(C @ C) + 4 * m @ C @ m, abs=1e-6)
    if noise:
        refuses(DomainError, (lambda: law.half_square_gap(np.random.default_rng(0), 4), "share their image"))
    else:
        gaps = law.half_square_gap(np.random.default_rng(0), 4000)
        assert gaps.shape == (4000,)
        # over the image too the mean is E Var = 2 (k - rank) + 4 (k - rank) rank E-share; zero where all is known
        assert (gaps.max() <= 1e-12) == (law.rank == 3)


def test_gaussians_at_the_edges():
    assert ConditionedGaussian((), (1, 2)).mean == [0, 0]
    assert ConditionedGaussian((), (1, 2)).noise == 0
    refuses(
        DomainError, (lambda: ConditionedGaussian((), ()), "at least 1"),
        (lambda: ConditionedGaussian(((1,),), (1, 2)), "the length of x_0"),
        (lambda: ConditionedGaussian(((1, 2),), (1, 2), -1), "noise >= 0"),
    )  # fmt: skip
    assert wick_moment([2, 3], [[1, 5], [5, 4]], ()) == 1
    assert wick_moment([2, 3], [[1, 5], [5, 4]], (1,)) == 3
    assert wick_moment([2, 3], [[1, 5], [5, 4]], (0, 1)) == 11
    assert wick_moment([2, 3], [[1, 5], [5, 4]], (0, 0, 1)) == 3 * (4 + 1) + 2 * 2 * 5
    drawn = ConditionedGaussian.random(np.random.default_rng(0), 5, 4, 2)
    assert drawn.rank == 2
    assert (len(drawn.rows), drawn.k) == (4, 5)


# -- spans -------------------------------------------------------------------------------------------------------------
@examples(15, st.integers(1, 3), st.integers(0, 999), st.booleans())
def test_spans_by_least_squares(n, seed, by_exact):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, 2, 2))
    if not X.any():
        return
    span = CertifiedSpan.of(X, exact=by_exact)
    rows = X.reshape(n, 4).astype(float)
    projection = np.linalg.pinv(rows) @ rows
    A = rng.integers(-4, 5, (3, 4))
    wanted = np.square(A @ (np.eye(4) - projection)).sum()
    found = span.outside(A)
    assert found.lower <= Enclosure(F(wanted + 1e-8)).upper
    assert found.upper >= Enclosure(F(wanted - 1e-8)).lower
    assert float(span.distance(A)) == pytest.approx(math.sqrt(wanted), abs=1e-6)
    assert span.contains(X.reshape(n, 4)[:1])
    assert span.contains(A) == (rational_rank([*X.reshape(n, 4).tolist(), *A.tolist()]) == span.rank)
    assert span.rank == rational_rank(X.reshape(n, 4).tolist())
    assert span.average == 1 - F(span.rank, 4)
    u = [F(1), F(2)]
    probes = np.array([[1, 2, 0, 0], [0, 0, 1, 2]])
    bayes = np.square(probes @ (np.eye(4) - projection)).sum() / 10
    assert float(span.bayes_loss(u)) == pytest.approx(bayes, abs=1e-7)
    assert span.supremum.upper >= span.bayes_loss(u).lower
    M = sum((np.eye(4) - projection)[2 * t : 2 * t + 2, 2 * t : 2 * t + 2] for t in range(2)) / 2
    assert float(span.supremum) == pytest.approx(np.linalg.eigvalsh(M)[-1], abs=1e-6)


def test_spans_that_hold_everything_and_shapes_that_do_not_fit():
    whole = CertifiedSpan.of(np.eye(4, dtype=int).reshape(4, 2, 2))
    assert whole.contains([[F(1, 3), 7, 0.5, -1]])
    assert whole.outside([[1, 2, 3, 4]]).fraction() == 0
    assert whole.bayes_loss([1, 1]).fraction() == 0
    assert (whole.average, whole.supremum.fraction()) == (0, 0)
    floats = CertifiedSpan.of(np.eye(4).reshape(4, 2, 2), exact=False)
    assert floats.supremum.fraction() == floats.outside([[1, 0, 0, 0]]).fraction() == 0
    by_rows = CertifiedSpan.of([[1, 2, 3, 4]], N=2)
    assert (by_rows.N, by_rows.d, by_rows.exact) == (2, 2, True)
    assert (by_rows.basis == CertifiedSpan.of([[[1, 2], [3, 4]]]).basis).all()
    assert CertifiedSpan.of([[[1, 2], [3, 4]]], N=4).d == 1
    refuses(
        DomainError, (lambda: CertifiedSpan.of([[1, 2, 3]], N=2), "inputs of shape"),
        (lambda: CertifiedSpan.of([[1, 2, 3, 4]]), "inputs of shape"), (lambda: CertifiedSpan.of([1, 2], N=1), "shape"),
        (lambda: CertifiedSpan.of(np.zeros((1, 2, 2))), "all zero"), (lambda: by_rows.contains([[1, 2]]), "of shape"),
        (lambda: by_rows.bayes_loss([0, 0]), "u not zero"), (lambda: by_rows.bayes_loss([1]), "of shape"),
        (lambda: exact_matrix([[1, math.inf]], 2, "A"), "finite"), (lambda: exact_matrix([], 2, "A"), "of shape"),
        (lambda: exact_matrix([[True, 1]], 2, "A"), "finite"), (lambda: exact_matrix([[1, 2, 3]], 2, "A"), "of shape"),
    )  # fmt: skip
    assert exact_matrix([[0.5, 1]], 2, "A").tolist() == [[F(1, 2), 1]]
    assert exact_matrix([[[1], [2]]], 2, "A").shape == (1, 2)


# -- attention with given weights --------------------------------------------------------------------------------------
@examples(20, st.integers(1, 4), st.integers(1, 5), st.integers(0, 999))
def test_products_of_intervals_hold_the_exact_products(m, n, seed):
    rng = np.random.default_rng(seed)
    A = Box(rng.standard_normal((m, n)), np.abs(rng.standard_normal((m, n))) * 2.0**-20)
    B = Box(rng.standard_normal((n, 3)), np.abs(rng.standard_normal((n, 3))) * 2.0**-20)
    product = times(A, B)
    for sign_a, sign_b in ((1, 1), (1, -1), (-1, 1), (-1, -1), (0, 0)):
        for i in range(m):
            for k in range(3):
                value = sum((F(A.mid[i, j]) + sign_a * F(A.rad[i, j])) * (F(B.mid[j, k]) + sign_b * F(B.rad[j, k]))
                            for j in range(n))  # fmt: skip
                assert F(product.low[i, k]) <= value <= F(product.high[i, k])
    plain = times(exact(A.mid), exact(B.mid))
    assert (plain.high - plain.low).max() <= 1e-13
    assert (product.low < product.high).all()
    for tokens in ("ball", "box"):
        for row, found in zip(range(m), length(A, tokens), strict=True):
            reach = [abs(F(x)) + F(r) for x, r in zip(A.mid[row], A.rad[row], strict=True)]
            if tokens == "box":
                assert sum(reach) <= F(found) <= sum(reach) * (1 + F(1, 10**12))
            else:
                assert sum(x * x for x in reach) <= F(found) ** 2 <= sum(x * x for x in reach) * (1 + F(1, 10**12))


def test_certificates_have_their_defaults_and_grow_with_the_radius():
    net = BlockAttention(hadamard(4), beta=6, q=2, d=2)
    module = net.module()
    with torch.no_grad():
        module.W_QK += 0.01 * torch.as_tensor(np.random.default_rng(0).standard_normal(tuple(module.W_QK.shape)))
    made = certify_attention(module, 1.0)
    told = certify_attention(module, 1.0, tokens="ball", slots=[1, 2])
    assert [float(b) for b in made.bounds] == [float(b) for b in told.bounds]
    assert float(made.leakage) == max(float(b) for b in made.bounds)
    assert float(made.token_error) == pytest.approx(2 * float(made.leakage), rel=1e-12)
    box = certify_attention(module, 1.0, tokens="box")  # holds the ball
    none, wide = certify_attention(module, 0.0), certify_attention(module, 2.0)
    for h in range(2):
        assert float(none.bounds[h]) <= float(made.bounds[h]) <= float(wide.bounds[h])
        assert float(made.bounds[h]) <= float(box.bounds[h]) * (1 + 1e-9)
        assert End(made.found[h]) <= made.bounds[h].upper
    assert all(sum(F(v) ** 2 for v in row) <= 1 for row in made.X.reshape(-1, 2).tolist())
    assert np.abs(box.X).max() <= 1
    assert not none.X.any()
    swapped = certify_attention(module, 1.0, slots=[2, 1])
    assert float(swapped.leakage) > float(made.leakage)
    refuses(
        DomainError, (lambda: certify_attention(module, -1e-9), "radius"),
        (lambda: certify_attention(module, 1.0, slots=[1]), "slots"),
        (lambda: certify_attention(module, 1.0, slots=[0, 1]), "slots"),
        (lambda: certify_attention(module, 1.0, slots=[1, 3]), "slots"),
    )  # fmt: skip
