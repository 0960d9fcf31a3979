"""Rows that are close: refined until they are decided, left open, or settled by a tie that says so."""

from dataclasses import replace
from fractions import Fraction

import pytest
from sympy import Rational, exp
from tiny import N, constant, exponential, shrinking, value
from verdict_examples import verdict_of

from theorytools import Budget, Outcome


def test_transcendental_equalities_stay_open_within_the_claims_budget():
    number, _ = exponential(3)
    verdict = verdict_of(constant(number, value <= exp(1) * exp(2)))
    assert verdict.outcome is Outcome.UNDECIDED
    assert verdict.rows[0].steps == 7  # 64, 128, …, 4096 bits
    assert verdict.rows[0].slack is None
    number, _ = exponential(3)
    claim = constant(number, value <= exp(3) * (1 + Rational(1, 10**40)), budget=Budget(bits=128))
    assert verdict_of(claim).outcome is Outcome.UNDECIDED
    close = Fraction(271828182845904523536028747135266249775724709369995, 10**50)  # e rounded down to 50 digits
    verdict = verdict_of(constant(close, value <= exp(1)))
    assert verdict.outcome is Outcome.HOLDS
    assert verdict.rows[0].steps > 1


@pytest.mark.parametrize(("digits", "steps"), [(40, 3), (200, 5), (1000, 7)])  # 256, 1024 and 4096 bits
def test_a_difference_in_any_digit_is_decided(digits, steps):
    number, _ = exponential(3)
    off = Rational(1, 10**digits)
    for bound, outcome in ((exp(3) * (1 + off), Outcome.HOLDS), (exp(3) * (1 - off), Outcome.REFUTED)):
        verdict = verdict_of(constant(number, value <= bound))
        assert verdict.outcome is outcome
        assert verdict.rows[0].steps == steps


def test_ties_are_the_last_resort_and_say_so():
    number, _ = exponential(3)
    verdict = verdict_of(constant(number, replace(value <= exp(1) * exp(2), tie=Rational(1, 10**9))))
    assert verdict.outcome is Outcome.HOLDS
    row = verdict.rows[0]
    assert row.tied
    assert row.to_json()["tied"] is True
    assert row.steps == 7
    number, _ = exponential(3)
    off = exp(3) * (1 - Rational(1, 10**40))
    for relation in (value <= off, value.equals(off)):
        verdict = verdict_of(constant(number, replace(relation, tie=Rational(1, 10**9))))
        assert verdict.outcome is Outcome.REFUTED
        assert not verdict.rows[0].tied
    verdict = verdict_of(constant(2, replace(value <= N, tie=Rational(1, 2))))
    assert verdict.outcome is Outcome.HOLDS
    assert not verdict.rows[0].tied
    assert verdict_of(constant(3, replace(value <= N, tie=Rational(1, 4)))).outcome is Outcome.REFUTED


def test_sampled_rows_use_their_tie_after_the_last_sample():
    claim = constant(shrinking(2, 1, Fraction(1, 10)), replace(value <= N, tie=Rational(1, 10)))
    verdict = verdict_of(claim)
    assert verdict.outcome is Outcome.HOLDS
    assert (verdict.rows[0].tied, verdict.rows[0].measured.work["samples"]) == (True, 2)
    claim = constant(shrinking(2, 1, Fraction(1, 10)), replace(value <= N, tie=Rational(1, 100)))
    verdict = verdict_of(claim)
    assert verdict.outcome is Outcome.UNDECIDED
    assert not verdict.rows[0].tied
