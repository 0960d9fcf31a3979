"""One row: the sign of its bound, its power, its shifts, and whether the bound says anything."""

from dataclasses import replace
from fractions import Fraction

import pytest
from sympy import Rational, exp, pi, sqrt
from tiny import M, N, constant, shrinking, tiny, value, x
from verdict_examples import HUGE, OPEN, open_row, spoiled, verdict_of

from theorytools import Budget, Control, Quantity, enclosed, exactly, grid, points
from theorytools.claims.judging.row import sign_of
from theorytools.numbers import Enclosure

CLOSE = Rational(141421356237309504880168872420969807856967187537694, 10**50)  # sqrt 2 to 50 digits
FAR = Rational(1, 10**40)


def own(verdict):
    return [row for row in verdict.rows if not row.control]


@pytest.mark.parametrize(
    ("bound", "sign"),
    [
        (N, 1), (-N, -1), (0 * N, 0), (N - 2, 0), (exp(-N), 1), (-exp(-N), -1),
        (sqrt(2) - CLOSE + FAR, 1), (sqrt(2) - CLOSE - FAR, -1),  # no double tells these from 0
        (sqrt(2) * sqrt(3) * pi - pi * sqrt(6) * N / 2, 0), (x - sqrt(6), None),
    ],
)  # fmt: skip
def test_the_sign_of_a_bound_is_decided_at_the_precision_that_it_takes(bound, sign):
    claim = constant(0, value <= x, derived=[x], derive=lambda thing, p: {x: 1})
    values = {"N": 2, "x": lambda: Enclosure(2).sqrt() * Enclosure(3).sqrt()}
    found = sign_of(value <= bound, values, claim.budget)
    assert found == sign or (sign == 0 and found is None)


POWERS = (1.01, 1.05, 1.25, 2, 10, 100)


@pytest.mark.parametrize("relation", ["<=", ">=", "=="])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("slack", [1, 1.004, 1.02, 1.1, 1.5, 3, 50, 1000])
def test_the_power_of_a_row_is_the_least_factor_that_it_rejects(relation, sign, slack):
    slack = Fraction(str(slack))
    below = (relation == "<=") == (sign > 0)
    number = sign * (Fraction(1) / slack if below else slack)
    assertion = {"<=": value <= sign, ">=": value >= sign, "==": value.equals(sign, within=0)}[relation]
    verdict = verdict_of(constant(sign if relation == "==" else number, assertion))
    expected = next((f for f in POWERS if Fraction(str(f)) > (1 if relation == "==" else slack)), None)
    assert [row.power for row in own(verdict)] == [expected]
    assert verdict.power == expected


def test_an_equality_within_a_tolerance_is_moved_both_ways():
    for number, within, power in [
        (11, 2, 2),  # 10/1.25 + 2 < 11, but 10 * 1.25 - 2 <= 11
        (9, 2, 2),  # 10 * 1.25 - 2 > 9, but 10/1.25 + 2 >= 9
        (10, 2, 2), (10, Rational(19, 10), 1.25), (10, Rational(1, 10), 1.05), (10, Rational(1, 100), 1.01),
    ]:  # fmt: skip
        (row,) = own(verdict_of(constant(number, value.equals(10, within=within))))
        assert row.power == power


def test_power_of_a_bound_of_zero_and_of_an_open_or_false_row():
    assert own(verdict_of(constant(0, value <= 0)))[0].power == 1.01
    assert own(verdict_of(constant(Fraction(-3, 2), value <= 0)))[0].power == 10  # 0 - (f - 1) < -3/2 from f = 5/2 on
    assert own(verdict_of(constant(OPEN, open_row)))[0].power is None
    assert own(verdict_of(constant(9, value <= 2)))[0].power is None
    spoiled_rows = [row for row in verdict_of(constant(1, value <= 2)).rows if row.control]
    assert [(row.power, row.shifts, row.vacuous) for row in spoiled_rows] == [(None, (), None)]


def test_power_of_a_sampled_row_draws_no_more():
    drawn = []
    recipe = shrinking(Fraction(6, 5), Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 1000), booked=drawn)
    (row,) = own(verdict_of(constant(recipe, value <= N)))
    assert row.measured.work == {"samples": 1}
    assert row.power == 10  # 7/10 > 2/10; the next intervals would lie above 2/2 too
    assert len(drawn) == 1


