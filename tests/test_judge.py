"""From rows to verdicts: what decides, what never counts as a control that broke, and what a verdict's file holds."""

import itertools
import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Eq, Rational, exp, log, sqrt
from tiny import M, N, constant, exponential, shrinking, tiny, value, write_checks, x

import theorytools
from theorytools import (
    Budget,
    CheckError,
    Control,
    DomainError,
    Evidence,
    Outcome,
    Quantity,
    enclosed,
    grid,
    judge,
    letter,
    points,
)
from theorytools.algebra.rigorous import Enclosure, End, working_precision
from theorytools.claims import find_root
from theorytools.claims.catalogue import Catalogue
from theorytools.claims.document import document
from theorytools.claims.loading import load
from theorytools.claims.run import judge_entry
from theorytools.claims.verdict import estimate_from_json

other = Quantity("other", "w", "another number")
HUGE = 10**9
fuzz = settings(deadline=None, derandomize=True, database=None, max_examples=50)


def verdict_of(claim, at=None):
    return judge(claim, "toy.lemma_01", at)


def root(number):
    return enclosed(lambda: Enclosure(number).sqrt())


def open_product():
    """A number equal to sqrt 6, which no precision can tell from it."""
    return Enclosure(2).sqrt() * Enclosure(3).sqrt()


OPEN = enclosed(open_product)
open_row = value <= sqrt(6)


# -- the order in which a verdict is decided ------------------------------------------------------------------
def spoiled(name="spoiled", number=HUGE, **changed):
    return Control(name, **{"breaks": value, "measure": lambda thing, p: {value: number}, **changed})


powerless, undecided_control = spoiled("powerless", 0), spoiled("undecided", OPEN)


@pytest.mark.parametrize(
    ("outcome", "claim"),
    [
        ("INAPPLICABLE", constant(HUGE, value <= N, requires=[N >= 3])),
        ("UNDECIDED", constant(HUGE, value <= N, requires=[x <= sqrt(6)], derived=[x],
                               derive=lambda thing, p: {x: open_product})),
        ("REFUTED", constant(HUGE, value <= N)),
        ("REFUTED", tiny(measure=lambda thing, p: {value: {2: OPEN, 3: HUGE}[p.N]}, asserts=[open_row],
                         controls=[powerless, undecided_control])),
        ("UNDECIDED", constant(OPEN, open_row, controls=[powerless])),
        ("POWERLESS", constant(1, open_row, controls=[undecided_control, powerless])),
        ("POWERLESS", constant(1, open_row, controls=[spoiled(), spoiled("nowhere", where=N >= 7)])),
        ("UNDECIDED", constant(1, open_row, controls=[spoiled(), undecided_control])),
        ("HOLDS", constant(1, open_row, controls=[spoiled()])),
    ],
)  # fmt: skip
def test_the_first_of_inapplicable_refuted_undecided_powerless_holds_decides(outcome, claim):
    verdict = verdict_of(claim)
    assert verdict.outcome == outcome
    assert verdict.as_expected is (outcome == "HOLDS")
    assert str(outcome) in str(verdict)


def test_one_point_with_an_open_hypothesis_leaves_the_claim_undecided():
    claim = tiny(
        requires=[x <= sqrt(6)], derived=[x],
        derive=lambda thing, p: {x: {2: lambda: Enclosure(1), 3: open_product}[p.N]},
    )  # fmt: skip
    verdict = verdict_of(claim)
    assert verdict.outcome is Outcome.UNDECIDED
    assert "stays undecided at x = 2.44949" in verdict.reason
    assert [s["open"] for s in verdict.skipped] == [True]


def test_a_refuted_claim_names_its_strongest_witness():
    numbers = {2: shrinking(9, 1), 3: 10}
    claim = tiny(measure=lambda thing, p: {value: numbers[p.N]}, controls=[spoiled()])
    verdict = verdict_of(claim)
    assert verdict.outcome is Outcome.REFUTED
    assert verdict.evidence is Evidence.EXACT
    assert verdict.witness.point == {"N": "3"}
    assert "value <= N fails at N=3: measured 10" in verdict.reason


