"""Controls and repairs of a claim: where they apply, and what never counts as a control that broke."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from sympy import Eq, sqrt
from tiny import N, constant, shrinking, tiny, value, x
from verdict_examples import HUGE, OPEN, open_product, open_row, other, published, root, spoiled, verdict_of

from theorytools import CheckError, Control, DomainError, Enclosure, Outcome, Quantity, enclosed, grid


# -- controls -------------------------------------------------------------------------------------------------
def states(*controls, number=1, **changed):
    verdict = verdict_of(constant(number, value <= N, controls=list(controls), **changed))
    return verdict, [result.outcome for result in verdict.controls]


def test_the_evidence_of_a_control_is_no_weaker_within_one_assertion():
    for number, expected in ((HUGE, "breaks"), (root(HUGE), "open"), (shrinking(HUGE, 1), "open")):
        verdict, (state,) = states(spoiled(number=number))
        assert state == expected
        assert verdict.outcome is (Outcome.HOLDS if expected == "breaks" else Outcome.UNDECIDED)
    for honest in (root(2), shrinking(1, Fraction(1, 2))):
        assert states(spoiled(), number=honest)[1] == ["breaks"]
    assert states(spoiled(number=shrinking(HUGE, 1)), number=shrinking(1, Fraction(1, 2)))[1] == ["breaks"]
    # The bound of one assertion is irrational, so its rows are ENCLOSED at best; another row of v is EXACT.
    asserts = [value <= sqrt(6), value >= 0]
    for order in (asserts, asserts[::-1]):
        claim = constant(1, value <= N, controls=[spoiled(number=3)])
        irrational = spoiled(number=3, breaks=value <= sqrt(6))
        assert verdict_of(replace(claim, asserts=order, controls=[irrational])).outcome is Outcome.HOLDS
    exact = replace(claim, asserts=[value <= sqrt(6), value <= N], controls=[spoiled(number=root(HUGE))])
    assert verdict_of(exact).outcome is Outcome.UNDECIDED  # the second bound is exact: a ball is weaker evidence


@pytest.mark.parametrize("number", [lambda: 1, lambda: root(2), lambda: shrinking(1, 3, Fraction(1, 2))])
def test_a_control_that_spoils_an_assertion_alone_measures_nothing_again_and_has_the_same_rows(number):
    made = []
    measure = lambda thing, p: made.append(p.N) or {value: number()}  # noqa: E731
    one = Control("one less", breaks=value, asserts=[value <= N - 2])
    alone = verdict_of(tiny(asserts=[value <= N], grid=grid(N=[2]), measure=measure, controls=[one]))
    assert made == [2]
    twice = verdict_of(
        tiny(asserts=[value <= N], grid=grid(N=[2]), measure=measure, controls=[replace(one, measure=measure)])
    )
    assert made == [2, 2, 2]
    assert (alone.rows, alone.alpha_spent) == (twice.rows, twice.alpha_spent)  # steps and what was drawn included
    wider = Control("another quantity", breaks=other, asserts=[other <= 0])
    both = lambda thing, p: made.append(p.N) or {value: 1, other: 2}  # noqa: E731
    verdict_of(tiny(grid=grid(N=[2]), measure=both, controls=[wider]))
    assert made == [2, 2, 2, 2, 2]  # what the claim did not measure is measured


@pytest.mark.parametrize("error", [ValueError("no such code"), DomainError("N", required="less"), ZeroDivisionError()])
def test_an_exception_in_a_control_never_counts_as_broken(error):
    def fail(p):
        raise error

    with pytest.raises(type(error)):
        verdict_of(tiny(controls=[Control("fails", breaks=value, construct=fail)]))


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


def test_a_control_must_break_at_every_point_and_with_a_value():
    one = Control("one at N=2 only", breaks=value, construct=lambda p: p.N + (p.N == 2))
    verdict = verdict_of(tiny(controls=[one]))
    assert verdict.outcome is Outcome.POWERLESS
    assert "'one at N=2 only' did not break at 1 of 2 points: value <= N was proved at N=3" in verdict.reason
    assert (verdict.controls[0].applied, verdict.controls[0].broken) == (2, 1)
    undefined = enclosed(lambda: Enclosure(-1).log())
    verdict, (state,) = states(spoiled(number=undefined))
    assert state == "open"
    assert verdict.outcome is Outcome.UNDECIDED
    with pytest.raises(CheckError, match="not a certificate"):
        states(spoiled(number=math.nan))


def test_controls_apply_where_their_condition_certainly_holds():
    controls = [spoiled(), spoiled("from 3", number=0, where=N <= 1), spoiled("at 3", where=Eq(N, 3))]
    verdict = verdict_of(tiny(controls=[controls[0], controls[2]]))
    assert [(c.applied, c.outcome) for c in verdict.controls] == [(2, "breaks"), (1, "breaks")]
    verdict = verdict_of(tiny(controls=controls))
    assert [c.outcome for c in verdict.controls] == ["breaks", "never applies", "breaks"]
    assert verdict.outcome is Outcome.POWERLESS
    assert "applies at no point" in verdict.reason
    claim = tiny(
        derived=[x],
        derive=lambda thing, p: {x: open_product},
        controls=[spoiled(), spoiled("where it is open", where=x <= sqrt(6))],
    )
    assert [c.outcome for c in verdict_of(claim).controls] == ["breaks", "never applies"]


def test_controls_apply_where_one_of_the_honest_bounds_says_something():
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
    bounded = replace(value, trivial=(0, 1))
    claim = tiny(
        asserts=[bounded <= 2, other <= N],
        measure=lambda thing, p: {bounded: 1, other: 1},
        controls=[Control("both", breaks=[bounded, other], measure=lambda thing, p: {bounded: HUGE, other: HUGE})],
    )
    verdict = verdict_of(claim)
    assert (verdict.outcome, verdict.controls[0].applied) == (Outcome.HOLDS, 2)
    assert {row.vacuous for row in verdict.rows if row.control} == {None}


def test_users_points_need_one_control_and_own_assertions_are_compared_by_quantity():
    claim = tiny(controls=[spoiled(), spoiled("at 3", where=Eq(N, 3))])
    for at, outcome in ((2, Outcome.HOLDS), (3, Outcome.HOLDS)):
        assert verdict_of(claim, [{"N": at}]).outcome is outcome
    only_at_three = tiny(controls=[spoiled(where=Eq(N, 3))])
    assert verdict_of(only_at_three, [{"N": 2}]).outcome is Outcome.POWERLESS
    claim = tiny(controls=[Control("half the bound", breaks=value, asserts=[value <= N / 2])])
    verdict = verdict_of(claim)
    assert verdict.outcome is Outcome.HOLDS
    assert {row.assertion for row in verdict.rows} == {"value <= N", "value <= N/2"}


# -- repairs --------------------------------------------------------------------------------------------------
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
