"""Assertions about a quantity: they are compared, moved and stored, and never silently true."""

import pickle
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from properties import examples
from statement_examples import beta, leakage
from sympy import Rational, exp
from tiny import N, value

from theorytools import Bound, DomainError, Estimate, Evidence, Quantity
from theorytools.claims.language.estimate import certain
from theorytools.numbers import End

fractions = st.fractions(min_value=-9, max_value=9, max_denominator=12)


# -- assertions have no truth value --------------------------------------------------------------------------
@pytest.mark.parametrize(
    "use",
    [lambda: bool(leakage <= 1), lambda: 0 <= leakage <= 1, lambda: leakage <= 1 and leakage >= 0,
     lambda: not leakage.equals(1), lambda: [a for a in [leakage <= 1] if a]],
)  # fmt: skip
def test_an_assertion_is_never_silently_true(use):
    with pytest.raises(TypeError, match="statement, not a truth value"):
        use()


def test_comparisons_are_those_of_python_and_a_bound_of_zero_can_move():
    assert ((leakage < 1).relation, (leakage > 1).relation, leakage.differs(1).relation) == ("<", ">", "!=")
    assert (leakage <= 1) == (leakage <= 1)
    assert (leakage <= N) == (leakage <= N)
    assert (leakage >= N + 1) == (leakage >= N + 1)
    twin = Quantity("leakage", "L", "weight elsewhere", (0, 1))
    assert leakage == twin
    assert {leakage: 1}[twin] == 1
    assert leakage != Quantity("leakage", "M")
    assert leakage in [Quantity("other", "o"), twin]
    assert (leakage <= N) in [leakage >= N, twin <= N]
    assert [a.expr for a in (value <= 0).tightened(Fraction(5, 4), sign=0)] == [Rational(-1, 4)]
    assert [a.expr for a in value.equals(0).tightened(Fraction(5, 4), sign=0)] == [Rational(-1, 4), Rational(1, 4)]


def test_pickling_keeps_quantities_letters_assertions_and_errors():
    for thing in (leakage, beta, leakage <= N * beta, leakage.equals(N, within=Rational(1, 3)), Bound(N * exp(beta))):
        again = pickle.loads(pickle.dumps(thing))
        assert again == thing
        assert hash(again) == hash(thing)
    again = pickle.loads(pickle.dumps(beta))
    assert (again.meaning, again.tex, again.is_nonnegative) == (beta.meaning, r"\beta", True)
    assert {leakage: 1}[pickle.loads(pickle.dumps(leakage))] == 1
    error = DomainError("the given", required="the required", why="the reason", advice="the advice")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(error).split("\n") == [
        "given:    the given", "required: the required", "why:      the reason", "try:      the advice"
    ]  # fmt: skip


# -- three-valued comparison -------------------------------------------------------------------------------------
@examples(60, st.tuples(fractions, fractions).map(sorted), st.tuples(fractions, fractions).map(sorted))
def test_a_comparison_is_decided_exactly_when_every_point_agrees(measured, bound):
    box, side = (Estimate(End(low), End(high), Evidence.ENCLOSED) for low, high in (measured, bound))
    corners = [(a, b) for a in measured for b in bound]
    for assertion, holds in (
        (value <= N, lambda a, b: a <= b), (value >= N, lambda a, b: a >= b), (value < N, lambda a, b: a < b),
        (value > N, lambda a, b: a > b),
    ):  # fmt: skip
        answers = {holds(a, b) for a, b in corners}
        assert assertion.compare(box, [side]) is (answers.pop() if len(answers) == 1 else None)
    apart = measured[1] < bound[0] or bound[1] < measured[0]
    point = measured[0] == measured[1] == bound[0] == bound[1]
    assert value.differs(N).compare(box, [side]) is (True if apart else False if point else None)


@examples(60, st.tuples(fractions, fractions).map(sorted), fractions, st.fractions(0, 3, max_denominator=12))
def test_equality_within_a_tolerance_is_two_inequalities(measured, centre, within):
    assertion = value.equals(centre, within=within)
    box = Estimate(End(measured[0]), End(measured[1]), Evidence.ENCLOSED)
    sides = [Estimate.of(certain(Fraction(side.p, side.q))) for side in assertion.sides()]
    answers = {abs(a - centre) <= within for a in (*measured, centre) if measured[0] <= a <= measured[1]}
    assert assertion.compare(box, sides) is (answers.pop() if len(answers) == 1 else None)


@pytest.mark.parametrize("rhs", [10, -10])
def test_tightening_moves_the_bound_falseward_and_a_tie_loosens_it_outward(rhs):
    sign = 1 if rhs > 0 else -1
    assert (value <= rhs).tightened(Fraction(2), sign=sign)[0].expr == rhs - (5 if rhs > 0 else 10)
    assert (value >= rhs).tightened(Fraction(2), sign=sign)[0].expr == rhs + (10 if rhs > 0 else 5)
    low, high = value.equals(rhs, within=1).tightened(Fraction(2), sign=sign)
    assert low.expr < rhs < high.expr
    assert low.within == high.within == 1

    def loosened(assertion):
        return replace(assertion, tie=Rational(1, 10)).loosened()

    assert loosened(value <= rhs).sides() == [rhs + 1]
    assert loosened(value >= rhs).sides() == [rhs - 1]
    assert loosened(value.equals(rhs)).sides() == [rhs - 1, rhs + 1]
    assert loosened(value.equals(rhs, within=3)).sides() == [rhs - 4, rhs + 4]
    assert loosened(value <= rhs).name == (value <= rhs).name
