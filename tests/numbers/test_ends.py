"""Ends of intervals compare without rounding, survive JSON and pickle, and round outward to doubles."""

import json
import math
import pickle
import sys
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import assume
from hypothesis import strategies as st
from properties import examples

from theorytools.numbers import POSITIVE_INFINITY, Enclosure, End, float_lower, float_upper

fractions = st.fractions(min_value=-50, max_value=50, max_denominator=60)


def dyadic(mantissa, exponent):
    return End(arb((mantissa, exponent)))


@examples(60, st.integers(-(1 << 70), 1 << 70), st.integers(-90, 20), fractions, st.booleans())
def test_ends_compare_as_fractions(mantissa, exponent, other, near):
    value = Fraction(mantissa) * Fraction(2) ** exponent
    if near:  # differ by 3^-200, far below the ambient precision
        other = value + other / 3**200
    a, b = dyadic(mantissa, exponent), End(other)
    assert (a < b, a <= b, a > b, a >= b, a == b) == (
        value < other, value <= other, value > other, value >= other, value == other
    )  # fmt: skip
    assert (b < a, b == a) == (other < value, other == value)
    assert a == End(value)
    assert hash(a) == hash(End(value)) == hash(value)


@examples(60, st.fractions(), st.integers(-1200, 1200))
def test_float_ends_are_the_nearest_doubles_outside(x, exponent):
    assume(x != 0)
    for end in (End(x * Fraction(2) ** exponent), End((Enclosure(x) * Enclosure(2) ** exponent).ball().lower())):
        low, high = float_lower(end), float_upper(end)
        assert End(low) <= end <= End(high)
        assert low == high or math.nextafter(low, math.inf) == high  # no double lies between


def test_ends_at_the_edges_with_gigantic_exponents_and_none():
    huge, tiny = End(10**400), End(Fraction(1, 10**400))
    assert (float_lower(huge), float_upper(huge)) == (sys.float_info.max, math.inf)
    assert (float_lower(tiny), float_upper(tiny)) == (0.0, 5e-324)
    assert float_lower(POSITIVE_INFINITY) == math.inf
    assert float(Enclosure(-(10**400))) == -math.inf
    assert float(Enclosure(Fraction(1, 3))) == 1 / 3
    box = Enclosure(-(10**9)).exp()
    assert 0 < box.lower < box.upper < Fraction(1, 10**100)
    for end in (box.lower, box.upper):
        assert End.from_json(json.loads(json.dumps(end.to_json()))) == end
        assert pickle.loads(pickle.dumps(end)) == end
    assert (float_lower(box.lower), float_upper(box.upper)) == (0.0, 5e-324)
    assert Enclosure(10**9).exp().lower > 10**100
    assert isinstance(hash(box.lower), int)
    assert "e-434294482" in repr(box.lower)  # 10^9 log10(e) = 434294481.9
    for value in (math.nan, arb(1, 0.5), arb.nan(), arb(0, math.inf)):
        with pytest.raises(ValueError, match="end point"):
            End(value)
    with pytest.raises(TypeError):
        End("1")
    assert End(1) != math.nan