def test_a_verdict_is_as_strong_as_its_weakest_row():
    claim = tiny(measure=lambda thing, p: {value: {2: 1, 3: root(2)}[p.N]}, controls=[spoiled(number=root(HUGE))])
    assert verdict_of(claim).evidence is Evidence.ENCLOSED


# -- controls -------------------------------------------------------------------------------------------------
def states(*controls, number=1, **changed):
    verdict = verdict_of(constant(number, value <= N, controls=list(controls), **changed))
    return verdict, [result.outcome for result in verdict.controls]


def test_a_control_must_break_with_evidence_no_weaker_than_the_claim():
    for number, expected in ((HUGE, "breaks"), (root(HUGE), "open"), (shrinking(HUGE, 1), "open")):
        verdict, (state,) = states(spoiled(number=number))
        assert state == expected
        assert verdict.outcome is (Outcome.HOLDS if expected == "breaks" else Outcome.UNDECIDED)
    for honest in (root(2), shrinking(1, Fraction(1, 2))):
        assert states(spoiled(), number=honest)[1] == ["breaks"]
    assert states(spoiled(number=shrinking(HUGE, 1)), number=shrinking(1, Fraction(1, 2)))[1] == ["breaks"]


def test_the_evidence_of_a_control_is_compared_within_one_assertion():
    """The bound of one assertion is irrational, so its rows are ENCLOSED at best; another row of v is EXACT."""
    asserts = [value <= sqrt(6), value >= 0]
    for order in (asserts, asserts[::-1]):
        claim = constant(1, value <= N, controls=[spoiled(number=3)])
        irrational = spoiled(number=3, breaks=value <= sqrt(6))
        assert verdict_of(replace(claim, asserts=order, controls=[irrational])).outcome is Outcome.HOLDS
    exact = replace(claim, asserts=[value <= sqrt(6), value <= N], controls=[spoiled(number=root(HUGE))])
    assert verdict_of(exact).outcome is Outcome.UNDECIDED  # the second bound is exact: a ball is weaker evidence


@pytest.mark.parametrize("error", [ValueError("no such code"), DomainError("N", required="less"), ZeroDivisionError()])
def test_an_exception_in_a_control_never_counts_as_broken(error):
    def fail(p):
        raise error

    with pytest.raises(type(error)):
        verdict_of(tiny(controls=[Control("fails", breaks=value, construct=fail)]))


def test_a_measurement_without_a_value_never_counts_as_broken():
    undefined = enclosed(lambda: Enclosure(-1).log())
    verdict, (state,) = states(spoiled(number=undefined))
    assert state == "open"
    assert verdict.outcome is Outcome.UNDECIDED
    with pytest.raises(CheckError, match="not a certificate"):
        states(spoiled(number=math.nan))


@pytest.mark.parametrize(("side", "state"), [(1, "breaks"), (OPEN, "open"), (HUGE, "fails")])
def test_a_control_must_leave_the_other_assertions_proved(side, state):
    claim = tiny(
        asserts=[value <= N, other <= sqrt(6)], grid=grid(N=[2]), measure=lambda thing, p: {value: 1, other: 2},
        controls=[Control("spoiled", breaks=value, measure=lambda thing, p: {value: HUGE, other: side})],
    )  # fmt: skip
    verdict = verdict_of(claim)
    assert [c.outcome for c in verdict.controls] == [state]
    expected = {"breaks": Outcome.HOLDS, "open": Outcome.UNDECIDED, "fails": Outcome.POWERLESS}
    assert verdict.outcome is expected[state]


def test_a_control_that_fails_at_one_point_fails():
    one = Control("one at N=2 only", breaks=value, construct=lambda p: p.N + (p.N == 2))
    verdict = verdict_of(tiny(controls=[one]))
    assert verdict.outcome is Outcome.POWERLESS
    assert "'one at N=2 only' did not break: value <= N was proved at N=3" in verdict.reason
    assert (verdict.controls[0].applied, verdict.controls[0].broken) == (2, 1)


