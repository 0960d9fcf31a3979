"""Moments of Gaussian vectors and labels: closed forms against integration, expansion and enumeration."""

import math
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refuses
from scipy import integrate, stats

from theorytools import Budget, DomainError
from theorytools.numbers import Enclosure, at_precision
from theorytools.papers.qstr.gaussians.label_law import VARIANCES, LabelLaw
from theorytools.tasks.sparse_regression import LINKS, labels
from theorytools.theory.gaussian_moments import (
    centred_chi_square_moments,
    chi_square_deviation,
    gaussian_moment,
    norm_moments,
    sum_moments,
)
from theorytools.theory.gaussian_polynomials import GaussianPolynomial
from theorytools.theory.moment_growth import KnownMoments

U = (F(3, 5), F(4, 5))


def last(recipe, bits=64):
    return list(recipe.steps(0.0, Budget(bits=bits)))[-1]


def chi_square_moments(k):
    """E (chi^2_k)^r = k (k + 2) ... (k + 2r - 2) for r = 0, ..., 8."""
    return [math.prod(k + 2 * i for i in range(r)) for r in range(9)]


@pytest.mark.parametrize("k", [1, 2, 5, 10])
def test_centred_moments_are_the_binomial_expansion_of_the_raw_ones(k):
    raw = chi_square_moments(k)
    expanded = [sum(math.comb(r, i) * raw[i] * (-k) ** (r - i) for i in range(r + 1)) for r in range(9)]
    assert centred_chi_square_moments(k, 8) == expanded


@pytest.mark.parametrize("k", [1, 2, 3, 10, 31])
def test_mean_deviation_by_integration(k):
    # E|X - k| = 2 E(k - X)_+; scipy integrates a bounded smooth density (k = 1: substituted root) to 1e-10
    value, error = integrate.quad(lambda r: 2 * (k - r * r) * stats.chi.pdf(r, k), 0, math.sqrt(k))
    assert float(chi_square_deviation(k)) == pytest.approx(value, abs=10 * error + 1e-12)


@pytest.mark.parametrize("d", [1, 2, 3, 7, 10])
def test_norm_moments_are_gamma_quotients(d):
    for r, value in enumerate(norm_moments(d, 9)):
        wanted = r / 2 * math.log(2) + math.lgamma((d + r) / 2) - math.lgamma(d / 2)
        # lgamma is correct to a few units in the last place, and its values stay below 30
        assert math.log(float(value)) == pytest.approx(wanted, abs=1e-13)
        assert value.exact == (r % 2 == 0)


def test_moments_convolve_and_growth_at_one_order_is_the_moment():
    assert [norm_moments(6, 8)[2 * r].fraction() for r in range(5)] == chi_square_moments(6)[:5]
    a, b = ([F(m) for m in centred_chi_square_moments(k, 8)] for k in (3, 4))
    assert sum_moments(a, b) == centred_chi_square_moments(7, 8)
    orthogonal = LabelLaw("lin", (0, 0), 2, ((F(1), F(0)), (F(0), F(1))))
    assert orthogonal.variance() == 1  # two different coordinates of one token
    growth = last(KnownMoments.gaussian_norm(10, 400).largest_ratio(over=10))
    exact = 2 * math.gamma(5.5) ** 2 / (10 * math.gamma(5) ** 2)
    assert growth.floats[0] == pytest.approx(exact, rel=1e-14)
    assert growth.floats[1] - growth.floats[0] < 1e-14  # 64 bits, 400 chords
    low, high = last(KnownMoments.exponential(60).largest_ratio(2)).floats
    assert low == high == 1  # (r!)^(2/r)/r^2 at r = 1


