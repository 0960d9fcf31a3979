"""Powers, roots and proposals at the edges of their arguments, enclosures by both of their ends, defaults."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import DomainError, Enclosure
from theorytools.errors import NumberError
from theorytools.numbers import at_precision, between, portable
from theorytools.numbers.enclosure import ipow, power, root

F = Fraction
rationals = st.fractions(-9, 9, max_denominator=64)


def ends(box):
    """The two ends as exact numbers."""
    return Enclosure(box.lower.value), Enclosure(box.upper.value)


def undefined(box):
    return not box.lower.finite and not box.upper.finite


@examples(60, rationals, st.integers(-5, 5))
def test_powers_of_rationals_are_exact_and_of_balls_enclosed(x, n):
    if x == 0 and n < 0:
        assert undefined(ipow(Enclosure(0), n))
        return
    assert ipow(Enclosure(x), n).fraction() == x**n == ipow(x, n).fraction()
    ball = between(x - F(1, 100), x + F(1, 100))
    found = ipow(ball, n)
    if n < 0 and abs(x) <= F(1, 100):
        assert undefined(found)
        return
    for point in (x - F(1, 100), x, x + F(1, 100)):
        assert found.contains(point**n)
    if n > 0 and n % 2 == 0:
        assert found.lower >= 0
    # a ball of width 1/50 about a number below 10: the power is no wider than its slope says, up to rounding
    low, high = ends(found)
    steepest = abs(n) * max(abs(x) + F(1, 100), F(1)) ** (n - 1) if n > 0 else None
    assert steepest is None or (high - low).certainly_le(F(1, 50) * steepest * F(1001, 1000))


def test_the_power_zero_and_the_first_root():
    assert ipow(Enclosure(0), 0).fraction() == 1
    assert undefined(ipow(Enclosure(0), -1))
    assert ipow(between(-1, 1), 0).fraction() == 1
    assert ipow(between(-1, 1), 2).lower >= 0
    assert root(Enclosure(F(9, 4)), 1).fraction() == F(9, 4)
    assert root(F(9, 4), 2).fraction() == F(3, 2)
    assert root(Enclosure(0), 3).fraction() == 0
    assert undefined(root(Enclosure(F(-1, 9)), 2))
    for x in (Enclosure(4), 4):
        refuses(
            NumberError, (lambda x=x: root(x, 0), "an integer of at least 1"),
            (lambda x=x: root(x, -2), "an integer of at least 1"), (lambda x=x: root(x, True), "integer"),
            (lambda x=x: root(x, 2.0), "integer"), (lambda x=x: ipow(x, True), "integer"),
            (lambda x=x: ipow(x, 1.0), "integer"),
        )  # fmt: skip


@examples(40, st.fractions(0, 9, max_denominator=50), st.integers(1, 9), st.sampled_from([53, 128]))
def test_roots_lie_around_the_number_whose_power_is_given(x, k, bits):
    found = at_precision(bits, lambda: root(Enclosure(x), k))
    low, high = ends(found)
    assert (low**k).lower <= x <= (high**k).upper
    assert root(Enclosure(x**k), k).fraction() == x
    assert (high - low).certainly_le(F(1, 2 ** (bits - 8)))
    wide = root(between(x, x + 1), k)  # monotone: both ends
    assert (wide**k).contains(x)
    assert (wide**k).contains(x + 1)
    touching = root(between(-F(1, 9), x), k) if x else None
    assert touching is None or undefined(touching)


@examples(40, st.fractions(F(1, 8), 9, max_denominator=8), st.integers(-70, 70), st.integers(1, 70))
def test_rational_powers_agree_with_roots_and_with_logarithms(x, p, q):
    found = power(Enclosure(x), Enclosure(F(p, q)))
    other = (F(p, q) * Enclosure(x).log()).exp()
    assert found.lower <= other.upper
    assert other.lower <= found.upper
    low, high = ends(found)
    assert (high / low - 1).certainly_le(F(1, 2**40))


def test_powers_of_what_may_be_zero_or_negative():
    assert power(Enclosure(0), Enclosure(F(1, 2))).fraction() == 0
    assert power(Enclosure(0), between(1, 2)).fraction() == 0
    found = power(between(0, 4).nonnegative_part(), between(F(1, 2), 1))
    assert found.lower <= 0
    for value in (0, 2, 4):
        assert found.contains(value)
    assert found.upper < 5
    for base, exponent in ((-4, F(1, 2)), (between(-1, 1), F(1, 2)), (0, F(-1, 2)), (between(0, 1), between(-1, 1))):
        assert undefined(power(Enclosure(base), Enclosure(exponent)))
    assert power(Enclosure(-2), Enclosure(3)).fraction() == -8
    assert power(4, F(1, 2)).fraction() == 2


@examples(30, st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), st.integers(8, 40))
def test_coarse_numbers_keep_24_bits_unless_told(values, bits):
    largest = max(map(abs, values))
    assert portable.coarse(values).tolist() == portable.coarse(values, 24).tolist()
    found = portable.coarse(values, bits)
    if largest:
        unit = 2.0 ** (math.frexp(1.37 * largest)[1] - bits)
        assert all((x / unit).is_integer() for x in found.tolist())
        # the multiples are no coarser than 2^(1-b) of 1.37 times the largest, and no finer than half of that
        assert 2.0**-bits <= unit / (1.37 * largest) <= 2.0 ** (1 - bits)
        assert np.abs(found - values).max() <= unit / 2
        odd = np.array([largest, unit])  # one multiple more is another number
        assert portable.coarse(odd, bits)[1] == unit
        assert portable.coarse(odd, bits - 2)[1] != unit
    assert portable.coarse([0.0, -0.0], bits).tolist() == [0, 0]
    assert portable.coarse([], bits).tolist() == []
    assert portable.coarse([1.0, 2.0**-23]).tolist() != portable.coarse([1.0, 2.0**-23], 22).tolist()


@examples(30, st.integers(1, 40), st.integers(-200, 200))
def test_turns_lie_on_the_circle_and_add(n, j):
    c, s = portable.turn(np.arange(j, j + 2 * n), n)
    assert np.abs(c * c + s * s - 1).max() <= 2.0**-50
    assert (c[:n] == c[n:]).all()
    assert (s[:n] == s[n:]).all()
    angle = 2 * math.pi * (np.arange(j, j + 2 * n) % n) / n
    # an angle below 7 is off by a few of its units in the last place
    assert np.abs(c - np.cos(angle)).max() <= 2.0**-47
    assert np.abs(s - np.sin(angle)).max() <= 2.0**-47


def test_functions_of_doubles_at_the_edges():
    smallest = 2.0**-1074
    assert abs(float(portable.log(smallest)) - 1074 * -math.log(2)) <= 1e-12 * 745
    assert float(portable.log(np.finfo(float).max)) > 709
    for x in (-0.25, 0.375, np.nextafter(-0.25, 0), np.nextafter(0.375, 0), -1 + 2.0**-53, 1e-300):
        assert abs(float(portable.log1p(x)) - math.log1p(x)) <= 4 * math.ulp(math.log1p(x))
    refuses(
        DomainError, lambda: portable.log([1.0, 0.0]), lambda: portable.log1p([0.0, -1.0]),
        lambda: portable.log1p(math.inf), lambda: portable.log(-smallest),
    )  # fmt: skip
    many = np.linspace(-746, 709, 100_001)
    whole = portable.exp(many.reshape(1, -1))
    assert whole.shape == (1, 100_001)
    assert whole[0, ::9973].tolist() == [float(portable.exp(x)) for x in many[::9973]]
    assert float(portable.exp(709.5)) < math.inf == float(portable.exp(709.8))