def test_a_control_applies_where_its_condition_certainly_holds():
    controls = [spoiled(), spoiled("from 3", number=0, where=N <= 1), spoiled("at 3", where=Eq(N, 3))]
    verdict = verdict_of(tiny(controls=[controls[0], controls[2]]))
    assert [(c.applied, c.outcome) for c in verdict.controls] == [(2, "breaks"), (1, "breaks")]
    verdict = verdict_of(tiny(controls=controls))
    assert [c.outcome for c in verdict.controls] == ["breaks", "never applies", "breaks"]
    assert verdict.outcome is Outcome.POWERLESS
    assert "applies at no point" in verdict.reason


def test_an_open_condition_does_not_apply():
    claim = tiny(
        derived=[x], derive=lambda thing, p: {x: open_product},
        controls=[spoiled(), spoiled("where it is open", where=x <= sqrt(6))],
    )  # fmt: skip
    assert [c.outcome for c in verdict_of(claim).controls] == ["breaks", "never applies"]


def test_a_control_is_skipped_where_the_honest_bound_says_nothing():
    bounded = Quantity("value", "v", "", (0, 3))
    claim = tiny(
        asserts=[bounded <= N], grid=grid(N=[2, 3, 4]), measure=lambda thing, p: {bounded: min(thing, 3)},
        controls=[Control("one more", breaks=bounded, construct=lambda p: p.N + 1)],
    )  # fmt: skip
    verdict = verdict_of(claim)
    assert verdict.outcome is Outcome.HOLDS
    assert [row.vacuous for row in verdict.rows if not row.control] == [False, True, True]
    assert verdict.controls[0].applied == 1
    silent = verdict_of(replace(claim, grid=grid(N=[3, 4])))
    assert (silent.outcome, silent.controls[0].outcome) == (Outcome.POWERLESS, "never applies")


def test_a_control_is_applied_where_one_of_its_bounds_says_something():
    bounded = replace(value, trivial=(0, 1))
    claim = tiny(
        asserts=[bounded <= 2, other <= N], measure=lambda thing, p: {bounded: 1, other: 1},
        controls=[Control("both", breaks=[bounded, other], measure=lambda thing, p: {bounded: HUGE, other: HUGE})],
    )  # fmt: skip
    verdict = verdict_of(claim)
    assert (verdict.outcome, verdict.controls[0].applied) == (Outcome.HOLDS, 2)
    assert {row.vacuous for row in verdict.rows if row.control} == {None}


def test_at_a_users_point_one_control_suffices_and_none_is_powerless():
    claim = tiny(controls=[spoiled(), spoiled("at 3", where=Eq(N, 3))])
    for at, outcome in ((2, Outcome.HOLDS), (3, Outcome.HOLDS)):
        assert verdict_of(claim, [{"N": at}]).outcome is outcome
    only_at_three = tiny(controls=[spoiled(where=Eq(N, 3))])
    assert verdict_of(only_at_three, [{"N": 2}]).outcome is Outcome.POWERLESS


def test_a_control_with_its_own_assertion_is_compared_by_its_quantity():
    claim = tiny(controls=[Control("half the bound", breaks=value, asserts=[value <= N / 2])])
    verdict = verdict_of(claim)
    assert verdict.outcome is Outcome.HOLDS
    assert {row.assertion for row in verdict.rows} == {"value <= N", "value <= N/2"}


# -- repairs --------------------------------------------------------------------------------------------------
def published(number=lambda p: p.N + 1, repair=value <= N + 1, **changed):
    return tiny(**{
        "expect": "REFUTED", "measure": lambda thing, p: {value: number(p)},
        "controls": [Control("one more allowed", asserts=[repair]), spoiled()], **changed,
    })  # fmt: skip


def test_a_refuted_reading_needs_a_witness_and_a_repair_that_holds_everywhere():
    verdict = verdict_of(published())
    assert (verdict.outcome, verdict.as_expected) == (Outcome.REFUTED, True)
    assert [c.outcome for c in verdict.controls] == ["holds", "breaks"]
    small_sizes_may_agree = verdict_of(published(lambda p: p.N + (p.N == 3)))
    assert small_sizes_may_agree.as_expected


