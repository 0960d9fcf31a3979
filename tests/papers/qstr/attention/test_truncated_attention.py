"""The radius beyond which a stream drops codes: the least one, its closed form, norms of tokens, refusals."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from properties import examples

from theorytools.errors import DomainError
from theorytools.papers.qstr.attention.truncated_attention import TruncatedAttention, largest_norm


@examples(
    15, st.integers(2, 10**9), st.integers(1, 300), st.fractions(Fraction(1, 10), 60), st.fractions(Fraction(1, 9), 9),
    st.sampled_from(["1/10", "1/1000", "1/100000"]),
)  # fmt: skip
def test_the_radius_is_the_least_and_has_a_closed_form(N, d_e, beta, r_x, tolerance):
    cut = TruncatedAttention(N=N, d_e=d_e, d=2, beta=beta, r_x=r_x, tolerance=Fraction(tolerance))
    assert cut.error.certainly_le(cut.tau)
    left = cut.tau - cut.rounding
    if cut.radius > 0:
        assert (cut.dropped(cut.radius - 1) + cut.rounding).certainly_le(cut.tau) is not True
        # doubles: a relative error below 1e-12
        assert cut.radius < d_e / (2 * beta) * math.log(2 * r_x * (N - 1) / left) * (1 + 1e-12)


@examples(15, arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.floats(-1e300, 1e300)))
def test_the_largest_norm_is_bounded_and_sharp(X):
    bound = largest_norm(X)
    exact = max(sum(Fraction(x) ** 2 for x in row) for row in X.tolist())
    assert exact <= bound**2 <= exact * (1 + Fraction(40, 2**53)) ** 2  # 2 (d + 8) units, d <= 5, and one more


@pytest.mark.parametrize("change", [{"beta": -1}, {"N": 0}, {"r_x": 2**1000}, {"r_x": -1}, {"tolerance": -1}])
def test_cuts_outside_the_hypotheses_are_refused(change):
    with pytest.raises(DomainError):
        TruncatedAttention(**{"N": 10, "d_e": 5, "d": 1, "beta": 3, "r_x": 1, "tolerance": 1e-3} | change)
