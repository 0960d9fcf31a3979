"""Conditions are true, false or open; refinement decides what enclosures can decide."""

from fractions import Fraction

import pytest
import sympy
from hypothesis import strategies as st
from properties import examples
from sympy import And, Eq, Ge, Gt, Le, Lt, Ne, Not, Or, Rational, exp, log, pi

from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, decide, truth, working_precision

x, y = sympy.symbols("x y")
TINY = Rational(1, 10**60)
fractions = st.fractions(min_value=-2, max_value=2, max_denominator=3)
OPEN = Gt(log(-1 - x**2), 0)  # undefined, hence open, at every real x


@examples(60, fractions, fractions)
def test_relations_of_rationals_are_decided(a, b):
    env = {"x": a, "y": b}
    answers = [truth(kind(x, y, evaluate=False), env) for kind in (Le, Lt, Ge, Gt, Eq, Ne)]
    assert answers == [a <= b, a < b, a >= b, a > b, a == b, a != b]


@pytest.mark.parametrize("first", [True, False, None])
@pytest.mark.parametrize("second", [True, False, None])
def test_three_valued_tables(first, second):
    def condition(value):
        return OPEN if value is None else Gt(x, 0, evaluate=False) if value else Lt(x, 0, evaluate=False)

    p, q, env = condition(first), condition(second), {"x": 1}
    values = {first, second}
    conjunction = False if False in values else None if None in values else True
    disjunction = True if True in values else None if None in values else False
    assert truth(And(p, q, evaluate=False), env) is conjunction
    assert truth(Or(p, q, evaluate=False), env) is disjunction
    assert truth(Not(p, evaluate=False), env) is (None if first is None else not first)
    assert truth(sympy.true) is True
    assert truth(sympy.false) is False


def test_close_relations_are_decided_by_refinement_with_values_computed_anew():
    condition = Le(exp(x), sympy.E * (1 + TINY))
    assert truth(condition, {"x": 1}) is None
    assert decide(condition, {"x": 1}, bits=128) is None
    assert decide(condition, {"x": 1}) is True
    assert decide(Lt(sympy.E * (1 + TINY), exp(x)), {"x": 1}) is False
    assert working_precision() == 53
    root_two = {"x": lambda: Enclosure(2).sqrt()}
    close = Ge(x, sympy.sqrt(2) * (1 - TINY))
    assert decide(close, root_two) is True
    assert decide(close, lambda: {"x": Enclosure(2).sqrt()}) is True
    frozen = Enclosure(2).sqrt()  # a ball of 53 bits decides nothing at 10^-60
    assert decide(close, {"x": frozen}, bits=256) is None
    with pytest.raises(DomainError, match="Float"):
        decide(And(x > 0, y > sympy.Float(0.1)), {"x": 1, "y": 1})


def test_equality_of_balls_is_open_unless_they_are_apart():
    assert truth(Eq(x, pi), {"x": 3}) is False
    assert truth(Ne(x, pi), {"x": 3}) is True
    assert decide(Eq(exp(x) ** 2, exp(2 * x), evaluate=False), {"x": 1}, bits=256) is None
    assert decide(Eq(2 * x, y), {"x": Fraction(1, 2), "y": 1}) is True
    ball = Enclosure(2).sqrt()
    assert truth(Eq(x, y), {"x": ball, "y": Enclosure(ball.upper.value)}) is None  # they meet in one point
    assert truth(OPEN, {"x": 1}) is None
    assert truth(Not(OPEN, evaluate=False), {"x": 1}) is None


@pytest.mark.parametrize(
    "bad", [True, 2 * x == y, "x > 1", x, None, sympy.Xor(x > 1, y > 1), sympy.Contains(x, sympy.S.Integers)]
)
def test_other_conditions_are_refused(bad):
    with pytest.raises(DomainError, match="condition"):
        truth(bad, {"x": 1, "y": 1})