@pytest.mark.parametrize(
    ("claim", "outcome"),
    [
        (published(repair=value <= 3), Outcome.REFUTED),  # the repair fails at N = 3
        (published(controls=[Control("only at 2", asserts=[value <= N + 1], where=Eq(N, 2)), spoiled()]),
         Outcome.REFUTED),  # the repair is not shown at N = 3
        (published(lambda p: shrinking(p.N + 1, Fraction(1, 9)), value <= N + 2), Outcome.REFUTED),  # none certain
        (published(lambda p: p.N), Outcome.HOLDS),  # nothing fails
        (published(lambda p: OPEN, repair=value <= 9, asserts=[open_row]), Outcome.UNDECIDED),
        (published(controls=[Control("repair", asserts=[value <= N + 1]), spoiled(number=0)]), Outcome.REFUTED),
    ],
)  # fmt: skip
def test_otherwise_a_refutation_is_not_the_expected_one(claim, outcome):
    verdict = verdict_of(claim)
    assert (verdict.outcome, verdict.as_expected) == (outcome, False)


# -- derived letters ------------------------------------------------------------------------------------------
def attained(derived):
    number = enclosed(lambda: Enclosure(2).sqrt() - Fraction(1, 10**40))
    return constant(number, value <= x, derive=lambda thing, p: {x: derived()}, derived=[x],
                    repair=enclosed(lambda: Enclosure(2).sqrt() + 1))  # fmt: skip


def test_a_derived_recipe_is_refined_and_a_frozen_ball_is_not():
    assert verdict_of(attained(lambda: lambda: Enclosure(2).sqrt())).outcome is Outcome.HOLDS
    frozen = verdict_of(attained(lambda: Enclosure(2).sqrt()))  # 53 bits, for ever
    assert frozen.outcome is Outcome.UNDECIDED


@pytest.mark.parametrize("number", [math.sqrt(2), np.float64(2), lambda: math.sqrt(2)])
def test_a_derived_float_is_refused(number):
    with pytest.raises((CheckError, DomainError), match=r"float"):
        verdict_of(attained(lambda: number))


def test_derive_gives_exactly_the_derived_letters():
    for letters in ({}, {x: 1, M: 2}, {M: 2}):
        with pytest.raises(CheckError, match=r"exactly \['x'\]"):
            verdict_of(constant(1, value <= x, derive=lambda thing, p, letters=letters: letters, derived=[x]))


def test_controls_keep_the_honest_right_side():
    """Against its own x the control would hold."""
    claim = tiny(
        asserts=[value <= x], derive=lambda thing, p: {x: thing}, derived=[x],
        controls=[Control("one more", breaks=value, construct=lambda p: p.N + 1)],
    )  # fmt: skip
    verdict = verdict_of(claim)
    assert verdict.outcome is Outcome.HOLDS
    rows = {(row.control, row.point["N"]): row for row in verdict.rows}
    assert rows["one more", "2"].bound == rows["", "2"].bound
    assert rows["one more", "2"].measured.low == 3


# -- refinement and ties --------------------------------------------------------------------------------------
def test_a_true_equality_of_transcendental_numbers_stays_undecided():
    number, _ = exponential(3)
    verdict = verdict_of(constant(number, value <= exp(1) * exp(2)))
    assert verdict.outcome is Outcome.UNDECIDED
    assert verdict.rows[0].steps == 7  # 64, 128, …, 4096 bits
    assert verdict.rows[0].slack is None


@pytest.mark.parametrize(("digits", "steps"), [(40, 3), (200, 5), (1000, 7)])  # 256, 1024 and 4096 bits
def test_a_difference_in_any_digit_is_decided(digits, steps):
    number, _ = exponential(3)
    off = Rational(1, 10**digits)
    for bound, outcome in ((exp(3) * (1 + off), Outcome.HOLDS), (exp(3) * (1 - off), Outcome.REFUTED)):
        verdict = verdict_of(constant(number, value <= bound))
        assert verdict.outcome is outcome
        assert verdict.rows[0].steps == steps


def test_the_budget_of_bits_is_the_claims():
    number, _ = exponential(3)
    claim = constant(number, value <= exp(3) * (1 + Rational(1, 10**40)), budget=Budget(bits=128))
    assert verdict_of(claim).outcome is Outcome.UNDECIDED


