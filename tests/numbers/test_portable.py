"""Functions of doubles made of correctly rounded operations: errors against enclosures, identities, refusals."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from refusals import refuses

from theorytools import DomainError, Enclosure
from theorytools.numbers import at_precision, pi, portable

UNITS = 3  # what the module promises


def off_by(found, compute):
    """The distance from the enclosed value in units in the last place."""
    exact = at_precision(320, compute)
    return float(abs(Enclosure(Fraction(found)) - exact)) / math.ulp(float(exact))


@given(st.floats(1e-300, 1e300))
def test_the_logarithm(x):
    assert off_by(float(portable.log(x)), lambda: Enclosure(Fraction(x)).log()) <= UNITS or x == 1


@given(st.floats(-0.999, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-50))
def test_the_logarithm_of_one_plus(x):
    assert off_by(float(portable.log1p(x)), lambda: Enclosure(1 + Fraction(x)).log()) <= UNITS or x == 0


@given(st.floats(-700, 700))
def test_the_exponential(x):
    assert off_by(float(portable.exp(x)), lambda: Enclosure(Fraction(x)).exp()) <= UNITS


@pytest.mark.parametrize("x", [0, -1, math.nan, math.inf])
def test_logarithms_refuse_what_has_none(x):
    refuses(DomainError, lambda: portable.log(x), lambda: portable.log1p(x if not math.isfinite(x) else x - 1))


@given(st.integers(1, 10**6), st.integers(-(10**7), 10**7))
@example(8, 1)
def test_turns(n, j):
    cosine, sine = (float(x) for x in portable.turn(j, n))
    part = Fraction(j % n, n)
    for found, exact in ((cosine, "cos"), (sine, "sin")):
        value = at_precision(200, lambda exact=exact: (2 * part * pi()).apply(exact))
        if 4 * part % 1 == 0:  # a quarter of a turn: exactly 0, 1 or -1
            assert found in (0, 1, -1)
        else:
            assert off_by(found, lambda value=value: value) <= UNITS
    assert (cosine, sine) == tuple(float(x) for x in portable.turn(j + n, n))
    # odd eighths lie between two quarters: j is counted from one of them, -j from the other
    assert (cosine, -sine) == tuple(float(x) for x in portable.turn(-j, n)) or 8 * part % 1 == 0


def test_products_are_exact_or_added_in_order_and_last_bits_do_not_show():
    rng = np.random.default_rng(0)
    A, B = rng.integers(-99, 99, (2, 3, 5)), rng.integers(-99, 99, (2, 5, 4))
    assert (portable.product(A, B) == A @ B).all()
    row, column = np.array([[1.0, 2.0**53, -(2.0**53)]]), np.ones((3, 1))
    assert portable.product(row, column).item() == 0  # (1 + 2^53) - 2^53, from first to last
    assert portable.product(row[:, ::-1], column).item() == 1
    values = np.array([1.0, 1 / 3, -0.2])
    nudged = np.nextafter(values, 2)
    assert (portable.coarse(nudged) == portable.coarse(values)).all()
    assert (portable.coarse(nudged, 53) != portable.coarse(values, 53)).any()  # the control: all bits are kept
    assert portable.exp([-math.inf, -1000, 0, 1000, math.inf]).tolist() == [0, 0, 1, math.inf, math.inf]
    assert portable.exp(-745).item() == 2.0**-1074
    assert np.isnan(portable.exp(math.nan))
    assert portable.log(1).item() == portable.log1p(0).item() == 0


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9), st.integers(8, 40))
def test_coarse_numbers_are_near_and_stay(values, bits):
    found = portable.coarse(values, bits)
    assert (portable.coarse(found, bits) == found).all() or max(map(abs, values)) > 0.7  # near a change of the grid
    assert np.abs(found - values).max() <= np.abs(values).max() * 1.37 * 2.0 ** (1 - bits)
