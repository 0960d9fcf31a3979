"""Dimensions of random codes: mean violations over all codes, dimensions that suffice, and the recorded tables."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from code_examples import HALF
from hypothesis import strategies as st
from properties import examples

from theorytools.codes.dimensions import (
    expected_violations,
    hoeffding_dimension,
    smallest_dimension,
    threshold_dimension,
)
from theorytools.codes.families import rademacher


@pytest.mark.parametrize(("N", "d_e"), [(2, 5), (3, 1), (3, 3), (3, 4)])
@pytest.mark.parametrize("rho", [HALF, Fraction(1, 3), Fraction(0)])
def test_expected_violations_are_the_mean_over_all_codes(N, d_e, rho):
    E = np.array(list(product((1, -1), repeat=N * d_e))).reshape(-1, N, d_e)
    K = np.einsum("cik,cjk->cij", E, E)[:, *np.triu_indices(N, 1)]
    for one_sided in (False, True):
        products = K if one_sided else abs(K)
        found = int((products * rho.denominator > rho.numerator * d_e).sum())
        assert expected_violations(N, d_e, rho=rho, one_sided=one_sided) == Fraction(found, 2 ** (N * d_e))


@examples(
    25, st.integers(2, 60), st.fractions(Fraction(1, 1000), Fraction(9, 10), max_denominator=1000),
    st.fractions(Fraction(1, 3), Fraction(9, 10), max_denominator=12), st.booleans(),
)  # fmt: skip
def test_dimensions_are_ordered_and_do_what_they_say(N, delta, rho, one_sided):
    options = {"rho": rho, "one_sided": one_sided}
    least = smallest_dimension(N, delta, **options)
    threshold = threshold_dimension(N, delta, **options)
    sure = hoeffding_dimension(N, delta, **options)
    assert least <= threshold <= sure
    value = 2 / float(rho) ** 2 * math.log(N * N / float(delta) / (2 if one_sided else 1))
    # doubles: relative error below 1e-12, values below 1e3
    assert value - 1e-9 <= sure < value + 1 + 1e-9
    assert all(expected_violations(N, d, **options) <= delta for d in (least, least + 1, threshold, sure))
    assert threshold == 1 or expected_violations(N, threshold - 1, **options) > delta


@pytest.mark.parametrize(
    ("N", "d_e", "rho"),
    [(64, 67, Fraction(25, 67)), (64, 20, Fraction(7, 10)), (100, 23, Fraction(17, 23)), (100, 74, Fraction(30, 74)),
     (256, 89, Fraction(39, 89)), (1024, 111, Fraction(49, 111))],
)  # fmt: skip
def test_coherence_of_the_tabulated_random_codes(N, d_e, rho):
    assert rademacher(N, d_e, np.random.default_rng(0)).coherence() == rho


@pytest.mark.parametrize(
    ("N", "d_e", "mean", "dimensions"),
    [(10, 11, "2.94", (51, 54, 74)), (100, 23, "52.6", (87, 87, 111)), (1000, 34, "1.47e+03", (119, 122, 148)),
     (10000, 46, "2.68e+04", (155, 155, 185))],
)  # fmt: skip
def test_table_of_dimensions(N, d_e, mean, dimensions):
    assert d_e == int(5 * math.log(N))
    assert f"{float(expected_violations(N, d_e)):.3g}" == mean
    assert (smallest_dimension(N), threshold_dimension(N), hoeffding_dimension(N)) == dimensions


def test_table_of_mean_violations_on_one_side():
    def mean(N):
        return float(expected_violations(N, int(5 * math.log(N)), one_sided=True))

    printed = {10: 1.47, 20: 5.45, 50: 11.8, 100: 26.3, 200: 93.1, 12: 1.27, 25: 3.2, 31: 11.4, 33: 12.9}
    for N, value in printed.items():
        assert abs(mean(N) - value) <= 0.05, N  # the last printed decimal, at its coarsest
    assert round(float(expected_violations(1000, 34))) == 1466
    assert round(float(expected_violations(10000, 46))) == 26777
