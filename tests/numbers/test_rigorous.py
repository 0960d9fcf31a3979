"""Enclosures contain, rationals stay exact, precision stays put, nothing is certified from NaN."""

import json
import math
import pickle
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import sympy
from flint import arb, fmpq
from hypothesis import strategies as st
from properties import examples

from theorytools.claims.language.estimate import Budget, Evidence, enclosed
from theorytools.numbers import (
    NEGATIVE_INFINITY,
    POSITIVE_INFINITY,
    Enclosure,
    End,
    at_precision,
    between,
    maximum,
    minimum,
    pi,
    power,
    root,
    total,
    union,
    working_precision,
)

fractions = st.fractions(min_value=-50, max_value=50, max_denominator=60)
intervals = st.tuples(fractions, fractions).map(sorted)
places = st.integers(0, 4)  # a point at k/4 of an interval
UNDEFINED = Enclosure(-1).sqrt()


def point(interval, k):
    low, high = interval
    return low + (high - low) * Fraction(k, 4)


def whole(box):
    return box.lower == NEGATIVE_INFINITY and box.upper == POSITIVE_INFINITY


# -- identities and properties of arithmetic -----------------------------------------------------------------
@examples(60, intervals, intervals, places, places, st.sampled_from([64, 53, 200]))
def test_operations_contain_every_point(u, v, i, j, bits):
    x, y = point(u, i), point(v, j)

    def check():
        a, b = between(*u), between(*v)
        for box, value in [(a + b, x + y), (a - b, x - y), (a * b, x * y), (-a, -x), (abs(a), abs(x))]:
            assert box.contains(value)
        assert maximum([a, b]).contains(max(x, y))
        assert minimum([a, b]).contains(min(x, y))
        assert total([a, b, 1]).contains(x + y + 1)
        assert union([a, b]).contains(x)
        assert a.floor().contains(math.floor(x))
        assert a.ceil().contains(math.ceil(x))
        assert (a + y).contains(x + y)
        assert (y - a).contains(y - x)
        if y != 0:
            assert (a / b).contains(x / y)
            assert (a / y).contains(x / y)

    at_precision(bits, check)


@examples(60, intervals, places, st.integers(-6, 6), st.integers(1, 5))
def test_powers_and_roots_contain_every_point(u, k, n, degree):
    x, box = point(u, k), between(*u)
    if x != 0 or n >= 0:
        assert (box**n).contains(x**n)
    if n % 2 == 0 and n > 0:
        assert (box**n).lower >= 0
    r = root(box, degree)
    if x >= 0 and not whole(r):
        # t -> t^degree is monotone on t >= 0, so the ends enclose the root iff their powers enclose x
        low, high = Enclosure(maximum([r, 0]).lower.value), Enclosure(r.upper.value)
        assert (low**degree).certainly_le(x) is not False
        assert Enclosure(x).certainly_le(high**degree) is not False


@examples(60, fractions, fractions, st.integers(-5, 5))
def test_rationals_stay_exact(x, y, n):
    a, b = Enclosure(x), Enclosure(y)
    assert (a * b + a - b).fraction() == x * y + x - y
    assert a.certainly_le(b) is (x <= y)
    assert a.certainly_lt(b) is (x < y)
    if x != 0:
        assert (b / a).fraction() == y / x
        assert (a**n).fraction() == x**n
        assert root(a**2, 2).fraction() == abs(x)


@examples(60, intervals, intervals)
def test_order_is_that_of_the_ends(u, v):
    a, b = between(*u), between(*v)
    assert a.certainly_le(b) is (True if a.upper <= b.lower else False if a.lower > b.upper else None)
    assert a.certainly_lt(b) is (True if a.upper < b.lower else False if a.lower >= b.upper else None)
    y = Enclosure(v[0])
    assert a.certainly_le(y) is (True if a.upper <= y.lower else False if a.lower > y.upper else None)
    assert y.certainly_le(a) is (True if y.upper <= a.lower else False if y.lower > a.upper else None)


# -- traps ---------------------------------------------------------------------------------------------------
def test_powers_are_tight_and_exact_where_the_mathematics_is():
    # radii are rounded up to 30 bits: the ends move by |x| 2^-29, their powers by n|x|^n 2^-29 <= 24 2^-29,
    # and the result by 9 2^-29 again: less than 2^-23 in all
    for box, exponent, low, high in [
        (between(-1, 1), 2, 0, 1), (between(Fraction(1, 2), Fraction(3, 2)), 2, 0.25, 2.25),
        (between(-2, 1), 3, -8, 1), (between(2, 3), -2, 1 / 9, 1 / 4), (between(-1, 1), 0, 1, 1),
    ]:  # fmt: skip
        result = box**exponent
        assert result.lower >= low - 2.0**-23
        assert result.upper <= high + 2.0**-23
    assert (between(Fraction(1, 2), Fraction(3, 2)) ** 2).lower > 0.2
    assert abs(between(-1, 3)).lower >= 0
    assert (Enclosure(0) * pi()).exact
    assert maximum([pi(), 4]).fraction() == 4
    assert minimum([pi(), 3]).fraction() == 3
    assert pi().floor().fraction() == 3
    assert power(Enclosure(Fraction(8, 27)), Enclosure(Fraction(-2, 3))).fraction() == Fraction(9, 4)
    assert (Enclosure(-1) ** 10**30).fraction() == 1
    assert Enclosure(0).exp().fraction() == 1
    assert power(Enclosure(0), pi()).fraction() == 0
    big = Enclosure(3) ** 10**12  # enclosed, not expanded
    assert not big.exact
    assert big.lower > 2**10**5


