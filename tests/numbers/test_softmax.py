"""Softmax weights of rational scores: by mpmath, and exactly where the exponentials are rational."""

import math
from fractions import Fraction

import mpmath
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from theorytools.errors import DomainError
from theorytools.numbers import at_precision
from theorytools.numbers.softmax import boltzmann, exact_number, softmax_weights

score = st.fractions(-3, 3, max_denominator=12) | st.just(Fraction(1, 2**17 + 1))  # the last: no common unit of steps


@given(scores=st.lists(score, min_size=1, max_size=5), beta=st.fractions(-4, 4, max_denominator=9))
def test_a_weight_holds_its_exponential(scores, beta):
    found = at_precision(200, lambda: softmax_weights(scores, beta))
    top = max(scores)
    with mpmath.workdps(60):
        for box, sigma in zip(found, scores, strict=True):
            exponent = beta * (sigma - top)
            value = mpmath.exp(mpmath.mpf(exponent.numerator) / exponent.denominator)
            sign, mantissa, power, _ = value._mpf_
            number = Fraction(int(mantissa)) * Fraction(2) ** power * (-1 if sign else 1)
            slack = number / 10**55  # sixty digits, a few of them lost in the exponent
            assert box.lower <= number + slack
            assert box.upper >= number - slack
            assert box.upper <= number * (1 + Fraction(1, 10**40))


@given(steps=st.lists(st.integers(-6, 6), min_size=1, max_size=5), base=st.sampled_from([2, 3]), k=st.integers(1, 4))
def test_weights_are_rational_where_the_temperature_is_a_multiple_of_a_logarithm(steps, base, k):
    found = softmax_weights([Fraction(step, k) for step in steps], k * sympy.log(base))
    assert [box.fraction() for box in found] == [Fraction(base) ** (step - max(steps)) for step in steps]


@pytest.mark.parametrize("wrong", [sympy.Symbol("beta"), sympy.Float("0.5"), math.nan, math.inf, "hot"])
def test_a_temperature_is_an_exact_number(wrong):
    with pytest.raises(DomainError):
        exact_number(wrong, "beta")


def test_a_weight_that_is_asked_for_again_is_enclosed_at_the_precision_of_that_time():
    beta = sympy.Rational(3, 7)
    coarse, fine, again = (at_precision(bits, lambda: boltzmann(beta, 2, 5)) for bits in (30, 120, 30))
    assert coarse.lower < fine.lower < fine.upper < coarse.upper
    assert again.same(coarse)