@examples(30, st.lists(st.integers(-4, 4), min_size=3, max_size=3), st.integers(0, 6))
def test_powers_of_a_linear_form_are_gaussian(c, r):
    form = GaussianPolynomial.linear(dict(enumerate(map(F, c))))
    norm2 = sum(x * x for x in c)
    assert form.moments(r)[r] == (gaussian_moment(r) * F(norm2) ** (r // 2) if r % 2 == 0 else 0)


@examples(30, st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=4))
def test_total_variance(terms):
    z, w = GaussianPolynomial.variable(0), GaussianPolynomial.variable(1)
    P = sum((c * math.prod([z] * i, start=1) * math.prod([w] * j, start=GaussianPolynomial({(): F(1)}))
             for c, i, j in terms), GaussianPolynomial({}))  # fmt: skip
    known = P.conditional_mean({0})
    assert P.variance() == known.variance() + (P - known).variance()
    assert known.mean() == P.mean()


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("indices", [(0,), (0, 1, 2), (1, 1, 1), (0, 2, 2)])
def test_variance_is_that_of_the_multiplicities(link, indices):
    law = LabelLaw(link, indices, 2, U)
    counts = np.bincount(indices)
    assert law.variance() == law.even_moment(2) == VARIANCES[link] * F(int((counts**2).sum()), len(indices))
    assert law.even_moment(4) == law.scale**2 * law.polynomial.moments(4)[4]
    assert law.unexplained(set(indices)) == 0


@pytest.mark.parametrize("link", LINKS)
def test_the_law_is_that_of_the_labels_of_the_task(link):
    X, indices = np.random.default_rng(0).integers(-3, 4, (5, 3, 2)), (2, 0, 2)
    law = LabelLaw(link, indices, 2, U)
    given_u = None if link == "sq" else np.array(U, dtype=float)
    y = labels(X, np.broadcast_to(indices, (5, 3, 3)), link, given_u)[:, 0]
    for x, label in zip(X.reshape(5, -1).tolist(), y, strict=True):
        value = sum(c * math.prod(x[k] ** r for k, r in monomial) for monomial, c in law.polynomial.terms.items())
        # sums of at most six squares of numbers up to 5 in doubles
        assert math.sqrt(law.scale) * value == pytest.approx(label, abs=1e-13)


def test_the_supremum_over_real_orders_contains_every_order():
    moments, s = KnownMoments.centred_chi_square(1, 40, F(1, 2)), 1
    low, high = last(moments.largest_ratio(s)).floats
    r = np.linspace(1, 40, 20)
    ratios = [(integrate.quad(lambda x, r=r: abs(x * x - 1) ** r * stats.norm.pdf(x), -30, 30, limit=400)[0]) ** (2 / r)
              / 2 / r**s for r in r[:10]]  # fmt: skip
    assert max(ratios) <= high * (1 + 1e-6)  # the accuracy of quad at the kink |x| = 1
    assert low <= high


def test_chords_close_in_with_more_orders():
    def some(step):
        full = {r: m for r, m in enumerate(norm_moments(3, 61)) if r % step == 1}
        return KnownMoments(lambda: full).largest_ratio(3)

    coarse, fine = (at_precision(64, lambda step=step: last(some(step))) for step in (20, 2))
    assert fine.low >= coarse.low
    assert fine.high <= coarse.high


def test_refusals():
    for bad in (lambda: gaussian_moment(-1), lambda: norm_moments(0, 2), lambda: centred_chi_square_moments(0, 3)):
        with pytest.raises(DomainError):
            bad()
    for link, indices, u in (("cubic", (0,), U), ("lin", (), U), ("lin", (0,), (F(1), F(1))), ("he2", (0,), None)):
        with pytest.raises(DomainError):
            LabelLaw(link, indices, 2, u)
    refuses(
        DomainError, (lambda: LabelLaw("lin", (0,), 2, U).even_moment(3), "even"),
        lambda: KnownMoments.exponential(5).largest_ratio(-1),
        (lambda: last(KnownMoments(lambda: {2: Enclosure(1)}).largest_ratio()), "two orders"),
    )  # fmt: skip