def test_undefined_is_the_whole_line():
    touching = between(-1, 1)
    zero, half = Enclosure(0), Enclosure(Fraction(1, 2))
    boxes = [
        touching.sqrt(), touching.log(), 1 / touching, touching**-1, 0 / touching, power(touching, half),
        zero**-1, zero.log(), power(zero, -half), power(zero, -pi()), Enclosure(1) / 0, Enclosure(math.nan),
        Enclosure(arb.nan()), Enclosure(math.inf), Enclosure(arb(math.inf)), UNDEFINED * 0, UNDEFINED**0,
        UNDEFINED.apply("sin"), UNDEFINED.apply("tanh"), UNDEFINED.apply("atan"), UNDEFINED.floor(),
        maximum([UNDEFINED, 3]), union([UNDEFINED, 1]),
    ]  # fmt: skip
    for box in boxes:
        assert whole(box)
        assert not box.ball().is_nan()
        assert box.certainly_le(10) is None
        assert box.certainly_lt(10) is None
        assert Enclosure(10).certainly_le(box) is None
        assert Enclosure(10).certainly_lt(box) is None


def test_numbers_of_any_width_need_no_sympy():
    third = np.longdouble(1) / 3
    assert Enclosure(third).fraction() == Fraction(*third.as_integer_ratio())
    assert Enclosure(np.int64(7)).fraction() == 7
    assert Enclosure(sympy.Rational(1, 3)).fraction() == Fraction(1, 3)
    for value in ("1", None, 1j):
        with pytest.raises(TypeError):
            Enclosure(value)
    with pytest.raises(TypeError, match="truth value"):
        bool(Enclosure(1))
    with pytest.raises(TypeError, match="certainly_le"):
        Enclosure(1) == 1  # noqa: B015
    third = Fraction(1, 3)
    above = Enclosure(arb((6148914691236517206, -64)))  # the 64-bit number next above 1/3
    assert Enclosure(third).certainly_lt(above) is True
    assert above.certainly_le(third) is False
    assert Enclosure(fmpq(1, 3)).contains(third)
    number = 10**5000 + 1  # Python refuses str() beyond 4300 digits
    for box in (Enclosure(number), Enclosure(Fraction(1, number)), Enclosure(number) + pi()):
        assert repr(box)
        assert pickle.loads(pickle.dumps(box)).same(box)
        assert End.from_json(json.loads(json.dumps(box.lower.to_json()))) == box.lower
    assert union([Enclosure(number), number]).exact
    code = "import sys, theorytools.numbers as r; r.Enclosure(2); assert 'sympy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@examples(60, intervals, st.integers(-2000, 2000), st.sampled_from([53, 64, 300]))
def test_pickling_keeps_the_set(u, exponent, bits):
    box = at_precision(bits, lambda: between(*u) * Enclosure(2) ** exponent + pi() / 3)
    assert pickle.loads(pickle.dumps(box)).same(box)
    assert pickle.loads(pickle.dumps(UNDEFINED)).same(UNDEFINED)


def test_precision_is_restored():
    before = working_precision()
    with pytest.raises(ZeroDivisionError):
        at_precision(300, lambda: 1 / 0)
    assert working_precision() == before
    steps = []
    for step in enclosed(lambda: Enclosure(2).sqrt()).steps(0.0, Budget(bits=1024)):
        assert working_precision() == before
        steps.append(step)
    assert [step.work["bits"] for step in steps] == [64, 128, 256, 512, 1024]
    for wide, narrow in pairwise(steps):
        # one rung more than halves the digits left: the ends keep the bits of their own rung
        assert wide.low <= narrow.low < narrow.high <= wide.high
    two = [Enclosure(end.value) for end in (steps[-1].low, steps[-1].high)]
    gap = at_precision(2048, lambda: two[1] - two[0])
    assert gap.upper < Fraction(1, 2**1000)
    assert [s.evidence for s in enclosed(lambda: Enclosure(4).sqrt()).steps(0.0, Budget())] == [Evidence.EXACT]
