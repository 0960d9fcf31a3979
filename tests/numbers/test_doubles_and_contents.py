"""Doubles that keep to what is the same everywhere, and what objects are made of."""

import collections
import math
import operator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorytools import DomainError
from theorytools.numbers.contents import contents, converted, same
from theorytools.numbers.doubles import Double

small = st.floats(-1e6, 1e6)


@given(small, small, st.sampled_from([operator.add, operator.sub, operator.mul, operator.truediv]))
def test_the_four_operations_are_those_of_floats(a, b, work):
    if work is operator.truediv and (b == 0 or abs(b) < 1e-290):
        return
    assert work(Double(a), Double(b)).value == work(Double(a), b).value == work(a, Double(b)).value == work(a, b)
    assert (Double(a) < b, a <= Double(b), Double(a) == b) == (a < b, a <= b, a == b)


@given(small, small)
def test_signs_ends_and_order_are_those_of_floats(a, b):
    x, y = Double(a), Double(b)
    assert ((-x).value, (+x).value, abs(x).value) == (-a, a, abs(a))
    assert (math.floor(x), math.ceil(x), bool(x)) == (math.floor(a), math.ceil(a), bool(a))
    assert (x < y, x <= y, x > y, x >= y, x != y) == (a < b, a <= b, a > b, a >= b, a != b)
    assert hash(x) == hash(a)
    assert x in {a: 0}


@given(st.fractions(), st.integers(0, 6))
def test_a_fraction_enters_as_its_nearest_double_and_powers_are_products(x, power):
    assert (Double(1) * x).value == float(x)
    product = Double(1)
    for _ in range(power):
        product = product * 3
    assert Double(3) ** power == product
    assert Double(2) ** -power == Fraction(1, 2**power)


def test_what_doubles_do_not_say_everywhere_is_refused():
    for call in (lambda: float(Double(1)), lambda: Double("1"), lambda: Double(float("nan"))):
        with pytest.raises(DomainError):
            call()
    for call in (lambda: Double(1e308) * 10, lambda: Double(10) ** 400):
        with pytest.raises(OverflowError):
            call()
    with pytest.raises(ZeroDivisionError):
        1 / Double(0)


class Plain:
    def __init__(self, *parts):
        self.parts = parts


class Counted(collections.deque):
    """Its elements are nowhere among its attributes."""


@dataclass(frozen=True)
class Pair:
    a: object
    b: object


@pytest.mark.parametrize(
    ("thing", "mutable", "floats"),
    [
        ((1, Fraction(1, 2), "x", None), False, False), ([1], True, False), (Pair(1, (2,)), False, False),
        (Pair(1, [2]), True, False), ({"a": 0.5}, True, True), (np.zeros(2), True, True),
        (np.array([1, 2]), True, False), (np.float64(1), False, True), (Plain(1, 0.5), True, True),
    ],
)  # fmt: skip
def test_what_an_object_is_made_of(thing, mutable, floats):
    found = contents(thing)
    assert (found.mutable, found.floats) == (mutable, floats)
    assert same(thing, thing)
    assert same(converted(thing, lambda x: x), thing) or isinstance(thing, np.ndarray)


def test_a_change_of_any_part_is_seen():
    state = ([Fraction(1)], {"k": np.array([1, 2])}, Pair(1, [2]))
    for change in (lambda s: s[0].append(1), lambda s: s[1]["k"].__setitem__(0, 7), lambda s: s[2].b.pop()):
        other = converted(state, lambda x: x)
        assert same(state, other)
        change(other)
        assert not same(state, other)


@pytest.mark.parametrize(
    "thing", [float("inf"), [np.array([np.nan])], np.random.default_rng(0), iter([]), 1j, Counted()]
)
def test_what_cannot_be_looked_at_is_refused(thing):
    with pytest.raises(DomainError):
        contents(thing)