def test_an_exact_left_side_still_has_its_bound_refined():
    close = Fraction(271828182845904523536028747135266249775724709369995, 10**50)  # e rounded down to 50 digits
    verdict = verdict_of(constant(close, value <= exp(1)))
    assert verdict.outcome is Outcome.HOLDS
    assert verdict.rows[0].steps > 1


def test_a_tie_is_the_last_resort_and_says_so():
    number, _ = exponential(3)
    verdict = verdict_of(constant(number, replace(value <= exp(1) * exp(2), tie=Rational(1, 10**9))))
    assert verdict.outcome is Outcome.HOLDS
    row = verdict.rows[0]
    assert row.tied
    assert row.to_json()["tied"] is True
    assert row.steps == 7


def test_a_certain_violation_inside_the_tie_is_refuted():
    number, _ = exponential(3)
    off = exp(3) * (1 - Rational(1, 10**40))
    for relation in (value <= off, value.equals(off)):
        verdict = verdict_of(constant(number, replace(relation, tie=Rational(1, 10**9))))
        assert verdict.outcome is Outcome.REFUTED
        assert not verdict.rows[0].tied


def test_a_rational_tie_is_decided_without_one():
    verdict = verdict_of(constant(2, replace(value <= N, tie=Rational(1, 2))))
    assert verdict.outcome is Outcome.HOLDS
    assert not verdict.rows[0].tied


def test_a_violation_beyond_the_tie_stays_a_violation():
    assert verdict_of(constant(3, replace(value <= N, tie=Rational(1, 4)))).outcome is Outcome.REFUTED


def test_a_sampled_row_uses_its_tie_after_the_last_sample():
    claim = constant(shrinking(2, 1, Fraction(1, 10)), replace(value <= N, tie=Rational(1, 10)))
    verdict = verdict_of(claim)
    assert verdict.outcome is Outcome.HOLDS
    assert (verdict.rows[0].tied, verdict.rows[0].measured.work["samples"]) == (True, 2)


def test_a_tie_too_small_to_decide_leaves_the_row_open():
    claim = constant(shrinking(2, 1, Fraction(1, 10)), replace(value <= N, tie=Rational(1, 100)))
    verdict = verdict_of(claim)
    assert verdict.outcome is Outcome.UNDECIDED
    assert not verdict.rows[0].tied


# -- power, slack, vacuity ------------------------------------------------------------------------------------
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


def test_a_moved_bound_that_stays_open_is_not_rejected():
    # [9/10, 11/10]: 2/1.25 is above it, 2/2 inside, 2/10 below
    assert verdict_of(constant(shrinking(1, Fraction(1, 10)), value <= 2)).power == 10


def test_power_of_an_equality_counts_both_directions():
    assert verdict_of(constant(3, value.equals(3))).power == 1.01
    assert verdict_of(constant(3, value.equals(3, within=Rational(1, 2)))).power == 1.25  # 12/5 + 1/2 < 3 < 15/4 - 1/2
    assert verdict_of(constant(3, value.equals(3, within=3))).power is None  # 3/f + 3 is never below 3
    assert verdict_of(constant(0, value.equals(0), repair=1)).power == 1.01


def test_power_is_the_best_over_points_and_the_worst_over_assertions():
    claim = tiny(asserts=[value <= N, value <= 5 * N], grid=grid(N=[2, 3]))
    claim = replace(claim, construct=lambda p: Fraction(p.N) if p.N == 3 else Fraction(p.N, 2),
                    controls=[spoiled(breaks=[value])])  # fmt: skip
    verdict = verdict_of(claim)
    assert verdict.powers == {"value <= N": 1.01, "value <= 5*N": 10}
    assert verdict.power == 10
    assert verdict.to_json()["power"] == 10


@fuzz
@given(st.fractions(Fraction(1, 9), 9, max_denominator=9), st.fractions(Fraction(1, 9), 9, max_denominator=9))
def test_slack_is_at_least_one_exactly_where_the_assertion_is_proved(measured, bound):
    rational = Rational(bound.numerator, bound.denominator)
    for assertion in (value <= rational, value >= rational):
        row = verdict_of(constant(measured, assertion)).rows[0]
        assert row.slack == pytest.approx(float(bound / measured if assertion.relation == "<=" else measured / bound))
        assert (row.slack >= 1) is (row.truth is True)


