"""What a row says beyond its truth: power, slack, and whether its bound is vacuous."""

import itertools
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from properties import examples
from sympy import Rational, exp, log
from tiny import N, constant, exponential, shrinking, tiny, value
from verdict_examples import HUGE, spoiled, verdict_of

from theorytools import Budget, Control, Outcome, grid

POWERS = [(1, 1.01), ("104/100", 1.05), ("12/10", 1.25), ("19/10", 2), (9, 10), (99, 100), (100, None), (1000, None)]


@pytest.mark.parametrize(("ratio", "power"), POWERS)
def test_power_is_the_smallest_factor_that_is_rejected(ratio, power):
    ratio = Fraction(ratio)
    rational = Rational(ratio.numerator, ratio.denominator)
    for number, assertion in [
        (1, value <= rational), (ratio, value >= 1), (-ratio, value <= -1), (-1, value >= -rational),
    ]:  # fmt: skip
        verdict = verdict_of(constant(number, assertion, repair=-HUGE if assertion.relation == ">=" else HUGE))
        assert (verdict.outcome, verdict.power) == (Outcome.HOLDS, power)


def test_power_is_the_best_over_points_and_counts_both_directions():
    claim = tiny(asserts=[value <= N, value <= 5 * N], grid=grid(N=[2, 3]))
    claim = replace(
        claim, construct=lambda p: Fraction(p.N) if p.N == 3 else Fraction(p.N, 2), controls=[spoiled(breaks=[value])]
    )
    verdict = verdict_of(claim)
    assert verdict.powers == {"value <= N": 1.01, "value <= 5*N": 10}
    assert verdict.power == 10
    assert verdict.to_json()["power"] == 10
    # [9/10, 11/10]: 2/1.25 is above it, 2/2 inside, 2/10 below
    assert verdict_of(constant(shrinking(1, Fraction(1, 10)), value <= 2)).power == 10
    assert verdict_of(constant(3, value.equals(3))).power == 1.01
    assert verdict_of(constant(3, value.equals(3, within=Rational(1, 2)))).power == 1.25  # 12/5 + 1/2 < 3 < 15/4 - 1/2
    assert verdict_of(constant(3, value.equals(3, within=3))).power is None  # 3/f + 3 is never below 3
    assert verdict_of(constant(0, value.equals(0), repair=1)).power == 1.01


@examples(50, st.fractions(Fraction(1, 9), 9, max_denominator=9), st.fractions(Fraction(1, 9), 9, max_denominator=9))
def test_slack_is_at_least_one_exactly_where_the_assertion_is_proved(measured, bound):
    rational = Rational(bound.numerator, bound.denominator)
    for assertion in (value <= rational, value >= rational):
        row = verdict_of(constant(measured, assertion)).rows[0]
        assert row.slack == pytest.approx(float(bound / measured if assertion.relation == "<=" else measured / bound))
        assert (row.slack >= 1) is (row.truth is True)


def test_slack_is_the_one_that_is_certain_on_the_side_of_the_truth():
    for (number, bound), sign in itertools.product([exponential(3), (1, 1)], (1, -1)):
        row = verdict_of(constant(number, value <= bound * (1 + sign * Rational(1, 10**40)))).rows[0]
        assert row.truth is (sign > 0)
        assert (row.slack >= 1) is row.truth
    measured = shrinking(2, 1)  # [1, 3]
    assert verdict_of(constant(measured, value <= 6)).rows[0].slack == pytest.approx(2)
    assert verdict_of(constant(measured, value >= Rational(1, 2))).rows[0].slack == pytest.approx(2)
    assert verdict_of(constant(measured, value <= Rational(1, 2))).rows[0].slack == pytest.approx(1 / 2)
    assert verdict_of(constant(measured, value >= 6)).rows[0].slack == pytest.approx(1 / 2)


@pytest.mark.parametrize(
    ("number", "assertion"), [(0, value <= 1), (1, value >= 0), (-1, value <= 1), (1, value.equals(1))]
)
def test_slack_is_null_where_it_has_no_meaning(number, assertion):
    row = verdict_of(constant(number, assertion)).rows[0]
    assert row.truth is True
    assert row.slack is None


@pytest.mark.parametrize(
    ("assertion", "vacuous"),
    [(value <= 1, True), (value <= Rational(1, 2), False), (value >= 0, True), (value >= Rational(1, 3), False),
     (value.equals(Rational(1, 2)), False), (value <= log(3) / log(3) * exp(0), True)],
)  # fmt: skip
def test_vacuous_means_no_stronger_than_what_holds_anyway(assertion, vacuous):
    bounded = replace(value, trivial=(0, 1))
    claim = constant(Fraction(1, 2), replace(assertion, quantity=bounded), controls=[
        Control("spoiled", breaks=bounded, measure=lambda thing, p: {bounded: HUGE}, asserts=[bounded <= 0])
    ], measure=lambda thing, p: {bounded: Fraction(1, 2)})  # fmt: skip
    assert verdict_of(claim).rows[0].vacuous is vacuous


def test_vacuity_that_no_precision_decides_is_open():
    bounded = replace(value, trivial=(0, exp(1) * exp(2)))
    claim = constant(1, bounded <= exp(3), measure=lambda thing, p: {bounded: 1}, budget=Budget(bits=256), controls=[
        Control("spoiled", breaks=bounded, measure=lambda thing, p: {bounded: HUGE})])  # fmt: skip
    assert verdict_of(claim).rows[0].vacuous is None