# -- shifts ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("number", "assertion", "at", "shifts"),
    [
        (4, value <= N, 4, ("N",)), (3, value <= N, 4, ()), (Fraction(7, 2), value <= N, 4, ("N",)),
        (4, value >= N, 4, ("N",)), (5, value >= N, 4, ()), (Fraction(1, 4), value <= 1 / N, 4, ("N",)),
        (4, value.equals(N), 4, ("N",)), (4, value.equals(N, within=1), 4, ()),
        (4, value.equals(N, within=Rational(1, 2)), 4, ("N",)), (Fraction(9, 2), value.equals(N, within=1), 4, ()),
        (2, value <= N, 2, ("N",)), (1, value <= N, 1, ()), (4, value <= 4, 4, ()),
    ],
)  # fmt: skip
def test_a_shift_is_seen_where_the_stronger_neighbour_is_refuted(number, assertion, at, shifts):
    rows = own(verdict_of(constant(number, assertion, grid=grid(N=[at]))))
    assert [(row.truth, row.shifts) for row in rows] == [(True, shifts)]


def test_only_whole_letters_of_the_right_side_are_shifted():
    where = points("N x kind M", (2, 4, "a", 3), (2, Fraction(11, 2), "a", 3), (2, 1, "a", 3))
    rows = own(verdict_of(constant(3, value <= x - 1, grid=where)))
    assert [(row.truth, row.shifts) for row in rows] == [(True, ("x",)), (True, ()), (False, ())]
    both = own(verdict_of(constant(6, value <= N * M, grid=points("N M", (2, 3)))))
    assert both[0].shifts == ("M", "N")


# -- vacuous bounds ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("bound", "low", "high"),
    [(1, None, True), (Rational(99, 100), None, False), (2, None, True), (0, True, None),
     (Rational(1, 100), False, None), (-1, True, None)],
)  # fmt: skip
@pytest.mark.parametrize("ends", [(0, 1), (0 * N, N / 2)])
def test_a_bound_at_the_trivial_end_is_vacuous_and_one_inside_is_not(bound, low, high, ends):
    share = Quantity("share", "p", "", ends)
    assertion = share <= bound if low is None else share >= bound
    broken = Control("broken", breaks=share, measure=lambda t, p: {share: HUGE if low is None else -HUGE})
    half = {share: Fraction(1, 2)}
    claim = tiny(asserts=[assertion], grid=grid(N=[2]), measure=lambda thing, p: half, controls=[broken])
    assert [row.vacuous for row in own(verdict_of(claim))] == [high if low is None else low]


def test_vacuity_is_judged_at_the_precision_that_it_takes_and_else_left_open():
    share = Quantity("share", "p", "", (-sqrt(2), sqrt(2)))
    broken = Control("broken", breaks=share, measure=lambda t, p: {share: HUGE})
    for bound, expected in ((CLOSE + FAR, True), (CLOSE - FAR, False)):
        claim = tiny(asserts=[share <= bound], measure=lambda thing, p: {share: 1}, controls=[broken])
        assert {row.vacuous for row in own(verdict_of(claim))} == {expected}
    below = Control("broken", breaks=share, measure=lambda t, p: {share: -HUGE})
    for bound, expected in ((-CLOSE - FAR, True), (-CLOSE + FAR, False)):
        claim = tiny(asserts=[share >= bound], measure=lambda thing, p: {share: 1}, controls=[below])
        assert {row.vacuous for row in own(verdict_of(claim))} == {expected}
    one_sided = Quantity("share", "p", "", (None, 1))
    claim = tiny(asserts=[one_sided >= 0, one_sided.equals(1)], measure=lambda thing, p: {one_sided: 1},
                 controls=[Control("broken", breaks=one_sided, measure=lambda t, p: {one_sided: -1})])  # fmt: skip
    assert {row.vacuous for row in own(verdict_of(claim))} == {False}


# -- ties --------------------------------------------------------------------------------------------------------------
def test_a_tie_is_granted_only_to_what_stays_open_and_lies_within_it():
    tied = Rational(1, 10**6)
    for number, assertion, truth, granted in [
        (OPEN, open_row, True, True), (OPEN, value >= sqrt(6), True, True), (OPEN, value.equals(sqrt(6)), True, True),
        (1, open_row, True, False), (HUGE, open_row, False, False),
        (exactly(Fraction(2449490, 10**6)), open_row, False, False),  # a violation within the tie is one
        (enclosed(lambda: Enclosure(0).log()), open_row, None, False),
    ]:  # fmt: skip
        (row,) = own(verdict_of(constant(number, replace(assertion, tie=tied), budget=Budget(bits=128))))
        assert (row.truth, row.tied) == (truth, granted)
    (row,) = own(verdict_of(constant(OPEN, open_row, controls=[spoiled()])))
    assert (row.truth, row.tied) == (None, False)