def test_slack_near_one_is_on_the_side_of_the_truth():
    for (number, bound), sign in itertools.product([exponential(3), (1, 1)], (1, -1)):
        row = verdict_of(constant(number, value <= bound * (1 + sign * Rational(1, 10**40)))).rows[0]
        assert row.truth is (sign > 0)
        assert (row.slack >= 1) is row.truth


def test_slack_is_the_one_that_is_certain():
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


# -- error probability ----------------------------------------------------------------------------------------
def booking(booked, controls, **changed):
    def measure(thing, p):
        return {value: shrinking(1, Fraction(1, 2), booked=booked), other: shrinking(1, 1, booked=booked)}

    return tiny(**{"asserts": [value <= N, other <= 2 * N, value >= 0], "measure": measure, "controls": controls,
                   "grid": grid(N=[2, 3, 4]), **changed})  # fmt: skip


def spoiling(booked, *quantities):
    return {q: shrinking(HUGE if q == value else 1, 1, booked=booked) for q in quantities}


def test_alpha_is_divided_over_points_controls_and_quantities_before_sampling():
    booked = []
    controls = [Control(name, breaks=value <= N, measure=lambda thing, p: spoiling(booked, value, other))
                for name in ("first", "second")]  # fmt: skip
    verdict = verdict_of(booking(booked, controls))
    assert verdict.outcome is Outcome.HOLDS
    assert set(booked) == {1e-6 / (3 * 3 * 2)}  # points, claim and two controls, quantities
    assert len(booked) == 18  # two assertions on one quantity share its sample
    assert verdict.alpha_spent == pytest.approx(1e-6)
    booked.clear()
    alone = verdict_of(booking(booked, controls), [{"N": 3}])
    assert set(booked) == {1e-6 / 18}
    assert alone.alpha_spent == pytest.approx(6e-6 / 18)


def test_many_points_of_a_user_divide_alpha_further():
    booked = []
    controls = [Control("spoiled", breaks=value <= N, measure=lambda thing, p: spoiling(booked, value, other))]
    verdict = verdict_of(booking(booked, controls), [{"N": number} for number in range(2, 12)])
    assert set(booked) == {1e-6 / (10 * 2 * 2)}
    assert verdict.alpha_spent == pytest.approx(1e-6)


def test_a_control_that_measures_more_does_not_overspend():
    booked = []
    extra = [Quantity(f"extra {k}", "e") for k in range(4)]
    many = Control(
        "many", breaks=value, measure=lambda thing, p: spoiling(booked, value, *extra),
        asserts=[value <= N, *(q <= HUGE for q in extra)],
    )  # fmt: skip
    claim = booking(booked, [many], asserts=[value <= N])
    assert verdict_of(claim).alpha_spent <= 1e-6 * (1 + 1e-12)  # twelve additions of doubles
    assert len(booked) == 3 * (1 + 5)  # at each point the claim's one quantity, then the control's five


def test_exact_rows_spend_nothing():
    verdict = verdict_of(tiny())
    assert (verdict.alpha_spent, verdict.alpha_claim) == (0.0, 1e-6)


# -- points outside the hypotheses ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("at", "reason"),
    [({"N": 0}, "N >= 1"), ({"N": -3}, "N >= 1"), ({"N": "5/2"}, "'N is an integer' fails: N = 5/2"),
     ({"N": 0.5}, "'N is an integer' fails: N = 1/2")],
)  # fmt: skip
def test_a_letters_own_domain_is_a_hypothesis(at, reason):
    verdict = verdict_of(tiny(requires=[N >= 1]), [at])  # sympy turns N >= 1 into True
    assert verdict.outcome is Outcome.INAPPLICABLE
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("number", "outcome"),
    [(3, Outcome.HOLDS), (lambda: Enclosure(3), Outcome.HOLDS), (Fraction(5, 2), Outcome.INAPPLICABLE),
     (lambda: Enclosure(Fraction(5, 2)), Outcome.INAPPLICABLE), (lambda: Enclosure(2).sqrt(), Outcome.INAPPLICABLE),
     (lambda: open_product() * Enclosure(6).sqrt(), Outcome.UNDECIDED), (sqrt(5), Outcome.INAPPLICABLE)],
)  # fmt: skip
def test_a_derived_letter_is_tested_for_being_an_integer(number, outcome):
    claim = constant(0, value <= M, derive=lambda thing, p: {M: number}, derived=[M])
    assert verdict_of(claim).outcome is outcome


