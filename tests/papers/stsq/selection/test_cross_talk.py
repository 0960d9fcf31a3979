"""Cross-talk of random encodings: two routes to each number, monotonicity, refusals."""

import itertools
from fractions import Fraction as F
from math import comb

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools.codes.encodings import exact_encodings, gaussian_encodings, sign_encodings
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import Enclosure, at_precision, rational_rank
from theorytools.papers.stsq.attention.selector_queries import cross_talk
from theorytools.papers.stsq.selection.cross_talk import (
    CrossTalk,
    cross_talk_bound,
    draw_cross_talk,
    median_length,
    median_quantile,
    separation_probability,
    sufficient_length,
)
from theorytools.papers.stsq.selection.sign_cross_talk import (
    dependence_probability,
    parallel_probability,
    sign_separation,
    sign_tail,
)
from theorytools.statistics.intervals import clopper_pearson

sizes = st.tuples(st.integers(1, 4), st.integers(1, 6), st.integers(0, 8), st.sampled_from([F(1, 2), F(1), F(2)]))


@examples(6, sizes)
def test_separation_grows_with_the_length_and_falls_with_the_tokens(drawn):
    q, n, more, c = drawn
    P = separation_probability(q + n, q, q + more, c)
    assert P.certainly_le(separation_probability(q + n, q, q + more + 1, c))
    assert separation_probability(q + n + 1, q, q + more, c).certainly_le(P)
    assert (1 - P).certainly_le(cross_talk_bound(q + n, q, q + more, c))


@pytest.mark.parametrize("q", [1, 2, 5])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_at_level_zero_and_at_two_degrees_of_freedom(q, n):
    assert separation_probability(q + n, q, q + 3, 0).fraction() == F(1, 2**n)
    # nu = 2: chi^2/2 is exponential; for n = 1 the integral is (1 + s)/2 with s = c/sqrt(q + c^2)
    s = 1 / Enclosure(q + 1).sqrt()
    if n == 1:
        assert at_precision(64, lambda: abs(separation_probability(q + 1, q, q + 1) - (1 + s) / 2)).upper < F(1, 10**12)


@pytest.mark.parametrize("code", ["gauss", "rad"])
def test_draws_agree_with_exact_cross_talk(code):
    make = gaussian_encodings if code == "gauss" else sign_encodings
    E = make(9, 6, np.random.default_rng(3))

    class Fixed(np.random.Generator):  # hands out the encodings above
        def standard_normal(self, shape):
            return E.vectors.astype(float).reshape(shape) * float(E.squared_scale * 6) ** 0.5

        def integers(self, low, high, shape):
            return ((E.vectors + 1) // 2).astype(int).reshape(shape)

    drawn = draw_cross_talk(Fixed(np.random.PCG64()), 1, 9, 3, 6, code)[0]
    exact = float(cross_talk(E, range(3)))
    # a Gram matrix of order 3 solved in doubles; its condition number is below 10^4 here
    places = 2.0**-31 if code == "rad" else 0  # signs are rounded to 30 binary places
    assert abs(drawn - exact) <= 1e-10 * max(1, abs(exact)) + places


def test_draws_agree_with_the_integral_and_ties_are_not_below():
    """Every draw is compared with rationals; one in five is a tie, which the last bits of a solver would decide."""
    ties = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        E = sign_encodings(12, 5, np.random.default_rng(seed))
        if rational_rank([[F(int(x)) for x in row] for row in E.vectors[:2]]) < 2:
            continue
        drawn, exact = draw_cross_talk(rng, 1, 12, 2, 5, "rad")[0], cross_talk(E, range(2))
        assert (drawn < 1) == (exact < 1)
        ties += exact == 1
    assert ties >= 4
    drawn = draw_cross_talk(np.random.default_rng(5), 4096, 14, 3, 8) < 1
    low, high = clopper_pearson(drawn.sum(), drawn.size, 1e-9)
    assert low <= float(CrossTalk(14, 3, 8).below()) <= high
    assert np.isinf(draw_cross_talk(np.random.default_rng(5), 200, 8, 4, 4, "rad")).any()
    coarse = at_precision(64, lambda: separation_probability(14, 3, 8))
    fine = at_precision(160, lambda: separation_probability(14, 3, 8))
    assert coarse.lower <= fine.lower <= fine.upper <= coarse.upper


def test_median_lengths_are_first_and_sign_separation_is_enumerated():
    for T, q, c in ((5, 2, 1), (14, 3, 1), (9, 1, F(1, 2))):
        d = median_length(T, q, c)
        assert Enclosure(F(1, 2)).certainly_le(separation_probability(T, q, d, c))
        assert d == q or separation_probability(T, q, d - 1, c).certainly_lt(F(1, 2))
        assert d <= max(q, float(sufficient_length(T, q, F(1, 2), c)) + 1)
    assert median_length(4, 3, 0) == 3
    z = at_precision(64, lambda: median_quantile(10) / Enclosure(2).sqrt())
    assert abs(float(((1 + z.apply("erf")) / 2) ** 10) - 0.5) < 1e-15
    E = sign_encodings(4, 5, np.random.default_rng(1))
    y, hits = (0, 1), 0
    for row in itertools.product((1, -1), repeat=5):
        rows = [*E.vectors[:2].tolist(), list(row)]
        hits += cross_talk(exact_encodings(rows, E.squared_scale), y) < 1
    assert sign_separation(E, y, 3) == F(hits, 32) ** 3
    with pytest.raises(DomainError):
        sign_separation(gaussian_encodings(4, 5, np.random.default_rng(1)), y, 3)


@examples(6, st.lists(st.integers(-5, 5), min_size=1, max_size=9), st.integers(-6, 6))
def test_signed_sums_are_counted(weights, level):
    sums = [sum(s * w for s, w in zip(signs, weights, strict=True))
            for signs in itertools.product((1, -1), repeat=len(weights))]  # fmt: skip
    assert sign_tail([F(w, 3) for w in weights], F(level, 3)) == F(sum(x >= level for x in sums), len(sums))


@pytest.mark.parametrize(("q", "d_e"), [(2, 2), (2, 4), (3, 3)])
def test_dependent_signs_by_ranks(q, d_e):
    every = list(itertools.product((1, -1), repeat=q * d_e))
    dependent = sum(rational_rank(np.reshape(v, (q, d_e)).tolist()) < q for v in every)
    assert dependence_probability(q, d_e) == parallel_probability(q, d_e) == F(dependent, len(every))
    assert parallel_probability(q, d_e) <= comb(q, 2) * F(2, 2**d_e)


def test_refusals():
    for bad in ((4, 4, 8, 1), (5, 3, 2, 1), (5, 3, 4, -1)):
        with pytest.raises(DomainError):
            separation_probability(*bad)
    refuses(DomainError, (lambda: median_length(9, 2, 0), "c > 0"), lambda: median_quantile(0))
    with pytest.raises(BudgetError):
        dependence_probability(6, 6)
    assert dependence_probability(4, 3) == 1