def test_a_let_is_tested_too():
    root_of = letter("k", "", integer=True, positive=True)
    claim = tiny(asserts=[value <= N, value >= 0 * root_of - 1], lets={root_of: sqrt(N)}, requires=[root_of <= 9],
                 controls=[spoiled(breaks=value <= N)])  # fmt: skip
    assert verdict_of(claim, [{"N": 4}]).outcome is Outcome.HOLDS
    assert "'k is an integer' fails" in verdict_of(claim, [{"N": 5}]).reason


def test_hypotheses_are_judged_before_the_construction_where_they_can_be():
    def construct(p):
        raise AssertionError("built outside the hypotheses")

    claim = tiny(construct=construct, requires=[N <= 1])
    assert verdict_of(claim).outcome is Outcome.INAPPLICABLE


def test_a_construction_may_refuse_a_users_point_but_not_its_own_grid():
    def construct(p):
        if p.N > 3:
            raise DomainError(f"N = {p.N}", required="N <= 3", why="it is a toy")
        return p.N

    claim = tiny(construct=construct, controls=[spoiled()])
    verdict = verdict_of(claim, [{"N": 4}])
    assert verdict.outcome is Outcome.INAPPLICABLE
    assert "the construction refuses N = 4, it takes N <= 3" in verdict.reason
    with pytest.raises(CheckError, match="a grid of points that the construction accepts"):
        verdict_of(replace(claim, grid=grid(N=[3, 4])))


@pytest.mark.parametrize("at", [{}, {"N": 2, "d": 3}, {"n": 2}])
def test_a_point_gives_each_axis_once(at):
    with pytest.raises(DomainError, match="one value for each of N"):
        verdict_of(tiny(), [at])


def test_measure_gives_every_quantity():
    with pytest.raises(CheckError, match="a value for value"):
        verdict_of(tiny(measure=lambda thing, p: {other: 1}))
    with pytest.raises(CheckError, match="Tiny 1: value"):
        verdict_of(tiny(measure=lambda thing, p: {value: 0.5}))


# -- repeatable and pure --------------------------------------------------------------------------------------
def test_judging_twice_gives_one_verdict_and_leaves_no_trace():
    number, bound = exponential(3)
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    claim = constant(number, value <= 2 * bound)
    first, second = (replace(verdict_of(claim), seconds=0.0).to_json() for _ in range(2))
    assert first == second
    assert working_precision() == 53
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


def test_progress_is_reported_point_by_point():
    seen = []
    judge(tiny(), "toy.lemma_01", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]


# -- the file -------------------------------------------------------------------------------------------------
SCHEMA = json.loads((Path(theorytools.__file__).parent / "reporting" / "verdict.schema.json").read_text("utf-8"))
VALID = jsonschema.Draft202012Validator(SCHEMA)


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    """What a check file adds to the numbers: statement, source, versions."""
    root = write_checks(tmp_path_factory.mktemp("checks"))
    verdict = judge_entry(Catalogue(root).select(["toy.lemma_01"])[0])
    VALID.validate(verdict.to_json())
    return verdict.document


def strict(verdict):
    """The verdict's file as another reader meets it."""
    text = json.dumps(verdict.to_json(), allow_nan=False)
    return json.loads(text, parse_constant=pytest.fail)


FILES = {
    "HOLDS": tiny(), "REFUTED": published(), "INAPPLICABLE": tiny(requires=[N <= 1]),
    "POWERLESS": constant(1, value <= N, controls=[spoiled(number=0), spoiled("nowhere", where=N >= 7)]),
    "UNDECIDED": constant(OPEN, open_row, budget=Budget(bits=128)),
    "unbounded": constant(enclosed(lambda: Enclosure(-1).log()), value <= N, budget=Budget(bits=64)),
    "sampled": constant(shrinking(1, Fraction(1, 2)), value.equals(1, within=1)),
    "words": tiny(grid=points("kind N", ("simplex", 2)), asserts=[value <= N]),
    "fractions": tiny(grid=grid(y=["213/10", 1e-3]), construct=lambda p: p.y, asserts=[value <= x],
                      derive=lambda thing, p: {x: thing}, derived=[x], controls=[spoiled()]),
    "long": constant(Fraction(1, 10**5000), value <= Rational(1, 10) ** (2500 * N), repair=1),
    "far": constant(enclosed(lambda: (Enclosure(10) ** 6).exp()), value <= exp(10**6) * 2, 
                    repair=enclosed(lambda: (Enclosure(10) ** 7).exp())),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_verdict_fits_the_schema(name, described):
    verdict = judge(FILES[name], "toy.lemma_01", document=described)
    data = strict(verdict)
    VALID.validate(data)
    assert data["outcome"] == (name if name.isupper() else "UNDECIDED" if name == "unbounded" else "HOLDS")
    for row, stored in zip(verdict.rows, data["rows"], strict=True):
        assert estimate_from_json(stored["measured"]) == row.measured
        low, high = stored["measured"]["show"]
        assert low is None or End(low) <= row.measured.low
        assert high is None or End(high) >= row.measured.high


def test_infinite_and_huge_ends_are_written_without_infinities(described):
    data = strict(judge(FILES["unbounded"], "toy.lemma_01", document=described))
    measured = data["rows"][0]["measured"]
    assert (measured["low"], measured["high"], measured["show"]) == ({"inf": -1}, {"inf": 1}, [None, None])
    data = strict(judge(FILES["far"], "toy.lemma_01", document=described))
    assert data["rows"][0]["measured"]["show"][1] is None
    data = strict(judge(FILES["long"], "toy.lemma_01", document=described))
    assert len(data["rows"][0]["measured"]["low"]["q"][1]) > 4000  # str() of such an integer raises


def test_points_are_written_as_exact_strings(described):
    data = strict(judge(FILES["fractions"], "toy.lemma_01", document=described))
    assert [row["point"] for row in data["rows"] if not row["control"]] == [{"y": "213/10"}, {"y": "1/1000"}]


CHECKS = Catalogue(find_root(start=Path(__file__)))
ENTRIES = {entry.id: entry for entry in CHECKS.entries}


@pytest.mark.parametrize("id", ENTRIES)
def test_the_description_of_every_check_fits_the_schema(id):
    described = document(load(ENTRIES[id]), ENTRIES[id], CHECKS)
    partial = jsonschema.Draft202012Validator({**SCHEMA, "required": sorted(set(SCHEMA["required"]) & set(described))})
    assert set(described) < set(SCHEMA["properties"])
    partial.validate({**described, "assertions": [{**a, "power": None} for a in described["assertions"]]})
    assert described["text"]["summary"]


def damaged(**fields):
    return lambda data: data.update(fields)


@pytest.mark.parametrize(
    "damage",
    [damaged(outcome="PASSED"), damaged(power=1.02), damaged(extra=1), damaged(schema="theorytools.verdict/2"),
     damaged(evidence="CERTAIN"), damaged(alpha={"claim": 2, "spent": 0}), damaged(id="lemma"),
     lambda data: data.pop("reason"), lambda data: data["rows"][0].update(truth="yes"),
     lambda data: data["rows"][0]["measured"].pop("alpha"), lambda data: data["rows"][0]["point"].update(N=2),
     lambda data: data["rows"][0]["measured"].update(low={"q": ["1", "3"]}),
     lambda data: data["rows"][0]["measured"].update(low={"inf": 1, "q": ["0x1", "0x3"]})],
)  # fmt: skip
def test_the_schema_refuses_what_is_no_verdict(damage, described):
    data = strict(judge(tiny(), "toy.lemma_01", document=described))
    damage(data)
    assert not VALID.is_valid(data)


def test_the_schema_is_itself_well_formed():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
